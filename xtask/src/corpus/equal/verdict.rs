//! Whether a value is as it must be, and whose fault it is if not.

use instrument::What;
use instrument::variant::{Reading, Record};
use shader::Shader;

use super::nearness::{Nearness, nearness};
use super::operation::{Operations, Step};

/// What is found of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
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

impl Verdict {
    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Exact => "exact",
            Verdict::Within => "within",
            Verdict::Allowed => "allowed",
            Verdict::Driver => "driver",
            Verdict::Undefined => "undefined",
            Verdict::Ours => "ours",
        }
    }
}

/// A verdict with its reasons.
pub struct Judgement {
    pub verdict: Verdict,
    /// The value in words, for whoever wants to see.
    pub what: String,
    /// The operation that is to blame, if one is.
    pub operation: Option<String>,
}

/// Two recordings of one invocation.
pub struct Judge<'a> {
    pub shader: &'a Shader,
    pub theirs: &'a Reading,
    pub ours: &'a Reading,
}

impl Judge<'_> {
    /// The verdict on a record if it is what the emulator has there.
    pub fn directly(&self, index: usize) -> Option<Verdict> {
        // Where control went another way, the same place is not the same moment.
        let ours = self.ours.records.get(index).filter(|_| self.aligned(index))?;
        Some(direct(&self.theirs.records[index], ours, self.shader)).filter(|verdict| *verdict != Verdict::Ours)
    }

    /// The verdict on a record that is not. `forced` is what the emulator makes of measured operands; `undefined` says
    /// whether the invocation is known to do something undefined.
    pub fn settle(&self, index: usize, forced: &Reading, undefined: bool) -> Judgement {
        let operations = Operations::new(self.shader, self.theirs, forced);
        // What is wrong may be the operation itself, or the first before it that is.
        let wrong = std::iter::once(index).chain(0..index).find_map(|at| match operations.step(at) {
            Step::Right => None,
            step => Some((at, step)),
        });
        let verdict = match wrong {
            None => Verdict::Allowed,
            Some((_, Step::Undefined)) => Verdict::Undefined,
            Some(_) if undefined => Verdict::Undefined,
            Some((_, Step::Driver)) => Verdict::Driver,
            Some((_, Step::Ours | Step::Right)) => Verdict::Ours,
        };
        let at = wrong.map(|(at, _)| at);
        let mut what = self.told(index, forced);
        if let Some(at) = at.filter(|at| *at != index) {
            what += &format!("; before it, {}", self.told(at, forced));
        }
        Judgement { verdict, what, operation: at.map(|at| operations.name(at)) }
    }

    /// A record in words.
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

/// The verdict on a value beside another, without a look at what it was computed from.
pub fn direct(theirs: &Record, ours: &Record, shader: &Shader) -> Verdict {
    match nearness(theirs, ours, shader) {
        Nearness::Exact => Verdict::Exact,
        Nearness::Within => Verdict::Within,
        Nearness::Outside | Nearness::Otherwise => Verdict::Ours,
    }
}
