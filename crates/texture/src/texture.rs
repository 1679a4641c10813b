//! Textures: their levels, which of them are used, and reads of single texels.

use std::sync::Arc;

use crate::decode::Reading;
use crate::format::{Class, Format};
use crate::image::TexelAddress;
use crate::value::{Swizzle, Texel, TexelSink, Value};

/// The shape of a texture; [`Texture::layers`] makes it an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dim {
    /// One axis.
    D1,
    /// Two axes.
    D2,
    /// Three axes.
    D3,
    /// Six square faces.
    Cube,
    /// Two axes, coordinates in texels, one level.
    Rect,
    /// One axis, one level, only for fetches.
    Buffer,
    /// Two axes, several samples per texel, only for fetches.
    D2Multisample,
}

/// One level of detail. A level that was never specified has width zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Level {
    /// Columns.
    pub width: u32,
    /// Rows; one for one-dimensional textures and their arrays.
    pub height: u32,
    /// Slices; one for all but three-dimensional textures.
    pub depth: u32,
    /// Texels by layer, slice, row, column and sample, with the last varying fastest; faces of a cube are layers (see
    /// [`Texel::layer`]). Missing bytes read as zero. Copies share the data until it is written.
    pub data: Arc<Vec<u8>>,
}

/// A texture object.
#[derive(Clone, PartialEq, Debug)]
pub struct Texture {
    /// Its shape.
    pub dim: Dim,
    /// The number of layers of an array (for cube map arrays, of cubes); `None` if it is not an array.
    pub layers: Option<u32>,
    /// Samples per texel; one for all but multisample textures.
    pub samples: u32,
    /// The internal format of all levels.
    pub format: Format,
    /// The levels, starting with level 0.
    pub levels: Vec<Level>,
    /// `TEXTURE_BASE_LEVEL`.
    pub base_level: u32,
    /// `TEXTURE_MAX_LEVEL`.
    pub max_level: u32,
    /// `TEXTURE_SWIZZLE_RGBA`.
    pub swizzle: [Swizzle; 4],
    /// Whether `DEPTH_STENCIL_TEXTURE_MODE` is `STENCIL_INDEX`.
    pub stencil: bool,
}

impl Texture {
    /// A texture with the initial state of texture objects.
    #[must_use]
    pub fn new(dim: Dim, format: Format, levels: Vec<Level>) -> Texture {
        Texture {
            dim,
            layers: None,
            samples: 1,
            format,
            levels,
            base_level: 0,
            max_level: 1000,
            swizzle: Swizzle::IDENTITY,
            stencil: false,
        }
    }

    /// The type that look-ups return.
    #[must_use]
    pub fn class(&self) -> Class {
        self.format.class(self.stencil)
    }

    /// A level by number, starting with 0; `None` if it was never specified.
    #[must_use]
    pub fn level(&self, number: u32) -> Option<&Level> {
        self.levels.get(number as usize).filter(|level| level.width > 0 && level.height > 0 && level.depth > 0)
    }

    /// `textureSize`: the size of a level relative to the base level, in GLSL's order: the axes and then, for arrays,
    /// the layers. Zero if the level does not exist.
    #[must_use]
    pub fn size(&self, lod: i32) -> [i32; 3] {
        let number = i64::from(self.base_level) + i64::from(lod);
        let Some(level) = u32::try_from(number).ok().and_then(|number| self.level(number)) else { return [0; 3] };
        let layers = self.layers.unwrap_or(0);
        let size = match self.dim {
            Dim::D1 | Dim::Buffer => [level.width, layers, 0],
            Dim::D2 | Dim::Cube | Dim::Rect | Dim::D2Multisample => [level.width, level.height, layers],
            Dim::D3 => [level.width, level.height, level.depth],
        };
        size.map(|n| i32::try_from(n).unwrap_or(i32::MAX))
    }

    /// `textureSamples`.
    #[must_use]
    pub fn samples(&self) -> i32 {
        i32::try_from(self.samples).unwrap_or(i32::MAX)
    }

    /// The number of possible levels from the base level on: its size halved down to one, limited by the maximum level.
    /// This is `textureQueryLevels` of a complete texture.
    #[must_use]
    pub fn level_count(&self) -> u32 {
        let Some(base) = self.level(self.base_level) else { return 0 };
        if self.max_level < self.base_level {
            return 0;
        }
        let size = base.width.max(base.height).max(base.depth);
        let mipmapped = matches!(self.dim, Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube);
        let chain = if mipmapped { 32 - size.leading_zeros() } else { 1 };
        chain.min(self.max_level - self.base_level + 1)
    }

