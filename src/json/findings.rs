//! Where the model and the driver differ: part of `afterimage replay --json` and `afterimage report --json`.

use device::report::{self, Texels};
use serde::Serialize;

/// What was compared, and what differs.
#[derive(Serialize)]
pub struct Findings<'a> {
    /// After how many commands the state was compared.
    pub places: u64,
    /// How many queries were made.
    pub asked: u64,
    /// How many of them the model and the driver answered alike.
    pub equal: u64,
    /// How many they answered differently.
    pub different: u64,
    /// How many the model could not answer, because the trace lacks the facts.
    pub unknown: u64,
    /// The contents of images, compared with the write records.
    pub texels: Texels,
    /// The queries with different answers.
    pub differences: Vec<Finding<'a>>,
}

/// A query with different answers.
#[derive(Serialize)]
pub struct Finding<'a> {
    /// The query.
    pub query: &'a str,
    /// How often the answers differed.
    pub times: u64,
    /// The command after which they differed first.
    pub command: u64,
    /// The query with both answers.
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
