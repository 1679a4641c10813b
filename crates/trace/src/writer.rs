//! Writes traces.

mod blobs;
mod choose;
mod copy;

use std::fs::File;
use std::io::Write;
use std::path::Path;

use api::{Command, CommandId};
use zstd::zstd_safe::CParameter;

use crate::batch::encode::Encoder;
use crate::batch::{Batch, Entered, MAX_THREADS, ResolvedSignature};
use crate::bytes::put_text;
use crate::chunk::{ChunkKind, HEAD, Head, MAX_CONTENTS, Packing, SETUP, checksum};
use crate::error::WriteError;
use crate::index::{ChunkLocation, Index};
use crate::outcome::Outcomes;
use crate::signature::{Mark, Signature};
pub use copy::{Edit, Editor, Side};

/// Payloads up to this size are stored inline with the calls; larger ones are blobs.
const INLINE: usize = 512;

/// Calls per chunk. Twice as many would be 8 % smaller on disk, but no longer fit the cache while they are sorted,
/// which costs 15 % of the time.
const CALLS_PER_CHUNK: usize = 1 << 14;

/// The zstd level for calls and blobs.
const LEVEL: i32 = 1;

/// The base-2 logarithm of zstd's match window in bytes: large enough for several versions of a buffer.
const WINDOW: u32 = 22;

/// A payload to write.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Content<'a> {
    /// The parameter's index.
    pub param: u8,
    /// The bytes.
    pub bytes: &'a [u8],
    /// Store only their hash and size.
    pub digest_only: bool,
}

/// The metadata at the start of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The product that writes the trace, and its version.
    pub product: String,
    /// Size in bytes of the program's pointers.
    pub pointer_bytes: u8,
    /// Whether the program's numbers in memory are little-endian.
    pub little_endian: bool,
    /// An arbitrary number that distinguishes the chunks of this trace from those of others.
    pub identity: u32,
}

/// Totals of a finished trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Calls.
    pub calls: u64,
    /// Completed frames.
    pub frames: u64,
    /// Distinct blobs.
    pub blobs: u32,
    /// Size of the file.
    pub bytes: u64,
}

/// What can be read from a file that is being written, or that could not be written to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stored {
    /// Calls.
    pub calls: u64,
    /// Completed frames.
    pub frames: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Writes a trace chunk by chunk. Everything flushed stays readable, whatever happens afterwards.
pub struct Writer<W: Write = File> {
    file: ChunkWriter<W>,
    commands: &'static [Command],
    /// By command, the number of its signature if it has been used.
    signature_of: Vec<Option<u16>>,
    signatures: Vec<ResolvedSignature>,
    signatures_written: usize,
    batch: Batch,
    encoder: Encoder,
    /// Calls that have not returned, by thread, outermost first.
    open: Vec<Vec<u64>>,
    late: Outcomes,
    blobs: blobs::Blobs,
    /// Scratch memory for the contents of a chunk.
    contents: Vec<u8>,
    frames: Vec<u64>,
    problems: Vec<u64>,
    present: Option<CommandId>,
    problem: Option<CommandId>,
}

impl Origin {
    /// Returns the metadata of a trace recorded on this machine, with a new identity.
    pub fn here() -> Self {
        use std::hash::{BuildHasher, RandomState};
        Origin {
            product: concat!("afterimage ", env!("CARGO_PKG_VERSION")).to_owned(),
            pointer_bytes: size_of::<usize>() as u8,
            little_endian: cfg!(target_endian = "little"),
            identity: RandomState::new().hash_one(()) as u32,
        }
    }
}

impl Writer<File> {
    /// Creates a file that only the user can read, replacing an existing one, and starts a trace in it.
    pub fn create(path: &Path, commands: &'static [Command]) -> Result<Self, WriteError> {
        let create = |cause| WriteError::Create { path: path.display().to_string(), cause };
        Writer::new(crate::file::create(path, true).map_err(create)?, commands, &Origin::here())
    }
}

