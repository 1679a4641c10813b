//! Calls: constructors and functions of the shader.

use lanes::Test2;
use shader::ast::{Callee, ExprId, ExprKind};
use shader::qualifier::Storage;
use shader::typed::{self, Target, VarId};
use shader::types::{Scalar, Type};

use super::matrix::shape;
use super::place::Place;
use super::{Lower, Lowered, Value};
use crate::ir::{Instruction, Marker, Register, Registers, Terminator};

impl Lower<'_> {
    pub(super) fn call(&mut self, id: ExprId, arguments: &[ExprId]) -> Lowered<Value> {
        let facts = *self.shader.typed.expr(id);
        match facts.target {
            Target::Constructor(ty) => self.construct(ty, arguments),
            Target::Function(function) => self.call_function(id, function, arguments),
            Target::Builtin(function) => self.call_builtin(id, function, arguments),
            Target::Length => {
                let ExprKind::Call(Callee::Expr(callee), _) = self.shader.tree.expr(id).kind else {
                    return self.refuse("this `.length()`", Some(id));
                };
                let ExprKind::Field(base, _) = self.shader.tree.expr(callee).kind else {
                    return self.refuse("this `.length()`", Some(id));
                };
                let array = self.types.as_array(self.shader.typed.expr(base).ty);
                match array.and_then(|a| a.size) {
                    Some(size) => {
                        self.expr(base)?;
                        let register = self.word(size)?;
                        Ok(Value { ty: Type::INT, registers: vec![register] })
                    }
                    None => {
                        let register = match self.place(base)? {
                            Place::Memory(place) => self.runtime_length(&place)?,
                            // It has the size its largest index gives it.
                            Place::Registers(place) => match self.types.as_array(place.ty).and_then(|a| a.size) {
                                Some(size) => self.word(size)?,
                                None => return self.refuse("`.length()` of an array without a size", Some(id)),
                            },
                        };
                        Ok(Value { ty: Type::INT, registers: vec![register] })
                    }
                }
            }
            Target::Subroutine(kind) => self.call_subroutine(id, kind, arguments),
            _ => self.refuse("this call", Some(id)),
        }
    }

    /// Arguments in order, each kept from what later ones do.
    fn arguments(&mut self, arguments: &[ExprId]) -> Lowered<Vec<Value>> {
        let mut values = Vec::with_capacity(arguments.len());
        for (i, &argument) in arguments.iter().enumerate() {
            values.push(self.operand(argument, &arguments[i + 1..])?);
        }
        Ok(values)
    }

    pub(super) fn construct(&mut self, ty: Type, arguments: &[ExprId]) -> Lowered<Value> {
        let values = self.arguments(arguments)?;
        let types = &self.types;
        if let Some(array) = types.as_array(ty) {
            let mut registers = Vec::new();
            for value in values {
                registers.extend(self.convert(value, array.element)?.registers);
            }
            return Ok(Value { ty, registers });
        }
        if let Some(structure) = types.as_struct(ty) {
            let members: Vec<Type> = structure.fields.iter().map(|f| f.ty).collect();
            let mut registers = Vec::new();
            for (value, member) in values.into_iter().zip(members) {
                registers.extend(self.convert(value, member)?.registers);
            }
            return Ok(Value { ty, registers });
        }
        // The lower half of a handle says it all (GL_ARB_bindless_texture).
        if let (Type::Opaque(_), Some(handle)) = (ty, values.first()) {
            return Ok(Value { ty, registers: vec![handle.registers[0]] });
        }
        let Some(scalar) = ty.scalar() else { return self.refuse("this constructor", None) };
        if let [Value { ty: Type::Opaque(_), registers }] = &values[..] {
            let low = self.convert_one(registers[0], Scalar::Uint, scalar)?;
            let registers = if ty.components() == 2 { vec![low, self.number(0.0, scalar)?] } else { vec![low] };
            return Ok(Value { ty, registers });
        }
        if let (Type::Matrix(..), [only]) = (ty, &values[..]) {
            return self.matrix_from(ty, only);
        }
        let wanted = ty.components() as usize;
        let mut registers: Vec<Register> = Vec::with_capacity(wanted);
        for value in &values {
            let Some(from) = value.ty.scalar() else { return self.refuse("this constructor", None) };
            for &register in &value.registers {
                if registers.len() < wanted {
                    registers.push(self.convert_one(register, from, scalar)?);
                }
            }
        }
        // One scalar fills a vector.
        if let ([only], true) = (&registers[..], wanted > 1) {
            registers = vec![*only; wanted];
        }
        Ok(Value { ty, registers })
    }

    /// A matrix from a scalar (on the diagonal) or from another matrix (the rest is the identity).
    fn matrix_from(&mut self, ty: Type, value: &Value) -> Lowered<Value> {
        let (columns, rows) = shape(ty);
        let wanted = ty.scalar().unwrap_or(Scalar::Float);
        let (zero, one) = (self.number(0.0, wanted)?, self.number(1.0, wanted)?);
        let scalar = value.ty.scalar().unwrap_or(Scalar::Float);
        let mut registers = Vec::with_capacity((columns * rows) as usize);
        if !matches!(value.ty, Type::Matrix(..)) && value.registers.len() > 1 {
            for &register in &value.registers {
                registers.push(self.convert_one(register, scalar, wanted)?);
            }
            return Ok(Value { ty, registers });
        }
        let diagonal = self.convert_one(value.registers[0], scalar, wanted)?;
        let (have_columns, have_rows) = shape(value.ty);
        for column in 0..columns {
            for row in 0..rows {
                registers.push(match value.ty {
                    Type::Matrix(..) if column < have_columns && row < have_rows => {
                        self.convert_one(value.registers[(column * have_rows + row) as usize], scalar, wanted)?
                    }
                    Type::Matrix(..) if column == row => one,
                    Type::Matrix(..) => zero,
                    _ if column == row => diagonal,
                    _ => zero,
                });
            }
        }
        Ok(Value { ty, registers })
    }

    /// Copies arguments in, runs the function, copies results out; `out` places are settled before the call and
    /// written after it, in order (GLSL 4.60, 6.1.1).
    fn call_function(&mut self, id: ExprId, function: typed::FunctionId, arguments: &[ExprId]) -> Lowered<Value> {
        let target = self.function(function)?;
        let params: Vec<_> = self.shader.typed.function(function).params.clone();
        let mut places = Vec::new();
        let mut inputs = Vec::new();
        for (i, (param, &argument)) in params.iter().zip(arguments).enumerate() {
            match param.qualifiers.storage {
                Storage::Out | Storage::InOut => {
                    let place = self.place(argument)?;
                    if param.qualifiers.storage == Storage::InOut {
                        let value = self.load(&place)?;
                        self.note_read(argument, &value);
                        inputs.push((param.clone(), self.convert(value, param.ty)?));
                    }
                    places.push((param.clone(), place, self.shader.typed.expr(argument).ty));
                }
                _ => {
                    let value = self.operand(argument, &arguments[i + 1..])?;
                    inputs.push((param.clone(), self.convert(value, param.ty)?));
                }
            }
        }
        for (param, value) in inputs {
            if let Some(variable) = param.variable {
                let home = self.variable_value(variable)?;
                self.copy_value(&home, &value)?;
            }
        }
        self.undefine_results(function)?;
        self.emit(Instruction::Marker(Marker::Enter(id)));
        self.emit(Instruction::Call(target));
        self.emit(Instruction::Marker(Marker::Leave));
        if let Some(home) = self.results[function.0 as usize].clone() {
            self.note_returned(id, &home);
        }
        for (param, place, ty) in places {
            if let Some(variable) = param.variable {
                let value = self.variable_value(variable)?;
                let value = self.convert(value, ty)?;
                self.store(&place, &value)?;
            }
        }
        let Some(home) = self.results[function.0 as usize].clone() else {
            return Ok(Value { ty: Type::Void, registers: Vec::new() });
        };
        // The function's own registers are overwritten by its next call.
        self.snapshot(&home)
    }

    /// Calls the function whose number in the shader's tables a subroutine uniform holds. What it holds beyond those of
    /// its type stands for the last of them.
    fn call_subroutine(&mut self, id: ExprId, kind: typed::FunctionId, arguments: &[ExprId]) -> Lowered<Value> {
        let chosen = match self.shader.tree.expr(id).kind {
            ExprKind::Call(Callee::Expr(callee), _) => self.expr(callee)?.registers[0],
            ExprKind::Call(Callee::Name(name), _) => {
                let mut rows = self.shader.typed.variables.iter();
                let row = rows.position(|row| row.name == name && matches!(row.ty, Type::Subroutine(_)));
                let Some(row) = row else { return self.refuse("this subroutine call", Some(id)) };
                self.variable(VarId(row as u32))?.start
            }
            _ => return self.refuse("this subroutine call", Some(id)),
        };
        let functions = self.shader.typed.functions.iter().enumerate();
        let fitting: Vec<u32> =
            functions.filter(|(_, f)| f.implements.contains(&kind)).map(|(i, _)| i as u32).collect();
        let result = self.shader.typed.function(kind).result;
        let home = if result == Type::Void { None } else { Some(self.fresh_value(result)?) };
        let done = self.new_block();
        for (i, &number) in fitting.iter().enumerate() {
            let next = self.new_block();
            if i + 1 < fitting.len() {
                let wanted = self.word(number)?;
                let here = self.two(Test2::IEq, chosen, wanted)?;
                let call = self.new_block();
                self.finish(Terminator::Branch(here, call, next), call);
            }
            let value = self.call_function(id, typed::FunctionId(number), arguments)?;
            if let Some(home) = &home {
                self.copy_value(home, &value)?;
            }
            self.finish(Terminator::Jump(done), next);
        }
        self.finish(Terminator::Jump(done), done);
        Ok(home.unwrap_or(Value { ty: Type::Void, registers: Vec::new() }))
    }

    /// What a function does not write has no value: not that of an earlier call either.
    fn undefine_results(&mut self, function: typed::FunctionId) -> Lowered<()> {
        let row = self.shader.typed.function(function);
        let outs: Vec<VarId> =
            row.params.iter().filter(|p| p.qualifiers.storage == Storage::Out).filter_map(|p| p.variable).collect();
        let result = row.result;
        for variable in outs {
            let home = self.variable(variable)?;
            self.emit(Instruction::Undefine(home));
        }
        if let Some(first) = self.results[function.0 as usize].as_ref().and_then(|home| home.registers.first().copied())
        {
            let len = self.words(result)?;
            self.emit(Instruction::Undefine(Registers { start: first, len }));
        }
        Ok(())
    }
}
