//! Numbers made from names: the same for the driver and for us, on every machine.

use driver::{Channel, Shape, Tile, Uniform};
use testing::random::SplitMix;

/// Pixels along an edge of the picture.
pub const SIDE: u16 = 64;
/// Tiles along an edge of it; each is drawn with uniforms of its own.
pub const TILES: u16 = 16;

/// Which values a uniform takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Range {
    /// Floats from -2 to 2, integers from 0 to 3, which index any vector.
    Usual,
    /// The same, but integers from -100 to 100.
    Wide,
    /// Floats from 0 to 2, integers from 0 to 1000.
    Positive,
    /// Floats from -1 to 1: what has an arc sine.
    Unit,
    /// Integers from 0 to 31: how far to shift.
    Shift,
    /// Numbers from 1 to 100: what may be divided by.
    Divisor,
    /// The number of the tile.
    Tile,
    /// Zero or one.
    Bool,
}

/// A uniform, or a part of one, that is a scalar, vector or matrix.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its name as GL spells it.
    pub name: String,
    /// What its words mean.
    pub channel: Channel,
    /// Its shape.
    pub shape: Shape,
    /// Which values it takes.
    pub range: Range,
}

impl Leaf {
    /// Its words in a tile.
    pub fn words(&self, tile: u32) -> Vec<u32> {
        let count = usize::from(self.shape.columns) * usize::from(self.shape.rows);
        let mut random = SplitMix::named(&self.name).part(tile);
        (0..count).map(|_| self.word(tile, &mut random)).collect()
    }

    fn word(&self, tile: u32, random: &mut SplitMix) -> u32 {
        if self.channel == Channel::Float {
            // Some digits more than inputs have: sums and products then round, as they do in real programs.
            let digits = random.below(256) as f32 / 262_144.0;
            return match self.range {
                Range::Tile => tile as f32,
                Range::Divisor => random.dyadic(1, 4) + digits,
                Range::Unit => (random.dyadic(-2, 2) / 2.0 + digits).min(1.0),
                Range::Positive => random.dyadic(0, 2) + digits,
                _ => random.dyadic(-2, 2) + digits,
            }
            .to_bits();
        }
        match self.range {
            Range::Tile => tile,
            Range::Bool => random.below(2),
            Range::Shift => random.below(32),
            Range::Divisor => random.below(100) + 1,
            Range::Wide if self.channel == Channel::Int => random.below(201).wrapping_sub(100),
            Range::Wide | Range::Positive | Range::Unit => random.below(1000),
            Range::Usual => random.below(4),
        }
    }

    /// What to hand to the driver for a tile.
    pub fn uniform(&self, tile: u32) -> Uniform {
        let (name, channel, shape) = (self.name.clone(), self.channel, self.shape);
        Uniform { name, channel, shape, words: self.words(tile) }
    }
}

/// The tiles of a picture: one if nothing tells them apart.
pub fn tiles(leaves: &[Leaf]) -> Vec<Tile> {
    if leaves.is_empty() {
        return vec![Tile { rectangle: [0, 0, SIDE, SIDE], uniforms: Vec::new() }];
    }
    let edge = SIDE / TILES;
    let tile = |number: u16| Tile {
        rectangle: [number % TILES * edge, number / TILES * edge, edge, edge],
        uniforms: leaves.iter().map(|leaf| leaf.uniform(u32::from(number))).collect(),
    };
    (0..TILES * TILES).map(tile).collect()
}

/// The tile of a pixel.
pub fn tile_at(x: u32, y: u32) -> u32 {
    let edge = u32::from(SIDE / TILES);
    y / edge * u32::from(TILES) + x / edge
}
