//! What came of a run, as facts and as JSON.

use serde_json::{Value, json};

use crate::oracle::{Finding, Findings, Texels};
use crate::player::Problem;
use crate::timeline::Returns;
use crate::verify::{Count, Difference, Kind, Tally};

/// What came of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// Calls executed.
    pub commands: u64,
    /// Calls among them that could not be read.
    pub lost: u64,
    /// Calls that were passed over, because nothing that was looked at depends on them.
    pub passed: u64,
    /// How runs came to earlier commands.
    pub returns: Returns,
    /// Seconds that it took to get to each command that was looked at, and to look.
    pub looks: Vec<f64>,
    /// Frames presented.
    pub frames: u64,
    /// Pictures written.
    pub images: u64,
    /// The driver that did it.
    pub renderer: String,
    /// Where model and driver differ, if that was asked for.
    pub findings: Option<Findings>,
    /// What was compared, if that was asked for.
    pub tally: Option<Tally>,
    /// What could not be done as recorded.
    pub problems: Vec<Problem>,
    /// Seconds from the first call to the end of the last.
    pub seconds: f64,
    /// Seconds of processor time during that.
    pub cpu_seconds: f64,
}

impl Report {
    /// As JSON, with the keys that `docs/json.md` explains.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let problems: Vec<Value> = self
            .problems
            .iter()
            .map(|problem| json!({ "command": problem.command, "text": problem.text, "times": problem.times }))
            .collect();
        json!({
            "commands": self.commands,
            "lost": self.lost,
            "passed_over": self.passed,
            "back": returns_to_json(&self.returns),
            "looks": self.looks,
            "frames": self.frames,
            "images": self.images,
            "renderer": self.renderer,
            "verify": self.tally.as_ref().map(tally_to_json),
            "model": self.findings.as_ref().map(Findings::to_json),
            "problems": problems,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        })
    }

    /// From JSON that `to_json` made; what is missing is as in an empty report.
    #[must_use]
    pub fn from_json(value: &Value) -> Report {
        Report {
            commands: number(&value["commands"]),
            lost: number(&value["lost"]),
            passed: number(&value["passed_over"]),
            returns: returns_from_json(&value["back"]),
            looks: list(&value["looks"], |seconds| seconds.as_f64().unwrap_or(0.0)),
            frames: number(&value["frames"]),
            images: number(&value["images"]),
            renderer: text(&value["renderer"]),
            tally: value["verify"].is_object().then(|| tally_from_json(&value["verify"])),
            findings: value["model"].is_object().then(|| Findings::from_json(&value["model"])),
            problems: list(&value["problems"], |problem| Problem {
                command: number(&problem["command"]),
                text: text(&problem["text"]),
                times: number(&problem["times"]),
            }),
            seconds: value["seconds"].as_f64().unwrap_or(0.0),
            cpu_seconds: value["cpu_seconds"].as_f64().unwrap_or(0.0),
        }
    }
}

fn returns_to_json(returns: &Returns) -> Value {
    let anew: Vec<Value> =
        returns.anew.iter().map(|(reason, times)| json!({ "reason": reason, "times": times })).collect();
    json!({
        "by_checkpoint": returns.by_checkpoint,
        "anew": anew,
        "checkpoints": returns.checkpoints,
        "bytes": returns.bytes,
        "most_bytes": returns.most_bytes,
    })
}

fn returns_from_json(value: &Value) -> Returns {
    Returns {
        by_checkpoint: number(&value["by_checkpoint"]),
        anew: list(&value["anew"], |one| (text(&one["reason"]), number(&one["times"]))).into_iter().collect(),
        checkpoints: number(&value["checkpoints"]),
        bytes: number(&value["bytes"]),
        most_bytes: number(&value["most_bytes"]),
    }
}

