//! Executes the commands of a test in order.

use pipeline::{Attribute, ImageUnit, Matrix};
use raster::state::{ClipSwizzle, Compare, DepthTest as DepthState, PolygonMode, Viewport};
use raster::{Clear, Color, Provoking};
use shader_test::ShaderTest;
use shader_test::command::{
    self, Attachment, Bind, Buffer, Capability, Command, DepthTest, Line, List, Patch, Probe, Values,
};

use crate::compile::{Api, Compiled, api, compile};
use crate::context::{Context, target};
use crate::draw::stopped;
use crate::target::{Slice, Target};
use crate::{Failure, Options, Outcome, Picture, Report, Stop, image, not_for_us, probe, query, uniform};

/// Compiles and executes a test, and determines the verdict.
pub(crate) fn run(test: &ShaderTest, options: &Options) -> Report {
    let mut report = Report { outcome: Outcome::Pass, failures: Vec::new(), probes: 0, picture: None };
    if let Some(reason) = not_for_us(test) {
        report.outcome = Outcome::Skip(reason.to_owned());
        return report;
    }
    let lines = command::commands(&test.commands, test.commands_line);
    let refusal_expected = lines.iter().find(|line| line.command == Command::LinkError);
    let fail = |line: u32, what: &str, expected: &str, found: &str| Failure {
        line,
        what: what.to_owned(),
        expected: expected.to_owned(),
        found: found.to_owned(),
    };
    let compiled = compile(test);
    match (compiled, refusal_expected) {
        (Compiled::Refused(_), Some(_)) => {}
        (Compiled::Program(_) | Compiled::Unsupported(_), Some(line)) => {
            report.failures.push(fail(line.line, "the program", "an error", "it links"));
        }
        (Compiled::Refused(error), None) => report.failures.push(fail(0, "the program", "it links", &error)),
        // Tests that only require the program to link have what they need.
        (Compiled::Unsupported(_), None) if lines.iter().all(|line| line.command == Command::LinkSuccess) => {}
        (Compiled::Unsupported(what), None) => report.outcome = Outcome::Unsupported(what),
        (Compiled::Program(program), None) => match Context::new(test, *program, api(test), options) {
            Ok(mut context) => context.all(&lines, &mut report),
            Err(stop) => note(&mut report, 0, stop),
        },
    }
    if report.outcome == Outcome::Pass && !report.failures.is_empty() {
        report.outcome = Outcome::Fail;
    }
    report
}

/// Records a stop in the report.
fn note(report: &mut Report, line: u32, stop: Stop) {
    match stop {
        Stop::Unsupported(what) => report.outcome = Outcome::Unsupported(what),
        Stop::Fail(failure) => report.failures.push(Failure { line, ..failure }),
    }
}

impl Context {
    fn all(&mut self, lines: &[Line], report: &mut Report) {
        let mut list: Option<(usize, bool)> = None;
        let mut kept: &[Line] = &[];
        for (index, line) in lines.iter().enumerate() {
            let rest = &lines[index + 1..];
            let done = match (&line.command, list) {
                (Command::List(List::New(execute)), _) => {
                    list = Some((index + 1, *execute));
                    Ok(())
                }
                (Command::List(List::End), Some((start, _))) => {
                    kept = &lines[start..index];
                    list = None;
                    Ok(())
                }
                (Command::List(List::Call), _) => {
                    kept.iter().try_for_each(|line| self.one(&line.command, rest, report, line.line))
                }
                (Command::List(_), _) | (_, Some((_, false))) => Ok(()),
                (command, _) => self.one(command, rest, report, line.line),
            };
            if let Err(stop) = done {
                note(report, line.line, stop);
                break;
            }
        }
        report.picture = self.picture();
    }

