//! Trimming: finds the calls before a frame that are needed to restore its state.
//!
//! A trace can begin with any frame if what comes before is replaced by something shorter that ends in the same state.
//! That is made of the program's own calls. Going backwards, the last call that set each piece of state is needed, and
//! what it relies on, such as what was bound then; draws and everything else that leaves nothing but contents is not.
//! Contents that came from memory of calls come from those calls again. All others - what was drawn, copied, written by
//! shaders - are read back from a driver that has executed everything, and stored; see [`DriverContents`].
//!
//! So a trimmed trace is part of the whole one, and contents. Where the meaning of a command is not known here, it is kept
//! with all that it might rely on.

mod attributes;
mod bound;
mod live;
mod log;
mod matrix;
mod slot;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use api::{CommandId, Namespace};
use trace::Reader;

use crate::ChronicleError;
use crate::call::{each_call, with_call};
use live::Live;
use walk::{About, Walk};

/// A buffer or texture is stored, not recreated, if more calls than this changed it, or by more than this many times its
/// size.
const MANY_CHANGES: u32 = 64;
const MANY_TIMES: u64 = 2;
/// Textures are not followed as closely: this many bytes of changes are not worth a copy.
const FEW_BYTES: u64 = 1 << 16;

/// What a trimmed trace is made of, besides the frames that are kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Setup {
    /// Calls from before the frames, in order.
    pub calls: Vec<u64>,
    /// Contents that must be as they are before the first frame.
    pub contents: Vec<DriverContents>,
    /// Threads whose contexts have no error waiting then, one for each context.
    pub clean: Vec<u32>,
    /// Contents that only a driver could tell, but that the frames do not look at.
    pub left_out: Vec<(DriverContents, Left)>,
    /// Sentences about what will differ from the original.
    pub problems: Vec<String>,
    /// What is worth knowing, though nothing comes of it.
    pub notes: Vec<String>,
    /// Commands of the frames of which it is not known what they touch, so that all contents were kept.
    pub blind: Vec<CommandId>,
    /// Commands that were kept because nothing is known of what they do, and how often they came.
    pub unknown: Vec<(CommandId, u64)>,
}

/// Contents that only a driver can tell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DriverContents {
    /// Those of an object.
    Object {
        /// A context that it can be reached from.
        context: u32,
        /// A buffer, a texture or a renderbuffer.
        space: Namespace,
        /// Its recorded name.
        name: u32,
        /// The target of a texture.
        target: u32,
    },
    /// Those of a surface.
    Surface {
        /// A context that draws to it.
        context: u32,
        /// Its number.
        surface: u32,
        /// `GL_COLOR`, `GL_DEPTH` or `GL_STENCIL`.
        plane: u32,
    },
}

/// Why contents are left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Left {
    /// The frames do nothing with them.
    Untouched,
    /// The frames write over all of them before they look at them.
    Replaced,
}

/// Finds out what is needed from before a range of calls. `progress` is told the number of a call now and then.
///
/// # Errors
/// When the trace cannot be read.
pub fn setup(reader: &Reader, kept: &Range<u64>, progress: &mut dyn FnMut(u64)) -> Result<Setup, ChronicleError> {
    let mut walk = Walk::default();
    let mut model = state::Model::default();
    each_call(&mut reader.calls(), kept.start, |call| {
        if call.number % 10_000 == 0 {
            progress(call.number);
        }
        walk.follow(call, reader);
        with_call(reader, call, |call| model.apply(call, None));
        ChronicleError::check(&model)
    })?;
    let unwanted = walk.unwanted(is_stored);
    let matrices: BTreeSet<u64> = walk.contexts.values().flat_map(|bound| bound.matrices.needed()).collect();
    let live = Live::find(reader, kept, model.clone())?;
    let (mut contents, mut problems, mut left_out) = live.surfaces();
    let stored =
        walk.objects.iter().filter(|(object, about)| !about.deleted && object.name != 0 && is_stored(object, about));
    for (object, about) in stored {
        let (context, space, name, target) = (about.context, object.space, object.name, about.target);
        let wanted = DriverContents::Object { context, space, name, target };
        match live.looks_at(context, space, name) {
            Ok(()) => contents.push(wanted),
            Err(why) => left_out.push((wanted, why)),
        }
    }
    // Objects before surfaces, as they are numbered.
    contents.sort_unstable();
    left_out.sort_unstable();
    let (unknown_results, notes) = live.queries();
    problems.extend(unknown_results);
    let seated: BTreeMap<u32, u32> = walk.seats.iter().map(|(thread, seat)| (seat[0], *thread)).collect();
    let clean = seated
        .iter()
        .filter(|(context, _)| model.context(**context).is_some_and(|context| context.error.is_none()))
        .map(|(_, thread)| *thread)
        .collect();
    for (number, bound) in &walk.contexts {
        if bound.feedback {
            problems.push(format!("transform feedback of context {number}, which was going on, is not begun again"));
        }
        if bound.list.is_some() {
            problems.push(format!("the display list that context {number} was making is not begun again"));
        }
    }
    Ok(Setup {
        calls: walk.log.needed(&walk.slots, &unwanted, &matrices),
        contents,
        clean,
        left_out,
        problems,
        notes,
        blind: live.blind.into_iter().collect(),
        unknown: walk.unknown.into_iter().collect(),
    })
}

/// Whether the contents of an object are stored, rather than made by the calls that made them.
fn is_stored(object: &slot::Object, about: &About) -> bool {
    match object.space {
        Namespace::Buffer => {
            about.size > 0 && (about.by_gpu || about.changes > MANY_CHANGES || about.changed > about.size * MANY_TIMES)
        }
        Namespace::Texture => about.by_gpu || (about.changes > MANY_CHANGES && about.changed > FEW_BYTES),
        Namespace::Renderbuffer => about.by_gpu,
        _ => false,
    }
}
