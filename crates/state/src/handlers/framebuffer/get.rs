//! Queries about framebuffers.

use api::{Namespace, constant as c, id};

use super::super::Table;
use super::attach::places;
use super::buffers::{buffer_set, buffers_of, existing, planes};
use super::names::{NO_FRAMEBUFFER, Name, bound, named_or_default};
use super::status::{Attached, image_of, status};
use crate::answer::{Answer, Values, View, word};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::model::Surface;
use crate::objects::format::{Class, Format};
use crate::objects::framebuffer::{Attachment, COLOURS, DEPTH, Framebuffer, STENCIL};
use crate::objects::texture::Target;
use crate::variable::NumberType;

pub fn register(table: &mut Table) {
    let bound_attachment = [
        id::glGetFramebufferAttachmentParameteriv,
        id::glGetFramebufferAttachmentParameterivEXT,
        id::glGetFramebufferAttachmentParameterivOES,
    ];
    table.ask(&bound_attachment, |view, args| {
        let framebuffer = bound(view.context, word(args, 0))?;
        attachment(view, framebuffer, word(args, 1), word(args, 2))
    });
    let named_attachment =
        [id::glGetNamedFramebufferAttachmentParameteriv, id::glGetNamedFramebufferAttachmentParameterivEXT];
    table.ask(&named_attachment, |view, args| {
        let framebuffer = named_or_default(view.context, word(args, 0))?;
        attachment(view, framebuffer, word(args, 1), word(args, 2))
    });
    table.ask(&[id::glGetFramebufferParameteriv, id::glGetFramebufferParameterivMESA], |view, args| {
        let framebuffer = bound(view.context, word(args, 0))?;
        parameter(view, framebuffer, word(args, 1))
    });
    let named_parameter = [
        id::glGetNamedFramebufferParameteriv,
        id::glGetNamedFramebufferParameterivEXT,
        id::glGetFramebufferParameterivEXT,
    ];
    table.ask(&named_parameter, |view, args| {
        let framebuffer = named_or_default(view.context, word(args, 0))?;
        parameter(view, framebuffer, word(args, 1))
    });
    let check = [id::glCheckFramebufferStatus, id::glCheckFramebufferStatusEXT, id::glCheckFramebufferStatusOES];
    table.ask(&check, |view, args| {
        let framebuffer = bound(view.context, word(args, 0))?;
        Ok(status_answer(view, check_status(view, framebuffer, word(args, 0) == c::GL_READ_FRAMEBUFFER)))
    });
    let check = [id::glCheckNamedFramebufferStatus, id::glCheckNamedFramebufferStatusEXT];
    table.ask(&check, |view, args| {
        bound(view.context, word(args, 1))?;
        let framebuffer = named_or_default(view.context, word(args, 0))?;
        Ok(status_answer(view, check_status(view, framebuffer, word(args, 1) == c::GL_READ_FRAMEBUFFER)))
    });
    table.getter(value);
}

fn name(name: u32) -> Answer {
    Answer::one(NumberType::Enum, f64::from(name))
}

fn integer(number: i32) -> Answer {
    Answer::one(NumberType::Integer, f64::from(number))
}

fn surface(view: &View<'_>, read: bool) -> Option<Surface> {
    let number = if read { view.seat.read } else { view.seat.draw };
    view.model.surfaces.get(&number).copied()
}

fn check_status(view: &View<'_>, framebuffer: Name, read: bool) -> u32 {
    match view.context.framebuffers.get(&framebuffer.0).filter(|_| framebuffer.0 != 0) {
        Some(found) => status(&view.context.facts, view.group, found),
        None if surface(view, read).is_none() => c::GL_FRAMEBUFFER_UNDEFINED,
        None => c::GL_FRAMEBUFFER_COMPLETE,
    }
}

const NO_ATTACHMENT: Fault = Fault::invalid_enum("invalid framebuffer attachment");
const NO_PARAMETER: Fault = Fault::invalid_enum("invalid framebuffer attachment query");
const NOTHING_ATTACHED: Fault = Fault::invalid_operation("nothing is attached to this attachment point");

