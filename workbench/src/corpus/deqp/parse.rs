//! Parses `.test` files: groups, cases, values and shader texts.

use std::path::Path;

use anyhow::{Context, bail};

use crate::corpus::case::Expect;

/// One case as written.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Group names and its own, joined with dots.
    pub name: String,
    /// The version; 100 when the case gives none.
    pub version: Option<u16>,
    /// The expected result; `None` means that it builds and draws correctly.
    pub expect: Option<Expect>,
    /// Words after `require`.
    pub requires: Vec<String>,
    /// Values that the runner sets and compares.
    pub values: Vec<Value>,
    /// Texts by the preceding keyword: `vertex`, `fragment` or `both`.
    pub shaders: Vec<(String, String)>,
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
    let parent = path.parent().and_then(Path::file_name).map(|s| s.to_string_lossy().into_owned());
    let prefix = parent.map_or(stem.clone(), |parent| format!("{parent}.{stem}"));
    read_into(path, &prefix, 0, &mut specs)?;
    Ok(specs)
}

fn read_into(path: &Path, prefix: &str, depth: usize, specs: &mut Vec<Spec>) -> anyhow::Result<()> {
    anyhow::ensure!(depth < 16, "{} imports itself", path.display());
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
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
        loop {
            let word = self.word().context("a case has no end")?;
            match word.as_str() {
                "end" => return Ok(spec),
                "version" => {
                    let number = self.word().context("a version has no number")?;
                    spec.version = Some(number.parse()?);
                    let es = self.word();
                    anyhow::ensure!(es.as_deref() == Some("es"), "only ES versions are expected");
                }
                "desc" => {
                    self.string()?;
                }
                "expect" => {
                    let word = self.word().context("an expectation is empty")?;
                    spec.expect = Some(match word.as_str() {
                        "pass" | "build_successful" => Expect::Pass,
                        "compile_fail" => Expect::CompileFail,
                        "link_fail" => Expect::LinkFail,
                        "compile_or_link_fail" => Expect::Fail,
                        other => bail!("unknown expectation {other:?}"),
                    });
                }
                "require" => spec.requires.push(self.word().context("a requirement is empty")?),
                "values" => spec.values = self.values()?,
                "vertex" | "fragment" | "both" => {
                    let text = self.shader()?;
                    spec.shaders.push((word, text));
                }
                other => bail!("unknown attribute {other:?} in case {}", spec.name),
            }
        }
    }

    fn values(&mut self) -> anyhow::Result<Vec<Value>> {
        self.space();
        let rest = &self.text[self.at..];
        anyhow::ensure!(rest.starts_with('{'), "values without a brace");
        let end = rest.find('}').context("values without an end")?;
        let inside = &rest[1..end];
        self.at += end + 1;
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
            values.push(Value { role, kind: kind.to_owned(), name: name.to_owned(), columns });
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
        assert_eq!((spec.name.as_str(), spec.version, spec.expect), ("p.g.c", Some(300), Some(Expect::CompileFail)));
        let value = |role, kind: &str, name: &str, columns| Value {
            role,
            kind: kind.to_owned(),
            name: name.to_owned(),
            columns,
        };
        let input = value(Role::Input, "float", "in0", vec![vec![1.0], vec![2.0]]);
        let output = value(Role::Output, "bvec2", "out0", vec![vec![1.0, 0.0]]);
        assert_eq!(spec.values, [input, output]);
        assert_eq!(spec.shaders, [("both".to_owned(), "void main()\n{\n  x;\n}\n\n".to_owned())]);
    }
}
