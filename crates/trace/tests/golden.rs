//! Golden trace files that every later build must read, with their expected contents.
//!
//! `UPDATE_EXPECT=1` writes missing files and expectations. An existing file is never rewritten: a build may encode the
//! same calls differently, as long as it reads the old files the same.

#[path = "laws/sample.rs"]
mod sample;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use api::CommandId;
use sample::COMMANDS;
use trace::{Content, Data, Payloads, Reader, Writer};

/// The commands of the table that the samples use.
const FLUSH: CommandId = CommandId(0);
const UNIFORM: CommandId = CommandId(1);
const BUFFER_DATA: CommandId = CommandId(2);
const GET_ERROR: CommandId = CommandId(3);
const GET_INTEGER: CommandId = CommandId(4);
const PRESENT: CommandId = CommandId(5);
const PROBLEM: CommandId = CommandId(6);

#[test]
fn golden_files_read_as_before() {
    let updating = std::env::var_os("UPDATE_EXPECT").is_some();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    if updating {
        // Files of version 1 that have blobs were written by an earlier build.
        for (name, bytes) in [("v1-tiny", tiny()), ("v2", complete()), ("v2-damaged", damaged())] {
            let path = folder.join(name).with_extension("aftr");
            if !path.exists() {
                std::fs::write(path, bytes).unwrap();
            }
        }
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "aftr"));
    files.sort();
    assert!(files.len() >= 5, "golden files are missing from tests/golden");
    for path in files {
        let found = describe(&Reader::open(&path, COMMANDS).unwrap());
        let expected = path.with_extension("txt");
        if updating && !expected.exists() {
            std::fs::write(&expected, &found).unwrap();
        }
        assert_eq!(found, std::fs::read_to_string(&expected).unwrap(), "{}", path.display());
    }
}

/// Recordings of programs, one set for each release: every call, argument and payload is what it was. `tests/golden.rs` of
/// the product replays them.
#[test]
fn recordings_read_as_before() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/recorded");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "aftr"));
    files.sort();
    let mut found = String::new();
    for path in files {
        let reader = Reader::open(&path, api::COMMANDS).unwrap();
        let unknown: Vec<&str> = reader.signatures().map(|signature| &*signature.name).collect();
        let unknown: Vec<&&str> = unknown.iter().filter(|name| api::find(name).is_none()).collect();
        assert_eq!(unknown, <[&&str; 0]>::default(), "this build lost commands of {}", path.display());
        let digest = blake3::hash(describe(&reader).as_bytes()).to_hex();
        let name = path.file_name().unwrap().display();
        let (calls, frames) = (reader.len(), reader.presents().len());
        writeln!(found, "{name}: {calls} calls, {frames} frames, {}", &digest[..16]).unwrap();
    }
    let path = folder.join("expected.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        // Lines are added; those of earlier releases stay.
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            before.lines().all(|line| found.lines().any(|now| now == line)),
            "recordings read differently:\n{found}"
        );
        std::fs::write(&path, &found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(&path).unwrap());
}

/// A file of a later version is refused, whichever kind of chunk has it, instead of being read as damaged.
#[test]
fn newer_files_are_refused_by_name() {
    const HEAD: usize = 56;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let original = std::fs::read(folder.join("v2.aftr")).unwrap();
    let kinds = ["metadata", "command signatures", "blobs", "calls", "outcomes of calls", "index", "tail"];
    for (kind, what) in (1..).zip(kinds) {
        let mut bytes = original.clone();
        let (mut at, mut changed) = (0, 0);
        while at < bytes.len() {
            let size = u32::from_le_bytes(bytes[at + 32..at + 36].try_into().unwrap()) as usize;
            if bytes[at + 8] == kind {
                // Later versions may be packed in other ways, too.
                bytes[at + 9] = 7;
                bytes[at + 10..at + 12].copy_from_slice(&9u16.to_le_bytes());
                let check = xxhash_rust::xxh3::xxh3_64(&bytes[at..at + HEAD - 8]);
                bytes[at + HEAD - 8..at + HEAD].copy_from_slice(&check.to_le_bytes());
                changed += 1;
            }
            at += HEAD + size;
        }
        assert!(changed > 0, "the golden file has no {what}");
        let supported = if what == "blobs" { 2 } else { 1 };
        let expected = format!(
            "the trace was written by a newer Afterimage (format version 9 of its {what}; this build reads up to \
             version {supported}); open it with the Afterimage that wrote it, or a later one"
        );
        let error = Reader::new(Box::new(bytes), COMMANDS).err().expect("the file is refused");
        assert_eq!(error.to_string(), expected);
    }
}

/// The dump in the specification must be that of the smallest file.
#[test]
fn the_specification_shows_a_real_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("../../docs/trace-format.md")).unwrap();
    let dump =
        text.split("```dump\n").nth(1).expect("docs/trace-format.md has a ```dump block").split("```").next().unwrap();
    let mut bytes = Vec::new();
    for line in dump.lines() {
        // Offset, bytes and a remark; two spaces separate remarks.
        let Some((offset, rest)) = line.split_once("  ") else { continue };
        assert_eq!(usize::from_str_radix(offset, 16), Ok(bytes.len()), "{line}");
        let hex = rest.split("  ").next().unwrap();
        bytes.extend(hex.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()));
    }
    assert_eq!(bytes, std::fs::read(root.join("tests/golden/v1-tiny.aftr")).unwrap());
}

