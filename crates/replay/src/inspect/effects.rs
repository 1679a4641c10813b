//! Redirects what shaders write, apart from their targets, to copies.

use std::collections::BTreeMap;

use api::{constant as c, id};
use instrument::InspectError;
use state::View;
use state::objects::texture::{Target, Texture};
use state::reach::{Use, WorkKind, reach};

use super::changes::failed;
use super::undo::{UndoRecorder, word};

/// Replaces everything that the running shaders can write by copies, until the undo.
pub fn divert(gl: &mut UndoRecorder<'_>, view: &View<'_>, work: WorkKind) -> Result<(), InspectError> {
    let mut written = Vec::new();
    reach(view.context, view.group, work, &mut |used| {
        if used.is_written() && !written.contains(&used) {
            written.push(used);
        }
    });
    if written.is_empty() {
        return Ok(());
    }
    let mut copies = BTreeMap::new();
    let buffers = [
        (c::GL_SHADER_STORAGE_BUFFER, c::GL_SHADER_STORAGE_BUFFER_BINDING),
        (c::GL_ATOMIC_COUNTER_BUFFER, c::GL_ATOMIC_COUNTER_BUFFER_BINDING),
    ];
    for (target, binding) in buffers {
        let storage = target == c::GL_SHADER_STORAGE_BUFFER;
        let wanted = written.iter().any(|used| match used {
            Use::StorageBuffer { .. } => storage,
            Use::CounterBuffer { .. } => !storage,
            _ => false,
        });
        if wanted {
            gl.keep_buffer(target, binding);
        }
    }
    for used in written {
        match used {
            Use::StorageBuffer { binding } => divert_range(gl, Range::STORAGE, binding, &mut copies),
            Use::CounterBuffer { binding } => divert_range(gl, Range::COUNTERS, binding, &mut copies),
            Use::Image { unit } => divert_image(gl, view, unit, &mut copies)?,
            _ => return Err(failed("the trace does not say what the program may write")),
        }
    }
    Ok(())
}

/// A kind of buffers that are bound in ranges.
#[derive(Clone, Copy)]
pub struct Range {
    target: u32,
    binding: u32,
    start: u32,
    size: u32,
}

impl Range {
    pub const STORAGE: Range = Range {
        target: c::GL_SHADER_STORAGE_BUFFER,
        binding: c::GL_SHADER_STORAGE_BUFFER_BINDING,
        start: c::GL_SHADER_STORAGE_BUFFER_START,
        size: c::GL_SHADER_STORAGE_BUFFER_SIZE,
    };
    pub const COUNTERS: Range = Range {
        target: c::GL_ATOMIC_COUNTER_BUFFER,
        binding: c::GL_ATOMIC_COUNTER_BUFFER_BINDING,
        start: c::GL_ATOMIC_COUNTER_BUFFER_START,
        size: c::GL_ATOMIC_COUNTER_BUFFER_SIZE,
    };
    pub const FEEDBACK: Range = Range {
        target: c::GL_TRANSFORM_FEEDBACK_BUFFER,
        binding: c::GL_TRANSFORM_FEEDBACK_BUFFER_BINDING,
        start: c::GL_TRANSFORM_FEEDBACK_BUFFER_START,
        size: c::GL_TRANSFORM_FEEDBACK_BUFFER_SIZE,
    };

    /// Saves the binding at an index for the undo: the buffer, its offset and its size. The caller saves the binding of the
    /// target itself first, which changes with it.
    pub fn keep(self, gl: &mut UndoRecorder<'_>, index: u32) -> (u32, i64, i64) {
        let name = gl.indexed(self.binding, index).cast_unsigned();
        let (start, size) = (gl.indexed_long(self.start, index), gl.indexed_long(self.size, index));
        gl.on_undo(move |player| {
            bind(player, self.target, index, name, (start, size));
        });
        (name, start, size)
    }
}

fn bind(player: &mut crate::player::Player, target: u32, index: u32, name: u32, (start, size): (i64, i64)) {
    let head = [target, index, name].map(u64::from);
    if size == 0 {
        player.own_call(id::glBindBufferBase, &head);
    } else {
        let [target, index, name] = head;
        player.own_call(id::glBindBufferRange, &[target, index, name, start.cast_unsigned(), size.cast_unsigned()]);
    }
}

fn divert_range(gl: &mut UndoRecorder<'_>, range: Range, index: u32, copies: &mut BTreeMap<u32, u32>) {
    let (name, start, size) = range.keep(gl, index);
    if name != 0 {
        let copy = copy_of(gl, name, copies);
        bind(gl.player, range.target, index, copy, (start, size));
    }
}

