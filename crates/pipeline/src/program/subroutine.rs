//! Subroutine uniforms: each holds the number of a function in the tables of its shader.

use emulator::ir::{self, Register};
use shader::Shader;
use shader::link::{Linked, SubroutineUniform};
use shader::version::Stage;

use super::Program;

/// The registers of a stage's subroutine uniforms, with the first function that fits each.
pub(super) fn initial(linked: &Linked, shader: &Shader, unit: usize, program: &ir::Program) -> Vec<(Register, u32)> {
    let uniforms = linked.subroutine_uniforms.iter().filter(|u| u.stage == shader.stage && u.declared.shader == unit);
    uniforms
        .filter_map(|uniform| {
            let home = program.variable(uniform.declared.variable)?;
            let number = function(linked, uniform, *uniform.compatible.first()?)?;
            Some(home.iter().map(move |register| (register, number)))
        })
        .flatten()
        .collect()
}

/// The number of the function with a subroutine index.
fn function(linked: &Linked, uniform: &SubroutineUniform, index: u32) -> Option<u32> {
    let row = linked.subroutines.iter().find(|row| row.stage == uniform.stage && row.index == index)?;
    Some(row.function.function.0)
}

impl Program {
    /// `glUniformSubroutinesuiv` for one uniform, `light` or `light[2]`, and a function by name. False if there is no
    /// such uniform or function, or if they do not fit.
    pub fn set_subroutine(&mut self, stage: Stage, uniform: &str, function: &str) -> bool {
        let Some((register, number)) = self.find_subroutine(stage, uniform, function) else { return false };
        let Some(stage) = self.stages.iter_mut().find(|s| s.stage == stage) else { return false };
        let row = stage.subroutines.iter_mut().find(|(known, _)| *known == register);
        row.map(|row| row.1 = number).is_some()
    }

    fn find_subroutine(&self, stage: Stage, name: &str, function: &str) -> Option<(Register, u32)> {
        let (base, path) = name.split_at(name.find('[').unwrap_or(name.len()));
        let uniform = self.linked.subroutine_uniforms.iter().find(|u| u.stage == stage && u.name == base)?;
        let row = self.linked.subroutines.iter().find(|row| row.stage == stage && row.name == function)?;
        if !uniform.compatible.contains(&row.index) {
            return None;
        }
        let typed = &self.shaders[uniform.declared.shader].typed;
        let mut ty = typed.variable(uniform.declared.variable).ty;
        let mut element = 0;
        let mut numbers = path.split(['[', ']']).filter(|part| !part.is_empty());
        while let Some(array) = typed.types.as_array(ty) {
            let number = numbers.next().map_or(Some(0), |n| n.parse::<u32>().ok())?;
            element = element * array.size? + number;
            ty = array.element;
        }
        let home = self.stage(stage)?.program.variable(uniform.declared.variable)?;
        (element < home.len).then(|| (home.at(element), row.function.function.0))
    }
}