fn call<W: std::io::Write>(writer: &mut Writer<W>, command: CommandId, args: &[u64], input: Option<(u8, &[u8])>) {
    let inputs: Vec<Content<'_>> =
        input.iter().map(|(param, bytes)| Content { param: *param, bytes, digest_only: false }).collect();
    let number = writer.enter(0, command, false, args, &inputs).unwrap();
    writer.leave(0, 0, &[], number + 1).unwrap();
}

/// Returns two calls.
fn tiny() -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), COMMANDS, &sample::origin()).unwrap();
    call(&mut writer, FLUSH, &[], None);
    call(&mut writer, PRESENT, &[1], None);
    writer.finish().unwrap().1
}

/// Returns a trace with at least one of everything.
fn complete() -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), COMMANDS, &sample::origin()).unwrap();
    for frame in 0..3u32 {
        for uniform in 0..20u64 {
            let args = [uniform % 3, 0x3f80_0000, u64::from((frame as f32 + 0.25).to_bits()), 0, uniform << 20];
            call(&mut writer, UNIFORM, &args, None);
        }
        let vertices: Vec<u8> =
            (0..600).flat_map(|at| ((at % 40) as f32 * 0.125 + frame as f32).to_le_bytes()).collect();
        call(
            &mut writer,
            BUFFER_DATA,
            &[0x8892, 2400, 0x7f00_1234_5000 + u64::from(frame), 0x88e4],
            Some((2, &vertices)),
        );
        call(&mut writer, BUFFER_DATA, &[0x8892, 2880, 0x7f00_1234_7000, 0x88e4], Some((2, &quads(frame))));
        let matrix = [frame as u8; 64];
        call(&mut writer, BUFFER_DATA, &[0x8a11, 64, 0x7f00_1234_6000, 0x88e8], Some((2, &matrix)));
        // Thread 1 enters before thread 0 does, and returns after it.
        writer.enter(1, GET_INTEGER, false, &[0x0ba2, 0x7ffc_0000_0010], &[]).unwrap();
        let number = writer.enter(0, GET_ERROR, true, &[], &[]).unwrap();
        writer.leave(0, 0x0502, &[], number + 1).unwrap();
        let viewport = Content { param: 1, bytes: &[1, 0, 0, 0, 2, 0, 0, 0], digest_only: false };
        if frame == 1 {
            writer.flush().unwrap();
        }
        writer.leave(1, 0, &[viewport], number + 1).unwrap();
        call(&mut writer, PRESENT, &[1], None);
    }
    let pixels = [9; 4096];
    let digest = Content { param: 2, bytes: &pixels, digest_only: true };
    let number = writer.enter(0, BUFFER_DATA, true, &[0, -1i64 as u64, 0, 0], &[digest]).unwrap();
    writer.leave(0, 0, &[], number + 1).unwrap();
    call(&mut writer, PROBLEM, &[0x7ffc_0000_0020], Some((0, b"something is missing")));
    writer.enter(0, FLUSH, false, &[], &[]).unwrap();
    writer.finish().unwrap().1
}

/// Returns a row of quads of two triangles each: most of their numbers can be predicted from the previous ones.
fn quads(frame: u32) -> Vec<u8> {
    let corners = [(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)];
    let vertices = (0..40).flat_map(|quad| corners.map(|(x, y)| [quad + x, y + frame * (quad / 8), 7]));
    vertices.flatten().flat_map(u32::to_le_bytes).collect()
}

/// Returns the same trace without its end, and with a gap.
fn damaged() -> Vec<u8> {
    let mut bytes = complete();
    let length = bytes.len();
    bytes[length / 3..length / 3 + 16].fill(0);
    bytes.truncate(length - 30);
    bytes
}

fn describe(reader: &Reader) -> String {
    let mut out = String::new();
    for fact in ["product", "pointer-bytes", "byte-order"] {
        writeln!(out, "{fact}: {}", reader.fact(fact).unwrap_or("lost")).unwrap();
    }
    writeln!(out, "complete: {}, calls: {}, presents: {:?}", reader.is_complete(), reader.len(), reader.presents())
        .unwrap();
    for loss in reader.losses() {
        writeln!(out, "{loss}").unwrap();
    }
    let mut calls = reader.calls();
    loop {
        match calls.next() {
            Ok(None) => return out,
            Ok(Some(call)) => {
                let by = if call.by_capture { " by capture" } else { "" };
                write!(out, "{} @{}{by} {}{:x?}", call.number, call.thread, call.name(), call.args).unwrap();
                write_payloads(&mut out, reader, call.inputs);
                match call.outcome {
                    None => out.push_str(" never returned"),
                    Some(outcome) => {
                        write!(out, " = {:x}", outcome.result).unwrap();
                        write_payloads(&mut out, reader, outcome.outputs);
                        if outcome.before != call.number + 1 {
                            write!(out, " after {} others", outcome.before - call.number - 1).unwrap();
                        }
                    }
                }
                out.push('\n');
            }
            Err(error) => writeln!(out, "{error}").unwrap(),
        }
    }
}

fn write_payloads(out: &mut String, reader: &Reader, payloads: Payloads<'_>) {
    for payload in payloads.iter() {
        let (what, hash) = match payload.data {
            Data::Digest { hash, size } => (format!("digest of {size}"), blake3::Hash::from_bytes(*hash)),
            data => {
                let bytes = reader.bytes(data).unwrap().unwrap();
                let what = match data {
                    Data::Blob { number, size } => format!("blob {number} of {size}"),
                    _ => format!("{} bytes", bytes.len()),
                };
                (what, blake3::hash(&bytes))
            }
        };
        write!(out, " {}: {what} {}", payload.param, &hash.to_hex()[..8]).unwrap();
    }
}
