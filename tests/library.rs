//! The library answers as the commands do: they are its oracle.

use std::path::{Path, PathBuf};
use std::process::Command;

use afterimage::{ArgumentValue, ContentsOf, ElementType, Host, OpenOptions, Session, Trace, TraceError};
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_afterimage");

fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/trace/tests/golden/recorded").join(name)
}

fn session(name: &str) -> Session {
    Host::with_program(PROGRAM).session(&OpenOptions::new(recorded(name))).unwrap()
}

/// Returns the document that a command prints.
#[track_caller]
fn document(command: &str, name: &str, arguments: &[&str]) -> Value {
    let output = Command::new(PROGRAM).arg(command).arg(recorded(name)).args(arguments).arg("--json").output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[test]
fn calls_are_those_of_dump() {
    for name in ["0.1-deferred.aftr", "0.1-gles2.aftr", "0.1-legacy.aftr"] {
        let trace = Trace::open(recorded(name)).unwrap();
        let dumped = document("dump", name, &[]);
        let dumped = dumped["commands"].as_array().unwrap();
        let calls: Vec<_> = trace.calls(0..u64::MAX).map(Result::unwrap).collect();
        assert_eq!((calls.len(), calls.len() as u64), (dumped.len(), trace.len()));
        for (call, dumped) in calls.iter().zip(dumped) {
            let own = serde_json::to_value(call).unwrap();
            for key in ["command", "name", "thread", "frame", "groups", "returned", "text"] {
                assert_eq!(own[key], dumped[key], "{key} of command {}", call.command);
            }
            let blobs = dumped["memory"].as_array().unwrap().iter().filter(|memory| !memory["blob"].is_null()).count();
            let memory = call.arguments.iter().flat_map(|argument| argument.read.iter().chain(&argument.written));
            assert_eq!(memory.filter(|memory| memory.blob.is_some()).count(), blobs, "{}", call.text);
        }
        let middle = trace.len() / 2;
        assert_eq!(trace.call(middle).unwrap(), calls[middle as usize]);
        assert_eq!(trace.calls(middle..middle + 3).count(), 3);
        assert!(trace.call(trace.len()).is_err());
    }
}

#[test]
fn calls_go_on_behind_what_is_lost() {
    for name in ["v1-damaged.aftr", "v2-damaged.aftr"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/trace/tests/golden").join(name);
        let trace = Trace::open(&file).unwrap();
        let (mut next, mut losses) = (0, 0);
        for call in trace.calls(0..trace.len()) {
            match call {
                Ok(call) => {
                    assert_eq!(call.command, next, "{name}");
                    next += 1;
                }
                Err(TraceError::Read(trace::ReadError::Lost { first, last, .. })) => {
                    assert_eq!(first, next, "{name}");
                    (next, losses) = (last + 1, losses + 1);
                }
                Err(error) => panic!("{name}: {error}"),
            }
        }
        assert!(losses > 0 && next == trace.len(), "{name}: {losses} losses, {next} of {}", trace.len());
    }
}

#[test]
fn arguments_are_typed() {
    let trace = Trace::open(recorded("0.1-deferred.aftr")).unwrap();
    let mut calls = trace.calls(0..trace.len()).map(Result::unwrap);
    let source = calls.find(|call| call.name == "glShaderSource").unwrap();
    let texts = &source.arguments[2].read.as_ref().unwrap().values;
    assert!(matches!(&texts[..], [ArgumentValue::Text(text)] if text.contains("void main")), "{source:?}");
    let draw = calls.find(|call| call.name == "glDrawArrays").unwrap();
    assert_eq!(draw.arguments.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["mode", "first", "count"]);
    assert!(matches!(&draw.arguments[0].value, ArgumentValue::Enum { name: Some(_), .. }), "{draw:?}");
    assert!(matches!(draw.arguments[2].value, ArgumentValue::Integer(1..)), "{draw:?}");
}

#[test]
fn state_is_that_of_the_command() {
    let (name, trace) = ("0.1-deferred.aftr", Trace::open(recorded("0.1-deferred.aftr")).unwrap());
    let last = trace.frame(0).unwrap().end - 1;
    for (path, all) in [("", false), ("", true), ("viewport", false), ("program", false), ("depth", false)] {
        let at = last.to_string();
        let mut arguments = vec![path, "--at", &at];
        arguments.extend(all.then_some("--all"));
        let part = trace.state(last).unwrap().part(path, all).unwrap();
        assert_eq!(serde_json::to_value(part.tree()).unwrap(), document("state", name, &arguments)["state"], "{path}");
    }
    let error = trace.state(last).unwrap().part("no/such/path", false).err().unwrap();
    assert!(error.to_string().contains("choose one of"), "{error}");
    assert!(trace.state(trace.len()).is_err());
}

#[test]
fn contents_are_as_the_program_left_them() {
    let mut session = session("0.1-deferred.aftr");
    let trace = Trace::of(&session);
    // A buffer that was filled by one call holds what that call passed.
    let filled = trace.calls(0..trace.len()).map(Result::unwrap).find(|call| call.name == "glBufferData").unwrap();
    let data = filled.arguments.iter().find(|argument| argument.name == "data").unwrap().read.clone().unwrap();
    let passed = match (data.bytes, data.blob) {
        (Some(bytes), _) => bytes,
        (None, Some(blob)) => trace.blob(blob).unwrap().to_vec(),
        (None, None) => panic!("{filled:?}"),
    };
    let bound = trace.calls(0..filled.command).map(Result::unwrap).filter(|call| call.name == "glBindBuffer").last();
    let ArgumentValue::Object { name, .. } = bound.unwrap().arguments[1].value else { panic!("no buffer is bound") };
    assert_eq!(session.buffer(filled.command, name as u32).unwrap(), passed);
    // Pictures of a texture that is drawn to, and one that does not exist.
    let shown = session.frame_shown(0).unwrap();
    let state = trace.state(shown).unwrap();
    let textures = state.find("texture").unwrap();
    let mut read = 0;
    for texture in &textures.node.children {
        let images = session.images(shown, ContentsOf::Texture(texture.name.parse().unwrap())).unwrap();
        for image in &images {
            let (components, element) = image.elements.unwrap_or((1, ElementType::U32));
            let [width, height, depth] = image.size.map(|side| side as usize);
            assert_eq!(image.bytes.len(), width * height * depth * components as usize * element.size(), "{image:?}");
            assert!(image.format.starts_with("GL_") && image.target.starts_with("GL_TEXTURE"), "{}", image.format);
        }
        read += images.len();
    }
    assert!(read >= 3, "{read} images");
    let error = session.images(shown, ContentsOf::Texture(4000)).unwrap_err();
    assert_eq!(error.to_string(), format!("after command {shown} there is no texture 4000"));
    assert!(session.buffer(trace.len(), 1).is_err());
    // What the session says of a frame is not changed by having looked at contents.
    let picture = session.picture(shown).unwrap().unwrap();
    let other = self::session("0.1-deferred.aftr").picture(shown).unwrap().unwrap();
    assert_eq!(picture, other);
}
