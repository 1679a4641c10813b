//! What variables and expressions hold, from both sides.

mod parts;
mod path;
mod recorded;
mod written;

use device::Changes;
use emulator::ir::{self, TypeId, Types};
use emulator::value::Value;
use inquiry::{DrawSnapshot, InquiryError, Measured};
use instrument::Question;
use instrument::inspect::Ask;
use moment::Moment;
use shader::Shader;
use shader::qualifier::Storage;
use shader::typed::{VarId, VariableKind};
use shader::types::Type;
use shader::version::Stage;

use crate::bench::Bench;
use crate::data::value::{Agreement, Scope, Shown, Variable};
use crate::error::{NoValue, SessionError};
use crate::open::{Pass, Session};
use crate::run::{Came, LookedUp, Part};
pub(crate) use path::{InVariable, parts, spot, spot_ahead, spot_in};
use path::{count, visible};
pub(crate) use recorded::TapeState;
use recorded::{Begun, Way};
use written::{NOT_WRITTEN, Writers};

/// Texels that are named beside a sampler.
const MOST_TEXELS: usize = 8;

impl Session {
    /// The variables of a sort that a frame of [`Session::stack`] can name.
    ///
    /// # Errors
    /// When there is no such frame.
    pub fn variables(&mut self, frame: usize, scope: Scope) -> Result<Vec<Variable>, SessionError> {
        let (number, moment) = self.numbered_frame(frame)?;
        if self.has_written(number, scope)? {
            self.record(number);
        }
        let pass = &self.passes[number];
        let shader = pass.bench.shader();
        let ids: Vec<VarId> = visible(shader, &moment).into_iter().filter(|id| sort(shader, *id) == scope).collect();
        let wanted = ids.clone();
        let (values, seen) = pass.held.ask(move |run| (run.variables(&wanted), run.seen()))?;
        let measure = Measure { pass, seen, grows: !self.waits && pass.tape.is_pending() };
        let just_read = match scope {
            Scope::Samplers => pass.held.ask(|run| run.last_reads())?,
            _ => Vec::new(),
        };
        let mut all = Vec::with_capacity(ids.len());
        let unwritten = measure.unwritten(&ids, &moment);
        for (id, value) in ids.into_iter().zip(values) {
            let name = shader.preprocessed.symbols.name(shader.typed.variable(id).name).to_owned();
            all.push(match value {
                Some(_) if unwritten.contains(&id) => without_value(&pass.bench, id, name),
                Some(value) if scope == Scope::Samplers => sampler(pass, id, name, &value, &just_read)?,
                Some(value) => {
                    let measured = measure.of(id);
                    let mut variable = in_registers(&pass.bench, id, name, &value, measured.as_ref());
                    variable.value.pending = measured.is_none() && measure.is_pending(scope);
                    variable
                }
                None => elsewhere(pass, &moment, id, name)?,
            });
        }
        Ok(all)
    }

    /// The parts of a variable or expression in a frame, by its [`Variable::path`].
    ///
    /// # Errors
    /// When it has no value there.
    pub fn children(&mut self, frame: usize, path: &str) -> Result<Vec<Variable>, SessionError> {
        let Looked { came, number, variable, .. } = self.look(frame, path)?;
        let bench = &self.passes[number].bench;
        let types = &bench.lowered().types;
        let plain = path.chars().all(|c| c.is_alphanumeric() || "_.[]".contains(c));
        let around = if plain { path.to_owned() } else { format!("({path})") };
        let (whole_type, whole_scalars) =
            (variable.as_ref().map_or(came.value.ty, |(ty, _)| *ty), came.value.scalars.clone());
        let (parts, measured) = match variable {
            Some((ty, measured)) => (parts(types, &Value { ty, scalars: came.value.scalars }), measured),
            None => (came.parts, None),
        };
        let whole = measured.as_ref().map(|measured| judged(types, whole_type, measured, &whole_scalars));
        let mut from = 0;
        let child = |part: Part| {
            let to = from + part.value.scalars.len();
            let own = measured.as_ref().and_then(|scalars| scalars.get(from..to));
            from = to;
            let value = match own {
                Some(own) => as_part(shown_bits(types, &part.value, Some(own)), whole),
                None => Shown { emulated: Some(part.text), numbers: part.numbers, ..Shown::default() },
            };
            Variable {
                name: part.suffix.trim_start_matches('.').to_owned(),
                path: format!("{around}{}", part.suffix),
                type_name: part.type_name,
                value,
                children: part.children,
                note: None,
            }
        };
        Ok(parts.into_iter().map(child).collect())
    }

