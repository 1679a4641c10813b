//! `afterimage inspect --json`, where it says more than the session's types.

use serde::Serialize;
use session::FieldInspection;

/// One value of all fragments.
#[derive(Serialize)]
pub struct FieldDocument<'a> {
    #[serde(flatten)]
    pub inspection: &'a FieldInspection,
    /// The numbers that are black and white in the picture, if one was written.
    pub range: Option<[f64; 2]>,
}
