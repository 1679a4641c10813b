//! Reads the header of a filetest: its stage, and the versions of GLSL it is for. See `filetests/README.md`.
//!
//! Several programs read `filetests/`: the runner of the filetests, tests of crate `instrument`, the WebGL corpus and
//! the fuzzer's seeds. Each of them gets its shaders from [`read`], so that all of them see the same ones.

mod versions;

use shader::version::{Options, Profile, Stage, Vendor, Version};

/// One shader of a filetest.
#[derive(Clone, Debug)]
pub struct FileTest {
    /// The version it was made for, as `versions:` spells it; `None` for a file without that directive.
    pub version: Option<String>,
    /// The whole text with its directives. Lines have the numbers that they have in the file.
    pub text: String,
    /// How the front end reads it.
    pub options: Options,
}

/// Returns the shaders of a filetest: one for each version that `versions:` lists, or the file as it is without one.
///
/// # Errors
/// When the header has no stage, or an unknown one, or when `versions:`, `only:` or `word:` is malformed.
pub fn read(text: &str) -> Result<Vec<FileTest>, String> {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let stage = match first.strip_prefix("// check:") {
        Some(stage) => stage,
        None if first.starts_with("// run:") => {
            let second = lines.next().unwrap_or_default();
            second.strip_prefix("// stage:").ok_or("the second line must be `// stage: STAGE`")?
        }
        None => return Err("the first line must be `// check: STAGE` or `// run: ENGINES`".to_owned()),
    };
    versions::expand(text, &options(stage)?)
}

/// Reads `fragment webgl`: a stage and how the front end reads the shader.
fn options(words: &str) -> Result<Options, String> {
    let mut words = words.split_whitespace();
    let stage = match words.next() {
        Some("vertex") => Stage::Vertex,
        Some("tesscontrol") => Stage::TessControl,
        Some("tessevaluation") => Stage::TessEvaluation,
        Some("geometry") => Stage::Geometry,
        Some("fragment") => Stage::Fragment,
        Some("compute") => Stage::Compute,
        other => return Err(format!("`{}` is not a stage", other.unwrap_or_default())),
    };
    let mut options = Options::new(stage);
    for word in words {
        match word {
            "webgl" => webgl(&mut options),
            "vendor=mesa" => options.vendor = Vendor::Mesa,
            "vendor=nvidia" => options.vendor = Vendor::Nvidia,
            _ => {
                let version = word.strip_prefix("version=").ok_or_else(|| format!("`{word}` is not an option"))?;
                options.version_override = Some(versions::parse(version)?.1);
            }
        }
    }
    Ok(options)
}

/// Applies the rules of WebGL, whose shaders without `#version` are GLSL ES 1.00.
fn webgl(options: &mut Options) {
    options.webgl = true;
    options.default_version = Version { number: 100, profile: Profile::Es };
}

/// Splits a line into its code and its comments: `a; // b // c` is `a; ` and `[" b ", " c"]`.
#[must_use]
pub fn split(line: &str) -> (&str, Vec<&str>) {
    let mut parts = line.split("//");
    (parts.next().unwrap_or_default(), parts.collect())
}

/// Returns the word and the rest of a comment of the form `word: rest`. Other comments have no colon after their first
/// word.
#[must_use]
pub fn directive(comment: &str) -> Option<(&str, &str)> {
    let (word, rest) = comment.trim().split_once(':')?;
    let is_word = !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
    is_word.then(|| (word, rest.trim()))
}
