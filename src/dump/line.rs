//! How one command is printed.

use std::io::{self, Write};

use chronicle::Annotations;
use state::annotation::{GroupCall, group_call};
use trace::{Call, Data, Payloads, ReadError, Reader};

use crate::json;
use crate::json::dump::{Command, Lost, LostCommands, Memory};
use crate::out;

/// Levels of groups that are indented.
const MOST_INDENT: usize = 16;

/// How commands are printed.
#[derive(Default)]
pub struct Style {
    pub color: bool,
    pub full: bool,
    /// Whether to say which thread calls.
    pub threads: bool,
    pub json: bool,
    /// What objects are called, and which groups calls are in.
    pub annotations: Annotations,
}

/// Where a command is.
#[derive(Clone, Copy)]
pub struct CommandContext {
    pub frame: Option<usize>,
    pub context: u32,
}

/// Prints a command.
pub fn print(
    out: &mut impl Write,
    reader: &Reader,
    call: &Call<'_>,
    place: CommandContext,
    style: &Style,
    first: bool,
) -> io::Result<()> {
    let text = text(reader, call, style);
    if style.json {
        let document = json::line(&document(call, place, &text, style))?;
        return write!(out, "{}\n    {document}", if first { "" } else { "," });
    }
    let [dim, bold, plain] = if style.color { ["2", "1", "0"].map(out::style) } else { Default::default() };
    // A command that opens or closes a group stands outside of it.
    let groups = style.annotations.depth(call.thread, call.number);
    let closing =
        call.command.and_then(|id| group_call(id, call.args)).is_some_and(|it| matches!(it, GroupCall::Pop(_)));
    let indent = "  ".repeat(groups.saturating_sub(usize::from(closing)).min(MOST_INDENT));
    write!(out, "{dim}{}{plain} {indent}", call.number)?;
    if style.threads {
        write!(out, "{dim}@{}{plain} ", call.thread)?;
    }
    let (name, rest) = text.split_at(call.name().len());
    write!(out, "{bold}{name}{plain}{rest}")?;
    if call.by_capture && !call.signature.is_of_capture() {
        write!(out, " {dim}// by capture{plain}")?;
    }
    if call.outcome.is_none() {
        write!(out, " {dim}// never returned{plain}")?;
    }
    writeln!(out)
}

/// Says that commands are lost.
pub fn lost(
    out: &mut impl Write,
    error: &ReadError,
    range: &std::ops::Range<u64>,
    style: &Style,
    printed: &mut u64,
) -> io::Result<()> {
    let ReadError::Lost { first, last, reason } = error else { return Ok(()) };
    if *last < range.start || *first >= range.end {
        return Ok(());
    }
    if style.json {
        let comma = if *printed == 0 { "" } else { "," };
        let lost = json::line(&Lost { lost: LostCommands { first: *first, last: *last, reason } })?;
        write!(out, "{comma}\n    {lost}")?;
    } else {
        writeln!(out, "// {error}")?;
    }
    *printed += 1;
    Ok(())
}

/// A call as one line.
pub fn text(reader: &Reader, call: &Call<'_>, style: &Style) -> String {
    afterimage::line(reader, call, &style.annotations, style.full)
}

fn document<'a>(call: &'a Call<'_>, place: CommandContext, text: &'a str, style: &Style) -> Command<'a> {
    let memory = |payloads: Payloads<'a>, direction: &'static str| {
        let one = move |payload: trace::Payload<'a>| {
            let (bytes, blob, digest) = match payload.data {
                Data::Inline(bytes) => (bytes.len() as u64, None, None),
                Data::Blob { number, size } => (size, Some(number), None),
                Data::Digest { hash, size } => (size, None, Some(hex(hash))),
            };
            let parameter = call.signature.params.get(usize::from(payload.param)).map(|param| &*param.name);
            Memory { parameter, direction, bytes, blob, digest }
        };
        payloads.iter().map(one).collect::<Vec<_>>()
    };
    let mut list = memory(call.inputs, "in");
    list.extend(call.outcome.map(|outcome| memory(outcome.outputs, "out")).unwrap_or_default());
    Command {
        command: call.number,
        frame: place.frame,
        thread: call.thread,
        context: place.context,
        groups: style.annotations.groups(call.thread, call.number).iter().map(ToString::to_string).collect(),
        name: call.name(),
        by_capture: call.by_capture,
        returned: call.outcome.is_some(),
        text,
        memory: list,
    }
}

fn hex(hash: &[u8; 32]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}
