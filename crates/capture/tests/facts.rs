//! What the driver reports about contexts, shaders and programs is in the trace, and the queries have no side effects.

#[path = "programs/harness.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod harness;

use api::constant as c;
use api::reflection::Reflection;
use api::reflection::answers::{self, Answer, AnswerValues};
use harness::{Recording, compile, program, record, record_with, run};
use ring::Settings;

const EGL: &[&str] = &["-l:libEGL.so.1", "-l:libGL.so.1"];

fn integers(answers: &[Answer], name: u32) -> &[i64] {
    match answers.iter().find(|answer| answer.0 == name) {
        Some((_, _, AnswerValues::Integers(values))) => values,
        other => panic!("{name:#x}: {other:?}"),
    }
}

fn reflections(recording: &Recording) -> Vec<Reflection> {
    recording.of("afiProgram").map(|call| Reflection::decode(&call.inputs[&2]).unwrap()).collect()
}

#[test]
fn driver_queries_are_invisible_to_the_program() {
    let path = compile("facts.c", EGL);
    let plain = run(&path);
    assert!(plain.status.success(), "{plain:?}");
    // The program saves and loads a binary.
    let recording = record_with(program(&path), Settings { keep_binaries: true, ..Settings::default() });
    assert_eq!(String::from_utf8_lossy(&recording.output.stdout), String::from_utf8_lossy(&plain.stdout));
    assert_eq!(recording.output, plain);

    let limits: Vec<_> = recording.of("afiLimits").map(|call| answers::decode(&call.inputs[&2]).unwrap()).collect();
    assert_eq!(limits.len(), 2);
    assert!(limits.iter().all(|limits| integers(limits, c::GL_MAX_TEXTURE_SIZE)[0] >= 2048));
    assert_eq!(integers(&limits[0], c::GL_MAX_LIGHTS)[0], 8);
    assert!(limits[1].iter().all(|answer| answer.0 != c::GL_MAX_LIGHTS), "OpenGL ES 2 has no lights");

    let shaders: Vec<_> = recording.of("afiShader").map(|call| answers::decode(&call.inputs[&2]).unwrap()).collect();
    assert_eq!(shaders.len(), recording.of("glCompileShader").count());
    let broken: Vec<_> = shaders.iter().filter(|shader| integers(shader, c::GL_COMPILE_STATUS)[0] == 0).collect();
    assert_eq!(broken.len(), 1);
    let log = broken[0].iter().find(|answer| answer.0 == c::GL_INFO_LOG_LENGTH && answer.1 == 1).unwrap();
    assert!(matches!(&log.2, AnswerValues::Text(text) if String::from_utf8_lossy(text).contains("error")), "{log:?}");

    let assembly: Vec<_> = recording.of("afiAssembly").map(|call| answers::decode(&call.inputs[&2]).unwrap()).collect();
    let position = |at: usize| integers(&assembly[at], c::GL_PROGRAM_ERROR_POSITION_ARB)[0];
    assert_eq!((assembly.len(), position(0)), (2, -1));
    assert!(position(1) >= 0);
    assert_eq!(integers(&assembly[0], c::GL_PROGRAM_INSTRUCTIONS_ARB).len(), 1);
}

#[test]
fn a_program_of_spir_v_is_described_without_names() {
    let path = compile("spirv.c", EGL);
    let plain = run(&path);
    assert_eq!(String::from_utf8_lossy(&plain.stdout), "linked 1, error 0\n", "{plain:?}");
    let recording = record(&path);
    assert_eq!(recording.output, plain);
    let programs = reflections(&recording);
    assert_eq!(programs.len(), 1);
    let uniforms = programs[0].interface(c::GL_UNIFORM).unwrap();
    assert_eq!(uniforms.resources.len(), 1);
    assert_eq!(uniforms.value(0, c::GL_TYPE), Some(c::GL_FLOAT_VEC4.cast_signed()));
    assert_eq!(programs[0].interface(c::GL_UNIFORM_BLOCK).unwrap().value(0, c::GL_BUFFER_DATA_SIZE), Some(16));
}

#[test]
fn a_program_is_described_in_full() {
    let recording = record(&compile("facts.c", EGL));
    let programs = reflections(&recording);
    let linked: Vec<_> = programs.iter().map(|program| program.parameter(c::GL_LINK_STATUS)).collect();
    // A plain one, one with a geometry shader, one that does not link, a compute one, a separable one; then validation.
    assert_eq!(linked[..6], [Some(1), Some(1), Some(0), Some(1), Some(1), None]);
    assert!(!programs[5].whole && programs[5].parameter(c::GL_VALIDATE_STATUS) == Some(1));
    assert!(programs[2].interfaces.is_empty() && !programs[2].log.is_empty());

    let uniforms = programs[0].interface(c::GL_UNIFORM).unwrap();
    let names: Vec<_> = uniforms.resources.iter().map(|uniform| String::from_utf8_lossy(&uniform.name)).collect();
    let find = |name: &str| names.iter().position(|known| known == name).unwrap_or_else(|| panic!("{name}: {names:?}"));
    let weights = find("weights[0]");
    assert_eq!(uniforms.value(weights, c::GL_ARRAY_SIZE), Some(3));
    let location = uniforms.value(weights, c::GL_LOCATION).unwrap();
    let value = |location: i32| {
        let found = programs[0].values.iter().find(|value| value.location == location);
        found.map(|value| value.bytes.clone()).unwrap_or_default()
    };
    assert_eq!(value(location + 1), 2.0_f32.to_le_bytes());
    assert_eq!(value(uniforms.value(find("which"), c::GL_LOCATION).unwrap()), [1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(value(uniforms.value(find("unused_unit"), c::GL_LOCATION).unwrap()), (-3_i32).to_le_bytes());
    assert_eq!(uniforms.value(find("Lamp.far"), c::GL_OFFSET), Some(16));
    assert_eq!(uniforms.value(find("Lamp.far"), c::GL_LOCATION), Some(-1));
    let lamp = &programs[0].interface(c::GL_UNIFORM_BLOCK).unwrap().resources[0];
    assert_eq!((&lamp.name[..], lamp.list.len()), (&b"Lamp"[..], 2));
    let attributes = programs[0].interface(c::GL_ACTIVE_ATTRIBUTES).unwrap();
    assert_eq!(attributes.resources.len(), 1);
    assert_eq!(attributes.resources[0].values[..2], [c::GL_FLOAT_VEC4 as i32, 1]);

    assert_eq!(programs[1].parameter(c::GL_GEOMETRY_VERTICES_OUT), Some(5));
    let size = programs[3].parameters.iter().find(|parameter| parameter.0 == c::GL_COMPUTE_WORK_GROUP_SIZE).unwrap();
    assert_eq!(size.1, [4, 2, 1]);
    let storage = programs[3].interface(c::GL_SHADER_STORAGE_BLOCK).unwrap();
    assert_eq!(storage.value(0, c::GL_BUFFER_BINDING), Some(3));
    let counters = programs[3].interface(c::GL_ATOMIC_COUNTER_BUFFER).unwrap();
    assert_eq!(counters.value(0, c::GL_BUFFER_BINDING), Some(1));

    let embedded = programs.last().unwrap();
    let uniforms = embedded.interface(c::GL_UNIFORM).unwrap();
    let tint = uniforms.resources.iter().position(|uniform| uniform.name == b"tint[0]").unwrap();
    assert_eq!(uniforms.value(tint, c::GL_ARRAY_SIZE), Some(2));
}
