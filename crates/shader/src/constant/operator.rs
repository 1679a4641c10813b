//! Operators on constants (GLSL 4.60, 5.9).

use crate::ast::{BinaryOp, UnaryOp};
use crate::constant::operand::Operand;
use crate::constant::{Constant, ConstantPool, FoldError, convert};
use crate::measure::MAX_DEPTH;
use crate::types::{Scalar, Type, TypeTable};

/// The value of a prefix operator; `None` for those that assign and for operands of the wrong type.
pub fn unary(pool: &mut ConstantPool, op: UnaryOp, operand: Constant) -> Option<Constant> {
    let a = Operand::load(pool, operand)?;
    let component: fn(Scalar, u64) -> u64 = match op {
        UnaryOp::Plus if a.scalar != Scalar::Bool => return Some(operand),
        UnaryOp::Minus if a.scalar != Scalar::Bool => negate,
        UnaryOp::Not if a.ty == Type::BOOL => |_, word| word ^ 1,
        UnaryOp::BitNot if a.scalar.is_integer() => bit_not,
        UnaryOp::Plus
        | UnaryOp::Minus
        | UnaryOp::Not
        | UnaryOp::BitNot
        | UnaryOp::PreIncrement
        | UnaryOp::PreDecrement
        | UnaryOp::PostIncrement
        | UnaryOp::PostDecrement => return None,
    };
    Some(Operand::fill(a.ty, |i| component(a.scalar, a.get(i)))?.store(pool))
}

/// The value of an infix operator with a result of type `result`.
///
/// Operands may still have the types they were written with: arithmetic uses the component type of the result,
/// comparison the type that both convert to. Integers wrap around; a shift count is taken modulo the width, and the
/// remainder has the sign of the dividend (5.9 leaves all three undefined or unspecified in edge cases).
///
/// # Errors
/// For integer division and remainder by zero, and for operands that do not fit the operator.
pub fn binary(
    pool: &mut ConstantPool,
    types: &TypeTable,
    op: BinaryOp,
    left: Constant,
    right: Constant,
    result: Type,
) -> Result<Constant, FoldError> {
    use BinaryOp as Op;
    if matches!(op, Op::Equal | Op::NotEqual) {
        let same = equal(pool, types, left, right)?;
        return Ok(pool.bool(same == (op == Op::Equal)));
    }
    let a = Operand::load(pool, left).ok_or(FoldError::Mismatch)?;
    let b = Operand::load(pool, right).ok_or(FoldError::Mismatch)?;
    match op {
        Op::And | Op::Or | Op::Xor => {
            if a.ty != Type::BOOL || b.ty != Type::BOOL {
                return Err(FoldError::Mismatch);
            }
            let (a, b) = (a.get(0) != 0, b.get(0) != 0);
            let value = match op {
                Op::And => a && b,
                Op::Or => a || b,
                _ => a != b,
            };
            Ok(pool.bool(value))
        }
        Op::Less | Op::Greater | Op::LessEqual | Op::GreaterEqual => {
            if a.len != 1 || b.len != 1 {
                return Err(FoldError::Mismatch);
            }
            let scalar = common_scalar(a.scalar, b.scalar).ok_or(FoldError::Mismatch)?;
            let (a, b) = (a.converted(scalar).get(0), b.converted(scalar).get(0));
            let value = compare(op, scalar, a, b).ok_or(FoldError::Mismatch)?;
            Ok(pool.bool(value))
        }
        Op::Shl | Op::Shr => {
            // The count keeps its own signedness and the result is of the left operand's type (5.9).
            if !a.scalar.is_integer() || !b.scalar.is_integer() || result != a.ty {
                return Err(FoldError::Mismatch);
            }
            check_shape(&a, &b, result)?;
            let value = Operand::fill(result, |i| shift(op, a.scalar, a.get(i), b.get(i)));
            Ok(value.ok_or(FoldError::Mismatch)?.store(pool))
        }
        _ => {
            let scalar = result.scalar().ok_or(FoldError::Mismatch)?;
            let (a, b) = (a.converted(scalar), b.converted(scalar));
            if op == Op::Mul
                && let Some(shape) = product_shape(a.ty, b.ty)
            {
                let value = product(scalar, &a, &b, shape, result).ok_or(FoldError::Mismatch)?;
                return Ok(value.store(pool));
            }
            check_shape(&a, &b, result)?;
            let mut value = Operand::zero(result).ok_or(FoldError::Mismatch)?;
            for i in 0..value.len {
                value.set(i, arithmetic(op, scalar, a.get(i), b.get(i))?);
            }
            Ok(value.store(pool))
        }
    }
}

