//! The diversion's own framebuffer, like the one that the program draws to.

use api::{constant as c, id};
use device::{Target, Tests};
use instrument::{InspectError, Transport};
use state::View;
use state::objects::framebuffer::Attachment;

use super::changes::failed;
use super::copy::bytes_of;
use super::peel;
use super::scissor::Scissor;
use super::undo::{UndoRecorder, word};

/// No framebuffer is larger on a side.
const LARGEST: i32 = 1 << 15;

/// Returns the draw framebuffer of the current context. Its planes are queried from the driver, because copies must match
/// them.
pub fn target_of(gl: &mut UndoRecorder<'_>, view: &View<'_>) -> Target {
    let name = view.context.targets.draw;
    let mut target = Target { surface: name == 0, ..Target::default() };
    let mut size = [LARGEST; 2];
    if let Some(framebuffer) = view.context.framebuffers.get(&name).filter(|_| name != 0) {
        for attachment in &framebuffer.attachments {
            let Some(about) = extent(view, attachment) else { continue };
            size = [size[0].min(about.size[0]), size[1].min(about.size[1])];
            target.samples = target.samples.max(about.samples.max(0).cast_unsigned());
            target.layers = target.layers.max(about.layers.max(0).cast_unsigned());
        }
        if size == [LARGEST; 2] {
            let [width, height, layers, samples] = framebuffer.defaults;
            size = [width, height];
            (target.layers, target.samples) = (layers.max(0).cast_unsigned(), samples.max(0).cast_unsigned());
        }
    } else if let Some(surface) = view.model.surfaces.get(&view.seat.draw) {
        size = [surface.size.0, surface.size.1];
        target.samples = if surface.samples > 1 { surface.samples.cast_unsigned() } else { 0 };
    }
    target.size = size.map(|side| side.clamp(1, LARGEST).cast_unsigned());
    let (depth, stencil) = planes(gl, &mut target.float_depth, name == 0);
    target.bits = [depth, stencil];
    target
}

/// The format of a renderbuffer that depth and stencil can be copied to; nothing when there is neither.
fn plane_format(target: &Target) -> Result<Option<u32>, InspectError> {
    Ok(Some(match (target.bits, target.float_depth) {
        ([0, 0], _) => return Ok(None),
        ([0, _], _) => c::GL_STENCIL_INDEX8,
        ([16, 0], _) => c::GL_DEPTH_COMPONENT16,
        ([24, 0], _) => c::GL_DEPTH_COMPONENT24,
        ([32, 0], false) => c::GL_DEPTH_COMPONENT32,
        ([32, 0], true) => c::GL_DEPTH_COMPONENT32F,
        ([24, 8], _) => c::GL_DEPTH24_STENCIL8,
        ([32, 8], true) => c::GL_DEPTH32F_STENCIL8,
        ([depth, stencil], _) => {
            return Err(failed(&format!("depth of {depth} bits with stencil of {stencil} cannot be copied")));
        }
    }))
}

struct Extent {
    size: [i32; 2],
    samples: i32,
    layers: i32,
}

fn extent(view: &View<'_>, attachment: &Attachment) -> Option<Extent> {
    match attachment {
        Attachment::None => None,
        Attachment::Renderbuffer(bound) => {
            let about = view.group.renderbuffer(*bound)?;
            Some(Extent { size: [about.size.0, about.size.1], samples: about.samples, layers: 0 })
        }
        Attachment::Texture { texture, level, layered, .. } => {
            let about = view.group.texture(*texture)?;
            let image = about.level(u32::try_from(*level).ok()?, 0)?;
            let cube = about.target == Some(state::objects::texture::Target::Cube);
            let flat = about.target == Some(state::objects::texture::Target::OneDArray);
            let layers = match (layered, cube, flat) {
                (false, ..) => 0,
                (true, true, _) => 6,
                (true, _, true) => image.size[1],
                (true, false, false) => image.size[2],
            };
            let height = if flat { 1 } else { image.size[1] };
            Some(Extent { size: [image.size[0], height], samples: image.samples, layers })
        }
    }
}

