//! The commands of `[test]` as data.
//!
//! A line is one command, identified by its first words; blanks, parentheses and commas between numbers are optional.
//! Names of GL enumerants are kept as written, without `GL_`.

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

/// A command with its line number, counted from one.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The line of the file.
    pub line: u32,
    /// The command.
    pub command: Command,
}

/// One command.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// `active shader program`: the stage whose uniforms the following commands set.
    ActiveProgram(Stage),
    /// `atomic counters`, `atomic counter buffer`: a buffer of zeroed counters.
    AtomicBuffer {
        /// The binding point.
        binding: u32,
        /// The number of counters.
        counters: u32,
    },
    /// `atomic counter`: sets a counter's value.
    AtomicCounter {
        /// The buffer's binding point.
        binding: u32,
        /// The index of the counter.
        index: u32,
        /// The new value.
        value: u32,
    },
    /// `clear color`: the clear colour; colour is cleared from now on.
    ClearColor([f32; 4]),
    /// `clear depth`: the clear depth; depth is cleared from now on.
    ClearDepth(f32),
    /// `clear`.
    Clear,
    /// `clip plane`: one plane in eye space.
    ClipPlane(u32, [f64; 4]),
    /// `color`: the current colour of vertices without one.
    Color([f32; 4]),
    /// `compute`: the number of workgroups along each axis, and their size where the shader leaves it variable.
    Compute([u32; 3], Option<[u32; 3]>),
    /// `draw rect` and its variants.
    DrawRectangle(Rectangle),
    /// `draw arrays` of `[vertex data]`.
    DrawArrays {
        /// The primitive mode.
        mode: Mode,
        /// The first vertex.
        first: u32,
        /// The number of vertices.
        count: u32,
        /// The number of instances; `None` for a draw without instancing.
        instances: Option<u32>,
        /// Whether to capture with transform feedback only, without rasterising.
        feedback: bool,
    },
    /// `enable`, `disable`.
    Toggle(Capability, bool),
    /// `depthfunc`.
    DepthFunction(DepthTest),
    /// `fb`: binds a framebuffer.
    Framebuffer(Bind, Attachment),
    /// `blit`: from the read to the draw framebuffer; the buffer's name, and whether filtering is linear.
    Blit(String, bool),
    /// `frustum`: the projection matrix.
    Frustum([f32; 6]),
    /// `ortho`: the projection matrix; without numbers, one that maps to the window's pixels.
    Ortho(Option<[f32; 4]>),
    /// `hint`: ignored.
    Hint,
    /// `image texture`: binds a texture's first level as an image with the given format.
    ImageTexture(u32, String),
    /// `memory barrier`, `blend barrier`, `fbfetch barrier`.
    Barrier,
    /// `viewport indexed`.
    Viewport(u32, [f32; 4]),
    /// `viewport swizzle`: the source of each clip coordinate.
    ViewportSwizzle(u32, [String; 4]),
    /// `probe` in all its forms.
    Probe(Probe),
    /// `polygon mode`: the faces, and how they are rasterised.
    PolygonMode(String, String),
    /// `tolerance` of the following probes, by component.
    Tolerance([f32; 4]),
    /// `shade model`: whether it is flat.
    ShadeModel(bool),
    /// `ssbo`: a zeroed buffer.
    StorageBuffer {
        /// The binding point.
        binding: u32,
        /// Its size in bytes.
        bytes: u32,
    },
    /// `ssbo … subdata`: writes a value to that buffer.
    StorageData {
        /// The buffer's binding point.
        binding: u32,
        /// The offset in bytes.
        offset: u32,
        /// The value in memory.
        bytes: Vec<u8>,
    },
    /// `xfb buffer object`: a buffer for transform feedback.
    FeedbackBuffer {
        /// The binding point.
        binding: u32,
        /// Its size in bytes.
        bytes: u32,
    },
    /// `texture …`: creates a texture on a unit.
    Texture(u32, Texture),
    /// `resident texture`, `resident image texture`: makes a unit's texture resident; the format if it is an image.
    Resident(u32, Option<String>),
    /// `texcoord`: the current texture coordinate.
    TextureCoordinate(u32, [f32; 4]),
    /// `texparameter`: sets a parameter of the texture on the unit used last.
    TextureParameter(Target, Parameter),
    /// `uniform`.
    Uniform(Uniform),
    /// `subuniform`: stage, uniform and function.
    Subroutine(Stage, String, String),
    /// `vertex attrib handle`: the name of the attribute, and the unit whose texture handle it gets.
    AttributeHandle(String, u32),
    /// `patch parameter`.
    Patch(Patch),
    /// `program binary save restore`.
    ProgramBinary,
    /// `provoking vertex`: true for the first vertex, false for the last.
    ProvokingVertex(bool),
    /// `link error`.
    LinkError,
    /// `link success`.
    LinkSuccess,
    /// `ubo array index`, `block …`: how the following uniforms address block members.
    Block(Block),
    /// `active uniform`, `verify …`.
    Query(Query),
    /// `newlist` and the other commands of display lists.
    List(List),
    /// `light`.
    Light(Light),
    /// `parameter`: sets a parameter of an assembly program.
    AssemblyParameter,
    /// An unrecognised command.
    Unknown(String),
}

/// Parses commands; the first line of `text` has the number `line`.
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

/// Reads a name and removes the prefix `GL_`.
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
