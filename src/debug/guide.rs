//! The debugger, opened at a place that another command found.

use std::io::Write;
use std::path::Path;

use session::{Choice, Session};

use super::desk::Desk;
use super::screen;
use crate::cli::Color;

/// A place in a trace to begin at.
pub struct Guide {
    /// The invocation.
    pub choice: Choice,
    /// The line in it.
    pub line: Option<u32>,
    /// Whose history is shown beside it.
    pub history: Choice,
}

/// Commands that show a line at work: what goes in, what comes out, and what is wrong with it.
const STORY: &[&str] = &["list", "info inputs", "findings", "next", "info outputs", "way"];

/// Tells what is at a place, as text.
///
/// # Errors
/// When the place is not there.
pub fn tell(session: Session, trace: &Path, guide: &Guide) -> anyhow::Result<()> {
    let (mut desk, arrived) = open(session, trace, guide)?;
    let mut out = crate::out::text();
    write!(out, "{arrived}")?;
    for line in STORY {
        writeln!(out, "> {line}")?;
        write!(out, "{}", desk.execute(line)?.text)?;
    }
    Ok(())
}

/// Opens the debugger's screen at a place. `first` is said at the start.
///
/// # Errors
/// When the place is not there, or the terminal cannot be used.
pub fn show(session: Session, trace: &Path, guide: &Guide, first: &str, color: Color) -> anyhow::Result<()> {
    let (mut desk, arrived) = open(session, trace, guide)?;
    desk.remember(Some(2))?;
    let notes = desk.history_notes();
    screen::run(desk, &format!("{first}{arrived}{notes}"), color.on_stdout())
}

fn open(session: Session, trace: &Path, guide: &Guide) -> anyhow::Result<(Desk, String)> {
    let mut desk = Desk::new(session, trace);
    let mut arrived = desk.enter(&guide.choice)?;
    if let Some(line) = guide.line.filter(|line| desk.stop.as_ref().is_some_and(|stop| stop.location.line != *line)) {
        arrived = desk.run_to(line)?;
    }
    desk.chosen = Some(guide.history.clone());
    Ok((desk, arrived))
}
