//! A short run of fuzz target `trace`: golden files that are modified, with valid checksums, violate no law.

#[path = "../../../fuzz/src/trace_laws.rs"]
mod laws;
#[path = "../../../fuzz/src/trace_mutate.rs"]
mod mutate;

use std::cell::RefCell;
use std::path::Path;

use testing::random::Random;

/// Maximum size of a modified file.
const LARGEST: usize = 4096;
/// Modifications made to a golden file before starting again with it.
const DEPTH: usize = 12;

#[test]
fn modified_files_violate_no_law() {
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(150);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let random = RefCell::new(Random::new(1));
    let next = || random.borrow_mut().word();
    // A simple version of libFuzzer's mutation of plain bytes.
    let bytes = |data: &mut [u8], size: usize, max_size: usize| {
        let at = next() as usize % size.max(1);
        match next() % 4 {
            0 if size > 0 => data[at] ^= 1 << (next() % 8),
            1 if size > 0 => data[at] = next() as u8,
            2 if size > 0 => {
                data.copy_within(at + 1..size, at);
                return size - 1;
            }
            3 if size < max_size => {
                data.copy_within(at..size, at + 1);
                data[at] = next() as u8;
                return size + 1;
            }
            _ => {}
        }
        size
    };
    for name in ["v1-tiny.aftr", "v1.aftr", "v2.aftr", "v2-damaged.aftr"] {
        let golden = std::fs::read(folder.join(name)).expect("golden files can be read");
        for _ in 0..rounds {
            let mut data = vec![0; LARGEST];
            data[..golden.len()].copy_from_slice(&golden);
            let mut size = golden.len();
            for _ in 0..DEPTH {
                size = mutate::mutate(&mut data, size, LARGEST, next(), bytes);
                laws::check(&data[..size]);
            }
        }
    }
}