/// Bits of depth and stencil of what is drawn to.
fn planes(gl: &mut UndoRecorder<'_>, float: &mut bool, surface: bool) -> (u32, u32) {
    if !gl.capabilities.blits() {
        return (gl.integer(c::GL_DEPTH_BITS).cast_unsigned(), gl.integer(c::GL_STENCIL_BITS).cast_unsigned());
    }
    let names = if surface { [c::GL_DEPTH, c::GL_STENCIL] } else { [c::GL_DEPTH_ATTACHMENT, c::GL_STENCIL_ATTACHMENT] };
    let mut ask = |attachment: u32, what: u32| {
        let words = [c::GL_DRAW_FRAMEBUFFER, attachment, what].map(u64::from);
        gl.query::<1>(id::glGetFramebufferAttachmentParameteriv, &words)[0]
    };
    let there = |kind: u32| kind != c::GL_NONE;
    let mut bits = [0; 2];
    for (at, what) in
        [c::GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE, c::GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE].iter().enumerate()
    {
        if there(ask(names[at], c::GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE)) {
            bits[at] = ask(names[at], *what);
        }
    }
    if bits[0] != 0 {
        *float = ask(names[0], c::GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE) == c::GL_FLOAT;
    }
    while gl.player.take_error() != 0 {}
    (bits[0], bits[1])
}

/// The format of the colours that a transport brings its words in, and how many there are.
fn colours(transport: Transport) -> (u32, u32) {
    match transport {
        // Nothing is drawn to it: it is there for its size. The less of it the better.
        Transport::Storage => (c::GL_R8, 1),
        Transport::IntegerTargets(count) => (c::GL_RGBA32UI, count),
        Transport::FloatTargets(count) => (c::GL_RGBA32F, count),
        _ => (c::GL_RGBA8, 1),
    }
}

/// Whether layers and samples can be had as they were without anything to draw to. Then there are no tests, so that this
/// is for shaders that run before these.
pub fn can_be_bare(gl: &UndoRecorder<'_>, target: &Target) -> bool {
    let layers = target.layers > 1 && gl.capabilities.has(43, 32, &["GL_ARB_framebuffer_no_attachments"]);
    let samples = target.samples > 1 && gl.capabilities.has(43, 31, &["GL_ARB_framebuffer_no_attachments"]);
    layers || samples && target.layers <= 1
}

/// Whether there can be a framebuffer with the size, layers and samples of a target and nothing to draw to. Mesa has no
/// fragments in one that is upside down, as surfaces are.
pub fn need_nothing(gl: &UndoRecorder<'_>, target: &Target) -> bool {
    let can = gl.capabilities.has(43, if target.layers > 1 { 32 } else { 31 }, &["GL_ARB_framebuffer_no_attachments"]);
    can && !target.surface
}

