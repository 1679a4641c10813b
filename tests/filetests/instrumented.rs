//! Runs a filetest instrumented on a driver: the same expectations, checked by variants of the shader.
//!
//! `expect:` and `never:` refer to the time right after (or before) a statement. A numbered no-op statement is inserted
//! there; a recording gives the moments at which each of them is passed, and the value is queried at each of those
//! moments.

use std::collections::BTreeMap;

use driver::{Api, Assembly, Attribute, Channel, Image, ImageFormat, ImageTarget, Operation, Output, Shape, Uniform};
use emulator::glsl::{ir_scalar, lower};
use emulator::ir::{self, Program, ScalarKind, TypeId};
use instrument::inspect::{Ask, InspectContext, Inspector};
use instrument::stream::Facts;
use instrument::variant::{Reading, Record};
use instrument::{Detail, Question, Scope, Subject, What};
use lab::surround::{CORNER, VertexShader};
use lab::{OnDriver, OnEmulator, Scenario, quad};
use moment::glsl::value::scalars;
use moment::{Marker, Moment};
use shader::Shader;
use shader::ast::{DeclKind, NodeId, StmtId, StmtKind};
use shader::edit::{LineRules, Rewrite};
use shader::qualifier::Storage;
use shader::typed::{Primitive, VariableKind};
use shader::types::{OpaqueKind, Scalar, Type};
use shader::version::Stage;

use crate::emulate::{compare, distance, parse, part, statement};
use crate::run_directive::{Expectation, RunTest};

/// The number of the first no-op statement.
const FIRST_MARK: u32 = 7_000_000;

/// Returns the failed expectations, one sentence each.
pub fn judge(test: &RunTest, text: &str) -> Vec<String> {
    run(test, text).unwrap_or_else(|complaint| vec![complaint])
}

fn run(test: &RunTest, text: &str) -> Result<Vec<String>, String> {
    let original = shader::analyze(&[text], &test.options);
    let marked = mark(test, &original)?;
    let shader = shader::analyze(&marked, &test.options);
    if shader.has_errors() {
        return Err(format!("it has errors: {:?}\n{}", shader.diagnostics[0].message, marked.concat()));
    }
    let scenario = scenario(test, &shader, &marked)?;
    let mut device = OnDriver::new(scenario.clone()).map_err(|error| error.to_string())?.sparing(test.style);
    let mut asked = Inspection::new(test, &shader);
    let recorded = asked.record(&mut device)?;
    let mut failures = Vec::new();
    let mut emulated = OnEmulator::new(scenario.clone()).like(device.device());
    failures.extend(differences(&asked.record(&mut emulated)?, &recorded));
    let expects_discard = test.directives.iter().any(|d| d.kind == Expectation::Discarded);
    if recorded.facts.has(Facts::DISCARDED) != expects_discard {
        failures.push(
            if expects_discard { "the fragment is not discarded" } else { "the fragment is discarded" }.to_owned(),
        );
    }
    let outputs = outputs(test, &scenario, &device);
    let passed = passed(&shader, &recorded);
    let program = lower(&shader).map_err(|refusal| refusal.to_string())?;
    for (number, directive) in (1..).zip(&test.directives) {
        let at = directive.at;
        let moments = passed.get(&(FIRST_MARK + number)).map_or(&[][..], |(_, moments)| moments);
        match &directive.kind {
            Expectation::Never if !moments.is_empty() => failures.push(format!("line {at}: the line is reached")),
            Expectation::Expect(path, values) => {
                let Some(mark) = find_mark(&shader, FIRST_MARK + number) else {
                    return Err(format!("line {at}: the inserted statement is missing"));
                };
                let kinds = part(&shader, &program, mark, path).map_err(|e| format!("line {at}: {e}"))?.kinds();
                let mut seen = Vec::new();
                for moment in moments {
                    seen.push(asked.value(&mut device, moment, path).map_err(|e| format!("line {at}: {e}"))?);
                }
                let values: Vec<String> = values.split(" | ").map(|value| value.trim().to_owned()).collect();
                failures.extend(compare(at, path, &values, &seen, &kinds));
            }
            Expectation::Output(name, expected) => {
                let end = passed.get(&FIRST_MARK).and_then(|(_, moments)| moments.first());
                let Some((ty, _)) = program.locate(name) else {
                    failures.push(format!("line {at}: there is no output `{name}`"));
                    continue;
                };
                let kinds = program.types.scalars(ty);
                let mut found: Vec<Vec<u64>> =
                    outputs.iter().filter(|(n, _)| n == name).map(|(_, v)| v.clone()).collect();
                if let Some(end) = end {
                    found.push(asked.value(&mut device, end, name).map_err(|e| format!("line {at}: {e}"))?);
                }
                if found.is_empty() {
                    failures.push(format!("line {at}: the value of `{name}` is not available"));
                }
                for mut found in found {
                    found.truncate(kinds.len());
                    failures.extend(compare(at, name, std::slice::from_ref(expected), &[found], &kinds));
                }
            }
            Expectation::Emitted(name, values) => {
                let values: Vec<String> = values.split(" | ").map(|value| value.trim().to_owned()).collect();
                for device in [&mut device as &mut dyn InspectContext, &mut emulated] {
                    let (kinds, seen) = asked.emissions(device, &shader, name)?;
                    failures.extend(compare(at, name, &values, &seen, &kinds));
                }
            }
            Expectation::Never | Expectation::Discarded | Expectation::Finding(..) => {}
        }
    }
    Ok(failures)
}

