//! Render targets: the window, textures and renderbuffers.

use pipeline::{State, TextureId};
use raster::format::Numeric;
use raster::state::EdgeRule;
use raster::{Color, DepthFormat, Framebuffer, PixelFormat};
use texture::{Dim, Format, TexelAddress, Texture, Value};

use crate::Stop;

/// The images of a framebuffer object.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Target {
    /// The window.
    Window,
    /// Slices of textures, by colour attachment.
    Textures(Vec<Option<Slice>>),
    /// All layers of a texture.
    Layered(TextureId),
    /// A renderbuffer, by index.
    Renderbuffer(usize),
}

/// One layer of one level of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slice {
    pub texture: TextureId,
    pub level: u32,
    pub layer: u32,
}

/// The surfaces of framebuffer objects. The one currently drawn to is stored in the state.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    pub draw: Target,
    pub read: Target,
    /// The window's surface while another target is drawn to.
    window: Option<Framebuffer>,
    renderbuffers: Vec<Option<Framebuffer>>,
}

/// The window's framebuffer.
pub(crate) fn window(width: u32, height: u32) -> Framebuffer {
    Framebuffer::new(width, height).with_color(PixelFormat::RGBA8).with_depth(DepthFormat::Unorm24).with_stencil()
}

impl Targets {
    pub(crate) fn new() -> Targets {
        Targets { draw: Target::Window, read: Target::Window, window: None, renderbuffers: Vec::new() }
    }

    /// Creates a multisampled renderbuffer.
    pub(crate) fn add_renderbuffer(&mut self, format: &str, size: [u32; 2], samples: u32) -> Result<Target, Stop> {
        let format = pixel_format(crate::image::format(format)?)?;
        let framebuffer = Framebuffer::new(size[0], size[1]).with_samples(samples).with_color(format);
        self.renderbuffers.push(Some(framebuffer));
        Ok(Target::Renderbuffer(self.renderbuffers.len() - 1))
    }

    /// Directs draws to another target.
    pub(crate) fn bind_draw(&mut self, state: &mut State, target: Target) -> Result<(), Stop> {
        self.leave(state);
        let next = match &target {
            Target::Window => self.window.take(),
            Target::Renderbuffer(index) => self.renderbuffers.get_mut(*index).and_then(Option::take),
            Target::Textures(_) | Target::Layered(_) => Some(load(state, &target)?),
        };
        state.framebuffer = next.unwrap_or_else(|| Framebuffer::new(0, 0));
        self.draw = target;
        Ok(())
    }

    /// Stores the current surface back in its target.
    fn leave(&mut self, state: &mut State) {
        let current = std::mem::replace(&mut state.framebuffer, Framebuffer::new(0, 0));
        match &self.draw {
            Target::Window => self.window = Some(current),
            Target::Renderbuffer(index) => {
                if let Some(slot) = self.renderbuffers.get_mut(*index) {
                    *slot = Some(current);
                }
            }
            Target::Textures(_) | Target::Layered(_) => {}
        }
    }

    /// Before a draw: reloads textures that are drawn to, which may have been written by other means.
    pub(crate) fn before_draw(&self, state: &mut State) -> Result<(), Stop> {
        // Most drivers store windows upside down, which affects how they break ties in rasterisation.
        let window = self.draw == Target::Window;
        state.raster.edge_rule = if window { EdgeRule::UpperLeft } else { EdgeRule::LowerLeft };
        if matches!(self.draw, Target::Textures(_) | Target::Layered(_)) {
            state.framebuffer = load(state, &self.draw)?;
        }
        Ok(())
    }