impl<W: Write> Writer<W> {
    /// Starts a trace.
    pub fn new(out: W, commands: &'static [Command], origin: &Origin) -> Result<Self, WriteError> {
        let marked = |mark| {
            let at = commands.iter().position(|command| Mark::of(command.name) == Some(mark));
            at.map(|at| CommandId(at as u16))
        };
        let mut writer = Writer {
            file: ChunkWriter::new(out, origin.identity)?,
            commands,
            signature_of: vec![None; commands.len()],
            signatures: Vec::new(),
            signatures_written: 0,
            batch: Batch::default(),
            encoder: Encoder::new(LEVEL).map_err(WriteError::Write)?,
            open: Vec::new(),
            late: Outcomes::default(),
            blobs: blobs::Blobs::new().map_err(WriteError::Write)?,
            contents: Vec::new(),
            frames: Vec::new(),
            problems: Vec::new(),
            present: marked(Mark::Frame),
            problem: marked(Mark::Problem),
        };
        let facts = [
            ("product", origin.product.clone()),
            ("pointer-bytes", origin.pointer_bytes.to_string()),
            ("byte-order", if origin.little_endian { "little" } else { "big" }.to_owned()),
        ];
        for (key, value) in &facts {
            put_text(&mut writer.contents, key);
            put_text(&mut writer.contents, value);
        }
        writer.file.write(ChunkKind::FACTS, 0, facts.len(), &writer.contents, false)?;
        Ok(writer)
    }

    /// Adds a call that a thread enters, and returns the call's number.
    pub fn enter(
        &mut self,
        thread: u32,
        command: CommandId,
        by_capture: bool,
        args: &[u64],
        inputs: &[Content<'_>],
    ) -> Result<u64, WriteError> {
        let signature = self.signature(command, args.len())?;
        if thread >= MAX_THREADS {
            return Err(WriteError::Threads(thread));
        }
        let input_count = count_payloads(inputs)?;
        if self.batch.entries.len() >= CALLS_PER_CHUNK
            || !self.batch.has_room(args.len(), inputs.len(), inline_bytes(inputs))
        {
            self.flush()?;
        }
        for input in inputs {
            let new = self.blobs.place(signature, input, &mut self.file)?;
            self.batch.add(input.param, new);
        }
        let number = self.batch.end();
        self.batch.enter(Entered { thread, signature, by_capture, args, input_count });
        if self.open.len() <= thread as usize {
            self.open.resize(thread as usize + 1, Vec::new());
        }
        self.open[thread as usize].push(number);
        if Some(command) == self.present {
            self.frames.push(number);
        } else if Some(command) == self.problem {
            self.problems.push(number);
        }
        Ok(number)
    }

    /// Says that the calls so far are not of the first frame: it only needs what they do. Trimmed traces begin with such
    /// calls.
    pub fn end_setup(&mut self) -> Result<(), WriteError> {
        self.contents.clear();
        put_text(&mut self.contents, SETUP);
        put_text(&mut self.contents, &self.batch.end().to_string());
        self.file.write(ChunkKind::FACTS, 0, 1, &self.contents, false)
    }

    /// Adds the return from the innermost open call of a thread. Calls numbered below `before` had been entered by
    /// then.
    pub fn leave(&mut self, thread: u32, result: u64, outputs: &[Content<'_>], before: u64) -> Result<(), WriteError> {
        let output_count = count_payloads(outputs)?;
        let open = self.open.get_mut(thread as usize).and_then(Vec::pop);
        let number = open.ok_or(WriteError::NotEntered(thread))?;
        let bytes = inline_bytes(outputs);
        if !self.batch.has_room(0, outputs.len(), bytes) || !self.late.has_room(outputs.len(), bytes) {
            self.flush()?;
        }
        let here = number.checked_sub(self.batch.first);
        // For outputs of a call whose chunk has been written, any signature will do: it only groups blobs that are
        // likely to be alike.
        let signature = here.map_or(0, |at| self.batch.entries[at as usize].signature);
        for output in outputs {
            let new = self.blobs.place(signature, output, &mut self.file)?;
            match here {
                Some(_) => self.batch.add(output.param, new),
                None => self.late.add(output.param, new),
            }
        }
        match here {
            Some(at) => self.batch.leave(at as usize, result, before, output_count),
            None => self.late.push(number, result, before, output_count),
        }
        Ok(())
    }

    /// Discards the innermost open call of a thread: the thread left it by a jump and will never return from it.
    pub fn abandon(&mut self, thread: u32) {
        if let Some(open) = self.open.get_mut(thread as usize) {
            open.pop();
        }
    }

    /// Returns the number of calls entered so far.
    pub fn calls(&self) -> u64 {
        self.batch.end()
    }

    /// Returns the number of completed frames so far.
    pub fn frames(&self) -> u64 {
        self.frames.len() as u64
    }

    /// Returns the number of bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.file.position
    }

    /// Returns what can be read from the file, whatever happens from now on. Also when a write has failed.
    pub fn stored(&self) -> Stored {
        let calls = self.batch.first;
        let frames = self.frames.partition_point(|frame| *frame < calls) as u64;
        Stored { calls, frames, bytes: self.file.position }
    }

    /// Writes everything added so far.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        self.write_signatures()?;
        self.blobs.flush(&mut self.file)?;
        // These belong to calls in earlier chunks. Wherever the file is cut off, at most one call per thread looks as
        // if it never returned.
        if !self.late.list.is_empty() {
            self.contents.clear();
            self.late.write(&mut self.contents);
            self.file.write(ChunkKind::OUTCOMES, 0, self.late.list.len(), &self.contents, false)?;
            self.late.clear();
        }
        if !self.batch.entries.is_empty() {
            self.contents.clear();
            self.encoder.encode(&self.batch, &self.signatures, &mut self.contents);
            self.file.write(ChunkKind::CALLS, self.batch.first, self.batch.entries.len(), &self.contents, true)?;
            self.batch.clear(self.batch.end());
        }
        Ok(())
    }

