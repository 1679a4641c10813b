//! A cache of draws that were visited, and of draws that a walk backwards will visit next.
//!
//! Going back in a trace costs more than going on. A walk through blended fragments goes back draw by draw; so draws are
//! visited some at a time, the oldest first, and more at a time the longer it goes on.

use std::collections::BTreeMap;

use chronicle::Ledger;
use chronicle::graph::Cell;
use device::Rectangle;
use inquiry::{Inquiry, InquiryError};
use state::Region;
use state::records::Aspect;

use crate::bounds::MOST_ROWS;
use crate::event::Job;
use crate::memo::Memo;
use crate::visit::{FramebufferContents, Visit};
use crate::{TexelAspect, TexelRef};

/// Draws that are kept at most. Models of neighbours share nearly everything.
const MOST: usize = 1 << 14;

/// Bytes, about, that everything may take that the emulator needs to run their fragments and vertices.
const MOST_BYTES: usize = 1 << 28;

/// Draws that are visited at a time, at most; what they need to be emulated is held for all of them.
const LONGEST: usize = 64;

/// Visits by their calls.
#[derive(Default)]
pub struct Visits {
    kept: BTreeMap<u64, Visit>,
    /// Fragments of all of them.
    fragments: usize,
    /// Bytes of what is prepared of them, and the draws of which that is.
    prepared: (usize, BTreeMap<u64, usize>),
    /// The image whose draws are followed backwards, and how often that led to the one before.
    run: Option<(Cell, u32)>,
}

/// What visits need: the inquiry, and caches.
pub struct Means<'a> {
    pub inquiry: &'a mut Inquiry,
    pub ledger: &'a Ledger,
    pub memo: &'a mut Memo,
}

impl Visits {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Visits::default();
    }

    /// Keeps a draw.
    pub fn keep(&mut self, call: u64, visit: Visit, ledger: &Ledger) {
        self.follow(call, &visit, ledger);
        self.fragments += visit.fragments.len();
        self.forget_weight(call);
        let weight = visit.weight();
        if weight > 0 {
            self.prepared.0 += weight;
            self.prepared.1.insert(call, weight);
        }
        let replaced = self.kept.insert(call, visit);
        self.fragments -= replaced.map_or(0, |visit| visit.fragments.len());
        while self.kept.len() > MOST || self.fragments > MOST_ROWS {
            let Some((first, visit)) = self.kept.pop_first() else { break };
            self.fragments -= visit.fragments.len();
            self.forget_weight(first);
        }
        // A walk comes to the last ones first.
        while self.prepared.0 > MOST_BYTES && self.prepared.1.len() > 1 {
            let Some((&first, _)) = self.prepared.1.first_key_value() else { break };
            self.forget_weight(first);
            if let Some(visit) = self.kept.get_mut(&first) {
                visit.unprepare();
            }
        }
    }

    /// Counts no longer what is prepared of a draw.
    fn forget_weight(&mut self, call: u64) {
        self.prepared.0 -= self.prepared.1.remove(&call).unwrap_or(0);
    }

    /// Returns a draw with everything that can be measured of it in a rectangle around a place, for a walk that comes from a
    /// later call.
    pub fn take(
        &mut self,
        means: &mut Means<'_>,
        (call, place, later): (u64, TexelRef, u64),
        rectangle: Rectangle,
        (vertices, verify): (bool, bool),
    ) -> Result<Visit, InquiryError> {
        let known = self.kept.get(&call).is_some_and(|visit| visit.holds(rectangle) && visit.is_ready(vertices));
        let mut after = None;
        if !known {
            if verify {
                after = FramebufferContents::foresee(means.inquiry, means.ledger, (call, rectangle), later)?;
            }
            let times = match self.run {
                Some((cell, times)) if cell == place.cell => times + 1,
                _ => 0,
            };
            self.run = Some((place.cell, times));
            // There may be only two draws, and the ones before them may never be asked for.
            let length = (1 << times.saturating_sub(1).min(16)).min(LONGEST);
            for earlier in earlier(means.ledger, &place, call, length) {
                // The walk reports why it cannot be visited when it gets there.
                if let Ok(visit) = self.ready(means, earlier, None, (rectangle, vertices)) {
                    self.keep(earlier, visit, means.ledger);
                }
            }
        }
        let mut visit = self.ready(means, call, after, (rectangle, vertices))?;
        self.follow(call, &visit, means.ledger);
        if verify {
            visit.look_after(means.inquiry)?;
        }
        Ok(visit)
    }

    /// What was found before a draw is what was there after the one before, if both are to the same images.
    fn follow(&mut self, call: u64, visit: &Visit, ledger: &Ledger) {
        if let Some((_, last)) = self.kept.range_mut(..call).next_back() {
            last.is_followed_by(visit, ledger);
        }
    }

    /// A draw, as far as it is kept, with what is needed to emulate it. What is there after it may be known.
    fn ready(
        &mut self,
        means: &mut Means<'_>,
        call: u64,
        after: Option<FramebufferContents>,
        (rectangle, vertices): (Rectangle, bool),
    ) -> Result<Visit, InquiryError> {
        let Means { inquiry, ledger, memo } = means;
        let kept = self.kept.remove(&call);
        self.forget_weight(call);
        self.fragments -= kept.as_ref().map_or(0, |visit| visit.fragments.len());
        match kept.filter(|visit| visit.holds(rectangle)) {
            Some(mut visit) => {
                visit.prepare(inquiry, ledger, memo, vertices)?;
                visit.charge(&memo.effort);
                Ok(visit)
            }
            None => Visit::foreseen(inquiry, Some((ledger, memo, vertices)), after, (call, rectangle)),
        }
    }
}

/// Returns the last `count - 1` draws to a place before a call, the oldest first.
fn earlier(ledger: &Ledger, place: &TexelRef, call: u64, count: usize) -> Vec<u64> {
    if count < 2 {
        return Vec::new();
    }
    let region = Region { at: place.at, end: place.at.map(|at| at + 1) };
    let aspect: Aspect = TexelAspect::aspect(place.aspect);
    let entries = ledger.writers(&place.cell, region, aspect, call);
    let draws = entries.iter().filter(|entry| Job::of(&entry.write.texels) == Job::Draw).map(|entry| entry.call);
    let mut calls: Vec<u64> = draws.take(count - 1).collect();
    calls.reverse();
    calls
}
