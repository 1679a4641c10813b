//! What one lane does, step by step.

use std::collections::BTreeSet;
use std::sync::Arc;

use lanes::Mask;
use moment::{Marker, Moment, SiteId};
use shader::typed::VarId;

use super::step::{Event, Stepper};
use crate::ir::{Instruction, Program, SourceMap};
use crate::value::{Value, of_registers};
use crate::wave::{Flow, Observer, Wave};

/// A variable and what it holds from now on.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The variable.
    pub variable: VarId,
    /// What it holds.
    pub value: Value,
}

/// A step.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceStep {
    /// Where and when.
    pub moment: Moment,
    /// Variables that changed in it, calls it made included, in order of declaration.
    pub changes: Vec<Change>,
}

/// Notes the steps of a lane, up to a number of them.
pub struct Trace {
    stepper: Stepper,
    /// By register: the variable that lives there.
    owners: Vec<Option<VarId>>,
    /// Variables written since the last step ended.
    dirty: BTreeSet<VarId>,
    /// What each variable held when it was last looked at.
    held: Vec<Option<Value>>,
    /// Steps that have begun and not ended, as places in the list.
    open: Vec<usize>,
    steps: Vec<TraceStep>,
    limit: usize,
    left_out: u64,
}

impl Trace {
    /// For a lane, from the beginning of `main`.
    #[must_use]
    pub fn new(map: &Arc<SourceMap>, program: &Program, lane: usize, limit: usize) -> Trace {
        let mut owners = vec![None; program.registers as usize];
        for index in 0..program.variables.len() {
            let id = VarId(index as u32);
            for register in program.variable(id).into_iter().flat_map(|home| home.iter().collect::<Vec<_>>()) {
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

    /// The run is over: the last step too.
    pub fn finish<const W: usize>(&mut self, wave: &Wave<'_, W>) {
        let mut events = Vec::new();
        self.stepper.finish(|event| events.push(event));
        self.take(wave, events);
    }

    /// The steps so far.
    #[must_use]
    pub fn steps(&self) -> &[TraceStep] {
        &self.steps
    }

    /// How many more steps there were than the limit lets through.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    fn take<const W: usize>(&mut self, wave: &Wave<'_, W>, events: Vec<Event>) {
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

    /// Gives what was written to the innermost step.
    fn settle<const W: usize>(&mut self, wave: &Wave<'_, W>) {
        for variable in std::mem::take(&mut self.dirty) {
            let Some(home) = wave.program().variable(variable) else { continue };
            let ty = wave.program().variable_types[variable.0 as usize];
            let value = of_registers(wave, &wave.program().types, ty, home, self.stepper.lane());
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
    const INSTRUCTIONS: bool = true;

    fn marker(&mut self, wave: &Wave<'_, W>, marker: Marker, mask: &Mask<W>) -> Flow {
        if self.stepper.takes_part(mask) {
            let mut events = Vec::new();
            self.stepper.marker(marker, |event| events.push(event));
            self.take(wave, events);
        }
        Flow::Continue
    }

    fn before(&mut self, wave: &Wave<'_, W>, _: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        if self.stepper.takes_part(mask) {
            let mut events = Vec::new();
            self.stepper.before(origin, |event| events.push(event));
            self.take(wave, events);
        }
    }

    fn after(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, _: Option<SiteId>, mask: &Mask<W>) {
        // A variable without a value has not changed.
        if self.stepper.takes_part(mask) && !matches!(instruction, Instruction::Undefine(_)) {
            for run in instruction.results(wave.program()).into_iter().flatten() {
                self.dirty.extend(run.iter().filter_map(|register| self.owners[register.0 as usize]));
            }
        }
    }
}
