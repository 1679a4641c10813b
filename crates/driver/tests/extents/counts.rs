//! Tries every query with every name.

use std::collections::BTreeSet;
use std::ffi::CString;

use api::constant::*;
use api::extent::{Extent, extent, size_of};
use api::{CommandId, id};
use driver::Api;

use crate::gl::Gl;

/// Objects to query.
struct Objects {
    buffer: u64,
    texture: u64,
    sampler: u64,
    framebuffer: u64,
    renderbuffer: u64,
    vertex_array: u64,
    program: u64,
    shader: u64,
    query: u64,
    feedback: u64,
    pipeline: u64,
}

fn objects(gl: &Gl, api: Api) -> Objects {
    let vertex_array = gl.make(id::glGenVertexArrays);
    gl.call(id::glBindVertexArray, &[vertex_array]);
    let buffer = gl.make(id::glGenBuffers);
    for target in [GL_ARRAY_BUFFER, GL_ELEMENT_ARRAY_BUFFER, GL_UNIFORM_BUFFER] {
        gl.call(id::glBindBuffer, &[u64::from(target), buffer]);
    }
    gl.call(id::glBufferData, &[u64::from(GL_ARRAY_BUFFER), 64, 0, u64::from(GL_STATIC_DRAW)]);
    let texture = gl.make(id::glGenTextures);
    let target = u64::from(GL_TEXTURE_2D);
    gl.call(id::glBindTexture, &[target, texture]);
    gl.call(id::glTexStorage2D, &[target, 2, u64::from(GL_RGBA8), 4, 4]);
    let sampler = gl.make(id::glGenSamplers);
    gl.call(id::glBindSampler, &[0, sampler]);
    gl.call(id::glBindSampler, &[0, 0]);
    let renderbuffer = gl.make(id::glGenRenderbuffers);
    gl.call(id::glBindRenderbuffer, &[u64::from(GL_RENDERBUFFER), renderbuffer]);
    gl.call(id::glRenderbufferStorage, &[u64::from(GL_RENDERBUFFER), u64::from(GL_RGBA8), 4, 4]);
    let framebuffer = gl.make(id::glGenFramebuffers);
    gl.call(id::glBindFramebuffer, &[u64::from(GL_FRAMEBUFFER), framebuffer]);
    let attachment = [GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D].map(u64::from);
    gl.call(id::glFramebufferTexture2D, &[attachment[0], attachment[1], attachment[2], texture, 0]);
    let feedback = gl.make(id::glGenTransformFeedbacks);
    gl.call(id::glBindTransformFeedback, &[u64::from(GL_TRANSFORM_FEEDBACK), feedback]);
    gl.call(id::glBindTransformFeedback, &[u64::from(GL_TRANSFORM_FEEDBACK), 0]);
    let pipeline = gl.make(id::glGenProgramPipelines);
    gl.call(id::glBindProgramPipeline, &[pipeline]);
    gl.call(id::glBindProgramPipeline, &[0]);
    let query = gl.make(id::glGenQueries);
    let target = u64::from(GL_ANY_SAMPLES_PASSED);
    gl.call(id::glBeginQuery, &[target, query]);
    gl.call(id::glEndQuery, &[target]);
    let (shader, program) = compute(gl, api);
    gl.error();
    Objects {
        buffer,
        texture,
        sampler,
        framebuffer,
        renderbuffer,
        vertex_array,
        program,
        shader,
        query,
        feedback,
        pipeline,
    }
}

