//! Compares a recording of a variant with the emulator's trace of the original, both run on four lanes with the same
//! inputs: markers must be equal in the same order, values bit by bit, and the shader's outputs must not change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use emulator::glsl::{self, Evaluator, lower};
use emulator::host::Space;
use emulator::ir::{self, FunctionId, Instruction, Marker, NoteKind, Program, Register, Registers, Scalar, TypeId};
use emulator::travel::{Arrival, Limits, Travel};
use emulator::wave::{Flow, Interest, Observer};
use emulator::{Host, Value, Wave, WaveState};
use instrument::stream::{BLOCK_HEADER, IDENTITY};
use instrument::variant::Reading;
use instrument::{Detail, Device, Question, Scope, Subject, Transport, Variant, What, weave};
use lanes::{Mask, Numerics};
use moment::{Moment, SiteId, Step, Tracker};
use shader::Shader;
use shader::ast::{ExprId, ExprKind, NodeId, UnaryOp};
use shader::qualifier::Storage;
use shader::query_rvalue::{Use, Uses};
use shader::typed::{BlockId, ScopeId, VarId};
use shader::types::Type;
use shader::version::{Options, Profile, Version};

/// The number of basic blocks after which a shader is considered endless.
const BLOCKS: u64 = 100_000;
/// How many times longer a variant may run.
const SLOWER: u64 = 40;
/// Words per region of the storage block.
const ROOM: u32 = 20_000;
/// The size of each of the shader's own buffers in bytes.
const BYTES: usize = 512;

/// The result of a comparison.
#[derive(Debug)]
pub enum Outcome {
    /// The emulator does not run the shader.
    Unfit(String),
    /// No variant could be made.
    Refused(String),
    /// The variant is invalid.
    Broken(String),
    /// Both were run.
    Compared(Counts),
}

/// The results of comparisons.
#[derive(Debug, Default)]
pub struct Counts {
    /// The number of equal markers.
    pub markers: usize,
    /// The number of values equal to the emulator's.
    pub values: usize,
    /// The number of values that the emulator's trace does not contain.
    pub unknown: usize,
    /// The size of the original and of the variant in bytes.
    pub bytes: (usize, usize),
    /// Questions without a variant.
    pub refusals: Vec<String>,
    /// Into how many parts the recording was divided; 0 if it was not.
    pub parts: usize,
    /// The differences.
    pub differences: Vec<String>,
}

/// A device with storage blocks and no other transports.
pub fn device() -> Device {
    let extensions = [
        "GL_ARB_gpu_shader5",
        "GL_ARB_shader_bit_encoding",
        "GL_ARB_shader_storage_buffer_object",
        "GL_ARB_uniform_buffer_object",
        "GL_EXT_gpu_shader4",
    ];
    Device {
        newest: Version { number: 460, profile: Profile::Compatibility },
        storage_blocks: [8; 6],
        storage_bindings: 16,
        integer_targets: false,
        float_targets: false,
        targets: 0,
        feedback_words: 0,
        extensions: extensions.into_iter().collect(),
        style: instrument::CompilerWorkarounds::default(),
    }
}

/// Raises GLSL ES shaders to a version with storage blocks; desktop shaders enable them by extensions.
pub fn raised(text: &str) -> String {
    let version = text.lines().find(|line| line.trim_start().starts_with("#version"));
    match version {
        Some(version) if version.contains("300 es") || version.contains("310 es") => {
            text.replacen(version, "#version 320 es", 1)
        }
        _ => text.to_owned(),
    }
}

