//! Constructors (GLSL 4.60, 5.4).

use crate::constant::operand::Operand;
use crate::constant::{Constant, ConstantPool, convert, flat_len};
use crate::types::{Scalar, Type, TypeTable};

/// The value of `ty(args…)`; `None` when the arguments do not fit, which the type checker has reported.
///
/// The caller must have set the size of an unsized array type: the result has exactly the requested type.
pub fn construct(pool: &mut ConstantPool, types: &TypeTable, ty: Type, args: &[Constant]) -> Option<Constant> {
    match ty {
        Type::Scalar(_) | Type::Vector(..) => vector(pool, ty, args),
        Type::Matrix(scalar, columns, rows) => matrix(pool, scalar, columns, rows, args),
        Type::Array(_) => {
            let array = types.as_array(ty)?;
            (array.size? as usize == args.len()).then_some(())?;
            aggregate(pool, types, ty, args.iter().map(|&arg| (array.element, arg)))
        }
        Type::Struct(_) => {
            let fields = &types.as_struct(ty)?.fields;
            (fields.len() == args.len()).then_some(())?;
            aggregate(pool, types, ty, fields.iter().zip(args).map(|(field, &arg)| (field.ty, arg)))
        }
        Type::Error | Type::Void | Type::Subroutine(_) | Type::Opaque(_) => None,
    }
}

/// Converts a value to another type of the same shape, as implicit conversion does. Arrays and structures are
/// unchanged, since none converts implicitly.
pub fn coerce(pool: &mut ConstantPool, constant: Constant, ty: Type) -> Option<Constant> {
    if constant.ty == ty {
        return Some(constant);
    }
    let scalar = ty.scalar()?;
    if constant.ty.with_scalar(scalar) != ty {
        return None;
    }
    Some(Operand::load(pool, constant)?.converted(scalar).store(pool))
}

fn vector(pool: &mut ConstantPool, ty: Type, args: &[Constant]) -> Option<Constant> {
    let mut result = Operand::zero(ty)?;
    if let &[arg] = args {
        let arg = Operand::load(pool, arg)?;
        if arg.len == 1 || arg.len >= result.len {
            let arg = arg.converted(result.scalar);
            return Some(Operand::fill(ty, |i| arg.get(i))?.store(pool));
        }
        return None;
    }
    flatten(pool, &mut result, args)?;
    Some(result.store(pool))
}

fn matrix(pool: &mut ConstantPool, scalar: Scalar, columns: u8, rows: u8, args: &[Constant]) -> Option<Constant> {
    let mut result = Operand::zero(Type::Matrix(scalar, columns, rows))?;
    if let &[arg] = args {
        let arg = Operand::load(pool, arg)?.converted(scalar);
        let one = convert(Scalar::Int, scalar, 1);
        // A scalar fills the diagonal; another matrix is copied where both have an element, and the rest comes from
        // the identity (5.4.2).
        let (diagonal, from) = match arg.ty {
            Type::Scalar(_) => (arg.get(0), None),
            Type::Matrix(_, from_columns, from_rows) => (one, Some((from_columns, from_rows))),
            Type::Vector(..) if arg.len == result.len => (one, Some((columns, rows))),
            _ => return None,
        };
        for column in 0..columns {
            for row in 0..rows {
                let word = match from {
                    Some((from_columns, from_rows)) if column < from_columns && row < from_rows => {
                        arg.get(usize::from(column) * usize::from(from_rows) + usize::from(row))
                    }
                    _ if column == row => diagonal,
                    _ => convert(Scalar::Int, scalar, 0),
                };
                result.set(usize::from(column) * usize::from(rows) + usize::from(row), word);
            }
        }
        return Some(result.store(pool));
    }
    flatten(pool, &mut result, args)?;
    Some(result.store(pool))
}

/// Fills the result from the components of all arguments in order; the last argument may have some to spare.
fn flatten(pool: &ConstantPool, result: &mut Operand, args: &[Constant]) -> Option<()> {
    let mut filled = 0;
    for &arg in args {
        if filled == result.len {
            return None;
        }
        let arg = Operand::load(pool, arg)?.converted(result.scalar);
        for &word in arg.words().iter().take(result.len - filled) {
            result.set(filled, word);
            filled += 1;
        }
    }
    (filled == result.len).then_some(())
}

fn aggregate(
    pool: &mut ConstantPool,
    types: &TypeTable,
    ty: Type,
    parts: impl Iterator<Item = (Type, Constant)>,
) -> Option<Constant> {
    let scalars = flat_len(types, ty)?;
    pool.reserve(scalars)?;
    let start = pool.bits.len();
    for (to, part) in parts {
        if append(pool, part, to).is_none() {
            pool.bits.truncate(start);
            return None;
        }
    }
    let len = (pool.bits.len() - start) as u32;
    (len == scalars).then_some(Constant { ty, start: start as u32, len })
}

/// Appends a part to the pool, converted to the type it has there.
fn append(pool: &mut ConstantPool, part: Constant, to: Type) -> Option<()> {
    if part.ty == to {
        let start = part.start as usize;
        pool.bits.extend_from_within(start..start + part.len as usize);
    } else {
        let scalar = to.scalar()?;
        let from = part.ty.scalar()?;
        if part.ty.with_scalar(scalar) != to {
            return None;
        }
        for at in part.start as usize..(part.start + part.len) as usize {
            let word = convert(from, scalar, pool.bits[at]);
            pool.bits.push(word);
        }
    }
    Some(())
}
