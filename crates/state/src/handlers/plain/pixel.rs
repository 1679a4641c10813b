//! Pixel store, pixel transfer, pixel maps and pixel zoom.

use api::when::{When, both, desktop, when};
use api::{constant as c, id};

use super::most;
use crate::answer::{Answer, View};
use crate::context::Client;
use crate::fault::Fault;
use crate::handlers::Table;
use crate::step::{Done, Step};
use crate::variable::{self as var, NumberType, Var};

const DESKTOP: When = desktop(10);

/// Parameters of `glPixelStore`, and the contexts that have them. Booleans become 0 or 1, other values must not be
/// negative.
const STORE: &[(u32, Var, When)] = &[
    (c::GL_PACK_SWAP_BYTES, var::PACK_SWAP_BYTES, DESKTOP),
    (c::GL_PACK_LSB_FIRST, var::PACK_LSB_FIRST, DESKTOP),
    (c::GL_PACK_ROW_LENGTH, var::PACK_ROW_LENGTH, both(10, 30).or(&["GL_NV_pack_subimage"])),
    (c::GL_PACK_IMAGE_HEIGHT, var::PACK_IMAGE_HEIGHT, both(10, 30)),
    (c::GL_PACK_SKIP_PIXELS, var::PACK_SKIP_PIXELS, both(10, 30).or(&["GL_NV_pack_subimage"])),
    (c::GL_PACK_SKIP_ROWS, var::PACK_SKIP_ROWS, both(10, 30).or(&["GL_NV_pack_subimage"])),
    (c::GL_PACK_SKIP_IMAGES, var::PACK_SKIP_IMAGES, both(10, 30)),
    (c::GL_PACK_INVERT_MESA, var::PACK_INVERT_MESA, DESKTOP),
    (c::GL_PACK_REVERSE_ROW_ORDER_ANGLE, var::PACK_INVERT_MESA, when(255, 255, false, 20)),
    (c::GL_UNPACK_SWAP_BYTES, var::UNPACK_SWAP_BYTES, DESKTOP),
    (c::GL_UNPACK_LSB_FIRST, var::UNPACK_LSB_FIRST, DESKTOP),
    (c::GL_UNPACK_ROW_LENGTH, var::UNPACK_ROW_LENGTH, both(10, 30).or(&["GL_EXT_unpack_subimage"])),
    (c::GL_UNPACK_IMAGE_HEIGHT, var::UNPACK_IMAGE_HEIGHT, both(10, 30)),
    (c::GL_UNPACK_SKIP_PIXELS, var::UNPACK_SKIP_PIXELS, both(10, 30).or(&["GL_EXT_unpack_subimage"])),
    (c::GL_UNPACK_SKIP_ROWS, var::UNPACK_SKIP_ROWS, both(10, 30).or(&["GL_EXT_unpack_subimage"])),
    (c::GL_UNPACK_SKIP_IMAGES, var::UNPACK_SKIP_IMAGES, both(10, 30)),
    (c::GL_PACK_COMPRESSED_BLOCK_WIDTH, var::PACK_COMPRESSED_BLOCK_WIDTH, DESKTOP),
    (c::GL_PACK_COMPRESSED_BLOCK_HEIGHT, var::PACK_COMPRESSED_BLOCK_HEIGHT, DESKTOP),
    (c::GL_PACK_COMPRESSED_BLOCK_DEPTH, var::PACK_COMPRESSED_BLOCK_DEPTH, DESKTOP),
    (c::GL_PACK_COMPRESSED_BLOCK_SIZE, var::PACK_COMPRESSED_BLOCK_SIZE, DESKTOP),
    (c::GL_UNPACK_COMPRESSED_BLOCK_WIDTH, var::UNPACK_COMPRESSED_BLOCK_WIDTH, DESKTOP),
    (c::GL_UNPACK_COMPRESSED_BLOCK_HEIGHT, var::UNPACK_COMPRESSED_BLOCK_HEIGHT, DESKTOP),
    (c::GL_UNPACK_COMPRESSED_BLOCK_DEPTH, var::UNPACK_COMPRESSED_BLOCK_DEPTH, DESKTOP),
    (c::GL_UNPACK_COMPRESSED_BLOCK_SIZE, var::UNPACK_COMPRESSED_BLOCK_SIZE, DESKTOP),
];

