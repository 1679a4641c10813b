//! The tasks and what they do.

/// Who does a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// This program.
    Here,
    /// Crate `workbench`, which is built for it.
    Workbench,
}

/// A task of `cargo xtask`.
#[derive(Debug)]
pub struct Task {
    /// Its name.
    pub name: &'static str,
    /// Who does it.
    pub place: Place,
    /// What it does, for the list of tasks.
    pub about: &'static str,
    /// Its parts, of which one must be named; none if it is one thing.
    pub parts: &'static [&'static str],
}

const fn here(name: &'static str, about: &'static str) -> Task {
    Task { name, place: Place::Here, about, parts: &[] }
}

const fn workbench(name: &'static str, about: &'static str) -> Task {
    workbench_with(name, about, &[])
}

const fn workbench_with(name: &'static str, about: &'static str, parts: &'static [&'static str]) -> Task {
    Task { name, place: Place::Workbench, about, parts }
}

const CORPORA: &[&str] = &[
    "glsl", "run", "spans", "deqp", "differ", "filters", "travel", "watch", "weave", "wasm", "webgl", "record",
    "programs", "engines", "mutants", "kill", "state", "divert", "history", "skip", "trim", "errors", "equal",
    "alarms", "neutral", "walks", "assembly", "glmark2",
];

const BENCHES: &[&str] =
    &["peer", "emulator", "record", "back", "state", "inspect", "debug", "history", "scale", "seek"];

/// All tasks.
pub const TASKS: &[Task] = &[
    here("demo", "Show what the product can do: recorded calls, diagnostics, and the debugger at a broken pixel"),
    here("setup", "Install the packages that the demo needs (--all: those of every task; --check: change nothing)"),
    here("package", "Build a tarball and a Debian package (--try: install it in a new system, and use it there)"),
    workbench("test", "Run everything that CI runs and print a summary with times"),
    workbench("tidy", "Check what compilers do not: the dependency table, paths in documents, file lengths, leftovers"),
    workbench("codegen", "Generate tables of commands, hooks and thunks from the Khronos registry"),
    workbench_with("corpus", "Compare our results with third-party tests and with drivers", CORPORA),
    workbench_with("bench", "Run benchmarks", BENCHES),
    workbench("soak", "Debug traces for a long time, and check that the memory of workers does not grow"),
    workbench("fuzz", "Fuzz the front end or the trace reader (needs a nightly compiler; installs cargo-fuzz)"),
    workbench("dap", "Run sessions of `afterimage dap` with Microsoft's test client (needs Node)"),
    workbench("vscode", "Build and package the extension for VS Code (needs Node)"),
    workbench("wheel", "Build the Python package, and print the path of its wheel (needs Python)"),
    workbench("wasm", "Build for WebAssembly, and compare a session under Node with a native one (needs Node)"),
    workbench("screenshots", "Update the pictures of the debugger in docs/images from real terminal sessions"),
];

/// Returns the task that a misspelled name means.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    nearest_of(name, TASKS.iter().map(|task| task.name))
}

/// Returns the word that differs from a misspelled one by a letter: one too many, too few or wrong, or two swapped.
fn nearest_of(name: &str, mut words: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let without = |word: &str, at: usize| -> String {
        word.chars().enumerate().filter(|(place, _)| *place != at).map(|(_, letter)| letter).collect()
    };
    let shorter = |word: &str| -> Vec<String> { (0..word.chars().count()).map(|at| without(word, at)).collect() };
    let near = |known: &str| {
        let (given, known_less) = (shorter(name), shorter(known));
        known_less.iter().any(|word| word == name)
            || given.iter().any(|word| word == known || known_less.contains(word))
    };
    words.find(|known| near(known))
}

impl Task {
    /// Checks that one of its parts is named, if it has any: what is wrong is said before anything is built.
    ///
    /// # Errors
    /// When none is named, or one that there is not.
    pub fn check_part(&self, rest: &[String]) -> Result<(), String> {
        let (task, list) = (self.name, self.parts.join(", "));
        match rest.first() {
            _ if self.parts.is_empty() => Ok(()),
            Some(word) if word.starts_with('-') || word == "help" || self.parts.contains(&word.as_str()) => Ok(()),
            None => Err(format!("say which {task}, such as `cargo xtask {task} {}`: {list}", self.parts[0])),
            Some(word) => {
                let meant = nearest_of(word, self.parts.iter().copied());
                let meant = meant.map_or(String::new(), |name| format!("did you mean `{name}`? "));
                Err(format!("there is no {task} `{word}`; {meant}There are: {list}"))
            }
        }
    }
}

/// Returns the list of tasks as text.
#[must_use]
pub fn help() -> String {
    let lines = TASKS.iter().map(|task| format!("  {:12} {}\n", task.name, task.about));
    let lines: String = lines.collect();
    format!(
        "Usage: cargo xtask TASK [OPTIONS]\n\nTasks:\n{lines}\n`cargo xtask TASK --help` shows the options of a task."
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn misspelled_tasks_are_recognized() {
        for (given, meant) in [("demoo", "demo"), ("tset", "test"), ("bnch", "bench"), ("setap", "setup")] {
            assert_eq!(super::nearest(given), Some(meant), "{given}");
        }
        assert_eq!(super::nearest("elsewhere"), None);
    }

    #[test]
    fn parts_of_tasks_are_checked_before_anything_is_built() {
        let corpus = super::TASKS.iter().find(|task| task.name == "corpus").expect("it is a task");
        let check =
            |words: &[&str]| corpus.check_part(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!((check(&["weave", "--count", "1"]), check(&["--help"])), (Ok(()), Ok(())));
        let wrong = check(&["weav"]).expect_err("there is none");
        assert!(wrong.starts_with("there is no corpus `weav`; did you mean `weave`? There are: glsl, run,"), "{wrong}");
        assert!(check(&[]).is_err());
    }
}
