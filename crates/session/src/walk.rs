//! Going on and looking around.

use emulator::travel::Arrival;
use emulator::value::{Value, scalars};
use moment::{Moment, Step as Way};
use shader::Shader;
use shader::ast::{NodeId, StmtKind};
use shader::qualifier::Storage;
use shader::symbol::Symbols;
use shader::typed::{VarId, VariableKind};
use shader::types::{Type, TypeTable};

use crate::bench::Bench;
use crate::data::choice::{PassPosition, Position};
use crate::data::place::{Frame, Lane, PassInfo};
use crate::data::stop::{Reason, Step, Stop};
use crate::data::value::{Scope, Shown, Variable};
use crate::open::{Pass, Session, SessionError};
use crate::run::{Came, Part, frames};

impl Session {
    /// Where the session stands.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn here(&self) -> Result<Stop, SessionError> {
        self.stop(Reason::Step)
    }

    /// Goes on, forwards or backwards.
    ///
    /// # Errors
    /// When no invocation was chosen, or the shader has no end.
    pub fn step(&mut self, step: Step) -> Result<Stop, SessionError> {
        let top = self.top()?;
        let depth = top.held.ask(|run| run.at().depth)?;
        // Out of the last function of a pass is where the pass was come from.
        if matches!(step, Step::Out | Step::BackOut) && depth == 0 && self.passes.len() > 1 {
            self.passes.pop();
            return self.stop(Reason::Step);
        }
        let arrival = self.top()?.held.ask(move |run| run.step(step))?;
        let reason = match arrival {
            Arrival::There => Reason::Step,
            Arrival::Start => Reason::Start,
            Arrival::End => Reason::End,
            Arrival::Never | Arrival::Endless => return Err(SessionError::Endless),
        };
        self.stop(reason)
    }

    /// The stack: the functions of the invocation, the innermost first, then those of the passes that it was come from.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn stack(&self) -> Result<Vec<Frame>, SessionError> {
        let mut all = Vec::new();
        for (number, pass) in self.passes.iter().enumerate().rev() {
            let Some(moment) = pass.held.ask(|run| run.at().moment)? else { continue };
            all.extend(frames(&moment).into_iter().map(|moment| Frame {
                function: pass.bench.function(moment.site),
                location: pass.bench.location(moment.site),
                pass: number,
                moment: moment.to_string(),
            }));
        }
        if all.is_empty() { Err(SessionError::NoInvocation) } else { Ok(all) }
    }

    /// The invocations that were entered: the chosen one first, the one that is walked through last.
    #[must_use]
    pub fn passes(&self) -> Vec<PassInfo> {
        let info = |pass: &Pass| PassInfo {
            invocation: pass.invocation.clone(),
            entered_by: pass.entered_by.clone(),
            changes: Vec::new(),
            missing: pass.bench.scene.missing.clone(),
        };
        self.passes.iter().map(info).collect()
    }

    /// The text of the shader that is walked through, or of one below it: `pass` as [`Frame::pass`] has it.
    ///
    /// # Errors
    /// When there is no such pass.
    pub fn source(&self, pass: usize) -> Result<crate::Source, SessionError> {
        self.passes.get(pass).map(|pass| pass.bench.source.clone()).ok_or(SessionError::NoInvocation)
    }

    /// The variables of a sort that a frame of [`Session::stack`] can name.
    ///
    /// # Errors
    /// When there is no such frame.
    pub fn variables(&self, frame: usize, scope: Scope) -> Result<Vec<Variable>, SessionError> {
        let (pass, moment) = self.frame(frame)?;
        let shader = pass.bench.shader();
        let ids: Vec<VarId> = visible(shader, &moment).into_iter().filter(|id| sort(shader, *id) == scope).collect();
        let wanted = ids.clone();
        let values = pass.held.ask(move |run| run.variables(&wanted))?;
        let mut all = Vec::with_capacity(ids.len());
        for (id, value) in ids.into_iter().zip(values) {
            let name = shader.preprocessed.symbols.name(shader.typed.variable(id).name).to_owned();
            all.push(match value {
                Some(value) => in_registers(&pass.bench, id, name, &value),
                None => self.elsewhere(pass, &moment, id, name)?,
            });
        }
        Ok(all)
    }

    /// The parts of a variable or expression in a frame, by its [`Variable::path`].
    ///
    /// # Errors
    /// When it has no value there.
    pub fn children(&self, frame: usize, path: &str) -> Result<Vec<Variable>, SessionError> {
        let came = self.came(frame, path)?;
        let around = if path.chars().all(|c| c.is_alphanumeric() || "_.[]".contains(c)) {
            path.to_owned()
        } else {
            format!("({path})")
        };
        let child = |part: Part| Variable {
            name: part.suffix.trim_start_matches('.').to_owned(),
            path: format!("{around}{}", part.suffix),
            type_name: part.type_name,
            value: Shown { emulated: Some(part.text), numbers: part.value.numbers(), ..Shown::default() },
            children: part.children,
            note: None,
        };
        Ok(came.parts.into_iter().map(child).collect())
    }

    /// What an expression comes to in a frame: any of the language, calls of the shader's own functions included.
    ///
    /// # Errors
    /// When it is wrong, or has no value there.
    pub fn evaluate(&self, frame: usize, text: &str) -> Result<Variable, SessionError> {
        let came = self.came(frame, text)?;
        Ok(Variable {
            name: text.to_owned(),
            path: text.to_owned(),
            type_name: came.type_name,
            value: Shown { emulated: Some(came.text), numbers: came.value.numbers(), ..Shown::default() },
            children: came.parts.len(),
            note: None,
        })
    }

    /// The invocations beside the one that is walked through: its quad, or its workgroup.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn lanes(&self) -> Result<Vec<Lane>, SessionError> {
        let top = self.top()?;
        let lanes = top.held.ask(|run| run.lanes())?;
        let lane = |lane: crate::run::Beside| Lane {
            number: lane.number,
            name: lane.name,
            followed: lane.followed,
            helper: lane.helper,
            discarded: lane.discarded,
            together: lane.together,
            location: lane.moment.map(|moment| top.bench.location(moment.site)),
        };
        Ok(lanes.into_iter().map(lane).collect())
    }

    /// Looks at another invocation of the quad or workgroup from here on, at the same time.
    ///
    /// # Errors
    /// When there is no such lane.
    pub fn follow(&mut self, lane: usize) -> Result<Stop, SessionError> {
        if !self.top()?.held.ask(move |run| run.follow(lane))? {
            return Err(SessionError::NotThere(format!("there is no lane {lane}")));
        }
        self.stop(Reason::Step)
    }

    /// Where the session stands, as data to come back with.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn position(&self) -> Result<Position, SessionError> {
        let mut passes = Vec::new();
        for pass in &self.passes {
            let (time, lane) = pass.held.ask(|run| {
                let lane = run.lanes().into_iter().find(|lane| lane.followed).map(|lane| lane.number);
                (run.at().time, lane)
            })?;
            passes.push(PassPosition { choice: pass.choice.clone(), time, lane });
        }
        if passes.is_empty() { Err(SessionError::NoInvocation) } else { Ok(Position { passes }) }
    }

    /// Goes to where a session stood.
    ///
    /// # Errors
    /// When there is no such place in this trace.
    pub fn go_to(&mut self, position: &Position) -> Result<Stop, SessionError> {
        let same = self.passes.len() == position.passes.len()
            && self.passes.iter().zip(&position.passes).all(|(pass, wanted)| pass.choice == wanted.choice);
        if !same {
            let mut passes = Vec::new();
            for wanted in &position.passes {
                passes.push(self.begin(&wanted.choice, &Default::default(), None)?);
            }
            self.passes = passes;
        }
        for (pass, wanted) in self.passes.iter().zip(&position.passes) {
            let (time, lane) = (wanted.time, wanted.lane);
            let arrival = pass.held.ask(move |run| {
                lane.is_none_or(|lane| run.follow(lane)).then(|| run.go_to(time))
            })?;
            match arrival {
                Some(Arrival::Endless) => return Err(SessionError::Endless),
                Some(_) => {}
                None => return Err(SessionError::NotThere("there is no such lane".to_owned())),
            }
        }
        self.stop(Reason::Step)
    }

    /// The invocation that is walked through.
    pub(crate) fn top(&self) -> Result<&Pass, SessionError> {
        self.passes.last().ok_or(SessionError::NoInvocation)
    }

    pub(crate) fn stop(&self, reason: Reason) -> Result<Stop, SessionError> {
        let top = self.top()?;
        let at = top.held.ask(|run| run.at())?;
        let moment = at.moment.ok_or_else(|| {
            SessionError::NotThere("the shader has no statements to stop at".to_owned())
        })?;
        Ok(Stop {
            reason: if at.ended { Reason::End } else { reason },
            invocation: top.invocation.clone(),
            function: top.bench.function(moment.site),
            location: top.bench.location(moment.site),
            moment: moment.to_string(),
            time: at.time,
            ended: at.ended,
            discarded: at.discarded,
            depth: at.depth,
            pass: self.passes.len() - 1,
        })
    }

    /// A frame of the stack: its pass and where it is.
    pub(crate) fn frame(&self, frame: usize) -> Result<(&Pass, Moment), SessionError> {
        let mut before = 0;
        for pass in self.passes.iter().rev() {
            let Some(moment) = pass.held.ask(|run| run.at().moment)? else { continue };
            let all = frames(&moment);
            if let Some(found) = frame.checked_sub(before).and_then(|at| all.get(at)) {
                return Ok((pass, found.clone()));
            }
            before += all.len();
        }
        Err(match self.passes.is_empty() {
            true => SessionError::NoInvocation,
            false => SessionError::NotThere(format!("there is no frame {frame}; the stack has {before}")),
        })
    }

    fn came(&self, frame: usize, text: &str) -> Result<Came, SessionError> {
        let (pass, moment) = self.frame(frame)?;
        let asked = text.to_owned();
        let came = pass.held.ask(move |run| run.evaluate(&moment, &asked))?;
        came.map_err(|error| SessionError::Expression { text: text.to_owned(), why: error.to_string() })
    }

    /// A variable that lives in no register: in a buffer, or nowhere.
    fn elsewhere(&self, pass: &Pass, moment: &Moment, id: VarId, name: String) -> Result<Variable, SessionError> {
        let shader = pass.bench.shader();
        let type_name = shader.type_name(shader.typed.variable(id).ty);
        let (at, asked) = (moment.clone(), name.clone());
        let came = pass.held.ask(move |run| run.evaluate(&at, &asked))?;
        Ok(match came {
            Ok(came) => Variable {
                path: name.clone(),
                name,
                type_name,
                value: Shown { emulated: Some(came.text), numbers: came.value.numbers(), ..Shown::default() },
                children: came.parts.len(),
                note: None,
            },
            Err(error) => Variable {
                path: name.clone(),
                name,
                type_name,
                value: Shown::default(),
                children: 0,
                note: Some(error.to_string()),
            },
        })
    }
}

