//! Reads, copies and invalidation of framebuffer pixels.

use api::{constant as c, id};

use super::super::texture::{check_readback, readback};
use super::super::{Table, query};
use super::buffers::buffers_of;
use super::names::{Name, bound, named_or_default};
use super::{Plane, draw_region, framebuffer_things, image_of, read_size, read_things, status};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::objects::format::{Class, Format, check_pixels, is_colour_format, is_integer_format};
use crate::objects::framebuffer::{COLOURS, DEPTH, STENCIL};
use crate::observer::{ContentsRef, Source};
use crate::records::{ImageWrite, Job, Region, Texels};
use crate::step::{Done, Step, not_negative};

pub fn register(table: &mut Table) {
    table.on(&[id::glReadPixels], |step| read_pixels(step, None, 6));
    let bounded = [id::glReadnPixels, id::glReadnPixelsARB, id::glReadnPixelsEXT, id::glReadnPixelsKHR];
    table.on(&bounded, |step| read_pixels(step, Some(6), 7));
    let blit = [id::glBlitFramebuffer, id::glBlitFramebufferEXT, id::glBlitFramebufferANGLE, id::glBlitFramebufferNV];
    table.on(&blit, |step| {
        let (read, draw) = (step.context.targets.read, step.context.targets.draw);
        blit_framebuffer(step, Name(read), Name(draw), 0)
    });
    table.on(&[id::glBlitNamedFramebuffer], |step| {
        let read = named_or_default(step.context, step.name(0))?;
        let draw = named_or_default(step.context, step.name(1))?;
        blit_framebuffer(step, read, draw, 2)
    });
    table.on(&[id::glInvalidateFramebuffer, id::glDiscardFramebufferEXT], |step| {
        let framebuffer = bound(step.context, step.name(0))?;
        invalidate(step, framebuffer, 1, None)
    });
    table.on(&[id::glInvalidateSubFramebuffer], |step| {
        let framebuffer = bound(step.context, step.name(0))?;
        invalidate(step, framebuffer, 1, Some(3))
    });
    table.on(&[id::glInvalidateNamedFramebufferData], |step| {
        let framebuffer = named_or_default(step.context, step.name(0))?;
        invalidate(step, framebuffer, 1, None)
    });
    table.on(&[id::glInvalidateNamedFramebufferSubData], |step| {
        let framebuffer = named_or_default(step.context, step.name(0))?;
        invalidate(step, framebuffer, 1, Some(3))
    });
}

/// The source of a read from a framebuffer.
#[derive(Clone, Copy, Debug)]
pub struct ReadSource {
    /// Its format.
    pub format: &'static Format,
    /// The requested internal format.
    pub internal: u32,
}

/// Returns the format closest to the bits of a plane of a surface.
fn surface_format(step: &Step<'_>, surface: u32, plane: Plane) -> Option<ReadSource> {
    let about = step.surfaces.get(&surface)?;
    let internal = match plane {
        Plane::Depth | Plane::Stencil => match (about.depth, about.stencil) {
            (0, 0) => return None,
            (0, _) if plane == Plane::Stencil => c::GL_STENCIL_INDEX8,
            (_, 0) if plane == Plane::Stencil => return None,
            (16, 0) => c::GL_DEPTH_COMPONENT16,
            (32, 0) => c::GL_DEPTH_COMPONENT32,
            (_, 0) => c::GL_DEPTH_COMPONENT24,
            _ => c::GL_DEPTH24_STENCIL8,
        },
        Plane::Colour(_) | Plane::Colours => match about.colour {
            [5, 6, 5, _] => c::GL_RGB565,
            [10, 10, 10, 0] => c::GL_RGB10,
            [10, 10, 10, _] => c::GL_RGB10_A2,
            [_, _, _, 0] => c::GL_RGB8,
            _ => c::GL_RGBA8,
        },
    };
    Some(ReadSource { format: Format::named(internal)?, internal })
}

