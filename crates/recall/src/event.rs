//! What a write record says of an event.

use state::records::Texels;

use crate::EventKind;

/// What must be done to find out what an event wrote.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Job {
    /// Look for fragments.
    Draw,
    /// Follow it to another image.
    Copy,
    /// Nothing: it says by itself where it comes from.
    Leaf(EventKind),
}

impl Job {
    /// That of a write.
    #[must_use]
    pub fn of(texels: &Texels) -> Job {
        use state::records::Job as Gpu;
        match texels {
            Texels::Memory { .. } | Texels::Buffer { .. } => Job::Leaf(EventKind::Upload),
            Texels::Image { .. } => Job::Copy,
            Texels::Clear(_) => Job::Leaf(EventKind::Clear),
            Texels::Undefined => Job::Leaf(EventKind::Undefined),
            Texels::Gpu(work) => match work {
                Gpu::Draw => Job::Draw,
                Gpu::Mipmap => Job::Leaf(EventKind::Mipmap),
                Gpu::Clear => Job::Leaf(EventKind::Clear),
                Gpu::Dispatch => Job::Leaf(EventKind::Store),
                Gpu::Transfer | Gpu::Several => Job::Leaf(EventKind::Other),
            },
        }
    }
}
