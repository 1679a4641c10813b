//! Pixel transfers, from and to the program's memory or a pixel buffer.

use api::constant::GL_UNSIGNED_BYTE;
use api::extent::{PixelStore, pixels};

use super::level::Written;
use crate::fault::Fault;
use crate::objects::buffer::{BufferRef, Point};
use crate::objects::format::Format;
use crate::observer::{ContentsRef, Source};
use crate::records::{Job, Origin, Pixels, Texels};
use crate::step::{Done, Step};
use crate::variable as var;

/// Returns the pixel store for packing or unpacking.
fn store(step: &Step<'_>, pack: bool) -> PixelStore {
    let vars = &step.context.vars;
    let number = |unpack, other| vars.get(if pack { other } else { unpack }) as u32;
    PixelStore {
        buffer: false,
        alignment: number(var::UNPACK_ALIGNMENT, var::PACK_ALIGNMENT),
        row_length: number(var::UNPACK_ROW_LENGTH, var::PACK_ROW_LENGTH),
        image_height: number(var::UNPACK_IMAGE_HEIGHT, var::PACK_IMAGE_HEIGHT),
        skip_pixels: number(var::UNPACK_SKIP_PIXELS, var::PACK_SKIP_PIXELS),
        skip_rows: number(var::UNPACK_SKIP_ROWS, var::PACK_SKIP_ROWS),
        skip_images: number(var::UNPACK_SKIP_IMAGES, var::PACK_SKIP_IMAGES),
    }
}

/// Returns the bound pixel buffer; `None` when pixels are in the program's memory.
fn buffer(step: &Step<'_>, pack: bool) -> Option<BufferRef> {
    let bound = step.context.buffers.get(if pack { Point::PixelPack } else { Point::PixelUnpack });
    (!bound.is_none()).then_some(bound)
}

/// Returns the size in bytes of an image, from its pointer on.
fn bytes(step: &Step<'_>, pack: bool, format: u32, type_: u32, size: [i32; 3], dims: usize) -> Option<usize> {
    let [width, height, depth] = size.map(i64::from);
    pixels::bytes(&store(step, pack), format, type_, width, height, (dims == 3).then_some(depth))
}

/// Checks the pixel buffer: it must not be mapped, and must be large enough (GL 4.6, 8.4.4.1 and 18.2.2).
fn check(step: &Step<'_>, pack: bool, param: usize, count: Option<usize>, type_: u32) -> Done {
    let Some(bound) = buffer(step, pack) else { return Ok(()) };
    let Some(found) = step.group.buffer(bound) else { return Ok(()) };
    let end = step.word(param).saturating_add(count.unwrap_or(0) as u64);
    let unit = pixels::type_size(type_).map_or(1, |(size, _)| size.max(1).cast_unsigned());
    if found.size == 0 || !step.word(param).is_multiple_of(unit) {
        return Err(Fault::invalid_operation("the offset is past the end of the pixel buffer"));
    }
    if end > found.size && count != Some(0) {
        return Err(Fault::invalid_operation("the pixel buffer is too small"));
    }
    if found.blocked() {
        return Err(Fault::invalid_operation("the pixel buffer is mapped"));
    }
    Ok(())
}

/// Checks the pixel buffer of an upload, if any.
pub fn check_upload(step: &Step<'_>, param: usize, format: u32, type_: u32, size: [i32; 3], dims: usize) -> Done {
    check(step, false, param, bytes(step, false, format, type_, size, dims), type_)
}

/// Checks the pixel buffer of a compressed upload, whose size is an argument.
pub fn check_compressed_upload(step: &Step<'_>, param: usize, count: i32) -> Done {
    check(step, false, param, usize::try_from(count).ok(), GL_UNSIGNED_BYTE)
}

