//! The size of an image in the program's memory (GL 4.6, 8.4.4, and the same section of the compatibility
//! profile for colour indices and bitmaps).

use super::{Blocks, PixelStore};
use crate::constant::*;

/// Returns the number of bytes from the pointer to the end of the last pixel: 0 for empty images, and nothing for
/// unknown formats and types.
///
/// `depth` is nothing for images of one or two dimensions, for which GL ignores the settings for three.
#[must_use]
pub fn bytes(store: &PixelStore, format: u32, kind: u32, width: i64, height: i64, depth: Option<i64>) -> Option<usize> {
    if width <= 0 || height <= 0 || depth.is_some_and(|depth| depth <= 0) {
        return Some(0);
    }
    // Sizes are 32-bit integers in all commands, so larger ones do not come from one.
    if [width, height, depth.unwrap_or(0)].into_iter().any(|size| size > i64::from(u32::MAX)) {
        return None;
    }
    let row = row(store, format, kind, width)?;
    let rows = if depth.is_some() && store.image_height > 0 { i64::from(store.image_height) } else { height };
    let image = rows.checked_mul(row.stride)?;
    let images = depth.map_or(0, |depth| i64::from(store.skip_images) + depth - 1);
    let before = images.checked_mul(image)?;
    let full_rows = (i64::from(store.skip_rows) + height - 1).checked_mul(row.stride)?;
    usize::try_from(before.checked_add(full_rows)?.checked_add(row.length)?).ok()
}

/// The places of the pixels of an image, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// From the pointer to the first pixel.
    pub first: u64,
    /// From one row to the next.
    pub row: u64,
    /// From one image to the next.
    pub image: u64,
}

/// Returns the places of the pixels of an image; nothing for bitmaps and for unknown formats and types. See [`bytes`]
/// for the parameters.
#[must_use]
pub fn layout(store: &PixelStore, format: u32, kind: u32, size: [i64; 2], volume: bool) -> Option<Layout> {
    let pixel = u64::try_from(pixel(format, kind)?).ok()?;
    let row = u64::try_from(row(store, format, kind, size[0])?.stride).ok()?;
    let rows =
        if volume && store.image_height > 0 { u64::from(store.image_height) } else { size[1].try_into().ok()? };
    let image = row.checked_mul(rows)?;
    let images = if volume { u64::from(store.skip_images).checked_mul(image)? } else { 0 };
    let rows = u64::from(store.skip_rows).checked_mul(row)?;
    let first = images.checked_add(rows)?.checked_add(u64::from(store.skip_pixels).checked_mul(pixel)?)?;
    Some(Layout { first, row, image })
}

/// Returns the number of bytes from the pointer to the end of a compressed image that is part of a larger one (GL 4.6,
/// 8.7). Nothing when the program has not set the size of its blocks; the image has no gaps then.
#[must_use]
pub fn compressed_bytes(store: &PixelStore, blocks: Blocks, size: [i64; 3]) -> Option<usize> {
    if blocks.size == 0 || blocks.width == 0 || size.into_iter().any(|size| size <= 0 || size > i64::from(u32::MAX)) {
        return None;
    }
    let [width, height, depth] = size;
    let [wide, high, deep] = [blocks.width, blocks.height, blocks.depth].map(|size| i64::from(size.max(1)));
    let bytes = i64::from(blocks.size);
    let count = |texels: i64, block: i64| (texels + block - 1) / block;
    let or = |given: u32, size: i64| if given > 0 { i64::from(given) } else { size };
    let row = bytes.checked_mul(count(or(store.row_length, width), wide))?;
    let image = row.checked_mul(count(or(store.image_height, height), high))?;
    let images = i64::from(store.skip_images) / deep + count(depth, deep) - 1;
    let rows = i64::from(store.skip_rows) / high + count(height, high) - 1;
    let last = bytes.checked_mul(i64::from(store.skip_pixels) / wide + count(width, wide))?;
    usize::try_from(images.checked_mul(image)?.checked_add(rows.checked_mul(row)?)?.checked_add(last)?).ok()
}

