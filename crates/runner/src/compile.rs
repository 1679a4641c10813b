//! Compiles the sections of a file into a program.

use pipeline::{Program, Refusal};
use shader::builtin;
use shader::diagnostic::Severity;
use shader::link::LinkOptions;
use shader::typed::{Primitive, StageLayout};
use shader::version::{Options, Profile, Stage, Vendor, Version};
use shader_test::ShaderTest;

/// The result of compiling the shaders.
pub(crate) enum Compiled {
    /// A program that can run.
    Program(Box<Program>),
    /// Rejected by the compiler or linker: the first error.
    Refused(String),
    /// Valid GLSL that the emulator cannot run: what and why.
    Unsupported(String),
}

/// The kind of context the test needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Api {
    Compatibility,
    Core,
    Es,
}

/// The context that `shader_runner` would ask for: core where the version does not exist without it.
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
    match compile_with(test, &[]) {
        // A test that requires more than the minimum limits gets what it asks for: the emulator has no such limits.
        Compiled::Refused(_) if !test.require.limits.is_empty() => compile_with(test, &limits(test)),
        compiled => compiled,
    }
}

/// The limits a test requires, by the names of GLSL's constants: `GL_MAX_VERTEX_ATTRIBS` as `gl_MaxVertexAttribs`.
fn limits(test: &ShaderTest) -> Vec<(String, i32)> {
    let constant = |name: &str| {
        let words = name.strip_prefix("GL_")?.split('_').map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            format!("{first}{}", rest.to_ascii_lowercase())
        });
        Some(format!("gl_{}", words.collect::<String>()))
    };
    let limits = test.require.limits.iter();
    limits.filter_map(|(name, bound)| Some((constant(name)?, i32::try_from(*bound).ok()?))).collect()
}

fn compile_with(test: &ShaderTest, limits: &[(String, i32)]) -> Compiled {
    let mut shaders = Vec::with_capacity(test.shaders.len());
    for source in &test.shaders {
        let mut options = Options::new(source.stage);
        if test.require.es {
            options.default_version = Version { number: 100, profile: Profile::Es };
        }
        // A compatibility context offers the old features in 1.40 too, which has no profile keyword for them.
        if api(test) == Api::Compatibility && test.glsl() == 140 && !source.text.contains("#version ") {
            options.version_override = Some(Version { number: 140, profile: Profile::Compatibility });
        }
        options.vendor = Vendor::Khronos;
        for extension in test.require.absent.iter().filter_map(|name| builtin::extension(name)) {
            options.available.remove(extension);
        }
        options.limits = limits.to_vec();
        options.includes.strings.clone_from(&test.includes);
        options.includes.paths.clone_from(&test.include_paths);
        let shader = shader::analyze(&test.strings(source), &options);
        if let Some(error) = shader.diagnostics.iter().find(|d| d.severity == Severity::Error) {
            return Compiled::Refused(format!("{} shader: {}", source.stage.name(), error.message));
        }
        shaders.push(shader);
    }
    for shader in shaders.iter_mut().filter(|shader| shader.stage == Stage::Geometry) {
        geometry_layout(test, &mut shader.typed.stage);
    }
    let options = LinkOptions {
        separable: test.require.separable || test.require.each_stage,
        webgl: false,
        limits: limits.to_vec(),
        geometry_input: geometry_input(test),
    };
    // The stages of one separable program must match each other; those of separate programs are not compared.
    if test.require.separable && !test.require.each_stage {
        let linked = shader::link_with(&shaders.iter().collect::<Vec<_>>(), &options);
        if let Some(error) = linked.diagnostics.iter().find(|d| d.diagnostic.severity == Severity::Error) {
            return Compiled::Refused(error.diagnostic.message.clone());
        }
    }
    match Program::new(shaders, &options) {
        Ok(program) => Compiled::Program(Box::new(program)),
        Err(Refusal::Link(diagnostics)) => {
            let error = diagnostics.iter().map(|d| &d.diagnostic).find(|d| d.severity == Severity::Error);
            Compiled::Refused(error.map_or_else(String::new, |e| e.message.clone()))
        }
        Err(refusal @ Refusal::Unsupported { .. }) => Compiled::Unsupported(refusal.to_string()),
    }
}

/// The input primitive that `[geometry layout]` sets.
fn geometry_input(test: &ShaderTest) -> Option<Primitive> {
    let name = test.geometry_layout.iter().find_map(|line| line.strip_prefix("input type GL_"))?;
    primitive(name.trim())
}

/// Fills in what shaders for GL_ARB_geometry_shader4 cannot declare themselves; the defaults are the extension's.
fn geometry_layout(test: &ShaderTest, layout: &mut StageLayout) {
    if test.geometry_layout.is_empty() {
        return;
    }
    let says = |what: &str| test.geometry_layout.iter().find_map(|line| line.strip_prefix(what)).map(str::trim);
    let input = says("input type GL_").and_then(primitive).unwrap_or(Primitive::Triangles);
    let output = says("output type GL_").and_then(primitive).unwrap_or(Primitive::TriangleStrip);
    layout.input_primitive = layout.input_primitive.or(Some(input));
    layout.output_primitive = layout.output_primitive.or(Some(output));
    layout.max_vertices = layout.max_vertices.or_else(|| says("vertices out")?.parse().ok());
}

fn primitive(name: &str) -> Option<Primitive> {
    Some(match name {
        "LINE_STRIP" => Primitive::LineStrip,
        "TRIANGLE_STRIP" => Primitive::TriangleStrip,
        "POINTS" => Primitive::Points,
        "LINES" => Primitive::Lines,
        "LINES_ADJACENCY" => Primitive::LinesAdjacency,
        "TRIANGLES" => Primitive::Triangles,
        "TRIANGLES_ADJACENCY" => Primitive::TrianglesAdjacency,
        _ => return None,
    })
}
