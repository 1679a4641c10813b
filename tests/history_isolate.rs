//! Both ways of separating the fragments of a draw agree: a list in a storage block, and bisection of the draw down to
//! one primitive.

#[path = "shared/history.rs"]
mod shared;

use std::path::Path;

use serde_json::Value;
use shared::{history, list, recorded};

/// Returns a history without its cost.
fn history_without_cost(trace: &Path, words: &[&str], way: &str) -> Value {
    let (mut document, status) = history(trace, &[words, &["--isolate", way]].concat());
    assert_eq!(status, Some(0), "{document:#}");
    document["seconds"] = Value::Null;
    document
}

#[track_caller]
fn check(trace: &Path, words: &[&str], key: &str) -> Value {
    let listed = history_without_cost(trace, words, "list");
    assert!(!list(&listed, key).is_empty());
    for way in ["bisect", "bisect-by-reading"] {
        let halved = history_without_cost(trace, words, way);
        for (number, (one, other)) in list(&listed, key).iter().zip(list(&halved, key)).enumerate() {
            assert_eq!(one, other, "{key} {number} by {way}");
        }
        assert_eq!(listed, halved, "{way}");
    }
    listed
}

#[test]
fn a_thousand_fragments_of_one_draw_are_found_by_bisection() {
    let trace = recorded("isolate_overdraw", &["overdraw", "--size", "64x64", "--fragments", "1000"]);
    let document = check(&trace, &["--pixel", "32,32", "--rows"], "rows");
    assert_eq!(list(&document, "rows").len(), 1001);
}

#[test]
fn every_draw_of_many_is_found_by_bisection() {
    let trace = recorded("isolate_overlap", &["overlap", "--size", "64x64", "--draws", "24"]);
    check(&trace, &["--pixel", "32,32", "--rows"], "rows");
}

#[test]
fn a_chain_of_passes_is_found_by_bisection() {
    let trace = recorded("isolate_chain", &["chain", "--size", "32x32", "--passes", "3"]);
    check(&trace, &["--pixel", "16,9"], "nodes");
}

#[test]
fn primitives_of_every_type_are_found_by_bisection() {
    let trace = recorded("isolate_shapes", &["shapes", "--size", "64x64"]);
    for pixel in ["32,32", "20,37", "45,40"] {
        let document = check(&trace, &["--pixel", pixel, "--rows"], "rows");
        let several = |rows: &[Value]| rows.windows(2).filter(|pair| pair[0]["command"] == pair[1]["command"]).count();
        assert!(several(list(&document, "rows")) > 20, "pixel {pixel}");
    }
}

#[test]
fn outputs_of_a_geometry_shader_are_found_by_bisection() {
    let trace = recorded("isolate_primitives", &["primitives", "--size", "64x64"]);
    check(&trace, &["--pixel", "20,8", "--rows"], "rows");
}

#[test]
fn block_maps_leave_out_only_irrelevant_blocks() {
    let trace = recorded("isolate_maps", &["deferred", "--size", "160x96"]);
    let poison = |words: &[&str]| {
        let mut document = history(&trace, &[&["--nan"], words].concat()).0;
        document["seconds"] = Value::Null;
        document
    };
    let (mut with, without) = (poison(&["--maps"]), poison(&["--no-maps"]));
    let spread = with["spread"].as_array_mut().unwrap();
    assert!(spread.len() > 1);
    // The first is made by a draw that reads no NaN; the others have it from there.
    for (number, one) in spread.iter_mut().enumerate() {
        assert_eq!(one["inherited"], number > 0, "{one:#}");
        one["inherited"] = Value::Null;
    }
    assert_eq!(with, without);
    let words = ["--pixel", "75,48", "--depth", "1", "--no-vertices"];
    let history_without_cost = |way: &str| {
        let mut document = history(&trace, &[&words[..], &[way]].concat()).0;
        document["seconds"] = Value::Null;
        document
    };
    assert_eq!(history_without_cost("--maps"), history_without_cost("--no-maps"));
}
