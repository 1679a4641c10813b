//! Functions across the invocations of a subgroup, which is the wave.

use lanes::{Op1, Op2, Test2};
use shader::ast::ExprId;
use shader::builtin;
use shader::types::{Scalar, Type};

use crate::glsl::lower::{Lower, Lowered, Value};
use crate::ir::{GroupOp, Instruction, Register};

impl Lower<'_> {
    /// Emits such a function, whose name is given without its vendor suffix; returns `None` for other functions.
    pub(super) fn group_function(
        &mut self,
        name: &str,
        function: &'static builtin::Function,
        arguments: &[ExprId],
    ) -> Lowered<Option<Value>> {
        let known = name.starts_with("subgroup")
            || matches!(
                name,
                "anyInvocation"
                    | "allInvocations"
                    | "allInvocationsEqual"
                    | "ballot"
                    | "readInvocation"
                    | "readFirstInvocation"
            );
        if !known {
            return Ok(None);
        }
        let ty = function.result;
        let values = self.inputs(function, arguments)?;
        let first = match values.first() {
            Some(value) => value.clone(),
            None => Value { ty: Type::UINT, registers: vec![self.word(1)?] },
        };
        if first.ty.scalar().is_some_and(Scalar::is_64_bit) {
            return self.refuse(format!("`{name}` of 64-bit values"), None);
        }
        let operand = match values.get(1) {
            Some(value) => value.registers[0],
            None => self.word(0)?,
        };
        let each = |lower: &mut Self, op: GroupOp, operand: Register| -> Lowered<Option<Value>> {
            let mut registers = Vec::new();
            for &register in &first.registers {
                registers.push(lower.across(op, register, operand)?);
            }
            Ok(Some(Value { ty, registers }))
        };
        if let Some(registers) = self.ballot_function(name, &first.registers, operand, values.len())? {
            return Ok(Some(Value { ty, registers }));
        }
        match name {
            "anyInvocation" | "subgroupAny" => each(self, GroupOp::Any, operand),
            "allInvocations" | "subgroupAll" => each(self, GroupOp::All, operand),
            "allInvocationsEqual" | "subgroupAllEqual" => {
                let mut result = self.word(1)?;
                for &register in &first.registers {
                    let same = self.across(GroupOp::AllEqual, register, operand)?;
                    result = self.two(Op2::And, result, same)?;
                }
                Ok(Some(Value { ty, registers: vec![result] }))
            }
            "readInvocation" | "subgroupBroadcast" | "subgroupShuffle" => each(self, GroupOp::Read, operand),
            "readFirstInvocation" | "subgroupBroadcastFirst" => each(self, GroupOp::ReadFirst, operand),
            "subgroupShuffleXor" => each(self, GroupOp::ReadXor, operand),
            "subgroupShuffleUp" | "subgroupShuffleDown" => {
                let lane = self.across(GroupOp::Lane, operand, operand)?;
                let op = if name.ends_with("Up") { Op2::ISub } else { Op2::IAdd };
                let from = self.two(op, lane, operand)?;
                each(self, GroupOp::Read, from)
            }
            "subgroupQuadBroadcast" => {
                let lane = self.across(GroupOp::Lane, operand, operand)?;
                let quad = self.word(!3)?;
                let quad = self.two(Op2::And, lane, quad)?;
                let from = self.two(Op2::IAdd, quad, operand)?;
                each(self, GroupOp::Read, from)
            }
            "subgroupQuadSwapHorizontal" | "subgroupQuadSwapVertical" | "subgroupQuadSwapDiagonal" => {
                let bits = match name {
                    "subgroupQuadSwapHorizontal" => 1,
                    "subgroupQuadSwapVertical" => 2,
                    _ => 3,
                };
                let bits = self.word(bits)?;
                each(self, GroupOp::ReadXor, bits)
            }
            "subgroupElect" => {
                let lane = self.across(GroupOp::Lane, operand, operand)?;
                let elected = self.across(GroupOp::ReadFirst, lane, operand)?;
                let result = self.two(Test2::IEq, lane, elected)?;
                Ok(Some(Value { ty, registers: vec![result] }))
            }
            _ => match scan_of(name, first.ty.scalar().unwrap_or(Scalar::Float)) {
                Some(op) => each(self, op, operand),
                None => self.refuse(format!("`{name}`"), None),
            },
        }
    }

    /// Emits a function that makes or reads a ballot, and returns its result; `None` for other functions.
    fn ballot_function(
        &mut self,
        name: &str,
        first: &[Register],
        operand: Register,
        arguments: usize,
    ) -> Lowered<Option<Vec<Register>>> {
        let result = match name {
            // The halves are the two registers of a 64-bit integer, or the first two components.
            "ballot" | "subgroupBallot" => {
                let halves = self.fresh(2)?;
                for high in [false, true] {
                    let to = halves.at(u32::from(high));
                    self.emit(Instruction::Group(GroupOp::Ballot(high), to, first[0], operand));
                }
                if name == "ballot" {
                    return Ok(Some(vec![halves.start]));
                }
                let zero = self.word(0)?;
                return Ok(Some(vec![halves.at(0), halves.at(1), zero, zero]));
            }
            "subgroupInverseBallot" | "subgroupBallotBitExtract" => {
                let own = arguments < 2;
                let bit = if own { self.across(GroupOp::Lane, operand, operand)? } else { operand };
                self.bit_of(first, bit)?
            }
            "subgroupBallotInclusiveBitCount" => self.across(GroupOp::BitsBelow(true), first[0], first[1])?,
            "subgroupBallotExclusiveBitCount" => self.across(GroupOp::BitsBelow(false), first[0], first[1])?,
            "subgroupBallotFindLSB" => self.across(GroupOp::LowestBit, first[0], first[1])?,
            "subgroupBallotFindMSB" => self.across(GroupOp::HighestBit, first[0], first[1])?,
            "subgroupBallotBitCount" => {
                let low = self.unary_op(Op1::BitCount, first[0], Scalar::Uint)?;
                let high = self.unary_op(Op1::BitCount, first[1], Scalar::Uint)?;
                self.two(Op2::IAdd, low, high)?
            }
            _ => return Ok(None),
        };
        Ok(Some(vec![result]))
    }

    fn across(&mut self, op: GroupOp, from: Register, operand: Register) -> Lowered<Register> {
        let to = self.one()?;
        self.emit(Instruction::Group(op, to, from, operand));
        Ok(to)
    }

    /// Emits the extraction of a bit from a 64-bit mask in two registers.
    fn bit_of(&mut self, mask: &[Register], bit: Register) -> Lowered<Register> {
        let (thirty_two, one) = (self.word(32)?, self.word(1)?);
        let low = self.two(Test2::ULt, bit, thirty_two)?;
        let word = self.choose(low, mask[0], mask[1], false)?;
        let moved = self.two(Op2::UShr, word, bit)?;
        self.two(Op2::And, moved, one)
    }
}

