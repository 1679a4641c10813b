//! Plain state as a table: what each variable is called, what it is, how it begins and where it exists.
//!
//! Everything that is a number or a few of them, belongs to one context and is set by simple commands is listed here;
//! what has a structure of its own is elsewhere. Values are kept as `f64`, which holds every 32-bit integer and every
//! float exactly.

mod table;

pub use table::*;

use api::Namespace;
pub use api::when::{ANY, COMPATIBILITY, FIXED, NOWHERE, When, both, desktop, when};

/// A variable by its place in [`VARIABLES`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u16);

/// What is known of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// What `glGet…` calls it.
    pub name: u32,
    /// What its numbers are.
    pub kind: Kind,
    /// How many numbers make one value.
    pub size: u16,
    /// How many values there are: for draw buffers, viewports, texture units, lights. 1 for what is not indexed.
    pub count: u16,
    /// The initial value: the numbers of one, or one number for all of them. What depends on more than this is set
    /// when the context is made or first made current.
    pub initial: &'static [f64],
    /// Where it exists.
    pub when: When,
}

/// What numbers of a variable are, which decides how they are converted to other types (GL 4.6, 2.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// True or false.
    Boolean,
    /// An integer or a set of bits.
    Integer,
    /// A name of GL, such as `GL_LESS`.
    Enum,
    /// A float; rounded to the nearest integer when asked for as such.
    Float,
    /// The name of an object, as the recorded program knows it.
    Name(Namespace),
    /// A colour component, depth or normal: as an integer, 1.0 is the largest there is.
    Normalized,
    /// A number of a matrix, which Mesa converts to integers like a colour component, but to 64 bits otherwise.
    Matrix,
    /// A byte that is asked for as such, and not as true or false.
    Byte,
}

impl Var {
    /// What is known of it.
    #[must_use]
    pub fn about(self) -> &'static Variable {
        &VARIABLES[usize::from(self.0)]
    }

    /// The variable that `glGet…` calls so.
    #[must_use]
    pub fn named(name: u32) -> Option<Var> {
        let at = BY_NAME.binary_search_by_key(&name, |entry| entry.0).ok()?;
        Some(BY_NAME[at].1)
    }
}

/// Defines variables: `NAME: Kind, size × count = [initial], when;` where NAME is GL's without `GL_`.
macro_rules! variables {
    ($($name:ident / $gl:ident: $kind:ident $size:literal x $count:literal = [$($initial:expr),*], $when:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names are GL's own")]
        #[repr(u16)]
        enum Place { $($name),* }

        $(
            #[doc = concat!("`", stringify!($gl), "`")]
            pub const $name: Var = Var(Place::$name as u16);
        )*

        /// All variables; a [`Var`] is a place in this list.
        pub const VARIABLES: &[Variable] = &[$(Variable {
            name: c::$gl,
            kind: Kind::$kind,
            size: $size,
            count: $count,
            initial: &[$($initial as f64),*],
            when: $when,
        }),*];
    };
}
use variables;

/// Where each variable's first number is, and how many numbers there are in all.
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

/// How many numbers all variables have together.
pub const NUMBERS: usize = LAYOUT.1;

/// Where a variable's first number is among all of them.
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
    fn every_variable_has_an_initial_value_and_a_name_of_its_own() {
        for variable in VARIABLES {
            let numbers = variable.initial.len();
            assert!(numbers == 1 || numbers == usize::from(variable.size), "{:#x}", variable.name);
        }
        assert!(BY_NAME.windows(2).all(|pair| pair[0].0 < pair[1].0), "two variables have one name");
    }
}