/// Records a shader and compares.
pub fn compare(strings: &[String], options: &Options, detail: Detail) -> Outcome {
    let shader = shader::analyze(strings, options);
    if shader.has_errors() {
        return Outcome::Unfit("it has errors".to_owned());
    }
    let program = match lower(&shader) {
        Ok(program) => program,
        Err(refusal) => return Outcome::Unfit(refusal.what),
    };
    let subject = Subject { shader: &shader, options, written: None };
    let question = Question::Recording { detail };
    let variant = match weave(subject, &question, Scope::All, &device(), Transport::Storage) {
        Ok(variant) => variant,
        Err(refusal) => return Outcome::Refused(refusal.to_string()),
    };
    let mut journal = Journal::new(&shader, &program);
    let mut world = World::new(&shader, &program);
    let Some(original) = run(&shader, &program, &mut world, &mut journal, BLOCKS) else {
        return Outcome::Unfit("it does not end".to_owned());
    };
    let answers = answers(&variant, options).map_err(|why| format!("{why}\n{}", variant.strings.concat()));
    let in_parts = answers.as_ref().ok().and_then(|_| in_parts(subject, &question));
    match answers {
        Err(why) => Outcome::Broken(why),
        Ok(answers) => {
            let mut counts = Counts::default();
            counts.bytes.0 = strings.iter().map(String::len).sum();
            counts.bytes.1 = variant.strings.iter().map(String::len).sum();
            journal.compare(&answers.readings, &mut counts);
            match in_parts {
                None => {}
                Some(Err(why)) => counts.differences.push(format!("in parts: {why}")),
                Some(Ok((parts, readings))) => {
                    counts.parts = parts;
                    let same =
                        answers.readings.iter().zip(&readings).all(|(whole, parts)| whole.records == parts.records);
                    if !same {
                        counts.differences.push(difference(&answers.readings, &readings));
                    }
                }
            }
            let outputs = outputs(&original);
            for (name, words) in outputs {
                if answers.outputs.get(&name) != Some(&words) {
                    let now = answers.outputs.get(&name);
                    counts.differences.push(format!("output {name}: {words:x?} became {now:x?}"));
                }
            }
            if original.alive() != &answers.alive {
                counts.differences.push("different lanes are discarded".to_owned());
            }
            Outcome::Compared(counts)
        }
    }
}

/// Records a shader part by part, and returns the number of parts and the answer of each lane; `None` if the recording has to
/// be made at once.
fn in_parts(subject: Subject<'_>, question: &Question) -> Option<Result<(usize, Vec<Reading>), String>> {
    // So small that even short shaders have several parts.
    let questions = instrument::parts_of(subject, question, &device(), Transport::Storage, 12)?;
    let all = questions.iter().map(|question| {
        // The lanes are four invocations.
        let variant = weave(subject, question, Scope::All, &device(), Transport::Storage).map_err(|e| e.to_string())?;
        let streams =
            streams(&variant, subject.options).map_err(|why| format!("{why}\n{}", variant.strings.concat()))?;
        let records = streams.0.iter().map(|words| variant.layout.records(words).map_err(|e| e.to_string()));
        let records = records.collect::<Result<Vec<_>, String>>()?;
        Ok((variant, records))
    });
    let all: Result<Vec<_>, String> = all.collect();
    Some(all.and_then(|parts| {
        let count = parts.len();
        let mut parts = parts.into_iter();
        let (variant, mut sum) = parts.next().ok_or("a recording has no part")?;
        for (_, part) in parts {
            for (records, next) in sum.iter_mut().zip(part) {
                records.append(next).map_err(|e| e.to_string())?;
            }
        }
        Ok((count, sum.into_iter().map(|records| variant.layout.reading(records)).collect()))
    }))
}

/// The first record that differs.
fn difference(whole: &[Reading], parts: &[Reading]) -> String {
    for (lane, (whole, parts)) in whole.iter().zip(parts).enumerate() {
        let count = whole.records.len().max(parts.records.len());
        for at in 0..count {
            let (a, b) = (whole.records.get(at), parts.records.get(at));
            if a != b {
                return format!("in parts: lane {lane}, record {at}: {b:?}, and at once {a:?}");
            }
        }
    }
    "in parts: another number of lanes".to_owned()
}

