//! Below the language: bytes of buffers, instructions of the emulator.

use std::path::PathBuf;

use serde_json::{Value, json};
use session::{ListedInstruction, MemoryPlace};

use super::Adapter;
use crate::base64;
use crate::protocol::Request;
use crate::protocol::arguments::{Disassemble, ReadMemory};
use crate::refusal::Refusal;

/// What is sent at once at the most.
const MOST_BYTES: usize = 16 << 20;

impl Adapter {
    /// The trace that is open.
    pub(super) fn trace(&self) -> Option<PathBuf> {
        self.opened.clone()
    }

    /// What a client asks for the memory of a variable by, if it lies in memory.
    pub(super) fn memory_reference(&mut self, path: &str, frame: usize) -> Option<String> {
        if !self.client.supports_memory_references {
            return None;
        }
        let place = self.session().ok()?.memory_of(frame, path).ok()??;
        let MemoryPlace { pass, space, slot, offset } = place;
        Some(format!("{pass}/{space}/{slot}/{offset:#x}"))
    }

    pub(super) fn read_memory(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: ReadMemory = request.arguments()?;
        self.focus(None)?;
        let missing = || Refusal::NotThere(format!("there is no memory {}", wanted.memory_reference));
        let place = parse_place(&wanted.memory_reference).ok_or_else(missing)?;
        let bytes = self.session()?.memory(&place)?;
        // An offset may lead in front of the memory: what is there cannot be read.
        let start = i64::from(place.offset) + wanted.offset;
        let end = start.saturating_add(wanted.count.min(MOST_BYTES) as i64);
        let inside = |at: i64| usize::try_from(at.max(0)).unwrap_or(usize::MAX).min(bytes.len());
        let part = &bytes[inside(start)..inside(end)];
        Ok(json!({
            "address": format!("{:#x}", start.max(0)),
            "unreadableBytes": wanted.count.saturating_sub(part.len()),
            "data": base64::encode(part),
        }))
    }

    /// What a client asks for the instructions at a frame by.
    pub(super) fn pointer(&mut self, pass: usize, frame: usize) -> Option<String> {
        let address = self.session().ok()?.address(frame).ok()??;
        Some(format!("{:#x}", encode(pass, address)))
    }

    pub(super) fn disassemble(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Disassemble = request.arguments()?;
        self.focus(None)?;
        let missing = || Refusal::NotThere(format!("there are no instructions at {}", wanted.memory_reference));
        let text = wanted.memory_reference.trim_start_matches("0x");
        let place = u64::from_str_radix(text, 16).map_err(|_| missing())?;
        let (pass, address) = decode(place);
        let all = self.session()?.instructions(pass)?;
        let first = i64::try_from(address).map_err(|_| missing())? + wanted.offset + wanted.instruction_offset;
        let mut last = None;
        let mut list = Vec::new();
        for place in first..first.saturating_add(wanted.instruction_count.min(1 << 16) as i64) {
            let found = usize::try_from(place).ok().and_then(|place| all.get(place));
            list.push(match found {
                Some(line) => self.instruction(pass, line, &mut last),
                // The protocol wants as many as were asked for, with something that is none where there is none.
                None => json!({"address": format!("{:#x}", encode(pass, 0).wrapping_add_signed(place)), "instruction": "", "presentationHint": "invalid"}),
            });
        }
        Ok(json!({"instructions": list}))
    }

    fn instruction(&self, pass: usize, line: &ListedInstruction, last: &mut Option<String>) -> Value {
        let mut body = json!({
            "address": format!("{:#x}", encode(pass, line.address)),
            "instruction": line.text,
        });
        if last.as_ref() != Some(&line.block) {
            body["symbol"] = line.block.as_str().into();
            *last = Some(line.block.clone());
        }
        if let Some(location) = &line.location {
            let place = self.place(location);
            body["location"] = json!(place.source);
            body["line"] = place.line.into();
            body["column"] = place.column.into();
            body["endLine"] = place.end_line.into();
            body["endColumn"] = place.end_column.into();
        }
        body
    }
}

/// Instructions of a pass have addresses of their own: clients keep what they have read by address.
const PASS: u32 = 32;

fn encode(pass: usize, address: u64) -> u64 {
    (pass as u64 + 1) << PASS | address
}

fn decode(place: u64) -> (usize, u64) {
    let pass = (place >> PASS).saturating_sub(1);
    (usize::try_from(pass).unwrap_or(usize::MAX), place & ((1 << PASS) - 1))
}

/// Reads what [`Adapter::memory_reference`] wrote.
fn parse_place(text: &str) -> Option<MemoryPlace> {
    let mut parts = text.split('/');
    let pass = parts.next()?.parse().ok()?;
    let space = parts.next()?.to_owned();
    let slot = parts.next()?.parse().ok()?;
    let offset = u32::from_str_radix(parts.next()?.strip_prefix("0x")?, 16).ok()?;
    parts.next().is_none().then_some(MemoryPlace { pass, space, slot, offset })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back() {
        assert_eq!(decode(encode(3, 77)), (3, 77));
        let place = MemoryPlace { pass: 1, space: "uniform".to_owned(), slot: 2, offset: 16 };
        assert_eq!(parse_place("1/uniform/2/0x10"), Some(place));
        assert_eq!(parse_place("1/uniform/2"), None);
    }
}
