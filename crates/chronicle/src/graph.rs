//! What depends on what: which calls read and write which contents.
//!
//! Contents are what is in buffers, images and surfaces. Calls that touch them are the nodes; one depends on another when
//! it reads, or only partly writes over, what the other wrote. State that is no contents - bindings, parameters, what is
//! enabled - is not part of the graph: it is cheap to set and always set.

use std::collections::{BTreeMap, BTreeSet};

use api::{CommandId, Trait};
use state::{CallObserver, ContentsRef, Model, Source};
use trace::Reader;

use crate::ChronicleError;
use crate::call::{each_call, with_call};

/// Something that holds contents, wherever in the program. Objects of different share groups have the same numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// The share group; 0 for what belongs to none.
    pub group: usize,
    /// What it is; a buffer is one cell, however little of it is touched.
    pub thing: ContentsRef,
}

impl Cell {
    /// The cell that a thing belongs to.
    #[must_use]
    pub fn of(group: usize, thing: ContentsRef) -> Cell {
        match thing {
            ContentsRef::Buffer { object, .. } => {
                Cell { group, thing: ContentsRef::Buffer { object, from: 0, to: u64::MAX } }
            }
            ContentsRef::Surface { .. } => Cell { group: 0, thing },
            _ => Cell { group, thing },
        }
    }
}

/// Images and buffers that a trace may have, and how often it may access them.
const MAX_CELLS: usize = 1 << 21;
const MAX_ACCESSES: usize = 1 << 26;

/// A number for a cell; see [`Graph::cells`].
type CellNumber = u32;

/// A call that touches contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContentCall {
    /// The call.
    pub call: u64,
    /// The command.
    pub command: CommandId,
    reads: (u32, u32),
    /// Where, among these, the reads of depth and stencil tests begin.
    tests: u32,
    writes: (u32, u32),
}

impl ContentCall {
    /// How many of its reads are no depth or stencil tests.
    pub(crate) fn fetched(&self) -> u32 {
        self.tests - self.reads.0
    }
}

/// A cell that a call writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    pub(crate) cell: CellNumber,
    /// Whether nothing is left of what was there before.
    pub whole: bool,
}

/// Which calls of a trace read and write what.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// In the order of the trace.
    works: Vec<ContentCall>,
    reads: Vec<CellNumber>,
    writes: Vec<Written>,
    cells: Vec<Cell>,
    /// Calls with effects beyond the model's state and contents, in order.
    lasting: Vec<u64>,
}

