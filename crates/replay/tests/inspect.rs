//! Questions about a draw of a trace written by hand, asked of the driver of this machine.

use api::constant::{GL_FRAGMENT_SHADER as FRAGMENT_SHADER, GL_VERTEX_SHADER as VERTEX_SHADER};
use api::reflection::{Interface, Reflection, Resource, Uniform};
use device::Tests;
use driver::DeviceChoice;
use instrument::inspect::Ask;
use instrument::stream::Facts;
use instrument::variant::{Reading, Slope};
use instrument::{Detail, ProgramInspector, Question, Scope, Transport, What};
use open_trace::{DrawError, OpenTrace};
use replay::Timeline;
use replay::inspect::{DivertError, Draw};
use replay::oracle::Oracle;
use shader::version::Stage;
use testing::trace::{TraceBuilder, TraceFile, float, names};

const FLOAT: i32 = 0x1406;
const TRIANGLES: u64 = 4;

/// The lower left half of the surface, from number to number.
const VERTEX: &str = "#version 150
out float along;
void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 1.0 : -1.0, gl_VertexID == 2 ? 1.0 : -1.0);
    along = corner.x;
    gl_Position = vec4(corner, 0.0, 1.0);
}
";

const FRAGMENT: &str = "#version 150
in float along;
uniform float shade;
out vec4 colour;
void main() {
    float value = along * 0.0 + shade;
    colour = vec4(value);
}
";

/// Triangles that all lie on each other, each nearer than the one before: over all that is drawn to.
const STACK: &str = "#version 150
out float along;
void main() {
    int corner = gl_VertexID % 3, number = gl_VertexID / 3;
    along = float(number);
    gl_Position = vec4(corner == 1 ? 3.0 : -1.0, corner == 2 ? 3.0 : -1.0, 0.5 - float(number) * 0.0005, 1.0);
}
";

/// A trace and a draw of it.
struct Trace {
    file: TraceFile,
    draw: u64,
}

/// What a driver would have said of the program.
fn reflection() -> Vec<u8> {
    let shade = Resource { name: b"shade".to_vec(), values: vec![FLOAT, 1, 0], list: Vec::new() };
    let uniforms = Interface {
        name: api::constant::GL_UNIFORM,
        properties: vec![api::constant::GL_TYPE, api::constant::GL_ARRAY_SIZE, api::constant::GL_LOCATION],
        resources: vec![shade],
    };
    let stages = [VERTEX_SHADER, FRAGMENT_SHADER].map(|stage| (stage, api::constant::GL_SHADER_TYPE, stage as i32));
    Reflection {
        whole: true,
        parameters: vec![(api::constant::GL_LINK_STATUS, vec![1])],
        stages: stages.to_vec(),
        interfaces: vec![uniforms],
        values: vec![Uniform { location: 0, bytes: 0f32.to_le_bytes().to_vec() }],
        ..Reflection::default()
    }
    .encode()
}

fn trace(name: &str) -> Trace {
    trace_of(name, VERTEX, 3)
}

/// A trace of one draw with this vertex shader, and so many vertices.
fn trace_of(name: &str, vertex: &str, vertices: u64) -> Trace {
    frames_of(name, (vertex, vertices), &[0.75]).0
}

/// A trace with a frame for each shade, and their draws.
fn frames(name: &str, shades: &[f32]) -> (Trace, Vec<u64>) {
    frames_of(name, (VERTEX, 3), shades)
}