/// The component type that both operands convert to implicitly.
#[must_use]
pub fn common_scalar(a: Scalar, b: Scalar) -> Option<Scalar> {
    let rank = |scalar| match scalar {
        Scalar::Bool => 0,
        Scalar::Int => 1,
        Scalar::Uint => 2,
        Scalar::Int64 => 3,
        Scalar::Uint64 => 4,
        Scalar::Float => 5,
        Scalar::Double => 6,
    };
    let (low, high) = if rank(a) <= rank(b) { (a, b) } else { (b, a) };
    match (low, high) {
        _ if low == high => Some(low),
        (Scalar::Bool, _) => None,
        // 64-bit integers convert to double only (ARB_gpu_shader_int64).
        (Scalar::Int64 | Scalar::Uint64, Scalar::Float) => Some(Scalar::Double),
        _ => Some(high),
    }
}

/// Compares two words of one component type; `None` for `bool`.
pub(super) fn compare(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Option<bool> {
    fn with<T: PartialOrd + Copy>(op: BinaryOp, a: T, b: T) -> Option<bool> {
        Some(match op {
            BinaryOp::Less => a < b,
            BinaryOp::Greater => a > b,
            BinaryOp::LessEqual => a <= b,
            BinaryOp::GreaterEqual => a >= b,
            BinaryOp::Equal => a == b,
            BinaryOp::NotEqual => a != b,
            _ => return None,
        })
    }
    match scalar {
        Scalar::Bool if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) => with(op, a, b),
        Scalar::Bool => None,
        Scalar::Int => with(op, a as u32 as i32, b as u32 as i32),
        Scalar::Uint | Scalar::Uint64 => with(op, a, b),
        Scalar::Int64 => with(op, a as i64, b as i64),
        Scalar::Float => with(op, f32::from_bits(a as u32), f32::from_bits(b as u32)),
        Scalar::Double => with(op, f64::from_bits(a), f64::from_bits(b)),
    }
}

/// `-` of a word, wrapping.
pub(super) fn negate(scalar: Scalar, word: u64) -> u64 {
    match scalar {
        Scalar::Bool => word,
        Scalar::Int | Scalar::Uint => u64::from((word as u32).wrapping_neg()),
        Scalar::Int64 | Scalar::Uint64 => word.wrapping_neg(),
        Scalar::Float => word ^ 0x8000_0000,
        Scalar::Double => word ^ (1 << 63),
    }
}

fn bit_not(scalar: Scalar, word: u64) -> u64 {
    if scalar.is_64_bit() { !word } else { u64::from(!(word as u32)) }
}

fn check_shape(a: &Operand, b: &Operand, result: Type) -> Result<(), FoldError> {
    let len = result.components() as usize;
    let fits = |operand: &Operand| operand.len == 1 || operand.len == len;
    if fits(a) && fits(b) { Ok(()) } else { Err(FoldError::Mismatch) }
}

fn shift(op: BinaryOp, scalar: Scalar, a: u64, count: u64) -> u64 {
    let (left, count) = (op == BinaryOp::Shl, count as u32);
    match scalar {
        Scalar::Int if left => u64::from((a as u32).wrapping_shl(count)),
        Scalar::Int => u64::from((a as u32 as i32).wrapping_shr(count) as u32),
        Scalar::Uint if left => u64::from((a as u32).wrapping_shl(count)),
        Scalar::Uint => u64::from((a as u32).wrapping_shr(count)),
        Scalar::Int64 if !left => (a as i64).wrapping_shr(count) as u64,
        _ if left => a.wrapping_shl(count),
        _ => a.wrapping_shr(count),
    }
}

fn arithmetic(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Result<u64, FoldError> {
    use BinaryOp as Op;
    macro_rules! integer {
        ($ty:ty, $unsigned:ty) => {{
            let (a, b) = (a as $ty, b as $ty);
            let value = match op {
                Op::Mul => a.wrapping_mul(b),
                Op::Add => a.wrapping_add(b),
                Op::Sub => a.wrapping_sub(b),
                Op::Div | Op::Mod if b == 0 => return Err(FoldError::DivisionByZero),
                Op::Div => a.wrapping_div(b),
                Op::Mod => a.wrapping_rem(b),
                Op::BitAnd => a & b,
                Op::BitXor => a ^ b,
                Op::BitOr => a | b,
                _ => return Err(FoldError::Mismatch),
            };
            Ok(u64::from(value as $unsigned))
        }};
    }
    macro_rules! real {
        ($a:expr, $b:expr) => {
            match op {
                Op::Mul => $a * $b,
                Op::Div => $a / $b,
                Op::Add => $a + $b,
                Op::Sub => $a - $b,
                _ => return Err(FoldError::Mismatch),
            }
        };
    }
    match scalar {
        Scalar::Bool => Err(FoldError::Mismatch),
        Scalar::Int => integer!(i32, u32),
        Scalar::Uint => integer!(u32, u32),
        Scalar::Int64 => integer!(i64, u64),
        Scalar::Uint64 => integer!(u64, u64),
        Scalar::Float => {
            let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let value: f32 = real!(a, b);
            Ok(u64::from(value.to_bits()))
        }
        Scalar::Double => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            let value: f64 = real!(a, b);
            Ok(value.to_bits())
        }
    }
}

