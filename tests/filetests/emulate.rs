//! Runs a filetest on the emulator: sets inputs, compares values and findings.

use std::collections::BTreeMap;
use std::sync::Arc;

use emulator::glsl::{Sanitizer, diagnostic};
use emulator::host::{Host, Space};
use emulator::ir::{Instruction, Program, Register, Scalar, SiteId, Type};
use emulator::observe::{Event, Stepper};
use emulator::wave::{Flow, Interest, Observer};
use emulator::{Value, Wave, WaveState};
use lanes::{Mask, Numerics};
use moment::Marker;
use shader::Shader;
use shader::ast::{NodeId, StmtId};
use shader::version::Stage;
use texture::{Dim, Format, Image, Level, MipFilter, Sampler, Texture};

use crate::run_directive::{Expectation, RunTest};

/// Maximum number of blocks before a shader counts as not terminating.
const BLOCKS: u64 = 1_000_000;

/// Returns the failed expectations, one sentence each.
pub fn judge(test: &RunTest, text: &str) -> Vec<String> {
    let shader = shader::analyze(&[text], &test.options);
    if shader.has_errors() {
        let first = shader.diagnostics.iter().map(|d| d.message.clone()).next();
        return vec![format!("it has errors: {}", first.unwrap_or_default())];
    }
    let program = match emulator::glsl::lower(&shader) {
        Ok(program) => program,
        Err(refusal) => return vec![refusal.to_string()],
    };
    match run(test, &shader, &program) {
        Ok(failures) => failures,
        Err(complaint) => vec![complaint],
    }
}

fn run(test: &RunTest, shader: &Shader, program: &Arc<Program>) -> Result<Vec<String>, String> {
    let (x, y) = test.pixel;
    let lane = if shader.stage == Stage::Fragment { (x & 1 | (y & 1) << 1) as usize } else { 0 };
    let group: u32 = shader.typed.stage.local_size.iter().map(|size| size.unwrap_or(1)).product();
    let mask = Mask::from_bits(match shader.stage {
        Stage::Fragment => 0b1111,
        Stage::Compute if group <= 4 => (1 << group) - 1,
        Stage::Compute => return Err("workgroups of more than four invocations are not supported".to_owned()),
        _ => 1,
    });
    let mut wave: Wave<4> = Wave::new(program, Numerics::IEEE);
    wave.initialize(Mask::ALL).map_err(|trap| trap.to_string())?;
    if let Some((_, home)) = program.locate("gl_FragCoord") {
        let centre = |n: u32, step: u32| ((n & !1) as f32 + step as f32 + 0.5).to_bits();
        wave.set(home.at(0), [0, 1, 0, 1].map(|step| centre(x, step)));
        wave.set(home.at(1), [0, 0, 1, 1].map(|step| centre(y, step)));
        wave.set(home.at(3), [1f32.to_bits(); 4]);
    }
    for name in ["gl_LocalInvocationIndex", "gl_LocalInvocationID", "gl_GlobalInvocationID"] {
        if let Some((_, home)) = program.locate(name) {
            wave.set(home.start, [0, 1, 2, 3]);
        }
    }
    for (name, given) in &test.inputs {
        let Some((ty, home)) = program.locate(name) else {
            return Err(format!("`{name}` is set, but the shader has no such input or never uses it"));
        };
        let kinds = program.types.scalars(ty);
        let bits = parse(given, &kinds)?;
        let words = Value { ty, scalars: bits }.words(&program.types);
        home.iter().zip(words).for_each(|(register, word)| wave.set(register, [word; 4]));
    }
    let mut expectations = Expectations::new(test, shader, program, lane)?;
    let judged = if shader.stage == Stage::Compute { mask.bits() } else { 1 << lane };
    let mut sanitizer = Sanitizer::new(shader, program).only(judged);
    let mut world = World::new(program);
    let emitted = emitted(test, program)?;
    world.watched = emitted.iter().map(|output| output.registers.clone()).collect();
    let mut observers = (&mut sanitizer, &mut expectations);
    wave.main(mask, BLOCKS, &mut world, &mut observers).map_err(|trap| trap.to_string())?;
    sanitizer.finish(&wave);
    expectations.finish(&wave);
    let mut failures = expectations.failures();
    failures.extend(outputs(test, &wave, lane));
    failures.extend(findings(test, shader, &sanitizer));
    for (number, output) in emitted.iter().enumerate() {
        let seen: Vec<Vec<u64>> = world.emissions.iter().map(|emission| output.scalars(&emission[number])).collect();
        failures.extend(compare(output.at, &output.name, &output.values, &seen, &output.kinds));
    }
    Ok(failures)
}

