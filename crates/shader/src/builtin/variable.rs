//! Built-in variables, constants, structures, blocks, image formats.
//!
//! # Grammar of the rows
//!
//! * `variables.txt`: `storage [qualifier …] type name[size]` declares a variable. The size of an array is a number, the
//!   name of a constant, or absent.
//! * `struct Name {` … `}` and `block storage Name {` … `} instance[size]` enclose members, each `[qualifier …] type
//!   name[size]`. A condition line inside applies to members up to the next one; the aggregate has the condition
//!   before it.
//! * Qualifiers: `highp mediump lowp`, `flat`, `patch`, `resize` (may be redeclared with another size), `requalify` (may
//!   be redeclared with other qualifiers).
//! * `constants.txt`: `name value` or `name value value value`.
//! * `formats.txt`: `name type-of-texel`, in the order of their indices.
//! * `layouts.txt`: identifiers inside `layout(…)`.

use super::condition::Conditions;
use super::extension::Extensions;
use super::{Condition, tables, type_name};
use crate::qualifier::Storage;
use crate::symbol::{Interner, Symbol, Symbols};
use crate::types::{Precision, Scalar, Type};

/// The type of a built-in variable or member, without its array size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BaseType {
    /// A basic type.
    Basic(Type),
    /// A structure: index into [`aggregates`].
    Struct(u16),
}

/// Array size of a built-in variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArraySize {
    /// Not an array.
    None,
    /// An array whose size is determined by its use or redeclaration, or by the primitive of the stage.
    Unsized,
    /// As many elements as the value of a built-in constant.
    Limit(Symbol),
    /// A fixed number of elements.
    Fixed(u32),
}

/// A built-in variable, or a member of a built-in structure or block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent qualifiers")]
pub struct Variable {
    /// Its name.
    pub name: Symbol,
    /// Its type or its elements' type.
    pub ty: BaseType,
    /// Its array size.
    pub array: ArraySize,
    /// Array size of the elements, for an array of arrays.
    pub inner: Option<u32>,
    /// Its storage; members of a structure are [`Storage::Plain`].
    pub storage: Storage,
    /// Its precision in GLSL ES.
    pub precision: Option<Precision>,
    /// Not interpolated.
    pub flat: bool,
    /// Per patch.
    pub patch: bool,
    /// May be redeclared with another array size.
    pub resize: bool,
    /// May be redeclared with other qualifiers.
    pub requalify: bool,
    /// Where it exists.
    pub when: Condition,
}

/// A built-in structure or interface block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aggregate {
    /// Its name.
    pub name: Symbol,
    /// Its kind.
    pub kind: AggregateKind,
    /// Its members in order, each with its own condition.
    pub members: Box<[Variable]>,
    /// Where it exists.
    pub when: Condition,
}

/// Structure or block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AggregateKind {
    /// A structure type.
    Struct,
    /// An interface block.
    Block {
        /// [`Storage::In`] or [`Storage::Out`].
        storage: Storage,
        /// Name of the instance; [`Symbol::EMPTY`] if its members are global names.
        instance: Symbol,
        /// Array size of the instance.
        array: ArraySize,
    },
}

/// A built-in constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Its name.
    pub name: Symbol,
    /// One value for an `int`, three for an `ivec3`.
    pub values: Box<[i32]>,
    /// Where it exists.
    pub when: Condition,
}

/// A format of an image variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageFormat {
    /// Its name, as in `layout(rgba32f)`.
    pub name: Symbol,
    /// Its row in the table.
    pub index: u8,
    /// The component type of images with the format.
    pub scalar: Scalar,
    /// Where it exists.
    pub when: Condition,
}

/// All variables with this name in any stage and version; check each one's `when`.
#[must_use]
pub fn variables(symbol: Symbol) -> &'static [Variable] {
    of_name(&tables::get().variables.variables, symbol, |v| v.name)
}

