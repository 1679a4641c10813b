//! Breakpoints over a whole frame.

use std::fmt::Write as _;

use anyhow::{Context, bail};
use session::{BreakpointSearch, Choice, DrawSelection};

use super::Desk;
use super::stops::cut;
use crate::amount::plural;
use crate::debug::place::number;

/// Invocations that are named.
const MOST: usize = 20;

impl Desk {
    pub(super) fn find(&mut self, rest: &str) -> anyhow::Result<String> {
        if let Some(place) = rest.strip_prefix('#') {
            let place: usize = number(place, "number of what was found")?;
            let found = self.found.get(place).cloned();
            let (choice, moment) = found.with_context(|| format!("nothing that was found has the number {place}"))?;
            let said = self.enter(&choice)?;
            let Some(moment) = moment else { return Ok(said) };
            // Where it was found is what the user wants to see; that it cannot be reached is no reason not to enter.
            return match self.session.run_to_moment(&moment) {
                Ok(stop) => Ok(said + &self.arrive(stop)),
                Err(error) => Ok(format!("{said}note: {error}\n")),
            };
        }
        let here = self.here()?;
        let (source, command, line) = (here.location.source.clone(), here.invocation.command, here.location.line);
        let (place, condition) = cut(rest, "if");
        let line = if place.is_empty() { line } else { number(place, "line")? };
        let condition = condition.map(str::to_owned);
        let wanted = BreakpointSearch {
            condition,
            most: MOST,
            ..BreakpointSearch::new(source, line, DrawSelection::Beside(command))
        };
        let hits = self.session.search_breakpoint(&wanted)?;
        let mut out = String::new();
        for draw in &hits.draws {
            let _ = writeln!(out, "{draw}");
        }
        for (place, hit) in hits.first.iter().enumerate() {
            let _ = writeln!(out, "  #{place} {}", name(&hit.choice));
        }
        let (listed, all) = (hits.first.len(), hits.invocations());
        if listed > 0 {
            let more = match all.saturating_sub(listed as u64) {
                0 => String::new(),
                more => format!("and {more} more; a condition (`find {line} if …`) finds fewer. "),
            };
            let _ = writeln!(out, "  {more}`find #0` enters the first");
        }
        for problem in &hits.problems {
            let _ = writeln!(out, "note: {problem}");
        }
        for limit in hits.limits() {
            let _ = writeln!(out, "{limit}");
        }
        self.found = hits.first.into_iter().map(|hit| (hit.choice, hit.moment)).collect();
        if hits.draws.is_empty() {
            bail!("it holds nowhere, in {} of this frame with this shader", plural(hits.asked as u64, "draw"));
        }
        Ok(out)
    }
}

fn name(choice: &Choice) -> String {
    match choice {
        Choice::Pixel { x, y, .. } => format!("pixel {x},{y}"),
        Choice::Fragment { command, x, y, .. } => format!("fragment {x},{y} of command {command}"),
        Choice::Vertex { command, vertex, .. } => format!("vertex {vertex} of command {command}"),
        Choice::Primitive { command, primitive, .. } => format!("primitive {primitive} of command {command}"),
        Choice::Thread { command, id: [x, y, z] } => format!("thread {x},{y},{z} of command {command}"),
    }
}
