//! Texels of images, resolved from the calls of a small trace.

use std::sync::Arc;

use api::{constant as c, id};
use chronicle::{Chronicle, FoundTexels, TexelPiece};
use state::records::{Aspect, ClearValue, Job};
use state::{ContentsRef, Region};
use testing::trace::names;

use super::{Recording, begin};

const FLAT: u64 = c::GL_TEXTURE_2D as u64;
const BYTE: u64 = c::GL_UNSIGNED_BYTE as u64;
const SOMEWHERE: u64 = 0x1000;

/// A recording with a window of 8 by 8 pixels and textures 1 and 2, the first bound.
fn with_textures() -> Recording {
    let mut recording = begin();
    recording.call(id::afiSurface, &[1, 0, 0, 8, 8, 8, 8, 8, 8, 24, 8, 0, 1, 0], None, 0);
    recording.call(id::afiCurrent, &[1, 1, 1], None, 0);
    recording.full(id::glGenTextures, &[2, SOMEWHERE], None, Some((1, &names(&[1, 2]))), 0);
    recording.call(id::glBindTexture, &[FLAT, 1], None, 0);
    recording
}

impl Recording {
    /// Gives the first level of the bound texture a size, with red bytes or none.
    fn level(&mut self, width: u64, height: u64, bytes: Option<&[u8]>) {
        let pointer = if bytes.is_some() { SOMEWHERE } else { 0 };
        let args = [FLAT, 0, c::GL_R8.into(), width, height, 0, c::GL_RED.into(), BYTE, pointer];
        self.call(id::glTexImage2D, &args, bytes.map(|bytes| (8, bytes)), 0);
    }

    fn part(&mut self, [x, y, width, height]: [u64; 4], bytes: &[u8]) {
        let args = [FLAT, 0, x, y, width, height, c::GL_RED.into(), BYTE, SOMEWHERE];
        self.call(id::glTexSubImage2D, &args, Some((8, bytes)), 0);
    }

    fn store(&mut self, name: u32, value: u64) {
        self.call(id::glPixelStorei, &[name.into(), value], None, 0);
    }
}

/// What the chronicle says of an image at the end: pieces in the order of their places.
fn found(
    recording: Recording,
    image: impl FnOnce(&state::ShareGroup) -> ContentsRef,
    region: Region,
) -> Vec<TexelPiece> {
    let reader = recording.end();
    let chronicle = Chronicle::with_limits(Arc::new(reader), 5, u64::MAX);
    let end = chronicle.reader().len();
    let model = chronicle.before(end).expect("the trace can be read");
    let group = model.context(1).expect("there is a context").group;
    let image = image(&model.groups[group]);
    let mut pieces = chronicle.texels(end, (group, image), region, Aspect::All).expect("the trace can be read");
    pieces.sort_by_key(|piece| (piece.region.at[1], piece.region.at[0]));
    pieces
}

fn texture(name: u32) -> impl FnOnce(&state::ShareGroup) -> ContentsRef {
    move |group| group.textures[&name].image(0, 0)
}

fn red(bytes: &[u8]) -> FoundTexels {
    FoundTexels::Pixels { format: c::GL_RED, kind: c::GL_UNSIGNED_BYTE, bytes: bytes.to_vec() }
}

fn region(at: [u32; 2], end: [u32; 2]) -> Region {
    Region { at, end }
}

#[test]
fn later_parts_lie_on_top_of_earlier_ones() {
    let mut recording = with_textures();
    recording.store(c::GL_UNPACK_ALIGNMENT, 1);
    recording.level(3, 3, Some(&[1, 2, 3, 4, 5, 6, 7, 8, 9]));
    recording.part([1, 1, 2, 1], &[50, 60]);
    let pieces = found(recording, texture(1), Region::whole([3, 3]));
    let told: Vec<_> = pieces.into_iter().map(|piece| (piece.region, piece.call, piece.found)).collect();
    assert_eq!(
        told,
        [
            (region([0, 0], [3, 1]), Some(8), red(&[1, 2, 3])),
            (region([0, 1], [1, 2]), Some(8), red(&[4])),
            (region([1, 1], [3, 2]), Some(9), red(&[50, 60])),
            (region([0, 2], [3, 3]), Some(8), red(&[7, 8, 9])),
        ]
    );
}

#[test]
fn pixels_lie_as_the_program_said() {
    let mut recording = with_textures();
    recording.store(c::GL_UNPACK_ROW_LENGTH, 5);
    recording.store(c::GL_UNPACK_SKIP_ROWS, 1);
    recording.store(c::GL_UNPACK_SKIP_PIXELS, 2);
    // Rows of five bytes take up eight; the first is skipped, and two pixels of the others.
    let bytes: Vec<u8> = (0..8 + 8 + 5).collect();
    recording.level(2, 2, Some(&bytes));
    let pieces = found(recording, texture(1), region([1, 0], [2, 2]));
    assert_eq!(pieces.len(), 1);
    assert_eq!(pieces[0].found, red(&[8 + 3, 16 + 3]));
}

