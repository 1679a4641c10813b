//! Questions about shaders that run on a real device, each answered by a variant of the application's own source.
//!
//! A [`Question`] is about one stage of a program. Weaving inserts the code that answers it into the shader's source:
//! the result is a [`Variant`], which consists of source for a compiler and a [`Layout`] that describes the answer.
//! Every answer of an invocation is a *stream of words*: a header ([`stream`]) and records, each with the number of a
//! site and, if the site has a value, the value's words. The [`Transport`] determines how the stream leaves the device;
//! it does not change its contents.
//!
//! An [`InspectContext`] runs variants; an inspector chooses transports, assembles windows and caches variants. The
//! crate itself is pure: source and words in, source and values out.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod device;
pub mod frame;
pub mod inspect;
pub mod nan;
pub mod question;
pub mod stream;
pub mod variant;
mod varyings;
mod weave;

/// The division of targets and textures into blocks ([`weave_blocks`]).
pub mod blocks {
    pub use crate::weave::{MASK, SIDE};
}

pub use device::{CompilerWorkarounds, Device, Extensions, Transport};
pub use frame::{Frame, Framed, Naming, names_primitive};
pub use inspect::{InspectContext, InspectError, InspectResult, Inspector, ProgramInspector};
pub use question::{Detail, Question, Scope, Subject};
pub use variant::{Controls, Layout, Refusal, Site, Variant, What};
pub use varyings::Written;
pub use weave::{
    BlockFacts, BlockVariant, first_hit, first_way, hits, parts, parts_of, pass_primitive, weave, weave_blocks,
};
