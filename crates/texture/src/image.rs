//! Images: loads, stores and atomics of single texels without a sampler (GL 4.6, 8.26).

use std::sync::Arc;

use crate::decode::Reading;
use crate::format::Format;
use crate::texture::{Dim, Level, Texture};
use crate::value::Value;

/// The address of a texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TexelAddress {
    /// Level of detail, counted from level 0 of the texture, not from its base level.
    pub level: u32,
    /// Layer of an array; of a cube map, six times the layer plus the face in the order +X, -X, +Y, -Y, +Z, -Z.
    pub layer: u32,
    /// Column.
    pub x: u32,
    /// Row.
    pub y: u32,
    /// Slice of a 3D texture.
    pub z: u32,
    /// Sample of a multisample texture.
    pub sample: u32,
}

/// The parameters of `glBindImageTexture`: the part of a texture that an image accesses, and its format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Image {
    /// The level, counted from level 0 of the texture.
    pub level: u32,
    /// The layer, face or slice that is bound; `None` if all are (`layered` is true).
    pub layer: Option<u32>,
    /// The format in which bits are read and written, whatever the texture's own.
    pub format: Format,
}

impl Image {
    /// The address of the texel at an image coordinate in GLSL's order: the axes and then, if there are several and all
    /// are bound, the layer or face. `None` outside of the image.
    #[must_use]
    pub fn address(&self, texture: &Texture, texel: [i32; 3], sample: i32) -> Option<TexelAddress> {
        let size = self.extent(texture)?;
        let mut at = [0; 3];
        for i in 0..3 {
            // A shader may give more components than a single layer has; the rest are ignored.
            if size[i] > 0 {
                at[i] = u32::try_from(texel[i]).ok().filter(|&c| c < size[i])?;
            }
        }
        let sample = u32::try_from(sample).ok().filter(|&sample| sample < texture.samples)?;
        let [x, y, z] = at;
        let address = TexelAddress { level: self.level, x, sample, ..TexelAddress::default() };
        Some(match (texture.dim, self.layer) {
            (Dim::D1 | Dim::Buffer, layer) => TexelAddress { layer: layer.unwrap_or(y), ..address },
            (Dim::D3, layer) => TexelAddress { y, z: layer.unwrap_or(z), ..address },
            (Dim::D2 | Dim::Cube | Dim::Rect | Dim::D2Multisample, layer) => {
                TexelAddress { y, layer: layer.unwrap_or(z), ..address }
            }
        })
    }

    /// `imageSize` in GLSL's order; cube map arrays count cubes. Zero if nothing is bound.
    #[must_use]
    pub fn size(&self, texture: &Texture) -> [i32; 3] {
        let mut size = self.extent(texture).unwrap_or_default();
        if texture.dim == Dim::Cube {
            size[2] /= 6;
            if texture.layers.is_none() {
                size[2] = 0;
            }
        }
        size.map(|n| i32::try_from(n).unwrap_or(i32::MAX))
    }

    /// The size in each direction of an image coordinate, zero for missing ones.
    fn extent(&self, texture: &Texture) -> Option<[u32; 3]> {
        let level = texture.level(self.level)?;
        let slices = if texture.dim == Dim::D3 { level.depth } else { texture.slices() };
        if self.layer.is_some_and(|layer| layer >= slices) {
            return None;
        }
        let layers =
            if self.layer.is_none() && (texture.layers.is_some() || texture.dim == Dim::Cube) { slices } else { 0 };
        Some(match texture.dim {
            Dim::D1 | Dim::Buffer => [level.width, layers, 0],
            Dim::D3 => [level.width, level.height, if self.layer.is_none() { level.depth } else { 0 }],
            Dim::D2 | Dim::Cube | Dim::Rect | Dim::D2Multisample => [level.width, level.height, layers],
        })
    }
}

impl Texture {
    /// The texel at an address, in the texture's own format, without its swizzle; `None` outside.
    #[must_use]
    pub fn load(&self, address: TexelAddress) -> Option<Value> {
        self.start(address)?;
        Some(self.read(address, true))
    }

    /// Stores a texel in the texture's own format; returns false, without effect, outside.
    pub fn store(&mut self, address: TexelAddress, value: Value) -> bool {
        let (format, stencil) = (self.format, self.stencil);
        let Some(bytes) = self.texel_mut(address) else { return false };
        format.encode(value, Reading { decode_srgb: true, stencil }, bytes);
        true
    }

    /// `imageLoad`: the texel's bits as another format of the same size. `None` outside, or if the sizes differ.
    #[must_use]
    pub fn load_as(&self, format: Format, address: TexelAddress) -> Option<Value> {
        let start = self.start(address).filter(|_| format.bytes() == self.format.bytes())?;
        let data = &self.levels.get(address.level as usize)?.data;
        Some(format.decode(data.get(start..start + format.bytes()).unwrap_or(&[]), PLAIN))
    }

