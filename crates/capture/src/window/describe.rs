//! Queries about a context.

use api::when::{Client, both};
use api::{constant as c, id};
use ring::Payload;

use crate::context::{Context, Framebuffers, ReadbackSupport};
use crate::facts::{Capabilities, Hidden, ask};
use crate::process::text_at;
use crate::real::real;
use crate::thread::Thread;

/// Queries the version and features of a context that has become current for the first time, and records them.
pub(super) fn describe(thread: &mut Thread, context: &mut Context) {
    let text = |name| text_at(get_string(thread, name)).map_or("", |text| text.to_str().unwrap_or(""));
    let vendor = text(c::GL_VENDOR);
    let renderer = text(c::GL_RENDERER);
    let version = text(c::GL_VERSION);
    if let Some(number) = parse_version(version) {
        context.version = number;
    }
    // In a core profile querying all extensions at once is an error; from version 3 on they can be queried one by one.
    let extensions = if context.version.0 >= 3 { each_extension(thread) } else { text(c::GL_EXTENSIONS).to_owned() };
    context.facts = capabilities(context, &extensions);
    // Not every context that has debug output also has this query: ANGLE's of OpenGL ES 3.0 refuse it.
    let hidden = Hidden::begin(thread, context);
    refine(thread, &mut context.facts);
    hidden.end(thread);
    context.readback = readback(context.api == c::EGL_OPENGL_ES_API, context.version, &extensions);
    let texts = [vendor, renderer, version, &extensions];
    let mut words = [u64::from(context.number), 0, 0, 0, 0];
    let mut payloads = [Payload { param: 0, bytes: &[] }; 4];
    for (index, text) in texts.iter().enumerate() {
        words[index + 1] = text.as_ptr() as u64;
        payloads[index] = Payload { param: index as u8 + 1, bytes: text.as_bytes() };
    }
    thread.emit(id::afiDescribe, &words, &payloads);
}

/// Returns what is known without further queries.
fn capabilities(context: &Context, extensions: &str) -> Capabilities {
    let version = (context.version.0.max(0).cast_unsigned(), context.version.1.max(0).cast_unsigned());
    let embedded = context.api == c::EGL_OPENGL_ES_API;
    let mut capabilities = Capabilities { version, extensions: extensions.to_owned(), ..Capabilities::default() };
    capabilities.client = match version {
        _ if embedded && version.0 < 2 => Client::Es1,
        _ if embedded => Client::Es2,
        (3, 1) if !capabilities.extension("GL_ARB_compatibility") => Client::Core,
        _ => Client::Compatibility,
    };
    capabilities
}

/// Queries the profile and whether it is a debug context.
fn refine(thread: &Thread, capabilities: &mut Capabilities) {
    let integer = |name| ask::integers(thread, name, 0)[0].cast_unsigned();
    if capabilities.client == Client::Compatibility
        && capabilities.version >= (3, 2)
        && integer(c::GL_CONTEXT_PROFILE_MASK) & c::GL_CONTEXT_CORE_PROFILE_BIT != 0
    {
        capabilities.client = Client::Core;
    }
    let flags = both(30, 32).or(&["GL_KHR_debug"]);
    capabilities.debug = capabilities.has(flags) && integer(c::GL_CONTEXT_FLAGS) & c::GL_CONTEXT_FLAG_DEBUG_BIT != 0;
}

fn readback(embedded: bool, version: (i32, i32), extensions: &str) -> ReadbackSupport {
    let has = |names: &[&str]| extensions.split(' ').any(|extension| names.contains(&extension));
    let split = version.0 >= 3
        || has(&["GL_ARB_framebuffer_object", "GL_EXT_framebuffer_blit"])
        || has(&["GL_NV_framebuffer_blit", "GL_ANGLE_framebuffer_blit", "GL_APPLE_framebuffer_multisample"]);
    let one = embedded && version.0 == 2 || has(&["GL_EXT_framebuffer_object", "GL_OES_framebuffer_object"]);
    ReadbackSupport {
        framebuffers: match (split, one) {
            (true, _) => Framebuffers::Split,
            (false, true) => Framebuffers::One,
            (false, false) => Framebuffers::None,
        },
        pixel_buffers: version.0 >= 3
            || !embedded && version >= (2, 1)
            || has(&["GL_ARB_pixel_buffer_object", "GL_EXT_pixel_buffer_object", "GL_NV_pixel_buffer_object"]),
        pack_rows: !embedded || version.0 >= 3 || has(&["GL_NV_pack_subimage"]),
        read_buffer: !embedded || version.0 >= 3,
    }
}

fn get_string(thread: &Thread, name: u32) -> u64 {
    // SAFETY: this is the signature in GL.
    let get = unsafe { real!(thread, glGetString, fn(u32) -> u64) };
    // SAFETY: a context is current, and any name may be asked.
    get.map_or(0, |get| unsafe { get(name) })
}

fn each_extension(thread: &Thread) -> String {
    // SAFETY: this is the signature in GL.
    let integer = unsafe { real!(thread, glGetIntegerv, fn(u32, *mut i32)) };
    // SAFETY: this is the signature in GL.
    let indexed = unsafe { real!(thread, glGetStringi, fn(u32, u32) -> u64) };
    let (Some(integer), Some(indexed)) = (integer, indexed) else { return String::new() };
    let mut count = 0;
    // SAFETY: a context is current, and this value is one integer.
    unsafe { integer(c::GL_NUM_EXTENSIONS, &raw mut count) };
    let names = (0..u32::try_from(count).unwrap_or(0)).map(|index| {
        // SAFETY: the driver has reported this many extensions.
        let name = unsafe { indexed(c::GL_EXTENSIONS, index) };
        text_at(name).map_or("", |text| text.to_str().unwrap_or(""))
    });
    names.collect::<Vec<_>>().join(" ")
}

/// Parses the version in `GL_VERSION`, such as `4.5 (Core Profile) Mesa` or `OpenGL ES-CM 1.1 Mesa`.
pub(super) fn parse_version(text: &str) -> Option<(i32, i32)> {
    let start = text.find(|character: char| character.is_ascii_digit())?;
    let mut numbers = text.get(start..)?.split(|character: char| !character.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::parse_version;

    #[test]
    fn versions_are_parsed_from_driver_strings() {
        assert_eq!(parse_version("4.5 (Core Profile) Mesa 22.3.6"), Some((4, 5)));
        assert_eq!(parse_version("OpenGL ES 3.2 NVIDIA 550.54"), Some((3, 2)));
        assert_eq!(parse_version("OpenGL ES-CM 1.1 Mesa 22.3.6"), Some((1, 1)));
        assert_eq!(parse_version("2.1"), Some((2, 1)));
        assert_eq!(parse_version(""), None);
        assert_eq!(parse_version("next"), None);
    }
}
