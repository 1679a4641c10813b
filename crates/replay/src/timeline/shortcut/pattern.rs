//! Patterns that images are filled with.

use api::constant as c;

use crate::player::Contents;

/// A pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pattern {
    /// Each component is the least or the greatest, at random.
    Extremes,
    /// Each component is the other one. So this pattern differs from the first in every component, however few bits of it an
    /// image stores, and the depth of a pixel passes a test with one of them and fails it with the other.
    Opposite,
    /// Random values between these.
    Random,
}

impl Pattern {
    /// Fills pixels of a type.
    pub(super) fn fill(self, bytes: &mut [u8], pixel_type: u32) {
        let mut state = 0x9e37_79b9_u32;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        };
        let mut rest = bytes;
        while !rest.is_empty() {
            for greatest in greatest(pixel_type) {
                let Some((component, others)) = rest.split_at_mut_checked(greatest.len()) else { return };
                let bits = random();
                let one = bits & 0x1_0000 != 0;
                match self {
                    Pattern::Random if *greatest == ONE => {
                        let fraction = (bits >> 9) as f32 / (1 << 23) as f32;
                        component.copy_from_slice(&fraction.to_ne_bytes());
                    }
                    Pattern::Random => component.copy_from_slice(&bits.to_ne_bytes()[..greatest.len()]),
                    Pattern::Extremes if one => component.copy_from_slice(greatest),
                    Pattern::Opposite if !one => component.copy_from_slice(greatest),
                    Pattern::Extremes | Pattern::Opposite => component.fill(0),
                }
                rest = others;
            }
        }
    }
}

const ONE: &[u8] = &1f32.to_ne_bytes();

/// Returns the greatest value of each component of a pixel type; the least is zero.
fn greatest(pixel_type: u32) -> &'static [&'static [u8]] {
    match pixel_type {
        c::GL_FLOAT => &[ONE],
        c::GL_SHORT | c::GL_UNSIGNED_SHORT => &[&[0xff; 2]],
        c::GL_INT | c::GL_UNSIGNED_INT => &[&[0xff; 4]],
        // The lowest byte is the stencil value.
        c::GL_UNSIGNED_INT_24_8 => &[&[0xff; 1], &[0xff; 3]],
        c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV => &[ONE, &[0xff; 4]],
        _ => &[&[0xff; 1]],
    }
}

/// Returns whether what was filled with the patterns differs in every pixel. A pixel that does not - the driver may have
/// stored something else - would say nothing.
pub(super) fn differs_everywhere(first: &[Contents], second: &[Contents]) -> bool {
    first.len() == second.len() && first.iter().zip(second).all(differs)
}

fn differs((one, other): (&Contents, &Contents)) -> bool {
    let pixels = one.size.iter().map(|side| *side as usize).product::<usize>();
    let length = one.bytes.len() / pixels.max(1);
    one.bytes.len() == other.bytes.len()
        && length > 0
        && one.bytes.chunks_exact(length).zip(other.bytes.chunks_exact(length)).all(|(a, b)| a != b)
}

#[cfg(test)]
mod tests {
    use api::constant as c;

    use super::Pattern;

    #[test]
    fn a_pattern_and_its_opposite_are_as_far_apart_as_they_can_be() {
        let filled = |pixel_type, pattern: Pattern| {
            let mut bytes = vec![7; 96];
            pattern.fill(&mut bytes, pixel_type);
            bytes
        };
        let pair = |pixel_type| [filled(pixel_type, Pattern::Extremes), filled(pixel_type, Pattern::Opposite)];
        for pixel_type in [c::GL_UNSIGNED_BYTE, c::GL_UNSIGNED_SHORT, c::GL_UNSIGNED_INT, c::GL_UNSIGNED_INT_24_8] {
            let [one, other] = pair(pixel_type);
            assert!(one.iter().zip(&other).all(|(a, b)| a ^ b == 0xff), "{pixel_type:#x}");
            assert!(one.contains(&0) && one.contains(&0xff), "{pixel_type:#x}");
        }
        let floats = |bytes: &Vec<u8>| -> Vec<f32> {
            bytes.chunks_exact(4).map(|four| f32::from_ne_bytes([four[0], four[1], four[2], four[3]])).collect()
        };
        let [one, other] = pair(c::GL_FLOAT).map(|bytes| floats(&bytes));
        assert!(one.iter().zip(&other).all(|(a, b)| a + b == 1.0 && a * b == 0.0));
        let random = floats(&filled(c::GL_FLOAT, Pattern::Random));
        assert!(random.iter().all(|value| (0.0..1.0).contains(value)) && random[0] != random[1]);
    }
}