/// Returns the source for a plane in a framebuffer; `None` when it has no such plane.
fn source_in(step: &Step<'_>, framebuffer: Name, surface: u32, plane: Plane, buffer: u32) -> Option<ReadSource> {
    let Some(found) = step.context.framebuffers.get(&framebuffer.0).filter(|_| framebuffer.0 != 0) else {
        let colour = matches!(plane, Plane::Colour(_) | Plane::Colours);
        return if colour && buffer == c::GL_NONE { None } else { surface_format(step, surface, plane) };
    };
    let place = match plane {
        Plane::Depth => DEPTH,
        Plane::Stencil => STENCIL,
        Plane::Colour(_) | Plane::Colours => {
            let place = buffer.wrapping_sub(c::GL_COLOR_ATTACHMENT0) as usize;
            if place >= COLOURS {
                return None;
            }
            place
        }
    };
    let image = image_of(step.group, &found.attachments[place])?;
    Some(ReadSource { format: image.format?, internal: image.internal })
}

/// Returns the source for pixels of a base format in the read framebuffer.
pub fn read_source(step: &Step<'_>, base: u32) -> Option<ReadSource> {
    let framebuffer = Name(step.context.targets.read);
    let buffer = buffers_of(step.context, framebuffer).read;
    let source = |plane| source_in(step, framebuffer, step.seat.read, plane, buffer);
    match base {
        c::GL_DEPTH_COMPONENT => source(Plane::Depth),
        c::GL_STENCIL_INDEX => source(Plane::Stencil),
        c::GL_DEPTH_STENCIL => source(Plane::Stencil).and(source(Plane::Depth)),
        _ => source(Plane::Colours),
    }
}

const INCOMPLETE: Fault = Fault::invalid_framebuffer("the framebuffer is not complete");

fn is_complete(step: &Step<'_>, framebuffer: Name, surface: u32) -> bool {
    match step.context.framebuffers.get(&framebuffer.0).filter(|_| framebuffer.0 != 0) {
        Some(found) => status(step.facts(), step.group, found) == c::GL_FRAMEBUFFER_COMPLETE,
        None => step.surfaces.contains_key(&surface),
    }
}

/// Returns the number of samples per pixel of a framebuffer.
fn samples(step: &Step<'_>, framebuffer: Name, surface: u32) -> i32 {
    match step.context.framebuffers.get(&framebuffer.0).filter(|_| framebuffer.0 != 0) {
        Some(found) => found.attachments.iter().find_map(|at| image_of(step.group, at)).map_or(0, |at| at.samples),
        None => step.surfaces.get(&surface).map_or(0, |surface| surface.samples),
    }
}

/// Checks that the read framebuffer can be read: it is complete, and not multisampled.
pub fn check_read(step: &Step<'_>) -> Done {
    let framebuffer = Name(step.context.targets.read);
    if framebuffer.0 == 0 {
        return Ok(());
    }
    if !is_complete(step, framebuffer, step.seat.read) {
        return Err(INCOMPLETE);
    }
    if samples(step, framebuffer, step.seat.read) > 0 {
        return Err(Fault::invalid_operation("multisampled pixels cannot be read"));
    }
    Ok(())
}

fn read_pixels(step: &mut Step<'_>, room: Option<usize>, param: usize) -> Done {
    let (width, height, format, type_) = (step.int(2), step.int(3), step.name(4), step.name(5));
    not_negative(width, "the width is negative")?;
    not_negative(height, "the height is negative")?;
    let framebuffer = Name(step.context.targets.read);
    if !is_complete(step, framebuffer, step.seat.read) {
        return Err(INCOMPLETE);
    }
    let nothing = Fault::invalid_operation("the read framebuffer has nothing of this format");
    let base = match format {
        c::GL_DEPTH_COMPONENT | c::GL_DEPTH_STENCIL | c::GL_STENCIL_INDEX => format,
        _ if is_colour_format(format) => c::GL_RGBA,
        // Mesa treats an unknown format as stencil until a later check.
        _ => c::GL_STENCIL_INDEX,
    };
    let first = if base == c::GL_DEPTH_STENCIL { c::GL_DEPTH_COMPONENT } else { base };
    let source = read_source(step, first).ok_or(nothing)?;
    let facts = step.context.facts.clone();
    if !matches!(facts.client, Client::Compatibility | Client::Core) {
        let best = base == c::GL_RGBA && best_pixels(step, framebuffer, source) == (format, type_);
        if !best {
            check_es_read(&facts, format, type_, source)?;
        }
    }
    check_pixels(&facts, format, type_)?;
    if framebuffer.0 != 0 && samples(step, framebuffer, step.seat.read) > 0 {
        return Err(Fault::invalid_operation("multisampled pixels cannot be read"));
    }
    read_source(step, base).ok_or(nothing)?;
    if base == c::GL_RGBA && is_integer_format(format) != source.format.class.is_integer() {
        return Err(Fault::invalid_operation("integer and non-integer formats cannot be combined"));
    }
    if width == 0 || height == 0 {
        return Ok(());
    }
    let room = room.map(|at| step.int(at));
    check_readback(step, param, (format, type_), [width, height, 1], 2, room)?;
    let planes: &[Plane] = match base {
        c::GL_DEPTH_COMPONENT => &[Plane::Depth],
        c::GL_STENCIL_INDEX => &[Plane::Stencil],
        c::GL_DEPTH_STENCIL => &[Plane::Depth, Plane::Stencil],
        _ => &[Plane::Colours],
    };
    for thing in planes.iter().flat_map(|plane| read_things(step, *plane)).collect::<Vec<_>>() {
        step.reads(thing);
    }
    readback(step, param);
    Ok(())
}

