//! Sequences of small integers whose range need not be a power of two, and the values they represent (sections "Integer
//! sequence encoding", "Endpoint unquantization" and "Weight unquantization").

/// The maximum number of weights; endpoints have fewer.
pub(super) const MAX_VALUES: usize = 64;

/// The range of an integer: some bits, and above them a digit in base three or five.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    bits: u32,
    digit: Digit,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Digit {
    None,
    Trit,
    Quint,
}

const fn range(bits: u32, digit: Digit) -> Range {
    Range { bits, digit }
}

impl Range {
    /// From two values to 256. Weights use the first twelve, endpoints those from the fifth on.
    pub(super) const ALL: [Range; 21] = [
        range(1, Digit::None),
        range(0, Digit::Trit),
        range(2, Digit::None),
        range(0, Digit::Quint),
        range(1, Digit::Trit),
        range(3, Digit::None),
        range(1, Digit::Quint),
        range(2, Digit::Trit),
        range(4, Digit::None),
        range(2, Digit::Quint),
        range(3, Digit::Trit),
        range(5, Digit::None),
        range(3, Digit::Quint),
        range(4, Digit::Trit),
        range(6, Digit::None),
        range(4, Digit::Quint),
        range(5, Digit::Trit),
        range(7, Digit::None),
        range(5, Digit::Quint),
        range(6, Digit::Trit),
        range(8, Digit::None),
    ];

    /// The length of a sequence in bits. Five trits share eight bits, three quints seven.
    pub(super) fn bits(self, count: u32) -> u32 {
        count * self.bits
            + match self.digit {
                Digit::None => 0,
                Digit::Trit => (8 * count).div_ceil(5),
                Digit::Quint => (7 * count).div_ceil(3),
            }
    }
}

/// The finest range in which this many endpoint values fit.
pub(super) fn colour_range(bits: u32, count: usize) -> Option<Range> {
    Range::ALL[4..].iter().rev().copied().find(|range| range.bits(count as u32) <= bits)
}

/// Endpoint values from 0 to 255; the sequence starts at the lowest bit of the word.
pub(super) fn colours(word: u128, bits: u32, count: usize) -> Vec<u8> {
    let Some(range) = colour_range(bits, count) else { return vec![0; count] };
    let mut values = [(0, 0); MAX_VALUES];
    read(word, range, &mut values[..count]);
    values[..count].iter().map(|&(low, digit)| colour(range, low, digit)).collect()
}

/// Weights from 0 to 64; the sequence starts at the lowest bit of the word.
pub(super) fn weights(word: u128, range: Range, count: usize) -> [u8; MAX_VALUES] {
    let mut values = [(0, 0); MAX_VALUES];
    let count = count.min(MAX_VALUES);
    read(word, range, &mut values[..count]);
    let mut weights = [0; MAX_VALUES];
    for (weight, &(low, digit)) in weights.iter_mut().zip(&values[..count]) {
        *weight = self::weight(range, low, digit);
    }
    weights
}

/// Reads the bits and the digit of each integer.
fn read(word: u128, range: Range, values: &mut [(u32, u32)]) {
    // The last group may be truncated; its missing bits are zero.
    let length = range.bits(values.len() as u32);
    let mut rest = if length < 128 { word & ((1 << length) - 1) } else { word };
    let mut take = |count: u32| {
        let taken = rest as u32 & ((1 << count) - 1);
        rest = rest.checked_shr(count).unwrap_or(0);
        taken
    };
    // The number of bits of the shared digits that follow each integer's own bits.
    let shares: &[u32] = match range.digit {
        Digit::None => &[0],
        Digit::Trit => &[2, 2, 1, 2, 1],
        Digit::Quint => &[3, 2, 2],
    };
    for group in values.chunks_mut(shares.len()) {
        let (mut shared, mut at) = (0, 0);
        for (i, share) in shares.iter().enumerate() {
            let low = take(range.bits);
            if let Some(value) = group.get_mut(i) {
                value.0 = low;
            }
            shared |= take(*share) << at;
            at += share;
        }
        let digits = match range.digit {
            Digit::None => [0; 5],
            Digit::Trit => trits(shared),
            Digit::Quint => quints(shared),
        };
        group.iter_mut().zip(digits).for_each(|(value, digit)| value.1 = digit);
    }
}

