//! Runs the shaders of `filetests/`, each against the expectations inside it; see filetests/README.md.

#[path = "filetests/bless.rs"]
mod bless;
#[path = "filetests/directive.rs"]
mod directive;
#[path = "filetests/judge.rs"]
mod judge;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut files = Vec::new();
    if let Err(error) = walk(&root, &mut files) {
        eprintln!("{} cannot be read: {error}", root.display());
        return ExitCode::FAILURE;
    }
    files.sort();
    let trials = files.into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        Trial::test(name, move || run(&path))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
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

fn run(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let file = directive::parse(&text)?;
    let shader = shader::analyze(&[text.as_str()], &file.options);
    let mut complaints = judge::judge(&file, &shader);
    if file.directives.is_empty() {
        complaints.push("it expects nothing; say at least `// accepted:`".to_owned());
    }
    if !complaints.is_empty() && file.xfail.is_none() && std::env::var_os("UPDATE_EXPECT").is_some() {
        let blessed = bless::bless(&text, &file, &shader);
        std::fs::write(path, &blessed)?;
        let file = directive::parse(&blessed)?;
        complaints = judge::judge(&file, &shader::analyze(&[blessed.as_str()], &file.options));
    }
    match (&file.xfail, complaints.is_empty()) {
        (None, true) | (Some(_), false) => Ok(()),
        (Some(reason), true) => Err(format!("it passes, but is marked `xfail: {reason}`; take the mark away").into()),
        (None, false) => Err(complaints.join("\n").into()),
    }
}