/// Returns the preferred format and type for reading.
fn best_pixels(step: &Step<'_>, framebuffer: Name, source: ReadSource) -> (u32, u32) {
    if framebuffer.0 == 0 && step.facts().has("GL_EXT_read_format_bgra") && source.format.bits[0] == 8 {
        return (c::GL_BGRA, c::GL_UNSIGNED_BYTE);
    }
    source.format.read
}

/// Checks which formats OpenGL ES can read besides the preferred one (ES 3.2, 16.1.2).
fn check_es_read(facts: &Facts, format: u32, type_: u32, source: ReadSource) -> Done {
    let apart = Fault::invalid_operation("the read buffer does not support this format and type");
    let unknown = Fault::invalid_enum("pixels of this type cannot be read");
    let class = source.format.class;
    let float_depth = source.format.has_depth() && class == Class::Float;
    let wide = |name: u32| matches!(name, c::GL_R16 | c::GL_RG16 | c::GL_RGB16 | c::GL_RGBA16);
    let fits = match (format, type_) {
        (c::GL_RGBA, c::GL_FLOAT) => class == Class::Float,
        (c::GL_RGBA, c::GL_UNSIGNED_BYTE) => {
            class == Class::Unorm
                || source.internal == c::GL_RGB10_A2UI
                || class == Class::Snorm && source.format.bits[0] == 8 && facts.has("GL_EXT_render_snorm")
        }
        (c::GL_RGBA, c::GL_UNSIGNED_INT_2_10_10_10_REV) => source.internal == c::GL_RGB10_A2,
        (c::GL_RGBA, c::GL_UNSIGNED_SHORT) => wide(source.internal) && facts.has("GL_EXT_texture_norm16"),
        (c::GL_RGBA, c::GL_SHORT) => class == Class::Snorm && source.format.bits[0] == 16,
        (c::GL_RGBA, c::GL_BYTE) => class == Class::Snorm && source.format.bits[0] == 8,
        (c::GL_BGRA, c::GL_UNSIGNED_BYTE | c::GL_UNSIGNED_SHORT_4_4_4_4_REV | c::GL_UNSIGNED_SHORT_1_5_5_5_REV) => true,
        (c::GL_RGBA_INTEGER, c::GL_INT) => class == Class::Int,
        (c::GL_RGBA_INTEGER, c::GL_UNSIGNED_INT) => class == Class::Uint,
        (c::GL_DEPTH_STENCIL, c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV) | (c::GL_DEPTH_COMPONENT, c::GL_FLOAT) => {
            float_depth
        }
        (c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8)
        | (c::GL_DEPTH_COMPONENT, c::GL_UNSIGNED_SHORT | c::GL_UNSIGNED_INT | c::GL_UNSIGNED_INT_24_8) => !float_depth,
        (c::GL_STENCIL_INDEX, c::GL_UNSIGNED_BYTE) => true,
        (c::GL_DEPTH_STENCIL | c::GL_DEPTH_COMPONENT | c::GL_STENCIL_INDEX, _) => return Err(unknown),
        _ => false,
    };
    if fits { Ok(()) } else { Err(apart) }
}

