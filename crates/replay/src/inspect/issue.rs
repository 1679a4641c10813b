//! Making the calls of a draw once more, and what must be minded.

use api::reflection::kind::Base;
use api::{constant as c, id};
use instrument::InspectError;
use state::View;
use trace::{Call, ReadError, Reader};

use super::changes::{failed, keep_attribute};
use super::facts::{Calls, StageFacts};
use super::hand::{Hand, word};
use super::stand_in;

/// Beginnings of the names of commands that change nothing but what [`keep_current`] keeps when they are in a display
/// list.
const HARMLESS: [&str; 31] = [
    "glArrayElement",
    "glBegin",
    "glCallList",
    "glColor3",
    "glColor4",
    "glDraw",
    "glEdgeFlag",
    "glEnd",
    "glEval",
    "glFogCoord",
    "glIndex",
    "glListBase",
    "glLoadIdentity",
    "glLoadMatrix",
    "glMaterial",
    "glMultiDraw",
    "glMultMatrix",
    "glMultiTexCoord",
    "glNormal",
    "glPopMatrix",
    "glPushMatrix",
    "glRect",
    "glRotate",
    "glScale",
    "glSecondaryColor",
    "glShadeModel",
    "glTexCoord",
    "glTranslate",
    "glVertex2",
    "glVertex3",
    "glVertex",
];

/// So many sets of attributes can be saved at least (GL 4.6 compatibility, table 23.70).
const ATTRIBUTES: usize = 16;

/// Lists are followed so far.
pub const DEEPEST: usize = 64;

/// Why calls cannot be made once more without leaving a trace.
pub fn refusal(view: &View<'_>, calls: &Calls, stages: &[StageFacts], reader: &Reader) -> Option<String> {
    let context = view.context;
    if context.compiling.is_some() {
        return Some("a display list is being compiled, and would get everything that is done here".to_owned());
    }
    if context.vars.name(state::variable::RENDER_MODE) != c::GL_RENDER
        && context.facts.client == state::Client::Compatibility
    {
        return Some("primitives are not drawn there but selected or fed back to the program".to_owned());
    }
    if calls.name == "glBitmap" && context.fixed.attributes.len() >= ATTRIBUTES {
        return Some("the stack of attributes is full, so that the raster position could not be put back".to_owned());
    }
    let feedback = context.transform_feedbacks.get(&context.transform_feedback);
    let pausable = context.facts.meets(&api::when::both(40, 30).or(&["GL_ARB_transform_feedback2"]));
    if feedback.is_some_and(|feedback| feedback.mode.is_some() && !feedback.paused) && !pausable {
        return Some("transform feedback is active, and this context cannot pause it".to_owned());
    }
    let current = view.group.program(context.program);
    if context.program != 0 && current.is_some_and(|program| program.interface().is_none()) {
        return Some(
            "the program in use was linked again without success, so it could not be taken up again".to_owned(),
        );
    }
    if let Some(linked) = current.and_then(|program| program.executable.as_ref())
        && linked.uniforms.iter().any(|uniform| uniform.shape.is_opaque() && uniform.shape.base != Base::AtomicCounter)
        && context.facts.has("GL_ARB_bindless_texture")
        && bindless(view)
    {
        return Some("textures are used by handles there, of which copies cannot be made".to_owned());
    }
    let (walk, obstacle) = walked(view, calls, reader);
    let unbalanced = "a display list leaves a matrix stack at another depth than it found it";
    let unbalanced = (walk.pushed != 0).then(|| unbalanced.to_owned());
    obstacle.or(unbalanced).or_else(|| stand_in::refusal(view, stages, walk.materials))
}

/// Whether a draw changes what fixed functions make of vertices, between its vertices: display lists can.
pub fn moves(view: &View<'_>, calls: &Calls, reader: &Reader) -> bool {
    calls.name.starts_with("glCallList") && walked(view, calls, reader).0.moves
}

/// Goes through the calls of a draw and the lists that they call, up to what cannot be done once more.
fn walked(view: &View<'_>, calls: &Calls, reader: &Reader) -> (Walk, Option<String>) {
    let mut walk = Walk::default();
    let mut listed = None;
    let read = each_call(reader, calls, &mut |call| {
        listed = listed.take().or_else(|| match call.name() {
            "glCallList" => walk.list(view, call.args.first().map_or(0, |word| *word as u32), DEEPEST),
            "glCallLists" => match called(view, call, reader) {
                Ok(lists) => lists.into_iter().find_map(|name| walk.list(view, name, DEEPEST)),
                Err(why) => Some(why),
            },
            name => {
                walk.see(name);
                None
            }
        });
        Ok(())
    });
    (walk, read.err().or(listed))
}

