//! `afterimage inspect`, `break` and `profile` on a recorded demo: values measured on the driver and on the emulator.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use testing::programs;

/// Records the demo `deferred`, once, and returns the path of the trace.
fn trace() -> &'static str {
    static TRACE: OnceLock<String> = OnceLock::new();
    recorded(&["deferred"], &TRACE)
}

/// Records the demo `primitives`: a thousand overlapping triangles, and a geometry shader.
fn stack() -> &'static str {
    static TRACE: OnceLock<String> = OnceLock::new();
    recorded(&["primitives"], &TRACE)
}

fn recorded(words: &[&str], trace: &'static OnceLock<String>) -> &'static str {
    trace.get_or_init(|| {
        let file = temporary(&format!("{}.aftr", words.concat()));
        programs::recorded(&file, &[&[words[0], "--frames", "2"], &words[1..]].concat());
        file.to_str().unwrap().to_owned()
    })
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("inspect-{name}"))
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_afterimage")).args(arguments).output().unwrap()
}

#[track_caller]
fn json(arguments: &[&str], status: i32) -> Value {
    let output = run(&[arguments, &["--json"]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {said}"))
}

/// Returns a draw of the first frame whose fragment shader has this many lines, and the number of that shader.
fn draw_of(lines: u64) -> (String, String) {
    let info = json(&["info", trace()], 0);
    let programs = info["programs"].as_array().unwrap();
    let mut found = None;
    for (place, program) in programs.iter().enumerate() {
        for shader in program["shaders"].as_array().unwrap() {
            if shader["stage"] == "fragment" && shader["lines"] == lines {
                found = Some((place, shader["name"].as_u64().unwrap()));
            }
        }
    }
    let (program, shader) = found.unwrap_or_else(|| panic!("{info:#}"));
    let draws = info["draws"].as_array().unwrap();
    let draw = draws.iter().find(|draw| draw["program"] == program).unwrap_or_else(|| panic!("{info:#}"));
    (draw["command"].to_string(), shader.to_string())
}

const LIGHT: u64 = 69;
const TONE: u64 = 14;

#[test]
fn an_expression_is_measured_each_time_its_line_is_reached() {
    let (at, _) = draw_of(LIGHT);
    let ask =
        ["inspect", trace(), "--at", &at, "--pixel", "200,60", "--line", "64", "--expr", "float(i) * 2.0", "--verify"];
    let answer = json(&ask, 0);
    let values: Vec<&str> = answer["moments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["measured"]["components"][0].as_str().unwrap())
        .collect();
    assert_eq!(values, ["0", "2", "4", "6"], "{answer:#}");
    assert!(answer["moments"].as_array().unwrap().iter().all(|m| m["verdict"] == "equal"), "{answer:#}");
    let third = answer["moments"][2]["path"].as_str().unwrap();
    let one = json(&["inspect", trace(), "--at", &at, "--pixel", "200,60", "--expr", "i", "--moment", third], 0);
    assert_eq!(one["moments"][0]["measured"]["components"][0], "2", "{one:#}");
}

#[test]
fn all_fragments_are_written_as_an_image_an_array_and_a_table() {
    let (at, _) = draw_of(TONE);
    let [png, npy, csv] = ["tone.png", "tone.npy", "tone.csv"].map(temporary);
    let files = ["--image", png.to_str().unwrap(), "--npy", npy.to_str().unwrap(), "--csv", csv.to_str().unwrap()];
    let ask = [&["inspect", trace(), "--at", &at, "--line", "9"][..], &files, &["--verify", "--times"]].concat();
    let output = run(&[&ask[..], &["--json", "--force"]].concat());
    // They are replaced only on request.
    let again = run(&ask);
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    assert!(
        String::from_utf8_lossy(&again.stderr).contains("tone.png already exists; choose another name, or --force")
    );
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let [width, height] = [0, 1].map(|axis| answer["size"][axis].as_u64().unwrap());
    assert_eq!(answer["pixels"]["reached"], width * height, "{answer:#}");
    assert!(answer["verify"]["share"].as_f64().unwrap() >= 0.999, "{answer:#}");
    let found = ["equal", "within", "allowed", "divergent"].map(|name| answer["verify"][name].as_u64().unwrap());
    assert_eq!(found.iter().sum::<u64>(), width * height, "each fragment must be counted: {answer:#}");
    assert_eq!(answer["components"].as_array().unwrap().len(), 2, "corner is a vec2: {answer:#}");
    assert!((answer["components"][0]["mean"].as_f64().unwrap()).abs() < 1e-3, "{answer:#}");
    assert!(answer["seconds"]["cached"].is_number() && answer["seconds"]["alone"].is_number(), "{answer:#}");
    let bytes = std::fs::read(&npy).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY"));
    assert_eq!(bytes.len() as u64, 128 + width * height * 8);
    assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count() as u64, 1 + width * height);
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&png).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    // The first row is the top: x is smallest on the left, y is largest.
    assert_eq!(pixels[..4], [0, 255, 0, 255]);
}

#[test]
fn an_overridden_uniform_takes_effect() {
    let (at, _) = draw_of(LIGHT);
    let ask = |more: &[&str]| {
        let ask = ["inspect", trace(), "--at", &at, "--pixel", "200,60", "--line", "48", "--expr", "eye"];
        json(&[&ask[..], more].concat(), 0)["moments"][0]["measured"]["components"].clone()
    };
    // The emulator uses it too, or --verify would fail.
    assert_eq!(ask(&["--set", "eye=1,2,3", "--verify"]), serde_json::json!(["1", "2", "3"]));
    assert_ne!(ask(&[]), serde_json::json!(["1", "2", "3"]));
    let output = run(&["inspect", trace(), "--at", &at, "--pixel", "200,60", "--set", "missing=1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the program uses no uniform missing"), "{output:?}");
}

#[test]
fn a_replaced_texture_is_read_by_driver_and_emulator() {
    let (at, _) = draw_of(TONE);
    let picture = temporary("read.png");
    let mut encoder = png::Encoder::new(std::fs::File::create(&picture).unwrap(), 2, 1);
    encoder.set_color(png::ColorType::Rgba);
    let texels = [51, 102, 153, 255, 51, 102, 153, 255];
    encoder.write_header().unwrap().write_image_data(&texels).unwrap();
    let texture = format!("image={}", picture.display());
    let ask = ["inspect", trace(), "--at", &at, "--pixel", "100,60", "--line", "8", "--expr", "texture(image, at)"];
    let answer = json(&[&ask[..], &["--texture", &texture, "--verify"]].concat(), 0);
    let row = &answer["moments"][0];
    for (component, texel) in [0.2f32, 0.4, 0.6, 1.0].into_iter().enumerate() {
        for who in ["measured", "emulated"] {
            let value: f32 = row[who]["components"][component].as_str().unwrap().parse().unwrap();
            assert!((value - texel).abs() < 1e-6, "{answer:#}");
        }
    }
}

#[test]
fn a_rejected_variant_is_kept_and_the_next_transport_is_used() {
    let (at, _) = draw_of(TONE);
    let folder = temporary("sources");
    let common = ["inspect", trace(), "--at", &at, "--pixel", "20,30", "--line", "8"];
    let plain = json(&common, 0);
    let spoiled = ["--spoil", "storage", "--spoil", "integer", "--save-source", folder.to_str().unwrap()];
    let answer = json(&[&common[..], &spoiled].concat(), 0);
    assert_eq!(answer["moments"], plain["moments"]);
    assert_eq!(answer["transport"], "float", "{answer:#}");
    let rejected = answer["rejected"].as_array().unwrap();
    assert_eq!(rejected.len(), 2, "{answer:#}");
    for (rejection, name) in rejected.iter().zip(["storage", "integer"]) {
        assert_eq!(rejection["transport"], name);
        assert!(rejection["log"].as_str().unwrap().contains("spoiled on purpose"), "{rejection:#}");
        let text = std::fs::read_to_string(rejection["source"].as_str().unwrap()).unwrap();
        assert!(text.starts_with("#version"), "{text}");
    }
    let every = ["storage", "integer", "float", "bytes"].map(|way| ["--spoil", way]).concat();
    let output = run(&[&common[..], &every].concat());
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("spoiled on purpose") && said.contains("-fragment-bytes-"), "{said}");
}