/// Binds a framebuffer for a transport, like the one that is drawn to, until all is undone; it is empty, but for depth
/// and stencil. If only a rectangle is to be drawn to, only that is made so: a window of one pixel must not cost what a
/// whole picture does. One that is bare has nothing but a size, layers and samples. Without tests it may be one fragment of
/// each pixel that is drawn, by its number.
pub fn divert(
    gl: &mut UndoRecorder<'_>,
    target: &Target,
    transport: Transport,
    (tests, scissor, only): (Tests, &Scissor, Option<[i32; 4]>),
    (bare, ordinal): (bool, Option<u8>),
) -> Result<Vec<&'static str>, InspectError> {
    let mut notes = Vec::new();
    if transport == Transport::Storage && bare {
        return Own::bind(gl, target).is_bare(gl, target, scissor).map(|()| notes);
    }
    if target.layers > 1 {
        notes.push("layers of the target are drawn on top of each other, against the depth of the first");
    }
    let own = Own::bind(gl, target);
    let [width, height] = target.size.map(u64::from);
    let storage = u64::from(c::GL_RENDERBUFFER);
    let bound = gl.integer(c::GL_RENDERBUFFER_BINDING);
    gl.call_on_undo(id::glBindRenderbuffer, &[storage, word(bound)]);
    let (format, count) = colours(transport);
    let both = u64::from(if gl.capabilities.blits() { c::GL_DRAW_FRAMEBUFFER } else { c::GL_FRAMEBUFFER });
    for at in 0..count {
        let colour = renderbuffer(gl, format, [width, height]);
        let place = u64::from(c::GL_COLOR_ATTACHMENT0 + at);
        gl.call(id::glFramebufferRenderbuffer, &[both, place, storage, u64::from(colour)]);
    }
    own.choose(gl, if outputs(transport) { count } else { 0 });
    scissor.open(gl, None);
    open_masks(gl);
    let planes = plane_format(target)?;
    match planes {
        Some(format) if tests != Tests::Off && gl.capabilities.blits() => {
            let plane = renderbuffer(gl, format, [width, height]);
            for (bits, place) in target.bits.into_iter().zip([c::GL_DEPTH_ATTACHMENT, c::GL_STENCIL_ATTACHMENT]) {
                if bits != 0 {
                    gl.call(id::glFramebufferRenderbuffer, &[both, u64::from(place), storage, u64::from(plane)]);
                }
            }
            scissor.open(gl, only.filter(|_| tests != Tests::Recorded));
            fill_planes(gl, target, (tests, only), own)?;
            if target.samples > 1 && tests == Tests::Recorded {
                notes.push("pixels have one sample, and tests are against one of those they had");
            }
        }
        Some(_) if tests == Tests::Recorded => {
            notes.push("tests are off: OpenGL ES 2 has no means to copy depth and stencil");
            tests_off(gl);
        }
        Some(_) => tests_off(gl),
        None if tests == Tests::Off => tests_off(gl),
        None => {}
    }
    if let Some(ordinal) = ordinal.filter(|_| tests == Tests::Off) {
        peel::only(gl, [width, height], ordinal);
    }
    if gl.call(id::glCheckFramebufferStatus, &[both]) as u32 != c::GL_FRAMEBUFFER_COMPLETE {
        return Err(InspectError::Rejected {
            log: format!("the driver has no framebuffer of {count} targets of format {format:#06x}"),
            source_text: String::new(),
        });
    }
    scissor.open(gl, only);
    clear_colours(gl, transport);
    Ok(notes)
}

/// Whether values come out as colours.
pub fn outputs(transport: Transport) -> bool {
    !matches!(transport, Transport::Storage | Transport::Feedback(_))
}

/// The framebuffers that were bound, and the diversion's own.
#[derive(Clone, Copy)]
struct Own {
    drawn: i32,
    name: u32,
}

impl Own {
    fn bind(gl: &mut UndoRecorder<'_>, target: &Target) -> Own {
        let name = gl.generate(id::glGenFramebuffers);
        gl.delete_on_undo(id::glDeleteFramebuffers, name);
        let drawn = if gl.capabilities.blits() {
            let (drawn, read) =
                (gl.integer(c::GL_DRAW_FRAMEBUFFER_BINDING), gl.integer(c::GL_READ_FRAMEBUFFER_BINDING));
            gl.call_on_undo(id::glBindFramebuffer, &[u64::from(c::GL_READ_FRAMEBUFFER), word(read)]);
            gl.call_on_undo(id::glBindFramebuffer, &[u64::from(c::GL_DRAW_FRAMEBUFFER), word(drawn)]);
            drawn
        } else {
            let drawn = gl.integer(c::GL_FRAMEBUFFER_BINDING);
            gl.call_on_undo(id::glBindFramebuffer, &[u64::from(c::GL_FRAMEBUFFER), word(drawn)]);
            drawn
        };
        gl.call(id::glBindFramebuffer, &[u64::from(c::GL_FRAMEBUFFER), u64::from(name)]);
        // Mesa has surfaces upside down, which makes a difference in the last bit of what is interpolated, and in which
        // pixel of a square decides about the level of detail. Compatibility contexts offer the extension and lack its
        // function; GL's own takes the name.
        if target.surface && gl.capabilities.has(0, 0, &["GL_MESA_framebuffer_flip_y"]) {
            let own = gl.capabilities.has(43, 31, &["GL_ARB_framebuffer_no_attachments"]);
            let set = if own { id::glFramebufferParameteri } else { id::glFramebufferParameteriMESA };
            let flip = u64::from(c::GL_FRAMEBUFFER_FLIP_Y_MESA);
            gl.call(set, &[u64::from(c::GL_FRAMEBUFFER), flip, 1]);
        }
        Own { drawn, name }
    }

