//! Parses `.test` files: groups, cases, values and shader texts, for all stages, and programs of pipelines.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use shader::version::Stage;

use crate::corpus::case::Expect;

/// One case as written.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Group names and its own, joined with dots.
    pub name: String,
    /// The version; GLSL ES 1.00 when the case gives none.
    pub version: Language,
    /// The expected result.
    pub expect: Expectation,
    /// What the context must be like.
    pub requires: Vec<Requirement>,
    /// Values that the runner sets and compares.
    pub values: Vec<Value>,
    /// The type after `output_color`: the outputs are pixels that the runner reads.
    pub output_color: Option<String>,
    /// The text that is run once as each stage.
    pub both: Option<String>,
    /// Its programs: one, or those of a pipeline.
    pub programs: Vec<Program>,
    /// Whether the programs form a pipeline.
    pub pipeline: bool,
}

/// A version of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// As in `#version`.
    pub number: u16,
    /// Whether it is GLSL ES.
    pub es: bool,
}

impl Default for Language {
    fn default() -> Language {
        Language { number: 100, es: true }
    }
}

/// The word after `expect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Expectation {
    /// It builds and draws the right values.
    #[default]
    Pass,
    /// It builds; it is not drawn.
    Builds,
    /// It is refused.
    Refused(Expect),
}

/// A program of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Its shaders.
    pub shaders: Vec<(Stage, String)>,
    /// The extensions that the runner enables in them.
    pub extensions: Vec<Extension>,
}

/// An extension that the runner enables.
#[derive(Clone, Debug, PartialEq)]
pub struct Extension {
    /// Names, any of which will do.
    pub names: Vec<String>,
    /// The stages in which it is enabled, one bit each.
    pub stages: u8,
}

/// What a context must be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// A limit, by the name of GLSL's constant, is greater than a number.
    Above(String, i32),
    /// There is one draw buffer.
    OneDrawBuffer,
    /// It has all of GLSL ES 1.00, or only what appendix A demands.
    Es100 {
        /// All of it.
        full: bool,
    },
}

/// An input, an output or a uniform.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its role.
    pub role: Role,
    /// Type name without precision.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its components, one list for each run of the case.
    pub columns: Vec<Vec<f64>>,
}

/// The role of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Set for each vertex.
    Input,
    /// Compared with the expected value.
    Output,
    /// Set for the whole draw.
    Uniform,
}

/// Parses the numbers of `1.0`, `true` or `vec2(1.0, 2.0)`.
fn components(text: &str) -> Vec<f64> {
    let inside = text.trim();
    let inside = inside.split_once('(').map_or(inside, |(_, rest)| rest.trim_end_matches(')'));
    let number = |word: &str| match word.trim() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        word => word.trim_end_matches(['u', 'f']).parse().ok(),
    };
    inside.split(',').filter_map(number).collect()
}

/// Reads one file and what it imports.
pub fn read(path: &Path) -> anyhow::Result<Vec<Spec>> {
    let mut specs = Vec::new();
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    // The suite keeps some files in `gles2/shaders`.
    let folders = path.ancestors().skip(1).filter_map(Path::file_name).map(|s| s.to_string_lossy().into_owned());
    let parent = folders.into_iter().find(|folder| folder != "shaders");
    let prefix = parent.map_or(stem.clone(), |parent| format!("{parent}.{stem}"));
    read_into(path, &prefix, 0, &mut specs)?;
    Ok(specs)
}

/// Returns the files that a file names itself as imported.
pub fn imports(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let text = text(path)?;
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("import "));
    Ok(names.map(|name| path.with_file_name(name.trim().trim_matches('"'))).collect())
}