/// One `emitted:`.
struct Emitted {
    at: u32,
    name: String,
    values: Vec<String>,
    kinds: Vec<Scalar>,
    registers: Vec<Register>,
}

impl Emitted {
    /// Returns the scalars in the words of registers.
    fn scalars(&self, words: &[u32]) -> Vec<u64> {
        let mut words = words.iter().map(|word| u64::from(*word));
        let mut next = || words.next().unwrap_or_default();
        self.kinds.iter().map(|kind| if kind.is_wide() { next() | next() << 32 } else { next() }).collect()
    }
}

fn emitted(test: &RunTest, program: &Program) -> Result<Vec<Emitted>, String> {
    let mut found = Vec::new();
    for directive in &test.directives {
        let Expectation::Emitted(name, values) = &directive.kind else { continue };
        let at = directive.at;
        let (ty, home) = program.locate(name).ok_or(format!("line {at}: there is no output `{name}`"))?;
        found.push(Emitted {
            at,
            name: name.clone(),
            values: values.split(" | ").map(|value| value.trim().to_owned()).collect(),
            kinds: program.types.scalars(ty),
            registers: home.iter().collect(),
        });
    }
    Ok(found)
}

/// Compares recorded values with expected ones: the same each time, or one after the other.
pub fn compare(at: u32, what: &str, values: &[String], seen: &[Vec<u64>], kinds: &[Scalar]) -> Vec<String> {
    let found: Vec<String> = seen.iter().map(|bits| shown(bits, kinds)).collect();
    let every = values.len() == 1;
    if seen.is_empty() || !every && seen.len() != values.len() {
        return vec![format!("line {at}: `{what}` was seen {} times: {found:?}", seen.len())];
    }
    let mut failures = Vec::new();
    for (i, bits) in seen.iter().enumerate() {
        let value = &values[if every { 0 } else { i }];
        match same(bits, value, kinds) {
            Ok(true) => {}
            Ok(false) => failures.push(format!("line {at}: `{what}` is {}, not {value}", found[i])),
            Err(error) => failures.push(format!("line {at}: {error}")),
        }
    }
    failures
}

/// The environment of shaders: a texture of four texels, buffers of 64 bytes, all zero.
struct World {
    texture: Texture,
    sampler: Sampler,
    shared: Vec<u8>,
    buffer: Vec<u8>,
    /// Registers to record where a vertex is emitted.
    watched: Vec<Vec<Register>>,
    /// Their contents, vertex by vertex.
    emissions: Vec<Vec<Vec<u32>>>,
}

impl World {
    fn new(program: &Program) -> World {
        let level = Level { width: 2, height: 2, depth: 1, data: vec![0; 16].into() };
        World {
            texture: Texture::new(Dim::D2, Format::Rgba8, vec![level]),
            sampler: Sampler { mip_filter: MipFilter::None, ..Sampler::default() },
            shared: vec![0; program.workgroup_bytes as usize],
            buffer: vec![0; 64],
            watched: Vec::new(),
            emissions: Vec::new(),
        }
    }
}

impl Host for World {
    fn buffer(&mut self, space: Space, _: u32) -> &mut [u8] {
        if space == Space::Workgroup { &mut self.shared } else { &mut self.buffer }
    }

    fn texture(&self, handle: u32) -> Option<(&Texture, &Sampler)> {
        (handle == 0).then_some((&self.texture, &self.sampler))
    }

    fn image(&mut self, _: u32) -> Option<(&mut Texture, Image)> {
        Some((&mut self.texture, Image { level: 0, layer: None, format: Format::Rgba8 }))
    }

    fn emit(&mut self, _: usize, _: u32, output: &dyn Fn(Register) -> u32) {
        let words = |registers: &Vec<Register>| registers.iter().map(|register| output(*register)).collect();
        self.emissions.push(self.watched.iter().map(words).collect());
    }
}

/// Part of a variable: the register of each of its scalars.
pub struct Part {
    scalars: Vec<(Register, Scalar)>,
}

