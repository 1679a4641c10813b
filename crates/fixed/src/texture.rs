//! The textures that texture units sample.

use api::constant as c;
use state::View;
use state::fixed::TARGETS;
use state::objects::sampler::Sampling;
use state::objects::texture::{Target, Texture};

use crate::Refusal;

/// The texture that a unit samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The target it is bound to.
    pub target: Target,
    /// The base format as texture environments see it: for depth textures that is `GL_DEPTH_TEXTURE_MODE` (GL 4.6
    /// compatibility, 8.23.1).
    pub base: u32,
    /// Whether it is compared with the third coordinate.
    pub compares: bool,
}

/// Targets by precedence, for units with several enabled (GL 4.6 compatibility, 16.2).
const PRECEDENCE: [Target; 5] = [Target::Cube, Target::ThreeD, Target::Rectangle, Target::TwoD, Target::OneD];

/// The texture that each fixed-function unit samples. An incomplete texture counts as if its target were disabled (GL
/// 4.6 compatibility, 8.17.2); Mesa then uses the next enabled target.
pub fn samples(view: &View<'_>) -> Result<Vec<Option<Sample>>, Refusal> {
    let units = view.context.fixed.units.iter().enumerate();
    units.map(|(unit, about)| sample(view, unit, about.enabled)).collect()
}

fn sample(view: &View<'_>, unit: usize, enabled: u8) -> Result<Option<Sample>, Refusal> {
    let is_enabled = |target: Target| {
        TARGETS.iter().position(|name| *name == target.name()).is_some_and(|bit| enabled & 1 << bit != 0)
    };
    if is_enabled(Target::External) {
        return Err(Refusal::Texture { unit, what: "a texture of GL_OES_EGL_image_external" });
    }
    let Some(bound) = view.context.units.units.get(unit) else { return Ok(None) };
    let sampler = view.group.samplers.get(&bound.sampler.name).filter(|_| bound.sampler.name != 0);
    for target in PRECEDENCE.into_iter().filter(|target| is_enabled(*target)) {
        let Some(texture) = view.group.texture(bound.textures[target as usize]) else { continue };
        let sampling = sampler.map_or(&texture.sampling, |sampler| &sampler.sampling);
        if !is_complete(texture, target, sampling) {
            continue;
        }
        let Some(format) = texture.level(texture.base_level.cast_unsigned(), 0).and_then(|level| level.format) else {
            continue;
        };
        let is_depth = matches!(format.base, c::GL_DEPTH_COMPONENT | c::GL_DEPTH_STENCIL);
        if format.class.is_integer() {
            return Err(Refusal::Texture { unit, what: "a texture of integers" });
        }
        let compares = is_depth && sampling.compare_mode != c::GL_NONE;
        if compares && target == Target::Cube {
            return Err(Refusal::Texture { unit, what: "a cube map of depths that are compared" });
        }
        let base = if is_depth { texture.depth_mode } else { format.base };
        return Ok(Some(Sample { target, base, compares }));
    }
    Ok(None)
}

/// Whether a texture is complete (GL 4.6, 8.17).
fn is_complete(texture: &Texture, target: Target, sampling: &Sampling) -> bool {
    let base = texture.base_level;
    if texture.immutable {
        return true;
    }
    let Some(first) = texture.level(base.cast_unsigned(), 0) else { return false };
    if first.format.is_none() || first.size.contains(&0) {
        return false;
    }
    let alike = |number: i32, size: [i32; 3]| {
        (0..target.faces()).all(|face| {
            texture.level(number.cast_unsigned(), face).is_some_and(|level| {
                level.size == size
                    && level.border == first.border
                    && level.format.map(|format| format.name) == first.format.map(|format| format.name)
            })
        })
    };
    if target == Target::Cube && (first.size[0] != first.size[1] || !alike(base, first.size)) {
        return false;
    }
    if matches!(sampling.min_filter, c::GL_NEAREST | c::GL_LINEAR) {
        return true;
    }
    if texture.max_level < base {
        return false;
    }
    let border = 2 * first.border;
    let mut size = first.size;
    let mut number = base;
    let shrinking = target.shrinking();
    while number < texture.max_level && size[..shrinking].iter().any(|side| side - border > 1) {
        number += 1;
        for side in &mut size[..shrinking] {
            *side = ((*side - border) / 2).max(1) + border;
        }
        if !alike(number, size) {
            return false;
        }
    }
    true
}
