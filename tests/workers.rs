//! Worker processes: one answers many questions, users share them, and what happens when one dies or is interrupted.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use device::{Answer, Ask, Control, Device, DeviceError, Reply};
use worker::{Pool, WorkerOptions};

const TIMEOUT: Duration = Duration::from_secs(60);

/// Records the demo `deferred`, once, and returns the trace.
fn trace() -> &'static Path {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    TRACE.get_or_init(|| {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("workers.aftr");
        testing::programs::recorded(&file, &["deferred"]);
        file
    })
}

fn pool(program: &str, trace: &Path) -> Arc<Pool> {
    let (program, trace) = (program.into(), trace.to_owned());
    Pool::new(WorkerOptions { program, trace, device: None, timeout: TIMEOUT, sandbox: true, memory: None })
}

fn ask(pool: &Arc<Pool>, ask: &Ask) -> Result<Reply, DeviceError> {
    pool.device().ask(ask, &Control::default())
}

fn picture(pool: &Arc<Pool>, command: u64, everything: bool) -> Option<([u32; 2], Vec<u8>)> {
    let Reply { answer, bytes } = ask(pool, &Ask::Picture { command, everything }).unwrap();
    let Answer::Picture { size } = answer else { panic!("{answer:?}") };
    size.map(|size| (size, bytes))
}

/// Returns the number of calls, and a late command; at the very end the program has no context any more.
fn late_command() -> (u64, u64) {
    let calls = trace::Reader::open(trace(), api::COMMANDS).unwrap().len();
    (calls, calls * 3 / 4)
}

#[test]
fn one_worker_answers_many_questions() {
    let pool = pool(env!("CARGO_BIN_EXE_afterimage"), trace());
    let (calls, last) = late_command();
    let (size, end) = picture(&pool, last, true).unwrap();
    assert_eq!(end.len(), 4 * size[0] as usize * size[1] as usize);
    assert_eq!(picture(&pool, last, false).unwrap(), (size, end.clone()));
    let early = picture(&pool, last / 2, true);
    assert_eq!(picture(&pool, last / 2, false), early);
    assert_ne!(early.map(|(_, pixels)| pixels), Some(end));
    match ask(&pool, &Ask::Picture { command: calls, everything: true }) {
        Err(DeviceError::Refused(why)) => assert!(why.contains("there is no command"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(pool.started(), 1, "a refused question costs no worker");
    assert_eq!(pool.questions(), 5);
}

/// A worker that is asked about a draw first skips calls that the draw does not depend on. Textures that it does not read
/// are as recorded all the same.
#[test]
fn contents_are_as_recorded_although_calls_are_skipped() {
    let everything = pool(env!("CARGO_BIN_EXE_afterimage"), trace());
    let reader = trace::Reader::open(trace(), api::COMMANDS).unwrap();
    let is_draw = |number: &u64| {
        let held = reader.call_at(*number).unwrap();
        held.call().command.is_some_and(|command| api::command(command).role == api::Role::Draw)
    };
    let draws: Vec<u64> = (0..reader.len()).filter(is_draw).collect();
    let draw = draws[draws.len() - 4];
    picture(&everything, draw - 1, true).unwrap();
    // A texture that the draw reads, and two that the skipped calls write. Each is the first that a worker reads.
    for texture in [6, 7, 8] {
        let skipping = pool(env!("CARGO_BIN_EXE_afterimage"), trace());
        ask(&skipping, &Ask::Draw { command: draw, images: Vec::new() }).unwrap();
        let question = Ask::Contents { command: draw, objects: vec![device::Object::Texture(texture, 0x0DE1)] };
        let found = ask(&skipping, &question).unwrap();
        assert_eq!(found, ask(&everything, &question).unwrap(), "texture {texture}");
        assert!(!found.bytes.is_empty(), "texture {texture}");
    }
}

#[test]
fn a_worker_outlives_the_thread_that_asked_first() {
    let pool = pool(env!("CARGO_BIN_EXE_afterimage"), trace());
    let (_, last) = late_command();
    let first = {
        let pool = Arc::clone(&pool);
        std::thread::spawn(move || picture(&pool, last, true)).join().unwrap()
    };
    assert!(first.is_some());
    // The kernel would kill a child of that thread a moment after its end.
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(picture(&pool, last, true), first);
    assert_eq!(pool.started(), 1);
}

#[test]
fn users_at_the_same_time_have_a_worker_each() {
    let pool = pool(env!("CARGO_BIN_EXE_afterimage"), trace());
    let (_, last) = late_command();
    let pictures: Vec<_> = std::thread::scope(|scope| {
        let users: Vec<_> = (0..8).map(|_| scope.spawn(|| picture(&pool, last, true))).collect();
        users.into_iter().map(|user| user.join().unwrap()).collect()
    });
    assert!(pictures.iter().all(|picture| picture.is_some() && *picture == pictures[0]));
    assert!((1..=4).contains(&pool.started()), "{} workers", pool.started());
}

#[test]
fn an_interrupted_question_returns_at_once_and_costs_no_worker() {
    let pool = pool(env!("CARGO_BIN_EXE_afterimage"), trace());
    let (_, last) = late_command();
    let expected = picture(&pool, last, true);
    let control = Control::default();
    let interrupted = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(1));
            control.interrupt();
        });
        let start = Instant::now();
        // Going back to the start takes the worker some time.
        let answer = pool.device().ask(&Ask::Picture { command: last / 2, everything: true }, &control);
        assert!(start.elapsed() < Duration::from_secs(5));
        answer
    });
    assert!(matches!(interrupted, Ok(_) | Err(DeviceError::Interrupted)), "{interrupted:?}");
    let refused = pool.device().ask(&Ask::Picture { command: last, everything: true }, &control);
    assert_eq!(refused, Err(DeviceError::Interrupted), "until it is cleared, nothing is asked");
    control.clear();
    assert_eq!(picture(&pool, last, true), expected, "the answer to the abandoned question is not taken for this one");
    assert_eq!(pool.started(), 1);
}

#[test]
fn a_missing_trace_is_a_refusal() {
    let pool = pool(env!("CARGO_BIN_EXE_afterimage"), Path::new("no-such-trace.aftr"));
    match ask(&pool, &Ask::Picture { command: 0, everything: true }) {
        Err(DeviceError::Refused(why)) => assert!(why.contains("no-such-trace.aftr"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_worker_that_dies_is_reported_and_replaced() {
    let pool = pool("/bin/false", trace());
    for workers in 1..=2 {
        match ask(&pool, &Ask::Picture { command: 0, everything: true }) {
            Err(DeviceError::Start(why)) => assert!(why.contains("did not become one (exit status: 1)"), "{why}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(pool.started(), workers);
    }
    let nothing = self::pool("/no/such/program", trace());
    assert!(matches!(ask(&nothing, &Ask::Check { command: 0 }), Err(DeviceError::Start(_))));
}