/// Queries values of expressions at some of a run's moments, each with its own variant, and compares them.
pub fn compare_values(strings: &[String], options: &Options, limit: usize) -> Outcome {
    let shader = shader::analyze(strings, options);
    let Some(program) = (!shader.has_errors()).then(|| lower(&shader).ok()).flatten() else {
        return Outcome::Unfit("it has errors, or is not run".to_owned());
    };
    let mut journal = Journal::new(&shader, &program);
    if run(&shader, &program, &mut World::new(&shader, &program), &mut journal, BLOCKS).is_none() {
        return Outcome::Unfit("it does not end".to_owned());
    }
    let uses = Uses::new(&shader);
    let moments: BTreeSet<(Vec<Step>, ExprId)> = journal
        .values
        .keys()
        .filter(|(_, _, id)| journal.is_telling(&uses, *id))
        .map(|(_, path, id)| (path.clone(), *id))
        .collect();
    let mut counts = Counts::default();
    let count = moments.len();
    let chosen =
        moments.into_iter().enumerate().filter(|(i, _)| i * limit / count != (i + 1) * limit / count || count <= limit);
    for (_, (path, id)) in chosen {
        let moment = Moment { site: NodeId::Expr(id).into(), path: path.clone() };
        let words = |lane: usize| {
            let value = journal.values.get(&(lane, path.clone(), id))?.first()?;
            Some(value.words(&program.types))
        };
        let expected: Vec<Option<Vec<u32>>> = (0..4).map(words).collect();
        let question = Question::Value { moment, expression: None };
        if let Err(why) = ask(&shader, options, &question, &expected, &mut counts) {
            return Outcome::Broken(why);
        }
    }
    Outcome::Compared(counts)
}

/// Queries variables at some of a run's stops, each with its own variant, and compares them with the emulator's
/// evaluation.
pub fn compare_watches(strings: &[String], options: &Options, limit: usize) -> Outcome {
    let shader = Arc::new(shader::analyze(strings, options));
    let Some(program) = (!shader.has_errors()).then(|| lower(&shader).ok()).flatten() else {
        return Outcome::Unfit("it has errors, or is not run".to_owned());
    };
    let mut evaluator = Evaluator::new(&shader, options, &program);
    let limits = Limits { blocks: BLOCKS, ..Limits::default() };
    let Some(wave) = start(&shader, &program, &()) else { return Outcome::Unfit("it does not begin".to_owned()) };
    let (engine, wave) = wave.into_parts();
    let mut travel = Travel::new(engine, vec![wave], World::new(&shader, &program), limits);
    if travel.to_end() != Arrival::End {
        return Outcome::Unfit("it does not end".to_owned());
    }
    let end = travel.time();
    let mut counts = Counts::default();
    for number in 0..limit as u64 {
        travel.go_to(1 + number * end.saturating_sub(1) / limit as u64);
        let Some(moment) = travel.moment() else { continue };
        let visible = shader.visible_variables(moment.site.into());
        let Some(&variable) = visible.get(number as usize % visible.len().max(1)) else { continue };
        let name = shader.preprocessed.symbols.name(shader.typed.variable(variable).name);
        let Ok(expression) = evaluator.expression(&moment, name) else { continue };
        let Ok(answer) = expression.run(&travel) else { continue };
        // Others may get there at another time.
        let expected: Vec<Option<Vec<u32>>> = (0..4).map(|lane| answer.lane(lane)).collect();
        let mut found = Counts::default();
        let question = Question::Value { moment, expression: Some(name.to_owned()) };
        if let Err(why) = ask(&shader, options, &question, &expected, &mut found) {
            return Outcome::Broken(why);
        }
        counts.values += found.values;
        counts.unknown += found.unknown;
        counts.differences.extend(found.differences.into_iter().filter(|d| !d.contains("not None")));
    }
    Outcome::Compared(counts)
}

/// Asks one question and compares the values of all lanes.
fn ask(
    shader: &Shader,
    options: &Options,
    question: &Question,
    expected: &[Option<Vec<u32>>],
    counts: &mut Counts,
) -> Result<(), String> {
    let subject = Subject { shader, options, written: None };
    let variant = match weave(subject, question, Scope::All, &device(), Transport::Storage) {
        Ok(variant) => variant,
        Err(refusal) => {
            counts.refusals.push(refusal.to_string());
            return Ok(());
        }
    };
    let answers =
        answers(&variant, options).map_err(|why| format!("{question:?}: {why}\n{}", variant.strings.concat()))?;
    for (lane, (reading, expected)) in answers.readings.iter().zip(expected).enumerate() {
        let values = reading.records.iter().filter_map(|record| record.value.as_ref());
        let now: Vec<Vec<u32>> = values.map(|value| value.words(&variant.layout.types)).collect();
        let reached = reading.facts.has(instrument::stream::Facts::REACHED);
        let same = match (expected, &now[..]) {
            (None, []) => !reached,
            (Some(expected), [value]) => reached && expected == value,
            _ => false,
        };
        if same {
            counts.values += 1;
        } else {
            let text = match question {
                Question::Value { moment, .. } => shader.sources.slice(shader.written(moment.site.into())),
                _ => "",
            };
            counts.differences.push(format!("lane {lane}: {question:?} `{text}`: {now:x?}, not {expected:x?}"));
        }
    }
    Ok(())
}

