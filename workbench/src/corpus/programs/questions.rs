//! What is asked about a trace: every command that a user would begin with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::row::{Part, Row};
use super::{SEED, Tools, last_line};
use crate::corpus::record::child::{self, Finished};

/// Pixels that are asked for their history.
const PIXELS: usize = 10;
/// Draws that are inspected.
const DRAWS: usize = 3;
/// Frames of the trimmed trace.
const FRAMES: u64 = 2;

/// Asks everything, and notes the answers.
pub fn ask(trace: &Path, folder: &Path, tools: &Tools, row: &mut Row) -> anyhow::Result<()> {
    let trace = trace.to_string_lossy().into_owned();
    let ask = |words: &[&str]| command(words, folder, tools);
    row.bytes = std::fs::metadata(&trace).map_or(0, |file| file.len());
    let info = json(&ask(&["info", &trace, "--json"])?);
    row.calls = info["calls"].as_u64().unwrap_or(0);
    if row.calls == 0 {
        row.fail(Part::Record, "the trace has no calls");
        return Ok(());
    }
    replay(&ask(&["replay", &trace, "--verify", "--json"])?, row);
    report(&ask(&["report", &trace, "--json"])?, row);
    let frames = info["frames"].as_array().map_or(0, Vec::len) as u64;
    if frames > FRAMES {
        let first = (frames - FRAMES) / 2;
        let range = format!("{first}..{}", first + FRAMES);
        let target = folder.join("trimmed.aftr").to_string_lossy().into_owned();
        let trimmed = ask(&["trim", &trace, "--frames", &range, "-o", &target, "--force"])?;
        row.trimmed = std::fs::metadata(&target).map_or(0, |file| file.len());
        row.trim_equal = trimmed.status == Some(0) && row.trimmed > 0 && row.trimmed <= row.bytes;
        if !row.trim_equal {
            let why = why(&trimmed);
            row.fail(Part::Trim, format!("{} of {} bytes: {why}", row.trimmed, row.bytes));
        }
    }
    // Without frames, the last draw is asked about.
    let Some((size, at)) = place(&ask, &trace, &info)? else {
        row.fail(Part::History, "nothing was drawn");
        return Ok(());
    };
    let mut draws: BTreeSet<(u64, String)> = BTreeSet::new();
    let mut unexplained: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut random = SEED;
    for _ in 0..PIXELS {
        let mut below = |limit: u64| {
            // Knuth's generator: the same pixels each time.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % limit.max(1)
        };
        let pixel = format!("{},{}", below(size[0]), below(size[1]));
        let mut words = vec!["history", &trace, "--pixel", &pixel, "--json"];
        if let Some(at) = &at {
            words.extend(["--at", at]);
        }
        let answer = ask(&words)?;
        let history = json(&answer);
        row.histories[1] += 1;
        if answer.status == Some(0) {
            row.histories[0] += 1;
        } else {
            let reason = differing(&history).unwrap_or_else(|| why(&answer));
            unexplained.entry(reason).or_default().push(pixel.clone());
        }
        draws.extend(written(&history, &pixel));
    }
    for (reason, pixels) in unexplained {
        row.fail(Part::History, format!("{} at {}: {reason}", plural(pixels.len(), "pixel"), pixels.join(" ")));
    }
    let mut inspected: Vec<(u64, Vec<&str>)> =
        spread(&draws).into_iter().map(|(draw, pixel)| (draw, vec!["--pixel", pixel])).collect();
    // Where fewer draws made the pixels, vertices of other draws are inspected.
    let more = other_draws(&info, at.as_deref(), &draws);
    let missing = DRAWS - inspected.len();
    inspected.extend(more.into_iter().take(missing).map(|draw| (draw, vec!["--stage", "vertex"])));
    for (draw, what) in inspected {
        let number = draw.to_string();
        let answer = ask(&[&["inspect", &trace, "--at", &number, "--verify"], &what[..]].concat())?;
        row.inspected[1] += 1;
        if answer.status == Some(0) {
            row.inspected[0] += 1;
        } else {
            row.fail(Part::Inspect, format!("draw {draw}, {}: {}", what[1], why(&answer)));
        }
    }
    Ok(())
}

