//! Vertices that are given one by one, by their numbers: on the driver of this machine, with fixed functions.

use std::path::Path;

use driver::DeviceChoice;
use instrument::inspect::Ask;
use instrument::{ProgramInspector, Question, Scope, Transport, What};
use open_trace::OpenTrace;
use replay::Timeline;
use shader::version::Stage;
use testing::trace::{TraceBuilder, float};

const POINTS: u64 = 0;
const COMPILE: u64 = 0x1300;
const FILL: u64 = 0x1B02;
const MAP2_VERTEX_3: u64 = 0x0DB7;
const SOMEWHERE: u64 = 0x7F00_0000_9000;

/// Vertices of sixteen numbers that Mesa's buffer has no room for: it has half a million bytes.
const MANY: u16 = 20_000;

/// Adds vertices at 0, 1, 2 and so on. Returns the number of the last call.
fn row(trace: &mut TraceBuilder, count: u16) -> u64 {
    trace.call("glBegin", &[POINTS]);
    trace.call("glColor4f", &[float(1.0); 4]);
    trace.call("glNormal3f", &[float(1.0); 3]);
    trace.call("glTexCoord4f", &[float(1.0); 4]);
    for number in 0..count {
        trace.call("glVertex4f", &[f32::from(number), 0.5, 0.0, 1.0].map(float));
    }
    trace.call("glEnd", &[])
}

/// Compares where vertices of a draw are, as the device says, by each way out.
#[track_caller]
fn check(trace: &Path, draw: u64, places: &[(i32, [f32; 2])]) {
    let mut timeline = Timeline::open(OpenTrace::open(trace).unwrap(), &DeviceChoice::First, true).unwrap();
    let mut draw = timeline.divert(draw).unwrap();
    for &(number, place) in places {
        for transport in [Transport::Storage, Transport::PointGrid] {
            let ask = Ask { scope: Scope::One, pick: [number, -1, -1, -1], transport: Some(transport) };
            let result = draw.inspect(Stage::Vertex, &Question::Outputs, &ask).unwrap();
            let [(who, reading)] = &result.readings[..] else { panic!("vertex {number}: {result:?}") };
            let is = |what: &What| *what == What::Output("gl_Position".to_owned());
            let record =
                reading.records.iter().find(|record| is(&record.what)).unwrap_or_else(|| panic!("{reading:?}"));
            let value = &record.value.as_ref().unwrap().scalars;
            let found = [value[0], value[1]].map(|bits| f32::from_bits(bits as u32));
            assert_eq!((who[0], found), (number, place), "by {transport:?}");
        }
    }
}

fn numbers() -> Vec<(i32, [f32; 2])> {
    [0, 1, 12_345, MANY - 1].map(|number| (i32::from(number), [f32::from(number), 0.5])).to_vec()
}

#[test]
fn vertices_of_a_long_primitive_keep_their_numbers() {
    let mut trace = TraceBuilder::new(8);
    // What was drawn before has filled a part of the driver's buffer.
    row(&mut trace, 300);
    let draw = row(&mut trace, MANY);
    check(&trace.save("single-long"), draw, &numbers());
}

#[test]
fn vertices_of_display_lists_are_counted_from_the_first() {
    let mut trace = TraceBuilder::new(8);
    for list in [7, 8] {
        trace.call("glNewList", &[list, COMPILE]);
        row(&mut trace, MANY / 2);
        trace.call("glEndList", &[]);
    }
    trace.call("glNewList", &[9, COMPILE]);
    trace.call("glCallList", &[7]);
    trace.call("glCallList", &[8]);
    trace.call("glEndList", &[]);
    let draw = trace.call("glCallList", &[9]);
    let half = MANY / 2;
    let second = |number: u16| (i32::from(half + number), [f32::from(number), 0.5]);
    check(
        &trace.save("single-list"),
        draw,
        &[(3, [3.0, 0.5]), (i32::from(half - 1), [f32::from(half - 1), 0.5]), second(0), second(half - 1)],
    );
}

#[test]
fn vertices_of_a_rectangle_are_its_corners() {
    let mut trace = TraceBuilder::new(8);
    let draw = trace.call("glRectf", &[1.0, 2.0, 3.0, 4.0].map(float));
    check(&trace.save("single-rectangle"), draw, &[(0, [1.0, 2.0]), (1, [3.0, 2.0]), (2, [3.0, 4.0]), (3, [1.0, 4.0])]);
}

#[test]
fn vertices_of_an_evaluated_mesh_are_those_of_its_grid() {
    let mut trace = TraceBuilder::new(8);
    // Columns are u, rows are v.
    let points: Vec<u8> = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]
        .iter()
        .flatten()
        .flat_map(|number| number.to_ne_bytes())
        .collect();
    let args = [MAP2_VERTEX_3, 0, float(1.0), 3, 2, 0, float(1.0), 6, 2, SOMEWHERE];
    trace.reading("glMap2f", &args, &[(9, &points)]);
    trace.call("glEnable", &[MAP2_VERTEX_3]);
    trace.call("glMapGrid2f", &[4, 0, float(1.0), 2, 0, float(1.0)]);
    let draw = trace.call("glEvalMesh2", &[FILL, 0, 4, 0, 2]);
    // Two strips of ten vertices, from the lower row to the upper and to the right.
    check(
        &trace.save("single-mesh"),
        draw,
        &[(0, [0.0, 0.0]), (1, [0.0, 0.5]), (2, [0.25, 0.0]), (9, [1.0, 0.5]), (10, [0.0, 0.5]), (19, [1.0, 1.0])],
    );
}
