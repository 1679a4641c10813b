//! What an expression comes to at a moment, without disturbing the run: watches, and conditions of breakpoints.
//!
//! The expression is any of the language, calls of the shader's own functions included. It is checked as part of the
//! shader's text, lowered to a small program of its own that uses the registers of the one that runs, and run on a copy:
//! what it writes is gone afterwards.

mod origins;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use lanes::Mask;
use moment::Moment;
use moment::glsl::insert::{InsertError, Spot, insert};
use shader::Shader;
use shader::types::Type;
use shader::version::Options;

use crate::host::Host;
use crate::ir::{Program, Registers};
use crate::lower::{LowerOptions, Refusal, lower_expression, reaches_out};
use crate::travel::Travel;
use crate::wave::{Stop, Wave};
pub use moment::glsl::insert::Finding;

/// Blocks after which an expression counts as endless.
const MAX_BLOCKS: u64 = 1 << 20;

/// Expressions kept ready to run.
const MAX_KEPT: usize = 256;

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// It is not one expression.
    #[error("this is not an expression")]
    NotAnExpression,
    /// The language forbids it.
    #[error("{}", .0.first().map_or("the expression is wrong", |first| first.message.as_str()))]
    Wrong(Vec<Finding>),
    /// It names something that the run does not have.
    #[error("`{0}` has no value here: the shader does not use it")]
    NoValue(String),
    /// The emulator does not run it.
    #[error("the emulator does not run {0} yet")]
    Unsupported(String),
    /// There is no place for it in the text.
    #[error("no expression can be put where this moment is")]
    Unreachable,
    /// It does not end.
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

/// An expression ready to run wherever the run is at its place.
pub struct Expression {
    shader: Shader,
    program: Program,
    ty: Type,
    result: Registers,
    reaches_out: bool,
}

/// What an expression came to, lane by lane.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer<const W: usize> {
    /// Its type; [`Expression::type_name`] spells it.
    pub ty: Type,
    /// One row for each 32 bits, in the order of the language.
    pub words: Vec<[u32; W]>,
    /// The lanes that have a value: those that were asked and not discarded.
    pub lanes: Mask<W>,
}

impl<const W: usize> Answer<W> {
    /// Whether it is true in a lane; `None` if the lane has no value or it is no boolean.
    #[must_use]
    pub fn truth(&self, lane: usize) -> Option<bool> {
        let has_value = self.lanes.words().get(lane).is_some_and(|&word| word != 0);
        (has_value && self.ty == Type::BOOL).then(|| self.words[0][lane] != 0)
    }

    /// The words of a lane; `None` if it has no value.
    #[must_use]
    pub fn lane(&self, lane: usize) -> Option<Vec<u32>> {
        let has_value = self.lanes.words().get(lane).is_some_and(|&word| word != 0);
        has_value.then(|| self.words.iter().map(|row| row[lane]).collect())
    }
}

impl Expression {
    /// Its type.
    #[must_use]
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// Its type as its author would write it.
    #[must_use]
    pub fn type_name(&self) -> String {
        self.shader.type_name(self.ty)
    }

    /// The shader with the expression in it; the answer's type is one of its types.
    #[must_use]
    pub fn shader(&self) -> &Shader {
        &self.shader
    }

    /// Runs it for some lanes. Those should be at the same statement: neighbours that are not among them have no part in
    /// derivatives.
    ///
    /// # Errors
    /// It does not end.
    pub fn run<const W: usize, H: Host + Clone>(
        &self,
        wave: &Wave<'_, W>,
        host: &H,
        lanes: Mask<W>,
    ) -> Result<Answer<W>, Error> {
        let mut copy = wave.diverted(&self.program, lanes);
        let mut blocks = MAX_BLOCKS;
        let mut world = self.reaches_out.then(|| host.clone());
        loop {
            let stop = match &mut world {
                Some(world) => copy.run(world, &mut (), &mut blocks),
                None => copy.run(&mut (), &mut (), &mut blocks),
            };
            match stop {
                Stop::Done => break,
                Stop::Spent => return Err(Error::Endless),
                Stop::Barrier | Stop::Paused => {}
            }
        }
        let words = self.result.iter().map(|register| *copy.register(register)).collect();
        Ok(Answer { ty: self.ty, words, lanes: lanes.and(copy.alive()) })
    }
}

/// Makes expressions of one shader ready to run, each once.
pub struct Evaluator<'a> {
    shader: &'a Shader,
    options: &'a Options,
    program: &'a Program,
    lowering: LowerOptions,
    kept: BTreeMap<(Spot, String), Result<Arc<Expression>, Error>>,
}

impl<'a> Evaluator<'a> {
    /// For a shader without errors, the options it was read with, and the program [`lower`](crate::lower()) made of it.
    #[must_use]
    pub fn new(shader: &'a Shader, options: &'a Options, program: &'a Program) -> Evaluator<'a> {
        Evaluator { shader, options, program, lowering: LowerOptions::default(), kept: BTreeMap::new() }
    }

    /// For a program that [`lower_with`](crate::lower::lower_with) made with these options: expressions are lowered the
    /// same way.
    #[must_use]
    pub fn lowered_with(self, lowering: LowerOptions) -> Evaluator<'a> {
        Evaluator { lowering, kept: BTreeMap::new(), ..self }
    }

    /// An expression in the scope of a moment: just before the statement, or in the header of the loop that begins an
    /// iteration.
    ///
    /// # Errors
    /// It is wrong, or cannot be run.
    pub fn expression(&mut self, at: &Moment, text: &str) -> Result<Arc<Expression>, Error> {
        let spot = Spot::of(self.shader, at).ok_or(Error::Unreachable)?;
        let key = (spot, text.to_owned());
        if let Some(known) = self.kept.get(&key) {
            return known.clone();
        }
        let made = self.make(spot, text).map(Arc::new);
        if self.kept.len() >= MAX_KEPT {
            self.kept.clear();
        }
        self.kept.insert(key, made.clone());
        made
    }

    /// What an expression comes to where the followed lane of a run is, for all lanes that are there with it.
    ///
    /// # Errors
    /// It is wrong, or cannot be run; or the lane has not begun.
    pub fn evaluate<const W: usize, H: Host + Clone>(
        &mut self,
        travel: &Travel<'_, W, H>,
        text: &str,
    ) -> Result<Answer<W>, Error> {
        let moment = travel.moment().ok_or(Error::Unreachable)?;
        self.expression(&moment, text)?.run(travel.wave(), travel.host(), travel.together())
    }

    fn make(&self, spot: Spot, text: &str) -> Result<Expression, Error> {
        let inserted = insert(self.shader, self.options, spot, text)?;
        let origins = origins::origins(self.shader, &inserted.shader);
        let lone = lower_expression(&inserted.shader, inserted.expr, self.program, &origins, self.lowering);
        let lone = lone.map_err(|refusal| match refusal {
            Refusal::Unsupported(unsupported) => Error::Unsupported(unsupported.what),
            Refusal::Missing(name) => Error::NoValue(name),
        })?;
        let reaches_out = reaches_out(&lone.program);
        let (program, ty, result) = (lone.program, lone.ty, lone.result);
        Ok(Expression { shader: inserted.shader, program, ty, result, reaches_out })
    }
}