#[test]
fn all_transports_agree() {
    let (at, _) = draw_of(TONE);
    let ask = |way: &str| {
        let ask = ["inspect", trace(), "--at", &at, "--pixel", "40,30", "--line", "12", "--transport", way];
        let answer = json(&ask, 0);
        assert_eq!(answer["transport"], way);
        answer["moments"].clone()
    };
    let storage = ask("storage");
    for way in ["integer", "float", "bytes"] {
        assert_eq!(ask(way), storage, "{way}");
    }
    let output = run(&["inspect", trace(), "--at", &at, "--pixel", "40,30", "--transport", "feedback"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("it offers storage, integer"), "{output:?}");
}

#[test]
fn vertices_are_written_as_a_table() {
    let (at, _) = draw_of(TONE);
    let answer = json(&["inspect", trace(), "--at", &at, "--stage", "vertex"], 0);
    assert!(answer["invocations"].as_u64().unwrap() >= 3, "{answer:#}");
    assert_eq!(answer["rows"].as_array().unwrap().len() as u64, answer["invocations"].as_u64().unwrap());
}

#[test]
fn a_breakpoint_names_draws_and_invocations() {
    let (at, shader) = draw_of(LIGHT);
    let site = format!("{shader}:52");
    let some = json(&["break", trace(), "--site", &site, "--at", &at], 0);
    assert_eq!(some["asked"], 1, "{some:#}");
    let sky = some["invocations"].as_u64().unwrap();
    let site = format!("{shader}:64");
    let loops = json(&["break", trace(), "--site", &site, "--at", &at, "--if", "i == 2", "--first", "3"], 0);
    let [width, height] =
        [0, 1].map(|axis| json(&["inspect", trace(), "--at", &at, "--line", "47"], 0)["size"][axis].as_u64().unwrap());
    assert_eq!(sky + loops["invocations"].as_u64().unwrap(), width * height, "all pixels must be sky or lit");
    assert_eq!(loops["first"].as_array().unwrap().len(), 3);
    assert!(loops["first"][0]["moment"].as_str().unwrap().ends_with("#2"), "{loops:#}");
    let never = json(&["break", trace(), "--site", &site, "--if", "i == 7"], 1);
    assert_eq!((never["asked"].as_u64().unwrap(), never["invocations"].as_u64().unwrap()), (2, 0), "{never:#}");
    // The user wrote no semicolon, so messages speak of none.
    for (condition, wrong) in [("i +", "found the end of the expression"), ("i == 2 3", "expected the end of the")] {
        let output = run(&["break", trace(), "--site", &site, "--if", condition]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
        assert!(said.contains(wrong), "{said}");
    }
}

/// Returns the draw at an index of the first frame, and the fragment shader of its program.
fn draw_in(trace: &str, place: usize) -> (String, String) {
    let info = json(&["info", trace], 0);
    let draw = &info["draws"][place];
    let program = &info["programs"][usize::try_from(draw["program"].as_u64().unwrap()).unwrap()];
    let shaders = program["shaders"].as_array().unwrap();
    let shader = shaders.iter().find(|shader| shader["stage"] == "fragment").unwrap_or_else(|| panic!("{info:#}"));
    (draw["command"].to_string(), shader["name"].to_string())
}

/// Number of pixels that each triangle of the demo `primitives` covers.
const COVERED: u64 = 16 * 16;

#[test]
fn covered_fragments_are_counted() {
    let (at, shader) = draw_in(stack(), 0);
    // The loop's body: three of four triangles reach it.
    let site = format!("{shader}:11");
    let ask = ["break", stack(), "--site", &site, "--at", &at, "--if", "number == 7 || number == 998", "--first", "3"];
    let every = json(&ask, 0);
    assert_eq!(every["counted"], "running", "{every:#}");
    assert_eq!((&every["invocations"], &every["missed"]), (&(2 * COVERED).into(), &0.into()), "{every:#}");
    assert_eq!(every["draws"][0]["times"], (3 + 2) * COVERED, "number 7 has three iterations, 998 two");
    // The device counts those that are not named, other transports have none that do.
    let counted = json(&[&ask[..ask.len() - 1], &["0"]].concat(), 0);
    assert_eq!((&counted["draws"], &counted["first"]), (&every["draws"], &serde_json::json!([])), "{counted:#}");
    let others = json(&[&ask[..], &["--transport", "integer"]].concat(), 0);
    assert_eq!(others["draws"], every["draws"], "{others:#}");
    let first: Vec<&Value> = every["first"].as_array().unwrap().iter().map(|hit| &hit["id"]).collect();
    assert_eq!(
        first,
        [&serde_json::json!([0, 0, 7, 0]), &serde_json::json!([0, 0, 998, 0]), &serde_json::json!([1, 0, 7, 0])]
    );
    // Without storage blocks they are counted layer by layer, more of them than a stencil value can count.
    let layers = json(&[&ask[..], &["--transport", "integer"]].concat(), 0);
    for key in ["counted", "invocations", "draws"] {
        assert_eq!(layers[key], every[key], "{layers:#}");
    }
    let all = json(&["break", stack(), "--site", &format!("{shader}:12"), "--at", &at], 0);
    assert_eq!(all["invocations"], 1000 * COVERED, "{all:#}");
    let looped = json(&["profile", stack(), "--at", &at, "--line", "10"], 0);
    assert_eq!(looped["counted"], "running", "{looped:#}");
    assert_eq!(looped["invocations"], 1000 * COVERED, "{looped:#}");
    assert_eq!(looped["totals"][0]["total"], 250 * (1 + 2 + 3) * COVERED, "{looped:#}");
    // All fragments of a pixel together.
    assert_eq!(looped["components"][0]["least"], 1500.0, "{looped:#}");
    assert_eq!(looped["pixels"]["reached"], COVERED, "{looped:#}");
}

#[test]
fn every_fragment_is_compared_with_the_emulator() {
    let (at, _) = draw_in(stack(), 1);
    let answer = json(&["inspect", stack(), "--at", &at, "--line", "9", "--every", "--verify"], 0);
    assert!(answer["invocations"].as_u64().unwrap() > 10, "{answer:#}");
    assert_eq!(answer["verify"]["within"], answer["invocations"], "{answer:#}");
    let rows = answer["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["state"] == "reached" && row["verdict"] != "divergent"), "{answer:#}");
}

#[test]
fn all_vertices_are_verified() {
    let (at, _) = draw_in(stack(), 0);
    let answer = json(&["inspect", stack(), "--at", &at, "--stage", "vertex", "--verify"], 0);
    assert_eq!((&answer["verify"]["within"], &answer["verify"]["all"]), (&3000.into(), &3000.into()));
    let last = &answer["rows"][2999]["values"];
    assert_eq!(last["number"]["components"], serde_json::json!(["999"]), "{last:#}");
    assert_eq!(last["gl_Position"]["components"][1], "3", "{last:#}");
}

#[test]
fn a_geometry_shader_shows_emitted_vertices() {
    let (at, _) = draw_in(stack(), 1);
    let answer = json(&["inspect", stack(), "--at", &at, "--stage", "geometry"], 0);
    let rows = answer["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 5 * (2 * 3 + 1), "{answer:#}");
    let states: Vec<&str> = rows[..7].iter().map(|row| row["state"].as_str().unwrap()).collect();
    let emitted = ["emits 0 of 0", "emits 1 of 0", "emits 2 of 0", "emits 0 of 1", "emits 1 of 1", "emits 2 of 1"];
    assert_eq!(states[..6], emitted);
    assert_eq!(states[6], "not emitted");
    // Point 2, second strip, third vertex.
    let row = &rows[2 * 7 + 5];
    assert_eq!(row["id"], serde_json::json!([2, 0, 0, 0]));
    assert_eq!(row["values"]["shade"]["components"], serde_json::json!(["0.5", "1", "1"]), "{row:#}");
    assert_eq!(row["values"]["gl_Position"]["components"][1], "-1.8", "{row:#}");
    assert_eq!(rows[6]["values"]["shade"]["components"], serde_json::json!(["7", "7", "7"]), "{answer:#}");
    assert!(rows[6]["values"]["gl_Position"].is_null(), "{answer:#}");
}

#[test]
fn layers_are_distinguished() {
    let (at, shader) = draw_in(stack(), 2);
    let all = json(&["break", stack(), "--site", &format!("{shader}:10"), "--at", &at], 0);
    assert_eq!(all["invocations"], 6 * COVERED, "{all:#}");
    for layer in 0..6 {
        let number = layer.to_string();
        let ask = ["inspect", stack(), "--at", &at, "--pixel", "3,5", "--layer", &number, "--line", "9", "--verify"];
        let answer = json(&ask, 0);
        assert_eq!(answer["invocation"]["id"][3], layer * 64, "{answer:#}");
        let shade = answer["moments"][0]["measured"]["components"][0].as_str().unwrap();
        assert_eq!(shade, (f64::from(layer) * 0.125).to_string(), "{answer:#}");
    }
    let output = run(&["inspect", stack(), "--at", &at, "--pixel", "3,5", "--layer", "6"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no layer 6"), "{output:?}");
}

#[test]
fn pixels_at_edges_are_covered_by_some_of_their_samples() {
    static TRACE: OnceLock<String> = OnceLock::new();
    let trace = recorded(&["samples"], &TRACE);
    let (at, shader) = draw_in(trace, 0);
    let site = format!("{shader}:9");
    let count = |way: &str| {
        let answer = json(&["break", trace, "--site", &site, "--at", &at, "--transport", way], 0);
        answer["invocations"].as_u64().unwrap()
    };
    // Targets have one sample per pixel, in its centre: at edges they miss fragments that cover only other samples.
    let (every, middle) = (count("storage"), count("integer"));
    assert!(every > middle + 50 && every < middle + 2000, "{every} fragments, {middle} pixel centres");
}

#[test]
fn all_compute_invocations_are_verified() {
    static TRACE: OnceLock<String> = OnceLock::new();
    let trace = recorded(&["particles", "--compute"], &TRACE);
    let info = json(&["info", trace], 0);
    let at = info["draws"][0]["command"].to_string();
    let answer = json(&["inspect", trace, "--at", &at, "--stage", "compute", "--line", "25", "--verify"], 0);
    assert!(answer["invocations"].as_u64().unwrap() > 1000, "{}", answer["invocations"]);
    assert_eq!(answer["verify"]["within"], answer["invocations"], "{}", answer["verify"]);
}

#[test]
fn a_loop_and_a_branch_are_counted() {
    let (at, _) = draw_of(LIGHT);
    let looped = json(&["profile", trace(), "--at", &at, "--line", "62"], 0);
    let came = looped["came"].as_u64().unwrap();
    let rounds = looped["iterations"].as_array().unwrap();
    assert_eq!(rounds.len(), 4, "{looped:#}");
    assert!(rounds[..3].iter().all(|round| round["active"] == came && round["left"] == came), "{looped:#}");
    assert_eq!((&rounds[3]["done"], &rounds[3]["left"]), (&came.into(), &0.into()));
    let branch = json(&["profile", trace(), "--at", &at, "--line", "51"], 0);
    let total = |place: usize| branch["totals"][place]["total"].as_u64().unwrap();
    assert_eq!(total(0), came, "what is not sky must be lit");
    assert_eq!(total(0) + total(1), branch["invocations"].as_u64().unwrap());
}

#[test]
fn invalid_requests_are_explained_in_one_sentence() {
    let (at, _) = draw_of(TONE);
    let check = |more: &[&str], expected: &str| {
        let output = run(&[&["inspect", trace(), "--at", &at][..], more].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    };
    check(&[], "say whose values are wanted");
    check(&["--pixel", "1,1", "--line", "9999"], "no statement begins in line 9999 of the shader or after it");
    check(&["--pixel", "1,1", "--expr", "x"], "say which with --line");
    check(&["--line", "9", "--stage", "geometry"], &format!("no geometry shader runs in command {at}"));
    check(&["--pixel", "1,1", "--image", "x.png"], "leave out --pixel");
}
