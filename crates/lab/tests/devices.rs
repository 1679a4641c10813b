//! A hand-written variant on the driver and on the emulator: the same answer comes back through every transport.

use driver::{Api, Channel, Output, Shape, Uniform};
use instrument::inspect::{InspectContext, InspectError, Raw, Run};
use instrument::{Controls, Layout, Scope, Transport, Variant};
use lab::surround::{CORNER, VertexShader};
use lab::{OnDriver, OnEmulator, Scenario, quad};
use shader::types::TypeTable;
use shader::version::{Profile, Stage, Version};

const COMPATIBILITY: Version = Version { number: 430, profile: Profile::Compatibility };

fn scenario(api: Api, version: Version) -> Scenario {
    let (corner, work) = quad(CORNER);
    Scenario {
        api,
        shaders: vec![(Stage::Vertex, vec![VertexShader::new(version).text()])],
        uniforms: vec![Uniform {
            name: "tint".to_owned(),
            channel: Channel::Float,
            shape: Shape { columns: 1, rows: 2 },
            words: [0.1f32, -0.0].map(f32::to_bits).to_vec(),
        }],
        images: Vec::new(),
        attributes: vec![corner],
        work,
        size: [8, 8],
        outputs: vec![Output { name: "colour".to_owned(), channel: Channel::Float }],
        buffer_words: 16,
    }
}

fn variant(text: &str, transport: Transport) -> Variant {
    let controls = Controls {
        on: "on".to_owned(),
        pick: "pick".to_owned(),
        base: "base".to_owned(),
        block: "Answers".to_owned(),
        regions: "regions".to_owned(),
        binding: None,
        late: false,
        upper_left: false,
        vertex: None,
        grid: "grid".to_owned(),
        outputs: vec!["answer".to_owned()],
    };
    let layout = Layout { sites: Vec::new(), types: TypeTable::default(), moment: None, slots: None };
    Variant { strings: vec![text.to_owned()], fragment: None, transport, layout, controls }
}

const RUN: Run = Run { on: true, pick: [5, 2, -1, -1], base: 0, room: [8, 4] };

/// The answers of both devices.
#[track_caller]
fn both(scenario: &Scenario, variant: &Variant, scope: Scope) -> Vec<Result<Raw, InspectError>> {
    let mut device = testing::driver::found(OnDriver::new(scenario.clone()));
    let emulated = OnEmulator::new(scenario.clone()).run(variant, Stage::Fragment, scope, RUN);
    vec![emulated, device.run(variant, Stage::Fragment, scope, RUN)]
}

#[test]
fn reads_a_storage_block() {
    let text = "#version 430 compatibility
        uniform vec2 tint; uniform int on; uniform ivec4 pick;
        layout(std430) buffer Answers { uint count; uint room; uint sum; uint carry; uint words[]; };
        out vec4 colour;
        void main() {
            colour = vec4(tint, 0, 1);
            if (on != 0 && ivec2(gl_FragCoord.xy) == pick.xy) {
                uint at = atomicAdd(count, 1u) * room;
                words[at] = uint(gl_FragCoord.x);
                words[at + 1u] = uint(gl_FragCoord.y);
                words[at + 4u] = floatBitsToUint(tint.x);
                words[at + 5u] = floatBitsToUint(tint.y);
            }
        }";
    let scenario = scenario(Api::DesktopCompatibility, COMPATIBILITY);
    for answer in both(&scenario, &variant(text, Transport::Storage), Scope::One) {
        let Ok(Raw::Block(words)) = answer else { panic!("{answer:?}") };
        assert_eq!(words.len(), 4 + 8 * 4);
        assert_eq!(words[..4], [1, 8, 0, 0]);
        assert_eq!(words[4..12], [5, 2, 0, 0, 0.1f32.to_bits(), (-0.0f32).to_bits(), 0, 0]);
        assert_eq!(words[12..], [0; 24]);
    }
}

#[test]
fn reads_integers_from_targets() {
    let text = "#version 430 compatibility
        uniform vec2 tint; uniform int base;
        out uvec4 answer;
        void main() {
            answer = uvec4(floatBitsToUint(tint), uvec2(gl_FragCoord.xy));
        }";
    let scenario = scenario(Api::DesktopCompatibility, COMPATIBILITY);
    let pixel = |x, y| [0.1f32.to_bits(), (-0.0f32).to_bits(), x, y];
    for answer in both(&scenario, &variant(text, Transport::IntegerTargets(1)), Scope::One) {
        let words = [pixel(4, 2), pixel(5, 2), pixel(4, 3), pixel(5, 3)].concat();
        assert_eq!(answer, Ok(Raw::Grid { rectangle: [4, 2, 2, 2], words }));
    }
    for answer in both(&scenario, &variant(text, Transport::IntegerTargets(1)), Scope::All) {
        let Ok(Raw::Grid { rectangle: [0, 0, 8, 8], words }) = answer else { panic!("{answer:?}") };
        assert_eq!(words.len(), 64 * 4);
        assert_eq!(words[63 * 4..], pixel(7, 7));
    }
}

#[test]
fn reads_bytes_in_es_2() {
    let text = "precision highp float;
        void main() {
            gl_FragColor = vec4(floor(gl_FragCoord.x), floor(gl_FragCoord.y), 128.0, 255.0) / 255.0;
        }";
    let scenario = scenario(Api::Es, Version { number: 100, profile: Profile::Es });
    let mut variant = variant(text, Transport::Bytes);
    variant.controls.outputs = vec!["gl_FragColor".to_owned()];
    for answer in both(&scenario, &variant, Scope::One) {
        let words = [(4, 2), (5, 2), (4, 3), (5, 3)].map(|(x, y)| 0xff80_0000 | y << 8 | x).to_vec();
        assert_eq!(answer, Ok(Raw::Grid { rectangle: [4, 2, 2, 2], words }));
    }
}

#[test]
fn a_rejected_variant_returns_the_log() {
    let scenario = scenario(Api::DesktopCompatibility, COMPATIBILITY);
    for answer in both(&scenario, &variant("#version 430\nvoid main() { nonsense(); }", Transport::Storage), Scope::One)
    {
        let Err(InspectError::Rejected { log, source_text }) = answer else { panic!("{answer:?}") };
        assert!(log.contains("nonsense") && source_text.contains("nonsense"), "{log}");
    }
}