    /// After a draw: stores the result in the attached textures.
    pub(crate) fn after_draw(&self, state: &mut State) {
        let framebuffer = &state.framebuffer;
        let pixels = |layer: u32| {
            let (width, height) = (framebuffer.width, framebuffer.height);
            (0..height).flat_map(move |y| (0..width).map(move |x| (x, y, layer)))
        };
        let mut writes = Vec::new();
        match &self.draw {
            Target::Textures(slices) => {
                for (surface, slice) in framebuffer.colors.iter().zip(slices) {
                    let (Some(surface), Some(slice)) = (surface, slice) else { continue };
                    for (x, y, layer) in pixels(0) {
                        let Some(at) = framebuffer.index(x, y, layer, 0) else { continue };
                        writes.push((slice.texture, place(slice.level, slice.layer, x, y), surface.load(at, false)));
                    }
                }
            }
            Target::Layered(texture) => {
                let Some(Some(surface)) = framebuffer.colors.first() else { return };
                for layer in 0..framebuffer.layers {
                    for (x, y, layer) in pixels(layer) {
                        let Some(at) = framebuffer.index(x, y, layer, 0) else { continue };
                        writes.push((*texture, place(0, layer, x, y), surface.load(at, false)));
                    }
                }
            }
            Target::Window | Target::Renderbuffer(_) => return,
        }
        for (texture, place, color) in writes {
            let value = match color {
                Color::Float(v) => Value::Float(v),
                Color::Int(v) => Value::Int(v),
                Color::Uint(v) => Value::Uint(v),
            };
            if let Some(texture) = state.textures.get_mut(texture.0 as usize) {
                texture.store(at_slice(texture, place), value);
            }
        }
    }

    /// Width and height of a target.
    pub(crate) fn size(&self, state: &State, target: &Target) -> [u32; 2] {
        let texture = |id: TextureId, level: u32| {
            let level = state.textures.get(id.0 as usize).and_then(|t| t.level(level));
            level.map_or([0; 2], |level| [level.width, level.height])
        };
        match target {
            Target::Textures(slices) => {
                slices.iter().flatten().next_back().map_or([0; 2], |slice| texture(slice.texture, slice.level))
            }
            Target::Layered(id) => texture(*id, 0),
            Target::Window | Target::Renderbuffer(_) => {
                let framebuffer = self.surface(state, target);
                framebuffer.map_or([0; 2], |f| [f.width, f.height])
            }
        }
    }

    /// The surface of a target that is not a texture.
    fn surface<'s>(&'s self, state: &'s State, target: &Target) -> Option<&'s Framebuffer> {
        if *target == self.draw {
            return Some(&state.framebuffer);
        }
        match target {
            Target::Window => self.window.as_ref(),
            Target::Renderbuffer(index) => self.renderbuffers.get(*index)?.as_ref(),
            Target::Textures(_) | Target::Layered(_) => None,
        }
    }

    /// The colour of a pixel in the read target.
    pub(crate) fn pixel(&self, state: &State, x: u32, y: u32) -> Option<Color> {
        let slice = match &self.read {
            Target::Textures(slices) => (*slices.first()?)?,
            Target::Layered(texture) => Slice { texture: *texture, level: 0, layer: 0 },
            Target::Window | Target::Renderbuffer(_) => return self.surface(state, &self.read)?.color(0, x, y),
        };
        let texture = state.textures.get(slice.texture.0 as usize)?;
        Some(match texture.load(at_slice(texture, place(slice.level, slice.layer, x, y)))? {
            Value::Float(v) => Color::Float(v),
            Value::Int(v) => Color::Int(v),
            Value::Uint(v) => Color::Uint(v),
        })
    }

    /// The depth of a pixel in the read target.
    pub(crate) fn depth(&self, state: &State, x: u32, y: u32) -> Option<f32> {
        let framebuffer = self.surface(state, &self.read)?;
        framebuffer.depth.as_ref()?.1.get(framebuffer.index(x, y, 0, 0)?).copied()
    }

    /// A copy of the read target, as the source of a blit.
    pub(crate) fn read_surface(&self, state: &State) -> Result<Framebuffer, Stop> {
        match &self.read {
            Target::Textures(_) | Target::Layered(_) => load(state, &self.read),
            Target::Window | Target::Renderbuffer(_) => {
                Ok(self.surface(state, &self.read).cloned().unwrap_or_else(|| Framebuffer::new(0, 0)))
            }
        }
    }
}

fn place(level: u32, layer: u32, x: u32, y: u32) -> TexelAddress {
    TexelAddress { level, layer, x, y, z: 0, sample: 0 }
}