fn frames_of(name: &str, (vertex, vertices): (&str, u64), shades: &[f32]) -> (Trace, Vec<u64>) {
    let mut trace = TraceBuilder::empty();
    trace.context(1, 0, api::constant::GL_CONTEXT_CORE_PROFILE_BIT);
    trace.surface(1, 8, 8);
    trace.call("afiCurrent", &[1, 1, 1]);
    trace.shader(1, VERTEX_SHADER, vertex);
    trace.shader(2, FRAGMENT_SHADER, FRAGMENT);
    trace.returning("glCreateProgram", &[], 3, &[]);
    trace.call("glAttachShader", &[3, 1]);
    trace.call("glAttachShader", &[3, 2]);
    trace.call("glLinkProgram", &[3]);
    let told = reflection();
    trace.reading("afiProgram", &[3, told.len() as u64, 0x7F00_0000_4000], &[(2, &told)]);
    // Shaders that are not needed any more are deleted, as in most programs.
    for shader in [1, 2] {
        trace.call("glDetachShader", &[3, shader]);
        trace.call("glDeleteShader", &[shader]);
    }
    trace.call("glUseProgram", &[3]);
    trace.reading("glGetUniformLocation", &[3, 0x7F00_0000_5000], &[(1, b"shade")]);
    trace.returning("glGenVertexArrays", &[1, 0x7F00_0000_5000], 0, &[(1, &names(&[1]))]);
    trace.call("glBindVertexArray", &[1]);
    let mut draws = Vec::new();
    for shade in shades {
        trace.call("glUniform1f", &[0, float(*shade)]);
        trace.call("glClear", &[0x4100]);
        trace.call("glEnable", &[0x0B71]);
        draws.push(trace.call("glDrawArrays", &[TRIANGLES, 0, vertices]));
        trace.call("afiPresent", &[1]);
    }
    let file = trace.save(&format!("inspect-{name}"));
    (Trace { file, draw: draws[0] }, draws)
}

fn open(trace: &Trace) -> Timeline {
    Timeline::open(OpenTrace::open(&trace.file).unwrap(), worker::open_egl(&DeviceChoice::First), true).unwrap()
}

fn ask(draw: &mut Draw<'_>, stage: Stage, ask: &Ask) -> Vec<([i32; 4], Reading)> {
    draw.inspect(stage, &Question::LiveIns, ask).unwrap().readings
}

/// The value of an input or uniform.
#[track_caller]
fn input(reading: &Reading, name: &str) -> f32 {
    let is = |what: &What| *what == What::Input(name.to_owned(), Slope::None);
    let record = reading.records.iter().find(|record| is(&record.what)).unwrap_or_else(|| panic!("{reading:?}"));
    f32::from_bits(record.value.as_ref().unwrap().scalars[0] as u32)
}

/// What the shader makes of its uniform.
fn shade(draw: &mut Draw<'_>) -> f32 {
    let question = Question::Recording { detail: Detail::Statements };
    let result = draw.inspect(Stage::Fragment, &question, &at(1, 1, Transport::Storage)).unwrap();
    let is = |what: &What| matches!(what, What::Variable(_, name) if name == "value");
    let record = result.readings[0].1.records.iter().find(|record| is(&record.what)).unwrap();
    f32::from_bits(record.value.as_ref().unwrap().scalars[0] as u32)
}

fn at(x: i32, y: i32, transport: Transport) -> Ask {
    Ask { scope: Scope::One, pick: [x, y, -1, -1], transport: Some(transport) }
}

#[test]
fn every_way_out_says_the_same() {
    let trace = trace("ways");
    let mut timeline = open(&trace);
    let mut draw = timeline.divert(trace.draw).unwrap();
    for transport in [Transport::Storage, Transport::IntegerTargets(2), Transport::FloatTargets(2), Transport::Bytes] {
        let readings = ask(&mut draw, Stage::Fragment, &at(1, 2, transport));
        assert_eq!(readings.len(), 1, "{transport:?}");
        let (who, reading) = &readings[0];
        assert_eq!(who[..2], [1, 2]);
        assert!(reading.facts.has(Facts::RAN));
        // The middle of the second of eight pixels between -1 and 1.
        assert_eq!(input(reading, "along"), -0.625, "{transport:?}");
        let outside = ask(&mut draw, Stage::Fragment, &at(6, 6, transport));
        assert_eq!(outside, [], "{transport:?}");
    }
}

#[test]
fn all_fragments_answer_where_the_triangle_is() {
    let trace = trace("all");
    let mut timeline = open(&trace);
    let mut draw = timeline.divert(trace.draw).unwrap();
    assert_eq!(draw.target().size, [8, 8]);
    for transport in [Transport::Storage, Transport::IntegerTargets(4)] {
        let all = Ask { scope: Scope::All, pick: [-1; 4], transport: Some(transport) };
        let mut places: Vec<_> =
            ask(&mut draw, Stage::Fragment, &all).iter().map(|(who, _)| [who[0], who[1]]).collect();
        places.sort_unstable();
        let inside = |[x, y]: &[i32; 2]| x + y < 7;
        assert!(places.len() >= 28 && places.iter().filter(|place| inside(place)).count() == 28, "{places:?}");
    }
}