/// Parameters of `glPixelTransfer`, except the shift and offset of indices.
const TRANSFER: &[Var] = &[
    var::RED_SCALE,
    var::RED_BIAS,
    var::GREEN_SCALE,
    var::GREEN_BIAS,
    var::BLUE_SCALE,
    var::BLUE_BIAS,
    var::ALPHA_SCALE,
    var::ALPHA_BIAS,
    var::DEPTH_SCALE,
    var::DEPTH_BIAS,
];

/// The type of numbers of a pixel map command.
#[derive(Clone, Copy)]
enum Number {
    Float,
    Word,
    Short,
}

pub fn register(table: &mut Table) {
    table.on(&[id::glPixelStorei], |step| store(step, step.int(1)));
    table.on(&[id::glPixelStoref], |step| {
        let value = step.float(1).round() as i64 as i32;
        store(step, value)
    });
    table.on(&[id::glPixelTransferf], |step| transfer(step, step.float(1)));
    table.on(&[id::glPixelTransferi], |step| {
        let value = step.int(1) as f32;
        transfer(step, value)
    });
    table.on(&[id::glPixelZoom], |step| {
        let (x, y) = (f64::from(step.float(0)), f64::from(step.float(1)));
        step.context.vars.set(var::ZOOM_X, x);
        step.context.vars.set(var::ZOOM_Y, y);
        Ok(())
    });
    table.on(&[id::glPixelMapfv], |step| map(step, Number::Float));
    table.on(&[id::glPixelMapuiv], |step| map(step, Number::Word));
    table.on(&[id::glPixelMapusv], |step| map(step, Number::Short));
    table.ask(&[id::glGetPixelMapfv], |view, args| ask_map(view, args, 0, Number::Float));
    table.ask(&[id::glGetPixelMapuiv], |view, args| ask_map(view, args, 0, Number::Word));
    table.ask(&[id::glGetPixelMapusv], |view, args| ask_map(view, args, 0, Number::Short));
    let bounded = [id::glGetnPixelMapfv, id::glGetnPixelMapfvARB];
    table.ask(&bounded, |view, args| ask_map(view, args, 4, Number::Float));
    let bounded = [id::glGetnPixelMapuiv, id::glGetnPixelMapuivARB];
    table.ask(&bounded, |view, args| ask_map(view, args, 4, Number::Word));
    let bounded = [id::glGetnPixelMapusv, id::glGetnPixelMapusvARB];
    table.ask(&bounded, |view, args| ask_map(view, args, 2, Number::Short));
    table.plain_getter(|view, name| {
        let which = name.checked_sub(c::GL_PIXEL_MAP_I_TO_I_SIZE).filter(|which| *which < 10)?;
        if !matches!(view.context.facts.client, Client::Compatibility | Client::Core) {
            return None;
        }
        let size = view.context.fixed.pixel_maps[which as usize].len();
        Some(Ok(Answer::one(NumberType::Integer, size as f64)))
    });
}

fn store(step: &mut Step<'_>, value: i32) -> Done {
    const NO_VALUE: Fault = Fault::invalid_value("invalid value of a pixel storage parameter");
    let name = step.name(0);
    if name == c::GL_PACK_ALIGNMENT || name == c::GL_UNPACK_ALIGNMENT {
        if !matches!(value, 1 | 2 | 4 | 8) {
            return Err(NO_VALUE);
        }
        let var = if name == c::GL_PACK_ALIGNMENT { var::PACK_ALIGNMENT } else { var::UNPACK_ALIGNMENT };
        step.context.vars.set(var, f64::from(value));
        return Ok(());
    }
    let entry = STORE.iter().find(|(entry, ..)| *entry == name).filter(|(.., when)| step.facts().meets(when));
    let (_, var, _) = entry.ok_or(Fault::invalid_enum("invalid pixel storage parameter"))?;
    if var.about().kind == NumberType::Boolean {
        step.context.vars.set(*var, f64::from(u8::from(value != 0)));
        return Ok(());
    }
    if value < 0 {
        return Err(NO_VALUE);
    }
    step.context.vars.set(*var, f64::from(value));
    Ok(())
}