    /// Executes a command. A failed probe does not stop the run; an unsupported command does.
    fn one(&mut self, command: &Command, rest: &[Line], report: &mut Report, line: u32) -> Result<(), Stop> {
        match command {
            Command::Probe(probe) => {
                report.probes += 1;
                if let Some(failure) = self.probe(probe)? {
                    report.failures.push(Failure { line, ..failure });
                }
            }
            Command::Query(question) => {
                report.probes += 1;
                if let Some(failure) = query::ask(self, question)? {
                    report.failures.push(Failure { line, ..failure });
                }
            }
            Command::DrawRectangle(rectangle) => self.rectangle(rectangle, rest)?,
            Command::DrawArrays { mode, first, count, instances, feedback: false } => {
                self.arrays(*mode, [*first, *count], instances.unwrap_or(1), rest)?;
            }
            Command::DrawArrays { mode, first, count, feedback: true, .. } => {
                self.feedback(*mode, [*first, *count])?;
            }
            Command::Compute(groups, size) => {
                pipeline::dispatch(&mut self.state, &self.program, *groups, *size).map_err(stopped)?;
            }
            Command::Uniform(value) => {
                let mut stored = value.clone();
                if let Values::Handle(unit) = value.values {
                    stored.values = Values::Uint64(vec![u64::from(self.handle(unit))]);
                }
                if !self.block_buffers.write(&self.program, &mut self.state, &self.blocks, &stored) {
                    uniform::set(&mut self.program, value)?;
                }
            }
            Command::Resident(unit, format) => {
                let texture = self.texture(*unit)?;
                let handle = match format {
                    None => target(self.units[unit].0).handle(*unit),
                    Some(format) => {
                        let image = texture::Image { level: 0, layer: Some(0), format: image::format(format)? };
                        self.state.images.insert(*unit, ImageUnit { texture, image });
                        *unit
                    }
                };
                self.handles.insert(*unit, handle);
            }
            Command::AttributeHandle(name, unit) => {
                let handle = self.handle(*unit);
                let Some(location) = self.program.attribute(name) else {
                    return Err(Stop::fail(format!("attribute `{name}`"), "an attribute", "none of that name"));
                };
                let words = [handle, 0, 0, 0, 0, 0, 0, 0];
                self.state.arrays.current.insert(Attribute::Generic(location), words);
            }
            // Loading a program binary resets its uniforms.
            Command::ProgramBinary => self.program.reset_uniforms(),
            Command::Subroutine(stage, uniform, function) => {
                if !self.program.set_subroutine(*stage, uniform, function) {
                    let what = format!("subroutine uniform `{uniform}`");
                    return Err(Stop::fail(what, format!("room for `{function}`"), "none"));
                }
            }
            Command::Clear => self.clear()?,
            Command::ClearColor(color) => self.clear_color = Some(*color),
            Command::ClearDepth(depth) => self.clear_depth = Some(*depth),
            Command::Tolerance(tolerance) => self.tolerance = *tolerance,
            Command::Texture(unit, asked) => {
                let made = image::make(asked, self.api == Api::Core)?;
                self.bind_texture(*unit, made);
            }
            Command::TextureParameter(target, parameter) => self.texture_parameter(*target, parameter)?,
            Command::ImageTexture(unit, format) => {
                let (texture, format) = (self.texture(*unit)?, image::format(format)?);
                self.state
                    .images
                    .insert(*unit, ImageUnit { texture, image: texture::Image { level: 0, layer: Some(0), format } });
            }
            Command::Framebuffer(bind, attachment) => self.bind_framebuffer(*bind, attachment)?,
            Command::Blit(buffer, linear) => self.blit(buffer, *linear)?,
            // All stages are one program here, so uniforms are found without naming a stage.
            Command::ActiveProgram(_) => {}
            Command::LinkSuccess | Command::Hint | Command::Barrier => {}
            Command::Block(block) => self.blocks.set(*block),
            Command::StorageBuffer { binding, bytes } => {
                let (buffer, range) = self.zeros(*bytes);
                self.storage.insert(*binding, buffer);
                self.state.storage_buffers.insert(*binding, range);
            }
            Command::StorageData { binding, offset, bytes } => {
                self.write(self.storage.get(binding).copied(), *offset, bytes)?;
            }
            Command::FeedbackBuffer { binding, bytes } => {
                let (buffer, _) = self.zeros(*bytes);
                self.feedback.insert(*binding, buffer);
            }
            Command::AtomicBuffer { binding, counters } => {
                let (buffer, range) = self.zeros(counters.saturating_mul(4));
                self.counters.insert(*binding, buffer);
                self.state.counter_buffers.insert(*binding, range);
            }
            Command::AtomicCounter { binding, index, value } => {
                let buffer = self.counters.get(binding).copied();
                self.write(buffer, index.saturating_mul(4), &value.to_le_bytes())?;
            }
            _ => self.state_command(command)?,
        }
        Ok(())
    }