    /// `imageStore`: writes the texel's bits as another format of the same size. Returns false outside, or if the sizes
    /// differ.
    pub fn store_as(&mut self, format: Format, address: TexelAddress, value: Value) -> bool {
        if format.bytes() != self.format.bytes() {
            return false;
        }
        let Some(bytes) = self.texel_mut(address) else { return false };
        format.encode(value, PLAIN, bytes);
        true
    }

    /// Image atomics: replaces the bits of a 32-bit texel, whatever its format, and returns the old ones. `None`
    /// outside, or if texels have another size.
    pub fn update_word(&mut self, address: TexelAddress, new: impl FnOnce(u32) -> u32) -> Option<u32> {
        let bytes: &mut [u8; 4] = self.texel_mut(address)?.try_into().ok()?;
        let old = u32::from_le_bytes(*bytes);
        *bytes = new(old).to_le_bytes();
        Some(old)
    }

    /// Image atomics on 64-bit texels, like [`Texture::update_word`].
    pub fn update_long(&mut self, address: TexelAddress, new: impl FnOnce(u64) -> u64) -> Option<u64> {
        let bytes: &mut [u8; 8] = self.texel_mut(address)?.try_into().ok()?;
        let old = u64::from_le_bytes(*bytes);
        *bytes = new(old).to_le_bytes();
        Some(old)
    }

    /// The stored bytes of a texel; `None` outside, or if they cannot be allocated.
    pub fn texel_mut(&mut self, address: TexelAddress) -> Option<&mut [u8]> {
        let start = self.start(address)?;
        let end = start.checked_add(self.format.bytes())?;
        let data = Arc::make_mut(&mut self.levels.get_mut(address.level as usize)?.data);
        if data.len() < end {
            // Missing bytes read as zero, so the bytes before the texel are filled with zeros.
            data.try_reserve(end - data.len()).ok()?;
            data.resize(end, 0);
        }
        data.get_mut(start..end)
    }

    /// The number of two-dimensional images per level: layers, faces, or both.
    fn slices(&self) -> u32 {
        let faces = if self.dim == Dim::Cube { 6 } else { 1 };
        self.layers.unwrap_or(1).saturating_mul(faces)
    }

    /// The offset of a texel in its level; `None` outside.
    fn start(&self, address: TexelAddress) -> Option<usize> {
        let level = self.level(address.level)?;
        let inside = address.x < level.width
            && address.y < level.height
            && address.z < level.depth
            && address.layer < self.slices()
            && address.sample < self.samples;
        if !inside {
            return None;
        }
        offset(level, address, self.samples)?.checked_mul(self.format.bytes())
    }
}

/// Image formats are never sRGB and have no stencil, so there is nothing to choose.
const PLAIN: Reading = Reading { decode_srgb: false, stencil: false };