/// The answers of a variant's run.
pub struct Answers {
    /// By lane.
    pub readings: Vec<Reading>,
    outputs: BTreeMap<String, Vec<u32>>,
    alive: Mask<4>,
}

/// Runs a variant on four lanes.
pub fn answers(variant: &Variant, options: &Options) -> Result<Answers, String> {
    let (streams, wave) = streams(variant, options)?;
    let readings = streams.iter().map(|words| variant.layout.decode(words).map_err(|e| e.to_string()));
    let readings = readings.collect::<Result<Vec<_>, _>>()?;
    Ok(Answers { readings, outputs: outputs(&wave), alive: *wave.alive() })
}

/// Runs a variant on four lanes, and returns the words of each.
fn streams(variant: &Variant, options: &Options) -> Result<(Vec<Vec<u32>>, Wave<4>), String> {
    let shader = shader::analyze(&variant.strings, options);
    if shader.has_errors() {
        let errors = shader.diagnostics.iter().filter(|d| d.severity == shader::diagnostic::Severity::Error);
        let text = |d: &shader::diagnostic::Diagnostic| {
            let at = d.labels.first().map(|label| shader.sources.locate(label.span.start));
            format!("{}:{}", at.map_or(0, |at| at.line), d.message)
        };
        return Err(errors.map(text).collect::<Vec<_>>().join("; "));
    }
    let program = lower(&shader).map_err(|refusal| format!("not run: {}", refusal.what))?;
    let mut world = World::new(&shader, &program);
    let slot = block_slot(&shader, &program, &variant.controls.block).ok_or("the block is gone")?;
    let mut words = vec![0u32; (BLOCK_HEADER + 4 * (ROOM)) as usize];
    words[1] = ROOM;
    world.0.insert((Space::Storage, slot), words.iter().flat_map(|word| word.to_le_bytes()).collect());
    let wave = run(&shader, &program, &mut world, &mut Controls(&variant.controls), BLOCKS * SLOWER);
    let wave = wave.ok_or("the variant does not end")?;
    let bytes = &world.0[&(Space::Storage, slot)];
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    if words[0] != 4 {
        return Err(format!("{} invocations answered instead of 4", words[0]));
    }
    let regions = words[BLOCK_HEADER as usize..].chunks(ROOM as usize);
    Ok((regions.map(|region| region[IDENTITY as usize..].to_vec()).collect(), wave))
}

fn block_slot(shader: &Shader, program: &Program, name: &str) -> Option<u32> {
    let named = |slots: &&emulator::ir::BlockSlots| {
        shader.preprocessed.symbols.name(shader.typed.block(BlockId(slots.block)).name) == name
    };
    program.blocks.iter().find(named).map(|slots| slots.first)
}

/// Prepares four lanes with inputs that depend only on names, and runs them.
fn run<O: Observer<4> + Sets>(
    shader: &Shader,
    program: &Arc<Program>,
    world: &mut World,
    observer: &mut O,
    blocks: u64,
) -> Option<Wave<4>> {
    let mut wave = start(shader, program, observer)?;
    wave.main(Mask::ALL, blocks, world, observer).ok()?;
    Some(wave)
}