    /// Leaves it without anything to draw to (GL 4.6, 9.2.1).
    fn is_bare(self, gl: &mut UndoRecorder<'_>, target: &Target, scissor: &Scissor) -> Result<(), InspectError> {
        let both = u64::from(c::GL_DRAW_FRAMEBUFFER);
        let [width, height] = target.size;
        let mut values = vec![
            (c::GL_FRAMEBUFFER_DEFAULT_WIDTH, width),
            (c::GL_FRAMEBUFFER_DEFAULT_HEIGHT, height),
            (c::GL_FRAMEBUFFER_DEFAULT_SAMPLES, target.samples),
        ];
        if target.layers > 1 {
            values.push((c::GL_FRAMEBUFFER_DEFAULT_LAYERS, target.layers));
        }
        for (name, value) in values {
            gl.call(id::glFramebufferParameteri, &[both, u64::from(name), u64::from(value)]);
        }
        self.choose(gl, 0);
        gl.call(id::glReadBuffer, &[u64::from(c::GL_NONE)]);
        scissor.open(gl, None);
        open_masks(gl);
        match gl.call(id::glCheckFramebufferStatus, &[both]) as u32 {
            c::GL_FRAMEBUFFER_COMPLETE => Ok(()),
            status => Err(InspectError::Rejected {
                log: format!("the driver has no framebuffer without attachments like this one (status {status:#06x})"),
                source_text: String::new(),
            }),
        }
    }

    /// Selects this many draw buffers, and the first as the read buffer.
    fn choose(self, gl: &mut UndoRecorder<'_>, count: u32) {
        let list: Vec<u32> = match count {
            0 => vec![c::GL_NONE],
            count => (0..count).map(|at| c::GL_COLOR_ATTACHMENT0 + at).collect(),
        };
        if gl.capabilities.has(20, 30, &[]) {
            gl.call_reading(id::glDrawBuffers, &[list.len() as u64], &bytes_of(&list));
        }
        if gl.capabilities.has(10, 30, &[]) {
            gl.call(id::glReadBuffer, &[u64::from(c::GL_COLOR_ATTACHMENT0)]);
        }
    }
}

pub fn renderbuffer(gl: &mut UndoRecorder<'_>, format: u32, [width, height]: [u64; 2]) -> u32 {
    let target = u64::from(c::GL_RENDERBUFFER);
    let name = gl.generate(id::glGenRenderbuffers);
    gl.delete_on_undo(id::glDeleteRenderbuffers, name);
    while gl.player.take_error() != 0 {}
    gl.call(id::glBindRenderbuffer, &[target, u64::from(name)]);
    gl.call(id::glRenderbufferStorage, &[target, u64::from(format), width, height]);
    if gl.player.take_error() != 0 && !gl.capabilities.desktop {
        // OpenGL ES lacks formats that surfaces have, such as 32 bits of depth; desktop GL may make them for it.
        let context = gl.player.world.active().context;
        if gl.player.world.step_aside(context, 0).unwrap_or(false) {
            gl.call(id::glBindRenderbuffer, &[target, u64::from(name)]);
            gl.call(id::glRenderbufferStorage, &[target, u64::from(format), width, height]);
            gl.call(id::glBindRenderbuffer, &[target, 0]);
            while gl.player.take_error() != 0 {}
        }
        // Nothing can go on if this fails, and whatever comes next says so.
        let _ = gl.player.world.step_back();
        gl.call(id::glBindRenderbuffer, &[target, u64::from(name)]);
    }
    name
}