impl Part {
    fn read(&self, wave: &WaveState<4>, lane: usize) -> Vec<u64> {
        let word = |register: Register| u64::from(wave.register(register)[lane]);
        let bits = |&(register, kind): &(Register, Scalar)| {
            if kind.is_wide() { word(register) | word(Register(register.0 + 1)) << 32 } else { word(register) }
        };
        self.scalars.iter().map(bits).collect()
    }

    /// Returns the types of its scalars.
    pub fn kinds(&self) -> Vec<Scalar> {
        self.scalars.iter().map(|(_, kind)| *kind).collect()
    }
}

/// One `expect:`.
struct Expected {
    at: u32,
    what: String,
    values: Vec<String>,
    part: Part,
    seen: Vec<Vec<u64>>,
}

/// Records variables whenever statements end.
struct Expectations {
    stepper: Stepper,
    by_statement: BTreeMap<StmtId, Vec<Expected>>,
    /// Lines that must not be reached.
    never: Vec<(u32, StmtId)>,
    reached: Vec<StmtId>,
}

impl Expectations {
    fn new(test: &RunTest, shader: &Shader, program: &Program, lane: usize) -> Result<Expectations, String> {
        let stepper = Stepper::new(&Arc::new(emulator::glsl::source_map(shader)), lane);
        let mut made = Expectations { stepper, by_statement: BTreeMap::new(), never: Vec::new(), reached: Vec::new() };
        for directive in &test.directives {
            let at = directive.at;
            match &directive.kind {
                Expectation::Expect(path, values) => {
                    let statement = statement(shader, directive.line).ok_or(format!("line {at}: no statement here"))?;
                    let part = part(shader, program, statement, path).map_err(|e| format!("line {at}: {e}"))?;
                    let values = values.split(" | ").map(|v| v.trim().to_owned()).collect();
                    let expected = Expected { at, what: path.clone(), values, part, seen: Vec::new() };
                    made.by_statement.entry(statement).or_default().push(expected);
                }
                Expectation::Never => {
                    let statement = statement(shader, directive.line).ok_or(format!("line {at}: no statement here"))?;
                    made.never.push((at, statement));
                }
                _ => {}
            }
        }
        Ok(made)
    }

    fn take(&mut self, wave: &WaveState<4>, events: Vec<Event>) {
        let lane = self.stepper.lane();
        for event in events {
            match event {
                Event::Begin(site) => self.reached.extend(moment::glsl::stmt(site)),
                Event::End(site) => {
                    let statement = moment::glsl::stmt(site).and_then(|id| self.by_statement.get_mut(&id));
                    for expected in statement.into_iter().flatten() {
                        let value = expected.part.read(wave, lane);
                        expected.seen.push(value);
                    }
                }
            }
        }
    }

    fn finish(&mut self, wave: &WaveState<4>) {
        let mut events = Vec::new();
        self.stepper.finish(|event| events.push(event));
        self.take(wave, events);
    }

    fn failures(&self) -> Vec<String> {
        let mut failures = Vec::new();
        for expected in self.by_statement.values().flatten() {
            let Expected { at, what, values, part, seen } = expected;
            failures.extend(compare(*at, what, values, seen, &part.kinds()));
        }
        for (at, statement) in &self.never {
            if self.reached.contains(statement) {
                failures.push(format!("line {at}: the line is reached"));
            }
        }
        failures
    }
}

impl Observer<4> for Expectations {
    fn interest(&self) -> Interest {
        Interest::INSTRUCTIONS
    }

    fn marker(&mut self, wave: &WaveState<4>, marker: Marker, mask: &Mask<4>) -> Flow {
        if self.stepper.takes_part(mask) {
            let mut events = Vec::new();
            self.stepper.marker(marker, |event| events.push(event));
            self.take(wave, events);
        }
        Flow::Continue
    }

    fn before(&mut self, wave: &WaveState<4>, _: &Instruction, origin: Option<SiteId>, mask: &Mask<4>) {
        if self.stepper.takes_part(mask) {
            let mut events = Vec::new();
            self.stepper.before(origin, |event| events.push(event));
            self.take(wave, events);
        }
    }
}

/// Returns the last statement that starts on a line.
pub fn statement(shader: &Shader, line: u32) -> Option<StmtId> {
    let on_line = |node: &NodeId| shader.sources.locate(shader.written(*node).start).line == line;
    let statements = shader.statement_boundaries().into_iter().filter(on_line).filter_map(|node| match node {
        NodeId::Stmt(id) => Some(id),
        NodeId::Expr(_) | NodeId::Decl(_) => None,
    });
    statements.last()
}

