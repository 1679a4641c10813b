//! WebGL mode compared with a browser's verdicts on the shaders in `webgl.txt`.
#![allow(missing_docs, reason = "tests")]

use shader::builtin::ExtensionSet;
use shader::diagnostic::Severity;
use shader::version::{Options, Profile, Stage, Version};

/// The extensions of Chromium's WebGL 1 contexts that are visible in GLSL.
const EXTENSIONS: [&str; 4] =
    ["GL_OES_standard_derivatives", "GL_EXT_frag_depth", "GL_EXT_shader_texture_lod", "GL_EXT_draw_buffers"];

/// Checks one shader; returns a description of the mismatch, if any.
fn check(header: &str, text: &str) -> Option<String> {
    let words: Vec<&str> = header.split_whitespace().collect();
    let [name, stage, context, expect] = words[..] else { return Some(format!("not the head of a probe: {header}")) };
    let mut options = Options::new(if stage == "vertex" { Stage::Vertex } else { Stage::Fragment });
    options.webgl = true;
    options.default_version = Version { number: 100, profile: Profile::Es };
    options.newest = Some(if context == "1" { 100 } else { 300 });
    options.available = ExtensionSet::empty();
    if context == "1" {
        EXTENSIONS.iter().filter_map(|e| shader::builtin::extension(e)).for_each(|e| options.available.insert(e));
    }
    let shader = shader::analyze(&[text], &options);
    let errors: Vec<&str> =
        shader.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.message.as_str()).collect();
    let accepted = errors.is_empty();
    (accepted != (expect == "accept")).then(|| format!("{name}: browsers {expect} it; our errors: {errors:?}"))
}

#[test]
fn matches_browsers() {
    let text = include_str!("webgl.txt");
    let probes: Vec<&str> = text.split("\n== ").skip(1).collect();
    assert!(probes.len() > 300, "{} probes", probes.len());
    let wrong: Vec<String> =
        probes.iter().filter_map(|p| p.split_once('\n')).filter_map(|(h, t)| check(h, t)).collect();
    assert_eq!(wrong, [""; 0]);
}
