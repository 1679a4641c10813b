//! Reads piglit's shaders: what `glslparsertest` and `shader_runner` would compile, and the expected results.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::bail;
use driver::{Api, Includes};
use shader::version::Stage;

use super::case::{Case, Expect, Linking, Source};
use crate::files;

/// All cases, and the files left out, by reason.
#[derive(Default)]
pub struct Piglit {
    /// In the order of their names.
    pub cases: Vec<Case>,
    /// Files left out.
    pub skipped: BTreeMap<&'static str, Vec<String>>,
}

/// Reads every shader below piglit's folder.
pub fn read(folder: &Path) -> anyhow::Result<Piglit> {
    let mut files = Vec::new();
    for part in ["tests", "generated_tests"] {
        files.extend(files::below(&folder.join(part))?);
    }
    let stage = |path: &Path| Stage::from_extension(files::extension(path));
    files.retain(|path| files::extension(path) == "shader_test" || stage(path).is_some());
    if files.is_empty() {
        bail!("{} contains no shaders; delete it and run `cargo xtask setup`", folder.display());
    }
    files.sort_unstable();
    let mut piglit = Piglit::default();
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        // A few files have Latin-1 letters in comments; GLSL itself is ASCII.
        let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
        let read = match stage(&path) {
            Some(stage) => parser_test(&name, stage, text),
            None => shader_test(&name, &text),
        };
        match read {
            Ok(case) => piglit.cases.push(case),
            Err(reason) => piglit.skipped.entry(reason).or_default().push(name),
        }
    }
    Ok(piglit)
}

/// Returns the row of the table: `spec/glsl-1.10` for `tests/spec/glsl-1.10/compiler/x.frag`, else the first folder.
pub fn group(name: &str) -> String {
    let mut parts = name.split('/').skip(1);
    match (parts.next(), parts.next()) {
        (Some("spec"), Some(spec)) => format!("spec/{spec}"),
        (Some(first), _) => first.to_owned(),
        (None, _) => String::new(),
    }
}

fn blank(name: &str) -> Case {
    Case {
        name: name.to_owned(),
        group: group(name),
        shaders: Vec::new(),
        linking: Linking::No,
        expect: Expect::Pass,
        api: Api::DesktopCompatibility,
        glsl: 110,
        requires: Vec::new(),
        absent: Vec::new(),
        limits: Vec::new(),
        geometry_input: None,
        includes: Includes::default(),
    }
}

/// Reads a shader file with a `[config]` comment, like `glslparsertest`.
fn parser_test(name: &str, stage: Stage, text: String) -> Result<Case, &'static str> {
    let mut case = blank(name);
    let start = text.find("[config]").ok_or("no expectation: loaded by a C program")?;
    let config = text[start..].split("[end config]").next().unwrap_or_default();
    let mut require = shader_test::Require::default();
    let mut expect = None;
    let mut link = false;
    let mut compatibility = false;
    for line in config.lines() {
        let line = line.trim_start_matches(|c: char| c == '*' || c == '/' || c.is_whitespace()).trim_end();
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match key.trim() {
            "expect_result" => {
                expect = match value {
                    "pass" => Some(Expect::Pass),
                    "fail" => Some(Expect::Fail),
                    _ => None,
                }
            }
            "glsl_version" => {
                compatibility = value.ends_with("compatibility");
                case.glsl = shader_test::version(value).ok_or("config without a version")?;
                // There is no desktop 1.00, 3.00, 3.10 or 3.20, so piglit often omits "es".
                if value.ends_with("es") || matches!(case.glsl, 100 | 300 | 310 | 320) {
                    case.api = Api::Es;
                }
            }
            "check_link" => link = value.eq_ignore_ascii_case("true"),
            "require_extensions" => require.read_extensions(value),
            "dummy_shader_include" => {
                case.includes.strings.push(("/dummy/path_to/shader_include".to_owned(), "\n".to_owned()));
            }
            "shader_include_path" => case.includes.paths.push(value.to_owned()),
            _ => {}
        }
    }
    case.expect = expect.ok_or("config without expect_result")?;
    case.requires = require.extensions;
    case.absent = require.absent;
    compatibility |= case.requires.iter().any(|e| e == "GL_ARB_compatibility");
    if case.api != Api::Es && case.glsl >= 140 && !compatibility {
        case.api = Api::DesktopCore;
    }
    case.shaders.push(Source { stage, strings: vec![text] });
    if link {
        case.linking = Linking::Program;
        complete(&mut case, stage, compatibility);
    }
    Ok(case)
}

