//! Passes: calls that follow each other and work on the same targets, and the resources that go between them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use api::{Role, id};
use state::annotation::quoted;
use state::{ContentsRef, Model};

use crate::chronicle::{Chronicle, ChronicleError};
use crate::graph::{Cell, ContentCall, Graph};

/// Calls that follow each other and write the same targets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pass {
    /// What it does.
    pub kind: PassKind,
    /// Its first call.
    pub first: u64,
    /// Its last call.
    pub last: u64,
    /// How many calls of it touch contents.
    pub calls: u64,
    /// What its shaders, copies and queries read that others wrote, or that was there before.
    pub reads: Vec<Resource>,
    /// What its depth and stencil tests compare with, where others wrote that, or it was there before.
    pub tests: Vec<Resource>,
    /// What it writes.
    pub writes: Vec<Resource>,
}

/// What a pass does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PassKind {
    /// Draws and clears.
    Render,
    /// Runs compute shaders.
    Compute,
    /// Uploads, copies, blits, reads back.
    Transfer,
    /// Shows a surface.
    Present,
}

impl PassKind {
    /// In a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            PassKind::Render => "render",
            PassKind::Compute => "compute",
            PassKind::Transfer => "transfer",
            PassKind::Present => "present",
        }
    }
}

/// Something that passes read and write: a whole texture, buffer, renderbuffer or surface.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Resource {
    /// The share group; 0 for surfaces.
    pub group: usize,
    /// What it is.
    pub kind: ResourceKind,
    /// Its number: of the surface, or the object's that is never given twice.
    pub object: u64,
}

/// What a resource is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ResourceKind {
    /// A buffer.
    Buffer,
    /// A texture.
    Texture,
    /// A renderbuffer.
    Renderbuffer,
    /// A surface.
    Surface,
}

impl ResourceKind {
    /// In a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            ResourceKind::Buffer => "buffer",
            ResourceKind::Texture => "texture",
            ResourceKind::Renderbuffer => "renderbuffer",
            ResourceKind::Surface => "surface",
        }
    }
}

impl Resource {
    /// The resource that a cell is part of; nothing for what is none, such as the result of a query.
    #[must_use]
    pub fn of(cell: Cell) -> Option<Resource> {
        let (kind, object) = match cell.thing {
            ContentsRef::Buffer { object, .. } => (ResourceKind::Buffer, object),
            ContentsRef::Image { object, .. } => (ResourceKind::Texture, object),
            ContentsRef::Renderbuffer { object } => (ResourceKind::Renderbuffer, object),
            ContentsRef::Surface { surface, .. } => (ResourceKind::Surface, u64::from(surface)),
            _ => return None,
        };
        Some(Resource { group: cell.group, kind, object })
    }
}

/// What the program calls its objects, in one state. Looking for each object among all would take too long for many.
pub struct Names {
    /// By resource, the name and the label, which is empty without one.
    names: HashMap<Resource, (u32, String)>,
}

impl Names {
    /// Returns the names of a state.
    #[must_use]
    pub fn new(model: &Model) -> Names {
        let mut names = Names { names: HashMap::new() };
        names.add(model);
        names
    }

    /// Adds the names that objects have in a state of which these passes are, if they have none yet: programs delete their
    /// objects before they end.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn add_of_passes(
        &mut self,
        chronicle: &Chronicle,
        passes: impl Iterator<Item = Pass>,
    ) -> Result<(), ChronicleError> {
        let mut tried = HashSet::new();
        for pass in passes {
            let nameless = |one: &&Resource| one.kind != ResourceKind::Surface && !self.names.contains_key(one);
            let all = pass.reads.iter().chain(&pass.tests).chain(&pass.writes);
            let new = all.filter(nameless).filter(|one| tried.insert(**one)).count();
            if new > 0 {
                self.add(&chronicle.before(pass.last)?);
            }
        }
        Ok(())
    }

    /// Adds what has no name yet.
    fn add(&mut self, model: &Model) {
        for (place, group) in model.groups.iter().enumerate() {
            let mut add = |kind, object, name| {
                let entry = self.names.entry(Resource { group: place, kind, object });
                entry.or_insert_with(|| (name, quoted(group.label(object).as_deref())));
            };
            for (name, buffer) in &group.buffers {
                add(ResourceKind::Buffer, buffer.object, *name);
            }
            for (name, texture) in &group.textures {
                add(ResourceKind::Texture, texture.object, *name);
            }
            for (name, renderbuffer) in &group.renderbuffers {
                add(ResourceKind::Renderbuffer, renderbuffer.object, *name);
            }
        }
    }

    /// Returns what the program calls a resource: `texture 5 "shadows"`. One that does not exist has no name any more.
    #[must_use]
    pub fn of(&self, resource: &Resource) -> String {
        let word = resource.kind.word();
        match (resource.kind, self.names.get(resource)) {
            (ResourceKind::Surface, _) => format!("{word} {}", resource.object),
            (_, Some((name, label))) => format!("{word} {name}{label}"),
            (_, None) => format!("nameless {word} (object {})", resource.object),
        }
    }
}

