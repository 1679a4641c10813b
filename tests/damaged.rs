//! Traces that are damaged, cut short or missing, and devices that are not there: what cannot be answered is said in one
//! sentence and is exit status 2, not "no".

use std::path::Path;
use std::process::{Command, Stdio};

use api::{constant as c, id};
use testing::trace::{TraceBuilder, float, names};
use trace::PrivateFolder;

/// Runs a command over a trace. Returns its exit status, what it prints, and what it complains about.
#[track_caller]
fn run(command: &[&str], trace: &Path) -> (Option<i32>, String, String) {
    let (name, options) = command.split_first().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    let output = program.arg(name).arg(trace).args(options).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// One of each command that reads a trace.
const ALL: &[&[&str]] = &[
    &["info"],
    &["dump"],
    &["report"],
    &["graph"],
    &["state", "--at", "0"],
    &["trim", "--frames", "0", "-o", "/nowhere/x.aftr"],
    &["replay"],
    &["replay", "--verify"],
    &["history", "--pixel", "1,1"],
    &["history", "--nan"],
    &["inspect", "--at", "3", "--pixel", "1,1"],
    &["break", "--site", "1:3"],
    &["profile", "--at", "3", "--line", "1"],
    &["debug"],
    &["debug", "--batch", "/dev/null"],
];

#[test]
fn errors_name_the_file() {
    let folder = PrivateFolder::new().unwrap();
    let (other, missing) = (folder.path().join("other.aftr"), folder.path().join("missing.aftr"));
    std::fs::write(&other, "no trace at all\n").unwrap();
    for command in ALL {
        let (status, _, said) = run(command, &other);
        let expected = format!("afterimage: {} is not an Afterimage trace; ", other.display());
        assert!(status == Some(2) && said.starts_with(&expected), "{command:?}: {status:?} {said}");
        let (status, _, said) = run(command, &missing);
        let expected = format!("afterimage: cannot open {}: ", missing.display());
        assert!(status == Some(2) && said.starts_with(&expected), "{command:?}: {status:?} {said}");
    }
}

/// Returns the bytes of a trace that clears and presents a few times, with a blob for a buffer before.
fn frames(count: usize) -> Vec<u8> {
    let mut trace = TraceBuilder::new(16);
    trace.returning(id::glGenBuffers, &[1, 0x1000], 0, &[(1, &names(&[1]))]);
    trace.call(id::glBindBuffer, &[c::GL_ARRAY_BUFFER.into(), 1]);
    let contents: Vec<u8> = (0..4000u32).map(|at| (at * at) as u8).collect();
    let args = [c::GL_ARRAY_BUFFER.into(), 4000, 0x1000, c::GL_STATIC_DRAW.into()];
    trace.reading(id::glBufferData, &args, &[(2, &contents)]);
    for _ in 0..count {
        trace.call(id::glClear, &[c::GL_COLOR_BUFFER_BIT.into()]);
        trace.call(id::afiPresent, &[1]);
    }
    trace.bytes()
}

/// Returns where the chunks of this kind begin and end.
fn chunks(bytes: &[u8], kind: u8) -> Vec<(usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let end = at + 56 + u32::from_le_bytes(bytes[at + 32..at + 36].try_into().unwrap()) as usize;
        if bytes[at + 8] == kind {
            found.push((at, end));
        }
        at = end;
    }
    found
}

#[test]
fn truncated_traces_are_replayed_as_far_as_they_go() {
    let folder = PrivateFolder::new().unwrap();
    let path = folder.path().join("cut.aftr");
    for (count, frames_read) in [(0, "no whole frame"), (1, "1 whole frame"), (3, "3 whole frames")] {
        let mut bytes = frames(count);
        bytes.truncate(chunks(&bytes, 4)[0].1);
        std::fs::write(&path, bytes).unwrap();
        let calls = 6 + 2 * count;
        let expected = format!(
            "cut.aftr is truncated: {calls} calls and {frames_read} could be read, and that much was replayed\n"
        );
        let (status, _, said) = run(&["replay"], &path);
        assert!(status == Some(0) && said.ends_with(&expected), "{status:?} {said}");
        let (status, _, said) = run(&["replay", "--verify"], &path);
        assert!(status == Some(2) && said.ends_with(&expected), "{status:?} {said}");
    }
    // What there is of a frame is a frame to nobody.
    let mut bytes = frames(0);
    bytes.truncate(chunks(&bytes, 4)[0].1);
    std::fs::write(&path, bytes).unwrap();
    for command in ["info", "replay"] {
        let (_, printed, _) = run(&[command], &path);
        assert!(printed.contains("no whole frame") && !printed.contains("1 frame"), "{printed}");
    }
    // Nothing but the beginning: no context is made, so there is no device to name.
    let mut bytes = frames(1);
    bytes.truncate(chunks(&bytes, 4)[0].0);
    std::fs::write(&path, bytes).unwrap();
    let (status, printed, said) = run(&["replay", "--verify"], &path);
    assert!(
        status == Some(2) && said.contains("cut.aftr is truncated: 0 calls and no whole frame"),
        "{status:?} {said}"
    );
    assert_eq!(printed, "0 commands, no whole frame; nothing was drawn\n");
}

