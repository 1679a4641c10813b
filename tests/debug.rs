//! `afterimage debug --batch` and `afterimage demo`, compared with the output of `inspect` and `history` for the same
//! trace.

#[path = "shared/lit.rs"]
mod lit;
#[path = "shared/history.rs"]
mod shared;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use api::constant as c;
use serde_json::Value;
use shared::{history, list, recorded};
use testing::trace::{TraceBuilder, float};

/// Returns a trace of two frames of the demo, recorded once.
fn trace() -> &'static str {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    TRACE.get_or_init(|| recorded("debug", &["deferred"])).to_str().unwrap()
}

/// Runs a script in the debugger.
fn debug(place: &[&str], script: &str) -> Output {
    debug_in(trace(), place, script)
}

/// Runs a script in the debugger of a trace.
fn debug_in(trace: &str, place: &[&str], script: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.args(["debug", trace, "--batch", "-"]).args(place);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Returns its output.
#[track_caller]
fn output_of(place: &[&str], script: &str) -> String {
    let output = debug(place, script);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{wrong}");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn json(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_afterimage")).args(arguments).arg("--json").output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {output:?}"))
}

/// Returns the draw of the last frame whose fragment shader has this many lines.
fn draw_of(lines: u64) -> String {
    let info = json(&["info", trace()]);
    let programs = list(&info, "programs");
    let has = |program: &Value| {
        list(program, "shaders").iter().any(|shader| shader["stage"] == "fragment" && shader["lines"] == lines)
    };
    let place = programs.iter().position(has).unwrap_or_else(|| panic!("{info:#}"));
    list(&info, "draws").iter().rev().find(|draw| draw["program"] == place).unwrap()["command"].to_string()
}

const LIGHT: u64 = 69;
const TONE: u64 = 14;
const PIXEL: &str = "200,60";

/// Parses the numbers in a text such as `vec3(1.0, NaN, -2e-5)`.
fn numbers(text: &str) -> Vec<f32> {
    let inside = text.split_once('(').map_or(text, |(_, inside)| inside.trim_end_matches(')'));
    inside.split([',', ' ']).filter(|word| !word.is_empty()).map(|word| word.parse().unwrap()).collect()
}

/// Returns what was printed for an expression, each time.
fn printed(text: &str, expression: &str) -> Vec<Vec<f32>> {
    let begin = format!("{expression} = ");
    let values = text.lines().filter_map(|line| line.strip_prefix(&begin));
    values.map(|value| numbers(value.split("  [").next().unwrap().trim())).collect()
}

/// Returns the values of an expression in `inspect`, each time its line is reached.
fn inspected(at: &str, line: &str, expression: &str) -> Vec<Vec<f32>> {
    let answer =
        json(&["inspect", trace(), "--at", at, "--pixel", PIXEL, "--line", line, "--expr", expression, "--verify"]);
    let one = |moment: &Value| {
        list(&moment["emulated"], "components").iter().map(|number| number.as_str().unwrap().parse().unwrap()).collect()
    };
    let all: Vec<Vec<f32>> = list(&answer, "moments").iter().map(one).collect();
    assert!(!all.is_empty(), "{answer:#}");
    all
}

#[test]
fn values_at_breakpoints_match_inspect_forwards_and_backwards() {
    let at = draw_of(LIGHT);
    let place = ["--at", &at, "--pixel", PIXEL];
    let mut script = "break 64\n".to_owned();
    for _ in 0..4 {
        script += "continue\nprint sum\nprint lamp_positions[i] - position\n";
    }
    for _ in 0..3 {
        script += "reverse-continue\nprint sum * 1.0\n";
    }
    let text = output_of(&place, &script);
    for expression in ["sum", "lamp_positions[i] - position"] {
        assert_eq!(printed(&text, expression), inspected(&at, "64", expression), "{text}");
    }
    let mut back = inspected(&at, "64", "sum");
    back.pop();
    back.reverse();
    assert_eq!(printed(&text, "sum * 1.0"), back, "{text}");
}