#[test]
fn every_fragment_of_a_thousand_at_a_pixel_answers() {
    let trace = trace_of("stack", STACK, 3000);
    let mut timeline = open(&trace);
    let mut draw = timeline.divert(trace.draw).unwrap();
    let every = |pick| Ask { scope: Scope::At, pick, transport: None };
    let result = draw.inspect(Stage::Fragment, &Question::LiveIns, &every([3, 5, -1, -1])).unwrap();
    assert_eq!((result.transport, result.missed), (Transport::Storage, 0));
    let numbers: Vec<i32> = result.readings.iter().map(|(who, _)| who[2]).collect();
    assert_eq!(numbers, (0..1000).collect::<Vec<i32>>(), "in the order in which they are drawn");
    assert!(result.readings.iter().all(|(who, reading)| input(reading, "along") == who[2] as f32));
    let one = draw.inspect(Stage::Fragment, &Question::LiveIns, &every([3, 5, 700, -1])).unwrap().readings;
    assert_eq!(one.len(), 1);
    assert_eq!(input(&one[0].1, "along"), 700.0);
    let all = draw.inspect(Stage::Fragment, &Question::LiveIns, &every([-1; 4])).unwrap();
    assert_eq!((all.readings.len(), all.runs), (64 * 1000, 2), "the block grows to what the first run says");
    // Without a storage block the one that stays is left, and it says so.
    let targets = Ask { transport: Some(Transport::IntegerTargets(4)), ..every([3, 5, -1, -1]) };
    let staying = draw.inspect(Stage::Fragment, &Question::LiveIns, &targets).unwrap();
    assert!(!staying.transport.answers_for_every());
    assert_eq!(staying.readings.iter().map(|(_, reading)| input(reading, "along")).collect::<Vec<_>>(), [999.0]);
}

#[test]
fn what_a_fragment_writes_comes_with_where_it_is() {
    let trace = trace_of("outputs", STACK, 30);
    let mut timeline = open(&trace);
    let mut draw = timeline.divert(trace.draw).unwrap();
    for transport in [Transport::Storage, Transport::IntegerTargets(4), Transport::Bytes] {
        let ask = Ask { scope: Scope::At, pick: [3, 5, -1, -1], transport: Some(transport) };
        let readings = draw.inspect(Stage::Fragment, &Question::Outputs, &ask).unwrap().readings;
        assert_eq!(readings.len(), if transport == Transport::Storage { 10 } else { 1 }, "{transport:?}");
        for (place, (_, reading)) in readings.iter().enumerate() {
            let value = |wanted: &What| {
                let record = reading.records.iter().find(|record| record.what == *wanted);
                record.unwrap_or_else(|| panic!("{reading:?}")).value.clone().unwrap().numbers()
            };
            let number = if readings.len() == 1 { 9 } else { place };
            let at = value(&What::Input("gl_FragCoord".to_owned(), Slope::None));
            let depth = 0.75 - number as f64 * 0.00025;
            assert!((at[0], at[1]) == (3.5, 5.5) && (at[2] - depth).abs() < 1e-6, "{at:?}");
            assert_eq!(value(&What::Input("gl_FrontFacing".to_owned(), Slope::None)), [1.0]);
            assert_eq!(value(&What::Output("colour".to_owned())), [0.75; 4], "{transport:?}");
        }
    }
}

#[test]
fn vertices_answer_each_for_itself() {
    let trace = trace("vertices");
    let mut timeline = open(&trace);
    let mut draw = timeline.divert(trace.draw).unwrap();
    for transport in [Transport::Storage, Transport::Feedback(8), Transport::PointGrid] {
        let all = Ask { scope: Scope::All, pick: [-1; 4], transport: Some(transport) };
        let mut numbers: Vec<i32> = ask(&mut draw, Stage::Vertex, &all).iter().map(|(who, _)| who[0]).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [0, 1, 2], "{transport:?}");
    }
}

