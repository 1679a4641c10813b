//! Questions to a device, and its answers.

use instrument::inspect::{Raw, Run};
use instrument::{Controls, Device as Capabilities, Layout, Scope, Transport, Variant};
use serde::{Deserialize, Serialize};
use shader::types::TypeTable;
use shader::version::Stage;

use crate::changes::{Changes, Isolated};
use crate::image::{ImageRef, Rectangle};
use crate::report::{Checked, ReplayRequest, Report};
use crate::target::Target;

/// A question about the trace that the device has open.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Ask {
    /// Take a picture of the draw framebuffer after a command; of the surface if the next call presents one.
    Picture {
        /// The command.
        command: u64,
        /// Execute every call, and not only those that the picture depends on.
        everything: bool,
    },
    /// Describe the device and the framebuffer of a draw, and read images before it.
    Draw {
        /// The draw, or a call between `glBegin` and `glEnd`.
        command: u64,
        /// The images, and the rectangle of each.
        images: Vec<(ImageRef, Rectangle)>,
    },
    /// Run a draw with a variant of one of its shaders.
    Run {
        /// The draw.
        command: u64,
        /// The variant.
        variant: Box<VariantText>,
        /// Which invocations answer.
        scope: Scope,
        /// What is set before.
        run: Run,
        /// What differs from the recording.
        changes: Box<Changes>,
    },
    /// Measure how long a draw takes by itself.
    Alone {
        /// The draw.
        command: u64,
    },
    /// Read objects before a draw.
    Contents {
        /// The draw.
        command: u64,
        /// The objects.
        objects: Vec<Object>,
    },
    /// Read an object after any command.
    Read {
        /// The command.
        command: u64,
        /// A context that the object can be reached from.
        context: u32,
        /// The object.
        object: Object,
    },
    /// Read images before a command.
    Look {
        /// The command.
        command: u64,
        /// The images, and the rectangle of each.
        images: Vec<(ImageRef, Rectangle)>,
    },
    /// Read one pixel of what is drawn to after a command, in the way in which pictures are taken: in the program's own
    /// context. The answer is that of [`Ask::Look`] for one image.
    Pixel {
        /// The command.
        command: u64,
        /// The draw buffer.
        buffer: u32,
        /// The pixel.
        at: [u32; 2],
        /// The format and type in which it is read.
        form: [u32; 2],
    },
    /// Check whether the state after a command and the rest of the trace are as they should be.
    Check {
        /// The command.
        command: u64,
    },
    /// Replay the trace from its start, apart from all other questions.
    Replay(Box<ReplayRequest>),
}

impl Ask {
    /// Returns its name, for messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Ask::Picture { .. } => "Picture",
            Ask::Draw { .. } => "Draw",
            Ask::Run { .. } => "Run",
            Ask::Alone { .. } => "Alone",
            Ask::Contents { .. } => "Contents",
            Ask::Read { .. } => "Read",
            Ask::Look { .. } => "Look",
            Ask::Pixel { .. } => "Pixel",
            Ask::Check { .. } => "Check",
            Ask::Replay(_) => "Replay",
        }
    }

    /// Returns the command that it is about; `None` if it is about the whole trace.
    #[must_use]
    pub fn command(&self) -> Option<u64> {
        match *self {
            Ask::Picture { command, .. }
            | Ask::Draw { command, .. }
            | Ask::Run { command, .. }
            | Ask::Alone { command }
            | Ask::Contents { command, .. }
            | Ask::Read { command, .. }
            | Ask::Look { command, .. }
            | Ask::Pixel { command, .. }
            | Ask::Check { command } => Some(command),
            Ask::Replay(_) => None,
        }
    }
}

/// An object that has contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Object {
    /// A buffer, by its recorded name.
    Buffer(u32),
    /// A texture, by its recorded name and its target.
    Texture(u32, u32),
    /// A renderbuffer, by its recorded name.
    Renderbuffer(u32),
}