    fn state_command(&mut self, command: &Command) -> Result<(), Stop> {
        let state = &mut self.state;
        match command {
            Command::ClipPlane(index, plane) => {
                if let Some(slot) = state.fixed.clip_planes.get_mut(*index as usize) {
                    *slot = plane.map(|n| n as f32);
                }
            }
            Command::Color(color) => {
                state.arrays.current.insert(Attribute::Color, words(color));
            }
            Command::TextureCoordinate(unit, value) => {
                state.arrays.current.insert(Attribute::TexCoord(*unit), words(value));
            }
            Command::Toggle(capability, on) => self.toggle(*capability, *on)?,
            Command::DepthFunction(function) => {
                self.depth_function = compare(*function);
                if let Some(depth) = &mut state.raster.depth {
                    depth.compare = compare(*function);
                }
            }
            Command::Frustum([l, r, b, t, n, f]) => {
                let (x, y) = (2.0 * n / (r - l), 2.0 * n / (t - b));
                let (a, c) = ((r + l) / (r - l), (t + b) / (t - b));
                let (d, e) = (-(f + n) / (f - n), -2.0 * f * n / (f - n));
                state.fixed.projection = Matrix([x, 0.0, 0.0, 0.0, 0.0, y, 0.0, 0.0, a, c, d, -1.0, 0.0, 0.0, e, 0.0]);
                state.fixed.model_view = Matrix::IDENTITY;
            }
            Command::Ortho(bounds) => {
                let [width, height] = self.targets.size(state, &self.targets.draw).map(|n| n as f32);
                let [l, r, b, t] = bounds.unwrap_or([0.0, width, 0.0, height]);
                let (x, y) = (2.0 / (r - l), 2.0 / (t - b));
                let (a, c) = (-(r + l) / (r - l), -(t + b) / (t - b));
                state.fixed.projection =
                    Matrix([x, 0.0, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, a, c, 0.0, 1.0]);
                state.fixed.model_view = Matrix::IDENTITY;
            }
            Command::Viewport(index, [x, y, width, height]) => {
                let all = &mut state.raster.viewports;
                let first = all.first().copied().unwrap_or_else(|| Viewport::new(0, 0));
                all.resize(all.len().max(*index as usize % 16 + 1), first);
                let slot = &mut all[*index as usize % 16];
                *slot = Viewport { x: *x, y: *y, width: *width, height: *height, ..*slot };
            }
            Command::ViewportSwizzle(index, names) => {
                let axes = ["X", "Y", "Z", "W"];
                let stays = [0, 1, 2, 3].map(|coordinate| ClipSwizzle { coordinate, negative: false });
                let all = &mut state.raster.swizzles;
                all.resize(all.len().max(*index as usize % 16 + 1), stays);
                for (slot, name) in all[*index as usize % 16].iter_mut().zip(names) {
                    let axis = axes.iter().position(|axis| name.ends_with(axis)).unwrap_or(0);
                    *slot = ClipSwizzle { coordinate: axis as u8, negative: name.starts_with("NEGATIVE") };
                }
            }
            Command::PolygonMode(_, mode) => {
                let mode = match mode.as_str() {
                    "FILL" => PolygonMode::Fill,
                    "LINE" => PolygonMode::Line,
                    "POINT" => PolygonMode::Point,
                    "FILL_RECTANGLE_NV" => PolygonMode::Rectangle,
                    _ => return Err(Stop::unsupported(format!("polygon mode GL_{mode}"))),
                };
                (state.raster.front_mode, state.raster.back_mode) = (mode, mode);
            }
            Command::ShadeModel(flat) => state.flat_shade = *flat,
            Command::ProvokingVertex(first) => {
                state.raster.provoking = if *first { Provoking::First } else { Provoking::Last };
            }
            Command::Patch(Patch::Vertices(count)) => state.patches.vertices = *count,
            Command::Patch(Patch::Outer(levels)) => state.patches.outer = *levels,
            Command::Patch(Patch::Inner(levels)) => state.patches.inner = *levels,
            Command::Light(light) => {
                let Some(slot) = state.fixed.lights.get_mut(light.index as usize) else {
                    return Err(Stop::unsupported("a light beyond the eighth"));
                };
                let four = || light.values.first_chunk::<4>().copied();
                match (light.property.as_str(), four()) {
                    ("POSITION", Some(value)) => slot.position = value,
                    ("AMBIENT", Some(value)) => slot.ambient = value,
                    ("DIFFUSE", Some(value)) => slot.diffuse = value,
                    ("SPECULAR", Some(value)) => slot.specular = value,
                    (other, _) => return Err(Stop::unsupported(format!("light GL_{other}"))),
                }
            }
            other => return Err(Stop::unsupported(name(other))),
        }
        Ok(())
    }