/// Four lanes, ready to run.
pub fn start(shader: &Shader, program: &Arc<Program>, sets: &impl Sets) -> Option<Wave<4>> {
    let mut wave: Wave<4> = Wave::new(program, Numerics::IEEE);
    wave.initialize(Mask::ALL).ok()?;
    for (variable, row) in shader.typed.variables.iter().zip(program.unit_variables(0)) {
        let wanted = matches!(variable.qualifiers.storage, Storage::In | Storage::Uniform);
        if !wanted || variable.constant.is_some() || variable.scope != ScopeId::GLOBAL {
            continue;
        }
        let Some(home) = row.registers() else { continue };
        let name = row.name.as_str();
        let function = matches!(program.types.get(row.ty), ir::Type::Function);
        let uniform = variable.qualifiers.storage == Storage::Uniform;
        let mut at = home.start.0;
        for (place, kind) in program.types.scalars(row.ty).into_iter().enumerate() {
            let words: [u64; 4] = std::array::from_fn(|lane| {
                sets.set(name, place).unwrap_or_else(|| {
                    // Uniforms are the same for all lanes.
                    input(name, place, if uniform { 0 } else { lane }, kind, function)
                })
            });
            for shift in 0..kind.width.registers() {
                wave.set(Register(at), words.map(|word| (word >> (32 * shift)) as u32));
                at += 1;
            }
        }
    }
    wave.start(Mask::ALL);
    Some(wave)
}

/// A number that depends on a name.
fn input(name: &str, place: usize, lane: usize, kind: Scalar, function: bool) -> u64 {
    if name == "gl_FragCoord" {
        let value = [[0.5f32, 1.5, 0.5, 1.5][lane], [0.5, 0.5, 1.5, 1.5][lane], 0.25, 1.0][place.min(3)];
        return u64::from(value.to_bits());
    }
    if matches!(name, "gl_VertexID" | "gl_InvocationID") {
        return lane as u64;
    }
    if function {
        return 0;
    }
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in name.bytes().chain([place as u8, lane as u8]) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let number = (hash >> 33) % 8;
    match kind {
        Scalar::BOOL => number & 1,
        Scalar::F32 => u64::from((number as f32 * 0.5 - 1.0).to_bits()),
        Scalar::F64 => (number as f64 * 0.5 - 1.0).to_bits(),
        _ => number % 5,
    }
}

/// Overrides the values of inputs.
pub trait Sets {
    /// The bits of a scalar of an input.
    fn set(&self, name: &str, place: usize) -> Option<u64> {
        let _ = (name, place);
        None
    }
}

impl Sets for () {}

/// The controls of a variant: probes on, for all invocations.
struct Controls<'a>(&'a instrument::Controls);

impl Sets for Controls<'_> {
    fn set(&self, name: &str, _: usize) -> Option<u64> {
        match name {
            _ if name == self.0.on => Some(1),
            _ if name == self.0.pick => Some(u64::from(u32::MAX)),
            _ if name == self.0.base => Some(0),
            _ if name == self.0.regions => Some(4),
            _ => None,
        }
    }
}

impl Observer<4> for Controls<'_> {}

/// Buffers filled with numbers that depend on the names of blocks.
#[derive(Clone, Default)]
pub struct World(BTreeMap<(Space, u32), Vec<u8>>);

impl World {
    pub fn new(shader: &Shader, program: &Program) -> World {
        let mut world = World::default();
        for slots in &program.blocks {
            let name = shader.preprocessed.symbols.name(shader.typed.block(BlockId(slots.block)).name);
            for instance in 0..slots.count {
                let words = (0..BYTES / 4).map(|place| input(name, place, instance as usize, Scalar::F32, false));
                let bytes = words.flat_map(|word| (word as u32).to_le_bytes()).collect();
                world.0.insert((slots.space, slots.first + instance), bytes);
            }
        }
        world
    }
}

impl Host for World {
    fn buffer(&mut self, space: Space, slot: u32) -> &mut [u8] {
        self.0.entry((space, slot)).or_insert_with(|| vec![0; BYTES])
    }
}

/// The words of all outputs and other global variables, by name.
fn outputs(wave: &WaveState<4>) -> BTreeMap<String, Vec<u32>> {
    let words = |home: Registers| home.iter().flat_map(|r| *wave.register(r)).collect();
    wave.program().outputs().map(|(variable, home)| (variable.name.clone(), words(home))).collect()
}