/// The format of uploaded pixels.
#[derive(Clone, Copy, Debug)]
pub enum Uploaded {
    /// Pixels of a format and a type, for a command with this many dimensions.
    Pixels {
        /// The format.
        format: u32,
        /// The type.
        kind: u32,
        /// The number of dimensions of the command.
        dims: usize,
    },
    /// Blocks of a compressed format.
    Compressed(&'static Format),
}

/// Returns the source of uploaded pixels; the last parameter points to them. If it is null, the contents are undefined.
pub fn upload(step: &mut Step<'_>, whole: bool, size: [i32; 3], uploaded: Uploaded) -> Written {
    let param = step.call.args.len() - 1;
    // The pixels of a display list have the layout at its compilation, which is not kept.
    let pixels = if step.call.memory.is_from_list() { None } else { layout(step, size, uploaded) };
    match buffer(step, false) {
        Some(bound) => {
            let to = step.group.buffer(bound).map_or(0, |found| found.size);
            let (object, from) = (bound.object, step.word(param));
            let of = ContentsRef::Buffer { object, from: from.min(to), to };
            step.reads(of);
            let texels = pixels.map_or(CHANGED, |pixels| Texels::Buffer { object, from, pixels });
            Written { source: Source::Copy { of, whole }, texels }
        }
        None if step.word(param) == 0 => Written::UNDEFINED,
        None => {
            let param = param as u8;
            let texels = pixels.map_or(CHANGED, |pixels| Texels::Memory { param, pixels });
            Written { source: Source::Memory { param, whole }, texels }
        }
    }
}

const CHANGED: Texels = Texels::Gpu(Job::Transfer);

/// Returns the memory layout of uploaded pixels; `None` when they are converted.
fn layout(step: &Step<'_>, size: [i32; 3], uploaded: Uploaded) -> Option<Pixels> {
    let store = store(step, false);
    let [width, height] = [size[0], size[1]].map(i64::from);
    let (format, kind, found) = match uploaded {
        Uploaded::Pixels { format, kind, dims } => {
            if step.context.transfers_pixels() {
                return None;
            }
            (format, kind, pixels::layout(&store, format, kind, [width, height], dims == 3)?)
        }
        Uploaded::Compressed(row) => {
            // Blocks that are part of a larger image (GL 4.6, 8.7) are not contiguous.
            if step.context.vars.get(var::UNPACK_COMPRESSED_BLOCK_SIZE) != 0.0 {
                return None;
            }
            let [line, image] = [i32::from(row.block.1), size[1]].map(|rows| row.compressed_size(size[0], rows, 1));
            let (row_bytes, image) = (line.cast_unsigned(), image.cast_unsigned());
            (0, row.name, pixels::Layout { first: 0, row: row_bytes, image })
        }
    };
    let swapped = format != 0 && step.context.vars.get(var::UNPACK_SWAP_BYTES) != 0.0;
    Some(Pixels { format, kind, first: found.first, row: found.row, image: found.image, swapped })
}

/// Checks the pixel buffer that pixels are read to, if any; for the program's memory `room` is its size.
pub fn check_readback(
    step: &Step<'_>,
    param: usize,
    pixels: (u32, u32),
    size: [i32; 3],
    dims: usize,
    room: Option<i32>,
) -> Done {
    let (format, type_) = pixels;
    let count = bytes(step, true, format, type_, size, dims);
    let small = room.is_some_and(|room| count.is_some_and(|count| count as i64 > i64::from(room)));
    if small && buffer(step, true).is_none() {
        return Err(Fault::invalid_operation("the buffer is too small for the pixels"));
    }
    check(step, true, param, count, type_)
}

/// Records a write to the pixel buffer that pixels are read to, if any.
pub fn readback(step: &mut Step<'_>, param: usize) {
    if let Some(bound) = buffer(step, true) {
        let to = step.group.buffer(bound).map_or(0, |found| found.size);
        super::super::buffer::write(step, bound, step.word(param).min(to), to, Origin::Gpu);
    }
}