    /// What an expression comes to in a frame: any of the language, calls of the shader's own functions included. Of
    /// variables and their parts there is what the device recorded, too.
    ///
    /// # Errors
    /// When it is wrong, or has no value there.
    pub fn evaluate(&mut self, frame: usize, text: &str) -> Result<Variable, SessionError> {
        let Looked { came, number, variable, unwritten, pending } = self.look(frame, text)?;
        let bench = &self.passes[number].bench;
        if unwritten {
            let (name, path, note) = (text.to_owned(), text.to_owned(), Some(NOT_WRITTEN.to_owned()));
            return Ok(Variable { name, path, type_name: came.type_name, value: Shown::default(), children: 0, note });
        }
        let note = came.note();
        let value = match variable {
            Some((ty, measured)) => {
                let emulated = Value { ty, scalars: came.value.scalars };
                let shown = shown_bits(&bench.lowered().types, &emulated, measured.as_deref());
                Shown { pending: pending && measured.is_none(), ..shown }
            }
            None => came.shown(),
        };
        let (name, path, children) = (text.to_owned(), text.to_owned(), came.parts.len());
        Ok(Variable { name, path, type_name: came.type_name, value, children, note })
    }

    /// The same, with the device asked too: it runs the draw once more with the expression in the shader's text. That
    /// takes far longer than [`Session::evaluate`].
    ///
    /// # Errors
    /// When it has no value there, or the device cannot be asked.
    pub fn measure(&mut self, frame: usize, text: &str) -> Result<Variable, SessionError> {
        let mut variable = self.evaluate(frame, text)?;
        let (number, moment) = self.numbered_frame(frame)?;
        let pass = &self.passes[number];
        let seen = pass.held.ask(|run| run.seen())?;
        let none = |why: NoValue| SessionError::Expression { text: text.to_owned(), why };
        if !seen.recorded || seen.moment.is_none() {
            return Err(none(NoValue::NotTheRecorded));
        }
        let (bench, pick) = (std::sync::Arc::clone(&pass.bench), (pass.pick, pass.invocation.others == 0));
        let (work, stage) = (&bench.work, bench.stage);
        let stop = moment::glsl::stop(bench.shader(), &moment).ok_or_else(|| none(NoValue::NoPlace))?;
        let question = Question::Value { moment: stop, expression: Some(text.to_owned()) };
        let measured = self.ask_one(work, stage, &question, pick, &bench.changes)?;
        let reading = measured.result.readings.last().map(|(_, reading)| reading);
        let value = reading.and_then(|reading| reading.records.first()?.value.as_ref());
        let value = value.ok_or_else(|| none(NoValue::NotReached))?;
        let asked = text.to_owned();
        let came = self.passes[number].held.ask(move |run| run.evaluate(&moment, &asked))?;
        let came = came.map_err(|error| none(NoValue::Invalid { message: error.to_string() }))?;
        variable.value = came.beside(value);
        Ok(variable)
    }

    /// What an expression comes to on the emulator, and of a variable or part of one what the device recorded.
    fn look(&mut self, frame: usize, text: &str) -> Result<Looked, SessionError> {
        let (number, moment) = self.numbered_frame(frame)?;
        let spot = spot(&self.passes[number].bench, &moment, text);
        let scope = spot.as_ref().map(|spot| sort(self.passes[number].bench.shader(), spot.id));
        if let Some(scope) = scope
            && self.has_written(number, scope)?
        {
            self.record(number);
        }
        let pass = &self.passes[number];
        let (asked, at) = (text.to_owned(), moment.clone());
        let (came, seen) = pass.held.ask(move |run| (run.evaluate(&at, &asked), run.seen()))?;
        let came = came.map_err(|error| invalid(text, &error))?;
        let measure = Measure { pass, seen, grows: !self.waits && pass.tape.is_pending() };
        let unwritten = spot.as_ref().is_some_and(|spot| !measure.unwritten(&[spot.id], &moment).is_empty());
        let variable = spot.map(|spot| {
            let whole = measure.of(spot.id);
            let part = whole.as_ref().and_then(|whole| whole.scalars.get(spot.scalars.0..spot.scalars.1));
            (spot.ty, part.map(<[u64]>::to_vec))
        });
        let pending = scope.is_some_and(|scope| measure.is_pending(scope));
        Ok(Looked { came, number, variable, unwritten, pending })
    }

