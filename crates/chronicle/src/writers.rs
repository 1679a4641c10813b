//! Who wrote to something last.

use std::collections::BTreeMap;

use state::{Fault, Model, Notes, Source, Thing};
use trace::{ReadError, Reader};

use crate::ChronicleError;
use crate::call::with_call;
use crate::graph::Cell;

/// The last call that wrote to each thing, up to some command.
#[derive(Clone, Debug, Default)]
pub struct Writers {
    last: BTreeMap<Cell, u64>,
}

impl Writers {
    /// The last call that wrote to a thing of a share group; nothing when none did.
    #[must_use]
    pub fn last(&self, group: usize, thing: Thing) -> Option<u64> {
        self.last.get(&Cell::of(group, thing)).copied()
    }
}

/// Goes through a trace, up to and without the call `end`: the state there, and who wrote what there is.
///
/// # Errors
/// When the trace cannot be read.
pub fn follow(reader: &Reader, end: u64) -> Result<(Model, Writers), ChronicleError> {
    let (mut model, mut writers, mut watch) = (Model::default(), Writers::default(), Watch::default());
    let mut calls = reader.calls();
    while calls.position() < end {
        let call = match calls.next() {
            Ok(Some(call)) => call,
            Ok(None) => break,
            Err(ReadError::Lost { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        with_call(reader, &call, |call| model.apply(call, Some(&mut watch)));
        if !watch.written.is_empty() {
            let context = model.seat(call.thread).context;
            let group = model.context(context).map_or(0, |context| context.group);
            for thing in watch.written.drain(..) {
                writers.last.insert(Cell::of(group, thing), call.number);
            }
        }
    }
    Ok((model, writers))
}

/// What one call wrote.
#[derive(Default)]
struct Watch {
    written: Vec<Thing>,
}

impl Notes for Watch {
    fn reads(&mut self, _thing: Thing) {}

    fn writes(&mut self, thing: Thing, source: Source) {
        // To have no contents any more is not to have been written.
        if source != Source::Undefined {
            self.written.push(thing);
        }
    }

    fn refused(&mut self, _fault: Fault) {}

    fn error_differs(&mut self, _expected: u32, _recorded: u32) {}

    fn unmodelled(&mut self) {}
}