/// The lists that a `glCallLists` calls, as long as none of them changes the base of their names.
pub fn called(view: &View<'_>, call: &Call<'_>, reader: &Reader) -> Result<Vec<u32>, String> {
    let unknown = || "glCallLists names lists by memory that the trace does not have".to_owned();
    let (size, signed) = match call.args.get(1).map_or(0, |word| *word as u32) {
        c::GL_BYTE => (1, true),
        c::GL_UNSIGNED_BYTE => (1, false),
        c::GL_SHORT => (2, true),
        c::GL_UNSIGNED_SHORT => (2, false),
        c::GL_INT | c::GL_UNSIGNED_INT => (4, false),
        kind => return Err(format!("glCallLists names lists by numbers of type {kind:#06x}")),
    };
    let data = call.input(2).ok_or_else(unknown)?;
    let bytes = reader.bytes(data).map_err(|error| error.to_string())?.ok_or_else(unknown)?;
    let base = view.context.vars.get(state::variable::LIST_BASE) as i64 as u32;
    let name = |number: &[u8]| {
        let word = number.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        // Signed numbers keep their sign when they become longer.
        let unused = 32 - 8 * size as u32;
        let word = if signed { ((word << unused).cast_signed() >> unused).cast_unsigned() } else { word };
        base.wrapping_add(word)
    };
    Ok(bytes.chunks_exact(size).map(name).collect())
}

/// What was seen of calls and of the lists they call.
#[derive(Default)]
struct Walk {
    /// Whether a primitive is begun.
    begun: bool,
    /// How many matrices are pushed more than popped.
    pushed: i32,
    /// Whether a material changed within a primitive.
    materials: bool,
    /// Whether a matrix or a material changed.
    moves: bool,
}

/// Beginnings of the names of commands that change matrices and materials.
const MOVING: [&str; 7] =
    ["glLoadIdentity", "glLoadMatrix", "glMaterial", "glMultMatrix", "glRotate", "glScale", "glTranslate"];

impl Walk {
    fn see(&mut self, command: &str) {
        self.moves |= MOVING.iter().any(|beginning| command.starts_with(beginning));
        match command {
            "glBegin" => self.begun = true,
            "glEnd" => self.begun = false,
            "glPushMatrix" => self.pushed += 1,
            "glPopMatrix" => self.pushed -= 1,
            _ => self.materials |= self.begun && command.starts_with("glMaterial"),
        }
    }

    /// Goes through a list. The answer is why it cannot be called once more.
    fn list(&mut self, view: &View<'_>, name: u32, depth: usize) -> Option<String> {
        let list = view.group.lists.get(&name)?;
        for stored in list.calls.iter() {
            let command = api::command(stored.command).name;
            if command == "glCallList" && depth > 0 {
                let inner = stored.args.first().map_or(0, |word| *word as u32);
                if let Some(why) = self.list(view, inner, depth - 1) {
                    return Some(why);
                }
                continue;
            }
            self.see(command);
            let harmless = HARMLESS.iter().any(|beginning| command.starts_with(beginning)) && command != "glCallLists";
            if !harmless {
                return Some(format!("display list {name} does more than draw: it calls {command}"));
            }
            if self.pushed < 0 {
                return Some(format!("display list {name} pops a matrix that it did not push"));
            }
        }
        None
    }
}

/// Whether anything of the program was ever given a handle in the place of a unit: units are small numbers.
fn bindless(view: &View<'_>) -> bool {
    let Some(program) = view.group.program(view.context.program) else { return false };
    let Some(linked) = &program.executable else { return false };
    let opaque = linked.uniforms.iter().filter(|uniform| uniform.shape.is_opaque());
    let mut units = opaque.flat_map(|uniform| {
        let first = uniform.offset as usize;
        program.values.get(first..first + uniform.size as usize).unwrap_or_default()
    });
    units.any(|unit| *unit > 1 << 12)
}

/// Goes through the calls of a draw.
pub fn each_call(
    reader: &Reader,
    calls: &Calls,
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
            Err(ReadError::Lost { .. }) => return Err("some of its calls are lost".to_owned()),
            Err(error) => return Err(error.to_string()),
        }
    }
}

/// Makes the calls. Primitives of another kind are drawn when `mode` says so.
pub fn issue(hand: &mut Hand<'_>, reader: &Reader, calls: &Calls, mode: Option<u32>) -> Result<(), InspectError> {
    let made = each_call(reader, calls, &mut |call| {
        let at = call.command.and_then(|id| api::command(id).params.iter().position(|param| param.name == "mode"));
        let mut args = call.args.to_vec();
        if let (Some(at), Some(mode)) = (at, mode) {
            args[at] = u64::from(mode);
        }
        if call.command == Some(id::glBitmap) {
            // It moves the raster position, which no other call sets to what it was with all that belongs to it (GL 4.6
            // compatibility, 18.2); here it does not.
            args[4..6].fill(0);
        }
        let call = Call { args: &args, ..*call };
        hand.player.redo(&call, reader).map_err(|error| error.to_string())
    });
    made.map_err(|text| failed(&text))
}

