//! The commands of `[test]` as data.
//!
//! A line is one command, known by the words it begins with; blanks, parentheses and commas between numbers are as the
//! author liked. Names of GL enumerants are kept as they are written, without `GL_`.

mod draw;
mod framebuffer;
mod probe;
mod query;
mod state;
mod texture;
mod uniform;

use shader::version::Stage;

use crate::scan::Scan;

pub use draw::{Mode, Rectangle};
pub use framebuffer::{Attachment, Bind};
pub use probe::{Area, Buffer, Comparison, Expected, Number, Probe};
pub use query::{Answer, Query};
pub use state::{Block, Capability, DepthTest, Light, List, Patch};
pub use texture::{Image, Parameter, Target, Texture};
pub use uniform::{Uniform, Values};

/// A command with the line it stands on, counted from one.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The line of the file.
    pub line: u32,
    /// What it says.
    pub command: Command,
}

/// One command.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// `active shader program`: whose uniforms are set from now on.
    ActiveProgram(Stage),
    /// `atomic counters`, `atomic counter buffer`: a buffer of so many counters, all zero.
    AtomicBuffer {
        /// Where it is bound.
        binding: u32,
        /// How many.
        counters: u32,
    },
    /// `atomic counter`: one counter's value.
    AtomicCounter {
        /// Of which buffer.
        binding: u32,
        /// Which counter.
        index: u32,
        /// What it is from now on.
        value: u32,
    },
    /// `clear color`: what is cleared to, and that colour is cleared.
    ClearColor([f32; 4]),
    /// `clear depth`: what is cleared to, and that depth is cleared.
    ClearDepth(f32),
    /// `clear`.
    Clear,
    /// `clip plane`: one plane in eye space.
    ClipPlane(u32, [f64; 4]),
    /// `color`: the current colour of vertices without one.
    Color([f32; 4]),
    /// `compute`: groups along each axis; the size of a group where the shader leaves it open.
    Compute([u32; 3], Option<[u32; 3]>),
    /// `draw rect` and its relatives.
    DrawRectangle(Rectangle),
    /// `draw arrays` of `[vertex data]`.
    DrawArrays {
        /// What the vertices make.
        mode: Mode,
        /// The first vertex.
        first: u32,
        /// How many.
        count: u32,
        /// How many instances; `None` for a draw without.
        instances: Option<u32>,
        /// Into transform feedback and nowhere else.
        feedback: bool,
    },
    /// `enable`, `disable`.
    Toggle(Capability, bool),
    /// `depthfunc`.
    DepthFunction(DepthTest),
    /// `fb`: another framebuffer.
    Framebuffer(Bind, Attachment),
    /// `blit`: from the framebuffer read to the one drawn to; the buffer's name, and linear or not.
    Blit(String, bool),
    /// `frustum`: the projection matrix.
    Frustum([f32; 6]),
    /// `ortho`: the projection matrix; without numbers that of the window's pixels.
    Ortho(Option<[f32; 4]>),
    /// `hint`: something a driver may ignore.
    Hint,
    /// `image texture`: a texture's first level bound as an image of a format.
    ImageTexture(u32, String),
    /// `memory barrier`, `blend barrier`, `fbfetch barrier`.
    Barrier,
    /// `viewport indexed`.
    Viewport(u32, [f32; 4]),
    /// `viewport swizzle`: what each clip coordinate is taken from.
    ViewportSwizzle(u32, [String; 4]),
    /// `probe` in all its forms.
    Probe(Probe),
    /// `polygon mode`: faces and how they are filled.
    PolygonMode(String, String),
    /// `tolerance` of the probes that follow, by component.
    Tolerance([f32; 4]),
    /// `shade model`: flat or not.
    ShadeModel(bool),
    /// `ssbo`: a buffer of so many bytes, all zero.
    StorageBuffer {
        /// Where it is bound.
        binding: u32,
        /// Its size.
        bytes: u32,
    },
    /// `ssbo … subdata`: a value in that buffer.
    StorageData {
        /// Where the buffer is bound.
        binding: u32,
        /// Where in the buffer.
        offset: u32,
        /// The value in memory.
        bytes: Vec<u8>,
    },
    /// `xfb buffer object`: a buffer for transform feedback.
    FeedbackBuffer {
        /// Where it is bound.
        binding: u32,
        /// Its size.
        bytes: u32,
    },
    /// `texture …`: a new texture on a unit.
    Texture(u32, Texture),
    /// `resident texture`, `resident image texture`: a unit's texture gets a handle; the image's format.
    Resident(u32, Option<String>),
    /// `texcoord`: the current texture coordinate.
    TextureCoordinate(u32, [f32; 4]),
    /// `texparameter` of what is bound to the unit last used.
    TextureParameter(Target, Parameter),
    /// `uniform`.
    Uniform(Uniform),
    /// `subuniform`: stage, uniform and function.
    Subroutine(Stage, String, String),
    /// `vertex attrib handle`: the name of the attribute and the unit whose texture it names.
    AttributeHandle(String, u32),
    /// `patch parameter`.
    Patch(Patch),
    /// `program binary save restore`.
    ProgramBinary,
    /// `provoking vertex`: the first, else the last.
    ProvokingVertex(bool),
    /// `link error`.
    LinkError,
    /// `link success`.
    LinkSuccess,
    /// `ubo array index`, `block …`: which block and how the uniforms that follow mean.
    Block(Block),
    /// `active uniform`, `verify …`.
    Query(Query),
    /// `newlist` and the other commands of display lists.
    List(List),
    /// `light`.
    Light(Light),
    /// `parameter`: of a program in assembly.
    AssemblyParameter,
    /// What no command is.
    Unknown(String),
}

/// Reads commands; the first line of the text is `line` of the file.
#[must_use]
pub fn commands(text: &str, line: u32) -> Vec<Line> {
    let mut found = Vec::new();
    for (index, text) in text.lines().enumerate() {
        let text = text.trim();
        if !text.is_empty() && !text.starts_with('#') {
            let command = command(text).unwrap_or_else(|| Command::Unknown(text.to_owned()));
            found.push(Line { line: line + index as u32, command });
        }
    }
    found
}

fn command(text: &str) -> Option<Command> {
    let mut scan = Scan::new(text);
    let scan = &mut scan;
    let first = text.split_whitespace().next()?;
    match first {
        "draw" | "xfb" | "compute" => draw::read(scan),
        "probe" | "relative" => probe::read(scan).map(Command::Probe),
        "texture" | "texparameter" | "image" | "resident" | "texcoord" => texture::read(scan),
        "uniform" | "subuniform" | "vertex" => uniform::read(scan),
        "fb" | "blit" => framebuffer::read(scan),
        "active" | "verify" => query::read(scan),
        _ => state::read(scan),
    }
}

/// A name without `GL_` in front.
fn enumerant(scan: &mut Scan<'_>) -> Option<String> {
    let word = scan.word()?;
    Some(word.strip_prefix("GL_").unwrap_or(word).to_owned())
}

fn stage(name: &str) -> Option<Stage> {
    Some(match name {
        "GL_VERTEX_SHADER" => Stage::Vertex,
        "GL_TESS_CONTROL_SHADER" => Stage::TessControl,
        "GL_TESS_EVALUATION_SHADER" => Stage::TessEvaluation,
        "GL_GEOMETRY_SHADER" => Stage::Geometry,
        "GL_FRAGMENT_SHADER" => Stage::Fragment,
        "GL_COMPUTE_SHADER" => Stage::Compute,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
