//! Frames around hand-written probes, run on the emulator and on a driver.

#[path = "frame/driven.rs"]
mod driven;
#[path = "frame/emulated.rs"]
mod emulated;
#[path = "frame/probes.rs"]
mod probes;

use instrument::stream::Facts;
use instrument::{CompilerWorkarounds, Framed, Refusal, Transport};
use shader::version::Stage;

use driven::Driver;
use emulated::Picture;
use probes::{Probe, Subjects};

/// Every language version, as in `#version`.
const VERSIONS: [&str; 17] = [
    "110",
    "120",
    "130",
    "140",
    "150 compatibility",
    "330",
    "400",
    "410",
    "420",
    "430",
    "440",
    "450",
    "460",
    "100",
    "300 es",
    "310 es",
    "320 es",
];

const TRANSPORTS: [Transport; 6] = [
    Transport::Storage,
    Transport::IntegerTargets(1),
    Transport::IntegerTargets(3),
    Transport::FloatTargets(1),
    Transport::FloatTargets(4),
    Transport::Bytes,
];

/// A fragment shader with values of many types; some fragments are discarded.
const FRAGMENT: &str = "
struct Light { vec3 place; float power[2]; };
OUT
float twice(float x) {
    if (x > 2.5) discard;
    return x * 2.0;
}
void main() {
    Light light;
    light.place = vec3(gl_FragCoord.xy, -0.0);
    light.power[0] = 1e-8;
    light.power[1] = 3.0e38 * step(0.0, light.place.x);
    int n = -5;
    int big = 16777217;
    bvec2 b = bvec2(true, false);
    mat2 m = mat2(1.0, -2.0, 1e-30, 0.1);
    float sum = 0.0;
    for (int i = 0; i < 3; i++) sum += twice(gl_FragCoord.x);
    COLOUR = vec4(sum);
}
";

/// The shader in a language version.
fn fragment(version: &str, builtin: bool) -> String {
    let es = version == "100" || version.ends_with("es");
    let precision = if es { "precision highp float; precision highp int;" } else { "" };
    let number: u32 = version[..3].parse().unwrap_or(0);
    let old = builtin || number < 130;
    let (out, colour) = if old { ("", "gl_FragColor") } else { ("out vec4 colour;", "colour") };
    let text = FRAGMENT.replace("OUT", out).replace("COLOUR", colour);
    format!("#version {version}\n{precision}{text}")
}

fn probes() -> [Probe; 6] {
    let before = |before, site, expression| Probe { before, site, expression };
    [
        before("float sum", 1, "light"),
        before("float sum", 2, "n"),
        before("float sum", 3, "big"),
        before("float sum", 4, "b"),
        before("float sum", 5, "m"),
        before("ASSIGN", 6, "sum"),
    ]
}

/// The expected stream of a surviving or a discarded pixel.
fn expected(x: f32, y: f32, discarded: bool) -> Vec<u32> {
    let mut words = vec![0, Facts::RAN | if discarded { Facts::DISCARDED } else { 0 }];
    let mut record = |site: u32, values: &[u32]| {
        words.push(site);
        words.extend_from_slice(values);
    };
    record(1, &[x, y, -0.0, 1e-8, 3.0e38].map(f32::to_bits));
    record(2, &[(-5i32).cast_unsigned()]);
    record(3, &[16_777_217]);
    record(4, &[1, 0]);
    record(5, &[1.0, -2.0, 1e-30, 0.1].map(f32::to_bits));
    if !discarded {
        record(6, &[(6.0 * x).to_bits()]);
    }
    words[0] = words.len() as u32;
    words
}

/// Runs a variant window by window.
fn gather(transport: Transport, mut run: impl FnMut(u32) -> Vec<u32>) -> Vec<u32> {
    let window = transport.window().expect("a window");
    let mut stream = run(0);
    while (stream.len() as u32) < stream[0] {
        stream.extend(run(stream.len() as u32));
    }
    assert_eq!(stream.len() as u32 % window, 0);
    assert!(stream[stream[0] as usize..].iter().all(|&word| word == 0));
    stream.truncate(stream[0] as usize);
    stream
}

fn emulated(subjects: &Subjects, framed: &Framed, transport: Transport, pixel: [i32; 2]) -> Vec<u32> {
    let pick = [pixel[0], pixel[1], -1, -1];
    let picture = Picture::new(4, 4);
    if transport == Transport::Storage {
        let answers = picture.storage(subjects, framed, pick, 40);
        assert_eq!(answers.count, 1, "{}", framed.strings.concat());
        assert_eq!(answers.regions[0][..2], pixel.map(i32::cast_unsigned));
        let length = answers.regions[0][4] as usize;
        return answers.regions[0][4..4 + length].to_vec();
    }
    gather(transport, |base| picture.window(subjects, framed, transport, (pick, base)))
}