#[test]
fn buffers_are_what_they_were_when_pixels_came_from_them() {
    let mut recording = with_textures();
    let target = u64::from(c::GL_PIXEL_UNPACK_BUFFER);
    recording.call(id::glBindBuffer, &[target, 1], None, 0);
    let usage = c::GL_STREAM_DRAW.into();
    recording.call(
        id::glBufferData,
        &[target, 12, SOMEWHERE, usage],
        Some((2, &[9, 9, 9, 9, 1, 2, 0, 0, 3, 4, 0, 0])),
        0,
    );
    let args = [FLAT, 0, c::GL_R8.into(), 2, 2, 0, c::GL_RED.into(), BYTE, 4];
    recording.call(id::glTexImage2D, &args, None, 0);
    recording.call(id::glBufferSubData, &[target, 0, 12, SOMEWHERE], Some((3, &[7; 12])), 0);
    let pieces = found(recording, texture(1), Region::whole([2, 2]));
    assert_eq!(pieces.len(), 1);
    assert_eq!(pieces[0].found, red(&[1, 2, 3, 4]));
}

#[test]
fn copies_are_followed() {
    let mut recording = with_textures();
    recording.store(c::GL_UNPACK_ALIGNMENT, 1);
    recording.level(4, 2, Some(&[1, 2, 3, 4, 5, 6, 7, 8]));
    recording.call(id::glBindTexture, &[FLAT, 2], None, 0);
    recording.level(4, 4, None);
    let copy = [1, FLAT, 0, 1, 0, 0, 2, FLAT, 0, 2, 1, 0, 2, 2, 1];
    recording.call(id::glCopyImageSubData, &copy, None, 0);
    recording.call(id::glBindTexture, &[FLAT, 1], None, 0);
    recording.part([0, 0, 4, 1], &[0; 4]);
    let pieces = found(recording, texture(2), region([2, 1], [4, 4]));
    let told: Vec<_> = pieces.into_iter().map(|piece| (piece.region, piece.call, piece.found)).collect();
    assert_eq!(
        told,
        [
            (region([2, 1], [4, 3]), Some(11), red(&[2, 3, 6, 7])),
            (region([2, 3], [4, 4]), Some(10), FoundTexels::Unwritten),
        ]
    );
}

#[test]
fn the_framebuffer_is_cleared_drawn_to_and_copied() {
    let back = ContentsRef::Surface { surface: 1, plane: c::GL_BACK_LEFT };
    let float = |number: f32| u64::from(number.to_bits());
    let mut recording = with_textures();
    recording.call(id::glClearColor, &[float(0.5), 0, 0, float(1.0)], None, 0);
    recording.call(id::glClear, &[c::GL_COLOR_BUFFER_BIT.into()], None, 0);
    recording.call(id::glEnable, &[c::GL_SCISSOR_TEST.into()], None, 0);
    recording.call(id::glScissor, &[4, 4, 10, 10], None, 0);
    recording.call(id::glClearColor, &[0; 4], None, 0);
    recording.call(id::glClear, &[c::GL_COLOR_BUFFER_BIT.into()], None, 0);
    let copy = [FLAT, 0, c::GL_RGBA8.into(), 3, 3, 2, 1, 0];
    recording.call(id::glCopyTexImage2D, &copy, None, 0);
    recording.call(id::glDrawArrays, &[c::GL_TRIANGLES.into(), 0, 3], None, 0);
    let reader = recording.end();
    let mut chronicle = Chronicle::new(Arc::new(reader));
    let first = ClearValue::Floats([0.5, 0.0, 0.0, 1.0]);
    let told = |chronicle: &mut Chronicle, number, image, region| {
        let pieces = chronicle.texels(number, (0, image), region, Aspect::All).expect("the trace can be read");
        let mut told: Vec<_> = pieces.into_iter().map(|piece| (piece.region, piece.call, piece.found)).collect();
        told.sort_by_key(|(region, _, _)| *region);
        told
    };
    let end = chronicle.reader().len();
    let model = chronicle.before(end).expect("the trace can be read");
    assert_eq!(
        told(&mut chronicle, end - 1, back, region([3, 5], [8, 6])),
        [
            (region([3, 5], [4, 6]), Some(8), FoundTexels::Cleared(first)),
            (region([4, 5], [8, 6]), Some(12), FoundTexels::Cleared(ClearValue::Floats([0.0; 4]))),
        ]
    );
    assert_eq!(
        told(&mut chronicle, end, back, region([3, 5], [8, 6])),
        [(region([3, 5], [8, 6]), Some(end - 1), FoundTexels::Gpu(Job::Draw))]
    );
    let copied = texture(1)(&model.groups[0]);
    assert_eq!(
        told(&mut chronicle, end, copied, Region::whole([2, 1])),
        [(Region::whole([2, 1]), Some(13), FoundTexels::Cleared(first))]
    );
}