impl Graph {
    /// Goes through a trace, up to and without the call `end`. `progress` is told the number of a call now and then.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn build(reader: &Reader, end: u64, progress: &mut dyn FnMut(u64)) -> Result<Graph, ChronicleError> {
        Graph::build_with_state(reader, end, progress).map(|(graph, _)| graph)
    }

    /// The same, with the state before the call `end`.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn build_with_state(
        reader: &Reader,
        end: u64,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(Graph, Model), ChronicleError> {
        let mut graph = Graph::default();
        let mut numbers: BTreeMap<Cell, CellNumber> = BTreeMap::new();
        let mut model = Model::default();
        let (mut counted, mut counts_matter) = (Vec::new(), false);
        let mut touched = Touched::default();
        each_call(&mut reader.calls(), end, |call| {
            if call.number % 10_000 == 0 {
                progress(call.number);
            }
            with_call(reader, call, |call| {
                touched.clear();
                model.apply(call, Some(&mut touched));
                if touched.unmodelled {
                    graph.lasting.push(call.number);
                }
                match count(call.command) {
                    Some(Count::Made) => counted.push(call.number),
                    Some(Count::Used) => counts_matter = true,
                    None => {}
                }
                if touched.reads.is_empty() && touched.tests.is_empty() && touched.writes.is_empty() {
                    return;
                }
                let group = model.context(model.seat(call.thread).context).map_or(0, |context| context.group);
                graph.add((call.number, call.command), group, &touched, &mut numbers);
            });
            ChronicleError::check(&model)?;
            ChronicleError::limit("images and buffers", graph.cells.len(), MAX_CELLS, call.number)?;
            let accesses = graph.reads.len() + graph.writes.len();
            ChronicleError::limit("reads and writes", accesses, MAX_ACCESSES, call.number)
        })?;
        if counts_matter {
            graph.lasting.extend(counted);
            graph.lasting.sort_unstable();
        }
        Ok((graph, model))
    }

    fn add(
        &mut self,
        (call, command): (u64, CommandId),
        group: usize,
        touched: &Touched,
        numbers: &mut BTreeMap<Cell, CellNumber>,
    ) {
        let mut number = |cells: &mut Vec<Cell>, thing: ContentsRef| {
            let cell = Cell::of(group, thing);
            *numbers.entry(cell).or_insert_with(|| {
                cells.push(cell);
                cells.len() as CellNumber - 1
            })
        };
        let (reads, writes) = (self.reads.len() as u32, self.writes.len() as u32);
        for thing in &touched.reads {
            let cell = number(&mut self.cells, *thing);
            self.reads.push(cell);
        }
        for (thing, source) in &touched.writes {
            let cell = number(&mut self.cells, *thing);
            if let Source::Copy { of, .. } = source {
                let read = number(&mut self.cells, *of);
                self.reads.push(read);
            }
            self.writes.push(Written { cell, whole: replaces(thing, source) });
        }
        let tests = self.reads.len() as u32;
        for thing in &touched.tests {
            let cell = number(&mut self.cells, *thing);
            self.reads.push(cell);
        }
        let (reads, writes) = ((reads, self.reads.len() as u32), (writes, self.writes.len() as u32));
        self.works.push(ContentCall { call, command, reads, tests, writes });
    }

    /// All calls that touch contents, in the order of the trace.
    #[must_use]
    pub fn works(&self) -> &[ContentCall] {
        &self.works
    }

    /// Those of a range of calls.
    #[must_use]
    pub fn works_in(&self, range: std::ops::Range<u64>) -> &[ContentCall] {
        let at = |position: u64| self.works.partition_point(|work| work.call < position);
        &self.works[at(range.start)..at(range.end).max(at(range.start))]
    }

    /// Everything that the calls of the trace touch.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// What some of the calls read.
    pub fn reads_of(&self, calls: std::ops::RangeInclusive<u64>) -> impl Iterator<Item = Cell> {
        let first = self.works.partition_point(|work| work.call < *calls.start());
        self.works[first..].iter().take_while(move |work| work.call <= *calls.end()).flat_map(|work| self.reads(work))
    }

    /// What a call reads.
    pub fn reads(&self, work: &ContentCall) -> impl Iterator<Item = Cell> {
        self.reads[work.reads.0 as usize..work.reads.1 as usize].iter().map(|cell| self.cells[*cell as usize])
    }

    /// What a call reads in other ways than by depth and stencil tests: its shaders, copies, queries.
    pub fn fetches(&self, work: &ContentCall) -> impl Iterator<Item = Cell> {
        self.reads[work.reads.0 as usize..work.tests as usize].iter().map(|cell| self.cells[*cell as usize])
    }

    /// What a call compares its fragments with.
    pub fn tests(&self, work: &ContentCall) -> impl Iterator<Item = Cell> {
        self.reads[work.tests as usize..work.reads.1 as usize].iter().map(|cell| self.cells[*cell as usize])
    }

    /// What a call writes, and whether nothing is left of what was there before.
    pub fn writes(&self, work: &ContentCall) -> impl Iterator<Item = (Cell, bool)> {
        self.written(work).iter().map(|written| (self.cells[written.cell as usize], written.whole))
    }

    /// Returns the first call of a range with effects beyond the model's state and contents: the model does not know
    /// it, or GL counts something that later decides about drawing.
    #[must_use]
    pub fn first_lasting(&self, range: std::ops::Range<u64>) -> Option<u64> {
        let place = self.lasting.partition_point(|call| *call < range.start);
        self.lasting.get(place).copied().filter(|call| *call < range.end)
    }

    /// Calls before `end` that need not be executed if only these cells are looked at then: they change nothing but
    /// contents, and no needed call reads those. In the order of the trace.
    #[must_use]
    pub fn idle(&self, wanted: impl IntoIterator<Item = Cell>, end: u64) -> Vec<u64> {
        let wanted: BTreeSet<Cell> = wanted.into_iter().collect();
        let mut needed: Vec<bool> = self.cells.iter().map(|cell| wanted.contains(cell)).collect();
        let mut idle = Vec::new();
        for work in self.works.iter().rev().filter(|work| work.call < end) {
            let writes = self.written(work);
            let matters = writes.iter().any(|written| needed[written.cell as usize]);
            if !matters && !writes.is_empty() && changes_contents_only(work.command) {
                idle.push(work.call);
                continue;
            }
            // What is executed writes over what was there before, and reads what it reads.
            for written in writes.iter().filter(|written| written.whole) {
                needed[written.cell as usize] = false;
            }
            if matters {
                for cell in &self.reads[work.reads.0 as usize..work.reads.1 as usize] {
                    needed[*cell as usize] = true;
                }
            }
        }
        idle.reverse();
        idle
    }

    /// What a call reads, as numbers of cells.
    pub(crate) fn read_numbers(&self, work: &ContentCall) -> &[u32] {
        &self.reads[work.reads.0 as usize..work.reads.1 as usize]
    }

    pub(crate) fn written(&self, work: &ContentCall) -> &[Written] {
        &self.writes[work.writes.0 as usize..work.writes.1 as usize]
    }
}

