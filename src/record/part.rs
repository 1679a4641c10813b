//! `record --frames`: all of a recording is trimmed to some frames when it is over.

use std::io::{Write, stderr};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use recorder::Recording;
use trace::Reader;

use crate::amount;
use crate::out;
use crate::replay::On;
use crate::trim::{self, Frames};

/// What the names of whole recordings have before their extension.
const WHOLE: &str = ".whole";

/// Where all of a recording goes.
///
/// # Errors
/// When the output is a device or a pipe, beside which there is no place for it.
pub fn whole(output: &Path) -> anyhow::Result<PathBuf> {
    if crate::overwrite::is_device(output) {
        bail!("--frames trims a file, and {} is not one", output.display());
    }
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let extension = output.extension().unwrap_or("aftr".as_ref()).to_string_lossy();
    Ok(output.with_file_name(format!("{stem}{WHOLE}.{extension}")))
}

/// Trims recordings, and removes the whole ones.
///
/// # Errors
/// When one has no such frames, or cannot be trimmed; it is left as it is then.
pub fn keep(frames: Frames, recordings: &mut [Recording], on: &On, quiet: bool) -> anyhow::Result<()> {
    let mut short = Vec::new();
    for recording in recordings {
        let path = recording.path.clone();
        if recording.frames <= frames.first {
            short.push(format!("{} has {}", path.display(), amount::count(recording.frames, "frame")));
            continue;
        }
        let last = frames.last.min(recording.frames - 1);
        let part = Frames { first: frames.first, last };
        let name = path.file_name().unwrap_or_default().to_string_lossy().replacen(WHOLE, "", 1);
        let output = path.with_file_name(name);
        let manner = trim::Manner { frames: Some(part), strip: false, verify: false };
        let cut = trim::cut(&path, manner, &output, on)
            .with_context(|| format!("all of the recording is in {}, because it cannot be trimmed", path.display()))?;
        std::fs::remove_file(&path).with_context(|| format!("{} cannot be removed", path.display()))?;
        if !quiet {
            // stderr may be closed.
            let _ = stderr().lock().write_all(out::visible(&trim::text(&cut)).as_bytes());
        }
        // Trimming adds calls that restore contents, and some of its own.
        let calls = Reader::open(&output, api::COMMANDS)?.len();
        *recording =
            Recording { path: output, frames: last + 1 - part.first, calls, bytes: cut.bytes, ..recording.clone() };
    }
    if short.is_empty() {
        return Ok(());
    }
    bail!(
        "the program ended before frame {}, counted from 0: {}; all of the recording is kept",
        frames.first,
        short.join(", ")
    )
}
