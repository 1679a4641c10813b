//! Opens a trace: reads the index or scans for chunks, then reads metadata and signatures.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::atomic::AtomicU64;

use api::{Command, CommandId};

use super::cache::Cache;
use super::scan::{read_head, scan};
use super::source::Source;
use super::unpack::Unpacker;
use super::{BLOB_CACHE_BYTES, CALL_CACHE_BYTES, Loss, Reader, plausible};
use crate::batch::ResolvedSignature;
use crate::bytes::{ByteReader, Malformed};
use crate::chunk::{ChunkKind, HEAD, Head, Packing, SETUP};
use crate::error::ReadError;
use crate::index::{ChunkLocation, Index};
use crate::outcome::Outcomes;
use crate::signature::{MAX_SIGNATURES, Mark, Signature};

pub fn open(source: Box<dyn Source>, name: &str, commands: &'static [Command]) -> Result<Reader, ReadError> {
    let unreadable = |cause| ReadError::Read { path: name.to_owned(), cause };
    let bytes = source.size().map_err(unreadable)?;
    let mut unpacker = Unpacker::default();
    let (index, identity, losses, complete) = match read_index(&*source, bytes, &mut unpacker) {
        Some((index, identity)) => (index, identity, Vec::new(), true),
        None => {
            let found = scan(&*source, bytes).map_err(unreadable)?;
            let identity = found.identity.ok_or_else(|| ReadError::NotATrace { path: name.to_owned() })?;
            (Index { chunks: found.chunks, ..Index::default() }, identity, found.losses, false)
        }
    };
    if let Some((what, found, supported)) = newer(&*source, bytes, identity, &index.chunks).map_err(unreadable)? {
        return Err(ReadError::Newer { path: name.to_owned(), what, found, supported });
    }
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
        setup: 0,
        frames: index.frames,
        problems: index.problems,
        complete,
        losses,
        call_cache: Cache::new(CALL_CACHE_BYTES),
        blob_cache: Cache::new(BLOB_CACHE_BYTES),
        unpacked: AtomicU64::new(0),
    };
    let mut build = CommandTable { commands, by_name: HashMap::new() };
    for location in &index.chunks {
        register(&mut reader, location, &mut unpacker, &mut build);
    }
    reader.late.sort();
    reader.blobs.sort_by_key(|location| (location.first, location.offset));
    order_calls(&mut reader);
    if let Some(amount) = plausible::excess(bytes, &reader.calls) {
        return Err(ReadError::Implausible { path: name.to_owned(), bytes, amount });
    }
    if !complete {
        find_marks(&mut reader);
    }
    let end = reader.end;
    reader.frames.retain(|call| *call < end);
    reader.problems.retain(|call| *call < end);
    let setup = reader.fact(SETUP).and_then(|text| text.parse().ok()).unwrap_or(0);
    // The first frame has at least one call.
    reader.setup = setup.min(reader.frames.first().copied().unwrap_or(end.saturating_sub(1)));
    Ok(reader)
}

/// The commands of this build.
struct CommandTable {
    commands: &'static [Command],
    by_name: HashMap<&'static str, usize>,
}

impl CommandTable {
    /// Returns the command with the name of a signature, if it has the same number of parameters.
    fn find(&mut self, signature: &Signature) -> Option<CommandId> {
        if self.by_name.is_empty() {
            self.by_name = self.commands.iter().enumerate().map(|(at, command)| (command.name, at)).collect();
        }
        let at = *self.by_name.get(&*signature.name)?;
        (self.commands[at].params.len() == signature.params.len()).then_some(CommandId(u16::try_from(at).ok()?))
    }
}

/// Reads the index, if the file has a readable one.
fn read_index(source: &dyn Source, size: u64, unpacker: &mut Unpacker) -> Option<(Index, u32)> {
    let tail_at = size.checked_sub(HEAD as u64)?;
    // In a newer file, what a tail says may mean something else.
    let is_tail = |head: &Head| head.kind == ChunkKind::TAIL && head.version <= head.kind.version();
    let tail = read_head(source, size, tail_at).ok()?.filter(is_tail)?;
    let index_at = Some(tail.first).filter(|at| *at < tail_at)?;
    let head = read_head(source, size, index_at).ok()?.filter(|head| head.kind == ChunkKind::INDEX)?;
    if head.packing != Packing::Plain {
        return None;
    }
    let contents = unpacker.contents(source, tail.identity, &ChunkLocation::of(&head, index_at)).ok()?;
    Some((Index::read(&mut ByteReader::new(contents)).ok()?, tail.identity))
}