#[test]
fn a_lost_blob_costs_the_calls_that_need_it() {
    let folder = PrivateFolder::new().unwrap();
    let path = folder.path().join("blob.aftr");
    let mut bytes = frames(2);
    let (start, end) = chunks(&bytes, 3)[0];
    bytes[(start + 56 + end) / 2] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let (status, printed, said) = run(&["replay"], &path);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("1 command of") && said.contains("is lost, so this is not what was recorded"), "{said}");
    assert!(printed.contains("command 5: glBufferData was skipped: blob 0 is lost: the chunk is damaged"), "{printed}");
    assert!(printed.starts_with("10 commands, 2 frames on "), "{printed}");
    let output = folder.path().join("few.aftr");
    let (status, _, said) = run(&["trim", "--frames", "1", "-o", output.to_str().unwrap()], &path);
    assert_ne!(status, Some(2), "{said}");
    for command in [&["info"][..], &["dump"], &["graph"], &["state", "--at", "-1"]] {
        let (status, _, said) = run(command, &path);
        assert_eq!(status, Some(0), "{command:?} {said}");
    }
}

#[test]
fn every_answer_over_a_lost_blob_names_it() {
    let folder = PrivateFolder::new().unwrap();
    let path = folder.path().join("blob.aftr");
    let mut bytes = frames(2);
    let (start, end) = chunks(&bytes, 3)[0];
    bytes[(start + 56 + end) / 2] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let lost = "blob 0 is lost, which command 5, glBufferData, reads";
    let (status, printed, _) = run(&["info"], &path);
    assert!(status == Some(0) && printed.contains(&format!("problem   {lost}\n")), "{status:?} {printed}");
    let sentence =
        format!("blob.aftr is damaged: {lost}; a replay leaves that out, so this is not what was recorded\n");
    for command in [&["graph"][..], &["state", "--at", "-1"]] {
        let (status, _, said) = run(command, &path);
        assert!(status == Some(0) && said.ends_with(&sentence), "{command:?} {status:?} {said}");
    }
    // What depends on a replay, or on nothing being wrong, is not what was asked for.
    for command in [&["report"][..], &["history", "--pixel", "1,1"], &["debug", "--batch", "/dev/null"]] {
        let (status, _, said) = run(command, &path);
        assert!(status == Some(2) && said.contains(&sentence), "{command:?} {status:?} {said}");
    }
    let (_, printed, _) = run(&["history", "--pixel", "1,1"], &path);
    let first = format!("the history was not compared with the picture: the trace is damaged: {lost}\n");
    assert!(printed.starts_with(&first), "{printed}");
    // A whole trace is not complained about.
    std::fs::write(&path, frames(2)).unwrap();
    let (status, _, said) = run(&["state", "--at", "-1"], &path);
    assert!(status == Some(0) && said.is_empty(), "{status:?} {said}");
}

#[test]
fn what_no_device_can_answer_is_not_no() {
    let folder = PrivateFolder::new().unwrap();
    let path = folder.path().join("t.aftr");
    let mut trace = TraceBuilder::new(16);
    // Fixed functions: the shaders that replace them need no driver's word.
    for _ in 0..2 {
        trace.call(id::glBegin, &[c::GL_TRIANGLES.into()]);
        for corner in [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]] {
            trace.call(id::glVertex2f, &corner.map(float));
        }
        trace.call(id::glEnd, &[]);
    }
    trace.call(id::afiPresent, &[1]);
    trace.save_as(&path);
    let commands: &[&[&str]] = &[
        &["history", "--nan"],
        &["history", "--pixel", "1,1"],
        &["replay"],
        &["inspect", "--at", "frame:0", "--pixel", "1,1"],
        &["debug", "--pixel", "1,1", "--batch", "/dev/null"],
        &["report", "--driver"],
    ];
    for command in commands {
        let (status, printed, said) = run(&[command, &["--device", "nosuch"][..]].concat(), &path);
        assert!(
            status == Some(2) && said.contains("no usable device nosuch"),
            "{command:?}: {status:?} {printed}{said}"
        );
    }
    // No device could compare anything.
    let (status, _, said) = run(&["replay", "--verify", "--device", "nosuch"], &path);
    assert!(status == Some(2) && said.contains("no hashes of frames and no readbacks to compare"), "{status:?} {said}");
}

#[test]
fn pixels_outside_are_refused_in_words() {
    let folder = PrivateFolder::new().unwrap();
    let path = folder.path().join("t.aftr");
    std::fs::write(&path, frames(1)).unwrap();
    let commands: &[&[&str]] = &[
        &["history", "--pixel", "-1,5"],
        &["debug", "--pixel", "-1,5"],
        &["inspect", "--at", "-1", "--pixel", "-1,5"],
    ];
    for command in commands {
        let (status, _, said) = run(command, &path);
        assert!(
            status == Some(2) && said.contains("-1,5") && !said.contains("unexpected argument"),
            "{command:?} {said}"
        );
    }
}