/// Resolves a path such as `s.a[1].xy` after a statement.
pub fn part(shader: &Shader, program: &Program, statement: StmtId, path: &str) -> Result<Part, String> {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (name, mut rest) = path.split_at(end);
    let symbols = &shader.preprocessed.symbols;
    let tokens = shader.tree.stmt(statement).tokens;
    let visible = shader.typed.variables.iter().enumerate().filter(|(_, row)| {
        let scope = shader.typed.scopes[row.scope.0 as usize].tokens;
        let around = row.scope.0 == 0 || scope.first <= tokens.first && tokens.first <= scope.last;
        symbols.name(row.name) == name && around && row.visible_from.0 <= tokens.last.0 + 1
    });
    let found = visible.max_by_key(|(_, row)| (row.scope, row.visible_from)).map(|(index, _)| index);
    let index = found.ok_or(format!("there is no `{name}` here"))?;
    let variable = &program.variables[index];
    let home = variable.registers().ok_or(format!("`{name}` is not in registers"))?;
    let mut ty = variable.ty;
    let mut scalars = Vec::new();
    let mut at = home.start.0;
    for kind in program.types.scalars(ty) {
        scalars.push((Register(at), kind));
        at += kind.width.registers();
    }
    let types = &program.types;
    let count = |ty| types.scalars(ty).len();
    while !rest.is_empty() {
        let wrong = || format!("`{path}` is not a part of `{name}`");
        if let Some(tail) = rest.strip_prefix('.') {
            let end = tail.find(['.', '[']).unwrap_or(tail.len());
            let (word, after) = tail.split_at(end);
            rest = after;
            if let Type::Struct(members) = types.get(ty) {
                let member = members.iter().position(|member| member.name == word).ok_or_else(wrong)?;
                let before: usize = members[..member].iter().map(|member| count(member.ty)).sum();
                ty = members[member].ty;
                scalars = scalars[before..before + count(ty)].to_vec();
            } else {
                let swizzle = shader::typed::Swizzle::parse(word).ok_or_else(wrong)?;
                let picked: Option<Vec<_>> =
                    swizzle.components().iter().map(|&c| scalars.get(usize::from(c)).copied()).collect();
                // Nothing but one of its components can follow, as if it were all of the vector.
                scalars = picked.ok_or_else(wrong)?;
            }
        } else {
            let (number, tail) = rest.strip_prefix('[').and_then(|r| r.split_once(']')).ok_or_else(wrong)?;
            let number: usize = number.parse().map_err(|_| wrong())?;
            rest = tail;
            ty = types.elements(ty).ok_or_else(wrong)?.0;
            let len = count(ty);
            scalars = scalars.get(number * len..(number + 1) * len).ok_or_else(wrong)?.to_vec();
        }
    }
    Ok(Part { scalars })
}

/// Returns the numbers in a text: `(1, 2)`, `((1, 0), (0, 1))`, `true`.
fn numbers(text: &str) -> Vec<&str> {
    text.split(|c: char| c == ',' || c == '(' || c == ')' || c.is_whitespace()).filter(|w| !w.is_empty()).collect()
}

pub fn parse(text: &str, kinds: &[Scalar]) -> Result<Vec<u64>, String> {
    let words = numbers(text);
    if words.len() != kinds.len() {
        return Err(format!("`{text}` has {} components instead of {}", words.len(), kinds.len()));
    }
    words.iter().zip(kinds).map(|(word, kind)| bits(word, *kind).ok_or(format!("`{word}` is not a {kind:?}"))).collect()
}

fn bits(word: &str, kind: Scalar) -> Option<u64> {
    Some(match kind {
        Scalar::F32 => u64::from(word.parse::<f32>().ok()?.to_bits()),
        Scalar::F64 => word.parse::<f64>().ok()?.to_bits(),
        Scalar::BOOL => u64::from(word.parse::<bool>().ok()?),
        Scalar::I32 => u64::from(word.parse::<i32>().ok()? as u32),
        Scalar::U32 => u64::from(word.trim_end_matches('u').parse::<u32>().ok()?),
        Scalar::I64 => word.parse::<i64>().ok()? as u64,
        Scalar::U64 => word.trim_end_matches('u').parse::<u64>().ok()?,
        _ => return None,
    })
}