/// Rows of the left operand, columns of the right one, and the summed dimension, if `*` is the linear-algebra product.
fn product_shape(a: Type, b: Type) -> Option<(usize, usize, usize)> {
    let shape = match (a, b) {
        (Type::Matrix(_, columns, rows), Type::Vector(_, n)) if columns == n => (rows, 1, n),
        (Type::Vector(_, n), Type::Matrix(_, columns, rows)) if rows == n => (1, columns, n),
        (Type::Matrix(_, columns, rows), Type::Matrix(_, other, inner)) if columns == inner => (rows, other, columns),
        _ => return None,
    };
    Some((usize::from(shape.0), usize::from(shape.1), usize::from(shape.2)))
}

fn product(
    scalar: Scalar,
    a: &Operand,
    b: &Operand,
    (rows, columns, inner): (usize, usize, usize),
    result: Type,
) -> Option<Operand> {
    if result.components() as usize != rows * columns {
        return None;
    }
    Operand::fill(result, |at| {
        let (column, row) = (at / rows, at % rows);
        let term = |k: usize| {
            // Neither operand is a scalar and both components are floating-point, so this cannot fail.
            arithmetic(BinaryOp::Mul, scalar, a.get(k * rows + row), b.get(column * inner + k)).unwrap_or(0)
        };
        (1..inner).fold(term(0), |sum, k| arithmetic(BinaryOp::Add, scalar, sum, term(k)).unwrap_or(0))
    })
}

/// `==` on any type. Floats compare as numbers: zeros are equal whatever their sign, and NaN equals nothing.
fn equal(pool: &ConstantPool, types: &TypeTable, left: Constant, right: Constant) -> Result<bool, FoldError> {
    let (a, b) = (pool.components(left), pool.components(right));
    if a.len() != b.len() {
        return Err(FoldError::Mismatch);
    }
    if left.ty != right.ty {
        let (Some(from), Some(to)) = (left.ty.scalar(), right.ty.scalar()) else { return Err(FoldError::Mismatch) };
        let scalar = common_scalar(from, to).ok_or(FoldError::Mismatch)?;
        let same =
            |(&a, &b)| compare(BinaryOp::Equal, scalar, convert(from, scalar, a), convert(to, scalar, b)) == Some(true);
        return Ok(a.iter().zip(b).all(same));
    }
    let mut cursor = Cursor { types, a, b, at: 0, steps: a.len() * 4 + 1024 };
    cursor.equal(left.ty, 0).ok_or(FoldError::Mismatch)
}

/// Two values of one type, compared word by word.
struct Cursor<'a> {
    types: &'a TypeTable,
    a: &'a [u64],
    b: &'a [u64],
    at: usize,
    /// Bounds the traversal of structures without scalars, which are an error but still a type.
    steps: usize,
}

impl Cursor<'_> {
    /// Compares the words that belong to the next value, of type `ty`, and moves past them.
    fn equal(&mut self, ty: Type, depth: u32) -> Option<bool> {
        self.steps = self.steps.checked_sub(1)?;
        if depth > MAX_DEPTH {
            return None;
        }
        match ty {
            Type::Array(_) => {
                let array = self.types.as_array(ty)?;
                for _ in 0..array.size? {
                    if !self.equal(array.element, depth + 1)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Type::Struct(_) => {
                let types = self.types;
                for field in &types.as_struct(ty)?.fields {
                    if !self.equal(field.ty, depth + 1)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Type::Error
            | Type::Void
            | Type::Subroutine(_)
            | Type::Scalar(_)
            | Type::Vector(..)
            | Type::Matrix(..)
            | Type::Opaque(_) => {
                let scalar = ty.scalar()?;
                let end = self.at + ty.components() as usize;
                let (a, b) = (self.a.get(self.at..end)?, self.b.get(self.at..end)?);
                self.at = end;
                Some(a.iter().zip(b).all(|(&a, &b)| compare(BinaryOp::Equal, scalar, a, b) == Some(true)))
            }
        }
    }
}
