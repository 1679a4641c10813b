//! Piglit's C programs, with the arguments in piglit's own lists.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::super::assembly;
use super::programs::{Ends, Group, Program};
use crate::{process, setup};

/// Programs that run scripts or parse shaders, which other corpora cover.
const SCRIPTED: &[&str] = &["shader_runner", "glslparsertest", "asmparsertest"];

/// Returns every program of piglit's quick list once, in an order that depends only on the seed, each with the
/// arguments of one of its tests; then `shader_runner` with each file that has an assembly program.
pub fn programs(seed: u64) -> anyhow::Result<Vec<Program>> {
    let folder = setup::piglit_programs()?;
    let list = setup::piglit_dir().join("tests/quick_gl.xml.gz");
    let text = process::output("gzip", &["--decompress", "--stdout", &list.to_string_lossy()])?;
    let mut chosen: BTreeMap<String, ([u8; 32], Program)> = BTreeMap::new();
    for (name, command) in tests(&text) {
        let Some((binary, arguments)) = command.split_first() else { continue };
        let path = folder.join("bin").join(binary);
        if SCRIPTED.iter().any(|scripted| binary.starts_with(scripted)) || !path.is_file() {
            continue;
        }
        let hash = |text: &str| *blake3::hash(format!("{seed} {text}").as_bytes()).as_bytes();
        let key = hash(&name);
        if chosen.get(binary).is_some_and(|(before, _)| *before < key) {
            continue;
        }
        chosen.insert(binary.clone(), (key, program(&folder, &name, &path, arguments)));
    }
    let mut programs: Vec<([u8; 32], Program)> = chosen.into_values().collect();
    programs.sort_by_key(|(key, _)| *key);
    let mut programs: Vec<Program> = programs.into_iter().map(|(_, program)| program).collect();
    let runner = folder.join("bin/shader_runner");
    for (name, file) in assembly_tests(&setup::piglit_dir())? {
        programs.push(program(&folder, &name, &runner, &[file.to_string_lossy().into_owned()]));
    }
    Ok(programs)
}

/// Returns the files for `shader_runner` that have an assembly program, with names.
fn assembly_tests(piglit: &Path) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut files = assembly::tests(piglit)?.into_iter().map(|(file, _)| file).collect::<Vec<PathBuf>>();
    files.dedup();
    let named = files.into_iter().map(|file| {
        let name = file.strip_prefix(piglit).unwrap_or(&file).with_extension("");
        (format!("assembly/{}", name.display()), file)
    });
    Ok(named.collect())
}

/// Returns whether the output of a piglit program reports a passed test.
pub fn passes(output: &str) -> bool {
    output.lines().any(|line| line.starts_with("PIGLIT:") && line.contains("\"result\": \"pass\""))
}

fn program(folder: &Path, name: &str, path: &Path, arguments: &[String]) -> Program {
    let mut command = vec![path.to_string_lossy().into_owned()];
    command.extend(arguments.iter().cloned());
    command.extend(["-auto".to_owned(), "-fbo".to_owned()]);
    let variables = [("LD_LIBRARY_PATH", folder.join("lib")), ("PIGLIT_SOURCE_DIR", setup::piglit_dir())];
    Program {
        name: format!("piglit/{name}"),
        group: Group::Piglit,
        command,
        variables: variables.map(|(name, value)| (name, value.to_string_lossy().into_owned())).to_vec(),
        ends: Ends::ByItself,
    }
}

/// Parses names and commands of `<Test type="gl" name="…"><option name="command" value="['program', 'argument']" />…`.
fn tests(text: &str) -> Vec<(String, Vec<String>)> {
    let mut tests = Vec::new();
    for test in text.split("<Test type=\"gl\" name=\"").skip(1) {
        let Some((name, rest)) = test.split_once('"') else { continue };
        let rest = rest.split("</Test>").next().unwrap_or_default();
        let command = rest.split_once("name=\"command\" value=\"").and_then(|(_, value)| value.split_once('"'));
        let Some((command, _)) = command else { continue };
        tests.push((plain(name), words(&plain(command))));
    }
    tests
}

/// Decodes the text of an XML attribute.
fn plain(text: &str) -> String {
    let named = [("&quot;", "\""), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    named.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Returns the strings of a Python list, none of which contains a quote or a backslash.
fn words(list: &str) -> Vec<String> {
    list.split('\'').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Checks that piglit's list can be read, before anything is run.
pub fn check_list() -> anyhow::Result<()> {
    let list = setup::piglit_dir().join("tests/quick_gl.xml.gz");
    std::fs::metadata(&list).map(drop).with_context(|| {
        format!("{} is missing; delete target/corpus/piglit and run `cargo xtask setup`", list.display())
    })
}

#[cfg(test)]
mod tests_of_this {
    use super::*;

    #[test]
    fn lists_are_parsed() {
        let text = r#"<PiglitTestList count="2"><Test type="gl" name="spec@a &lt; b"><option name="command" value="['prog', '-x', '2']" /><option name="run_concurrent" value="True" /></Test><Test type="gl_builtin" name="no"></Test></PiglitTestList>"#;
        let expected = vec![("spec@a < b".to_owned(), vec!["prog".to_owned(), "-x".to_owned(), "2".to_owned()])];
        assert_eq!(tests(text), expected);
    }

    #[test]
    fn verdicts_are_parsed() {
        assert!(passes("x\nPIGLIT: {\"result\": \"pass\" }\n"));
        assert!(!passes("PIGLIT: {\"subtest\": {\"a\" : \"pass\"}}\nPIGLIT: {\"result\": \"fail\" }\n"));
    }
}
