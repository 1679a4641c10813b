//! Texture reads, and who made what they read.

use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::place::Location;

/// A texture look-up.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Read {
    /// What to call it by: a place in the list it came in.
    pub number: usize,
    /// The look-up.
    pub location: Option<Location>,
    /// The sampler's unit.
    pub unit: u32,
    /// The texture, as the recorded program named it: `texture 5`.
    pub texture: String,
    /// The texels that it reads, those with the largest shares first.
    pub texels: Vec<TexelRead>,
}

/// A texel that was read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TexelRead {
    /// Column and row.
    pub at: [u32; 2],
    /// Level of detail.
    pub level: u32,
    /// Layer, face, or slice.
    pub layer: u32,
    /// Sample.
    pub sample: u32,
    /// Its share in what the look-up gives.
    pub weight: f32,
    /// What it holds: red, green, blue, alpha.
    pub value: Option<[f64; 4]>,
}

/// What a pixel was made of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HistoryGraph {
    /// The image that the pixel is of.
    pub target: String,
    /// The pixel.
    pub at: [u32; 2],
    /// The command before which it is looked at.
    pub until: u64,
    /// What it holds.
    pub value: Option<String>,
    /// Events, from the pixel backwards; the first is whoever wrote it last.
    pub nodes: Vec<HistoryNode>,
    /// What they were made of.
    pub edges: Vec<HistoryEdge>,
    /// What was left out or is not as it should be, in sentences.
    pub notes: Vec<String>,
}

/// An event of a history.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HistoryNode {
    /// What edges call it.
    pub id: u32,
    /// `draw`, `vertex`, `clear`, `upload` and so on.
    pub kind: String,
    /// The command.
    pub command: u64,
    /// What that calls.
    pub call: String,
    /// The frame, from 0.
    pub frame: u64,
    /// In words what it is about: `at 10, 20 of texture 5`.
    pub name: String,
    /// How many passes lie between it and the pixel.
    pub passes: u32,
    /// What the texel held after it.
    pub value: Option<String>,
    /// `equal`, `within`, `differs` or `unchecked`.
    pub verdict: String,
    /// How much of the pixel comes from here.
    pub weight: f64,
    /// The invocation that did it, where a shader did: [`crate::Session::enter`] goes there.
    pub choice: Option<Choice>,
}

/// Why one event depends on another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HistoryEdge {
    /// Who read.
    pub from: u32,
    /// Who wrote what was read.
    pub to: u32,
    /// In words: `texel of unit 2 in line 31`.
    pub why: String,
    /// The share of it.
    pub weight: f64,
}