fn attachment(view: &View<'_>, framebuffer: Name, attachment: u32, pname: u32) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    if framebuffer.0 == 0 {
        return default_attachment(view, attachment, pname);
    }
    let found = view.context.framebuffers.get(&framebuffer.0).ok_or(NO_FRAMEBUFFER)?;
    let places = places(facts, attachment)?;
    if attachment == c::GL_DEPTH_STENCIL_ATTACHMENT {
        if pname == c::GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE {
            return Err(Fault::invalid_operation(
                "depth and stencil attachments have different types and cannot be queried together",
            ));
        }
        if found.attachments[DEPTH] != found.attachments[STENCIL] {
            return Err(Fault::invalid_operation("the depth and stencil attachments are different images"));
        }
    }
    attached_value(view, facts, &found.attachments[places[0]], attachment, pname)
}

fn attached_value(
    view: &View<'_>,
    facts: &Facts,
    attached: &Attachment,
    attachment: u32,
    pname: u32,
) -> Result<Answer, Fault> {
    let image = image_of(view.group, attached);
    match (pname, attached) {
        (c::GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, _) => Ok(name(match attached {
            Attachment::None => c::GL_NONE,
            Attachment::Renderbuffer(_) => c::GL_RENDERBUFFER,
            Attachment::Texture { .. } => c::GL_TEXTURE,
        })),
        (c::GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, _) => Ok(match attached {
            Attachment::None => integer(0),
            Attachment::Renderbuffer(bound) => {
                Answer::one(NumberType::Name(Namespace::Renderbuffer), f64::from(bound.name))
            }
            Attachment::Texture { texture, .. } => {
                Answer::one(NumberType::Name(Namespace::Texture), f64::from(texture.name))
            }
        }),
        (_, Attachment::None) if is_parameter(pname, facts) => Err(NOTHING_ATTACHED),
        (c::GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING, _) => {
            let srgb = image.and_then(|image| image.format).is_some_and(|format| format.is_srgb);
            Ok(name(if srgb { c::GL_SRGB } else { c::GL_LINEAR }))
        }
        (c::GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE, _) => {
            let stencil = attachment == c::GL_STENCIL_ATTACHMENT;
            Ok(name(component_type(image.and_then(|image| image.format), stencil)))
        }
        (c::GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE..=c::GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE, _) => {
            // Mesa uses the first face of a cube map whichever is attached.
            let format = match attached {
                Attachment::Texture { texture, level, .. } => {
                    let owner = view.group.texture(*texture);
                    owner.and_then(|owner| owner.level(level.cast_unsigned(), 0)).and_then(|level| level.format)
                }
                _ => image.and_then(|image| image.format),
            };
            Ok(integer(component_bits(format, pname)))
        }
        (c::GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL, Attachment::Texture { level, .. }) => Ok(integer(*level)),
        (c::GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE, Attachment::Texture { target, layer, .. }) => {
            let face = c::GL_TEXTURE_CUBE_MAP_POSITIVE_X + layer.cast_unsigned();
            Ok(name(if *target == Target::Cube { face } else { 0 }))
        }
        (c::GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER, Attachment::Texture { target, layer, .. }) => {
            let layered = matches!(target, Target::ThreeD | Target::TwoDArray);
            Ok(integer(if layered { *layer } else { 0 }))
        }
        (c::GL_FRAMEBUFFER_ATTACHMENT_LAYERED, Attachment::Texture { layered, .. }) if has_layers(facts) => {
            Ok(integer(i32::from(*layered)))
        }
        _ => Err(NO_PARAMETER),
    }
}

fn has_layers(facts: &Facts) -> bool {
    facts.desktop(3, 2) || facts.es(3, 2) || facts.has("GL_OES_geometry_shader")
}

/// Returns whether a parameter exists for attachments with an object.
fn is_parameter(pname: u32, facts: &Facts) -> bool {
    match pname {
        c::GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL
        | c::GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE
        | c::GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER
        | c::GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING
        | c::GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE
        | c::GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE..=c::GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE => true,
        c::GL_FRAMEBUFFER_ATTACHMENT_LAYERED => has_layers(facts),
        _ => false,
    }
}

