//! Commands that only look.

use std::fmt::Write as _;

use anyhow::bail;
use session::{Scope, Source};
use state::annotation::path_text;

use super::{Desk, text};
use crate::amount::plural;
use crate::debug::command::TOPICS;
use crate::debug::place::number;

/// Lines that `list` shows before and after one.
const AROUND: u32 = 5;

/// Draws that `info draws` lists.
const MOST_DRAWS: usize = 200;

impl Desk {
    pub(super) fn info(&mut self, topic: &str) -> anyhow::Result<String> {
        let like: Vec<&str> = TOPICS.iter().copied().filter(|name| name.starts_with(topic)).collect();
        let topic = match like.as_slice() {
            _ if topic.is_empty() => bail!("say about what: {}", TOPICS.join(", ")),
            [one, ..] => *one,
            [] => bail!("there is nothing about `{topic}`; ask about one of {}", TOPICS.join(", ")),
        };
        match topic {
            "breakpoints" => Ok(self.info_breakpoints()),
            "display" => self.display(""),
            "frames" => {
                let mut out = String::new();
                let before = self.session.trace().reader().before_first_frame();
                if !before.is_empty() {
                    let _ = writeln!(out, "before the first frame: commands 0 to {}", before.end - 1);
                }
                for frame in self.session.frames() {
                    let _ = writeln!(
                        out,
                        "frame {}: commands {} to {}",
                        frame.index, frame.first_command, frame.last_command
                    );
                }
                let after = self.session.after_last_frame();
                if !after.is_empty() {
                    let (first, last) = (after.start, after.end - 1);
                    let _ = writeln!(out, "after the last frame: commands {first} to {last}");
                }
                Ok(out)
            }
            "draws" => self.info_draws(),
            "invocation" => self.info_invocation(),
            "sources" => {
                let mut out = String::new();
                let command = match &self.group {
                    Some(group) => group.command,
                    None => self.here()?.invocation.command,
                };
                for source in self.session.sources(command)? {
                    let stand_in =
                        source.stand_in.map(|replaced| format!(", in the place of {replaced}")).unwrap_or_default();
                    let lines = source.text.lines().count();
                    let _ = writeln!(out, "{}: {}, {}{stand_in}", source.name, plural(lines as u64, "line"), source.id);
                }
                Ok(out)
            }
            scope => self.info_scope(scope),
        }
    }

    fn info_scope(&mut self, topic: &str) -> anyhow::Result<String> {
        if self.group.is_some() {
            bail!("variables are those of one invocation: `values NAME` measures one in all that are here");
        }
        self.here()?;
        let plain = |scope: &Scope| scope.name().to_lowercase().replace('-', "") == topic;
        let Some(scope) = Scope::ALL.into_iter().find(plain) else { bail!("there is no scope {topic}") };
        let mut out = String::new();
        for variable in self.session.variables(self.frame, scope)? {
            // Lights and the like are arrays of which most shaders use an element or two.
            let parts = match scope {
                Scope::BuiltIns => self.session.used_parts(self.frame, &variable.name)?,
                _ => Vec::new(),
            };
            let parts = parts.iter().map(|path| self.session.evaluate(self.frame, path)).collect::<Result<Vec<_>, _>>();
            match parts.ok().filter(|parts| !parts.is_empty()) {
                Some(parts) => parts.iter().for_each(|part| {
                    let _ = writeln!(out, "{} {} = {}", part.type_name, part.path, text::value(part));
                }),
                None => {
                    let _ = writeln!(out, "{} {} = {}", variable.type_name, variable.name, text::value(&variable));
                }
            }
        }
        if !out.is_empty() {
            return Ok(out);
        }
        let also = match scope {
            Scope::Uniforms | Scope::Inputs if !self.session.variables(self.frame, Scope::BuiltIns)?.is_empty() => {
                "; `info builtins` has those of the language"
            }
            _ => "",
        };
        Ok(format!("there are no {topic} here{also}\n"))
    }

    fn info_draws(&mut self) -> anyhow::Result<String> {
        let draws = match (&self.stop, self.shown_frame()) {
            (Some(stop), _) => self.session.draws_beside(stop.invocation.command)?,
            (None, Some(frame)) => self.session.draws(frame)?,
            (None, None) => bail!("the trace has no frames"),
        };
        let mut out = String::new();
        for draw in draws.iter().take(MOST_DRAWS) {
            let groups = match draw.groups.as_slice() {
                [] => String::new(),
                groups => format!(" in {}", path_text(groups)),
            };
            let _ = writeln!(out, "command {}: {}{groups}", draw.command, draw.name);
        }
        if draws.len() > MOST_DRAWS {
            let _ = writeln!(out, "and {} more; `afterimage info` lists all", draws.len() - MOST_DRAWS);
        }
        Ok(out)
    }

