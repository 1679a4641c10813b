//! Mutates a trace chunk by chunk, with valid checksums afterwards, to get past them and deep into decoding.
//!
//! Written from `docs/trace-format.md`, independently of the code that it tests.

use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"\x89AFTR\r\n\x1a";
const HEAD: usize = 56;
const INDEX: u8 = 6;
const TAIL: u8 = 7;
const CALLS: u8 = 4;

/// One decompressed chunk.
#[derive(Clone)]
struct Chunk {
    head: [u8; HEAD],
    contents: Vec<u8>,
}

/// Mutates a trace; `bytes` mutates plain bytes within a buffer.
pub fn mutate(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    bytes: impl Fn(&mut [u8], usize, usize) -> usize,
) -> usize {
    let mut random = seed | 1;
    let mut below = |limit: usize| {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random as usize % limit.max(1)
    };
    let mut chunks = read(&data[..size]);
    if chunks.is_empty() || below(8) == 0 {
        return bytes(data, size, max_size);
    }
    let indexed = chunks.iter().any(|chunk| chunk.head[8] == INDEX) && below(2) == 0;
    if !indexed || below(4) > 0 {
        chunks.retain(|chunk| !matches!(chunk.head[8], INDEX | TAIL));
    }
    if chunks.is_empty() {
        return bytes(data, size, max_size);
    }
    let at = below(chunks.len());
    match below(8) {
        0 => drop(chunks.remove(at)),
        1 => {
            let copy = chunks[below(chunks.len())].clone();
            chunks.insert(at, copy);
        }
        2 => {
            let other = below(chunks.len());
            chunks.swap(at, other);
        }
        3 => {
            // Kind, compression and version; sequence, count and first.
            let (field, width) = [(8, 1), (9, 1), (10, 2), (16, 4), (20, 4), (24, 8)][below(6)];
            let value = [0u64, 1, 2, 3, 4, 5, 255, 0x8000, 0xffff_ffff, u64::MAX, below(100) as u64][below(11)];
            chunks[at].head[field..field + width].copy_from_slice(&value.to_le_bytes()[..width]);
        }
        _ => {
            let contents = &mut chunks[at].contents;
            let length = contents.len();
            let room = length + 64;
            contents.resize(room, 0);
            let length = bytes(contents, length, room);
            contents.truncate(length);
        }
    }
    let file = write(&chunks, indexed, |kind| kind != 1 && kind < 5 && below(3) == 0);
    if file.len() > max_size {
        return bytes(data, size, max_size);
    }
    data[..file.len()].copy_from_slice(&file);
    file.len()
}

fn read(mut rest: &[u8]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    while rest.len() >= HEAD && rest[..8] == *MAGIC {
        let head: [u8; HEAD] = rest[..HEAD].try_into().expect("the file has a whole head");
        let stored = u32::from_le_bytes(head[32..36].try_into().expect("four bytes")) as usize;
        let Some(contents) = rest.get(HEAD..HEAD + stored) else { break };
        rest = &rest[HEAD + stored..];
        let unpacked = if head[9] == 1 { zstd::bulk::decompress(contents, 1 << 20).ok() } else { None };
        chunks.push(Chunk { head, contents: unpacked.unwrap_or_else(|| contents.to_vec()) });
    }
    chunks
}

fn write(chunks: &[Chunk], indexed: bool, mut pack: impl FnMut(u8) -> bool) -> Vec<u8> {
    let mut file = Vec::new();
    let mut index = Vec::new();
    let mut calls = 0;
    for chunk in chunks {
        let kind = chunk.head[8];
        let stored = append(&mut file, chunk, pack(kind));
        let count = u32::from_le_bytes(chunk.head[20..24].try_into().expect("four bytes"));
        let first = u64::from_le_bytes(chunk.head[24..32].try_into().expect("eight bytes"));
        if kind == CALLS {
            calls = calls.max(first.saturating_add(count.into()));
        }
        index.extend_from_slice(&[kind, 0]);
        for value in [stored as u64, chunk.contents.len() as u64, count.into(), first] {
            number(&mut index, value);
        }
    }
    if indexed && let Some(any) = chunks.first() {
        let mut contents = Vec::new();
        number(&mut contents, calls);
        number(&mut contents, chunks.len() as u64);
        contents.extend_from_slice(&index);
        contents.extend_from_slice(&[0, 0]);
        let at = file.len() as u64;
        let mut head = any.head;
        head[8] = INDEX;
        append(&mut file, &Chunk { head, contents }, false);
        head[8] = TAIL;
        head[24..32].copy_from_slice(&at.to_le_bytes());
        append(&mut file, &Chunk { head, contents: Vec::new() }, false);
    }
    file
}

/// Appends a chunk with correct sizes and checksums; returns the stored size of its contents.
fn append(file: &mut Vec<u8>, chunk: &Chunk, pack: bool) -> usize {
    let packed = if pack { zstd::bulk::compress(&chunk.contents, 1).ok() } else { None };
    let mut head = chunk.head;
    head[9] = packed.is_some().into();
    let stored = packed.as_deref().unwrap_or(&chunk.contents);
    head[32..36].copy_from_slice(&(stored.len() as u32).to_le_bytes());
    head[36..40].copy_from_slice(&(chunk.contents.len() as u32).to_le_bytes());
    head[40..48].copy_from_slice(&xxh3_64(stored).to_le_bytes());
    let check = xxh3_64(&head[..48]);
    head[48..].copy_from_slice(&check.to_le_bytes());
    file.extend_from_slice(&head);
    file.extend_from_slice(stored);
    stored.len()
}

fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
