//! Questions that take long.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use afterimage::{Control, Session, SessionError};
use pyo3::prelude::*;

use crate::error;

/// How often Python is asked for signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// Asks a session, while other threads of Python run. A signal of which Python makes an exception, such as Ctrl-C, ends the
/// question; the session can be used as before.
pub fn ask<T: Send>(
    py: Python<'_>,
    session: &Mutex<Option<Session>>,
    control: &Control,
    question: impl FnOnce(&mut Session) -> Result<T, SessionError> + Send,
) -> PyResult<T> {
    std::thread::scope(|scope| {
        let (done, mut answers) = channel();
        scope.spawn(move || {
            let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
            let answer = session.as_mut().map(|session| catch_unwind(AssertUnwindSafe(|| question(session))));
            // The caller waits for it, unless it has panicked itself.
            let _ = done.send(answer);
        });
        loop {
            let answer;
            (answer, answers) = py.detach(move || (answers.recv_timeout(INTERVAL), answers));
            match answer {
                Ok(Some(Ok(answer))) => return answer.map_err(error),
                Ok(Some(Err(_))) => return Err(error("afterimage failed inside; this is a bug, please report it")),
                Ok(None) => return Err(error("the trace is closed")),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(error("the question was lost")),
            }
            if let Err(signal) = py.check_signals() {
                control.interrupt();
                // It ends soon, and what it says is not wanted any more.
                py.detach(move || drop(answers.recv()));
                control.clear();
                return Err(signal);
            }
        }
    })
}