    /// `texelFetch` and `texelFetchOffset`: the texel in GLSL's order, the axes and then the layer; a level relative to
    /// the base level; a sample. `None` if it does not exist: the result is then undefined (GLSL 4.60, 8.9.2), or zero
    /// in a robust context.
    #[must_use]
    pub fn fetch<S: TexelSink>(
        &self,
        texel: [i32; 3],
        offset: [i32; 3],
        lod: i32,
        sample: i32,
        sink: &mut S,
    ) -> Option<Value> {
        let number = u32::try_from(i64::from(self.base_level) + i64::from(lod)).ok()?;
        let level = self.level(number)?;
        let axes = self.dim.axes();
        let mut at = [0u32; 3];
        for i in 0..axes {
            at[i] = u32::try_from(i64::from(texel[i]) + i64::from(offset[i])).ok()?;
        }
        let layer = if let Some(layers) = self.layers {
            let layer = u32::try_from(texel.get(axes).copied()?).ok()?;
            (layer < layers).then_some(layer)?
        } else if self.dim == Dim::Cube {
            // GLSL has no fetches from cube maps; other callers give the face.
            u32::try_from(texel[2]).ok().filter(|&face| face < 6)?
        } else {
            0
        };
        let sample = u32::try_from(sample).ok().filter(|&sample| sample < self.samples)?;
        if at[0] >= level.width || at[1] >= level.height || at[2] >= level.depth {
            return None;
        }
        let [x, y, z] = at;
        sink.texel(Texel { level: number, layer, x, y, z, sample, weight: 1.0 });
        let address = TexelAddress { level: number, layer, x, y, z, sample };
        Some(self.read(address, true).swizzled(self.swizzle))
    }

    /// The texel at an existing address, without swizzle.
    pub(crate) fn read(&self, address: TexelAddress, decode_srgb: bool) -> Value {
        let reading = Reading { decode_srgb, stencil: self.stencil };
        let Some(level) = self.levels.get(address.level as usize) else { return self.format.decode(&[], reading) };
        let slice = address.layer as usize * level.depth as usize + address.z as usize;
        let row = slice * level.height as usize + address.y as usize;
        let texel = row * level.width as usize + address.x as usize;
        let size = self.format.bytes();
        let start = (texel * self.samples as usize + address.sample as usize) * size;
        self.format.decode(level.data.get(start..start + size).unwrap_or(&[]), reading)
    }
}

impl Dim {
    /// The number of axes of a texel's address.
    #[must_use]
    pub fn axes(self) -> usize {
        match self {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Cube | Dim::Rect | Dim::D2Multisample => 2,
            Dim::D3 => 3,
        }
    }

    /// The number of components in a look-up's coordinate, without an array's layer.
    #[must_use]
    pub fn coordinates(self) -> usize {
        if self == Dim::Cube { 3 } else { self.axes() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(width: u32, height: u32, depth: u32, data: Vec<u8>) -> Level {
        Level { width, height, depth, data: data.into() }
    }

    #[test]
    fn fetches() {
        let data = (0..24).collect();
        let mut texture = Texture::new(Dim::D2, Format::R8Ui, vec![level(4, 3, 1, data)]);
        texture.layers = Some(2);
        let mut log = Vec::new();
        let value = texture.fetch([2, 1, 1], [1, -1, 0], 0, 0, &mut log);
        assert_eq!(value, Some(Value::Uint([15, 0, 0, 1])));
        assert_eq!(log, [Texel { level: 0, layer: 1, x: 3, y: 0, z: 0, sample: 0, weight: 1.0 }]);
        assert_eq!(texture.fetch([2, 1, 2], [0; 3], 0, 0, &mut ()), None);
        assert_eq!(texture.fetch([4, 1, 0], [0; 3], 0, 0, &mut ()), None);
        assert_eq!(texture.fetch([0, 0, 0], [-1, 0, 0], 0, 0, &mut ()), None);
        assert_eq!(texture.fetch([0, 0, 0], [0; 3], 1, 0, &mut ()), None);
    }

    #[test]
    fn samples_are_adjacent() {
        let mut texture = Texture::new(Dim::D2Multisample, Format::R8Ui, vec![level(2, 1, 1, (0..8).collect())]);
        texture.samples = 4;
        assert_eq!(texture.fetch([1, 0, 0], [0; 3], 0, 3, &mut ()), Some(Value::Uint([7, 0, 0, 1])));
        assert_eq!(texture.fetch([1, 0, 0], [0; 3], 0, 4, &mut ()), None);
        assert_eq!(texture.samples(), 4);
    }

    #[test]
    fn sizes_are_in_the_order_of_glsl() {
        let mut texture = Texture::new(Dim::D1, Format::R8, vec![level(9, 1, 1, vec![]), level(4, 1, 1, vec![])]);
        texture.layers = Some(5);
        assert_eq!(texture.size(1), [4, 5, 0]);
        assert_eq!(texture.size(2), [0; 3]);
        assert_eq!(texture.level_count(), 4);
        texture.base_level = 1;
        texture.max_level = 2;
        assert_eq!(texture.size(0), [4, 5, 0]);
        assert_eq!(texture.level_count(), 2);
    }
}
