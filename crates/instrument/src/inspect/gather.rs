//! Assembles streams from windows.

use std::collections::BTreeSet;

use super::{Identity, InspectContext, InspectError, Raw, Run};
use crate::device::Transport;
use crate::question::Scope;
use crate::stream::{BLOCK_HEADER, HEADER, IDENTITY};
use crate::variant::{Variant, What};
use shader::version::Stage;

/// Larger blocks are never allocated.
const MOST_WORDS: u64 = 1 << 26;

/// Limits for answers. The end of a stream that exceeds them is lost, and counted as such.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The size of a storage block in words.
    pub words: u64,
    /// The same where many invocations answer. Those for which there is no room are counted as missed.
    pub every: u64,
    /// A recording is given up after this many runs, if each part of it takes one run of the draw.
    pub runs: u32,
    /// About how many words a part of a recording has that is made in parts; what suits the device without one.
    pub part: Option<u32>,
}

impl Limits {
    /// As much as is ever asked for.
    pub const DEFAULT: Limits = Limits { words: MOST_WORDS, every: MOST_WORDS, runs: MOST_RUNS, part: None };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

/// A stream that needs more windows is given up; the rest is counted as lost.
const MOST_RUNS: u32 = 1 << 14;

/// The collected answers.
pub(super) struct Gathered {
    /// The streams of the invocations; those from a block are in the order in which they started.
    pub streams: Vec<(Identity, Vec<u32>)>,
    /// The number of runs.
    pub runs: u32,
    /// The number of invocations that did not fit.
    pub missed: u32,
    /// What the device added up over all invocations, if the variant does that.
    pub sum: Option<u64>,
}

/// Whether each invocation of a stage is executed once; a vertex may be executed for each of its primitives.
#[must_use]
pub fn runs_once(stage: Stage) -> bool {
    matches!(stage, Stage::Fragment | Stage::Compute)
}

/// Runs a variant until all answers are complete.
pub(super) fn gather(
    context: &mut dyn InspectContext,
    (variant, stage): (&Variant, Stage),
    (scope, pick): (Scope, [i32; 4]),
    limits: Limits,
) -> Result<Gathered, InspectError> {
    match variant.transport.window() {
        None => gather_block(context, (variant, stage), (scope, pick), limits),
        Some(window) => gather_windows(context, (variant, stage), (scope, pick), limits, window),
    }
}

fn gather_block(
    context: &mut dyn InspectContext,
    (variant, stage): (&Variant, Stage),
    (scope, pick): (Scope, [i32; 4]),
    limits: Limits,
) -> Result<Gathered, InspectError> {
    let mut room = match scope {
        Scope::One => [4096, 16],
        // The number of answers is unknown; a second run has space for all.
        _ if variant.controls.late => [usual_room(variant), 1024],
        Scope::All | Scope::At | Scope::Blocks => {
            [usual_room(variant), context.expected().unwrap_or(4096).clamp(16, 1 << 16)]
        }
    };
    let all_words = if scope == Scope::One { limits.words } else { limits.every };
    if scope != Scope::One {
        let regions = u32::try_from(all_words / u64::from(room[0])).unwrap_or(u32::MAX);
        room[1] = room[1].min(regions.max(1));
    }
    let mut cut = false;
    // The result of the first run determines the size for the second, unless its answers are longer.
    for runs in 1..=4 {
        let raw = context.run(variant, stage, scope, Run { on: true, pick, base: 0, room })?;
        let Raw::Block(words) = raw else { return garbled("a storage block was expected") };
        let (header, regions) = match words.split_at_checked(BLOCK_HEADER as usize) {
            Some((header, regions)) => (header, regions),
            None => return garbled("the storage block is too short"),
        };
        let [count, _, low, high] = *header else { return garbled("the storage block is too short") };
        if room[0] < IDENTITY + HEADER {
            return garbled("the storage block has no room for a header");
        }
        // Regions that nobody answered in may be left out.
        let (there, answered) = (regions.len() as u64 / u64::from(room[0]), u64::from(count.min(room[1])));
        let whole = regions.len().is_multiple_of(room[0] as usize);
        if !whole || !(answered..=u64::from(room[1])).contains(&there) {
            return garbled("the storage block has another size than was asked for");
        }
        let mut answers = Vec::new();
        let mut longest = room[0];
        for region in regions.chunks_exact(room[0] as usize).take(count.min(room[1]) as usize) {
            let (who, stream) = region.split_at(IDENTITY as usize);
            let length = stream[0];
            longest = longest.max(length.saturating_add(IDENTITY));
            let there = (length as usize).clamp(HEADER as usize, stream.len());
            answers.push((identity(who), stream[..there].to_vec()));
        }
        let needed = [longest, count.max(room[1])];
        let fits = u64::from(needed[0]) * u64::from(needed[1]) <= all_words;
        // Of a single long answer, as much as fits.
        let most = u32::try_from(all_words / u64::from(needed[1])).unwrap_or(u32::MAX);
        if !fits && !cut && scope == Scope::One && most > room[0] {
            (room, cut) = ([most, needed[1]], true);
            continue;
        }
        // Of many answers, as many as fit.
        let most = u32::try_from(all_words / u64::from(needed[0])).unwrap_or(u32::MAX);
        if !fits && !cut && scope != Scope::One && most > room[1] {
            (room, cut) = ([needed[0], most], true);
            continue;
        }
        if needed == room || !fits || runs == 4 {
            let missed = count - answers.len() as u32;
            let each_once = runs_once(stage);
            if !each_once {
                // Different answers come from different invocations: primitives of several instances have the same
                // numbers.
                let mut seen = BTreeSet::new();
                answers.retain(|answer| seen.insert(answer.clone()));
            }
            let sum = u64::from(low) | u64::from(high) << 32;
            let sum = (variant.controls.late && each_once).then_some(sum);
            return Ok(Gathered { streams: answers, runs, missed, sum });
        }
        room = needed;
    }
    garbled("the answers grow from run to run")
}

/// The number of words per region in which most answers fit: a stream with markers may have any length, others have
/// each record once.
fn usual_room(variant: &Variant) -> u32 {
    let sites = variant.layout.sites.get(1..).unwrap_or_default();
    if is_recording(variant) {
        return 256;
    }
    let records: u32 = sites.iter().map(|site| 1 + site.words).sum();
    (IDENTITY + HEADER + records).clamp(16, 4096)
}

/// Whether a stream has markers, and thus any length.
fn is_recording(variant: &Variant) -> bool {
    let sites = variant.layout.sites.get(1..).unwrap_or_default();
    sites.iter().any(|site| matches!(site.what, What::Marker(_)))
}

fn gather_windows(
    context: &mut dyn InspectContext,
    (variant, stage): (&Variant, Stage),
    (scope, pick): (Scope, [i32; 4]),
    limits: Limits,
    window: u32,
) -> Result<Gathered, InspectError> {
    let most = if is_recording(variant) { limits.runs } else { MOST_RUNS };
    let mut rows: Vec<(Identity, Vec<u32>)> = Vec::new();
    for runs in 1..=most {
        let base = (runs - 1) * window;
        let raw = context.run(variant, stage, scope, Run { on: true, pick, base, room: [0, 0] })?;
        let places = places(variant.transport, raw, window as usize)?;
        if base == 0 {
            rows = places;
        } else if places.len() == rows.len() {
            rows.iter_mut().zip(places).for_each(|((_, stream), (_, words))| stream.extend(words));
        } else {
            return garbled("two windows have answers from different invocations");
        }
        // The length is 0 where there is no answer.
        let longest = rows.iter().map(|(_, stream)| stream[0]).max().unwrap_or(0);
        if base + window >= longest || runs == most {
            return Ok(Gathered { streams: answers(rows), runs, missed: 0, sum: None });
        }
    }
    garbled("no window was asked for")
}

/// The invocations that answered, each once: a vertex is captured for each of its primitives. Different answers come
/// from different invocations.
fn answers(rows: Vec<(Identity, Vec<u32>)>) -> Vec<(Identity, Vec<u32>)> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for (who, mut stream) in rows {
        if stream[0] == 0 {
            continue;
        }
        stream.truncate((stream[0] as usize).max(HEADER as usize));
        if seen.insert((who, stream.clone())) {
            all.push((who, stream));
        }
    }
    all
}

