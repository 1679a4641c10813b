//! Traces that ask for more than there is: each command answers within 10 seconds and a gigabyte, or names the command of
//! the trace that it refuses.

#[path = "shared/hostile.rs"]
mod shared;

use std::path::{Path, PathBuf};
use std::process::Command;

use api::{constant as c, id};
use shared::run;
use testing::trace::{TraceBuilder, names};
use trace::PrivateFolder;

/// Commands that need the state of the whole trace, without a device.
const MODEL: &[&[&str]] = &[
    &["report"],
    &["report", "--json"],
    &["graph"],
    &["graph", "--json"],
    &["graph", "--dot"],
    &["state", "--at", "-1"],
    &["state", "--at", "-1", "--json"],
];

/// Commands that read every call, and no state.
const CALLS: &[&[&str]] =
    &[&["info"], &["info", "--frames", "--draws"], &["info", "--json"], &["dump"], &["dump", "--json"]];

/// Commands that ask a device, after they have looked for the writes of the whole trace.
const DEVICE: &[&[&str]] =
    &[&["history", "--pixel", "1,1"], &["history", "--nan"], &["debug", "--pixel", "1,1", "--batch", "/dev/null"]];

/// Checks that commands that need the model refuse a trace and name a command of it, and that the others serve it.
#[track_caller]
fn refused(trace: TraceBuilder, name: &str, culprit: &str) {
    let trace = trace.save(&format!("hostile-{name}"));
    for command in [MODEL, DEVICE].concat() {
        let answer = run(command, &trace);
        assert_eq!(answer.status, Some(2), "{name}: {command:?} {}", answer.stderr);
        assert!(answer.stderr.contains(culprit), "{name}: {command:?} {}", answer.stderr);
    }
    for command in CALLS {
        assert_eq!(run(command, &trace).status, Some(0), "{name}: {command:?}");
    }
}

/// Checks that commands serve a trace.
#[track_caller]
fn served(trace: &Path, name: &str) {
    for command in [MODEL, CALLS].concat() {
        let answer = run(command, trace);
        assert_ne!(answer.status, Some(2), "{name}: {command:?} {}", answer.stderr);
    }
}

#[test]
fn display_lists_that_call_each_other() {
    let mut trace = TraceBuilder::new(16);
    for list in 1..=12 {
        trace.call(id::glNewList, &[list, c::GL_COMPILE.into()]);
        for _ in 0..10 {
            trace.call(id::glCallList, &[list - 1]);
        }
        trace.call(id::glEndList, &[]);
    }
    trace.call(id::glCallList, &[12]);
    refused(trace, "lists", "glCallList");
}

#[test]
fn a_display_list_that_calls_itself() {
    let mut trace = TraceBuilder::new(16);
    trace.call(id::glNewList, &[1, c::GL_COMPILE.into()]);
    for _ in 0..2 {
        trace.reading(id::glCallLists, &[1, c::GL_UNSIGNED_INT.into(), 0x1000], &[(2, &names(&[1]))]);
    }
    trace.call(id::glEndList, &[]);
    trace.call(id::glCallList, &[1]);
    refused(trace, "self", "glCallList");
}

#[test]
fn a_billion_display_lists() {
    let mut trace = TraceBuilder::new(16);
    trace.returning(id::glGenLists, &[1 << 30], 1, &[]);
    refused(trace, "gen-lists", "glGenLists");
}

#[test]
fn a_trace_that_the_user_trusts() {
    let mut trace = TraceBuilder::new(16);
    trace.returning(id::glGenLists, &[600_000], 1, &[]);
    let trace = trace.save("hostile-trusted");
    let state = |trust: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
        command.env("AFTERIMAGE_TRUST", trust).arg("state").arg(&*trace).args(["--at", "-1", "context/1"]);
        command.output().unwrap().status.code()
    };
    assert_eq!((state("0"), state("1")), (Some(2), Some(0)));
}

#[test]
fn deleting_two_billion_display_lists() {
    let mut trace = TraceBuilder::new(16);
    trace.returning(id::glGenLists, &[10], 5, &[]);
    trace.call(id::glDeleteLists, &[1, i32::MAX as u64]);
    served(&trace.save("hostile-delete-lists"), "delete-lists");
}

#[test]
fn a_million_vertex_arrays() {
    let mut trace = TraceBuilder::new(16);
    for part in 0..8 {
        let all: Vec<u32> = (1..=200_000).map(|name| part * 200_000 + name).collect();
        trace.returning(id::glGenVertexArrays, &[200_000, 0x1000], 0, &[(1, &names(&all))]);
    }
    refused(trace, "vertex-arrays", "glGenVertexArrays");
}

#[test]
fn a_million_layers_cleared_again_and_again() {
    let mut trace = TraceBuilder::new(16);
    let (array, rgba8) = (u64::from(c::GL_TEXTURE_2D_ARRAY), u64::from(c::GL_RGBA8));
    trace.returning(id::glGenTextures, &[1, 0x1000], 0, &[(1, &names(&[1]))]);
    trace.call(id::glBindTexture, &[array, 1]);
    trace.call(id::glTexStorage3D, &[array, 1, rgba8, 4, 4, 2048]);
    trace.returning(id::glGenFramebuffers, &[1, 0x1000], 0, &[(1, &names(&[1]))]);
    let framebuffer = u64::from(c::GL_FRAMEBUFFER);
    trace.call(id::glBindFramebuffer, &[framebuffer, 1]);
    trace.call(id::glFramebufferTexture, &[framebuffer, c::GL_COLOR_ATTACHMENT0.into(), 1, 0]);
    for _ in 0..100_000 {
        trace.call(id::glClear, &[c::GL_COLOR_BUFFER_BIT.into()]);
    }
    let trace = trace.save("hostile-layers");
    for command in [&["graph"][..], &["history", "--pixel", "1,1"]] {
        let answer = run(command, &trace);
        assert_eq!(answer.status, Some(2), "{command:?}");
        assert!(answer.stderr.contains("set AFTERIMAGE_TRUST=1"), "{command:?} {}", answer.stderr);
    }
    run(&["state", "--at", "-1"], &trace);
    run(&["report"], &trace);
}

