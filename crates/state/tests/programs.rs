//! Shaders, programs, uniforms and pipelines: calls in, queries out.

#[path = "programs/lab.rs"]
mod lab;

use api::{constant as c, id};
use lab::{Lab, reflection, uniform};
use state::reach::{Use, WorkKind, has_side_effects, reach};

/// Creates a program with a few uniforms that is linked and current; its name is 3.
fn linked() -> Lab {
    let mut lab = Lab::new();
    lab.returns(id::glCreateShader, &[c::GL_VERTEX_SHADER.into()], 1);
    lab.returns(id::glCreateShader, &[c::GL_FRAGMENT_SHADER.into()], 2);
    lab.returns(id::glCreateProgram, &[], 3);
    lab.call(id::glAttachShader, &[3, 1]);
    lab.call(id::glAttachShader, &[3, 2]);
    lab.call(id::glLinkProgram, &[3]);
    lab.told(3, &reflection());
    lab.call(id::glUseProgram, &[3]);
    assert_eq!(lab.error(), 0);
    lab
}

fn float(number: f32) -> u64 {
    u64::from(number.to_bits())
}

#[test]
fn shader_queries_are_answered() {
    let mut lab = Lab::new();
    lab.returns(id::glCreateShader, &[c::GL_VERTEX_SHADER.into()], 1);
    lab.given(id::glShaderSource, &[1, 2, 1, 0], 2, b"\x03\0\0\0abc\x02\0\0\0de");
    assert_eq!(lab.numbers(id::glGetShaderiv, &[1, c::GL_SHADER_SOURCE_LENGTH.into()]), [6.0]);
    assert_eq!(lab.numbers(id::glGetShaderiv, &[1, c::GL_COMPILE_STATUS.into()]), [0.0]);
    assert_eq!(lab.text(id::glGetShaderSource, &[1, 100], 3), "abcde");
    assert_eq!(lab.text(id::glGetShaderSource, &[1, 3], 3), "ab");
    lab.call(id::glCompileShader, &[1]);
    assert!(lab.is_unknown(id::glGetShaderiv, &[1, c::GL_COMPILE_STATUS.into()]), "the result is not recorded");
    lab.refused(id::glCreateShader, &[0x1234], c::GL_INVALID_ENUM);
    lab.refused(id::glCompileShader, &[9], c::GL_INVALID_VALUE);
    lab.refused(id::glUseProgram, &[1], c::GL_INVALID_OPERATION);
}

#[test]
fn deleted_objects_exist_while_they_are_used() {
    let mut lab = linked();
    lab.call(id::glDeleteShader, &[1]);
    assert_eq!(lab.numbers(id::glIsShader, &[1]), [1.0]);
    assert_eq!(lab.numbers(id::glGetShaderiv, &[1, c::GL_DELETE_STATUS.into()]), [1.0]);
    lab.call(id::glDeleteProgram, &[3]);
    assert_eq!(lab.numbers(id::glIsProgram, &[3]), [1.0]);
    assert_eq!(lab.numbers(id::glGetIntegerv, &[c::GL_CURRENT_PROGRAM.into()]), [3.0]);
    lab.call(id::glUseProgram, &[0]);
    assert_eq!(lab.numbers(id::glIsProgram, &[3]), [0.0]);
    assert_eq!(lab.numbers(id::glIsShader, &[1]), [0.0], "it is deleted with the program");
    assert_eq!(lab.numbers(id::glIsShader, &[2]), [1.0]);
}

