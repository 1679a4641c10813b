//! The draw call: takes primitives through the whole pipeline.

mod shading;

use crate::assemble::{Primitive, PrimitiveKind, Topology, assemble};
use crate::clip::{self, ClipVertex, Plane};
use crate::format::DepthFormat;
use crate::framebuffer::Framebuffer;
use crate::interpolate::Interpolator;
use crate::merge::{Rounded, SampleEvent};
use crate::polygon::{self, Bounds, QuadFilter};
use crate::quad::{Quad, QuadOutput};
use crate::setup::{WindowVertex, area, project, snap};
use crate::state::{EvaluatedAt, Pipeline, PolygonMode, Vertex, Viewport};
use crate::{line, sample_positions};

/// One draw call.
#[derive(Clone, Copy)]
pub struct Draw<'a> {
    /// The state.
    pub pipeline: &'a Pipeline,
    /// How the vertices form primitives.
    pub topology: Topology,
    /// The outputs of the last vertex processing stage.
    pub vertices: &'a [Vertex],
    /// The indices of the vertices, if it is an indexed draw. Primitives with an index out of range are not drawn.
    pub indices: Option<&'a [u32]>,
    /// The pixels of interest, if not all: quads without any of them are neither shaded nor merged. The other pixels of
    /// the remaining quads are drawn.
    pub only: Option<&'a [(u32, u32)]>,
}

/// Statistics of a draw call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Points, lines and triangles after assembly.
    pub primitives: u64,
    /// How many of them were dropped: clipped, culled or without area.
    pub dropped: u64,
    /// Quads that were shaded.
    pub quads: u64,
    /// Fragments that were shaded, without helper invocations.
    pub fragments: u64,
    /// Samples that passed all tests, as occlusion queries count them.
    pub samples_passed: u64,
}

/// Draws. Quads are shaded primitive by primitive, and within a primitive row by row from the bottom.
pub fn draw(draw: &Draw<'_>, shade: &mut dyn FnMut(&Quad<'_>) -> QuadOutput, framebuffer: &mut Framebuffer) -> Stats {
    draw_watched(draw, shade, &mut |_, _| {}, framebuffer)
}

/// Draws, and reports the outcome for each covered sample, with the framebuffer after it.
pub fn draw_watched(
    draw: &Draw<'_>,
    shade: &mut dyn FnMut(&Quad<'_>) -> QuadOutput,
    watch: &mut dyn FnMut(&SampleEvent, &Framebuffer),
    framebuffer: &mut Framebuffer,
) -> Stats {
    let pipeline = draw.pipeline;
    let all: Vec<u32>;
    let stream = match draw.indices {
        Some(indices) => indices,
        None => {
            all = (0..draw.vertices.len()).map_while(|i| u32::try_from(i).ok()).collect();
            &all
        }
    };
    let restart = pipeline.restart.filter(|_| draw.indices.is_some());
    let primitives = assemble(draw.topology, stream, restart, pipeline.provoking);
    let words = draw.vertices.iter().map(|v| v.varyings.len()).max().unwrap_or(0);
    let samples = if pipeline.multisample { framebuffer.samples } else { 1 };
    let per_sample = pipeline.sample_shading || pipeline.varyings.iter().any(|v| v.evaluated_at == EvaluatedAt::Sample);
    let mut rasteriser = Rasteriser {
        pipeline,
        vertices: draw.vertices,
        wanted: QuadFilter::around(draw.only),
        samples,
        per_sample: per_sample && samples > 1,
        exact_planes: clip::planes(pipeline, 1.0),
        guarded_planes: clip::planes(pipeline, clip::GUARD_BAND),
        varyings: vec![[0.0; 4]; words],
        rounded: Rounded::default(),
        framebuffer,
        shade,
        watch,
        stats: Stats::default(),
    };
    if !pipeline.discard {
        primitives.iter().for_each(|primitive| rasteriser.primitive(primitive));
    }
    Stats { primitives: primitives.len() as u64, ..rasteriser.stats }
}

struct Rasteriser<'a> {
    pipeline: &'a Pipeline,
    vertices: &'a [Vertex],
    wanted: QuadFilter,
    /// The number of samples for coverage; 1 if multisampling is off, even if the framebuffer has more.
    samples: u32,
    per_sample: bool,
    exact_planes: Vec<Plane>,
    guarded_planes: Vec<Plane>,
    /// A buffer for the varyings of one quad.
    varyings: Vec<[f32; 4]>,
    /// The colour stored last in each target, before and after rounding.
    rounded: Rounded,
    framebuffer: &'a mut Framebuffer,
    shade: &'a mut dyn FnMut(&Quad<'_>) -> QuadOutput,
    watch: &'a mut dyn FnMut(&SampleEvent, &Framebuffer),
    stats: Stats,
}

