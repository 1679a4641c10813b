//! Framebuffer completeness (GL 4.6, 9.4).

use api::constant as c;

use super::super::texture::is_mipmap_complete;
use crate::context::{Client, Facts};
use crate::objects::format::{Class, Format, Use};
use crate::objects::framebuffer::{Attachment, COLOURS, DEPTH, Framebuffer, STENCIL};
use crate::objects::texture::{Level, Target};
use crate::share::ShareGroup;

/// The properties of an attached image that matter for drawing.
#[derive(Clone, Copy, Debug)]
pub struct Attached {
    /// Its format; `None` when it cannot be rendered to.
    pub format: Option<&'static Format>,
    /// The requested internal format.
    pub internal: u32,
    /// Width, height and depth.
    pub size: [i32; 3],
    /// Samples, 0 without multisampling.
    pub samples: i32,
    /// Whether all texels have the same sample positions.
    pub fixed: bool,
}

/// Returns the attached image; `None` when nothing is attached.
pub fn image_of(group: &ShareGroup, attachment: &Attachment) -> Option<Attached> {
    match attachment {
        Attachment::None => None,
        Attachment::Renderbuffer(bound) => {
            let renderbuffer = group.renderbuffer(*bound)?;
            let (width, height) = renderbuffer.size;
            Some(Attached {
                format: renderbuffer.format,
                internal: renderbuffer.internal,
                size: [width, height, 1],
                samples: renderbuffer.samples,
                fixed: true,
            })
        }
        Attachment::Texture { .. } => {
            let level = level_of(group, attachment)?;
            let Level { format, internal, size, samples, fixed, .. } = *level;
            Some(Attached { format, internal, size, samples, fixed })
        }
    }
}

fn level_of<'a>(group: &'a ShareGroup, attachment: &Attachment) -> Option<&'a Level> {
    let Attachment::Texture { texture, target, level, layer, layered } = attachment else { return None };
    let face = if *target == Target::Cube && !layered { layer.cast_unsigned() } else { 0 };
    group.texture(*texture)?.level(level.cast_unsigned(), face)
}

/// Returns the format of an attachment; `None` when there is no image.
pub fn format_of(group: &ShareGroup, attachment: &Attachment) -> Option<&'static Format> {
    image_of(group, attachment)?.format
}

/// Answers `glCheckFramebufferStatus` for a framebuffer object.
pub fn status(facts: &Facts, group: &ShareGroup, framebuffer: &Framebuffer) -> u32 {
    match find_fault(facts, group, framebuffer) {
        Ok(()) => c::GL_FRAMEBUFFER_COMPLETE,
        Err(status) => status,
    }
}

/// Checks attachments in Mesa's order: the first error decides.
fn find_fault(facts: &Facts, group: &ShareGroup, framebuffer: &Framebuffer) -> Result<(), u32> {
    let es = !matches!(facts.client, Client::Compatibility | Client::Core);
    let mut images = 0;
    let mut fixed = None;
    let (mut colour_samples, mut depth_samples) = (None, None);
    let mut layers: Option<(bool, i32)> = None;
    let mut layer_target = None;
    let order = [DEPTH, STENCIL].into_iter().chain(0..COLOURS);
    for place in order {
        let attachment = &framebuffer.attachments[place];
        if *attachment == Attachment::None {
            continue;
        }
        check_attachment(facts, group, attachment, place)?;
        let Some(image) = image_of(group, attachment) else { return Err(c::GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT) };
        images += 1;
        if *fixed.get_or_insert(image.fixed) != image.fixed {
            return Err(c::GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE);
        }
        let samples = if place < COLOURS { &mut colour_samples } else { &mut depth_samples };
        if *samples.get_or_insert(image.samples) != image.samples {
            return Err(c::GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE);
        }
        if matches!(attachment, Attachment::Renderbuffer(_)) && image.format.is_none() {
            return Err(c::GL_FRAMEBUFFER_UNSUPPORTED);
        }
        check_layers(group, attachment, place, image, &mut layers, &mut layer_target)?;
    }
    if let (Some(colour), Some(depth)) = (colour_samples, depth_samples)
        && colour != depth
    {
        return Err(c::GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE);
    }
    if images == 0 && (framebuffer.defaults[0] == 0 || framebuffer.defaults[1] == 0) {
        return Err(c::GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT);
    }
    let [depth, stencil] = [DEPTH, STENCIL].map(|place| framebuffer.attachments[place]);
    check_depth_stencil(es, depth, stencil)?;
    for attachment in &framebuffer.attachments {
        check_supported(facts, group, attachment)?;
    }
    Ok(())
}

