//! Demos, recorded.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use host::{Host, OpenOptions};
use session::Session;
use testing::programs;

/// Records two small frames of a demo, once, and says where the trace is.
pub fn recorded(name: &'static str) -> PathBuf {
    static MADE: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("session_{name}.aftr"));
    if made.contains(&name) {
        return file;
    }
    let program = match name {
        "unpresented" => "deferred",
        "bound" => "overlap",
        name => name,
    };
    let more: &[&str] = match name {
        "unpresented" => &["--no-present"],
        "bound" => &["--texture", "--stay"],
        "chain" => &["--passes", "6"],
        "particles" => &["--compute"],
        "trials" => &["--rounds", "60000"],
        _ => &[],
    };
    programs::recorded(&file, &[&[program, "--frames", "2", "--size", "96x54"], more].concat());
    made.push(name);
    file
}

/// Opens a trace.
pub fn open(trace: &Path) -> Session {
    Host::new().session(&OpenOptions::new(trace)).unwrap()
}

/// Opens a demo, and says which draws its last frame with any has.
pub fn demo(name: &'static str) -> (Session, Vec<u64>) {
    let session = open(&recorded(name));
    let draws = last_draws(&session);
    (session, draws)
}

/// The draws and dispatches of the last frame with any.
pub fn last_draws(session: &Session) -> Vec<u64> {
    let frames = session.frames().into_iter().rev();
    let mut draws = frames.map(|frame| session.draws(frame.index).unwrap()).filter(|draws| !draws.is_empty());
    draws.next().unwrap_or_default().into_iter().map(|draw| draw.command).collect()
}