/// A device's answers for the invocation of a test.
struct Inspection<'a> {
    subject: Subject<'a>,
    inspector: Inspector,
    ask: Ask,
}

impl<'a> Inspection<'a> {
    fn new(test: &'a RunTest, shader: &'a Shader) -> Inspection<'a> {
        let (x, y) = test.pixel;
        let pick = match shader.stage {
            Stage::Fragment => [x.cast_signed(), y.cast_signed(), -1, -1],
            Stage::Compute => [0, 0, 0, -1],
            _ => [0, -1, -1, -1],
        };
        let ask = Ask { scope: Scope::One, pick, transport: test.transport };
        let subject = Subject { shader, options: &test.options, written: None };
        Inspection { subject, inspector: Inspector::new(instrument::weave, 64), ask }
    }

    fn one(&mut self, device: &mut dyn InspectContext, question: &Question) -> Result<Reading, String> {
        let answer = self.inspector.ask(device, self.subject, question, &self.ask);
        let mut answer = answer.map_err(|error| match error {
            instrument::InspectError::Rejected { log, source_text } => format!("{log}\n{source_text}"),
            other => other.to_string(),
        })?;
        let wanted = &self.ask.pick;
        answer.readings.retain(|(who, _)| who.iter().zip(wanted).take(2).all(|(a, b)| *b < 0 || a == b));
        let count = answer.readings.len();
        match answer.readings.pop() {
            Some((_, reading)) if count == 1 => Ok(reading),
            _ => Err(format!("{count} invocations answered {question:?}, by {:?}", answer.transport)),
        }
    }

    fn record(&mut self, device: &mut dyn InspectContext) -> Result<Reading, String> {
        self.one(device, &Question::Recording { detail: Detail::Expressions })
    }

    fn value(&mut self, device: &mut dyn InspectContext, moment: &Moment, path: &str) -> Result<Vec<u64>, String> {
        let question = Question::Value { moment: moment.clone(), expression: Some(path.to_owned()) };
        let reading = self.one(device, &question)?;
        if !reading.facts.has(Facts::REACHED) {
            return Err(format!("{moment} was recorded, but is not reached"));
        }
        let value = reading.records.into_iter().find_map(|record| record.value);
        value.map(|value| value.scalars).ok_or_else(|| format!("there is no value at {moment}"))
    }
}

impl Inspection<'_> {
    /// Returns the values of an output where vertices were emitted, and the types of its parts.
    fn emissions(
        &mut self,
        device: &mut dyn InspectContext,
        shader: &Shader,
        name: &str,
    ) -> Result<(Vec<ir::Scalar>, Vec<Vec<u64>>), String> {
        let reading = self.one(device, &Question::Outputs)?;
        let (mut kinds, mut value, mut seen) = (Vec::new(), None, Vec::new());
        for record in reading.records {
            match (record.what, record.value) {
                (What::Output(output), Some(found)) if output == name => {
                    kinds = scalars(&shader.typed.types, found.ty).into_iter().map(ir_scalar).collect();
                    value = Some(found.scalars);
                }
                (What::Emit(_), _) => seen.extend(value.take()),
                _ => {}
            }
        }
        Ok((kinds, seen))
    }
}

