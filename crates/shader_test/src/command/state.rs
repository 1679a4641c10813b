//! Commands that change state, and a few others.

use super::{Command, enumerant};
use crate::scan::Scan;

/// What `enable` and `disable` switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Capability {
    /// `GL_CLIP_PLANE0`, `GL_CLIP_DISTANCE0` and so on.
    ClipDistance(u32),
    /// `GL_VERTEX_PROGRAM_TWO_SIDE`.
    TwoSide,
    /// `GL_PROGRAM_POINT_SIZE`.
    ProgramPointSize,
    /// `GL_DEPTH_TEST`.
    DepthTest,
    /// `GL_DEPTH_CLAMP`.
    DepthClamp,
    /// `GL_SAMPLE_ALPHA_TO_ONE`.
    AlphaToOne,
    /// `GL_SAMPLE_ALPHA_TO_COVERAGE`.
    AlphaToCoverage,
}

/// The depth comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DepthTest {
    /// `GL_NEVER`.
    Never,
    /// `GL_LESS`.
    Less,
    /// `GL_EQUAL`.
    Equal,
    /// `GL_LEQUAL`.
    LessEqual,
    /// `GL_GREATER`.
    Greater,
    /// `GL_NOTEQUAL`.
    NotEqual,
    /// `GL_GEQUAL`.
    GreaterEqual,
    /// `GL_ALWAYS`.
    Always,
}

impl DepthTest {
    /// The comparison whose enumerant ends with this name, in upper or lower case: `LEQUAL`, `lequal`.
    #[must_use]
    pub fn named(name: &str) -> Option<DepthTest> {
        Some(match name.to_ascii_lowercase().as_str() {
            "never" => DepthTest::Never,
            "less" => DepthTest::Less,
            "equal" => DepthTest::Equal,
            "lequal" => DepthTest::LessEqual,
            "greater" => DepthTest::Greater,
            "notequal" => DepthTest::NotEqual,
            "gequal" => DepthTest::GreaterEqual,
            "always" => DepthTest::Always,
            _ => return None,
        })
    }
}

/// `patch parameter`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Patch {
    /// The number of vertices per patch.
    Vertices(u32),
    /// The outer levels where no control shader sets them.
    Outer([f32; 4]),
    /// The inner levels where no control shader sets them.
    Inner([f32; 2]),
}

/// How the following `uniform` commands address members of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Block {
    /// The element of an array of blocks.
    ArrayIndex(u32),
    /// The block's binding point, for blocks without names.
    Binding(u32),
    /// The offset in the block, for blocks without names.
    Offset(u32),
    /// The stride of its matrices, for blocks without names.
    MatrixStride(u32),
    /// The matrix order, for blocks without names.
    RowMajor(bool),
}

/// A command about display lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum List {
    /// Starts recording commands; true to execute them as well.
    New(bool),
    /// Ends recording.
    End,
    /// Executes the recorded commands.
    Call,
    /// Deletes the recorded commands.
    Delete,
}

/// `light`: sets a property of a light.
#[derive(Clone, PartialEq, Debug)]
pub struct Light {
    /// The number of the light.
    pub index: u32,
    /// The name of the property, without `GL_`.
    pub property: String,
    /// Its value.
    pub values: Vec<f32>,
}