/// An answer. Pixels, words and contents are in the bytes beside it ([`Reply::bytes`]).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// A picture, four bytes a pixel, bottom row first.
    Picture {
        /// Width and height in pixels; `None` if there is no framebuffer.
        size: Option<[u32; 2]>,
    },
    /// The device and the framebuffer of a draw. The bytes are the contents of images.
    Draw {
        /// What the device can do.
        device: Box<Capabilities>,
        /// The driver's `GL_RENDERER`.
        renderer: String,
        /// The driver's `GL_VERSION`.
        version: String,
        /// The framebuffer.
        target: Target,
        /// The images, as in [`Answer::Contents`].
        objects: Vec<Result<Vec<ContentsPart>, String>>,
    },
    /// The result of a run: the bytes are its words.
    Raw {
        /// How the words are laid out.
        shape: Shape,
        /// Seconds spent building the program, if it was not there yet, and in all.
        seconds: (Option<f64>, f64),
        /// What differs from the recording.
        notes: Vec<String>,
        /// The primitives that were isolated.
        isolated: Vec<Isolated>,
    },
    /// The driver rejected the variant.
    Rejected {
        /// Its log.
        log: String,
        /// The text that it rejected.
        source_text: String,
    },
    /// How long a draw takes by itself.
    Alone {
        /// The time in seconds.
        seconds: f64,
    },
    /// The contents of objects or images, one after the other in the bytes.
    Contents {
        /// For each object its images, or why they cannot be read.
        objects: Vec<Result<Vec<ContentsPart>, String>>,
    },
    /// What was compared, and what differs.
    Checked(Checked),
    /// What came of a replay.
    Report(Box<Report>),
}

impl Answer {
    /// Returns its name, for messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Answer::Picture { .. } => "Picture",
            Answer::Draw { .. } => "Draw",
            Answer::Raw { .. } => "Raw",
            Answer::Rejected { .. } => "Rejected",
            Answer::Alone { .. } => "Alone",
            Answer::Contents { .. } => "Contents",
            Answer::Checked(_) => "Checked",
            Answer::Report(_) => "Report",
        }
    }
}

/// An answer and the bytes that belong to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// Pixels, words or contents.
    pub bytes: Vec<u8>,
}

impl From<Answer> for Reply {
    /// An answer without bytes.
    fn from(answer: Answer) -> Reply {
        Reply { answer, bytes: Vec::new() }
    }
}

/// One image of an object, or all of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ContentsPart {
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
    /// How many bytes it has.
    pub length: u64,
}

/// How the words of a run are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Shape {
    /// As in a storage block.
    Block,
    /// A window for each pixel of a rectangle.
    Grid([u32; 4]),
    /// A window for each vertex or primitive.
    List,
}

impl Shape {
    /// Splits the result of a run into its shape and its words.
    #[must_use]
    pub fn of(raw: Raw) -> (Shape, Vec<u32>) {
        match raw {
            Raw::Block(words) => (Shape::Block, words),
            Raw::Grid { rectangle, words } => (Shape::Grid(rectangle), words),
            Raw::List(words) => (Shape::List, words),
        }
    }

    /// Puts the result of a run together again.
    #[must_use]
    pub fn with(self, words: Vec<u32>) -> Raw {
        match self {
            Shape::Block => Raw::Block(words),
            Shape::Grid(rectangle) => Raw::Grid { rectangle, words },
            Shape::List => Raw::List(words),
        }
    }
}

/// The part of a variant that a device needs to run it; the asker decodes what comes back.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct VariantText {
    /// The stage, as an index into [`Stage::ALL`].
    stage: usize,
    strings: Vec<String>,
    fragment: Option<Vec<String>>,
    transport: Transport,
    controls: Controls,
}

impl VariantText {
    /// Takes what a device needs from a variant of a stage.
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

    /// Returns the stage, and a variant with an empty layout; `None` if there is no such stage.
    #[must_use]
    pub fn variant(&self) -> Option<(Stage, Variant)> {
        let layout = Layout { sites: Vec::new(), types: TypeTable::default(), moment: None, slots: None };
        let VariantText { strings, fragment, transport, controls, .. } = self.clone();
        Some((Stage::ALL.get(self.stage).copied()?, Variant { strings, fragment, transport, layout, controls }))
    }
}
