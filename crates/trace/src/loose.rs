//! Calls that are in no file: made up by whoever wants something done that no recording has.

use std::collections::HashMap;

use api::CommandId;

use crate::batch::{Batch, Entered, Known, New};
use crate::call::Call;
use crate::signature::Signature;

/// Calls in memory, which look to others as those of a trace do.
#[derive(Clone, Debug, Default)]
pub struct Loose {
    batch: Batch,
    signatures: Vec<Known>,
    places: HashMap<CommandId, u16>,
}

/// A call as it is made up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Made<'a> {
    /// The thread that calls.
    pub thread: u32,
    /// What is called.
    pub command: CommandId,
    /// One word for each parameter.
    pub args: &'a [u64],
    /// Memory that it reads: the parameter and the bytes.
    pub input: Option<(u8, &'a [u8])>,
    /// What it returns.
    pub result: u64,
}

impl Loose {
    /// No calls; the first will have this number.
    #[must_use]
    pub fn new(first: u64) -> Loose {
        Loose { batch: Batch { first, ..Batch::default() }, ..Loose::default() }
    }

    /// Adds a call that has returned. What has not a word for each parameter is no call, and nothing is added.
    pub fn push(&mut self, made: &Made<'_>) {
        let command = api::command(made.command);
        if made.args.len() != command.params.len() {
            return;
        }
        let signatures = &mut self.signatures;
        let signature = *self.places.entry(made.command).or_insert_with(|| {
            signatures.push(Known { signature: Signature::of(command), command: Some(made.command) });
            signatures.len() as u16 - 1
        });
        if let Some((param, bytes)) = made.input {
            self.batch.add(param, New::Inline(bytes));
        }
        let input_count = u8::from(made.input.is_some());
        let entered = Entered { thread: made.thread, signature, by_capture: true, args: made.args, input_count };
        self.batch.enter(entered);
        self.batch.leave(self.batch.entries.len() - 1, made.result, 0, 0);
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.batch.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.batch.entries.is_empty()
    }

    /// One of them.
    #[must_use]
    pub fn call(&self, at: usize) -> Option<Call<'_>> {
        (at < self.len()).then(|| self.batch.call(at, &self.signatures))
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Call<'_>> {
        (0..self.len()).map(|at| self.batch.call(at, &self.signatures))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Data;

    #[test]
    fn a_call_that_was_made_up_looks_like_one_of_a_trace() {
        let mut loose = Loose::new(7);
        let words = [2u64, 1, 0];
        loose.push(&Made {
            thread: 3,
            command: api::id::glUniform1fv,
            args: &words,
            input: Some((2, &[1, 2, 3, 4])),
            result: 0,
        });
        loose.push(&Made { thread: 3, command: api::id::glUniform1fv, args: &words[..1], input: None, result: 0 });
        loose.push(&Made { thread: 0, command: api::id::glEnable, args: &[0xBE2], input: None, result: 0 });
        assert_eq!(loose.len(), 2);
        let calls: Vec<Call<'_>> = loose.iter().collect();
        assert_eq!((calls[0].number, calls[0].name(), calls[0].thread), (7, "glUniform1fv", 3));
        assert_eq!(calls[0].input(2), Some(Data::Inline(&[1, 2, 3, 4])));
        assert_eq!((calls[1].command, calls[1].args), (Some(api::id::glEnable), &[0xBE2u64][..]));
        assert!(calls[1].outcome.is_some());
    }
}