    /// Asks the device about one invocation; `alone` says that no other fragment of the draw ran at its pixel. A fragment
    /// whose shader cannot name its primitive, as in OpenGL ES 2, does not answer to the number that its history gives it:
    /// its primitive is drawn by itself. Drivers number the primitives of immediate mode anew from one run to the next:
    /// they collect its vertices in a buffer and cut wherever that is full. A fragment of it that does not answer to its
    /// number is asked by its pixel alone.
    pub(crate) fn ask_one(
        &mut self,
        work: &DrawSnapshot,
        stage: Stage,
        question: &Question,
        pick: ([i32; 4], bool),
        changes: &Changes,
    ) -> Result<Measured, InquiryError> {
        Ok(self.ask_some((work, stage), question, pick, changes, (None, usize::MAX))?.0)
    }

    /// The same, but at most some further parts of a recording that is made in parts; see [`Inquiry::measure_some`].
    fn ask_some(
        &mut self,
        (work, stage): (&DrawSnapshot, Stage),
        question: &Question,
        (pick, alone): ([i32; 4], bool),
        changes: &Changes,
        (begun, most): (Option<Begun>, usize),
    ) -> Result<(Measured, Option<Begun>), InquiryError> {
        let of_primitive = stage == Stage::Fragment && pick[2] >= 0;
        let anyone = [pick[0], pick[1], -1, pick[3]];
        let (mut way, rest) = match begun {
            Some(begun) => (begun.way, Some(begun.rest)),
            None if of_primitive && !work.names_primitives() => {
                // Where it is the only one at its pixel, that is cheaper than looking for its primitive.
                (if alone { Way::Pick(anyone) } else { Way::Primitive }, None)
            }
            None => (Way::Pick(pick), None),
        };
        let answer = match way {
            Way::Primitive => {
                self.inquiry.fragment_of_primitive(work, question, pick, changes, (rest.clone(), most))?
            }
            Way::Pick(pick) => {
                let ask = Ask { scope: work.scope_of_one(stage), pick, transport: None };
                let answer = self.inquiry.measure_some((work, stage), question, &ask, changes, (rest.clone(), most))?;
                let renumbered = of_primitive && pick != anyone && work.device.style.counted;
                (!renumbered || !answer.0.result.readings.is_empty()).then_some(answer)
            }
        };
        let (measured, rest) = match answer {
            Some(answer) => answer,
            None => {
                way = Way::Pick(anyone);
                let ask = Ask { scope: work.scope_of_one(stage), pick: anyone, transport: None };
                self.inquiry.measure_some((work, stage), question, &ask, changes, (None, most))?
            }
        };
        Ok((measured, rest.map(|rest| Begun { way, rest })))
    }

    /// Returns whether an invocation can have written variables of a sort where it stands, so that the device's recording
    /// says something about them. At the first statement only initialisers of globals have run. Recording takes the driver
    /// several times as long as everything else at a first stop, so it waits for the first question that needs it.
    fn has_written(&self, number: usize, scope: Scope) -> Result<bool, SessionError> {
        if matches!(scope, Scope::Inputs | Scope::Uniforms | Scope::Samplers) {
            return Ok(false);
        }
        let is_first = self.passes[number].held.ask(|run| run.at().is_first)?;
        Ok(!is_first || scope == Scope::Globals)
    }
}

/// The error of an expression that the emulator does not evaluate.
pub(crate) fn invalid(text: &str, error: &emulator::glsl::evaluate::Error) -> SessionError {
    use emulator::glsl::evaluate::Error;
    let message = match error {
        // The sentence begins with the expression.
        Error::NoValue(name) if name == text => "the shader does not use it".to_owned(),
        other => other.to_string(),
    };
    SessionError::Expression { text: text.to_owned(), why: NoValue::Invalid { message } }
}

/// An expression, looked at.
struct Looked {
    came: Came,
    /// The pass.
    number: usize,
    /// If it is a variable or part of one in registers: its type, among those of the program, and the bits the device has.
    variable: Option<(TypeId, Option<Vec<u64>>)>,
    /// It is a variable or part of one that has no value yet.
    unwritten: bool,
    /// What the device recorded of it may still come.
    pending: bool,
}

/// Whose values are asked for, and when.
#[derive(Clone, PartialEq, Debug)]
pub struct Viewpoint {
    /// Where the run is; nothing at its end.
    pub moment: Option<Moment>,
    /// The chosen invocation itself is followed, and nothing was set.
    pub recorded: bool,
}

