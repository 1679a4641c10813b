//! Evaluating an expression at a moment without disturbing the run: watches, and conditions of breakpoints.
//!
//! Any expression of the language can be used, including calls of the shader's own functions. It is checked as part of the
//! shader's text, lowered to a small program of its own that uses the registers of the running one, and run on a copy: what
//! it writes is discarded.

mod origins;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use lanes::Mask;
use moment::Moment;
use moment::glsl::insert::{InsertError, InsertionPoint, insert};
use shader::Shader;
use shader::version::Options;

use super::lower::{LowerOptions, Refusal, computes_in_half, lower_expression, reaches_out};
use crate::host::Host;
use crate::ir::{Program, Registers, Scalar, Type, TypeId, Types};
use crate::travel::Travel;
use crate::wave::{Engine, Interpreter, Stop};
pub use moment::glsl::insert::Finding;

/// Blocks after which an expression counts as endless.
const MAX_BLOCKS: u64 = 1 << 20;

/// Expressions that are kept ready to run.
const MAX_KEPT: usize = 256;

/// Why an expression has no value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// It is not a single expression.
    #[error("this is not an expression")]
    NotAnExpression,
    /// The language does not allow it.
    #[error("{}", .0.first().map_or("the expression is wrong", |first| first.message.as_str()))]
    Wrong(Vec<Finding>),
    /// It names something the run does not have.
    #[error("`{0}` has no value here: the shader does not use it")]
    NoValue(String),
    /// The emulator does not run it.
    #[error("the emulator does not run {0} yet")]
    Unsupported(String),
    /// Nothing can be inserted at this moment.
    #[error("no expression can be evaluated at this moment")]
    Unreachable,
    /// It did not end.
    #[error("the expression did not end within {MAX_BLOCKS} blocks")]
    Endless,
}

impl From<InsertError> for Error {
    fn from(error: InsertError) -> Error {
        match error {
            InsertError::NotAnExpression => Error::NotAnExpression,
            InsertError::Wrong(findings) => Error::Wrong(findings),
            InsertError::Unreachable => Error::Unreachable,
        }
    }
}

/// An expression ready to run wherever the run is at its moment.
pub struct Expression {
    program: Arc<Program>,
    ty: TypeId,
    result: Registers,
    reaches_out: bool,
    half: bool,
}

/// The value of an expression, lane by lane.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer<const W: usize> {
    /// Its type, in the table of [`Expression::types`].
    pub ty: TypeId,
    /// One row for each 32 bits, in order.
    pub words: Vec<[u32; W]>,
    /// The lanes that have a value: those that ran and were not discarded.
    pub lanes: Mask<W>,
    is_bool: bool,
}

impl<const W: usize> Answer<W> {
    /// Returns whether it is true in a lane; `None` if the lane has no value or it is not a boolean.
    #[must_use]
    pub fn truth(&self, lane: usize) -> Option<bool> {
        let has_value = self.lanes.words().get(lane).is_some_and(|&word| word != 0);
        (has_value && self.is_bool).then(|| self.words[0][lane] != 0)
    }

    /// Returns the words of a lane; `None` if it has no value.
    #[must_use]
    pub fn lane(&self, lane: usize) -> Option<Vec<u32>> {
        let has_value = self.lanes.words().get(lane).is_some_and(|&word| word != 0);
        has_value.then(|| self.words.iter().map(|row| row[lane]).collect())
    }
}

impl Expression {
    /// Returns its type.
    #[must_use]
    pub fn ty(&self) -> TypeId {
        self.ty
    }

    /// Returns the types of its value and its parts.
    #[must_use]
    pub fn types(&self) -> &Types {
        &self.program.types
    }

    /// Returns its type as it is written in GLSL.
    #[must_use]
    pub fn type_name(&self) -> &str {
        self.program.types.name(self.ty)
    }

    /// Returns whether some of it is computed in half precision.
    #[must_use]
    pub fn is_half(&self) -> bool {
        self.half
    }

