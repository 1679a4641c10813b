//! All commands mean the same by a frame (docs/json.md), in traces that end with a present, after one, and without any.

#[path = "shared/dap.rs"]
mod dap;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use testing::programs;

fn afterimage(trace: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.arg(words[0]).arg(trace).args(&words[1..]).output().unwrap()
}

#[track_caller]
fn document(trace: &Path, words: &[&str]) -> Value {
    let output = afterimage(trace, &[words, &["--json"]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{words:?}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Checks that there is no such frame: one sentence, exit status 2.
#[track_caller]
fn refused(trace: &Path, words: &[&str]) {
    let output = afterimage(trace, words);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), wrong.lines().count()), (Some(2), 1), "{words:?}: {wrong}");
    assert!(wrong.contains("frame"), "{words:?}: {wrong}");
}

fn recorded(name: &str, program: &[&str]) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("frames_{name}.aftr"));
    programs::recorded(&file, program);
    file
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Checks a trace that has so many frames.
fn check(trace: &Path, count: u64) {
    let info = document(trace, &["info"]);
    let calls = number(&info["calls"]);
    let frames: Vec<(u64, u64)> = info["frames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|frame| (number(&frame["first_command"]), number(&frame["last_command"])))
        .collect();
    assert_eq!(frames.len() as u64, count, "{trace:?}");
    assert_eq!(frames[0].0, 0);
    assert!(frames.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0), "{frames:?}");
    let end = frames.last().unwrap().1 + 1;
    let after = &info["after_last_frame"];
    match end == calls {
        true => assert!(after.is_null(), "{after}"),
        false => assert_eq!((number(&after["first_command"]), number(&after["last_command"])), (end, calls - 1)),
    }
    let frame_of = |command: u64| {
        let index = frames.iter().position(|(first, last)| (*first..=*last).contains(&command));
        index.map_or(Value::Null, Value::from)
    };
    for draw in info["draws"].as_array().unwrap() {
        assert_eq!(draw["frame"], frame_of(number(&draw["command"])), "{draw}");
    }

    // dump: the frame of each command, and the commands of each frame.
    for command in document(trace, &["dump"])["commands"].as_array().unwrap() {
        assert_eq!(command["frame"], frame_of(number(&command["command"])), "{command}");
    }
    for (index, (first, last)) in frames.iter().enumerate() {
        let dump = document(trace, &["dump", "--frame", &index.to_string()]);
        let commands = dump["commands"].as_array().unwrap();
        assert_eq!(
            (number(&commands[0]["command"]), number(&commands[commands.len() - 1]["command"])),
            (*first, *last)
        );
        let state = document(trace, &["state", "--at", &format!("frame:{index}"), "context"]);
        assert_eq!((&state["at"]["command"], &state["at"]["frame"]), (&Value::from(*last), &Value::from(index)));
    }
    let state = document(trace, &["state", "--at", "-1", "context"]);
    assert_eq!(state["at"]["frame"], frame_of(calls - 1));

    // graph: the passes of a frame are in it.
    let last = (count - 1).to_string();
    let graph = document(trace, &["graph", "--frame", &last]);
    let passes = graph["passes"].as_array().unwrap();
    let (first, end) = frames[count as usize - 1];
    assert!(!passes.is_empty());
    assert!(passes.iter().all(|pass| number(&pass["first"]) >= first && number(&pass["last"]) <= end), "{graph:#}");

    // replay counts as many; the debugger and editors list the same.
    assert_eq!(document(trace, &["replay"])["frames"], count);
    // Beside the trace: the tests of this file run at the same time.
    let script = trace.with_extension("script");
    std::fs::write(&script, "info frames\n").unwrap();
    let said = afterimage(trace, &["debug", "--batch", script.to_str().unwrap()]);
    let mut expected: Vec<String> = frames
        .iter()
        .enumerate()
        .map(|(index, (first, last))| format!("frame {index}: commands {first} to {last}"))
        .collect();
    if !after.is_null() {
        expected.push(format!("after the last frame: commands {} to {}", frames[frames.len() - 1].1 + 1, calls - 1));
    }
    let said = String::from_utf8(said.stdout).unwrap();
    assert_eq!(said.lines().skip(1).collect::<Vec<_>>(), expected, "{said}");
    let mut client = dap::Client::start();
    client.launch(&json!({"trace": trace, "pixel": [200, 60]}));
    let listed = client.ask("afterimage/frames", &Value::Null);
    let listed = listed["body"]["frames"].as_array().unwrap().clone();
    let listed: Vec<(u64, u64)> =
        listed.iter().map(|frame| (number(&frame["firstCommand"]), number(&frame["lastCommand"]))).collect();
    assert_eq!(listed, frames);
    client.leave();

    // Without a frame, a history is of the last one.
    let pixel = ["history", "--pixel", "200,60", "--depth", "0"];
    let (default, named) = (document(trace, &pixel), document(trace, &[&pixel[..], &["--frame", &last]].concat()));
    for key in ["before_command", "nodes"] {
        assert!(!default[key].is_null());
        assert_eq!(default[key], named[key]);
    }

    // One more than there are is refused everywhere.
    let more = count.to_string();
    refused(trace, &["dump", "--frame", &more]);
    refused(trace, &["state", "--at", &format!("frame:{more}")]);
    refused(trace, &["graph", "--frame", &more]);
    refused(trace, &["replay", "--frame", &more]);
    refused(trace, &["history", "--pixel", "200,60", "--frame", &more]);
    refused(trace, &["history", "--nan", "--frame", &more]);
    refused(trace, &["trim", "--frames", &more]);
    refused(trace, &["debug", "--batch", script.to_str().unwrap(), "--pixel", "200,60", "--frame", &more]);
}

#[test]
fn frames_of_a_program_that_presents() {
    check(&recorded("deferred", &["deferred", "--frames", "3"]), 3);
}

#[test]
fn frames_of_a_program_for_opengl_es() {
    check(&recorded("gles2", &["gles2", "--frames", "2"]), 2);
}

#[test]
fn a_program_that_presents_nothing_has_one_frame() {
    let file = recorded("unpresented", &["deferred", "--frames", "2", "--no-present"]);
    check(&file, 1);
    assert!(document(&file, &["info"])["after_last_frame"].is_null());
}
