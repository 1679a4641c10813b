//! Counters of what invocations did, by line and by invocation.

use std::collections::BTreeMap;
use std::sync::Arc;

use lanes::Mask;
use moment::{Marker, SiteId};

use crate::ir::{Instruction, SourceMap};
use crate::wave::{Flow, Interest, Observer, WaveState};

/// The most lanes of a wave.
const WAVE: usize = 64;

/// How often something was done; each invocation counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Instructions of the emulator.
    pub instructions: u64,
    /// Texture look-ups.
    pub lookups: u64,
    /// Conditions that were evaluated.
    pub branches: u64,
    /// Conditions that were true.
    pub taken: u64,
    /// Conditions that divided the wave.
    pub divergent: u64,
    /// Iterations of loops; the test that ends a loop counts as one.
    pub iterations: u64,
    /// Calls of functions of the program.
    pub calls: u64,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.instructions += other.instructions;
        self.lookups += other.lookups;
        self.branches += other.branches;
        self.taken += other.taken;
        self.divergent += other.divergent;
        self.iterations += other.iterations;
        self.calls += other.calls;
    }
}

/// Counts what lanes do.
pub struct Counters {
    map: Arc<SourceMap>,
    counted: u64,
    line: u32,
    /// The first invocation of the wave that is observed.
    first: usize,
    /// By invocation: the lines of the loops it is in.
    loops: Vec<Vec<u32>>,
    lanes: Vec<Counts>,
    by_line: BTreeMap<u32, Counts>,
    samplers: BTreeMap<u32, u64>,
    total: Counts,
    invocations: u64,
    most: Counts,
}

impl Counters {
    /// Returns counters at zero, for these lanes of a wave.
    #[must_use]
    pub fn new(map: &Arc<SourceMap>, lanes: u64) -> Counters {
        Counters {
            map: Arc::clone(map),
            counted: lanes,
            line: 0,
            first: 0,
            loops: vec![Vec::new(); WAVE],
            lanes: vec![Counts::default(); WAVE],
            by_line: BTreeMap::new(),
            samplers: BTreeMap::new(),
            total: Counts::default(),
            invocations: 0,
            most: Counts::default(),
        }
    }

    /// Observes this wave of a group from now on.
    pub fn select(&mut self, wave: usize) {
        self.first = wave * WAVE;
        if self.lanes.len() < self.first + WAVE {
            self.lanes.resize(self.first + WAVE, Counts::default());
            self.loops.resize(self.first + WAVE, Vec::new());
        }
    }

    /// Adds up the invocations of these lanes, which are over; other invocations follow.
    pub fn finish(&mut self, lanes: u64) {
        let wave = self.first..self.first + WAVE;
        let (counted, loops) = (&mut self.lanes[wave.clone()], &mut self.loops[wave]);
        for (lane, counts) in counted.iter_mut().enumerate().filter(|(lane, _)| lanes & self.counted & 1 << lane != 0) {
            let counts = std::mem::take(counts);
            loops[lane].clear();
            self.total.add(&counts);
            self.invocations += 1;
            if counts.instructions > self.most.instructions {
                self.most = counts;
            }
        }
    }

    /// Returns what a lane has done since it began.
    #[must_use]
    pub fn lane(&self, lane: usize) -> Counts {
        self.lanes[self.first + lane]
    }

    /// Returns what all finished invocations did, and their number.
    #[must_use]
    pub fn total(&self) -> (Counts, u64) {
        (self.total, self.invocations)
    }

    /// Returns what the finished invocation with the most instructions did.
    #[must_use]
    pub fn most(&self) -> Counts {
        self.most
    }

    /// Returns the counters of all invocations together, by line of the source.
    #[must_use]
    pub fn by_line(&self) -> &BTreeMap<u32, Counts> {
        &self.by_line
    }

    /// Returns the number of look-ups, by the value of the sampler.
    #[must_use]
    pub fn samplers(&self) -> &BTreeMap<u32, u64> {
        &self.samplers
    }

    fn line_of(&self, origin: Option<SiteId>) -> u32 {
        origin.map_or(self.line, |site| self.map.line(site))
    }

    fn count(&mut self, lanes: u64, line: u32, counts: Counts) {
        let mut each = 0;
        for lane in (0..64).filter(|lane| lanes & self.counted & 1 << lane != 0) {
            self.lanes[self.first + lane].add(&counts);
            each += 1;
        }
        let row = self.by_line.entry(line).or_default();
        (0..each).for_each(|_| row.add(&counts));
    }
}

impl<const W: usize> Observer<W> for Counters {
    fn interest(&self) -> Interest {
        Interest::INSTRUCTIONS
    }

    fn marker(&mut self, _: &WaveState<W>, marker: Marker, mask: &Mask<W>) -> Flow {
        let lanes = mask.bits();
        match marker {
            Marker::Statement(site) => self.line = self.map.line(site),
            Marker::Enter(call) => {
                let line = self.line_of(Some(call));
                self.count(lanes, line, Counts { calls: 1, ..Counts::default() });
                (0..64).filter(|lane| lanes >> lane & 1 != 0).for_each(|lane| self.loops[self.first + lane].push(0));
            }
            // A call is a zero among the lines of loops, so that a `return` can leave the loops in it.
            Marker::Leave => {
                for lane in (0..64).filter(|lane| lanes >> lane & 1 != 0) {
                    while self.loops[self.first + lane].pop().is_some_and(|line| line != 0) {}
                }
            }
            Marker::Loop(site) => {
                let line = self.map.line(site);
                (0..64).filter(|lane| lanes >> lane & 1 != 0).for_each(|lane| self.loops[self.first + lane].push(line));
            }
            Marker::Iterate => {
                let first = self.first + lanes.trailing_zeros() as usize;
                let line = self.loops.get(first).and_then(|open| open.last().copied()).unwrap_or(0);
                self.line = line;
                self.count(lanes, line, Counts { iterations: 1, ..Counts::default() });
            }
            Marker::Done => (0..64).filter(|lane| lanes >> lane & 1 != 0).for_each(|lane| {
                self.loops[self.first + lane].pop();
            }),
        }
        Flow::Continue
    }

    fn before(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        let line = self.line_of(origin);
        let mut counts = Counts { instructions: 1, ..Counts::default() };
        if let Instruction::Lookup(id) = instruction {
            counts.lookups = 1;
            let handles = wave.register(wave.program().lookups[id.0 as usize].handle);
            for lane in (0..W).filter(|lane| mask.bits() & self.counted & 1 << lane != 0) {
                *self.samplers.entry(handles[lane]).or_default() += 1;
            }
        }
        self.count(mask.bits(), line, counts);
    }

    fn branch(&mut self, _: &WaveState<W>, origin: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        let line = self.line_of(origin);
        let divergent = u64::from(on.any() && off.any());
        self.count(on.bits(), line, Counts { branches: 1, taken: 1, divergent, ..Counts::default() });
        self.count(off.bits(), line, Counts { branches: 1, divergent, ..Counts::default() });
    }
}
