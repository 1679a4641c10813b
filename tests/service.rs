//! A worker that stays: many questions to one process, and what becomes of them when it dies.

#[path = "shared/built.rs"]
mod built;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use built::built;
use driver::DeviceChoice;
use replay::service::{Answer, Ask};
use replay::{Service, ServiceError};

const PATIENCE: Duration = Duration::from_secs(60);

/// Records the demo `deferred`, once, and says where the trace is.
fn trace() -> &'static Path {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    TRACE.get_or_init(|| {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("service.aftr");
        let _ = std::fs::remove_file(&file);
        let (program, afterimage) = (built().join("deferred"), env!("CARGO_BIN_EXE_afterimage"));
        let recorded = Command::new(afterimage).args(["record", "-q", "-o"]).arg(&file).arg("--").arg(program).output();
        assert!(recorded.unwrap().status.success());
        file
    })
}

fn service(program: &str, trace: &Path) -> Service {
    Service::new(Path::new(program), trace, DeviceChoice::First, PATIENCE)
}

fn picture(service: &mut Service, command: u64, everything: bool) -> Option<([u32; 2], Vec<u8>)> {
    let (answer, bytes) = service.ask(&Ask::Picture { command, everything }, &[]).unwrap();
    let Answer::Picture { size } = answer else { panic!("{answer:?}") };
    size.map(|size| (size, bytes))
}

#[test]
fn one_worker_answers_many_questions() {
    let mut service = service(env!("CARGO_BIN_EXE_afterimage"), trace());
    let calls = trace::Reader::open(trace(), api::COMMANDS).unwrap().len();
    // At the very end the program has no context any more.
    let last = calls * 3 / 4;
    let (size, end) = picture(&mut service, last, true).unwrap();
    assert_eq!(end.len(), 4 * size[0] as usize * size[1] as usize);
    assert_eq!(picture(&mut service, last, false).unwrap(), (size, end.clone()));
    let early = picture(&mut service, last / 2, true);
    assert_eq!(picture(&mut service, last / 2, false), early);
    assert_ne!(early.map(|(_, pixels)| pixels), Some(end));
    match service.ask(&Ask::Picture { command: calls, everything: true }, &[]) {
        Err(ServiceError::Unserved(why)) => assert!(why.contains("there is no command"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(service.workers(), 1, "a question that cannot be served costs no worker");
}

#[test]
fn a_missing_trace_is_an_answer() {
    let mut service = service(env!("CARGO_BIN_EXE_afterimage"), Path::new("no-such-trace.aftr"));
    match service.ask(&Ask::Picture { command: 0, everything: true }, &[]) {
        Err(ServiceError::Unserved(why)) => assert!(why.contains("no-such-trace.aftr"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_worker_that_dies_is_told_of_and_replaced() {
    let mut service = service("/bin/false", trace());
    for workers in 1..=2 {
        match service.ask(&Ask::Picture { command: 0, everything: true }, &[]) {
            Err(ServiceError::Crashed { command: None, how }) => assert!(how.contains('1'), "{how}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(service.workers(), workers);
    }
}
