//! Histories beyond textures: vertices, buffers, and the calls that filled them.

#[path = "shared/lit.rs"]
mod lit;
#[path = "shared/history.rs"]
mod shared;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use shared::{history, list, recorded};

/// The demo moves its particles this often before the first frame, and once in each frame.
const STEPS_BEFORE_FIRST_FRAME: usize = 30;

/// Position and velocity, three numbers each.
const STRIDE: u64 = 24;

/// Returns the nodes that a node was made from, by one kind of edge.
fn read<'v>(document: &'v Value, from: &Value, why: &str) -> Vec<(&'v Value, &'v Value)> {
    let edges = list(document, "edges").iter().filter(|edge| edge["from"] == from["id"] && edge["why"] == why);
    edges.map(|edge| (edge, &list(document, "nodes")[edge["to"].as_u64().unwrap() as usize])).collect()
}

#[track_caller]
fn check_verdict(node: &Value) {
    assert!(matches!(node["verdict"].as_str(), Some("equal" | "within")), "{node:#}");
}

/// Checks the way from every fragment of the pixel to the particle's vertex, and from step to step back to the first
/// buffer.
fn check_particles(words: &[&str], kind: &str, why: &str, same: impl Fn(&Value) -> u64) {
    let trace = recorded(&words.join("_"), words);
    let document = history(&trace, &["--pixel", "200,135"]).0;
    let fragments: Vec<&Value> = list(&document, "nodes").iter().filter(|node| node["kind"] == "draw").collect();
    assert!(!fragments.is_empty());
    for fragment in fragments {
        check_verdict(fragment);
        let corners = read(&document, fragment, "interpolated");
        assert_eq!(corners.len(), 1, "a point has one vertex: {fragment:#}");
        let vertex = corners[0].1;
        check_verdict(vertex);
        assert!(read(&document, vertex, "uniform").iter().any(|(edge, _)| edge["name"] == "camera"));
        let number = vertex["subject"]["vertex"].as_u64().unwrap();
        let (mut here, mut steps, mut way) = (vertex, 0, "attribute");
        loop {
            let before = read(&document, here, way);
            assert!(!before.is_empty(), "{here:#}");
            // Position and velocity come from the same step, or from the same upload.
            for (_, node) in &before {
                assert_eq!(node["command"], before[0].1["command"]);
                assert!(node["command"].as_u64() < here["command"].as_u64());
            }
            here = before[0].1;
            if here["kind"] == "upload" {
                break;
            }
            assert_eq!(here["kind"], kind);
            check_verdict(here);
            assert_eq!(same(here), number);
            (steps, way) = (steps + 1, why);
        }
        assert_eq!(steps, STEPS_BEFORE_FIRST_FRAME + 2);
        let from = here["subject"]["from"].as_u64().unwrap();
        assert!((number * STRIDE..(number + 1) * STRIDE).contains(&from), "{here:#}");
    }
}

#[test]
fn particles_are_traced_back_through_transform_feedback() {
    check_particles(&["particles"], "vertex", "attribute", |node| node["subject"]["vertex"].as_u64().unwrap());
}

#[test]
fn particles_are_traced_back_through_compute_shaders() {
    let same = |node: &Value| node["subject"]["invocation"][0].as_u64().unwrap();
    check_particles(&["particles", "--compute"], "store", "bytes", same);
}

/// The vertex of the pearl that has no normal, and where its normal is in its buffer.
const BROKEN_VERTEX: u64 = 7 * 25 + 18;
const NORMAL: [u64; 2] = [BROKEN_VERTEX * 32 + 12, BROKEN_VERTEX * 32 + 24];