/// Inserts a numbered statement at each expectation, and one at the end of `main`.
fn mark(test: &RunTest, shader: &Shader) -> Result<Vec<String>, String> {
    let mut rewrite = Rewrite::new(shader);
    for (number, directive) in (1..).zip(&test.directives) {
        let before = match directive.kind {
            Expectation::Expect(..) => false,
            Expectation::Never => true,
            Expectation::Output(..) | Expectation::Emitted(..) | Expectation::Discarded | Expectation::Finding(..) => {
                continue;
            }
        };
        let id = statement(shader, directive.line).ok_or(format!("line {}: no statement here", directive.at))?;
        let node = NodeId::Stmt(id);
        let mark = format!("{};", FIRST_MARK + number);
        match shader.tree.stmt(id).kind {
            StmtKind::Decl(_) if before => rewrite.before(node, &format!("{mark} ")),
            StmtKind::Decl(_) => rewrite.after(node, &format!(" {mark}")),
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::Discard | StmtKind::Demote => {
                rewrite.wrap(node, &format!("{{ {mark} "), " }");
            }
            _ if before => rewrite.wrap(node, &format!("{{ {mark} "), " }"),
            _ => rewrite.wrap(node, "{ ", &format!(" {mark} }}")),
        }
    }
    if let Some(last) = last_statement(shader) {
        rewrite.after(NodeId::Stmt(last), &format!(" {FIRST_MARK};"));
    }
    let edits = rewrite.edits().map_err(|error| format!("{error:?}"))?;
    let rules = LineRules { version: shader.preprocessed.version, per_string: true };
    let mut edited = edits.apply_keeping_lines(&shader.sources, rules).map_err(|error| format!("{error:?}"))?;
    edited.strings.truncate(shader.sources.own_strings());
    Ok(edited.strings)
}

/// Returns the last statement of `main`, unless nothing can follow it.
fn last_statement(shader: &Shader) -> Option<StmtId> {
    let mut found = None;
    for &item in &shader.tree.items {
        let DeclKind::Function(function) = &shader.tree.decl(item).kind else { continue };
        let (Some(body), "main") = (function.body, shader.preprocessed.symbols.name(function.name.symbol)) else {
            continue;
        };
        let StmtKind::Block(list) = shader.tree.stmt(body).kind else { continue };
        found = shader.tree.stmts_of(list).last().copied();
    }
    found.filter(|id| !matches!(shader.tree.stmt(*id).kind, StmtKind::Return(_) | StmtKind::Discard))
}

fn find_mark(shader: &Shader, number: u32) -> Option<StmtId> {
    let text = format!("{number};");
    shader.statements().into_iter().find(|id| shader.sources.slice(shader.span(NodeId::Stmt(*id)).0) == text)
}

/// Returns the moments at which numbered statements are passed, in order.
fn passed(shader: &Shader, recorded: &Reading) -> BTreeMap<u32, (StmtId, Vec<Moment>)> {
    let mut found: BTreeMap<u32, (StmtId, Vec<Moment>)> = BTreeMap::new();
    for record in &recorded.records {
        let (What::Marker(Marker::Statement(id)), Some(moment)) = (&record.what, &record.moment) else { continue };
        let Some(id) = moment::glsl::stmt(*id) else { continue };
        let text = shader.sources.slice(shader.span(NodeId::Stmt(id)).0);
        let number = text.strip_suffix(';').and_then(|number| number.parse().ok());
        if let Some(number) = number {
            found.entry(number).or_insert_with(|| (id, Vec::new())).1.push(moment.clone());
        }
    }
    found
}

/// Returns where two recordings diverge.
fn differences(emulated: &Reading, driven: &Reading) -> Option<String> {
    let near = |a: &Record, b: &Record| match (&a.value, &b.value) {
        (Some(a), Some(b)) if a.ty == b.ty && a.scalars.len() == b.scalars.len() => {
            a.scalars.iter().zip(&b.scalars).all(|(&a, &b)| {
                let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
                let float = a.max(b) <= u64::from(u32::MAX) && (x.is_nan() && y.is_nan() || distance(x, y) <= 8);
                a == b || float && a.min(b) > 1 << 23
            })
        }
        (a, b) => a == b,
    };
    let pairs = emulated.records.iter().zip(&driven.records);
    for (number, (ours, theirs)) in pairs.enumerate() {
        if ours.what != theirs.what || ours.moment != theirs.moment || !near(ours, theirs) {
            return Some(format!("record {number} is {theirs:?} on the driver, {ours:?} on the emulator"));
        }
    }
    let (ours, theirs) = (emulated.records.len(), driven.records.len());
    (ours != theirs).then(|| format!("the driver has {theirs} records, the emulator {ours}"))
}