/// Creates a compute program with a uniform block of three uniforms.
fn compute(gl: &Gl, api: Api) -> (u64, u64) {
    let version = if api == Api::Es { "310 es" } else { "430" };
    let source = format!(
        "#version {version}\nlayout(local_size_x = 2) in;\nlayout(std140) uniform B {{ float a; vec4 b; float c; }};\n\
         layout(std430, binding = 0) buffer S {{ float s; }};\nvoid main() {{ s = a + b.x + c; }}\n"
    );
    let source = CString::new(source).expect("the source has no NUL bytes");
    let text = source.as_ptr();
    let shader = gl.call(id::glCreateShader, &[u64::from(GL_COMPUTE_SHADER)]).expect("glCreateShader");
    gl.call(id::glShaderSource, &[shader, 1, &raw const text as u64, 0]);
    gl.call(id::glCompileShader, &[shader]);
    let program = gl.call(id::glCreateProgram, &[]).expect("glCreateProgram");
    gl.call(id::glAttachShader, &[program, shader]);
    gl.call(id::glLinkProgram, &[program]);
    let mut linked = 0i32;
    gl.call(id::glGetProgramiv, &[program, u64::from(GL_LINK_STATUS), &raw mut linked as u64]);
    assert_eq!(linked, 1, "the program must link");
    (shader, program)
}

/// Returns the queries, with their arguments before the name.
fn queries(of: &Objects) -> Vec<(CommandId, Vec<u64>)> {
    let mut queries: Vec<(CommandId, Vec<u64>)> = vec![
        (id::glGetBooleanv, vec![]),
        (id::glGetIntegerv, vec![]),
        (id::glGetInteger64v, vec![]),
        (id::glGetFloatv, vec![]),
        (id::glGetDoublev, vec![]),
        (id::glGetPointerv, vec![]),
        (id::glGetProgramiv, vec![of.program]),
        (id::glGetShaderiv, vec![of.shader]),
        (id::glGetActiveUniformBlockiv, vec![of.program, 0]),
        (id::glGetSamplerParameteriv, vec![of.sampler]),
        (id::glGetSamplerParameterfv, vec![of.sampler]),
        (id::glGetSamplerParameterIiv, vec![of.sampler]),
        (id::glGetSamplerParameterIuiv, vec![of.sampler]),
        (id::glGetQueryObjectiv, vec![of.query]),
        (id::glGetQueryObjectuiv, vec![of.query]),
        (id::glGetQueryObjectui64v, vec![of.query]),
        (id::glGetVertexAttribiv, vec![1]),
        (id::glGetVertexAttribfv, vec![1]),
        (id::glGetVertexAttribdv, vec![1]),
        (id::glGetVertexAttribIiv, vec![1]),
        (id::glGetVertexAttribIuiv, vec![1]),
        (id::glGetVertexAttribLdv, vec![1]),
        (id::glGetVertexAttribPointerv, vec![1]),
        (id::glGetVertexArrayiv, vec![of.vertex_array]),
        (id::glGetVertexArrayIndexediv, vec![of.vertex_array, 1]),
        (id::glGetVertexArrayIndexed64iv, vec![of.vertex_array, 1]),
        (id::glGetTransformFeedbackiv, vec![of.feedback]),
        (id::glGetProgramPipelineiv, vec![of.pipeline]),
        (id::glGetNamedBufferParameteriv, vec![of.buffer]),
        (id::glGetNamedBufferParameteri64v, vec![of.buffer]),
        (id::glGetNamedFramebufferParameteriv, vec![of.framebuffer]),
        (id::glGetNamedRenderbufferParameteriv, vec![of.renderbuffer]),
        (id::glGetTextureParameteriv, vec![of.texture]),
        (id::glGetTextureParameterfv, vec![of.texture]),
        (id::glGetTextureParameterIiv, vec![of.texture]),
        (id::glGetTextureLevelParameteriv, vec![of.texture, 0]),
        (id::glGetTextureLevelParameterfv, vec![of.texture, 0]),
    ];
    let mut add = |commands: &[CommandId], targets: &[u32], more: &[u64]| {
        for command in commands {
            for target in targets {
                queries.push((*command, std::iter::once(u64::from(*target)).chain(more.iter().copied()).collect()));
            }
        }
    };
    add(&[id::glGetBufferParameteriv, id::glGetBufferParameteri64v], &[GL_ARRAY_BUFFER], &[]);
    add(&[id::glGetBufferPointerv], &[GL_ARRAY_BUFFER], &[]);
    add(
        &[id::glGetTexParameteriv, id::glGetTexParameterfv, id::glGetTexParameterIiv, id::glGetTexParameterIuiv],
        &[GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_RECTANGLE],
        &[],
    );
    add(&[id::glGetTexLevelParameteriv, id::glGetTexLevelParameterfv], &[GL_TEXTURE_2D, GL_TEXTURE_BUFFER], &[0]);
    add(&[id::glGetFramebufferParameteriv], &[GL_FRAMEBUFFER], &[]);
    add(&[id::glGetFramebufferAttachmentParameteriv], &[GL_FRAMEBUFFER], &[u64::from(GL_COLOR_ATTACHMENT0)]);
    add(&[id::glGetRenderbufferParameteriv], &[GL_RENDERBUFFER], &[]);
    add(&[id::glGetQueryiv], &[GL_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED, GL_TIME_ELAPSED, GL_TIMESTAMP], &[]);
    add(&[id::glGetLightfv, id::glGetLightiv], &[GL_LIGHT0], &[]);
    add(&[id::glGetMaterialfv, id::glGetMaterialiv], &[GL_FRONT], &[]);
    add(&[id::glGetTexEnvfv, id::glGetTexEnviv], &[GL_TEXTURE_ENV, GL_TEXTURE_FILTER_CONTROL, GL_POINT_SPRITE], &[]);
    add(&[id::glGetTexGenfv, id::glGetTexGeniv, id::glGetTexGendv], &[GL_S], &[]);
    add(&[id::glGetProgramivARB], &[GL_VERTEX_PROGRAM_ARB, GL_FRAGMENT_PROGRAM_ARB], &[]);
    queries
}