#[test]
fn breakpoints_take_conditions_hit_counts_and_log_messages() {
    let at = draw_of(LIGHT);
    let place = ["--at", &at, "--pixel", PIXEL];
    let text = output_of(
        &place,
        "break 64 if i == 2\ncontinue\nprint i\ndelete\nstart\nbreak 64 hits 3\ncontinue\nprint i + 10\n",
    );
    assert_eq!(printed(&text, "i"), [[2.0]], "{text}");
    assert_eq!(printed(&text, "i + 10"), [[12.0]], "{text}");
    let text = output_of(&place, "break 64 log lamp {i}\ncontinue\n");
    let logged: Vec<&str> = text.lines().filter(|line| line.contains("lamp ")).skip(1).collect();
    assert_eq!(logged, ["line 64: lamp 0", "line 64: lamp 1", "line 64: lamp 2", "line 64: lamp 3"], "{text}");
    assert!(text.contains("the invocation is over"), "{text}");
}

#[test]
fn steps_forwards_and_back_return_to_the_start() {
    let at = draw_of(LIGHT);
    let place = ["--at", &at, "--pixel", PIXEL];
    let text = output_of(&place, "next 9\ninfo locals\nstep 12\nreverse-step 12\ninfo locals\n");
    let parts: Vec<&str> = text.split("> ").collect();
    let locals: Vec<&str> = parts.iter().copied().filter(|part| part.starts_with("info locals")).collect();
    assert_eq!(locals.len(), 2, "{text}");
    assert_eq!(locals[0], locals[1]);
    assert!(locals[0].contains("vec3 normal = "), "{text}");
}

#[test]
fn a_texture_read_leads_to_the_fragment_in_the_history_and_back() {
    let at = draw_of(TONE);
    let place = ["--at", &at, "--pixel", PIXEL];
    let text = output_of(&place, "reads\ninto-read\nbacktrace\nfinish\n");
    // The largest weight in the first texture lookup is from the lighting pass.
    let shown = history(trace().as_ref(), &["--pixel", PIXEL, "--at", &at, "--depth", "1", "--no-vertices"]).0;
    let edges = list(&shown, "edges").iter().filter(|edge| edge["from"] == 0 && edge["sampler"] == "image (unit 0)");
    let largest = edges.max_by(|a, b| a["weight"].as_f64().unwrap().total_cmp(&b["weight"].as_f64().unwrap())).unwrap();
    let node = list(&shown, "nodes").iter().find(|node| node["id"] == largest["to"]).unwrap();
    let name = format!("fragment {},{} of glDrawArrays (command {})", node["at"][0], node["at"][1], node["command"]);
    assert!(text.contains(&format!("\n{name}, frame 1\n")), "{name} is not in\n{text}");
    // Its frames are above those of the reader, and stepping out ends at the read.
    let trace_part = text.split("> backtrace\n").nth(1).unwrap();
    assert!(trace_part.starts_with(&name), "{text}");
    let before = text.lines().nth(1).unwrap();
    assert!(before.starts_with("main:8  "), "{text}");
    assert_eq!(text.lines().last(), Some(before), "{text}");
}

#[test]
fn overridden_values_take_effect_and_can_be_undone() {
    let at = draw_of(TONE);
    let place = ["--at", &at, "--pixel", PIXEL];
    let text = output_of(&place, "next 2\nset var light = vec3(0.0)\nend\ninfo outputs\nundo\nend\ninfo outputs\n");
    let outputs: Vec<Vec<f32>> = printed(&text.replace("vec4 color", "color"), "color");
    assert_eq!(outputs.len(), 2, "{text}");
    assert_eq!(outputs[0], [0.0, 0.0, 0.0, 1.0], "{text}");
    let plain = output_of(&place, "end\nprint color\n");
    assert_eq!(printed(&plain, "color")[0], outputs[1], "{text}");
}

