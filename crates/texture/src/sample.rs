//! Filtered look-ups (GL 4.6, 8.14 to 8.16 and 8.23).

use crate::cube::{self, Projection, Seamless};
use crate::image::TexelAddress;
use crate::llvmpipe::{self, Arithmetic};
use crate::sampler::{Filter, Filtering};
use crate::texture::Dim;
use crate::unit::Unit;
use crate::value::{Texel, TexelSink, Value};
use crate::wrap::{Span, Wrap};

/// The source of the level of detail.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Lod {
    /// The change of the coordinate to the next pixel along x and y, in the coordinate's own space (directions for cube
    /// maps, texels for rectangles): `texture` in a fragment shader.
    Derivatives {
        /// Change along x.
        dx: [f32; 3],
        /// Change along y.
        dy: [f32; 3],
        /// The argument `bias`, if the shader gives one.
        bias: Option<f32>,
    },
    /// Changes that the shader gives: `textureGrad`.
    Gradient {
        /// Change along x.
        dx: [f32; 3],
        /// Change along y.
        dy: [f32; 3],
    },
    /// An explicit level: `textureLod`, and zero for `texture` in stages without derivatives.
    Explicit(f32),
}

impl Lod {
    /// The changes along x and y, and the bias; `None` if the level is explicit.
    pub(crate) fn slopes(&self) -> Option<([f32; 3], [f32; 3], f32)> {
        match *self {
            Lod::Derivatives { dx, dy, bias } => Some((dx, dy, bias.unwrap_or(0.0))),
            Lod::Gradient { dx, dy } => Some((dx, dy, 0.0)),
            Lod::Explicit(_) => None,
        }
    }
}

/// The parameters of a look-up.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lookup {
    /// The coordinate in GLSL's order: s, t, r as far as the texture has them (a direction for cube maps), then the
    /// layer of an array. Projective division is up to the caller.
    pub coords: [f32; 4],
    /// Level of detail.
    pub lod: Lod,
    /// An offset in texels.
    pub offset: [i32; 3],
    /// The reference of a shadow comparison; without one, depths are returned.
    pub reference: Option<f32>,
    /// A lower bound of the level of detail (`textureClampARB`).
    pub min_lod: Option<f32>,
    /// The coordinates at the quad's first pixel, the next along x and the next along y; `None` where there is no quad.
    /// Only llvmpipe's anisotropic filters and cube maps need them.
    pub quad: Option<[[f32; 3]; 3]>,
}

impl Default for Lookup {
    fn default() -> Lookup {
        Lookup { coords: [0.0; 4], lod: Lod::Explicit(0.0), offset: [0; 3], reference: None, min_lod: None, quad: None }
    }
}

/// A resolved coordinate: position along the texture's axes, and layer with face.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ResolvedCoordinate {
    pub(crate) coords: [f32; 3],
    pub(crate) layer: u32,
}

/// One level in a look-up.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Plane {
    pub(crate) level: u32,
    pub(crate) size: [u32; 3],
    pub(crate) layer: u32,
    pub(crate) wrap: [Wrap; 3],
    /// Whether filtering crosses the edges of the cube.
    pub(crate) seamless: bool,
    pub(crate) reference: Option<f32>,
    pub(crate) arithmetic: Arithmetic,
}

