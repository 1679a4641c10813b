//! What a history explains is what the picture shows, whatever is drawn to and whenever it is looked at.

#[path = "shared/history.rs"]
mod shared;

use std::path::Path;
use std::process::Command;

use api::{constant as c, id};
use serde_json::Value;
use shared::{history, list, recorded};
use testing::trace::{TraceBuilder, float, names};

/// Returns what a command prints.
#[track_caller]
fn text(words: &[&str], trace: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    let said = command.arg(words[0]).arg(trace).args(&words[1..]).output().unwrap();
    assert!(said.status.success(), "{words:?}: {}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).unwrap()
}

/// Returns the numbers of draws by the command that makes them.
fn draws(trace: &Path, command: &str) -> Vec<String> {
    let all = text(&["info", "--draws"], trace);
    let draw = |line: &str| line.strip_prefix("draw").filter(|line| line.contains(command)).map(str::to_owned);
    let number = |line: String| line.split_whitespace().next().map(|number| number.replace(',', ""));
    all.lines().filter_map(draw).filter_map(number).collect()
}

/// Checks that the history of a pixel explains what is shown, once by rows and once by nodes. Returns the latter.
#[track_caller]
fn check(trace: &Path, words: &[&str]) -> Value {
    for more in [&["--rows"][..], &["--depth", "0", "--no-vertices"]] {
        let (document, status) = history(trace, &[words, more].concat());
        let picture = &document["picture"];
        assert_eq!(picture["verdict"], "equal", "{words:?}: {picture:#}");
        assert_eq!((&picture["explained"], &picture["shown"]), (&document["value"], &document["value"]), "{words:?}");
        assert_eq!(status, Some(0), "{words:?}: {document:#}");
        if more != ["--rows"] {
            return document;
        }
    }
    unreachable!("the last of both is returned")
}

/// ioquake3 creates a context to look at, and another one to draw with. Its histories led past what it blits to the window.
#[test]
fn a_blit_to_a_window_reads_from_the_share_group_of_its_context() {
    let mut trace = TraceBuilder::new(4);
    trace.context(2, 0, c::GL_CONTEXT_COMPATIBILITY_PROFILE_BIT);
    trace.call(id::afiCurrent, &[2, 1, 1]);
    trace.call(id::glClear, &[c::GL_COLOR_BUFFER_BIT.into()]);
    let (texture, target) = (u64::from(c::GL_TEXTURE_2D), u64::from(c::GL_FRAMEBUFFER));
    trace.returning(id::glGenTextures, &[1, 0x7F00_0000_3000], 0, &[(1, &names(&[1]))]);
    trace.call(id::glBindTexture, &[texture, 1]);
    let (rgba, bytes) = (u64::from(c::GL_RGBA), u64::from(c::GL_UNSIGNED_BYTE));
    trace.call(id::glTexImage2D, &[texture, 0, c::GL_RGBA16F.into(), 4, 4, 0, rgba, bytes, 0]);
    trace.returning(id::glGenFramebuffers, &[1, 0x7F00_0000_3000], 0, &[(1, &names(&[1]))]);
    trace.call(id::glBindFramebuffer, &[target, 1]);
    trace.call(id::glFramebufferTexture2D, &[target, c::GL_COLOR_ATTACHMENT0.into(), texture, 1, 0]);
    trace.call(id::glClearColor, &[float(1.0), float(0.0), float(1.0), float(1.0)]);
    let clear = trace.call(id::glClear, &[c::GL_COLOR_BUFFER_BIT.into()]);
    trace.call(id::glBindFramebuffer, &[c::GL_DRAW_FRAMEBUFFER.into(), 0]);
    let (colour, nearest) = (u64::from(c::GL_COLOR_BUFFER_BIT), u64::from(c::GL_NEAREST));
    let blit = trace.call(id::glBlitFramebuffer, &[0, 0, 4, 4, 0, 0, 4, 4, colour, nearest]);
    trace.call(id::afiPresent, &[1]);
    let trace = trace.save("history-groups");
    let document = check(&trace, &["--pixel", "1,2", "--at", &blit.to_string()]);
    let commands: Vec<u64> = list(&document, "nodes").iter().filter_map(|node| node["command"].as_u64()).collect();
    assert_eq!(commands, [blit, clear]);
}

/// GTK 4 counts rows from above. Its histories led to the clear below everything that it draws.
#[test]
fn shaders_may_count_rows_from_above() {
    for (name, size, more) in
        [("rows_even", "64x48", &[][..]), ("rows_odd", "64x47", &[]), ("rows_texture", "64x47", &["--texture"])]
    {
        let words = ["overlap", "--upper-left", "--size", size, "--draws", "24"];
        let trace = recorded(name, &[&words, more].concat());
        for pixel in ["32,23", "20,30", "40,14"] {
            let document = check(&trace, &["--pixel", pixel]);
            assert!(list(&document, "nodes").iter().any(|node| node["kind"] == "draw"), "{name} {pixel}");
        }
        // All ways of finding fragments count in the same way.
        for way in ["list", "bisect", "bisect-by-reading"] {
            check(&trace, &["--pixel", "20,30", "--isolate", way]);
        }
    }
}

#[test]
fn shaders_that_count_rows_from_above_are_inspected_at_the_pixel_that_was_asked_for() {
    let trace = recorded("rows_inspect", &["overlap", "--upper-left", "--size", "64x47", "--draws", "1", "--plain"]);
    let draw = draws(&trace, "glDrawArrays").pop().unwrap();
    let at = ["inspect", "--at", &draw, "--pixel", "30,26"];
    let said = text(&[&at[..], &["--verify"]].concat(), &trace);
    assert!(said.contains("fragment 30,26"), "{said}");
    assert!(said.contains("row = 20.5"), "row 26 from below: {said}");
}

#[test]
fn attachments_of_every_kind_are_compared() {
    let trace = recorded("picture_deferred", &["deferred", "--size", "96x54"]);
    let all = draws(&trace, "glDraw");
    // The last draw to the surface is a triangle over all of it, and the draws to the G-buffer have three colours.
    let arrays = draws(&trace, "glDrawArrays");
    let gbuffer = all.iter().rev().find(|draw| !arrays.contains(draw)).unwrap();
    for target in ["colour", "colour:1", "colour:2", "depth"] {
        check(&trace, &["--at", gbuffer, "--target", target, "--pixel", "48,12"]);
    }
    for draw in &arrays[arrays.len() - 5..] {
        check(&trace, &["--at", draw, "--pixel", "10,12"]);
    }
}

#[test]
fn samples_and_integers_are_compared() {
    let trace = recorded("picture_samples", &["samples", "--size", "64x64"]);
    let all = draws(&trace, "glDraw");
    // To textures, to a renderbuffer, and to the surface.
    let triangle = &all[all.len() - 3];
    for target in ["colour", "colour:1", "depth", "stencil"] {
        for sample in ["0", "3"] {
            check(&trace, &["--at", triangle, "--target", target, "--pixel", "32,32", "--sample", sample]);
        }
    }
}

#[test]
fn what_opengl_es_draws_is_compared() {
    let trace = recorded("picture_gles2", &["gles2", "--size", "64x64"]);
    for pixel in ["32,32", "5,60"] {
        check(&trace, &["--pixel", pixel]);
    }
    for draw in draws(&trace, "glDraw").iter().rev().take(3) {
        check(&trace, &["--at", draw, "--pixel", "32,32"]);
    }
}

/// Meshes of evaluators were no draws to the model of GL.
#[test]
fn meshes_of_evaluators_are_draws() {
    let trace = recorded("picture_legacy", &["legacy", "--size", "96x54"]);
    let mesh = draws(&trace, "glEvalMesh2").pop().unwrap();
    let document = check(&trace, &["--at", &mesh, "--pixel", "48,43"]);
    assert_eq!(list(&document, "nodes")[0]["command"].to_string(), mesh);
}

#[test]
fn what_is_not_compared_is_said_first() {
    let trace = recorded("picture_undefined", &["stages", "--size", "64x64"]);
    // Nothing writes to the stencil buffer.
    let said = text(&["history", "--pixel", "3,3", "--target", "stencil"], &trace);
    let first = "the history was not compared with the picture: nothing wrote it, so its contents are undefined\n";
    assert!(said.starts_with(first), "{said}");
}

/// Such a history was that of the texture, and so was the debugger's picture.
#[test]
fn what_is_presented_counts_and_not_what_is_bound() {
    let words = ["overlap", "--texture", "--stay", "--size", "64x48", "--draws", "12"];
    let trace = recorded("picture_presented", &words);
    let document = check(&trace, &["--pixel", "32,24"]);
    assert!(document["target"].as_str().unwrap().starts_with("surface"), "{document:#}");
    assert_eq!(list(&document, "nodes")[0]["kind"], "copy");
    // After the last command before the present, it is what is drawn to.
    let before = (document["before_command"].as_u64().unwrap() - 1).to_string();
    let drawn = check(&trace, &["--pixel", "32,24", "--at", &before]);
    assert!(drawn["target"].as_str().unwrap().starts_with("texture"), "{drawn:#}");
    assert_eq!(drawn["value"][0], document["value"][0]);
}

/// Each column of the temple is the same display list, called by another with another matrix.
#[test]
fn a_fragment_of_a_display_list_leads_to_its_vertices() {
    let trace = recorded("lists", &["legacy"]);
    let temple = draws(&trace, "glCallList")[0].clone();
    for pixel in ["200,120", "120,160"] {
        let document = history(&trace, &["--at", &temple, "--pixel", pixel]).0;
        let fragment = &list(&document, "nodes")[0];
        assert_eq!(fragment["command"].to_string(), temple, "{fragment:#}");
        let edges = list(&document, "edges").iter();
        let corners = edges.filter(|edge| edge["from"] == fragment["id"] && edge["why"] == "interpolated");
        assert_eq!(corners.count(), 3, "{document:#}");
        let said = text(&["history", "--at", &temple, "--pixel", pixel], &trace);
        assert_eq!(said.matches("glVertex3f value of gl_Vertex").count(), 3, "{said}");
    }
    let said = text(&["inspect", "--at", &temple, "--stage", "vertex", "--verify"], &trace);
    assert!(said.contains("420 of 420 vertex invocations within rounding"), "{said}");
}
