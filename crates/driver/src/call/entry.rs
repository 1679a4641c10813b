//! Commands as the driver has them.

use std::ffi::{CString, c_void};

use api::{Access, Command, CommandId, Count, Library, Operation, Scalar, Trait, id};

use super::draws::VertexFetch;
use crate::egl::Egl;
use crate::invoke::{Thunk, thunk_of};

/// A command and the driver's function for it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What calls the function; nothing when the driver has none, or it cannot be called from here.
    callable: Option<(Thunk, *const c_void)>,
    pub command: &'static Command,
    /// Whether numbers are all that it takes and returns, and it has no effect on memory that this crate knows of.
    pub is_plain: bool,
    /// Whether it has parameters that are pointers.
    pub has_pointers: bool,
    /// The parameter that has the lengths of texts, if one has.
    pub lengths: Option<u8>,
    pub effect: Effect,
    /// How it fetches vertices from arrays, if it does.
    pub vertices: Option<VertexFetch>,
    /// The parameter that has the distance between the elements of an array, or a list of distances.
    pub stride: Option<u8>,
}

/// What a command does to memory and state that this crate keeps track of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    None,
    /// Maps a buffer by target, or by name.
    Map {
        named: bool,
        /// Which parameter has the length, if one has.
        length: Option<u8>,
    },
    /// Unmaps a buffer by target or by name, or gives it other storage, which unmaps it (GL 4.6, 6.2).
    Replace {
        named: bool,
    },
    /// Deletes buffers, which unmaps them (GL 4.6, 6.1).
    DeleteBuffers,
    /// Gives GL memory to write to later: as many values of 4 bytes as the first parameter says.
    WriteLater,
    /// May change how pixels are laid out in memory, or which buffer they are in.
    PixelState,
    DeleteSync,
}

impl Entry {
    pub fn new(command: CommandId, egl: &Egl) -> Entry {
        let described = api::command(command);
        let name = CString::new(described.name).unwrap_or_default();
        let has_callback = matches!(
            command,
            id::glDebugMessageCallback
                | id::glDebugMessageCallbackAMD
                | id::glDebugMessageCallbackARB
                | id::glDebugMessageCallbackKHR
                | id::glVDPAUInitNV
        );
        let is_called = described.library == Library::Gl && !has_callback && !described.has(Trait::Native);
        let function = if is_called && !keeps_unknown(described) { egl.address(&name) } else { std::ptr::null() };
        let callable = thunk_of(command).filter(|_| !function.is_null()).map(|thunk| (thunk, function));
        let effect = effect(command, described);
        let has_pointers = described.params.iter().any(|param| param.value.scalar == Scalar::Pointer);
        let vertices = VertexFetch::of(command);
        let stride =
            if sets_arrays(described) { described.param("stride").or(described.param("strides")) } else { None };
        let is_plain = !has_pointers
            && described.result.scalar != Scalar::Pointer
            && effect == Effect::None
            && vertices.is_none()
            && stride.is_none();
        let lengths = described.params.iter().find_map(|param| match param.memory?.count {
            Count::Texts { lengths, .. } => lengths,
            _ => None,
        });
        let stride = stride.and_then(|place| u8::try_from(place).ok());
        Entry { callable, command: described, is_plain, has_pointers, lengths, effect, vertices, stride }
    }

    #[inline]
    pub fn is_callable(&self) -> bool {
        self.callable.is_some()
    }

    /// Whether a parameter is a pointer.
    pub fn has_pointer(&self, param: u8) -> bool {
        self.command.params.get(usize::from(param)).is_some_and(|param| param.value.scalar == Scalar::Pointer)
    }

    /// Calls the driver's function; 0 when there is none.
    ///
    /// # Safety
    /// There must be a word for each parameter, and the call must be as safe as the same call in C: pointers among the
    /// words must point to what the command expects.
    #[inline]
    pub unsafe fn invoke(&self, words: &[u64]) -> u64 {
        let Some((thunk, function)) = self.callable else { return 0 };
        // SAFETY: the thunk is that of the command's shape, EGL gave the function for the command's name, and the caller
        // promises the rest.
        let result = unsafe { thunk(function, words) };
        // Shapes do not distinguish signed from unsigned.
        if self.command.result.scalar == Scalar::I32 { i64::from(result as i32).cast_unsigned() } else { result }
    }
}

