//! Names of values.

use crate::generated::{groups::GROUPS, names};
use crate::{Group, Library};

/// A group of values.
#[derive(Debug)]
pub struct GroupTable {
    /// What the registry calls it, such as `TextureTarget`.
    pub name: &'static str,
    /// Whether values are sets of bits.
    pub bits: bool,
    /// Values and their names, sorted by value.
    pub values: &'static [(i64, &'static str)],
}

/// The table of a group.
#[must_use]
pub fn group(group: Group) -> &'static GroupTable {
    GROUPS.get(usize::from(group.0)).unwrap_or(&GROUPS[0])
}

/// The name of a value in a group, or else any name that it has in the library.
#[must_use]
pub fn name(library: Library, group: Group, value: i64) -> Option<&'static str> {
    look_up(self::group(group).values, value).or_else(|| any_name(library, value))
}

/// Whether a value has a name in a group.
#[must_use]
pub fn in_group(group: Group, value: i64) -> bool {
    look_up(self::group(group).values, value).is_some()
}

/// The best name of a value, whatever group it is of. Small numbers have many meanings, so the answer for them is a
/// guess.
#[must_use]
pub fn any_name(library: Library, value: i64) -> Option<&'static str> {
    look_up(names_of(library), value)
}

/// The names of the bits of a set, and what is left that has no name. Names of several bits come before those of their
/// parts; a value that is all bits has one name when the group has one.
#[must_use]
pub fn bits(group: Group, value: u64) -> (Vec<&'static str>, u64) {
    let table = self::group(group).values;
    if let Some(name) = look_up(table, value.cast_signed()) {
        return (vec![name], 0);
    }
    let mut left = value;
    let mut names = Vec::new();
    for (bit, name) in table.iter().rev() {
        let bit = bit.cast_unsigned();
        if bit != 0 && left & bit == bit {
            left &= !bit;
            names.push(*name);
        }
    }
    names.reverse();
    (names, left)
}

/// All values that have a name in a library, in order.
pub fn values(library: Library) -> impl Iterator<Item = i64> {
    names_of(library).iter().map(|entry| entry.0)
}

fn names_of(library: Library) -> &'static [(i64, &'static str)] {
    match library {
        Library::Gl | Library::Capture => names::GL,
        Library::Egl => names::EGL,
        Library::Glx => names::GLX,
    }
}

fn look_up(table: &'static [(i64, &'static str)], value: i64) -> Option<&'static str> {
    table.binary_search_by_key(&value, |entry| entry.0).ok().map(|at| table[at].1)
}
