//! Completes cases like the suite's runner: declarations of inputs and outputs, the other stage, the comparison.
//!
//! Inputs reach the vertex shader as floating-point attributes, because ES 1.00 has no others; a fragment shader gets
//! them through varyings of that type. Outputs of a vertex shader are passed in the same way to a generated fragment
//! shader, and a fragment shader's own outputs are globals; both are compared with a uniform `ref_NAME`.

use std::fmt::Write;

use anyhow::ensure;
use driver::{Api, Includes};
use shader::version::Stage;

use super::parse::{Expectation, Extension, Language, Program, Requirement, Role, Spec, Value};
use crate::corpus::case::{Case, Expect, Linking, Source};
use crate::corpus::differ::colour_of;

/// Returns the runs of one case: two for `both`, otherwise one.
pub fn cases(group: &str, spec: &Spec) -> anyhow::Result<Vec<Case>> {
    let language = spec.version;
    let mut runs: Vec<(&str, Vec<(Stage, String)>)> = Vec::new();
    if let Some(body) = &spec.both {
        let extensions = spec.programs.first().map_or(&[][..], |program| &program.extensions);
        let run = |stage: Stage, parts: &Parts| inject(&language.fill(body, parts), extensions, stage);
        let vertex = run(Stage::Vertex, &language.vertex_parts(spec, ""));
        let fragment = run(Stage::Fragment, &language.fragment_parts(spec, ""));
        let comparing = language.comparing_fragment(spec);
        runs.push(("_vertex", vec![(Stage::Vertex, vertex), (Stage::Fragment, comparing)]));
        let forwarding = language.forwarding_vertex(spec);
        runs.push(("_fragment", vec![(Stage::Vertex, forwarding), (Stage::Fragment, fragment)]));
    } else {
        let several = |program: &Program| program.shaders.iter().any(|s| s.0 != program.shaders[0].0);
        ensure!(
            !spec.pipeline || !spec.programs.iter().any(several),
            "{} has a pipeline whose programs have several stages each",
            spec.name
        );
        let shaders = spec.programs.iter().flat_map(|program| {
            program.shaders.iter().map(|(stage, body)| {
                let parts = language.stage_parts(spec, *stage);
                (*stage, inject(&language.fill(body, &parts), &program.extensions, *stage))
            })
        });
        runs.push(("", shaders.collect()));
    }
    let extensions = spec.programs.iter().flat_map(|program| &program.extensions);
    let requires: Vec<String> = extensions.filter_map(|extension| extension.names.first().cloned()).collect();
    let limit = |requirement: &Requirement| match requirement {
        Requirement::OneDrawBuffer => Some(("gl_MaxDrawBuffers".to_owned(), 1)),
        Requirement::Above(name, least) => Some((name.clone(), least + 1)),
        Requirement::Es100 { .. } => None,
    };
    let limits: Vec<(String, i32)> = spec.requires.iter().filter_map(limit).collect();
    Ok(runs
        .into_iter()
        .map(|(suffix, shaders)| Case {
            name: format!("{}{suffix}", spec.name),
            group: group.to_owned(),
            api: api(language, &shaders),
            shaders: shaders.into_iter().map(|(stage, text)| Source { stage, strings: vec![text] }).collect(),
            linking: if spec.pipeline { Linking::Pipeline } else { Linking::Program },
            expect: match spec.expect {
                Expectation::Pass | Expectation::Builds => Expect::Pass,
                Expectation::Refused(expect) => expect,
            },
            glsl: language.number,
            requires: requires.clone(),
            absent: Vec::new(),
            limits: limits.clone(),
            geometry_input: None,
            includes: Includes::default(),
        })
        .collect())
}

/// Returns the kind of context that the suite makes for the language.
fn api(language: Language, shaders: &[(Stage, String)]) -> Api {
    let compatible = |(_, text): &(Stage, String)| {
        text.lines().any(|line| line.starts_with("#version") && line.contains("compatibility"))
    };
    match language {
        Language { es: true, .. } => Api::Es,
        // Core contexts have no older versions.
        Language { number: ..140, .. } => Api::DesktopCompatibility,
        _ if shaders.iter().any(compatible) => Api::DesktopCompatibility,
        _ => Api::DesktopCore,
    }
}

