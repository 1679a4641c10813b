//! Calls through subroutine uniforms: the uniform holds the index of a function (GL 4.6, 7.10).

use std::collections::BTreeSet;

use lanes::Test2;
use shader::Shader;
use shader::ast::{Callee, ExprId, ExprKind};
use shader::typed::{FunctionId, ScopeId, VarId};
use shader::types::Type;

use super::call::CallResults;
use super::{Lower, Lowered, Value};
use crate::ir::{Instruction, Register, Terminator};

/// A function that a subroutine uniform can select.
#[derive(Clone, Copy)]
struct Subroutine {
    function: FunctionId,
    /// The value of the uniform that selects it.
    index: u32,
}

/// Returns the subroutines of a shader with their indices: those of layouts, and for the others the numbers left free, in
/// order of declaration.
fn subroutines(shader: &Shader) -> Vec<Subroutine> {
    let rows = shader.typed.functions.iter().enumerate();
    let found: Vec<_> = rows.filter(|(_, row)| !row.implements.is_empty() && row.body.is_some()).collect();
    let taken: BTreeSet<u32> = found.iter().filter_map(|(_, row)| row.index).collect();
    let mut free = (0..).filter(|index| !taken.contains(index));
    let numbered = found.into_iter().map(|(i, row)| {
        let index = row.index.or_else(|| free.next()).unwrap_or(u32::MAX);
        Subroutine { function: FunctionId(i as u32), index }
    });
    numbered.collect()
}

impl Lower<'_> {
    /// Lowers a call: compares the index with that of each compatible function. An index of none of them selects the first.
    pub(super) fn call_subroutine(&mut self, id: ExprId, ty: FunctionId, arguments: &[ExprId]) -> Lowered<Value> {
        let selected = self.selected(id)?;
        let typed = &self.shader.typed;
        let mut fitting = subroutines(self.shader);
        fitting.retain(|s| typed.function(s.function).implements.contains(&ty));
        let Some(default) = fitting.first().copied() else {
            return self.refuse("a subroutine uniform without functions for it", Some(id));
        };
        let (result, params) = (typed.function(ty).result, typed.function(ty).params.clone());
        let settled = self.settle_arguments(&params, arguments)?;
        let mut outputs = Vec::new();
        for (i, ..) in &settled.outputs {
            outputs.push(Some(self.fresh_value(params[*i].ty)?));
        }
        let results = CallResults { value: self.fresh_value(result)?, outputs };
        let done = self.new_block();
        for subroutine in fitting.into_iter().skip(1) {
            let number = self.word(subroutine.index)?;
            let meant = self.two(Test2::IEq, selected, number)?;
            let (here, next) = (self.new_block(), self.new_block());
            self.finish(Terminator::Branch(meant, here, next), here);
            let given = self.invoke(id, subroutine.function, &settled)?;
            self.take(&results, &given)?;
            self.finish(Terminator::Jump(done), next);
        }
        let given = self.invoke(id, default.function, &settled)?;
        self.take(&results, &given)?;
        self.finish(Terminator::Jump(done), done);
        self.write_back(&settled, &results)?;
        Ok(results.value)
    }

    /// Copies the results of one function to where the results of all are expected.
    fn take(&mut self, all: &CallResults, given: &CallResults) -> Lowered<()> {
        self.copy_value(&all.value, &given.value)?;
        for (to, from) in all.outputs.iter().zip(&given.outputs) {
            if let (Some(to), Some(from)) = (to, from) {
                self.copy_value(to, from)?;
            }
        }
        Ok(())
    }

    /// Emits reading the index that the uniform of a call holds.
    fn selected(&mut self, id: ExprId) -> Lowered<Register> {
        let ExprKind::Call(callee, _) = self.shader.tree.expr(id).kind else {
            return self.refuse("this call", Some(id));
        };
        let index = match callee {
            Callee::Expr(element) => self.expr(element)?.registers[0],
            Callee::Name(name) => {
                let mut variables = self.shader.typed.variables.iter();
                let uniform = variables
                    .position(|v| v.name == name && v.scope == ScopeId::GLOBAL && matches!(v.ty, Type::Subroutine(_)));
                match uniform {
                    Some(uniform) => self.variable(VarId(uniform as u32))?.start,
                    None => return self.refuse("this call", Some(id)),
                }
            }
            Callee::Type(_) | Callee::Array(_) => return self.refuse("this call", Some(id)),
        };
        let kept = self.one()?;
        self.emit(Instruction::Copy(kept, index));
        Ok(kept)
    }
}