fn transfer(step: &mut Step<'_>, value: f32) -> Done {
    let name = step.name(0);
    let (var, number) = match name {
        c::GL_MAP_COLOR => (var::MAP_COLOR, f64::from(u8::from(value != 0.0))),
        c::GL_MAP_STENCIL => (var::MAP_STENCIL, f64::from(u8::from(value != 0.0))),
        c::GL_INDEX_SHIFT => (var::INDEX_SHIFT, f64::from(value as i32)),
        c::GL_INDEX_OFFSET => (var::INDEX_OFFSET, f64::from(value as i32)),
        _ => {
            let var = TRANSFER.iter().find(|var| var.about().name == name);
            (*var.ok_or(Fault::invalid_enum("invalid pixel transfer parameter"))?, f64::from(value))
        }
    };
    step.context.vars.set(var, number);
    Ok(())
}

/// Returns the index of a pixel map: `GL_PIXEL_MAP_I_TO_I` is the first.
fn which_map(name: u32) -> Option<usize> {
    name.checked_sub(c::GL_PIXEL_MAP_I_TO_I).filter(|which| *which < 10).map(|which| which as usize)
}

/// Returns whether a map is from colour indices or stencil values: their sizes must be powers of two (GL 4.6
/// compatibility, 8.4.3), which Mesa does not check for the one to colour indices.
fn is_by_index(which: usize) -> bool {
    (1..6).contains(&which)
}

/// Returns whether a map is to colour indices or stencil values.
fn is_to_index(which: usize) -> bool {
    which < 2
}

fn map(step: &mut Step<'_>, number: Number) -> Done {
    let (which, size) = (which_map(step.name(0)), step.int(1));
    let most = most(step.facts(), c::GL_MAX_PIXEL_MAP_TABLE, 256) as i32;
    if size < 1 || size > most {
        return Err(Fault::invalid_value("invalid pixel map size"));
    }
    if which.is_some_and(is_by_index) && size.count_ones() != 1 {
        return Err(Fault::invalid_value("the size of a pixel map with indices must be a power of two"));
    }
    let which = which.ok_or(Fault::invalid_enum("invalid pixel map"))?;
    let Some(bytes) = step.input(2) else { return Ok(()) };
    let to_index = is_to_index(which);
    let values: Vec<f32> = match number {
        Number::Float => {
            let words = bytes.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().unwrap_or_default()));
            match which {
                0 => words.collect(),
                1 => words.map(f32::round).collect(),
                _ => words.map(|value| value.clamp(0.0, 1.0)).collect(),
            }
        }
        Number::Word => {
            let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()));
            if to_index {
                words.map(|word| word as f32).collect()
            } else {
                words.map(|word| (f64::from(word) / f64::from(u32::MAX)) as f32).collect()
            }
        }
        Number::Short => {
            let words = bytes.chunks_exact(2).map(|word| u16::from_le_bytes(word.try_into().unwrap_or_default()));
            if to_index {
                words.map(f32::from).collect()
            } else {
                words.map(|word| f32::from(word) * (1.0 / 65535.0)).collect()
            }
        }
    };
    drop(bytes);
    let values = values.into_iter().take(size as usize).collect();
    step.context.fixed_mut().pixel_maps[which] = values;
    Ok(())
}

/// Answers a query; `size_of` is the size of a number when the query gives a buffer size.
fn ask_map(view: &View<'_>, args: &[u64], size_of: u64, number: Number) -> Result<Answer, Fault> {
    let name = args.first().copied().unwrap_or(0) as u32;
    let which = which_map(name).ok_or(Fault::invalid_enum("invalid pixel map"))?;
    let values = &view.context.fixed.pixel_maps[which];
    let room = i64::from(args.get(1).copied().unwrap_or(0) as i32);
    if size_of != 0 && room < (values.len() as u64 * size_of) as i64 {
        return Err(Fault::invalid_operation("the buffer is too small for the pixel map"));
    }
    let numbers: Vec<f64> = values
        .iter()
        .map(|value| match number {
            Number::Float => f64::from(*value),
            // Mesa returns stencil values without conversion, as floats.
            Number::Word if which == 1 => f64::from(value.to_bits()),
            Number::Word => match f64::from(*value) * f64::from(u32::MAX) {
                // What does not fit into 64 bits has zeros in its lower half.
                large if large.abs() >= i64::MAX as f64 => 0.0,
                fits => f64::from(fits as i64 as u32),
            },
            Number::Short if is_to_index(which) => f64::from(value.clamp(0.0, 65535.0).trunc()),
            Number::Short => f64::from((value * 65535.0).round_ties_even()),
        })
        .collect();
    Ok(Answer::numbers(NumberType::Integer, &numbers))
}