/// A copy of a buffer; the same one for all places where the buffer is bound.
fn copy_of(gl: &mut UndoRecorder<'_>, name: u32, copies: &mut BTreeMap<u32, u32>) -> u32 {
    if let Some(copy) = copies.get(&name) {
        return *copy;
    }
    let (from, to) = (u64::from(c::GL_COPY_READ_BUFFER), u64::from(c::GL_COPY_WRITE_BUFFER));
    if copies.is_empty() {
        // The names of these targets ask for what is bound to them (GL 4.6, table 23.74).
        gl.keep_buffer(c::GL_COPY_READ_BUFFER, c::GL_COPY_READ_BUFFER_BINDING);
        gl.keep_buffer(c::GL_COPY_WRITE_BUFFER, c::GL_COPY_WRITE_BUFFER_BINDING);
    }
    let copy = gl.generate(id::glGenBuffers);
    gl.delete_on_undo(id::glDeleteBuffers, copy);
    gl.call(id::glBindBuffer, &[from, u64::from(name)]);
    let size = gl.player.bound_buffer_size(from);
    gl.call(id::glBindBuffer, &[to, u64::from(copy)]);
    gl.call(id::glBufferData, &[to, size, 0, u64::from(c::GL_STREAM_COPY)]);
    gl.call(id::glCopyBufferSubData, &[from, to, 0, 0, size]);
    copies.insert(name, copy);
    copy
}

/// Puts a copy of the level that is bound to an image unit in its place.
fn divert_image(
    gl: &mut UndoRecorder<'_>,
    view: &View<'_>,
    unit: u32,
    copies: &mut BTreeMap<u32, u32>,
) -> Result<(), InspectError> {
    let name = gl.indexed(c::GL_IMAGE_BINDING_NAME, unit);
    let level = gl.indexed(c::GL_IMAGE_BINDING_LEVEL, unit);
    let layered = gl.indexed(c::GL_IMAGE_BINDING_LAYERED, unit);
    let layer = gl.indexed(c::GL_IMAGE_BINDING_LAYER, unit);
    let access = gl.indexed(c::GL_IMAGE_BINDING_ACCESS, unit);
    let format = gl.indexed(c::GL_IMAGE_BINDING_FORMAT, unit);
    if name == 0 || access.cast_unsigned() == c::GL_READ_ONLY {
        return Ok(());
    }
    let unknown = || failed(&format!("what is bound to image unit {unit} is not known"));
    let bound = view.context.units.images.get(unit as usize).ok_or_else(unknown)?;
    let texture = view.group.texture(bound.texture).ok_or_else(unknown)?;
    let before = [u64::from(unit), word(name), word(level), word(layered), word(layer), word(access), word(format)];
    gl.call_on_undo(id::glBindImageTexture, &before);
    let copy = if texture.target == Some(Target::Buffer) {
        copy_buffer_texture(gl, texture, copies)?
    } else {
        copy_level(gl, texture, (name.cast_unsigned(), level.cast_unsigned()))?
    };
    let words = [u64::from(unit), u64::from(copy), 0, word(layered), word(layer), word(access), word(format)];
    gl.call(id::glBindImageTexture, &words);
    Ok(())
}

fn copy_buffer_texture(
    gl: &mut UndoRecorder<'_>,
    texture: &Texture,
    copies: &mut BTreeMap<u32, u32>,
) -> Result<u32, InspectError> {
    let store = texture.buffer.ok_or_else(|| failed("a buffer texture without a buffer is written"))?;
    let format = texture.buffer_format.unwrap_or(c::GL_R8);
    let real = gl.player.world.real_name(api::Namespace::Buffer, store.name);
    let buffer = copy_of(gl, real, copies);
    let copy = new_texture(gl, Target::Buffer);
    let target = u64::from(c::GL_TEXTURE_BUFFER);
    match store.size {
        Some(size) => {
            let range = [store.offset.cast_unsigned(), size.cast_unsigned()];
            gl.call(id::glTexBufferRange, &[target, u64::from(format), u64::from(buffer), range[0], range[1]]);
        }
        None => {
            gl.call(id::glTexBuffer, &[target, u64::from(format), u64::from(buffer)]);
        }
    }
    Ok(copy)
}

