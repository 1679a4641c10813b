//! Subroutine uniforms: which function each calls.

use emulator::ir::Register;
use shader::version::Stage;

use super::Program;

impl Program {
    /// Selects the function that a subroutine uniform of a stage calls; `choice[2]` names one of an array. False if
    /// there is no such uniform, or the function does not fit it.
    pub fn set_subroutine(&mut self, stage: Stage, uniform: &str, function: &str) -> bool {
        let (name, tail) = uniform.split_at(uniform.find('[').unwrap_or(uniform.len()));
        let element = self.subroutine_element(stage, name, tail);
        let subroutines = &self.linked.subroutines;
        let index = subroutines.iter().find(|s| s.stage == stage && s.name == function).map(|s| s.index);
        let uniforms = &self.linked.subroutine_uniforms;
        let row = uniforms.iter().position(|u| u.stage == stage && u.name == name);
        let (Some(element), Some(index), Some(row)) = (element, index, row) else { return false };
        if !uniforms[row].compatible.contains(&index) {
            return false;
        }
        let value = self.subroutines[row].get_mut(element);
        value.map(|value| *value = index).is_some()
    }

    /// The place of `[1][0]` among all elements of an array of arrays.
    fn subroutine_element(&self, stage: Stage, name: &str, path: &str) -> Option<usize> {
        let uniform = self.linked.subroutine_uniforms.iter().find(|u| u.stage == stage && u.name == name)?;
        let typed = &self.shaders[uniform.declared.shader].typed;
        let mut ty = typed.variable(uniform.declared.variable).ty;
        let mut element = 0;
        let mut numbers = path.split(['[', ']']).filter(|part| !part.is_empty());
        while let Some(array) = typed.types.as_array(ty) {
            let number = numbers.next().map_or(Some(0), |n| n.parse::<usize>().ok())?;
            element = element * array.size? as usize + number;
            ty = array.element;
        }
        Some(element)
    }

    /// The first function that fits, for each element of each subroutine uniform.
    pub(super) fn first_subroutines(linked: &shader::Linked) -> Vec<Vec<u32>> {
        let first = |u: &shader::link::SubroutineUniform| u.compatible.first().copied().unwrap_or(0);
        linked.subroutine_uniforms.iter().map(|u| vec![first(u); u.count.min(1 << 12) as usize]).collect()
    }

    /// Registers of a stage's subroutine uniforms and what they hold.
    pub(crate) fn selected(&self, stage: &super::StageProgram) -> Vec<(Register, u32)> {
        let mut selected = Vec::new();
        let views = stage.views(&self.shaders);
        for (row, values) in self.linked.subroutine_uniforms.iter().zip(&self.subroutines) {
            let view = views.iter().find(|view| row.stage == stage.stage && view.unit == row.declared.shader);
            let Some(home) = view.and_then(|view| view.home(row.declared.variable)) else { continue };
            selected.extend(home.iter().zip(values.iter().copied()));
        }
        selected
    }
}