/// The windows of all cells, with their identities.
fn places(transport: Transport, raw: Raw, window: usize) -> Result<Vec<(Identity, Vec<u32>)>, InspectError> {
    match raw {
        Raw::Grid { rectangle: [left, bottom, width, height], words } => {
            if words.len() as u64 != u64::from(width) * u64::from(height) * window as u64 {
                return garbled("a window has another size than was asked for");
            }
            let who = |place: u32| {
                let (x, y) = (left + place % width, bottom + place / width);
                match transport {
                    Transport::PointGrid => [place.cast_signed(), 0, 0, 0],
                    _ => [x.cast_signed(), y.cast_signed(), 0, 0],
                }
            };
            Ok((0..).zip(words.chunks_exact(window)).map(|(place, words)| (who(place), words.to_vec())).collect())
        }
        Raw::List(words) => {
            let row = IDENTITY as usize + window;
            if words.len() % row != 0 {
                return garbled("a list of windows is cut short");
            }
            let rows = words.chunks_exact(row).map(|row| row.split_at(IDENTITY as usize));
            Ok(rows.map(|(who, words)| (identity(who), words.to_vec())).collect())
        }
        Raw::Block(_) => garbled("a window was expected"),
    }
}

fn identity(words: &[u32]) -> Identity {
    let mut who = [0; 4];
    who.iter_mut().zip(words).for_each(|(place, word)| *place = word.cast_signed());
    who
}

fn garbled<T>(what: &str) -> Result<T, InspectError> {
    Err(InspectError::Garbled(what.to_owned()))
}
