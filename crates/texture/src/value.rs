//! The results of look-ups, and the reporting of texels.

/// Four components of one type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// From a floating-point, normalised or depth format.
    Float([f32; 4]),
    /// From a signed integer format.
    Int([i32; 4]),
    /// From an unsigned integer format or a stencil.
    Uint([u32; 4]),
}

impl Value {
    /// The components as floats; integers are converted.
    #[must_use]
    pub fn float(self) -> [f32; 4] {
        match self {
            Value::Float(v) => v,
            Value::Int(v) => v.map(|c| c as f32),
            Value::Uint(v) => v.map(|c| c as f32),
        }
    }

    /// The components as signed integers; floats are truncated, unsigned integers keep their bits.
    #[must_use]
    pub fn int(self) -> [i32; 4] {
        match self {
            Value::Float(v) => v.map(|c| c as i32),
            Value::Int(v) => v,
            Value::Uint(v) => v.map(u32::cast_signed),
        }
    }

    /// The components as unsigned integers; floats are truncated, signed integers keep their bits.
    #[must_use]
    pub fn uint(self) -> [u32; 4] {
        match self {
            Value::Float(v) => v.map(|c| c as u32),
            Value::Int(v) => v.map(i32::cast_unsigned),
            Value::Uint(v) => v,
        }
    }

    /// Applies a swizzle.
    #[must_use]
    pub fn swizzled(self, swizzle: [Swizzle; 4]) -> Value {
        if swizzle == Swizzle::IDENTITY {
            return self;
        }
        match self {
            Value::Float(v) => Value::Float(swizzle.map(|s| s.pick(v, 1.0))),
            Value::Int(v) => Value::Int(swizzle.map(|s| s.pick(v, 1))),
            Value::Uint(v) => Value::Uint(swizzle.map(|s| s.pick(v, 1))),
        }
    }

    /// One component from each of four values of the same type.
    pub(crate) fn gathered(values: [Value; 4], component: usize) -> Value {
        match values[0] {
            Value::Float(_) => Value::Float(values.map(|v| v.float()[component])),
            Value::Int(_) => Value::Int(values.map(|v| v.int()[component])),
            Value::Uint(_) => Value::Uint(values.map(|v| v.uint()[component])),
        }
    }
}

/// The source of a component of the result: `TEXTURE_SWIZZLE_R` and its siblings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swizzle {
    /// The texel's red.
    Red,
    /// The texel's green.
    Green,
    /// The texel's blue.
    Blue,
    /// The texel's alpha.
    Alpha,
    /// Zero.
    Zero,
    /// One.
    One,
}

impl Swizzle {
    /// The swizzle that changes nothing.
    pub const IDENTITY: [Swizzle; 4] = [Swizzle::Red, Swizzle::Green, Swizzle::Blue, Swizzle::Alpha];

    fn pick<T: Copy + Default>(self, value: [T; 4], one: T) -> T {
        match self {
            Swizzle::Red => value[0],
            Swizzle::Green => value[1],
            Swizzle::Blue => value[2],
            Swizzle::Alpha => value[3],
            Swizzle::Zero => T::default(),
            Swizzle::One => one,
        }
    }
}

/// A texel that contributes to a look-up.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Texel {
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
    /// Its weight in the result. The weights of a look-up's texels and border parts sum to one; each of the four texels
    /// of a gather has weight one, because each is one component of the result.
    pub weight: f32,
}

/// Receives the texels that look-ups read.
pub trait TexelSink {
    /// A texel was read; texels of weight zero are reported too.
    fn texel(&mut self, texel: Texel);

    /// The border colour was used for a texel outside of the level.
    fn border(&mut self, level: u32, weight: f32) {
        let _ = (level, weight);
    }
}

/// Ignores all texels, at no cost.
impl TexelSink for () {
    #[inline]
    fn texel(&mut self, _: Texel) {}
}

impl TexelSink for Vec<Texel> {
    fn texel(&mut self, texel: Texel) {
        self.push(texel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzles_pick_components_and_constants() {
        let swizzle = [Swizzle::Alpha, Swizzle::One, Swizzle::Zero, Swizzle::Green];
        assert_eq!(Value::Int([5, 6, 7, 8]).swizzled(swizzle), Value::Int([8, 1, 0, 6]));
        assert_eq!(Value::Float([0.5; 4]).swizzled(Swizzle::IDENTITY), Value::Float([0.5; 4]));
    }
}
