//! Functions that look at numbers as bits: packing, unpacking, reinterpreting.

use lanes::{Op1, Op2, Op4};
use shader::types::Type;

use super::super::{Lower, Lowered, Value};
use crate::ir::{Instruction, Register};

impl Lower<'_> {
    /// Emits packing, unpacking and reinterpreting; returns `None` for other functions.
    pub(super) fn packed(&mut self, name: &str, values: &[Value], ty: Type) -> Lowered<Option<Value>> {
        let [value] = values else { return Ok(None) };
        let from = &value.registers[..];
        let registers = match name {
            "packHalf2x16" => self.pack_pair(Op2::PackHalf, from)?,
            "packUnorm2x16" => self.pack_pair(Op2::PackUnorm16, from)?,
            "packSnorm2x16" => self.pack_pair(Op2::PackSnorm16, from)?,
            "packUnorm4x8" => self.pack_bytes(Op4::PackUnorm8, from)?,
            "packSnorm4x8" => self.pack_bytes(Op4::PackSnorm8, from)?,
            "unpackHalf2x16" => self.unpack(&[Op1::UnpackHalf(false), Op1::UnpackHalf(true)], from)?,
            "unpackUnorm2x16" => self.unpack(&[Op1::UnpackUnorm16(false), Op1::UnpackUnorm16(true)], from)?,
            "unpackSnorm2x16" => self.unpack(&[Op1::UnpackSnorm16(false), Op1::UnpackSnorm16(true)], from)?,
            "unpackUnorm4x8" => self.unpack(&[0, 1, 2, 3].map(Op1::UnpackUnorm8), from)?,
            "unpackSnorm4x8" => self.unpack(&[0, 1, 2, 3].map(Op1::UnpackSnorm8), from)?,
            "packDouble2x32" | "packInt2x32" | "packUint2x32" => {
                // A component of 64 bits is its two halves in consecutive registers.
                let whole = self.fresh(2)?;
                for (to, &half) in whole.iter().zip(from) {
                    self.emit(Instruction::Copy(to, half));
                }
                vec![whole.start]
            }
            "unpackDouble2x32" | "unpackInt2x32" | "unpackUint2x32" => vec![from[0], Register(from[0].0 + 1)],
            // Registers have no type, so nothing has to be done.
            "floatBitsToInt" | "floatBitsToUint" | "intBitsToFloat" | "uintBitsToFloat" | "doubleBitsToInt64"
            | "doubleBitsToUint64" | "int64BitsToDouble" | "uint64BitsToDouble" => from.to_vec(),
            _ => return Ok(None),
        };
        Ok(Some(Value { ty, registers }))
    }

    fn pack_pair(&mut self, op: Op2, from: &[Register]) -> Lowered<Vec<Register>> {
        Ok(vec![self.two(op, from[0], from[1])?])
    }

    fn pack_bytes(&mut self, op: Op4, from: &[Register]) -> Lowered<Vec<Register>> {
        let to = self.one()?;
        self.emit(Instruction::Quaternary(op, to, [from[0], from[1], from[2], from[3]]));
        Ok(vec![to])
    }

    fn unpack(&mut self, parts: &[Op1], from: &[Register]) -> Lowered<Vec<Register>> {
        parts.iter().map(|&part| self.float1(part, from[0])).collect()
    }
}
