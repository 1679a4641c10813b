//! A call as a reader gives it.

use api::CommandId;

/// One call. Calls are numbered from 0 in the order in which they were entered; that number is what the whole product
/// means by "command N".
#[derive(Clone, PartialEq, Debug)]
pub struct Call<'a> {
    /// Its number in the trace.
    pub number: u64,
    /// What was called.
    pub command: CommandId,
    /// The thread that called, numbered from 0 in order of appearance.
    pub thread: u32,
    /// Whether capture put it in, rather than the program.
    pub by_capture: bool,
    /// One word for each parameter: signed integers are sign-extended, unsigned ones and pointers zero-extended, floats
    /// are their bits.
    pub args: &'a [u64],
    /// Memory that the call reads.
    pub inputs: &'a [Payload<'a>],
    /// What came of it; nothing when the call never returned.
    pub outcome: Option<Outcome<'a>>,
}

/// What came of a call.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome<'a> {
    /// The result as a word, 0 when the command returns nothing.
    pub result: u64,
    /// Memory that the call wrote.
    pub outputs: &'a [Payload<'a>],
    /// Calls numbered below this had been entered before this one returned.
    pub before: u64,
}

/// The memory behind one parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Payload<'a> {
    /// The parameter's index.
    pub param: u8,
    /// The bytes.
    pub data: Data<'a>,
}

/// Bytes, or where they are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Data<'a> {
    /// Here they are.
    Inline(&'a [u8]),
    /// In the blob with this number; see `Reader::blob`.
    Blob(u32),
    /// Only their BLAKE3 hash and their number were kept.
    Digest {
        /// The hash.
        hash: &'a [u8; 32],
        /// How many bytes there were.
        size: u64,
    },
}

impl<'a> Call<'a> {
    /// What is behind a parameter when the call is entered.
    pub fn input(&self, param: u8) -> Option<Data<'a>> {
        self.inputs.iter().find(|payload| payload.param == param).map(|payload| payload.data)
    }

    /// What is behind a parameter when the call has returned.
    pub fn output(&self, param: u8) -> Option<Data<'a>> {
        self.outcome.as_ref()?.outputs.iter().find(|payload| payload.param == param).map(|payload| payload.data)
    }
}