impl Unit<'_> {
    /// Samples the texture, and reports each texel with its weight to the sink. The result of a comparison is the red
    /// component, before the swizzle.
    pub fn sample<S: TexelSink>(&self, look: &Lookup, sink: &mut S) -> Value {
        if self.incomplete.is_some() {
            return self.incomplete_result();
        }
        if let Some(bound) = self.sampler.bound.and_then(|bound| self.bound(look, bound)) {
            return bound;
        }
        if self.is_elliptic(look) {
            return self.average_ellipse(look, sink).swizzled(self.texture.swizzle);
        }
        if self.is_llvmpipe() {
            let selection = self.llvmpipe_selection(look, self.arithmetic(look));
            return self.levels_at(look, selection, 1.0, sink).swizzled(self.texture.swizzle);
        }
        let detail = self.detail(look);
        let selection = self.select(self.clamp(detail.lod, look));
        let Some((dx, dy, _)) = look.lod.slopes() else {
            let value = self.levels_at(look, selection, 1.0, sink);
            return value.swizzled(self.texture.swizzle);
        };
        if detail.probes == 1 {
            return self.levels_at(look, selection, 1.0, sink).swizzled(self.texture.swizzle);
        }
        let major = if detail.along_y { dy } else { dx };
        let weight = 1.0 / f32::from(detail.probes);
        let mut sum = [0.0; 4];
        for i in 1..=detail.probes {
            // The positions that the extension's specification gives: evenly from half a pixel before to half a pixel
            // after.
            let t = f32::from(i) / (f32::from(detail.probes) + 1.0) - 0.5;
            let mut probe = *look;
            let axes = self.texture.dim.coordinates();
            probe.coords.iter_mut().zip(major).take(axes).for_each(|(c, d)| *c += t * d);
            let value = self.levels_at(&probe, selection, weight, sink).float();
            (0..4).for_each(|c| sum[c] += weight * value[c]);
        }
        Value::Float(sum).swizzled(self.texture.swizzle)
    }

    /// Samples one or two levels at a position.
    pub(crate) fn levels_at<S: TexelSink>(
        &self,
        look: &Lookup,
        selection: crate::lod::Selection,
        weight: f32,
        sink: &mut S,
    ) -> Value {
        let spot = self.spot(look.coords);
        let arithmetic = self.arithmetic(look);
        let (first, filter) = (selection.first, selection.filter);
        let Some((second, share)) = selection.second else {
            return match self.level_at(look, spot, (first, filter), arithmetic, weight, sink) {
                Value::Float(value) => Value::Float(arithmetic.result(value)),
                whole => whole,
            };
        };
        let near = self.level_at(look, spot, (first, filter), arithmetic, weight * (1.0 - share), sink);
        let far = self.level_at(look, spot, (second, filter), arithmetic, weight * share, sink);
        Value::Float(arithmetic.result(arithmetic.mix(near.float(), far.float(), share)))
    }

    fn level_at<S: TexelSink>(
        &self,
        look: &Lookup,
        spot: ResolvedCoordinate,
        (level, filter): (u32, Filter),
        arithmetic: Arithmetic,
        weight: f32,
        sink: &mut S,
    ) -> Value {
        let plane = self.plane(look, level, spot.layer, (filter, arithmetic));
        let spans = self.spans(&plane, spot, look.offset, (filter, arithmetic));
        if filter == Filter::Nearest {
            return self.texel(&plane, spans.map(|span| span.first), weight, sink);
        }
        Value::Float(Mixing { unit: self, plane: &plane, spans, arithmetic }.volume(weight, sink))
    }

    /// Resolves the face and layer of a coordinate.
    pub(crate) fn spot(&self, coords: [f32; 4]) -> ResolvedCoordinate {
        let dim = self.texture.dim;
        let layer = self.texture.layers.map_or(0, |layers| {
            // GL 4.6, 8.14.2: rounded to the nearest layer, and clamped to the existing ones. NaN becomes zero.
            let layer = (coords[dim.coordinates()] + 0.5).floor();
            (layer.max(0.0) as u32).min(layers.saturating_sub(1))
        });
        let [x, y, z, _] = coords;
        if dim == Dim::Cube {
            let projection = self.project([x, y, z], [[0.0; 3]; 2]);
            let [s, t] = projection.coords;
            return ResolvedCoordinate { coords: [s, t, 0.0], layer: layer * 6 + projection.face };
        }
        ResolvedCoordinate { coords: [x, y, z], layer }
    }

    /// Projects a direction and its derivatives to the face of a cube map.
    pub(crate) fn project(&self, direction: [f32; 3], derivatives: [[f32; 3]; 2]) -> Projection {
        if self.is_llvmpipe() {
            return llvmpipe::cube::project(direction, derivatives);
        }
        cube::project(direction, derivatives)
    }

    pub(crate) fn plane(
        &self,
        look: &Lookup,
        level: u32,
        layer: u32,
        (filter, arithmetic): (Filter, Arithmetic),
    ) -> Plane {
        let linear = filter == Filter::Linear;
        let size = self.texture.level(level).map_or([0; 3], |l| [l.width, l.height, l.depth]);
        let seamless = self.is_seamless();
        let wrap = self.sampler.wrap.map(|wrap| match wrap {
            // GL 4.6, 8.13.1: filtering across edges ignores wrap modes; otherwise, nearest filtering stays on the
            // face.
            _ if seamless => Wrap::ClampToEdge,
            _ if self.texture.dim == Dim::Cube && self.is_llvmpipe() => Wrap::ClampToEdge,
            // The nearest texel to a coordinate inside the texture is never the border.
            Wrap::Clamp if !linear => Wrap::ClampToEdge,
            wrap => wrap,
        });
        let reference = look.reference.filter(|_| self.compares()).map(|reference| match self.texture.format.range() {
            // GL 4.6, 8.23.1: for fixed-point depths the reference is clamped to the same range.
            Some((low, high)) => reference.max(low).min(high),
            None => reference,
        });
        Plane { level, size, layer, wrap, seamless: seamless && linear, reference, arithmetic }
    }

    pub(crate) fn spans(
        &self,
        plane: &Plane,
        spot: ResolvedCoordinate,
        offset: [i32; 3],
        (filter, arithmetic): (Filter, Arithmetic),
    ) -> [Span; 3] {
        let mut spans = [Span::NONE; 3];
        for axis in 0..self.texture.dim.axes() {
            let (wrap, size, coordinate) = (plane.wrap[axis], plane.size[axis], spot.coords[axis]);
            if arithmetic != Arithmetic::Plain {
                let how = (offset[axis], filter);
                spans[axis] = self.llvmpipe_span(arithmetic, axis, (wrap, size), coordinate, how);
                continue;
            }
            let u = match (self.texture.dim, wrap) {
                (Dim::Rect, Wrap::Clamp) => coordinate.max(0.0).min(size as f32),
                (Dim::Rect, _) => coordinate,
                _ => wrap.scale(coordinate, size),
            };
            spans[axis] = match filter {
                Filter::Nearest => Span::nearest(u, offset[axis]),
                Filter::Linear => Span::linear(self.kept(u), offset[axis]),
            };
        }
        spans
    }

    /// A coordinate in texels, in the precision of the device.
    fn kept(&self, u: f32) -> f32 {
        let Filtering::WeightBits(bits) = self.sampler.filtering else { return u };
        let scale = f32::from(2u8).powi(i32::from(bits));
        (u * scale).round() / scale
    }

    /// The texel at an address before wrapping, compared with the reference if there is one.
    pub(crate) fn texel<S: TexelSink>(&self, plane: &Plane, at: [i64; 3], weight: f32, sink: &mut S) -> Value {
        if plane.seamless {
            return self.cube_texel(plane, at, weight, sink);
        }
        let axes = self.texture.dim.axes();
        let mut found = [0; 3];
        for axis in 0..axes {
            match plane.wrap[axis].texel(at[axis], plane.size[axis]) {
                Some(i) => found[axis] = i,
                None => {
                    sink.border(plane.level, weight);
                    return compared(self, plane, self.border);
                }
            }
        }
        self.read(plane, plane.layer, found, weight, sink)
    }

    fn cube_texel<S: TexelSink>(&self, plane: &Plane, at: [i64; 3], weight: f32, sink: &mut S) -> Value {
        let (cube, face) = (plane.layer / 6 * 6, plane.layer % 6);
        match cube::seamless(face, at[0], at[1], plane.size[0]) {
            Seamless::One(texel) => self.read(plane, cube + texel.face, [texel.x, texel.y, 0], weight, sink),
            Seamless::Corner(texels) => {
                let values = texels.map(|t| self.read(plane, cube + t.face, [t.x, t.y, 0], weight / 3.0, sink));
                match values[0] {
                    Value::Float(_) => {
                        let [a, b, c] = values.map(Value::float);
                        Value::Float(std::array::from_fn(|i| (a[i] + b[i] + c[i]) / 3.0))
                    }
                    // Integers are never averaged; only a gather has them here, and takes the face's own texel.
                    own => own,
                }
            }
        }
    }

    fn read<S: TexelSink>(&self, plane: &Plane, layer: u32, [x, y, z]: [u32; 3], weight: f32, sink: &mut S) -> Value {
        sink.texel(Texel { level: plane.level, layer, x, y, z, sample: 0, weight });
        let place = TexelAddress { level: plane.level, layer, x, y, z, sample: 0 };
        let value = match plane.arithmetic {
            Arithmetic::Plain => self.texture.read(place, self.sampler.decode_srgb),
            arithmetic => match self.texture.read(place, false) {
                Value::Float(value) => Value::Float(self.llvmpipe_texel(arithmetic, value)),
                whole => whole,
            },
        };
        compared(self, plane, value)
    }
}