/// Returns the shader's own outputs at the pixel, if the transport does not use them.
fn outputs(test: &RunTest, scenario: &Scenario, device: &OnDriver) -> Vec<(String, Vec<u64>)> {
    let (x, y) = test.pixel;
    let pixel = (y * u32::from(scenario.size[0]) + x) as usize;
    let mut found = Vec::new();
    for (output, words) in scenario.outputs.iter().zip(device.outputs()) {
        if let Some(words) = words.as_ref().and_then(|words| words.get(pixel * 4..pixel * 4 + 4)) {
            found.push((output.name.clone(), words.iter().map(|word| u64::from(*word)).collect()));
        }
    }
    found
}

/// Returns the program around the shader, and its environment.
fn scenario(test: &RunTest, shader: &Shader, strings: &[String]) -> Result<Scenario, String> {
    let version = shader.preprocessed.version;
    let stage = shader.stage;
    let api = if version.is_es() { Api::Es } else { Api::DesktopCompatibility };
    let program = lower(shader).map_err(|refusal| refusal.to_string())?;
    let (corner, fan) = quad(CORNER);
    let mut scenario = Scenario {
        api,
        shaders: vec![(stage, strings.to_vec())],
        uniforms: Vec::new(),
        images: Vec::new(),
        attributes: Vec::new(),
        work: Operation::Draw { assembly: Assembly::Points, vertices: 1, instances: 1 },
        size: [test.pixel.0, test.pixel.1].map(|n| (n | 1) as u16 + 1),
        outputs: Vec::new(),
        buffer_words: 16,
    };
    let mut vertex = VertexShader::new(version);
    match stage {
        Stage::Fragment => {
            scenario.attributes.push(corner);
            scenario.work = fan;
        }
        Stage::Compute => scenario.work = Operation::Dispatch([1; 3]),
        Stage::Vertex => {}
        Stage::Geometry => scenario.work = primitive(shader)?,
        other => return Err(format!("a {} shader alone cannot be drawn with", other.name())),
    }
    for (name, given) in &test.inputs {
        let Some((ty, _)) = program.locate(name) else {
            return Err(format!("`{name}` is set, but the shader has no such input or never uses it"));
        };
        let scalars = parse(given, &program.types.scalars(ty))?;
        let words = emulator::Value { ty, scalars }.words(&program.types);
        let storage = shader.typed.variables.iter().find(|v| shader.preprocessed.symbols.name(v.name) == name);
        match storage.map(|v| v.qualifiers.storage) {
            Some(Storage::In) if stage == Stage::Vertex => {
                let mut value = [0.0, 0.0, 0.0, 1.0];
                value.iter_mut().zip(&words).for_each(|(to, word)| *to = f32::from_bits(*word));
                scenario.attributes.push(Attribute { name: name.clone(), values: vec![value] });
            }
            Some(Storage::In) if stage == Stage::Geometry => {
                return Err(format!("`{name}` is an input of a geometry shader, which cannot be set"));
            }
            Some(Storage::In) => input(shader, &program, (name, ty), &words, &mut vertex)?,
            _ => scenario.uniforms.push(uniform(&program, (name, ty), words)?),
        }
    }
    if stage == Stage::Fragment {
        scenario.shaders.insert(0, (Stage::Vertex, vec![vertex.text()]));
        scenario.outputs = list_outputs(shader, &program);
    } else if stage == Stage::Geometry {
        let es = if version.is_es() { " es" } else { "" };
        let text =
            format!("#version {}{es}\nvoid main() {{ gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }}", version.number);
        scenario.shaders.insert(0, (Stage::Vertex, vec![text]));
    }
    if stage != Stage::Fragment && stage != Stage::Compute && version.is_es() {
        let text = "void main() {}".to_owned();
        let head = if version.number >= 300 { format!("#version {} es\n", version.number) } else { String::new() };
        scenario.shaders.push((Stage::Fragment, vec![head + &text]));
    }
    for variable in shader.typed.variables.iter().filter(|v| matches!(v.kind, VariableKind::Global)) {
        if let Type::Opaque(opaque) = variable.ty
            && opaque.kind == OpaqueKind::Sampler
        {
            scenario.images.push(Image {
                name: shader.preprocessed.symbols.name(variable.name).to_owned(),
                target: ImageTarget::D2,
                format: ImageFormat::Rgba8,
                size: [2, 2, 1],
                linear: false,
                compare: false,
                sampling: driver::ImageSampling::default(),
                data: vec![0; 16],
            });
        }
    }
    Ok(scenario)
}

