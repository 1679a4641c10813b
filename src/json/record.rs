//! `afterimage record --json`.

use serde::Serialize;

/// What was recorded.
#[derive(Serialize)]
pub struct Document {
    pub traces: Vec<Trace>,
    pub exit_status: Option<i32>,
    pub signal: Option<i32>,
    pub program_cpu: Option<f64>,
    pub recorder_cpu: Option<f64>,
}

/// The trace of a process.
#[derive(Serialize)]
pub struct Trace {
    pub path: String,
    pub process: u32,
    pub calls: u64,
    pub frames: u64,
    pub bytes: u64,
    pub cut_short: Option<String>,
}