/// Queries whose name comes first, followed by an index.
const INDEXED: &[CommandId] =
    &[id::glGetBooleani_v, id::glGetIntegeri_v, id::glGetInteger64i_v, id::glGetFloati_v, id::glGetDoublei_v];

/// Names of device identities: Mesa's software drivers of 2022 call a null pointer when queried for them.
const CRASHING: &[u32] = &[GL_DEVICE_UUID_EXT, GL_DRIVER_UUID_EXT, GL_DEVICE_LUID_EXT, GL_DEVICE_NODE_MASK_EXT];

#[test]
fn queries_write_the_number_of_values_in_the_tables() {
    let names: BTreeSet<u32> = api::enums::values(api::Library::Gl)
        .filter_map(|value| u32::try_from(value).ok())
        .filter(|name| !CRASHING.contains(name))
        .collect();
    let mut findings = BTreeSet::new();
    let mut compared = 0;
    for api in Api::ALL {
        let gl = Gl::new(api);
        let objects = objects(&gl, api);
        let mut compare = |query: CommandId, args: &[u64], name: u32| {
            let command = api::command(query);
            let param = command.params.len() - 1;
            let element = size_of(command.params[param].memory.expect("queries write memory").element.scalar);
            let Some(written) = gl.written(query, args) else { return };
            let written = written.div_ceil(element);
            let expected = match extent(query, param, &[args, &[0x1000]].concat(), &gl) {
                Extent::Bytes(bytes) => bytes / element,
                _ => 0,
            };
            compared += 1;
            // A query may succeed and write nothing, such as one for an empty list, or for an indexed name that is not
            // available in this type.
            if written != expected && written != 0 {
                let name = api::enums::any_name(api::Library::Gl, i64::from(name)).unwrap_or("?");
                findings
                    .insert(format!("{name} by {}: the driver writes {written} values, not {expected}", command.name));
            }
        };
        for (query, before) in queries(&objects) {
            for name in &names {
                compare(query, &[&before[..], &[u64::from(*name)]].concat(), *name);
            }
        }
        for query in INDEXED {
            for name in &names {
                compare(*query, &[u64::from(*name), 0], *name);
            }
        }
    }
    let findings: Vec<String> = findings.into_iter().collect();
    assert!(findings.is_empty(), "of {compared} queries {} differ:\n{}", findings.len(), findings.join("\n"));
    assert!(compared > 1000, "only {compared} queries could be compared");
}