fn component_type(format: Option<&Format>, stencil: bool) -> u32 {
    match format {
        None => c::GL_NONE,
        Some(format) if format.has_stencil() && (!format.has_depth() || stencil && format.class == Class::Float) => {
            c::GL_INDEX
        }
        Some(format) if format.base == c::GL_YCBCR_MESA => c::GL_UNSIGNED_NORMALIZED,
        Some(format) => format.class.name(),
    }
}

fn component_bits(format: Option<&Format>, pname: u32) -> i32 {
    let place = match pname - c::GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE {
        colour @ 0..=3 => colour as usize,
        4 => 6,
        _ => 7,
    };
    format.map_or(0, |format| i32::from(format.bits[place]))
}

/// Answers a query about an attachment of the default framebuffer, which is a buffer of the surface.
fn default_attachment(view: &View<'_>, attachment: u32, pname: u32) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    let es = !matches!(facts.client, Client::Compatibility | Client::Core);
    if es && !facts.es(3, 0) {
        return Err(Fault::invalid_operation("the default framebuffer has no attachments"));
    }
    if es && !matches!(attachment, c::GL_BACK | c::GL_DEPTH | c::GL_STENCIL)
        || pname == c::GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME
    {
        return Err(NO_ATTACHMENT);
    }
    let about = surface(view, false).unwrap_or_default();
    let plane = match attachment {
        c::GL_DEPTH => about.depth > 0,
        c::GL_STENCIL => about.stencil > 0,
        c::GL_FRONT | c::GL_FRONT_LEFT | c::GL_FRONT_RIGHT | c::GL_BACK | c::GL_BACK_LEFT | c::GL_BACK_RIGHT => {
            let set = buffer_set(attachment, about.double).unwrap_or(0);
            planes(set & existing(facts, Name(0), about.double)).next().is_some()
        }
        _ => return Err(NO_ATTACHMENT),
    };
    let depth = matches!(attachment, c::GL_DEPTH | c::GL_STENCIL);
    match pname {
        c::GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE => {
            Ok(name(if plane { c::GL_FRAMEBUFFER_DEFAULT } else { c::GL_NONE }))
        }
        c::GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING if !plane && depth => Ok(name(c::GL_LINEAR)),
        _ if !plane && is_parameter(pname, facts) => Err(NOTHING_ATTACHED),
        c::GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING => {
            let srgb = about.srgb || is_srgb_capable(view, about.colour);
            Ok(name(if srgb && !depth { c::GL_SRGB } else { c::GL_LINEAR }))
        }
        c::GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE => {
            let only_stencil = attachment == c::GL_STENCIL && about.depth == 0;
            Ok(name(if only_stencil { c::GL_INDEX } else { c::GL_UNSIGNED_NORMALIZED }))
        }
        c::GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE..=c::GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE => {
            let place = (pname - c::GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE) as usize;
            Ok(integer(if depth { 0 } else { about.colour[place] }))
        }
        // A combined depth and stencil buffer is one buffer.
        c::GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE => Ok(integer(if depth { about.depth } else { 0 })),
        c::GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE => Ok(integer(if depth { about.stencil } else { 0 })),
        _ => Err(NO_PARAMETER),
    }
}

/// Returns whether a surface supports sRGB: Mesa gives desktop GL such surfaces of eight bits.
pub fn is_srgb_capable(view: &View<'_>, colour: [i32; 4]) -> bool {
    matches!(view.context.facts.client, Client::Compatibility | Client::Core) && colour[..3] == [8; 3]
}

