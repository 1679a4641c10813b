//! Names of enum values.

use crate::generated::{groups::GROUPS, names};
use crate::{Group, Library};

/// A group of values.
#[derive(Debug)]
pub struct GroupTable {
    /// What the registry calls it, such as `TextureTarget`.
    pub name: &'static str,
    /// Whether its values are bits.
    pub bits: bool,
    /// Values and their names, sorted by value.
    pub values: &'static [(i64, &'static str)],
}

/// Returns the table of a group.
#[must_use]
pub fn group(group: Group) -> &'static GroupTable {
    GROUPS.get(usize::from(group.0)).unwrap_or(&GROUPS[0])
}

/// Returns the name of a value in a group, or else any name that the library has for it.
#[must_use]
pub fn name(library: Library, group: Group, value: i64) -> Option<&'static str> {
    look_up(self::group(group).values, value).or_else(|| any_name(library, value))
}

/// Returns whether a group has a name for a value.
#[must_use]
pub fn in_group(group: Group, value: i64) -> bool {
    look_up(self::group(group).values, value).is_some()
}

/// Returns the preferred name of a value, of any group. Small numbers have many meanings, so the name of one is a
/// guess.
#[must_use]
pub fn any_name(library: Library, value: i64) -> Option<&'static str> {
    look_up(names_of(library), value)
}

/// Returns the names of the bits of a set, and the bits that have no name. A name of several bits is preferred to the
/// names of its parts, and a name of the whole value to both.
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

/// Returns all values that have a name in a library, in ascending order.
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
