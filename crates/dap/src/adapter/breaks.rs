//! Breakpoints: at lines, for writes, for what is undefined.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use session::{BreakStatus, DataBreak, LineBreak};

use super::Adapter;
use crate::protocol::Request;
use crate::protocol::arguments::{
    BreakpointLocations, Named, SetBreakpoints, SetDataBreakpoints, SetExceptionBreakpoints, SourceHint,
};
use crate::protocol::bodies::Breakpoint;
use crate::refusal::Refusal;

/// What the client wants to stop for. It outlives sessions, as the client's own list does.
#[derive(Default)]
pub struct Breaks {
    last: u64,
    lines: Vec<InSource>,
    data: Vec<(u64, DataBreak)>,
    exceptions: Vec<String>,
    /// Our numbers by those of the session.
    numbers: BTreeMap<u64, u64>,
}

/// The breakpoints of one source of the client's.
struct InSource {
    hint: SourceHint,
    wanted: Vec<RequestedBreakpoint>,
}

struct RequestedBreakpoint {
    number: u64,
    /// The line as the client counts.
    at: LineBreak,
    /// As the client was last told.
    told: Option<(bool, Option<u32>)>,
}

impl Breaks {
    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Our numbers for those of a session.
    pub fn ours(&self, theirs: &[u64]) -> Vec<u64> {
        theirs.iter().filter_map(|id| self.numbers.get(id).copied()).collect()
    }
}

impl Adapter {
    pub(super) fn set_breakpoints(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: SetBreakpoints = request.arguments()?;
        let same = |one: &SourceHint, other: &SourceHint| match (&one.path, &other.path) {
            (Some(one), Some(other)) => one == other,
            _ => one.source_reference == other.source_reference && one.name == other.name,
        };
        self.breaks.lines.retain(|known| !same(&known.hint, &wanted.source));
        let list: Vec<RequestedBreakpoint> = wanted
            .breakpoints
            .into_iter()
            .map(|wanted| RequestedBreakpoint {
                number: self.breaks.number(),
                at: LineBreak {
                    line: wanted.line,
                    condition: wanted.condition.filter(|text| !text.trim().is_empty()),
                    hit_count: wanted.hit_condition.filter(|text| !text.trim().is_empty()),
                    log: wanted.log_message.filter(|text| !text.is_empty()),
                },
                told: None,
            })
            .collect();
        let mut set = InSource { hint: wanted.source, wanted: list };
        let all = self.bind(&mut set);
        self.breaks.lines.push(set);
        Ok(json!({"breakpoints": all}))
    }

    /// Sets the breakpoints of a source in the session, if that knows the source.
    fn bind(&mut self, set: &mut InSource) -> Vec<Breakpoint> {
        let found = self.sources.find(&set.hint);
        let (Some(session), Some((id, before))) = (self.session.as_mut(), found) else {
            let message = "no shader that was met so far has this text; it is looked for again in each that is entered";
            let waiting = |wanted: &mut RequestedBreakpoint| {
                wanted.told = Some((false, None));
                Breakpoint {
                    id: Some(wanted.number),
                    verified: false,
                    line: Some(wanted.at.line),
                    message: Some(message.to_owned()),
                    source: None,
                }
            };
            return set.wanted.iter_mut().map(waiting).collect();
        };
        let shift = before + u32::from(!self.client.lines_start_at1);
        let lines: Vec<LineBreak> = set
            .wanted
            .iter()
            .map(|wanted| LineBreak { line: wanted.at.line.saturating_add(shift), ..wanted.at.clone() })
            .collect();
        let statuses = session.set_breakpoints(&id, &lines);
        let source = self.source_body(&id);
        let mut all = Vec::new();
        for (status, wanted) in statuses.into_iter().zip(&mut set.wanted) {
            self.breaks.numbers.insert(status.id, wanted.number);
            let line = status.line.map(|line| self.line_out(line, before));
            wanted.told = Some((status.verified, line));
            all.push(Breakpoint {
                id: Some(wanted.number),
                verified: status.verified,
                line,
                message: status.message,
                source: source.clone(),
            });
        }
        all
    }

