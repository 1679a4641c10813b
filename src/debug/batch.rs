//! Commands and what they say, as plain text: of a file, or typed line by line.

use std::io::{BufRead, Read, Write};
use std::path::Path;

use anyhow::Context;

use super::desk::Desk;
use super::place::InvocationArgs;
use crate::cli::{Outcome, complain, sentence};
use crate::replay::on_what_is_left;

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
    if let Some(said) = desk.begin(place)? {
        write!(out, "{said}")?;
    }
    let mut outcome = on_what_is_left(desk.session.trace().damage(), Outcome::Done);
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

/// In front of a line that is typed.
const PROMPT: &str = "(afterimage) ";

/// Reads commands line by line, for terminals on which nothing can be drawn. It ends with the input, or with `quit`.
pub fn converse(mut desk: Desk, place: &InvocationArgs) -> anyhow::Result<Outcome> {
    let mut out = std::io::stdout().lock();
    match desk.begin(place)? {
        Some(said) => write!(out, "{said}")?,
        None if desk.shown_frame().is_none() => {
            writeln!(out, "The trace has no calls, so there is no pixel to choose; `help` lists all commands.")?;
        }
        None => writeln!(out, "Choose a pixel with `pixel X,Y`; `help` lists all commands.")?,
    }
    let mut lines = std::io::stdin().lock().lines();
    loop {
        write!(out, "{PROMPT}")?;
        out.flush()?;
        let Some(line) = lines.next() else {
            writeln!(out)?;
            return Ok(Outcome::Done);
        };
        match desk.execute(&line.context("the terminal cannot be read")?) {
            Ok(said) if said.quit => return Ok(Outcome::Done),
            Ok(said) => write!(out, "{}", said.text)?,
            Err(error) => {
                out.flush()?;
                complain(&sentence(&error));
            }
        }
    }
}
