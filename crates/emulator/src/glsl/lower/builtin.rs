//! Built-in functions, as lane operations or expanded to several of them.

mod composed;
mod out;
mod pack;
mod simple;

use shader::ast::ExprId;
use shader::builtin::{self, Direction};
use shader::typed::{ScopeId, VarId};
use shader::types::Type;

use super::lvalue::LValue;
use super::ops::Two;
use super::{Lower, Lowered, Value};
use crate::ir::{Instruction, Register};

/// Where the result of an `out` parameter goes: the parameter's type, the lvalue, and the type of the lvalue.
struct Out {
    ty: Type,
    lvalue: LValue,
    there: Type,
}

impl Lower<'_> {
    pub(super) fn call_builtin(
        &mut self,
        id: ExprId,
        function: &'static builtin::Function,
        arguments: &[ExprId],
    ) -> Lowered<Value> {
        if let Some(value) = self.resource_builtin(id, function, arguments)? {
            return Ok(value);
        }
        let name = self.name(function.name).to_owned();
        let (values, outs) = self.settle(function, arguments)?;
        let ty = function.result;
        if !outs.is_empty() {
            self.note_begin(&values.iter().collect::<Vec<_>>());
            let types: Vec<Type> = outs.iter().map(|out| out.ty).collect();
            let Some(results) = self.several(&name, &values, ty, &types)? else {
                return self.refuse(format!("`{name}`"), Some(id));
            };
            self.note_end(&results.value);
            for (out, value) in outs.iter().zip(results.outs) {
                let value = self.convert(value, out.there)?;
                self.store(&out.lvalue, &value)?;
            }
            return Ok(results.value);
        }
        if name == "ftransform" {
            return self.transform(ty);
        }
        self.note_begin(&values.iter().collect::<Vec<_>>());
        for theme in [Self::component_wise, Self::composed, Self::geometric, Self::packed] {
            if let Some(value) = theme(self, &name, &values, ty)? {
                self.note_end(&value);
                return Ok(value);
            }
        }
        self.refuse(format!("`{name}`"), Some(id))
    }

    /// Lowers arguments in order: values of those that are read, lvalues of those that are written. LValues are determined
    /// before the function runs and written after it (GLSL 4.60, 6.1.1).
    fn settle(&mut self, function: &builtin::Function, arguments: &[ExprId]) -> Lowered<(Vec<Value>, Vec<Out>)> {
        let mut values = Vec::with_capacity(arguments.len());
        let mut outs = Vec::new();
        for (i, (&argument, param)) in arguments.iter().zip(&function.params).enumerate() {
            if param.direction == Direction::In {
                let value = self.operand(argument, &arguments[i + 1..])?;
                values.push(self.convert(value, param.ty)?);
            } else {
                let lvalue = self.lvalue(argument)?;
                outs.push(Out { ty: param.ty, lvalue, there: self.shader.typed.expr(argument).ty });
            }
        }
        Ok((values, outs))
    }

    /// Lowers `ftransform()`: the position as fixed functions compute it.
    fn transform(&mut self, ty: Type) -> Lowered<Value> {
        let mut named = |name: &str| {
            let typed = &self.shader.typed;
            let found = typed.variables.iter().position(|v| v.scope == ScopeId::GLOBAL && self.name(v.name) == name);
            match found {
                Some(index) => self.variable_value(VarId(index as u32)),
                None => self.refuse("`ftransform`", None),
            }
        };
        let (matrix, vertex) = (named("gl_ModelViewProjectionMatrix")?, named("gl_Vertex")?);
        self.multiply_matrices(&matrix, &vertex, ty)
    }

    pub(super) fn two(&mut self, op: impl Into<Two>, a: Register, b: Register) -> Lowered<Register> {
        let to = self.one()?;
        self.emit(match op.into() {
            Two::Compute(op) => Instruction::Binary(op, to, a, b),
            Two::Compare(test) => Instruction::Compare(test, to, a, b),
        });
        Ok(to)
    }
}

/// Returns a component of a value; a scalar stands for every component.
fn pick(value: &Value, i: usize) -> Register {
    value.registers[if value.registers.len() == 1 { 0 } else { i }]
}
