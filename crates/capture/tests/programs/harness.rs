//! Runs C programs with the library preloaded, and acts as their recorder.

use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use ring::handshake::{self, Listener, Visitor};
use ring::layout::BY_CAPTURE;
use ring::record::{self, Record, Records};
use ring::{Clock, Consumer, Mapping, Settings};

/// A call read from a ring.
#[derive(Clone, Debug)]
pub struct Call {
    /// The thread, numbered in order of appearance.
    pub thread: u64,
    pub stamp: u64,
    pub name: &'static str,
    pub by_capture: bool,
    pub args: Vec<u64>,
    /// The memory it reads, by parameter.
    pub inputs: BTreeMap<u8, Vec<u8>>,
    /// The result, if it returned.
    pub result: Option<u64>,
}

/// The recording of a program.
#[derive(Debug)]
pub struct Recording {
    /// All calls in order.
    pub calls: Vec<Call>,
    /// Calls that could not be recorded.
    pub lost: u64,
    /// Number of child processes that reported that they are not recorded.
    pub unrecorded: usize,
    pub output: Output,
}

impl Recording {
    pub fn names(&self) -> Vec<&'static str> {
        self.calls.iter().map(|call| call.name).collect()
    }

    pub fn of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Call> {
        self.calls.iter().filter(move |call| call.name == name)
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    pub fn problems(&self) -> Vec<String> {
        self.of("afiProblem").map(|call| String::from_utf8_lossy(&call.inputs[&0]).into_owned()).collect()
    }
}

/// Compiles one of the programs beside this file.
pub fn compile(name: &str, arguments: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    // Tests run at the same time and may compile the same program.
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let output = format!("{}-{}", source.file_stem().unwrap().display(), COUNT.fetch_add(1, Relaxed));
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(output);
    let status = Command::new("cc")
        .args(["-g", "-Wall", "-Werror", "-o"])
        .arg(&output)
        .arg(&source)
        .args(arguments)
        .status()
        .expect("these tests need a C compiler, `cc`");
    assert!(status.success(), "{name} does not compile");
    output
}

/// Returns the library under test.
pub fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let library = test.parent().unwrap().join("libafterimage_capture.so");
    assert!(library.exists(), "{} does not exist; build it with `cargo build -p capture`", library.display());
    library
}

/// Returns a command that runs a program on Mesa without a window system.
pub fn program(path: &Path) -> Command {
    let mut command = Command::new(path);
    command.env("EGL_PLATFORM", "surfaceless").env("LIBGL_ALWAYS_SOFTWARE", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a program without recording it.
pub fn run(path: &Path) -> Output {
    program(path).output().unwrap()
}

/// Runs a program and records it.
pub fn record(path: &Path) -> Recording {
    record_with(program(path), Settings::default())
}

/// Runs a program and records it.
pub fn record_with(mut program: Command, settings: Settings) -> Recording {
    let listener = Listener::open().unwrap();
    program.env("LD_PRELOAD", library()).env("AFTERIMAGE_SOCKET", listener.name());
    let child = program.spawn().unwrap();
    // Read continuously: otherwise a program that prints a lot would block.
    let output = std::thread::spawn(|| child.wait_with_output().unwrap());
    let Some(Visitor::Client(client)) = listener.accept(api::FINGERPRINT, Duration::from_secs(20)).unwrap() else {
        panic!("the program did not attach")
    };
    let mapping = Mapping::create(api::FINGERPRINT, settings, Clock::choose()).unwrap();
    mapping.take_ownership().unwrap();
    let process = client.welcome(&mapping).unwrap();
    let mut consumers = Consumer::all();
    let mut rings: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
    let begin = Instant::now();
    loop {
        let gone = handshake::gone(process.as_fd());
        for (slot, consumer) in consumers.iter_mut().enumerate().take(mapping.slots()) {
            consumer.take(&mapping, usize::MAX, rings.entry(slot).or_default()).unwrap();
        }
        if gone {
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "the program did not end within 60 seconds");
        mapping.beat();
        mapping.sleep(Duration::from_millis(2));
    }
    mapping.release_ownership();
    let output = output.join().unwrap();
    let mut threads = 0;
    let mut calls: Vec<Call> = rings.values().flat_map(|bytes| calls(&mut threads, bytes)).collect();
    calls.sort_by_key(|call| call.stamp);
    let next = || listener.accept(api::FINGERPRINT, Duration::ZERO).unwrap();
    let unrecorded = std::iter::from_fn(next).filter(|next| matches!(next, Visitor::Unrecorded { .. })).count();
    Recording { calls, lost: mapping.lost_calls(), unrecorded, output }
}

/// Returns the calls in a ring. `threads` counts the threads so far.
fn calls(threads: &mut u64, bytes: &[u8]) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut open = Vec::new();
    let mut pieces: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
    for record in Records::new(bytes) {
        match record.expect("a ring holds records") {
            Record::Enter { stamp, command, flags, body } => {
                let command = &api::COMMANDS[usize::from(command)];
                let count = command.params.len();
                let args = (0..count).map(|index| record::word(body, index).unwrap()).collect();
                let mut inputs = std::mem::take(&mut pieces);
                inputs.extend(record::payloads(&body[8 * count..]).map(|(param, bytes)| (param, bytes.to_vec())));
                open.push(calls.len());
                let by_capture = flags & BY_CAPTURE != 0;
                calls.push(Call {
                    thread: *threads,
                    stamp,
                    name: command.name,
                    by_capture,
                    args,
                    inputs,
                    result: None,
                });
            }
            Record::Thread => {
                *threads += 1;
                open.clear();
                pieces.clear();
            }
            Record::Leave { command, result, .. } => {
                pieces.clear();
                let call = &mut calls[open.pop().expect("a result belongs to a call")];
                assert_eq!(call.name, api::COMMANDS[usize::from(command)].name, "results belong to the last call");
                call.result = Some(result);
            }
            Record::Piece { param, size, offset, bytes } => {
                let payload = pieces.entry(param).or_default();
                assert_eq!(payload.len() as u64, offset, "pieces arrive in order");
                payload.extend_from_slice(&bytes[..bytes.len().min((size - offset) as usize)]);
            }
        }
    }
    calls
}