#[test]
fn a_variable_is_set_without_saying_that_it_is_one() {
    let at = draw_of(TONE);
    let place = ["--at", &at, "--pixel", PIXEL];
    let text = output_of(&place, "next 2\nset light=vec3(0.0)\nset light.x = 0.5\nprint light\n");
    assert_eq!(printed(&text, "light").last().unwrap(), &[0.5, 0.0, 0.0], "{text}");
    let output = debug(&place, "set varr light = vec3(0.0)\nset light\nset = 3\n");
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert_eq!(wrong.matches("it is `set [var] NAME = VALUE`").count(), 3, "{wrong}");
}

#[test]
fn a_frame_is_refused_or_taken_also_without_a_pixel() {
    for place in [&["--frame", "9"][..], &["--frame", "9", "--pixel", PIXEL]] {
        let output = debug(place, "help\n");
        let wrong = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{place:?}: {wrong}");
        assert!(wrong.contains("the trace has no frame 9: they are numbered from 0 to 1"), "{wrong}");
    }
    for (place, frame) in [(&["--frame", "0"][..], "frame 0"), (&[], "frame 1")] {
        let text = output_of(place, &format!("pixel {PIXEL}\n"));
        assert!(text.lines().nth(1).is_some_and(|line| line.ends_with(frame)), "{text}");
    }
}