/// Returns the text of a file. A file of the suite has a character of Latin-1 in a comment.
fn text(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns whether a file is XML.
pub fn is_xml(path: &Path) -> anyhow::Result<bool> {
    Ok(text(path)?.starts_with("<?xml"))
}

fn read_into(path: &Path, prefix: &str, depth: usize, specs: &mut Vec<Spec>) -> anyhow::Result<()> {
    anyhow::ensure!(depth < 16, "{} imports itself", path.display());
    let text = text(path)?;
    let mut reader = Reader { text: &text, at: 0, path, depth };
    reader.items(prefix, specs).with_context(|| format!("{}:{}", path.display(), reader.line()))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    path: &'a Path,
    depth: usize,
}

impl Reader<'_> {
    /// Parses items up to the `end` of the group, or of the file.
    fn items(&mut self, prefix: &str, specs: &mut Vec<Spec>) -> anyhow::Result<()> {
        while let Some(word) = self.word() {
            match word.as_str() {
                "group" => {
                    let name = self.word().context("a group has no name")?;
                    self.string()?;
                    self.items(&format!("{prefix}.{name}"), specs)?;
                }
                "case" => {
                    let name = self.word().context("a case has no name")?;
                    specs.push(self.case(format!("{prefix}.{name}"))?);
                }
                "import" => {
                    let file = self.string()?;
                    let path = self.path.with_file_name(file);
                    read_into(&path, prefix, self.depth + 1, specs)?;
                }
                "end" => return Ok(()),
                other => bail!("unexpected {other:?}"),
            }
        }
        Ok(())
    }

    fn case(&mut self, name: String) -> anyhow::Result<Spec> {
        let mut spec = Spec { name, ..Spec::default() };
        let mut program = Program::default();
        loop {
            let word = self.word().context("a case has no end")?;
            match word.as_str() {
                "end" => break,
                "version" => {
                    let number = self.word().context("a version has no number")?;
                    let es = self.peek() == "es";
                    if es {
                        self.word();
                    }
                    spec.version = Language { number: number.parse()?, es };
                }
                "desc" => {
                    self.string()?;
                }
                "expect" => spec.expect = self.expectation()?,
                "output_color" => spec.output_color = Some(self.word().context("a colour has no type")?),
                "require" => self.requirement(&mut spec.requires, &mut program.extensions)?,
                "values" => spec.values = self.values()?,
                "both" => spec.both = Some(self.shader()?),
                "pipeline_program" => {
                    spec.pipeline = true;
                    let program = self.program()?;
                    spec.programs.push(program);
                }
                _ => {
                    let stage = stage(&word).with_context(|| format!("unknown attribute {word:?} in {}", spec.name))?;
                    program.shaders.push((stage, self.shader()?));
                }
            }
        }
        if !spec.pipeline {
            spec.programs.push(program);
        } else if !program.shaders.is_empty() || spec.both.is_some() {
            bail!("{} has shaders beside the programs of its pipeline", spec.name);
        }
        Ok(spec)
    }

    fn expectation(&mut self) -> anyhow::Result<Expectation> {
        let word = self.word().context("an expectation is empty")?;
        Ok(match word.as_str() {
            "pass" => Expectation::Pass,
            "build_successful" => Expectation::Builds,
            "compile_fail" => Expectation::Refused(Expect::CompileFail),
            "link_fail" => Expectation::Refused(Expect::LinkFail),
            "compile_or_link_fail" => Expectation::Refused(Expect::Fail),
            "validation_fail" => Expectation::Refused(Expect::ValidationFail),
            other => bail!("unknown expectation {other:?}"),
        })
    }

    /// Parses what follows `require`.
    fn requirement(&mut self, all: &mut Vec<Requirement>, extensions: &mut Vec<Extension>) -> anyhow::Result<()> {
        let word = self.word().context("a requirement is empty")?;
        match word.as_str() {
            "extension" => {
                let names = self.braces()?.split('|').map(|n| n.trim().trim_matches('"').to_owned()).collect();
                let mut stages = u8::MAX;
                if self.peek() == "in" {
                    self.word();
                    stages = self.stages()?;
                }
                extensions.push(Extension { names, stages });
            }
            "limit" => {
                let name = self.string()?;
                let relation = self.word();
                anyhow::ensure!(relation.as_deref() == Some(">"), "a limit is compared by {relation:?}");
                let number = self.word().context("a limit has no number")?.parse()?;
                all.push(Requirement::Above(constant(&name), number));
            }
            "exactly_one_draw_buffer" => all.push(Requirement::OneDrawBuffer),
            "full_glsl_es_100_support" => all.push(Requirement::Es100 { full: true }),
            "only_glsl_es_100_support" => all.push(Requirement::Es100 { full: false }),
            other => bail!("unknown requirement {other:?}"),
        }
        Ok(())
    }

    /// Parses a program of a pipeline up to its `end`.
    fn program(&mut self) -> anyhow::Result<Program> {
        let mut program = Program::default();
        loop {
            let word = self.word().context("a program has no end")?;
            match word.as_str() {
                "end" => return Ok(program),
                // Which of its stages the pipeline uses: always all of them.
                "active_stages" => {
                    self.stages()?;
                }
                "require" => {
                    let mut others = Vec::new();
                    self.requirement(&mut others, &mut program.extensions)?;
                    anyhow::ensure!(others.is_empty(), "a program of a pipeline requires {others:?}");
                }
                _ => {
                    let stage = stage(&word).with_context(|| format!("unknown attribute {word:?} of a program"))?;
                    program.shaders.push((stage, self.shader()?));
                }
            }
        }
    }

    fn stages(&mut self) -> anyhow::Result<u8> {
        let mut bits = 0;
        for word in self.braces()?.split(',') {
            bits |= stage(word.trim()).with_context(|| format!("unknown stage {word:?}"))?.bit();
        }
        Ok(bits)
    }

    /// Returns the text between two braces.
    fn braces(&mut self) -> anyhow::Result<String> {
        self.space();
        let rest = &self.text[self.at..];
        anyhow::ensure!(rest.starts_with('{'), "a brace is missing");
        let end = rest.find('}').context("a brace is not closed")?;
        self.at += end + 1;
        Ok(rest[1..end].to_owned())
    }

    fn values(&mut self) -> anyhow::Result<Vec<Value>> {
        let inside = self.braces()?;
        let mut values = Vec::new();
        for line in inside.split(';') {
            let declaration =
                line.lines().map(|l| l.split('#').next().unwrap_or_default()).collect::<Vec<_>>().join(" ");
            let (_, numbers) = declaration.split_once('=').unwrap_or(("", ""));
            let columns = numbers.trim().trim_matches(['[', ']']).split('|').map(components).collect();
            let mut words = declaration.split('=').next().unwrap_or_default().split_whitespace();
            let role = match words.next() {
                None => continue,
                Some("input") => Role::Input,
                Some("output") => Role::Output,
                Some("uniform") => Role::Uniform,
                Some(other) => bail!("unknown kind of value {other:?}"),
            };
            let words: Vec<&str> = words.filter(|w| !matches!(*w, "lowp" | "mediump" | "highp")).collect();
            let [kind, name] = words[..] else { bail!("a value is not a type and a name: {declaration:?}") };
            values.push(Value { role, kind: kind.to_owned(), name: name.trim_matches('"').to_owned(), columns });
        }
        Ok(values)
    }

    fn shader(&mut self) -> anyhow::Result<String> {
        self.space();
        let rest = &self.text[self.at..];
        anyhow::ensure!(rest.starts_with("\"\""), "a shader text does not begin with \"\"");
        let end = rest[2..].find("\"\"").context("a shader text has no end")?;
        self.at += 2 + end + 2;
        // Backslashes are doubled.
        Ok(dedent(&rest[2..2 + end]).replace("\\\\", "\\"))
    }

    fn string(&mut self) -> anyhow::Result<String> {
        self.space();
        let rest = &self.text[self.at..];
        anyhow::ensure!(rest.starts_with('"'), "a string is missing");
        let end = rest[1..].find('"').context("a string has no end")?;
        self.at += end + 2;
        Ok(rest[1..=end].to_owned())
    }

    fn word(&mut self) -> Option<String> {
        self.space();
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| c.is_whitespace() || c == '"' || c == '{').unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| rest[..length].to_owned())
    }

    /// Returns the next word without reading it.
    fn peek(&mut self) -> String {
        let at = self.at;
        let word = self.word().unwrap_or_default();
        self.at = at;
        word
    }

    /// Skips white space and comments.
    fn space(&mut self) {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            if !rest.starts_with('#') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn line(&self) -> usize {
        self.text[..self.at].matches('\n').count() + 1
    }
}

