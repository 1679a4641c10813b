//! The two endpoint colours of a partition, section "Colour endpoint decoding".

/// The colours for weights 0 and 64. Components have eight bits, or twelve bits of a logarithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Endpoints {
    pub(super) low: [i32; 4],
    pub(super) high: [i32; 4],
    /// Which components have a high dynamic range.
    pub(super) hdr: [bool; 4],
}

/// One, as a logarithm.
const HDR_ONE: i32 = 0x780;

impl Endpoints {
    /// Decodes the values of a mode; their number is two plus twice the mode's upper bits.
    pub(super) fn new(mode: u32, values: &[u8]) -> Endpoints {
        let mut v = [0; 8];
        v.iter_mut().zip(values).for_each(|(v, value)| *v = i32::from(*value));
        let [v0, v1, v2, v3, v4, v5, v6, v7] = v;
        match mode {
            0 => ldr([v0, v0, v0, 255], [v1, v1, v1, 255]),
            1 => {
                let low = (v0 >> 2) | (v1 & 0xc0);
                let high = (low + (v1 & 0x3f)).min(255);
                ldr([low, low, low, 255], [high, high, high, 255])
            }
            2 if v1 >= v0 => grey(v0 << 4, v1 << 4),
            2 => grey((v1 << 4) + 8, (v0 << 4) - 8),
            3 => {
                let (low, step) = if v0 & 0x80 != 0 {
                    (((v1 & 0xe0) << 4) | ((v0 & 0x7f) << 2), (v1 & 0x1f) << 2)
                } else {
                    (((v1 & 0xf0) << 4) | ((v0 & 0x7f) << 1), (v1 & 0x0f) << 1)
                };
                grey(low, (low + step).min(0xfff))
            }
            4 => ldr([v0, v0, v0, v2], [v1, v1, v1, v3]),
            5 => {
                let ((base, step), (alpha, alpha_step)) = (transfer(v0, v1), transfer(v2, v3));
                let high = base + step;
                ldr([base, base, base, alpha], [high, high, high, alpha + alpha_step])
            }
            6 => ldr(scaled([v0, v1, v2], v3, 255), [v0, v1, v2, 255]),
            7 => base_and_scale([v0, v1, v2, v3]),
            8 => direct([v0, v1, v2, v3, v4, v5, 255, 255]),
            9 => base_and_offset([v0, v1, v2, v3, v4, v5], (255, 0)),
            10 => ldr(scaled([v0, v1, v2], v3, v4), [v0, v1, v2, v5]),
            11 => hdr_direct([v0, v1, v2, v3, v4, v5]),
            12 => direct(v),
            13 => base_and_offset([v0, v1, v2, v3, v4, v5], transfer(v6, v7)),
            14 => {
                let mut made = hdr_direct([v0, v1, v2, v3, v4, v5]);
                (made.low[3], made.high[3], made.hdr[3]) = (v6, v7, false);
                made
            }
            _ => {
                let mut made = hdr_direct([v0, v1, v2, v3, v4, v5]);
                (made.low[3], made.high[3]) = hdr_alpha(v6, v7);
                made
            }
        }
    }

    /// Swaps red with the given component.
    fn exchanged(mut self, component: usize) -> Endpoints {
        self.low.swap(0, component);
        self.high.swap(0, component);
        self
    }
}

fn ldr(low: [i32; 4], high: [i32; 4]) -> Endpoints {
    Endpoints { low: low.map(|c| c.clamp(0, 255)), high: high.map(|c| c.clamp(0, 255)), hdr: [false; 4] }
}

fn hdr(low: [i32; 3], high: [i32; 3]) -> Endpoints {
    let [low, high] = [low, high].map(|[r, g, b]| [r, g, b, HDR_ONE].map(|c| c.clamp(0, 0xfff)));
    Endpoints { low, high, hdr: [true; 4] }
}

