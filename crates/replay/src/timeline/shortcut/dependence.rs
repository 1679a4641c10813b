//! What frames draw to, and where something could come to depend on what was there before.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use api::{Role, Trait, constant as c, id};
use chronicle::graph::{Cell, ContentCall, Graph};
use chronicle::trim::DriverContents;
use device::{ContentsKey, contents_of};
use state::{ContentsRef, Model};

use super::Wanted;

/// The objects that exist in a state, by share group.
pub(super) struct Live(HashSet<(usize, u64)>);

impl Live {
    pub(super) fn of(model: &Model) -> Live {
        let mut live = HashSet::new();
        for (place, group) in model.groups.iter().enumerate() {
            let buffers = group.buffers.iter().map(|(_, buffer)| buffer.object);
            let textures = group.textures.iter().map(|(_, texture)| texture.object);
            let unnamed = group.default_textures.iter().map(|texture| texture.object);
            let renderbuffers = group.renderbuffers.iter().map(|(_, renderbuffer)| renderbuffer.object);
            let objects = buffers.chain(textures).chain(unnamed).chain(renderbuffers);
            live.extend(objects.map(|object| (place, object)));
        }
        Live(live)
    }

    /// Returns whether a cell is part of something that exists and has contents in a replay. What a window shows has none: a
    /// replay that needs it keeps front buffers, and takes no shortcuts.
    pub(super) fn has(&self, model: &Model, cell: &Cell) -> bool {
        match cell.thing {
            ContentsRef::Buffer { object, .. }
            | ContentsRef::Image { object, .. }
            | ContentsRef::Renderbuffer { object } => self.0.contains(&(cell.group, object)),
            ContentsRef::Surface { .. } => contents_of(model, *cell).is_some(),
            _ => true,
        }
    }
}

/// Returns the images that calls of a range draw to. Of a level of a texture, all layers or none.
pub(super) fn targets(graph: &Graph, range: Range<u64>) -> BTreeSet<Cell> {
    let mut cells = drawn(graph, range);
    let level = |cell: &Cell| match cell.thing {
        ContentsRef::Image { object, level, .. } => Some((cell.group, object, level)),
        _ => None,
    };
    let others = graph.cells().iter().filter(|cell| !cells.contains(cell));
    let partial: HashSet<_> = others.filter_map(level).collect();
    cells.retain(|cell| level(cell).is_none_or(|level| !partial.contains(&level)));
    cells
}

/// Returns the last call of a range that draws to an image to which no call from the end of the range up to `end` draws.
pub(super) fn last_other_draw(graph: &Graph, range: Range<u64>, end: u64) -> Option<u64> {
    let after = drawn(graph, range.end..end);
    let other = |work: &&ContentCall| draws(work) && images(graph, work).any(|cell| !after.contains(&cell));
    graph.works_in(range).iter().rev().find(other).map(|work| work.call)
}

fn drawn(graph: &Graph, range: Range<u64>) -> BTreeSet<Cell> {
    graph.works_in(range).iter().filter(|work| draws(work)).flat_map(|work| images(graph, work)).collect()
}

/// Returns the number of calls of a range that draw.
pub(super) fn draws_in(graph: &Graph, range: Range<u64>) -> usize {
    graph.works_in(range).iter().filter(|work| draws(work)).count()
}

fn draws(work: &ContentCall) -> bool {
    let command = api::command(work.command);
    matches!(command.role, Role::Draw | Role::Clear) || command.has(Trait::ToFramebuffer)
}

fn images<'a>(graph: &'a Graph, work: &'a ContentCall) -> impl Iterator<Item = Cell> + use<'a> {
    graph.writes(work).map(|(cell, _)| cell).filter(is_image)
}

fn is_image(cell: &Cell) -> bool {
    matches!(cell.thing, ContentsRef::Surface { .. } | ContentsRef::Image { .. } | ContentsRef::Renderbuffer { .. })
}

/// Cells, and the call before which they are compared.
type Asked = Vec<(u64, BTreeSet<Cell>)>;

/// Returns which of these cells, and of those that could come to depend on them, calls of a range read in other ways than by
/// tests, each at the first such call: if they are the same there, whatever was in the cells before, they depend on nothing
/// any more. Returns, too, what may still depend on the cells after the range.
pub(super) fn exams(graph: &Graph, range: Range<u64>, mut cells: BTreeSet<Cell>) -> (Asked, BTreeSet<Cell>) {
    let mut exams = Vec::new();
    for work in graph.works_in(range) {
        // A present copies to what the window shows, which a replay without front buffers does not have.
        if matches!(work.command, id::afiPresent | id::afiSwap) {
            continue;
        }
        let asked: BTreeSet<Cell> = graph.fetches(work).filter(|cell| cells.contains(cell)).collect();
        if !asked.is_empty() {
            cells.retain(|cell| !asked.contains(cell));
            exams.push((work.call, asked));
        }
        let spreads = graph.tests(work).any(|cell| cells.contains(&cell));
        for (cell, whole) in graph.writes(work) {
            if spreads {
                cells.insert(cell);
            } else if whole {
                cells.remove(&cell);
            }
        }
    }
    (exams, cells)
}

/// Returns how to read cells in a state, each object once; `None` if some cannot be read back.
pub(super) fn readable(model: &Model, cells: &BTreeSet<Cell>) -> Option<Wanted> {
    let mut wanted = BTreeMap::new();
    for cell in cells {
        let (key, contents) = contents_of(model, *cell)?;
        wanted.insert(key, contents.ok()?);
    }
    Some(wanted)
}

/// The same, without cells that do not exist any more.
pub(super) fn readable_of_living(model: &Model, cells: &BTreeSet<Cell>) -> Option<Wanted> {
    let live = Live::of(model);
    // Programs learn results of queries from the recording, not from the replay; calls that use them are no part of it.
    let counts = |cell: &&Cell| !matches!(cell.thing, ContentsRef::Result { .. } | ContentsRef::Object { .. });
    readable(model, &cells.iter().filter(counts).filter(|cell| live.has(model, cell)).copied().collect())
}

/// Returns the object that a cell belongs to, and its level as the driver's contents name it.
pub(super) fn part(model: &Model, cell: Cell) -> Option<(ContentsKey, Option<u32>)> {
    let (key, wanted) = contents_of(model, cell)?;
    let level = match (cell.thing, wanted.ok()?) {
        // Contents of images with several samples name their number instead.
        (
            _,
            DriverContents::Object {
                target: c::GL_TEXTURE_2D_MULTISAMPLE | c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY, ..
            },
        ) => None,
        (ContentsRef::Image { level, .. }, _) => Some(level),
        _ => None,
    };
    Some((key, level))
}
