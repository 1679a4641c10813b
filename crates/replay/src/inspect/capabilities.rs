//! What the current context is and offers.

use std::collections::BTreeSet;

use api::request::Client;
use api::{constant as c, id};
use instrument::Device;
use shader::version::{Profile, Version};

use super::undo::UndoRecorder;
use crate::player::Player;

/// Shader storage blocks of each stage, in pipeline order.
const STORAGE_BLOCKS: [u32; 6] = [
    c::GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS,
    c::GL_MAX_TESS_CONTROL_SHADER_STORAGE_BLOCKS,
    c::GL_MAX_TESS_EVALUATION_SHADER_STORAGE_BLOCKS,
    c::GL_MAX_GEOMETRY_SHADER_STORAGE_BLOCKS,
    c::GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS,
    c::GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS,
];

/// What a context is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Capabilities {
    /// Desktop GL rather than OpenGL ES.
    pub desktop: bool,
    /// Desktop GL that still has what was deprecated.
    pub compatibility: bool,
    pub version: (u32, u32),
    pub extensions: BTreeSet<String>,
}

impl Capabilities {
    /// Returns what the current context is.
    pub fn of_context(player: &mut Player) -> Capabilities {
        let desktop = player.world.current().is_some_and(|(context, _)| context.client == Client::Desktop);
        let version = number(&player.string(c::GL_VERSION)).unwrap_or((1, 0));
        let mut extensions = BTreeSet::new();
        if version >= (3, 0) {
            let [count] = player.query(id::glGetIntegerv, &[u64::from(c::GL_NUM_EXTENSIONS)]);
            extensions.extend((0..count).map(|number| player.extension(number)));
        } else {
            extensions.extend(player.string(c::GL_EXTENSIONS).split_whitespace().map(str::to_owned));
        }
        let compatibility = desktop
            && if version >= (3, 2) {
                let [mask] = player.query(id::glGetIntegerv, &[u64::from(c::GL_CONTEXT_PROFILE_MASK)]);
                mask & c::GL_CONTEXT_CORE_PROFILE_BIT == 0
            } else {
                version < (3, 1) || extensions.contains("GL_ARB_compatibility")
            };
        Capabilities { desktop, compatibility, version, extensions }
    }

    /// Returns which kind of context it is.
    pub fn profile(&self) -> Profile {
        match (self.desktop, self.compatibility) {
            (false, _) => Profile::Es,
            (true, true) => Profile::Compatibility,
            (true, false) => Profile::Core,
        }
    }

    /// Returns whether the context is at least of a version of desktop GL or of OpenGL ES, or has one of some extensions.
    /// Versions are written 43 for 4.3; 0 means no version.
    pub fn has(&self, desktop: u32, es: u32, extensions: &[&str]) -> bool {
        let since = if self.desktop { desktop } else { es };
        let new = since != 0 && self.version >= (since / 10, since % 10);
        new || extensions.iter().any(|name| self.extensions.contains(*name))
    }

    /// Returns whether there are framebuffer objects with separate bindings for drawing and reading, and blits between
    /// them.
    pub fn blits(&self) -> bool {
        self.has(30, 30, &["GL_ARB_framebuffer_object"])
    }

    /// Returns whether transform feedback can be paused, and has objects.
    pub fn feedback_objects(&self) -> bool {
        self.has(40, 30, &["GL_ARB_transform_feedback2"])
    }

    /// Returns whether each target has a colour mask and blending of its own.
    pub fn indexed_masks(&self) -> bool {
        self.has(30, 32, &["GL_EXT_draw_buffers2", "GL_EXT_draw_buffers_indexed", "GL_OES_draw_buffers_indexed"])
    }

    /// Returns whether there are image variables and barriers.
    pub fn barriers(&self) -> bool {
        self.has(42, 31, &["GL_ARB_shader_image_load_store"])
    }
}

