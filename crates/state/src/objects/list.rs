//! Display lists.

use std::borrow::Cow;

use api::CommandId;

use crate::call::{Call, Data, Memory};

/// A display list.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// A number that is unique in its share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Its calls.
    pub calls: Vec<Stored>,
}

/// A display list that is being compiled.
#[derive(Clone, Debug)]
pub struct Compiling {
    /// Its name.
    pub name: u32,
    /// `GL_COMPILE` or `GL_COMPILE_AND_EXECUTE`.
    pub mode: u32,
    /// Its calls so far.
    pub calls: Vec<Stored>,
}

/// A call in a display list.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The number of the call that was compiled.
    pub number: u64,
    /// The command.
    pub command: CommandId,
    /// Its arguments.
    pub args: Vec<u64>,
    /// The memory behind its pointers.
    pub memory: Vec<(u8, StoredMemory)>,
}

/// Memory that a display list keeps; small blocks with their bytes.
#[derive(Clone, Debug)]
pub struct StoredMemory {
    /// Its size, and where the trace has it.
    pub data: Data,
    /// The bytes, when they are few.
    pub bytes: Option<Vec<u8>>,
}

/// Larger memory is not copied but referenced in the trace: nothing that the model keeps is that large.
const MAX_COPIED: u64 = 4096;

impl Stored {
    /// Stores a call for later execution.
    #[must_use]
    pub fn new(call: &Call<'_>) -> Stored {
        let params = 0..api::command(call.command).params.len() as u8;
        let keep = |param| {
            let data = call.memory.input(param)?;
            let bytes =
                (data.size <= MAX_COPIED).then(|| call.memory.input_bytes(param).map(Cow::into_owned)).flatten();
            Some((param, StoredMemory { data, bytes }))
        };
        Stored {
            number: call.number,
            command: call.command,
            args: call.args.to_vec(),
            memory: params.filter_map(keep).collect(),
        }
    }

    fn stored(&self, param: u8) -> Option<&StoredMemory> {
        self.memory.iter().find(|(at, _)| *at == param).map(|(_, kept)| kept)
    }
}

impl Memory for Stored {
    fn is_from_list(&self) -> bool {
        true
    }

    fn input(&self, param: u8) -> Option<Data> {
        self.stored(param).map(|kept| kept.data)
    }

    fn output(&self, _param: u8) -> Option<Data> {
        None
    }

    fn input_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        self.stored(param)?.bytes.as_deref().map(Cow::Borrowed)
    }

    fn output_bytes(&self, _param: u8) -> Option<Cow<'_, [u8]>> {
        None
    }
}