/// Checks depth and stencil: they must be the same image in OpenGL ES 3, and the same object for Mesa's drivers
/// anywhere.
fn check_depth_stencil(es: bool, depth: Attachment, stencil: Attachment) -> Result<(), u32> {
    let same = match (depth, stencil) {
        (Attachment::None, _) | (_, Attachment::None) => true,
        _ if es => depth == stencil,
        (Attachment::Renderbuffer(one), Attachment::Renderbuffer(other)) => one == other,
        (Attachment::Texture { texture: one, .. }, Attachment::Texture { texture: other, .. }) => one == other,
        _ => false,
    };
    if same { Ok(()) } else { Err(c::GL_FRAMEBUFFER_UNSUPPORTED) }
}

/// Returns whether a base format is colour-renderable.
fn is_colour(facts: &Facts, base: u32) -> bool {
    match base {
        c::GL_RGB | c::GL_RGBA | c::GL_RED | c::GL_RG => true,
        c::GL_LUMINANCE | c::GL_LUMINANCE_ALPHA | c::GL_INTENSITY | c::GL_ALPHA => {
            facts.client == Client::Compatibility
        }
        _ => false,
    }
}

fn check_attachment(facts: &Facts, group: &ShareGroup, attachment: &Attachment, place: usize) -> Result<(), u32> {
    let incomplete = Err(c::GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
    let Some(image) = image_of(group, attachment) else { return incomplete };
    if image.size[0] < 1 || image.size[1] < 1 {
        return incomplete;
    }
    let internal = Format::named(image.internal);
    let base = image.format.or(internal).map_or(0, |format| format.base);
    if let Attachment::Texture { texture, target, level, layer, layered } = attachment {
        let Some(owner) = group.texture(*texture) else { return incomplete };
        if *level > owner.base_level && !is_mipmap_complete(owner) {
            return incomplete;
        }
        let layers = match target {
            Target::OneDArray => image.size[1],
            Target::ThreeD | Target::TwoDArray | Target::CubeArray => image.size[2],
            _ => i32::MAX,
        };
        if !layered && *layer >= layers {
            return incomplete;
        }
        if layers < 1 {
            return incomplete;
        }
    }
    let of_texture = matches!(attachment, Attachment::Texture { .. });
    match place {
        DEPTH if !matches!(base, c::GL_DEPTH_COMPONENT | c::GL_DEPTH_STENCIL) => incomplete,
        STENCIL if !matches!(base, c::GL_STENCIL_INDEX | c::GL_DEPTH_STENCIL) => incomplete,
        DEPTH | STENCIL => Ok(()),
        _ if !is_colour(facts, base) => incomplete,
        _ if of_texture => check_colour_texture(facts, image),
        _ => Ok(()),
    }
}

fn check_colour_texture(facts: &Facts, image: Attached) -> Result<(), u32> {
    let es = !matches!(facts.client, Client::Compatibility | Client::Core);
    let Some(format) = image.format else { return Err(c::GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT) };
    if format.is_compressed() {
        return Err(c::GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
    }
    // In OpenGL ES, floats that cannot be rendered to make a framebuffer unsupported, everything else incomplete.
    let row = Format::named(image.internal).unwrap_or(format);
    if es && !format.serves(Use::Colour, facts) {
        let float = row.class == Class::Float && row.bits[0] >= 16;
        return Err(if float { c::GL_FRAMEBUFFER_UNSUPPORTED } else { c::GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT });
    }
    Ok(())
}

/// Checks what depends on the driver: formats that it cannot render to.
fn check_supported(facts: &Facts, group: &ShareGroup, attachment: &Attachment) -> Result<(), u32> {
    let Attachment::Texture { .. } = attachment else { return Ok(()) };
    let unsupported = format_of(group, attachment).is_some_and(|format| format.serves(Use::Unsupported, facts));
    if unsupported { Err(c::GL_FRAMEBUFFER_UNSUPPORTED) } else { Ok(()) }
}

/// Checks layering: if one attachment is layered, all must be, and colours must have the same target (GL 4.6, 9.4.2).
fn check_layers(
    group: &ShareGroup,
    attachment: &Attachment,
    place: usize,
    image: Attached,
    layers: &mut Option<(bool, i32)>,
    layer_target: &mut Option<Target>,
) -> Result<(), u32> {
    let (layered, target) = match attachment {
        Attachment::Texture { layered, target, .. } => (*layered, Some(*target)),
        _ => (false, None),
    };
    let mut count = 0;
    if layered {
        if let Attachment::Texture { texture, target: Target::Cube, .. } = attachment
            && !group.texture(*texture).is_some_and(super::super::texture::is_cube_complete)
        {
            return Err(c::GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
        }
        count = match target {
            Some(Target::Cube) => 6,
            Some(Target::OneDArray) => image.size[1],
            _ => image.size[2],
        };
        if place == 0 {
            *layer_target = target;
        }
    }
    match layers {
        None => *layers = Some((layered, count)),
        Some((_, most)) if *most > 0 && layer_target.is_some() && *layer_target != target => {
            return Err(c::GL_FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS);
        }
        Some((before, _)) if *before != layered => return Err(c::GL_FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS),
        Some((_, most)) => *most = (*most).max(count),
    }
    Ok(())
}
