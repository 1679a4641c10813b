//! Finds out what is in a file.

use std::collections::HashMap;

use api::{Command, CommandId};

use super::cache::Cache;
use super::scan::{read_head, scan};
use super::source::Source;
use super::unpack::Unpacker;
use super::{KEPT_BLOBS, KEPT_CALLS, Loss, Reader};
use crate::batch::Known;
use crate::bytes::{Cut, Malformed};
use crate::chunk::{HEAD, Kind, Packing};
use crate::error::ReadError;
use crate::index::{Index, Spot};
use crate::outcome::Outcomes;
use crate::signature::{MAX_SIGNATURES, Mark, Signature};

pub fn open(source: Box<dyn Source>, commands: &'static [Command]) -> Result<Reader, ReadError> {
    let bytes = source.size().map_err(ReadError::Read)?;
    let mut unpacker = Unpacker::default();
    let (index, identity, losses, complete) = match read_index(&*source, bytes, &mut unpacker) {
        Some((index, identity)) => (index, identity, Vec::new(), true),
        None => {
            let found = scan(&*source, bytes).map_err(ReadError::Read)?;
            let identity = found.identity.ok_or(ReadError::NotATrace)?;
            (Index { chunks: found.chunks, ..Index::default() }, identity, found.losses, false)
        }
    };
    let mut reader = Reader {
        source,
        bytes,
        identity,
        facts: Vec::new(),
        signatures: Vec::new(),
        signature_bytes: 0,
        calls: Vec::new(),
        blobs: Vec::new(),
        late: Outcomes::default(),
        end: index.calls,
        frames: index.frames,
        problems: index.problems,
        complete,
        losses,
        kept_calls: Cache::new(KEPT_CALLS),
        kept_blobs: Cache::new(KEPT_BLOBS),
    };
    let mut build = Build { commands, by_name: HashMap::new() };
    for spot in &index.chunks {
        take(&mut reader, spot, &mut unpacker, &mut build);
    }
    reader.late.sort();
    reader.blobs.sort_by_key(|spot| (spot.first, spot.offset));
    order_calls(&mut reader);
    if !complete {
        find_marks(&mut reader);
    }
    let end = reader.end;
    reader.frames.retain(|call| *call < end);
    reader.problems.retain(|call| *call < end);
    Ok(reader)
}

/// The commands of the build that reads.
struct Build {
    commands: &'static [Command],
    by_name: HashMap<&'static str, usize>,
}

impl Build {
    /// Which command a signature is of: the one of the same name, if it has as many parameters.
    fn find(&mut self, signature: &Signature) -> Option<CommandId> {
        if self.by_name.is_empty() {
            self.by_name = self.commands.iter().enumerate().map(|(at, command)| (command.name, at)).collect();
        }
        let at = *self.by_name.get(&*signature.name)?;
        (self.commands[at].params.len() == signature.params.len()).then_some(CommandId(u16::try_from(at).ok()?))
    }
}

/// The index, if the file has one that can be read.
fn read_index(source: &dyn Source, size: u64, unpacker: &mut Unpacker) -> Option<(Index, u32)> {
    let tail_at = size.checked_sub(HEAD as u64)?;
    let tail = read_head(source, size, tail_at).ok()?.filter(|head| head.kind == Kind::TAIL)?;
    let index_at = Some(tail.first).filter(|at| *at < tail_at)?;
    let head = read_head(source, size, index_at).ok()?.filter(|head| head.kind == Kind::INDEX)?;
    if head.packing != Packing::Plain {
        return None;
    }
    let contents = unpacker.contents(source, tail.identity, &Spot::of(&head, index_at)).ok()?;
    Some((Index::read(&mut Cut::new(contents)).ok()?, tail.identity))
}