/// What all fragments of a primitive have in common.
#[derive(Clone, Copy)]
struct Context {
    primitive: Primitive,
    front: bool,
    viewport: Viewport,
    /// The pixels that may be drawn.
    bounds: Bounds,
    viewport_index: u32,
    layer: u32,
    /// The depth offset of polygons.
    offset: f64,
    point: Option<Point>,
}

/// The position and size of a point.
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
    size: f32,
    /// 1 if `gl_PointCoord.y` increases with y, otherwise -1.
    up: f32,
}

impl Rasteriser<'_> {
    fn primitive(&mut self, primitive: &Primitive) {
        if self.try_primitive(primitive).is_none() {
            self.stats.dropped += 1;
        }
    }

    fn try_primitive(&mut self, primitive: &Primitive) -> Option<()> {
        let vertices = self.vertices;
        let vertex = |i: u32| vertices.get(i as usize);
        let provoking = vertex(primitive.provoking)?;
        let [a, b, c] = primitive.corners;
        let corners = [vertex(a)?, vertex(b)?, vertex(c)?];
        if clip::is_culled(self.pipeline, &corners) {
            return None;
        }
        let last = self.pipeline.viewports.len().checked_sub(1)?;
        let viewport = self.pipeline.viewports[last.min(provoking.viewport as usize)];
        let context = Context {
            primitive: *primitive,
            front: true,
            viewport,
            bounds: self.bounds(provoking.viewport),
            viewport_index: provoking.viewport,
            layer: provoking.layer,
            offset: 0.0,
            point: None,
        };
        let mut clipped: [ClipVertex; 3] = std::array::from_fn(|i| ClipVertex::corner(corners[i], i));
        if let Some(swizzle) = self.pipeline.swizzles.get(provoking.viewport as usize) {
            clipped = clipped.map(|vertex| vertex.swizzled(swizzle));
        }
        match primitive.kind {
            PrimitiveKind::Point => self.point(context, &clipped[0], corners[0]),
            PrimitiveKind::Line => self.line(context, [clipped[0], clipped[1]]),
            PrimitiveKind::Triangle => self.triangle(context, clipped, corners),
        }
    }

    /// The pixels inside the framebuffer and the scissor.
    fn bounds(&self, viewport: u32) -> Bounds {
        let mut bounds = Bounds { x: (0, self.framebuffer.width), y: (0, self.framebuffer.height) };
        if let Some(Some(scissor)) = self.pipeline.scissors.get(viewport as usize) {
            let narrow = |range: (u32, u32), from: i32, size: u32| {
                let (low, high) = (i64::from(from), i64::from(from) + i64::from(size));
                let clamp = |v: i64| u32::try_from(v.clamp(0, i64::from(range.1))).unwrap_or(0);
                (clamp(low).max(range.0), clamp(high))
            };
            bounds.x = narrow(bounds.x, scissor.x, scissor.width);
            bounds.y = narrow(bounds.y, scissor.y, scissor.height);
        }
        bounds
    }

    fn point(&mut self, mut context: Context, at: &ClipVertex, vertex: &Vertex) -> Option<()> {
        if !clip::keeps_point(&self.exact_planes, at) {
            return None;
        }
        let window = project(at, &context.viewport, self.pipeline)?;
        let size = if self.pipeline.program_point_size { vertex.point_size } else { self.pipeline.point_size };
        let size = if size.is_nan() { 1.0 } else { size.clamp(1.0, 65536.0) };
        let up = if self.pipeline.point_origin_lower_left { 1.0 } else { -1.0 };
        context.point = Some(Point { x: window.x, y: window.y, size, up });
        let half = size * 0.5;
        let (left, right) = (snap(window.x - half), snap(window.x + half));
        let (lower, upper) = (snap(window.y - half), snap(window.y + half));
        let corners = [(left, lower), (right, lower), (right, upper), (left, upper)];
        let interpolator = Interpolator::point(window).raised(context.offset);
        self.fill(&context, &interpolator, &corners);
        Some(())
    }

    fn line(&mut self, context: Context, ends: [ClipVertex; 2]) -> Option<()> {
        let [from, to] = clip::clip_line(&self.exact_planes, ends)?;
        let from = project(&from, &context.viewport, self.pipeline)?;
        let to = project(&to, &context.viewport, self.pipeline)?;
        if from.snapped == to.snapped {
            return None;
        }
        if self.samples > 1 {
            let interpolator = Interpolator::rectangle(from, to).raised(context.offset);
            self.fill(&context, &interpolator, &rectangle(&from, &to, self.pipeline.line_width));
            return Some(());
        }
        let interpolator = Interpolator::line(from, to).raised(context.offset);
        let width = self.pipeline.line_width.round().clamp(1.0, 65536.0) as u32;
        let mut quads = Vec::new();
        let rule = self.pipeline.edge_rule;
        line::cover(from.snapped, to.snapped, width, rule, context.bounds, &self.wanted, &mut |quad| quads.push(quad));
        quads.iter().for_each(|quad| self.quad(&context, &interpolator, quad));
        Some(())
    }

    fn triangle(&mut self, mut context: Context, corners: [ClipVertex; 3], vertices: [&Vertex; 3]) -> Option<()> {
        let polygon = clip::clip_polygon(&self.guarded_planes, corners);
        let mut polygon: Vec<WindowVertex> = polygon
            .iter()
            .map(|v| project(v, &context.viewport, self.pipeline))
            .collect::<Option<_>>()
            .filter(|polygon: &Vec<_>| polygon.len() >= 3)?;
        let total: i64 = polygon[1..].windows(2).map(|w| area(polygon[0].snapped, w[0].snapped, w[1].snapped)).sum();
        if total == 0 {
            return None;
        }
        context.front = (total > 0) != self.pipeline.clockwise_front;
        if if context.front { self.pipeline.cull_front } else { self.pipeline.cull_back } {
            return None;
        }
        let mode = if context.front { self.pipeline.front_mode } else { self.pipeline.back_mode };
        if total < 0 {
            polygon.reverse();
        }
        context.offset = self.polygon_offset(&polygon, mode);
        match mode {
            PolygonMode::Fill => {
                context.bounds = within(context.bounds, &context.viewport);
                for w in polygon[1..].windows(2) {
                    let triangle = [polygon[0], w[0], w[1]];
                    let snapped = triangle.map(|v| v.snapped);
                    if area(snapped[0], snapped[1], snapped[2]) > 0 {
                        let interpolator = Interpolator::triangle(triangle).raised(context.offset);
                        self.fill(&context, &interpolator, &snapped);
                    }
                }
            }
            PolygonMode::Rectangle => {
                context.bounds = within(context.bounds, &context.viewport);
                let parts = polygon[1..].windows(2).map(|w| [polygon[0], w[0], w[1]]);
                let part = parts.max_by_key(|[a, b, c]| area(a.snapped, b.snapped, c.snapped))?;
                let ends = |of: fn(&WindowVertex) -> i64| {
                    let all = polygon.iter().map(of);
                    Some((all.clone().min()?, all.max()?))
                };
                let ((left, right), (lower, upper)) = (ends(|v| v.snapped.0)?, ends(|v| v.snapped.1)?);
                let interpolator = Interpolator::triangle(part).raised(context.offset);
                self.fill(&context, &interpolator, &[(left, lower), (right, lower), (right, upper), (left, upper)]);
            }
            // The closing edge is drawn first, as in Mesa: where edges overlap, the last one is visible.
            PolygonMode::Line => {
                for i in [2, 0, 1].into_iter().filter(|i| context.primitive.edges[*i] && vertices[*i].edge_flag) {
                    self.line(context, [corners[i], corners[(i + 1) % 3]]);
                }
            }
            PolygonMode::Point => {
                for i in (0..3).filter(|i| context.primitive.edges[*i] && vertices[*i].edge_flag) {
                    self.point(context, &corners[i], vertices[i]);
                }
            }
        }
        Some(())
    }

    /// GL 4.6, 14.6.5. The slope is taken from the largest part of a clipped polygon.
    fn polygon_offset(&self, polygon: &[WindowVertex], mode: PolygonMode) -> f64 {
        let offset = &self.pipeline.offset;
        let enabled = match mode {
            PolygonMode::Fill | PolygonMode::Rectangle => offset.fill,
            PolygonMode::Line => offset.line,
            PolygonMode::Point => offset.point,
        };
        if !enabled {
            return 0.0;
        }
        let parts = polygon[1..].windows(2).map(|w| [polygon[0], w[0], w[1]]);
        let largest = parts.max_by_key(|[a, b, c]| area(a.snapped, b.snapped, c.snapped));
        let slope = largest.map_or(0.0, |part| Interpolator::triangle(part).slope());
        let deepest = polygon.iter().map(|v| f64::from(v.z).abs()).fold(0.0, f64::max);
        let format = self.framebuffer.depth.as_ref().map_or(DepthFormat::Unorm24, |(format, _)| *format);
        let made = f64::from(offset.factor) * slope + f64::from(offset.units) * format.resolution(deepest);
        let clamp = f64::from(offset.clamp);
        if clamp > 0.0 {
            made.min(clamp)
        } else if clamp < 0.0 {
            made.max(clamp)
        } else {
            made
        }
    }

    fn fill(&mut self, context: &Context, interpolator: &Interpolator, corners: &[(i64, i64)]) {
        let mut quads = Vec::new();
        let samples = sample_positions(self.samples);
        let rule = self.pipeline.edge_rule;
        polygon::cover(corners, rule, samples, context.bounds, &self.wanted, &mut |quad| quads.push(quad));
        quads.iter().for_each(|quad| self.quad(context, interpolator, quad));
    }
}