/// Whether nothing is left of what a thing held before. A buffer is one cell, so only a write to all of it counts.
pub(crate) fn replaces(thing: &ContentsRef, source: &Source) -> bool {
    let whole = match source {
        Source::Memory { whole, .. } | Source::Copy { whole, .. } | Source::Fill { whole } => *whole,
        Source::Undefined => true,
        Source::Gpu => false,
    };
    whole && !matches!(thing, ContentsRef::Buffer { from, .. } if *from != 0)
}

/// Whether a command changes nothing but contents, so that leaving it out leaves everything else as it is. Those that
/// give storage to objects do more, and so do display lists and immediate mode.
#[must_use]
pub fn changes_contents_only(command: CommandId) -> bool {
    api::command(command).has(Trait::ContentsOnly)
}

/// What GL counts, and can use without returning it to the program: results of queries, vertices of transform feedback.
enum Count {
    Made,
    Used,
}

fn count(command: CommandId) -> Option<Count> {
    let command = api::command(command);
    if command.has(Trait::UsesCount) {
        return Some(Count::Used);
    }
    command.has(Trait::StartsCount).then_some(Count::Made)
}

/// What one call touches.
#[derive(Default)]
pub(crate) struct Touched {
    pub(crate) reads: Vec<ContentsRef>,
    /// What depth and stencil tests read.
    pub(crate) tests: Vec<ContentsRef>,
    pub(crate) writes: Vec<(ContentsRef, Source)>,
    /// Whether the model does not say all.
    pub(crate) unmodelled: bool,
}

impl Touched {
    /// Forgets everything; the next call takes the same memory.
    fn clear(&mut self) {
        self.reads.clear();
        self.tests.clear();
        self.writes.clear();
        self.unmodelled = false;
    }
}

impl CallObserver for Touched {
    fn reads(&mut self, thing: ContentsRef) {
        self.reads.push(thing);
    }

    fn tests(&mut self, thing: ContentsRef) {
        self.tests.push(thing);
    }

    fn writes(&mut self, thing: ContentsRef, source: Source) {
        self.writes.push((thing, source));
    }

    fn unmodelled(&mut self) {
        self.unmodelled = true;
    }
}