#[track_caller]
fn check(version: &str, builtin: bool, driver: Option<&Driver>) -> usize {
    check_style(version, builtin, driver, CompilerWorkarounds::default())
}

#[track_caller]
fn check_style(version: &str, builtin: bool, driver: Option<&Driver>, style: CompilerWorkarounds) -> usize {
    let mut subjects = Subjects::new(Stage::Fragment, &fragment(version, builtin));
    if let Some(driver) = driver {
        subjects.device = driver.device();
    }
    subjects.device.style = style;
    let mut probes = probes();
    let number: u32 = version[..3].parse().unwrap_or(0);
    probes[5].before = if builtin || number < 130 { "gl_FragColor" } else { "colour" };
    let mut done = 0;
    for transport in TRANSPORTS {
        let framed = match subjects.frame(transport, &probes) {
            Ok(framed) => framed,
            Err(Refusal::Impossible(why)) => {
                let old = number < 130;
                let integer = old && matches!(transport, Transport::IntegerTargets(_));
                let storage = transport == Transport::Storage && matches!(version, "100" | "300 es");
                let storage = storage || style.branchless && transport == Transport::Storage;
                assert!(integer || storage, "{version} {transport:?}: {why}");
                continue;
            }
            Err(other) => panic!("{version} {transport:?}: {other}"),
        };
        let text = framed.strings.concat();
        if style.branchless {
            let added = text.split("struct Light").next().unwrap_or_default();
            assert!(!added.contains("if (") && !added.contains("for ("), "{added}");
        }
        for (pixel, discarded) in [([1, 2], false), ([3, 0], true)] {
            let [x, y] = pixel.map(|n| n as f32 + 0.5);
            let stream = match driver {
                None => emulated(&subjects, &framed, transport, pixel),
                Some(driver) if transport == Transport::Storage => {
                    driver.compile(&framed);
                    continue;
                }
                // Compiling for each of many words would take long and show nothing new.
                Some(_) if discarded && transport.window() < Some(4) => continue,
                Some(driver) => gather(transport, |base| driver.window(&framed, transport, pixel, base)),
            };
            assert_eq!(stream, expected(x, y, discarded), "{version} {transport:?}\n{text}");
        }
        done += 1;
    }
    done
}

#[test]
fn every_version_answers_the_same_through_memory() {
    for version in VERSIONS {
        let subjects = Subjects::new(Stage::Fragment, &fragment(version, false));
        let mut probes = probes();
        probes[5].before = if version[..3].parse().unwrap_or(0) < 130 { "gl_FragColor" } else { "colour" };
        for window in [2, 5, 64] {
            let transport = Transport::Memory(window);
            let framed = subjects.frame(transport, &probes).unwrap_or_else(|why| panic!("{version}: {why}"));
            for (pixel, discarded) in [([1, 2], false), ([3, 0], true)] {
                let [x, y] = pixel.map(|n| n as f32 + 0.5);
                let stream = gather(transport, |base| emulated::memory(&subjects, &framed, (window, base), [x, y]));
                assert_eq!(stream, expected(x, y, discarded), "{version} {window}\n{}", framed.strings.concat());
            }
        }
    }
}

#[test]
fn every_version_and_transport_answers_the_same_on_the_emulator() {
    let done: usize = VERSIONS.iter().map(|version| check(version, false, None)).sum();
    assert_eq!(done, 94);
    let done: usize = ["130", "150 compatibility", "460 compatibility"].map(|v| check(v, true, None)).iter().sum();
    assert_eq!(done, 18);
}

#[test]
fn every_version_and_transport_answers_the_same_on_a_driver() {
    for (desktop, versions) in [(true, &VERSIONS[..13]), (false, &VERSIONS[13..])] {
        let driver = Driver::new(desktop);
        let newest = driver.newest();
        // Newer versions than the tests need are checked where the driver has them.
        let offered = |version: &&&str| version[..3].parse::<u16>().is_ok_and(|number| number <= newest);
        for version in versions.iter().filter(offered) {
            assert!(check(version, false, Some(&driver)) >= 3, "{version}");
        }
    }
}

