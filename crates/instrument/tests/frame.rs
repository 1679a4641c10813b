//! Frames around probes put in by hand, run on the emulator and on a driver.

#[path = "frame/emulated.rs"]
mod emulated;
#[path = "frame/probes.rs"]
mod probes;

use instrument::Transport;
use instrument::stream::Facts;
use shader::version::Stage;

use emulated::Picture;
use probes::{Probe, Subjects};

const MODERN: &str = "#version 430
struct Light { vec3 place; float power[2]; };
uniform float scale;
out vec4 colour;
float twice(float x) {
    if (x > 2.5) discard;
    return x * 2.0;
}
void main() {
    Light light;
    light.place = vec3(gl_FragCoord.xy, -0.0);
    light.power[0] = 1e-8;
    light.power[1] = float(0x1000001);
    int n = -5;
    bvec2 b = bvec2(true, false);
    mat2 m = mat2(1, 2, 3, 4);
    colour = vec4(twice(gl_FragCoord.x));
}
";

#[test]
fn a_storage_block_brings_everything_of_one_pixel() {
    let subjects = Subjects::new(Stage::Fragment, MODERN);
    let probes = [
        Probe { before: "colour =", site: 1, expression: "light" },
        Probe { before: "colour =", site: 2, expression: "n" },
        Probe { before: "colour =", site: 3, expression: "b" },
        Probe { before: "colour =", site: 4, expression: "m" },
    ];
    let framed = subjects.frame(Transport::Storage, &probes).expect("a frame");
    let text = framed.strings.concat();
    let answers = Picture::new(4, 4).storage(&subjects, &framed, [1, 2, -1, -1], 40);
    assert_eq!(answers.count, 1, "{text}");
    let mut expected = vec![1, 2, 0, 0, 2 + 6 + 2 + 3 + 5, Facts::RAN];
    let mut record = |site: u32, words: &[u32]| {
        expected.push(site);
        expected.extend_from_slice(words);
    };
    record(1, &[1.5f32, 2.5, -0.0, 1e-8, 16_777_217.0].map(f32::to_bits));
    record(2, &[(-5i32).cast_unsigned()]);
    record(3, &[1, 0]);
    record(4, &[1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits));
    assert_eq!(answers.regions[0][..expected.len()], expected, "{text}");
}