/// Returns the size of one pixel in bytes; nothing for bitmaps and unknown formats.
#[must_use]
pub fn pixel(format: u32, kind: u32) -> Option<usize> {
    let (size, packed) = type_size(kind)?;
    let values = if packed { 1 } else { components(format)? };
    usize::try_from(size * values).ok()
}

/// Bytes from one row to the next, and from the start of the last row to the end of its last pixel.
struct Row {
    stride: i64,
    length: i64,
}

fn row(store: &PixelStore, format: u32, kind: u32, width: i64) -> Option<Row> {
    let alignment = i64::from(store.alignment.max(1));
    let skip = i64::from(store.skip_pixels);
    let pixels = if store.row_length > 0 { i64::from(store.row_length) } else { width };
    if kind == GL_BITMAP {
        // One bit for each component; the stride is a multiple of the alignment.
        let bits = components(format)?;
        let stride = alignment * (bits * pixels + 8 * alignment - 1).div_euclid(8 * alignment);
        return Some(Row { stride, length: (bits * (skip + width) + 7) / 8 });
    }
    let (size, packed) = type_size(kind)?;
    let pixel = if packed { size } else { size * components(format)? };
    let stride = pixel.checked_mul(pixels)?;
    // Equation 8.2: rows are aligned only when an element is smaller than the alignment.
    let stride = if size < alignment { (stride + alignment - 1) / alignment * alignment } else { stride };
    Some(Row { stride, length: pixel.checked_mul(skip + width)? })
}

/// Returns the number of components of a pixel (GL 4.6, table 8.3, and extensions).
#[must_use]
pub fn components(format: u32) -> Option<i64> {
    Some(match format {
        GL_COLOR_INDEX
        | GL_STENCIL_INDEX
        | GL_DEPTH_COMPONENT
        | GL_RED
        | GL_GREEN
        | GL_BLUE
        | GL_ALPHA
        | GL_LUMINANCE
        | GL_INTENSITY
        | GL_RED_INTEGER
        | GL_GREEN_INTEGER
        | GL_BLUE_INTEGER
        | GL_ALPHA_INTEGER
        | GL_LUMINANCE_INTEGER_EXT => 1,
        GL_LUMINANCE_ALPHA
        | GL_LUMINANCE_ALPHA_INTEGER_EXT
        | GL_RG
        | GL_RG_INTEGER
        | GL_DEPTH_STENCIL
        | GL_DUDV_ATI
        | GL_HILO_NV
        | GL_DSDT_NV
        | GL_422_EXT
        | GL_422_REV_EXT
        | GL_422_AVERAGE_EXT
        | GL_422_REV_AVERAGE_EXT => 2,
        GL_RGB | GL_BGR | GL_RGB_INTEGER | GL_BGR_INTEGER | GL_DSDT_MAG_NV => 3,
        GL_RGBA | GL_BGRA | GL_ABGR_EXT | GL_RGBA_INTEGER | GL_BGRA_INTEGER | GL_CMYK_EXT | GL_DSDT_MAG_VIB_NV => 4,
        GL_CMYKA_EXT => 5,
        // Two pixels of these take four bytes, and their type is always packed.
        GL_RGB_422_APPLE | GL_YCBCR_422_APPLE | GL_YCBCR_MESA => 1,
        // Programs for GL 1.0 give the number of components as the format.
        1..=4 => i64::from(format),
        _ => return None,
    })
}

