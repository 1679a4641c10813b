//! An expression by itself, to be run among the registers of a program that is on its way.

use shader::Shader;
use shader::ast::ExprId;
use shader::typed::{BlockId, ScopeId, VarId};
use shader::types::Type;

use super::{Lower, LowerOptions, Unsupported};
use crate::ir::{BlockSlots, Instruction, Program, Register, Registers};

/// An expression as a program.
pub(crate) struct Lone {
    /// Its entry computes the expression. The registers of the program it belongs to come first.
    pub program: Program,
    /// Type of the result.
    pub ty: Type,
    /// Where the result is put.
    pub result: Registers,
}

/// Where the variables and blocks of the shader that has the expression are in the one that runs.
pub(crate) struct Origins {
    /// By variable.
    pub variables: Vec<Option<VarId>>,
    /// By block.
    pub blocks: Vec<Option<BlockId>>,
}

/// Why an expression cannot be run.
pub(crate) enum Refusal {
    /// The emulator does not run it.
    Unsupported(Unsupported),
    /// It names something that the running program does not have.
    Missing(String),
}

impl From<Unsupported> for Refusal {
    fn from(what: Unsupported) -> Refusal {
        Refusal::Unsupported(what)
    }
}

/// Makes an expression ready to run. `shader` is the running shader with the expression in it, `base` the program that
/// runs.
pub(crate) fn lower_expression(
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
    let program = lower.finished(entry, entry);
    Ok(Lone { program, ty: value.ty, result: Registers { start, len } })
}

impl Lower<'_> {
    /// Puts what the running program has where it has it.
    fn adopt(&mut self, base: &Program, origins: &Origins) -> Result<(), Refusal> {
        self.registers = base.registers;
        self.shared_bytes = base.shared_bytes;
        self.patch_bytes = base.patch_bytes;
        for (new, old) in origins.variables.iter().enumerate() {
            let Some(old) = *old else { continue };
            self.pointers[new] = base.pointer(old);
            let Some(home) = base.variable(old) else { continue };
            // The size of an array may be that of its largest index, and the expression may have a larger one.
            if self.words(self.variable_types[new])? != home.len {
                return Err(Refusal::Missing(self.variable_name(new)));
            }
            self.variables[new] = Some(home);
        }
        for (new, old) in origins.blocks.iter().enumerate() {
            let slots = base.blocks.iter().find(|slots| Some(slots.block) == *old);
            self.blocks.extend(slots.map(|slots| BlockSlots { block: BlockId(new as u32), ..*slots }));
        }
        Ok(())
    }

    /// Variables of the whole shader that only the expression uses have no value.
    fn check_complete(&self, base: &Program, origins: &Origins) -> Result<(), Refusal> {
        for (new, variable) in self.shader.typed.variables.iter().enumerate() {
            let old = origins.variables[new];
            let had = old.is_some_and(|old| base.variable(old).is_some() || base.pointer(old).is_some());
            let has = self.variables[new].is_some() || self.pointers[new].is_some();
            let in_known_block =
                self.pointers[new].is_some_and(|p| base.blocks.iter().any(|b| b.space == p.space && b.first == p.slot));
            if has && !had && !in_known_block && variable.scope == ScopeId::GLOBAL {
                return Err(Refusal::Missing(self.variable_name(new)));
            }
        }
        Ok(())
    }

    fn variable_name(&self, index: usize) -> String {
        self.name(self.shader.typed.variables[index].name).to_owned()
    }
}

/// Whether a program asks anything of the world around it.
pub(crate) fn reaches_out(program: &Program) -> bool {
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