fn blit_framebuffer(step: &mut Step<'_>, read: Name, draw: Name, at: usize) -> Done {
    let facts = step.context.facts.clone();
    let es = facts.es(3, 0);
    if !is_complete(step, draw, step.seat.draw) || !is_complete(step, read, step.seat.read) {
        return Err(INCOMPLETE);
    }
    let [x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1] = [0, 1, 2, 3, 4, 5, 6, 7].map(|index| step.int(at + index));
    let (mask, filter) = (step.name(at + 8), step.name(at + 9));
    let scaled = matches!(filter, c::GL_SCALED_RESOLVE_FASTEST_EXT | c::GL_SCALED_RESOLVE_NICEST_EXT);
    let has_scaled = facts.has("GL_EXT_framebuffer_multisample_blit_scaled");
    let known = matches!(filter, c::GL_NEAREST | c::GL_LINEAR) || scaled && has_scaled;
    if !known {
        return Err(Fault::invalid_enum("invalid filter"));
    }
    let (from, to) = (samples(step, read, step.seat.read), samples(step, draw, step.seat.draw));
    let apart = Fault::invalid_operation("the read and draw framebuffers are not compatible");
    if scaled && (from == 0 || to > 0) {
        return Err(apart);
    }
    if mask & !(c::GL_COLOR_BUFFER_BIT | c::GL_DEPTH_BUFFER_BIT | c::GL_STENCIL_BUFFER_BIT) != 0 {
        return Err(Fault::invalid_value("invalid buffer"));
    }
    if mask & (c::GL_DEPTH_BUFFER_BIT | c::GL_STENCIL_BUFFER_BIT) != 0 && filter != c::GL_NEAREST {
        return Err(Fault::invalid_operation("depth and stencil cannot be blitted with GL_LINEAR"));
    }
    let moved = (x0, y0, x1, y1) != (to_x0, to_y0, to_x1, to_y1);
    let width = |from: i32, to: i32| i64::from(to).abs_diff(i64::from(from));
    let resized = width(x0, x1) != width(to_x0, to_x1) || width(y0, y1) != width(to_y0, to_y1);
    let samples_apart = if es {
        to > 0 || from > 0 && moved
    } else {
        from > 0 && to > 0 && from != to || (from > 0 || to > 0) && !scaled && resized
    };
    if samples_apart {
        return Err(apart);
    }
    let mut planes = Vec::new();
    for (bit, plane) in [
        (c::GL_COLOR_BUFFER_BIT, Plane::Colours),
        (c::GL_STENCIL_BUFFER_BIT, Plane::Stencil),
        (c::GL_DEPTH_BUFFER_BIT, Plane::Depth),
    ] {
        if mask & bit != 0 && check_blit(step, (read, draw), plane, filter, from > 0 || to > 0)? {
            planes.push(plane);
        }
    }
    let at = Blit { from: [x0, y0, x1, y1], to: [to_x0, to_y0, to_x1, to_y1], samples: from > 0 || to > 0 };
    note_blit(step, read, draw, &planes, &at);
    Ok(())
}

/// The rectangles of a blit, as given.
struct Blit {
    from: [i32; 4],
    to: [i32; 4],
    /// Whether one of the framebuffers is multisampled.
    samples: bool,
}

impl Blit {
    /// Returns the written region and the first source pixel, if pixels are copied unchanged: nothing is scaled,
    /// mirrored or resolved. Parts outside of either framebuffer are left out (GL 4.6, 18.3.1).
    fn exact(&self, step: &Step<'_>) -> Option<(Region, [u32; 2])> {
        let [x0, y0, x1, y1] = self.from;
        let [to_x0, to_y0, to_x1, to_y1] = self.to;
        let size = [x1.checked_sub(x0)?, y1.checked_sub(y0)?];
        let plain = [to_x1.checked_sub(to_x0)?, to_y1.checked_sub(to_y0)?] == size && size.iter().all(|size| *size > 0);
        if !plain || self.samples {
            return None;
        }
        let (read, moved) = (read_size(step), [to_x0.checked_sub(x0)?, to_y0.checked_sub(y0)?]);
        let there = Region::whole(read).meet(&Region::new([x0, y0], size))?;
        // The source position, relative to the destination.
        let corner = [0, 1].map(|axis| i64::from(there.at[axis]) + i64::from(moved[axis]));
        let at = [i32::try_from(corner[0]).ok()?, i32::try_from(corner[1]).ok()?];
        let region = Region::new(at, there.size().map(u32::cast_signed)).meet(&draw_region(step)?)?;
        let from = [0, 1].map(|axis| (i64::from(region.at[axis]) - i64::from(moved[axis])) as u32);
        Some((region, from))
    }
}

