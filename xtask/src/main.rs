//! `cargo xtask TASK`: does a task, or builds crate `workbench` and lets it do the task.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a task prints its report")]

mod demo;

use std::os::unix::process::CommandExt;
use std::process::ExitCode;

use xtask::error::{Error, Result};
use xtask::tasks::{self, Place, TASKS, help};
use xtask::{package, process, setup};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::from(error.status())
        }
    }
}

fn run(args: &[String]) -> Result<()> {
    let Some((name, rest)) = args.split_first() else {
        return Err(Error::refused(format!("no task is named\n\n{}", help())));
    };
    if ["help", "--help", "-h"].contains(&name.as_str()) {
        println!("{}", help());
        return Ok(());
    }
    let task = TASKS.iter().find(|task| task.name == name);
    let Some(task) = task.filter(|task| task.place == Place::Here) else { return workbench(args) };
    if rest.iter().any(|arg| arg == "--help" || arg == "-h") {
        println!("cargo xtask {name}: {}", task.about);
        return Ok(());
    }
    match task.name {
        "demo" => options(name, rest, &[]).and_then(|_| demo::run()),
        "setup" => {
            let given = options(name, rest, &["--check", "--all"])?;
            setup::run(setup::Options { check: given[0], all: given[1] })
        }
        "package" => package::run(options(name, rest, &["--try"])?[0]),
        other => unreachable!("{other} is a task of this program, and not done here"),
    }
}

/// Returns which of the options of a task are given.
fn options(task: &str, given: &[String], known: &[&str]) -> Result<Vec<bool>> {
    if let Some(unknown) = given.iter().find(|option| !known.contains(&option.as_str())) {
        let known = if known.is_empty() { "takes none".to_owned() } else { format!("takes {}", known.join(" and ")) };
        return Err(Error::refused(format!("`cargo xtask {task}` does not know `{unknown}`; it {known}")));
    }
    Ok(known.iter().map(|option| given.iter().any(|word| word == option)).collect())
}

/// Builds the crate with all other tasks and becomes it.
///
/// It is not selected by its package: then the features of every crate would be other ones than in a build of the whole
/// workspace, and crates would be compiled once more.
fn workbench(args: &[String]) -> Result<()> {
    let task = args.first().map_or("", String::as_str);
    if !TASKS.iter().any(|known| known.name == task) && !HIDDEN.contains(&task) {
        let meant = tasks::nearest(task).map_or(String::new(), |name| format!("; did you mean `{name}`?"));
        return Err(Error::refused(format!("there is no task `{task}`{meant}\n\n{}", help())));
    }
    if let Some(known) = TASKS.iter().find(|known| known.name == task) {
        known.check_part(&args[1..]).map_err(Error::refused)?;
    }
    eprintln!("xtask: `{task}` is done by crate workbench; building it (minutes the first time)");
    let mut command = process::command("cargo", &["run", "--bin", "workbench", "--"]);
    let error = command.args(args).exec();
    Err(Error::new(format!("cannot start cargo: {error}")))
}

/// Tasks that `workbench` starts itself with, which a developer may repeat by hand.
const HIDDEN: &[&str] = &["mesa-worker", "neutral-worker"];
