//! The steps of one lane and what each changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use lanes::Mask;
use moment::{Marker, Moment, SiteId};

use super::step::{Event, Stepper};
use crate::ir::{Instruction, Program, Registers, SourceMap, VarId};
use crate::value::Value;
use crate::wave::{Flow, Interest, Observer, WaveState};

/// A variable and its new value.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The variable.
    pub variable: VarId,
    /// Its new value.
    pub value: Value,
}

/// A step.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceStep {
    /// The moment at which it began.
    pub moment: Moment,
    /// Variables that changed in it, including calls it made, in order of declaration.
    pub changes: Vec<Change>,
}

/// Records the steps of a lane, up to a limit.
pub struct Trace {
    stepper: Stepper,
    /// By register: the variable that lives there.
    owners: Vec<Option<VarId>>,
    /// Variables written since the last step ended.
    dirty: BTreeSet<VarId>,
    /// The last known value of each variable.
    held: Vec<Option<Value>>,
    /// Indices of the steps that have begun and not ended.
    open: Vec<usize>,
    steps: Vec<TraceStep>,
    limit: usize,
    left_out: u64,
}

impl Trace {
    /// Returns an empty trace for a lane that has not begun.
    #[must_use]
    pub fn new(map: &Arc<SourceMap>, program: &Program, lane: usize, limit: usize) -> Trace {
        let mut owners = vec![None; program.registers as usize];
        for (id, variable) in (0..).map(VarId).zip(program.unit_variables(0)) {
            for register in variable.registers().into_iter().flat_map(Registers::iter) {
                owners[register.0 as usize] = Some(id);
            }
        }
        Trace {
            stepper: Stepper::new(map, lane),
            owners,
            dirty: BTreeSet::new(),
            held: vec![None; program.variables.len()],
            open: Vec::new(),
            steps: Vec::new(),
            limit,
            left_out: 0,
        }
    }

    /// Ends the last steps: the run is over.
    pub fn finish<const W: usize>(&mut self, wave: &WaveState<W>) {
        let mut events = Vec::new();
        self.stepper.finish(|event| events.push(event));
        self.take(wave, events);
    }

    /// Returns the steps so far.
    #[must_use]
    pub fn steps(&self) -> &[TraceStep] {
        &self.steps
    }

    /// Returns the number of steps beyond the limit.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    fn take<const W: usize>(&mut self, wave: &WaveState<W>, events: Vec<Event>) {
        for event in events {
            match event {
                Event::Begin(site) => {
                    self.settle(wave);
                    self.begin(site);
                }
                Event::End(_) => {
                    self.settle(wave);
                    self.open.pop();
                }
            }
        }
    }

    fn begin(&mut self, site: SiteId) {
        if self.steps.len() < self.limit {
            self.open.push(self.steps.len());
            self.steps.push(TraceStep { moment: self.stepper.tracker().at(site), changes: Vec::new() });
        } else {
            self.left_out += 1;
            self.open.push(usize::MAX);
        }
    }

    /// Adds what was written to the innermost step.
    fn settle<const W: usize>(&mut self, wave: &WaveState<W>) {
        for variable in std::mem::take(&mut self.dirty) {
            let row = wave.program().variable(variable);
            let Some(home) = row.registers() else { continue };
            let value = Value::of_registers(wave, row.ty, home, self.stepper.lane());
            let held = &mut self.held[variable.0 as usize];
            if held.as_ref() == Some(&value) {
                continue;
            }
            *held = Some(value.clone());
            if let Some(step) = self.open.last().and_then(|&at| self.steps.get_mut(at)) {
                step.changes.push(Change { variable, value });
            }
        }
    }
}

impl<const W: usize> Observer<W> for Trace {
    fn interest(&self) -> Interest {
        Interest::INSTRUCTIONS
    }

    fn marker(&mut self, wave: &WaveState<W>, marker: Marker, mask: &Mask<W>) -> Flow {
        if self.stepper.takes_part(mask) {
            let mut events = Vec::new();
            self.stepper.marker(marker, |event| events.push(event));
            self.take(wave, events);
        }
        Flow::Continue
    }

    fn before(&mut self, wave: &WaveState<W>, _: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        if self.stepper.takes_part(mask) {
            let mut events = Vec::new();
            self.stepper.before(origin, |event| events.push(event));
            self.take(wave, events);
        }
    }

    fn after(&mut self, wave: &WaveState<W>, instruction: &Instruction, _: Option<SiteId>, mask: &Mask<W>) {
        // A variable without a value has not changed.
        if self.stepper.takes_part(mask) && !matches!(instruction, Instruction::Undefine(_)) {
            for run in instruction.results(wave.program()).into_iter().flatten() {
                self.dirty.extend(run.iter().filter_map(|register| self.owners[register.0 as usize]));
            }
        }
    }
}
