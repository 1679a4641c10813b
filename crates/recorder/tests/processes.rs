//! A recorder and real processes that write to it: the test itself, started again as the program to be recorded.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use recorder::{Destination, Event, Finished, OpenError, Options, Recorder, Recording};
use ring::handshake::{Listener, attach};
use ring::{Block, Payload, Producer};
use trace::Reader;

const SOCKET: &str = "RECORDER_TEST_SOCKET";
const COUNTER: &str = "RECORDER_TEST_COUNTER";
const WHAT: &str = "RECORDER_TEST_WHAT";

/// Not a test but the program that the tests below start.
#[test]
#[ignore = "the other tests start it as the program to be recorded"]
fn program() {
    let name = std::env::var(SOCKET).expect("the other tests start this one");
    let block = attach(&name, api::FINGERPRINT).unwrap();
    let what = std::env::var(WHAT).unwrap();
    if what == "nothing" {
        return;
    }
    if what == "lock" || what == "flag" {
        return by_turns(block, what == "lock");
    }
    let command = api::find("glClear").unwrap().0;
    let upload = api::find("glBufferData").unwrap().0;
    let counter = File::create(std::env::var_os(COUNTER).unwrap()).unwrap();
    let mut producer = Producer::claim(block).unwrap();
    let bytes = vec![7; 300_000];
    let limit = match what.as_str() {
        "endless" => u64::MAX,
        "some" => 10_000,
        number => number.parse().unwrap(),
    };
    for call in 0..limit {
        if call % 100 == 99 {
            let payloads = [Payload { param: 2, bytes: &bytes }];
            producer.enter_with(upload, 0, &[1, 300_000, 3, 4], &payloads);
            producer.leave(upload, 0);
        } else {
            producer.enter(command, 0, &[call]);
            producer.leave(command, 0);
        }
        counter.write_at(&(call + 1).to_le_bytes(), 0).unwrap();
    }
    // The thread ends without releasing its slot, as many do.
}

/// Calls of each thread of [`by_turns`].
const TURNS: u64 = 20_000;

/// Two threads that take turns, by a lock or a flag: each call begins after the previous ones have returned. Their
/// argument counts the calls. Some calls have memory.
fn by_turns(block: &'static Block, locked: bool) {
    let command = api::find("glClear").unwrap().0;
    let upload = api::find("glBufferData").unwrap().0;
    let count = AtomicU64::new(0);
    let lock = Mutex::new(());
    thread::scope(|scope| {
        for number in 0..2 {
            let (count, lock) = (&count, &lock);
            scope.spawn(move || {
                let mut producer = Producer::claim(block).unwrap();
                for turn in 0..TURNS {
                    let guard = locked.then(|| lock.lock().unwrap());
                    let mut spins = 0;
                    while !locked && count.load(Acquire) != 2 * turn + number {
                        spins += 1;
                        // The other thread may be waiting for this one's processor.
                        if spins % 1000 == 0 { thread::yield_now() } else { std::hint::spin_loop() }
                    }
                    let call = count.load(Acquire);
                    let bytes = call.to_le_bytes();
                    if call % 5 == 0 {
                        producer.enter_with(upload, 0, &[call, 8, 1, 4], &[Payload { param: 2, bytes: &bytes }]);
                        producer.leave(upload, 0);
                    } else {
                        producer.enter(command, 0, &[call]);
                        if call % 7 == 0 {
                            producer.leave_with(command, 0, &[Payload { param: 0, bytes: &bytes }]);
                        } else {
                            producer.leave(command, 0);
                        }
                    }
                    count.store(call + 1, Release);
                    drop(guard);
                }
                producer.release();
            });
        }
    });
}

/// A recorder, its events, and a folder that is removed at the end.
struct Fixture {
    folder: PathBuf,
    recorder: Recorder,
    socket: String,
    events: mpsc::Receiver<Event>,
}