/// Disables everything but the tests that would change what is drawn, until the undo: values must be written unchanged.
fn open_masks(gl: &mut UndoRecorder<'_>) {
    let mut off = vec![c::GL_DITHER, c::GL_SAMPLE_ALPHA_TO_COVERAGE, c::GL_SAMPLE_COVERAGE];
    if gl.capabilities.desktop {
        off.extend([c::GL_COLOR_LOGIC_OP, c::GL_POLYGON_SMOOTH, c::GL_LINE_SMOOTH, c::GL_SAMPLE_ALPHA_TO_ONE]);
    }
    if gl.capabilities.compatibility {
        off.extend([c::GL_ALPHA_TEST, c::GL_POINT_SMOOTH]);
    }
    if gl.capabilities.has(30, 0, &["GL_ARB_framebuffer_sRGB", "GL_EXT_sRGB_write_control"]) {
        off.push(c::GL_FRAMEBUFFER_SRGB);
    }
    if gl.capabilities.has(32, 31, &["GL_ARB_texture_multisample"]) {
        off.push(c::GL_SAMPLE_MASK);
    }
    for what in off {
        gl.disable(what);
    }
    let targets = if gl.capabilities.has(20, 30, &[]) { gl.integer(c::GL_MAX_DRAW_BUFFERS).clamp(1, 16) } else { 1 };
    if gl.capabilities.indexed_masks() {
        for at in 0..targets.cast_unsigned() {
            if gl.call(id::glIsEnabledi, &[u64::from(c::GL_BLEND), u64::from(at)]) & 0xFF != 0 {
                gl.call_on_undo(id::glEnablei, &[u64::from(c::GL_BLEND), u64::from(at)]);
                gl.call(id::glDisablei, &[u64::from(c::GL_BLEND), u64::from(at)]);
            }
            let mut mask = [0u8; 4];
            let words = [c::GL_COLOR_WRITEMASK, at].map(u64::from);
            gl.player.own_call_writing(id::glGetBooleani_v, &words, &mut mask);
            let [red, green, blue, alpha] = mask.map(u64::from);
            if [red, green, blue, alpha] != [1; 4] {
                gl.call_on_undo(id::glColorMaski, &[u64::from(at), red, green, blue, alpha]);
                gl.call(id::glColorMaski, &[u64::from(at), 1, 1, 1, 1]);
            }
        }
        one_source(gl, targets.cast_unsigned());
    } else {
        gl.disable(c::GL_BLEND);
        let mask = gl.integers::<4>(c::GL_COLOR_WRITEMASK);
        gl.call_on_undo(id::glColorMask, &mask.map(word));
        gl.call(id::glColorMask, &[1; 4]);
    }
    if gl.capabilities.compatibility && gl.capabilities.has(30, 0, &[]) {
        for what in [c::GL_CLAMP_FRAGMENT_COLOR, c::GL_CLAMP_READ_COLOR] {
            let before = gl.integer(what);
            gl.call_on_undo(id::glClampColor, &[u64::from(what), word(before)]);
            gl.call(id::glClampColor, &[u64::from(what), 0]);
        }
    }
}

/// Replaces blend functions with a second colour, until the undo: they limit the number of draw buffers, even if blending is
/// disabled (GL 4.6, 17.3.6.3).
fn one_source(gl: &mut UndoRecorder<'_>, targets: u32) {
    const FUNCTIONS: [u32; 4] =
        [c::GL_BLEND_SRC_RGB, c::GL_BLEND_DST_RGB, c::GL_BLEND_SRC_ALPHA, c::GL_BLEND_DST_ALPHA];
    const SECOND: [u32; 4] =
        [c::GL_SRC1_COLOR, c::GL_SRC1_ALPHA, c::GL_ONE_MINUS_SRC1_COLOR, c::GL_ONE_MINUS_SRC1_ALPHA];
    if !gl.capabilities.has(40, 32, &["GL_ARB_draw_buffers_blend"]) {
        let functions = FUNCTIONS.map(|name| gl.integer(name));
        if functions.iter().any(|function| SECOND.contains(&function.cast_unsigned())) {
            gl.call_on_undo(id::glBlendFuncSeparate, &functions.map(word));
            gl.call(id::glBlendFunc, &[u64::from(c::GL_ONE), u64::from(c::GL_ZERO)]);
        }
        return;
    }
    for at in 0..targets {
        let functions = FUNCTIONS.map(|name| gl.indexed(name, at));
        if functions.iter().any(|function| SECOND.contains(&function.cast_unsigned())) {
            let [source, destination, alpha, destination_alpha] = functions.map(word);
            let words = [u64::from(at), source, destination, alpha, destination_alpha];
            gl.call_on_undo(id::glBlendFuncSeparatei, &words);
            gl.call(id::glBlendFunci, &[u64::from(at), u64::from(c::GL_ONE), u64::from(c::GL_ZERO)]);
        }
    }
}

/// Disables tests that discard fragments.
fn tests_off(gl: &mut UndoRecorder<'_>) {
    gl.disable(c::GL_DEPTH_TEST);
    gl.disable(c::GL_STENCIL_TEST);
    if gl.capabilities.extensions.contains("GL_EXT_depth_bounds_test") {
        gl.disable(c::GL_DEPTH_BOUNDS_TEST_EXT);
    }
}