/// A texture of one level that is a copy of another's.
fn copy_level(gl: &mut UndoRecorder<'_>, texture: &Texture, (name, level): (u32, u32)) -> Result<u32, InspectError> {
    if !gl.capabilities.has(43, 32, &["GL_ARB_copy_image", "GL_EXT_copy_image", "GL_OES_copy_image"]) {
        return Err(failed("the program writes to an image, and this driver copies none"));
    }
    let about = texture.level(level, 0).ok_or_else(|| failed("the program writes to an image that has no texels"))?;
    let target = texture.target.ok_or_else(|| failed("the program writes to an image of no kind"))?;
    if target == Target::External {
        return Err(failed("the program writes to an image of a kind that cannot be copied"));
    }
    let kind = target.name();
    let copy = new_texture(gl, target);
    let [width, height, depth] = about.size.map(word);
    let (target, format) = (u64::from(kind), u64::from(sized(about.internal)));
    let (samples, fixed) = (word(about.samples), u64::from(about.fixed));
    // Depth of a copy: faces count as layers (GL 4.6, 18.3.2).
    let mut layers = depth;
    match kind {
        c::GL_TEXTURE_1D => gl.call(id::glTexStorage1D, &[target, 1, format, width]),
        c::GL_TEXTURE_3D | c::GL_TEXTURE_2D_ARRAY | c::GL_TEXTURE_CUBE_MAP_ARRAY => {
            gl.call(id::glTexStorage3D, &[target, 1, format, width, height, depth])
        }
        c::GL_TEXTURE_2D_MULTISAMPLE => {
            gl.call(id::glTexStorage2DMultisample, &[target, samples, format, width, height, fixed])
        }
        c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY => {
            gl.call(id::glTexStorage3DMultisample, &[target, samples, format, width, height, depth, fixed])
        }
        _ => {
            if kind == c::GL_TEXTURE_CUBE_MAP {
                layers = 6;
            }
            gl.call(id::glTexStorage2D, &[target, 1, format, width, height])
        }
    };
    let from = [u64::from(name), target, u64::from(level), 0, 0, 0];
    let (height, layers) = if kind == c::GL_TEXTURE_1D_ARRAY { (1, height) } else { (height, layers) };
    let mut words = from.to_vec();
    words.extend([u64::from(copy), target, 0, 0, 0, 0, width, height, layers]);
    let complete = texture.immutable || texture.target.is_some_and(|target| FETCHED.contains(&target));
    if complete {
        gl.call(id::glCopyImageSubData, &words);
    } else {
        // Only complete textures can be copied (GL 4.6, 18.3.2); one of a single level that is not filtered is.
        gl.call(id::glBindTexture, &[target, u64::from(name)]);
        let own = [
            (c::GL_TEXTURE_BASE_LEVEL, word(texture.base_level), u64::from(level)),
            (c::GL_TEXTURE_MAX_LEVEL, word(texture.max_level), u64::from(level)),
            (c::GL_TEXTURE_MIN_FILTER, u64::from(texture.sampling.min_filter), u64::from(c::GL_NEAREST)),
            (c::GL_TEXTURE_MAG_FILTER, u64::from(texture.sampling.mag_filter), u64::from(c::GL_NEAREST)),
        ];
        for (parameter, _, value) in own {
            gl.call(id::glTexParameteri, &[target, u64::from(parameter), value]);
        }
        gl.call(id::glCopyImageSubData, &words);
        for (parameter, before, _) in own {
            gl.call(id::glTexParameteri, &[target, u64::from(parameter), before]);
        }
        gl.call(id::glBindTexture, &[target, u64::from(copy)]);
    }
    match gl.player.take_error() {
        0 => Ok(copy),
        error => Err(failed(&format!("the image that the program writes to cannot be copied (error {error:#06x})"))),
    }
}

/// Textures with one level and without filtering.
const FETCHED: [Target; 3] = [Target::Multisample, Target::MultisampleArray, Target::Buffer];

/// A new texture, bound to the active unit until all is undone.
fn new_texture(gl: &mut UndoRecorder<'_>, target: Target) -> u32 {
    let before = gl.integer(target.binding());
    let target = target.name();
    let texture = gl.generate(id::glGenTextures);
    gl.delete_on_undo(id::glDeleteTextures, texture);
    gl.call_on_undo(id::glBindTexture, &[u64::from(target), word(before)]);
    gl.call(id::glBindTexture, &[u64::from(target), u64::from(texture)]);
    texture
}

/// The format that storage is asked for, where the program asked for any that suits the driver.
fn sized(internal: u32) -> u32 {
    match internal {
        c::GL_RGBA => c::GL_RGBA8,
        c::GL_RGB => c::GL_RGB8,
        c::GL_RG => c::GL_RG8,
        c::GL_RED => c::GL_R8,
        other => other,
    }
}
