//! Which blocks of textures the blocks of a target were made of.

use std::sync::Arc;

use device::{Changes, Rectangle};
use instrument::blocks::{MASK, SIDE};
use instrument::inspect::{InspectContext, Raw, Run};
use instrument::stream::BLOCK_HEADER;
use instrument::{BlockFacts, BlockVariant, InspectError, Refusal, Scope, weave_blocks};
use shader::version::Stage;

use crate::remote::Remote;
use crate::{DrawSnapshot, Inquiry, InquiryError};

/// Variants that are remembered.
const MOST: usize = 64;

/// A bit for each block of an image.
pub type Mask = [u32; MASK as usize];

/// A variant, or why there is none.
type Woven = Result<Arc<BlockVariant>, Refusal>;

/// The variants that were made, by the text of the shader.
#[derive(Default)]
pub struct BlockVariants {
    known: Vec<(Arc<[u8]>, Woven)>,
}

/// For each block of what a draw draws to, what its fragments do and which blocks of textures they read; more than they do,
/// if anything. All fragments count, whatever becomes of them.
pub struct BlockMap {
    size: [u32; 2],
    upper: bool,
    /// The samplers that are read by.
    pub samplers: Vec<String>,
    words: Vec<u32>,
}

impl BlockMap {
    /// The block of a pixel.
    #[must_use]
    pub fn block(&self, [x, y]: [u32; 2]) -> u32 {
        let y = if self.upper { self.size[1].saturating_sub(1 + y) } else { y };
        let place = |at: u32, size: u32| (at * SIDE / size.max(1)).min(SIDE - 1);
        place(y, self.size[1]) * SIDE + place(x, self.size[0])
    }

    /// What the fragments of a block do.
    #[must_use]
    pub fn facts(&self, block: u32) -> BlockFacts {
        BlockFacts(self.words.get(block as usize * self.each()).copied().unwrap_or(0))
    }

    /// Blocks of the texture of a sampler that the fragments of a block may have read.
    #[must_use]
    pub fn reads(&self, block: u32, sampler: usize) -> Mask {
        let first = block as usize * self.each() + 1 + sampler * MASK as usize;
        std::array::from_fn(|word| self.words.get(first + word).copied().unwrap_or(0))
    }

    /// Blocks whose fragments do any of these.
    pub fn with(&self, bits: u32) -> impl Iterator<Item = u32> {
        (0..SIDE * SIDE).filter(move |block| self.facts(*block).has(bits))
    }

    /// The smallest rectangle that has all blocks whose fragments do any of these.
    #[must_use]
    pub fn around(&self, bits: u32) -> Option<Rectangle> {
        let [width, height] = self.size;
        let (mut least, mut most) = ([u32::MAX; 2], [0; 2]);
        for block in self.with(bits) {
            for (axis, place) in [block % SIDE, block / SIDE].into_iter().enumerate() {
                let size = self.size[axis];
                // Pixels from the first whose place falls into the block.
                least[axis] = least[axis].min((place * size).div_ceil(SIDE));
                most[axis] = most[axis].max(((place + 1) * size).div_ceil(SIDE).min(size));
            }
        }
        if self.upper && least[1] < most[1] {
            (least[1], most[1]) = (height - most[1], height - least[1]);
        }
        let [left, bottom] = least;
        (left < most[0] && bottom < most[1] && width > 0).then(|| [left, bottom, most[0] - left, most[1] - bottom])
    }

    fn each(&self) -> usize {
        1 + self.samplers.len() * MASK as usize
    }
}

impl Inquiry {
    /// Which blocks of textures the blocks of a target were made of by a draw.
    ///
    /// # Errors
    /// When the device or the shader's language cannot tell.
    pub fn blocks(&mut self, work: &DrawSnapshot) -> Result<BlockMap, InquiryError> {
        let facts = work.facts(Stage::Fragment)?;
        let known = self.block_variants.known.iter().find(|(text, _)| Arc::ptr_eq(text, &facts.text));
        let made = match known {
            Some((_, made)) => made.clone(),
            None => {
                let made = weave_blocks(work.subject(Stage::Fragment)?, &work.device).map(Arc::new);
                if self.block_variants.known.len() >= MOST {
                    self.block_variants.known.drain(..1);
                }
                self.block_variants.known.push((Arc::clone(&facts.text), made.clone()));
                made
            }
        };
        let woven = made.map_err(InspectError::from)?;
        let [width, height] = work.target.size;
        let changes = Changes { listing: Some([0, 0, width, height]), ..Changes::default() };
        let pick = [width.cast_signed(), height.cast_signed(), 0, 0];
        let run = Run { on: true, pick, base: 0, room: [woven.words(), SIDE * SIDE] };
        let mut remote = Remote::new(self.device.as_mut(), &self.control, work, &changes, &mut self.sources);
        let raw = remote.run(&woven.variant, Stage::Fragment, Scope::Blocks, run);
        let failure = remote.account().failure;
        match (raw, failure) {
            (Ok(Raw::Block(mut words)), _) => {
                words.drain(..(BLOCK_HEADER as usize).min(words.len()));
                let upper = woven.variant.controls.upper_left;
                Ok(BlockMap { size: work.target.size, upper, samplers: woven.samplers.clone(), words })
            }
            (Ok(_), _) => Err(InspectError::Failed("the words of a block map have another layout".to_owned()).into()),
            (Err(_), Some(failure)) => Err(failure.into()),
            (Err(error), None) => Err(error.into()),
        }
    }
}
