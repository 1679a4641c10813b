//! A program that forgets `be_a_worker_if_asked` is told so, and starts no workers without end.
//!
//! This very program is one that forgets it.
#![allow(clippy::print_stdout, reason = "it reports like any test")]

use std::path::Path;
use std::process::ExitCode;

use afterimage::{Host, HostError, OpenOptions, SessionError};

/// How the process ends that was to be a worker, if it is refused workers of its own.
const REFUSED: u8 = 3;

fn main() -> ExitCode {
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/tests/golden/recorded/0.1-deferred.aftr");
    let (options, program) = (OpenOptions::new(trace), std::env::current_exe().expect("a test has a path"));
    if std::env::args().nth(1).is_some_and(|word| word == "replay-worker") {
        let hosts = [Host::new(), Host::with_program(program)];
        let is_refused = |host: &Host| matches!(host.session(&options), Err(HostError::Strayed));
        return ExitCode::from(if hosts.iter().all(is_refused) { REFUSED } else { 4 });
    }
    // At once, before anything is asked.
    let error = Host::new().session(&options).err().expect("a session without workers is refused");
    assert!(matches!(error, HostError::NotPrepared), "{error}");
    assert!(error.to_string().contains("call that first in `main`"), "{error}");
    // What needs no worker is served.
    assert!(Host::new().trace(&options.trace).is_ok());
    // A program that is named and does not become a worker is found out by the first question.
    let mut session = Host::with_program(&program).session(&options).expect("the program is not started yet");
    let error = session.picture(0).expect_err("it is no worker");
    assert!(matches!(error, SessionError::DeviceNotStarted { .. }), "{error:?}");
    let wanted = format!("did not become one (exit status: {REFUSED})");
    assert!(error.to_string().contains(&wanted), "{error}");
    println!("test result: ok. 1 passed; 0 failed; 0 ignored");
    ExitCode::SUCCESS
}
