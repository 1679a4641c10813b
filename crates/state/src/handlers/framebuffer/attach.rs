//! Attachments and other parameters of framebuffers.

use std::sync::Arc;

use api::{constant as c, id};

use super::super::{Table, renderbuffer};
use super::names::{NO_FRAMEBUFFER, NO_TARGET, Name, bound, made, named, named_or_default};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::objects::format::Format;
use crate::objects::framebuffer::{Attachment, COLOURS, DEPTH, Framebuffer, STENCIL};
use crate::objects::texture::{Bound, Target, Texture};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    let one = [id::glFramebufferTexture1D, id::glFramebufferTexture1DEXT];
    table.on(&one, |step| texture_of_dims(step, 1, false));
    let two = [id::glFramebufferTexture2D, id::glFramebufferTexture2DEXT, id::glFramebufferTexture2DOES];
    table.on(&two, |step| texture_of_dims(step, 2, false));
    let three = [id::glFramebufferTexture3D, id::glFramebufferTexture3DEXT, id::glFramebufferTexture3DOES];
    table.on(&three, |step| texture_of_dims(step, 3, false));
    table.on(&[id::glNamedFramebufferTexture1DEXT], |step| texture_of_dims(step, 1, true));
    table.on(&[id::glNamedFramebufferTexture2DEXT], |step| texture_of_dims(step, 2, true));
    table.on(&[id::glNamedFramebufferTexture3DEXT], |step| texture_of_dims(step, 3, true));
    let layered = [
        id::glFramebufferTexture,
        id::glFramebufferTextureARB,
        id::glFramebufferTextureEXT,
        id::glFramebufferTextureOES,
    ];
    table.on(&layered, |step| {
        let framebuffer = bound(step.context, step.name(0))?;
        layers(step, framebuffer)
    });
    table.on(&[id::glNamedFramebufferTexture], |step| {
        let framebuffer = named(step.context, step.name(0))?;
        layers(step, framebuffer)
    });
    table.on(&[id::glNamedFramebufferTextureEXT], |step| {
        let framebuffer = made(step, step.name(0))?;
        layers(step, framebuffer)
    });
    let layer = [id::glFramebufferTextureLayer, id::glFramebufferTextureLayerARB, id::glFramebufferTextureLayerEXT];
    table.on(&layer, |step| {
        let framebuffer = bound(step.context, step.name(0))?;
        one_layer(step, framebuffer)
    });
    table.on(&[id::glNamedFramebufferTextureLayer], |step| {
        let framebuffer = named(step.context, step.name(0))?;
        one_layer(step, framebuffer)
    });
    table.on(&[id::glNamedFramebufferTextureLayerEXT], |step| {
        let framebuffer = made(step, step.name(0))?;
        one_layer(step, framebuffer)
    });
    let renderbuffer =
        [id::glFramebufferRenderbuffer, id::glFramebufferRenderbufferEXT, id::glFramebufferRenderbufferOES];
    table.on(&renderbuffer, |step| {
        let framebuffer = bound(step.context, step.name(0))?;
        attach_renderbuffer(step, framebuffer)
    });
    table.on(&[id::glNamedFramebufferRenderbuffer], |step| {
        let framebuffer = named(step.context, step.name(0))?;
        attach_renderbuffer(step, framebuffer)
    });
    table.on(&[id::glNamedFramebufferRenderbufferEXT], |step| {
        let framebuffer = made(step, step.name(0))?;
        attach_renderbuffer(step, framebuffer)
    });
    table.on(&[id::glFramebufferParameteri, id::glFramebufferParameteriMESA], |step| {
        let framebuffer = bound(step.context, step.name(0))?;
        set_parameter(step, framebuffer)
    });
    table.on(&[id::glNamedFramebufferParameteri], |step| {
        let framebuffer = named_or_default(step.context, step.name(0))?;
        set_parameter(step, framebuffer)
    });
    table.on(&[id::glNamedFramebufferParameteriEXT], |step| {
        let name = step.name(0);
        if name != 0 && !step.context.framebuffers.contains_key(&name) {
            return Err(Fault::invalid_value(NO_FRAMEBUFFER.why));
        }
        let framebuffer = made(step, name)?;
        set_parameter(step, framebuffer)
    });
}