fn parameter(view: &View<'_>, framebuffer: Name, pname: u32) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let of_default = match pname {
        c::GL_FRAMEBUFFER_DEFAULT_WIDTH
        | c::GL_FRAMEBUFFER_DEFAULT_HEIGHT
        | c::GL_FRAMEBUFFER_DEFAULT_LAYERS
        | c::GL_FRAMEBUFFER_DEFAULT_SAMPLES
        | c::GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS => false,
        c::GL_FRAMEBUFFER_FLIP_Y_MESA if facts.has("GL_MESA_framebuffer_flip_y") => false,
        c::GL_DOUBLEBUFFER
        | c::GL_IMPLEMENTATION_COLOR_READ_FORMAT
        | c::GL_IMPLEMENTATION_COLOR_READ_TYPE
        | c::GL_SAMPLES
        | c::GL_SAMPLE_BUFFERS
        | c::GL_STEREO => desktop,
        _ => return Err(Fault::invalid_enum("invalid framebuffer parameter")),
    };
    let found = view.context.framebuffers.get(&framebuffer.0).filter(|_| framebuffer.0 != 0);
    let Some(found) = found else {
        if !of_default {
            return Err(Fault::invalid_operation("the default framebuffer has no such parameter"));
        }
        return visual_value(view, framebuffer, pname, false).unwrap_or(Err(NO_PARAMETER));
    };
    match pname {
        c::GL_FRAMEBUFFER_DEFAULT_WIDTH => Ok(integer(found.defaults[0])),
        c::GL_FRAMEBUFFER_DEFAULT_HEIGHT => Ok(integer(found.defaults[1])),
        c::GL_FRAMEBUFFER_DEFAULT_LAYERS => Ok(integer(found.defaults[2])),
        c::GL_FRAMEBUFFER_DEFAULT_SAMPLES => Ok(integer(found.defaults[3])),
        c::GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS => Ok(integer(i32::from(found.default_fixed))),
        c::GL_FRAMEBUFFER_FLIP_Y_MESA => Ok(integer(i32::from(found.flip_y))),
        _ => visual_value(view, framebuffer, pname, false).unwrap_or(Err(NO_PARAMETER)),
    }
}

/// Properties of a framebuffer that `glGet…` can query, combined from its attachments.
#[derive(Clone, Copy, Default)]
struct Visual {
    /// Bits of red, green, blue, alpha.
    colour: [i32; 4],
    depth: i32,
    stencil: i32,
    samples: i32,
    float: bool,
    integer: bool,
    srgb: bool,
    /// Which of red, green, blue and alpha can be negative.
    signed: [bool; 4],
    double: bool,
}

fn visual(view: &View<'_>, framebuffer: Name, read: bool) -> Visual {
    let Some(found) = view.context.framebuffers.get(&framebuffer.0).filter(|_| framebuffer.0 != 0) else {
        let about = surface(view, read).unwrap_or_default();
        let Surface { colour, depth, stencil, samples, double, .. } = about;
        let srgb = about.srgb || colour[..3] == [8; 3];
        return Visual {
            colour,
            depth,
            stencil,
            samples,
            float: false,
            integer: false,
            srgb,
            signed: [false; 4],
            double,
        };
    };
    let mut visual = Visual::default();
    let images: Vec<Option<Attached>> = [DEPTH, STENCIL]
        .into_iter()
        .chain(0..COLOURS)
        .map(|place| image_of(view.group, &found.attachments[place]))
        .collect();
    let format = |image: &Option<Attached>| image.and_then(|image| image.format);
    visual.depth = format(&images[0]).map_or(0, |format| i32::from(format.bits[6]));
    visual.stencil = format(&images[1]).map_or(0, |format| i32::from(format.bits[7]));
    // The first colour attachment decides; the samples are those of the last image examined.
    for image in images.iter().flatten() {
        visual.samples = image.samples;
        let Some(format) = image.format else { continue };
        if !format.has_depth() && !format.has_stencil() {
            visual.colour = [0, 1, 2, 3].map(|at| i32::from(format.bits[at]));
            let signed = matches!(format.class, Class::Float | Class::Snorm | Class::Int);
            visual.signed = visual.colour.map(|bits| signed && bits > 0);
            break;
        }
    }
    visual.float = images[2..].iter().any(|image| format(image).is_some_and(|format| format.class == Class::Float));
    let integers = |format: &'static Format| matches!(format.class, Class::Int | Class::Uint);
    visual.srgb = images[2..].iter().any(|image| format(image).is_some_and(|format| format.is_srgb));
    visual.integer = images[2..].iter().any(|image| format(image).is_some_and(integers));
    if images.iter().all(Option::is_none) {
        visual.samples = found.defaults[3];
    }
    visual
}

