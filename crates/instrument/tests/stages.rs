//! Frames in all stages but the fragment stage: run on the emulator, linked by a driver.

#[path = "frame/probes.rs"]
mod probes;

use driver::{Api, Context};
use instrument::stream::BLOCK_HEADER;
use instrument::{Framed, Refusal, Transport};
use pipeline::{BufferRange, DrawCall, Feedback, Mode, Program, State, dispatch, draw};
use raster::{Framebuffer, PixelFormat, Topology};
use shader::version::{Options, Stage};

use probes::{Probe, Subjects};

/// A program, its inspected stage, and how it is drawn.
struct Case {
    asked: Stage,
    shaders: Vec<(Stage, String)>,
    mode: Mode,
    vertices: u32,
    probe: Probe,
}

const FLAT: &str = "void main() { }";

/// Identities and streams of all invocations that answered, ordered by identity.
type Answers = Vec<([i32; 4], Vec<u32>)>;

impl Case {
    fn subjects(&self) -> Subjects {
        let (stage, text) = self.shaders.iter().find(|(stage, _)| *stage == self.asked).expect("the stage");
        Subjects::new(*stage, text)
    }

    /// The program with the variant in place of its stage.
    fn texts(&self, framed: &Framed) -> Vec<(Stage, Vec<String>)> {
        let text = |(stage, text): &(Stage, String)| match (stage, &framed.fragment) {
            (stage, _) if *stage == self.asked => (*stage, framed.strings.clone()),
            (Stage::Fragment, Some(fragment)) => (*stage, fragment.clone()),
            _ => (*stage, vec![text.clone()]),
        };
        self.shaders.iter().map(text).collect()
    }

    fn emulate(&self, framed: &Framed, transport: Transport) -> Answers {
        let read = |(stage, text): &(Stage, Vec<String>)| {
            let shader = shader::analyze(text, &Options::new(*stage));
            assert!(!shader.has_errors(), "{:?}\n{}", shader.diagnostics, text.concat());
            shader
        };
        let shaders = self.texts(framed).iter().map(read).collect();
        let mut program = Program::new(shaders, &shader::link::LinkOptions::default()).expect("a program");
        let controls = &framed.controls;
        program.set_uniform(&controls.on, &[1]);
        program.set_uniform(&controls.pick, &[u32::MAX; 4]);
        program.set_uniform(&controls.grid, &[4, 4]);
        match transport.window() {
            None => self.storage(program, framed),
            Some(window) => {
                let mut all: Answers = Vec::new();
                let mut base = 0;
                loop {
                    program.set_uniform(&controls.base, &[base]);
                    let rows = match transport {
                        Transport::PointGrid => self.grid(&program, framed),
                        _ => self.feedback(&mut program, framed, window),
                    };
                    if base == 0 {
                        all = rows;
                    } else {
                        all.iter_mut().zip(rows).for_each(|((_, stream), (_, words))| stream.extend(words));
                    }
                    base += window;
                    if all.iter().all(|(_, stream)| stream[0] <= base) {
                        break;
                    }
                }
                all.iter_mut().for_each(|(_, stream)| stream.truncate(stream[0] as usize));
                all.retain(|(_, stream)| !stream.is_empty());
                all
            }
        }
    }

