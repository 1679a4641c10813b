//! Breakpoints of the command line: of lines, of variables and of what is undefined.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, bail};
use session::{DataBreak, LineBreak, Session};

use super::Desk;
use crate::debug::place::number;

/// All breakpoints there are. A session numbers them anew whenever some are set; people keep the numbers they were told.
#[derive(Default)]
pub struct Stops {
    lines: Vec<(usize, String, LineBreak)>,
    data: Vec<(usize, DataBreak)>,
    exceptions: Vec<String>,
    /// What people call the sources with breakpoints.
    names: BTreeMap<String, String>,
    /// The session's numbers, and ours.
    known: BTreeMap<u64, usize>,
    last: usize,
}

impl Stops {
    /// What people know a breakpoint by.
    pub fn number(&self, id: u64) -> usize {
        self.known.get(&id).copied().unwrap_or_default()
    }

    /// The lines of a source that have breakpoints, with whether they only log.
    pub fn lines_of<'s>(&'s self, source: &'s str) -> impl Iterator<Item = (u32, bool)> + 's {
        self.lines.iter().filter(move |(_, own, _)| own == source).map(|(.., it)| (it.line, it.log.is_some()))
    }

    /// The number of the breakpoint in a line.
    pub fn at(&self, source: &str, line: u32) -> Option<usize> {
        self.lines.iter().find(|(_, own, it)| own == source && it.line == line).map(|(number, ..)| *number)
    }

    fn sources(&self) -> Vec<String> {
        let mut sources: Vec<String> = self.lines.iter().map(|(_, source, _)| source.clone()).collect();
        sources.sort();
        sources.dedup();
        sources
    }

    /// Tells the session about the lines of a source. What cannot be stopped at is forgotten, and why comes back.
    fn tell_lines(&mut self, session: &mut Session, source: &str) -> Vec<String> {
        let own: Vec<(usize, LineBreak)> =
            self.lines.iter().filter(|(_, of, _)| of == source).map(|(number, _, it)| (*number, it.clone())).collect();
        let asked: Vec<LineBreak> = own.iter().map(|(_, it)| it.clone()).collect();
        let mut refused = Vec::new();
        for (status, (number, _)) in session.set_breakpoints(source, &asked).into_iter().zip(own) {
            if !status.verified {
                self.lines.retain(|(known, ..)| *known != number);
                refused.push(status.message.unwrap_or_else(|| "nothing can stop there".to_owned()));
                continue;
            }
            self.known.insert(status.id, number);
            let moved = self.lines.iter_mut().find(|(known, ..)| *known == number);
            if let (Some((.., it)), Some(line)) = (moved, status.line) {
                it.line = line;
            }
        }
        refused
    }

    fn tell_data(&mut self, session: &mut Session) -> Vec<String> {
        let asked: Vec<DataBreak> = self.data.iter().map(|(_, it)| it.clone()).collect();
        let mut refused = Vec::new();
        for (status, (number, _)) in session.set_data_breakpoints(&asked).into_iter().zip(self.data.clone()) {
            self.known.insert(status.id, number);
            if !status.verified {
                refused.push(status.message.unwrap_or_else(|| "it cannot be watched".to_owned()));
            }
        }
        refused
    }

    fn next(&mut self) -> usize {
        self.last += 1;
        self.last
    }

    /// Gives the last number back: nobody was told it.
    fn refused(&mut self) {
        self.last -= 1;
    }
}

impl Desk {
    pub(super) fn set_break(&mut self, rest: &str) -> anyhow::Result<String> {
        let here = self.here()?;
        let (source, line) = (here.location.source.clone(), here.location.line);
        let wanted = line_break(rest, line)?;
        let pass = self.session.passes().len().saturating_sub(1);
        if let Ok(text) = self.session.source(pass) {
            self.stops.names.insert(text.id, text.name);
        }
        let number = self.stops.next();
        self.stops.lines.push((number, source.clone(), wanted));
        if let Some(why) = self.stops.tell_lines(&mut self.session, &source).into_iter().next() {
            self.stops.refused();
            bail!("{why}");
        }
        let at = self.stops.lines.iter().find(|(known, ..)| *known == number).context("it is gone")?;
        Ok(format!("breakpoint {number} at line {}\n", at.2.line))
    }

    /// Sets a breakpoint in a line, or takes it away.
    ///
    /// # Errors
    /// When nothing can stop there.
    pub fn toggle_break(&mut self, line: u32) -> anyhow::Result<String> {
        if self.group.is_some() {
            bail!("a group does not stop at breakpoints; `group end` ends it");
        }
        let source = self.here()?.location.source.clone();
        match self.stops.at(&source, line) {
            Some(number) => self.delete(&number.to_string()),
            None => self.set_break(&line.to_string()),
        }
    }

    pub(super) fn set_watch(&mut self, rest: &str) -> anyhow::Result<String> {
        self.here()?;
        let (path, condition) = match rest.split_once(" if ") {
            Some((path, condition)) => (path.trim(), Some(condition.trim().to_owned())),
            None => (rest, None),
        };
        if path.is_empty() {
            bail!("say which variable to watch: `watch color.x`");
        }
        let number = self.stops.next();
        self.stops.data.push((number, DataBreak { path: path.to_owned(), condition }));
        let before = self.stops.data.len();
        let refused = self.stops.tell_data(&mut self.session);
        if refused.len() == before || (!refused.is_empty() && self.session.evaluate(0, path).is_err()) {
            self.stops.data.pop();
            self.stops.refused();
            self.stops.tell_data(&mut self.session);
            let why = refused.into_iter().next_back().unwrap_or_default();
            match self.session.evaluate(0, path) {
                Ok(_) => bail!("{why}; `watch` takes variables, and `display {path}` shows it at every stop"),
                Err(_) => bail!("{why}"),
            }
        }
        Ok(format!("watch {number} on {path}\n"))
    }

