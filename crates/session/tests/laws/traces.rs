//! Demos, recorded.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use host::{Host, OpenOptions};
use session::Session;

use crate::built::built;

/// Records two small frames of a demo, once, and says where the trace is.
pub fn recorded(name: &'static str) -> PathBuf {
    static MADE: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("session_{name}.aftr"));
    if made.contains(&name) {
        return file;
    }
    let _ = std::fs::remove_file(&file);
    let mut record = Command::new(built().join("afterimage"));
    let program = if name == "unpresented" { "deferred" } else { name };
    record.args(["record", "-q", "-o"]).arg(&file).arg("--").arg(built().join(program));
    record.args(["--frames", "2", "--size", "96x54"]);
    match name {
        "unpresented" => record.arg("--no-present"),
        "chain" => record.args(["--passes", "6"]),
        "particles" => record.arg("--compute"),
        "trials" => record.args(["--rounds", "60000"]),
        _ => &mut record,
    };
    let recorded = record.output().unwrap();
    assert!(recorded.status.success(), "{recorded:?}");
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

/// Numbers that are the same every time.
pub struct Dice(pub u64);

impl Dice {
    /// A number below another.
    pub fn below(&mut self, limit: u64) -> u64 {
        // Knuth's multiplier for numbers of 64 bits; the upper half is the better one.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}