impl Fixture {
    fn new(name: &str, replace: bool) -> Self {
        let folder = std::env::temp_dir().join(format!("afterimage-recorder-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let listener = Listener::open().unwrap();
        let socket = listener.name().to_owned();
        let (sender, events) = mpsc::channel();
        let destination = Destination::open(&folder.join("t.aftr"), replace, &mut || false).unwrap();
        let recorder = Recorder::start(listener, destination, Options::default(), sender).unwrap();
        Self { folder, recorder, socket, events }
    }

    fn start(&self, what: &str) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "program", "--ignored"]).env(SOCKET, &self.socket).env(WHAT, what);
        command.env(COUNTER, self.counter()).stdout(std::process::Stdio::null()).spawn().unwrap()
    }

    fn counter(&self) -> PathBuf {
        self.folder.join("counter")
    }

    /// Returns the number of calls that the program has completed.
    fn completed(&self) -> u64 {
        let bytes = fs::read(self.counter()).unwrap_or_default();
        bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    fn await_calls(&self, calls: u64) {
        let begin = Instant::now();
        while self.completed() < calls {
            assert!(begin.elapsed() < Duration::from_secs(60), "the program makes no progress");
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn finish(self) -> (Vec<Recording>, Vec<String>, PathBuf) {
        let Finished { recordings, incomplete } = self.recorder.finish();
        let troubles = self.events.try_iter().filter_map(|event| match event {
            Event::Problem(sentence) => Some(sentence),
            Event::Started { .. } => None,
        });
        let troubles: Vec<_> = troubles.collect();
        assert_eq!(incomplete, !troubles.is_empty(), "{troubles:?}");
        (recordings, troubles, self.folder)
    }
}

/// Returns how many calls a trace has, and how many of them returned.
fn count(path: &Path) -> (u64, u64) {
    let reader = Reader::open(path, api::COMMANDS).unwrap();
    let (mut calls, mut returned) = (0, 0);
    let mut stream = reader.calls();
    while let Some(call) = stream.next().unwrap() {
        assert_eq!(call.number, calls);
        calls += 1;
        returned += u64::from(call.outcome.is_some());
    }
    (calls, returned)
}

#[test]
fn everything_is_recorded() {
    let setting = Fixture::new("everything", false);
    assert!(setting.start("some").wait().unwrap().success());
    let (recordings, troubles, folder) = setting.finish();
    assert_eq!(troubles, Vec::<String>::new());
    assert_eq!(recordings.len(), 1);
    assert_eq!(recordings[0].calls, 10_000);
    assert_eq!(recordings[0].cut_short, None);
    assert_eq!(count(&recordings[0].path), (10_000, 10_000));
    assert!(recordings[0].bytes < 100_000, "the same payload was stored more than once");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_call_follows_those_its_thread_waited_for() {
    for what in ["lock", "flag"] {
        let setting = Fixture::new(what, false);
        assert!(setting.start(what).wait().unwrap().success());
        let (recordings, troubles, folder) = setting.finish();
        assert_eq!(troubles, Vec::<String>::new());
        let reader = Reader::open(&recordings[0].path, api::COMMANDS).unwrap();
        let mut stream = reader.calls();
        let mut calls = 0;
        while let Some(call) = stream.next().unwrap() {
            assert_eq!((call.number, call.args[0]), (calls, calls), "{what}");
            calls += 1;
            assert_eq!(call.outcome.map(|outcome| outcome.before), Some(calls), "{what}");
        }
        assert_eq!(calls, 2 * TURNS, "{what}");
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn each_process_with_calls_has_a_trace() {
    let setting = Fixture::new("each", false);
    for what in ["some", "nothing", "some"] {
        assert!(setting.start(what).wait().unwrap().success());
    }
    let (recordings, _, folder) = setting.finish();
    let names: Vec<_> = recordings.iter().map(|recording| recording.path.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["t.aftr", "t.2.aftr"]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn traces_are_numbered_in_the_order_of_their_processes() {
    let setting = Fixture::new("order", false);
    for calls in 1..=20 {
        assert!(setting.start(&calls.to_string()).wait().unwrap().success());
    }
    let (recordings, _, folder) = setting.finish();
    let calls: Vec<_> = recordings.iter().map(|recording| recording.calls).collect();
    assert_eq!(calls, (1..=20).collect::<Vec<_>>());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_killed_program_loses_no_completed_call() {
    for round in 0..3 {
        let setting = Fixture::new(&format!("killed-{round}"), false);
        let mut child = setting.start("endless");
        setting.await_calls(1 + 7_000 * round);
        child.kill().unwrap();
        child.wait().unwrap();
        let completed = setting.completed();
        let (recordings, _, folder) = setting.finish();
        let (calls, returned) = count(&recordings[0].path);
        assert!(returned == completed || returned == completed + 1, "{returned} returned, {completed} completed");
        assert!(calls == returned || calls == returned + 1);
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_trace_that_cannot_be_created_later_stops_that_recording_only() {
    let setting = Fixture::new("later", true);
    fs::create_dir(setting.folder.join("t.2.aftr")).unwrap();
    for _ in 0..2 {
        assert!(setting.start("some").wait().unwrap().success());
    }
    let (recordings, troubles, folder) = setting.finish();
    assert_eq!(recordings.len(), 1, "{recordings:?}");
    assert_eq!(count(&folder.join("t.aftr")), (10_000, 10_000));
    assert_eq!(troubles.len(), 1, "{troubles:?}");
    assert!(troubles[0].contains("t.2.aftr") && troubles[0].contains("the program keeps running"), "{troubles:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_trace_is_created_in_advance_and_removed_if_there_are_no_calls() {
    let setting = Fixture::new("unused", false);
    assert!(setting.folder.join("t.aftr").exists());
    assert!(setting.start("nothing").wait().unwrap().success());
    let (recordings, _, folder) = setting.finish();
    assert!(recordings.is_empty() && !folder.join("t.aftr").exists());
    let full = Destination::open(Path::new("/dev/full"), true, &mut || false);
    assert!(matches!(full, Err(OpenError::Write { .. })), "{full:?}");
    fs::remove_dir_all(folder).unwrap();
}
