//! Numbers derived from names: the same for the driver and for the emulator, on every machine.

use driver::{Channel, Shape, Tile, Uniform};
use testing::random::SplitMix;

/// Side of the image in pixels.
pub const SIDE: u16 = 64;
/// Tiles per side; each is drawn with its own uniforms.
pub const TILES: u16 = 16;

/// The range of values of a uniform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Range {
    /// Floats from -2 to 2, integers from 0 to 3, which are valid indices of any vector.
    Usual,
    /// The same, but integers from -100 to 100.
    Wide,
    /// Floats from 0 to 2, integers from 0 to 1000.
    Positive,
    /// Floats from -1 to 1: the domain of arc sine.
    Unit,
    /// Integers from 0 to 31: shift counts.
    Shift,
    /// Numbers from 1 to 100: divisors.
    Divisor,
    /// The number of the tile.
    Tile,
    /// Zero or one.
    Bool,
}

/// A uniform, or a part of one, that is a scalar, vector or matrix.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its name as in GL.
    pub name: String,
    /// The type of its words.
    pub channel: Channel,
    /// Its shape.
    pub shape: Shape,
    /// The range of its values.
    pub range: Range,
}

impl Leaf {
    /// Returns its words in a tile.
    pub fn words(&self, tile: u32) -> Vec<u32> {
        let count = usize::from(self.shape.columns) * usize::from(self.shape.rows);
        let mut random = SplitMix::named(&self.name).part(tile);
        (0..count).map(|_| self.word(tile, &mut random)).collect()
    }

    fn word(&self, tile: u32, random: &mut SplitMix) -> u32 {
        if self.channel == Channel::Float {
            // More digits than inputs have: sums and products are then rounded, as in real programs.
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

    /// Returns the uniform of a tile for the driver.
    pub fn uniform(&self, tile: u32) -> Uniform {
        let (name, channel, shape) = (self.name.clone(), self.channel, self.shape);
        Uniform { name, channel, shape, words: self.words(tile) }
    }
}

/// Returns the tiles of an image: one if there are no uniforms that differ.
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

/// Returns the tile of a pixel.
pub fn tile_at(x: u32, y: u32) -> u32 {
    let edge = u32::from(SIDE / TILES);
    y / edge * u32::from(TILES) + x / edge
}