/// Returns what of a file has a later version than this build reads, that version, and the latest that it reads. Looks at
/// the first chunk of each kind: a writer writes all chunks of a kind in the same version, and reading the heads of
/// thousands of chunks would delay the opening of large files.
fn newer(
    source: &dyn Source,
    size: u64,
    identity: u32,
    chunks: &[ChunkLocation],
) -> io::Result<Option<(&'static str, u16, u16)>> {
    for (kind, what) in ChunkKind::KNOWN {
        let first = chunks.iter().find(|location| location.kind == kind && location.offset < size);
        let Some(location) = first else { continue };
        let head = read_head(source, size, location.offset)?;
        let is_newer = |head: &Head| head.kind == kind && head.identity == identity && head.version > kind.version();
        if let Some(head) = head.filter(is_newer) {
            return Ok(Some((what, head.version, kind.version())));
        }
    }
    Ok(None)
}

/// Registers a chunk and reads its contents if they are needed from the start.
fn register(reader: &mut Reader, location: &ChunkLocation, unpacker: &mut Unpacker, build: &mut CommandTable) {
    let what = match location.kind {
        ChunkKind::CALLS => return reader.calls.push(*location),
        ChunkKind::BLOBS => return reader.blobs.push(*location),
        ChunkKind::FACTS => "the metadata",
        ChunkKind::SIGNATURES => "a list of command signatures",
        ChunkKind::OUTCOMES => "the outcomes of some calls",
        // Tails and indexes have nothing to add, and unknown kinds are for newer readers.
        _ => return,
    };
    let contents = unpacker.contents(&*reader.source, reader.identity, location);
    // Contents that stay in memory are bounded by the size of the file.
    let contents = match location.kind {
        ChunkKind::FACTS | ChunkKind::OUTCOMES if location.unpacked != location.stored => {
            Err(Malformed("the chunk must not be compressed").into())
        }
        ChunkKind::SIGNATURES if reader.signature_bytes + location.unpacked as usize > MAX_SIGNATURES => {
            Err(Malformed("the trace has too many signatures").into())
        }
        _ => contents,
    };
    let taken = contents.and_then(|contents| {
        let mut input = ByteReader::new(contents);
        Ok(match location.kind {
            ChunkKind::FACTS => read_facts(&mut reader.facts, &mut input, location.count),
            ChunkKind::SIGNATURES => {
                reader.signature_bytes += location.unpacked as usize;
                read_signatures(&mut reader.signatures, &mut input, location, build)
            }
            _ => reader.late.read(&mut input, location.count),
        }?)
    });
    if let Err(error) = taken {
        reader.losses.push(Loss::Chunk { at: location.offset, what, reason: error.to_string() });
    }
}

fn read_facts(facts: &mut Vec<(Box<str>, Box<str>)>, input: &mut ByteReader<'_>, count: u32) -> Result<(), Malformed> {
    for _ in 0..count {
        facts.push((input.text()?.into(), input.text()?.into()));
    }
    Ok(())
}

fn read_signatures(
    known: &mut Vec<ResolvedSignature>,
    input: &mut ByteReader<'_>,
    location: &ChunkLocation,
    build: &mut CommandTable,
) -> Result<(), Malformed> {
    // Signatures are repeated at the end of a file in case the first ones are lost. Those after a gap would get wrong
    // numbers, so they wait for the repetition.
    let first = usize::try_from(location.first).ok().filter(|first| *first <= known.len());
    let first = first.ok_or(Malformed("earlier signatures are lost"))?;
    for number in first..first.saturating_add(location.count as usize) {
        let signature = Signature::read(input)?;
        if number == known.len() && number < usize::from(u16::MAX) {
            let command = build.find(&signature);
            known.push(ResolvedSignature { signature, command });
        }
    }
    Ok(())
}

/// Sorts the chunks of calls and finds gaps between them.
fn order_calls(reader: &mut Reader) {
    let Reader { calls, losses, .. } = reader;
    calls.sort_by_key(|location| (location.first, location.offset));
    let mut end = 0;
    calls.retain(|location| {
        if location.count == 0
            || location.first < end
            || location.first.checked_add(u64::from(location.count)).is_none()
        {
            let reason = "their numbers overlap those of another chunk".to_owned();
            losses.push(Loss::Chunk { at: location.offset, what: "calls", reason });
            return false;
        }
        if location.first > end {
            losses.push(Loss::Calls { from: end, to: location.first });
        }
        end = location.last();
        true
    });
    if end < reader.end {
        losses.push(Loss::Calls { from: end, to: reader.end });
    }
    reader.end = reader.end.max(end);
}

/// Finds frames and problems by reading all calls, in place of an index.
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
            // Other errors mean that the file cannot be read on.
            Err(_) => break,
        }
    }
    reader.frames = frames;
    reader.problems = problems;
    // Both lists may be long: a file of nothing but heads has a loss every few bytes.
    let known: HashSet<(u64, u64)> = reader.losses.iter().filter_map(Loss::calls).collect();
    losses.retain(|loss| loss.calls().is_none_or(|calls| !known.contains(&calls)));
    reader.losses.append(&mut losses);
}
