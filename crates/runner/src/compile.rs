//! From the sections of a file to a program.

use pipeline::{Program, Refusal};
use shader::builtin;
use shader::diagnostic::Severity;
use shader::link::LinkOptions;
use shader::typed::Primitive;
use shader::version::{Options, Profile, Vendor, Version};
use shader_test::ShaderTest;

/// What became of the shaders.
pub(crate) enum Compiled {
    /// They run.
    Program(Box<Program>),
    /// They are refused as GLSL: the first error.
    Refused(String),
    /// They are fine, but cannot be run: what and why.
    Unsupported(String),
}

/// Which sort of context the test is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Api {
    Compatibility,
    Core,
    Es,
}

/// `shader_runner` asks for a core context where a version does not exist without one.
pub(crate) fn api(test: &ShaderTest) -> Api {
    let require = &test.require;
    if require.es {
        Api::Es
    } else if require.compatibility || (require.gl < 310 && require.glsl.unwrap_or(110) < 140) {
        Api::Compatibility
    } else {
        Api::Core
    }
}

pub(crate) fn compile(test: &ShaderTest) -> Compiled {
    let mut shaders = Vec::with_capacity(test.shaders.len());
    for source in &test.shaders {
        let mut options = Options::new(source.stage);
        if test.require.es {
            options.default_version = Version { number: 100, profile: Profile::Es };
        }
        options.vendor = Vendor::Khronos;
        for extension in test.require.absent.iter().filter_map(|name| builtin::extension(name)) {
            options.available.remove(extension);
        }
        options.includes.strings.clone_from(&test.includes);
        options.includes.paths.clone_from(&test.include_paths);
        let shader = shader::analyze(&test.strings(source), &options);
        if let Some(error) = shader.diagnostics.iter().find(|d| d.severity == Severity::Error) {
            return Compiled::Refused(format!("{} shader: {}", source.stage.name(), error.message));
        }
        shaders.push(shader);
    }
    let options = LinkOptions {
        separable: test.require.separable || test.require.each_stage,
        limits: Vec::new(),
        geometry_input: geometry_input(test),
    };
    match Program::new(shaders, &options) {
        Ok(program) => Compiled::Program(Box::new(program)),
        Err(Refusal::Link(diagnostics)) => {
            let error = diagnostics.iter().map(|d| &d.diagnostic).find(|d| d.severity == Severity::Error);
            Compiled::Refused(error.map_or_else(String::new, |e| e.message.clone()))
        }
        Err(refusal @ Refusal::Unsupported { .. }) => Compiled::Unsupported(refusal.to_string()),
    }
}

/// What `[geometry layout]` says a geometry shader takes.
fn geometry_input(test: &ShaderTest) -> Option<Primitive> {
    let name = test.geometry_layout.iter().find_map(|line| line.strip_prefix("input type GL_"))?;
    Some(match name.trim() {
        "POINTS" => Primitive::Points,
        "LINES" => Primitive::Lines,
        "LINES_ADJACENCY" => Primitive::LinesAdjacency,
        "TRIANGLES" => Primitive::Triangles,
        "TRIANGLES_ADJACENCY" => Primitive::TrianglesAdjacency,
        _ => return None,
    })
}
