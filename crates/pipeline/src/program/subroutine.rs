//! Subroutine uniforms: the function that each calls.

use emulator::ir::Register;
use shader::version::Stage;

use super::Program;

impl Program {
    /// Selects the function that a subroutine uniform of a stage calls; `choice[2]` names an element of an array.
    /// Returns false if there is no such uniform, or the function is incompatible.
    pub fn set_subroutine(&mut self, stage: Stage, uniform: &str, function: &str) -> bool {
        let (name, tail) = uniform.split_at(uniform.find('[').unwrap_or(uniform.len()));
        let subroutines = &self.linked.subroutines;
        let index = subroutines.iter().find(|s| s.stage == stage && s.name == function).map(|s| s.index);
        let uniforms = &self.linked.subroutine_uniforms;
        let row = uniforms.iter().position(|u| u.stage == stage && u.name == name);
        let (Some(index), Some(row)) = (index, row) else { return false };
        let element = self.element(&uniforms[row], tail);
        let Some(element) = element.filter(|_| uniforms[row].compatible.contains(&index)) else { return false };
        let value = self.subroutines[row].get_mut(element);
        value.map(|value| *value = index).is_some()
    }

    /// The index of an element of a uniform, in row-major order.
    fn element(&self, uniform: &shader::link::SubroutineUniform, indices: &str) -> Option<usize> {
        let typed = &self.shaders[uniform.declared.shader].typed;
        let mut ty = typed.variable(uniform.declared.variable).ty;
        let mut numbers = indices.split(['[', ']']).filter(|part| !part.is_empty());
        let mut element = 0usize;
        while let Some(array) = typed.types.as_array(ty) {
            let number: usize = numbers.next().map_or(Some(0), |n| n.parse().ok())?;
            let size = array.size.unwrap_or(uniform.count) as usize;
            element = element.checked_mul(size)?.checked_add(number).filter(|_| number < size)?;
            ty = array.element;
        }
        numbers.next().is_none().then_some(element)
    }

    /// The first compatible function for each element of each subroutine uniform.
    pub(super) fn first_subroutines(linked: &shader::Linked) -> Vec<Vec<u32>> {
        let first = |u: &shader::link::SubroutineUniform| u.compatible.first().copied().unwrap_or(0);
        linked.subroutine_uniforms.iter().map(|u| vec![first(u); u.count.min(1 << 12) as usize]).collect()
    }

    /// The registers of a stage's subroutine uniforms and their values.
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
