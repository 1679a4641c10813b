//! `afterimage history --json`.

use serde::Serialize;
use session::{History, NanSearch};

/// A history.
#[derive(Serialize)]
pub struct Document<'a> {
    #[serde(flatten)]
    pub history: &'a History,
    /// How long it took.
    pub seconds: &'a Seconds,
}

/// Seconds.
#[derive(Serialize)]
pub struct Seconds {
    /// To open the trace and to index its writes.
    pub open: f64,
    /// To answer for the first time.
    pub history: f64,
    /// To answer again, each time.
    pub again: Vec<f64>,
}

/// The first NaN of a frame.
#[derive(Serialize)]
pub struct NanDocument<'a> {
    #[serde(flatten)]
    pub search: &'a NanSearch,
    /// How long the search took.
    pub seconds: f64,
}
