//! A framebuffer of the diversion's own, like the one that the program draws to.

use api::{constant as c, id};
use device::{Target, Tests};
use instrument::{InspectError, Transport};
use state::View;
use state::objects::framebuffer::Attachment;

use super::changes::failed;
use super::hand::{Hand, word};
use super::peel;
use super::scissor::Scissor;

/// No framebuffer is larger on a side.
const LARGEST: i32 = 1 << 15;

/// What the current context draws to. Planes are asked of the driver, since that is what copies must fit.
pub fn target_of(hand: &mut Hand<'_>, view: &View<'_>) -> Target {
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
    let (depth, stencil) = planes(hand, &mut target.float_depth, name == 0);
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
fn planes(hand: &mut Hand<'_>, float: &mut bool, surface: bool) -> (u32, u32) {
    if !hand.can.blits() {
        return (hand.integer(c::GL_DEPTH_BITS).cast_unsigned(), hand.integer(c::GL_STENCIL_BITS).cast_unsigned());
    }
    let names = if surface { [c::GL_DEPTH, c::GL_STENCIL] } else { [c::GL_DEPTH_ATTACHMENT, c::GL_STENCIL_ATTACHMENT] };
    let mut ask = |attachment: u32, what: u32| {
        let mut value = [0i32; 4];
        let target = u64::from(c::GL_DRAW_FRAMEBUFFER);
        let words = [target, u64::from(attachment), u64::from(what), value.as_mut_ptr() as u64];
        hand.call(id::glGetFramebufferAttachmentParameteriv, &words);
        value[0].cast_unsigned()
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
    while hand.player.take_error() != 0 {}
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
pub fn can_be_bare(hand: &Hand<'_>, target: &Target) -> bool {
    let layers = target.layers > 1 && hand.can.has(43, 32, &["GL_ARB_framebuffer_no_attachments"]);
    let samples = target.samples > 1 && hand.can.has(43, 31, &["GL_ARB_framebuffer_no_attachments"]);
    layers || samples && target.layers <= 1
}

/// Whether there can be a framebuffer with the size, layers and samples of a target and nothing to draw to. Mesa has no
/// fragments in one that is upside down, as surfaces are.
pub fn need_nothing(hand: &Hand<'_>, target: &Target) -> bool {
    let can = hand.can.has(43, if target.layers > 1 { 32 } else { 31 }, &["GL_ARB_framebuffer_no_attachments"]);
    can && !target.surface
}

/// Binds a framebuffer for a transport, like the one that is drawn to, until all is undone; it is empty, but for depth
/// and stencil. If only a rectangle is to be drawn to, only that is made so: a window of one pixel must not cost what a
/// whole picture does. One that is bare has nothing but a size, layers and samples. Without tests it may be one fragment of
/// each pixel that is drawn, by its number.
pub fn divert(
    hand: &mut Hand<'_>,
    target: &Target,
    transport: Transport,
    (tests, scissor, only): (Tests, &Scissor, Option<[i32; 4]>),
    (bare, ordinal): (bool, Option<u8>),
) -> Result<Vec<&'static str>, InspectError> {
    let mut notes = Vec::new();
    if transport == Transport::Storage && bare {
        return Own::bind(hand, target).is_bare(hand, target, scissor).map(|()| notes);
    }
    if target.layers > 1 {
        notes.push("layers of the target are drawn on top of each other, against the depth of the first");
    }
    let own = Own::bind(hand, target);
    let [width, height] = target.size.map(u64::from);
    let storage = u64::from(c::GL_RENDERBUFFER);
    let bound = hand.integer(c::GL_RENDERBUFFER_BINDING);
    hand.later_call(id::glBindRenderbuffer, &[storage, word(bound)]);
    let (format, count) = colours(transport);
    let both = u64::from(if hand.can.blits() { c::GL_DRAW_FRAMEBUFFER } else { c::GL_FRAMEBUFFER });
    for at in 0..count {
        let colour = renderbuffer(hand, format, [width, height]);
        let place = u64::from(c::GL_COLOR_ATTACHMENT0 + at);
        hand.call(id::glFramebufferRenderbuffer, &[both, place, storage, u64::from(colour)]);
    }
    own.choose(hand, if outputs(transport) { count } else { 0 });
    scissor.open(hand, None);
    open_masks(hand);
    let planes = plane_format(target)?;
    match planes {
        Some(format) if tests != Tests::Off && hand.can.blits() => {
            let plane = renderbuffer(hand, format, [width, height]);
            for (bits, place) in target.bits.into_iter().zip([c::GL_DEPTH_ATTACHMENT, c::GL_STENCIL_ATTACHMENT]) {
                if bits != 0 {
                    hand.call(id::glFramebufferRenderbuffer, &[both, u64::from(place), storage, u64::from(plane)]);
                }
            }
            scissor.open(hand, only.filter(|_| tests != Tests::Recorded));
            fill_planes(hand, target, (tests, only), own)?;
            if target.samples > 1 && tests == Tests::Recorded {
                notes.push("pixels have one sample, and tests are against one of those they had");
            }
        }
        Some(_) if tests == Tests::Recorded => {
            notes.push("tests are off: OpenGL ES 2 has no means to copy depth and stencil");
            tests_off(hand);
        }
        Some(_) => tests_off(hand),
        None if tests == Tests::Off => tests_off(hand),
        None => {}
    }
    if let Some(ordinal) = ordinal.filter(|_| tests == Tests::Off) {
        peel::only(hand, [width, height], ordinal);
    }
    if hand.call(id::glCheckFramebufferStatus, &[both]) as u32 != c::GL_FRAMEBUFFER_COMPLETE {
        return Err(InspectError::Rejected {
            log: format!("the driver has no framebuffer of {count} targets of format {format:#06x}"),
            source_text: String::new(),
        });
    }
    scissor.open(hand, only);
    clear_colours(hand, transport);
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
    fn bind(hand: &mut Hand<'_>, target: &Target) -> Own {
        let name = hand.generate(id::glGenFramebuffers);
        hand.delete_later(id::glDeleteFramebuffers, name);
        let drawn = if hand.can.blits() {
            let (drawn, read) =
                (hand.integer(c::GL_DRAW_FRAMEBUFFER_BINDING), hand.integer(c::GL_READ_FRAMEBUFFER_BINDING));
            hand.later_call(id::glBindFramebuffer, &[u64::from(c::GL_READ_FRAMEBUFFER), word(read)]);
            hand.later_call(id::glBindFramebuffer, &[u64::from(c::GL_DRAW_FRAMEBUFFER), word(drawn)]);
            drawn
        } else {
            let drawn = hand.integer(c::GL_FRAMEBUFFER_BINDING);
            hand.later_call(id::glBindFramebuffer, &[u64::from(c::GL_FRAMEBUFFER), word(drawn)]);
            drawn
        };
        hand.call(id::glBindFramebuffer, &[u64::from(c::GL_FRAMEBUFFER), u64::from(name)]);
        // Mesa has surfaces upside down, which makes a difference in the last bit of what is interpolated, and in which
        // pixel of a square decides about the level of detail. Compatibility contexts offer the extension and lack its
        // function; GL's own takes the name.
        if target.surface && hand.can.has(0, 0, &["GL_MESA_framebuffer_flip_y"]) {
            let own = hand.can.has(43, 31, &["GL_ARB_framebuffer_no_attachments"]);
            let set = if own { id::glFramebufferParameteri } else { id::glFramebufferParameteriMESA };
            let flip = u64::from(c::GL_FRAMEBUFFER_FLIP_Y_MESA);
            hand.call(set, &[u64::from(c::GL_FRAMEBUFFER), flip, 1]);
        }
        Own { drawn, name }
    }

    /// Leaves it without anything to draw to (GL 4.6, 9.2.1).
    fn is_bare(self, hand: &mut Hand<'_>, target: &Target, scissor: &Scissor) -> Result<(), InspectError> {
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
            hand.call(id::glFramebufferParameteri, &[both, u64::from(name), u64::from(value)]);
        }
        self.choose(hand, 0);
        hand.call(id::glReadBuffer, &[u64::from(c::GL_NONE)]);
        scissor.open(hand, None);
        open_masks(hand);
        match hand.call(id::glCheckFramebufferStatus, &[both]) as u32 {
            c::GL_FRAMEBUFFER_COMPLETE => Ok(()),
            status => Err(InspectError::Rejected {
                log: format!("the driver has no framebuffer without attachments like this one (status {status:#06x})"),
                source_text: String::new(),
            }),
        }
    }

    /// Draws to so many colours, and reads from the first.
    fn choose(self, hand: &mut Hand<'_>, count: u32) {
        let list: Vec<u32> = match count {
            0 => vec![c::GL_NONE],
            count => (0..count).map(|at| c::GL_COLOR_ATTACHMENT0 + at).collect(),
        };
        if hand.can.has(20, 30, &[]) {
            hand.call(id::glDrawBuffers, &[list.len() as u64, list.as_ptr() as u64]);
        }
        if hand.can.has(10, 30, &[]) {
            hand.call(id::glReadBuffer, &[u64::from(c::GL_COLOR_ATTACHMENT0)]);
        }
    }
}

pub fn renderbuffer(hand: &mut Hand<'_>, format: u32, [width, height]: [u64; 2]) -> u32 {
    let target = u64::from(c::GL_RENDERBUFFER);
    let name = hand.generate(id::glGenRenderbuffers);
    hand.delete_later(id::glDeleteRenderbuffers, name);
    while hand.player.take_error() != 0 {}
    hand.call(id::glBindRenderbuffer, &[target, u64::from(name)]);
    hand.call(id::glRenderbufferStorage, &[target, u64::from(format), width, height]);
    if hand.player.take_error() != 0 && !hand.can.desktop {
        // OpenGL ES lacks formats that surfaces have, such as 32 bits of depth; desktop GL may make them for it.
        let context = hand.player.world.active().context;
        if hand.player.world.step_aside(context, 0).unwrap_or(false) {
            hand.call(id::glBindRenderbuffer, &[target, u64::from(name)]);
            hand.call(id::glRenderbufferStorage, &[target, u64::from(format), width, height]);
            hand.call(id::glBindRenderbuffer, &[target, 0]);
            while hand.player.take_error() != 0 {}
        }
        // Nothing can go on if this fails, and whatever comes next says so.
        let _ = hand.player.world.step_back();
        hand.call(id::glBindRenderbuffer, &[target, u64::from(name)]);
    }
    name
}

/// Has nothing hold back what is drawn but the tests, until all is undone: values must come out as they are.
fn open_masks(hand: &mut Hand<'_>) {
    let mut off = vec![c::GL_DITHER, c::GL_SAMPLE_ALPHA_TO_COVERAGE, c::GL_SAMPLE_COVERAGE];
    if hand.can.desktop {
        off.extend([c::GL_COLOR_LOGIC_OP, c::GL_POLYGON_SMOOTH, c::GL_LINE_SMOOTH, c::GL_SAMPLE_ALPHA_TO_ONE]);
    }
    if hand.can.compatibility {
        off.extend([c::GL_ALPHA_TEST, c::GL_POINT_SMOOTH]);
    }
    if hand.can.has(30, 0, &["GL_ARB_framebuffer_sRGB", "GL_EXT_sRGB_write_control"]) {
        off.push(c::GL_FRAMEBUFFER_SRGB);
    }
    if hand.can.has(32, 31, &["GL_ARB_texture_multisample"]) {
        off.push(c::GL_SAMPLE_MASK);
    }
    for what in off {
        hand.off(what);
    }
    let targets = if hand.can.has(20, 30, &[]) { hand.integer(c::GL_MAX_DRAW_BUFFERS).clamp(1, 16) } else { 1 };
    if hand.can.indexed_masks() {
        for at in 0..targets.cast_unsigned() {
            if hand.call(id::glIsEnabledi, &[u64::from(c::GL_BLEND), u64::from(at)]) & 0xFF != 0 {
                hand.later_call(id::glEnablei, &[u64::from(c::GL_BLEND), u64::from(at)]);
                hand.call(id::glDisablei, &[u64::from(c::GL_BLEND), u64::from(at)]);
            }
            let mut mask = [0u8; 16];
            let words = [u64::from(c::GL_COLOR_WRITEMASK), u64::from(at), mask.as_mut_ptr() as u64];
            hand.call(id::glGetBooleani_v, &words);
            let [red, green, blue, alpha] = [mask[0], mask[1], mask[2], mask[3]].map(u64::from);
            if [red, green, blue, alpha] != [1; 4] {
                hand.later_call(id::glColorMaski, &[u64::from(at), red, green, blue, alpha]);
                hand.call(id::glColorMaski, &[u64::from(at), 1, 1, 1, 1]);
            }
        }
        one_source(hand, targets.cast_unsigned());
    } else {
        hand.off(c::GL_BLEND);
        let mask = hand.integers::<4>(c::GL_COLOR_WRITEMASK);
        hand.later_call(id::glColorMask, &mask.map(word));
        hand.call(id::glColorMask, &[1; 4]);
    }
    if hand.can.compatibility && hand.can.has(30, 0, &[]) {
        for what in [c::GL_CLAMP_FRAGMENT_COLOR, c::GL_CLAMP_READ_COLOR] {
            let before = hand.integer(what);
            hand.later_call(id::glClampColor, &[u64::from(what), word(before)]);
            hand.call(id::glClampColor, &[u64::from(what), 0]);
        }
    }
}

/// Takes blend functions away that have a second colour until all is undone: with them there may be few draw buffers,
/// whether anything is blended or not (GL 4.6, 17.3.6.3).
fn one_source(hand: &mut Hand<'_>, targets: u32) {
    const FUNCTIONS: [u32; 4] =
        [c::GL_BLEND_SRC_RGB, c::GL_BLEND_DST_RGB, c::GL_BLEND_SRC_ALPHA, c::GL_BLEND_DST_ALPHA];
    const SECOND: [u32; 4] =
        [c::GL_SRC1_COLOR, c::GL_SRC1_ALPHA, c::GL_ONE_MINUS_SRC1_COLOR, c::GL_ONE_MINUS_SRC1_ALPHA];
    if !hand.can.has(40, 32, &["GL_ARB_draw_buffers_blend"]) {
        let functions = FUNCTIONS.map(|name| hand.integer(name));
        if functions.iter().any(|function| SECOND.contains(&function.cast_unsigned())) {
            hand.later_call(id::glBlendFuncSeparate, &functions.map(word));
            hand.call(id::glBlendFunc, &[u64::from(c::GL_ONE), u64::from(c::GL_ZERO)]);
        }
        return;
    }
    for at in 0..targets {
        let functions = FUNCTIONS.map(|name| {
            let mut values = [0i32; 4];
            hand.call(id::glGetIntegeri_v, &[u64::from(name), u64::from(at), values.as_mut_ptr() as u64]);
            values[0]
        });
        if functions.iter().any(|function| SECOND.contains(&function.cast_unsigned())) {
            let [source, destination, alpha, destination_alpha] = functions.map(word);
            let words = [u64::from(at), source, destination, alpha, destination_alpha];
            hand.later_call(id::glBlendFuncSeparatei, &words);
            hand.call(id::glBlendFunci, &[u64::from(at), u64::from(c::GL_ONE), u64::from(c::GL_ZERO)]);
        }
    }
}

/// Switches off tests that throw fragments away.
fn tests_off(hand: &mut Hand<'_>) {
    hand.off(c::GL_DEPTH_TEST);
    hand.off(c::GL_STENCIL_TEST);
    if hand.can.extensions.contains("GL_EXT_depth_bounds_test") {
        hand.off(c::GL_DEPTH_BOUNDS_TEST_EXT);
    }
}

/// Gives depth and stencil what the program's have, or what is wanted.
fn fill_planes(
    hand: &mut Hand<'_>,
    target: &Target,
    (tests, only): (Tests, Option<[i32; 4]>),
    own: Own,
) -> Result<(), InspectError> {
    let [width, height] = target.size;
    let [x, y, across, up] = only.map_or([0, 0, width, height], |only| only.map(|side| side.max(0).cast_unsigned()));
    let [left, bottom, right, top] = [x, y, (x + across).min(width), (y + up).min(height)].map(u64::from);
    if let Tests::Against { depth, stencil } = tests {
        let mut mask = [0u8; 4];
        hand.call(id::glGetBooleanv, &[u64::from(c::GL_DEPTH_WRITEMASK), mask.as_mut_ptr() as u64]);
        hand.call(id::glDepthMask, &[1]);
        let (front, back) = (hand.integer(c::GL_STENCIL_WRITEMASK), hand.integer(c::GL_STENCIL_BACK_WRITEMASK));
        hand.call(id::glStencilMask, &[0xFF]);
        if target.bits[0] != 0 {
            hand.call(id::glClearBufferfv, &[u64::from(c::GL_DEPTH), 0, [depth].as_ptr() as u64]);
        }
        if target.bits[1] != 0 {
            hand.call(id::glClearBufferiv, &[u64::from(c::GL_STENCIL), 0, [i32::from(stencil)].as_ptr() as u64]);
        }
        hand.call(id::glDepthMask, &[u64::from(mask[0])]);
        hand.call(id::glStencilMaskSeparate, &[u64::from(c::GL_FRONT), word(front)]);
        hand.call(id::glStencilMaskSeparate, &[u64::from(c::GL_BACK), word(back)]);
        return Ok(());
    }
    while hand.player.take_error() != 0 {}
    let read = u64::from(c::GL_READ_FRAMEBUFFER);
    hand.call(id::glBindFramebuffer, &[read, word(own.drawn)]);
    let mut bits = 0;
    for (count, bit) in target.bits.into_iter().zip([c::GL_DEPTH_BUFFER_BIT, c::GL_STENCIL_BUFFER_BIT]) {
        bits |= if count == 0 { 0 } else { bit };
    }
    let (bits, nearest) = (u64::from(bits), u64::from(c::GL_NEAREST));
    let words = [left, bottom, right, top, left, bottom, right, top, bits, nearest];
    hand.call(id::glBlitFramebuffer, &words);
    hand.call(id::glBindFramebuffer, &[read, u64::from(own.name)]);
    match hand.player.take_error() {
        0 => Ok(()),
        error => Err(failed(&format!("depth and stencil cannot be copied (error {error:#06x})"))),
    }
}

/// Clears the colours to zeros.
pub fn clear_colours(hand: &mut Hand<'_>, transport: Transport) {
    let (_, count) = colours(transport);
    if !outputs(transport) {
        return;
    }
    let discards = hand.can.has(30, 30, &[]) && hand.enabled(c::GL_RASTERIZER_DISCARD);
    if discards {
        hand.call(id::glDisable, &[u64::from(c::GL_RASTERIZER_DISCARD)]);
    }
    if let Transport::IntegerTargets(_) = transport {
        let zeros = [0u32; 4];
        for at in 0..u64::from(count) {
            hand.call(id::glClearBufferuiv, &[u64::from(c::GL_COLOR), at, zeros.as_ptr() as u64]);
        }
    } else {
        let before = hand.floats::<4>(c::GL_COLOR_CLEAR_VALUE);
        hand.call(id::glClearColor, &[0; 4]);
        hand.call(id::glClear, &[u64::from(c::GL_COLOR_BUFFER_BIT)]);
        hand.call(id::glClearColor, &before.map(|value| u64::from(value.to_bits())));
    }
    if discards {
        hand.call(id::glEnable, &[u64::from(c::GL_RASTERIZER_DISCARD)]);
    }
}

/// The words that colours hold in a rectangle, pixel by pixel, from the lowest row up.
pub fn read(hand: &mut Hand<'_>, transport: Transport, rectangle: [u32; 4]) -> Vec<u32> {
    keep_packing(hand);
    let [_, _, width, height] = rectangle;
    let pixels = width as usize * height as usize;
    let (_, count) = colours(transport);
    let window = transport.window().unwrap_or(1) as usize;
    let each = window / count as usize;
    let mut words = vec![0u32; pixels * window];
    for at in 0..count {
        if hand.can.has(10, 30, &[]) {
            hand.call(id::glReadBuffer, &[u64::from(c::GL_COLOR_ATTACHMENT0 + at)]);
        }
        let (format, kind, size) = match transport {
            Transport::IntegerTargets(_) => (c::GL_RGBA_INTEGER, c::GL_UNSIGNED_INT, 4),
            Transport::FloatTargets(_) => (c::GL_RGBA, c::GL_FLOAT, 4),
            _ => (c::GL_RGBA, c::GL_UNSIGNED_BYTE, 1),
        };
        let mut raw = vec![0u32; pixels * size];
        let [x, y, width, height] = rectangle.map(u64::from);
        let data = raw.as_mut_ptr() as u64;
        hand.call(id::glReadPixels, &[x, y, width, height, u64::from(format), u64::from(kind), data]);
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

/// Has pixels put into memory as they are, until all is undone.
fn keep_packing(hand: &mut Hand<'_>) {
    if hand.can.has(21, 30, &["GL_ARB_pixel_buffer_object"]) {
        hand.keep_buffer(c::GL_PIXEL_PACK_BUFFER, c::GL_PIXEL_PACK_BUFFER_BINDING);
        hand.call(id::glBindBuffer, &[u64::from(c::GL_PIXEL_PACK_BUFFER), 0]);
    }
    let mut wanted = vec![(c::GL_PACK_ALIGNMENT, 1)];
    if hand.can.has(10, 30, &[]) {
        wanted.extend([(c::GL_PACK_ROW_LENGTH, 0), (c::GL_PACK_SKIP_ROWS, 0), (c::GL_PACK_SKIP_PIXELS, 0)]);
    }
    if hand.can.desktop {
        wanted.push((c::GL_PACK_SWAP_BYTES, 0));
    }
    if hand.can.extensions.contains("GL_MESA_pack_invert") {
        wanted.push((c::GL_PACK_INVERT_MESA, 0));
    }
    for (name, value) in wanted {
        let before = hand.integer(name);
        if before != value {
            hand.later_call(id::glPixelStorei, &[u64::from(name), word(before)]);
            hand.call(id::glPixelStorei, &[u64::from(name), word(value)]);
        }
    }
    if hand.can.compatibility {
        let scales = [c::GL_RED_SCALE, c::GL_GREEN_SCALE, c::GL_BLUE_SCALE, c::GL_ALPHA_SCALE].map(|name| (name, 1.0));
        let biases = [c::GL_RED_BIAS, c::GL_GREEN_BIAS, c::GL_BLUE_BIAS, c::GL_ALPHA_BIAS].map(|name| (name, 0.0));
        for (name, value) in scales.into_iter().chain(biases).chain([(c::GL_MAP_COLOR, 0.0f32)]) {
            let [before] = hand.floats::<1>(name);
            if before.to_bits() != value.to_bits() {
                hand.later_call(id::glPixelTransferf, &[u64::from(name), u64::from(before.to_bits())]);
                hand.call(id::glPixelTransferf, &[u64::from(name), u64::from(value.to_bits())]);
            }
        }
    }
}