    /// Sets everything in a new session, or once more when new texts are there; gives events for what has changed.
    pub(super) fn bind_breakpoints(&mut self) -> Vec<Value> {
        let mut changed = Vec::new();
        for mut set in std::mem::take(&mut self.breaks.lines) {
            let before: Vec<_> = set.wanted.iter().map(|wanted| wanted.told).collect();
            let all = self.bind(&mut set);
            for ((breakpoint, before), wanted) in all.into_iter().zip(before).zip(&set.wanted) {
                if wanted.told != before {
                    changed.push(json!({"reason": "changed", "breakpoint": breakpoint}));
                }
            }
            self.breaks.lines.push(set);
        }
        if let Some(session) = self.session.as_mut() {
            // A kind that was there before is still there.
            let _ = session.set_exception_breakpoints(&self.breaks.exceptions);
        }
        self.bind_data();
        changed
    }

    fn bind_data(&mut self) -> Vec<BreakStatus> {
        let Some(session) = self.session.as_mut() else { return Vec::new() };
        let wanted: Vec<DataBreak> = self.breaks.data.iter().map(|(_, wanted)| wanted.clone()).collect();
        let statuses = session.set_data_breakpoints(&wanted);
        for (status, (number, _)) in statuses.iter().zip(&self.breaks.data) {
            self.breaks.numbers.insert(status.id, *number);
        }
        statuses
    }

    pub(super) fn breakpoint_locations(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: BreakpointLocations = request.arguments()?;
        let Some((id, before)) = self.sources.find(&wanted.source) else { return Ok(json!({"breakpoints": []})) };
        let first = self.line_in(wanted.line, before);
        let last = self.line_in(wanted.end_line.unwrap_or(wanted.line), before);
        let lines = self.session()?.breakpoint_lines(&id, first, last);
        let all: Vec<Value> = lines.into_iter().map(|line| json!({"line": self.line_out(line, before)})).collect();
        Ok(json!({"breakpoints": all}))
    }

    pub(super) fn data_breakpoint_info(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Named = request.arguments()?;
        let (frame, path) = match wanted.variables_reference.filter(|reference| *reference > 0) {
            Some(reference) => self.child_path(reference, &wanted.name)?,
            None => (self.frame(wanted.frame_id)?, wanted.name),
        };
        if frame > 0 {
            let text = format!("`{path}` is a variable of a caller or of another pass: look for its writes there");
            return Ok(json!({"dataId": null, "description": text}));
        }
        match self.session()?.last_write(frame, &path) {
            Ok(last) => {
                let last = last.map_or(String::new(), |write| {
                    let line = write.location.map_or(String::new(), |location| format!(" in line {}", location.line));
                    format!(" (last written{line}: {} to {})", write.old, write.new)
                });
                Ok(json!({
                    "dataId": path,
                    "description": format!("{path}{last}"),
                    "accessTypes": ["write"],
                    "canPersist": true,
                }))
            }
            Err(error) => Ok(json!({"dataId": null, "description": error.to_string()})),
        }
    }

    pub(super) fn set_data_breakpoints(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: SetDataBreakpoints = request.arguments()?;
        self.breaks.data = wanted
            .breakpoints
            .into_iter()
            .map(|wanted| {
                let condition = wanted.condition.filter(|text| !text.trim().is_empty());
                (self.breaks.number(), DataBreak { path: wanted.data_id, condition })
            })
            .collect();
        let statuses = self.bind_data();
        let all: Vec<Breakpoint> = self
            .breaks
            .data
            .iter()
            .enumerate()
            .map(|(place, (number, _))| {
                let status = statuses.get(place);
                Breakpoint {
                    id: Some(*number),
                    verified: status.is_some_and(|status| status.verified),
                    line: None,
                    message: status.and_then(|status| status.message.clone()),
                    source: None,
                }
            })
            .collect();
        Ok(json!({"breakpoints": all}))
    }

    pub(super) fn set_exception_breakpoints(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: SetExceptionBreakpoints = request.arguments()?;
        let mut kinds = wanted.filters;
        kinds.extend(wanted.filter_options.into_iter().map(|option| option.filter_id));
        if let Some(session) = self.session.as_mut() {
            session.set_exception_breakpoints(&kinds)?;
        }
        let all = vec![json!({"verified": true}); kinds.len()];
        self.breaks.exceptions = kinds;
        Ok(json!({"breakpoints": all}))
    }

    pub(super) fn exception_info(&mut self) -> Result<Value, Refusal> {
        let Some((kind, message)) = &self.exception else {
            return Err(Refusal::NotThere("the session did not stop for anything undefined".to_owned()));
        };
        Ok(json!({"exceptionId": kind, "description": message, "breakMode": "always"}))
    }
}
