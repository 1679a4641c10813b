//! What a worker prints, passed on to stderr.
//!
//! The worker has a pipe and not the terminal: text of a trace may be in what a driver prints, and a terminal obeys control
//! characters.

use std::io::{self, BufRead, BufReader, PipeReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Longer lines are cut.
const LONGEST: u64 = 4096;

/// How long to wait for the last lines.
const PATIENCE: Duration = Duration::from_millis(200);

/// How lines begin that the runtimes of Rust, LLVM and C++ print before they abort for lack of memory.
const COMPLAINTS: [&str; 3] = [
    "memory allocation of ",
    "LLVM ERROR: out of memory",
    "terminate called after throwing an instance of 'std::bad_alloc'",
];

/// A thread that passes on what a worker prints. It ends with the worker.
pub struct Prints {
    thread: JoinHandle<()>,
    is_out_of_memory: Arc<AtomicBool>,
}

impl Prints {
    /// Begins to pass on what comes out of a pipe.
    pub fn new(pipe: PipeReader) -> Prints {
        let is_out_of_memory = Arc::new(AtomicBool::new(false));
        let shared = Arc::clone(&is_out_of_memory);
        let thread = std::thread::spawn(move || {
            // A worker whose prints cannot be read is silent.
            let _ = pass_on(BufReader::new(pipe), |line| {
                // stderr may be closed.
                let _ = writeln!(io::stderr().lock(), "{line}");
                if COMPLAINTS.iter().any(|complaint| line.starts_with(complaint)) {
                    shared.store(true, Ordering::Relaxed);
                }
            });
        });
        Prints { thread, is_out_of_memory }
    }

    /// Returns whether a worker that has ended complained that it did not get the memory it wanted.
    pub fn is_out_of_memory(&self) -> bool {
        let begin = Instant::now();
        // A process that an unconfined driver started may keep the pipe open.
        while !self.thread.is_finished() && begin.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.is_out_of_memory.load(Ordering::Relaxed)
    }
}

/// Gives each line to `take`, without control characters.
fn pass_on(mut from: impl BufRead, mut take: impl FnMut(&str)) -> io::Result<()> {
    loop {
        let mut line = Vec::new();
        if (&mut from).take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        take(&printable(&line));
    }
}

/// Returns text in which control characters other than tabs are escaped.
fn printable(line: &[u8]) -> String {
    let mut text = String::new();
    for character in String::from_utf8_lossy(line).chars() {
        match character {
            '\t' => text.push('\t'),
            // Among them are those that reorder text, which hide as well.
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => text.extend(character.escape_unicode()),
            other if other.is_control() => text.extend(other.escape_default()),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let mut lines = Vec::new();
        pass_on(&b"plain\n\x1b]0;title\x07\ttab\r\nlast \xff"[..], |line| lines.push(line.to_owned())).unwrap();
        assert_eq!(lines, ["plain", "\\u{1b}]0;title\\u{7}\ttab\\r", "last \u{FFFD}"]);
    }

    #[test]
    fn long_lines_are_cut() {
        let mut count = 0;
        let text = io::repeat(b'x').take(3 * LONGEST).chain(&b"\n"[..]);
        pass_on(BufReader::new(text), |line| {
            assert!(line.len() as u64 <= LONGEST);
            count += 1;
        })
        .unwrap();
        assert!((3..=4).contains(&count), "{count}");
    }
}
