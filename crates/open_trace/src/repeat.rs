//! Whether a draw can be run a second time: display lists, and state that a second run could not leave as it was.

use api::reflection::kind::Base;
use api::{CommandId, Operation, Role, Trait, constant as c, id};
use state::View;
use trace::{Call, ReadError, Reader};

use crate::draw::{DrawCalls, StageShader};
use crate::stand_in;

/// The attribute stack holds at least this many entries (GL 4.6 compatibility, table 23.65).
const ATTRIBUTES: usize = 16;

/// Calls of display lists that are looked at for one draw: lists that call each other make many of few.
const MOST_LISTED: usize = 1 << 24;

/// How deep nested display lists are followed.
pub const MAX_LIST_NESTING: usize = 64;

/// Returns why a draw cannot be run a second time without side effects, if it cannot.
#[must_use]
pub fn refusal(view: &View<'_>, calls: &DrawCalls, stages: &[StageShader], reader: &Reader) -> Option<String> {
    let context = view.context;
    if context.compiling.is_some() {
        return Some("a display list is being compiled, and would record the second run".to_owned());
    }
    if context.vars.name(state::variable::RENDER_MODE) != c::GL_RENDER
        && context.facts.client == state::Client::Compatibility
    {
        return Some("the render mode is GL_SELECT or GL_FEEDBACK, so nothing is drawn".to_owned());
    }
    if calls.command == id::glBitmap && context.fixed.attributes.len() >= ATTRIBUTES {
        return Some("the attribute stack is full, so the raster position could not be restored".to_owned());
    }
    let feedback = context.transform_feedbacks.get(&context.transform_feedback);
    let pausable = context.facts.meets(&api::when::both(40, 30).or(&["GL_ARB_transform_feedback2"]));
    if feedback.is_some_and(|feedback| feedback.mode.is_some() && !feedback.paused) && !pausable {
        return Some("transform feedback is active, and this context cannot pause it".to_owned());
    }
    let current = view.group.program(context.program);
    if context.program != 0 && current.is_some_and(|program| program.interface().is_none()) {
        return Some("the program in use failed to link again, so it could not be made current again".to_owned());
    }
    if let Some(linked) = current.and_then(|program| program.executable.as_ref())
        && linked.uniforms.iter().any(|uniform| uniform.shape.is_opaque() && uniform.shape.base != Base::AtomicCounter)
        && context.facts.has("GL_ARB_bindless_texture")
        && has_bindless_handles(view)
    {
        return Some("it uses bindless texture handles, which cannot be copied".to_owned());
    }
    let (walk, obstacle) = walk(view, calls, reader);
    let unbalanced = "a display list leaves a matrix stack at a different depth";
    let unbalanced = (walk.pushed != 0).then(|| unbalanced.to_owned());
    obstacle.or(unbalanced).or_else(|| stand_in::refusal(view, stages, walk.materials))
}

/// Returns whether a draw changes matrices or materials between its vertices, as display lists and immediate mode can.
#[must_use]
pub fn changes_transforms(view: &View<'_>, calls: &DrawCalls, reader: &Reader) -> bool {
    (calls.command == id::glEnd || calls.about().has(Trait::CallsLists)) && walk(view, calls, reader).0.moves
}

/// Walks the calls of a draw and the lists that they call, up to the first that cannot be repeated.
fn walk(view: &View<'_>, calls: &DrawCalls, reader: &Reader) -> (Walk, Option<String>) {
    let mut walk = Walk::default();
    let mut listed = None;
    let read = each_draw_call(reader, calls, &mut |call| {
        listed = listed.take().or_else(|| match call.command {
            Some(id::glCallList) => walk.list(view, call.args.first().map_or(0, |word| *word as u32), MAX_LIST_NESTING),
            Some(id::glCallLists) => match called_lists(view, call, reader) {
                Ok(lists) => lists.into_iter().find_map(|name| walk.list(view, name, MAX_LIST_NESTING)),
                Err(why) => Some(why),
            },
            Some(command) => {
                walk.see(command);
                None
            }
            None => None,
        });
        Ok(())
    });
    (walk, read.err().or(listed))
}

/// Returns the lists that a `glCallLists` calls, provided that none of them changes the list base.
///
/// # Errors
/// When the trace lacks the names, or their type is unknown.
pub fn called_lists(view: &View<'_>, call: &Call<'_>, reader: &Reader) -> Result<Vec<u32>, String> {
    let unknown = || "the trace lacks the list names of glCallLists".to_owned();
    let (size, signed) = match call.args.get(1).map_or(0, |word| *word as u32) {
        c::GL_BYTE => (1, true),
        c::GL_UNSIGNED_BYTE => (1, false),
        c::GL_SHORT => (2, true),
        c::GL_UNSIGNED_SHORT => (2, false),
        c::GL_INT | c::GL_UNSIGNED_INT => (4, false),
        kind => return Err(format!("glCallLists has list names of unknown type {kind:#06x}")),
    };
    let data = call.input(2).ok_or_else(unknown)?;
    let bytes = reader.bytes(data).map_err(|error| error.to_string())?.ok_or_else(unknown)?;
    let base = view.context.vars.get(state::variable::LIST_BASE) as i64 as u32;
    let name = |number: &[u8]| {
        let word = number.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        // Signed names are sign-extended.
        let unused = 32 - 8 * size as u32;
        let word = if signed { ((word << unused).cast_signed() >> unused).cast_unsigned() } else { word };
        base.wrapping_add(word)
    };
    Ok(bytes.chunks_exact(size).map(name).collect())
}

