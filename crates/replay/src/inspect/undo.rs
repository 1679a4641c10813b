//! Calls that a diversion makes in the program's context, and what undoes them.

use api::call::PointerArgument;
use api::{CommandId, constant as c, id};

use super::capabilities::Capabilities;
use crate::player::Player;

/// Undoes something.
type Undo = Box<dyn FnOnce(&mut Player)>;

/// Makes calls in the current context, and records how to undo what they change.
pub struct UndoRecorder<'p> {
    pub player: &'p mut Player,
    pub capabilities: &'p Capabilities,
    undo: Vec<Undo>,
}

impl<'p> UndoRecorder<'p> {
    pub fn new(player: &'p mut Player, capabilities: &'p Capabilities) -> UndoRecorder<'p> {
        UndoRecorder { player, capabilities, undo: Vec::new() }
    }

    /// Calls a command that takes numbers, or pointers that are null or offsets.
    pub fn call(&mut self, command: CommandId, args: &[u64]) -> u64 {
        self.player.own_call(command, args)
    }

    /// Calls a command with memory behind its pointers, whose words are ignored.
    pub fn call_with(&mut self, command: CommandId, args: &[u64], pointers: &mut [PointerArgument<'_>]) -> u64 {
        self.player.own_call_with(command, args, pointers)
    }

    /// Calls a command whose last parameter, for which `args` has no word, points to bytes that it reads.
    pub fn call_reading(&mut self, command: CommandId, args: &[u64], bytes: &[u8]) -> u64 {
        self.player.own_call_reading(command, args, bytes)
    }

    /// Calls a command whose last parameter, for which `args` has no word, is a text.
    pub fn call_text(&mut self, command: CommandId, args: &[u64], text: &[u8]) -> u64 {
        self.player.own_call_text(command, args, text)
    }

    /// Returns the first words of 32 bits that a query writes. Its last parameter, for which `args` has no word, is where
    /// it writes them.
    pub fn query<const N: usize>(&mut self, command: CommandId, args: &[u64]) -> [u32; N] {
        self.player.query(command, args)
    }

    /// Records what undoes a change that is about to be made.
    pub fn on_undo(&mut self, undo: impl FnOnce(&mut Player) + 'static) {
        self.undo.push(Box::new(undo));
    }

    /// Records a call that undoes a change that is about to be made.
    pub fn call_on_undo(&mut self, command: CommandId, args: &[u64]) {
        let args = args.to_vec();
        self.on_undo(move |player| {
            player.own_call(command, &args);
        });
    }

    /// Undoes everything, the last change first.
    pub fn undo(&mut self) {
        while let Some(undo) = self.undo.pop() {
            undo(self.player);
        }
    }

    /// Returns integers of GL's state.
    pub fn integers<const N: usize>(&mut self, name: u32) -> [i32; N] {
        self.query(id::glGetIntegerv, &[u64::from(name)]).map(u32::cast_signed)
    }

    /// Returns one integer of GL's state.
    pub fn integer(&mut self, name: u32) -> i32 {
        self.integers::<1>(name)[0]
    }

    /// Returns floats of GL's state.
    pub fn floats<const N: usize>(&mut self, name: u32) -> [f32; N] {
        self.query(id::glGetFloatv, &[u64::from(name)]).map(f32::from_bits)
    }

    /// Returns integers of GL's state that have an index.
    pub fn indexed_integers<const N: usize>(&mut self, name: u32, index: u32) -> [i32; N] {
        self.query(id::glGetIntegeri_v, &[name, index].map(u64::from)).map(u32::cast_signed)
    }

    /// Returns one integer of GL's state that has an index.
    pub fn indexed(&mut self, name: u32, index: u32) -> i32 {
        self.indexed_integers::<1>(name, index)[0]
    }

    /// Returns an integer of 64 bits of GL's state that has an index.
    pub fn indexed_long(&mut self, name: u32, index: u32) -> i64 {
        self.player.query_long(id::glGetInteger64i_v, &[name, index].map(u64::from))
    }

    pub fn enabled(&mut self, what: u32) -> bool {
        self.call(id::glIsEnabled, &[u64::from(what)]) & 0xFF != 0
    }

    /// Returns a boolean of GL's state.
    pub fn boolean(&mut self, name: u32) -> bool {
        let mut value = [0];
        self.player.own_call_writing(id::glGetBooleanv, &[u64::from(name)], &mut value);
        value != [0]
    }

    /// Disables something until the undo.
    pub fn disable(&mut self, what: u32) {
        if self.enabled(what) {
            self.call_on_undo(id::glEnable, &[u64::from(what)]);
            self.call(id::glDisable, &[u64::from(what)]);
        }
    }

    /// Enables something until the undo.
    pub fn enable(&mut self, what: u32) {
        if !self.enabled(what) {
            self.call_on_undo(id::glDisable, &[u64::from(what)]);
            self.call(id::glEnable, &[u64::from(what)]);
        }
    }

    /// Records which buffer is bound to a target, so that the undo binds it again.
    pub fn keep_buffer(&mut self, target: u32, binding: u32) {
        let before = self.integer(binding);
        self.call_on_undo(id::glBindBuffer, &[u64::from(target), word(before)]);
    }

    /// Returns a new name from a `glGen…` command.
    pub fn generate(&mut self, command: CommandId) -> u32 {
        self.player.generate(command)
    }

    /// Records that the undo deletes an object, before it undoes earlier changes.
    pub fn delete_on_undo(&mut self, command: CommandId, name: u32) {
        self.on_undo(move |player| player.delete(command, name));
    }

    /// Waits for everything that shaders write.
    pub fn barrier(&mut self) {
        if self.capabilities.barriers() {
            self.call(id::glMemoryBarrier, &[u64::from(c::GL_ALL_BARRIER_BITS)]);
        }
    }
}

/// Returns a signed integer as an argument.
pub fn word(value: i32) -> u64 {
    i64::from(value).cast_unsigned()
}