/// Decodes five trits from eight bits. The rules are the specification's, which minimise gates.
fn trits(t: u32) -> [u32; 5] {
    let bits = |word: u32, at: u32, count: u32| (word >> at) & ((1 << count) - 1);
    let (c, t3, t4) = if bits(t, 2, 3) == 7 {
        ((bits(t, 5, 3) << 2) | bits(t, 0, 2), 2, 2)
    } else if bits(t, 5, 2) == 3 {
        (bits(t, 0, 5), bits(t, 7, 1), 2)
    } else {
        (bits(t, 0, 5), bits(t, 5, 2), bits(t, 7, 1))
    };
    // Two bits with only three values in use.
    let three = |high: u32, low: u32| (high << 1) | (low & !high & 1);
    let [t0, t1, t2] = if bits(c, 0, 2) == 3 {
        [three(bits(c, 3, 1), bits(c, 2, 1)), bits(c, 4, 1), 2]
    } else if bits(c, 2, 2) == 3 {
        [bits(c, 0, 2), 2, 2]
    } else {
        [three(bits(c, 1, 1), bits(c, 0, 1)), bits(c, 2, 2), bits(c, 4, 1)]
    };
    [t0, t1, t2, t3, t4]
}

/// Decodes three quints from seven bits.
fn quints(q: u32) -> [u32; 5] {
    let bits = |word: u32, at: u32, count: u32| (word >> at) & ((1 << count) - 1);
    if bits(q, 1, 2) == 3 && bits(q, 5, 2) == 0 {
        let q0 = bits(q, 0, 1);
        let free = if q0 == 0 { bits(q, 3, 2) } else { 0 };
        return [4, 4, (q0 << 2) | free, 0, 0];
    }
    let (c, q2) = if bits(q, 1, 2) == 3 {
        ((bits(q, 3, 2) << 3) | ((bits(q, 5, 2) ^ 3) << 1) | bits(q, 0, 1), 4)
    } else {
        (bits(q, 0, 5), bits(q, 5, 2))
    };
    let [q0, q1] = if bits(c, 0, 3) == 5 { [bits(c, 3, 2), 4] } else { [bits(c, 0, 3), bits(c, 3, 2)] };
    [q0, q1, q2, 0, 0]
}

/// Expands an endpoint value to eight bits: the lowest bit mirrors the range, so that both ends are reached.
fn colour(range: Range, low: u32, digit: u32) -> u8 {
    let Range { bits, digit: kind } = range;
    if kind == Digit::None {
        return replicate(low, bits, 8) as u8;
    }
    let x = low >> 1;
    // The value of a digit, and what the bits above the lowest add.
    let (step, add) = match (kind, bits) {
        (Digit::Trit, 1) => (204, 0),
        (Digit::Trit, 2) => (93, x * 0x116),
        (Digit::Trit, 3) => (44, (x << 7) | (x << 2) | x),
        (Digit::Trit, 4) => (22, (x << 6) | x),
        (Digit::Trit, 5) => (11, (x << 5) | (x >> 2)),
        (Digit::Trit, _) => (5, (x << 4) | (x >> 4)),
        (_, 1) => (113, 0),
        (_, 2) => (54, x * 0x10c),
        (_, 3) => (26, (x << 7) | (x << 1) | (x >> 1)),
        (_, 4) => (13, (x << 6) | (x >> 1)),
        (_, _) => (6, (x << 5) | (x >> 3)),
    };
    let mirror = if low & 1 == 1 { 0x1ff } else { 0 };
    let mixed = (digit * step + add) ^ mirror;
    ((mirror & 0x80) | (mixed >> 2)) as u8
}

