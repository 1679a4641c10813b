//! Difficult cases for a debugger, on the demo `trials` and a frame of ten thousand draws: each is supported, or
//! rejected with one sentence; and long operations can be interrupted.

#[path = "shared/dap.rs"]
mod dap;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

use dap::Client;
use serde_json::{Value, json};
use testing::programs::record;
use testing::trace::TraceBuilder;

/// Iterations of the loop: twice as many steps.
const ROUNDS: u32 = 5_000_000;

/// A pixel of the square in the middle, and of the squares to its left and right.
const MIDDLE: &str = "33,25";
const LEFT: &str = "25,25";
const RIGHT: &str = "41,25";

/// Memory limit of the debugger in kilobytes: data of one process, however long a shader is.
const MEMORY: u32 = 2_000_000;

const REFUSED: [&str; 4] = ["trials", "--rounds", "10", "--refused"];

/// Commands of [`crashing`]: a draw, and one that crashes the driver.
const DRAW: u64 = 5;
const FATAL: u64 = 8;

/// Records two frames of a demo, once for each set of arguments; with `--crash` the demo crashes.
fn recorded(words: &[&str]) -> PathBuf {
    static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let name = words.join("").replace('-', "_");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("trials_{name}.aftr"));
    if made.contains(&file) {
        return file;
    }
    let recorded = record(&file, &[&[words[0], "--frames", "2", "--size", "64x48"], &words[1..]].concat());
    assert_eq!(recorded.status.success(), !words.contains(&"--crash"), "{recorded:?}");
    made.push(file.clone());
    file
}

fn long() -> PathBuf {
    recorded(&["trials", "--rounds", &ROUNDS.to_string()])
}

/// Writes a trace of a frame with a triangle over everything and another frame with a draw from an unmapped address.
fn crashing() -> PathBuf {
    let file =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("trials_crashing_{:?}.aftr", std::thread::current().id()));
    let mut trace = TraceBuilder::new(4);
    let corners: Vec<u8> = [-1.0_f32, -1., 3., -1., -1., 3.].into_iter().flat_map(f32::to_le_bytes).collect();
    trace.call("glEnableClientState", &[0x8074]);
    trace.reading("glVertexPointer", &[2, 0x1406, 0, 0x7F00_0000_2000], &[(3, &corners)]);
    trace.call("glDrawArrays", &[4, 0, 3]);
    trace.call("afiPresent", &[1]);
    trace.call("glVertexPointer", &[4, 0x1406, 0, 0x10]);
    trace.call("glDrawArrays", &[4, 0, 30]);
    trace.save_as(&file);
    file
}

/// Returns the last draw of a trace.
fn last_draw(trace: &Path) -> u64 {
    *draws(trace).last().unwrap()
}

/// Returns the commands that draw.
fn draws(trace: &Path) -> Vec<u64> {
    let info = Command::new(env!("CARGO_BIN_EXE_afterimage")).arg("info").arg(trace).arg("--json").output().unwrap();
    let info: Value = serde_json::from_slice(&info.stdout).unwrap();
    info["draws"].as_array().unwrap().iter().map(|draw| draw["command"].as_u64().unwrap()).collect()
}

