//! Runs the shaders of `filetests/`, each against the expectations inside it; see filetests/README.md.

#[path = "filetests/bless.rs"]
mod bless;
#[path = "filetests/directive.rs"]
mod directive;
#[path = "filetests/emulate.rs"]
mod emulate;
#[path = "filetests/instrumented.rs"]
mod instrumented;
#[path = "filetests/judge.rs"]
mod judge;
#[path = "filetests/run_directive.rs"]
mod run_directive;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use run_directive::Engine;
use testing::filetest::{self, FileTest};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut files = Vec::new();
    if let Err(error) = walk(&root, &mut files) {
        eprintln!("{} cannot be read: {error}", root.display());
        return ExitCode::FAILURE;
    }
    files.sort();
    let trials = files.into_iter().flat_map(|path| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        trials(&name, &path)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Returns the trials of a file: one if it is checked, one for each of its versions and engines if it is run.
fn trials(name: &str, path: &Path) -> Vec<Trial> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let shaders = match filetest::read(&text) {
        Ok(shaders) => shaders,
        Err(error) => return vec![Trial::test(name, move || Err(error.into()))],
    };
    if text.starts_with("// run:") {
        return shaders.iter().flat_map(|shader| runs(name, shader)).collect();
    }
    let checked = |shader: FileTest| {
        let path = path.to_owned();
        Trial::test(name, move || match shader.version {
            None => check(&path, &shader),
            // `UPDATE_EXPECT` could not write what only one of the versions expects.
            Some(_) => Err("`versions` is for files that are run".into()),
        })
    };
    shaders.into_iter().map(checked).collect()
}

/// Returns the trials of a shader that is run: one for each engine.
fn runs(name: &str, shader: &FileTest) -> Vec<Trial> {
    let version = shader.version.as_ref().map(|version| format!("{version} ")).unwrap_or_default();
    let test = match run_directive::parse(shader) {
        Ok(test) => Arc::new(test),
        Err(error) => return vec![Trial::test(name, move || Err(error.into()))],
    };
    let trial = |engine: &Engine| {
        let (test, text) = (test.clone(), shader.text.clone());
        match engine {
            Engine::Emulate => Trial::test(format!("{name} [{version}emulate]"), move || {
                verdict(test.xfail.as_deref(), &emulate::judge(&test, &text))
            }),
            Engine::Instrument => Trial::test(format!("{name} [{version}instrument]"), move || {
                verdict(test.xfail.as_deref(), &instrumented::judge(&test, &text))
            }),
        }
    };
    test.engines.iter().map(trial).collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "glsl") {
            files.push(path);
        } else if path.file_name().is_none_or(|n| n != "README.md") {
            return Err(std::io::Error::other(format!("{} is no .glsl file", path.display())));
        }
    }
    Ok(())
}

fn check(path: &Path, test: &FileTest) -> Result<(), Failed> {
    let text = &test.text;
    let file = directive::parse(text)?;
    let shader = shader::analyze(&[text.as_str()], &test.options);
    let mut complaints = judge::judge(&file, &shader);
    if file.directives.is_empty() {
        complaints.push("it expects nothing; say at least `// accepted:`".to_owned());
    }
    if !complaints.is_empty() && file.xfail.is_none() && std::env::var_os("UPDATE_EXPECT").is_some() {
        let blessed = bless::bless(text, &file, &shader);
        std::fs::write(path, &blessed)?;
        let file = directive::parse(&blessed)?;
        complaints = judge::judge(&file, &shader::analyze(&[blessed.as_str()], &test.options));
    }
    verdict(file.xfail.as_deref(), &complaints)
}

fn verdict(xfail: Option<&str>, complaints: &[String]) -> Result<(), Failed> {
    match (xfail, complaints.is_empty()) {
        (None, true) | (Some(_), false) => Ok(()),
        (Some(reason), true) => Err(format!("it passes, but is marked `xfail: {reason}`; take the mark away").into()),
        (None, false) => Err(complaints.join("\n").into()),
    }
}