/// Checks one plane of a blit; returns whether both framebuffers have it.
fn check_blit(
    step: &Step<'_>,
    (read, draw): (Name, Name),
    plane: Plane,
    filter: u32,
    multisample: bool,
) -> Result<bool, Fault> {
    let apart = Err(Fault::invalid_operation("the read and draw framebuffers are not compatible"));
    let es = step.facts().es(3, 0);
    let buffer = buffers_of(step.context, read).read;
    let Some(source) = source_in(step, read, step.seat.read, plane, buffer) else { return Ok(false) };
    let names = match plane {
        Plane::Colours => buffers_of(step.context, draw).draw.to_vec(),
        _ => vec![c::GL_NONE],
    };
    let mut any = false;
    for name in names.into_iter().filter(|name| plane != Plane::Colours || *name != c::GL_NONE) {
        let Some(target) = source_in(step, draw, step.seat.draw, plane, name) else { continue };
        any = true;
        let same = read == draw && (read.0 != 0 || step.seat.read == step.seat.draw);
        if es && same && (plane != Plane::Colours || name == buffer) {
            return apart;
        }
        let (one, other) = (source.format, target.format);
        let integers = |format: &Format| if format.class.is_integer() { format.class } else { Class::Float };
        let fits = match plane {
            Plane::Colours | Plane::Colour(_) => {
                // Unsized formats stand for sized ones (OpenGL ES 3.0, table 3.12): `GL_RGBA` is mostly `GL_RGBA8`.
                let stored = |format: &Format| (format.base, format.bits, format.class);
                integers(one) == integers(other) && !(es && multisample && stored(one) != stored(other))
            }
            _ => {
                let bits = |place: usize| one.bits[place] == other.bits[place];
                let both = |place: usize| one.bits[place] > 0 && other.bits[place] > 0;
                let (own, second) = if plane == Plane::Stencil { (7, 6) } else { (6, 7) };
                bits(own) && (!both(second) || bits(second)) && (!both(6) || one.class == other.class)
            }
        };
        if !fits {
            return apart;
        }
    }
    if any && plane == Plane::Colours && filter != c::GL_NEAREST && source.format.class.is_integer() {
        return apart;
    }
    Ok(any)
}

/// Returns the images of a plane that are written, with the names of their buffers.
fn written_things(step: &Step<'_>, plane: Plane) -> Vec<(ContentsRef, u32)> {
    if plane != Plane::Colours {
        return framebuffer_things(step, plane).into_iter().map(|thing| (thing, c::GL_NONE)).collect();
    }
    let names = buffers_of(step.context, Name(step.context.targets.draw)).draw;
    let of = |(index, name): (usize, u32)| {
        framebuffer_things(step, Plane::Colour(index)).into_iter().map(move |thing| (thing, name))
    };
    names.into_iter().enumerate().flat_map(of).collect()
}

/// Records what a blit reads and writes.
fn note_blit(step: &mut Step<'_>, read: Name, draw: Name, planes: &[Plane], blit: &Blit) {
    if step.observer.is_none() {
        return;
    }
    let (old_read, old_draw) = (step.context.targets.read, step.context.targets.draw);
    step.context.targets.read = read.0;
    step.context.targets.draw = draw.0;
    let exact = if query::condition(step) { None } else { blit.exact(step) };
    for plane in planes {
        let things = read_things(step, *plane);
        for thing in &things {
            step.reads(*thing);
        }
        let buffer = buffers_of(step.context, read).read;
        let source = source_in(step, read, step.seat.read, *plane, buffer);
        for (thing, name) in written_things(step, *plane) {
            let target = source_in(step, draw, step.seat.draw, *plane, name);
            let alike = source
                .zip(target)
                .is_some_and(|(source, target)| source.format.name == target.format.name && !source.format.is_srgb);
            let (region, texels) = match (exact.filter(|_| alike), things.first()) {
                (Some((region, from)), Some(of)) => (region, Texels::Image { of: *of, from, exact: true }),
                (None, Some(of)) => {
                    let corner = |one: i32, other: i32| one.min(other).max(0).cast_unsigned();
                    let from = [corner(blit.from[0], blit.from[2]), corner(blit.from[1], blit.from[3])];
                    (Region::ALL, Texels::Image { of: *of, from, exact: false })
                }
                (_, None) => (Region::ALL, Texels::Gpu(Job::Draw)),
            };
            step.writes_image(thing, Source::Gpu, ImageWrite { region, aspect: plane.aspect(), texels });
        }
    }
    step.context.targets.read = old_read;
    step.context.targets.draw = old_draw;
}

