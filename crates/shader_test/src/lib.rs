//! Parser for `.shader_test` files, the format of piglit's `shader_runner`: their shaders, requirements and commands.
//!
//! A file is a list of sections, each with a header in brackets. This crate only parses them: it checks no shaders and
//! executes nothing. Parsing never fails: unknown sections are skipped, and unknown commands are kept as text.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod command;
mod scan;
pub mod vertex;

use shader::version::Stage;

/// A parsed file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShaderTest {
    /// Its shaders, in order.
    pub shaders: Vec<TestShader>,
    /// The requirements in `[require]`.
    pub require: Require,
    /// The commands of `[test]`.
    pub commands: String,
    /// The line on which the commands begin, counted from one.
    pub commands_line: u32,
    /// The table of `[vertex data]` as text.
    pub vertex_data: Option<String>,
    /// `[geometry layout]`: what `GL_ARB_geometry_shader4` sets outside of the shader, one string per line.
    pub geometry_layout: Vec<String>,
    /// The named strings for `#include`, by path.
    pub includes: Vec<(String, String)>,
    /// The search paths of `#include`.
    pub include_paths: Vec<String>,
    /// Whether parts of the file are SPIR-V or assembly.
    pub other_languages: bool,
    /// Whether parts of the file are SPIR-V with values for specialization constants.
    pub specializations: bool,
}

/// One shader of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestShader {
    /// Its stage.
    pub stage: Stage,
    /// Its source.
    pub text: String,
    /// The line on which the source begins, counted from one; for a pass-through shader the line of its header.
    pub line: u32,
    /// Whether it stands for `[vertex shader passthrough]`, whose source is not in the file.
    pub passthrough: bool,
}

/// The requirements of `[require]`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Require {
    /// `GLSL >= 1.50` as 150.
    pub glsl: Option<u16>,
    /// `GL >= 3.2` as 320; zero if unspecified.
    pub gl: u16,
    /// Whether either of the two names ES.
    pub es: bool,
    /// Whether either of the two names the compatibility profile.
    pub compatibility: bool,
    /// Required extensions.
    pub extensions: Vec<String>,
    /// Extensions that must be absent.
    pub absent: Vec<String>,
    /// `SSO ENABLED`: each stage is a separate program.
    pub each_stage: bool,
    /// `SEPARABLE PROGRAM ENABLED`.
    pub separable: bool,
    /// `SIZE 64 32`: the window's size.
    pub size: Option<[u32; 2]>,
    /// Lower bounds of limits, such as `GL_MAX_VARYING_COMPONENTS >= 128`.
    pub limits: Vec<(String, u32)>,
    /// `SPIRV ONLY`: the shaders are only valid as SPIR-V.
    pub spirv_only: bool,
}

impl ShaderTest {
    /// The GLSL version of shaders that do not declare one, as in `#version`.
    #[must_use]
    pub fn glsl(&self) -> u16 {
        self.require.glsl.unwrap_or(if self.require.es { 100 } else { 110 })
    }

    /// The strings for `glShaderSource`: a shader without `#version` gets one prepended.
    #[must_use]
    pub fn strings(&self, shader: &TestShader) -> Vec<String> {
        if shader.text.contains("#version ") {
            return vec![shader.text.clone()];
        }
        let glsl = self.glsl();
        let es = if self.require.es && glsl >= 300 { " es" } else { "" };
        vec![format!("#version {glsl}{es}\n"), shader.text.clone()]
    }
}

/// The source of `[vertex shader passthrough]`.
const PASSTHROUGH: &str = "#if __VERSION__ >= 130\nin vec4 piglit_vertex;\n#else\nattribute vec4 piglit_vertex;\n#endif\nvoid main()\n{\n    gl_Position = piglit_vertex;\n}\n";

/// Parses a file.
#[must_use]
pub fn parse(text: &str) -> ShaderTest {
    let mut test = ShaderTest::default();
    for Section { header, body, line } in sections(text) {
        let stage = match header {
            "vertex shader" => Stage::Vertex,
            "tessellation control shader" => Stage::TessControl,
            "tessellation evaluation shader" => Stage::TessEvaluation,
            "geometry shader" => Stage::Geometry,
            "fragment shader" => Stage::Fragment,
            "compute shader" => Stage::Compute,
            "vertex shader passthrough" => {
                let text = PASSTHROUGH.to_owned();
                test.shaders.push(TestShader { stage: Stage::Vertex, text, line, passthrough: true });
                continue;
            }
            "require" => {
                body.lines().for_each(|line| test.require.read(line.split('#').next().unwrap_or_default().trim()));
                continue;
            }
            "vertex data" => {
                test.vertex_data = Some(body.to_owned());
                continue;
            }
            "geometry layout" => {
                test.geometry_layout.extend(body.lines().map(|line| line.trim().to_owned()).filter(|l| !l.is_empty()));
                continue;
            }
            "test" => {
                test.commands_line = line + 1;
                test.commands.push_str(body);
                continue;
            }
            "shader include" => {
                if let Some((path, content)) = body.split_once('\n') {
                    test.includes.push((path.trim_end().to_owned(), content.to_owned()));
                }
                continue;
            }
            "shader include paths" => {
                // GL rejects a search path that ends with a slash.
                let paths = body.lines().filter(|l| l.starts_with('/')).map(|l| l.trim_end().trim_end_matches('/'));
                test.include_paths.extend(paths.map(str::to_owned));
                continue;
            }
            _ => {
                test.specializations |= header.ends_with("specializations");
                test.other_languages |= header.contains("spirv") || header.ends_with("program");
                continue;
            }
        };
        test.shaders.push(TestShader { stage, text: body.to_owned(), line: line + 1, passthrough: false });
    }
    test
}

