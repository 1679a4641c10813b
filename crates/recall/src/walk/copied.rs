//! What copies wrote: texels of other images.

use chronicle::graph::Cell;
use chronicle::ledger::Entry;
use state::records::Texels;

use super::{Reader, Walk, Wanted, copy_kind};
use crate::history::{Verdict, Why};
use crate::{Place, RecallError};

impl Walk<'_, '_> {
    /// A texel that comes from another image.
    pub(super) fn copied(&mut self, entry: &Entry, place: Place, wanted: Wanted) -> Result<(), RecallError> {
        let Texels::Image { of, from, exact } = entry.write.texels else { return Ok(()) };
        let id = self.node(entry.call, place, copy_kind(entry, exact), &wanted);
        let depth = self.history.nodes[id.0 as usize].depth;
        let region = entry.write.region;
        if !exact {
            let why = "texels that are scaled, mirrored, resolved or converted are followed by their place alone";
            self.history.nodes[id.0 as usize].verdict = Verdict::Unchecked(why.to_owned());
        }
        let offset = |axis: usize| from[axis].saturating_add(place.at[axis].saturating_sub(region.at[axis]));
        let source =
            Place { cell: Cell::of(place.cell.group, of), at: [offset(0), offset(1)], spot: place.spot, sample: 0 };
        self.ask(source, entry.call, depth, Some(Reader { node: id, why: Why::Copied, weight: 1.0 }));
        Ok(())
    }
}
