//! What the context at hand can be asked for.

use std::collections::BTreeSet;

use api::{constant as c, id};
use driver::Client;
use instrument::Device;
use shader::version::Version;

use super::hand::{Can, Hand};
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

/// What the current context is.
pub fn can(player: &mut Player) -> Can {
    let desktop = player.world.current().is_some_and(|(context, _)| context.client == Client::Desktop);
    let version = number(&player.string(c::GL_VERSION)).unwrap_or((1, 0));
    let mut extensions = BTreeSet::new();
    if version >= (3, 0) {
        let mut count = [0i32; 4];
        player.own_call(id::glGetIntegerv, &[u64::from(c::GL_NUM_EXTENSIONS), count.as_mut_ptr() as u64]);
        extensions.extend((0..u32::try_from(count[0]).unwrap_or(0)).map(|number| player.extension(number)));
    } else {
        extensions.extend(player.string(c::GL_EXTENSIONS).split_whitespace().map(str::to_owned));
    }
    let profile = (desktop && version >= (3, 2)).then(|| {
        let mut mask = [0u32; 4];
        player.own_call(id::glGetIntegerv, &[u64::from(c::GL_CONTEXT_PROFILE_MASK), mask.as_mut_ptr() as u64]);
        mask[0]
    });
    let compatibility = desktop
        && match profile {
            Some(mask) => mask & c::GL_CONTEXT_CORE_PROFILE_BIT == 0,
            None => version < (3, 1) || extensions.contains("GL_ARB_compatibility"),
        };
    Can { desktop, compatibility, version, extensions }
}

/// What the current context offers to whoever asks questions.
pub fn device(hand: &mut Hand<'_>) -> Device {
    let can = hand.can;
    let limit = |hand: &mut Hand<'_>, name: u32| u32::try_from(hand.integer(name)).unwrap_or(0);
    let storage = can.has(43, 31, &["GL_ARB_shader_storage_buffer_object"]);
    // Stages that a context has not have no limits either.
    let there = [
        true,
        can.has(40, 32, &["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"]),
        can.has(40, 32, &["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"]),
        can.has(32, 32, &["GL_EXT_geometry_shader", "GL_OES_geometry_shader"]),
        true,
        can.has(43, 31, &["GL_ARB_compute_shader"]),
    ];
    let storage_blocks =
        std::array::from_fn(|stage| if storage && there[stage] { limit(hand, STORAGE_BLOCKS[stage]) } else { 0 });
    let several = can.has(20, 30, &["GL_ARB_draw_buffers", "GL_EXT_draw_buffers", "GL_NV_draw_buffers"]);
    let framebuffers = can.has(30, 20, &["GL_ARB_framebuffer_object", "GL_EXT_framebuffer_object"]);
    let targets = match (framebuffers, several) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => limit(hand, c::GL_MAX_DRAW_BUFFERS).min(limit(hand, c::GL_MAX_COLOR_ATTACHMENTS)).max(1),
    };
    let feedback = can.has(30, 30, &["GL_EXT_transform_feedback"]);
    let feedback_words = if feedback { limit(hand, c::GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS) } else { 0 };
    let newest = newest(hand);
    let storage_bindings = if storage { limit(hand, c::GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS) } else { 0 };
    Device {
        newest,
        storage_blocks,
        storage_bindings,
        integer_targets: framebuffers && can.has(30, 30, &["GL_EXT_texture_integer"]),
        float_targets: framebuffers
            && (can.has(30, 0, &["GL_ARB_texture_float"])
                || can.has(0, 32, &["GL_EXT_color_buffer_float"]) && can.version >= (3, 0)),
        targets,
        feedback_words,
        extensions: can.extensions.iter().cloned().collect(),
        style: instrument::CompilerWorkarounds::default(),
    }
}

/// The newest version of the language that the context takes.
fn newest(hand: &mut Hand<'_>) -> Version {
    let can = hand.can;
    let text = hand.player.string(c::GL_SHADING_LANGUAGE_VERSION);
    let (major, minor) = number(&text).unwrap_or(if can.desktop { (1, 10) } else { (1, 0) });
    let minor = if minor < 10 { minor * 10 } else { minor };
    Version { number: u16::try_from(major * 100 + minor).unwrap_or(110), profile: can.profile() }
}

/// The first number with a point in it of a text.
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
