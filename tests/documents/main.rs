//! The commands that documents show are run, and print what the documents say.
//!
//! Three kinds of blocks have commands. Those of one document run in its order, in one folder that looks like the root of
//! the repository after a release build.
//!
//! - `sh`: each line is a command. What it prints is not shown, so it is not compared.
//! - `console`: a line after `$ ` is a command, and what it prints follows. There `…` stands for any text within a line, and
//!   a line of nothing else for any number of lines.
//! - `debugger ARGUMENTS`: each line is a command of `afterimage debug ARGUMENTS`, with an explanation after `#`.
//!
//! Commands exit with 0, unless a comment behind them says "exits with" another status. A block of C that begins with the
//! name of a file in a comment is written to that file.

mod block;
mod compare;

use std::path::{Path, PathBuf};
use std::process::Command;

use block::{Step, steps};
use testing::programs::built;

/// Commands that cannot run in a test, by the document and their beginning, each with the reason.
const NOT_RUN: &[(&str, &str, &str)] = &[
    ("README.md", "cargo xtask demo", "builds a release; its scenes are commands of this page and of the tutorial"),
    ("README.md", "cargo xtask test", "runs this test"),
    ("README.md", "cargo install", "builds a release, and installs it"),
    (
        "README.md",
        "cargo xtask package",
        "builds a release; a step of `cargo xtask test` makes the package's files of this build",
    ),
    ("README.md", "sudo apt install", "installs a package"),
    (
        "README.md",
        "afterimage demo",
        "needs an installed program; a step of `cargo xtask test` runs that of the package's files",
    ),
    ("README.md", "cargo build --release", "the test has a build"),
    ("README.md", "target/release/afterimage debug", "needs a terminal; the tutorial's --batch runs the same commands"),
    ("README.md", "cargo xtask soak", "takes hours"),
    ("README.md", "cargo xtask corpus", "takes minutes to hours; a sample of each is a step of `cargo xtask test`"),
    ("docs/library.md", "cargo xtask wheel", "a step of `cargo xtask test` builds the wheel"),
    ("docs/tutorial.md", "git clone", "needs the network"),
    ("docs/tutorial.md", "cargo xtask setup", "installs packages"),
    ("docs/tutorial.md", "cargo build --release -p", "the test has a build"),
    ("docs/tutorial.md", "target/release/afterimage debug pearl.aftr --pixel 200,60 #", "needs a terminal"),
];

/// A document's folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    /// Makes a folder with the programs and the files of the repository that documents name.
    fn new(document: &str) -> Folder {
        let name = document.replace(['/', '.'], "-");
        let folder = std::env::temp_dir().join(format!("afterimage-{name}-{}", std::process::id()));
        // What a killed run with the same number left.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("target")).unwrap();
        let link = |from: PathBuf, to: &str| std::os::unix::fs::symlink(from, folder.join(to)).unwrap();
        link(built().to_owned(), "target/release");
        for shared in ["bindings", "crates", "demos", "docs"] {
            link(root().join(shared), shared);
        }
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the place in [`NOT_RUN`] of a command that does not run.
fn exempt(document: &str, command: &str) -> Option<usize> {
    // A beginning that ends in a comment's `#` means the whole command.
    let command = format!("{} #", command.split(" #").next().unwrap_or(command).trim_end());
    NOT_RUN.iter().position(|(of, beginning, _)| *of == document && command.starts_with(beginning))
}

/// Runs the commands of a document, and reports all that went wrong.
#[track_caller]
fn check(document: &str) {
    let text = std::fs::read_to_string(root().join(document)).unwrap();
    let steps = steps(&text).unwrap_or_else(|error| panic!("{document}:{error}"));
    let folder = Folder::new(document);
    let mut wrong = String::new();
    let mut ran = 0;
    for (line, step) in &steps {
        match step {
            Step::File { name, text } => std::fs::write(folder.0.join(name), text).unwrap(),
            Step::Run { command, .. } if exempt(document, command).is_some() => {}
            Step::Run { command, status, shown } => {
                ran += 1;
                let (found, printed) = run(&folder.0, command);
                if found != Some(*status) {
                    wrong += &format!("{document}:{line}: `{command}` exited with {found:?}\n{printed}\n");
                } else if let Some(shown) = shown
                    && let Err(difference) = compare::compare(shown, &printed)
                {
                    wrong += &format!("{document}:{line}: `{command}` {difference}\nIt printed:\n{printed}\n");
                }
            }
        }
    }
    assert!(ran > 0, "{document} has no command that runs");
    assert!(wrong.is_empty(), "{wrong}");
}

/// Runs a command as a user would. Returns its exit status and what it printed.
fn run(folder: &Path, command: &str) -> (Option<i32>, String) {
    // Cargo would build the example again, in a folder that is not a package.
    let program = command.replace("cargo run --release --example pixel --", "target/release/examples/pixel");
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{program}\n")])
        .current_dir(folder)
        .env("TMPDIR", folder)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn the_commands_of_the_readme_run() {
    check("README.md");
}

#[test]
fn the_tutorial_shows_what_its_commands_print() {
    check("docs/tutorial.md");
}

#[test]
fn the_page_on_tracers_shows_what_its_commands_print() {
    check("docs/tracers.md");
}

#[test]
fn the_page_on_the_library_shows_what_its_commands_print() {
    check("docs/library.md");
}

#[test]
fn the_example_of_the_library_prints_what_it_says() {
    check("examples/pixel.rs");
}

/// Documents other than those above have no commands in blocks, and what [`NOT_RUN`] lists exists.
#[test]
fn every_command_runs_or_is_listed_with_a_reason() {
    let mut documents = vec!["README.md".to_owned(), "ARCHITECTURE.md".to_owned()];
    for (folder, ending) in [("docs", "md"), ("docs/decisions", "md"), ("examples", "rs")] {
        let files = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.extension().is_some_and(|extension| extension == ending));
        documents.extend(files.map(|path| format!("{folder}/{}", path.file_name().unwrap().display())));
    }
    let checked = ["README.md", "docs/library.md", "docs/tutorial.md", "docs/tracers.md", "examples/pixel.rs"];
    let mut used = vec![false; NOT_RUN.len()];
    for document in &documents {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        for (line, step) in steps(&text).unwrap_or_else(|error| panic!("{document}:{error}")) {
            let Step::Run { command, .. } = step else { continue };
            match exempt(document, &command) {
                Some(at) => used[at] = true,
                None => assert!(
                    checked.contains(&document.as_str()),
                    "{document}:{line}: `{command}` is not run: add the document to this test, or the command to NOT_RUN"
                ),
            }
        }
    }
    for ((document, command, _), used) in NOT_RUN.iter().zip(used) {
        assert!(used, "NOT_RUN lists `{command}` of {document}, which is not there");
    }
}