    fn storage(&self, mut program: Program, framed: &Framed) -> Answers {
        const ROOM: usize = 16;
        let mut state = State::new(Framebuffer::new(4, 4).with_color(PixelFormat::RGBA8));
        let mut words = vec![0u32; BLOCK_HEADER as usize + ROOM * 64];
        words[1] = ROOM as u32;
        let buffer = state.add_buffer(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        let binding = framed.controls.binding.unwrap_or(3);
        program.set_block_binding(&framed.controls.block, binding);
        program.set_uniform(&framed.controls.regions, &[64]);
        state.storage_buffers.insert(binding, BufferRange { buffer, offset: 0, size: None });
        if framed.controls.vertex.is_some() {
            self.number_vertices(&mut state, &program, framed);
        }
        if self.asked == Stage::Compute {
            dispatch(&mut state, &program, [2, 1, 1], None).expect("a dispatch");
        } else {
            draw(&mut state, &program, &DrawCall::new(self.mode, 0, self.vertices)).expect("a draw");
        }
        let words = words_of(&state.buffers[buffer.0 as usize]);
        let regions = words[BLOCK_HEADER as usize..].chunks(ROOM).take(words[0] as usize);
        regions.map(|region| (who(region), region[4..4 + region[4] as usize].to_vec())).collect()
    }

    fn feedback(&self, program: &mut Program, framed: &Framed, window: u32) -> Answers {
        let names: Vec<&str> = framed.controls.outputs.iter().map(String::as_str).collect();
        assert!(program.capture(&names, false), "{names:?}");
        let mut state = State::new(Framebuffer::new(4, 4).with_color(PixelFormat::RGBA8));
        let buffer = state.add_buffer(vec![0; 65536]);
        let mut feedback = Feedback::default();
        feedback.buffers.insert(0, BufferRange { buffer, offset: 0, size: None });
        state.feedback = Some(feedback);
        draw(&mut state, program, &DrawCall::new(self.mode, 0, self.vertices)).expect("a draw");
        let written = state.feedback.as_ref().map_or(0, |feedback| feedback.written[&0]);
        let words = words_of(&state.buffers[buffer.0 as usize][..written as usize]);
        words.chunks(4 + window as usize).map(|row| (who(row), row[4..].to_vec())).collect()
    }

    fn grid(&self, program: &Program, framed: &Framed) -> Answers {
        let mut state = State::new(Framebuffer::new(4, 4).with_color(PixelFormat::RGBA8));
        if framed.controls.vertex.is_some() {
            self.number_vertices(&mut state, program, framed);
        }
        draw(&mut state, program, &DrawCall::new(Topology::Points, 0, self.vertices)).expect("a draw");
        let pixel = |n: u32| {
            let color = state.framebuffer.color(0, n % 4, n / 4).expect("a pixel").floats();
            ([n.cast_signed(), 0, 0, 0], vec![u32::from_le_bytes(color.map(|value| (value * 255.0).round() as u8))])
        };
        (0..16).map(pixel).collect()
    }

    fn number_vertices(&self, state: &mut State, program: &Program, framed: &Framed) {
        let numbers: Vec<u8> = (0..self.vertices).flat_map(|n| (n as f32).to_le_bytes()).collect();
        let buffer = state.add_buffer(numbers);
        let name = framed.controls.vertex.as_deref().expect("a name");
        let place = pipeline::Attribute::Generic(program.attribute(name).expect("the attribute"));
        state.arrays.enabled.insert(place, pipeline::Array::floats(buffer, 1));
    }

    /// Links the program with a driver.
    fn link(&self, framed: &Framed, context: &Context) {
        let texts = self.texts(framed);
        let strings: Vec<Vec<&str>> =
            texts.iter().map(|(_, strings)| strings.iter().map(String::as_str).collect()).collect();
        let stages = texts.iter().map(|(stage, _)| *stage);
        let shaders: Vec<(Stage, &[&str])> =
            stages.zip(&strings).map(|(stage, strings)| (stage, &strings[..])).collect();
        let linked = context.link(&shaders).expect("an answer");
        assert!(linked.ok, "{} {:?}\n{}", linked.log, linked.compiled, framed.strings.concat());
    }
}

fn who(words: &[u32]) -> [i32; 4] {
    [words[0], words[1], words[2], words[3]].map(u32::cast_signed)
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// Contexts for desktop GL and ES.
#[track_caller]
fn contexts() -> Vec<(bool, Context)> {
    [(false, Api::DesktopCompatibility), (true, Api::Es)].map(|(es, api)| (es, testing::driver::context(api))).into()
}

/// Runs the case on the emulator and links it on a driver, with each transport; returns the number of transports.
#[track_caller]
fn check(case: &Case, transports: &[Transport], expected: &Answers, contexts: &[(bool, Context)]) -> usize {
    let mut done = 0;
    for &transport in transports {
        let mut subjects = case.subjects();
        let version = subjects.shader.preprocessed.version;
        let framed = match subjects.frame(transport, std::slice::from_ref(&case.probe)) {
            Ok(framed) => framed,
            Err(Refusal::Impossible(why)) => {
                eprintln!("{version} {transport:?}: {why}");
                continue;
            }
            Err(other) => panic!("{other}"),
        };
        let mut answers = case.emulate(&framed, transport);
        answers.sort();
        answers.dedup();
        assert_eq!(&answers, expected, "{transport:?}\n{}", framed.strings.concat());
        for (es, context) in contexts {
            if *es == version.is_es() && context.glsl_version().is_ok_and(|newest| newest >= version.number) {
                subjects.device.extensions = context.extensions().expect("the extensions").iter().collect();
                let framed = subjects.frame(transport, std::slice::from_ref(&case.probe)).expect("a frame");
                case.link(&framed, context);
            }
        }
        done += 1;
    }
    done
}

const WINDOWS: [Transport; 4] =
    [Transport::Storage, Transport::Feedback(1), Transport::Feedback(6), Transport::PointGrid];

/// A stream of one record at site 7.
fn one(values: &[u32]) -> Vec<u32> {
    let mut words = vec![3 + values.len() as u32, 1, 7];
    words.extend_from_slice(values);
    words
}

#[test]
fn vertices_answer_in_every_version() {
    let contexts = contexts();
    let versions = ["110", "120", "130", "140", "150", "330", "430", "450", "100", "300 es", "310 es", "320 es"];
    let mut done = Vec::new();
    for version in versions {
        let old = matches!(version, "110" | "120" | "100");
        let colour = match (old, version.ends_with("es")) {
            (true, _) => "void main() { gl_FragColor = vec4(1.0); }",
            (false, true) => "precision mediump float; out vec4 c; void main() { c = vec4(1.0); }",
            (false, false) => "out vec4 c; void main() { c = vec4(1.0); }",
        };
        let number = if old { "0" } else { "gl_VertexID" };
        let vertex = format!(
            "#version {version}\nvoid main() {{ vec2 v = vec2(float({number}) + 0.25, -1e20); gl_Position = vec4(v, 0.0, 1.0); }}"
        );
        let case = Case {
            asked: Stage::Vertex,
            shaders: vec![(Stage::Vertex, vertex), (Stage::Fragment, format!("#version {version}\n{colour}"))],
            mode: Topology::Points.into(),
            vertices: 3,
            probe: Probe { before: "gl_Position", site: 7, expression: "v" },
        };
        let value = |n: i32| if old { 0.25f32 } else { n as f32 + 0.25 };
        let expected = (0..3).map(|n| ([n, 0, 0, 0], one(&[value(n), -1e20].map(f32::to_bits)))).collect();
        done.push(check(&case, &WINDOWS, &expected, &contexts));
    }
    // Capturing requires integers, and ES has storage blocks from 3.10 on.
    assert_eq!(done, [2, 2, 4, 4, 4, 4, 4, 4, 1, 3, 4, 4]);
}

#[test]
fn primitives_answer() {
    let contexts = contexts();
    for (version, input) in [("150", ""), ("400", ", invocations = 2"), ("320 es", "")] {
        let es = version.ends_with("es");
        let geometry = format!(
            "#version {version}\nlayout(triangles{input}) in; layout(line_strip, max_vertices = 4) out;\nout vec4 c;
void main() {{ int n = gl_PrimitiveIDIn * 10; for (int i = 0; i < 3; i++) {{ c = vec4(1.0); EmitVertex(); n++; }} EndPrimitive(); n += 100; }}"
        );
        let fragment = if es {
            "precision mediump float; in vec4 c; out vec4 d; void main() { d = c; }"
        } else {
            "in vec4 c; out vec4 d; void main() { d = c; }"
        };
        let case = Case {
            asked: Stage::Geometry,
            shaders: vec![
                (Stage::Vertex, format!("#version {version}\n{FLAT}")),
                (Stage::Geometry, geometry),
                (Stage::Fragment, format!("#version {version}\n{fragment}")),
            ],
            mode: Topology::Triangles.into(),
            vertices: 6,
            probe: Probe { before: "n += 100", site: 7, expression: "n" },
        };
        let invocations = if input.is_empty() { 1 } else { 2 };
        let who = (0..2).flat_map(|n| (0..invocations).map(move |i| [n, i, 0, 0]));
        let expected = who.map(|who: [i32; 4]| (who, one(&[who[0].cast_unsigned() * 10 + 3]))).collect();
        assert_eq!(check(&case, &WINDOWS[..3], &expected, &contexts), 3);
    }
}

#[test]
fn patches_answer() {
    let contexts = contexts();
    for version in ["400", "450", "320 es"] {
        let es = version.ends_with("es");
        let fragment = if es {
            "precision mediump float; out vec4 d; void main() { d = vec4(1.0); }"
        } else {
            "out vec4 d; void main() { d = vec4(1.0); }"
        };
        let control = format!(
            "#version {version}\nlayout(vertices = 2) out; patch out float total[2];
void main() {{
    total[gl_InvocationID] = 1.0;
    barrier();
    float sum = total[0] + total[1];
    gl_TessLevelOuter[0] = 1.0; gl_TessLevelOuter[1] = 1.0;
    if (gl_InvocationID == 1) return;
    sum = 0.0;
}}"
        );
        let evaluation = format!(
            "#version {version}\nlayout(isolines) in;
void main() {{ vec2 v = gl_TessCoord.xy; gl_Position = vec4(v, 0.0, 1.0); }}"
        );
        let shaders = vec![
            (Stage::Vertex, format!("#version {version}\n{FLAT}")),
            (Stage::TessControl, control),
            (Stage::TessEvaluation, evaluation),
            (Stage::Fragment, format!("#version {version}\n{fragment}")),
        ];
        let case = |asked, probe| Case { asked, shaders: shaders.clone(), mode: Mode::Patches, vertices: 3, probe };
        let controlled = case(Stage::TessControl, Probe { before: "gl_TessLevelOuter[0]", site: 7, expression: "sum" });
        let expected = (0..2).map(|n| ([0, n, 0, 0], one(&[2.0f32.to_bits()]))).collect();
        assert_eq!(check(&controlled, &WINDOWS[..1], &expected, &contexts), 1);
        let evaluated = case(Stage::TessEvaluation, Probe { before: "gl_Position", site: 7, expression: "v" });
        let expected = [0.0f32, 1.0].map(|u| ([0, u.to_bits().cast_signed(), 0, 0], one(&[u.to_bits(), 0]))).to_vec();
        assert_eq!(check(&evaluated, &WINDOWS[..3], &expected, &contexts), 3);
    }
}

#[test]
fn compute_invocations_answer() {
    let contexts = contexts();
    for version in ["430", "450", "310 es", "320 es"] {
        let text = format!(
            "#version {version}\nlayout(local_size_x = 2, local_size_y = 2) in; shared uint s[4];
void main() {{ s[gl_LocalInvocationIndex] = gl_LocalInvocationIndex; barrier(); uint u = s[3] + gl_LocalInvocationID.y; memoryBarrierShared(); }}"
        );
        let case = Case {
            asked: Stage::Compute,
            shaders: vec![(Stage::Compute, text)],
            mode: Topology::Points.into(),
            vertices: 0,
            probe: Probe { before: "memoryBarrierShared", site: 7, expression: "u" },
        };
        let who = (0..4).flat_map(|x| (0..2).map(move |y| [x, y, 0, 0]));
        let expected = who.map(|who: [i32; 4]| (who, one(&[3 + who[1].cast_unsigned()]))).collect();
        assert_eq!(check(&case, &WINDOWS[..1], &expected, &contexts), 1);
    }
}
