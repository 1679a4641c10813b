//! Images: single texels loaded, stored and updated without a sampler (GL 4.6, 8.26).

use std::sync::Arc;

use crate::decode::Reading;
use crate::format::Format;
use crate::texture::{Dim, Level, Texture};
use crate::value::Value;

/// A place in a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
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

/// What `glBindImageTexture` says of a texture: the part of it that a shader's image is, and how its texels are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Image {
    /// The level, counted from level 0 of the texture.
    pub level: u32,
    /// The only layer, face or slice bound; none where all are (`layered` is true).
    pub layer: Option<u32>,
    /// The format in which bits are read and written, whatever the texture's own is.
    pub format: Format,
}

impl Image {
    /// The place of a texel, in the order in which GLSL has an image coordinate: the axes and then, where there are
    /// several and all are bound, the layer or face. None outside the image.
    #[must_use]
    pub fn place(&self, texture: &Texture, texel: [i32; 3], sample: i32) -> Option<Place> {
        let size = self.extent(texture)?;
        let mut at = [0; 3];
        for i in 0..3 {
            // A shader may give more components than a single layer has, and they do not count.
            if size[i] > 0 {
                at[i] = u32::try_from(texel[i]).ok().filter(|&c| c < size[i])?;
            }
        }
        let sample = u32::try_from(sample).ok().filter(|&sample| sample < texture.samples)?;
        let [x, y, z] = at;
        let place = Place { level: self.level, x, sample, ..Place::default() };
        Some(match (texture.dim, self.layer) {
            (Dim::D1 | Dim::Buffer, layer) => Place { layer: layer.unwrap_or(y), ..place },
            (Dim::D3, layer) => Place { y, z: layer.unwrap_or(z), ..place },
            (Dim::D2 | Dim::Cube | Dim::Rect | Dim::D2Multisample, layer) => {
                Place { y, layer: layer.unwrap_or(z), ..place }
            }
        })
    }

    /// `imageSize`, in the order GLSL gives it; a layer count of cube map arrays is in cubes. Zero where nothing is
    /// bound.
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

    /// Texels in each direction of an image coordinate, zero in those it does not have.
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
    /// The texel at a place, in the texture's own format, without its swizzle; none outside.
    #[must_use]
    pub fn load(&self, place: Place) -> Option<Value> {
        self.start(place)?;
        Some(self.read(place, true))
    }

    /// Stores a texel, in the texture's own format; false outside, where nothing happens.
    pub fn store(&mut self, place: Place, value: Value) -> bool {
        let (format, stencil) = (self.format, self.stencil);
        let Some(bytes) = self.texel_mut(place) else { return false };
        format.encode(value, Reading { decode_srgb: true, stencil }, bytes);
        true
    }

    /// `imageLoad`: the texel's bits as another format of the same size. None outside, or where the sizes differ.
    #[must_use]
    pub fn load_as(&self, format: Format, place: Place) -> Option<Value> {
        let start = self.start(place).filter(|_| format.bytes() == self.format.bytes())?;
        let data = &self.levels.get(place.level as usize)?.data;
        Some(format.decode(data.get(start..start + format.bytes()).unwrap_or(&[]), PLAIN))
    }

    /// `imageStore`: writes the texel's bits as another format of the same size. False outside, or where the sizes
    /// differ.
    pub fn store_as(&mut self, format: Format, place: Place, value: Value) -> bool {
        if format.bytes() != self.format.bytes() {
            return false;
        }
        let Some(bytes) = self.texel_mut(place) else { return false };
        format.encode(value, PLAIN, bytes);
        true
    }

    /// Image atomics: replaces the bits of a texel of 32 bits, whatever they mean, and gives back the old ones. None
    /// outside, or where texels have another size.
    pub fn update_word(&mut self, place: Place, new: impl FnOnce(u32) -> u32) -> Option<u32> {
        let bytes: &mut [u8; 4] = self.texel_mut(place)?.try_into().ok()?;
        let old = u32::from_le_bytes(*bytes);
        *bytes = new(old).to_le_bytes();
        Some(old)
    }

    /// Image atomics on texels of 64 bits, as [`Texture::update_word`] on those of 32.
    pub fn update_long(&mut self, place: Place, new: impl FnOnce(u64) -> u64) -> Option<u64> {
        let bytes: &mut [u8; 8] = self.texel_mut(place)?.try_into().ok()?;
        let old = u64::from_le_bytes(*bytes);
        *bytes = new(old).to_le_bytes();
        Some(old)
    }

    /// The stored bytes of a texel; none outside, or where there is no memory for them.
    pub fn texel_mut(&mut self, place: Place) -> Option<&mut [u8]> {
        let start = self.start(place)?;
        let end = start.checked_add(self.format.bytes())?;
        let data = Arc::make_mut(&mut self.levels.get_mut(place.level as usize)?.data);
        if data.len() < end {
            // Missing bytes read as zero, so that those between may come into being as zero.
            data.try_reserve(end - data.len()).ok()?;
            data.resize(end, 0);
        }
        data.get_mut(start..end)
    }

    /// How many two-dimensional pictures a level has beside each other: layers, faces, or both.
    fn slices(&self) -> u32 {
        let faces = if self.dim == Dim::Cube { 6 } else { 1 };
        self.layers.unwrap_or(1).saturating_mul(faces)
    }

