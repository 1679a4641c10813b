//! Histories beyond textures: vertices, buffers, and the calls that filled them.

#[path = "shared/history.rs"]
mod shared;

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