/// The pixels inside a viewport: triangles are confined to it, whatever the guard band.
fn within(bounds: Bounds, viewport: &Viewport) -> Bounds {
    let narrow = |range: (u32, u32), from: f32, size: f32| {
        let (low, high) = (from.min(from + size), from.max(from + size));
        let first = |edge: f32| (f64::from(edge) - 0.5).ceil().clamp(0.0, f64::from(range.1)) as u32;
        (first(low).max(range.0), first(high))
    };
    Bounds { x: narrow(bounds.x, viewport.x, viewport.width), y: narrow(bounds.y, viewport.y, viewport.height) }
}

/// A multisampled line is a rectangle (GL 4.6, 14.5.4).
fn rectangle(from: &WindowVertex, to: &WindowVertex, width: f32) -> [(i64, i64); 4] {
    let (dx, dy) = (f64::from(to.x) - f64::from(from.x), f64::from(to.y) - f64::from(from.y));
    let scale = f64::from(width.clamp(1.0, 65536.0)) * 0.5 / (dx * dx + dy * dy).sqrt();
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let (across, up) = (dy * scale, -dx * scale);
    let corner = |v: &WindowVertex, sign: f64| {
        let place = |at: f32, by: f64| snap((f64::from(at) + sign * by) as f32);
        (place(v.x, across), place(v.y, up))
    };
    [corner(from, 1.0), corner(to, 1.0), corner(to, -1.0), corner(from, -1.0)]
}