/// Enables extensions after the leading directives of a shader, as the suite's runner does.
fn inject(text: &str, extensions: &[Extension], stage: Stage) -> String {
    let enabled: String = extensions
        .iter()
        .filter(|extension| extension.stages & stage.bit() != 0)
        .filter_map(|extension| Some(format!("#extension {} : require\n", extension.names.first()?)))
        .collect();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !line.trim_start().starts_with('#') {
            break;
        }
        at += line.len();
    }
    format!("{}{enabled}{}", &text[..at], &text[at..])
}

/// Returns the fragment shader of a case that draws, with a colour made from its outputs in place of the comparison.
pub fn value_fragment(spec: &Spec) -> Option<String> {
    let language = spec.version;
    // The pictures are drawn in an ES context, and no other stages take part.
    if spec.expect != Expectation::Pass || !language.es || spec.pipeline {
        return None;
    }
    let shaders = &spec.programs.first()?.shaders;
    let (body, prefix) = match &spec.both {
        Some(body) => (body, ""),
        None if shaders.iter().any(|s| !matches!(s.0, Stage::Vertex | Stage::Fragment)) => return None,
        None => (&shaders.iter().find(|s| s.0 == Stage::Fragment)?.1, "FRAGMENT_"),
    };
    let values: Vec<(&str, &str)> = role(spec, Role::Output).map(|v| (v.kind.as_str(), v.name.as_str())).collect();
    if values.is_empty() {
        return None;
    }
    let mut parts = language.fragment_parts(spec, prefix);
    let output = parts.iter_mut().find(|(name, _)| name.ends_with("OUTPUT"))?;
    output.1 = format!("{} = {};\n", language.colour(), colour_of(&values)?);
    Some(inject(&language.fill(body, &parts), &spec.programs[0].extensions, Stage::Fragment))
}

/// `gl_MaxPatchVertices`, which every implementation has at least and most have.
const PATCH_VERTICES: &str = "32";

type Parts = Vec<(String, String)>;

impl Language {
    /// Returns `#version` if the language needs one.
    fn header(self) -> String {
        match self {
            Language { number: 100, .. } => String::new(),
            Language { number, es: true } => format!("#version {number} es\n"),
            Language { number, es: false } => format!("#version {number}\n"),
        }
    }

    /// Returns the substitutions in a shader of a case with several.
    fn stage_parts(self, spec: &Spec, stage: Stage) -> Parts {
        let uniforms = uniforms(spec, "any");
        let part = |name: &str, text: String| (name.to_owned(), text);
        match stage {
            Stage::Vertex => self.vertex_parts(spec, "VERTEX_"),
            Stage::Fragment => self.fragment_parts(spec, "FRAGMENT_"),
            Stage::Geometry => {
                let layout = "layout(triangles) in;\nlayout(triangle_strip, max_vertices = 3) out;\n";
                vec![part("GEOMETRY_DECLARATIONS", layout.to_owned() + &uniforms)]
            }
            Stage::TessControl => {
                let output = "gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n".to_owned();
                let levels = [("Inner", 2), ("Outer", 4)];
                let levels = levels
                    .into_iter()
                    .flat_map(|(kind, count)| (0..count).map(move |i| format!("gl_TessLevel{kind}[{i}] = 2.0;\n")));
                vec![
                    part("TESSELLATION_CONTROL_DECLARATIONS", "layout(vertices = 3) out;\n".to_owned() + &uniforms),
                    part("TESSELLATION_CONTROL_OUTPUT", output + &levels.collect::<String>()),
                    part("GL_MAX_PATCH_VERTICES", PATCH_VERTICES.to_owned()),
                ]
            }
            Stage::TessEvaluation => {
                let corner = |i: u32| format!("gl_TessCoord[{i}] * gl_in[{i}].gl_Position");
                let position = format!("gl_Position = {} + {} + {};\n", corner(0), corner(1), corner(2));
                vec![
                    part("TESSELLATION_EVALUATION_DECLARATIONS", "layout(triangles) in;\n".to_owned() + &uniforms),
                    part("TESSELLATION_EVALUATION_OUTPUT", position),
                    part("GL_MAX_PATCH_VERTICES", PATCH_VERTICES.to_owned()),
                ]
            }
            Stage::Compute => Vec::new(),
        }
    }

    /// Whether stages have `in` and `out`, and colours are outputs.
    fn modern(self) -> bool {
        if self.es { self.number >= 300 } else { self.number >= 330 }
    }

