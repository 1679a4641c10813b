//! Built-in declarations of the language: keywords, extensions, functions, variables, constants.
//!
//! All of them are data, in the text files beside the code. Each row has a condition on language, version, stage and
//! extensions (grammar in [`condition`]); queries return every row of a name, and the caller checks
//! [`Condition::holds`] for the current dialect. The files are read at the first query, once per process.

pub mod condition;
mod extension;
mod function;
mod overload;
mod tables;
mod text;
mod type_name;
mod variable;
mod word;

pub use condition::Condition;
pub use extension::{Extension, ExtensionSet, extension};
pub use function::{Direction, Effect, Function, Param, functions};
pub use variable::{
    Aggregate, AggregateKind, ArraySize, BaseType, Constant, ImageFormat, Variable, aggregates, constants,
    image_format, image_formats, is_constant, variables,
};
pub use word::{Keyword, Word, Words, word_since};

use crate::symbol::{Interner, Symbol};

/// The names that exist in every shader: the empty one, then all keywords, type names and reserved words, then the
/// names of built-in functions, variables, constants, members and layout qualifiers.
#[must_use]
pub fn names() -> &'static Interner {
    &tables::get().names
}

/// Where a name is built in: `GLSL 1.30, GLSL ES 3.00 or GL_EXT_gpu_shader4`. `None` for unknown names, and for what
/// exists everywhere.
#[must_use]
pub fn availability(symbol: Symbol) -> Option<String> {
    let tables = tables::get();
    word_since(symbol).or_else(|| {
        let functions = tables.functions.rows(symbol).iter().map(|row| row.when);
        let variables = variables(symbol).iter().map(|v| v.when);
        let constants = constants(symbol).iter().map(|c| c.when);
        let formats = image_format(symbol).into_iter().map(|f| f.when);
        let layouts = tables.variables.layouts.iter().filter(|l| l.0 == symbol).map(|l| l.1);
        condition::describe(functions.chain(variables).chain(constants).chain(formats).chain(layouts))
    })
}

#[cfg(test)]
mod tests;
