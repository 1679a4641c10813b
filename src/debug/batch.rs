//! Commands of a file, and what they say, as plain text.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::Context;

use super::desk::Desk;
use super::place::InvocationArgs;
use crate::cli::{Outcome, complain, sentence};

/// Runs the commands of a file, or of stdin for `-`. One that cannot be served costs its own answer and the exit status;
/// those after it are run all the same.
pub fn run(mut desk: Desk, place: &InvocationArgs, script: &Path) -> anyhow::Result<Outcome> {
    let mut text = String::new();
    if script == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).context("stdin cannot be read")?;
    } else {
        text = std::fs::read_to_string(script).with_context(|| format!("{} cannot be read", script.display()))?;
    }
    let mut out = crate::out::text();
    if let Some(choice) = place.choice(&desk.session)? {
        write!(out, "{}", desk.enter(&choice)?)?;
    }
    let mut outcome = Outcome::Done;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        writeln!(out, "> {line}")?;
        match desk.execute(line) {
            Ok(said) => {
                write!(out, "{}", said.text)?;
                if said.quit {
                    break;
                }
            }
            Err(error) => {
                out.flush()?;
                complain(&format!("line {number}, `{line}`: {}", sentence(&error)));
                outcome = Outcome::Unserved;
            }
        }
    }
    Ok(outcome)
}