    fn attribute(self) -> &'static str {
        if self.modern() { "in" } else { "attribute" }
    }

    fn vertex_out(self) -> &'static str {
        if self.modern() { "out" } else { "varying" }
    }

    fn fragment_in(self) -> &'static str {
        if self.modern() { "in" } else { "varying" }
    }

    fn colour(self) -> &'static str {
        if self.modern() { "dEQP_FragColor" } else { "gl_FragColor" }
    }

    fn colour_declaration(self) -> &'static str {
        if self.modern() { "layout(location = 0) out mediump vec4 dEQP_FragColor;\n" } else { "" }
    }

    /// Replaces `${NAME}`, and `${NAME:single-line}` by the same without line breaks.
    fn fill(self, body: &str, parts: &Parts) -> String {
        let mut text = body.to_owned();
        for (name, value) in parts {
            text = text.replace(&format!("${{{name}}}"), value);
            text = text.replace(&format!("${{{name}:single-line}}"), &value.replace('\n', " "));
        }
        text
    }

    /// Returns the substitutions in a vertex shader of the case; `prefix` distinguishes a pair's names from those of
    /// `both`.
    fn vertex_parts(self, spec: &Spec, prefix: &str) -> Parts {
        let mut declarations = format!("{} highp vec4 dEQP_Position;\n", self.attribute());
        let mut setup = String::new();
        for input in role(spec, Role::Input) {
            let carrier = carrier(input, "a_");
            let _ = writeln!(declarations, "{} highp {} {};", self.attribute(), carrier.kind, carrier.name);
            setup += &unpack(input, &carrier);
        }
        declarations += &uniforms(spec, prefix);
        let mut output = "gl_Position = dEQP_Position;\n".to_owned();
        // In a pair, the outputs belong to the fragment shader.
        for value in role(spec, Role::Output).filter(|_| prefix.is_empty()) {
            let carrier = carrier(value, "o_");
            let _ = writeln!(declarations, "{} mediump {} {};", self.vertex_out(), carrier.kind, carrier.name);
            if carrier.name != value.name {
                let _ = writeln!(declarations, "{} {};", qualified(&value.kind), value.name);
                let _ = writeln!(output, "{} = {}({});", carrier.name, carrier.kind, value.name);
            }
        }
        parts(prefix, declarations, setup, output, "gl_Position", self.colour())
    }

    /// Returns the substitutions in a fragment shader of the case.
    fn fragment_parts(self, spec: &Spec, prefix: &str) -> Parts {
        let mut declarations = self.colour_declaration().to_owned();
        let mut setup = String::new();
        // In a pair, the inputs belong to the vertex shader.
        for input in role(spec, Role::Input).filter(|_| prefix.is_empty()) {
            let carrier = carrier(input, "v_");
            let _ = writeln!(declarations, "{} mediump {} {};", self.fragment_in(), carrier.kind, carrier.name);
            setup += &unpack(input, &carrier);
        }
        declarations += &uniforms(spec, prefix);
        for output in role(spec, Role::Output) {
            let _ = writeln!(declarations, "uniform {} ref_{};", qualified(&output.kind), output.name);
            let _ = writeln!(declarations, "{} {};", qualified(&output.kind), output.name);
        }
        let output = self.comparison(spec, |output| output.name.clone());
        parts(prefix, declarations, setup, output, self.colour(), self.colour())
    }

    /// Returns the vertex shader for a lone fragment shader: passes every input on.
    fn forwarding_vertex(self, spec: &Spec) -> String {
        let mut text = self.header();
        let _ = writeln!(text, "{} highp vec4 dEQP_Position;", self.attribute());
        let mut body = String::new();
        for input in role(spec, Role::Input) {
            let carrier = carrier(input, "v_");
            let _ = writeln!(text, "{} highp {} a_{};", self.attribute(), carrier.kind, input.name);
            let _ = writeln!(text, "{} mediump {} {};", self.vertex_out(), carrier.kind, carrier.name);
            let _ = writeln!(body, "    {} = a_{};", carrier.name, input.name);
        }
        let _ = write!(text, "void main()\n{{\n    gl_Position = dEQP_Position;\n{body}}}\n");
        text
    }

    /// Returns the fragment shader for a lone vertex shader: compares every output.
    fn comparing_fragment(self, spec: &Spec) -> String {
        let mut text = self.header() + self.colour_declaration();
        let mut setup = String::new();
        for output in role(spec, Role::Output) {
            let carrier = carrier(output, "o_");
            let _ = writeln!(text, "{} mediump {} {};", self.fragment_in(), carrier.kind, carrier.name);
            let _ = writeln!(text, "uniform {} ref_{};", qualified(&output.kind), output.name);
            setup += &unpack(output, &carrier);
        }
        let _ = write!(text, "void main()\n{{\n{setup}{}}}\n", self.comparison(spec, |output| output.name.clone()));
        text
    }

    fn comparison(self, spec: &Spec, name: impl Fn(&Value) -> String) -> String {
        let tests: Vec<String> = role(spec, Role::Output)
            .flat_map(|output| equal(&output.kind, &name(output), &format!("ref_{}", output.name)))
            .collect();
        if tests.is_empty() {
            return format!("{} = vec4(1.0);\n", self.colour());
        }
        format!("{} = ({}) ? vec4(1.0) : vec4(0.0, 0.0, 0.0, 1.0);\n", self.colour(), tests.join(" && "))
    }
}