    /// Runs it for the lanes of a run that are where the followed lane is. Other lanes do not contribute to derivatives.
    ///
    /// # Errors
    /// When it does not end.
    pub fn run<const W: usize, H: Host + Clone>(
        &self,
        travel: &Travel<W, H, impl Engine<W>>,
    ) -> Result<Answer<W>, Error> {
        let lanes = travel.together();
        let mut copy = travel.wave().diverted(&self.program, lanes);
        // Other engines may not know this program.
        let engine = Interpreter::new(Engine::<W>::numerics(travel.engine()).clone());
        let mut blocks = MAX_BLOCKS;
        let mut host = self.reaches_out.then(|| travel.host().clone());
        loop {
            let stop = match &mut host {
                Some(host) => engine.run(&mut copy, host, &mut (), &mut blocks),
                None => engine.run(&mut copy, &mut (), &mut (), &mut blocks),
            };
            match stop {
                Stop::Done => break,
                Stop::Spent => return Err(Error::Endless),
                Stop::Barrier | Stop::Paused => {}
            }
        }
        let words = self.result.iter().map(|register| *copy.register(register)).collect();
        let is_bool = self.program.types.get(self.ty) == &Type::Scalar(Scalar::BOOL);
        Ok(Answer { ty: self.ty, words, lanes: lanes.and(copy.alive()), is_bool })
    }
}

/// Makes expressions of one shader ready to run, and keeps them.
pub struct Evaluator {
    shader: Arc<Shader>,
    options: Options,
    program: Arc<Program>,
    lowering: LowerOptions,
    kept: BTreeMap<(InsertionPoint, String), Result<Arc<Expression>, Error>>,
}

impl Evaluator {
    /// Returns an evaluator for a shader without errors, the options it was analysed with, and the program that
    /// [`lower`](super::lower()) made of it.
    #[must_use]
    pub fn new(shader: &Arc<Shader>, options: &Options, program: &Arc<Program>) -> Evaluator {
        Evaluator {
            shader: Arc::clone(shader),
            options: options.clone(),
            program: Arc::clone(program),
            lowering: LowerOptions::default(),
            kept: BTreeMap::new(),
        }
    }

    /// Lowers expressions with these options: those the program was made with by [`lower_with`](super::lower_with).
    #[must_use]
    pub fn lowered_with(self, lowering: LowerOptions) -> Evaluator {
        Evaluator { lowering, kept: BTreeMap::new(), ..self }
    }

    /// Returns an expression in the scope of a moment: right before the statement, or in the header of the loop that
    /// begins an iteration.
    ///
    /// # Errors
    /// When it has errors, or the emulator cannot run it.
    pub fn expression(&mut self, at: &Moment, text: &str) -> Result<Arc<Expression>, Error> {
        let point = InsertionPoint::of(&self.shader, at).ok_or(Error::Unreachable)?;
        let key = (point, text.to_owned());
        if let Some(known) = self.kept.get(&key) {
            return known.clone();
        }
        let made = self.make(point, text).map(Arc::new);
        if self.kept.len() >= MAX_KEPT {
            self.kept.clear();
        }
        self.kept.insert(key, made.clone());
        made
    }

    /// Returns the value of an expression where the followed lane of a run is, for all lanes that are there with it.
    ///
    /// # Errors
    /// When it has errors, the emulator cannot run it, or the lane has not begun.
    pub fn evaluate<const W: usize, H: Host + Clone>(
        &mut self,
        travel: &Travel<W, H, impl Engine<W>>,
        text: &str,
    ) -> Result<Answer<W>, Error> {
        let moment = travel.moment().ok_or(Error::Unreachable)?;
        self.expression(&moment, text)?.run(travel)
    }

    fn make(&self, point: InsertionPoint, text: &str) -> Result<Expression, Error> {
        let inserted = insert(&self.shader, &self.options, point, text)?;
        let origins = origins::origins(&self.shader, &inserted.shader);
        let lone = lower_expression(&inserted.shader, inserted.expr, &self.program, &origins, self.lowering);
        let lone = lone.map_err(|refusal| match refusal {
            Refusal::Unsupported(unsupported) => Error::Unsupported(unsupported.what),
            Refusal::Missing(name) => Error::NoValue(name),
        })?;
        let reaches_out = reaches_out(&lone.program);
        let (program, ty, result) = (Arc::new(lone.program), lone.ty, lone.result);
        let half = self.lowering.half_precision && computes_in_half(&inserted.shader, inserted.expr);
        Ok(Expression { program, ty, result, reaches_out, half })
    }
}