/// Takes note of a chunk.
fn take(reader: &mut Reader, spot: &Spot, unpacker: &mut Unpacker, build: &mut Build) {
    let what = match spot.kind {
        Kind::CALLS => return reader.calls.push(*spot),
        Kind::BLOBS => return reader.blobs.push(*spot),
        Kind::FACTS => "the beginning",
        Kind::SIGNATURES => "what commands are called",
        Kind::OUTCOMES => "what came of some calls",
        // Tails and indexes have no more to say, and other kinds are for readers that know them.
        _ => return,
    };
    let contents = unpacker.contents(&*reader.source, reader.identity, spot);
    // What is kept in memory from the start may not be larger than the file allows.
    let contents = match spot.kind {
        Kind::FACTS | Kind::OUTCOMES if spot.unpacked != spot.stored => Err(Malformed("it is packed").into()),
        Kind::SIGNATURES if reader.signature_bytes + spot.unpacked as usize > MAX_SIGNATURES => {
            Err(Malformed("there are too many").into())
        }
        _ => contents,
    };
    let taken = contents.and_then(|contents| {
        let mut cut = Cut::new(contents);
        Ok(match spot.kind {
            Kind::FACTS => take_facts(&mut reader.facts, &mut cut, spot.count),
            Kind::SIGNATURES => {
                reader.signature_bytes += spot.unpacked as usize;
                take_signatures(&mut reader.signatures, &mut cut, spot, build)
            }
            _ => reader.late.read(&mut cut, spot.count),
        }?)
    });
    if let Err(error) = taken {
        reader.losses.push(Loss::Chunk { at: spot.offset, what, reason: error.to_string() });
    }
}

fn take_facts(facts: &mut Vec<(Box<str>, Box<str>)>, cut: &mut Cut<'_>, count: u32) -> Result<(), Malformed> {
    for _ in 0..count {
        facts.push((cut.text()?.into(), cut.text()?.into()));
    }
    Ok(())
}

fn take_signatures(known: &mut Vec<Known>, cut: &mut Cut<'_>, spot: &Spot, build: &mut Build) -> Result<(), Malformed> {
    // They come again at the end of a file, in case the first ones are lost. Those behind a gap would get wrong
    // numbers: they wait for that.
    let first = usize::try_from(spot.first).ok().filter(|first| *first <= known.len());
    let first = first.ok_or(Malformed("those before are lost"))?;
    for number in first..first.saturating_add(spot.count as usize) {
        let signature = Signature::read(cut)?;
        if number == known.len() && number < usize::from(u16::MAX) {
            let command = build.find(&signature);
            known.push(Known { signature, command });
        }
    }
    Ok(())
}

/// Puts chunks of calls in order, and finds what is missing between them.
fn order_calls(reader: &mut Reader) {
    let Reader { calls, losses, .. } = reader;
    calls.sort_by_key(|spot| (spot.first, spot.offset));
    let mut end = 0;
    calls.retain(|spot| {
        if spot.count == 0 || spot.first < end || spot.first.checked_add(u64::from(spot.count)).is_none() {
            let reason = "others have the same numbers".to_owned();
            losses.push(Loss::Chunk { at: spot.offset, what: "calls", reason });
            return false;
        }
        if spot.first > end {
            losses.push(Loss::Calls { from: end, to: spot.first });
        }
        end = spot.last();
        true
    });
    if end < reader.end {
        losses.push(Loss::Calls { from: end, to: reader.end });
    }
    reader.end = reader.end.max(end);
}

/// Looks through all calls for what an index would say.
fn find_marks(reader: &mut Reader) {
    let (mut frames, mut problems, mut losses) = (Vec::new(), Vec::new(), Vec::new());
    let mut calls = reader.calls();
    loop {
        match calls.next() {
            Ok(None) => break,
            Ok(Some(call)) => match Mark::of(call.name()) {
                Some(Mark::Frame) => frames.push(call.number),
                Some(Mark::Problem) => problems.push(call.number),
                None => {}
            },
            Err(ReadError::Lost { first, last, .. }) => losses.push(Loss::Calls { from: first, to: last + 1 }),
            // Reading stops only where calls are lost.
            Err(_) => break,
        }
    }
    reader.frames = frames;
    reader.problems = problems;
    for loss in losses {
        if !reader.losses.contains(&loss) {
            reader.losses.push(loss);
        }
    }
}