fn parts(prefix: &str, declarations: String, setup: String, output: String, either: &str, colour: &str) -> Parts {
    vec![
        (format!("{prefix}DECLARATIONS"), declarations),
        (format!("{prefix}SETUP"), setup),
        (format!("{prefix}OUTPUT"), output),
        ("POSITION_FRAG_COLOR".to_owned(), either.to_owned()),
        ("FRAG_COLOR".to_owned(), colour.to_owned()),
    ]
}

fn role(spec: &Spec, role: Role) -> impl Iterator<Item = &Value> {
    spec.values.iter().filter(move |value| value.role == role)
}

/// Returns the uniforms that a pair's case sets. Members of structures and elements of arrays are declared by its own
/// text, and so are all uniforms of a text for both stages.
fn uniforms(spec: &Spec, prefix: &str) -> String {
    role(spec, Role::Uniform)
        .filter(|value| !prefix.is_empty() && !value.name.contains(['.', '[']))
        .map(|value| format!("uniform {} {};\n", qualified(&value.kind), value.name))
        .collect()
}

/// Returns a type with a precision, if it can have one.
fn qualified(kind: &str) -> String {
    if kind.starts_with('b') { kind.to_owned() } else { format!("mediump {kind}") }
}

/// Returns the floating-point variable that carries a value between stages: itself, if it has such a type.
fn carrier(value: &Value, prefix: &str) -> Value {
    let float = match value.kind.as_str() {
        "bool" | "int" | "uint" => "float",
        "bvec2" | "ivec2" | "uvec2" => "vec2",
        "bvec3" | "ivec3" | "uvec3" => "vec3",
        "bvec4" | "ivec4" | "uvec4" => "vec4",
        _ => return value.clone(),
    };
    Value { kind: float.to_owned(), name: format!("{prefix}{}", value.name), ..value.clone() }
}

/// Declares the value from its carrier.
fn unpack(value: &Value, carrier: &Value) -> String {
    if carrier.name == value.name {
        return String::new();
    }
    let from =
        if value.kind.starts_with('b') { carrier.name.clone() } else { format!("floor({} + 0.5)", carrier.name) };
    format!("{} {} = {}({from});\n", qualified(&value.kind), value.name, value.kind)
}

/// Returns expressions that are all true when two values are close enough.
fn equal(kind: &str, left: &str, right: &str) -> Vec<String> {
    let size = |text: &str| text.parse::<usize>().unwrap_or(4);
    if let Some(shape) = kind.strip_prefix("mat") {
        let (columns, rows) = shape.split_once('x').unwrap_or((shape, shape));
        let column = format!("vec{rows}");
        return (0..size(columns))
            .flat_map(|i| equal(&column, &format!("{left}[{i}]"), &format!("{right}[{i}]")))
            .collect();
    }
    vec![match kind {
        "float" => format!("abs({left} - {right}) < 0.05"),
        "vec2" | "vec3" | "vec4" => format!("all(lessThan(abs({left} - {right}), {kind}(0.05)))"),
        "bool" | "int" | "uint" => format!("{left} == {right}"),
        _ => format!("all(equal({left}, {right}))"),
    }]
}
