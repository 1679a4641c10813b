//! What the language itself declares: keywords, extensions, functions, variables, constants.

use std::sync::OnceLock;

use crate::symbol::Interner;

/// A set of extensions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExtensionSet;

impl ExtensionSet {
    /// Every known extension.
    #[must_use]
    pub fn all() -> ExtensionSet {
        ExtensionSet
    }
}

impl ExtensionSet {
    /// Placeholder: removes nothing.
    pub fn remove(&mut self, _extension: Extension) {}
}

/// Placeholder for a known extension.
#[derive(Clone, Copy, Debug)]
pub struct Extension;

/// Placeholder: knows none.
#[must_use]
pub fn extension(_name: &str) -> Option<Extension> {
    None
}

/// The names every shader starts with.
#[must_use]
pub fn names() -> &'static Interner {
    static NAMES: OnceLock<Interner> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut names = Interner::default();
        names.intern("");
        names
    })
}