#[test]
fn half_a_million_presents() {
    let mut trace = TraceBuilder::new(16);
    for _ in 0..500_000 {
        trace.call(id::afiPresent, &[1]);
    }
    served(&trace.save("hostile-presents"), "presents");
}

#[test]
fn calls_beyond_a_hole() {
    let mut trace = TraceBuilder::new(16);
    for _ in 0..40_000 {
        trace.call(id::glClear, &[c::GL_COLOR_BUFFER_BIT.into()]);
    }
    let mut bytes = trace.bytes();
    // The last chunk of calls begins at another number. Without its end, the file is searched for chunks.
    let heads: Vec<usize> = heads(&bytes);
    let last = heads.iter().rposition(|at| bytes[at + 8] == 4).unwrap();
    let at = heads[last];
    bytes[at + 24..at + 32].copy_from_slice(&(1u64 << 48).to_le_bytes());
    let check = xxhash_rust::xxh3::xxh3_64(&bytes[at..at + 48]);
    bytes[at + 48..at + 56].copy_from_slice(&check.to_le_bytes());
    bytes.truncate(heads[last + 1]);
    let folder = PrivateFolder::new().unwrap();
    let path: PathBuf = folder.path().join("hole.aftr");
    std::fs::write(&path, bytes).unwrap();
    // A report of a trace without all of its calls is no report of the program.
    for command in [MODEL, CALLS].concat() {
        let answer = run(command, &path);
        let reports = command[0] == "report";
        assert_eq!(answer.status == Some(2), reports, "{command:?} {}", answer.stderr);
        assert!(answer.stderr.contains("are lost") || !reports, "{command:?} {}", answer.stderr);
    }
    let answer = run(&["info"], &path);
    let text = String::from_utf8_lossy(&answer.stdout);
    assert!(text.contains("are lost"), "{text}");
}

/// Returns where the chunks of a trace begin.
fn heads(bytes: &[u8]) -> Vec<usize> {
    let mut heads = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        heads.push(at);
        let stored = u32::from_le_bytes(bytes[at + 32..at + 36].try_into().unwrap());
        at += 56 + stored as usize;
    }
    heads
}

#[test]
fn control_characters_stay_in_the_trace() {
    let evil = "\x1b]0;title\x07\x1b[2J\x1b[31mred\u{9b}1m\u{202e}\r\x08\x7f\n";
    let mut trace = TraceBuilder::empty();
    let text = format!("{evil}\0");
    let text = text.as_bytes();
    trace.reading(id::afiProcess, &[7, 1, 2, 3], &[(1, text), (2, text), (3, text)]);
    trace.context(1, 0, c::GL_CONTEXT_COMPATIBILITY_PROFILE_BIT);
    trace.surface(1, 16, 16);
    trace.call(id::afiCurrent, &[1, 1, 1]);
    trace.reading(id::afiDescribe, &[1, 1, 1, 1, 1], &[(1, text), (2, text), (3, text), (4, text)]);
    trace.returning(id::glGenTextures, &[1, 0x1000], 0, &[(1, &names(&[1]))]);
    trace.call(id::glBindTexture, &[c::GL_TEXTURE_2D.into(), 1]);
    let length = evil.len() as u64;
    trace.reading(id::glObjectLabel, &[c::GL_TEXTURE.into(), 1, length, 0x1000], &[(3, evil.as_bytes())]);
    trace.shader(2, c::GL_FRAGMENT_SHADER, evil);
    trace.reading(id::afiProblem, &[0x7000], &[(0, text)]);
    trace.call(id::afiPresent, &[1]);
    let trace = trace.save("hostile-escapes");
    let styled = |byte: u8| byte < 0x20 && byte != b'\n' && byte != b'\t' || byte == 0x7F;
    let colour: &[&[&str]] = &[
        &["dump", "--full", "--color", "always"],
        &["state", "--at", "-1", "--color", "always"],
        &["state", "--at", "0", "--diff", "-1", "--color", "always"],
    ];
    for command in [MODEL, CALLS, colour, DEVICE].concat() {
        let answer = run(command, &trace);
        let text = String::from_utf8(answer.stdout).unwrap() + &answer.stderr;
        // Styles of our own end in m, and are nothing else.
        let plain = text.replace("\x1b[0m", "").replace("\x1b[1m", "").replace("\x1b[2m", "");
        let plain =
            if command.contains(&"--diff") { plain.replace("\x1b[31m", "").replace("\x1b[32m", "") } else { plain };
        assert!(!plain.bytes().any(styled), "{command:?} {plain:?}");
        assert!(!plain.contains(['\u{9b}', '\u{202e}']), "{command:?} {plain:?}");
        assert!(!plain.contains("\x1b[31mred"), "{command:?} {plain:?}");
    }
    let dump = run(&["dump", "--name", "glObjectLabel"], &trace);
    assert!(String::from_utf8_lossy(&dump.stdout).contains("\\u{1b}]0;title"), "{:?}", dump.stdout);
}
