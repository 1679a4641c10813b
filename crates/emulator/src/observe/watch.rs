//! A variable's values, each time it changes.

use lanes::Mask;
use moment::{Marker, Moment, SiteId, Tracker};
use shader::types::Type;

use crate::ir::{Instruction, Registers};
use crate::value::{Value, of_registers};
use crate::wave::{Flow, Observer, Wave};

/// A value and when it came to be.
#[derive(Clone, PartialEq, Debug)]
pub struct Sighting {
    /// The expression that wrote it, or else the statement.
    pub moment: Option<Moment>,
    /// What is held from then on.
    pub value: Value,
}

/// Looks at a variable, or part of one, in one lane.
pub struct Watch {
    ty: Type,
    home: Registers,
    lane: usize,
    tracker: Tracker,
    seen: Vec<Sighting>,
}

impl Watch {
    /// For registers that hold a value of a type.
    #[must_use]
    pub fn new(ty: Type, home: Registers, lane: usize) -> Watch {
        Watch { ty, home, lane, tracker: Tracker::new(), seen: Vec::new() }
    }

    /// Its values so far, the first when it was first written.
    #[must_use]
    pub fn seen(&self) -> &[Sighting] {
        &self.seen
    }
}

impl<const W: usize> Observer<W> for Watch {
    const INSTRUCTIONS: bool = true;

    fn marker(&mut self, _: &Wave<'_, W>, marker: Marker, mask: &Mask<W>) -> Flow {
        if mask.words()[self.lane] != 0 {
            self.tracker.pass(marker);
        }
        Flow::Continue
    }

    fn after(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        let touches = |run: Registers| {
            run.start.0 < self.home.start.0 + self.home.len && self.home.start.0 < run.start.0 + run.len
        };
        let written = instruction.results(wave.program()).into_iter().flatten().any(touches);
        if mask.words()[self.lane] == 0 || !written {
            return;
        }
        let value = of_registers(wave, &wave.program().types, self.ty, self.home, self.lane);
        if self.seen.last().is_some_and(|last| last.value == value) {
            return;
        }
        let moment = match origin {
            Some(site) => Some(self.tracker.at(site)),
            None => self.tracker.moment(),
        };
        // A vector is written component by component; only what an expression leaves is a value of the variable.
        match self.seen.last_mut().filter(|last| last.moment == moment) {
            Some(last) => last.value = value,
            None => self.seen.push(Sighting { moment, value }),
        }
    }
}

#[cfg(test)]
mod tests {
    use lanes::Numerics;
    use shader::version::{Options, Stage};

    use std::sync::Arc;

    use super::*;
    use crate::glsl::source_map;
    use crate::observe::{Counters, Trace};
    use crate::{locate, lower};

    const TEXT: &str = "#version 450
int total;
int twice(int x) { return x * 2; }
void main() {
    for (int i = 0; i < 2; i++)
        total += twice(i + 1);
}";

    #[test]
    fn a_watch_sees_each_value() {
        let shader = shader::analyze(&[TEXT], &Options::new(Stage::Fragment));
        let program = lower(&shader).expect("nothing unsupported");
        let (ty, home) = locate(&shader, &program, "total").expect("it is there");
        let mut watch = Watch::new(ty, home, 0);
        let mut wave: Wave<'_, 4> = Wave::new(&program, Numerics::IEEE);
        wave.main(Mask::from_bits(1), 1000, &mut (), &mut watch).expect("an end");
        let seen: Vec<String> =
            watch.seen().iter().map(|s| s.value.text(&program.types, &shader.preprocessed.symbols)).collect();
        assert_eq!(seen, ["2", "6"]);
    }

    #[test]
    fn a_trace_says_what_each_step_changed() {
        let shader = shader::analyze(&[TEXT], &Options::new(Stage::Fragment));
        let program = lower(&shader).expect("nothing unsupported");
        let mut trace = Trace::new(&Arc::new(source_map(&shader)), &program, 0, 100);
        let mut wave: Wave<'_, 4> = Wave::new(&program, Numerics::IEEE);
        wave.main(Mask::from_bits(1), 1000, &mut (), &mut trace).expect("an end");
        trace.finish(&wave);
        let name = |id| shader.preprocessed.symbols.name(shader.typed.variable(id).name).to_owned();
        let text = |step: &crate::observe::TraceStep| {
            let line = shader.sources.slice(shader.written(step.moment.site.into())).lines().next().unwrap_or_default();
            let changes = step.changes.iter().map(|c| {
                format!(" {}={}", name(c.variable), c.value.text(&program.types, &shader.preprocessed.symbols))
            });
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
        let shader = shader::analyze(&[TEXT], &Options::new(Stage::Fragment));
        let program = lower(&shader).expect("nothing unsupported");
        let mut counters = Counters::new(&Arc::new(source_map(&shader)), u64::MAX);
        let mut wave: Wave<'_, 4> = Wave::new(&program, Numerics::IEEE);
        wave.main(Mask::from_bits(0b11), 1000, &mut (), &mut counters).expect("an end");
        let (line, call) = (counters.by_line()[&5], counters.by_line()[&6]);
        assert_eq!((line.iterations, line.branches, line.taken, line.divergent, call.calls), (6, 6, 4, 0, 4));
        assert_eq!((counters.lane(0).iterations, counters.lane(0).calls, counters.lane(2)), (3, 2, Default::default()));
        counters.finish(0b11);
        assert_eq!((counters.total().1, counters.total().0.calls), (2, 4));
    }
}
