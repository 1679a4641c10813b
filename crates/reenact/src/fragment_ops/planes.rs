//! The draw buffers, depth and stencil of a framebuffer, in the types of crate `raster`.

use api::constant as c;
use api::{Library, enums};
use raster::format::Numeric;
use raster::{DepthFormat, PixelFormat};
use state::ContentsRef;
use state::objects::format::{Class, Format};
use state::objects::framebuffer::{Drawn, DrawnTo, Storage};

use crate::Refusal;

/// The role of a plane in the framebuffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// A draw buffer.
    Colour(usize),
    /// Depth.
    Depth,
    /// Stencil.
    Stencil,
}

/// How a plane stores its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaneFormat {
    /// Colours.
    Colour(PixelFormat),
    /// Depths.
    Depth(DepthFormat),
    /// 8-bit stencil values.
    Stencil,
}

/// An image that is drawn to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TargetPlane {
    /// The object that holds it; the first layer if there are several.
    pub thing: ContentsRef,
    /// Its role in the framebuffer.
    pub role: Role,
    /// How it stores its values.
    pub format: PlaneFormat,
    /// The requested internal format; 0 for planes of surfaces.
    pub internal_format: u32,
    /// The number of samples per pixel, 0 without multisampling.
    pub samples: u32,
    /// The number of attached layers.
    pub layers: u32,
}

impl TargetPlane {
    /// The object that holds a layer; if there is only one, it is used for all (GL 4.6, 9.8).
    #[must_use]
    pub fn layer(&self, layer: u32) -> Option<ContentsRef> {
        match self.thing {
            ContentsRef::Image { object, level, layer: first } if self.layers > 1 => {
                (layer < self.layers).then_some(ContentsRef::Image { object, level, layer: first + layer })
            }
            other => Some(other),
        }
    }
}

impl PlaneFormat {
    /// The format of a plane of an image.
    ///
    /// # Errors
    /// When the format is not emulated.
    pub fn of(role: Role, storage: &Storage) -> Result<PlaneFormat, Refusal> {
        format(role, storage)
    }
}

/// All planes of a framebuffer.
pub fn planes(drawn: &DrawnTo) -> Result<Vec<TargetPlane>, Refusal> {
    let mut planes = Vec::new();
    let mut add = |role: Role, drawn_image: &Drawn| {
        let Some(thing) = drawn_image.things.first().copied() else { return Ok(()) };
        planes.push(TargetPlane {
            thing,
            role,
            format: format(role, &drawn_image.storage)?,
            internal_format: drawn_image.internal,
            samples: drawn.samples,
            layers: drawn_image.things.len() as u32,
        });
        Ok(())
    };
    for (buffer, images) in drawn.colours.iter().enumerate() {
        images.iter().try_for_each(|image| add(Role::Colour(buffer), image))?;
    }
    drawn.depth.iter().try_for_each(|image| add(Role::Depth, image))?;
    drawn.stencil.iter().try_for_each(|image| add(Role::Stencil, image))?;
    Ok(planes)
}

fn format(role: Role, storage: &Storage) -> Result<PlaneFormat, Refusal> {
    let unknown = |format: &Format| {
        let name = enums::any_name(Library::Gl, i64::from(format.name)).unwrap_or("an unknown format");
        Refusal::FragmentOps(format!("drawing to an image of {name}"))
    };
    Ok(match (role, storage) {
        (Role::Colour(_), Storage::Format(format)) => {
            PlaneFormat::Colour(colour(format).ok_or_else(|| unknown(format))?)
        }
        (Role::Colour(_), Storage::Surface { surface, srgb }) => {
            let numeric = if *srgb { Numeric::Srgb } else { Numeric::Unorm };
            PlaneFormat::Colour(PixelFormat { numeric, bits: surface.colour.map(|bits| bits.clamp(0, 16) as u8) })
        }
        (Role::Depth, Storage::Format(format)) => {
            PlaneFormat::Depth(depth(u32::from(format.bits[6]), format.class == Class::Float))
        }
        (Role::Depth, Storage::Surface { surface, .. }) => {
            PlaneFormat::Depth(depth(surface.depth.max(0).cast_unsigned(), false))
        }
        (Role::Stencil, _) => PlaneFormat::Stencil,
    })
}

/// The storage of colours. Luminance and intensity store red.
fn colour(format: &Format) -> Option<PixelFormat> {
    let [red, green, blue, alpha, luminance, intensity, ..] = format.bits;
    let bits = match format.base {
        c::GL_LUMINANCE | c::GL_LUMINANCE_ALPHA => [luminance, 0, 0, alpha],
        c::GL_INTENSITY => [intensity, 0, 0, 0],
        _ => [red, green, blue, alpha],
    };
    let numeric = match (format.class, format.is_srgb) {
        (Class::Unorm, false) => Numeric::Unorm,
        (Class::Unorm, true) => Numeric::Srgb,
        (Class::Snorm, _) => Numeric::Snorm,
        (Class::Float, _) => Numeric::Float,
        (Class::Int, _) => Numeric::Int,
        (Class::Uint, _) => Numeric::Uint,
        (Class::None, _) => return None,
    };
    // The rasteriser has no shared-exponent formats.
    let known = format.name != c::GL_RGB9_E5 && !format.is_compressed() && bits.iter().any(|bits| *bits > 0);
    known.then_some(PixelFormat { numeric, bits })
}

fn depth(bits: u32, float: bool) -> DepthFormat {
    match (float, bits) {
        (true, _) => DepthFormat::Float32,
        (false, 0..=16) => DepthFormat::Unorm16,
        (false, 17..=24) => DepthFormat::Unorm24,
        (false, _) => DepthFormat::Unorm32,
    }
}
