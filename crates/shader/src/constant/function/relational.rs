//! Vector relational functions (8.7).

use crate::ast::BinaryOp;
use crate::constant::common_scalar;
use crate::constant::operand::Operand;
use crate::constant::operator::compare;
use crate::types::{Scalar, Type};

pub(super) fn call(name: &str, args: &[Operand], result: Type) -> Option<Operand> {
    if result.scalar() != Some(Scalar::Bool) {
        return None;
    }
    let op = match name {
        "lessThan" => BinaryOp::Less,
        "lessThanEqual" => BinaryOp::LessEqual,
        "greaterThan" => BinaryOp::Greater,
        "greaterThanEqual" => BinaryOp::GreaterEqual,
        "equal" => BinaryOp::Equal,
        "notEqual" => BinaryOp::NotEqual,
        "any" | "all" | "not" => return of_bools(name, args, result),
        _ => return None,
    };
    let &[a, b] = args else { return None };
    let scalar = common_scalar(a.scalar, b.scalar)?;
    let (a, b) = (a.converted(scalar), b.converted(scalar));
    if a.len != b.len || a.len != result.components() as usize {
        return None;
    }
    compare(op, scalar, 0, 0)?;
    Operand::fill(result, |i| u64::from(compare(op, scalar, a.get(i), b.get(i)) == Some(true)))
}

fn of_bools(name: &str, args: &[Operand], result: Type) -> Option<Operand> {
    let &[a] = args else { return None };
    if a.scalar != Scalar::Bool {
        return None;
    }
    match name {
        "not" if result == a.ty => Operand::fill(result, |i| a.get(i) ^ 1),
        "any" => Operand::fill(Type::BOOL, |_| u64::from(a.words().contains(&1))),
        "all" => Operand::fill(Type::BOOL, |_| u64::from(!a.words().contains(&0))),
        _ => None,
    }
}
