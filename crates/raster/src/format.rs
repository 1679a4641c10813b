//! Pixel formats, and how storing rounds.

/// A colour, by the type of its components.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Color {
    /// Floating-point, also for normalised formats.
    Float([f32; 4]),
    /// Signed integers.
    Int([i32; 4]),
    /// Unsigned integers.
    Uint([u32; 4]),
}

impl Default for Color {
    fn default() -> Color {
        Color::Float([0.0; 4])
    }
}

impl Color {
    /// The bits of the four channels.
    #[must_use]
    pub fn bits(self) -> [u32; 4] {
        match self {
            Color::Float(v) => v.map(f32::to_bits),
            Color::Int(v) => v.map(i32::cast_unsigned),
            Color::Uint(v) => v,
        }
    }

    /// The channels as floating-point numbers; integers are converted.
    #[must_use]
    pub fn floats(self) -> [f32; 4] {
        match self {
            Color::Float(v) => v,
            Color::Int(v) => v.map(|x| x as f32),
            Color::Uint(v) => v.map(|x| x as f32),
        }
    }
}

/// How the bits of a channel are interpreted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numeric {
    /// 0..1 in equal steps.
    Unorm,
    /// -1..1 in equal steps.
    Snorm,
    /// Like [`Numeric::Unorm`], but red, green and blue are sRGB-encoded.
    Srgb,
    /// Floating-point: 32 and 16 bits with a sign, 11 and 10 bits without.
    Float,
    /// Signed integer.
    Int,
    /// Unsigned integer.
    Uint,
}

/// A colour format: how its channels are interpreted and how many bits each has; 0 for a missing channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PixelFormat {
    /// How all channels are interpreted.
    pub numeric: Numeric,
    /// Bits of red, green, blue and alpha.
    pub bits: [u8; 4],
}

impl PixelFormat {
    /// `GL_RGBA8`.
    pub const RGBA8: PixelFormat = PixelFormat { numeric: Numeric::Unorm, bits: [8; 4] };
    /// `GL_SRGB8_ALPHA8`.
    pub const SRGB8_ALPHA8: PixelFormat = PixelFormat { numeric: Numeric::Srgb, bits: [8; 4] };
    /// `GL_RGBA8_SNORM`.
    pub const RGBA8_SNORM: PixelFormat = PixelFormat { numeric: Numeric::Snorm, bits: [8; 4] };
    /// `GL_RGBA16`.
    pub const RGBA16: PixelFormat = PixelFormat { numeric: Numeric::Unorm, bits: [16; 4] };
    /// `GL_RGB10_A2`.
    pub const RGB10_A2: PixelFormat = PixelFormat { numeric: Numeric::Unorm, bits: [10, 10, 10, 2] };
    /// `GL_RGB565`.
    pub const RGB565: PixelFormat = PixelFormat { numeric: Numeric::Unorm, bits: [5, 6, 5, 0] };
    /// `GL_R11F_G11F_B10F`.
    pub const R11F_G11F_B10F: PixelFormat = PixelFormat { numeric: Numeric::Float, bits: [11, 11, 10, 0] };
    /// `GL_RGBA16F`.
    pub const RGBA16F: PixelFormat = PixelFormat { numeric: Numeric::Float, bits: [16; 4] };
    /// `GL_RGBA32F`.
    pub const RGBA32F: PixelFormat = PixelFormat { numeric: Numeric::Float, bits: [32; 4] };
    /// `GL_RGBA32I`.
    pub const RGBA32I: PixelFormat = PixelFormat { numeric: Numeric::Int, bits: [32; 4] };
    /// `GL_RGBA32UI`.
    pub const RGBA32UI: PixelFormat = PixelFormat { numeric: Numeric::Uint, bits: [32; 4] };

    /// Converts a colour to what the format stores: missing channels read as 0, alpha as 1, numbers are rounded and
    /// clamped. The bits of a colour of another type are reinterpreted. sRGB formats take and return encoded values.
    #[must_use]
    pub fn round(self, color: Color) -> Color {
        let bits = color.bits();
        let keep = |i: usize| self.bits[i] > 0;
        match self.numeric {
            Numeric::Int => Color::Int(std::array::from_fn(|i| match keep(i) {
                true => clamp_int(bits[i].cast_signed(), self.bits[i]),
                false => i32::from(i == 3),
            })),
            Numeric::Uint => Color::Uint(std::array::from_fn(|i| match keep(i) {
                true => bits[i].min(largest(self.bits[i])),
                false => u32::from(i == 3),
            })),
            Numeric::Unorm | Numeric::Srgb | Numeric::Snorm | Numeric::Float => {
                Color::Float(std::array::from_fn(|i| match keep(i) {
                    true => self.round_channel(f32::from_bits(bits[i]), self.bits[i]),
                    false => f32::from(u8::from(i == 3)),
                }))
            }
        }
    }

