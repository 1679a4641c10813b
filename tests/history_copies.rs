//! Histories of pixels that were not drawn - copies, resolves, mipmap levels, clears, uploads - and the first NaN of a
//! frame.

#[path = "shared/history.rs"]
mod shared;

use std::path::{Path, PathBuf};

use host::{Host, OpenOptions};
use serde_json::Value;
use session::ContentsOf;
use shared::{history, list, recorded};

/// Returns the nodes of a kind, all of which must match the device.
#[track_caller]
fn compared<'v>(document: &'v Value, kind: &str) -> Vec<&'v Value> {
    let nodes: Vec<&Value> = list(document, "nodes").iter().filter(|node| node["kind"] == kind).collect();
    for node in &nodes {
        assert!(matches!(node["verdict"].as_str(), Some("equal" | "within")), "{node:#}");
    }
    nodes
}

/// Checks that each edge to an upload has the texel that was read, and not the first of them.
fn check_texels(trace: &Path, document: &Value, upload: &Value) {
    let mut session = Host::with_program(env!("CARGO_BIN_EXE_afterimage")).session(&OpenOptions::new(trace)).unwrap();
    let name = upload["image"].as_str().unwrap().strip_prefix("texture ").unwrap().parse().unwrap();
    let images = session.images(upload["command"].as_u64().unwrap(), ContentsOf::Texture(name)).unwrap();
    let [width, ..] = images[0].size;
    let mut different = std::collections::BTreeSet::new();
    for edge in list(document, "edges").iter().filter(|edge| edge["to"] == upload["id"]) {
        let [x, y] = [0, 1].map(|axis| edge["at"][axis].as_u64().unwrap() as usize);
        let texel = &images[0].bytes[(y * width as usize + x) * 4..][..4];
        for (channel, byte) in texel.iter().enumerate() {
            let value = edge["value"][channel].as_f64().unwrap();
            assert!((value - f64::from(*byte) / 255.0).abs() < 1e-6, "{edge:#} has {texel:?}");
        }
        different.insert(texel);
    }
    assert!(different.len() > 1, "the texels differ");
}

/// Returns the weights of what a node read.
fn weights(document: &Value, node: &Value) -> Vec<f64> {
    let edges = list(document, "edges").iter().filter(|edge| edge["from"] == node["id"]);
    edges.map(|edge| edge["weight"].as_f64().unwrap()).collect()
}

#[test]
fn a_chain_is_traced_through_resolves_and_mipmaps_and_recomputed_from_its_leaves() {
    let trace = recorded("copies_chain", &["chain", "--passes", "6", "--size", "64x64"]);
    let (document, status) = history(&trace, &["--pixel", "20,30", "--sequence"]);
    assert_eq!(status, Some(0));
    let resolves = compared(&document, "resolve");
    assert!(!resolves.is_empty());
    for node in resolves {
        assert_eq!(weights(&document, node), [0.25; 4], "four samples with equal weights: {node:#}");
    }
    let levels = compared(&document, "mipmap");
    assert!(!levels.is_empty());
    for node in levels {
        assert_eq!(weights(&document, node).iter().sum::<f64>(), 1.0, "{node:#}");
    }
    let uploads = compared(&document, "upload");
    let [upload] = uploads[..] else { panic!("{} uploads", uploads.len()) };
    let read = list(&document, "edges").iter().filter(|edge| edge["to"] == upload["id"]);
    let read: std::collections::BTreeSet<String> = read.map(|edge| edge["at"].to_string()).collect();
    assert_eq!(upload["texels"], read.len(), "every texel that was read must count once");
    check_texels(&trace, &document, upload);
    let sequence = &document["sequence"];
    assert!(matches!(sequence["verdict"].as_str(), Some("equal" | "within")), "{:#}", sequence["detail"]);
    assert_eq!(list(sequence, "notes").len(), 0);
    let steps = list(sequence, "steps");
    assert_eq!(steps.len(), list(&document, "nodes").len());
    for step in steps {
        let node = &document["nodes"][step["node"].as_u64().unwrap() as usize];
        assert!(!step["computed"].is_null() || !node["subject"].is_null(), "{node:#}");
    }
    // A source must come before its reader.
    let mut place = vec![0; steps.len()];
    for (number, step) in steps.iter().enumerate() {
        place[step["node"].as_u64().unwrap() as usize] = number;
    }
    for edge in list(&document, "edges") {
        let [from, to] = ["from", "to"].map(|end| place[edge[end].as_u64().unwrap() as usize]);
        assert!(to < from, "{edge:#}");
    }
}