/// What the device recorded of an invocation.
struct Measure<'a> {
    pass: &'a Pass,
    seen: Viewpoint,
    /// More may come without being waited for.
    grows: bool,
}

impl Measure<'_> {
    /// Those of some variables that no statement can have written where a frame stands. Where something was set, or another
    /// lane is looked at, all count as written.
    fn unwritten(&self, ids: &[VarId], frame: &Moment) -> Vec<VarId> {
        let Some(run) = self.seen.moment.as_ref().filter(|_| self.seen.recorded) else { return Vec::new() };
        let writers = Writers::new(self.pass.bench.shader());
        let none = |id: &&VarId| writers.cannot_have_written(**id, frame, run) && self.of(**id).is_none();
        ids.iter().filter(none).copied().collect()
    }

    /// Whether what the device recorded of variables of a sort may still come.
    fn is_pending(&self, scope: Scope) -> bool {
        self.grows && self.seen.recorded && !matches!(scope, Scope::Inputs | Scope::Uniforms | Scope::Samplers)
    }

    /// What a variable held.
    fn of(&self, id: VarId) -> Option<moment::glsl::Value> {
        if !self.seen.recorded {
            return None;
        }
        let shader = self.pass.bench.shader();
        let row = shader.typed.variable(id);
        if matches!(row.kind, VariableKind::Global | VariableKind::Builtin) && row.qualifiers.storage == Storage::In {
            let name = shader.preprocessed.symbols.name(row.name);
            let mut named = self.pass.inputs.iter().flat_map(inquiry::Inputs::named);
            return named.find(|(input, _)| *input == name).map(|(_, value)| value.clone());
        }
        self.pass.tape.tape()?.value(&shader.typed.types, row.ty, id, self.seen.moment.as_ref())
    }
}

/// A value from both sides.
pub(crate) fn shown(types: &Types, emulated: &Value, measured: Option<&moment::glsl::Value>) -> Shown {
    shown_bits(types, emulated, measured.map(|value| &value.scalars[..]))
}

/// A value from both sides; of the measured one there are the bits.
fn shown_bits(types: &Types, emulated: &Value, measured: Option<&[u64]>) -> Shown {
    // An array whose size the stage gives may be recorded otherwise.
    let measured = measured.filter(|scalars| emulated.scalars.len() == scalars.len());
    let measured = measured.map(|scalars| Value { ty: emulated.ty, scalars: scalars.to_vec() });
    let agreement = measured.as_ref().map(|measured| judged(types, emulated.ty, &measured.scalars, &emulated.scalars));
    let numbers = emulated.numbers(types);
    let distance = measured.as_ref().and_then(|measured| {
        let pairs = measured.numbers(types).into_iter().zip(numbers.iter().copied());
        let distances = pairs.map(|(one, other)| (one - other).abs()).filter(|distance| distance.is_finite());
        distances.reduce(f64::max)
    });
    Shown {
        emulated: Some(emulated.text(types)),
        measured: measured.map(|value| value.text(types)),
        agreement: agreement.map(Into::into),
        distance,
        numbers,
        pending: false,
    }
}

/// How two values of a type compare: the worst of the vectors and other scalars that they are made of.
fn judged(types: &Types, ty: TypeId, measured: &[u64], emulated: &[u64]) -> verdict::Verdict {
    let kinds = |ty: TypeId| types.scalars(ty).into_iter().map_while(emulator::glsl::glsl_scalar).collect::<Vec<_>>();
    if measured.len() != emulated.len() || measured.len() != types.scalars(ty).len() {
        return verdict::scalars(&kinds(ty), measured, emulated);
    }
    let mut worst = verdict::Verdict::Equal;
    // What is to be compared yet, the next one last, and how many scalars were.
    let (mut todo, mut from) = (vec![ty], 0);
    while let Some(ty) = todo.pop() {
        match types.get(ty) {
            ir::Type::Matrix { .. } | ir::Type::Array { .. } => {
                let (element, count) = types.elements(ty).unwrap_or((ty, 0));
                todo.extend(std::iter::repeat_n(element, count as usize));
            }
            ir::Type::Struct(members) => todo.extend(members.iter().rev().map(|member| member.ty)),
            _ => {
                let kinds = kinds(ty);
                let part = from..from + types.scalars(ty).len();
                let (Some(one), Some(other)) = (measured.get(part.clone()), emulated.get(part.clone())) else { break };
                worst = worst.max(verdict::vector(&kinds, one, other));
                from = part.end;
            }
        }
    }
    worst
}

