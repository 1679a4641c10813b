//! Where the model and the driver differ: part of `afterimage replay --json` and `afterimage report --json`.

use device::report::{self, Texels};
use serde::Serialize;

/// What was compared, and what differs.
#[derive(Serialize)]
pub struct Findings<'a> {
    pub places: u64,
    pub asked: u64,
    pub equal: u64,
    pub different: u64,
    pub unknown: u64,
    pub texels: Texels,
    pub differences: Vec<Finding<'a>>,
}

/// A query with different answers.
#[derive(Serialize)]
pub struct Finding<'a> {
    pub query: &'a str,
    pub times: u64,
    pub command: u64,
    pub text: &'a str,
}

impl<'a> Findings<'a> {
    /// Describes what a worker found.
    pub fn new(findings: &'a report::Findings) -> Findings<'a> {
        let finding = |(query, one): (&'a String, &'a report::Finding)| Finding {
            query,
            times: one.times,
            command: one.command,
            text: &one.text,
        };
        Findings {
            places: findings.places,
            asked: findings.asked,
            equal: findings.equal,
            different: findings.different(),
            unknown: findings.unknown,
            texels: findings.texels,
            differences: findings.differences.iter().map(finding).collect(),
        }
    }
}
