//! Synthetic calls: calls that no file contains, made up by a caller to have something executed.

use std::collections::HashMap;

use api::CommandId;

use crate::batch::{Batch, Entered, NewPayload, ResolvedSignature};
use crate::call::Call;
use crate::signature::Signature;

/// Synthetic calls in memory. Readers see them like the calls of a trace.
#[derive(Clone, Debug, Default)]
pub struct SyntheticCalls {
    batch: Batch,
    signatures: Vec<ResolvedSignature>,
    signature_of: HashMap<CommandId, u16>,
}

/// A synthetic call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyntheticCall<'a> {
    /// The calling thread.
    pub thread: u32,
    /// The command.
    pub command: CommandId,
    /// One word for each parameter.
    pub args: &'a [u64],
    /// The memory that the call reads: a parameter's index and its bytes.
    pub input: Option<(u8, &'a [u8])>,
    /// The result.
    pub result: u64,
}

impl SyntheticCalls {
    /// Creates an empty list; the first call will have number `first`.
    #[must_use]
    pub fn new(first: u64) -> SyntheticCalls {
        SyntheticCalls { batch: Batch { first, ..Batch::default() }, ..SyntheticCalls::default() }
    }

    /// Adds a call that has returned. Nothing is added unless there is a word for each parameter.
    pub fn push(&mut self, synthetic: &SyntheticCall<'_>) {
        let command = api::command(synthetic.command);
        if synthetic.args.len() != command.params.len() {
            return;
        }
        let signatures = &mut self.signatures;
        let signature = *self.signature_of.entry(synthetic.command).or_insert_with(|| {
            signatures.push(ResolvedSignature { signature: Signature::of(command), command: Some(synthetic.command) });
            signatures.len() as u16 - 1
        });
        if let Some((param, bytes)) = synthetic.input {
            self.batch.add(param, NewPayload::Inline(bytes));
        }
        let input_count = u8::from(synthetic.input.is_some());
        let entered =
            Entered { thread: synthetic.thread, signature, by_capture: true, args: synthetic.args, input_count };
        self.batch.enter(entered);
        self.batch.leave(self.batch.entries.len() - 1, synthetic.result, 0, 0);
    }

    /// Returns the number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.batch.entries.len()
    }

    /// Returns whether there are no calls.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.batch.entries.is_empty()
    }

    /// Returns the call at an index.
    #[must_use]
    pub fn call(&self, at: usize) -> Option<Call<'_>> {
        (at < self.len()).then(|| self.batch.call(at, &self.signatures))
    }

    /// Iterates over the calls in order.
    pub fn iter(&self) -> impl Iterator<Item = Call<'_>> {
        (0..self.len()).map(|at| self.batch.call(at, &self.signatures))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Data;

    #[test]
    fn a_synthetic_call_looks_like_a_recorded_one() {
        let mut calls = SyntheticCalls::new(7);
        let words = [2u64, 1, 0];
        calls.push(&SyntheticCall {
            thread: 3,
            command: api::id::glUniform1fv,
            args: &words,
            input: Some((2, &[1, 2, 3, 4])),
            result: 0,
        });
        calls.push(&SyntheticCall {
            thread: 3,
            command: api::id::glUniform1fv,
            args: &words[..1],
            input: None,
            result: 0,
        });
        calls.push(&SyntheticCall { thread: 0, command: api::id::glEnable, args: &[0xBE2], input: None, result: 0 });
        assert_eq!(calls.len(), 2);
        let calls: Vec<Call<'_>> = calls.iter().collect();
        assert_eq!((calls[0].number, calls[0].name(), calls[0].thread), (7, "glUniform1fv", 3));
        assert_eq!(calls[0].input(2), Some(Data::Inline(&[1, 2, 3, 4])));
        assert_eq!((calls[1].command, calls[1].args), (Some(api::id::glEnable), &[0xBE2u64][..]));
        assert!(calls[1].outcome.is_some());
    }
}