/// What the walk found in calls and the lists they call.
#[derive(Default)]
struct Walk {
    /// Whether the walk is between `glBegin` and `glEnd`.
    begun: bool,
    /// Matrix pushes minus pops.
    pushed: i32,
    /// Whether a material changed between `glBegin` and `glEnd`.
    materials: bool,
    /// Whether a matrix or a material changed.
    moves: bool,
    /// Calls of lists that were looked at.
    listed: usize,
}

/// Returns whether a command, inside a display list, changes nothing but the current values that a diversion restores: it
/// draws, or sets current attributes, materials or matrices.
fn is_repeatable(command: CommandId) -> bool {
    let about = api::command(command);
    match (command, about.operation) {
        // These move the raster position, depend on pixels that the draw itself changes, or on the list base.
        (id::glBitmap | id::glBitmapxOES | id::glCopyPixels | id::glCallLists | id::glCallCommandListNV, _) => false,
        (id::glBegin | id::glListBase | id::glShadeModel, _) => true,
        (
            _,
            Operation::LoadMatrix
            | Operation::MultiplyMatrix
            | Operation::PushMatrix
            | Operation::PopMatrix
            | Operation::SetMaterial,
        ) => true,
        _ => about.role == Role::Draw || about.has(Trait::InPrimitive) || about.has(Trait::Evaluates),
    }
}

impl Walk {
    fn see(&mut self, command: CommandId) {
        let operation = api::command(command).operation;
        let material = operation == Operation::SetMaterial;
        self.moves |= material || matches!(operation, Operation::LoadMatrix | Operation::MultiplyMatrix);
        match command {
            id::glBegin => self.begun = true,
            id::glEnd => self.begun = false,
            id::glPushMatrix => self.pushed += 1,
            id::glPopMatrix => self.pushed -= 1,
            _ => self.materials |= self.begun && material,
        }
    }

    /// Walks a list. Returns why it cannot be called again, if it cannot.
    fn list(&mut self, view: &View<'_>, name: u32, depth: usize) -> Option<String> {
        let list = view.group.lists.get(&name)?;
        for stored in list.calls.iter() {
            self.listed += 1;
            if self.listed > MOST_LISTED {
                return Some(format!("display list {name} makes more than {MOST_LISTED} calls"));
            }
            if stored.command == id::glCallList && depth > 0 {
                let inner = stored.args.first().map_or(0, |word| *word as u32);
                if let Some(why) = self.list(view, inner, depth - 1) {
                    return Some(why);
                }
                continue;
            }
            self.see(stored.command);
            if !is_repeatable(stored.command) {
                let command = api::command(stored.command).name;
                return Some(format!("display list {name} does more than draw: it calls {command}"));
            }
            if self.pushed < 0 {
                return Some(format!("display list {name} pops a matrix it did not push"));
            }
        }
        None
    }
}

/// Returns whether a sampler or image uniform holds a bindless handle: texture units are small numbers.
fn has_bindless_handles(view: &View<'_>) -> bool {
    let Some(program) = view.group.program(view.context.program) else { return false };
    let Some(linked) = &program.executable else { return false };
    let opaque = linked.uniforms.iter().filter(|uniform| uniform.shape.is_opaque());
    let mut units = opaque.flat_map(|uniform| {
        let first = uniform.offset as usize;
        program.values.get(first..first + uniform.size as usize).unwrap_or_default()
    });
    units.any(|unit| *unit > 1 << 12)
}

/// Calls `each` with the calls of a draw, in order.
///
/// # Errors
/// When the trace cannot be read or lacks some of the calls, or `each` fails.
pub fn each_draw_call(
    reader: &Reader,
    calls: &DrawCalls,
    each: &mut dyn FnMut(&Call<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let mut cursor = reader.calls();
    cursor.seek(*calls.range.start());
    loop {
        match cursor.next() {
            Ok(Some(call)) if call.number > *calls.range.end() => return Ok(()),
            Ok(Some(call)) if call.thread == calls.thread => each(&call)?,
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err(ReadError::Lost { .. }) => return Err("the trace lost some of its calls".to_owned()),
            Err(error) => return Err(error.to_string()),
        }
    }
}