    fn round_channel(self, value: f32, bits: u8) -> f32 {
        match self.numeric {
            Numeric::Snorm => {
                let scale = f64::from(largest(bits.saturating_sub(1)));
                let steps = nearest(not_nan(value).clamp(-1.0, 1.0) * scale);
                (steps / scale) as f32
            }
            Numeric::Float => round_float(value, bits),
            Numeric::Unorm | Numeric::Srgb | Numeric::Int | Numeric::Uint => round_unorm(value, bits),
        }
    }

    /// Whether the components are integers, which are neither blended nor alpha-tested.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self.numeric, Numeric::Int | Numeric::Uint)
    }

    /// Whether the components are confined to 0..1 or -1..1.
    #[must_use]
    pub fn is_normalised(self) -> bool {
        matches!(self.numeric, Numeric::Unorm | Numeric::Srgb | Numeric::Snorm)
    }
}

/// A depth format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DepthFormat {
    /// 16 bits, normalised.
    Unorm16,
    /// 24 bits, normalised.
    Unorm24,
    /// 32 bits, normalised; stored as `f32` here.
    Unorm32,
    /// 32 bits, floating-point.
    Float32,
}

impl DepthFormat {
    /// Converts a depth to what the format stores.
    #[must_use]
    pub fn round(self, depth: f32) -> f32 {
        match self {
            DepthFormat::Unorm16 => round_unorm(depth, 16),
            DepthFormat::Unorm24 => round_unorm(depth, 24),
            DepthFormat::Unorm32 => round_unorm(depth, 32),
            DepthFormat::Float32 => depth,
        }
    }

    /// The smallest resolvable difference of depths near the given one, for polygon offset (GL 4.6, 14.6.5).
    #[must_use]
    pub fn resolution(self, depth: f64) -> f64 {
        match self {
            DepthFormat::Unorm16 => 1.0 / 65535.0,
            DepthFormat::Unorm24 => 1.0 / 16_777_215.0,
            DepthFormat::Unorm32 => 1.0 / f64::from(u32::MAX),
            DepthFormat::Float32 => {
                let exponent = ((depth.abs() as f32).to_bits() >> 23).cast_signed() - 127;
                f64::from(2.0_f32).powi(exponent - 23)
            }
        }
    }
}

/// Converts an sRGB-encoded value to a linear one.
#[must_use]
pub fn srgb_to_linear(value: f32) -> f32 {
    let v = f64::from(value);
    (if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }) as f32
}

/// Converts a linear value to an sRGB-encoded one, clamped to 0..1.
#[must_use]
pub fn linear_to_srgb(value: f32) -> f32 {
    let v = not_nan(value).clamp(0.0, 1.0);
    (if v < 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 }) as f32
}

/// NaN converts to 0 in normalised formats (open in GL 4.6, 2.3.5.2; hardware does so).
fn not_nan(value: f32) -> f64 {
    if value.is_nan() { 0.0 } else { f64::from(value) }
}

fn largest(bits: u8) -> u32 {
    u32::MAX.checked_shr(32 - u32::from(bits.min(32))).unwrap_or(0)
}

fn clamp_int(value: i32, bits: u8) -> i32 {
    let most = largest(bits.saturating_sub(1)).cast_signed();
    value.clamp(-most - 1, most)
}

fn round_unorm(value: f32, bits: u8) -> f32 {
    let scale = f64::from(largest(bits));
    let steps = nearest(not_nan(value).clamp(0.0, 1.0) * scale);
    if bits == 8 { UNORM8[steps as usize & 0xff] } else { (steps / scale) as f32 }
}

/// The values of 8-bit codes.
const UNORM8: [f32; 256] = {
    let mut all = [0.0; 256];
    let mut step = 0;
    while step < 256 {
        all[step] = (step as f64 / 255.0) as f32;
        step += 1;
    }
    all
};

/// The nearest integer, ties to even, of a number below 2^51. The sum has no bits left for a fraction; on processors
/// without a rounding instruction this is faster than a function call.
fn nearest(value: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    (value + SHIFT) - SHIFT
}

