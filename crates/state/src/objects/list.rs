//! Display lists.

use std::borrow::Cow;

use api::CommandId;

use crate::call::{Call, Data, Memory};

/// A display list.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// What it does.
    pub calls: Vec<Stored>,
}

/// A list that is being compiled.
#[derive(Clone, Debug)]
pub struct Compiling {
    /// Its name.
    pub name: u32,
    /// `GL_COMPILE` or `GL_COMPILE_AND_EXECUTE`.
    pub mode: u32,
    /// What is in it so far.
    pub calls: Vec<Stored>,
}

/// A call in a list.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its number in the trace, when it was put into the list.
    pub number: u64,
    /// What is called.
    pub command: CommandId,
    /// Its arguments.
    pub args: Vec<u64>,
    /// What was behind its pointers.
    pub memory: Vec<(u8, Kept)>,
}

/// Memory that a list keeps: small ones with their bytes.
#[derive(Clone, Debug)]
pub struct Kept {
    /// How much there is, and where the trace has it.
    pub data: Data,
    /// The bytes, when they are few.
    pub bytes: Option<Vec<u8>>,
}

/// Larger memory is kept by its place in the trace only: nothing that the model keeps is so large.
const FEW: u64 = 4096;

impl Stored {
    /// A call, to be made again later.
    #[must_use]
    pub fn new(call: &Call<'_>) -> Stored {
        let params = 0..api::command(call.command).params.len() as u8;
        let keep = |param| {
            let data = call.memory.input(param)?;
            let bytes = (data.size <= FEW).then(|| call.memory.input_bytes(param).map(Cow::into_owned)).flatten();
            Some((param, Kept { data, bytes }))
        };
        Stored {
            number: call.number,
            command: call.command,
            args: call.args.to_vec(),
            memory: params.filter_map(keep).collect(),
        }
    }

    fn kept(&self, param: u8) -> Option<&Kept> {
        self.memory.iter().find(|(at, _)| *at == param).map(|(_, kept)| kept)
    }
}

impl Memory for Stored {
    fn is_from_list(&self) -> bool {
        true
    }

    fn input(&self, param: u8) -> Option<Data> {
        self.kept(param).map(|kept| kept.data)
    }

    fn output(&self, _param: u8) -> Option<Data> {
        None
    }

    fn input_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        self.kept(param)?.bytes.as_deref().map(Cow::Borrowed)
    }

    fn output_bytes(&self, _param: u8) -> Option<Cow<'_, [u8]>> {
        None
    }
}
