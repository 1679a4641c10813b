//! Enum values in their groups.

use std::collections::BTreeMap;

use crate::codegen::parse::{Library, Registry};

/// A value and its name.
pub struct Enum {
    pub name: String,
    pub value: i64,
    pub library: Library,
}

/// Values that a parameter may have.
pub struct Group {
    pub name: String,
    pub bits: bool,
    /// Values with their preferred names, sorted by value.
    pub values: Vec<(i64, String)>,
}

/// Returns all groups; the first is any value.
pub fn groups(registry: &Registry) -> Vec<Group> {
    type Names<'a> = BTreeMap<i64, (u8, &'a str)>;
    let mut found: BTreeMap<&str, (bool, Names)> = BTreeMap::new();
    for entry in &registry.enums {
        for group in &entry.groups {
            let (bits, values) = found.entry(group).or_default();
            *bits |= entry.bits;
            let best = values.entry(entry.value).or_insert((entry.rank, &entry.name));
            if (entry.rank, entry.name.len()) < (best.0, best.1.len()) {
                *best = (entry.rank, &entry.name);
            }
        }
    }
    let mut groups = vec![Group { name: "Any".to_owned(), bits: false, values: Vec::new() }];
    groups.extend(found.into_iter().map(|(name, (bits, values))| Group {
        name: name.to_owned(),
        bits,
        values: values.into_iter().map(|(value, (_, name))| (value, name.to_owned())).collect(),
    }));
    groups
}

/// Returns all names, sorted by library, value and preference.
pub fn sorted(registry: &Registry) -> Vec<Enum> {
    let mut sorted: Vec<_> = registry.enums.iter().collect();
    sorted.sort_by_key(|e| (e.library, e.value, e.bits, e.rank, e.name.len(), &e.name));
    sorted.into_iter().map(|e| Enum { name: e.name.clone(), value: e.value, library: e.library }).collect()
}