#[test]
fn back_returns_to_the_invocation_before() {
    let output = debug(&["--pixel", PIXEL], "next 2\nhistory\nnode 1\nback\nback\n");
    let (text, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let places: Vec<&str> = text.lines().filter(|line| line.starts_with("main:")).collect();
    let [first, second, .., returned] = places[..] else { panic!("{text}") };
    assert_eq!(returned, second, "{text}");
    assert_ne!(first, second);
    assert!(wrong.ends_with("no other invocation was entered before this one\n"), "{wrong}");
}

#[test]
fn back_returns_to_the_statement_that_reads() {
    let output = debug(&["--pixel", PIXEL], "into-read\nvertex frame:1 0\nback\npass\nback\nback\n");
    let (text, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let reading = text.lines().nth(1).unwrap();
    assert_eq!(text.lines().rfind(|line| line.starts_with("main:")), Some(reading), "{text}");
    let (_, passes) = text.split_once("> pass\n").unwrap();
    assert!(passes.contains("    entered by texel "), "what led there is still known: {text}");
    assert!(wrong.ends_with("`back`: no other invocation was entered before this one\n"), "{wrong}");
    // Out of `main` is where `back` goes, which then goes on from there.
    let output = debug(&["--pixel", PIXEL], "into-read\nfinish\nback\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no other invocation was entered"), "{output:?}");
}

#[test]
fn a_read_that_was_done_is_told_from_none() {
    let wrong = String::from_utf8_lossy(&debug(&["--pixel", PIXEL], "next\ninto-read\n").stderr).into_owned();
    assert!(wrong.contains("the read has been done") && wrong.contains("`reverse-next`"), "{wrong}");
    let text = output_of(&["--pixel", PIXEL], "next\nreverse-next\ninto-read\n");
    assert!(text.contains("entered by texel "), "{text}");
}

#[test]
fn a_watch_stops_behind_the_last_statement_and_says_what_is_true_on_the_way_back() {
    let script = "watch mapped.x\nwatch color\ncontinue\nprint mapped.x\ncontinue\nprint color\ncontinue\n\
                  reverse-continue\nreverse-continue\n";
    let text = output_of(&["--pixel", PIXEL], script);
    let said = |place: usize| text.split("\n> ").nth(place).unwrap();
    assert!(said(1).contains("watch 1 on mapped.x"), "it is declared further on: {text}");
    let first = said(3).lines().nth(1).unwrap();
    let (_, mapped) =
        first.strip_prefix("watch 1: mapped.x was ").and_then(|rest| rest.split_once(" and is ")).unwrap();
    assert!(said(4).contains(&format!("mapped.x = {mapped}")), "{text}");
    let last = said(5).lines().nth(1).unwrap();
    let (_, color) = last.strip_prefix("watch 2: color was ").and_then(|rest| rest.split_once(" and is ")).unwrap();
    assert!(said(5).contains("\nthe invocation is over\nmain:13 "), "{text}");
    assert!(said(6).contains(&format!("color = {color}")), "{text}");
    assert_eq!(said(7).lines().nth(1), Some("the invocation is over"), "it is not said twice: {text}");
    // On the way back the write lies ahead.
    let back = said(8);
    assert!(back.contains(&format!(", and the next statement makes it {color}\nmain:13 ")), "{text}");
    let back = said(9);
    assert!(back.contains("watch 1: mapped.x is ") && back.contains(&format!("makes it {mapped}\nmain:12 ")), "{text}");
    // A step says the same of the statement that it goes over.
    let text = output_of(&["--pixel", PIXEL], "goto 13\nwatch color\nnext\nreverse-next\n");
    assert_eq!(text.matches("watch 1: color ").count(), 2, "{text}");
}

#[test]
fn what_is_not_declared_cannot_be_watched_and_the_reason_is_given() {
    let said = |script: &str| String::from_utf8_lossy(&debug(&["--pixel", PIXEL], script).stderr).into_owned();
    assert!(said("watch lihgt\n").contains("`lihgt` is not declared"));
    // What is not declared in this function is found in another, if only one has it.
    let text = output_of(&["--pixel", PIXEL], "into-read\nwatch halfway\nwatch i\ncontinue\n");
    assert!(text.contains("watch 2 on i"), "{text}");
}

#[test]
fn a_variable_that_nothing_has_written_has_no_value() {
    let trace = recorded("debug_gles2", &["gles2"]);
    let trace = trace.to_str().unwrap();
    let said = |script: &str| {
        let output = debug_in(trace, &["--pixel", "240,135"], script);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let start = said("print gl_FragColor\n");
    assert!(start.contains("gl_FragColor = not written yet"), "{start}");
    let end = said("finish\nprint gl_FragColor\n");
    assert!(end.contains("gl_FragColor = vec4("), "{end}");
    // What is computed in half precision says so, what is only read does not.
    let half = said("print tint * 0.3\nprint tint\n");
    assert!(half.contains("(mediump, computed in half precision as the driver does)"), "{half}");
    assert_eq!(half.matches("mediump").count(), 1, "{half}");
}

#[test]
fn variables_that_are_declared_later_are_told_from_those_that_are_not() {
    let said = |script: &str| String::from_utf8_lossy(&debug(&["--pixel", PIXEL], script).stderr).into_owned();
    assert!(said("print light\n").contains("`light` is declared in line 8, and not visible before line 9"));
    assert!(said("print lihgt\n").contains("`lihgt` is not declared"));
    assert!(said("set light = vec3(1.0)\n").contains("`light` is declared in line 8, and not visible here"));
    // The statement at hand is where one is.
    let text = output_of(&["--pixel", PIXEL], "goto 3\n");
    assert!(text.trim_end().lines().last().unwrap().starts_with("main:8"), "{text}");
}

#[test]
fn a_read_of_no_number_is_entered_first() {
    // The light of this pixel is a number; the bloom around the broken vertex is none.
    let text = output_of(&["--pixel", "240,135"], "into-read\n");
    assert!(text.contains("read by `texture(bloom, at)`"), "{text}");
    assert!(text.contains("the statement has 2 reads, of which this is read 1"), "{text}");
}

#[test]
fn other_fragments_of_the_draw_are_announced() {
    let file = recorded("debug_stack", &["primitives"]);
    let trace = file.to_str().unwrap();
    let said = |script: &str| {
        let output = debug_in(trace, &["--frame", "0"], script);
        String::from_utf8(output.stdout).unwrap()
    };
    let text = said("pixel 4,4\n");
    let (_, rest) = text.split_once("primitive ").unwrap_or_else(|| panic!("{text}"));
    let last: u32 = rest.split(',').next().unwrap().parse().unwrap();
    assert!(text.contains("other fragments of this draw ran at this pixel"), "{text}");
    // Another one is entered by the number of its primitive.
    let (_, command) = text.split_once("`fragment ").unwrap();
    let words: Vec<&str> = command.split_whitespace().take(2).collect();
    let other = said(&format!("fragment {} {} 7\nprint number\n", words[0], words[1]));
    assert!(last != 7 && other.contains("number = 7"), "{other}");
}

/// A red square, and over it one that is invisible, both by fixed functions.
#[test]
fn a_fragment_that_changes_nothing_is_announced_and_its_vertices_are_right() {
    let mut trace = TraceBuilder::new(8);
    let square = |trace: &mut TraceBuilder, color: [f32; 4]| {
        trace.call("glColor4f", &color.map(float));
        trace.call("glBegin", &[c::GL_QUADS.into()]);
        for [x, y] in [[-1.0, -1.0], [0.5, -1.0], [0.5, 0.75], [-1.0, 0.75]] {
            trace.call("glVertex2f", &[float(x), float(y)]);
        }
        trace.call("glEnd", &[])
    };
    trace.call("glClear", &[c::GL_COLOR_BUFFER_BIT.into()]);
    square(&mut trace, [1.0, 0.0, 0.0, 1.0]);
    trace.call("glEnable", &[c::GL_BLEND.into()]);
    trace.call("glBlendFunc", &[c::GL_SRC_ALPHA.into(), c::GL_ONE_MINUS_SRC_ALPHA.into()]);
    let last = square(&mut trace, [0.0, 1.0, 0.0, 0.0]);
    trace.call("afiPresent", &[1]);
    let file = trace.save("debug_invisible");
    let path = file.to_str().unwrap();
    let output = debug_in(path, &["--pixel", "2,2"], "history\n");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("this fragment was drawn last, and left the pixel as it was"), "{text}");
    let first = text.lines().position(|line| line.contains("blended: draw 2,2")).unwrap_or_else(|| panic!("{text}"));
    assert!(text.lines().nth(first).unwrap().contains("100.0% = 1.0000, 0.0000, 0.0000"), "{text}");
    // The generated shader reads positions by ftransform() alone.
    let at = last.to_string();
    let vertex = json(&["inspect", path, "--at", &at, "--stage", "vertex", "--index", "2", "--verify"]);
    let position = &list(&vertex, "moments")[0];
    assert_eq!((&position["text"], &position["verdict"]), (&"gl_Position = ftransform()".into(), &"equal".into()));
    assert_eq!(position["emulated"]["components"], serde_json::json!(["0.5", "0.75", "0", "1"]), "{vertex:#}");
}

#[test]
fn neighbours_are_not_called_helpers() {
    let at = draw_of(TONE);
    let text = output_of(&["--at", &at, "--pixel", PIXEL], "lanes\n");
    assert_eq!(text.matches("(neighbour)").count(), 3, "{text}");
    assert!(!text.contains("helper"), "{text}");
}

#[test]
fn failing_commands_are_reported_and_the_rest_is_run() {
    let at = draw_of(TONE);
    let output = debug(&["--at", &at, "--pixel", PIXEL], "jump\nprint nonsense\nnext\n");
    assert_eq!(output.status.code(), Some(2));
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(wrong.contains("there is no command `jump`") && wrong.contains("nonsense"), "{wrong}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.lines().last().unwrap().starts_with("main:9  "), "{text}");
    let plain = Command::new(env!("CARGO_BIN_EXE_afterimage")).args(["debug", trace()]).output().unwrap();
    assert_eq!(plain.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&plain.stderr).contains("--batch"));
}

#[test]
fn the_demo_finds_what_broke_the_pixel() {
    let _ = testing::programs::built();
    let told = Command::new(env!("CARGO_BIN_EXE_afterimage")).arg("demo").output().unwrap();
    let text = String::from_utf8_lossy(&told.stdout);
    assert!(told.status.success(), "{text}{}", String::from_utf8_lossy(&told.stderr));
    // The vertex whose normal has length zero, and the line that divides by it.
    assert!(text.contains("vertex 193"), "{text}");
    assert!(text.contains("world_normal = normalize(mat3(model) * normal);"), "{text}");
    assert!(text.contains("vec3 normal = vec3(0.0, 0.0, 0.0)"), "{text}");
    let file = text.lines().last().and_then(|line| line.split_whitespace().nth(6)).unwrap();
    assert!(std::fs::remove_dir_all(Path::new(file).parent().unwrap()).is_ok(), "{text}");
}

/// Returns the trace of a scene of OpenGL ES 2, whose fragments cannot name their primitives, its last draw, and the
/// primitives of that at a pixel: the one that is written, and one that is culled.
fn nameless() -> (&'static str, u64, [u64; 2]) {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    let trace = TRACE.get_or_init(|| recorded("debug_nameless", &["gles2", "--size", "64x64"]));
    let (document, _) = history(trace, &["--pixel", "32,32", "--rows"]);
    let rows = list(&document, "rows");
    let row = |fate: &str| {
        let row =
            rows.iter().rev().find(|row| row["fragment"]["fate"] == fate).unwrap_or_else(|| panic!("{document:#}"));
        (row["command"].as_u64().unwrap(), row["fragment"]["primitive"].as_u64().unwrap())
    };
    let ((command, written), (other, culled)) = (row("written"), row("culled"));
    assert_eq!(command, other);
    (trace.to_str().unwrap(), command, [written, culled])
}

/// The same scene with nothing culled, its last draw, and two primitives of that at a pixel: the one that stays, and one
/// behind it.
fn nameless_insides() -> (PathBuf, u64, [u64; 2]) {
    let trace = recorded("debug_insides", &["gles2", "--size", "64x64", "--insides"]);
    let (document, _) = history(&trace, &["--pixel", "32,32", "--rows"]);
    let rows = list(&document, "rows");
    let command = rows.last().unwrap()["command"].as_u64().unwrap();
    let own = rows.iter().filter(|row| row["command"] == command);
    let (stays, behind): (Vec<&Value>, Vec<&Value>) = own.partition(|row| row["after"] == document["value"]);
    let number = |row: &Value| row["fragment"]["primitive"].as_u64().unwrap();
    let behind = behind.first().unwrap_or_else(|| panic!("{document:#}"));
    (trace, command, [number(stays[0]), number(behind)])
}

#[test]
fn a_fragment_that_cannot_name_its_primitive_is_measured() {
    let (trace, command, primitives) = nameless_insides();
    let said = |place: &[&str], script: &str| {
        let output = debug_in(trace.to_str().unwrap(), place, script);
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (text, wrong) = said(&["--pixel", "32,32"], "next 2\nmeasure light\ninfo locals\n");
    assert!(wrong.is_empty() && text.contains(&format!("primitive {}, of", primitives[0])), "{text}{wrong}");
    assert!(text.contains("1 other fragment of this draw ran at this pixel"), "{text}");
    assert_eq!(text.matches("[GPU equal]").count(), 3, "{text}");
    // The one behind it has its own values, on both sides.
    let normals = primitives.map(|primitive| {
        let script = format!("fragment {command} 32,32 {primitive}\nnext 2\ninfo locals\n");
        let (text, wrong) = said(&[], &script);
        assert!(wrong.is_empty() && text.matches("[GPU equal]").count() == 2, "{text}{wrong}");
        text.lines().find(|line| line.starts_with("vec3 normal")).unwrap().to_owned()
    });
    assert_ne!(normals[0], normals[1]);
    let (_, wrong) = said(&[], &format!("fragment {command} 32,32 999\n"));
    assert!(wrong.contains("primitive 999 has no fragment at pixel 32,32"), "{wrong}");
}

#[test]
fn what_is_culled_did_not_run() {
    let (trace, command, [written, culled]) = nameless();
    let output = debug_in(trace, &["--pixel", "32,32"], &format!("fragment {command} 32,32 {culled}\n"));
    let (text, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains("other fragment"), "{text}");
    let why = format!(
        "primitive {culled} is culled at pixel 32,32, so that no fragment of it ran there; primitive {written} has one"
    );
    assert!(wrong.contains(&why), "{wrong}");
    // The same where fragments can be listed, and know their primitives: a triangle, and another that faces away.
    let mut trace = TraceBuilder::new(8);
    trace.call("glEnable", &[c::GL_CULL_FACE.into()]);
    trace.call("glBegin", &[c::GL_TRIANGLES.into()]);
    for [x, y] in [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0], [-1.0, -1.0], [-1.0, 3.0], [3.0, -1.0]] {
        trace.call("glVertex2f", &[float(x), float(y)]);
    }
    trace.call("glEnd", &[]);
    trace.call("afiPresent", &[1]);
    let file = trace.save("debug_culled");
    let output = debug_in(file.to_str().unwrap(), &["--pixel", "2,2"], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("fragment 2,2 of glEnd") && !text.contains("other fragment"), "{text}");
}

/// The vertices of a lit square in a display list, by fixed functions: what they were made of.
#[test]
fn built_in_state_is_found_where_it_is_and_folded_to_what_is_read() {
    let (file, _) = lit::square("debug_lit");
    let output =
        debug_in(file.to_str().unwrap(), &["--frame", "0"], "vertex frame:0 0\ninfo uniforms\ninfo builtins\n");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("there are no uniforms here; `info builtins` has those of the language"), "{text}");
    assert!(text.contains(" gl_LightSource[0].position = vec4("), "{text}");
    assert!(!text.contains("gl_LightSource ="), "{text}");
}