    pub(super) fn set_catch(&mut self, rest: &str) -> anyhow::Result<String> {
        let mut out = String::new();
        if rest.is_empty() {
            for kind in Session::exception_kinds() {
                let set = if self.stops.exceptions.iter().any(|own| own == kind.code) { "*" } else { " " };
                let _ = writeln!(out, "{set} {:<22} {}", kind.code, kind.name);
            }
            return Ok(out);
        }
        let mut kinds = self.stops.exceptions.clone();
        for word in rest.split([',', ' ']).filter(|word| !word.is_empty()) {
            match word {
                "none" => kinds.clear(),
                "all" => kinds = Session::exception_kinds().iter().map(|kind| kind.code.to_owned()).collect(),
                kind => kinds.push(kind.to_owned()),
            }
        }
        kinds.dedup();
        self.session.set_exception_breakpoints(&kinds)?;
        self.stops.exceptions = kinds;
        let kinds = self.stops.exceptions.join(", ");
        Ok(if kinds.is_empty() { "nothing is caught\n".to_owned() } else { format!("a run will stop at: {kinds}\n") })
    }

    pub(super) fn delete(&mut self, rest: &str) -> anyhow::Result<String> {
        let sources = self.stops.sources();
        let all = self.stops.lines.len() + self.stops.data.len();
        let said = match (rest, all) {
            ("", 0) => "there are no breakpoints\n".to_owned(),
            ("", 1) => "the breakpoint is deleted\n".to_owned(),
            ("", _) => format!("all {all} breakpoints are deleted\n"),
            (number, _) => format!("breakpoint {number} is deleted\n"),
        };
        if rest.is_empty() {
            self.stops.lines.clear();
            self.stops.data.clear();
        } else {
            let wanted: usize = number(rest, "number of a breakpoint")?;
            let before = self.stops.lines.len() + self.stops.data.len();
            self.stops.lines.retain(|(number, ..)| *number != wanted);
            self.stops.data.retain(|(number, _)| *number != wanted);
            if self.stops.lines.len() + self.stops.data.len() == before {
                bail!("there is no breakpoint {wanted}; `info breakpoints` lists them");
            }
        }
        for source in sources {
            self.stops.tell_lines(&mut self.session, &source);
        }
        self.stops.tell_data(&mut self.session);
        Ok(said)
    }

    pub(super) fn info_breakpoints(&self) -> String {
        let mut out = String::new();
        for (number, source, it) in &self.stops.lines {
            let mut more = String::new();
            if let Some(condition) = &it.condition {
                let _ = write!(more, " if {condition}");
            }
            if let Some(hits) = &it.hit_count {
                let _ = write!(more, " hits {hits}");
            }
            if let Some(log) = &it.log {
                let _ = write!(more, " log {log}");
            }
            let name = self.stops.names.get(source).unwrap_or(source);
            let _ = writeln!(out, "{number}: line {} of {name}{more}", it.line);
        }
        for (number, it) in &self.stops.data {
            let more = it.condition.as_ref().map_or(String::new(), |condition| format!(" if {condition}"));
            let _ = writeln!(out, "{number}: watch {}{more}", it.path);
        }
        if !self.stops.exceptions.is_empty() {
            let _ = writeln!(out, "caught: {}", self.stops.exceptions.join(", "));
        }
        if out.is_empty() { "there are no breakpoints\n".to_owned() } else { out }
    }
}

/// `LINE [if CONDITION] [hits N] [log TEXT]`; the line is where one stands without it.
fn line_break(text: &str, here: u32) -> anyhow::Result<LineBreak> {
    // A log message may say anything, so it is cut off first, and a condition ends where the next word begins.
    let (text, log) = cut(text, "log");
    let (text, hit_count) = cut(text, "hits");
    let (text, condition) = cut(text, "if");
    let line = if text.is_empty() { here } else { number(text, "line")? };
    let owned = |part: Option<&str>| part.map(str::to_owned);
    Ok(LineBreak { line, condition: owned(condition), hit_count: owned(hit_count), log: owned(log) })
}

/// What is in front of a word, and what is behind it.
pub(super) fn cut<'t>(text: &'t str, word: &str) -> (&'t str, Option<&'t str>) {
    let spaced = format!(" {word} ");
    let begins = text.strip_prefix(word).filter(|rest| rest.starts_with(' '));
    match (begins, text.split_once(&spaced)) {
        (Some(rest), _) => ("", Some(rest.trim())),
        (None, Some((before, after))) => (before.trim(), Some(after.trim())),
        (None, None) => (text.trim(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, line: u32, rest: [Option<&str>; 3]) {
        let own = line_break(text, 9).unwrap();
        let [condition, hit_count, log] = rest.map(|part| part.map(str::to_owned));
        assert_eq!(own, LineBreak { line, condition, hit_count, log });
    }

    #[test]
    fn breakpoints_are_read_with_all_that_may_follow() {
        check("12", 12, [None, None, None]);
        check("", 9, [None, None, None]);
        check("12 if a > 1.0", 12, [Some("a > 1.0"), None, None]);
        check("if isnan(x)", 9, [Some("isnan(x)"), None, None]);
        check(
            "12 if a > 1.0 hits >= 3 log a is {a} if you like",
            12,
            [Some("a > 1.0"), Some(">= 3"), Some("a is {a} if you like")],
        );
        check("12 hits 3", 12, [None, Some("3"), None]);
        assert!(line_break("here", 9).is_err());
    }
}