/// All constants with this name in any version; check each one's `when`.
#[must_use]
pub fn constants(symbol: Symbol) -> &'static [Constant] {
    of_name(&tables::get().variables.constants, symbol, |c| c.name)
}

/// Whether a name is that of a built-in constant of any version.
#[must_use]
pub fn is_constant(name: &str) -> bool {
    Symbols::default().find(name).is_some_and(|symbol| !constants(symbol).is_empty())
}

/// All built-in structures and blocks of any stage and version; check each one's `when`.
#[must_use]
pub fn aggregates() -> &'static [Aggregate] {
    &tables::get().variables.aggregates
}

/// The image format with this name.
#[must_use]
pub fn image_format(symbol: Symbol) -> Option<ImageFormat> {
    tables::get().variables.formats.iter().find(|f| f.name == symbol).copied()
}

/// Every image format, by index.
#[must_use]
pub fn image_formats() -> &'static [ImageFormat] {
    &tables::get().variables.formats
}

/// The rows with this name in a table sorted by name.
fn of_name<T>(rows: &[T], symbol: Symbol, name: impl Fn(&T) -> Symbol) -> &[T] {
    let start = rows.partition_point(|row| name(row) < symbol);
    let count = rows[start..].iter().take_while(|row| name(row) == symbol).count();
    &rows[start..start + count]
}

/// The tables of variables, constants, aggregates and formats.
#[derive(Debug, Default)]
pub(super) struct VariableTable {
    /// Sorted by name, otherwise in file order.
    pub variables: Vec<Variable>,
    /// Sorted by name, otherwise in file order.
    pub constants: Vec<Constant>,
    pub aggregates: Vec<Aggregate>,
    pub formats: Vec<ImageFormat>,
    pub layouts: Vec<(Symbol, Condition)>,
}

impl VariableTable {
    pub(super) fn load(
        names: &mut Interner,
        conditions: &mut Conditions,
        extensions: &Extensions,
        errors: &mut Vec<String>,
    ) -> VariableTable {
        let mut table = VariableTable::default();
        let mut open: Option<Open> = None;
        super::text::rows(include_str!("variables.txt"), conditions, extensions, errors, |line, when| {
            if let Some(tail) = line.strip_prefix('}') {
                let aggregate = open.take().ok_or("nothing to close")?.close(tail, names)?;
                table.aggregates.push(aggregate);
            } else if let Some(head) = line.strip_suffix('{') {
                open = Some(Open::new(head, when, names)?);
            } else {
                let variable = variable(line, when, names, &table.aggregates)?;
                match &mut open {
                    Some(open) => open.members.push(variable),
                    None => table.variables.push(variable),
                }
            }
            Ok(())
        });
        if open.is_some() {
            errors.push("unclosed structure or block".to_string());
        }
        super::text::rows(include_str!("constants.txt"), conditions, extensions, errors, |line, when| {
            let mut words = line.split_whitespace();
            let name = Symbol(names.intern(words.next().unwrap_or_default()));
            let values: Result<Box<[i32]>, _> = words.map(str::parse).collect();
            let values = values.map_err(|e| e.to_string())?;
            if !matches!(values.len(), 1 | 3) {
                return Err("one or three values expected".to_string());
            }
            table.constants.push(Constant { name, values, when });
            Ok(())
        });
        super::text::rows(include_str!("formats.txt"), conditions, extensions, errors, |line, when| {
            let (name, ty) = line.split_once(' ').ok_or("no type of texel")?;
            let scalar = type_name::parse(ty.trim()).and_then(Type::scalar).ok_or("bad type of texel")?;
            let index = table.formats.len() as u8;
            table.formats.push(ImageFormat { name: Symbol(names.intern(name)), index, scalar, when });
            Ok(())
        });
        super::text::rows(include_str!("layouts.txt"), conditions, extensions, errors, |line, when| {
            table.layouts.extend(line.split_whitespace().map(|name| (Symbol(names.intern(name)), when)));
            Ok(())
        });
        table.variables.sort_by_key(|v| v.name);
        table.constants.sort_by_key(|c| c.name);
        table
    }
}