/// Returns the stencil bits of the draw framebuffer, and whether its colours are floats.
pub fn stencil_and_floats(view: &View<'_>) -> (i32, bool) {
    let own = visual(view, Name(view.context.targets.draw), false);
    (own.stencil, own.float)
}

/// Returns a framebuffer's status as an answer. Which combinations are not supported is up to the driver, and so is whether
/// it says that, or that an attachment is not complete; the model knows what Mesa says.
fn status_answer(view: &View<'_>, status: u32) -> Answer {
    if status == c::GL_FRAMEBUFFER_UNSUPPORTED && !view.context.facts.is_mesa() {
        let values = Values::Unknown("which framebuffers are supported is up to the driver");
        return Answer { kind: NumberType::Enum, values };
    }
    name(status)
}

const INCOMPLETE: Values = Values::Unknown("the framebuffer is not complete, so the driver returns a stale value");

/// Answers a query for a property of a framebuffer; `None` when it is not one.
fn visual_value(view: &View<'_>, framebuffer: Name, pname: u32, read: bool) -> Option<Result<Answer, Fault>> {
    let kind = match pname {
        c::GL_DOUBLEBUFFER | c::GL_STEREO | c::GL_RGBA_MODE | c::GL_RGBA_FLOAT_MODE_ARB => NumberType::Boolean,
        c::GL_RGBA_INTEGER_MODE_EXT | c::GL_FRAMEBUFFER_SRGB_CAPABLE_EXT => NumberType::Boolean,
        _ => NumberType::Integer,
    };
    if matches!(pname, c::GL_IMPLEMENTATION_COLOR_READ_FORMAT | c::GL_IMPLEMENTATION_COLOR_READ_TYPE) {
        return Some(read_pixels(view, framebuffer, pname));
    }
    let own = visual(view, framebuffer, read);
    if pname == c::GL_RGBA_SIGNED_COMPONENTS_EXT {
        let numbers = own.signed.map(|signed| f64::from(u8::from(signed)));
        return Some(Ok(Answer::numbers(NumberType::Integer, &numbers)));
    }
    let number = match pname {
        c::GL_RED_BITS => own.colour[0],
        c::GL_GREEN_BITS => own.colour[1],
        c::GL_BLUE_BITS => own.colour[2],
        c::GL_ALPHA_BITS => own.colour[3],
        c::GL_DEPTH_BITS => own.depth,
        c::GL_STENCIL_BITS => own.stencil,
        c::GL_SAMPLES => own.samples,
        c::GL_SAMPLE_BUFFERS => i32::from(own.samples > 0),
        c::GL_DOUBLEBUFFER => i32::from(own.double),
        c::GL_RGBA_FLOAT_MODE_ARB => i32::from(own.float),
        // Framebuffer objects have no accumulation buffer, and surfaces are recorded without theirs.
        c::GL_STEREO
        | c::GL_ACCUM_RED_BITS
        | c::GL_ACCUM_GREEN_BITS
        | c::GL_ACCUM_BLUE_BITS
        | c::GL_ACCUM_ALPHA_BITS => 0,
        c::GL_RGBA_INTEGER_MODE_EXT => i32::from(own.integer),
        c::GL_FRAMEBUFFER_SRGB_CAPABLE_EXT => i32::from(own.srgb),
        _ => return None,
    };
    let complete = framebuffer.0 == 0 || check_status(view, framebuffer, read) == c::GL_FRAMEBUFFER_COMPLETE;
    if !complete && pname != c::GL_STEREO && pname != c::GL_DOUBLEBUFFER {
        return Some(Ok(Answer { kind, values: INCOMPLETE }));
    }
    Some(Ok(Answer::one(kind, f64::from(number))))
}

