//! The result of one program, and the table of all.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use super::count;
use super::list::Entry;
use crate::corpus::ratchet::Share;

/// What failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Install,
    Run,
    Record,
    Behaviour,
    Replay,
    Trim,
    History,
    Inspect,
    Report,
}

impl Part {
    fn word(self) -> &'static str {
        match self {
            Part::Install => "install",
            Part::Run => "run",
            Part::Record => "record",
            Part::Behaviour => "behaviour",
            Part::Replay => "replay",
            Part::Trim => "trim",
            Part::History => "history",
            Part::Inspect => "inspect",
            Part::Report => "report",
        }
    }
}

/// The result of one program.
#[derive(Default)]
pub struct Row {
    pub name: String,
    pub kind: String,
    pub calls: u64,
    pub bytes: u64,
    /// Presented frames that the replay shows, and frames compared.
    pub frames: [u64; 2],
    /// The same for pictures at the end of contexts and what was read back.
    pub others: [u64; 2],
    /// Whether it does the same recorded as unrecorded.
    pub behaves: bool,
    /// Bytes of the trimmed trace; 0 if there is none.
    pub trimmed: u64,
    pub trim_equal: bool,
    /// Histories that explain their picture, and histories asked for.
    pub histories: [u64; 2],
    /// Draws inspected with each value equal or within bounds, and draws.
    pub inspected: [u64; 2],
    /// Where the model contradicts what the program was told.
    pub findings: Option<u64>,
    pub seconds: u64,
    /// What failed and why.
    pub reasons: Vec<String>,
}

impl Row {
    /// Returns an empty row.
    pub fn of(entry: &Entry) -> Row {
        Row { name: entry.name.to_owned(), kind: entry.kind.word().to_owned(), ..Row::default() }
    }

    /// Returns the row of a program that could not be judged.
    pub fn failed(entry: &Entry, part: Part, why: String) -> Row {
        let mut row = Row::of(entry);
        row.fail(part, why);
        row
    }

    /// Adds a failure.
    pub fn fail(&mut self, part: Part, why: impl AsRef<str>) {
        let why: String = why.as_ref().chars().take(300).collect();
        self.reasons.push(format!("{}: {why}", part.word()));
    }

    /// Returns it as one line.
    pub fn line(&self) -> String {
        self.cells().join("  ")
    }

    fn cells(&self) -> Vec<String> {
        let of = |[right, all]: [u64; 2]| if all == 0 { "-".to_owned() } else { format!("{right}/{all}") };
        let ran = self.calls > 0;
        let word = |right: bool| {
            if !ran {
                "-"
            } else if right {
                "yes"
            } else {
                "no"
            }
            .to_owned()
        };
        let trim = match self.trimmed {
            0 => "-".to_owned(),
            bytes => format!("{} {}", if self.trim_equal { "equal" } else { "differs" }, size(bytes)),
        };
        vec![
            self.name.clone(),
            self.kind.clone(),
            word(self.behaves),
            self.calls.to_string(),
            size(self.bytes),
            of(self.frames),
            of(self.others),
            trim,
            of(self.histories),
            of(self.inspected),
            self.findings.map_or_else(|| "-".to_owned(), |count| count.to_string()),
            format!("{} s", self.seconds),
        ]
    }

    /// Returns it for scripts.
    pub fn json(&self) -> Value {
        json!({
            "name": self.name, "kind": self.kind, "calls": self.calls, "bytes": self.bytes, "frames": self.frames,
            "others": self.others, "behaves": self.behaves, "trimmed": self.trimmed, "trim_equal": self.trim_equal,
            "histories": self.histories, "inspected": self.inspected, "findings": self.findings,
            "seconds": self.seconds, "reasons": self.reasons,
        })
    }

