//! Explicit locations of uniforms that are not active.

use super::super::program::find;
use super::{NOWHERE, UniformLocation};
use crate::fault::Fault;
use crate::objects::program::Program;
use crate::share::ShareGroup;

/// Returns whether a fault is not one: a uniform that is not active keeps its explicit location, and setting it has no
/// effect (GL 4.6, 7.6; GL_CHROMIUM_bind_uniform_location). The driver does not list such uniforms, so the shader source is searched.
#[cold]
pub fn ignore(
    group: &ShareGroup,
    program: &Program,
    location: i32,
    fault: Fault,
) -> Result<Option<UniformLocation>, Fault> {
    let declares = |shader: &u32| {
        let source = find::shader(group, *shader).ok().and_then(|shader| shader.source.as_deref());
        source.is_some_and(|text| is_declared(&String::from_utf8_lossy(text), location))
    };
    let bound = program.setup.uniforms.contains_key(&location);
    let reserved = fault == NOWHERE && (bound || program.setup.attached.iter().any(declares));
    if reserved { Ok(None) } else { Err(fault) }
}

/// Returns whether a shader declares a uniform at a location.
fn is_declared(text: &str, location: i32) -> bool {
    text.match_indices("location").any(|(place, word)| {
        let Some(rest) = text[place + word.len()..].trim_start().strip_prefix('=') else { return false };
        let rest = rest.trim_start();
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let declaration = rest.split(';').next().unwrap_or_default();
        rest[..digits].parse() == Ok(location) && declaration.split_whitespace().any(|word| word == "uniform")
    })
}

#[cfg(test)]
mod tests {
    use super::is_declared;

    #[test]
    fn only_uniforms_count() {
        let text = "layout(location = 7) uniform float a;\nlayout(location=3) in vec4 b;\nlayout (location =12)\nuniform vec4 c;";
        assert!(is_declared(text, 7) && is_declared(text, 12));
        assert!(!is_declared(text, 3) && !is_declared(text, 1) && !is_declared(text, 70));
        assert!(!is_declared("location", 0));
    }
}
