//! `versions:`, `only:` and `word:`: one file for several versions of GLSL.

use shader::version::{Options, Stage, Version};

use super::{FileTest, directive, split, webgl};

/// What `versions:` calls a shader without `#version` in WebGL.
const WEBGL: &str = "webgl";

/// A replacement of one word by another: `word: c = gl_FragColor`.
struct Word<'a> {
    from: &'a str,
    to: &'a str,
    /// The line of the directive, from one.
    at: usize,
    used: bool,
}

/// Returns the file in each of its versions, or as it is if it names none.
pub(super) fn expand(text: &str, options: &Options) -> Result<Vec<FileTest>, String> {
    let mut found = None;
    for (index, line) in text.lines().enumerate() {
        let (code, comments) = split(line);
        for (word, rest) in comments.into_iter().filter_map(directive) {
            let at = index + 1;
            match word {
                "versions" if found.is_some() => return Err(format!("line {at}: a second `versions`")),
                "versions" if !code.trim().is_empty() => {
                    return Err(format!("line {at}: `versions` needs a line of its own"));
                }
                "versions" => found = Some((index, list(rest).map_err(|error| format!("line {at}: {error}"))?)),
                _ => {}
            }
        }
    }
    let Some((place, versions)) = found else {
        return Ok(vec![FileTest { version: None, text: text.to_owned(), options: options.clone() }]);
    };
    for (at, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("#version") {
            return Err(format!("line {at}: a file with `versions` has no `#version` of its own"));
        }
    }
    for version in &versions {
        if version != WEBGL {
            parse(version)?;
        }
    }
    versions.iter().map(|version| one(text, place, version, &versions, options)).collect()
}

/// Returns the file in one version. `place` is the index of the line with `versions:`, which becomes `#version`.
fn one(text: &str, place: usize, version: &str, versions: &[String], options: &Options) -> Result<FileTest, String> {
    let mut options = options.clone();
    if version == WEBGL {
        webgl(&mut options);
    }
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        let at = index + 1;
        if index == place {
            if version != WEBGL {
                out.push_str(&parse(version)?.0);
            }
        } else if applies(line, version, versions).map_err(|error| format!("line {at}: {error}"))? {
            match word(line, at)? {
                Some(word) => words.push(word),
                None => out.push_str(&replace(&without_only(line), &mut words)),
            }
        }
        out.push('\n');
    }
    match words.iter().find(|word| !word.used) {
        Some(word) => {
            Err(format!("line {}: the word `{}` does not occur below in version {version}", word.at, word.from))
        }
        None => Ok(FileTest { version: Some(version.to_owned()), text: out, options }),
    }
}

/// Splits `120, 330, webgl`.
fn list(text: &str) -> Result<Vec<String>, String> {
    let mut versions: Vec<String> = Vec::new();
    for version in text.split(',').map(str::trim) {
        if version.is_empty() {
            return Err("a list of versions is expected: `120, 330, 300es, webgl`".to_owned());
        }
        if versions.iter().any(|known| known == version) {
            return Err(format!("version {version} is listed twice"));
        }
        versions.push(version.to_owned());
    }
    Ok(versions)
}

/// Reads `450`, `450core`, `150compatibility` or `300es`: returns the line `#version 300 es` and what it means. The front
/// end decides which versions exist.
pub(super) fn parse(word: &str) -> Result<(String, Version), String> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, profile) = word.split_at(digits);
    let line = format!("#version {number} {profile}").trim_end().to_owned();
    let shader = shader::analyze(&[line.as_str()], &Options::new(Stage::Fragment));
    match shader.diagnostics.iter().find(|diagnostic| diagnostic.code == "version") {
        Some(diagnostic) => Err(format!("`{word}` is not a version: {}", diagnostic.message)),
        None => Ok((line, shader.preprocessed.version)),
    }
}

/// Whether a line is part of the file in this version, by its `only:`.
fn applies(line: &str, version: &str, versions: &[String]) -> Result<bool, String> {
    for (word, rest) in split(line).1.into_iter().filter_map(directive) {
        if word == "only" {
            let only = list(rest)?;
            if let Some(unknown) = only.iter().find(|word| !versions.contains(word)) {
                return Err(format!("`only` names {unknown}, which `versions` does not list"));
            }
            return Ok(only.iter().any(|word| word == version));
        }
    }
    Ok(true)
}

/// Removes the comment with `only:` from a line.
fn without_only(line: &str) -> String {
    let (code, comments) = split(line);
    let kept = comments.into_iter().filter(|comment| directive(comment).is_none_or(|(word, _)| word != "only"));
    kept.fold(code.to_owned(), |line, comment| line + "//" + comment).trim_end().to_owned()
}