/// Returns the attachment indices that a name stands for.
pub fn places(facts: &Facts, attachment: u32) -> Result<&'static [usize], Fault> {
    const COLOUR: [usize; COLOURS] = [0, 1, 2, 3, 4, 5, 6, 7];
    let most = facts.limits.integer(c::GL_MAX_COLOR_ATTACHMENTS, 8).clamp(0, COLOURS as i64) as u32;
    match attachment {
        c::GL_DEPTH_ATTACHMENT => Ok(&[DEPTH]),
        c::GL_STENCIL_ATTACHMENT => Ok(&[STENCIL]),
        c::GL_DEPTH_STENCIL_ATTACHMENT if facts.desktop(1, 0) || facts.es(3, 0) => Ok(&[DEPTH, STENCIL]),
        c::GL_COLOR_ATTACHMENT0..=c::GL_COLOR_ATTACHMENT31 => {
            let number = attachment - c::GL_COLOR_ATTACHMENT0;
            if number >= most {
                return Err(Fault::invalid_operation("the colour attachment index is too large"));
            }
            Ok(&COLOUR[number as usize..=number as usize])
        }
        _ => Err(Fault::invalid_enum("invalid framebuffer attachment")),
    }
}

fn attach(step: &mut Step<'_>, framebuffer: Name, attachment: u32, what: Attachment) -> Done {
    if framebuffer.0 == 0 {
        return Err(Fault::invalid_operation("the default framebuffer is bound, which has no attachment points"));
    }
    let places = places(step.facts(), attachment)?;
    set(step, framebuffer, places, what);
    Ok(())
}

fn set(step: &mut Step<'_>, framebuffer: Name, places: &[usize], what: Attachment) {
    let Some(framebuffer) = step.context.framebuffers.get_mut(&framebuffer.0) else { return };
    if places.iter().any(|place| framebuffer.attachments[*place] != what) {
        let framebuffer = Arc::make_mut(framebuffer);
        for place in places {
            framebuffer.attachments[*place] = what;
        }
    }
}

/// Returns the texture of that name; `None` for 0. One without a target does not exist.
fn texture(step: &Step<'_>, name: u32, fault: Fault) -> Result<Option<(Bound, Target, Arc<Texture>)>, Fault> {
    if name == 0 {
        return Ok(None);
    }
    let texture = step.group.textures.get(&name).ok_or(fault)?;
    let target = texture.target.ok_or(fault)?;
    Ok(Some((Bound { name, object: texture.object }, target, texture.clone())))
}

const NO_TEXTURE: Fault = Fault::invalid_operation("no texture has this name");

fn check_level(facts: &Facts, texture: &Texture, target: Target, level: i32) -> Done {
    let most = if texture.immutable { texture.immutable_levels } else { target.max_levels(facts) };
    if (0..most).contains(&level) { Ok(()) } else { Err(Fault::invalid_value("the level is negative or too large")) }
}

fn check_layer(facts: &Facts, target: Target, layer: i32) -> Done {
    let most = match target {
        Target::ThreeD => 1 << (target.max_levels(facts) - 1),
        Target::OneDArray | Target::TwoDArray | Target::CubeArray | Target::MultisampleArray => {
            facts.limits.integer(c::GL_MAX_ARRAY_TEXTURE_LAYERS, 2048) as i32
        }
        Target::Cube => 6,
        _ => i32::MAX,
    };
    if (0..most).contains(&layer) { Ok(()) } else { Err(Fault::invalid_value("the layer is too large")) }
}