/// Returns whether bits are the value in a text; `±2ulp` at its end is a tolerance.
pub fn same(found: &[u64], text: &str, kinds: &[Scalar]) -> Result<bool, String> {
    let (text, ulps) = match text.rsplit_once('±') {
        Some((text, ulps)) => {
            let ulps = ulps.trim().strip_suffix("ulp").and_then(|n| n.parse::<u32>().ok());
            (text.trim(), ulps.ok_or("expected a tolerance such as `±2ulp` after the value")?)
        }
        None => (text, 0),
    };
    let expected = parse(text, kinds)?;
    let near = |((&a, &b), kind): ((&u64, &u64), &Scalar)| match *kind {
        Scalar::F32 => {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            x.is_nan() && y.is_nan() || x == y && x.is_sign_negative() == y.is_sign_negative() || distance(x, y) <= ulps
        }
        Scalar::F64 => {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            x.is_nan() && y.is_nan() || x == y
        }
        _ => a == b,
    };
    Ok(found.iter().zip(&expected).zip(kinds).all(near))
}

/// Returns the number of floats between two of the same sign.
pub fn distance(x: f32, y: f32) -> u32 {
    if x.is_nan() || y.is_nan() || x.is_sign_negative() != y.is_sign_negative() {
        return u32::MAX;
    }
    x.to_bits().abs_diff(y.to_bits())
}

pub fn shown(bits: &[u64], kinds: &[Scalar]) -> String {
    let one = |(&bits, kind): (&u64, &Scalar)| match *kind {
        Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Scalar::F64 => format!("{:?}", f64::from_bits(bits)),
        Scalar::BOOL => (bits != 0).to_string(),
        Scalar::I32 => (bits as u32 as i32).to_string(),
        Scalar::I64 => (bits as i64).to_string(),
        _ => bits.to_string(),
    };
    let all: Vec<String> = bits.iter().zip(kinds).map(one).collect();
    if all.len() == 1 { all[0].clone() } else { format!("({})", all.join(", ")) }
}

/// Checks `output:` and `discarded:`, at the end of `main`.
fn outputs(test: &RunTest, wave: &WaveState<4>, lane: usize) -> Vec<String> {
    let program = wave.program();
    let mut failures = Vec::new();
    let alive = wave.alive().bits() >> lane & 1 != 0;
    let expects_discard = test.directives.iter().any(|d| d.kind == Expectation::Discarded);
    if alive == expects_discard {
        failures.push(if alive { "the fragment is not discarded" } else { "the fragment is discarded" }.to_owned());
    }
    for directive in &test.directives {
        let Expectation::Output(name, value) = &directive.kind else { continue };
        let at = directive.at;
        let Some((ty, home)) = program.locate(name) else {
            failures.push(format!("line {at}: there is no output `{name}`"));
            continue;
        };
        let kinds = program.types.scalars(ty);
        let found = Value::of_registers(wave, ty, home, lane).scalars;
        match same(&found, value, &kinds) {
            Ok(true) => {}
            Ok(false) => failures.push(format!("line {at}: `{name}` is {}, not {value}", shown(&found, &kinds))),
            Err(error) => failures.push(format!("line {at}: {error}")),
        }
    }
    failures
}

/// Checks `finding:`; every finding must be expected.
fn findings(test: &RunTest, shader: &Shader, sanitizer: &Sanitizer<'_>) -> Vec<String> {
    let mut failures = Vec::new();
    let mut open: Vec<(u32, &str, String)> = Vec::new();
    for finding in sanitizer.findings() {
        let diagnostic = diagnostic(finding, shader);
        let line = shader.sources.locate(diagnostic.labels[0].span.start).line;
        open.push((line, finding.kind.code(), diagnostic.message));
    }
    for directive in &test.directives {
        let Expectation::Finding(code, text) = &directive.kind else { continue };
        let fits = |(line, c, message): &(u32, &str, String)| {
            *line == directive.line && c == code && message.contains(text.as_str())
        };
        match open.iter().position(fits) {
            Some(index) => drop(open.remove(index)),
            None => failures.push(format!("line {}: `{code} \"{text}\"` was not found", directive.at)),
        }
    }
    let rest = open.iter().map(|(line, code, message)| format!("line {line}: unexpected: {code} \"{message}\""));
    failures.extend(rest);
    failures
}