pub(super) fn read(scan: &mut Scan<'_>) -> Option<Command> {
    Some(match scan.word()? {
        "atomic" => return atomic(scan),
        "ssbo" => return storage(scan),
        "clear" if scan.words("color") => Command::ClearColor(scan.reals()?),
        "clear" if scan.words("depth") => Command::ClearDepth(scan.real()?),
        "clear" => Command::Clear,
        "clip" if scan.words("plane") => Command::ClipPlane(scan.index()?, scan.reals()?),
        "color" => Command::Color(scan.reals()?),
        "enable" => Command::Toggle(capability(scan.word()?)?, true),
        "disable" => Command::Toggle(capability(scan.word()?)?, false),
        "depthfunc" => Command::DepthFunction(DepthTest::named(&enumerant(scan)?)?),
        "frustum" => Command::Frustum(scan.reals()?),
        "ortho" if scan.rest().is_empty() => Command::Ortho(None),
        "ortho" => Command::Ortho(Some(scan.reals()?)),
        "hint" => Command::Hint,
        "memory" | "blend" | "fbfetch" if scan.words("barrier") => Command::Barrier,
        "viewport" if scan.words("indexed") => Command::Viewport(scan.index()?, scan.reals()?),
        "viewport" if scan.words("swizzle") => {
            let index = scan.index()?;
            let mut name = || scan.word().map(str::to_owned);
            Command::ViewportSwizzle(index, [name()?, name()?, name()?, name()?])
        }
        "polygon" if scan.words("mode") => Command::PolygonMode(enumerant(scan)?, enumerant(scan)?),
        "tolerance" => Command::Tolerance(scan.reals()?),
        "shade" if scan.words("model") => Command::ShadeModel(scan.word()? == "flat"),
        "patch" if scan.words("parameter") => return patch(scan),
        "program" if scan.words("binary save restore") => Command::ProgramBinary,
        "provoking" if scan.words("vertex") => Command::ProvokingVertex(scan.word()? == "first"),
        "link" if scan.words("error") => Command::LinkError,
        "link" if scan.words("success") => Command::LinkSuccess,
        "ubo" if scan.words("array index") => Command::Block(Block::ArrayIndex(scan.index()?)),
        "block" => Command::Block(block(scan)?),
        "newlist" => Command::List(List::New(scan.word()? == "GL_COMPILE_AND_EXECUTE")),
        "endlist" => Command::List(List::End),
        "calllist" => Command::List(List::Call),
        "deletelist" => Command::List(List::Delete),
        "light" => {
            let (index, property) = (scan.index()?, enumerant(scan)?);
            scan.word()?;
            Command::Light(Light { index, property, values: std::iter::from_fn(|| scan.real()).collect() })
        }
        "parameter" => Command::AssemblyParameter,
        _ => return None,
    })
}

fn atomic(scan: &mut Scan<'_>) -> Option<Command> {
    if scan.words("counters") {
        return Some(Command::AtomicBuffer { binding: 0, counters: scan.index()? });
    }
    if scan.words("counter buffer") {
        return Some(Command::AtomicBuffer { binding: scan.index()?, counters: scan.index()? });
    }
    if !scan.words("counter") {
        return None;
    }
    let [binding, index, value] = scan.indices()?;
    Some(Command::AtomicCounter { binding, index, value })
}

fn storage(scan: &mut Scan<'_>) -> Option<Command> {
    let binding = scan.index()?;
    if !scan.words("subdata") {
        return Some(Command::StorageBuffer { binding, bytes: scan.index()? });
    }
    let ty = scan.word()?;
    let offset = scan.index()?;
    let bytes = match ty {
        "float" => scan.real::<f32>()?.to_le_bytes().to_vec(),
        "double" => scan.real::<f64>()?.to_le_bytes().to_vec(),
        "int" | "uint" => (scan.int()? as u32).to_le_bytes().to_vec(),
        "int64" | "uint64" => (scan.int()? as u64).to_le_bytes().to_vec(),
        _ => return None,
    };
    Some(Command::StorageData { binding, offset, bytes })
}

fn patch(scan: &mut Scan<'_>) -> Option<Command> {
    Some(Command::Patch(if scan.words("vertices") {
        Patch::Vertices(scan.index()?)
    } else if scan.words("default level outer") {
        Patch::Outer(scan.reals()?)
    } else if scan.words("default level inner") {
        Patch::Inner(scan.reals()?)
    } else {
        return None;
    }))
}

fn block(scan: &mut Scan<'_>) -> Option<Block> {
    Some(match scan.word()? {
        "array" if scan.words("index") => Block::ArrayIndex(scan.index()?),
        "binding" => Block::Binding(scan.index()?),
        "offset" => Block::Offset(scan.index()?),
        "matrix" if scan.words("stride") => Block::MatrixStride(scan.index()?),
        "row" if scan.words("major") => Block::RowMajor(scan.index()? != 0),
        _ => return None,
    })
}

fn capability(name: &str) -> Option<Capability> {
    let name = name.strip_prefix("GL_")?;
    let number = name.strip_prefix("CLIP_PLANE").or_else(|| name.strip_prefix("CLIP_DISTANCE"));
    if let Some(number) = number {
        return Some(Capability::ClipDistance(number.parse().ok().filter(|&n| n < 8)?));
    }
    Some(match name {
        "VERTEX_PROGRAM_TWO_SIDE" => Capability::TwoSide,
        "PROGRAM_POINT_SIZE" => Capability::ProgramPointSize,
        "DEPTH_TEST" => Capability::DepthTest,
        "DEPTH_CLAMP" => Capability::DepthClamp,
        "SAMPLE_ALPHA_TO_ONE" => Capability::AlphaToOne,
        "SAMPLE_ALPHA_TO_COVERAGE" => Capability::AlphaToCoverage,
        _ => return None,
    })
}