/// Rounds to a smaller floating-point format: 5 bits of exponent, and 10, 6 or 5 of mantissa.
fn round_float(value: f32, bits: u8) -> f32 {
    let (mantissa, signed) = match bits {
        16 => (10, true),
        11 => (6, false),
        10 => (5, false),
        _ => return value,
    };
    if value.is_nan() {
        return f32::NAN;
    }
    if !signed && value <= 0.0 {
        return 0.0;
    }
    // The largest finite number is (2 - 2^-mantissa) * 2^15. The unsigned formats clamp finite values to it (GL 4.6,
    // 2.3.4.3), halves round to infinity.
    let most = (2.0 - 0.5_f64.powi(mantissa)) * 32768.0;
    if value.is_infinite() {
        return value;
    }
    let exact = f64::from(value);
    let exponent = (((value.to_bits() >> 23) & 0xff).cast_signed() - 127).max(-14);
    let step = 2.0_f64.powi(exponent - mantissa);
    let rounded = (exact / step).round_ties_even() * step;
    if rounded.abs() <= most {
        rounded as f32
    } else if signed {
        f32::INFINITY.copysign(value)
    } else {
        most as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: PixelFormat, given: [f32; 4], expected: [f32; 4]) {
        assert_eq!(format.round(Color::Float(given)), Color::Float(expected));
    }

    #[test]
    fn normalised_formats_round_to_their_steps() {
        check(PixelFormat::RGBA8, [0.5, -1.0, 2.0, f32::NAN], [128.0 / 255.0, 0.0, 1.0, 0.0]);
        check(PixelFormat::RGB10_A2, [0.5, 1.0, 0.0, 0.4], [512.0 / 1023.0, 1.0, 0.0, 1.0 / 3.0]);
        check(PixelFormat::RGBA8_SNORM, [-2.0, 0.5, -0.5, 0.0], [-1.0, 64.0 / 127.0, -64.0 / 127.0, 0.0]);
        check(PixelFormat::RGB565, [1.0, 0.5, 0.0, 0.2], [1.0, 32.0 / 63.0, 0.0, 1.0]);
    }

    #[test]
    fn values_round_to_the_nearest_step() {
        for bits in [1, 5, 8, 16, 24, 32] {
            let scale = f64::from(largest(bits));
            for i in 0..4096_u32 {
                let value = f64::from(i) / 4095.0;
                let expected = (f64::from(value as f32) * scale).round_ties_even() / scale;
                assert_eq!(round_unorm(value as f32, bits), expected as f32, "{value} in {bits} bits");
            }
        }
        assert_eq!([-2.5, -1.5, 0.5, 1.5, 2.5].map(nearest), [-2.0, -2.0, 0.0, 2.0, 2.0]);
    }

    #[test]
    fn small_floats_round_to_even_and_overflow() {
        let tiny = 2.0_f32.powi(-24);
        check(
            PixelFormat::RGBA16F,
            [1.0 / 3.0, 65519.0, 65520.0, tiny * 1.4],
            [0.333_251_95, 65504.0, f32::INFINITY, tiny],
        );
        check(PixelFormat::RGBA16F, [2049.0, 2051.0, -0.0, -1e9], [2048.0, 2052.0, -0.0, f32::NEG_INFINITY]);
        check(PixelFormat::R11F_G11F_B10F, [-1.0, 1e9, 1e9, 0.5], [0.0, 65024.0, 64512.0, 1.0]);
    }

    #[test]
    fn integers_are_clamped() {
        let rg8i = PixelFormat { numeric: Numeric::Int, bits: [8, 8, 0, 0] };
        assert_eq!(rg8i.round(Color::Int([200, -200, 5, 5])), Color::Int([127, -128, 0, 1]));
        let r16ui = PixelFormat { numeric: Numeric::Uint, bits: [16, 0, 0, 0] };
        assert_eq!(r16ui.round(Color::Uint([70000, 1, 1, 7])), Color::Uint([65535, 0, 0, 1]));
        assert_eq!(PixelFormat::RGBA32UI.round(Color::Uint([u32::MAX; 4])), Color::Uint([u32::MAX; 4]));
        assert_eq!(PixelFormat::RGBA32I.round(Color::Int([i32::MIN; 4])), Color::Int([i32::MIN; 4]));
    }

    #[test]
    fn every_srgb_byte_survives_a_round_trip() {
        for byte in 0..=255_u8 {
            let encoded = f32::from(byte) / 255.0;
            let again = linear_to_srgb(srgb_to_linear(encoded));
            assert_eq!(PixelFormat::RGBA8.round(Color::Float([again; 4])), Color::Float([encoded; 4]));
        }
    }

    #[test]
    fn depths() {
        assert_eq!(DepthFormat::Unorm16.round(0.5), 32768.0 / 65535.0);
        assert_eq!(DepthFormat::Float32.round(0.1), 0.1);
        assert_eq!(DepthFormat::Float32.resolution(0.75), 2.0_f64.powi(-24));
    }
}
