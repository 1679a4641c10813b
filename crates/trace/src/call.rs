//! A call as a reader gives it.

use std::fmt;

use api::CommandId;

use crate::batch::Batch;
use crate::signature::Signature;

/// One call. Calls are numbered from 0 in the order in which they were entered; that number is what the whole product
/// means by "command N".
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Call<'a> {
    /// Its number in the trace.
    pub number: u64,
    /// What was called; nothing when this build has no such command, or one with other parameters. Its name and
    /// parameters are in the signature even so.
    pub command: Option<CommandId>,
    /// What was called, as the trace itself describes it.
    pub signature: &'a Signature,
    /// The thread that called, numbered from 0 in order of appearance.
    pub thread: u32,
    /// Whether capture put it in, rather than the program.
    pub by_capture: bool,
    /// One word for each parameter: signed integers are sign-extended, unsigned ones and pointers zero-extended, floats
    /// are their bits.
    pub args: &'a [u64],
    /// Memory that the call reads.
    pub inputs: Payloads<'a>,
    /// What came of it; nothing when the call never returned.
    pub outcome: Option<Outcome<'a>>,
}

/// What came of a call.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome<'a> {
    /// The result as a word, 0 when the command returns nothing.
    pub result: u64,
    /// Memory that the call wrote.
    pub outputs: Payloads<'a>,
    /// Calls numbered below this had been entered before this one returned.
    pub before: u64,
}

/// The memory behind the parameters of one call, as a list of [`Payload`].
#[derive(Clone, Copy)]
pub struct Payloads<'a> {
    pub(crate) batch: &'a Batch,
    pub(crate) first: u32,
    pub(crate) count: u32,
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
    /// In a blob; see `Reader::blob` and `Reader::bytes`.
    Blob {
        /// Which one.
        number: u32,
        /// How many bytes it has.
        size: u64,
    },
    /// Only their BLAKE3 hash and their number were kept.
    Digest {
        /// The hash.
        hash: &'a [u8; 32],
        /// How many bytes there were.
        size: u64,
    },
}

impl<'a> Call<'a> {
    /// The name of what was called.
    pub fn name(&self) -> &'a str {
        &self.signature.name
    }

    /// What is behind a parameter when the call is entered.
    pub fn input(&self, param: u8) -> Option<Data<'a>> {
        self.inputs.find(param)
    }

    /// What is behind a parameter when the call has returned.
    pub fn output(&self, param: u8) -> Option<Data<'a>> {
        self.outcome.as_ref()?.outputs.find(param)
    }
}

impl<'a> Payloads<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One after the other, in the order in which they were recorded.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Payload<'a>> + use<'a> {
        let Payloads { batch, first, count } = *self;
        (first..first + count).map(move |at| batch.payload(at))
    }

    fn find(&self, param: u8) -> Option<Data<'a>> {
        self.iter().find(|payload| payload.param == param).map(|payload| payload.data)
    }
}

impl PartialEq for Payloads<'_> {
    fn eq(&self, other: &Payloads<'_>) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Payloads<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}
