//! The texels that look-ups read, with their weights.

use lanes::Mask;
use moment::SiteId;
use texture::Texel;

use crate::ir::{Instruction, LookupId};
use crate::wave::{Interest, Observer, WaveState};

/// One look-up of one lane.
#[derive(Clone, PartialEq, Debug)]
pub struct LookedUp {
    /// The look-up.
    pub lookup: LookupId,
    /// The expression it belongs to.
    pub site: Option<SiteId>,
    /// The sampler's value.
    pub handle: u32,
    /// The lane.
    pub lane: usize,
    /// The texels it read.
    pub texels: Vec<Texel>,
}

/// Records every look-up of some lanes.
#[derive(Clone, Debug)]
pub struct TexelLog {
    lanes: u64,
    records: Vec<LookedUp>,
    /// Records from here on belong to the current instruction.
    first: usize,
    site: Option<SiteId>,
}

impl TexelLog {
    /// Returns an empty log for these lanes.
    #[must_use]
    pub fn new(lanes: u64) -> TexelLog {
        TexelLog { lanes, records: Vec::new(), first: 0, site: None }
    }

    /// Returns the look-ups in the order they were made, lane by lane.
    #[must_use]
    pub fn records(&self) -> &[LookedUp] {
        &self.records
    }
}

impl<const W: usize> Observer<W> for TexelLog {
    fn interest(&self) -> Interest {
        Interest::ALL
    }

    fn before(&mut self, _: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, _: &Mask<W>) {
        if matches!(instruction, Instruction::Lookup(_)) {
            self.first = self.records.len();
            self.site = origin;
        }
    }

    fn texel(&mut self, lookup: LookupId, handle: u32, lane: usize, texel: Texel) {
        if lane >= 64 || self.lanes >> lane & 1 == 0 {
            return;
        }
        let site = self.site;
        match self.records[self.first..].iter_mut().find(|record| record.lane == lane) {
            Some(record) => record.texels.push(texel),
            None => self.records.push(LookedUp { lookup, site, handle, lane, texels: vec![texel] }),
        }
    }
}
