//! Stops, frames and values as text.

use std::fmt::Write as _;

use session::{Agreement, Frame, Reason, Stop, Variable};

use super::stops::Stops;

/// Where a session stands, and why if there is something to say about that.
pub fn stop(stop: &Stop, stops: &Stops) -> String {
    let mut out = String::new();
    match &stop.reason {
        Reason::Entry | Reason::Step | Reason::Pass => {}
        Reason::Interrupted => {
            let _ = writeln!(out, "interrupted after {} statements", stop.time);
        }
        Reason::Start => out.push_str("this is the start\n"),
        Reason::End if stop.discarded => out.push_str("the fragment was discarded\n"),
        Reason::End => out.push_str("the invocation is over\n"),
        Reason::Breakpoint { ids } => {
            let numbers: Vec<String> = ids.iter().map(|id| stops.number(*id).to_string()).collect();
            let _ = writeln!(out, "breakpoint {}", numbers.join(", "));
        }
        Reason::Data { id, .. } => {
            let change = stop.reason.change().unwrap_or_default();
            let _ = writeln!(out, "watch {}: {change}", stops.number(*id));
            if stop.ended {
                out.push_str("the invocation is over\n");
            }
        }
        Reason::Exception { kind, message } => {
            let _ = writeln!(out, "{kind}: {message}");
        }
    }
    let _ = writeln!(out, "{}:{}  {}", stop.function, stop.location.line, stop.location.text);
    out
}

/// A frame of the backtrace.
pub fn frame(number: usize, frame: &Frame) -> String {
    format!("#{number} {}:{}  {}", frame.function, frame.location.line, frame.location.text)
}

/// A value, and what the device says about it if that was asked.
pub fn value(variable: &Variable) -> String {
    if let (None, None, Some(note)) = (&variable.value.emulated, &variable.value.measured, &variable.note) {
        return note.clone();
    }
    let mut out = variable.value.text();
    if let Some(said) = agreement(variable) {
        let _ = write!(out, "  [{said}]");
    }
    if let Some(note) = &variable.note {
        let _ = write!(out, "  ({note})");
    }
    out
}

/// How the device agrees, in a word or two.
pub fn agreement(variable: &Variable) -> Option<String> {
    let apart = variable.value.apart().unwrap_or_default();
    if variable.value.pending {
        return Some("the GPU has not said yet".to_owned());
    }
    Some(match variable.value.agreement? {
        Agreement::Equal => "GPU equal".to_owned(),
        Agreement::Within { .. } => format!("GPU within {apart}"),
        Agreement::Divergent { .. } => format!("GPU differs by {apart}"),
    })
}