/// Runs a script in the debugger, within the memory limit.
fn debug(trace: &Path, place: &[&str], script: &str) -> Output {
    let limited = format!("ulimit -d {MEMORY} && exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_afterimage"), "debug"]).arg(trace).args(place);
    command.args(["--batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[track_caller]
fn output_of(trace: &Path, place: &[&str], script: &str) -> String {
    let output = debug(trace, place, script);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the single sentence with which a request is rejected.
#[track_caller]
fn refused(trace: &Path, place: &[&str]) -> String {
    let output = debug(trace, place, "");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let wrong = String::from_utf8(output.stderr).unwrap();
    // A driver that crashes may print its own messages.
    let own: Vec<&str> = wrong.lines().filter(|line| line.starts_with("afterimage:")).collect();
    assert_eq!(own.len(), 1, "{wrong}");
    own[0].to_owned()
}

/// Returns the result of the shader's generator after this many iterations, as in the language and on the emulator;
/// llvmpipe leaves loops after 65,535 iterations, and has another result for more.
fn number(rounds: u32) -> u32 {
    (0..rounds).fold(1, |number, _| (number * 5 + 3) % 4096)
}

/// Returns what was printed for an expression, each time.
fn printed(text: &str, expression: &str) -> Vec<f64> {
    let begin = format!("{expression} = ");
    let values = text.lines().filter_map(|line| line.strip_prefix(&begin));
    values.map(|value| value.split(' ').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn ten_million_steps_are_traversed_forwards_and_backwards() {
    let script = "\
break 14
continue
print number
reverse-next
print i
last-write number
print number
next
delete
break 12 hits 4000000
start
continue
print i
print number
finish
findings
";
    let text = output_of(&long(), &["--pixel", MIDDLE], script);
    let expected = [number(ROUNDS), number(ROUNDS - 1), number(3_999_999)].map(f64::from);
    assert_eq!(printed(&text, "number"), expected, "{text}");
    assert_eq!(printed(&text, "i"), [f64::from(ROUNDS), 3_999_999.0], "{text}");
    assert!(text.contains("the invocation is over") && text.contains("nothing that it does is undefined"), "{text}");
}

#[test]
fn values_of_a_long_run_are_compared_as_far_as_the_device_recorded() {
    let text = output_of(
        &long(),
        &["--pixel", MIDDLE],
        "break 12 hits 2\ncontinue\nprint number\nend\nprint gl_FragColor.x * 4096.0\ninfo outputs\n",
    );
    assert_eq!(printed(&text, "gl_FragColor.x * 4096.0"), [f64::from(number(ROUNDS + 1))], "{text}");
    assert_eq!(printed(&text, "number"), [8.0], "{text}");
}

#[test]
fn a_log_of_millions_of_lines_is_truncated() {
    let text = output_of(&long(), &["--pixel", MIDDLE], "break 12 log {i}\ncontinue\n");
    let lines = text.lines().filter(|line| line.starts_with("line 12: ")).count();
    assert_eq!(lines, 10_001);
    assert!(text.contains(&format!("line 12: and {} times more\n", ROUNDS - 10_000)), "{}", &text[text.len() - 500..]);
}

#[test]
fn the_last_of_ten_thousand_draws_is_found() {
    let trace = recorded(&["overlap", "--draws", "10000"]);
    // The last of them has number 9,999: of each twelve, the fourth blends.
    let last = last_draw(&trace);
    let text = output_of(&trace, &["--pixel", "32,24"], "next\npixel 33,24\n");
    assert!(text.starts_with(&format!("fragment 32,24 of glDrawArrays (command {last}), frame 1\n")), "{text}");
    assert!(text.contains(&format!("\nfragment 33,24 of glDrawArrays (command {last}), frame 1\n")), "{text}");
}

#[test]
fn a_crashed_program_can_be_debugged_up_to_the_crash() {
    let trace = recorded(&["trials", "--rounds", "10", "--crash"]);
    // The last draw is the one that crashed; those before it are after the last frame.
    let draws = draws(&trace);
    let before = draws[draws.len() - 2].to_string();
    for place in [["--frame", "0"], ["--at", &before]] {
        let text = output_of(&trace, &["--pixel", MIDDLE, place[0], place[1]], "end\nprint number\n");
        assert_eq!(printed(&text, "number"), [f64::from(number(11))], "{text}");
    }
}

#[test]
fn a_driver_crash_is_one_sentence_and_earlier_commands_can_be_debugged() {
    let trace = crashing();
    let text = output_of(&trace, &["--pixel", "1,1", "--frame", "0"], "end\ninfo outputs\n");
    assert!(text.starts_with(&format!("fragment 1,1 of glDrawArrays (command {DRAW})")), "{text}");
    let sentence = refused(&trace, &["--at", &FATAL.to_string(), "--pixel", "1,1"]);
    assert!(sentence.contains(&format!("crashed at command {FATAL}")), "{sentence}");
    // A crashed worker does not affect other queries.
    let output = debug(&trace, &[], &format!("fragment {FATAL} 1,1\nfragment {DRAW} 1,1\n"));
    let (text, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(&format!("fragment 1,1 of glDrawArrays (command {DRAW})")), "{text}{wrong}");
    assert!(wrong.contains("crashed"), "{wrong}");
}

#[test]
fn an_assembly_program_is_debugged_as_a_shader() {
    let trace = recorded(&["trials", "--rounds", "10", "--assembly"]);
    let text = output_of(&trace, &["--pixel", LEFT], "print gl_FragColor\n");
    assert!(text.contains("main:4  gl_FragColor = vec4(0.9, 0.6, 0.1, 1.0);"), "{text}");
    let text = output_of(&trace, &["--pixel", MIDDLE], "end\nprint number\n");
    assert_eq!(printed(&text, "number"), [f64::from(number(11))], "{text}");
}

#[test]
fn rejected_shaders_are_named_and_others_are_debugged() {
    let trace = recorded(&REFUSED);
    let sentence = refused(&trace, &["--pixel", RIGHT]);
    assert!(sentence.contains("`gl_Color` is not declared"), "{sentence}");
    // The same by the number of its command, and without repetition.
    let sentence = refused(&trace, &["--at", &last_draw(&trace).to_string(), "--pixel", RIGHT]);
    assert_eq!(sentence.matches("gl_Color").count(), 1, "{sentence}");
    let text = output_of(&trace, &["--pixel", MIDDLE], "end\nprint number\n");
    assert_eq!(printed(&text, "number"), [f64::from(number(11))], "{text}");
}

/// Starts a session with the adapter at the entry of a fragment of the long loop.
fn in_the_loop() -> Client {
    let mut client = Client::start();
    let launch = json!({"trace": long(), "pixel": MIDDLE, "history": false});
    client.launch(&launch);
    client
}

#[test]
fn an_editor_pauses_and_continues() {
    let mut client = in_the_loop();
    let stack = client.ask("stackTrace", &json!({"threadId": 1}));
    let source = stack["body"]["stackFrames"][0]["source"].clone();
    client.ask("setBreakpoints", &json!({"source": source, "breakpoints": [{"line": 12}]}));
    client.ask("continue", &json!({"threadId": 1}));
    assert_eq!(client.event("stopped")["body"]["reason"], "breakpoint");
    // A condition that never holds is evaluated five million times.
    let breakpoints = json!([{"line": 12, "condition": "number < 0.0"}]);
    client.ask("setBreakpoints", &json!({"source": source, "breakpoints": breakpoints}));
    client.ask("continue", &json!({"threadId": 1}));
    assert_eq!(client.ask("pause", &json!({"threadId": 1}))["success"], true);
    let stopped = client.event("stopped");
    assert_eq!(stopped["body"]["reason"], "pause", "{stopped}");
    // Everything can be inspected there.
    let stack = client.ask("stackTrace", &json!({"threadId": 1}));
    let frame = &stack["body"]["stackFrames"][0];
    assert!((11..=12).contains(&frame["line"].as_u64().unwrap()), "{stack}");
    let asked = json!({"expression": "i", "frameId": frame["id"], "context": "watch"});
    let i: u32 = word(&client.ask("evaluate", &asked)).parse().unwrap();
    assert!(i < ROUNDS, "{i}");
    let asked = json!({"expression": "number", "frameId": frame["id"], "context": "watch"});
    let now: f64 = word(&client.ask("evaluate", &asked)).parse().unwrap();
    assert!([number(i), number(i + 1)].map(f64::from).contains(&now), "{now} after {i} rounds");
    // And backwards, from the end.
    client.ask("setBreakpoints", &json!({"source": source, "breakpoints": []}));
    client.ask("continue", &json!({"threadId": 1}));
    assert_eq!(client.event("stopped")["body"]["reason"], "end");
    client.ask("setBreakpoints", &json!({"source": source, "breakpoints": breakpoints}));
    client.ask("reverseContinue", &json!({"threadId": 1}));
    client.ask("pause", &json!({"threadId": 1}));
    assert_eq!(client.event("stopped")["body"]["reason"], "pause");
    // Disconnecting does not wait for a running request.
    client.ask("continue", &json!({"threadId": 1}));
    client.leave();
}

#[test]
fn an_editor_gets_one_sentence_for_what_cannot_be_debugged() {
    let (shader, crash) = (recorded(&REFUSED), crashing());
    for (configuration, expected) in [
        (json!({"trace": shader, "pixel": RIGHT}), "`gl_Color` is not declared".to_owned()),
        (json!({"trace": crash, "pixel": [1, 1], "command": FATAL}), format!("crashed at command {FATAL}")),
    ] {
        let mut client = Client::start();
        let answer = client.ask("launch", &configuration);
        assert_eq!(answer["success"], false, "{answer}");
        assert!(answer["message"].as_str().unwrap().contains(&expected), "{answer}");
        client.leave();
    }
}

#[test]
fn a_search_for_a_history_is_cancelled() {
    let mut client = Client::start();
    // Six thousand draws are blended at this pixel.
    client.launch(&json!({"trace": recorded(&["overlap", "--draws", "10000"]), "pixel": "32,24"}));
    client.ask("threads", &Value::Null);
    let progress = client.event("progressStart");
    let progress = if progress["body"]["cancellable"] == true { progress } else { client.event("progressStart") };
    client.ask("cancel", &json!({"progressId": progress["body"]["progressId"]}));
    let end = loop {
        let end = client.event("progressEnd");
        if end["body"]["progressId"] == progress["body"]["progressId"] {
            break end;
        }
    };
    assert_eq!(end["body"]["message"], "cancelled", "{end}");
    let answer = client.ask("afterimage/history", &Value::Null);
    assert_eq!(answer["success"], false, "{answer}");
    client.leave();
}

/// Returns the value of an expression, without its verdict.
fn word(answer: &Value) -> String {
    answer["body"]["result"].as_str().unwrap_or_default().split(' ').next().unwrap_or_default().to_owned()
}
