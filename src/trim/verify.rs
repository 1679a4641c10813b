//! Compares the frames of a trimmed trace with those of the whole one, on the same device.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use device::{ReplayRequest, Report};

use super::cut::Frames;
use crate::progress::Progress;
use crate::replay::On;

/// Problems of the new trace that are listed.
const MOST: usize = 10;

/// How many frames were compared, and how many of those are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verified {
    /// Compared.
    pub compared: u64,
    /// Equal.
    pub equal: u64,
}

/// Replays the new trace and compares it with what a replay of the whole one showed. What differs is added to the problems.
///
/// # Errors
/// When it cannot be replayed.
pub fn verify(
    output: &Path,
    frames: Frames,
    whole: &Report,
    on: &On,
    problems: &mut Vec<String>,
) -> anyhow::Result<Verified> {
    let request = ReplayRequest { hashes: Some([0, frames.last - frames.first]), ..ReplayRequest::default() };
    let mut progress = Progress::new(0, "commands of the new trace replayed");
    let part = on.replay(output, request, &mut |now| progress.step(now.command));
    progress.clear();
    let part = part.context("the new trace cannot be replayed")?;
    let compared = whole.hashes.len().min(part.hashes.len());
    let mut equal = 0;
    for (frame, (expected, found)) in (frames.first..).zip(whole.hashes.iter().zip(&part.hashes)) {
        if expected == found {
            equal += 1;
        } else if problems.len() < MOST {
            problems.push(format!("frame {frame} looks different from the whole trace's"));
        }
    }
    if whole.hashes.len() != part.hashes.len() {
        let (has, wanted) = (part.hashes.len(), whole.hashes.len());
        problems.push(format!("the new trace shows {has} frames, and the whole one {wanted}"));
    }
    let known: BTreeSet<&str> = whole.problems.iter().map(|problem| problem.text.as_str()).collect();
    let new = part.problems.iter().filter(|problem| !known.contains(problem.text.as_str()));
    problems.extend(
        new.take(MOST).map(|problem| format!("in the new trace, command {}: {}", problem.command, problem.text)),
    );
    Ok(Verified { compared: compared as u64, equal })
}
