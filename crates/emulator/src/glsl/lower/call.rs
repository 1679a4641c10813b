//! Calls: constructors and functions of the shader.

use shader::ast::{self, ExprId, ExprKind};
use shader::qualifier::Storage;
use shader::typed::{self, Parameter, Target};
use shader::types::{Scalar, Type};

use super::lvalue::LValue;
use super::matrix::shape;
use super::units::Callee;
use super::{Lower, Lowered, Value};
use crate::ir::{Instruction, Marker, Register, Registers};

impl Lower<'_> {
    pub(super) fn call(&mut self, id: ExprId, arguments: &[ExprId]) -> Lowered<Value> {
        let facts = *self.shader.typed.expr(id);
        match facts.target {
            Target::Constructor(ty) => self.construct(ty, arguments),
            Target::Function(function) => self.call_function(id, function, arguments),
            Target::Builtin(function) => self.call_builtin(id, function, arguments),
            Target::Length => {
                let ExprKind::Call(ast::Callee::Expr(callee), _) = self.shader.tree.expr(id).kind else {
                    return self.refuse("this `.length()`", Some(id));
                };
                let ExprKind::Field(base, _) = self.shader.tree.expr(callee).kind else {
                    return self.refuse("this `.length()`", Some(id));
                };
                let ty = self.shader.typed.expr(base).ty;
                let size = match ty {
                    Type::Vector(_, n) | Type::Matrix(_, n, _) => Some(u32::from(n)),
                    _ => self.types.as_array(ty).and_then(|a| a.size),
                };
                match size {
                    Some(size) => {
                        self.expr(base)?;
                        let register = self.word(size)?;
                        Ok(Value { ty: Type::INT, registers: vec![register] })
                    }
                    None => {
                        let register = match self.lvalue(base)? {
                            LValue::Memory(lvalue) => self.runtime_length(&lvalue)?,
                            // Its size is that of its largest constant index.
                            LValue::Registers(lvalue) => match self.types.as_array(lvalue.ty).and_then(|a| a.size) {
                                Some(size) => self.word(size)?,
                                None => return self.refuse("`.length()` of an array without a size", Some(id)),
                            },
                        };
                        Ok(Value { ty: Type::INT, registers: vec![register] })
                    }
                }
            }
            Target::Subroutine(ty) => self.call_subroutine(id, ty, arguments),
            _ => self.refuse("this call", Some(id)),
        }
    }

    /// Lowers arguments in order, each so that its value survives the side effects of later ones.
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
        // Only the lower half of a handle is used (GL_ARB_bindless_texture).
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

    /// Emits a matrix made from a scalar (on the diagonal) or from another matrix (the rest is the identity).
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

    /// Lowers a call of a function of the shader.
    fn call_function(&mut self, id: ExprId, function: typed::FunctionId, arguments: &[ExprId]) -> Lowered<Value> {
        let params = self.shader.typed.function(function).params.clone();
        let settled = self.settle_arguments(&params, arguments)?;
        let results = self.invoke(id, function, &settled)?;
        self.write_back(&settled, &results)?;
        Ok(results.value)
    }

    /// Lowers arguments in order. LValues of `out` arguments are determined before the call and written after it (GLSL 4.60,
    /// 6.1.1).
    pub(super) fn settle_arguments(&mut self, params: &[Parameter], arguments: &[ExprId]) -> Lowered<Arguments> {
        let mut settled = Arguments { inputs: Vec::new(), outputs: Vec::new() };
        for (i, (param, &argument)) in params.iter().zip(arguments).enumerate() {
            let later = &arguments[i + 1..];
            if !matches!(param.qualifiers.storage, Storage::Out | Storage::InOut) {
                let value = self.operand(argument, later)?;
                settled.inputs.push((i, self.convert(value, param.ty)?));
                continue;
            }
            let lvalue = self.lvalue(argument)?;
            if param.qualifiers.storage == Storage::InOut {
                let value = self.load(&lvalue)?;
                self.note_read(argument, &value);
                let value = self.kept(value, later)?;
                settled.inputs.push((i, self.convert(value, param.ty)?));
            }
            settled.outputs.push((i, lvalue, self.shader.typed.expr(argument).ty));
        }
        Ok(settled)
    }

    /// Emits copying arguments in, the call, and copying its result out of registers that the next call overwrites.
    pub(super) fn invoke(
        &mut self,
        id: ExprId,
        function: typed::FunctionId,
        arguments: &Arguments,
    ) -> Lowered<CallResults> {
        let callee = self.callee(function)?;
        let params = self.shader.typed.function(function).params.clone();
        for (i, value) in &arguments.inputs {
            if let Some(home) = &callee.params[*i] {
                let value = self.reduced(value.clone(), params[*i].qualifiers.precision)?;
                self.copy_value(home, &value)?;
            }
        }
        self.undefine_results(&params, &callee)?;
        self.emit(Instruction::Marker(Marker::Enter(id.into())));
        self.emit(Instruction::Call(callee.target));
        self.emit(Instruction::Marker(Marker::Leave));
        let outputs = arguments.outputs.iter().map(|(i, ..)| callee.params[*i].clone()).collect();
        let value = match callee.result {
            Some(home) => {
                self.note_returned(id, &home);
                self.snapshot(&home)?
            }
            None => Value { ty: Type::Void, registers: Vec::new() },
        };
        Ok(CallResults { value, outputs })
    }

    /// Emits writing the results of a call to its `out` arguments, in order.
    pub(super) fn write_back(&mut self, arguments: &Arguments, results: &CallResults) -> Lowered<()> {
        for ((_, lvalue, ty), value) in arguments.outputs.iter().zip(&results.outputs) {
            if let Some(value) = value {
                let value = self.convert(value.clone(), *ty)?;
                self.store(lvalue, &value)?;
            }
        }
        Ok(())
    }

    /// Marks results as undefined before a call, so that they do not keep the values of an earlier call.
    fn undefine_results(&mut self, params: &[Parameter], callee: &Callee) -> Lowered<()> {
        let outs = params.iter().zip(&callee.params).filter(|(param, _)| param.qualifiers.storage == Storage::Out);
        let homes: Vec<&Value> = outs.filter_map(|(_, home)| home.as_ref()).chain(&callee.result).collect();
        for home in homes {
            if let Some(&start) = home.registers.first() {
                let len = self.words(home.ty)?;
                self.emit(Instruction::Undefine(Registers { start, len }));
            }
        }
        Ok(())
    }
}

/// Arguments of a call, ready for it.
pub(super) struct Arguments {
    /// Inputs: the number of the parameter, and its value.
    pub inputs: Vec<(usize, Value)>,
    /// Outputs: the number of the parameter, the lvalue to write to, and its type.
    pub outputs: Vec<(usize, LValue, Type)>,
}

/// Results of a call.
pub(super) struct CallResults {
    pub value: Value,
    /// By `out` argument; `None` if the parameter has no name, so that the function cannot write it.
    pub outputs: Vec<Option<Value>>,
}