/// A variable that lives in registers.
fn in_registers(bench: &Bench, id: VarId, name: String, value: &Value) -> Variable {
    let (shader, types) = (bench.shader(), &bench.lowered().types);
    let symbols = &shader.preprocessed.symbols;
    Variable {
        path: name.clone(),
        name,
        type_name: types.name(symbols, bench.lowered().variable_types[id.0 as usize]),
        children: count(types, value.ty),
        value: Shown {
            emulated: Some(value.text(types, symbols)),
            numbers: value.numbers(),
            ..Shown::default()
        },
        note: None,
    }
}

/// What a frame can name.
fn visible(shader: &Shader, moment: &Moment) -> Vec<VarId> {
    // Where a loop begins an iteration, what its header declares is there.
    let node = match (moment.site, moment.path.last()) {
        (NodeId::Stmt(id), Some(Way::Iteration(inner, _))) if id == *inner => match shader.tree.stmt(id).kind {
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => {
                NodeId::Stmt(body)
            }
            _ => moment.site,
        },
        _ => moment.site,
    };
    shader.visible_variables(node)
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

/// How many parts a value of a type has.
fn count(types: &TypeTable, ty: Type) -> usize {
    match ty {
        Type::Vector(_, size) => usize::from(size),
        Type::Matrix(_, columns, _) => usize::from(columns),
        Type::Array(_) => types.as_array(ty).and_then(|array| array.size).unwrap_or(0) as usize,
        Type::Struct(_) => types.as_struct(ty).map_or(0, |structure| structure.fields.len()),
        Type::Scalar(_) | Type::Opaque(_) | Type::Subroutine(_) | Type::Void | Type::Error => 0,
    }
}

/// The parts of a value.
pub(crate) fn parts(types: &TypeTable, symbols: &Symbols, value: &Value) -> Vec<Part> {
    let all: Vec<(String, Type)> = match value.ty {
        Type::Vector(scalar, size) => {
            ["x", "y", "z", "w"].iter().take(usize::from(size)).map(|n| (format!(".{n}"), Type::Scalar(scalar))).collect()
        }
        Type::Matrix(scalar, columns, rows) => {
            (0..columns).map(|n| (format!("[{n}]"), Type::Vector(scalar, rows))).collect()
        }
        Type::Array(_) => types.as_array(value.ty).map_or(Vec::new(), |array| {
            (0..array.size.unwrap_or(0)).map(|n| (format!("[{n}]"), array.element)).collect()
        }),
        Type::Struct(_) => types.as_struct(value.ty).map_or(Vec::new(), |structure| {
            structure.fields.iter().map(|field| (format!(".{}", symbols.name(field.name)), field.ty)).collect()
        }),
        Type::Scalar(_) | Type::Opaque(_) | Type::Subroutine(_) | Type::Void | Type::Error => Vec::new(),
    };
    let mut from = 0;
    let part = |(suffix, ty): (String, Type)| {
        let to = (from + scalars(types, ty).len()).min(value.scalars.len());
        let own = Value { ty, scalars: value.scalars[from.min(to)..to].to_vec() };
        from = to;
        Part {
            suffix,
            type_name: types.name(symbols, ty),
            text: own.text(types, symbols),
            children: count(types, ty),
            value: own,
        }
    };
    all.into_iter().map(part).collect()
}
