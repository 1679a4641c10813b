//! The values of a variable, each time it changes.

use lanes::Mask;
use moment::{Marker, Moment, SiteId, Tracker};

use crate::ir::{Instruction, Registers, TypeId};
use crate::value::Value;
use crate::wave::{Flow, Interest, Observer, WaveState};

/// A value and when it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Sighting {
    /// The moment of the expression that wrote it, or else of the statement.
    pub moment: Option<Moment>,
    /// The value from then on.
    pub value: Value,
}

/// Watches a variable, or part of one, in one lane.
pub struct Watch {
    ty: TypeId,
    home: Registers,
    lane: usize,
    tracker: Tracker,
    seen: Vec<Sighting>,
}

impl Watch {
    /// Returns a watch of registers that hold a value of a type.
    #[must_use]
    pub fn new(ty: TypeId, home: Registers, lane: usize) -> Watch {
        Watch { ty, home, lane, tracker: Tracker::new(), seen: Vec::new() }
    }

    /// Returns its values so far, from the first write on.
    #[must_use]
    pub fn seen(&self) -> &[Sighting] {
        &self.seen
    }
}

impl<const W: usize> Observer<W> for Watch {
    fn interest(&self) -> Interest {
        Interest::INSTRUCTIONS
    }

    fn marker(&mut self, _: &WaveState<W>, marker: Marker, mask: &Mask<W>) -> Flow {
        if mask.words()[self.lane] != 0 {
            self.tracker.pass(marker);
        }
        Flow::Continue
    }

    fn after(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        let touches = |run: Registers| {
            run.start.0 < self.home.start.0 + self.home.len && self.home.start.0 < run.start.0 + run.len
        };
        let written = instruction.results(wave.program()).into_iter().flatten().any(touches);
        if mask.words()[self.lane] == 0 || !written {
            return;
        }
        let value = Value::of_registers(wave, self.ty, self.home, self.lane);
        if self.seen.last().is_some_and(|last| last.value == value) {
            return;
        }
        let moment = match origin {
            Some(site) => Some(self.tracker.at(site)),
            None => self.tracker.moment(),
        };
        // A vector is written component by component; only what an expression leaves behind is a value of the variable.
        match self.seen.last_mut().filter(|last| last.moment == moment) {
            Some(last) => last.value = value,
            None => self.seen.push(Sighting { moment, value }),
        }
    }
}

#[cfg(test)]
mod tests {
    use lanes::Numerics;

    use super::*;
    use crate::Wave;
    use crate::glsl::testing::Source;
    use crate::observe::{Counters, Trace};

    const TEXT: &str = "#version 450
int total;
int twice(int x) { return x * 2; }
void main() {
    for (int i = 0; i < 2; i++)
        total += twice(i + 1);
}";

    #[test]
    fn a_watch_sees_each_value() {
        let source = Source::fragment(TEXT);
        let program = &source.program;
        let (ty, home) = program.locate("total").expect("it is there");
        let mut watch = Watch::new(ty, home, 0);
        let mut wave: Wave<4> = Wave::new(program, Numerics::IEEE);
        wave.main(Mask::from_bits(1), 1000, &mut (), &mut watch).expect("an end");
        let seen: Vec<String> = watch.seen().iter().map(|s| s.value.text(&program.types)).collect();
        assert_eq!(seen, ["2", "6"]);
    }

    #[test]
    fn a_trace_says_what_each_step_changed() {
        let source = Source::fragment(TEXT);
        let program = &source.program;
        let mut trace = Trace::new(&source.map, program, 0, 100);
        let mut wave: Wave<4> = Wave::new(program, Numerics::IEEE);
        wave.main(Mask::from_bits(1), 1000, &mut (), &mut trace).expect("an end");
        trace.finish(&wave);
        let text = |step: &crate::observe::TraceStep| {
            let line = source.text(step.moment.site).lines().next().unwrap_or_default();
            let changes = step
                .changes
                .iter()
                .map(|c| format!(" {}={}", program.variable(c.variable).name, c.value.text(&program.types)));
            format!("{line}{}", changes.collect::<String>())
        };
        let steps: Vec<String> = trace.steps().iter().map(text).collect();
        let expected = [
            "for (int i = 0; i < 2; i++)",
            "int i = 0; i=0",
            "i < 2",
            "total += twice(i + 1); x=1 total=2",
            "return x * 2;",
            "i++ i=1",
            "i < 2",
            "total += twice(i + 1); x=2 total=6",
            "return x * 2;",
            "i++ i=2",
            "i < 2",
        ];
        assert_eq!(steps, expected);
    }

    #[test]
    fn counters_count_by_line() {
        let source = Source::fragment(TEXT);
        let program = &source.program;
        let mut counters = Counters::new(&source.map, u64::MAX);
        let mut wave: Wave<4> = Wave::new(program, Numerics::IEEE);
        wave.main(Mask::from_bits(0b11), 1000, &mut (), &mut counters).expect("an end");
        let (line, call) = (counters.by_line()[&5], counters.by_line()[&6]);
        assert_eq!((line.iterations, line.branches, line.taken, line.divergent, call.calls), (6, 6, 4, 0, 4));
        assert_eq!((counters.lane(0).iterations, counters.lane(0).calls, counters.lane(2)), (3, 2, Default::default()));
        counters.finish(0b11);
        assert_eq!((counters.total().1, counters.total().0.calls), (2, 4));
    }
}
