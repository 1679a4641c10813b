//! Which calls before a frame are kept, on traces written by hand.

use api::Namespace;
use chronicle::trim::{DriverContents, Left, Setup, setup};
use testing::trace::TraceBuilder;
use trace::Reader;

/// A call: its name, its arguments, and memory that it reads or writes, by parameter.
struct Told<'a> {
    name: &'a str,
    args: &'a [u64],
    input: Option<(u8, &'a [u8])>,
    output: Option<(u8, &'a [u8])>,
}

fn call<'a>(name: &'a str, args: &'a [u64]) -> Told<'a> {
    Told { name, args, input: None, output: None }
}

fn with<'a>(name: &'a str, args: &'a [u64], param: u8, bytes: &'a [u8]) -> Told<'a> {
    Told { input: Some((param, bytes)), ..call(name, args) }
}

fn making<'a>(name: &'a str, args: &'a [u64], param: u8, bytes: &'a [u8]) -> Told<'a> {
    Told { output: Some((param, bytes)), ..call(name, args) }
}

/// What is needed from before a frame that follows these calls and does nothing but show what is there.
fn needed(calls: &[Told<'_>]) -> (Setup, Vec<String>) {
    needed_by(calls, &[])
}

/// What is needed from before a frame that follows these calls and has those of `frame`.
fn needed_by(calls: &[Told<'_>], frame: &[Told<'_>]) -> (Setup, Vec<String>) {
    let mut trace = TraceBuilder::new(4);
    let first = trace.calls();
    let mut names = Vec::new();
    for told in calls.iter().chain(frame).chain(&[call("afiPresent", &[1])]) {
        let (input, output) = (Vec::from_iter(told.input), Vec::from_iter(told.output));
        trace.record(0, told.name, told.args, &input, 0, &output);
        names.push(format!("{}{:?}", told.name, told.args));
    }
    let end = trace.calls();
    let reader = Reader::new(Box::new(trace.bytes()), api::COMMANDS).unwrap();
    let kept = end - 1 - frame.len() as u64..end;
    let setup = setup(&reader, &kept, &mut |_| {}).unwrap();
    let kept = setup.calls.iter().filter(|call| **call >= first).map(|call| names[(call - first) as usize].clone());
    let kept = kept.collect();
    (setup, kept)
}

#[track_caller]
fn check(calls: &[Told<'_>], expected: &[&str]) {
    let (_, kept) = needed(calls);
    assert_eq!(kept, expected);
}

#[test]
fn the_last_call_for_each_piece_of_state_is_kept() {
    check(
        &[
            call("glEnable", &[0xBE2]),
            call("glDepthFunc", &[0x201]),
            call("glDrawArrays", &[4, 0, 3]),
            call("glDepthFunc", &[0x203]),
            call("glEnable", &[0xB71]),
            call("glDisable", &[0xBE2]),
            call("glEnable", &[0xBE2]),
            call("glGetError", &[]),
        ],
        &["glDepthFunc[515]", "glEnable[2929]", "glDisable[3042]", "glEnable[3042]"],
    );
}

#[test]
fn what_a_call_relies_on_is_kept_with_it() {
    check(
        &[
            making("glGenTextures", &[2, 1 << 32], 1, &[1, 0, 0, 0, 2, 0, 0, 0]),
            call("glActiveTexture", &[0x84C1]),
            call("glBindTexture", &[0xDE1, 1]),
            call("glTexParameteri", &[0xDE1, 0x2801, 0x2600]),
            call("glActiveTexture", &[0x84C0]),
            call("glBindTexture", &[0xDE1, 1]),
            call("glBindTexture", &[0xDE1, 2]),
            call("glActiveTexture", &[0x84C2]),
        ],
        &[
            "glGenTextures[2, 4294967296]",
            "glActiveTexture[33985]",
            "glBindTexture[3553, 1]",
            "glTexParameteri[3553, 10241, 9728]",
            "glActiveTexture[33984]",
            "glBindTexture[3553, 2]",
            "glActiveTexture[33986]",
        ],
    );
}

#[test]
fn contents_come_from_the_calls_that_brought_them() {
    check(
        &[
            making("glGenBuffers", &[1, 1 << 32], 1, &[1, 0, 0, 0]),
            call("glBindBuffer", &[0x8892, 1]),
            with("glBufferData", &[0x8892, 4, 1 << 32, 0x88E4], 2, &[1, 2, 3, 4]),
            with("glBufferData", &[0x8892, 4, 1 << 33, 0x88E4], 2, &[5, 6, 7, 8]),
            with("glBufferSubData", &[0x8892, 1, 1, 1 << 32], 3, &[9]),
            with("glBufferSubData", &[0x8892, 0, 4, 1 << 32], 3, &[9, 9, 9, 9]),
        ],
        &[
            "glGenBuffers[1, 4294967296]",
            "glBindBuffer[34962, 1]",
            "glBufferData[34962, 4, 8589934592, 35044]",
            "glBufferSubData[34962, 0, 4, 4294967296]",
        ],
    );
}

#[test]
fn what_the_gpu_wrote_is_wanted_and_not_made_again() {
    let (setup, kept) = needed_by(
        &[
            making("glGenBuffers", &[1, 1 << 32], 1, &[7, 0, 0, 0]),
            call("glBindBuffer", &[0x8C8E, 7]),
            call("glBufferData", &[0x8C8E, 64, 0, 0x88E4]),
            with("glBufferSubData", &[0x8C8E, 0, 4, 1 << 32], 3, &[9, 9, 9, 9]),
            call("glBeginTransformFeedback", &[0]),
            call("glDrawArrays", &[0, 0, 3]),
            call("glEndTransformFeedback", &[]),
        ],
        &[call("glGetBufferSubData", &[0x8C8E, 0, 4, 1 << 32])],
    );
    let buffer = DriverContents::Object { context: 1, space: Namespace::Buffer, name: 7, target: 0x8C8E };
    assert!(setup.contents.contains(&buffer), "{:?}", setup.contents);
    let expected = ["glGenBuffers[1, 4294967296]", "glBindBuffer[35982, 7]", "glBufferData[35982, 64, 0, 35044]"];
    assert_eq!(kept, expected);
}

#[test]
fn commands_that_nobody_knows_keep_what_is_before_them() {
    let (setup, kept) =
        needed(&[call("glDepthFunc", &[0x201]), call("glBindTextures", &[0, 0, 0]), call("glDepthFunc", &[0x203])]);
    assert_eq!(kept, ["glDepthFunc[513]", "glBindTextures[0, 0, 0]", "glDepthFunc[515]"]);
    assert_eq!(setup.unknown.len(), 1);
}

#[test]
fn what_is_pushed_and_popped_again_is_of_no_interest() {
    let mut calls = vec![call("glEnable", &[0xBE2]), call("glDepthFunc", &[0x201])];
    for _ in 0..3 {
        // Everything about colours and depth, and what is enabled.
        calls.extend([
            call("glPushAttrib", &[0x6100]),
            call("glDisable", &[0xBE2]),
            call("glDepthFunc", &[0x203]),
            call("glLineWidth", &[0x4000_0000]),
            call("glPopAttrib", &[]),
        ]);
    }
    check(&calls, &["glEnable[3042]", "glDepthFunc[513]", "glLineWidth[1073741824]"]);
}

#[test]
fn what_must_be_undone_is_kept_with_what_undoes_it() {
    check(
        &[
            making("glGenTextures", &[1, 1 << 32], 1, &[1, 0, 0, 0]),
            call("glDepthFunc", &[0x201]),
            // All there is. The texture comes into being by being bound, and is not bound in the end.
            call("glPushAttrib", &[0xF_FFFF]),
            call("glBindTexture", &[0xDE1, 1]),
            call("glDepthFunc", &[0x203]),
            call("glPopAttrib", &[]),
            call("glPushAttrib", &[0x100]),
            call("glDepthFunc", &[0x204]),
        ],
        &[
            "glGenTextures[1, 4294967296]",
            "glDepthFunc[513]",
            "glPushAttrib[1048575]",
            "glBindTexture[3553, 1]",
            "glPopAttrib[]",
            "glPushAttrib[256]",
            "glDepthFunc[516]",
        ],
    );
}

#[test]
fn what_may_be_brought_back_is_kept_before_and_within() {
    // It is not listed whether this one is saved.
    check(
        &[
            call("glProvokingVertex", &[0x8E4D]),
            call("glPushAttrib", &[0x40]),
            call("glProvokingVertex", &[0x8E4E]),
            call("glPopAttrib", &[]),
            call("glPushClientAttrib", &[1]),
            call("glPixelStorei", &[0xCF5, 1]),
            call("glPopClientAttrib", &[]),
        ],
        &["glProvokingVertex[36429]", "glPushAttrib[64]", "glProvokingVertex[36430]", "glPopAttrib[]"],
    );
}

#[test]
fn arrays_that_each_draw_of_a_list_reads_are_kept() {
    check(
        &[
            call("glEnableClientState", &[0x8074]),
            call("glNewList", &[1, 0x1300]),
            with("glVertexPointer", &[2, 0x1406, 0, 1 << 32], 3, &[0; 24]),
            call("glDrawArrays", &[4, 0, 3]),
            with("glVertexPointer", &[2, 0x1406, 0, 2 << 32], 3, &[1; 24]),
            call("glDrawArrays", &[4, 0, 3]),
            call("glEndList", &[]),
        ],
        &[
            "glEnableClientState[32884]",
            "glNewList[1, 4864]",
            "glVertexPointer[2, 5126, 0, 4294967296]",
            "glDrawArrays[4, 0, 3]",
            "glVertexPointer[2, 5126, 0, 8589934592]",
            "glDrawArrays[4, 0, 3]",
            "glEndList[]",
        ],
    );
}

/// A framebuffer of a renderbuffer with depth and stencil, which was drawn to.
fn drawn() -> [Told<'static>; 8] {
    [
        making("glGenFramebuffers", &[1, 1 << 32], 1, &[1, 0, 0, 0]),
        making("glGenRenderbuffers", &[1, 1 << 32], 1, &[1, 0, 0, 0]),
        call("glBindFramebuffer", &[0x8D40, 1]),
        call("glBindRenderbuffer", &[0x8D41, 1]),
        call("glRenderbufferStorage", &[0x8D41, 0x88F0, 4, 4]),
        call("glFramebufferRenderbuffer", &[0x8D40, 0x821A, 0x8D41, 1]),
        call("glDrawBuffer", &[0]),
        call("glClear", &[0x500]),
    ]
}

const DEPTH_STENCIL: DriverContents =
    DriverContents::Object { context: 1, space: Namespace::Renderbuffer, name: 1, target: 0x8D41 };

#[test]
fn what_frames_clear_first_is_not_stored() {
    let (setup, _) = needed_by(&drawn(), &[call("glClear", &[0x500])]);
    assert!(!setup.contents.contains(&DEPTH_STENCIL), "{:?}", setup.contents);
    assert!(setup.left_out.contains(&(DEPTH_STENCIL, Left::Replaced)), "{:?}", setup.left_out);
}

#[test]
fn stencil_is_stored_when_only_depth_is_cleared() {
    let (setup, _) = needed_by(&drawn(), &[call("glClear", &[0x100])]);
    assert!(setup.contents.contains(&DEPTH_STENCIL), "{:?} {:?}", setup.contents, setup.left_out);
}

#[test]
fn what_frames_do_not_look_at_is_not_stored_and_what_they_show_is() {
    let (setup, _) = needed(&drawn());
    assert_eq!(setup.left_out, [(DEPTH_STENCIL, Left::Untouched)]);
    assert_eq!(setup.contents, [DriverContents::Surface { context: 1, surface: 1, plane: 0x1800 }]);
}

/// A query of samples that something was drawn for.
fn counted() -> [Told<'static>; 4] {
    [
        making("glGenQueries", &[1, 1 << 32], 1, &[3, 0, 0, 0]),
        call("glBeginQuery", &[0x8914, 3]),
        call("glDrawArrays", &[4, 0, 3]),
        call("glEndQuery", &[0x8914]),
    ]
}

#[test]
fn results_of_queries_from_before_are_named() {
    let asks = [making("glGetQueryObjectuiv", &[3, 0x8866, 1 << 32], 2, &[5, 0, 0, 0])];
    let (setup, _) = needed_by(&counted(), &asks);
    assert_eq!((setup.notes.len(), setup.problems.len()), (1, 0), "{:?} {:?}", setup.notes, setup.problems);
    let depends = [call("glBeginConditionalRender", &[3, 0x8E13]), call("glEndConditionalRender", &[])];
    let (setup, _) = needed_by(&counted(), &depends);
    assert_eq!((setup.notes.len(), setup.problems.len()), (0, 1), "{:?} {:?}", setup.notes, setup.problems);
    let again: Vec<Told<'_>> = counted().into_iter().skip(1).chain(depends).collect();
    let (setup, _) = needed_by(&counted(), &again);
    assert_eq!((setup.notes.len(), setup.problems.len()), (0, 0), "{:?} {:?}", setup.notes, setup.problems);
}
