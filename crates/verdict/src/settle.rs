//! Values that are farther from the emulator's than rounding, settled operation by operation.
//!
//! Small differences grow on their way: a hundredth power makes a unit in the last place a hundred of them. So the
//! invocation is recorded with the value of every expression, and the emulator runs it once more, but with each expression
//! giving what the device measured ([`instrument::Question::Recomputation`]): every operation is then computed from
//! measured operands. Whether the device's result is one that the specification allows that one operation, for those
//! operands, is a matter of intervals. If all are, the difference is what all together are allowed.

mod dependent;
mod encode;
mod flow;
mod function;
mod nearness;
mod operation;
mod range;
mod run;
mod undefined;

use instrument::What;
use instrument::variant::{Reading, Record};
use shader::Shader;

pub use dependent::Dependent;
pub use encode::encode;
use nearness::{Nearness, nearness};
use operation::{Operations, Step};
pub use run::{RunFindings, WrongOperation};

/// What is found of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    /// Every bit is the same; all NaNs are one.
    Exact,
    /// The same within the budget of floats.
    Within,
    /// It is farther off, but every operation up to it gives what the specification allows it, from what was measured of
    /// its operands: all together are allowed more than the budget.
    Allowed,
    /// An operation's result on the driver is outside of what the specification allows.
    Driver,
    /// The invocation computes something that the language leaves undefined, such as an index out of bounds.
    Undefined,
    /// Anything else.
    Ours,
}

impl Finding {
    /// For tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Finding::Exact => "exact",
            Finding::Within => "within",
            Finding::Allowed => "allowed",
            Finding::Driver => "driver",
            Finding::Undefined => "undefined",
            Finding::Ours => "ours",
        }
    }
}

/// A finding with its reasons.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// What is found.
    pub finding: Finding,
    /// The value as text.
    pub what: String,
    /// The operation that is to blame, if one is.
    pub operation: Option<String>,
}

/// What the emulator makes of measured operands where look-ups give the least and the most that filters may.
#[derive(Clone, PartialEq, Debug)]
pub struct Hull {
    /// Of the levels that follow from the neighbours of the fragment.
    pub likely: [Reading; 2],
    /// Of any level, where the neighbours are not known: nothing if no look-up depends on another.
    pub any_level: Option<[Reading; 2]>,
    /// What does.
    pub dependent: Dependent,
}

/// Two recordings of one invocation.
pub struct Judge<'a> {
    /// What ran.
    pub shader: &'a Shader,
    /// What the device measured.
    pub theirs: &'a Reading,
    /// What the emulator computed by itself.
    pub ours: &'a Reading,
    /// Whether the device may compute with `mediump` and `lowp` in half precision.
    pub half: bool,
    /// Bounds of look-ups, where filters are not known exactly.
    pub hull: Option<&'a Hull>,
}

impl Judge<'_> {
    /// The finding on a record if it is what the emulator has there.
    #[must_use]
    pub fn directly(&self, index: usize) -> Option<Finding> {
        // Where control went another way, the same place is not the same moment.
        let ours = self.ours.records.get(index).filter(|_| self.aligned(index))?;
        Some(direct(&self.theirs.records[index], ours, self.shader)).filter(|finding| *finding != Finding::Ours)
    }

    /// The finding on a record that is not. `forced` is what the emulator makes of measured operands, as [`recomputed`]
    /// has it beside what was measured; `undefined` says whether the invocation is known to do something undefined.
    #[must_use]
    pub fn settle(&self, index: usize, forced: &Reading, undefined: bool) -> Judgement {
        let operations = Operations::new(self, forced);
        // What is wrong may be the operation itself, or the first before it that is.
        let wrong = std::iter::once(index).chain(0..index).find_map(|at| match operations.step(at) {
            Step::Right => None,
            step => Some((at, step)),
        });
        let finding = match wrong {
            None => Finding::Allowed,
            Some((_, Step::Undefined)) => Finding::Undefined,
            Some(_) if undefined => Finding::Undefined,
            Some((_, Step::Driver)) => Finding::Driver,
            Some((_, Step::Ours | Step::Right)) => Finding::Ours,
        };
        let at = wrong.map(|(at, _)| at);
        let mut what = self.told(index, forced);
        if let Some(at) = at.filter(|at| *at != index) {
            what += &format!("; before it, {}", self.told(at, forced));
        }
        Judgement { finding, what, operation: at.map(|at| operations.name(at)) }
    }

    /// Returns a record as text.
    fn told(&self, index: usize, forced: &Reading) -> String {
        let theirs = &self.theirs.records[index];
        let text = |record: Option<&Record>| {
            let value = record.and_then(|record| record.value.as_ref());
            value.map_or("nothing".to_owned(), |value| {
                value.text(&self.shader.typed.types, &self.shader.preprocessed.symbols)
            })
        };
        let source = match &theirs.what {
            What::Value(node) => self.shader.sources.slice(self.shader.written(*node)).to_owned(),
            What::Variable(_, name) => name.clone(),
            other => format!("{other:?}"),
        };
        let moment = theirs.moment.as_ref().map_or(String::new(), ToString::to_string);
        format!(
            "`{source}` at {moment} is {} on the driver, {} on the emulator, {} from what was measured",
            text(Some(theirs)),
            text(self.ours.records.get(index)),
            text(forced.records.get(index))
        )
    }

    /// Whether both runs came the same way to a record.
    fn aligned(&self, index: usize) -> bool {
        let pairs = self.theirs.records.iter().zip(&self.ours.records).take(index + 1);
        self.ours.records.len() > index && pairs.into_iter().all(|(a, b)| a.what == b.what)
    }
}

/// The finding on a value beside another, without a look at what it was computed from.
#[must_use]
pub fn direct(theirs: &Record, ours: &Record, shader: &Shader) -> Finding {
    match nearness(theirs, ours, shader) {
        Nearness::Exact => Finding::Exact,
        Nearness::Within => Finding::Within,
        Nearness::Outside | Nearness::Otherwise => Finding::Ours,
    }
}

/// So often is tried to find the way that the device took.
const TRIES: usize = 4;

/// What was measured and what the emulator makes of it, record beside record. `run` is the emulator with a recording to take
/// values from; `ours` is what it said without one.
///
/// A device leaves out the records of operands that it does not evaluate. Which it left out, and which are not there because
/// it went another way than the emulator, is known when the emulator has gone that way.
///
/// # Errors
/// Those of `run`.
pub fn recomputed<E>(
    measured: &Reading,
    ours: &Reading,
    mut run: impl FnMut(&Reading) -> Result<Reading, E>,
) -> Result<(Reading, Reading), E> {
    let mut theirs = measured.clone().beside(ours);
    let mut forced = run(&theirs)?;
    for _ in 1..TRIES {
        let next = measured.clone().beside(&forced);
        if next == theirs {
            break;
        }
        theirs = next;
        forced = run(&theirs)?;
    }
    Ok((theirs, forced))
}