fn weight(range: Range, low: u32, digit: u32) -> u8 {
    let Range { bits, digit: kind } = range;
    let x = low >> 1;
    let (step, add) = match (kind, bits) {
        (Digit::None, _) => return spread(replicate(low, bits, 6)),
        (Digit::Trit, 0) => return [0, 32, 64][(digit as usize).min(2)],
        (Digit::Quint, 0) => return [0, 16, 32, 48, 64][(digit as usize).min(4)],
        (Digit::Trit, 1) => (50, 0),
        (Digit::Trit, 2) => (23, x * 0x45),
        (Digit::Trit, _) => (11, (x << 5) | x),
        (Digit::Quint, 1) => (28, 0),
        (Digit::Quint, _) => (13, x * 0x42),
    };
    let mirror = if low & 1 == 1 { 0x7f } else { 0 };
    let mixed = (digit * step + add) ^ mirror;
    spread((mirror & 0x20) | (mixed >> 2))
}

/// Maps 0..=63 to 0..=64, so that one half is exact.
fn spread(value: u32) -> u8 {
    (value + u32::from(value > 32)) as u8
}

/// Repeats bits to fill the given width.
fn replicate(value: u32, bits: u32, wanted: u32) -> u32 {
    let mut word = 0;
    let mut have = 0;
    while bits > 0 && have < wanted {
        word = (word << bits) | value;
        have += bits;
    }
    word >> (have - have.min(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_take_every_value() {
        let mut seen: Vec<[u32; 5]> = (0..256).map(trits).collect();
        assert!(seen.iter().flatten().all(|t| *t < 3));
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 243);
        let mut seen: Vec<[u32; 5]> = (0..128).map(quints).collect();
        assert!(seen.iter().flatten().all(|q| *q < 5));
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 125);
    }

    /// Checks that the values of a range are evenly spread and symmetric, and reach both ends.
    #[track_caller]
    fn check_spread(range: Range, ends: u32, value: impl Fn(Range, u32, u32) -> u8) {
        let digits = [1, 3, 5][range.digit as usize];
        let values = (0..digits).flat_map(|digit| (0..1 << range.bits).map(move |low| (low, digit)));
        let mut all: Vec<u32> = values.map(|(low, digit)| u32::from(value(range, low, digit))).collect();
        all.sort_unstable();
        assert_eq!((all.first(), all.last()), (Some(&0), Some(&ends)), "{range:?}");
        let count = all.len() as u32;
        for (i, v) in all.iter().enumerate() {
            assert_eq!(*v + all[all.len() - 1 - i], ends, "{range:?} is not symmetric");
            let exact = i as f32 * ends as f32 / (count - 1) as f32;
            assert!((*v as f32 - exact).abs() <= 1.5, "{range:?}: {v} at {i} of {count}");
        }
    }

    #[test]
    fn values_are_spread_evenly() {
        for range in &Range::ALL[..12] {
            check_spread(*range, 64, weight);
        }
        for range in &Range::ALL[4..] {
            check_spread(*range, 255, colour);
        }
    }

    #[test]
    fn sequences_are_packed() {
        assert_eq!(Range::ALL[1].bits(5), 8);
        assert_eq!(Range::ALL[1].bits(3), 5);
        assert_eq!(Range::ALL[6].bits(4), 4 + 10);
        assert_eq!(Range::ALL[20].bits(4), 32);
        let mut values = [(0, 0); 4];
        read(0x8765, Range::ALL[8], &mut values);
        assert_eq!(values, [(5, 0), (6, 0), (7, 0), (8, 0)]);
        assert_eq!(colour_range(32, 4), Some(Range::ALL[20]));
        assert_eq!(colour_range(10, 4), None);
    }
}
