//! Calls that a diversion makes in the program's context, with what undoes them.

use std::collections::BTreeSet;

use api::{CommandId, constant as c, id};
use shader::version::Profile;

use crate::player::Player;

/// What undoes something.
type Undo = Box<dyn FnOnce(&mut Player)>;

/// Makes calls in the context that is current, and remembers how to undo what they change.
pub struct Hand<'p> {
    pub player: &'p mut Player,
    pub can: &'p Can,
    undo: Vec<Undo>,
}

/// What a context is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Can {
    /// Desktop GL rather than OpenGL ES.
    pub desktop: bool,
    /// Desktop GL that still has what was deprecated.
    pub compatibility: bool,
    pub version: (u32, u32),
    pub extensions: BTreeSet<String>,
}

impl Can {
    /// Which kind of context it is.
    pub fn profile(&self) -> Profile {
        match (self.desktop, self.compatibility) {
            (false, _) => Profile::Es,
            (true, true) => Profile::Compatibility,
            (true, false) => Profile::Core,
        }
    }

    /// Whether the context is of a version of desktop GL or of OpenGL ES, or has one of some extensions. Versions are
    /// such as 43 for 4.3; 0 is never.
    pub fn has(&self, desktop: u32, es: u32, extensions: &[&str]) -> bool {
        let since = if self.desktop { desktop } else { es };
        let new = since != 0 && self.version >= (since / 10, since % 10);
        new || extensions.iter().any(|name| self.extensions.contains(*name))
    }

    /// Framebuffer objects with separate bindings for drawing and reading, and blits between them.
    pub fn blits(&self) -> bool {
        self.has(30, 30, &["GL_ARB_framebuffer_object"])
    }

    /// Transform feedback that can be paused, in objects.
    pub fn feedback_objects(&self) -> bool {
        self.has(40, 30, &["GL_ARB_transform_feedback2"])
    }

    /// Colour masks and blending for each target.
    pub fn indexed_masks(&self) -> bool {
        self.has(30, 32, &["GL_EXT_draw_buffers2", "GL_EXT_draw_buffers_indexed", "GL_OES_draw_buffers_indexed"])
    }

    /// Image variables and barriers.
    pub fn barriers(&self) -> bool {
        self.has(42, 31, &["GL_ARB_shader_image_load_store"])
    }
}

impl<'p> Hand<'p> {
    pub fn new(player: &'p mut Player, can: &'p Can) -> Hand<'p> {
        Hand { player, can, undo: Vec::new() }
    }

    /// A call. Pointers are to memory that the caller holds and that is long enough.
    pub fn call(&mut self, command: CommandId, args: &[u64]) -> u64 {
        self.player.own_call(command, args)
    }

    /// Remembers what undoes what is about to be done.
    pub fn later(&mut self, undo: impl FnOnce(&mut Player) + 'static) {
        self.undo.push(Box::new(undo));
    }

    /// Remembers a call that undoes what is about to be done.
    pub fn later_call(&mut self, command: CommandId, args: &[u64]) {
        let args = args.to_vec();
        self.later(move |player| {
            player.own_call(command, &args);
        });
    }

    /// Undoes everything, the last first.
    pub fn undo(&mut self) {
        while let Some(undo) = self.undo.pop() {
            undo(self.player);
        }
    }

    /// Integers of GL's state.
    pub fn integers<const N: usize>(&mut self, name: u32) -> [i32; N] {
        let mut values = [0i32; 64];
        self.call(id::glGetIntegerv, &[u64::from(name), values.as_mut_ptr() as u64]);
        std::array::from_fn(|at| values[at])
    }

    /// One integer of GL's state.
    pub fn integer(&mut self, name: u32) -> i32 {
        self.integers::<1>(name)[0]
    }

    /// Floats of GL's state.
    pub fn floats<const N: usize>(&mut self, name: u32) -> [f32; N] {
        let mut values = [0f32; 64];
        self.call(id::glGetFloatv, &[u64::from(name), values.as_mut_ptr() as u64]);
        std::array::from_fn(|at| values[at])
    }

    /// An integer of GL's state that has an index.
    pub fn indexed(&mut self, name: u32, index: u32) -> i32 {
        let mut values = [0i32; 16];
        self.call(id::glGetIntegeri_v, &[u64::from(name), u64::from(index), values.as_mut_ptr() as u64]);
        values[0]
    }

    /// The same, of 64 bits.
    pub fn indexed_long(&mut self, name: u32, index: u32) -> i64 {
        let mut values = [0i64; 16];
        self.call(id::glGetInteger64i_v, &[u64::from(name), u64::from(index), values.as_mut_ptr() as u64]);
        values[0]
    }

    pub fn enabled(&mut self, what: u32) -> bool {
        self.call(id::glIsEnabled, &[u64::from(what)]) & 0xFF != 0
    }

    /// Whether a value that is true or false is true.
    pub fn truth(&mut self, name: u32) -> bool {
        let mut value = [0u8; 16];
        self.call(id::glGetBooleanv, &[u64::from(name), value.as_mut_ptr() as u64]);
        value[0] != 0
    }

    /// Switches something off until all is undone.
    pub fn off(&mut self, what: u32) {
        if self.enabled(what) {
            self.later_call(id::glEnable, &[u64::from(what)]);
            self.call(id::glDisable, &[u64::from(what)]);
        }
    }

    /// Switches something on until all is undone.
    pub fn on(&mut self, what: u32) {
        if !self.enabled(what) {
            self.later_call(id::glDisable, &[u64::from(what)]);
            self.call(id::glEnable, &[u64::from(what)]);
        }
    }

    /// Remembers what buffer is bound to a target, so that it is bound again.
    pub fn keep_buffer(&mut self, target: u32, binding: u32) {
        let before = self.integer(binding);
        self.later_call(id::glBindBuffer, &[u64::from(target), word(before)]);
    }

    /// One new name of a kind.
    pub fn generate(&mut self, command: CommandId) -> u32 {
        let mut name = [0u32; 2];
        self.call(command, &[1, name.as_mut_ptr() as u64]);
        name[0]
    }

    /// Gives a name back when all is undone: before whatever is undone later.
    pub fn delete_later(&mut self, command: CommandId, name: u32) {
        self.later(move |player| {
            let names = [name];
            player.own_call(command, &[1, names.as_ptr() as u64]);
        });
    }

    /// Waits for everything that shaders write.
    pub fn barrier(&mut self) {
        if self.can.barriers() {
            self.call(id::glMemoryBarrier, &[u64::from(c::GL_ALL_BARRIER_BITS)]);
        }
    }
}

/// An argument that is a signed integer.
pub fn word(value: i32) -> u64 {
    i64::from(value).cast_unsigned()
}