    fn parse(value: &Value) -> Option<Row> {
        let number = |key: &str| value[key].as_u64().unwrap_or(0);
        let pair = |key: &str| [0, 1].map(|at| value[key][at].as_u64().unwrap_or(0));
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let reasons = value["reasons"].as_array()?.iter().filter_map(|reason| reason.as_str().map(str::to_owned));
        Some(Row {
            name: text("name")?,
            kind: text("kind")?,
            calls: number("calls"),
            bytes: number("bytes"),
            frames: pair("frames"),
            others: pair("others"),
            behaves: value["behaves"].as_bool()?,
            trimmed: number("trimmed"),
            trim_equal: value["trim_equal"].as_bool()?,
            histories: pair("histories"),
            inspected: pair("inspected"),
            findings: value["findings"].as_u64(),
            seconds: number("seconds"),
            reasons: reasons.collect(),
        })
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0 => "-".to_owned(),
        1..100_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// Returns the rows as a table and a list of reasons, in Markdown.
pub fn table(rows: &[Row]) -> String {
    let heads = [
        "program",
        "kind",
        "behaves",
        "calls",
        "trace",
        "frames equal",
        "readbacks equal",
        "trim",
        "histories",
        "inspected",
        "findings",
        "time",
    ];
    let mut text = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    rows.iter().for_each(|row| {
        let _ = writeln!(text, "| {} |", row.cells().join(" | "));
    });
    let sum = |pair: fn(&Row) -> [u64; 2]| {
        let [right, all] = rows.iter().map(pair).fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        format!("{right} of {all}")
    };
    let behave = count(rows, |row| row.calls > 0 && row.behaves);
    let _ = writeln!(
        text,
        "\n{} programs: {behave} behave as unrecorded; {} frames, {} readbacks and last pictures equal; {} histories explain \
         their picture; {} draws inspected.",
        rows.len(),
        sum(|row| row.frames),
        sum(|row| row.others),
        sum(|row| row.histories),
        sum(|row| row.inspected),
    );
    let failures: Vec<&Row> = rows.iter().filter(|row| !row.reasons.is_empty()).collect();
    if !failures.is_empty() {
        text.push_str("\nFailures:\n\n");
    }
    for row in failures {
        row.reasons.iter().for_each(|reason| {
            let _ = writeln!(text, "- {}, {}", row.name, reason.replace('\n', " "));
        });
    }
    text
}

/// Returns the numbers for the ratchet.
pub fn numbers(rows: &[Row]) -> Vec<(&'static str, Share)> {
    let share = |pair: fn(&Row) -> [u64; 2]| {
        let [right, total] = rows.iter().map(pair).fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        Share { right: right as usize, total: total as usize }
    };
    vec![
        ("behave", count(rows, |row| row.calls > 0 && row.behaves)),
        ("frames-identical", count(rows, |row| row.frames[1] > 0 && row.frames[0] == row.frames[1])),
        ("histories", share(|row| row.histories)),
        ("inspected", share(|row| row.inspected)),
        ("no-findings", count(rows, |row| row.findings == Some(0))),
        ("trimmed", count(rows, |row| row.trim_equal)),
    ]
}

/// Reads the results of earlier runs.
pub fn read(folder: &Path) -> anyhow::Result<Vec<Row>> {
    let path = folder.join("results.json");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let value: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)
        .with_context(|| format!("{} is not JSON; delete it", path.display()))?;
    Ok(value.as_array().into_iter().flatten().filter_map(Row::parse).collect())
}

/// Writes the results.
pub fn write(folder: &Path, rows: &[Row]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    let value = Value::Array(rows.iter().map(Row::json).collect());
    let path = folder.join("results.json");
    std::fs::write(&path, format!("{value:#}\n")).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_written_and_read() {
        let mut row = Row { name: "a".to_owned(), kind: "game".to_owned(), calls: 7, behaves: true, ..Row::default() };
        row.frames = [3, 4];
        row.findings = Some(0);
        row.fail(Part::Trim, "it differs");
        let again = Row::parse(&row.json()).expect("a row");
        assert_eq!(again.json(), row.json());
        assert_eq!(again.reasons, ["trim: it differs"]);
        assert!(table(&[again]).contains("| a | game | yes | 7 | - | 3/4 |"));
    }
}
