//! Pictures, and what objects hold.

use std::ffi::c_char;

use afterimage::{ContentsOf, ElementType, Image};

use crate::error::answer;
use crate::memory::{Kept, given, passed, taken_back};
use crate::session::AfterimageSession;

/// A picture.
#[repr(C)]
pub struct AfterimagePicture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Red, green, blue and alpha of each pixel, a byte each; the bottom row comes first.
    pub rgba: *const u8,
}

/// Bytes.
#[repr(C)]
pub struct AfterimageBytes {
    /// How many.
    pub size: usize,
    /// The bytes; `NULL` if there are none.
    pub bytes: *const u8,
}

/// The type of the numbers of a pixel.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum AfterimageElement {
    /// The image is compressed, or several components share a number.
    Packed,
    /// `int8_t`.
    I8,
    /// `uint8_t`.
    U8,
    /// `int16_t`.
    I16,
    /// `uint16_t`.
    U16,
    /// `int32_t`.
    I32,
    /// `uint32_t`.
    U32,
    /// `float`.
    F32,
}

/// An image of a texture or renderbuffer.
#[repr(C)]
pub struct AfterimageImage {
    /// The target, such as `GL_TEXTURE_2D` or the face of a cube.
    pub target: *const c_char,
    /// The level of detail; where pixels have several samples, their number.
    pub level: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Depth in pixels, or layers.
    pub depth: u32,
    /// The format of pixels, such as `GL_RGBA`; empty for compressed images.
    pub format: *const c_char,
    /// The type of pixels, such as `GL_FLOAT`; the internal format of compressed images.
    pub pixel_type: *const c_char,
    /// How many numbers a pixel has; 0 if they are packed.
    pub components: u32,
    /// The type of these numbers.
    pub element: AfterimageElement,
    /// How many bytes there are.
    pub size: usize,
    /// The pixels, row by row from below, layer by layer, without padding.
    pub bytes: *const u8,
}

/// The images of a texture or renderbuffer.
#[repr(C)]
pub struct AfterimageImages {
    /// How many.
    pub count: usize,
    /// Levels, and faces of cubes, in their order.
    pub images: *const AfterimageImage,
}

/// Returns what is drawn to after a command; `NULL` without an error if nothing is. Give it back to
/// `afterimage_picture_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_picture(session: *const AfterimageSession, command: u64) -> *mut AfterimagePicture {
    answer(std::ptr::null_mut(), || {
        let Some(picture) = passed(session, "the session")?.lock().picture(command)? else {
            return Ok(std::ptr::null_mut());
        };
        let mut kept = Kept::default();
        let (width, height) = (picture.width, picture.height);
        let own = AfterimagePicture { width, height, rgba: kept.list(picture.rgba) };
        Ok(given(own, kept))
    })
}

/// Gives a picture back. `NULL` is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_picture_free(picture: *mut AfterimagePicture) {
    taken_back(picture);
}

/// Returns what a buffer holds after a command, by the name that the recorded program gave it. Give it back to
/// `afterimage_bytes_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_buffer(
    session: *const AfterimageSession,
    command: u64,
    name: u32,
) -> *mut AfterimageBytes {
    answer(std::ptr::null_mut(), || {
        let bytes = passed(session, "the session")?.lock().buffer(command, name)?;
        let mut kept = Kept::default();
        let own = AfterimageBytes { size: bytes.len(), bytes: kept.list(bytes) };
        Ok(given(own, kept))
    })
}

/// Gives bytes back. `NULL` is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_bytes_free(bytes: *mut AfterimageBytes) {
    taken_back(bytes);
}

/// Returns the images of a texture after a command, by the name that the recorded program gave it. Give them back to
/// `afterimage_images_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_texture(
    session: *const AfterimageSession,
    command: u64,
    name: u32,
) -> *mut AfterimageImages {
    images(session, command, ContentsOf::Texture(name))
}

/// Returns the image of a renderbuffer after a command. Give it back to `afterimage_images_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_renderbuffer(
    session: *const AfterimageSession,
    command: u64,
    name: u32,
) -> *mut AfterimageImages {
    images(session, command, ContentsOf::Renderbuffer(name))
}

/// Gives images back. `NULL` is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_images_free(images: *mut AfterimageImages) {
    taken_back(images);
}

fn images(session: *const AfterimageSession, command: u64, object: ContentsOf) -> *mut AfterimageImages {
    answer(std::ptr::null_mut(), || {
        let images = passed(session, "the session")?.lock().images(command, object)?;
        let mut kept = Kept::default();
        let images: Vec<AfterimageImage> = images.into_iter().map(|image| own(image, &mut kept)).collect();
        let all = AfterimageImages { count: images.len(), images: kept.list(images) };
        Ok(given(all, kept))
    })
}

fn own(image: Image, kept: &mut Kept) -> AfterimageImage {
    let [width, height, depth] = image.size;
    let (components, element) = match image.elements {
        None => (0, AfterimageElement::Packed),
        Some((components, element)) => (
            components,
            match element {
                ElementType::I8 => AfterimageElement::I8,
                ElementType::U8 => AfterimageElement::U8,
                ElementType::I16 => AfterimageElement::I16,
                ElementType::U16 => AfterimageElement::U16,
                ElementType::I32 => AfterimageElement::I32,
                ElementType::U32 => AfterimageElement::U32,
                ElementType::F32 => AfterimageElement::F32,
            },
        ),
    };
    AfterimageImage {
        target: kept.text(&image.target),
        level: image.level,
        width,
        height,
        depth,
        format: kept.text(&image.format),
        pixel_type: kept.text(&image.pixel_type),
        components,
        element,
        size: image.bytes.len(),
        bytes: kept.list(image.bytes),
    }
}
