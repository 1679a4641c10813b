//! Traces with programs and targets, written by hand.

use api::reflection::{Interface, Reflection, Resource, Uniform};
use api::{constant as c, id};
use testing::trace::{TraceBuilder, names};

/// Where pointers of the recorded program lead.
pub const MEMORY: u64 = 0x7F00_0000_1000;

/// Vertices 0, 1 and 2 cover everything.
pub const FULL: &str = "
    #version 150
    void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1 & 1) * 4.0 - 1.0, 0.0, 1.0); }";

/// Returns a constant as an argument.
pub fn constant(value: u32) -> u64 {
    value.into()
}

/// A trace of a surface of 64 by 64 pixels.
pub fn scene() -> TraceBuilder {
    let mut trace = TraceBuilder::new(64);
    trace.returning(id::glGenVertexArrays, &[1, MEMORY], 0, &[(1, &names(&[1]))]);
    trace.call(id::glBindVertexArray, &[1]);
    trace
}

/// Adds a program and uses it.
pub fn program(trace: &mut TraceBuilder, name: u64, vertex: &str, fragment: &str) {
    let shaders = [(name + 1, c::GL_VERTEX_SHADER, vertex), (name + 2, c::GL_FRAGMENT_SHADER, fragment)];
    trace.returning(id::glCreateProgram, &[], name, &[]);
    for (shader, kind, text) in shaders {
        trace.shader(shader, kind, text.trim());
        trace.call(id::glAttachShader, &[name, shader]);
    }
    trace.call(id::glLinkProgram, &[name]);
    let told = reflection();
    trace.reading(id::afiProgram, &[name, told.len() as u64, MEMORY], &[(2, &told)]);
    trace.call(id::glUseProgram, &[name]);
}

/// What a driver would have said of a program with a sampler.
fn reflection() -> Vec<u8> {
    let values = vec![c::GL_SAMPLER_2D as i32, 1, 0];
    let uniforms = Interface {
        name: c::GL_UNIFORM,
        properties: vec![c::GL_TYPE, c::GL_ARRAY_SIZE, c::GL_LOCATION],
        resources: vec![Resource { name: b"picture".to_vec(), values, list: Vec::new() }],
    };
    let stages = [c::GL_VERTEX_SHADER, c::GL_FRAGMENT_SHADER];
    Reflection {
        whole: true,
        parameters: vec![(c::GL_LINK_STATUS, vec![1])],
        stages: stages.map(|stage| (stage, c::GL_SHADER_TYPE, stage as i32)).to_vec(),
        interfaces: vec![uniforms],
        values: vec![Uniform { location: 0, bytes: vec![0; 4] }],
        ..Reflection::default()
    }
    .encode()
}

/// Adds a texture of this width and height, binds it, and adds a framebuffer that draws to it.
pub fn target(trace: &mut TraceBuilder, name: u32, size: u64) {
    let two = constant(c::GL_TEXTURE_2D);
    trace.returning(id::glGenTextures, &[1, MEMORY], 0, &[(1, &names(&[name]))]);
    trace.call(id::glBindTexture, &[two, name.into()]);
    for filter in [c::GL_TEXTURE_MIN_FILTER, c::GL_TEXTURE_MAG_FILTER] {
        trace.call(id::glTexParameteri, &[two, constant(filter), constant(c::GL_NEAREST)]);
    }
    let (rgba8, rgba, bytes) = (constant(c::GL_RGBA8), constant(c::GL_RGBA), constant(c::GL_UNSIGNED_BYTE));
    trace.call(id::glTexImage2D, &[two, 0, rgba8, size, size, 0, rgba, bytes, 0]);
    trace.returning(id::glGenFramebuffers, &[1, MEMORY], 0, &[(1, &names(&[name]))]);
    draw_to(trace, name, size);
    let colour = constant(c::GL_COLOR_ATTACHMENT0);
    trace.call(id::glFramebufferTexture2D, &[constant(c::GL_FRAMEBUFFER), colour, two, name.into(), 0]);
}

/// Binds a framebuffer of this width and height.
pub fn draw_to(trace: &mut TraceBuilder, framebuffer: u32, size: u64) {
    trace.call(id::glBindFramebuffer, &[constant(c::GL_FRAMEBUFFER), framebuffer.into()]);
    trace.call(id::glViewport, &[0, 0, size, size]);
}

/// Draws triangles.
pub fn draw(trace: &mut TraceBuilder, vertices: u64) {
    trace.call(id::glDrawArrays, &[constant(c::GL_TRIANGLES), 0, vertices]);
}