/// Interpolates the texels around a position in one level, one axis after the other.
struct Mixing<'u, 't> {
    unit: &'u Unit<'t>,
    plane: &'u Plane,
    spans: [Span; 3],
    arithmetic: Arithmetic,
}

impl Mixing<'_, '_> {
    /// Interpolates between two values.
    fn mix(&self, near: [f32; 4], far: [f32; 4], fraction: f32) -> [f32; 4] {
        if matches!(self.unit.sampler.filtering, Filtering::WeightBits(_)) && fraction == 0.0 {
            return near;
        }
        self.arithmetic.mix(near, far, fraction)
    }

    fn volume<S: TexelSink>(&self, weight: f32, sink: &mut S) -> [f32; 4] {
        if let Some(missing) = self.missing() {
            return self.corner(missing, weight, sink);
        }
        let span = self.spans[2];
        let near = self.area(span.first, weight * span.weight(false), sink);
        if !span.linear {
            return near;
        }
        let far = self.area(span.first + 1, weight * span.weight(true), sink);
        self.mix(near, far, span.fraction)
    }

    fn area<S: TexelSink>(&self, z: i64, weight: f32, sink: &mut S) -> [f32; 4] {
        let span = self.spans[1];
        let near = self.line([span.first, z], weight * span.weight(false), sink);
        if !span.linear {
            return near;
        }
        let far = self.line([span.first + 1, z], weight * span.weight(true), sink);
        self.mix(near, far, span.fraction)
    }

