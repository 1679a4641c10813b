//! Commands as people name them.

use std::str::FromStr;

use anyhow::{Context, bail};
use api::Role;
use trace::{ReadError, Reader};

use crate::amount::plural;

/// A command: by number, from the end, or as the last one of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandRef {
    /// The command of this number.
    Number(u64),
    /// Counted from the end; 1 is the last one.
    FromEnd(u64),
    /// The last one of a frame.
    Frame(usize),
}

impl CommandRef {
    /// Its number in a trace.
    pub fn number(self, reader: &Reader) -> anyhow::Result<u64> {
        let length = reader.len();
        match self {
            _ if length == 0 => bail!("the trace has no commands"),
            CommandRef::Number(number) if number < length => Ok(number),
            CommandRef::Number(number) => {
                bail!("the trace has no command {number}: they are numbered from 0 to {}", length - 1)
            }
            CommandRef::FromEnd(back) if back <= length => Ok(length - back),
            CommandRef::FromEnd(back) => {
                bail!("the trace has {}, so there is no command -{back}", plural(length, "command"))
            }
            CommandRef::Frame(frame) => match reader.frame(frame) {
                Some(range) if !range.is_empty() => Ok(range.end - 1),
                _ => bail!("{}", trace::no_such_frame(frame as u64, reader.frame_count() as u64)),
            },
        }
    }
}

impl CommandRef {
    /// The number of a draw or dispatch in a trace: of a frame it is the last one.
    pub fn draw(self, reader: &Reader) -> anyhow::Result<u64> {
        let CommandRef::Frame(frame) = self else { return self.number(reader) };
        let last = self.number(reader)?;
        let range = reader.frame(frame).unwrap_or_default();
        let (mut calls, mut found) = (reader.calls(), None);
        calls.seek(range.start);
        loop {
            match calls.next() {
                Ok(Some(call)) if call.number <= last => {
                    let role = call.command.map(|command| api::command(command).role);
                    if matches!(role, Some(Role::Draw | Role::Dispatch)) {
                        found = Some(call.number);
                    }
                }
                Ok(_) => break,
                Err(ReadError::Lost { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        found.with_context(|| format!("frame {frame} draws nothing"))
    }
}

impl FromStr for CommandRef {
    type Err = String;

    fn from_str(text: &str) -> Result<CommandRef, String> {
        let wrong = || format!("`{text}` names no command; write its number, -1 for the last one, or frame:3");
        if let Some(frame) = text.strip_prefix("frame:") {
            return frame.parse().map(CommandRef::Frame).map_err(|_| wrong());
        }
        match text.strip_prefix('-') {
            Some(back) => back.parse().ok().filter(|back| *back > 0).map(CommandRef::FromEnd).ok_or_else(wrong),
            None => text.parse().map(CommandRef::Number).map_err(|_| wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_named_in_three_ways() {
        assert_eq!("17".parse(), Ok(CommandRef::Number(17)));
        assert_eq!("-1".parse(), Ok(CommandRef::FromEnd(1)));
        assert_eq!("frame:3".parse(), Ok(CommandRef::Frame(3)));
        for wrong in ["", "-", "-0", "frame:", "frame:-1", "1.5", "last"] {
            assert!(wrong.parse::<CommandRef>().is_err(), "{wrong}");
        }
    }
}