/// `glFramebufferTexture1D`, `2D` and `3D`: with the target of the image, which may be a face.
fn texture_of_dims(step: &mut Step<'_>, dims: usize, direct: bool) -> Done {
    let framebuffer = if direct { made(step, step.name(0))? } else { bound(step.context, step.name(0))? };
    if direct && framebuffer.0 == 0 {
        return Err(NO_TARGET);
    }
    let facts = step.context.facts.clone();
    let (attachment, named, level) = (step.name(1), step.name(2), step.int(4));
    let layer = if dims == 3 { step.int(5) } else { 0 };
    let Some((bound, target, texture)) = texture(step, step.name(3), NO_TEXTURE)? else {
        return attach(step, framebuffer, attachment, Attachment::None);
    };
    check_named_target(&facts, dims, target, named)?;
    if dims == 3 {
        check_layer(&facts, target, layer)?;
    }
    check_level(&facts, &texture, target, level)?;
    let face = Target::with_face(named).map_or(0, |(_, face)| face);
    let layer = if target == Target::Cube { face.cast_signed() } else { layer };
    attach(step, framebuffer, attachment, Attachment::Texture { texture: bound, target, level, layer, layered: false })
}

fn check_named_target(facts: &Facts, dims: usize, target: Target, named: u32) -> Done {
    let es = !matches!(facts.client, Client::Compatibility | Client::Core);
    let fits = match named {
        c::GL_TEXTURE_1D | c::GL_TEXTURE_1D_ARRAY => dims == 1,
        c::GL_TEXTURE_2D
        | c::GL_TEXTURE_2D_ARRAY
        | c::GL_TEXTURE_2D_MULTISAMPLE
        | c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY => dims == 2,
        c::GL_TEXTURE_RECTANGLE => dims == 2 && !es,
        c::GL_TEXTURE_CUBE_MAP_POSITIVE_X..=c::GL_TEXTURE_CUBE_MAP_NEGATIVE_Z => dims == 2,
        c::GL_TEXTURE_3D => dims == 3,
        c::GL_TEXTURE_CUBE_MAP | c::GL_TEXTURE_CUBE_MAP_ARRAY => false,
        _ => return Err(Fault::invalid_enum("invalid texture target")),
    };
    let own = match target {
        Target::Cube => Target::with_face(named).is_some_and(|(found, _)| found == Target::Cube),
        _ => target.name() == named,
    };
    if fits && own { Ok(()) } else { Err(Fault::invalid_operation("the texture was created for a different target")) }
}

/// `glFramebufferTexture`: attaches all layers, if there are any.
fn layers(step: &mut Step<'_>, framebuffer: Name) -> Done {
    let facts = step.context.facts.clone();
    let (attachment, level) = (step.name(1), step.int(3));
    let missing = Fault::invalid_value(NO_TEXTURE.why);
    let found = texture(step, step.name(2), missing)?;
    if framebuffer.0 == 0 {
        return Err(Fault::invalid_operation("the default framebuffer is bound, which has no attachment points"));
    }
    let places = places(&facts, attachment)?;
    let Some((bound, target, texture)) = found else {
        set(step, framebuffer, places, Attachment::None);
        return Ok(());
    };
    if matches!(target, Target::Buffer | Target::External) {
        return Err(Fault::invalid_operation("textures of this target cannot be attached"));
    }
    check_level(&facts, &texture, target, level)?;
    let layered = target.is_layered();
    set(step, framebuffer, places, Attachment::Texture { texture: bound, target, level, layer: 0, layered });
    Ok(())
}