    fn toggle(&mut self, capability: Capability, on: bool) -> Result<(), Stop> {
        let function = self.depth_function;
        let raster = &mut self.state.raster;
        match capability {
            Capability::ClipDistance(index) => {
                raster.clip_distances = raster.clip_distances & !(1 << index) | u8::from(on) << index;
            }
            Capability::TwoSide => self.state.two_sided = on,
            Capability::ProgramPointSize => raster.program_point_size = on,
            Capability::DepthTest => raster.depth = on.then_some(DepthState { compare: function, write: true }),
            Capability::DepthClamp => raster.depth_clamp = on,
            Capability::AlphaToCoverage => raster.alpha_to_coverage = on,
            Capability::AlphaToOne => return Err(Stop::unsupported("enable GL_SAMPLE_ALPHA_TO_ONE")),
        }
        Ok(())
    }

    fn clear(&mut self) -> Result<(), Stop> {
        let clear = Clear { color: self.clear_color.map(Color::Float), depth: self.clear_depth, ..Clear::default() };
        self.targets.before_draw(&mut self.state)?;
        self.state.framebuffer.clear(&clear);
        self.targets.after_draw(&mut self.state);
        Ok(())
    }

    fn texture_parameter(&mut self, target: command::Target, parameter: &command::Parameter) -> Result<(), Stop> {
        let Some((id, sampler)) = self.sampler(target) else {
            return Err(Stop::fail("texparameter", "a texture", "none on the unit"));
        };
        let mut changed = *sampler;
        image::set(&mut self.state.textures[id.0 as usize], &mut changed, parameter, self.shadow_numbers)?;
        if let Some((_, sampler)) = self.sampler(target) {
            *sampler = changed;
        }
        Ok(())
    }

    fn bind_framebuffer(&mut self, bind: Bind, attachment: &Attachment) -> Result<(), Stop> {
        let target = match attachment {
            Attachment::Window => Target::Window,
            Attachment::Textures(units) => {
                let slice = |unit: &Option<u32>| {
                    let slice = |texture| Slice { texture, level: 0, layer: 0 };
                    unit.map(|unit| self.texture(unit)).transpose().map(|id| id.map(slice))
                };
                Target::Textures(units.iter().map(slice).collect::<Result<_, Stop>>()?)
            }
            Attachment::Slice { unit, level, layer, .. } => {
                let slice = Slice { texture: self.texture(*unit)?, level: *level, layer: *layer };
                Target::Textures(vec![Some(slice)])
            }
            Attachment::Layered(unit) => Target::Layered(self.texture(*unit)?),
            Attachment::Multisample { format, size, samples } => {
                self.targets.add_renderbuffer(format, *size, *samples)?
            }
        };
        if bind != Bind::Read {
            self.targets.bind_draw(&mut self.state, target.clone())?;
        }
        if bind != Bind::Draw {
            self.targets.read = target;
        }
        Ok(())
    }

