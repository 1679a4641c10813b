//! An expression by itself, to be run with the registers of a program that is paused.

use shader::Shader;
use shader::ast::ExprId;
use shader::typed::{BlockId, ScopeId, VarId};

use super::super::types::variable;
use super::{Lower, LowerOptions, Unsupported};
use crate::ir::{BlockSlots, Home, Instruction, Program, Register, Registers, TypeId};

/// An expression as a program.
pub(in crate::glsl) struct Lone {
    /// Its entry computes the expression. The registers of the program it belongs to come first.
    pub program: Program,
    /// Type of the result, in the program's table.
    pub ty: TypeId,
    /// Where the result is.
    pub result: Registers,
}

/// Which variables and blocks of the running shader those of the shader with the expression are.
pub(in crate::glsl) struct Origins {
    /// By variable.
    pub variables: Vec<Option<VarId>>,
    /// By block.
    pub blocks: Vec<Option<BlockId>>,
}

/// Why an expression cannot be run.
pub(in crate::glsl) enum Refusal {
    /// The emulator does not run it.
    Unsupported(Unsupported),
    /// It names something the running program does not have.
    Missing(String),
}

impl From<Unsupported> for Refusal {
    fn from(what: Unsupported) -> Refusal {
        Refusal::Unsupported(what)
    }
}

/// Lowers an expression. `shader` is the running shader with the expression in it, `base` the running program.
pub(in crate::glsl) fn lower_expression(
    shader: &Shader,
    expr: ExprId,
    base: &Program,
    origins: &Origins,
    options: LowerOptions,
) -> Result<Lone, Refusal> {
    let mut lower = Lower::new(&[shader], options);
    lower.adopt(base, origins)?;
    lower.begin();
    let value = lower.expr(expr)?;
    let result = lower.fresh_value(value.ty)?;
    lower.copy_value(&result, &value)?;
    let len = lower.words(value.ty)?;
    let start = result.registers.first().copied().unwrap_or(Register(0));
    let entry = lower.end("(expression)");
    lower.check_complete(base, origins)?;
    let ty = lower.type_id(value.ty);
    let program = lower.finished(entry, entry);
    Ok(Lone { program, ty, result: Registers { start, len } })
}

impl Lower<'_> {
    /// LValues variables where the running program has them.
    fn adopt(&mut self, base: &Program, origins: &Origins) -> Result<(), Refusal> {
        self.registers = base.registers;
        self.shared_bytes = base.workgroup_bytes;
        self.patch_bytes = base.patch_bytes;
        for (new, old) in origins.variables.iter().enumerate() {
            let Some(old) = *old else { continue };
            self.pointers[new] = base.variable(variable(old)).pointer();
            let Some(home) = base.variable(variable(old)).registers() else { continue };
            // An array without a size has that of its largest constant index, and the expression may use a larger one.
            if self.words(self.variable_types[new])? != home.len {
                return Err(Refusal::Missing(self.variable_name(new)));
            }
            self.variables[new] = Some(home);
        }
        for (new, old) in origins.blocks.iter().enumerate() {
            let slots = base.blocks.iter().find(|slots| Some(BlockId(slots.block)) == *old);
            self.blocks.extend(slots.map(|slots| BlockSlots { block: new as u32, ..*slots }));
        }
        Ok(())
    }

    /// Checks that the expression uses no global variables that the running program does not, because they have no value.
    fn check_complete(&self, base: &Program, origins: &Origins) -> Result<(), Refusal> {
        for (new, row) in self.shader.typed.variables.iter().enumerate() {
            let old = origins.variables[new];
            let had = old.is_some_and(|old| base.variable(variable(old)).home != Home::Unused);
            let has = self.variables[new].is_some() || self.pointers[new].is_some();
            let in_known_block =
                self.pointers[new].is_some_and(|p| base.blocks.iter().any(|b| b.space == p.space && b.first == p.slot));
            if has && !had && !in_known_block && row.scope == ScopeId::GLOBAL {
                return Err(Refusal::Missing(self.variable_name(new)));
            }
        }
        Ok(())
    }

    fn variable_name(&self, index: usize) -> String {
        self.name(self.shader.typed.variables[index].name).to_owned()
    }
}

/// Returns whether a program uses its host.
pub(in crate::glsl) fn reaches_out(program: &Program) -> bool {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    blocks.flat_map(|block| &block.instructions).any(|instruction| {
        matches!(
            instruction,
            Instruction::Read(..)
                | Instruction::Write(..)
                | Instruction::Atomic(..)
                | Instruction::WideAtomic(..)
                | Instruction::Bytes(..)
                | Instruction::Lookup(_)
                | Instruction::Image(_)
                | Instruction::Query(..)
                | Instruction::Emit(_)
                | Instruction::EndPrimitive(_)
                | Instruction::AtCentroid(..)
                | Instruction::AtSample(..)
                | Instruction::AtOffset(..)
                | Instruction::Clock(_)
        )
    })
}
