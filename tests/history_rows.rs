//! The writes to a pixel: every fragment, in order, with its fate.

#[path = "shared/history.rs"]
mod shared;

use std::process::Command;

use serde_json::Value;
use shared::{history, list, recorded};

#[test]
fn every_draw_has_its_row_and_its_fate() {
    let trace = recorded("rows_overlap", &["overlap", "--size", "64x64", "--draws", "36"]);
    let document = history(&trace, &["--pixel", "32,32", "--rows"]).0;
    let rows = list(&document, "rows");
    assert_eq!(rows.len(), 37, "a clear and 36 draws");
    assert_eq!(rows[0]["kind"], "clear");
    for (number, row) in rows[1..].iter().enumerate() {
        let fate = match number % 12 {
            2 => "failed depth",
            4 => "scissored",
            6 => "masked",
            8 => "discarded",
            9 => "failed stencil",
            11 => "culled",
            _ => "written",
        };
        assert_eq!(row["fragment"]["fate"], fate, "draw {number}");
        let verdict = row["verdict"].as_str().unwrap();
        assert!(matches!(verdict, "equal" | "within"), "draw {number}: {row:#}");
        if fate != "written" {
            assert_eq!(row["before"], row["after"], "draw {number}");
        }
    }
    assert_eq!(rows[36]["after"], document["value"]);
}

#[test]
fn the_share_of_what_was_blended_over_is_that_of_the_colours() {
    // Alpha is kept as it was, which people do not see.
    let trace = recorded("rows_alpha", &["overdraw", "--size", "64x64", "--fragments", "5", "--keep-alpha"]);
    let document = history(&trace, &["--pixel", "32,32"]).0;
    let blended: Vec<&Value> = list(&document, "edges").iter().filter(|edge| edge["why"] == "blended").collect();
    assert_eq!(blended.len(), 5, "four fragments and the clear");
    for edge in blended {
        let weight = edge["weight"].as_f64().unwrap();
        assert!((weight - 0.875).abs() < 0.005, "the demo's alpha is one eighth: {edge:#}");
    }
}

#[test]
fn a_thousand_fragments_of_one_draw_are_a_thousand_rows() {
    let trace = recorded("rows_overdraw", &["overdraw", "--size", "64x64", "--fragments", "1000"]);
    let document = history(&trace, &["--pixel", "32,32", "--rows"]).0;
    let rows = list(&document, "rows");
    assert_eq!(rows.len(), 1001);
    let mut before = rows[0]["after"].clone();
    for (number, row) in rows[1..].iter().enumerate() {
        assert_eq!(row["fragment"]["primitive"], number);
        assert_eq!(row["before"], before, "fragment {number} starts with the result of the previous one");
        // The demo's blending: a source alpha of one eighth, with the colours of the primitives.
        let channel = |value: &Value, place: usize| value[place].as_f64().unwrap();
        for place in 0..3 {
            let given = channel(&row["fragment"]["measured"], place);
            let blended = given * 0.125 + channel(&before, place) * 0.875;
            assert!((channel(&row["after"], place) - blended).abs() < 1.51 / 255.0, "fragment {number}: {row:#}");
        }
        before = row["after"].clone();
    }
    assert!(matches!(rows[1000]["verdict"].as_str(), Some("equal" | "within")));
}

#[test]
fn there_are_no_more_nodes_than_may_be() {
    // A draw with many fragments, many draws, and passes that read texels: each is a way to too many nodes.
    let programs: [(&str, &[&str]); 3] = [
        ("rows_room_overdraw", &["overdraw", "--size", "64x64", "--fragments", "300"]),
        ("rows_room_overlap", &["overlap", "--plain", "--size", "64x64", "--draws", "40"]),
        ("rows_room_chain", &["chain", "--size", "64x64", "--passes", "5"]),
    ];
    for (name, program) in programs {
        let trace = recorded(name, program);
        for most in [1, 7, 50] {
            let document = history(&trace, &["--pixel", "32,32", "--max-nodes", &most.to_string()]).0;
            assert_eq!(list(&document, "nodes").len(), most, "{name}");
            assert!(document["left_out"]["many"].as_u64().unwrap() > 0, "{name}: {}", document["left_out"]);
        }
    }
}

