//! Drivers that share no objects between OpenGL ES and OpenGL: contents of OpenGL ES programs are read in OpenGL ES.

use std::path::Path;
use std::rc::Rc;

use device::{Answer, Ask, Object, Picture, ReplayRequest, Reply};
use driver::DeviceChoice;
use open_trace::OpenTrace;
use replay::{Answerer, Contents, GlFactory, ProgressSink, ReplaySink, SinkError};

const TRACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/tests/golden/recorded/0.1-gles2.aftr");
/// After its last draw.
const COMMAND: u64 = 249;
const TEXTURE_2D: u32 = 0x0DE1;

/// Reads an object, and returns its images and bytes, or why it cannot be read.
fn read(open: GlFactory, object: Object) -> Result<(String, Vec<u8>), String> {
    let trace = OpenTrace::open(Path::new(TRACE)).unwrap();
    let mut answerer = Answerer::new(trace, open);
    let ask = Ask::Read { command: COMMAND, context: 1, object };
    let progress: Rc<dyn ProgressSink> = Rc::new(());
    let Reply { answer, bytes } = answerer.answer(ask, &progress, &mut NoFiles).unwrap();
    let Answer::Contents { mut objects } = answer else { panic!("another answer: {answer:?}") };
    assert_eq!(objects.len(), 1);
    objects.remove(0).map(|parts| (format!("{parts:?}"), bytes))
}

#[track_caller]
fn check(object: Object) {
    let [mixed, unmixed] = [worker::open_egl, worker::open_egl_unmixed].map(|open| open(&DeviceChoice::First));
    let expected = read(mixed, object).unwrap();
    assert!(!expected.1.is_empty(), "{object:?} has no contents");
    assert_eq!(read(unmixed, object).unwrap(), expected, "{object:?}");
}

#[test]
fn buffers_are_the_same() {
    (1..=6).for_each(|name| check(Object::Buffer(name)));
}

#[test]
fn textures_are_the_same_level_by_level() {
    [1, 2].into_iter().for_each(|name| check(Object::Texture(name, TEXTURE_2D)));
}

#[test]
fn depth_is_the_same() {
    check(Object::Renderbuffer(1));
}

/// Nothing here replays a whole trace.
struct NoFiles;

impl ReplaySink for NoFiles {
    fn begin(&mut self, _request: &ReplayRequest) -> Result<(), SinkError> {
        Ok(())
    }

    fn picture(&mut self, _name: &str, _picture: &Picture) -> Result<(), SinkError> {
        Ok(())
    }

    fn contents(&mut self, _contents: &Contents) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish_contents(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
}