/// The emulator's trace of a run.
struct Journal<'a> {
    shader: &'a Shader,
    program: &'a Program,
    trackers: [Tracker; 4],
    markers: [Vec<Marker>; 4],
    /// The values of each expression in order, by lane, path and expression.
    values: BTreeMap<(usize, Vec<Step>, ExprId), Vec<Value>>,
    /// The values of each variable after each write, by lane, path and variable.
    held: BTreeMap<(usize, Vec<Step>, VarId), Vec<Value>>,
    owners: Vec<Option<VarId>>,
    cursor: (Option<(FunctionId, ir::BlockId)>, usize, usize),
}

impl Sets for Journal<'_> {}

impl<'a> Journal<'a> {
    fn new(shader: &'a Shader, program: &'a Program) -> Journal<'a> {
        let mut owners = vec![None; program.registers as usize];
        for id in (0..shader.typed.variables.len() as u32).map(VarId) {
            let home = program.variable(glsl::variable(id)).registers();
            for register in home.into_iter().flat_map(Registers::iter) {
                owners[register.0 as usize] = Some(id);
            }
        }
        Journal {
            shader,
            program,
            trackers: Default::default(),
            markers: Default::default(),
            values: BTreeMap::new(),
            held: BTreeMap::new(),
            owners,
            cursor: (None, 0, 0),
        }
    }

    /// Reads the notes of a block up to a position.
    fn read(&mut self, wave: &WaveState<4>, ahead: usize, mask: &Mask<4>) {
        let Some(place) = wave.program_counter() else { return };
        let at = (place.function, place.block);
        let block = &self.program.functions[at.0.0 as usize].blocks[at.1.0 as usize];
        if self.cursor.0 != Some(at) || place.next < self.cursor.1 {
            let left =
                |i: &Instruction| matches!(i, Instruction::Call(_) | Instruction::Discard | Instruction::Barrier);
            let from = block.instructions[..place.next].iter().rposition(left).map_or(0, |at| at + 1);
            self.cursor = (Some(at), place.next, block.notes.partition_point(|note| note.at < from));
        }
        self.cursor.1 = place.next;
        while let Some(note) = block.notes.get(self.cursor.2).filter(|note| note.at <= place.next + ahead) {
            self.cursor.2 += 1;
            let (NoteKind::Read(operand) | NoteKind::End(operand) | NoteKind::Returned(operand)) = &note.kind else {
                continue;
            };
            for lane in (0..4).filter(|&lane| mask.words()[lane] != 0) {
                let value = Value::of_operand(wave, operand, lane);
                let Some(expr) = moment::glsl::expr(note.site) else { continue };
                let key = (lane, self.trackers[lane].path().collect(), expr);
                self.values.entry(key).or_default().push(value);
            }
        }
    }

    fn compare(&self, readings: &[Reading], counts: &mut Counts) {
        let uses = Uses::new(self.shader);
        // Arrays that get their size from the stage have another type there.
        let same_type = |ours: TypeId, theirs: Type| self.program.types.name(ours) == self.shader.type_name(theirs);
        for (lane, reading) in readings.iter().enumerate() {
            let passed: Vec<Marker> = reading
                .records
                .iter()
                .filter_map(|record| match record.what {
                    What::Marker(marker) => Some(marker),
                    _ => None,
                })
                .collect();
            let expected = &self.markers[lane];
            let same = passed.iter().zip(expected).take_while(|(a, b)| a == b).count();
            counts.markers += same;
            let whole = if reading.lost > 0 { passed.len() } else { passed.len().max(expected.len()) };
            if same < whole {
                let (now, then) = (passed.get(same), expected.get(same));
                counts.differences.push(format!("lane {lane}: marker {same} is {now:?}, not {then:?}"));
            }
            let mut seen: BTreeMap<(Vec<Step>, ExprId), usize> = BTreeMap::new();
            for record in &reading.records {
                let (Some(moment), Some(value)) = (&record.moment, &record.value) else { continue };
                match &record.what {
                    What::Value(NodeId::Expr(id)) => {
                        let number = seen.entry((moment.path.clone(), *id)).or_default();
                        *number += 1;
                        let known = self.values.get(&(lane, moment.path.clone(), *id));
                        let known =
                            known.filter(|known| self.is_telling(&uses, *id) && same_type(known[0].ty, value.ty));
                        match known.map(|known| known.get(*number - 1)) {
                            None => counts.unknown += 1,
                            Some(Some(known)) if known.scalars == value.scalars => counts.values += 1,
                            Some(known) => {
                                let text = self.shader.sources.slice(self.shader.written(NodeId::Expr(*id)));
                                let then = known.map(|known| &known.scalars);
                                counts.differences.push(format!(
                                    "lane {lane}: {moment} `{text}` is {:x?}, not {then:x?}",
                                    value.scalars
                                ));
                            }
                        }
                    }
                    What::Variable(NodeId::Decl(decl), name) => {
                        let tokens = self.shader.tree.decl(*decl).tokens;
                        let row = self.shader.typed.variables.iter().position(|v| {
                            v.declared.is_some_and(|at| tokens.first <= at && at <= tokens.last)
                                && !matches!(v.kind, shader::typed::VariableKind::Parameter(..))
                                && self.shader.preprocessed.symbols.name(v.name) == name
                        });
                        let is_function =
                            matches!(self.shader.tree.decl(*decl).kind, shader::ast::DeclKind::Function(_));
                        let held = row
                            .filter(|_| !is_function)
                            .and_then(|row| self.held.get(&(lane, moment.path.clone(), VarId(row as u32))));
                        match held {
                            None => counts.unknown += 1,
                            Some(held) if held.iter().any(|held| held.scalars == value.scalars) => counts.values += 1,
                            Some(held) => counts.differences.push(format!(
                                "lane {lane}: {moment} {name} is {:x?}, none of {held:x?}",
                                value.scalars
                            )),
                        }
                    }
                    _ => counts.unknown += 1,
                }
            }
        }
    }

    /// Whether the emulator's notes of an expression are its value: not for `x++`, where they are the new value, nor
    /// for assigned variables, where they are the old one.
    fn is_telling(&self, uses: &Uses, id: ExprId) -> bool {
        let post = matches!(
            self.shader.tree.expr(id).kind,
            ExprKind::Unary(UnaryOp::PostIncrement | UnaryOp::PostDecrement, _)
        );
        uses.of(id) == Use::Value && !post
    }
}