#[test]
fn blended_draws_have_the_same_history_with_and_without_the_list_of_writes_before_it() {
    // With `--no-vertices` less is measured on the way forwards; the draws are the same.
    let trace = recorded("rows_both", &["overlap", "--plain", "--size", "64x64", "--draws", "40"]);
    let of_draws = |more: &[&str]| -> Vec<Value> {
        let document = history(&trace, &[&["--pixel", "32,32"], more].concat()).0;
        let draws = list(&document, "nodes").iter().filter(|node| node["kind"] == "draw").cloned();
        draws
            .map(|mut node| {
                node.as_object_mut().unwrap().remove("id");
                node
            })
            .collect()
    };
    let (whole, alone) = (of_draws(&[]), of_draws(&["--no-vertices"]));
    assert_eq!(whole.len(), 40);
    assert_eq!(whole, alone);
}

#[test]
fn immediate_mode_draws_have_rows() {
    // The ground of this demo is drawn between glBegin and glEnd, by fixed functions.
    let trace = recorded("rows_legacy", &["legacy"]);
    for pixel in ["200,20", "150,10"] {
        let document = history(&trace, &["--pixel", pixel, "--rows"]).0;
        let rows = list(&document, "rows");
        assert_eq!(rows.len(), 2, "a clear and a draw: {rows:#?}");
        assert_eq!(rows[1]["kind"], "draw");
        assert!(rows[1]["fragment"]["primitive"].is_u64(), "{:#}", rows[1]);
        assert!(matches!(rows[1]["verdict"].as_str(), Some("equal" | "within")), "{:#}", rows[1]);
    }
}

#[test]
fn a_chain_of_passes_is_traced_back_to_its_image() {
    let trace = recorded("rows_chain", &["chain", "--size", "64x64", "--passes", "5"]);
    let document = history(&trace, &["--pixel", "20,30"]).0;
    let nodes = list(&document, "nodes");
    let draws: Vec<&Value> = nodes.iter().filter(|node| node["kind"] == "draw").collect();
    assert!(draws.len() > 100, "{} draws", draws.len());
    for node in &draws {
        assert!(matches!(node["verdict"].as_str(), Some("equal" | "within")), "{node:#}");
    }
    assert!(nodes.iter().any(|node| node["kind"] == "upload"), "the history must end at an upload");
    // The pixel itself is read by no node, and readers come later than their sources.
    let calls: Vec<u64> = nodes.iter().map(|node| node["command"].as_u64().unwrap()).collect();
    for edge in list(&document, "edges") {
        let [from, to] = ["from", "to"].map(|end| edge[end].as_u64().unwrap() as usize);
        assert!(calls[to] <= calls[from], "{edge:#}");
    }
}

#[test]
fn invalid_requests_are_explained_in_one_sentence() {
    let trace = recorded("rows_one", &["overlap", "--size", "64x64", "--draws", "1"]);
    let ask = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
        let said = command.arg("history").arg(&trace).args(words).output().unwrap();
        (said.status.code(), String::from_utf8_lossy(&said.stderr).into_owned())
    };
    let (status, text) = ask(&["--pixel", "64,0"]);
    assert_eq!(status, Some(2));
    assert!(text.contains("pixel 64,0 is outside the framebuffer, which has 64x64 pixels"), "{text}");
    let (status, text) = ask(&["--pixel", "1,1", "--frame", "99"]);
    assert_eq!(status, Some(2));
    assert!(text.contains("the trace has no frame 99: they are numbered from 0 to 1"), "{text}");
    let (status, text) = ask(&[]);
    assert_eq!(status, Some(2));
    assert!(text.contains("`--pixel X,Y`") && text.contains("`--nan`"), "{text}");
    let (status, text) = ask(&["--pixel", "1,1", "--target", "colour:7"]);
    assert_eq!(status, Some(2));
    assert!(text.contains("colour buffer 7"), "{text}");
}
