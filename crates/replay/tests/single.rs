//! Vertices that are given one by one, by their numbers: on the driver of this machine, with fixed functions.

use std::path::PathBuf;

use driver::DeviceChoice;
use instrument::inspect::Ask;
use instrument::{ProgramInspector, Question, Scope, Transport, What};
use open_trace::OpenTrace;
use replay::Timeline;
use shader::version::Stage;
use trace::{Content, Writer};

const POINTS: u64 = 0;
const COMPILE: u64 = 0x1300;
const FILL: u64 = 0x1B02;
const MAP2_VERTEX_3: u64 = 0x0DB7;
const SOMEWHERE: u64 = 0x7F00_0000_9000;

/// Vertices of sixteen numbers that Mesa's buffer has no room for: it has half a million bytes.
const MANY: u16 = 20_000;

/// A trace that is removed when the test is over.
struct Story {
    path: PathBuf,
    writer: Option<Writer>,
}

impl Drop for Story {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Story {
    fn new(name: &str) -> Story {
        let path = std::env::temp_dir().join(format!("afterimage-single-{name}-{}.aftr", std::process::id()));
        let mut story = Story { writer: Some(Writer::create(&path, api::COMMANDS).unwrap()), path };
        story.call("afiContext", &[1, 0, 0x7F00_0000_1000, 0x30A2, 3, 2, 2, 0]);
        story.call("afiSurface", &[1, 0x7F00_0000_2000, 0, 8, 8, 8, 8, 8, 8, 24, 8, 0, 1, 0]);
        story.call("afiCurrent", &[1, 1, 1]);
        story
    }

    fn call(&mut self, name: &str, args: &[u64]) -> u64 {
        self.with(name, args, &[])
    }

    fn with(&mut self, name: &str, args: &[u64], inputs: &[Content<'_>]) -> u64 {
        let id = api::find(name).unwrap_or_else(|| panic!("{name}"));
        let writer = self.writer.as_mut().unwrap();
        let number = writer.enter(0, id, false, args, inputs).unwrap();
        writer.leave(0, 0, &[], number + 1).unwrap();
        number
    }

    /// Vertices at 0, 1, 2 and so on; the number of the last call.
    fn row(&mut self, count: u16) -> u64 {
        self.call("glBegin", &[POINTS]);
        self.call("glColor4f", &[float(1.0); 4]);
        self.call("glNormal3f", &[float(1.0); 3]);
        self.call("glTexCoord4f", &[float(1.0); 4]);
        for number in 0..count {
            self.call("glVertex4f", &[f32::from(number), 0.5, 0.0, 1.0].map(float));
        }
        self.call("glEnd", &[])
    }

    /// Where vertices of a draw are, in the words of the device, by each way out.
    #[track_caller]
    fn check(mut self, draw: u64, places: &[(i32, [f32; 2])]) {
        self.writer.take().unwrap().finish().unwrap();
        let mut timeline =
            Timeline::open(OpenTrace::open(&self.path).unwrap(), worker::open_egl(&DeviceChoice::First), true).unwrap();
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
}

fn float(value: f32) -> u64 {
    u64::from(value.to_bits())
}

fn numbers() -> Vec<(i32, [f32; 2])> {
    [0, 1, 12_345, MANY - 1].map(|number| (i32::from(number), [f32::from(number), 0.5])).to_vec()
}

#[test]
fn vertices_of_a_long_primitive_keep_their_numbers() {
    let mut story = Story::new("long");
    // What was drawn before has filled a part of the driver's buffer.
    story.row(300);
    let draw = story.row(MANY);
    story.check(draw, &numbers());
}

#[test]
fn vertices_of_display_lists_are_counted_from_the_first() {
    let mut story = Story::new("list");
    for list in [7, 8] {
        story.call("glNewList", &[list, COMPILE]);
        story.row(MANY / 2);
        story.call("glEndList", &[]);
    }
    story.call("glNewList", &[9, COMPILE]);
    story.call("glCallList", &[7]);
    story.call("glCallList", &[8]);
    story.call("glEndList", &[]);
    let draw = story.call("glCallList", &[9]);
    let half = MANY / 2;
    let second = |number: u16| (i32::from(half + number), [f32::from(number), 0.5]);
    story.check(
        draw,
        &[(3, [3.0, 0.5]), (i32::from(half - 1), [f32::from(half - 1), 0.5]), second(0), second(half - 1)],
    );
}

#[test]
fn vertices_of_a_rectangle_are_its_corners() {
    let mut story = Story::new("rectangle");
    let draw = story.call("glRectf", &[1.0, 2.0, 3.0, 4.0].map(float));
    story.check(draw, &[(0, [1.0, 2.0]), (1, [3.0, 2.0]), (2, [3.0, 4.0]), (3, [1.0, 4.0])]);
}

#[test]
fn vertices_of_an_evaluated_mesh_are_those_of_its_grid() {
    let mut story = Story::new("mesh");
    // Columns are u, rows are v.
    let points: Vec<u8> = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]
        .iter()
        .flatten()
        .flat_map(|number| number.to_ne_bytes())
        .collect();
    let points = Content { param: 9, bytes: &points, digest_only: false };
    story.with("glMap2f", &[MAP2_VERTEX_3, 0, float(1.0), 3, 2, 0, float(1.0), 6, 2, SOMEWHERE], &[points]);
    story.call("glEnable", &[MAP2_VERTEX_3]);
    story.call("glMapGrid2f", &[4, 0, float(1.0), 2, 0, float(1.0)]);
    let draw = story.call("glEvalMesh2", &[FILL, 0, 4, 0, 2]);
    // Two strips of ten vertices, from the lower row to the upper and to the right.
    story.check(
        draw,
        &[(0, [0.0, 0.0]), (1, [0.0, 0.5]), (2, [0.25, 0.0]), (9, [1.0, 0.5]), (10, [0.0, 0.5]), (19, [1.0, 1.0])],
    );
}