fn offset(level: &Level, address: TexelAddress, samples: u32) -> Option<usize> {
    let step = |at: usize, count: u32, next: u32| at.checked_mul(count as usize)?.checked_add(next as usize);
    let slice = step(address.layer as usize, level.depth, address.z)?;
    let row = step(slice, level.height, address.y)?;
    let texel = step(row, level.width, address.x)?;
    step(texel, samples, address.sample)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texture(dim: Dim, format: Format, layers: Option<u32>, [width, height, depth]: [u32; 3]) -> Texture {
        let level = Level { width, height, depth, data: Arc::default() };
        Texture { layers, ..Texture::new(dim, format, vec![level]) }
    }

    /// Checks the layer, x, y and z that a coordinate leads to.
    #[track_caller]
    fn check(texture: &Texture, layer: Option<u32>, at: [i32; 3], expected: Option<[u32; 4]>) {
        let image = Image { level: 0, layer, format: texture.format };
        let address = image.address(texture, at, 0);
        assert_eq!(address.map(|p| [p.layer, p.x, p.y, p.z]), expected);
    }

    #[test]
    fn addresses_of_coordinates() {
        let plane = texture(Dim::D2, Format::R8, None, [4, 3, 1]);
        check(&plane, None, [3, 2, 99], Some([0, 3, 2, 0]));
        check(&plane, None, [3, 3, 0], None);
        check(&plane, None, [-1, 0, 0], None);
        let line_array = texture(Dim::D1, Format::R8, Some(5), [4, 1, 1]);
        check(&line_array, None, [3, 4, 0], Some([4, 3, 0, 0]));
        check(&line_array, None, [3, 5, 0], None);
        check(&line_array, Some(2), [3, 0, 0], Some([2, 3, 0, 0]));
        let cubes = texture(Dim::Cube, Format::R8, Some(2), [4, 4, 1]);
        check(&cubes, None, [1, 2, 11], Some([11, 1, 2, 0]));
        check(&cubes, None, [1, 2, 12], None);
        check(&cubes, Some(7), [1, 2, 0], Some([7, 1, 2, 0]));
        check(&cubes, Some(12), [1, 2, 0], None);
        let solid = texture(Dim::D3, Format::R8, None, [4, 3, 2]);
        check(&solid, None, [0, 2, 1], Some([0, 0, 2, 1]));
        check(&solid, None, [0, 2, 2], None);
        check(&solid, Some(1), [0, 2, 9], Some([0, 0, 2, 1]));
    }

    #[test]
    fn sizes_are_in_the_order_of_glsl() {
        let size = |texture: &Texture, layer| Image { level: 0, layer, format: texture.format }.size(texture);
        assert_eq!(size(&texture(Dim::D2, Format::R8, Some(7), [4, 3, 1]), None), [4, 3, 7]);
        assert_eq!(size(&texture(Dim::D2, Format::R8, Some(7), [4, 3, 1]), Some(0)), [4, 3, 0]);
        assert_eq!(size(&texture(Dim::Cube, Format::R8, None, [4, 4, 1]), None), [4, 4, 0]);
        assert_eq!(size(&texture(Dim::Cube, Format::R8, Some(2), [4, 4, 1]), None), [4, 4, 2]);
        assert_eq!(size(&texture(Dim::D3, Format::R8, None, [4, 3, 2]), None), [4, 3, 2]);
        assert_eq!(size(&texture(Dim::D1, Format::R8, Some(2), [4, 1, 1]), None), [4, 2, 0]);
        assert_eq!(size(&texture(Dim::D1, Format::R8, None, [0, 0, 0]), None), [0; 3]);
    }

    #[test]
    fn stores_change_one_texel() {
        let mut layers = texture(Dim::D2, Format::Rg8, Some(3), [2, 2, 1]);
        let address = TexelAddress { layer: 1, x: 1, y: 0, ..TexelAddress::default() };
        assert!(layers.store(address, Value::Float([1.0, 0.2, 0.0, 0.0])));
        assert_eq!(*layers.levels[0].data, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 51]);
        assert_eq!(layers.load(address), Some(Value::Float([1.0, 0.2, 0.0, 1.0])));
        assert_eq!(layers.load(TexelAddress { layer: 2, ..address }), Some(Value::Float([0.0, 0.0, 0.0, 1.0])));
        for outside in
            [TexelAddress { layer: 3, ..address }, TexelAddress { x: 2, ..address }, TexelAddress { y: 2, ..address }]
        {
            assert!(!layers.store(outside, Value::Float([0.0; 4])));
            assert_eq!(layers.load(outside), None);
        }
        for outside in [
            TexelAddress { z: 1, ..address },
            TexelAddress { level: 1, ..address },
            TexelAddress { sample: 1, ..address },
        ] {
            assert!(!layers.store(outside, Value::Float([0.0; 4])));
        }
    }

    #[test]
    fn bits_can_be_reinterpreted_as_another_format() {
        let mut plane = texture(Dim::D2, Format::Rgba8, None, [1, 1, 1]);
        let address = TexelAddress::default();
        assert!(plane.store_as(Format::R32F, address, Value::Float([1.0, 0.0, 0.0, 0.0])));
        assert_eq!(plane.load_as(Format::R32Ui, address), Some(Value::Uint([0x3f80_0000, 0, 0, 1])));
        assert_eq!(plane.load_as(Format::Rgba8Ui, address), Some(Value::Uint([0, 0, 0x80, 0x3f])));
        assert_eq!(plane.load_as(Format::R8, address), None);
        assert!(!plane.store_as(Format::Rgba16, address, Value::Float([1.0; 4])));
        assert_eq!(plane.update_word(address, |old| old + 1), Some(0x3f80_0000));
        assert_eq!(plane.load_as(Format::R32Ui, address), Some(Value::Uint([0x3f80_0001, 0, 0, 1])));
        assert_eq!(plane.update_long(address, |old| old), None);
        assert_eq!(plane.update_word(TexelAddress { x: 1, ..address }, |old| old), None);
    }

    #[test]
    fn samples_are_stored_separately() {
        let mut samples = texture(Dim::D2Multisample, Format::R32I, None, [2, 1, 1]);
        samples.samples = 4;
        let image = Image { level: 0, layer: None, format: Format::R32I };
        let address = image.address(&samples, [1, 0, 0], 2).expect("inside");
        assert!(samples.store_as(image.format, address, Value::Int([-5; 4])));
        assert_eq!(samples.fetch([1, 0, 0], [0; 3], 0, 2, &mut ()), Some(Value::Int([-5, 0, 0, 1])));
        assert_eq!(image.address(&samples, [1, 0, 0], 4), None);
        assert_eq!(image.address(&samples, [1, 0, 0], -1), None);
    }

    #[test]
    fn sizes_that_exceed_memory_are_rejected() {
        let mut vast = texture(Dim::D3, Format::Rgba32F, Some(u32::MAX), [u32::MAX; 3]);
        let last = u32::MAX - 1;
        let address = TexelAddress { level: 0, layer: last, x: last, y: last, z: last, sample: 0 };
        assert!(!vast.store(address, Value::Float([1.0; 4])));
        assert_eq!(vast.load(address), None);
    }
}