    fn info_invocation(&mut self) -> anyhow::Result<String> {
        let stop = self.here()?;
        let mut out = String::new();
        let invocation = &stop.invocation;
        let _ = writeln!(out, "{}", invocation.name);
        let _ =
            writeln!(out, "  {}, program {}, {} shader", invocation.frame_name(), invocation.program, invocation.stage);
        let _ = writeln!(out, "  at time {}, moment {}", stop.time, stop.moment);
        let passes = self.session.passes();
        if let Some(pass) = passes.last() {
            for change in &pass.changes {
                let _ = writeln!(out, "  not as recorded: {change}");
            }
            for missing in &pass.missing {
                let _ = writeln!(out, "  not known to the emulator: {missing}");
            }
        }
        Ok(out)
    }

    pub(super) fn backtrace(&mut self) -> anyhow::Result<String> {
        if let Some(group) = &self.group {
            let at = &group.location;
            return Ok(format!(
                "all fragments of {} (command {})\n {}:{}  {}\n",
                group.call, group.command, group.function, at.line, at.text
            ));
        }
        self.here()?;
        let passes = self.session.passes();
        let mut out = String::new();
        let mut pass = None;
        for (number, frame) in self.session.stack()?.iter().enumerate() {
            if pass != Some(frame.pass) {
                pass = Some(frame.pass);
                if passes.len() > 1 {
                    let _ = writeln!(out, "{}", passes[frame.pass].invocation.name);
                }
            }
            let mark = if number == self.frame { "*" } else { " " };
            let _ = writeln!(out, "{mark}{}", text::frame(number, frame));
        }
        Ok(out)
    }

    pub(super) fn list(&mut self, rest: &str) -> anyhow::Result<String> {
        let (source, here) = self.shown_source()?;
        let middle: u32 = if rest.is_empty() { here } else { number(rest, "line")? };
        let mut out = String::new();
        for (line, text) in (1..).zip(source.text.lines()) {
            if u32::abs_diff(line, middle) <= AROUND {
                let mark = if line == here { ">" } else { " " };
                let _ = writeln!(out, "{mark}{line:>4}  {text}");
            }
        }
        if out.is_empty() {
            bail!("the shader has {} lines", source.text.lines().count());
        }
        Ok(out)
    }

    /// The text that is looked at, and the line in it: of the group, or of a frame of the backtrace.
    fn shown_source(&mut self) -> anyhow::Result<(Source, u32)> {
        if let Some(group) = self.group.clone() {
            let source = self.session.sources(group.command)?.into_iter().find(|one| one.id == group.location.source);
            let Some(source) = source else { bail!("the shader of command {} has no text", group.command) };
            return Ok((source, group.location.line));
        }
        self.here()?;
        let stack = self.session.stack()?;
        let Some(frame) = stack.get(self.frame) else { bail!("there is no frame {}", self.frame) };
        Ok((self.session.source(frame.pass)?, frame.location.line))
    }

    pub(super) fn lanes(&mut self) -> anyhow::Result<String> {
        self.here()?;
        let mut out = String::new();
        for lane in self.session.lanes()? {
            let mark = if lane.followed { "*" } else { " " };
            let place =
                lane.location.as_ref().map_or("not begun".to_owned(), |at| format!("line {}  {}", at.line, at.text));
            let mut notes = Vec::new();
            if lane.helper {
                notes.push("neighbour");
            }
            if lane.discarded {
                notes.push("discarded");
            }
            if !lane.together {
                notes.push("elsewhere");
            }
            let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
            let _ = writeln!(out, "{mark}{} {:<9} {place}{notes}", lane.number, lane.name);
        }
        Ok(out)
    }

    pub(super) fn findings(&mut self) -> anyhow::Result<String> {
        self.here()?;
        let mut out = String::new();
        for finding in self.session.findings()? {
            let place = finding.location.map_or(String::new(), |at| format!("line {}: `{}`: ", at.line, at.text));
            let often = if finding.count > 1 { format!(" ({} times)", finding.count) } else { String::new() };
            let _ = writeln!(out, "{}: {place}{}{often}", finding.kind, finding.message);
        }
        Ok(if out.is_empty() { "nothing that it does is undefined\n".to_owned() } else { out })
    }
}