/// Returns the size of a type in bytes, and whether one value holds a whole pixel (GL 4.6, tables 8.2 and 8.5).
#[must_use]
pub fn type_size(kind: u32) -> Option<(i64, bool)> {
    Some(match kind {
        GL_BYTE | GL_UNSIGNED_BYTE => (1, false),
        GL_SHORT | GL_UNSIGNED_SHORT | GL_HALF_FLOAT | GL_HALF_FLOAT_OES => (2, false),
        GL_INT | GL_UNSIGNED_INT | GL_FLOAT | GL_FIXED => (4, false),
        GL_DOUBLE => (8, false),
        GL_UNSIGNED_BYTE_3_3_2 | GL_UNSIGNED_BYTE_2_3_3_REV => (1, true),
        GL_UNSIGNED_SHORT_5_6_5
        | GL_UNSIGNED_SHORT_5_6_5_REV
        | GL_UNSIGNED_SHORT_4_4_4_4
        | GL_UNSIGNED_SHORT_4_4_4_4_REV
        | GL_UNSIGNED_SHORT_5_5_5_1
        | GL_UNSIGNED_SHORT_1_5_5_5_REV
        | GL_UNSIGNED_SHORT_8_8_APPLE
        | GL_UNSIGNED_SHORT_8_8_REV_APPLE => (2, true),
        GL_UNSIGNED_INT_8_8_8_8
        | GL_UNSIGNED_INT_8_8_8_8_REV
        | GL_UNSIGNED_INT_10_10_10_2
        | GL_UNSIGNED_INT_2_10_10_10_REV
        | GL_UNSIGNED_INT_24_8
        | GL_UNSIGNED_INT_10F_11F_11F_REV
        | GL_UNSIGNED_INT_5_9_9_9_REV
        | GL_UNSIGNED_INT_S8_S8_8_8_NV
        | GL_UNSIGNED_INT_8_8_S8_S8_REV_NV => (4, true),
        GL_FLOAT_32_UNSIGNED_INT_24_8_REV => (8, true),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(store: PixelStore, format: u32, kind: u32, size: (i64, i64, Option<i64>), expected: Option<usize>) {
        assert_eq!(bytes(&store, format, kind, size.0, size.1, size.2), expected);
    }

    const PLAIN: PixelStore = PixelStore::INITIAL;

    #[test]
    fn a_layout_ends_where_its_bytes_do() {
        let store = PixelStore {
            alignment: 8,
            row_length: 7,
            image_height: 5,
            skip_pixels: 2,
            skip_rows: 1,
            skip_images: 3,
            ..PLAIN
        };
        for volume in [false, true] {
            let found = layout(&store, GL_RGB, GL_UNSIGNED_SHORT, [4, 3], volume).expect("a known format");
            assert_eq!((found.row, found.first), (48, if volume { 3 * 5 * 48 } else { 0 } + 48 + 2 * 6));
            let last = if volume { found.image } else { 0 };
            let end = found.first + last + 2 * found.row + 4 * 6;
            check(store, GL_RGB, GL_UNSIGNED_SHORT, (4, 3, volume.then_some(2)), Some(end as usize));
        }
    }

    #[test]
    fn rows_are_aligned_but_the_last_one_ends_with_its_pixels() {
        check(PLAIN, GL_RGBA, GL_UNSIGNED_BYTE, (3, 2, None), Some(24));
        // A row of 5 RGB pixels is 15 bytes, the next begins at 16.
        check(PLAIN, GL_RGB, GL_UNSIGNED_BYTE, (5, 3, None), Some(2 * 16 + 15));
        check(PixelStore { alignment: 1, ..PLAIN }, GL_RGB, GL_UNSIGNED_BYTE, (5, 3, None), Some(45));
        check(PixelStore { alignment: 8, ..PLAIN }, GL_RGB, GL_UNSIGNED_BYTE, (5, 3, None), Some(2 * 16 + 15));
        check(PLAIN, GL_ALPHA, GL_UNSIGNED_BYTE, (1, 4, None), Some(13));
    }

    #[test]
    fn elements_as_large_as_the_alignment_are_not_aligned() {
        check(PLAIN, GL_RGB, GL_FLOAT, (3, 2, None), Some(72));
        // s = 4 is smaller than a = 8: a row of 36 bytes is followed at 40.
        check(PixelStore { alignment: 8, ..PLAIN }, GL_RGB, GL_FLOAT, (3, 2, None), Some(40 + 36));
        check(PLAIN, GL_RED, GL_DOUBLE, (3, 2, None), Some(48));
    }

    #[test]
    fn packed_types_are_a_pixel_each() {
        check(PLAIN, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, (3, 2, None), Some(8 + 6));
        check(PLAIN, GL_RGBA, GL_UNSIGNED_INT_8_8_8_8_REV, (3, 2, None), Some(24));
        check(PLAIN, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, (2, 2, None), Some(16));
        check(PLAIN, GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV, (2, 2, None), Some(32));
        check(PLAIN, GL_RGB, GL_UNSIGNED_BYTE_3_3_2, (3, 2, None), Some(4 + 3));
    }

    #[test]
    fn skips_and_lengths_count_from_the_pointer() {
        let store = PixelStore { row_length: 10, skip_pixels: 2, skip_rows: 3, ..PLAIN };
        // Rows of 40 bytes; (3 + 2 - 1) of them, then 2 pixels skipped and 4 used.
        check(store, GL_RGBA, GL_UNSIGNED_BYTE, (4, 2, None), Some(4 * 40 + 24));
        let store = PixelStore { row_length: 10, image_height: 5, skip_images: 1, skip_rows: 1, ..PLAIN };
        // Images of 200 bytes; one skipped, one whole, then 1 row skipped, 1 whole and 4 pixels.
        check(store, GL_RGBA, GL_UNSIGNED_BYTE, (4, 2, Some(2)), Some(2 * 200 + 2 * 40 + 16));
        // The same for a flat image: nothing about images counts.
        check(store, GL_RGBA, GL_UNSIGNED_BYTE, (4, 2, None), Some(2 * 40 + 16));
    }

    #[test]
    fn bitmaps_have_bits() {
        check(PLAIN, GL_COLOR_INDEX, GL_BITMAP, (32, 32, None), Some(128));
        check(PixelStore { alignment: 1, ..PLAIN }, GL_COLOR_INDEX, GL_BITMAP, (9, 2, None), Some(4));
        check(PLAIN, GL_COLOR_INDEX, GL_BITMAP, (9, 2, None), Some(4 + 2));
        let store = PixelStore { skip_pixels: 7, alignment: 1, ..PLAIN };
        check(store, GL_COLOR_INDEX, GL_BITMAP, (2, 1, None), Some(2));
    }

    #[test]
    fn compressed_images_may_lie_in_larger_ones() {
        let blocks = Blocks { width: 4, height: 4, depth: 1, size: 8 };
        assert_eq!(compressed_bytes(&PLAIN, Blocks::default(), [8, 8, 1]), None);
        assert_eq!(compressed_bytes(&PLAIN, blocks, [8, 8, 1]), Some(32));
        // Rows of four blocks; one row and one block skipped, then a row, then two blocks.
        let store = PixelStore { row_length: 16, skip_rows: 4, skip_pixels: 4, ..PLAIN };
        assert_eq!(compressed_bytes(&store, blocks, [8, 8, 1]), Some(2 * 32 + 8 + 16));
    }

    #[test]
    fn odd_images_have_nothing_or_are_unknown() {
        check(PLAIN, GL_RGBA, GL_UNSIGNED_BYTE, (-1, 2, None), Some(0));
        check(PLAIN, GL_RGBA, GL_UNSIGNED_BYTE, (0, 2, Some(1)), Some(0));
        check(PLAIN, GL_RGBA, GL_TEXTURE_2D, (1, 2, None), None);
        check(PLAIN, GL_RGBA, GL_UNSIGNED_BYTE, (i64::MAX, i64::MAX, Some(i64::MAX)), None);
    }
}