    /// Writes the rest, and an index.
    pub fn finish(mut self) -> Result<(Summary, W), WriteError> {
        self.flush()?;
        // Repeated all together: without signatures nothing else can be read.
        self.signatures_written = 0;
        self.write_signatures()?;
        let index = Index {
            calls: self.batch.end(),
            chunks: std::mem::take(&mut self.file.chunks),
            frames: std::mem::take(&mut self.frames),
            problems: std::mem::take(&mut self.problems),
        };
        self.contents.clear();
        index.write(&mut self.contents);
        // The index of a trace of hundreds of gigabytes would not fit; readers then scan for the chunks.
        if self.contents.len() <= MAX_CONTENTS {
            let at = self.file.position;
            self.file.write(ChunkKind::INDEX, 0, index.chunks.len(), &self.contents, false)?;
            self.file.write(ChunkKind::TAIL, at, 0, &[], false)?;
        }
        self.file.out.flush().map_err(WriteError::Write)?;
        let summary = Summary {
            calls: index.calls,
            frames: index.frames.len() as u64,
            blobs: self.blobs.count(),
            bytes: self.file.position,
        };
        Ok((summary, self.file.out))
    }

    fn signature(&mut self, command: CommandId, args: usize) -> Result<u16, WriteError> {
        let known = self.commands.get(usize::from(command.0)).ok_or(WriteError::NoSuchCommand(command))?;
        if known.params.len() != args {
            return Err(WriteError::Arguments { name: known.name, expected: known.params.len(), found: args });
        }
        if let Some(signature) = self.signature_of[usize::from(command.0)] {
            return Ok(signature);
        }
        let signature = self.signatures.len() as u16;
        self.signatures.push(ResolvedSignature { signature: Signature::of(known), command: Some(command) });
        self.signature_of[usize::from(command.0)] = Some(signature);
        Ok(signature)
    }

