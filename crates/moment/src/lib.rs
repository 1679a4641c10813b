//! Addresses in the run of a shader.
//!
//! A [`Moment`] is a site in the source and the path to it: the calls and loop iterations around it, outermost first.
//! It names one point in the run of one invocation, on any device. [`Marker`]s are what a run passes on its way, and a
//! [`Tracker`] computes the path from them; nothing else creates moments.
//!
//! As text a moment is its site (`s12`: statement 12; `e` for expressions, `d` for declarations) and, after a colon, its
//! path: `s12:call@34/loop@56#3` is statement 12, reached through call expression 34 in the fourth iteration of loop
//! statement 56. The numbers are the front end's and the same for the same source text.
//!
//! The crate knows no shading language, except in its module [`glsl`], which says how sites relate to the syntax tree of
//! crate `shader`.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod glsl;
mod site;
mod text;
mod tracker;

pub use site::{SiteId, SiteKind};
pub use text::ParseError;
pub use tracker::Tracker;

/// One step of the path to a moment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// Through a call; the site is an expression.
    Call(SiteId),
    /// In an iteration of a loop, counted from zero; the site is a statement. The test that ends the loop belongs to an
    /// iteration of its own.
    Iteration(SiteId, u32),
}

/// A point in the run of one invocation.
///
/// Moments are ordered by site; those of one site by their path, so that iterations of one loop are in the order in
/// which they run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Moment {
    /// Where in the source.
    pub site: SiteId,
    /// The path, outermost first.
    pub path: Vec<Step>,
}

impl Moment {
    /// Returns the number of calls around it.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.path.iter().filter(|step| matches!(step, Step::Call(_))).count()
    }
}

/// Where a run is, in terms of the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Marker {
    /// A statement begins.
    Statement(SiteId),
    /// A call is entered.
    Enter(SiteId),
    /// The innermost call is left. Loops that are still open in it are left with it.
    Leave,
    /// A loop begins.
    Loop(SiteId),
    /// The innermost loop begins another iteration.
    Iterate,
    /// The innermost loop is left.
    Done,
}

impl Marker {
    /// Returns whether stepping stops here: where a statement begins, and where a loop begins an iteration.
    #[must_use]
    pub fn is_stop(self) -> bool {
        matches!(self, Marker::Statement(_) | Marker::Iterate)
    }
}
