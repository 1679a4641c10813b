//! Draws, and which of their pixels are probed.

use pipeline::{Array, Attribute, BufferId, BufferRange, DrawCall, DrawError, Feedback, Mode};
use raster::Topology;
use shader_test::command::{self, Command, Line, Probe, Rectangle};

use crate::Stop;
use crate::context::Context;
use crate::probe;
use crate::target::Target;

impl Context {
    /// Draws a rectangle: a strip of four vertices, or one patch.
    pub(crate) fn rectangle(&mut self, rectangle: &Rectangle, rest: &[Line]) -> Result<(), Stop> {
        let [x, y, w, h] = rectangle.area;
        let [x, y, w, h] = if rectangle.ortho {
            let [width, height] = self.window.map(|n| n as f32);
            [-1.0 + 2.0 * (x / width), -1.0 + 2.0 * (y / height), 2.0 * (w / width), 2.0 * (h / height)]
        } else {
            [x, y, w, h]
        };
        let corners = [(x, y), (x + w, y), (x, y + h), (x + w, y + h)];
        let positions = corners.iter().flat_map(|&(x, y)| [x, y, 0.0, 1.0]).flat_map(f32::to_le_bytes).collect();
        let positions = self.state.add_buffer(positions);
        let before = self.state.arrays.clone();
        // If there is no attribute of that name, `gl_Vertex` is used, which core contexts do not have. Arrays of
        // [vertex data] stay enabled: one at location 0 takes the place of `gl_Vertex`.
        let generic = self.program.attribute("piglit_vertex");
        let vertex = generic.map_or(Attribute::Vertex, Attribute::Generic);
        self.state.arrays.enabled.insert(vertex, Array::floats(positions, 4));
        if let Some([s, t, w, h]) = rectangle.texture {
            let corners = [(s, t), (s + w, t), (s, t + h), (s + w, t + h)];
            let coords = corners.iter().flat_map(|&(s, t)| [s, t]).flat_map(f32::to_le_bytes).collect();
            let coords = self.state.add_buffer(coords);
            let attribute = match generic {
                Some(_) => self.program.attribute("piglit_texcoord").map(Attribute::Generic),
                None => Some(Attribute::TexCoord(0)),
            };
            if let Some(attribute) = attribute {
                self.state.arrays.enabled.insert(attribute, Array::floats(coords, 2));
            }
        }
        let mode = if rectangle.patch {
            self.state.patches.vertices = 4;
            Mode::Patches
        } else {
            Mode::Primitives(Topology::TriangleStrip)
        };
        let drawn = self.draw(mode, 0, 4, rectangle.instances.unwrap_or(1), rest);
        self.state.arrays = before;
        self.state.buffers.truncate(positions.0 as usize);
        drawn
    }

    /// `draw arrays`.
    pub(crate) fn arrays(
        &mut self,
        mode: command::Mode,
        [first, count]: [u32; 2],
        instances: u32,
        rest: &[Line],
    ) -> Result<(), Stop> {
        if let Some(rows) = self.rows.filter(|&rows| first.saturating_add(count) > rows) {
            return Err(Stop::fail("draw arrays", format!("at most {rows} vertices"), (first + count).to_string()));
        }
        self.draw(self::mode(mode), first, count, instances, rest)
    }

    /// `xfb draw arrays`: vertices are captured, and nothing is rasterised.
    pub(crate) fn feedback(&mut self, mode: command::Mode, [first, count]: [u32; 2]) -> Result<(), Stop> {
        let range = |&buffer: &BufferId| BufferRange { buffer, offset: 0, size: None };
        let buffers = self.feedback.iter().map(|(binding, buffer)| (*binding, range(buffer))).collect();
        self.state.feedback = Some(Feedback { buffers, ..Feedback::default() });
        self.state.raster.discard = true;
        let drawn = pipeline::draw(&mut self.state, &self.program, &DrawCall::new(self::mode(mode), first, count));
        self.state.raster.discard = false;
        self.state.feedback = None;
        let stats = drawn.map_err(stopped)?;
        (self.generated, self.written) = (Some(stats.primitives), Some(stats.captured));
        Ok(())
    }

    fn draw(&mut self, mode: Mode, first: u32, count: u32, instances: u32, rest: &[Line]) -> Result<(), Stop> {
        let only = self.looked_at(rest);
        self.targets.before_draw(&mut self.state)?;
        let mut call = DrawCall::new(mode, first, count);
        call.instances = instances;
        call.only = only.as_deref();
        let drawn = pipeline::draw(&mut self.state, &self.program, &call);
        self.targets.after_draw(&mut self.state);
        drawn.map(|_| ()).map_err(stopped)
    }

    /// The window's pixels that are probed before the next clear; `None` for all. Only probes of the window are
    /// predictable.
    fn looked_at(&self, rest: &[Line]) -> Option<Vec<(u32, u32)>> {
        if self.whole_image || self.targets.draw != Target::Window || self.effects {
            return None;
        }
        let [width, height] = self.window;
        let most = (width * height / 2) as usize;
        let mut pixels = Vec::new();
        let mut clears = self.clear_color.is_some();
        for Line { command, .. } in rest {
            match command {
                Command::ClearColor(_) => clears = true,
                Command::Clear if clears => break,
                Command::Framebuffer(..) | Command::Blit(..) | Command::List(_) => return None,
                Command::Probe(Probe::Depth([x, y], _)) => pixels.push((*x, *y)),
                Command::Probe(Probe::Pixels(area, _) | Probe::Warn(area, _)) => {
                    let [left, bottom, w, h] = probe::rectangle(*area, self.window);
                    let inside = |at: i32, size: u32| u32::try_from(at).ok().filter(|&at| at < size);
                    for y in (bottom..bottom.saturating_add(h)).filter_map(|y| inside(y, height)) {
                        let row = (left..left.saturating_add(w)).filter_map(|x| inside(x, width));
                        pixels.extend(row.map(|x| (x, y)));
                        if pixels.len() > most {
                            return None;
                        }
                    }
                }
                _ => {}
            }
        }
        pixels.sort_unstable();
        pixels.dedup();
        Some(pixels)
    }
}

/// A shader that does not terminate is a failure of the test, not an unsupported feature.
pub(crate) fn stopped(error: DrawError) -> Stop {
    match error {
        DrawError::Trap { stage, trap } => Stop::fail(format!("{} shader", stage.name()), "an end", trap.to_string()),
        error @ DrawError::TooMuch => Stop::Unsupported(error.to_string()),
        DrawError::Unsupported(what) => Stop::Unsupported(what),
    }
}

fn mode(mode: command::Mode) -> Mode {
    use command::Mode as From;
    Mode::Primitives(match mode {
        From::Points => Topology::Points,
        From::Lines => Topology::Lines,
        From::LineLoop => Topology::LineLoop,
        From::LineStrip => Topology::LineStrip,
        From::Triangles => Topology::Triangles,
        From::TriangleStrip => Topology::TriangleStrip,
        From::TriangleFan => Topology::TriangleFan,
        From::Quads => Topology::Quads,
        From::QuadStrip => Topology::QuadStrip,
        From::Polygon => Topology::Polygon,
        From::LinesAdjacency => Topology::LinesAdjacency,
        From::LineStripAdjacency => Topology::LineStripAdjacency,
        From::TrianglesAdjacency => Topology::TrianglesAdjacency,
        From::TriangleStripAdjacency => Topology::TriangleStripAdjacency,
        From::Patches => return Mode::Patches,
    })
}