/// `glFramebufferTextureLayer`: attaches one layer.
fn one_layer(step: &mut Step<'_>, framebuffer: Name) -> Done {
    let facts = step.context.facts.clone();
    let (attachment, level, layer) = (step.name(1), step.int(3), step.int(4));
    let found = texture(step, step.name(2), NO_TEXTURE)?;
    if framebuffer.0 == 0 {
        return Err(Fault::invalid_operation("the default framebuffer is bound, which has no attachment points"));
    }
    let places = places(&facts, attachment)?;
    let Some((bound, target, texture)) = found else {
        set(step, framebuffer, places, Attachment::None);
        return Ok(());
    };
    // OpenGL ES has no such layers of cube maps; desktop GL without them ignores the call.
    if target == Target::Cube && !facts.desktop(3, 1) {
        return Ok(());
    }
    if !target.is_layered() {
        return Err(Fault::invalid_operation("textures of this target have no layers"));
    }
    check_layer(&facts, target, layer)?;
    check_level(&facts, &texture, target, level)?;
    set(step, framebuffer, places, Attachment::Texture { texture: bound, target, level, layer, layered: false });
    Ok(())
}

fn attach_renderbuffer(step: &mut Step<'_>, framebuffer: Name) -> Done {
    let (attachment, target, name) = (step.name(1), step.name(2), step.name(3));
    if target != c::GL_RENDERBUFFER {
        return Err(Fault::invalid_enum("the target must be GL_RENDERBUFFER"));
    }
    let what = match name {
        0 => Attachment::None,
        _ => Attachment::Renderbuffer(renderbuffer::named(step.group, name)?),
    };
    if framebuffer.0 == 0 {
        return Err(Fault::invalid_operation("the default framebuffer is bound, which has no attachment points"));
    }
    let places = places(step.facts(), attachment)?;
    let format: Option<&Format> = step.group.renderbuffers.get(&name).and_then(|found| found.format);
    let both = format.is_none_or(|format| format.has_depth() && format.has_stencil());
    if attachment == c::GL_DEPTH_STENCIL_ATTACHMENT && !both {
        return Err(Fault::invalid_operation("the renderbuffer does not have both depth and stencil"));
    }
    set(step, framebuffer, places, what);
    Ok(())
}

fn set_parameter(step: &mut Step<'_>, framebuffer: Name) -> Done {
    let (pname, param) = (step.name(1), step.int(2));
    let facts = step.context.facts.clone();
    let limit = |name: u32, otherwise: i64| facts.limits.integer(name, otherwise) as i32;
    let (place, most) = match pname {
        c::GL_FRAMEBUFFER_DEFAULT_WIDTH => (0, limit(c::GL_MAX_FRAMEBUFFER_WIDTH, 16384)),
        c::GL_FRAMEBUFFER_DEFAULT_HEIGHT => (1, limit(c::GL_MAX_FRAMEBUFFER_HEIGHT, 16384)),
        c::GL_FRAMEBUFFER_DEFAULT_LAYERS => (2, limit(c::GL_MAX_FRAMEBUFFER_LAYERS, 2048)),
        c::GL_FRAMEBUFFER_DEFAULT_SAMPLES => (3, limit(c::GL_MAX_FRAMEBUFFER_SAMPLES, 4)),
        c::GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS => (4, i32::MAX),
        c::GL_FRAMEBUFFER_FLIP_Y_MESA if facts.has("GL_MESA_framebuffer_flip_y") => (5, i32::MAX),
        _ => return Err(Fault::invalid_enum("invalid framebuffer parameter")),
    };
    if framebuffer.0 == 0 {
        return Err(Fault::invalid_operation("the default framebuffer has no such parameter"));
    }
    if place < 4 && !(0..=most).contains(&param) {
        return Err(Fault::invalid_value("invalid value of the parameter"));
    }
    let Some(framebuffer) = step.context.framebuffers.get_mut(&framebuffer.0) else { return Ok(()) };
    let framebuffer: &mut Framebuffer = Arc::make_mut(framebuffer);
    match place {
        4 => framebuffer.default_fixed = param as u8,
        5 => framebuffer.flip_y = param != 0,
        _ => framebuffer.defaults[place] = param,
    }
    Ok(())
}
