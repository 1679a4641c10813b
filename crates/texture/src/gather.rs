//! `textureGather` and its variants (GL 4.6, 8.14.2; GLSL 4.60, 8.9.4).

use crate::llvmpipe::Arithmetic;
use crate::sample::Lookup;
use crate::sampler::Filter;
use crate::unit::Unit;
use crate::value::{TexelSink, Value};

impl Unit<'_> {
    /// One component of each of the four texels that linear filtering of the base level would use, in the order (0, 1),
    /// (1, 1), (1, 0), (0, 0). Level of detail and filters have no effect. With a reference, the components are the
    /// results of comparisons. The texels are reported to the sink in this order.
    pub fn gather<S: TexelSink>(&self, look: &Lookup, component: u8, sink: &mut S) -> Value {
        self.gathered(look, component, [[0, 1], [1, 1], [1, 0], [0, 0]], sink)
    }

    /// `textureGatherOffsets`: for each offset the texel at (0, 0) of the four, as GLSL defines it. The look-up's own
    /// offset is added to each.
    pub fn gather_offsets<S: TexelSink>(
        &self,
        look: &Lookup,
        component: u8,
        offsets: [[i32; 2]; 4],
        sink: &mut S,
    ) -> Value {
        self.gathered(look, component, offsets.map(|o| o.map(i64::from)), sink)
    }

    fn gathered<S: TexelSink>(&self, look: &Lookup, component: u8, steps: [[i64; 2]; 4], sink: &mut S) -> Value {
        // The result of a comparison is the red component.
        let component = usize::from(component.min(3));
        if self.incomplete.is_some() {
            return Value::gathered([self.incomplete_result(); 4], component);
        }
        let spot = self.spot(look.coords);
        let arithmetic = if self.is_llvmpipe() { Arithmetic::Fused } else { Arithmetic::Plain };
        let plane = self.plane(look, self.texture.base_level, spot.layer, (Filter::Linear, arithmetic));
        let [x, y, _] =
            self.spans(&plane, spot, look.offset, (Filter::Linear, Arithmetic::Plain)).map(|span| span.first);
        let texels = steps.map(|[dx, dy]| {
            let value = self.texel(&plane, [x + dx, y + dy, 0], 1.0, sink);
            value.swizzled(self.texture.swizzle)
        });
        Value::gathered(texels, component)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compare, Dim, Filter, Format, Level, MipFilter, Sampler, Swizzle, Texture, Wrap};

    fn sampler() -> Sampler {
        Sampler { mag_filter: Filter::Nearest, mip_filter: MipFilter::None, ..Sampler::default() }
    }

    /// Red numbers the texels, green is red plus a hundred.
    fn texture() -> Texture {
        let data: Vec<u8> = (0..16).flat_map(|i| [i, i + 100]).collect();
        Texture::new(Dim::D2, Format::Rg8Ui, vec![Level { width: 4, height: 4, depth: 1, data: data.into() }])
    }

    fn look(x: f32, y: f32) -> Lookup {
        Lookup { coords: [x, y, 0.0, 0.0], ..Lookup::default() }
    }

    #[test]
    fn order_and_component() {
        let (texture, sampler) = (texture(), sampler());
        let unit = Unit::new(&texture, &sampler);
        let mut log = Vec::new();
        assert_eq!(unit.gather(&look(0.5, 0.5), 0, &mut log), Value::Uint([9, 10, 6, 5]));
        assert_eq!(log.iter().map(|t| (t.x, t.y)).collect::<Vec<_>>(), [(1, 2), (2, 2), (2, 1), (1, 1)]);
        assert_eq!(unit.gather(&look(0.5, 0.5), 1, &mut ()), Value::Uint([109, 110, 106, 105]));
        assert_eq!(unit.gather(&look(0.5, 0.5), 3, &mut ()), Value::Uint([1; 4]));
        assert_eq!(unit.gather(&look(0.0, 0.0), 0, &mut ()), Value::Uint([3, 0, 12, 15]));
        let offset = Lookup { offset: [1, 0, 0], ..look(0.5, 0.5) };
        assert_eq!(unit.gather(&offset, 0, &mut ()), Value::Uint([10, 11, 7, 6]));
        let offsets = [[0, 0], [1, 0], [0, 1], [-1, -1]];
        assert_eq!(unit.gather_offsets(&look(0.5, 0.5), 0, offsets, &mut ()), Value::Uint([5, 6, 9, 0]));
    }

    #[test]
    fn swizzle_comes_first() {
        let mut texture = texture();
        texture.swizzle = [Swizzle::Green, Swizzle::Zero, Swizzle::Red, Swizzle::One];
        let sampler = sampler();
        let unit = Unit::new(&texture, &sampler);
        assert_eq!(unit.gather(&look(0.5, 0.5), 0, &mut ()), Value::Uint([109, 110, 106, 105]));
        assert_eq!(unit.gather(&look(0.5, 0.5), 1, &mut ()), Value::Uint([0; 4]));
    }

    #[test]
    fn comparisons_are_gathered() {
        let data: Vec<u8> = [0.25f32, 0.5, 0.75, 1.0].iter().flat_map(|d| d.to_le_bytes()).collect();
        let texture =
            Texture::new(Dim::D2, Format::Depth32F, vec![Level { width: 2, height: 2, depth: 1, data: data.into() }]);
        let sampler = Sampler { compare: Some(Compare::LessEqual), wrap: [Wrap::ClampToEdge; 3], ..sampler() };
        let unit = Unit::new(&texture, &sampler);
        let look = Lookup { reference: Some(0.6), ..look(0.5, 0.5) };
        assert_eq!(unit.gather(&look, 0, &mut ()), Value::Float([1.0, 1.0, 0.0, 0.0]));
    }
}