#[test]
fn a_nan_pixel_is_traced_back_to_the_vertex_without_a_normal() {
    let trace = recorded("deferred", &["deferred"]);
    let is_wrong = |value: &Value| value.to_string().contains("NaN");
    // The lighting pass is the one before the last; it alone is followed, completely.
    let shown = history(&trace, &["--pixel", "224,135", "--depth", "1", "--min-weight", "0.4", "--no-vertices"]).0;
    let light = list(&shown, "nodes").iter().find(|node| node["passes"] == 1 && is_wrong(&node["after"])).unwrap();
    let document = history(&trace, &["--pixel", "224,135", "--at", &light["command"].to_string()]).0;
    assert!(is_wrong(&document["value"]));
    let nodes = list(&document, "nodes");
    for node in nodes.iter().filter(|node| node["kind"] == "draw" || node["kind"] == "vertex") {
        check_verdict(node);
    }
    let broken = nodes.iter().find(|node| is_wrong(&node["subject"])).unwrap();
    assert_eq!(broken["subject"]["vertex"], BROKEN_VERTEX);
    assert_eq!(broken["subject"]["inputs"]["normal"], serde_json::json!([0.0, 0.0, 0.0]));
    // The fragments between it and the pixel are those of the normal texture.
    let readers: Vec<&Value> = list(&document, "edges").iter().filter(|edge| edge["to"] == broken["id"]).collect();
    assert!(readers.iter().any(|edge| is_wrong(&nodes[edge["from"].as_u64().unwrap() as usize]["after"])));
    let attributes = read(&document, broken, "attribute");
    let (_, upload) = attributes.iter().find(|(edge, _)| edge["name"] == "normal").unwrap();
    assert_eq!(upload["kind"], "upload");
    assert_eq!([&upload["subject"]["from"], &upload["subject"]["to"]], NORMAL.map(Value::from).each_ref());
}

#[test]
fn fixed_functions_are_traced_back_to_materials_lights_and_matrices() {
    let (file, [material, light, projection, first, second]) = lit::square("history_lit");
    let (document, status) = history(&file, &["--pixel", "4,4"]);
    assert_eq!(status, Some(0), "{document:#}");
    let nodes = list(&document, "nodes");
    let made = |state: &str| -> Vec<u64> {
        let own = nodes.iter().filter(|node| node["subject"]["state"] == state);
        own.map(|node| node["command"].as_u64().unwrap()).collect()
    };
    assert_eq!(made("front material, diffuse"), [material], "{document:#}");
    assert_eq!(made("light 0, position"), [light], "{document:#}");
    assert_eq!(made("projection matrix"), [projection], "{document:#}");
    // The last call is the first that is named; what was restored is not among them.
    assert_eq!(made("modelview matrix"), [second, first], "{document:#}");
    let edges = list(&document, "edges").iter().filter(|edge| edge["why"] == "state");
    let whose: Vec<&Value> = edges.map(|edge| &nodes[edge["from"].as_u64().unwrap() as usize]["kind"]).collect();
    assert!(!whose.is_empty() && whose.iter().all(|kind| **kind == "vertex"), "{document:#}");
    let text = printed(&file, &["--pixel", "4,4"]);
    assert!(text.contains(&format!("state front material, diffuse: {} glMaterialfv", material)), "{text}");
}

/// What `afterimage history` prints for people.
fn printed(trace: &Path, words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    let output = command.arg("history").arg(trace).args(words).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn direct_causes_are_shown_before_what_is_behind_them() {
    let trace = recorded("breadth", &["deferred"]);
    let text = printed(&trace, &["--pixel", "200,60", "--frame", "1", "--lines", "20"]);
    let (head, tree) = text.split_once("\nwhat it was made of").unwrap_or_else(|| panic!("{text}"));
    assert!(head.starts_with("pixel 200, 60 of surface 1 in frame 1, before command "), "{text}");
    let shown: Vec<&str> = tree.lines().skip(1).take_while(|line| line.starts_with("  ")).collect();
    assert_eq!(shown.len(), 20, "{text}");
    // Both samplers of the shader, by their names, and all vertices.
    for cause in ["    line 8 reads image (unit 0) ", "    line 8 reads bloom (unit 1) "] {
        assert!(shown.iter().any(|line| line.starts_with(cause)), "{cause} {text}");
    }
    assert_eq!(shown.iter().filter(|line| line.starts_with("    interpolated from ")).count(), 3, "{text}");
    assert!(shown.iter().any(|line| line.contains("  … ") && line.ends_with(" lines")), "{text}");
    let text = printed(&trace, &["--pixel", "200,60", "--max-nodes", "30"]);
    assert!(text.contains("not followed: no room\n--max-nodes 300 makes room for more"), "{text}");
}
