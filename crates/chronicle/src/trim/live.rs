//! What frames look at of what was there before them.
//!
//! The first call of the frames that touches contents decides: one that replaces all of them makes what was there of no
//! interest; one that reads them, or writes only to a part of them, needs them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use api::{CommandId, Namespace, Operation, Trait, constant as c, id};
use state::objects::query::QueryResult;
use state::{ContentsRef, Model, variable as var};
use trace::Reader;

use super::{DriverContents, Left};
use crate::ChronicleError;
use crate::call::{each_call, with_call};
use crate::graph::{Cell, Touched, replaces};

/// What the first call that touched contents did to them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum First {
    /// It read them, or wrote to a part of them; the context that it was made in.
    Looked(u32),
    Replaced,
}

/// What the frames touched.
pub struct Live {
    /// The model before the frames.
    before: Model,
    first: BTreeMap<Cell, First>,
    /// Who reads results of queries that were not begun by the frames.
    asked: BTreeMap<Cell, BTreeSet<CommandId>>,
    /// Commands of which the model does not say what they touch.
    pub blind: BTreeSet<CommandId>,
}

impl Live {
    /// Goes through the frames; `before` is the model as it is before them.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn find(reader: &Reader, kept: &Range<u64>, before: Model) -> Result<Live, ChronicleError> {
        let mut model = before.clone();
        let (first, asked, blind) = Default::default();
        let mut live = Live { before, first, asked, blind };
        let mut calls = reader.calls();
        calls.seek(kept.start);
        each_call(&mut calls, kept.end, |call| {
            with_call(reader, call, |call| live.follow(&mut model, call));
            ChronicleError::check(&model)
        })?;
        Ok(live)
    }

    fn follow(&mut self, model: &mut Model, call: &state::Call<'_>) {
        let mut touched = Touched::default();
        let seat = model.seat(call.thread);
        let accumulated = if replaces_accumulated(model, call) { seat.draw } else { 0 };
        model.apply(call, Some(&mut touched));
        if touched.unmodelled {
            self.blind.insert(call.command);
        }
        let group = model.context(seat.context).map_or(0, |context| context.group);
        let accumulation = ContentsRef::Surface { surface: accumulated, plane: c::GL_ACCUM };
        if accumulated != 0 {
            self.touch(Cell::of(group, accumulation), First::Replaced);
        }
        for thing in touched.reads.iter().chain(&touched.tests) {
            let cell = Cell::of(group, *thing);
            match thing {
                // Draws add to what is counted; those who ask are of interest.
                ContentsRef::Result { .. } if is_drawing(call.command) => {}
                ContentsRef::Result { .. } if self.first.get(&cell) != Some(&First::Replaced) => {
                    self.asked.entry(cell).or_default().insert(call.command);
                }
                ContentsRef::Result { .. } => {}
                _ => self.touch(cell, First::Looked(seat.context)),
            }
        }
        for (thing, source) in &touched.writes {
            // Levels that are made of others have nothing of what they were.
            let whole = replaces(thing, source) || makes_levels(call.command);
            if let state::Source::Copy { of, .. } = source {
                self.touch(Cell::of(group, *of), First::Looked(seat.context));
            }
            if whole {
                self.touch(Cell::of(group, *thing), First::Replaced);
            } else if !matches!(thing, ContentsRef::Result { .. }) {
                self.touch(Cell::of(group, *thing), First::Looked(seat.context));
            }
        }
    }

    fn touch(&mut self, cell: Cell, how: First) {
        self.first.entry(cell).or_insert(how);
    }

    /// Whether the frames look at what an object held; why they do not.
    pub fn looks_at(&self, context: u32, space: Namespace, name: u32) -> Result<(), Left> {
        if !self.blind.is_empty() {
            return Ok(());
        }
        let Some(context) = self.before.context(context) else { return Ok(()) };
        let Some(group) = self.before.group_of(context) else { return Ok(()) };
        let object = match space {
            Namespace::Buffer => group.buffers.get(&name).map(|buffer| buffer.object),
            // Views are of the same contents.
            Namespace::Texture => group.textures.get(&name).map(|texture| texture.storage),
            _ => group.renderbuffers.get(&name).map(|renderbuffer| renderbuffer.object),
        };
        // What the model does not have may be looked at in ways it does not know.
        let Some(object) = object else { return Ok(()) };
        let (from, to) = match space {
            Namespace::Buffer => {
                let whole = ContentsRef::Buffer { object, from: 0, to: u64::MAX };
                (whole, whole)
            }
            Namespace::Texture => (
                ContentsRef::Image { object, level: 0, layer: 0 },
                ContentsRef::Image { object, level: u32::MAX, layer: u32::MAX },
            ),
            _ => (ContentsRef::Renderbuffer { object }, ContentsRef::Renderbuffer { object }),
        };
        let number = context.group;
        let mut left = Left::Untouched;
        for (_, first) in self.first.range(Cell { group: number, thing: from }..=Cell { group: number, thing: to }) {
            match first {
                First::Looked(_) => return Ok(()),
                First::Replaced => left = Left::Replaced,
            }
        }
        Err(left)
    }

    /// Returns the planes of surfaces that the frames read; sentences about what they read that cannot be stored; and what they
    /// write over.
    pub fn surfaces(&self) -> (Vec<DriverContents>, Vec<String>, Vec<(DriverContents, Left)>) {
        let (mut wanted, mut problems, mut left) = (Vec::new(), Vec::new(), Vec::new());
        for (cell, first) in &self.first {
            let ContentsRef::Surface { surface, plane } = cell.thing else { continue };
            // What the frames make themselves has nothing from before.
            let Some(about) = self.before.surfaces.get(&surface) else { continue };
            let plane = match plane {
                c::GL_DEPTH | c::GL_STENCIL => plane,
                c::GL_BACK_LEFT => c::GL_COLOR,
                c::GL_FRONT_LEFT if !about.double => c::GL_COLOR,
                _ => {
                    if matches!(first, First::Looked(_)) {
                        let what = if plane == c::GL_ACCUM { "accumulation buffer" } else { "front or right buffer" };
                        problems
                            .push(format!("the frames look at the {what} of surface {surface}, which is not stored"));
                    }
                    continue;
                }
            };
            match *first {
                First::Looked(context) => wanted.push(DriverContents::Surface { context, surface, plane }),
                First::Replaced => left.push((DriverContents::Surface { context: 0, surface, plane }, Left::Replaced)),
            }
        }
        (wanted, problems, left)
    }

    /// What the frames ask of queries from before: what will not be as it was, and what is worth knowing.
    pub fn queries(&self) -> (Vec<String>, Vec<String>) {
        let (mut problems, mut notes) = (Vec::new(), Vec::new());
        for number in 0..self.before.contexts.len() as u32 {
            let Some(context) = self.before.context(number) else { continue };
            if let Some((name, _)) = context.active_queries.condition {
                problems.push(format!("rendering that depends on query {name} in context {number} is not begun again"));
            }
            for (name, query) in &context.queries {
                let cell = Cell::of(context.group, ContentsRef::Result { object: query.object });
                let Some(asked) = self.asked.get(&cell) else { continue };
                // In a trimmed trace nothing was drawn while the query counted.
                let zero = !query.active && matches!(query.result, QueryResult::None | QueryResult::Read(0));
                for asking in asked {
                    let about = api::command(*asking);
                    let command = about.name;
                    if zero {
                        continue;
                    } else if about.role == api::Role::Query && !about.has(Trait::UsesCount) {
                        notes.push(format!(
                            "query {name} of context {number}: {command} has its recorded answer; a replay counts \
                             nothing of what was drawn before"
                        ));
                    } else {
                        problems.push(format!(
                            "{command} depends on what query {name} of context {number} counted before the frames, \
                             which is not brought back"
                        ));
                    }
                }
            }
        }
        (problems, notes)
    }
}

/// Whether a call counts for queries or depends on one, rather than asking for a result.
fn is_drawing(command: CommandId) -> bool {
    let conditional = [id::glBeginConditionalRender, id::glBeginConditionalRenderNV, id::glBeginConditionalRenderNVX]
        .contains(&command);
    api::command(command).role != api::Role::Query && !conditional
}

/// Whether a command makes levels of textures anew from their first.
fn makes_levels(command: CommandId) -> bool {
    matches!(api::command(command).operation, Operation::GenerateMipmap { .. })
        || command == id::glGenerateMultiTexMipmapEXT
}

/// Whether a call replaces all of an accumulation buffer, of which the model says only that it is touched.
fn replaces_accumulated(model: &Model, call: &state::Call<'_>) -> bool {
    let word = call.args.first().copied().unwrap_or(0) as u32;
    let replaces = match call.command {
        id::glAccum => word == c::GL_LOAD,
        id::glClear => word & c::GL_ACCUM_BUFFER_BIT != 0,
        _ => false,
    };
    let context = model.context(model.seat(call.thread).context);
    replaces && context.is_some_and(|context| context.vars.get(var::SCISSOR_TEST) == 0.0)
}
