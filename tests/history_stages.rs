//! Histories through every stage between vertices and fragments, and through shader stores.
//!
//! Each cell of the image of the demo `stages` is drawn in another way.

#[path = "shared/history.rs"]
mod shared;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use shared::{history, list, recorded};

/// Kinds of nodes that are computed; others only name a source.
const COMPUTED: [&str; 6] = ["draw", "vertex", "control", "evaluation", "geometry", "store"];

/// Checks the nodes of a pixel's history: all computed nodes must match the device, and there must be this many of each
/// named kind.
#[track_caller]
fn check(trace: &Path, pixel: &str, expected: &[(&str, usize)]) -> Value {
    let (document, _) = history(trace, &["--pixel", pixel]);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for node in list(&document, "nodes") {
        let kind = node["kind"].as_str().unwrap();
        *counts.entry(kind).or_default() += 1;
        if COMPUTED.contains(&kind) {
            assert!(matches!(node["verdict"].as_str(), Some("equal" | "within")), "{pixel}: {node:#}");
        }
    }
    for (kind, count) in expected {
        assert_eq!(counts.get(kind), Some(count), "{kind} at {pixel}: {document:#}");
    }
    let notes = list(&document, "notes");
    assert!(notes.is_empty(), "{pixel}: {notes:?}");
    document
}

/// Returns the nodes of a kind.
fn of<'d>(document: &'d Value, kind: &str) -> Vec<&'d Value> {
    list(document, "nodes").iter().filter(|node| node["kind"] == kind).collect()
}

/// Returns the buffer offsets that an attribute of a vertex was read from.
fn fetched(document: &Value, attribute: &str) -> Vec<u64> {
    let nodes = list(document, "nodes");
    let edges = list(document, "edges").iter().filter(|edge| edge["why"] == "attribute" && edge["name"] == attribute);
    let from = |edge: &Value| nodes[edge["to"].as_u64().unwrap() as usize]["subject"]["from"].as_u64().unwrap();
    let mut all: Vec<u64> = edges.map(from).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn geometry_shaders_are_traced_to_their_primitive_and_instance() {
    let trace = recorded("stages_geometry", &["stages", "--size", "256x128"]);
    // Point 1 of the draw, which is vertex 2, in the first instance; its tint is that of the second, by the base
    // instance.
    let document = check(&trace, "57,11", &[("draw", 1), ("geometry", 1), ("vertex", 1)]);
    let run = &of(&document, "geometry")[0]["subject"];
    assert_eq!(run["stage"], "geometry");
    let vertex = &of(&document, "vertex")[0]["subject"];
    assert_eq!(vertex["instance"], 0);
    assert_eq!(fetched(&document, "tint"), [12]);
    let place = 20 * vertex["vertex"].as_u64().unwrap();
    assert_eq!(fetched(&document, "place"), [place]);
    // The other instance has points with the same numbers.
    let document = check(&trace, "58,60", &[("draw", 1), ("geometry", 1), ("vertex", 1)]);
    assert_eq!(of(&document, "vertex")[0]["subject"]["instance"], 1);
    assert_eq!(fetched(&document, "tint"), [24]);
}

#[test]
fn tessellation_is_traced_through_control_points_to_vertices() {
    let trace = recorded("stages_patches", &["stages", "--size", "256x128"]);
    let document = check(&trace, "112,31", &[("draw", 1), ("evaluation", 3), ("control", 4), ("vertex", 4)]);
    let vertices: Vec<u64> =
        of(&document, "vertex").iter().map(|node| node["subject"]["vertex"].as_u64().unwrap()).collect();
    assert_eq!(vertices, [0, 1, 2, 3]);
    // Without a control shader, and followed by a geometry shader.
    let document = check(&trace, "182,26", &[("draw", 1), ("geometry", 1), ("evaluation", 3), ("vertex", 3)]);
    let vertices: Vec<u64> =
        of(&document, "vertex").iter().map(|node| node["subject"]["vertex"].as_u64().unwrap()).collect();
    assert_eq!(vertices, [7, 8, 9]);
}

#[test]
fn parts_of_multi_draws_are_distinguished() {
    let trace = recorded("stages_parts", &["stages", "--size", "256x128"]);
    let document = check(&trace, "208,40", &[("draw", 1), ("vertex", 3)]);
    let parts = |document: &Value| -> Vec<u64> {
        of(document, "vertex").iter().map(|node| node["subject"]["part"].as_u64().unwrap()).collect()
    };
    assert_eq!(parts(&document), [0, 0, 0]);
    let document = check(&trace, "237,32", &[("draw", 1), ("vertex", 3)]);
    assert_eq!(parts(&document), [1, 1, 1]);
    // Both parts of the indirect draw start with instance 0, but their instanced attributes start with 1 and 2.
    let document = check(&trace, "16,107", &[("draw", 1), ("vertex", 3)]);
    assert_eq!(parts(&document), [0, 0, 0]);
    assert_eq!(fetched(&document, "tint"), [12]);
    let document = check(&trace, "35,85", &[("draw", 1), ("vertex", 3)]);
    assert_eq!(parts(&document), [1, 1, 1]);
    assert_eq!(of(&document, "vertex")[0]["subject"]["instance"], 1);
    assert_eq!(fetched(&document, "tint"), [36]);
}

#[test]
fn captured_vertices_are_traced_to_the_geometry_shader() {
    let trace = recorded("stages_captured", &["stages", "--size", "256x128"]);
    let document = check(&trace, "107,83", &[("draw", 1), ("vertex", 4), ("geometry", 1)]);
    let run = &of(&document, "geometry")[0];
    let calls: Vec<u64> = of(&document, "draw").iter().map(|node| node["command"].as_u64().unwrap()).collect();
    assert!(run["command"].as_u64().unwrap() < calls[0], "it must be captured by an earlier draw");
}

#[test]
fn shader_stores_are_traced_to_their_invocations() {
    let trace = recorded("stages_stores", &["stages", "--size", "256x128"]);
    // A fragment stored one vector, a vertex another, both in the same draw.
    let document = check(&trace, "169,76", &[("draw", 1), ("store", 1)]);
    let store = &of(&document, "store")[0]["subject"];
    assert_eq!(store["stage"], "fragment");
    assert!(of(&document, "vertex").len() >= 3);
    // Texels of an image that a dispatch made from another, which fragments stored to.
    let document = check(&trace, "238,95", &[("draw", 1)]);
    let stages: Vec<&str> =
        of(&document, "store").iter().map(|node| node["subject"]["stage"].as_str().unwrap_or("compute")).collect();
    assert!(stages.contains(&"fragment") && stages.contains(&"compute"), "{stages:?}");
}