impl Findings {
    /// As JSON, with the keys that `docs/json.md` explains.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let difference = |(name, finding): (&String, &Finding)| json!({ "query": name, "times": finding.times, "command": finding.command, "text": finding.text });
        json!({
            "places": self.places,
            "asked": self.asked,
            "equal": self.equal,
            "different": self.different(),
            "unknown": self.unknown,
            "texels": texels_to_json(&self.texels),
            "differences": self.differences.iter().map(difference).collect::<Vec<_>>(),
        })
    }

    fn from_json(value: &Value) -> Findings {
        let difference = |value: &Value| {
            let (times, command) = (number(&value["times"]), number(&value["command"]));
            (text(&value["query"]), Finding { times, command, text: text(&value["text"]) })
        };
        Findings {
            places: number(&value["places"]),
            asked: number(&value["asked"]),
            equal: number(&value["equal"]),
            unknown: number(&value["unknown"]),
            texels: texels_from_json(&value["texels"]),
            differences: list(&value["differences"], difference).into_iter().collect(),
        }
    }
}

fn texels_to_json(texels: &Texels) -> Value {
    json!({
        "compared": texels.compared,
        "equal": texels.equal,
        "by_gpu": texels.by_gpu,
        "undefined": texels.undefined,
        "other_form": texels.other_form,
        "looks": texels.looks,
        "changes": texels.changes,
    })
}

fn texels_from_json(value: &Value) -> Texels {
    let number = |key: &str| number(&value[key]);
    Texels {
        compared: number("compared"),
        equal: number("equal"),
        by_gpu: number("by_gpu"),
        undefined: number("undefined"),
        other_form: number("other_form"),
        looks: number("looks"),
        changes: number("changes"),
    }
}

fn tally_to_json(tally: &Tally) -> Value {
    let count = |count: Count| json!({ "compared": count.compared, "equal": count.equal });
    let differences: Vec<Value> = tally
        .differences
        .iter()
        .map(|difference| {
            json!({ "command": difference.command, "kind": difference.kind.name(), "text": difference.text })
        })
        .collect();
    json!({
        "frames": count(tally.frames),
        "last": count(tally.last),
        "readbacks": count(tally.readbacks),
        "errors": count(tally.errors),
        "incomparable": tally.incomparable,
        "differences": differences,
    })
}

fn tally_from_json(value: &Value) -> Tally {
    let count = |value: &Value| Count { compared: number(&value["compared"]), equal: number(&value["equal"]) };
    let kinds = [Kind::Frame, Kind::Last, Kind::Readback, Kind::Error];
    Tally {
        frames: count(&value["frames"]),
        last: count(&value["last"]),
        readbacks: count(&value["readbacks"]),
        errors: count(&value["errors"]),
        incomparable: number(&value["incomparable"]),
        differences: list(&value["differences"], |difference| Difference {
            command: number(&difference["command"]),
            kind: kinds.into_iter().find(|kind| kind.name() == difference["kind"]).unwrap_or(Kind::Readback),
            text: text(&difference["text"]),
        }),
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list<T>(value: &Value, item: impl FnMut(&Value) -> T) -> Vec<T> {
    value.as_array().map(|items| items.iter().map(item).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_survives_the_way_through_a_pipe() {
        let mut tally = Tally::default();
        tally.add(7, crate::verify::Found { kind: Kind::Last, equal: false, text: "3 bytes".to_owned() });
        let problems = vec![Problem { command: 3, text: "no such function".to_owned(), times: 9 }];
        let report = Report {
            commands: 12,
            lost: 3,
            passed: 4,
            returns: Returns {
                by_checkpoint: 5,
                anew: [("a buffer was deleted since".to_owned(), 2)].into(),
                checkpoints: 3,
                bytes: 100,
                most_bytes: 200,
            },
            looks: vec![0.5, 0.25],
            frames: 2,
            images: 1,
            renderer: "llvmpipe".to_owned(),
            findings: Some(Findings {
                places: 1,
                asked: 9,
                equal: 7,
                unknown: 1,
                texels: Texels { compared: 9, equal: 8, by_gpu: 7, undefined: 6, other_form: 5, looks: 4, changes: 3 },
                differences: [("glIsEnabled".to_owned(), Finding { times: 1, command: 2, text: "so".to_owned() })]
                    .into(),
            }),
            tally: Some(tally),
            problems,
            seconds: 0.5,
            cpu_seconds: 0.25,
        };
        assert_eq!(Report::from_json(&report.to_json()), report);
        assert_eq!(Report::from_json(&Value::Null), Report::default());
    }
}
