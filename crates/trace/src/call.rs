//! Calls as a reader returns them.

use std::fmt;

use api::CommandId;

use crate::batch::Batch;
use crate::signature::Signature;

/// One call. Calls are numbered from 0 in the order in which they were entered; "command N" means this number
/// everywhere in the product.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Call<'a> {
    /// Its number in the trace.
    pub number: u64,
    /// The command, or `None` when this build has no command of that name with the same number of parameters. The
    /// signature has its name and parameters even then.
    pub command: Option<CommandId>,
    /// The command as described in the trace.
    pub signature: &'a Signature,
    /// The thread that called, numbered from 0 in order of appearance.
    pub thread: u32,
    /// Whether capture inserted the call, rather than the program.
    pub by_capture: bool,
    /// One word for each parameter: signed integers are sign-extended, unsigned ones and pointers zero-extended, floats
    /// are their bits.
    pub args: &'a [u64],
    /// Memory that the call reads.
    pub inputs: Payloads<'a>,
    /// The outcome, or `None` when the call never returned.
    pub outcome: Option<Outcome<'a>>,
}

/// The outcome of a call.
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

/// Bytes, or a reference to them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Data<'a> {
    /// The bytes.
    Inline(&'a [u8]),
    /// A blob; see `Reader::blob` and `Reader::bytes`.
    Blob {
        /// The blob's number.
        number: u32,
        /// Its size in bytes.
        size: u64,
    },
    /// Only the BLAKE3 hash and the size were recorded.
    Digest {
        /// The hash.
        hash: &'a [u8; 32],
        /// The original size in bytes.
        size: u64,
    },
}

impl<'a> Call<'a> {
    /// Returns the name of the command.
    pub fn name(&self) -> &'a str {
        &self.signature.name
    }

    /// Returns the memory behind a parameter on entry.
    pub fn input(&self, param: u8) -> Option<Data<'a>> {
        self.inputs.find(param)
    }

    /// Returns the memory behind a parameter on return.
    pub fn output(&self, param: u8) -> Option<Data<'a>> {
        self.outcome.as_ref()?.outputs.find(param)
    }
}

impl<'a> Payloads<'a> {
    /// Returns the number of payloads.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns whether there are no payloads.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Iterates over the payloads in the order in which they were recorded.
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