#[test]
fn samples_have_separate_histories() {
    let trace = recorded("copies_samples", &["samples", "--size", "64x64"]);
    // The lower left quarter is the result of the resolve.
    let mut resolved = 0;
    for pixel in ["8,8", "16,16", "20,24", "28,12", "24,28"] {
        let (document, _) = history(&trace, &["--pixel", pixel]);
        for node in compared(&document, "resolve") {
            assert_eq!(weights(&document, node), [0.25; 4], "{node:#}");
            resolved += 1;
        }
        compared(&document, "draw");
        compared(&document, "clear");
    }
    assert_eq!(resolved, 5);
}

#[test]
fn the_first_nan_is_traced_to_its_vertex() {
    let trace = recorded("copies_deferred", &["deferred"]);
    let (document, status) = history(&trace, &["--nan"]);
    assert_eq!(status, Some(1), "a NaN must be found");
    let first = &document["first"];
    let origin = &first["origin"];
    assert_eq!(origin["kind"], "vertex", "{first:#}");
    assert_eq!(origin["output"], "world_normal");
    let from = &origin["from"];
    assert_eq!(from["kind"], "computed", "{first:#}");
    assert_eq!(from["line"], 15);
    assert_eq!(from["text"], "normalize(mat3(model) * normal)");
    assert_eq!(from["operands"], serde_json::json!([[0.0, 0.0, 0.0]]));
    let spread = list(&document, "spread");
    assert_eq!(spread[0]["command"], first["command"]);
    assert!(spread.len() > 3, "it must spread through light and bloom: {document:#}");
    for part in spread {
        assert_eq!(part["pixels"], part["stored"], "float images store it: {part:#}");
    }
    let (document, status) = history(&recorded("copies_overlap", &["overlap", "--draws", "3"]), &["--nonfinite"]);
    assert_eq!((status, &document["first"]), (Some(0), &Value::Null));
}

#[test]
fn pictures_show_the_surroundings_of_nodes() {
    let trace = recorded("copies_around", &["chain", "--passes", "2", "--size", "64x64"]);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("history_copies_around");
    let _ = std::fs::remove_dir_all(&folder);
    let words = ["--pixel", "20,30", "--images", folder.to_str().unwrap(), "--max-images", "2"];
    let (document, _) = history(&trace, &words);
    let mut names: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert_eq!(names.len(), 2);
    let opened = std::io::BufReader::new(std::fs::File::open(&names[0]).unwrap());
    let mut reader = png::Decoder::new(opened).read_info().unwrap();
    let mut rgba = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut rgba).unwrap();
    let texel = frame.width / 32;
    // The node's texel is in the middle; its inner part has its colour.
    let (column, row) = (16 * texel + texel / 2, frame.height - 1 - (16 * texel + texel / 2));
    let first = ((row * frame.width + column) * 4) as usize;
    let shown: Vec<f64> = rgba[first..first + 3].iter().map(|byte| f64::from(*byte) / 255.0).collect();
    for (place, shown) in shown.iter().enumerate() {
        let real = document["nodes"][0]["after"][place].as_f64().unwrap();
        assert!((shown - real).abs() < 1.0 / 255.0, "{shown} is not {real}");
    }
}