impl Require {
    fn read(&mut self, line: &str) {
        match line {
            "SSO ENABLED" => self.each_stage = true,
            "SEPARABLE PROGRAM ENABLED" => self.separable = true,
            "SPIRV ONLY" => self.spirv_only = true,
            _ if line.starts_with("SIZE") => self.size = scan::Scan::new(&line["SIZE".len()..]).indices().or(self.size),
            _ if line.starts_with("GL_MAX_") || line.starts_with("GL_NUM_") || line.starts_with("INT ") => {
                if let Some((name, bound)) = line.trim_start_matches("INT ").split_once(">=") {
                    let bound = bound.trim().parse().unwrap_or(u32::MAX);
                    self.limits.push((name.trim().to_owned(), bound));
                }
            }
            _ if line.starts_with("GL_") || line.starts_with("!GL_") => self.read_extensions(line),
            _ if line.starts_with("GL") => self.read_version(line),
            _ => {}
        }
    }

    /// Adds extensions from a blank-separated list; a leading `!` marks those that must be absent.
    pub fn read_extensions(&mut self, names: &str) {
        for name in names.split_whitespace() {
            match name.strip_prefix('!') {
                Some(name) => self.absent.push(name.to_owned()),
                None if name.starts_with("GL_") => self.extensions.push(name.to_owned()),
                None => {}
            }
        }
    }

    fn read_version(&mut self, line: &str) {
        let Some((subject, number)) = line.split_once(">=") else { return };
        let Some(number) = version(number.trim()) else { return };
        self.es |= subject.contains(" ES");
        self.compatibility |= subject.contains(" COMPAT");
        if subject.starts_with("GLSL") {
            self.glsl = Some(number);
        } else {
            self.gl = number;
        }
    }
}

/// `1.50`, `4.5`, `3.00 es` or `1.50compatibility` as 150, 450, 300, 150.
#[must_use]
pub fn version(text: &str) -> Option<u16> {
    let (major, rest) = text.split_once('.')?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).take(2).collect();
    let minor: u16 = digits.parse().ok()?;
    let minor = if digits.len() == 1 { minor * 10 } else { minor };
    major.trim().parse::<u16>().ok()?.checked_mul(100)?.checked_add(minor)
}

struct Section<'a> {
    header: &'a str,
    body: &'a str,
    /// The line of the header.
    line: u32,
}

/// Splits a file into headers and bodies; to `shader_runner` any line that begins with a bracket is a header.
fn sections(text: &str) -> Vec<Section<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(&str, usize, u32)> = None;
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        if let Some(rest) = line.strip_prefix('[') {
            if let Some((header, from, line)) = open {
                found.push(Section { header, body: &text[from..start], line });
            }
            open = rest.split_once(']').map(|(header, _)| (header, at, index as u32 + 1));
        }
    }
    if let Some((header, from, line)) = open {
        found.push(Section { header, body: &text[from..], line });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let test = parse(text);
        let shaders: Vec<String> = test.shaders.iter().map(|s| format!("{}@{}", s.stage.name(), s.line)).collect();
        let strings: Vec<usize> = test.shaders.iter().map(|s| test.strings(s).len()).collect();
        assert_eq!(format!("{} {} {strings:?}", test.glsl(), shaders.join(" ")), expected);
    }

    #[test]
    fn shaders_have_line_numbers() {
        check(
            "# comment\n[require]\nGLSL >= 1.30\n\n[vertex shader passthrough]\n\n[fragment shader]\nvoid main() {}\n[test]\n",
            "130 vertex@5 fragment@8 [2, 2]",
        );
        check("[fragment shader]\n#version 150\nvoid main() {}", "110 fragment@2 [1]");
        check("[require]\nGL ES >= 2.0\nGLSL ES >= 1.00\n[vertex shader]\n", "100 vertex@5 [2]");
        check("no section at all", "110  []");
    }

    #[test]
    fn requirements() {
        let test = parse(
            "[require]\nGL COMPAT >= 3.2\nGLSL >= 1.50\nGL_ARB_a !GL_ARB_b\nGL_MAX_X >= 3\nSSO ENABLED\nSIZE 8 4\n",
        );
        let require = Require {
            glsl: Some(150),
            gl: 320,
            compatibility: true,
            extensions: vec!["GL_ARB_a".to_owned()],
            absent: vec!["GL_ARB_b".to_owned()],
            each_stage: true,
            size: Some([8, 4]),
            limits: vec![("GL_MAX_X".to_owned(), 3)],
            ..Require::default()
        };
        assert_eq!(test.require, require);
    }
}