/// Remembers current values that immediate mode changes, where calls are of that kind. Evaluators are: Mesa leaves the
/// last normal behind.
pub fn keep_current(hand: &mut Hand<'_>, calls: &Calls) {
    let evaluates = calls.name.starts_with("glEval");
    if !hand.can.compatibility || !evaluates && !matches!(calls.name, "glEnd" | "glCallList" | "glCallLists") {
        return;
    }
    if calls.name.starts_with("glCallList") {
        keep_listed(hand);
    }
    keep_materials(hand);
    let attributes = hand.integer(c::GL_MAX_VERTEX_ATTRIBS).clamp(1, 16).cast_unsigned();
    (1..attributes).for_each(|index| keep_attribute(hand, index));
    let active = hand.integer(c::GL_ACTIVE_TEXTURE);
    for unit in 0..hand.integer(c::GL_MAX_TEXTURE_COORDS).clamp(1, 8).cast_unsigned() {
        let name = u64::from(c::GL_TEXTURE0 + unit);
        hand.call(id::glActiveTexture, &[name]);
        keep_floats(hand, c::GL_CURRENT_TEXTURE_COORDS, move |value| {
            (id::glMultiTexCoord4f, vec![name], value.to_vec())
        });
    }
    hand.call(id::glActiveTexture, &[word(active)]);
    keep_floats(hand, c::GL_CURRENT_COLOR, |value| (id::glColor4f, vec![], value.to_vec()));
    keep_floats(hand, c::GL_CURRENT_NORMAL, |value| (id::glNormal3f, vec![], value[..3].to_vec()));
    keep_floats(hand, c::GL_CURRENT_SECONDARY_COLOR, |value| (id::glSecondaryColor3f, vec![], value[..3].to_vec()));
    keep_floats(hand, c::GL_CURRENT_FOG_COORD, |value| (id::glFogCoordf, vec![], value[..1].to_vec()));
    keep_floats(hand, c::GL_CURRENT_INDEX, |value| (id::glIndexf, vec![], value[..1].to_vec()));
    let edge = hand.truth(c::GL_EDGE_FLAG);
    hand.later_call(id::glEdgeFlag, &[u64::from(edge)]);
}

/// Keeps what display lists that draw may set, until all is undone.
fn keep_listed(hand: &mut Hand<'_>) {
    let base = hand.integer(c::GL_LIST_BASE);
    hand.later_call(id::glListBase, &[word(base)]);
    let model = hand.integer(c::GL_SHADE_MODEL);
    hand.later_call(id::glShadeModel, &[word(model)]);
    // Whoever loads the numbers of a matrix again does not have the same matrix: drivers know more of it.
    hand.call(id::glPushMatrix, &[]);
    if hand.player.take_error() == 0 {
        hand.later_call(id::glPopMatrix, &[]);
        return;
    }
    // There is no room for one more.
    let matrix = match hand.integer(c::GL_MATRIX_MODE).cast_unsigned() {
        c::GL_MODELVIEW => c::GL_MODELVIEW_MATRIX,
        c::GL_PROJECTION => c::GL_PROJECTION_MATRIX,
        c::GL_TEXTURE => c::GL_TEXTURE_MATRIX,
        _ => return,
    };
    let numbers = hand.floats::<16>(matrix);
    hand.later(move |player| {
        player.own_call(id::glLoadMatrixf, &[numbers.as_ptr() as u64]);
    });
}

/// Remembers floats: how to set them is a call with some words and then floats.
fn keep_floats(
    hand: &mut Hand<'_>,
    name: u32,
    set: impl FnOnce([f32; 4]) -> (api::CommandId, Vec<u64>, Vec<f32>) + 'static,
) {
    let value = hand.floats::<4>(name);
    let (command, mut words, floats) = set(value);
    words.extend(floats.into_iter().map(|value| u64::from(value.to_bits())));
    hand.later_call(command, &words);
}

fn keep_materials(hand: &mut Hand<'_>) {
    for face in [c::GL_FRONT, c::GL_BACK] {
        for what in [c::GL_AMBIENT, c::GL_DIFFUSE, c::GL_SPECULAR, c::GL_EMISSION, c::GL_SHININESS, c::GL_COLOR_INDEXES]
        {
            let mut value = [0f32; 4];
            let (face, what) = (u64::from(face), u64::from(what));
            hand.call(id::glGetMaterialfv, &[face, what, value.as_mut_ptr() as u64]);
            hand.later(move |player| {
                player.own_call(id::glMaterialfv, &[face, what, value.as_ptr() as u64]);
            });
        }
    }
}