fn plural(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Returns the draws of the frame that was asked about, without some.
fn other_draws(info: &Value, at: Option<&str>, but: &BTreeSet<(u64, String)>) -> Vec<u64> {
    let frame: Option<u64> = at.and_then(|at| at.strip_prefix("frame:")?.parse().ok());
    let draws = info["draws"].as_array().map_or(&[][..], Vec::as_slice);
    let here = draws.iter().filter(|draw| frame.is_none_or(|frame| draw["frame"].as_u64() == Some(frame)));
    let commands = here.filter_map(|draw| draw["command"].as_u64());
    commands.filter(|command| but.iter().all(|(draw, _)| draw != command)).collect()
}

fn command(words: &[&str], folder: &Path, tools: &Tools) -> anyhow::Result<Finished> {
    let mut command = Command::new(&tools.afterimage);
    command.args(words);
    child::finish(&mut command, &folder.join("answer"), tools.limit, None)
}

fn json(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout).unwrap_or(Value::Null)
}

fn why(finished: &Finished) -> String {
    match finished.status {
        None => "no answer within the time limit".to_owned(),
        Some(status) => {
            let said = last_line(&finished.stderr);
            let said = if said.is_empty() { last_line(&finished.stdout) } else { said };
            format!("status {status}: {said}")
        }
    }
}

fn replay(answer: &Finished, row: &mut Row) {
    let report = json(answer);
    let verify = &report["verify"];
    let count = |kind: &str, key: &str| verify[kind][key].as_u64().unwrap_or(0);
    row.frames = [count("frames", "equal"), count("frames", "compared")];
    row.others = ["equal", "compared"].map(|key| count("last", key) + count("readbacks", key));
    if row.frames[0] != row.frames[1] || row.others[0] != row.others[1] {
        let found = verify["differences"].as_array().into_iter().flatten();
        let first = found.into_iter().find(|found| found["kind"].as_str() != Some("error")).unwrap_or(&Value::Null);
        let text = |key: &str| first[key].as_str().unwrap_or_default();
        let problem = report["problems"][0]["text"].as_str().unwrap_or_default();
        row.fail(
            Part::Replay,
            format!("{} at {} {}: {}; {problem}", text("kind"), first["command"], text("call"), text("text")),
        );
    } else if !matches!(answer.status, Some(0 | 1)) || !verify.is_object() {
        row.fail(Part::Replay, why(answer));
    } else if row.frames[1] + row.others[1] == 0 {
        row.fail(Part::Replay, "there is nothing to compare");
    }
}

/// Counts what contradicts the program's experience. A call that GL refused, and of which the program was told, is none.
fn report(answer: &Finished, row: &mut Row) {
    let report = json(answer);
    let length = |value: &Value| value.as_array().map_or(0, |all| all.len() as u64);
    if !report.is_object() {
        row.fail(Part::Report, why(answer));
        return;
    }
    let errors = &report["errors"];
    let parts =
        [&errors["missed"], &errors["invented"], &report["queries"]["contradicted"], &report["unmodelled"]].map(length);
    row.findings = Some(parts.iter().sum());
    if parts.iter().any(|count| *count > 0) {
        let [missed, invented, contradicted, unmodelled] = parts;
        let first = [&errors["missed"], &errors["invented"], &report["queries"]["contradicted"], &report["unmodelled"]]
            .into_iter()
            .find_map(|list| list.get(0))
            .unwrap_or(&Value::Null);
        row.fail(
            Part::Report,
            format!(
                "{missed} missed and {invented} invented errors, {contradicted} queries, {unmodelled} unknown commands: {first}"
            ),
        );
    }
}

