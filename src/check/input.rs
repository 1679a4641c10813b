//! Files to shaders: what to read, which stage it is, where its text stands.

use std::io::Read;
use std::path::Path;

use anyhow::{Context as _, bail};
use shader::Shader;
use shader::version::Stage;

use super::context::Context;
use super::{Args, shown};

/// A checked shader and where its strings stand.
pub struct Unit {
    /// Index of the file it came from.
    pub file: usize,
    /// Where each of its strings stands.
    pub pieces: Vec<Piece>,
    /// What was found out; its findings have been moved to the report of its file.
    pub shader: Shader,
    /// It has errors.
    pub broken: bool,
}

/// Where a string of `glShaderSource` stands.
pub struct Piece {
    /// What to call it.
    pub name: String,
    /// The line of the file on which it begins.
    pub first_line: u32,
    /// The file has no such text: other tools are told only the line.
    pub implied: bool,
}

/// The shaders of one file.
pub struct ReadFile {
    /// Its shaders.
    pub units: Vec<Unit>,
    /// They are one program.
    pub links: bool,
}

/// Reads and checks one file.
pub fn read(file: usize, path: &str, args: &Args, language: &Context) -> anyhow::Result<ReadFile> {
    let name = shown(path);
    if Path::new(path).is_dir() {
        bail!("{path} is a directory; name the files in it, for example {}/*.frag", path.trim_end_matches('/'));
    }
    let is_test = Path::new(path).extension().is_some_and(|e| e == "shader_test");
    let stage = if is_test { None } else { Some(stage_of(path, args)?) };
    let text = text(path)?;
    let Some(stage) = stage else {
        return shader_test(file, name, &text, args, language);
    };
    let pieces = vec![Piece { name: name.to_owned(), first_line: 1, implied: false }];
    let shader = shader::analyze(&[text], &language.options(args, stage, false));
    Ok(ReadFile { units: vec![Unit { file, pieces, shader, broken: false }], links: false })
}

pub fn text(path: &str) -> anyhow::Result<String> {
    let bytes = if path == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("stdin cannot be read")?;
        bytes
    } else {
        std::fs::read(path).with_context(|| format!("{path} cannot be read"))?
    };
    if bytes.len() > (u32::MAX / 2) as usize {
        bail!("{path} is too large for a shader; at most 2 GiB can be checked");
    }
    // The language's own characters are ASCII; anything else can only stand in comments, and is shown as it can be.
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

fn shader_test(file: usize, name: &str, text: &str, args: &Args, language: &Context) -> anyhow::Result<ReadFile> {
    let test = shader_test::parse(text);
    if test.shaders.is_empty() {
        bail!("{name} holds no GLSL shader; a .shader_test file has sections such as [fragment shader]");
    }
    let mut units = Vec::new();
    for shader in &test.shaders {
        let strings = test.strings(shader);
        let mut pieces = Vec::new();
        if strings.len() > 1 {
            let line = if shader.passthrough { shader.line } else { shader.line.saturating_sub(1) };
            pieces.push(Piece { name: format!("{name} [require]"), first_line: line.max(1), implied: true });
        }
        let (name, implied) =
            if shader.passthrough { (format!("{name} [passthrough]"), true) } else { (name.to_owned(), false) };
        pieces.push(Piece { name, first_line: shader.line, implied });
        let mut options = language.options(args, shader.stage, test.require.es);
        for extension in test.require.absent.iter().filter_map(|name| shader::builtin::extension(name)) {
            options.available.remove(extension);
        }
        units.push(Unit { file, pieces, shader: shader::analyze(&strings, &options), broken: false });
    }
    // Parts in another language are invisible here, so nothing can be said about the whole; and with separate shader
    // objects there is no whole.
    let links = !test.other_languages && !test.require.each_stage;
    Ok(ReadFile { units, links })
}

/// The stage a file is for: what its name says, else `--stage`.
fn stage_of(path: &str, args: &Args) -> anyhow::Result<Stage> {
    if let Some(stage) = stage_by_name(path) {
        return Ok(stage);
    }
    match args.stage {
        Some(stage) => Ok(stage.stage()),
        None if path == "-" => bail!("stdin has no name that tells the stage; add --stage vertex, --stage fragment, …"),
        None => bail!(
            "the name of {path} does not tell the stage; rename it to .vert, .frag, … or add --stage vertex, --stage fragment, …"
        ),
    }
}

/// The stage a file's name tells.
pub fn stage_by_name(path: &str) -> Option<Stage> {
    by_extension(split(path).1)
}

/// Folder and name without what tells the stage, and that extension: `("a/wood", "frag")` for `a/wood.frag.glsl`.
pub fn split(path: &str) -> (&str, &str) {
    let inner = path.strip_suffix(".glsl").unwrap_or(path);
    match inner.rsplit_once('.') {
        Some((stem, extension)) if by_extension(extension).is_some() => (stem, extension),
        _ => (inner, ""),
    }
}

fn by_extension(extension: &str) -> Option<Stage> {
    Some(match extension {
        "vert" | "vs" => Stage::Vertex,
        "tesc" | "tcs" => Stage::TessControl,
        "tese" | "tes" => Stage::TessEvaluation,
        "geom" | "gs" => Stage::Geometry,
        "frag" | "fs" => Stage::Fragment,
        "comp" | "cs" => Stage::Compute,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, stem: &str, stage: Option<Stage>) {
        assert_eq!((split(path).0, stage_by_name(path)), (stem, stage));
    }

    #[test]
    fn names_tell_stages() {
        check("wood.frag", "wood", Some(Stage::Fragment));
        check("a.b/wood.vert.glsl", "a.b/wood", Some(Stage::Vertex));
        check("wood.glsl", "wood", None);
        check("wood", "wood", None);
        check("wood.tcs", "wood", Some(Stage::TessControl));
        check("a.frag/wood", "a.frag/wood", None);
        check("-", "-", None);
    }
}
