//! Built-in functions that need the host or other invocations: textures, images, memory, subgroups, emitted vertices.

mod group;
mod image;
mod texture;

use lanes::Op2;
use shader::ast::ExprId;
use shader::builtin;
use shader::types::{OpaqueKind, Scalar, Type};

use super::lvalue::LValue;
use super::{Lower, Lowered, Value};
use crate::ir::{Access, Address, AtomicOp, Base, Instruction, Register, Space};

/// Vendor suffixes of an extension's functions.
const VENDORS: &[&str] = &["ARB", "EXT", "NV", "INTEL"];

impl Lower<'_> {
    /// Lowers a call of such a function; returns `None` for other functions.
    pub(super) fn resource_builtin(
        &mut self,
        id: ExprId,
        function: &'static builtin::Function,
        arguments: &[ExprId],
    ) -> Lowered<Option<Value>> {
        let name = self.name(function.name).to_owned();
        let plain = VENDORS.iter().find_map(|vendor| name.strip_suffix(vendor)).unwrap_or(&name);
        match function.params.first().map(|p| p.ty) {
            Some(Type::Opaque(opaque)) => {
                return match opaque.kind {
                    OpaqueKind::Sampler => self.texture_function(id, &name, function, opaque, arguments).map(Some),
                    OpaqueKind::Image => self.image_function(id, &name, function, opaque, arguments).map(Some),
                    OpaqueKind::AtomicUint => self.counter_function(id, plain, function, arguments).map(Some),
                };
            }
            Some(ty) if plain.starts_with("atomic") && function.effect == builtin::Effect::Write => {
                return self.atomic_function(id, &name, ty, function, arguments).map(Some);
            }
            _ => {}
        }
        if plain.starts_with("interpolateAt") {
            return self.interpolate_function(&name, function.result, arguments).map(Some);
        }
        match plain {
            "EmitVertex" | "EndPrimitive" | "EmitStreamVertex" | "EndStreamPrimitive" => {
                let stream = match arguments.first() {
                    Some(&stream) => self.expr(stream)?.registers[0],
                    None => self.word(0)?,
                };
                let emits = plain.starts_with("Emit");
                self.emit(if emits { Instruction::Emit(stream) } else { Instruction::EndPrimitive(stream) });
                Ok(Some(nothing()))
            }
            "barrier" => {
                self.emit(Instruction::Barrier);
                Ok(Some(nothing()))
            }
            // Every access is visible to all invocations at once, and fragments are in order.
            "memoryBarrier"
            | "groupMemoryBarrier"
            | "memoryBarrierAtomicCounter"
            | "memoryBarrierBuffer"
            | "memoryBarrierImage"
            | "memoryBarrierShared"
            | "subgroupBarrier"
            | "subgroupMemoryBarrier"
            | "subgroupMemoryBarrierBuffer"
            | "subgroupMemoryBarrierImage"
            | "subgroupMemoryBarrierShared"
            | "beginInvocationInterlock"
            | "endInvocationInterlock"
            | "beginFragmentShaderOrdering" => Ok(Some(nothing())),
            "helperInvocation" => {
                let to = self.one()?;
                self.emit(Instruction::IsHelper(to));
                Ok(Some(Value { ty: Type::BOOL, registers: vec![to] }))
            }
            "clock" | "clock2x32" => {
                let to = self.fresh(2)?;
                self.emit(Instruction::Clock(to));
                let registers = if plain == "clock" { vec![to.start] } else { to.iter().collect() };
                Ok(Some(Value { ty: function.result, registers }))
            }
            _ => self.group_function(plain, function, arguments),
        }
    }

    /// Lowers arguments to values of the parameters' types, in order.
    fn inputs(&mut self, function: &'static builtin::Function, arguments: &[ExprId]) -> Lowered<Vec<Value>> {
        let mut values = Vec::with_capacity(arguments.len());
        for (i, (&argument, param)) in arguments.iter().zip(&function.params).enumerate() {
            let value = self.operand(argument, &arguments[i + 1..])?;
            values.push(self.convert(value, param.ty)?);
        }
        Ok(values)
    }

    /// Lowers `atomicAdd` and similar functions on a word of a buffer or of shared memory.
    fn atomic_function(
        &mut self,
        id: ExprId,
        name: &str,
        ty: Type,
        function: &'static builtin::Function,
        arguments: &[ExprId],
    ) -> Lowered<Value> {
        let Some(op) = atomic_op(name.trim_start_matches("atomic"), ty.scalar()) else {
            return self.refuse(format!("`{name}` of `{}`", self.shader.type_name(ty)), Some(id));
        };
        let LValue::Memory(lvalue) = self.lvalue(arguments[0])? else {
            return self.refuse(format!("`{name}` of a variable that is not in memory"), Some(id));
        };
        let mut operands = Vec::new();
        for (i, (&argument, param)) in arguments.iter().zip(&function.params).enumerate().skip(1) {
            let value = self.operand(argument, &arguments[i + 1..])?;
            operands.push(self.convert(value, param.ty)?.registers[0]);
        }
        self.atomic(op, lvalue.address, &operands, ty)
    }

    /// Emits an atomic operation. In GLSL the value to compare with comes first.
    fn atomic(&mut self, op: AtomicOp, address: Address, operands: &[Register], ty: Type) -> Lowered<Value> {
        let operands = match *operands {
            [compare, value] => [value, compare],
            [value] => [value, value],
            _ => return self.refuse("an atomic operation without operands", None),
        };
        let to = self.component(ty.scalar().unwrap_or(Scalar::Uint))?;
        self.emit(match ty.scalar() {
            Some(scalar) if scalar.is_64_bit() => Instruction::WideAtomic(op, to, address, operands),
            _ => Instruction::Atomic(op, to, address, operands),
        });
        Ok(Value { ty, registers: vec![to] })
    }

    /// Lowers a function on a counter, whose value is its binding in the upper eight bits and its offset in the others.
    fn counter_function(
        &mut self,
        id: ExprId,
        name: &str,
        function: &'static builtin::Function,
        arguments: &[ExprId],
    ) -> Lowered<Value> {
        let values = self.inputs(function, arguments)?;
        let handle = values[0].registers[0];
        let (eight, low) = (self.word(24)?, self.word(0x00ff_ffff)?);
        let slot = self.two(Op2::UShr, handle, eight)?;
        let offset = self.two(Op2::And, handle, low)?;
        let address =
            Address { space: Space::Counter, base: Base::Slot(0, Some(slot)), offset: 0, index: Some(offset) };
        let operands: Vec<Register> = values[1..].iter().map(|v| v.registers[0]).collect();
        match name.trim_start_matches("atomicCounter") {
            "" => {
                let to = self.one()?;
                self.emit(Instruction::Read(Access::WORD, to, address));
                Ok(Value { ty: Type::UINT, registers: vec![to] })
            }
            "Increment" => {
                let one = self.word(1)?;
                self.atomic(AtomicOp::Add, address, &[one], Type::UINT)
            }
            // Only decrement returns the new value (GLSL 4.60, 8.10).
            "Decrement" => {
                let one = self.word(1)?;
                let before = self.atomic(AtomicOp::Sub, address, &[one], Type::UINT)?;
                let after = self.two(Op2::ISub, before.registers[0], one)?;
                Ok(Value { ty: Type::UINT, registers: vec![after] })
            }
            "Subtract" => self.atomic(AtomicOp::Sub, address, &operands, Type::UINT),
            other => match atomic_op(other, Some(Scalar::Uint)) {
                Some(op) => self.atomic(op, address, &operands, Type::UINT),
                None => self.refuse(format!("`{name}`"), Some(id)),
            },
        }
    }

    /// Lowers interpolation of an input elsewhere in the pixel. An element with an index known at run time is read from the
    /// whole input, interpolated there.
    fn interpolate_function(&mut self, name: &str, ty: Type, arguments: &[ExprId]) -> Lowered<Value> {
        let LValue::Registers(lvalue) = self.lvalue(arguments[0])? else {
            return self.refuse(format!("`{name}` of this"), Some(arguments[0]));
        };
        let operand = match arguments.get(1) {
            Some(&operand) => {
                let value = self.expr(operand)?;
                let wanted = if name.contains("Offset") { Scalar::Float } else { Scalar::Int };
                let wanted = value.ty.with_scalar(wanted);
                self.convert(value, wanted)?.registers
            }
            None => Vec::new(),
        };
        let moved = self.rehomed(&lvalue, |to, from| match operand[..] {
            [x, y] => Instruction::AtOffset(to, from, x, y),
            [sample] => Instruction::AtSample(to, from, sample),
            _ => Instruction::AtCentroid(to, from),
        })?;
        let value = self.load(&moved)?;
        Ok(Value { ty, registers: value.registers })
    }
}

