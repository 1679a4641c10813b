//! Sine and cosine in single precision as computed by glibc, because Mesa rotates matrices with those.
//!
//! They are double-precision polynomials over a quarter circle with an error of up to 0.56 ulp, so they are not
//! correctly rounded: in 1.3 of 100 cases they differ from the rounded exact value.

/// Beyond this, glibc reduces angles with more digits of pi.
const LARGE_ANGLE: f32 = 120.0;
/// Up to this, three parts of pi/2 are enough for that; beyond, the correctly rounded values are used instead.
const HUGE_ANGLE: f32 = 1e6;

const COSINE: [f64; 5] = [
    1.0,
    f64::from_bits(0xBFDF_FFFF_FD0C_621C),
    f64::from_bits(0x3FA5_5553_E106_8F19),
    f64::from_bits(0xBF56_C087_E89A_359D),
    f64::from_bits(0x3EF9_9343_027B_F8C3),
];

const SINE: [f64; 3] = [
    f64::from_bits(0xBFC5_5554_5995_A603),
    f64::from_bits(0x3F81_1076_0523_0BC4),
    f64::from_bits(0xBF29_94EB_3774_CF24),
];

/// Pi/2, and 2^24 divided by it.
const QUARTER: f64 = f64::from_bits(0x3FF9_21FB_5444_2D18);
const QUARTERS: f64 = f64::from_bits(0x4164_5F30_6DC9_C883);

/// Pi/2 as a sum of two numbers that are short enough for exact products with a count of quarters, and a rest.
const QUARTER_PARTS: [f64; 3] = [
    f64::from_bits(0x3FF9_21FB_5400_0000),
    f64::from_bits(0x3E11_0B46_11A0_0000),
    f64::from_bits(0x3BF8_98CC_5170_1B84),
];

/// Returns the sine and the cosine of an angle.
#[must_use]
pub fn sine_and_cosine(angle: f32) -> (f32, f32) {
    let wide = f64::from(angle);
    if angle.abs() >= HUGE_ANGLE || angle.is_nan() {
        return (libm::sin(wide) as f32, libm::cos(wide) as f32);
    }
    let (rest, quarter) = if angle.abs() < std::f32::consts::FRAC_PI_4 {
        (wide, 0)
    } else if angle.abs() >= LARGE_ANGLE {
        let quarters = libm::rint(wide / QUARTER);
        let rest = QUARTER_PARTS.iter().fold(wide, |rest, part| rest - quarters * part);
        (rest, quarters as i32)
    } else {
        let quarter = ((wide * QUARTERS) as i32 + (1 << 23)) >> 24;
        (wide - f64::from(quarter) * QUARTER, quarter)
    };
    let sign = if matches!(quarter & 3, 1 | 2) { -1.0 } else { 1.0 };
    let half = if quarter & 2 != 0 { -1.0 } else { 1.0 };
    let (sine, cosine) = (near_sine(rest * sign), half * near_cosine(rest));
    let (sine, cosine) = (sine as f32, cosine as f32);
    if quarter & 1 == 0 { (sine, cosine) } else { (cosine, sine) }
}

fn near_sine(x: f64) -> f64 {
    let square = x * x;
    let cube = x * square;
    (x + cube * SINE[0]) + cube * square * (SINE[1] + square * SINE[2])
}

fn near_cosine(x: f64) -> f64 {
    let square = x * x;
    let fourth = square * square;
    let near = (COSINE[0] + square * COSINE[1]) + fourth * COSINE[2];
    near + fourth * square * (COSINE[3] + square * COSINE[4])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Angles with what glibc 2.36 returns; the correctly rounded values of all but the first are others.
    const LARGE: [(f32, f32, f32); 5] = [
        (2954.3396, 0.9465947, 0.32242587),
        (6162.466, -0.97324747, 0.22975925),
        (1819.796, -0.7269529, -0.68668735),
        (468.81366, -0.65663946, -0.75420463),
        (1801.197, -0.8745131, -0.4850019),
    ];

    #[test]
    fn large_angles_are_those_of_glibc() {
        // The game billard-gl rotates by 169271.19 degrees.
        for (angle, sine, cosine) in LARGE {
            assert_eq!(sine_and_cosine(angle), (sine, cosine), "{angle}");
            assert_eq!(sine_and_cosine(-angle), (-sine, cosine), "-{angle}");
        }
    }

    #[test]
    fn all_quarters_of_the_circle_are_accurate() {
        for step in -700..700 {
            let angle = step as f32 * 0.17;
            let (sine, cosine) = sine_and_cosine(angle);
            let (true_sine, true_cosine) = (libm::sin(f64::from(angle)), libm::cos(f64::from(angle)));
            assert!((f64::from(sine) - true_sine).abs() < 1e-7, "sine of {angle}");
            assert!((f64::from(cosine) - true_cosine).abs() < 1e-7, "cosine of {angle}");
        }
    }
}