/// Returns one primitive of the type that a geometry shader takes.
fn primitive(shader: &Shader) -> Result<Operation, String> {
    let primitive = shader.typed.stage.input_primitive.ok_or("the shader does not declare its input primitive")?;
    let assembly = match primitive {
        Primitive::Points => Assembly::Points,
        Primitive::Lines => Assembly::Lines,
        Primitive::LinesAdjacency => Assembly::LinesAdjacency,
        Primitive::Triangles => Assembly::Triangles,
        Primitive::TrianglesAdjacency => Assembly::TrianglesAdjacency,
        other => return Err(format!("a geometry shader cannot take {other:?}")),
    };
    let vertices = primitive.vertices().ok_or("the number of vertices of the primitive is not known")? as u16;
    Ok(Operation::Draw { assembly, vertices, instances: 1 })
}

/// Adds an input of a fragment shader, with the same value at every pixel.
fn input(
    shader: &Shader,
    program: &Program,
    (name, ty): (&str, TypeId),
    words: &[u32],
    vertex: &mut VertexShader,
) -> Result<(), String> {
    use lab::surround::Word;
    let variables = &shader.typed.variables;
    let variable = variables.iter().find(|v| shader.preprocessed.symbols.name(v.name) == name);
    let (Some(variable), Some(scalar)) = (variable, program.types.scalar(ty)) else {
        return Err(format!("`{name}` cannot be set"));
    };
    let word = |word: &u32| match scalar {
        ir::Scalar::F32 => Word::Flat { base: f32::from_bits(*word), step: 0.0 },
        _ => Word::FlatInteger { base: word.cast_signed(), step: 0 },
    };
    let flat = scalar != ir::Scalar::F32 || variable.qualifiers.interpolation.is_some();
    vertex.declare(variable, program.types.name(ty), name, "", flat);
    vertex.assign(name, program.types.name(ty), &words.iter().map(word).collect::<Vec<_>>());
    Ok(())
}

fn uniform(program: &Program, (name, ty): (&str, TypeId), words: Vec<u32>) -> Result<Uniform, String> {
    let types = &program.types;
    let shape = match *types.get(ty) {
        ir::Type::Scalar(_) => Shape { columns: 1, rows: 1 },
        ir::Type::Vector { size, .. } => Shape { columns: 1, rows: size as u8 },
        ir::Type::Matrix { column, columns } => {
            let rows = types.elements(column).map_or(1, |(_, rows)| rows);
            Shape { columns: columns as u8, rows: rows as u8 }
        }
        _ => return Err(format!("`{name}` cannot be set as a whole")),
    };
    let channel = match types.scalar(ty).map(|scalar| scalar.kind) {
        Some(ScalarKind::Float) => Channel::Float,
        Some(ScalarKind::Uint) => Channel::Uint,
        _ => Channel::Int,
    };
    Ok(Uniform { name: name.to_owned(), channel, shape, words })
}

/// Returns the colour outputs of a fragment shader; elements of arrays one by one.
fn list_outputs(shader: &Shader, program: &emulator::ir::Program) -> Vec<Output> {
    let mut outputs = Vec::new();
    for variable in &shader.typed.variables {
        let name = shader.preprocessed.symbols.name(variable.name);
        let depth = matches!(name, "gl_FragDepth" | "gl_FragDepthEXT" | "gl_SampleMask");
        if variable.qualifiers.storage != Storage::Out || depth || program.locate(name).is_none() {
            continue;
        }
        if !matches!(variable.kind, VariableKind::Global | VariableKind::Builtin) {
            continue;
        }
        let array = shader.typed.types.as_array(variable.ty);
        let leaf = array.map_or(variable.ty, |array| array.element);
        let channel = match leaf.scalar() {
            Some(Scalar::Float) => Channel::Float,
            Some(Scalar::Int) => Channel::Int,
            _ => Channel::Uint,
        };
        match array {
            Some(array) => {
                let elements = (0..array.size.unwrap_or(1)).map(|i| Output { name: format!("{name}[{i}]"), channel });
                outputs.extend(elements);
            }
            None => outputs.push(Output { name: name.to_owned(), channel }),
        }
    }
    outputs
}
