//! The model of GL, told one call after the other.

use std::borrow::Cow;

use api::{CommandId, constant as c, id};
use state::{Call, CallObserver, Data, Memory, Model};

/// Memory behind the parameters of a call.
#[derive(Clone, Default, Debug)]
pub struct CallMemory {
    /// What the call reads, by parameter.
    pub inputs: Vec<(u8, Vec<u8>)>,
    /// What the call writes, by parameter.
    pub outputs: Vec<(u8, Vec<u8>)>,
}

impl CallMemory {
    /// Returns memory that a call reads.
    #[must_use]
    pub fn reading(param: u8, bytes: &[u8]) -> CallMemory {
        CallMemory { inputs: vec![(param, bytes.to_vec())], outputs: Vec::new() }
    }

    /// Returns memory that a call writes.
    #[must_use]
    pub fn writing(param: u8, bytes: &[u8]) -> CallMemory {
        CallMemory { inputs: Vec::new(), outputs: vec![(param, bytes.to_vec())] }
    }
}

fn behind(list: &[(u8, Vec<u8>)], param: u8) -> Option<&[u8]> {
    list.iter().find(|(at, _)| *at == param).map(|(_, bytes)| bytes.as_slice())
}

fn data(bytes: &[u8]) -> Data {
    Data { size: bytes.len() as u64, blob: None }
}

impl Memory for CallMemory {
    fn input(&self, param: u8) -> Option<Data> {
        behind(&self.inputs, param).map(data)
    }

    fn output(&self, param: u8) -> Option<Data> {
        behind(&self.outputs, param).map(data)
    }

    fn input_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        behind(&self.inputs, param).map(Cow::Borrowed)
    }

    fn output_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        behind(&self.outputs, param).map(Cow::Borrowed)
    }
}

/// A model to which calls are made, all of them from one thread. Calls are numbered from 0.
#[derive(Default)]
pub struct Calls {
    /// The model.
    pub model: Model,
    made: u64,
}

impl Calls {
    /// Returns a model with a context of desktop GL 4.5 with this profile mask, and a surface of this size; both are
    /// current.
    #[must_use]
    pub fn new(profile: u32, (width, height): (u64, u64)) -> Calls {
        let mut calls = Calls::with_context(profile);
        calls.call(id::afiSurface, &[1, 0, 0, width, height, 8, 8, 8, 8, 24, 8, 0, 1, 0]);
        calls.call(id::afiCurrent, &[1, 1, 1]);
        calls
    }

    /// Returns a model with a context of desktop GL 4.5 with this profile mask, which is not current.
    #[must_use]
    pub fn with_context(profile: u32) -> Calls {
        let mut calls = Calls::default();
        calls.call(id::afiContext, &[1, 0, 0, c::EGL_OPENGL_API.into(), 4, 5, profile.into(), 0]);
        calls
    }

    /// Makes a call with everything there is to a call. Returns its number.
    pub fn make(
        &mut self,
        command: CommandId,
        args: &[u64],
        result: u64,
        memory: &CallMemory,
        notes: Option<&mut dyn CallObserver>,
    ) -> u64 {
        let number = self.made;
        self.made += 1;
        let call = Call { number, command, thread: 0, by_capture: false, args, result: Some(result), memory };
        self.model.apply(&call, notes);
        number
    }

    /// Makes a call without memory. Returns its number.
    pub fn call(&mut self, command: CommandId, args: &[u64]) -> u64 {
        self.returning(command, args, 0)
    }

    /// Makes a call that returns something. Returns its number.
    pub fn returning(&mut self, command: CommandId, args: &[u64], result: u64) -> u64 {
        self.make(command, args, result, &CallMemory::default(), None)
    }

    /// Makes a call that reads memory. Returns its number.
    pub fn reading(&mut self, command: CommandId, args: &[u64], param: u8, bytes: &[u8]) -> u64 {
        self.make(command, args, 0, &CallMemory::reading(param, bytes), None)
    }

    /// Makes a call that writes memory. Returns its number.
    pub fn writing(&mut self, command: CommandId, args: &[u64], param: u8, bytes: &[u8]) -> u64 {
        self.make(command, args, 0, &CallMemory::writing(param, bytes), None)
    }

    /// Returns the error that `glGetError` would return, and clears it as that does.
    pub fn error(&mut self) -> u32 {
        let error = self.model.context(1).and_then(|context| context.error).map_or(0, |fault| fault.error);
        self.call(id::glGetError, &[]);
        error
    }
}