/// `glInvalidateFramebuffer`: `at` is the index of the number of attachments, `area` that of a rectangle.
fn invalidate(step: &mut Step<'_>, framebuffer: Name, at: usize, area: Option<usize>) -> Done {
    let count = not_negative(step.int(at), "the number of attachments is negative")?;
    if let Some(area) = area
        && (step.int(area + 2) < 0 || step.int(area + 3) < 0)
    {
        return Err(Fault::invalid_value("the area is negative"));
    }
    let mut names = step.input_names(at as u8 + 1);
    names.truncate(count as usize);
    let desktop = matches!(step.facts().client, Client::Compatibility | Client::Core);
    let most = step.facts().limits.integer(c::GL_MAX_COLOR_ATTACHMENTS, 8) as u32;
    for name in &names {
        let known = match *name {
            c::GL_COLOR | c::GL_DEPTH | c::GL_STENCIL => framebuffer.0 == 0,
            c::GL_FRONT_LEFT | c::GL_FRONT_RIGHT | c::GL_BACK_LEFT | c::GL_BACK_RIGHT => framebuffer.0 == 0 && desktop,
            c::GL_ACCUM | c::GL_AUX0..=c::GL_AUX3 => framebuffer.0 == 0 && step.facts().client == Client::Compatibility,
            c::GL_DEPTH_ATTACHMENT | c::GL_STENCIL_ATTACHMENT => framebuffer.0 != 0,
            c::GL_DEPTH_STENCIL_ATTACHMENT => framebuffer.0 != 0 && (desktop || step.facts().es(3, 0)),
            c::GL_COLOR_ATTACHMENT0..=c::GL_COLOR_ATTACHMENT31 if framebuffer.0 != 0 => {
                if *name - c::GL_COLOR_ATTACHMENT0 >= most {
                    return Err(Fault::invalid_operation("the colour attachment index is too large"));
                }
                true
            }
            _ => false,
        };
        if !known {
            return Err(Fault::invalid_enum("the framebuffer does not have this attachment"));
        }
    }
    if area.is_none() {
        note_invalidated(step, framebuffer, &names);
    }
    Ok(())
}

/// Returns whether depth or stencil of a framebuffer are in a combined image.
pub fn is_combined(step: &Step<'_>, framebuffer: Name) -> bool {
    let Some(found) = step.context.framebuffers.get(&framebuffer.0) else { return false };
    [DEPTH, STENCIL].into_iter().any(|place| {
        let format = image_of(step.group, &found.attachments[place]).and_then(|image| image.format);
        format.is_some_and(|format| format.has_depth() && format.has_stencil())
    })
}

/// Records invalidated images, as far as all of an image is invalidated.
fn note_invalidated(step: &mut Step<'_>, framebuffer: Name, names: &[u32]) {
    if step.observer.is_none() {
        return;
    }
    let old = step.context.targets.draw;
    step.context.targets.draw = framebuffer.0;
    for name in names {
        let planes: &[Plane] = match *name {
            // Invalidating one half of a combined image keeps the other half.
            c::GL_DEPTH_ATTACHMENT | c::GL_STENCIL_ATTACHMENT if is_combined(step, framebuffer) => &[],
            c::GL_DEPTH | c::GL_DEPTH_ATTACHMENT => &[Plane::Depth],
            c::GL_STENCIL | c::GL_STENCIL_ATTACHMENT => &[Plane::Stencil],
            c::GL_DEPTH_STENCIL_ATTACHMENT => &[Plane::Depth, Plane::Stencil],
            c::GL_COLOR => &[Plane::Colours],
            _ => &[],
        };
        for plane in planes {
            for thing in framebuffer_things(step, *plane) {
                step.writes_image(thing, Source::Undefined, ImageWrite::whole(plane.aspect(), Texels::Undefined));
            }
        }
    }
    step.context.targets.draw = old;
}