/// Returns the operation of `subgroupAdd`, `subgroupInclusiveMin`, `subgroupClusteredOr` and so on.
fn scan_of(name: &str, scalar: Scalar) -> Option<GroupOp> {
    let rest = name.strip_prefix("subgroup")?;
    let clustered = rest.strip_prefix("Clustered");
    let rest = clustered.unwrap_or(rest);
    let (scan, what) = if let Some(what) = rest.strip_prefix("Inclusive") {
        (Some(true), what)
    } else if let Some(what) = rest.strip_prefix("Exclusive") {
        (Some(false), what)
    } else {
        (None, rest)
    };
    let float = scalar == Scalar::Float;
    let signed = scalar == Scalar::Int;
    let pick = |f: Op2, s: Op2, u: Op2| {
        if float {
            f
        } else if signed {
            s
        } else {
            u
        }
    };
    let one = if float { 1f32.to_bits() } else { 1 };
    let (op, identity) = match what {
        "Add" => (pick(Op2::FAdd, Op2::IAdd, Op2::IAdd), 0),
        "Mul" => (pick(Op2::FMul, Op2::IMul, Op2::IMul), one),
        "Min" if float => (Op2::FMin, f32::INFINITY.to_bits()),
        "Max" if float => (Op2::FMax, f32::NEG_INFINITY.to_bits()),
        "Min" => (pick(Op2::FMin, Op2::SMin, Op2::UMin), if signed { i32::MAX as u32 } else { u32::MAX }),
        "Max" => (pick(Op2::FMax, Op2::SMax, Op2::UMax), if signed { i32::MIN as u32 } else { 0 }),
        "And" => (Op2::And, u32::MAX),
        "Or" => (Op2::Or, 0),
        "Xor" => (Op2::Xor, 0),
        _ => return None,
    };
    Some(match scan {
        None if clustered.is_some() => GroupOp::Cluster(op, identity),
        None => GroupOp::Reduce(op, identity),
        Some(inclusive) => GroupOp::Scan { op, identity, inclusive },
    })
}
