//! Shaders and programs, with the driver's log on failure.

use std::ffi::{CString, c_char};

use anyhow::ensure;

use crate::Gl;
use crate::gl;

/// Compiles and links a vertex and a fragment shader; `attributes` are numbered in order from 0.
pub fn link(gl: &Gl, vertex: &str, fragment: &str, attributes: &[&str]) -> anyhow::Result<u32> {
    link_with(gl, &[(gl::VERTEX_SHADER, vertex), (gl::FRAGMENT_SHADER, fragment)], attributes, &[])
}

/// Compiles and links a vertex, a geometry and a fragment shader.
pub fn link_geometry(gl: &Gl, vertex: &str, geometry: &str, fragment: &str) -> anyhow::Result<u32> {
    let stages = [(gl::VERTEX_SHADER, vertex), (gl::GEOMETRY_SHADER, geometry), (gl::FRAGMENT_SHADER, fragment)];
    link_with(gl, &stages, &[], &[])
}

/// Compiles and links a vertex shader whose outputs are captured, interleaved.
pub fn link_feedback(gl: &Gl, vertex: &str, attributes: &[&str], varyings: &[&str]) -> anyhow::Result<u32> {
    let fragment = "#version 330 core\nvoid main() {}\n";
    link_with(gl, &[(gl::VERTEX_SHADER, vertex), (gl::FRAGMENT_SHADER, fragment)], attributes, varyings)
}

/// Compiles and links a compute shader.
pub fn link_compute(gl: &Gl, source: &str) -> anyhow::Result<u32> {
    link_with(gl, &[(gl::COMPUTE_SHADER, source)], &[], &[])
}

/// Compiles and links shaders of any stages; `varyings` of the last stage before fragments are captured.
pub fn link_stages(gl: &Gl, stages: &[(u32, &str)], varyings: &[&str]) -> anyhow::Result<u32> {
    link_with(gl, stages, &[], varyings)
}

fn link_with(gl: &Gl, stages: &[(u32, &str)], attributes: &[&str], varyings: &[&str]) -> anyhow::Result<u32> {
    let program = gl.CreateProgram();
    for (stage, source) in stages {
        let shader = compile(gl, *stage, source)?;
        gl.AttachShader(program, shader);
        // It exists as long as the program.
        gl.DeleteShader(shader);
    }
    for (index, name) in (0..).zip(attributes) {
        let name = CString::new(*name)?;
        // SAFETY: the name is NUL-terminated.
        unsafe { gl.BindAttribLocation(program, index, name.as_ptr()) };
    }
    if !varyings.is_empty() {
        let names: Vec<CString> = varyings.iter().map(|name| CString::new(*name)).collect::<Result<_, _>>()?;
        let pointers: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let count = i32::try_from(pointers.len())?;
        // SAFETY: there are `count` pointers to NUL-terminated strings, all alive.
        unsafe { gl.TransformFeedbackVaryings(program, count, pointers.as_ptr(), gl::INTERLEAVED_ATTRIBS) };
    }
    gl.LinkProgram(program);
    let mut linked = 0;
    // SAFETY: GL_LINK_STATUS is one integer.
    unsafe { gl.GetProgramiv(program, gl::LINK_STATUS, &raw mut linked) };
    let mut log = vec![0u8; 1024];
    let mut length = 0;
    if linked == 0 {
        // SAFETY: there is room for 1024 characters.
        unsafe { gl.GetProgramInfoLog(program, 1024, &raw mut length, log.as_mut_ptr().cast()) };
    }
    ensure!(linked != 0, "the driver cannot link a program of this demo: {}", text(&log, length));
    Ok(program)
}

fn compile(gl: &Gl, stage: u32, source: &str) -> anyhow::Result<u32> {
    let shader = gl.CreateShader(stage);
    let pointer: *const c_char = source.as_ptr().cast();
    let length = i32::try_from(source.len())?;
    // SAFETY: one string of that length is passed.
    unsafe { gl.ShaderSource(shader, 1, &raw const pointer, &raw const length) };
    gl.CompileShader(shader);
    let mut compiled = 0;
    // SAFETY: GL_COMPILE_STATUS is one integer.
    unsafe { gl.GetShaderiv(shader, gl::COMPILE_STATUS, &raw mut compiled) };
    let mut log = vec![0u8; 1024];
    let mut length = 0;
    if compiled == 0 {
        // SAFETY: there is room for 1024 characters.
        unsafe { gl.GetShaderInfoLog(shader, 1024, &raw mut length, log.as_mut_ptr().cast()) };
    }
    ensure!(compiled != 0, "the driver cannot compile a shader of this demo: {}", text(&log, length));
    Ok(shader)
}

fn text(log: &[u8], length: i32) -> String {
    let length = usize::try_from(length).unwrap_or(0).min(log.len());
    String::from_utf8_lossy(&log[..length]).trim().to_owned()
}
