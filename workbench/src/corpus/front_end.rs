//! Our own verdict. Only this file and those of `spans` call crate `shader`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use driver::Api;
use shader::builtin::ExtensionSet;
use shader::diagnostic::{Diagnostic, Severity};
use shader::link::LinkOptions;
use shader::typed::Primitive;
use shader::version::{Options, Profile, Stage, Vendor, Version};

use super::case::{Answer, Case, Linking, Verdict};

/// Compiles and links a case; a panic is a verdict too.
pub fn judge(case: &Case) -> Verdict {
    catch_unwind(AssertUnwindSafe(|| analyze(case))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&s| s.to_owned())).unwrap_or_default();
        Verdict { answer: Answer::Broke, log: format!("panic: {text}") }
    })
}

fn analyze(case: &Case) -> Verdict {
    let mut shaders = Vec::with_capacity(case.shaders.len());
    for source in &case.shaders {
        let shader = shader::analyze(&source.strings, &options(case, source.stage));
        if shader.has_errors() {
            return Verdict { answer: Answer::CompileError, log: first_error(shader.diagnostics.iter()) };
        }
        shaders.push(shader);
    }
    let programs: Vec<Vec<&shader::Shader>> = match case.linking {
        Linking::No => Vec::new(),
        Linking::Program | Linking::Separable => vec![shaders.iter().collect()],
        Linking::EachStage | Linking::Pipeline => Stage::ALL
            .into_iter()
            .map(|stage| shaders.iter().zip(&case.shaders).filter(|(_, s)| s.stage == stage).map(|(s, _)| s).collect())
            .filter(|program: &Vec<_>| !program.is_empty())
            .collect(),
    };
    for program in programs {
        let separable = matches!(case.linking, Linking::Separable | Linking::EachStage | Linking::Pipeline);
        let options =
            LinkOptions { separable, webgl: false, limits: case.limits.clone(), geometry_input: geometry_input(case) };
        let linked = shader::link_with(&program, &options);
        if linked.has_errors() {
            let log = first_error(linked.diagnostics.iter().map(|d| &d.diagnostic));
            return Verdict { answer: Answer::LinkError, log };
        }
    }
    if case.linking == Linking::Pipeline {
        let found = shader::link::match_separable(&shaders.iter().collect::<Vec<_>>());
        if found.iter().any(|d| d.diagnostic.severity == Severity::Error) {
            return Verdict { answer: Answer::Invalid, log: first_error(found.iter().map(|d| &d.diagnostic)) };
        }
    }
    Verdict { answer: Answer::Accepted, log: String::new() }
}

/// A browser's language, apart from WebGL's own rules.
pub struct WebGl<'a> {
    /// The newest version that it accepts, as in `#version`.
    pub newest: u16,
    /// The extensions that it supports.
    pub extensions: &'a [String],
    /// Its limits, by the names of GLSL's built-in constants.
    pub limits: &'a [(String, i32)],
}

/// Compiles one shader under WebGL's rules.
pub fn judge_webgl(stage: Stage, text: &str, language: &WebGl<'_>) -> Verdict {
    read_webgl(stage, text, language).1
}

/// Links shaders that compile.
pub fn link_webgl(shaders: &[&shader::Shader], limits: &[(String, i32)]) -> Verdict {
    let linked =
        shader::link_with(shaders, &LinkOptions { webgl: true, limits: limits.to_vec(), ..LinkOptions::default() });
    match linked.has_errors() {
        true => Verdict {
            answer: Answer::LinkError,
            log: first_error(linked.diagnostics.iter().map(|found| &found.diagnostic)),
        },
        false => Verdict { answer: Answer::Accepted, log: String::new() },
    }
}

/// Reads one shader under WebGL's rules.
pub fn read_webgl(stage: Stage, text: &str, language: &WebGl<'_>) -> (shader::Shader, Verdict) {
    let mut options = Options::new(stage);
    options.default_version = Version { number: 100, profile: Profile::Es };
    options.webgl = true;
    options.newest = Some(language.newest);
    options.available = ExtensionSet::empty();
    let offered = language.extensions.iter().filter_map(|name| shader::builtin::extension(name));
    offered.for_each(|extension| options.available.insert(extension));
    options.limits = language.limits.to_vec();
    let shader = shader::analyze(&[text], &options);
    let log = first_error(shader.diagnostics.iter());
    let answer = if shader.has_errors() { Answer::CompileError } else { Answer::Accepted };
    (shader, Verdict { answer, log })
}

/// Returns the options for a case's shader of that stage.
pub fn options(case: &Case, stage: Stage) -> Options {
    let mut options = Options::new(stage);
    if case.api == Api::Es {
        options.default_version = Version { number: 100, profile: Profile::Es };
    }
    options.vendor = Vendor::Khronos;
    for extension in case.absent.iter().filter_map(|name| shader::builtin::extension(name)) {
        options.available.remove(extension);
    }
    options.limits.clone_from(&case.limits);
    options.includes.strings.clone_from(&case.includes.strings);
    options.includes.paths.clone_from(&case.includes.paths);
    options
}

fn geometry_input(case: &Case) -> Option<Primitive> {
    Some(match case.geometry_input.as_deref()? {
        "points" => Primitive::Points,
        "lines" => Primitive::Lines,
        "lines_adjacency" => Primitive::LinesAdjacency,
        "triangles" => Primitive::Triangles,
        "triangles_adjacency" => Primitive::TrianglesAdjacency,
        _ => return None,
    })
}

fn first_error<'a>(mut diagnostics: impl Iterator<Item = &'a Diagnostic>) -> String {
    diagnostics
        .find(|d| d.severity == Severity::Error)
        .map(|d| format!("{}: {}", d.code, d.message))
        .unwrap_or_default()
}