#[test]
fn uniforms_have_the_values_that_were_set_last() {
    let mut lab = linked();
    assert_eq!(lab.numbers(id::glGetUniformfv, &[3, 0]), [1.0, 0.0, 0.0, 0.0], "the driver's initial value");
    lab.call(id::glUniform4f, &[0, float(1.0), float(2.0), float(-3.5), float(4.0)]);
    assert_eq!(lab.numbers(id::glGetUniformfv, &[3, 0]), [1.0, 2.0, -3.5, 4.0]);
    assert_eq!(lab.numbers(id::glGetUniformiv, &[3, 0]), [1.0, 2.0, -4.0, 4.0]);
    assert_eq!(lab.numbers(id::glGetUniformuiv, &[3, 0]), [1.0, 2.0, 0.0, 4.0]);
    // Sets two of three elements of an array of bools, from the second on; more values are given than fit.
    let ints: Vec<u8> = [5_i32, 0, 7].iter().flat_map(|int| int.to_le_bytes()).collect();
    lab.given(id::glUniform1iv, &[2, 3, 1], 2, &ints);
    assert_eq!(lab.numbers(id::glGetUniformiv, &[3, 1]), [0.0]);
    assert_eq!(lab.numbers(id::glGetUniformiv, &[3, 2]), [1.0]);
    assert_eq!(lab.numbers(id::glGetUniformiv, &[3, 3]), [0.0]);
    let floats: Vec<u8> = (0..6_i16).flat_map(|number| f32::from(number).to_le_bytes()).collect();
    lab.given(id::glUniformMatrix2x3fv, &[4, 1, 1, 1], 3, &floats);
    assert_eq!(lab.numbers(id::glGetUniformfv, &[3, 4]), [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    assert_eq!(lab.error(), 0);
}

#[test]
fn incompatible_uniform_values_are_rejected() {
    let mut lab = linked();
    lab.call(id::glUniform1f, &[u64::MAX, 0]);
    assert_eq!(lab.error(), 0, "location -1 accepts everything");
    lab.refused(id::glUniform1f, &[0, 0], c::GL_INVALID_OPERATION);
    lab.refused(id::glUniform4i, &[0, 0, 0, 0, 0], c::GL_INVALID_OPERATION);
    lab.refused(id::glUniform1f, &[100, 0], c::GL_INVALID_OPERATION);
    lab.refused(id::glUniform4fv, &[0, 2, 1], c::GL_INVALID_OPERATION);
    lab.refused(id::glUniform4fv, &[0, u64::from(u32::MAX), 1], c::GL_INVALID_VALUE);
    lab.refused(id::glUniform1i, &[5, 100], c::GL_INVALID_VALUE);
    lab.refused(id::glUniform1f, &[5, 0], c::GL_INVALID_OPERATION);
    lab.refused(id::glProgramUniform1f, &[77, 0, 0], c::GL_INVALID_VALUE);
    lab.refused(id::glProgramUniform1f, &[1, 0, 0], c::GL_INVALID_OPERATION);
    lab.call(id::glUseProgram, &[0]);
    lab.refused(id::glUniform1f, &[0, 0], c::GL_INVALID_OPERATION);
    lab.refused(id::glGetUniformfv, &[3, 100], c::GL_INVALID_OPERATION);
}

#[test]
fn names_have_locations() {
    let lab = linked();
    let locate = |name: &str| lab.numbers_of(id::glGetUniformLocation, &[3, 1], 1, name.as_bytes());
    assert_eq!(locate("colour"), [0.0]);
    assert_eq!(locate("flags"), [1.0]);
    assert_eq!(locate("flags[0]\0"), [1.0]);
    assert_eq!(locate("flags[2]"), [3.0]);
    for wrong in ["flags[3]", "flags[02]", "flags[]", "flags[-1]", "colour[0]", "nothing"] {
        assert_eq!(locate(wrong), [-1.0], "{wrong}");
    }
    let index =
        |name: &str| lab.numbers_of(id::glGetProgramResourceIndex, &[3, c::GL_UNIFORM.into(), 1], 2, name.as_bytes());
    assert_eq!(index("flags"), [1.0]);
    assert_eq!(index("flags[1]"), [f64::from(c::GL_INVALID_INDEX)]);
}

#[test]
fn the_resources_of_a_program_are_reported() {
    let mut lab = linked();
    lab.call(id::glUniform1i, &[5, 6]);
    lab.call(id::glUniformBlockBinding, &[3, 0, 9]);
    let (context, group) = lab.parts();
    let mut used = Vec::new();
    reach(context, group, WorkKind::Draw, &mut |one| used.push(one));
    used.sort();
    let program = used.remove(0);
    assert!(matches!(program, Use::Program { .. }));
    let expected = [
        Use::Texture { unit: 6, target: c::GL_TEXTURE_2D },
        Use::UniformBuffer { binding: 9 },
        Use::StorageBuffer { binding: 2 },
    ];
    assert_eq!(used, expected);
    assert!(has_side_effects(context, group, WorkKind::Draw));
    assert!(!has_side_effects(context, group, WorkKind::Dispatch), "the program has no compute shader");
}

#[test]
fn pipelines_take_stages_from_programs() {
    let mut lab = linked();
    lab.call(id::glUseProgram, &[0]);
    lab.made(id::glGenProgramPipelines, &[1, 1], 1, &[7]);
    assert_eq!(lab.numbers(id::glIsProgramPipeline, &[7]), [0.0]);
    lab.refused(id::glUseProgramStages, &[7, c::GL_VERTEX_SHADER_BIT.into(), 3], c::GL_INVALID_OPERATION);
    lab.call(id::glProgramParameteri, &[3, c::GL_PROGRAM_SEPARABLE.into(), 1]);
    lab.call(id::glUseProgramStages, &[7, c::GL_ALL_SHADER_BITS.into(), 3]);
    let stage = |lab: &Lab, kind: u32| lab.numbers(id::glGetProgramPipelineiv, &[7, kind.into()]);
    assert_eq!(stage(&lab, c::GL_VERTEX_SHADER), [3.0]);
    assert_eq!(stage(&lab, c::GL_GEOMETRY_SHADER), [0.0], "the program has no such stage");
    lab.refused(id::glUniform1i, &[5, 1], c::GL_INVALID_OPERATION);
    lab.call(id::glBindProgramPipeline, &[7]);
    lab.call(id::glActiveShaderProgram, &[7, 3]);
    lab.call(id::glUniform1i, &[5, 1]);
    assert_eq!(lab.numbers(id::glGetUniformiv, &[3, 5]), [1.0]);
    assert_eq!(lab.numbers(id::glGetIntegerv, &[c::GL_PROGRAM_PIPELINE_BINDING.into()]), [7.0]);
    lab.refused(id::glBindProgramPipeline, &[8], c::GL_INVALID_OPERATION);
    lab.call(id::glDeleteProgram, &[3]);
    assert_eq!(lab.numbers(id::glIsProgram, &[3]), [1.0]);
    lab.given(id::glDeleteProgramPipelines, &[1, 1], 1, &7_u32.to_le_bytes());
    assert_eq!(lab.numbers(id::glIsProgram, &[3]), [0.0]);
    assert_eq!(lab.error(), 0);
}

#[test]
fn relinking_resets_a_program() {
    let mut lab = linked();
    lab.call(id::glUniform4f, &[0, float(9.0), 0, 0, 0]);
    lab.call(id::glLinkProgram, &[3]);
    assert!(lab.is_unknown(id::glGetProgramiv, &[3, c::GL_LINK_STATUS.into()]));
    let mut failed = reflection();
    failed.parameters = vec![(c::GL_LINK_STATUS, vec![0])];
    failed.interfaces.clear();
    lab.told(3, &failed);
    lab.refused(id::glUniform4f, &[0, 0, 0, 0, 0], c::GL_INVALID_OPERATION);
    lab.refused(id::glUseProgram, &[3], c::GL_INVALID_OPERATION);
    let (context, group) = lab.parts();
    assert!(has_side_effects(context, group, WorkKind::Draw), "the previous executable stays current");
    let mut other = reflection();
    other.interfaces[0].resources = vec![uniform("colour", c::GL_FLOAT_VEC4, 1, 0)];
    lab.told(3, &other);
    assert_eq!(lab.numbers(id::glGetUniformfv, &[3, 0]), [1.0, 0.0, 0.0, 0.0]);
    lab.refused(id::glUniform1i, &[5, 1], c::GL_INVALID_OPERATION);
}

#[test]
fn a_uniform_may_be_where_an_array_would_go_on() {
    let mut lab = linked();
    let mut chosen = reflection();
    let (array, one) = (uniform("scales[0]", c::GL_FLOAT_VEC4, 2, 3), uniform("limit", c::GL_FLOAT, 1, 4));
    for resources in [vec![array.clone(), one.clone()], vec![one, array]] {
        chosen.interfaces[0].resources = resources;
        lab.told(3, &chosen);
        lab.call(id::glUniform1f, &[4, float(7.0)]);
        assert_eq!(lab.error(), 0);
        assert_eq!(lab.numbers(id::glGetUniformfv, &[3, 4]), [7.0]);
    }
}

#[test]
fn labels_are_deleted_with_their_objects() {
    let mut lab = linked();
    let program = u64::from(c::GL_PROGRAM);
    let all_ones = u64::from(u32::MAX);
    lab.given(id::glObjectLabel, &[program, 3, all_ones, 1], 3, b"sky\0");
    assert_eq!(lab.error(), 0);
    assert_eq!(lab.text(id::glGetObjectLabel, &[program, 3, 100, 1, 1], 4), "sky");
    assert_eq!(lab.text(id::glGetObjectLabel, &[program, 3, 3, 1, 1], 4), "sk");
    lab.given(id::glObjectLabel, &[program, 3, 256, 1], 3, &[b'a'; 256]);
    assert_eq!(lab.error(), c::GL_INVALID_VALUE, "the label is too long");
    lab.refused(id::glObjectLabel, &[program, 1, all_ones, 0], c::GL_INVALID_VALUE);
    lab.refused(id::glObjectLabel, &[c::GL_ARRAY_BUFFER.into(), 3, all_ones, 0], c::GL_INVALID_ENUM);
    lab.call(id::glObjectLabel, &[program, 3, all_ones, 0]);
    assert_eq!(lab.text(id::glGetObjectLabel, &[program, 3, 100, 1, 1], 4), "");
}

#[test]
fn named_strings_are_stored_by_path() {
    let mut lab = Lab::new();
    let all_ones = u64::from(u32::MAX);
    lab.given(id::glDeleteNamedStringARB, &[all_ones, 1], 1, b"/a/b\0");
    assert_eq!(lab.error(), c::GL_INVALID_OPERATION);
    lab.given(id::glNamedStringARB, &[c::GL_SHADER_INCLUDE_ARB.into(), all_ones, 1, all_ones, 1], 2, b"/a//b\0");
    assert_eq!(lab.error(), c::GL_INVALID_VALUE);
    lab.given(id::glNamedStringARB, &[c::GL_SHADER_INCLUDE_ARB.into(), all_ones, 1, all_ones, 1], 2, b"/a/b\0");
    assert_eq!(lab.error(), 0);
    lab.given(id::glDeleteNamedStringARB, &[all_ones, 1], 1, b"/a/x/../b\0");
    assert_eq!(lab.error(), 0, "both names are the same path");
    lab.returns(id::glCreateShader, &[c::GL_VERTEX_SHADER.into()], 1);
    lab.given(id::glCompileShaderIncludeARB, &[1, 1, 1, 0], 2, b"\x01\0\0\0a");
    assert_eq!(lab.error(), c::GL_INVALID_VALUE);
    lab.refused(id::glCompileShaderIncludeARB, &[9, 0, 0, 0], c::GL_INVALID_OPERATION);
}

#[test]
fn invalid_format_queries_are_rejected() {
    let mut lab = Lab::new();
    let samples = u64::from(c::GL_SAMPLES);
    lab.refused(id::glGetInternalformativ, &[c::GL_FRAMEBUFFER.into(), 0x8058, samples, 1, 1], c::GL_INVALID_ENUM);
    lab.refused(id::glGetInternalformativ, &[c::GL_RENDERBUFFER.into(), 0x8058, 0xD52, 1, 1], c::GL_INVALID_ENUM);
    let negative = u64::from(u32::MAX);
    lab.refused(
        id::glGetInternalformativ,
        &[c::GL_RENDERBUFFER.into(), 0x8058, samples, negative, 1],
        c::GL_INVALID_VALUE,
    );
    assert!(lab.is_unknown(id::glGetInternalformativ, &[c::GL_RENDERBUFFER.into(), 0x8058, samples, 1, 1]));
}