/// Returns the preferred format and type for `glReadPixels`.
fn read_pixels(view: &View<'_>, framebuffer: Name, pname: u32) -> Result<Answer, Fault> {
    let format = pname == c::GL_IMPLEMENTATION_COLOR_READ_FORMAT;
    let nothing = Fault::invalid_operation("the read buffer is GL_NONE");
    if !view.context.facts.is_mesa() {
        let values = Values::Unknown("the preferred read format is up to the driver");
        return Ok(Answer { kind: NumberType::Enum, values });
    }
    let Some(found) = view.context.framebuffers.get(&framebuffer.0).filter(|_| framebuffer.0 != 0) else {
        if buffers_of(view.context, framebuffer).read == c::GL_NONE {
            return Err(nothing);
        }
        // Mesa's surfaces are BGRA, and OpenGL ES reports that for those with alpha.
        let es = !matches!(view.context.facts.client, Client::Compatibility | Client::Core);
        let bits = surface(view, true).map_or([8; 4], |surface| surface.colour);
        let reversed = es && bits[3] > 0 && view.context.facts.has("GL_EXT_read_format_bgra");
        let colours = if reversed { c::GL_BGRA } else { c::GL_RGBA };
        let (colours, kind) = match bits {
            [5, 6, 5, 0] => (c::GL_RGB, c::GL_UNSIGNED_SHORT_5_6_5),
            [10, 10, 10, _] => (colours, c::GL_UNSIGNED_INT_2_10_10_10_REV),
            _ => (colours, c::GL_UNSIGNED_BYTE),
        };
        return Ok(name(if format { colours } else { kind }));
    };
    if framebuffer.0 != view.context.targets.read {
        let values = Values::Unknown("the preferred read format is determined when the framebuffer is bound");
        return Ok(Answer { kind: NumberType::Enum, values });
    }
    let read = read_image(view, found).ok_or(nothing)?;
    Ok(name(if format { read.read.0 } else { read.read.1 }))
}

/// Returns the format of the read buffer's image, if the framebuffer is complete.
fn read_image(view: &View<'_>, framebuffer: &Framebuffer) -> Option<&'static Format> {
    if status(&view.context.facts, view.group, framebuffer) != c::GL_FRAMEBUFFER_COMPLETE {
        return None;
    }
    let place = framebuffer.buffers.read.wrapping_sub(c::GL_COLOR_ATTACHMENT0) as usize;
    image_of(view.group, framebuffer.attachments[..COLOURS].get(place)?)?.format
}

/// Answers `glGet…` for framebuffer parameters.
fn value(view: &View<'_>, pname: u32, index: u32) -> Option<Result<Answer, Fault>> {
    let (targets, facts) = (&view.context.targets, &view.context.facts);
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let binding = |name: u32| Some(Ok(Answer::one(NumberType::Name(Namespace::Framebuffer), f64::from(name))));
    let draw = Name(targets.draw);
    match pname {
        c::GL_DRAW_FRAMEBUFFER_BINDING => binding(targets.draw),
        c::GL_READ_FRAMEBUFFER_BINDING => binding(targets.read),
        c::GL_DRAW_BUFFER if desktop => Some(Ok(name(buffers_of(view.context, draw).draw[0]))),
        c::GL_DRAW_BUFFER0..=c::GL_DRAW_BUFFER7 if index == 0 => {
            let place = (pname - c::GL_DRAW_BUFFER0) as usize;
            Some(Ok(name(buffers_of(view.context, draw).draw[place])))
        }
        c::GL_READ_BUFFER if desktop || facts.es(3, 0) => {
            Some(Ok(name(buffers_of(view.context, Name(targets.read)).read)))
        }
        c::GL_IMPLEMENTATION_COLOR_READ_FORMAT | c::GL_IMPLEMENTATION_COLOR_READ_TYPE => {
            visual_value(view, Name(targets.read), pname, true)
        }
        c::GL_DOUBLEBUFFER | c::GL_STEREO if !desktop => None,
        c::GL_RGBA_FLOAT_MODE_ARB | c::GL_RGBA_INTEGER_MODE_EXT | c::GL_FRAMEBUFFER_SRGB_CAPABLE_EXT if !desktop => {
            None
        }
        c::GL_RGBA_SIGNED_COMPONENTS_EXT if !facts.has("GL_EXT_packed_float") => None,
        c::GL_ACCUM_RED_BITS | c::GL_ACCUM_GREEN_BITS | c::GL_ACCUM_BLUE_BITS | c::GL_ACCUM_ALPHA_BITS if !desktop => {
            None
        }
        _ => visual_value(view, draw, pname, false),
    }
}