#[test]
fn what_cannot_name_its_primitive_is_not_said_to_be_of_the_first() {
    let (trace, command, _) = nameless();
    let mut found = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    found.args(["break", trace, "--site", "3:10", "--at", &command.to_string()]);
    let text = String::from_utf8(found.output().unwrap().stdout).unwrap();
    assert!(text.contains("line 10: pixel ") && !text.contains("primitive"), "{text}");
    let text = String::from_utf8(found.arg("--json").output().unwrap().stdout).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert!(list(&document, "first").iter().all(|hit| hit["id"][2] == -1), "{document:#}");
}

#[test]
fn a_read_of_a_small_level_leads_through_the_making_of_levels() {
    let (trace, ..) = nameless();
    let output = debug_in(trace, &["--pixel", "32,32"], "goto 11\ninto-read\nbacktrace\n");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(", through glGenerateMipmap (command "), "{text}");
    assert!(text.contains("#1 main:11"), "{text}");
}

#[test]
fn what_was_found_is_entered_where_it_holds() {
    let text = output_of(&["--pixel", PIXEL], "into-read\nfind 64 if i == 2\nfind #1\nprint i\n");
    let (_, entered) = text.split_once("> find #1\n").unwrap();
    assert!(entered.contains("\nmain:64 ") && entered.contains("i = 2 "), "{entered}");
    let listed =
        text.lines().find(|line| line.contains("`find #0` enters the first")).unwrap_or_else(|| panic!("{text}"));
    assert!(listed.contains(" more; a condition "), "{listed}");
}

#[test]
fn comments_refusals_and_deletions_leave_the_numbers_of_breakpoints_alone() {
    let script = "into-read\ngoto 64\nbreak 64 if i = = 2\nwatch length(sum)\nbreak 64 if i == 2    # the third time\nbreak 65\n\
                  delete 1\ndelete\ndelete\n";
    let output = debug(&["--pixel", PIXEL], script);
    let (text, wrong) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(text.contains("> break 65\nbreakpoint 2 at line 65\n"), "{text}");
    let listed = output_of(&["--pixel", PIXEL], "break 13\ninfo breakpoints\n");
    assert!(listed.contains("1: line 13 of program ") && listed.trim_end().ends_with(" fragment"), "{listed}");
    assert!(text.ends_with(
        "> delete 1\nbreakpoint 1 is deleted\n> delete\nthe breakpoint is deleted\n> delete\nthere are no breakpoints\n"
    ), "{text}");
    assert!(wrong.contains("`watch` takes variables, and `display length(sum)` shows it at every stop"), "{wrong}");
}
