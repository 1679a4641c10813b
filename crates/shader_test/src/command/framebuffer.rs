//! Commands that change the framebuffer.

use super::{Command, Target, enumerant};
use crate::scan::Scan;

/// A framebuffer binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bind {
    /// The draw framebuffer.
    Draw,
    /// The read framebuffer, for probes and blits.
    Read,
    /// Both.
    Both,
}

/// The attachments of a framebuffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attachment {
    /// The window.
    Window,
    /// The 2D textures of these units, one per colour attachment; `None` leaves one empty.
    Textures(Vec<Option<u32>>),
    /// One layer of one level.
    Slice {
        /// The texture target.
        target: Target,
        /// Its unit.
        unit: u32,
        /// The level.
        level: u32,
        /// The layer or face.
        layer: u32,
    },
    /// All layers of a unit's texture.
    Layered(u32),
    /// A new multisampled renderbuffer.
    Multisample {
        /// The format's name.
        format: String,
        /// Width and height.
        size: [u32; 2],
        /// Samples.
        samples: u32,
    },
}

pub(super) fn read(scan: &mut Scan<'_>) -> Option<Command> {
    if scan.words("blit") {
        let buffer = scan.word()?.to_owned();
        return Some(Command::Blit(buffer, scan.word()? == "linear"));
    }
    scan.word()?;
    let bind = if scan.words("draw") {
        Bind::Draw
    } else if scan.words("read") {
        Bind::Read
    } else {
        Bind::Both
    };
    let attachment = if scan.words("winsys") {
        Attachment::Window
    } else if scan.words("tex 2d") {
        let units = std::iter::from_fn(|| scan.int()).map(|unit| u32::try_from(unit).ok());
        Attachment::Textures(units.collect())
    } else if scan.words("tex slice") {
        let target = Target::named(scan.word()?)?;
        let [unit, level, layer] = scan.indices()?;
        Attachment::Slice { target, unit, level, layer }
    } else if scan.words("tex layered") {
        Attachment::Layered(scan.index()?)
    } else if scan.words("ms") {
        let format = enumerant(scan)?;
        let [width, height, samples] = scan.indices()?;
        Attachment::Multisample { format, size: [width, height], samples }
    } else {
        return None;
    };
    Some(Command::Framebuffer(bind, attachment))
}
