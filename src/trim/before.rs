//! A trimmed trace with all calls before its frames, and no contents that were read back.
//!
//! Contents do not always take less room than the calls that make them: a picture of a window may take more than all that
//! was drawn there. Presents among these calls become `afiSwap`, which ends no frame.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use api::{CommandId, id};
use trace::{Call, Origin, ReadError, Reader, Summary, WriteError, Writer};

use super::cut;
use super::strip::Copier;

/// Writes the trace if it is smaller than a limit. Returns what it has, and how many calls are of commands that this build does
/// not know; nothing if it is not smaller.
///
/// # Errors
/// When the old trace cannot be read, or the new one cannot be written.
pub fn write(
    reader: &Reader,
    kept: &Range<u64>,
    strip: bool,
    (output, limit): (&Path, u64),
    problems: &mut Vec<String>,
) -> anyhow::Result<Option<(Summary, u64)>> {
    let writer = match Writer::new(Bounded { left: limit }, api::COMMANDS, &Origin::here()) {
        Err(error) if is_full(&error) => return Ok(None),
        writer => writer?,
    };
    match copy(Copier { writer, strip }, reader, kept, &mut Vec::new()) {
        Err(error) if error.downcast_ref().is_some_and(is_full) => return Ok(None),
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    // The other trace is there, and this one takes its place.
    std::fs::remove_file(output)?;
    copy(Copier { writer: Writer::create(output, api::COMMANDS)?, strip }, reader, kept, problems).map(Some)
}

/// Copies all calls up to the end of the frames. Returns what was written, and how many calls are left out.
fn copy<W: Write>(
    mut writer: Copier<W>,
    reader: &Reader,
    kept: &Range<u64>,
    problems: &mut Vec<String>,
) -> anyhow::Result<(Summary, u64)> {
    let mut missing = 0;
    let mut calls = reader.calls();
    let mut setup_end = cut::setup_end(reader, kept);
    loop {
        match calls.next() {
            Ok(Some(call)) if call.number < kept.start && replaced(&mut writer, &call)? => {}
            Ok(Some(call)) if call.number < kept.end => {
                if setup_end.take_if(|first| call.number >= *first).is_some() {
                    writer.writer.end_setup()?;
                }
                missing += u64::from(!cut::copy(&mut writer, &call, reader, problems)?);
            }
            Ok(_) => return Ok((writer.finish()?.0, missing)),
            Err(error @ ReadError::Lost { .. }) => cut::note(problems, error.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Writes what takes the place of a call before the frames, if something does.
fn replaced<W: Write>(writer: &mut Copier<W>, call: &Call<'_>) -> Result<bool, WriteError> {
    const COMPARED: [CommandId; 2] = [id::afiImage, id::afiMapped];
    match call.command {
        // Frames that are not there are not compared.
        Some(command) if COMPARED.contains(&command) => {}
        Some(id::afiPresent) => {
            let number = writer.writer.enter(call.thread, id::afiSwap, false, call.args, &[])?;
            writer.writer.leave(call.thread, 0, &[], number + 1)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Counts what is written, and refuses more than so many bytes.
struct Bounded {
    left: u64,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.left.checked_sub(bytes.len() as u64) {
            Some(left) => self.left = left,
            None => return Err(io::ErrorKind::StorageFull.into()),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn is_full(error: &WriteError) -> bool {
    // After a write that was refused, others are not tried.
    matches!(error, WriteError::Write(error) if error.kind() == io::ErrorKind::StorageFull)
        || matches!(error, WriteError::Ended)
}
