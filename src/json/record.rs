//! `afterimage record --json`.

use serde::Serialize;

/// What was recorded.
#[derive(Serialize)]
pub struct Document {
    /// A trace for each process that made calls.
    pub traces: Vec<Trace>,
    /// The program's exit status; null if a signal ended it.
    pub exit_status: Option<i32>,
    /// The signal that ended it; null if it exited.
    pub signal: Option<i32>,
    /// Seconds of processor time of the program and of the children that it waited for.
    pub program_cpu: Option<f64>,
    /// Seconds of processor time of the recorder.
    pub recorder_cpu: Option<f64>,
}

/// The trace of a process.
#[derive(Serialize)]
pub struct Trace {
    /// The file.
    pub path: String,
    /// The process id.
    pub process: u32,
    /// How many calls it has.
    pub calls: u64,
    /// How many frames it has.
    pub frames: u64,
    /// The size of the file.
    pub bytes: u64,
    /// Why the trace ends before the program; null if it does not.
    pub cut_short: Option<String>,
}