fn grey(low: i32, high: i32) -> Endpoints {
    hdr([low; 3], [high; 3])
}

fn scaled(colour: [i32; 3], scale: i32, alpha: i32) -> [i32; 4] {
    let [r, g, b] = colour.map(|c| (c * scale) >> 8);
    [r, g, b, alpha]
}

/// Transfers the top bit of the offset to the base; six bits of signed offset remain.
fn transfer(base: i32, offset: i32) -> (i32, i32) {
    (((base >> 1) | (offset & 0x80)), signed((offset >> 1) & 0x3f, 6))
}

/// Sign-extends a number of the given width.
fn signed(value: i32, bits: u32) -> i32 {
    let top = 1 << (bits - 1);
    ((value & (2 * top - 1)) ^ top) - top
}

/// Red and green are stored relative to blue if the colours are swapped.
fn contracted([r, g, b, a]: [i32; 4]) -> [i32; 4] {
    [(r + b) >> 1, (g + b) >> 1, b, a]
}

fn direct([r0, r1, g0, g1, b0, b1, a0, a1]: [i32; 8]) -> Endpoints {
    if r1 + g1 + b1 >= r0 + g0 + b0 {
        ldr([r0, g0, b0, a0], [r1, g1, b1, a1])
    } else {
        ldr(contracted([r1, g1, b1, a1]), contracted([r0, g0, b0, a0]))
    }
}

fn base_and_offset([r, dr, g, dg, b, db]: [i32; 6], (a, da): (i32, i32)) -> Endpoints {
    let ((r, dr), (g, dg), (b, db)) = (transfer(r, dr), transfer(g, dg), transfer(b, db));
    let (base, moved) = ([r, g, b, a], [r + dr, g + dg, b + db, a + da]);
    if dr + dg + db >= 0 { ldr(base, moved) } else { ldr(contracted(moved), contracted(base)) }
}

/// Extracts a bit and moves it to another position.
fn bit(value: i32, from: u32, to: u32) -> i32 {
    ((value >> from) & 1) << to
}

/// Mode 7: the brighter colour, given by its largest component and the differences of the others, and how much darker
/// the other colour is. The six bit allocations are the lines of table "HDR mode 7".
fn base_and_scale([v0, v1, v2, v3]: [i32; 4]) -> Endpoints {
    let selector = (v0 >> 6) | bit(v1, 7, 2) | bit(v2, 7, 3);
    let (major, mode) = match selector {
        15 => (0, 5),
        12..15 => (selector & 3, 4),
        _ => (selector >> 2, selector & 3),
    };
    let (mut red, mut green, mut blue, mut scale) = (v0 & 0x3f, v1 & 0x1f, v2 & 0x1f, v3 & 0x1f);
    let within = |modes: i32| (modes >> mode) & 1 == 1;
    // Seven bits whose meaning depends on the mode, from the top.
    let x = [bit(v1, 6, 0), bit(v1, 5, 0), bit(v2, 6, 0), bit(v2, 5, 0), bit(v3, 7, 0), bit(v3, 6, 0), bit(v3, 5, 0)];
    let give = |value: &mut i32, modes: i32, bit: usize, to: u32| {
        if within(modes) {
            *value |= x[bit] << to;
        }
    };
    give(&mut green, 0b11_0000, 0, 6);
    give(&mut green, 0b11_1010, 1, 5);
    give(&mut blue, 0b11_0000, 2, 6);
    give(&mut blue, 0b11_1010, 3, 5);
    give(&mut scale, 0b11_1101, 6, 5);
    give(&mut scale, 0b10_1101, 5, 6);
    give(&mut scale, 0b00_0100, 4, 7);
    give(&mut red, 0b11_1011, 4, 6);
    give(&mut red, 0b00_0100, 3, 6);
    give(&mut red, 0b01_0000, 5, 7);
    give(&mut red, 0b00_1111, 2, 7);
    give(&mut red, 0b00_0101, 1, 8);
    give(&mut red, 0b00_1010, 0, 8);
    give(&mut red, 0b00_0101, 0, 9);
    give(&mut red, 0b00_0010, 6, 9);
    give(&mut red, 0b00_0001, 3, 10);
    give(&mut red, 0b00_0010, 5, 10);
    let shift = [1, 1, 2, 3, 4, 5][mode as usize];
    let [red, green, blue, scale] = [red, green, blue, scale].map(|value| value << shift);
    let (green, blue) = if mode == 5 { (green, blue) } else { (red - green, red - blue) };
    hdr([red - scale, green - scale, blue - scale], [red, green, blue]).exchanged(major as usize)
}