    fn line<S: TexelSink>(&self, [y, z]: [i64; 2], weight: f32, sink: &mut S) -> [f32; 4] {
        let span = self.spans[0];
        let mut at = |x: i64, weight: f32| self.unit.texel(self.plane, [x, y, z], weight, sink).float();
        let near = at(span.first, weight * span.weight(false));
        let far = at(span.first + 1, weight * span.weight(true));
        self.mix(near, far, span.fraction)
    }
}

impl Mixing<'_, '_> {
    /// Which of the four texels lies beyond a corner of the cube, where llvmpipe has other weights.
    fn missing(&self) -> Option<usize> {
        if !self.plane.seamless || self.arithmetic != Arithmetic::Fused {
            return None;
        }
        let last = i64::from(self.plane.size[0]) - 1;
        let beyond = |axis: usize| {
            let first = self.spans[axis].first;
            if first < 0 { Some(0) } else { (first >= last).then_some(1) }
        };
        Some(beyond(0)? + 2 * beyond(1)?)
    }

    fn corner<S: TexelSink>(&self, missing: usize, weight: f32, sink: &mut S) -> [f32; 4] {
        let [s, t, _] = self.spans;
        let weights = llvmpipe::cube::corner_weights([s.fraction, t.fraction], missing);
        let mut sum = [0.0; 4];
        for (number, share) in weights.into_iter().enumerate().filter(|(number, _)| *number != missing) {
            let at = [s.first + (number & 1) as i64, t.first + (number >> 1) as i64, 0];
            let texel = self.unit.texel(self.plane, at, weight * share, sink).float();
            (0..4).for_each(|channel| sum[channel] += texel[channel] * share);
        }
        sum
    }
}

/// Replaces a depth with the result of its comparison, before filtering.
fn compared(unit: &Unit<'_>, plane: &Plane, value: Value) -> Value {
    match (plane.reference, unit.sampler.compare) {
        (Some(reference), Some(compare)) => Value::Float([compare.apply(reference, value.float()[0]), 0.0, 0.0, 1.0]),
        _ => value,
    }
}
