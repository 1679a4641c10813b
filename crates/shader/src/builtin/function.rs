//! Built-in functions.
//!
//! # Grammar of the rows
//!
//! ```text
//! % texture
//! @ gl>=130 | es>=300
//! gvec4 textureOffset(gsampler2D, vec2, const ivec2, [float])
//! ```
//!
//! * A line with `%` names the [`Effect`] of the following rows, up to the next such line.
//! * A row is a prototype without parameter names. A parameter's type may be preceded by `out`, `inout`,
//!   `const` (a constant expression is required), `memory` (a buffer or shared variable) and `interpolant` (an input),
//!   and followed by an array size.
//! * Parameters in brackets are optional: the row represents both forms.
//! * `genType`, `genIType`, `genUType`, `genBType`, `genDType`, `genI64Type`, `genU64Type` are a scalar or vector;
//!   `vec`, `ivec`, `uvec`, `bvec`, `dvec`, `i64vec`, `u64vec` a vector; `mat` and `dmat` a matrix: all those of one
//!   row have the same size.
//! * `g` before a type stands for `float`, `int` and `uint` texels, the same throughout the row.
//! * `image`, `iimage`, `uimage` and `gimage` stand for an image of any shape, followed by the coordinates (and the
//!   sample) that the shape requires.

use std::ops::Range;
use std::sync::OnceLock;

use super::condition::Conditions;
use super::extension::Extensions;
use super::overload::expand;
use super::{Condition, tables};
use crate::symbol::{Interner, Symbol};
use crate::types::Type;

/// One overload of a built-in function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Symbol,
    /// Type of the result.
    pub result: Type,
    /// Parameters.
    pub params: Box<[Param]>,
    /// Where it exists.
    pub when: Condition,
    /// The effects of a call beyond computing a result from the arguments.
    pub effect: Effect,
}

/// Direction of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are GLSL's own")]
pub enum Direction {
    In,
    Out,
    InOut,
}

/// A parameter of a built-in function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent requirements on an argument")]
pub struct Param {
    /// Its type, or its elements' type.
    pub ty: Type,
    /// Number of elements, if it is an array.
    pub array: Option<u32>,
    /// Direction.
    pub direction: Direction,
    /// The argument must be a constant expression, such as a texture offset.
    pub constant: bool,
    /// The argument must be in a buffer or shared variable, such as that of `atomicAdd`.
    pub memory: bool,
    /// The argument must be an input or part of one, such as that of `interpolateAtCentroid`.
    pub interpolant: bool,
}

/// The effects of a call beyond computing a result from the arguments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Effect {
    /// None: with constant arguments the call is a constant expression.
    Pure,
    /// Reads from neighbouring invocations; still a constant expression with constant arguments.
    Derivative,
    /// Reads a texture.
    Texture,
    /// Reads state of the context or of the invocation (`ftransform`, `interpolateAt…`, `noise1`).
    State,
    /// Reads memory that other invocations may write.
    Read,
    /// Reads and writes memory.
    Write,
    /// Exchanges values with other invocations of the group.
    Group,
    /// Synchronises memory or invocations.
    Barrier,
    /// Emits a vertex or ends a primitive.
    Emit,
}

/// All overloads with this name in any version; check each one's `when`.
#[must_use]
pub fn functions(symbol: Symbol) -> &'static [Function] {
    let table = &tables::get().functions;
    match table.ordinals.get(symbol.0 as usize) {
        Some(&ordinal) if ordinal != NONE => table.overloads(usize::from(ordinal)),
        _ => &[],
    }
}

const NONE: u16 = u16::MAX;

/// A prototype as written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub symbol: Symbol,
    pub text: &'static str,
    pub when: Condition,
    pub effect: Effect,
}

/// The rows of a name, and its overloads once they have been requested.
#[derive(Debug)]
struct Named {
    rows: Range<usize>,
    overloads: OnceLock<Box<[Function]>>,
}

/// The table of functions. Rows are expanded to overloads when their name is first requested.
#[derive(Debug, Default)]
pub(super) struct FunctionTable {
    /// Sorted by symbol, otherwise as written.
    pub rows: Vec<Row>,
    names: Vec<Named>,
    /// By symbol: the index into `names`.
    ordinals: Vec<u16>,
}

impl FunctionTable {
    pub(super) fn load(
        names: &mut Interner,
        conditions: &mut Conditions,
        extensions: &Extensions,
        errors: &mut Vec<String>,
    ) -> FunctionTable {
        let files = [
            include_str!("functions.txt"),
            include_str!("functions_texture.txt"),
            include_str!("functions_texture_old.txt"),
            include_str!("functions_memory.txt"),
            include_str!("functions_group.txt"),
        ];
        let mut table = FunctionTable::default();
        for file in files {
            let mut effect = Effect::Pure;
            super::text::rows(file, conditions, extensions, errors, |line, when| {
                if let Some(name) = line.strip_prefix('%') {
                    effect = effect_named(name.trim())?;
                    return Ok(());
                }
                let (head, _) = line.split_once('(').ok_or("no parameter list")?;
                let (_, name) = head.rsplit_once(' ').ok_or("no result type")?;
                table.rows.push(Row { symbol: Symbol(names.intern(name)), text: line, when, effect });
                Ok(())
            });
        }
        table.rows.sort_by_key(|row| row.symbol);
        table.ordinals = vec![NONE; names.len()];
        let mut start = 0;
        for chunk in table.rows.chunk_by(|a, b| a.symbol == b.symbol) {
            table.ordinals[chunk[0].symbol.0 as usize] = table.names.len() as u16;
            table.names.push(Named { rows: start..start + chunk.len(), overloads: OnceLock::new() });
            start += chunk.len();
        }
        table
    }

    /// The rows of a name.
    pub(super) fn rows(&self, symbol: Symbol) -> &[Row] {
        match self.ordinals.get(symbol.0 as usize) {
            Some(&ordinal) if ordinal != NONE => &self.rows[self.names[usize::from(ordinal)].rows.clone()],
            _ => &[],
        }
    }

    fn overloads(&self, ordinal: usize) -> &[Function] {
        let Named { rows, overloads } = &self.names[ordinal];
        overloads.get_or_init(|| {
            // A malformed row has no overloads; the unit test expands every row and asserts that none is malformed.
            let rows = self.rows[rows.clone()].iter();
            rows.flat_map(|row| expand(row).unwrap_or_default()).collect()
        })
    }
}

fn effect_named(name: &str) -> Result<Effect, String> {
    Ok(match name {
        "pure" => Effect::Pure,
        "derivative" => Effect::Derivative,
        "texture" => Effect::Texture,
        "state" => Effect::State,
        "read" => Effect::Read,
        "write" => Effect::Write,
        "group" => Effect::Group,
        "barrier" => Effect::Barrier,
        "emit" => Effect::Emit,
        _ => return Err(format!("unknown effect {name}")),
    })
}