    fn blit(&mut self, buffer: &str, linear: bool) -> Result<(), Stop> {
        if buffer != "color" {
            return Err(Stop::unsupported(format!("blit {buffer}")));
        }
        let source = self.targets.read_surface(&self.state)?;
        self.targets.before_draw(&mut self.state)?;
        let area = |framebuffer: &raster::Framebuffer| raster::Area {
            from: (0, 0),
            to: (framebuffer.width as i32, framebuffer.height as i32),
        };
        let to = area(&self.state.framebuffer);
        for target in 0..self.state.framebuffer.colors.len() {
            self.state.framebuffer.blit(target, to, &source, 0, area(&source), linear);
        }
        self.targets.after_draw(&mut self.state);
        Ok(())
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Failure>, Stop> {
        Ok(match probe {
            Probe::Pixels(area, expected) | Probe::Warn(area, expected) => {
                let size = self.targets.size(&self.state, &self.targets.read);
                let rectangle = probe::rectangle(*area, size);
                probe::pixels(&self.state, &self.targets, rectangle, *expected, self.tolerance)
            }
            Probe::Depth([x, y], expected) => {
                let found = self.targets.depth(&self.state, *x, *y);
                let near = found.is_some_and(|found| (found - expected).abs() < 0.01);
                (!near).then(|| Failure {
                    line: 0,
                    what: format!("depth of pixel ({x}, {y})"),
                    expected: expected.to_string(),
                    found: found.map_or_else(|| "no depth".to_owned(), |found| found.to_string()),
                })
            }
            Probe::Buffer { buffer, binding, offset, comparison, expected } => {
                let (map, tolerance) = match buffer {
                    Buffer::Atomic => (&self.counters, None),
                    Buffer::Storage => (&self.storage, None),
                    Buffer::Feedback => (&self.feedback, Some(self.tolerance[0])),
                };
                let bytes = map.get(binding).and_then(|id| self.state.buffers.get(id.0 as usize));
                let Some(bytes) = bytes else {
                    return Err(Stop::fail(format!("binding {binding}"), "a buffer", "none"));
                };
                probe::number(bytes, *offset, *comparison, *expected, tolerance)
            }
        })
    }

    /// The contents of the first colour target that is drawn to.
    fn picture(&self) -> Option<Picture> {
        let framebuffer = &self.state.framebuffer;
        let (width, height) = (framebuffer.width, framebuffer.height);
        let mut pixels = Vec::with_capacity(width as usize * height as usize * 4);
        for y in (0..height).rev() {
            for x in 0..width {
                let color = framebuffer.color(0, x, y)?.floats();
                pixels.extend(color.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8));
            }
        }
        Some(Picture { width, height, pixels })
    }
}

fn words(value: &[f32; 4]) -> [u32; 8] {
    std::array::from_fn(|i| value.get(i).map_or(0, |n| n.to_bits()))
}

fn compare(function: DepthTest) -> Compare {
    match function {
        DepthTest::Never => Compare::Never,
        DepthTest::Less => Compare::Less,
        DepthTest::Equal => Compare::Equal,
        DepthTest::LessEqual => Compare::LessEqual,
        DepthTest::Greater => Compare::Greater,
        DepthTest::NotEqual => Compare::NotEqual,
        DepthTest::GreaterEqual => Compare::GreaterEqual,
        DepthTest::Always => Compare::Always,
    }
}

/// The words that start a command.
fn name(command: &Command) -> String {
    match command {
        Command::AssemblyParameter => "parameter",
        Command::Unknown(text) => return format!("the command `{text}`"),
        _ => "a command",
    }
    .to_owned()
}