/// Returns what the current context offers for questions.
pub fn device(gl: &mut UndoRecorder<'_>) -> Device {
    let capabilities = gl.capabilities;
    let limit = |gl: &mut UndoRecorder<'_>, name: u32| u32::try_from(gl.integer(name)).unwrap_or(0);
    let storage = capabilities.has(43, 31, &["GL_ARB_shader_storage_buffer_object"]);
    // Stages that a context lacks have no limits either.
    let stages = [
        true,
        capabilities.has(
            40,
            32,
            &["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"],
        ),
        capabilities.has(
            40,
            32,
            &["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"],
        ),
        capabilities.has(32, 32, &["GL_EXT_geometry_shader", "GL_OES_geometry_shader"]),
        true,
        capabilities.has(43, 31, &["GL_ARB_compute_shader"]),
    ];
    let storage_blocks =
        std::array::from_fn(|stage| if storage && stages[stage] { limit(gl, STORAGE_BLOCKS[stage]) } else { 0 });
    let several = capabilities.has(20, 30, &["GL_ARB_draw_buffers", "GL_EXT_draw_buffers", "GL_NV_draw_buffers"]);
    let framebuffers = capabilities.has(30, 20, &["GL_ARB_framebuffer_object", "GL_EXT_framebuffer_object"]);
    let targets = match (framebuffers, several) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => limit(gl, c::GL_MAX_DRAW_BUFFERS).min(limit(gl, c::GL_MAX_COLOR_ATTACHMENTS)).max(1),
    };
    let feedback = capabilities.has(30, 30, &["GL_EXT_transform_feedback"]);
    let feedback_words = if feedback { limit(gl, c::GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS) } else { 0 };
    let newest = newest(gl);
    let storage_bindings = if storage { limit(gl, c::GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS) } else { 0 };
    Device {
        newest,
        storage_blocks,
        storage_bindings,
        integer_targets: framebuffers && capabilities.has(30, 30, &["GL_EXT_texture_integer"]),
        float_targets: framebuffers
            && (capabilities.has(30, 0, &["GL_ARB_texture_float"])
                || capabilities.has(0, 32, &["GL_EXT_color_buffer_float"]) && capabilities.version >= (3, 0)),
        targets,
        feedback_words,
        extensions: capabilities.extensions.iter().collect(),
        style: instrument::CompilerWorkarounds { small_parts: !is_software(gl), ..Default::default() },
    }
}

/// Whether shaders are compiled for the processor, by LLVM: its time for a long shader is what the usual size of parts of
/// recordings was measured with. Compilers of GPUs, of which NVIDIA's was tried, need smaller ones.
fn is_software(gl: &mut UndoRecorder<'_>) -> bool {
    let renderer = gl.player.string(c::GL_RENDERER);
    ["llvmpipe", "softpipe", "SwiftShader"].iter().any(|name| renderer.contains(name))
}

/// Returns the newest version of GLSL that the context accepts.
fn newest(gl: &mut UndoRecorder<'_>) -> Version {
    let capabilities = gl.capabilities;
    let text = gl.player.string(c::GL_SHADING_LANGUAGE_VERSION);
    let (major, minor) = number(&text).unwrap_or(if capabilities.desktop { (1, 10) } else { (1, 0) });
    let minor = if minor < 10 { minor * 10 } else { minor };
    Version { number: u16::try_from(major * 100 + minor).unwrap_or(110), profile: capabilities.profile() }
}

/// Returns the first number with a point in a text.
fn number(text: &str) -> Option<(u32, u32)> {
    let number =
        text.split(|letter: char| !letter.is_ascii_digit() && letter != '.').find(|part| part.contains('.'))?;
    let mut parts = number.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_drivers_write_them() {
        assert_eq!(number("4.5 (Compatibility Profile) Mesa 22.3.6"), Some((4, 5)));
        assert_eq!(number("OpenGL ES 3.2 Mesa 22.3.6"), Some((3, 2)));
        assert_eq!(number("OpenGL ES GLSL ES 3.20"), Some((3, 20)));
        assert_eq!(number("none"), None);
    }
}