/// Reads `// word: FROM = TO`, if that is what the line says.
fn word(line: &str, at: usize) -> Result<Option<Word<'_>>, String> {
    let (code, comments) = split(line);
    let Some((_, rest)) = comments.into_iter().filter_map(directive).find(|(word, _)| *word == "word") else {
        return Ok(None);
    };
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(is_word_byte);
    match rest.split_once(" = ").map(|(from, to)| (from.trim(), to.trim())) {
        Some((from, to)) if is_name(from) && is_name(to) && code.trim().is_empty() => {
            Ok(Some(Word { from, to, at, used: false }))
        }
        _ => Err(format!("line {at}: `// word: NAME = NAME` on a line of its own is expected")),
    }
}

/// Replaces words in a line, in code and directives alike.
fn replace(line: &str, words: &mut [Word<'_>]) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let length = rest.bytes().take_while(|b| is_word_byte(*b)).count();
        let (name, behind) = rest.split_at(length);
        match words.iter_mut().find(|word| word.from == name) {
            Some(word) => {
                word.used = true;
                out.push_str(word.to);
            }
            None => out.push_str(name),
        }
        let length = behind.find(|c: char| c.is_ascii() && is_word_byte(c as u8)).unwrap_or(behind.len());
        out.push_str(&behind[..length]);
        rest = &behind[length..];
    }
    out
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use crate::filetest::read;

    const HEADER: &str = "// run: emulate\n// stage: fragment\n";

    /// The bodies of a file in its versions, each behind its name.
    fn bodies(body: &str) -> Result<Vec<(String, String)>, String> {
        let shaders = read(&format!("{HEADER}{body}"))?;
        Ok(shaders
            .into_iter()
            .map(|shader| {
                let text = shader.text.strip_prefix(HEADER).expect("the header stays").to_owned();
                (shader.version.unwrap_or_default(), text)
            })
            .collect())
    }

    #[track_caller]
    fn refused(body: &str, part: &str) {
        let error = bodies(body).expect_err("the file is wrong");
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn a_file_without_versions_stays_as_it_is() {
        let body = "#version 330\nvoid main() { }\n";
        assert_eq!(bodies(body).expect("nothing is wrong"), [(String::new(), body.to_owned())]);
    }

    #[test]
    fn lines_and_words_are_those_of_a_version() {
        let body = "// versions: 120, 300es, webgl\n\
                    // word: c = gl_FragColor   // only: 120, webgl\n\
                    precision highp float;      // only: 300es, webgl\n\
                    out vec4 c;                 // only: 300es\n\
                    void main() { vec4 cc = vec4(1); c = cc; }   // expect: c = (1, 1, 1, 1)\n";
        let old = "void main() { vec4 cc = vec4(1); gl_FragColor = cc; }   // expect: gl_FragColor = (1, 1, 1, 1)\n";
        let new = "void main() { vec4 cc = vec4(1); c = cc; }   // expect: c = (1, 1, 1, 1)\n";
        let expected = [
            ("120", format!("#version 120\n\n\n\n{old}")),
            ("300es", format!("#version 300 es\n\nprecision highp float;\nout vec4 c;\n{new}")),
            ("webgl", format!("\n\nprecision highp float;\n\n{old}")),
        ];
        assert_eq!(bodies(body).expect("nothing is wrong"), expected.map(|(version, text)| (version.to_owned(), text)));
    }

    #[test]
    fn webgl_is_a_way_of_reading() {
        let shaders = read("// run: emulate\n// stage: fragment\n// versions: 100, webgl\n").expect("nothing is wrong");
        assert_eq!([false, true], [shaders[0].options.webgl, shaders[1].options.webgl]);
    }

    #[test]
    fn unknown_versions_are_errors() {
        refused("// versions: 120, 125\n", "`125` is not a version: there is no version 125");
        refused("// versions: 300\n", "`300` is not a version");
        refused("// versions: 120es\n", "`120es` is not a version");
        refused("// versions: newest\n", "`newest` is not a version");
        refused("// versions:\n", "a list of versions is expected");
        refused("// versions: 120, 120\n", "listed twice");
    }

    #[test]
    fn directives_that_do_nothing_are_errors() {
        refused("// versions: 120\n#version 120\n", "has no `#version` of its own");
        refused("// versions: 120\n// versions: 330\n", "a second `versions`");
        refused("// versions: 120\nfloat a;   // only: 330\n", "`only` names 330, which `versions` does not list");
        refused("// versions: 120\n// word: c = d\nfloat e;\n", "the word `c` does not occur below in version 120");
        refused("// versions: 120\nfloat c; // word: c = d\n", "on a line of its own");
    }
}
