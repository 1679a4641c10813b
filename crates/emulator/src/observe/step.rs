//! The steps of one lane: where stepping stops, and when each step is over.

use std::sync::Arc;

use lanes::Mask;
use moment::{Marker, SiteId, Tracker};

use crate::ir::SourceMap;

/// A step begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// It begins.
    Begin(SiteId),
    /// It is over: all it does is done, and nothing after it has begun.
    End(SiteId),
}

/// Turns what a lane passes into steps: statements, and the conditions and steps of loops.
#[derive(Clone, Debug)]
pub struct Stepper {
    map: Arc<SourceMap>,
    lane: usize,
    tracker: Tracker,
    /// Open steps, each with the number of calls around it.
    open: Vec<(SiteId, usize)>,
}

impl Stepper {
    /// Returns the stepper of a lane that has not begun.
    #[must_use]
    pub fn new(map: &Arc<SourceMap>, lane: usize) -> Stepper {
        Stepper { map: Arc::clone(map), lane, tracker: Tracker::new(), open: Vec::new() }
    }

    /// Returns the lane.
    #[must_use]
    pub fn lane(&self) -> usize {
        self.lane
    }

    /// Returns where the lane is.
    #[must_use]
    pub fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    /// Returns whether the lane is on in a mask.
    #[must_use]
    pub fn takes_part<const W: usize>(&self, mask: &Mask<W>) -> bool {
        mask.words().get(self.lane).is_some_and(|&word| word != 0)
    }

    /// Records that a marker is passed. Call it only for markers the lane takes part in.
    pub fn marker(&mut self, marker: Marker, mut each: impl FnMut(Event)) {
        self.tracker.pass(marker);
        match marker {
            Marker::Statement(site) => self.begin(site, each),
            Marker::Leave => {
                let depth = self.tracker.calls();
                while let Some((site, _)) = self.open.pop_if(|(_, at)| *at > depth) {
                    each(Event::End(site));
                }
            }
            Marker::Enter(_) | Marker::Loop(_) | Marker::Iterate | Marker::Done => {}
        }
    }

    /// Records that an instruction of a site is about to run.
    pub fn before(&mut self, origin: Option<SiteId>, each: impl FnMut(Event)) {
        let Some(step) = origin.and_then(|site| self.map.step(site)) else { return };
        let here = self.open.last().filter(|(_, depth)| *depth == self.tracker.calls()).map(|(site, _)| *site);
        if !here.is_some_and(|site| site == step || self.map.is_inside(step, site)) {
            self.begin(step, each);
        }
    }

    /// Ends all open steps: the run is over.
    pub fn finish(&mut self, mut each: impl FnMut(Event)) {
        while let Some((site, _)) = self.open.pop() {
            each(Event::End(site));
        }
    }

    fn begin(&mut self, site: SiteId, mut each: impl FnMut(Event)) {
        let depth = self.tracker.calls();
        while let Some((over, _)) = self.open.pop_if(|(_, at)| *at >= depth) {
            each(Event::End(over));
        }
        self.open.push((site, depth));
        each(Event::Begin(site));
    }
}