/// Slices of a 3D texture are addressed by a coordinate, not as layers.
fn at_slice(texture: &Texture, place: TexelAddress) -> TexelAddress {
    if texture.dim == Dim::D3 { TexelAddress { z: place.layer, layer: 0, ..place } } else { place }
}

/// A framebuffer with the contents of the attached textures.
fn load(state: &State, target: &Target) -> Result<Framebuffer, Stop> {
    let texture = |id: TextureId| {
        state.textures.get(id.0 as usize).ok_or_else(|| Stop::unsupported("a framebuffer without its texture"))
    };
    let (slices, layers) = match target {
        Target::Textures(slices) => (slices.clone(), 1),
        Target::Layered(id) => {
            let layered = texture(*id)?;
            let layers = match layered.dim {
                Dim::Cube => 6 * layered.layers.unwrap_or(1),
                Dim::D3 => layered.level(0).map_or(1, |level| level.depth),
                _ => layered.layers.unwrap_or(1),
            };
            (vec![Some(Slice { texture: *id, level: 0, layer: 0 })], layers)
        }
        Target::Window | Target::Renderbuffer(_) => (Vec::new(), 1),
    };
    let mut framebuffer: Option<Framebuffer> = None;
    let mut missing = 0;
    for slice in slices {
        let Some(slice) = slice else {
            match &mut framebuffer {
                Some(framebuffer) => framebuffer.colors.push(None),
                None => missing += 1,
            }
            continue;
        };
        let from = texture(slice.texture)?;
        let Some(level) = from.level(slice.level) else {
            return Err(Stop::unsupported("a framebuffer with a level that does not exist"));
        };
        let mut grown = framebuffer.take().unwrap_or_else(|| {
            let mut new = Framebuffer::new(level.width, level.height).with_layers(layers);
            new.colors.resize(missing, None);
            new
        });
        grown = grown.with_color(pixel_format(from.format)?);
        for layer in 0..layers {
            for (y, x) in (0..level.height).flat_map(|y| (0..level.width).map(move |x| (y, x))) {
                let Some(at) = grown.index(x, y, layer, 0) else { continue };
                let value = from.load(at_slice(from, place(slice.level, slice.layer + layer, x, y)));
                let color = match value.unwrap_or(Value::Float([0.0; 4])) {
                    Value::Float(v) => Color::Float(v),
                    Value::Int(v) => Color::Int(v),
                    Value::Uint(v) => Color::Uint(v),
                };
                if let Some(Some(surface)) = grown.colors.last_mut() {
                    surface.texels[at] = color;
                }
            }
        }
        framebuffer = Some(grown);
    }
    framebuffer.ok_or_else(|| Stop::unsupported("a framebuffer without attachments"))
}

/// The rasteriser's format for a texture format.
fn pixel_format(format: Format) -> Result<PixelFormat, Stop> {
    let name = format.name();
    match name {
        "SRGB8_ALPHA8" => return Ok(PixelFormat::SRGB8_ALPHA8),
        "RGB10_A2" => return Ok(PixelFormat::RGB10_A2),
        "R11F_G11F_B10F" => return Ok(PixelFormat::R11F_G11F_B10F),
        _ => {}
    }
    let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
    let end = name[digits..].find(|c: char| !c.is_ascii_digit()).map_or(name.len(), |n| digits + n);
    let channels = match &name[..digits] {
        "R" => 1,
        "RG" => 2,
        "RGB" => 3,
        "RGBA" => 4,
        _ => 0,
    };
    let numeric = match &name[end..] {
        "" => Some(Numeric::Unorm),
        "_SNORM" => Some(Numeric::Snorm),
        "F" => Some(Numeric::Float),
        "I" => Some(Numeric::Int),
        "UI" => Some(Numeric::Uint),
        _ => None,
    };
    match (name[digits..end].parse::<u8>(), numeric) {
        (Ok(bits @ (8 | 16 | 32)), Some(numeric)) if channels > 0 => {
            Ok(PixelFormat { numeric, bits: std::array::from_fn(|i| if i < channels { bits } else { 0 }) })
        }
        _ => Err(Stop::unsupported(format!("drawing to the format GL_{name}"))),
    }
}