/// Modes 11, 14 and 15: the largest component of the brighter colour, the differences of the others, and those of the
/// darker colour. The eight bit allocations are the lines of table "HDR mode 11".
fn hdr_direct([v0, v1, v2, v3, v4, v5]: [i32; 6]) -> Endpoints {
    let major = bit(v4, 7, 0) | bit(v5, 7, 1);
    if major == 3 {
        return hdr([v0 << 4, v2 << 4, (v4 & 0x7f) << 5], [v1 << 4, v3 << 4, (v5 & 0x7f) << 5]);
    }
    let mode = bit(v1, 7, 0) | bit(v2, 7, 1) | bit(v3, 7, 2);
    let within = |modes: i32| (modes >> mode) & 1 == 1;
    let mut a = v0 | bit(v1, 6, 8);
    let (mut b0, mut b1, mut c) = (v2 & 0x3f, v3 & 0x3f, v1 & 0x3f);
    let width = [7, 6, 7, 6, 5, 6, 5, 6][mode as usize];
    let (d0, d1) = (signed(v4 & 0x7f, width), signed(v5 & 0x7f, width));
    let x = [bit(v2, 6, 0), bit(v3, 6, 0), bit(v4, 6, 0), bit(v5, 6, 0), bit(v4, 5, 0), bit(v5, 5, 0)];
    let give = |value: &mut i32, modes: i32, bit: usize, to: u32| {
        if within(modes) {
            *value |= x[bit] << to;
        }
    };
    give(&mut a, 0b1010_0100, 0, 9);
    give(&mut a, 0b0000_1000, 2, 9);
    give(&mut a, 0b0101_0000, 4, 9);
    give(&mut a, 0b0101_0000, 5, 10);
    give(&mut a, 0b1010_0000, 1, 10);
    give(&mut a, 0b1100_0000, 2, 11);
    give(&mut c, 0b0000_0100, 1, 6);
    give(&mut c, 0b1110_1000, 3, 6);
    give(&mut c, 0b0010_0000, 2, 7);
    give(&mut b0, 0b0101_1011, 0, 6);
    give(&mut b1, 0b0101_1011, 1, 6);
    give(&mut b0, 0b0001_0010, 2, 7);
    give(&mut b1, 0b0001_0010, 3, 7);
    let shift = (mode >> 1) ^ 3;
    let [a, b0, b1, c, d0, d1] = [a, b0, b1, c, d0, d1].map(|value| value << shift);
    hdr([a - c, a - b0 - c - d0, a - b1 - c - d1], [a, a - b0, a - b1]).exchanged(major as usize)
}

fn hdr_alpha(v6: i32, v7: i32) -> (i32, i32) {
    let selector = bit(v6, 7, 0) | bit(v7, 7, 1);
    let (base, offset) = (v6 & 0x7f, v7 & 0x7f);
    if selector == 3 {
        return (base << 5, offset << 5);
    }
    // The more bits the base has, the fewer are left for the offset.
    let base = base | ((offset << (selector + 1)) & 0x780);
    let offset = signed(offset, 6 - selector.cast_unsigned());
    let (low, step) = (base << (4 - selector), offset << (4 - selector));
    (low, (low + step).clamp(0, 0xfff))
}
