//! What a run of a draw does differently from the recording.

use serde::{Deserialize, Serialize};

use crate::image::{Picture, Rectangle};

/// What a run of a draw does differently from the recording.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Changes {
    /// What fragments are tested against.
    pub tests: Tests,
    /// Runs all fragments in a rectangle and no others: nothing is tested, culled or clipped away, unless
    /// [`Isolate::culls`] says so.
    pub listing: Option<Rectangle>,
    /// Where only one fragment of each pixel can answer, runs the primitives one after the other so that all do.
    pub isolate: Option<Isolate>,
    /// Without tests, runs one fragment of each pixel where only one can answer.
    pub layer: Option<Layer>,
    /// Values of uniforms outside of blocks: a name, with an index in brackets or without, and the numbers of the value,
    /// matrices by columns, arrays element by element.
    pub uniforms: Vec<(String, Vec<f64>)>,
    /// Values that attributes have in every vertex.
    pub attributes: Vec<(String, [f64; 4])>,
    /// Pictures that samplers read instead of what is bound, by the name of the uniform.
    pub textures: Vec<(String, Picture)>,
    /// Does not wait for the draw before it reads the results, because nobody asks how long it took.
    pub untimed: bool,
}

/// One fragment of each pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Layer {
    /// The pixels.
    pub rectangle: Rectangle,
    /// Which of the fragments at a pixel, from 0 in the order of drawing. A stencil value counts them, so numbers above
    /// 254 stay at 254.
    pub ordinal: u8,
    /// Which share of the primitives is drawn, from 0, and how many shares there are.
    pub share: [u32; 2],
}

/// What fragments are tested against.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub enum Tests {
    /// The depth and stencil values that were there when the program drew.
    #[default]
    Recorded,
    /// Nothing: depth, stencil and alpha tests are off.
    Off,
    /// The recorded tests, against one depth and one stencil value everywhere.
    Against {
        /// The depth, 0 to 1.
        depth: f32,
        /// The stencil value.
        stencil: u8,
    },
}

/// How primitives are isolated.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Isolate {
    /// Counts fragments by reading pixels back, even where there are occlusion queries.
    pub by_reading: bool,
    /// Faces are culled and polygons stippled as the program has it, so that only fragments that ran are found.
    pub culls: bool,
    /// What an earlier run found.
    pub known: Vec<Isolated>,
}

/// Fragments of one primitive.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Isolated {
    /// The primitive; several where they cannot be told apart.
    pub part: PrimitiveRange,
    /// Which of its fragments at each pixel.
    pub ordinal: u8,
    /// The number of the primitive in its instance, if it is a single one; the draws of one call count on.
    pub primitive: Option<u32>,
    /// The pixels where it has fragments, as the shader counts rows.
    pub pixels: Vec<[u32; 2]>,
}

/// Some primitives in some instances of one of the draws that a call makes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct PrimitiveRange {
    /// Which of the draws, from 0.
    pub draw: u32,
    /// The first instance, and the end.
    pub instances: [u32; 2],
    /// The first primitive, and the end.
    pub primitives: [u32; 2],
}

impl PrimitiveRange {
    /// Returns how many primitives it has, those of each instance counted.
    #[must_use]
    pub fn size(&self) -> u64 {
        let length = |[from, to]: [u32; 2]| u64::from(to.saturating_sub(from));
        length(self.instances) * length(self.primitives)
    }
}