#[test]
fn probes_without_branches_answer_the_same() {
    let style = CompilerWorkarounds { branchless: true, ..CompilerWorkarounds::default() };
    let versions = ["110", "120", "330", "460", "100", "300 es"];
    let done = versions.map(|version| check_style(version, false, None, style));
    assert_eq!(done, [3, 3, 5, 5, 3, 5]);
    for (desktop, versions) in [(true, ["120", "330"]), (false, ["100", "300 es"])] {
        let driver = Driver::new(desktop);
        let done = versions.map(|version| check_style(version, false, Some(&driver), style));
        assert_eq!(done, [3, 5]);
    }
}

#[test]
fn probes_with_state_in_parameters_answer_the_same() {
    for branchless in [false, true] {
        let style = CompilerWorkarounds { branchless, parameters: true, ..CompilerWorkarounds::default() };
        let versions = ["110", "120", "330", "460", "100", "300 es"];
        let done = versions.map(|version| check_style(version, false, None, style));
        assert_eq!(done, if branchless { [3, 3, 5, 5, 3, 5] } else { [4, 4, 6, 6, 3, 5] });
        for (desktop, versions) in [(true, ["120", "330"]), (false, ["100", "300 es"])] {
            let driver = Driver::new(desktop);
            let done = versions.map(|version| check_style(version, false, Some(&driver), style));
            assert!(done[0] >= 3 && done[1] >= 5, "{done:?}");
        }
    }
}

/// Numbers of all kinds, as bits.
fn numbers() -> Vec<u32> {
    let mut bits: Vec<u32> = [0.0f32, -0.0, 1.0, -1.0, 0.1, -1e-30, 3.402_823_5e38, 1.175_494_4e-38, f32::INFINITY]
        .map(f32::to_bits)
        .to_vec();
    bits.extend([f32::NEG_INFINITY.to_bits(), f32::NAN.to_bits()]);
    // Powers of two, and their neighbours.
    bits.extend((1..255).step_by(9).flat_map(|exponent| [exponent << 23, (exponent << 23) - 1, (exponent << 23) + 1]));
    let mut random = testing::random::Random::new(7);
    bits.extend((0..60).map(|_| random.word()));
    // Denormals are not supported everywhere.
    bits.retain(|&word| word & 0x7f80_0000 != 0 || word << 1 == 0);
    bits
}

#[test]
fn bits_of_floats_are_exact_without_bit_casts() {
    let bits = numbers();
    let one = |word: u32| if f32::from_bits(word).is_nan() { f32::NAN.to_bits() } else { word };
    let expected: Vec<u32> = bits.iter().copied().map(one).collect();
    for (version, desktop) in [("110", true), ("120", true), ("130", true), ("100", false)] {
        let precision = if desktop { "" } else { "precision highp float;" };
        let text =
            format!("#version {version}\n{precision} uniform float f; void main() {{ gl_FragColor = vec4(f); }}");
        let mut subjects = Subjects::new(Stage::Fragment, &text);
        subjects.device.extensions = instrument::Extensions::default();
        let probe = Probe { before: "gl_FragColor", site: 1, expression: "f" };
        let framed = subjects.frame(Transport::Bytes, &[probe]).expect("a frame");
        assert!(!framed.strings.concat().contains("BitsTo"));
        let ours: Vec<u32> = bits.iter().map(|&word| Picture::new(1, 1).value(&subjects, &framed, word)).collect();
        assert_eq!(ours, expected, "{version}");
        assert_eq!(Driver::new(desktop).values(&framed, &bits), expected, "{version}");
    }
}

#[test]
fn macros_that_would_change_the_code_are_rejected() {
    let text = "#version 330\n#define x y\nout vec4 c; void main() { float v = 1.0; c = vec4(v); }";
    let subjects = Subjects::new(Stage::Fragment, text);
    let probe = Probe { before: "c =", site: 1, expression: "v" };
    let refused = subjects.frame(Transport::IntegerTargets(1), &[probe]).err().expect("a refusal");
    assert!(refused.to_string().contains("macro `x`"), "{refused}");
}

#[test]
fn macros_may_name_main() {
    let text = "#version 330\n#define START void main()\nout vec4 c; START { float v = 1.0; c = vec4(v); }";
    let subjects = Subjects::new(Stage::Fragment, text);
    let probe = Probe { before: "c =", site: 1, expression: "v" };
    let framed = subjects.frame(Transport::IntegerTargets(1), &[probe]).expect("a frame");
    let stream = emulated(&subjects, &framed, Transport::IntegerTargets(1), [1, 1]);
    assert_eq!(stream, [4, 1, 1, 1.0f32.to_bits()]);
}