/// A part of a value, judged beside its other parts: see [`verdict::vector`].
fn as_part(part: Shown, whole: Option<verdict::Verdict>) -> Shown {
    let is_right = whole.is_some_and(|whole| !matches!(whole, verdict::Verdict::Divergent(_)));
    match part.agreement {
        Some(Agreement::Divergent { ulps }) if is_right => {
            Shown { agreement: Some(Agreement::Within { ulps }), ..part }
        }
        _ => part,
    }
}

/// A variable that has no value yet.
fn without_value(bench: &Bench, id: VarId, name: String) -> Variable {
    let program = bench.lowered();
    let type_name = program.types.name(program.variable(emulator::glsl::variable(id)).ty).to_owned();
    let note = Some(NOT_WRITTEN.to_owned());
    Variable { path: name.clone(), name, type_name, children: 0, value: Shown::default(), note }
}

/// A variable that lives in registers.
fn in_registers(
    bench: &Bench,
    id: VarId,
    name: String,
    value: &Value,
    measured: Option<&moment::glsl::Value>,
) -> Variable {
    let program = bench.lowered();
    let types = &program.types;
    Variable {
        path: name.clone(),
        name,
        type_name: types.name(program.variable(emulator::glsl::variable(id)).ty).to_owned(),
        children: count(types, value.ty),
        value: shown(types, value, measured),
        note: None,
    }
}

/// A sampler: what it looks at, and the texels that the statement before read through it.
fn sampler(
    pass: &Pass,
    id: VarId,
    name: String,
    value: &Value,
    just_read: &[LookedUp],
) -> Result<Variable, SessionError> {
    let mut variable = in_registers(&pass.bench, id, name, value, None);
    let ty = pass.bench.lowered().types.get(value.ty);
    let opaque = matches!(ty, ir::Type::Opaque(_)) && variable.type_name.contains("sampler");
    let Some(handle) = value.scalars.first().map(|bits| *bits as u32).filter(|_| opaque) else { return Ok(variable) };
    let view = pass.bench.work.view()?;
    let what = crate::past::sampled(&view, handle).unwrap_or_else(|| "nothing".to_owned());
    variable.value.emulated = Some(format!("{what} on unit {}", handle & 0xffff));
    variable.value.numbers = Vec::new();
    let texels = just_read.iter().filter(|read| read.handle == handle).flat_map(|read| &read.texels);
    let texels = texels.take(MOST_TEXELS).map(|(texel, value)| {
        let value = value.map_or(String::new(), |value| format!(" = {}", value.map(|one| one.to_string()).join(", ")));
        format!("{},{} level {} ({:.3}){value}", texel.x, texel.y, texel.level, texel.weight)
    });
    let texels: Vec<String> = texels.collect();
    variable.note = (!texels.is_empty()).then(|| format!("just read {}", texels.join("; ")));
    Ok(variable)
}

/// A variable that lives in no register: in a buffer, or nowhere.
fn elsewhere(pass: &Pass, moment: &Moment, id: VarId, name: String) -> Result<Variable, SessionError> {
    let shader = pass.bench.shader();
    let type_name = shader.type_name(shader.typed.variable(id).ty);
    let (at, asked) = (moment.clone(), name.clone());
    let came = pass.held.ask(move |run| run.evaluate(&at, &asked))?;
    let (value, children, note) = match came {
        Ok(came) => (came.shown(), came.parts.len(), None),
        Err(error) => (Shown::default(), 0, Some(error.to_string())),
    };
    Ok(Variable { path: name.clone(), name, type_name, value, children, note })
}

/// What sort of variable it is.
fn sort(shader: &Shader, id: VarId) -> Scope {
    let variable = shader.typed.variable(id);
    let mut ty = variable.ty;
    while let Some(array) = shader.typed.types.as_array(ty) {
        ty = array.element;
    }
    if matches!(ty, Type::Opaque(_)) {
        return Scope::Samplers;
    }
    match (variable.kind, variable.qualifiers.storage) {
        (VariableKind::Local, _) => Scope::Locals,
        (VariableKind::Parameter(..), _) => Scope::Parameters,
        (VariableKind::Builtin, _) => Scope::BuiltIns,
        (_, Storage::In) => Scope::Inputs,
        (_, Storage::Out | Storage::InOut) => Scope::Outputs,
        (_, Storage::Uniform | Storage::Buffer) => Scope::Uniforms,
        (_, Storage::Plain | Storage::Const | Storage::Shared) => Scope::Globals,
    }
}