impl Observer<4> for Journal<'_> {
    fn interest(&self) -> Interest {
        Interest::INSTRUCTIONS
    }

    fn marker(&mut self, wave: &WaveState<4>, marker: Marker, mask: &Mask<4>) -> Flow {
        self.read(wave, 0, mask);
        for lane in (0..4).filter(|&lane| mask.words()[lane] != 0) {
            self.trackers[lane].pass(marker);
            self.markers[lane].push(marker);
        }
        Flow::Continue
    }

    fn before(&mut self, wave: &WaveState<4>, _: &Instruction, _: Option<SiteId>, mask: &Mask<4>) {
        self.read(wave, 0, mask);
    }

    fn after(&mut self, wave: &WaveState<4>, instruction: &Instruction, _: Option<SiteId>, mask: &Mask<4>) {
        self.read(wave, 1, mask);
        for run in instruction.results(wave.program()).into_iter().flatten() {
            let Some(variable) = run.iter().find_map(|register| self.owners[register.0 as usize]) else { continue };
            let row = self.program.variable(glsl::variable(variable));
            let Some(home) = row.registers() else { continue };
            for lane in (0..4).filter(|&lane| mask.words()[lane] != 0) {
                let value = Value::of_registers(wave, row.ty, home, lane);
                let key = (lane, self.trackers[lane].path().collect(), variable);
                let held = self.held.entry(key).or_default();
                if held.last() != Some(&value) {
                    held.push(value);
                }
            }
        }
    }

    fn branch(&mut self, wave: &WaveState<4>, _: Option<SiteId>, on: &Mask<4>, off: &Mask<4>) {
        self.read(wave, 0, &on.or(off));
        self.cursor = (None, 0, 0);
    }
}
