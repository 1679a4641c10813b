//! Display lists that change matrices or materials between their vertices: the fixed functions of each vertex.

use std::sync::Arc;

use api::{CommandId, Operation, Trait, id};
use chronicle::with_call;
use open_trace::{DrawCalls, Makes, Single, SingleCall};
use pipeline::FixedFunction;
use shader::version::Stage;
use state::Model;
use trace::Reader;

/// Changes of state that are followed in one draw.
const MOST_MOMENTS: usize = 4096;

/// What is said of a draw whose changes are not followed.
const NOT_FOLLOWED: &str =
    "the display list changes matrices or materials while it draws; the emulator has those before it";

/// The state of fixed functions while a draw is made.
#[derive(Clone, Default)]
pub enum Moments {
    /// It does not change.
    #[default]
    Still,
    /// What it is from each of these vertices on; before the first, it is that before the draw.
    From(Arc<Vec<(u32, FixedFunction)>>),
    /// It changes, and at which vertices is not known.
    Unknown,
}

impl Moments {
    /// Those of a draw, with the state before it.
    pub fn of(model: &Model, calls: &DrawCalls, reader: &Reader) -> Moments {
        let Some(view) = model.view(calls.thread) else { return Moments::Still };
        if !open_trace::changes_transforms(&view, calls, reader) {
            return Moments::Still;
        }
        let singles = open_trace::split_into_singles(&view, calls, reader);
        singles.and_then(|singles| followed(model.clone(), calls.thread, &singles, reader)).unwrap_or(Moments::Unknown)
    }

    /// Gives a scene the state of each of its vertices. Other stages have that before the draw, which is said where they
    /// read what changes.
    pub fn give(&self, stage: Stage, scene: &mut reenact::Scene) {
        let uniforms = scene.program.builtin_uniforms(stage);
        let own = uniforms.words(&scene.state.fixed);
        let followed = match self {
            Moments::Still => return,
            Moments::From(later) if stage == Stage::Vertex => {
                scene.moments = Arc::clone(later);
                return;
            }
            Moments::From(later) => later.iter().all(|(_, fixed)| uniforms.words(fixed) == own),
            Moments::Unknown => own.is_empty(),
        };
        if !followed {
            scene.missing.push(NOT_FOLLOWED.to_owned());
        }
    }
}

/// Makes the calls of a draw that change state, and looks at it where a vertex follows. Returns `None` when it changes too
/// often, or the trace lacks a call.
fn followed(mut model: Model, thread: u32, singles: &[Single], reader: &Reader) -> Option<Moments> {
    let (mut later, mut vertex, mut changed) = (Vec::new(), 0, false);
    let mut begun = false;
    for single in singles {
        match (&single.what, single.makes) {
            (_, Makes::Vertex) => {
                if std::mem::take(&mut changed) {
                    if later.len() >= MOST_MOMENTS {
                        return None;
                    }
                    later.push((vertex, reenact::fixed_functions(&model.view(thread)?)));
                }
                vertex += 1;
            }
            (_, Makes::Primitives(_)) => begun = true,
            (SingleCall::Own(id::glEnd, _), _) => begun = false,
            (SingleCall::Own(..), _) => {}
            (SingleCall::Recorded(number), Makes::State) => {
                let held = reader.call_at(*number).ok()?;
                let call = held.call();
                let command = call.command?;
                begun &= command != id::glEnd;
                // Between glBegin and glEnd, GL refuses to change matrices.
                if changes(command) && (!begun || api::command(command).has(Trait::InPrimitive)) {
                    // The list makes the call in the thread that calls the list.
                    let apply = |call: &state::Call<'_>| {
                        model.apply(&state::Call { thread, result: Some(0), ..*call }, None);
                    };
                    with_call(reader, &call, apply)?;
                    changed = true;
                }
            }
        }
    }
    Some(Moments::From(Arc::new(later)))
}

/// Whether a call changes what built-in uniforms say.
fn changes(command: CommandId) -> bool {
    let operation = api::command(command).operation;
    let matrix = matches!(operation, Operation::LoadMatrix | Operation::MultiplyMatrix);
    matrix || matches!(operation, Operation::PushMatrix | Operation::PopMatrix | Operation::SetMaterial)
}