/// Copies the program's depth and stencil, or sets the given values.
fn fill_planes(
    gl: &mut UndoRecorder<'_>,
    target: &Target,
    (tests, only): (Tests, Option<[i32; 4]>),
    own: Own,
) -> Result<(), InspectError> {
    let [width, height] = target.size;
    let [x, y, across, up] = only.map_or([0, 0, width, height], |only| only.map(|side| side.max(0).cast_unsigned()));
    let [left, bottom, right, top] = [x, y, (x + across).min(width), (y + up).min(height)].map(u64::from);
    if let Tests::Against { depth, stencil } = tests {
        let mask = gl.boolean(c::GL_DEPTH_WRITEMASK);
        gl.call(id::glDepthMask, &[1]);
        let (front, back) = (gl.integer(c::GL_STENCIL_WRITEMASK), gl.integer(c::GL_STENCIL_BACK_WRITEMASK));
        gl.call(id::glStencilMask, &[0xFF]);
        if target.bits[0] != 0 {
            gl.call_reading(id::glClearBufferfv, &[u64::from(c::GL_DEPTH), 0], &depth.to_ne_bytes());
        }
        if target.bits[1] != 0 {
            gl.call_reading(id::glClearBufferiv, &[u64::from(c::GL_STENCIL), 0], &i32::from(stencil).to_ne_bytes());
        }
        gl.call(id::glDepthMask, &[u64::from(mask)]);
        gl.call(id::glStencilMaskSeparate, &[u64::from(c::GL_FRONT), word(front)]);
        gl.call(id::glStencilMaskSeparate, &[u64::from(c::GL_BACK), word(back)]);
        return Ok(());
    }
    while gl.player.take_error() != 0 {}
    let read = u64::from(c::GL_READ_FRAMEBUFFER);
    gl.call(id::glBindFramebuffer, &[read, word(own.drawn)]);
    let mut bits = 0;
    for (count, bit) in target.bits.into_iter().zip([c::GL_DEPTH_BUFFER_BIT, c::GL_STENCIL_BUFFER_BIT]) {
        bits |= if count == 0 { 0 } else { bit };
    }
    let (bits, nearest) = (u64::from(bits), u64::from(c::GL_NEAREST));
    let words = [left, bottom, right, top, left, bottom, right, top, bits, nearest];
    gl.call(id::glBlitFramebuffer, &words);
    gl.call(id::glBindFramebuffer, &[read, u64::from(own.name)]);
    match gl.player.take_error() {
        0 => Ok(()),
        error => Err(failed(&format!("depth and stencil cannot be copied (error {error:#06x})"))),
    }
}

/// Clears the colours to zeros.
pub fn clear_colours(gl: &mut UndoRecorder<'_>, transport: Transport) {
    let (_, count) = colours(transport);
    if !outputs(transport) {
        return;
    }
    let discards = gl.capabilities.has(30, 30, &[]) && gl.enabled(c::GL_RASTERIZER_DISCARD);
    if discards {
        gl.call(id::glDisable, &[u64::from(c::GL_RASTERIZER_DISCARD)]);
    }
    if let Transport::IntegerTargets(_) = transport {
        for at in 0..u64::from(count) {
            gl.call_reading(id::glClearBufferuiv, &[u64::from(c::GL_COLOR), at], &[0; 16]);
        }
    } else {
        let before = gl.floats::<4>(c::GL_COLOR_CLEAR_VALUE);
        gl.call(id::glClearColor, &[0; 4]);
        gl.call(id::glClear, &[u64::from(c::GL_COLOR_BUFFER_BIT)]);
        gl.call(id::glClearColor, &before.map(|value| u64::from(value.to_bits())));
    }
    if discards {
        gl.call(id::glEnable, &[u64::from(c::GL_RASTERIZER_DISCARD)]);
    }
}

