//! Queries to the driver.

use std::borrow::Cow;
use std::sync::LazyLock;

use api::call::{CallMemory, PointerArgument};
use api::{Access, CommandId, Meaning, Namespace, Scalar};
use state::{Data, Memory};

use crate::player::Player;
use crate::random::Random;

/// A query as the recorded program would make it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The query.
    pub command: CommandId,
    /// Its arguments, with recorded names. Pointers to memory that it writes are ignored.
    pub args: Vec<u64>,
    /// Texts that it reads, by the index of their parameter.
    pub text: Option<(u8, String)>,
}

/// The driver's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// It has no such function.
    Missing,
    /// It has this error.
    Refused(u32),
    /// It answered.
    Answered {
        /// What it returned.
        result: u64,
        /// The bytes it wrote, by the index of the parameter that points to them.
        outputs: Vec<(u8, Vec<u8>)>,
    },
}

/// Bytes of memory for an answer: more than any answer has.
const ROOM: usize = 1 << 12;

/// Bytes of memory for an answer whose query takes the size.
const ROOM_FOR_TEXT: usize = 1 << 16;

impl Question {
    /// A query without text.
    #[must_use]
    pub fn plain(command: CommandId, args: &[u64]) -> Question {
        Question { command, args: args.to_vec(), text: None }
    }
}

/// The memory that the query reads, for the model.
impl Memory for Question {
    fn input(&self, param: u8) -> Option<Data> {
        self.input_bytes(param).map(|bytes| Data { size: bytes.len() as u64, blob: None })
    }

    fn output(&self, _param: u8) -> Option<Data> {
        None
    }

    fn input_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        let (place, text) = self.text.as_ref()?;
        (*place == param).then_some(Cow::Borrowed(text.as_bytes()))
    }

    fn output_bytes(&self, _param: u8) -> Option<Cow<'_, [u8]>> {
        None
    }
}

impl Player {
    /// Makes a query to the driver. No error may be pending; none is afterwards.
    pub(crate) fn ask(&mut self, question: &Question) -> Said {
        let about = api::command(question.command);
        let mut args = question.args.clone();
        args.resize(about.params.len(), 0);
        let mut rooms: Vec<(u8, Vec<u8>)> = Vec::new();
        let text = question.text.as_ref().map_or("", |(_, text)| text);
        let mut text_at = None;
        let sized = about.params.iter().any(|param| param.name == "bufSize");
        let room = if sized { ROOM_FOR_TEXT } else { ROOM };
        for (at, param) in about.params.iter().enumerate() {
            match (param.value.meaning, param.memory) {
                (_, Some(memory)) if memory.access == Access::Write => {
                    rooms.push((at as u8, NOISE[..room].to_vec()));
                }
                (_, Some(_)) => text_at = Some(at as u8),
                (Meaning::Name(space), None) => args[at] = self.known_word(space, args[at]),
                (_, None) if param.value.scalar == Scalar::Pointer => args[at] = 0,
                _ => {}
            }
        }
        if !self.has_function(question.command) {
            return Said::Missing;
        }
        let outputs = rooms.iter_mut().map(|(param, room)| (*param, CallMemory::Output(room)));
        let text = text_at.map(|param| (param, CallMemory::Text(text.as_bytes())));
        let mut pointers: Vec<PointerArgument<'_>> =
            outputs.chain(text).map(|(param, memory)| PointerArgument { param, memory }).collect();
        let result = self.own_call_with(question.command, &args, &mut pointers);
        match self.take_error() {
            0 => Said::Answered { result, outputs: rooms.into_iter().map(|(at, room)| (at, written(room))).collect() },
            error => Said::Refused(error),
        }
    }

    /// Returns the driver's name for a recorded one, without assigning one if it is new.
    fn known_word(&mut self, space: Namespace, recorded: u64) -> u64 {
        match space {
            Namespace::UniformLocation | Namespace::DisplayList => recorded,
            Namespace::Sync => self.real_sync(recorded),
            _ => u64::from(self.known_name(space, recorded as u32)),
        }
    }

    /// The same for names of 32 bits.
    pub(crate) fn known_name(&mut self, space: Namespace, recorded: u32) -> u32 {
        self.world.names(space).map_or(recorded, |names| names.known(recorded))
    }
}

/// Bytes that no answer has, to find out how many bytes were written.
static NOISE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut random = Random::new(1);
    let mut bytes = Vec::with_capacity(ROOM_FOR_TEXT);
    while bytes.len() < ROOM_FOR_TEXT {
        bytes.extend(random.number().to_le_bytes());
    }
    bytes
});

/// Returns the bytes that were written over [`NOISE`].
fn written(mut room: Vec<u8>) -> Vec<u8> {
    let end = room.iter().zip(&*NOISE).rposition(|(now, before)| now != before).map_or(0, |last| last + 1);
    // A written byte may equal the noise by chance; four of them never do.
    room.truncate(end.next_multiple_of(4));
    room
}
