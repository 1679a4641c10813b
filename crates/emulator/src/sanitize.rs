//! What a run does that its language leaves undefined.
//!
//! The checks themselves are those of a language: [`crate::glsl::Sanitizer`] has GLSL's. Here is what they find, and what
//! they keep track of: which registers were never written, and which invocations access the same memory.

pub(crate) mod shadow;
pub(crate) mod shared;

use moment::{Moment, SiteId};

use crate::ir::VarId;
use crate::value::Value;

/// A kind of undefined behaviour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FindingKind {
    /// A variable is read that was never written.
    Uninitialized,
    /// An index or address is out of bounds.
    OutOfBounds,
    /// The operands are finite and the result is infinite or NaN.
    NotFinite,
    /// A division, of integers or floats, by zero.
    DivisionByZero,
    /// A function is called with arguments outside of its domain.
    Domain,
    /// A shift by a negative amount, or by at least the width.
    Shift,
    /// A bit field reaches outside of the word.
    Bitfield,
    /// A derivative, or a look-up that needs one, in which not all invocations of the quad take part.
    DivergentDerivative,
    /// A barrier that not all invocations reach.
    DivergentBarrier,
    /// Arithmetic in an index overflows its type.
    IndexOverflow,
    /// A number is converted to a type that cannot represent it.
    Conversion,
    /// A function ends without `return`, and its result is used.
    MissingReturn,
    /// An output is written on some paths through `main`, but not on this one.
    UnwrittenOutput,
    /// Two invocations access memory of the workgroup at the same time, and one of them writes it.
    Race,
    /// A texture, image or buffer is not bound.
    Unbound,
}

impl FindingKind {
    /// Returns a short stable name, for filters and tests.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            FindingKind::Uninitialized => "uninitialized",
            FindingKind::OutOfBounds => "out-of-bounds",
            FindingKind::NotFinite => "not-finite",
            FindingKind::DivisionByZero => "division-by-zero",
            FindingKind::Domain => "domain",
            FindingKind::Shift => "shift",
            FindingKind::Bitfield => "bitfield",
            FindingKind::DivergentDerivative => "divergent-derivative",
            FindingKind::DivergentBarrier => "divergent-barrier",
            FindingKind::IndexOverflow => "index-overflow",
            FindingKind::Conversion => "conversion",
            FindingKind::MissingReturn => "missing-return",
            FindingKind::UnwrittenOutput => "unwritten-output",
            FindingKind::Race => "race",
            FindingKind::Unbound => "unbound",
        }
    }
}

/// What a finding is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Subject {
    /// An expression.
    Site(SiteId),
    /// A variable as a whole.
    Variable(VarId),
    /// Nothing in the source.
    Nothing,
}

/// Something undefined that a run did.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// Where in the source.
    pub subject: Subject,
    /// When it first happened; `None` if it concerns the run as a whole.
    pub moment: Option<Moment>,
    /// The batch in which it first happened; see [`Sanitizer::restart`](crate::glsl::Sanitizer::restart).
    pub batch: u64,
    /// The wave and lane in which it first happened.
    pub lane: (usize, usize),
    /// All lanes in which it happened the first time, as bits.
    pub lanes: u64,
    /// It happened in a helper invocation.
    pub helper: bool,
    /// One sentence without a full stop, with the operands.
    pub message: String,
    /// The operands, the first time; their types are in the program's table.
    pub operands: Vec<Value>,
    /// The result, the first time, if that is what is wrong.
    pub result: Option<Value>,
    /// How often it happened; each lane counts.
    pub count: u64,
}