/// The words that colours hold in a rectangle, pixel by pixel, from the lowest row up.
pub fn read(gl: &mut UndoRecorder<'_>, transport: Transport, rectangle: [u32; 4]) -> Vec<u32> {
    keep_packing(gl);
    let [_, _, width, height] = rectangle;
    let pixels = width as usize * height as usize;
    let (_, count) = colours(transport);
    let window = transport.window().unwrap_or(1) as usize;
    let each = window / count as usize;
    let mut words = vec![0u32; pixels * window];
    for at in 0..count {
        if gl.capabilities.has(10, 30, &[]) {
            gl.call(id::glReadBuffer, &[u64::from(c::GL_COLOR_ATTACHMENT0 + at)]);
        }
        let (format, kind, size) = match transport {
            Transport::IntegerTargets(_) => (c::GL_RGBA_INTEGER, c::GL_UNSIGNED_INT, 4),
            Transport::FloatTargets(_) => (c::GL_RGBA, c::GL_FLOAT, 4),
            _ => (c::GL_RGBA, c::GL_UNSIGNED_BYTE, 1),
        };
        let mut bytes = vec![0; pixels * size * 4];
        let [x, y, width, height] = rectangle.map(u64::from);
        let asked = [x, y, width, height, u64::from(format), u64::from(kind)];
        gl.player.own_call_writing(id::glReadPixels, &asked, &mut bytes);
        let raw: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_ne_bytes(*word)).collect();
        let halves = |pair: &[u32]| {
            let half = |bits: u32| f32::from_bits(bits) as u32 & 0xFFFF;
            half(pair[0]) | half(pair[1]) << 16
        };
        for pixel in 0..pixels {
            let place = &mut words[pixel * window + at as usize * each..][..each];
            let raw = &raw[pixel * size..][..size];
            match transport {
                Transport::FloatTargets(_) => {
                    place.iter_mut().zip(raw.chunks_exact(2)).for_each(|(word, pair)| *word = halves(pair));
                }
                // Red is the lowest byte in memory, whatever the machine.
                _ if size == 1 => place[0] = u32::from_le_bytes(raw[0].to_ne_bytes()),
                _ => place.copy_from_slice(raw),
            }
        }
    }
    words
}

/// Sets the pixel state for reading unchanged values, until the undo.
fn keep_packing(gl: &mut UndoRecorder<'_>) {
    if gl.capabilities.has(21, 30, &["GL_ARB_pixel_buffer_object"]) {
        gl.keep_buffer(c::GL_PIXEL_PACK_BUFFER, c::GL_PIXEL_PACK_BUFFER_BINDING);
        gl.call(id::glBindBuffer, &[u64::from(c::GL_PIXEL_PACK_BUFFER), 0]);
    }
    let mut wanted = vec![(c::GL_PACK_ALIGNMENT, 1)];
    if gl.capabilities.has(10, 30, &[]) {
        wanted.extend([(c::GL_PACK_ROW_LENGTH, 0), (c::GL_PACK_SKIP_ROWS, 0), (c::GL_PACK_SKIP_PIXELS, 0)]);
    }
    if gl.capabilities.desktop {
        wanted.push((c::GL_PACK_SWAP_BYTES, 0));
    }
    if gl.capabilities.extensions.contains("GL_MESA_pack_invert") {
        wanted.push((c::GL_PACK_INVERT_MESA, 0));
    }
    for (name, value) in wanted {
        let before = gl.integer(name);
        if before != value {
            gl.call_on_undo(id::glPixelStorei, &[u64::from(name), word(before)]);
            gl.call(id::glPixelStorei, &[u64::from(name), word(value)]);
        }
    }
    if gl.capabilities.compatibility {
        let scales = [c::GL_RED_SCALE, c::GL_GREEN_SCALE, c::GL_BLUE_SCALE, c::GL_ALPHA_SCALE].map(|name| (name, 1.0));
        let biases = [c::GL_RED_BIAS, c::GL_GREEN_BIAS, c::GL_BLUE_BIAS, c::GL_ALPHA_BIAS].map(|name| (name, 0.0));
        for (name, value) in scales.into_iter().chain(biases).chain([(c::GL_MAP_COLOR, 0.0f32)]) {
            let [before] = gl.floats::<1>(name);
            if before.to_bits() != value.to_bits() {
                gl.call_on_undo(id::glPixelTransferf, &[u64::from(name), u64::from(before.to_bits())]);
                gl.call(id::glPixelTransferf, &[u64::from(name), u64::from(value.to_bits())]);
            }
        }
    }
}