    fn write_signatures(&mut self) -> Result<(), WriteError> {
        let new = &self.signatures[self.signatures_written..];
        if new.is_empty() {
            return Ok(());
        }
        self.contents.clear();
        for known in new {
            known.signature.write(&mut self.contents);
        }
        self.file.write(ChunkKind::SIGNATURES, self.signatures_written as u64, new.len(), &self.contents, true)?;
        self.signatures_written = self.signatures.len();
        Ok(())
    }
}

fn count_payloads(contents: &[Content<'_>]) -> Result<u8, WriteError> {
    u8::try_from(contents.len()).map_err(|_| WriteError::Payloads(contents.len()))
}

fn inline_bytes(contents: &[Content<'_>]) -> usize {
    contents.iter().filter(|content| is_inline(content)).map(|content| content.bytes.len()).sum()
}

fn is_inline(content: &Content<'_>) -> bool {
    !content.digest_only && content.bytes.len() <= INLINE
}

/// Writes chunks and keeps a list of their locations.
struct ChunkWriter<W> {
    out: W,
    identity: u32,
    position: u64,
    /// The number of the next chunk.
    sequence: u32,
    chunks: Vec<ChunkLocation>,
    packer: zstd::bulk::Compressor<'static>,
    /// A whole chunk, so that it is written at once. May be longer than the current chunk.
    chunk: Vec<u8>,
    failed: bool,
}

impl<W: Write> ChunkWriter<W> {
    fn new(out: W, identity: u32) -> Result<Self, WriteError> {
        let mut packer = zstd::bulk::Compressor::new(LEVEL).map_err(WriteError::Write)?;
        packer.include_contentsize(false).map_err(WriteError::Write)?;
        packer.include_checksum(false).map_err(WriteError::Write)?;
        packer.set_parameter(CParameter::WindowLog(WINDOW)).map_err(WriteError::Write)?;
        Ok(ChunkWriter {
            out,
            identity,
            position: 0,
            sequence: 0,
            chunks: Vec::new(),
            packer,
            chunk: Vec::new(),
            failed: false,
        })
    }

    fn write(
        &mut self,
        kind: ChunkKind,
        first: u64,
        count: usize,
        contents: &[u8],
        pack: bool,
    ) -> Result<(), WriteError> {
        if self.failed {
            return Err(WriteError::Ended);
        }
        debug_assert!(contents.len() <= MAX_CONTENTS);
        // Stale bytes of earlier chunks do not matter; clearing them would cost as much as a copy.
        let room = HEAD + zstd::zstd_safe::compress_bound(contents.len());
        if self.chunk.len() < room {
            self.chunk.resize(room, 0);
        }
        let packed = if pack { self.packer.compress_to_buffer(contents, &mut self.chunk[HEAD..]).ok() } else { None };
        let (packing, stored) = match packed.filter(|packed| *packed < contents.len()) {
            Some(packed) => (Packing::Zstd, packed),
            None => {
                self.chunk[HEAD..][..contents.len()].copy_from_slice(contents);
                (Packing::Plain, contents.len())
            }
        };
        let chunk = &mut self.chunk[..HEAD + stored];
        let head = Head {
            kind,
            packing,
            version: kind.version(),
            identity: self.identity,
            sequence: self.sequence,
            count: count as u32,
            first,
            stored: stored as u32,
            unpacked: contents.len() as u32,
            contents: checksum(&chunk[HEAD..]),
        };
        chunk[..HEAD].copy_from_slice(&head.write());
        if let Err(error) = self.out.write_all(chunk) {
            self.failed = true;
            return Err(WriteError::Write(error));
        }
        self.sequence = self.sequence.wrapping_add(1);
        self.chunks.push(ChunkLocation::of(&head, self.position));
        self.position += (HEAD + stored) as u64;
        Ok(())
    }
}