fn nothing() -> Value {
    Value { ty: Type::Void, registers: Vec::new() }
}

/// Returns the operation named by the last part of its function's name.
fn atomic_op(name: &str, of: Option<Scalar>) -> Option<AtomicOp> {
    let signed = match of? {
        Scalar::Int | Scalar::Int64 => true,
        Scalar::Uint | Scalar::Uint64 => false,
        Scalar::Float | Scalar::Double => {
            return match name {
                "Add" => Some(AtomicOp::FAdd),
                "Min" => Some(AtomicOp::FMin),
                "Max" => Some(AtomicOp::FMax),
                "Exchange" => Some(AtomicOp::Exchange),
                "CompSwap" => Some(AtomicOp::FCompareSwap),
                _ => None,
            };
        }
        Scalar::Bool => return None,
    };
    Some(match name {
        "Add" => AtomicOp::Add,
        "Min" if signed => AtomicOp::SMin,
        "Min" => AtomicOp::UMin,
        "Max" if signed => AtomicOp::SMax,
        "Max" => AtomicOp::UMax,
        "And" => AtomicOp::And,
        "Or" => AtomicOp::Or,
        "Xor" => AtomicOp::Xor,
        "Exchange" => AtomicOp::Exchange,
        "CompSwap" => AtomicOp::CompareSwap,
        _ => return None,
    })
}
