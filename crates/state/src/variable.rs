//! Plain state as a table: the name, type and initial value of each variable, and the contexts that have it.
//!
//! Listed here is state that consists of one or a few numbers, belongs to one context and is set by simple commands;
//! structured state is elsewhere. Values are stored as `f64`, which represents every 32-bit integer and every float
//! exactly.

mod table;

pub use table::*;

use api::Namespace;
pub use api::when::{ANY, COMPATIBILITY, FIXED, NOWHERE, When, both, desktop, when};

/// A variable, by its index in [`VARIABLES`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u16);

/// The properties of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name in `glGet…`.
    pub name: u32,
    /// The type of its numbers.
    pub kind: NumberType,
    /// The number of numbers per value.
    pub size: u16,
    /// The number of values: for draw buffers, viewports, texture units, lights. 1 if it is not indexed.
    pub count: u16,
    /// The initial value: the numbers of one value, or one number for all of them. Initial values that depend on more
    /// are set when the context is created or first made current.
    pub initial: &'static [f64],
    /// The contexts that have it.
    pub when: When,
}

/// The type of a variable's numbers, which determines conversions (GL 4.6, 2.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberType {
    /// A boolean.
    Boolean,
    /// An integer or a bit set.
    Integer,
    /// A GL enum, such as `GL_LESS`.
    Enum,
    /// A float; rounded to the nearest integer in integer queries.
    Float,
    /// A float that was computed with an inverse matrix, the precision of which GL leaves open; otherwise like a float.
    Transformed,
    /// The recorded name of an object.
    Name(Namespace),
    /// A colour component, depth or normal: in integer queries, 1.0 is the largest integer.
    Normalized,
    /// An element of a matrix, which Mesa converts to 32-bit integers like a colour component, but to 64 bits
    /// differently.
    Matrix,
    /// A byte that is queried as such, and not as a boolean.
    Byte,
}

impl Var {
    /// Returns its properties.
    #[must_use]
    pub fn about(self) -> &'static Variable {
        &VARIABLES[usize::from(self.0)]
    }

    /// Returns the variable of a name in `glGet…`.
    #[must_use]
    pub fn named(name: u32) -> Option<Var> {
        let at = BY_NAME.binary_search_by_key(&name, |entry| entry.0).ok()?;
        Some(BY_NAME[at].1)
    }
}

/// Defines variables: `NAME: NumberType, size × count = [initial], when;` where NAME is GL's without `GL_`.
macro_rules! variables {
    ($($name:ident / $gl:ident: $kind:ident $size:literal x $count:literal = [$($initial:expr),*], $when:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names are GL's own")]
        #[repr(u16)]
        enum VarIndex { $($name),* }

        $(
            #[doc = concat!("`", stringify!($gl), "`")]
            pub const $name: Var = Var(VarIndex::$name as u16);
        )*

        /// All variables; a [`Var`] is an index into this list.
        pub const VARIABLES: &[Variable] = &[$(Variable {
            name: c::$gl,
            kind: NumberType::$kind,
            size: $size,
            count: $count,
            initial: &[$($initial as f64),*],
            when: $when,
        }),*];
    };
}
use variables;

/// Computes the offset of each variable's first number, and the total number.
const fn lay_out<const N: usize>(variables: &[Variable]) -> ([u16; N], usize) {
    let mut offsets = [0; N];
    let (mut at, mut total) = (0, 0usize);
    while at < N {
        offsets[at] = total as u16;
        total += variables[at].size as usize * variables[at].count as usize;
        at += 1;
    }
    (offsets, total)
}

const LAYOUT: ([u16; VARIABLES.len()], usize) = lay_out(VARIABLES);

/// Total number of numbers of all variables.
pub const NUMBERS: usize = LAYOUT.1;

/// Returns the offset of a variable's first number.
#[inline]
#[must_use]
pub fn offset(var: Var) -> usize {
    usize::from(LAYOUT.0[usize::from(var.0)])
}

const fn sort_by_name<const N: usize>(variables: &[Variable]) -> [(u32, Var); N] {
    let mut sorted = [(0, Var(0)); N];
    let mut at = 0;
    while at < N {
        let mut place = at;
        while place > 0 && sorted[place - 1].0 > variables[at].name {
            sorted[place] = sorted[place - 1];
            place -= 1;
        }
        sorted[place] = (variables[at].name, Var(at as u16));
        at += 1;
    }
    sorted
}

static BY_NAME: [(u32, Var); VARIABLES.len()] = sort_by_name(VARIABLES);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_has_an_initial_value_and_a_unique_name() {
        for variable in VARIABLES {
            let numbers = variable.initial.len();
            assert!(numbers == 1 || numbers == usize::from(variable.size), "{:#x}", variable.name);
        }
        assert!(BY_NAME.windows(2).all(|pair| pair[0].0 < pair[1].0), "two variables have the same name");
    }
}
