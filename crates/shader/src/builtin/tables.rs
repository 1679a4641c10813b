//! All tables, read once per process.

use std::sync::OnceLock;

use super::condition::Conditions;
use super::extension::Extensions;
use super::function::FunctionTable;
use super::variable::VariableTable;
use super::word::WordTable;
use crate::symbol::Interner;

/// The contents of all data files.
#[derive(Debug)]
pub(super) struct Tables {
    pub names: Interner,
    pub conditions: Conditions,
    pub extensions: Extensions,
    pub words: WordTable,
    pub functions: FunctionTable,
    pub variables: VariableTable,
}

/// The tables; the first call reads them.
pub(super) fn get() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    // A malformed row is omitted; the unit test that reads the same text asserts that there is none.
    TABLES.get_or_init(|| load(&mut Vec::new()))
}

/// Reads the data files; problems are appended to `errors`.
pub(super) fn load(errors: &mut Vec<String>) -> Tables {
    let mut names = Interner::default();
    names.intern("");
    let mut conditions = Conditions::default();
    let extensions = Extensions::load(include_str!("extensions.txt"), &mut conditions, errors);
    super::text::rows(include_str!("conditions.txt"), &mut conditions, &extensions, errors, |_, _| {
        Err("only definitions belong here".to_string())
    });
    let words = WordTable::load(&mut names, &mut conditions, &extensions, errors);
    let functions = FunctionTable::load(&mut names, &mut conditions, &extensions, errors);
    let variables = VariableTable::load(&mut names, &mut conditions, &extensions, errors);
    Tables { names, conditions, extensions, words, functions, variables }
}
