//! The first NaN of a frame. These types are also what `afterimage history --nan --json` prints (`docs/json.md`).

use serde::{Deserialize, Serialize};

use super::history::{Plane, TexelValue};
use super::number::{self, Number};

/// Which numbers are searched for, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NanRequest {
    /// The frame, from 0; the last that was presented without one.
    pub frame: Option<usize>,
    /// Which numbers.
    pub numbers: Nonfinite,
    /// Whether to find out first which blocks of its target each draw touches; where it helps without one.
    pub maps: Option<bool>,
}

/// Numbers that are not finite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nonfinite {
    /// NaN alone.
    Nan,
    /// NaN and infinities.
    NanOrInfinite,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NanSearch {
    /// The frame, from 0.
    pub frame: usize,
    /// How many draws it has.
    pub draws: usize,
    /// The first fragment that was written with such a number; `None` if there is none.
    pub first: Option<NanBirth>,
    /// Everything that was written with one, draw by draw and plane by plane.
    pub spread: Vec<NanSpread>,
    /// What could not be searched, as sentences.
    pub notes: Vec<String>,
}

/// A fragment that was written with such a number.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NanBirth {
    /// The draw.
    pub command: u64,
    /// The pixel.
    pub pixel: [u32; 2],
    /// The primitive, if the shader's language has it.
    pub primitive: Option<u32>,
    /// What the shader returned.
    pub outputs: Vec<NanOutput>,
    /// Where the number comes from.
    pub origin: NanOrigin,
}

/// An output of a fragment.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct NanOutput {
    /// The draw buffer.
    pub draw_buffer: usize,
    /// The colour.
    pub value: TexelValue,
}

/// Where a number that is not finite comes from.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NanOrigin {
    /// An operation made it of finite numbers.
    Computed {
        /// The line of the shader.
        line: u32,
        /// The expression.
        text: String,
        /// What happened, as a sentence.
        message: String,
        /// The operands.
        #[serde(serialize_with = "number::lists")]
        operands: Vec<Vec<f64>>,
        /// The result, if it is known.
        result: Option<Components>,
    },
    /// It was in an input.
    Input {
        /// The input.
        name: String,
        /// Its components.
        values: Vec<Number>,
    },
    /// It was in a texture that the shader read.
    Texel {
        /// The texture.
        image: String,
        /// The texel.
        at: [u32; 2],
        /// What it holds.
        value: TexelValue,
        /// The line of the read, if it is known.
        line: Option<u32>,
    },
    /// A vertex shader returned it.
    Vertex {
        /// `gl_VertexID`.
        vertex: u32,
        /// `gl_InstanceID`.
        instance: u32,
        /// The output.
        output: String,
        /// Its components.
        values: Vec<Number>,
        /// Where the vertex has it from.
        from: Box<NanOrigin>,
    },
    /// It cannot be found out.
    Unknown {
        /// The reason.
        why: String,
    },
}

/// The components of a value.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(transparent)]
pub struct Components(#[serde(serialize_with = "number::list")] pub Vec<f64>);

/// Where a draw wrote such numbers to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NanSpread {
    /// The draw.
    pub command: u64,
    /// The plane of the framebuffer.
    pub plane: Plane,
    /// The image.
    pub image: String,
    /// How many pixels.
    pub pixels: u64,
    /// The smallest rectangle around them: left, bottom, width and height.
    pub bounds: [u32; 4],
    /// In how many of them the image still has such a number after the draw.
    pub stored: u64,
    /// Whether the draw may have read what an earlier draw wrote with such a number; `None` without
    /// maps (`--no-maps`), or where the device cannot tell.
    pub inherited: Option<bool>,
}
