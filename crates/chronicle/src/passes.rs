//! Passes: calls that follow each other and work on the same targets, and the resources that go between them.

use std::collections::BTreeMap;

use api::{Role, id};
use state::annotation::quoted;
use state::{ContentsRef, Model};

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
    /// What it reads that others wrote, or that was there before.
    pub reads: Vec<Resource>,
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

    /// What the program calls it, in a state where it exists: `texture 5`. One that does not exist has no name any more.
    #[must_use]
    pub fn name(&self, model: &Model) -> String {
        let word = self.kind.word();
        let Some(group) = model.groups.get(self.group) else { return format!("{word} {}", self.object) };
        if self.kind == ResourceKind::Surface {
            return format!("{word} {}", self.object);
        }
        let name = match self.kind {
            ResourceKind::Surface => Some(self.object as u32),
            ResourceKind::Buffer => {
                find(group.buffers.iter().map(|(name, buffer)| (*name, buffer.object)), self.object)
            }
            ResourceKind::Texture => {
                find(group.textures.iter().map(|(name, texture)| (*name, texture.object)), self.object)
            }
            ResourceKind::Renderbuffer => {
                let all = group.renderbuffers.iter().map(|(name, renderbuffer)| (*name, renderbuffer.object));
                find(all, self.object)
            }
        };
        match name {
            Some(name) => format!("{word} {name}{}", quoted(group.label(self.object).as_deref())),
            None => format!("nameless {word} (object {})", self.object),
        }
    }
}

fn find(mut all: impl Iterator<Item = (u32, u64)>, object: u64) -> Option<u32> {
    all.find(|(_, number)| *number == object).map(|(name, _)| name)
}

/// The passes among the calls from `first` up to and without `end`.
#[must_use]
pub fn passes(graph: &Graph, first: u64, end: u64) -> Vec<Pass> {
    let mut passes: Vec<Pass> = Vec::new();
    for work in graph.works().iter().filter(|work| (first..end).contains(&work.call)) {
        let kind = kind(work);
        let reads = resources(graph.reads(work));
        let writes = resources(graph.writes(work).map(|(cell, _)| cell));
        // What only sets uniforms or other state of objects goes with what uses it.
        if reads.is_empty() && writes.is_empty() {
            continue;
        }
        let joins = passes.last().is_some_and(|pass| match kind {
            PassKind::Render => pass.kind == kind && pass.writes == writes,
            PassKind::Transfer => pass.kind == kind,
            PassKind::Compute | PassKind::Present => false,
        });
        match passes.last_mut().filter(|_| joins) {
            Some(pass) => {
                pass.last = work.call;
                pass.calls += 1;
                merge(&mut pass.reads, reads);
                merge(&mut pass.writes, writes);
            }
            None => passes.push(Pass { kind, first: work.call, last: work.call, calls: 1, reads, writes }),
        }
    }
    passes
}

/// For each pass, which later ones read what it wrote, and what that is.
#[must_use]
pub fn edges(passes: &[Pass]) -> Vec<(usize, usize, Resource)> {
    let mut writers: BTreeMap<Resource, usize> = BTreeMap::new();
    let mut edges = Vec::new();
    for (at, pass) in passes.iter().enumerate() {
        for resource in &pass.reads {
            if let Some(writer) = writers.get(resource).filter(|writer| **writer != at) {
                edges.push((*writer, at, *resource));
            }
        }
        for resource in &pass.writes {
            writers.insert(*resource, at);
        }
    }
    edges
}

fn kind(work: &ContentCall) -> PassKind {
    match api::command(work.command).role {
        _ if work.command == id::afiPresent => PassKind::Present,
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

fn merge(list: &mut Vec<Resource>, more: Vec<Resource>) {
    list.extend(more);
    list.sort_unstable();
    list.dedup();
}
