//! Commands that draw or dispatch.

use super::Command;
use crate::scan::Scan;

/// A primitive mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// `GL_POINTS`.
    Points,
    /// `GL_LINES`.
    Lines,
    /// `GL_LINE_LOOP`.
    LineLoop,
    /// `GL_LINE_STRIP`.
    LineStrip,
    /// `GL_TRIANGLES`.
    Triangles,
    /// `GL_TRIANGLE_STRIP`.
    TriangleStrip,
    /// `GL_TRIANGLE_FAN`.
    TriangleFan,
    /// `GL_QUADS`.
    Quads,
    /// `GL_QUAD_STRIP`.
    QuadStrip,
    /// `GL_POLYGON`.
    Polygon,
    /// `GL_LINES_ADJACENCY`.
    LinesAdjacency,
    /// `GL_LINE_STRIP_ADJACENCY`.
    LineStripAdjacency,
    /// `GL_TRIANGLES_ADJACENCY`.
    TrianglesAdjacency,
    /// `GL_TRIANGLE_STRIP_ADJACENCY`.
    TriangleStripAdjacency,
    /// `GL_PATCHES`.
    Patches,
}

impl Mode {
    /// The mode with this enumerant name.
    #[must_use]
    pub fn named(name: &str) -> Option<Mode> {
        Some(match name.strip_prefix("GL_")? {
            "POINTS" => Mode::Points,
            "LINES" => Mode::Lines,
            "LINE_LOOP" => Mode::LineLoop,
            "LINE_STRIP" => Mode::LineStrip,
            "TRIANGLES" => Mode::Triangles,
            "TRIANGLE_STRIP" => Mode::TriangleStrip,
            "TRIANGLE_FAN" => Mode::TriangleFan,
            "QUADS" => Mode::Quads,
            "QUAD_STRIP" => Mode::QuadStrip,
            "POLYGON" => Mode::Polygon,
            "LINES_ADJACENCY" => Mode::LinesAdjacency,
            "LINE_STRIP_ADJACENCY" => Mode::LineStripAdjacency,
            "TRIANGLES_ADJACENCY" => Mode::TrianglesAdjacency,
            "TRIANGLE_STRIP_ADJACENCY" => Mode::TriangleStripAdjacency,
            "PATCHES" => Mode::Patches,
            _ => return None,
        })
    }
}

/// A rectangle to draw: a strip of two triangles, or a patch of four vertices.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rectangle {
    /// Left, bottom, width, height.
    pub area: [f32; 4],
    /// Its texture coordinates in the same form.
    pub texture: Option<[f32; 4]>,
    /// Whether the area is in window pixels rather than in clip space.
    pub ortho: bool,
    /// Whether to draw it as a patch.
    pub patch: bool,
    /// The number of instances; `None` for a draw without instancing.
    pub instances: Option<u32>,
}

pub(super) fn read(scan: &mut Scan<'_>) -> Option<Command> {
    if scan.words("compute group size") {
        return Some(Command::Compute(scan.indices()?, Some(scan.indices()?)));
    }
    if scan.words("compute") {
        return Some(Command::Compute(scan.indices()?, None));
    }
    if scan.words("xfb buffer object") {
        return Some(Command::FeedbackBuffer { binding: scan.index()?, bytes: scan.index()? });
    }
    if scan.words("xfb draw arrays") {
        return arrays(scan, false, true);
    }
    if scan.words("draw arrays instanced") {
        return arrays(scan, true, false);
    }
    if scan.words("draw arrays") {
        return arrays(scan, false, false);
    }
    let instanced = scan.words("draw instanced rect");
    if !instanced && !scan.words("draw rect") {
        return None;
    }
    let textured = scan.words("tex");
    let ortho = scan.words("ortho");
    let patch = scan.words("patch");
    let instances = if instanced { Some(scan.index()?) } else { None };
    let area = scan.reals()?;
    let texture = if textured { Some(scan.reals()?) } else { None };
    Some(Command::DrawRectangle(Rectangle { area, texture, ortho, patch, instances }))
}

fn arrays(scan: &mut Scan<'_>, instanced: bool, feedback: bool) -> Option<Command> {
    let mode = Mode::named(scan.word()?)?;
    let [first, count] = scan.indices()?;
    let instances = if instanced { Some(scan.index()?) } else { None };
    Some(Command::DrawArrays { mode, first, count, instances, feedback })
}