/// Returns whether a command specifies a vertex array, or the buffer that arrays are in.
fn sets_arrays(described: &Command) -> bool {
    matches!(
        described.operation,
        Operation::VertexArray(_)
            | Operation::NamedVertexArray(_)
            | Operation::ClientArray(_)
            | Operation::ClientArrayOfUnit(_)
    )
}

/// Returns whether GL would keep a pointer of which it is not known how much memory GL accesses behind it: those of
/// extensions for single vendors, some of which are to lists of pointers.
fn keeps_unknown(described: &Command) -> bool {
    described.params.iter().filter_map(|param| param.memory).any(|memory| {
        let is_array = sets_arrays(described) && described.param("stride").is_some();
        let is_known = memory.access == Access::Write || is_array && memory.element.scalar != Scalar::Pointer;
        memory.count == Count::Kept && !is_known
    })
}

fn effect(command: CommandId, described: &Command) -> Effect {
    match command {
        id::glDeleteBuffers | id::glDeleteBuffersARB => return Effect::DeleteBuffers,
        id::glFeedbackBuffer | id::glFeedbackBufferxOES | id::glSelectBuffer | id::glInstrumentsBufferSGIX => {
            return Effect::WriteLater;
        }
        id::glBufferStorageMemEXT | id::glBufferStorageExternalEXT => return Effect::Replace { named: false },
        id::glNamedBufferStorageMemEXT | id::glNamedBufferStorageExternalEXT => return Effect::Replace { named: true },
        id::glPushClientAttribDefaultEXT | id::glClientAttribDefaultEXT => return Effect::PixelState,
        _ => {}
    }
    match described.operation {
        Operation::Map { named } => {
            let length = described.param("length").and_then(|place| u8::try_from(place).ok());
            Effect::Map { named, length }
        }
        Operation::Unmap { named } | Operation::BufferStorage { named } => Effect::Replace { named },
        Operation::DeleteSync => Effect::DeleteSync,
        Operation::PixelStore
        | Operation::BindBuffer
        | Operation::PushAttributes { client: true }
        | Operation::PopAttributes { client: true } => Effect::PixelState,
        _ => Effect::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(commands: &[CommandId], expected: Effect) {
        for command in commands {
            let described = api::command(*command);
            assert_eq!(effect(*command, described), expected, "{}", described.name);
        }
    }

    #[test]
    fn commands_that_end_maps_are_known() {
        check(&[id::glMapBufferRange, id::glMapBufferRangeEXT], Effect::Map { named: false, length: Some(2) });
        check(&[id::glMapNamedBufferEXT, id::glMapNamedBuffer], Effect::Map { named: true, length: None });
        check(&[id::glMapBuffer, id::glMapBufferARB, id::glMapBufferOES], Effect::Map { named: false, length: None });
        let by_target = [id::glUnmapBuffer, id::glUnmapBufferARB, id::glUnmapBufferOES, id::glBufferData];
        check(&by_target, Effect::Replace { named: false });
        check(&[id::glBufferDataARB, id::glBufferStorage, id::glBufferStorageEXT], Effect::Replace { named: false });
        let by_name = [id::glUnmapNamedBuffer, id::glUnmapNamedBufferEXT, id::glNamedBufferData];
        check(&by_name, Effect::Replace { named: true });
        check(&[id::glNamedBufferDataEXT, id::glNamedBufferStorage], Effect::Replace { named: true });
        check(&[id::glDeleteSync, id::glDeleteSyncAPPLE], Effect::DeleteSync);
    }

    #[test]
    fn commands_that_change_layouts_are_known() {
        let commands = [
            id::glPixelStorei,
            id::glPixelStoref,
            id::glPixelStorex,
            id::glBindBuffer,
            id::glBindBufferARB,
            id::glPushClientAttrib,
            id::glPopClientAttrib,
        ];
        check(&commands, Effect::PixelState);
    }
}