/// Returns the stage that the suite calls so.
fn stage(word: &str) -> Option<Stage> {
    Some(match word {
        "vertex" => Stage::Vertex,
        "tessellation_control" => Stage::TessControl,
        "tessellation_evaluation" => Stage::TessEvaluation,
        "geometry" => Stage::Geometry,
        "fragment" => Stage::Fragment,
        _ => return None,
    })
}

/// Returns the name of GLSL's constant for a limit such as `GL_MAX_VERTEX_ATTRIBS`.
fn constant(name: &str) -> String {
    let words = name.trim_start_matches("GL_").split('_').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_owned() + &rest.to_ascii_lowercase()
    });
    format!("gl_{}", words.collect::<String>())
}

/// Removes the first line break and the common indentation.
fn dedent(text: &str) -> String {
    let text = text.trim_start_matches([' ', '\t']).strip_prefix('\n').unwrap_or(text);
    let filled = text.lines().filter(|l| !l.trim().is_empty());
    let margin = filled.map(|l| l.len() - l.trim_start().len()).min().unwrap_or(0);
    text.lines().map(|l| l.get(margin..).unwrap_or_default().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_parsed() {
        let text = "# comment\ngroup g \"title\"\n  case c\n    version 300 es\n    expect compile_fail\n    values {\n      input mediump float in0 = [ 1.0 | 2.0 ]; # why\n      output bvec2 out0 = bvec2(true, false);\n    }\n    both \"\"\n      void main()\n      {\n        x;\n      }\n    \"\"\n  end\nend\n";
        let mut specs = Vec::new();
        let mut reader = Reader { text, at: 0, path: Path::new("t.test"), depth: 0 };
        reader.items("p", &mut specs).expect("it parses");
        assert_eq!(specs.len(), 1);
        let spec = &specs[0];
        let refused = Expectation::Refused(Expect::CompileFail);
        let es3 = Language { number: 300, es: true };
        assert_eq!((spec.name.as_str(), spec.version, spec.expect), ("p.g.c", es3, refused));
        let value = |role, kind: &str, name: &str, columns| Value {
            role,
            kind: kind.to_owned(),
            name: name.to_owned(),
            columns,
        };
        let input = value(Role::Input, "float", "in0", vec![vec![1.0], vec![2.0]]);
        let output = value(Role::Output, "bvec2", "out0", vec![vec![1.0, 0.0]]);
        assert_eq!(spec.values, [input, output]);
        assert_eq!(spec.both.as_deref(), Some("void main()\n{\n  x;\n}\n\n"));
    }

    #[test]
    fn programs_of_a_pipeline_and_requirements_are_parsed() {
        let text = "case c\n version 450\n expect validation_fail\n require limit \"GL_MAX_VERTEX_IMAGE_UNIFORMS\" > 2\n values{ uniform int \"s.x[1]\" = -3; }\n pipeline_program\n active_stages {vertex}\n require extension { \"GL_A\" | \"GL_B\" } in { vertex, geometry }\n vertex \"\" a \"\"\n end\n pipeline_program\n active_stages {fragment}\n fragment \"\" b \"\"\n end\nend\n";
        let mut specs = Vec::new();
        let mut reader = Reader { text, at: 0, path: Path::new("t.test"), depth: 0 };
        reader.items("p", &mut specs).expect("it parses");
        let spec = &specs[0];
        assert_eq!(spec.version, Language { number: 450, es: false });
        assert_eq!(spec.expect, Expectation::Refused(Expect::ValidationFail));
        assert_eq!(spec.requires, [Requirement::Above("gl_MaxVertexImageUniforms".to_owned(), 2)]);
        assert_eq!((spec.values[0].name.as_str(), &spec.values[0].columns), ("s.x[1]", &vec![vec![-3.0]]));
        assert!(spec.pipeline);
        let stages = Stage::Vertex.bit() | Stage::Geometry.bit();
        let extension = Extension { names: vec!["GL_A".to_owned(), "GL_B".to_owned()], stages };
        assert_eq!(spec.programs[0].extensions, [extension]);
        let shaders: Vec<Stage> = spec.programs.iter().map(|program| program.shaders[0].0).collect();
        assert_eq!(shaders, [Stage::Vertex, Stage::Fragment]);
    }
}