#[test]
fn uniforms_can_be_given_other_values_and_tests_other_depths() {
    let trace = trace("changes");
    let mut timeline = open(&trace);
    let mut draw = timeline.divert(trace.draw).unwrap();
    let reads = |draw: &mut Draw<'_>| ask(draw, Stage::Fragment, &at(1, 1, Transport::IntegerTargets(4)));
    assert_eq!(shade(&mut draw), 0.75);
    draw.changes.uniforms = vec![("shade".to_owned(), vec![0.25])];
    assert_eq!(shade(&mut draw), 0.25);
    draw.changes.uniforms = vec![("shady".to_owned(), vec![0.25])];
    let wrong = draw.inspect(Stage::Fragment, &Question::LiveIns, &at(1, 1, Transport::Storage)).unwrap_err();
    assert_eq!(wrong.to_string(), "the program uses no uniform shady");
    draw.changes.uniforms.clear();
    // The triangle is at depth 0.5: nothing is nearer than 0.25.
    draw.changes.tests = Tests::Against { depth: 0.25, stencil: 0 };
    assert_eq!(reads(&mut draw), []);
    draw.changes.tests = Tests::Off;
    assert_eq!(reads(&mut draw).len(), 1);
}

#[test]
fn questions_about_earlier_draws_begin_at_checkpoints() {
    let shades: Vec<f32> = (0u8..24).map(|number| f32::from(number) / 32.0).collect();
    let (trace, draws) = frames("earlier", &shades);
    let mut oracle = Oracle::default();
    // What GL answers and contains if the timeline never goes back.
    let mut forwards = open(&trace);
    let plain: Vec<_> = draws.iter().map(|draw| forwards.divert(*draw).unwrap().survey(&mut oracle).unwrap()).collect();
    drop(forwards);
    let mut timeline = open(&trace);
    for number in [23, 20, 19, 18, 17, 19, 12, 11, 10, 3, 22, 21, 20, 1, 0] {
        let mut draw = timeline.divert(draws[number]).unwrap();
        assert_eq!(draw.survey(&mut oracle).unwrap().differences(&plain[number]), [], "draw {number}");
        assert_eq!(shade(&mut draw), shades[number], "draw {number}");
        draw.release();
    }
    let returns = timeline.returns();
    assert!(returns.by_checkpoint >= 9, "{returns:?}");
}

#[test]
fn visits_skip_what_a_draw_does_not_depend_on() {
    let shades: Vec<f32> = (0u8..24).map(|number| f32::from(number) / 32.0).collect();
    let (trace, draws) = frames("skipped", &shades);
    let mut timeline = open(&trace);
    timeline.skip_idle_calls();
    // Each draw is preceded by a clear of the depth that it is tested against.
    for number in [12, 17, 23, 3, 9] {
        let mut draw = timeline.divert(draws[number]).unwrap();
        assert_eq!(shade(&mut draw), shades[number], "draw {number}");
        draw.release();
    }
    assert!(timeline.passed_over() >= 23, "{}", timeline.passed_over());
    // A picture shows everything that was drawn.
    timeline.seek(draws[23]).unwrap();
    let picture = timeline.read_pixels();
    let mut all = open(&trace);
    all.seek(draws[23]).unwrap();
    assert!(picture.is_some());
    assert_eq!(picture, all.read_pixels());
}

#[test]
fn everything_is_as_it_was() {
    let trace = trace("law");
    let mut timeline = open(&trace);
    let mut oracle = Oracle::default();
    let mut draw = timeline.divert(trace.draw).unwrap();
    let before = draw.survey(&mut oracle).unwrap();
    for transport in [Transport::Storage, Transport::IntegerTargets(4), Transport::Bytes] {
        ask(&mut draw, Stage::Fragment, &at(1, 1, transport));
    }
    for transport in [Transport::Storage, Transport::Feedback(8), Transport::PointGrid] {
        let all = Ask { scope: Scope::All, pick: [-1; 4], transport: Some(transport) };
        ask(&mut draw, Stage::Vertex, &all);
    }
    draw.release();
    let after = draw.survey(&mut oracle).unwrap();
    assert!(before.answers() > 1000);
    assert_eq!(before.differences(&after), []);
    drop(draw);
    timeline.run_all().unwrap();
    assert_eq!(timeline.problems(), []);
}

#[test]
fn what_draws_nothing_is_refused_by_name() {
    let trace = trace("refused");
    let mut timeline = open(&trace);
    let error = timeline.divert(trace.draw - 1).err().unwrap();
    assert!(matches!(&error, DivertError::Draw(DrawError::NotADraw { name, .. }) if name == "glEnable"), "{error}");
}