/// Returns the size of what is asked about, and the command after which, if not the last frame.
fn place(
    ask: &impl Fn(&[&str]) -> anyhow::Result<Finished>,
    trace: &str,
    info: &Value,
) -> anyhow::Result<Option<([u64; 2], Option<String>)>> {
    let frames = info["frames"].as_array().map_or(0, Vec::len);
    let draws = info["draws"].as_array().map_or(&[][..], Vec::as_slice);
    // The last frame is often incomplete or closing the window; one in the middle is what the program shows.
    let at = match frames {
        0 => draws.last().and_then(|draw| draw["command"].as_u64()).map(|draw| draw.to_string()),
        _ => Some(format!("frame:{}", frames / 2)),
    };
    let Some(at) = at else { return Ok(None) };
    // A pixel outside of every picture is refused, with the size.
    let refused = ask(&["history", trace, "--pixel", "999999,999999", "--at", &at])?;
    let size = sizes(&refused.stderr);
    Ok(size.map(|size| (size, Some(at))))
}

/// Returns the first two numbers before and after an `x` in a text.
fn sizes(text: &str) -> Option<[u64; 2]> {
    text.split_whitespace().find_map(|word| {
        let (width, height) = word.trim_matches(|c: char| !c.is_ascii_digit()).split_once('x')?;
        Some([width.parse().ok()?, height.parse().ok()?])
    })
}

/// Returns the draws that a history says were written to its pixel.
fn written(history: &Value, pixel: &str) -> Vec<(u64, String)> {
    let rows = history["rows"].as_array().map_or(&[][..], Vec::as_slice);
    let draws = rows.iter().filter(|row| {
        row["kind"].as_str() == Some("draw")
            && row["passes"].as_u64() == Some(0)
            && row["fragment"]["fate"].as_str() == Some("written")
    });
    draws.filter_map(|row| Some((row["command"].as_u64()?, pixel.to_owned()))).collect()
}

/// Returns the first write that did not leave what the emulator computes; `None` if all did.
fn differing(history: &Value) -> Option<String> {
    let picture = history["picture"]["verdict"].as_str()?;
    let nodes = history["nodes"].as_array()?;
    let node = nodes.iter().find(|node| node["verdict"].as_str() == Some("differs"))?;
    Some(format!("the picture is {picture}, but command {} left something else than it computes", node["command"]))
}

/// Chooses draws from the first to the last.
fn spread(draws: &BTreeSet<(u64, String)>) -> Vec<(u64, &str)> {
    let mut one: Vec<(u64, &str)> = Vec::new();
    for (draw, pixel) in draws {
        if one.last().is_none_or(|last| last.0 != *draw) {
            one.push((*draw, pixel));
        }
    }
    let count = one.len().min(DRAWS);
    (0..count).map(|at| one[at * (one.len() - 1) / (count - 1).max(1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_found_in_a_message() {
        assert_eq!(sizes("pixel 9, 9 is outside of the picture (640x480)"), Some([640, 480]));
        assert_eq!(sizes("no picture"), None);
    }

    #[test]
    fn the_first_write_that_differs_is_named() {
        let node =
            |verdict: &str| serde_json::json!({ "command": 7, "verdict": verdict, "after": [1], "emulated": [0] });
        let history =
            serde_json::json!({ "picture": { "verdict": "equal" }, "nodes": [node("equal"), node("differs")] });
        let expected = "the picture is equal, but command 7 left something else than it computes";
        assert_eq!(differing(&history).as_deref(), Some(expected));
        assert_eq!(differing(&Value::Null), None);
    }

    #[test]
    fn other_draws_are_of_the_same_frame() {
        let draw = |command: u64, frame: u64| serde_json::json!({ "command": command, "frame": frame });
        let info = serde_json::json!({ "draws": [draw(3, 0), draw(5, 1), draw(8, 1), draw(9, 2)] });
        let but = BTreeSet::from([(8, "1,1".to_owned())]);
        assert_eq!(other_draws(&info, Some("frame:1"), &but), [5]);
        assert_eq!(other_draws(&info, Some("9"), &but), [3, 5, 9]);
    }

    #[test]
    fn draws_are_spread_from_the_first_to_the_last() {
        let draws: BTreeSet<(u64, String)> = (0..9).map(|draw| (draw, "1,1".to_owned())).collect();
        assert_eq!(spread(&draws).iter().map(|(draw, _)| *draw).collect::<Vec<_>>(), [0, 4, 8]);
        assert_eq!(spread(&BTreeSet::from([(3, "1,1".to_owned())])), [(3, "1,1")]);
    }
}
