//! The parts of large variables that a shader uses.

use shader::types::Type;

use super::path::visible;
use crate::error::SessionError;
use crate::open::Session;

impl Session {
    /// The parts of an array or a structure that the shader names, as paths: `gl_LightSource[0].position`. Nothing where it
    /// uses all of it, or it is neither.
    ///
    /// # Errors
    /// When there is no such frame.
    pub fn used_parts(&self, frame: usize, name: &str) -> Result<Vec<String>, SessionError> {
        let (pass, moment) = self.frame(frame)?;
        let shader = pass.bench.shader();
        let text = |symbol| shader.preprocessed.symbols.name(symbol);
        let own = visible(shader, &moment).into_iter().find(|id| text(shader.typed.variable(*id).name) == name);
        let Some(id) = own else { return Ok(Vec::new()) };
        let ty = shader.typed.variable(id).ty;
        let array = shader.typed.types.as_array(ty);
        let is_structure = matches!(array.map_or(ty, |array| array.element), Type::Struct(_));
        if array.is_none() && !is_structure {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for part in shader.used_parts(id) {
            let element = part.element.map_or(String::new(), |element| format!("[{element}]"));
            let member = part.member.filter(|_| is_structure && (array.is_none() || part.element.is_some()));
            let member = member.map_or(String::new(), |member| format!(".{}", text(member)));
            if element.is_empty() && member.is_empty() {
                return Ok(Vec::new());
            }
            all.push(format!("{name}{element}{member}"));
        }
        all.dedup();
        Ok(all)
    }
}
