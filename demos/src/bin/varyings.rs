//! Old shaders whose varyings the vertex shader writes in part, or not at all.
//!
//! Up to GLSL 1.20 a fragment shader may declare and even mention more than the vertex shader writes, as long as it
//! needs nothing that is missing (GLSL 1.20, 4.3.6). Each program draws one cell of a row, so that a test can ask each for
//! a pixel.

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use demos::{ContextKind, Options, Stage, gl, play, program};

/// Draws a row of cells by old shaders whose varyings are written in part.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
    /// The language of the shaders.
    #[arg(long, value_enum, default_value_t = Language::Glsl120)]
    language: Language,
}

/// A language with varyings.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    /// GLSL 1.10.
    Glsl110,
    /// GLSL 1.20.
    Glsl120,
    /// GLSL ES 1.00.
    Es100,
}

/// The shaders of a cell: the text before `main` in both, what the vertex shader does beside giving its position, and what
/// the fragment shader does.
struct Cell {
    declared: &'static str,
    vertex: &'static str,
    fragment: &'static str,
    /// It uses built-in varyings, which OpenGL ES does not have.
    builtin: bool,
}

const fn cell(declared: &'static str, vertex: &'static str, fragment: &'static str) -> Cell {
    Cell { declared, vertex, fragment, builtin: false }
}

const fn builtin(vertex: &'static str, fragment: &'static str) -> Cell {
    Cell { declared: "", vertex, fragment, builtin: true }
}

const CELLS: [Cell; 10] = [
    // Components.
    cell("varying vec4 v;", "v.xy = place;", "gl_FragColor = vec4(v.xy, 0.25, 1.0);"),
    // Elements, and components of elements.
    cell(
        "varying vec4 v[3];",
        "v[0] = vec4(place, 0.0, 1.0); v[2].xy = place.yx;",
        "gl_FragColor = vec4(v[0].x, v[2].x, 0.5, 1.0);",
    ),
    // Columns, and components of columns.
    cell("varying mat3 m;", "m[0] = vec3(place, 0.5); m[2].x = place.y;", "gl_FragColor = vec4(m[0].xy, m[2].x, 1.0);"),
    // Not at all, and only mentioned.
    cell("varying vec4 v; varying vec4 u;", "v = place.xyxy;", "vec4 spare = u; gl_FragColor = vec4(v.xy, 0.75, 1.0);"),
    cell(
        "varying vec4 v; varying vec4 u;",
        "v = place.xyxy;",
        "vec2 sum = v.xy; if (false) sum = u.xy; gl_FragColor = vec4(sum, 1.0, 1.0);",
    ),
    // An element that is not written, and only mentioned.
    cell("varying vec4 v[4];", "v[1] = place.xyxy;", "vec4 spare = v[3]; gl_FragColor = vec4(v[1].yx, 0.0, 1.0);"),
    // All elements, through an index that is not constant.
    cell(
        "varying vec2 v[2];",
        "for (int i = 0; i < 2; i++) v[i] = place * float(i);",
        "gl_FragColor = vec4(v[1], 0.25, 1.0);",
    ),
    // In a function, through an output parameter.
    cell(
        "varying vec4 v; varying float w; void fill(out vec2 to, vec2 from) { to = from; }",
        "fill(v.zw, place); w = 1.0;",
        "gl_FragColor = vec4(v.zw, 0.5, w);",
    ),
    builtin(
        "gl_TexCoord[0].st = place; gl_TexCoord[3].s = 0.25;",
        "vec4 spare = gl_TexCoord[2]; gl_FragColor = vec4(gl_TexCoord[0].st, gl_TexCoord[3].s, 1.0);",
    ),
    builtin("gl_FrontColor = vec4(place, 0.5, 1.0);", "float spare = gl_FogFragCoord; gl_FragColor = gl_Color;"),
];

fn main() -> ExitCode {
    let cli = Cli::parse();
    let es = cli.language == Language::Es100;
    let kind = if es { ContextKind::Es(2, 0) } else { ContextKind::Compatibility(2, 1) };
    play("varyings", kind, &cli.options, |stage| {
        let gl = &stage.gl;
        let head = match cli.language {
            Language::Glsl110 => "#version 110\n",
            Language::Glsl120 => "#version 120\n",
            Language::Es100 => "#version 100\nprecision highp float;\n",
        };
        let programs = CELLS.iter().filter(|cell| !(es && cell.builtin)).map(|cell| {
            let Cell { declared, vertex, fragment, .. } = cell;
            let position = "vec2 place = corner * 0.5 + 0.5;\n    gl_Position = vec4(corner, 0.0, 1.0);";
            let vertex = format!(
                "{head}attribute vec2 corner;\n{declared}\n\nvoid main() {{\n    {position}\n    {vertex}\n}}\n"
            );
            let fragment = format!("{head}{declared}\n\nvoid main() {{\n    {fragment}\n}}\n");
            program::link(gl, &vertex, &fragment, &["corner"])
        });
        let programs = programs.collect::<anyhow::Result<Vec<u32>>>()?;
        gl.BindBuffer(gl::ARRAY_BUFFER, gl.buffer());
        gl.buffer_data(gl::ARRAY_BUFFER, &[-1_f32, -1., 1., -1., -1., 1., 1., 1.], gl::STATIC_DRAW);
        gl.attribute(0, 2, gl::FLOAT, 8, 0);
        Ok(move |stage: &Stage, _| {
            let gl = &stage.gl;
            gl.ClearColor(0., 0., 0., 1.);
            gl.Clear(gl::COLOR_BUFFER_BIT);
            let width = stage.size.width / programs.len() as i32;
            for (index, program) in (0..).zip(&programs) {
                gl.Viewport(index * width, 0, width, stage.size.height);
                gl.UseProgram(*program);
                gl.DrawArrays(gl::TRIANGLE_STRIP, 0, 4);
            }
            Ok(())
        })
    })
}
