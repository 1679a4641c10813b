//! What is said to a worker that stays, and what it answers.

use instrument::inspect::{Raw, Run};
use instrument::{Controls, Device, InspectError, Layout, Scope, Transport, Variant};
use serde::{Deserialize, Serialize};
use shader::types::TypeTable;
use shader::version::Stage;

use crate::inspect::{Changes, Isolated, Target};
use crate::player::{Rectangle, Sight};
use crate::timeline::Checked;

/// Something to be done with the trace that the service has open.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Ask {
    /// The picture that is drawn to after a command.
    Picture {
        /// The command.
        command: u64,
        /// Execute everything, and not only what the picture depends on.
        everything: bool,
    },
    /// What a draw is done with and on, and what images hold in rectangles before it.
    Draw {
        /// The draw, or a call between `glBegin` and `glEnd`.
        command: u64,
        /// Which images, and where.
        sights: Vec<(Sight, Rectangle)>,
    },
    /// Runs a variant of a draw.
    Run {
        /// The draw.
        command: u64,
        /// What runs.
        variant: Box<VariantText>,
        /// Whose answers are wanted.
        scope: Scope,
        /// What is set before.
        run: Run,
        /// What is to be otherwise than recorded.
        changes: Box<Changes>,
    },
    /// How long a draw takes by itself.
    Alone {
        /// The draw.
        command: u64,
    },
    /// What objects hold before a draw.
    Contents {
        /// The draw.
        command: u64,
        /// Of which objects.
        objects: Vec<Object>,
    },
    /// What images hold in rectangles before a command.
    Look {
        /// The command.
        command: u64,
        /// Which images, and where.
        sights: Vec<(Sight, Rectangle)>,
    },
    /// Whether the state after a command and the rest of the trace are as they should be.
    Check {
        /// The command.
        command: u64,
    },
}

/// An object that holds something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Object {
    /// A buffer, by its recorded name.
    Buffer(u32),
    /// A texture, by its recorded name and its target.
    Texture(u32, u32),
}

/// What came of it. Long rows of numbers are the bytes beside it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// A picture: four bytes a pixel beside it, bottom row first. None if there is nothing to see.
    Picture {
        /// Width and height in pixels.
        size: Option<[u32; 2]>,
    },
    /// What a draw is done with and on. What images hold is in the bytes beside it.
    Draw {
        /// What the device offers.
        device: Box<Device>,
        /// The driver's `GL_RENDERER`.
        renderer: String,
        /// What it draws to.
        target: Target,
        /// What images hold, as in [`Answer::Contents`].
        objects: Vec<Result<Vec<Part>, String>>,
    },
    /// What a run brought: its words are beside it.
    Raw {
        /// What the words are.
        shape: Shape,
        /// How long the parts took, in seconds: building the program, if it was not there, and everything.
        seconds: (Option<f64>, f64),
        /// What was not as recorded.
        notes: Vec<String>,
        /// The primitives that were isolated.
        isolated: Vec<Isolated>,
    },
    /// The driver refuses the variant.
    Rejected {
        /// What it said.
        log: String,
        /// The text it refused.
        source_text: String,
    },
    /// How long a draw takes by itself, in seconds.
    Alone {
        /// So long.
        seconds: f64,
    },
    /// What objects or images hold, one after the other: their bytes are beside it.
    Contents {
        /// For each object its images, or why they cannot be had.
        objects: Vec<Result<Vec<Part>, String>>,
    },
    /// What was compared, and what is not as it should be.
    Checked(Checked),
}

/// One image of an object, or all of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Part {
    /// The target of an image.
    pub target: u32,
    /// The level of an image.
    pub level: u32,
    /// Width, height and depth.
    pub size: [u32; 3],
    /// The format of pixels; 0 for bytes and compressed images.
    pub format: u32,
    /// The type of pixels; the internal format of compressed images.
    pub pixel_type: u32,
    /// How many bytes.
    pub length: u64,
}

/// What the words of a run are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Shape {
    /// Those of a storage block.
    Block,
    /// A window for each place of a rectangle.
    Grid([u32; 4]),
    /// A window for each vertex or primitive.
    List,
}

impl Shape {
    /// What a run brought, taken apart.
    pub(super) fn of(raw: Raw) -> (Shape, Vec<u32>) {
        match raw {
            Raw::Block(words) => (Shape::Block, words),
            Raw::Grid { rectangle, words } => (Shape::Grid(rectangle), words),
            Raw::List(words) => (Shape::List, words),
        }
    }

    /// What a run brought, put together.
    #[must_use]
    pub fn with(self, words: Vec<u32>) -> Raw {
        match self {
            Shape::Block => Raw::Block(words),
            Shape::Grid(rectangle) => Raw::Grid { rectangle, words },
            Shape::List => Raw::List(words),
        }
    }
}

/// What of a variant whoever runs it needs: what comes back is decoded by whoever asked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct VariantText {
    /// The stage, by its place among all.
    stage: usize,
    strings: Vec<String>,
    fragment: Option<Vec<String>>,
    transport: Transport,
    controls: Controls,
}

impl VariantText {
    /// Of a variant of a stage.
    #[must_use]
    pub fn new(variant: &Variant, stage: Stage) -> VariantText {
        VariantText {
            stage: Stage::ALL.iter().position(|&other| other == stage).unwrap_or(0),
            strings: variant.strings.clone(),
            fragment: variant.fragment.clone(),
            transport: variant.transport,
            controls: variant.controls.clone(),
        }
    }

    /// The stage, and a variant with an empty layout. Nothing if there is no such stage.
    pub(super) fn variant(&self) -> Option<(Stage, Variant)> {
        let layout = Layout { sites: Vec::new(), types: TypeTable::default(), moment: None };
        let VariantText { strings, fragment, transport, controls, .. } = self.clone();
        Some((Stage::ALL.get(self.stage).copied()?, Variant { strings, fragment, transport, layout, controls }))
    }
}

impl Answer {
    /// Why there is no answer, if that is what is said.
    #[must_use]
    pub fn rejection(&self) -> Option<InspectError> {
        match self {
            Answer::Rejected { log, source_text } => {
                Some(InspectError::Rejected { log: log.clone(), source_text: source_text.clone() })
            }
            _ => None,
        }
    }
}