/// A structure or block that has not been closed yet.
struct Open {
    name: Symbol,
    storage: Option<Storage>,
    when: Condition,
    members: Vec<Variable>,
}

impl Open {
    fn new(head: &str, when: Condition, names: &mut Interner) -> Result<Open, String> {
        let words: Vec<&str> = head.split_whitespace().collect();
        let (storage, name) = match words[..] {
            ["struct", name] => (None, name),
            ["block", storage, name] => (Some(storage_named(storage).ok_or("bad storage")?), name),
            _ => return Err("struct or block expected".to_string()),
        };
        Ok(Open { name: Symbol(names.intern(name)), storage, when, members: Vec::new() })
    }

    fn close(self, tail: &str, names: &mut Interner) -> Result<Aggregate, String> {
        let kind = match self.storage {
            None => AggregateKind::Struct,
            Some(storage) => {
                let (instance, array) = declarator(tail.trim(), names)?;
                AggregateKind::Block { storage, instance, array }
            }
        };
        Ok(Aggregate { name: self.name, kind, members: self.members.into_boxed_slice(), when: self.when })
    }
}

fn variable(line: &str, when: Condition, names: &mut Interner, known: &[Aggregate]) -> Result<Variable, String> {
    let mut words = line.split_whitespace().rev();
    let declared = words.next().unwrap_or_default();
    let (declared, inner) = match declared.split_once("][") {
        Some((outer, inner)) => {
            let inner = inner.strip_suffix(']').and_then(|n| n.parse().ok()).ok_or("bad inner array size")?;
            (&declared[..=outer.len()], Some(inner))
        }
        None => (declared, None),
    };
    let (name, array) = declarator(declared, names)?;
    let ty = words.next().ok_or("no type")?;
    let ty = match type_name::parse(ty) {
        Some(basic) => BaseType::Basic(basic),
        None => {
            let symbol = Symbol(names.intern(ty));
            let index = known.iter().position(|a| a.name == symbol).ok_or_else(|| format!("unknown type {ty}"))?;
            BaseType::Struct(index as u16)
        }
    };
    let mut variable = Variable {
        name,
        ty,
        array,
        inner,
        storage: Storage::Plain,
        precision: None,
        flat: false,
        patch: false,
        resize: false,
        requalify: false,
        when,
    };
    for word in words {
        match word {
            "highp" => variable.precision = Some(Precision::High),
            "mediump" => variable.precision = Some(Precision::Medium),
            "lowp" => variable.precision = Some(Precision::Low),
            "flat" => variable.flat = true,
            "patch" => variable.patch = true,
            "resize" => variable.resize = true,
            "requalify" => variable.requalify = true,
            _ => variable.storage = storage_named(word).ok_or_else(|| format!("unknown qualifier {word}"))?,
        }
    }
    Ok(variable)
}

fn declarator(text: &str, names: &mut Interner) -> Result<(Symbol, ArraySize), String> {
    let (name, size) = text.split_once('[').unwrap_or((text, ""));
    let array = match size.strip_suffix(']') {
        None if size.is_empty() => ArraySize::None,
        None => return Err("unclosed array size".to_string()),
        Some("") => ArraySize::Unsized,
        Some(limit) if limit.starts_with("gl_") => ArraySize::Limit(Symbol(names.intern(limit))),
        Some(count) => ArraySize::Fixed(count.parse().map_err(|_| "bad array size")?),
    };
    Ok((Symbol(names.intern(name)), array))
}

fn storage_named(name: &str) -> Option<Storage> {
    Some(match name {
        "in" => Storage::In,
        "out" => Storage::Out,
        "inout" => Storage::InOut,
        "uniform" => Storage::Uniform,
        "const" => Storage::Const,
        _ => return None,
    })
}
