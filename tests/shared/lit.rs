//! A scene that fixed functions light, for several test files.

use api::constant as c;
use testing::trace::{TraceBuilder, TraceFile, float};

/// Makes a trace of a lit square in a display list, which has its material in the list. Returns the calls that set the
/// material, the light, the projection and, in their order, the modelview matrix.
pub fn square(name: &str) -> (TraceFile, [u64; 5]) {
    let mut trace = TraceBuilder::new(8);
    let four = |numbers: [f32; 4]| numbers.map(f32::to_le_bytes).concat();
    let memory = 0x7F00_0000_4000;
    trace.call("glNewList", &[1, c::GL_COMPILE.into()]);
    let red = four([1.0, 0.0, 0.0, 1.0]);
    let face = [c::GL_FRONT.into(), c::GL_AMBIENT_AND_DIFFUSE.into(), memory];
    let material = trace.reading("glMaterialfv", &face, &[(2, &red)]);
    trace.call("glBegin", &[c::GL_QUADS.into()]);
    trace.call("glNormal3f", &[float(0.0), float(0.0), float(1.0)]);
    for [x, y] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
        trace.call("glVertex2f", &[float(x), float(y)]);
    }
    trace.call("glEnd", &[]);
    trace.call("glEndList", &[]);
    trace.call("glMatrixMode", &[c::GL_PROJECTION.into()]);
    let projection = trace.call("glLoadIdentity", &[]);
    trace.call("glMatrixMode", &[c::GL_MODELVIEW.into()]);
    let first = trace.call("glLoadIdentity", &[]);
    let toward = four([0.0, 0.0, 1.0, 0.0]);
    let light = trace.reading("glLightfv", &[c::GL_LIGHT0.into(), c::GL_POSITION.into(), memory], &[(2, &toward)]);
    let second = trace.call("glScalef", &[float(0.9), float(0.9), float(1.0)]);
    // What is restored is not what the square is drawn with.
    trace.call("glPushMatrix", &[]);
    trace.call("glRotatef", &[float(90.0), float(1.0), float(0.0), float(0.0)]);
    trace.call("glPopMatrix", &[]);
    for name in [c::GL_LIGHTING, c::GL_LIGHT0] {
        trace.call("glEnable", &[name.into()]);
    }
    trace.call("glCallList", &[1]);
    trace.call("afiPresent", &[1]);
    (trace.save(name), [material, light, projection, first, second])
}