/// Adds the stages without which a program of this one shader could not link.
fn complete(case: &mut Case, stage: Stage, compatibility: bool) {
    let es = case.api == Api::Es;
    let companions: &[Stage] = match stage {
        Stage::Vertex if es => &[Stage::Fragment],
        Stage::Fragment if es => &[Stage::Vertex],
        Stage::Geometry | Stage::TessEvaluation if es => &[Stage::Vertex, Stage::Fragment],
        Stage::TessControl if es => &[Stage::Vertex, Stage::TessEvaluation, Stage::Fragment],
        Stage::Geometry | Stage::TessEvaluation => &[Stage::Vertex],
        Stage::TessControl => &[Stage::Vertex, Stage::TessEvaluation],
        Stage::Vertex | Stage::Fragment | Stage::Compute => &[],
    };
    let suffix = match (es && case.glsl >= 300, compatibility && case.glsl >= 150) {
        (true, _) => " es",
        (_, true) => " compatibility",
        _ => "",
    };
    let tessellation = if es { "GL_OES_tessellation_shader" } else { "GL_ARB_tessellation_shader" };
    for &stage in companions {
        let body = match stage {
            Stage::Fragment => "void main() { }\n".to_owned(),
            Stage::TessEvaluation => format!(
                "#extension {tessellation} : require\nlayout(quads, equal_spacing) in;\nvoid main() {{ gl_Position = vec4(0.0); }}\n"
            ),
            Stage::Vertex | Stage::TessControl | Stage::Geometry | Stage::Compute => {
                "void main() { gl_Position = vec4(0.0); }\n".to_owned()
            }
        };
        case.shaders.push(Source { stage, strings: vec![format!("#version {}{suffix}\n{body}", case.glsl)] });
    }
}

/// Reads a `.shader_test` file, like `shader_runner`.
fn shader_test(name: &str, text: &str) -> Result<Case, &'static str> {
    let mut case = blank(name);
    let test = shader_test::parse(text);
    if test.specializations {
        return Err("not GLSL: specialised through SPIR-V");
    }
    if test.shaders.is_empty() || test.shaders.iter().all(|s| s.passthrough) && test.other_languages {
        return Err("not GLSL: SPIR-V or ARB assembly only");
    }
    if test.commands.lines().any(|line| line.trim_end() == "link error") {
        case.expect = Expect::Fail;
    }
    // If the other half of the program is not GLSL, only compilation can be judged.
    case.linking = match &test.require {
        _ if test.other_languages => Linking::No,
        require if require.each_stage => Linking::EachStage,
        require if require.separable => Linking::Separable,
        _ => Linking::Program,
    };
    case.glsl = test.glsl();
    case.api = api(&test.require);
    for shader in &test.shaders {
        case.shaders.push(Source { stage: shader.stage, strings: test.strings(shader) });
    }
    let input = text.lines().find_map(|line| line.trim_end().strip_prefix("input type GL_"));
    case.geometry_input = input.map(str::to_ascii_lowercase);
    case.requires = test.require.extensions;
    case.absent = test.require.absent;
    case.includes = Includes { strings: test.includes, paths: test.include_paths };
    Ok(case)
}

fn api(require: &shader_test::Require) -> Api {
    if require.es {
        Api::Es
    } else if require.compatibility || (require.gl < 310 && require.glsl.unwrap_or(110) < 140) {
        Api::DesktopCompatibility
    } else {
        Api::DesktopCore
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expected: &str) {
        let read = match name.rsplit_once('.').and_then(|(_, e)| Stage::from_extension(e)) {
            Some(stage) => parser_test(name, stage, text.to_owned()),
            None => shader_test(name, text),
        };
        let shown = match read {
            Err(reason) => reason.to_owned(),
            Ok(case) => {
                let stages: Vec<&str> = case.shaders.iter().map(|s| s.stage.extension()).collect();
                let api = case.api.name();
                format!("{} {api} {} {:?} {:?} {}", case.group, case.glsl, case.expect, case.linking, stages.join("+"))
            }
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn config_comments_are_parsed() {
        let text = "// [config]\n// expect_result: fail\n// glsl_version: 1.50\n// check_link: true\n// [end config]\n";
        check("tests/spec/glsl-1.50/a.geom", text, "spec/glsl-1.50 core 150 Fail Program geom+vert");
        let text = "/* [config]\n * expect_result: pass\n * glsl_version: 3.00\n * [end config]\n */";
        check("tests/spec/x/a.frag", text, "spec/x es 300 Pass No frag");
        let text = "// [config]\n// expect_result: pass\n// glsl_version: 1.50compatibility\n// [end config]";
        check("tests/shaders/a.vert", text, "shaders compat 150 Pass No vert");
        check("tests/shaders/b.vert", "void main() {}", "no expectation: loaded by a C program");
    }

    #[test]
    fn shader_tests_are_parsed() {
        let text = "[require]\nGLSL >= 1.10\n\n[vertex shader passthrough]\n\n[fragment shader]\nvoid main() {}\n[test]\nlink error\n";
        check("tests/spec/x/a.shader_test", text, "spec/x compat 110 Fail Program vert+frag");
        let text = "[require]\nGL ES >= 3.0\nGLSL ES >= 3.00\nSSO ENABLED\n[fragment shader]\nvoid main() {}\n";
        check("generated_tests/spec/x/a.shader_test", text, "spec/x es 300 Pass EachStage frag");
        let text = "[require]\nGL COMPAT >= 3.2\nGLSL >= 1.50\n[fragment shader]\nvoid main() {}\n";
        check("tests/spec/x/a.shader_test", text, "spec/x compat 150 Pass Program frag");
        let text = "[require]\nGL >= 3.3\nSPIRV ONLY\n[fragment shader spirv]\n; SPIR-V\n";
        check("tests/spec/x/a.shader_test", text, "not GLSL: SPIR-V or ARB assembly only");
    }
}
