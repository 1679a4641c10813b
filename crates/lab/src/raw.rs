//! The layout of answers in colour targets and storage blocks, the same for every device.

use driver::Target;
use instrument::inspect::{InspectError, Raw, Run};
use instrument::stream::{BLOCK_HEADER, IDENTITY};
use instrument::{Scope, Transport};

/// The colour targets that a transport writes; `None` if the shader keeps its own outputs.
pub(crate) fn targets(transport: Transport) -> Option<Vec<Target>> {
    match transport {
        Transport::Storage | Transport::Feedback(_) | Transport::Memory(_) => None,
        Transport::IntegerTargets(count) => Some(vec![Target::Rgba32Ui; count as usize]),
        Transport::FloatTargets(count) => Some(vec![Target::Rgba32F; count as usize]),
        Transport::Bytes | Transport::PointGrid => Some(vec![Target::Rgba8]),
    }
}

/// Rejects transports that a draw cannot carry.
///
/// # Errors
/// For [`Transport::Memory`], which only the emulator's debugger supports.
pub(crate) fn check(transport: Transport) -> Result<(), InspectError> {
    match transport {
        Transport::Memory(_) => {
            Err(InspectError::Failed("the memory of invocations cannot be read during a draw".to_owned()))
        }
        _ => Ok(()),
    }
}

/// The contents of the storage block before a run.
pub(crate) fn block(run: Run) -> Vec<u32> {
    let [words, regions] = run.room;
    let mut block = vec![0; (BLOCK_HEADER + words * regions) as usize];
    block[1] = words;
    block
}

/// The rectangle to draw: the quad that contains the wanted pixel, or everything.
pub(crate) fn rectangle(scope: Scope, pick: [i32; 4], size: [u16; 2], upper_left: bool) -> [u16; 4] {
    match (scope, u16::try_from(pick[0]), u16::try_from(pick[1])) {
        (Scope::One | Scope::At, Ok(x), Ok(y)) if x < size[0] && y < size[1] => {
            let y = if upper_left { size[1] - 1 - y } else { y };
            let (x, y) = (x & !1, y & !1);
            [x, y, 2.min(size[0] - x), 2.min(size[1] - y)]
        }
        _ => [0, 0, size[0], size[1]],
    }
}

/// Collects the words in a rectangle of colour targets, four channels per pixel and target.
///
/// # Errors
/// When a channel holds a value that this transport never writes.
pub(crate) fn grid(
    transport: Transport,
    targets: &[Vec<u32>],
    rectangle: [u16; 4],
    width: u16,
) -> Result<Raw, InspectError> {
    let [left, bottom, across, up] = rectangle.map(usize::from);
    let mut words = Vec::new();
    for pixel in (bottom..bottom + up).flat_map(|y| (left..left + across).map(move |x| y * usize::from(width) + x)) {
        for target in targets {
            let channels = target.get(pixel * 4..pixel * 4 + 4).unwrap_or(&[0; 4]);
            match transport {
                Transport::FloatTargets(_) => {
                    for halves in channels.chunks(2) {
                        words.push(half(halves[0])? | half(halves[1])? << 16);
                    }
                }
                Transport::Bytes | Transport::PointGrid => {
                    words.push(channels.iter().rev().fold(0, |word, byte| word << 8 | byte & 0xff));
                }
                Transport::Storage | Transport::IntegerTargets(_) | Transport::Feedback(_) | Transport::Memory(_) => {
                    words.extend(channels)
                }
            }
        }
    }
    Ok(Raw::Grid { rectangle: rectangle.map(u32::from), words })
}

/// The captured words, without an incomplete row (identity and window) at the end.
pub(crate) fn list(transport: Transport, mut words: Vec<u32>) -> Raw {
    let row = (IDENTITY + transport.window().unwrap_or(0)) as usize;
    words.truncate(words.len() - words.len() % row);
    Raw::List(words)
}

/// Reads the 16 bits that a float channel carries.
fn half(bits: u32) -> Result<u32, InspectError> {
    let value = f32::from_bits(bits);
    if (0.0..=65535.0).contains(&value) && value.fract() == 0.0 {
        return Ok(value as u32);
    }
    Err(InspectError::Garbled(format!("{value} is not an integer of 16 bits")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_from_targets() {
        let halves = [0xffffu16, 0x8000, 1, 0].map(|half| f32::from(half).to_bits()).to_vec();
        let raw = grid(Transport::FloatTargets(1), &[halves], [0, 0, 1, 1], 1);
        assert_eq!(raw, Ok(Raw::Grid { rectangle: [0, 0, 1, 1], words: vec![0x8000_ffff, 1] }));
        let bytes = vec![0, 0, 0, 0, 1, 2, 3, 4];
        let raw = grid(Transport::Bytes, &[bytes], [1, 0, 1, 1], 2);
        assert_eq!(raw, Ok(Raw::Grid { rectangle: [1, 0, 1, 1], words: vec![0x0403_0201] }));
        let broken = vec![0.5f32.to_bits(), 0, 0, 0];
        assert!(grid(Transport::FloatTargets(1), &[broken], [0, 0, 1, 1], 1).is_err());
    }

    #[test]
    fn a_single_pixel_is_drawn_with_its_quad() {
        assert_eq!(rectangle(Scope::One, [5, 2, -1, -1], [8, 8], false), [4, 2, 2, 2]);
        assert_eq!(rectangle(Scope::One, [4, 4, -1, -1], [5, 5], false), [4, 4, 1, 1]);
        assert_eq!(rectangle(Scope::One, [5, 2, -1, -1], [8, 8], true), [4, 4, 2, 2]);
        assert_eq!(rectangle(Scope::All, [5, 2, -1, -1], [8, 8], false), [0, 0, 8, 8]);
    }
}