    /// Where a texel begins in its level; none outside.
    fn start(&self, place: Place) -> Option<usize> {
        let level = self.level(place.level)?;
        let inside = place.x < level.width
            && place.y < level.height
            && place.z < level.depth
            && place.layer < self.slices()
            && place.sample < self.samples;
        if !inside {
            return None;
        }
        offset(level, place, self.samples)?.checked_mul(self.format.bytes())
    }
}

/// Image formats are never sRGB ones and have no stencil, so that nothing is left to choose.
const PLAIN: Reading = Reading { decode_srgb: false, stencil: false };

fn offset(level: &Level, place: Place, samples: u32) -> Option<usize> {
    let step = |at: usize, count: u32, next: u32| at.checked_mul(count as usize)?.checked_add(next as usize);
    let slice = step(place.layer as usize, level.depth, place.z)?;
    let row = step(slice, level.height, place.y)?;
    let texel = step(row, level.width, place.x)?;
    step(texel, samples, place.sample)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texture(dim: Dim, format: Format, layers: Option<u32>, [width, height, depth]: [u32; 3]) -> Texture {
        let level = Level { width, height, depth, data: Arc::default() };
        Texture { layers, ..Texture::new(dim, format, vec![level]) }
    }

    /// Where a coordinate leads, as layer, x, y and z.
    #[track_caller]
    fn check(texture: &Texture, layer: Option<u32>, at: [i32; 3], expected: Option<[u32; 4]>) {
        let image = Image { level: 0, layer, format: texture.format };
        let place = image.place(texture, at, 0);
        assert_eq!(place.map(|p| [p.layer, p.x, p.y, p.z]), expected);
    }

    #[test]
    fn coordinates_lead_to_places() {
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
    fn stores_touch_one_texel() {
        let mut layers = texture(Dim::D2, Format::Rg8, Some(3), [2, 2, 1]);
        let place = Place { layer: 1, x: 1, y: 0, ..Place::default() };
        assert!(layers.store(place, Value::Float([1.0, 0.2, 0.0, 0.0])));
        assert_eq!(*layers.levels[0].data, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 51]);
        assert_eq!(layers.load(place), Some(Value::Float([1.0, 0.2, 0.0, 1.0])));
        assert_eq!(layers.load(Place { layer: 2, ..place }), Some(Value::Float([0.0, 0.0, 0.0, 1.0])));
        for outside in [Place { layer: 3, ..place }, Place { x: 2, ..place }, Place { y: 2, ..place }] {
            assert!(!layers.store(outside, Value::Float([0.0; 4])));
            assert_eq!(layers.load(outside), None);
        }
        for outside in [Place { z: 1, ..place }, Place { level: 1, ..place }, Place { sample: 1, ..place }] {
            assert!(!layers.store(outside, Value::Float([0.0; 4])));
        }
    }

    #[test]
    fn bits_may_be_read_as_another_format_of_their_size() {
        let mut plane = texture(Dim::D2, Format::Rgba8, None, [1, 1, 1]);
        let place = Place::default();
        assert!(plane.store_as(Format::R32F, place, Value::Float([1.0, 0.0, 0.0, 0.0])));
        assert_eq!(plane.load_as(Format::R32Ui, place), Some(Value::Uint([0x3f80_0000, 0, 0, 1])));
        assert_eq!(plane.load_as(Format::Rgba8Ui, place), Some(Value::Uint([0, 0, 0x80, 0x3f])));
        assert_eq!(plane.load_as(Format::R8, place), None);
        assert!(!plane.store_as(Format::Rgba16, place, Value::Float([1.0; 4])));
        assert_eq!(plane.update_word(place, |old| old + 1), Some(0x3f80_0000));
        assert_eq!(plane.load_as(Format::R32Ui, place), Some(Value::Uint([0x3f80_0001, 0, 0, 1])));
        assert_eq!(plane.update_long(place, |old| old), None);
        assert_eq!(plane.update_word(Place { x: 1, ..place }, |old| old), None);
    }

    #[test]
    fn samples_are_stored_apart() {
        let mut samples = texture(Dim::D2Multisample, Format::R32I, None, [2, 1, 1]);
        samples.samples = 4;
        let image = Image { level: 0, layer: None, format: Format::R32I };
        let place = image.place(&samples, [1, 0, 0], 2).expect("inside");
        assert!(samples.store_as(image.format, place, Value::Int([-5; 4])));
        assert_eq!(samples.fetch([1, 0, 0], [0; 3], 0, 2, &mut ()), Some(Value::Int([-5, 0, 0, 1])));
        assert_eq!(image.place(&samples, [1, 0, 0], 4), None);
        assert_eq!(image.place(&samples, [1, 0, 0], -1), None);
    }

    #[test]
    fn sizes_beyond_memory_are_refused() {
        let mut vast = texture(Dim::D3, Format::Rgba32F, Some(u32::MAX), [u32::MAX; 3]);
        let last = u32::MAX - 1;
        let place = Place { level: 0, layer: last, x: last, y: last, z: last, sample: 0 };
        assert!(!vast.store(place, Value::Float([1.0; 4])));
        assert_eq!(vast.load(place), None);
    }
}