/// Returns the passes among the calls from `first` up to and without `end`, one after the other: a trace may have
/// millions.
pub fn passes(graph: &Graph, first: u64, end: u64) -> impl Iterator<Item = Pass> {
    let mut works = graph.works().iter().filter(move |work| (first..end).contains(&work.call));
    let known: Vec<bool> = graph.cells().iter().map(|cell| Resource::of(*cell).is_some()).collect();
    let is_known = move |cell: u32| known.get(cell as usize).is_some_and(|known| *known);
    let mut next: Option<Pass> = None;
    // The last call of that pass.
    let mut last: Option<&ContentCall> = None;
    // What that pass has written all of: reading that depends on no other pass.
    let mut own: BTreeSet<Cell> = BTreeSet::new();
    std::iter::from_fn(move || {
        for work in works.by_ref() {
            let kind = kind(work);
            let (numbers, written) = (graph.read_numbers(work), graph.written(work));
            let mut touched = numbers.iter().copied().chain(written.iter().map(|written| written.cell));
            // What only sets uniforms or other state of objects goes with what uses it.
            if !touched.any(&is_known) {
                continue;
            }
            // Most draws do what the one before them did.
            if let (Some(pass), Some(before)) = (&mut next, last)
                && pass.kind == kind
                && matches!(kind, PassKind::Render | PassKind::Transfer)
                && graph.read_numbers(before) == numbers
                && before.fetched() == work.fetched()
                && graph.written(before) == written
            {
                pass.last = work.call;
                pass.calls += 1;
                continue;
            }
            last = Some(work);
            let writes = resources(graph.writes(work).map(|(cell, _)| cell));
            let joins = |pass: &Pass| match kind {
                PassKind::Render => pass.kind == kind && pass.writes == writes,
                PassKind::Transfer => pass.kind == kind,
                PassKind::Compute | PassKind::Present => false,
            };
            let joins = next.as_ref().is_some_and(joins);
            if !joins {
                own.clear();
            }
            let reads = resources(graph.fetches(work).filter(|cell| !own.contains(cell)));
            let tests = resources(graph.tests(work).filter(|cell| !own.contains(cell)));
            own.extend(graph.writes(work).filter(|(_, whole)| *whole).map(|(cell, _)| cell));
            match &mut next {
                Some(pass) if joins => {
                    pass.last = work.call;
                    pass.calls += 1;
                    merge(&mut pass.reads, reads);
                    merge(&mut pass.tests, tests);
                    merge(&mut pass.writes, writes);
                }
                next => {
                    let pass = Pass { kind, first: work.call, last: work.call, calls: 1, reads, tests, writes };
                    if let Some(done) = next.replace(pass) {
                        return Some(done);
                    }
                }
            }
        }
        next.take()
    })
}

/// Returns for each pass which later ones read what it wrote, or test against it, and what that is: the place of the writer
/// among the passes, that of the reader, and the resource.
pub fn edges(passes: impl Iterator<Item = Pass>) -> impl Iterator<Item = (usize, usize, Resource)> {
    let mut writers: BTreeMap<Resource, usize> = BTreeMap::new();
    passes.enumerate().flat_map(move |(at, pass)| {
        let writer = |resource: &Resource| writers.get(resource).filter(|writer| **writer != at).copied();
        let tested = pass.tests.iter().filter(|resource| pass.reads.binary_search(resource).is_err());
        let found: Vec<(usize, usize, Resource)> =
            pass.reads.iter().chain(tested).filter_map(|resource| Some((writer(resource)?, at, *resource))).collect();
        writers.extend(pass.writes.into_iter().map(|resource| (resource, at)));
        found
    })
}

fn kind(work: &ContentCall) -> PassKind {
    match api::command(work.command).role {
        _ if matches!(work.command, id::afiPresent | id::afiSwap) => PassKind::Present,
        Role::Draw | Role::Clear => PassKind::Render,
        Role::Dispatch => PassKind::Compute,
        _ => PassKind::Transfer,
    }
}

fn resources(cells: impl Iterator<Item = Cell>) -> Vec<Resource> {
    let mut list: Vec<Resource> = cells.filter_map(Resource::of).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Adds to a sorted list what it does not have.
fn merge(list: &mut Vec<Resource>, mut more: Vec<Resource>) {
    more.retain(|resource| list.binary_search(resource).is_err());
    if !more.is_empty() {
        list.extend(more);
        list.sort_unstable();
    }
}
