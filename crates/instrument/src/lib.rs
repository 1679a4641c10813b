//! Questions about shaders that run on a real device, each answered by a variant of the application's own source.
//!
//! A [`Question`] is about one stage of a program. Weaving puts what is needed to answer it into the shader's text: the
//! result is a [`Variant`], text for a compiler and a [`Layout`] that knows what comes back. Whatever is asked, what an
//! invocation answers is a *stream of words*: a header ([`stream`]) and records, each a number that says which place of
//! the source it is from and, if that has a value, the words of the value. How the stream leaves the device is the
//! [`Transport`]'s affair; it does not change what is in it.
//!
//! Who runs variants is an [`InspectContext`]; an inspector asks one, chooses transports, puts windows together and
//! remembers variants. The crate itself is pure: text and words in, text and values out.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod device;
pub mod frame;
pub mod inspect;
pub mod nan;
pub mod question;
pub mod stream;
pub mod variant;
mod weave;

/// How targets and textures are divided into blocks ([`weave_blocks`]).
pub mod blocks {
    pub use crate::weave::{MASK, SIDE};
}

pub use device::{Device, Style, Transport};
pub use frame::{Frame, Framed, Naming, names_primitive};
pub use inspect::{InspectContext, InspectError, InspectResult, Inspector, ProgramInspector};
pub use question::{Detail, Question, Scope, Subject};
pub use variant::{Controls, Layout, Refusal, Site, Variant, What};
pub use weave::{BlockFacts, BlockVariant, first_hit, first_way, hits, pass_primitive, weave, weave_blocks};
