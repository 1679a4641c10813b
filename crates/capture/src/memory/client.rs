//! Maintains the shadow of a context: buffer bindings, pixel store, vertex arrays.

use api::{constant as c, id};

use super::action::{self, Action};
use super::arrays::{self, Arrays, Slot};
use super::bindings::{Bindings, Layouts, PixelStoreSupport};
use super::{PerContext, driver, maps, payload};
use crate::call::Call;
use crate::context::Context;
use crate::thread::Thread;

/// Depth of the client attribute stack (GL 4.6 compatibility, table 23.65: at least 16, and no driver has
/// more).
const DEPTH: usize = 16;

/// The properties of a context that matter to this module.
#[derive(Clone, Copy, Default, Debug)]
pub struct ContextProfile {
    asked: bool,
    /// Whether it is a GLES context.
    pub es: bool,
    /// Its version.
    pub version: (i32, i32),
    /// Whether it has a core profile: no pointers to vertices or indices, no names that were not generated.
    pub core: bool,
    /// The numbers of generic attributes and of texture coordinate sets; higher indices are errors.
    attributes: u32,
    units: u32,
    /// Whether `glPixelStore` supports more than alignments; `None` until queried.
    pixel_store: Option<PixelStoreSupport>,
    /// Whether `NV_primitive_restart` is enabled.
    pub restart_nv: bool,
}

/// Client state saved by `glPushClientAttrib`.
pub struct Saved {
    mask: u32,
    layouts: Layouts,
    arrays: Box<Arrays>,
    bindings: Bindings,
    restart_nv: bool,
}

/// Queries the properties of the current context, once.
#[inline]
pub fn query_once(context: &mut Context, thread: &Thread) {
    if !context.memory.facts.asked {
        query(context, thread);
    }
}

#[cold]
fn query(context: &mut Context, thread: &Thread) {
    let facts = &mut context.memory.facts;
    facts.asked = true;
    facts.es = context.api == c::EGL_OPENGL_ES_API;
    facts.version = context.version;
    facts.core = !facts.es
        && facts.version >= (3, 2)
        && driver::integer(thread, c::GL_CONTEXT_PROFILE_MASK).cast_unsigned() & c::GL_CONTEXT_CORE_PROFILE_BIT != 0;
    let number = |name: u32| driver::integer(thread, name).cast_unsigned();
    facts.attributes = match facts.version {
        // The minimum of ARB_vertex_program; no driver of such versions has more.
        (..2, _) => 16,
        _ => number(c::GL_MAX_VERTEX_ATTRIBS),
    };
    facts.units = match (facts.es, facts.version) {
        _ if facts.core => 0,
        (true, (2.., _)) => 0,
        (false, (2.., _)) => number(c::GL_MAX_TEXTURE_COORDS),
        (true, _) | (false, (1, 3..)) => number(c::GL_MAX_TEXTURE_UNITS),
        _ => 1,
    };
}

impl ContextProfile {
    /// Returns what `glPixelStore` supports: GLES 2.0 and earlier have only alignments, unless extensions add more.
    fn pixel_store(&mut self, thread: &Thread) -> PixelStoreSupport {
        let (es, version) = (self.es, self.version);
        *self.pixel_store.get_or_insert_with(|| {
            if !es || version >= (3, 0) {
                return PixelStoreSupport { pack: true, unpack: true };
            }
            PixelStoreSupport {
                pack: driver::has_extension(thread, "GL_NV_pack_subimage"),
                unpack: driver::has_extension(thread, "GL_EXT_unpack_subimage"),
            }
        })
    }
}

/// Runs before a command that changes the shadow.
pub fn before(call: &mut Call<'_>) {
    let args = &*call.args;
    let word = |index: usize| args.get(index).copied().unwrap_or(0);
    let value = |index: usize| word(index) as u32;
    let thread = &*call.thread;
    let Some(shadow) = call.context.as_mut().map(|context| &mut context.memory) else { return };
    match action::of(call.command) {
        Action::Bind => {
            if matches!(value(0), c::GL_PIXEL_PACK_BUFFER | c::GL_QUERY_BUFFER) && value(1) != 0 {
                maps::note_writer();
            }
            shadow.bindings.bind(value(0), value(1), shadow.facts.core);
        }
        Action::BindVertexArray => shadow.bindings.vertex_array = value(0),
        Action::DeleteVertexArrays => {
            for name in names(word(0), word(1)) {
                shadow.bindings.delete_vertex_array(name);
            }
        }
        Action::ElementBuffer => shadow.bindings.set_elements(value(0), value(1)),
        Action::PixelStore => {
            let known = shadow.facts.pixel_store(thread);
            let number = match call.command {
                // Rounded to the nearest integer (GL 4.6, 8.4.1).
                id::glPixelStoref => f32::from_bits(value(1)).round() as i32,
                id::glPixelStorex => value(1).cast_signed() >> 16,
                _ => value(1).cast_signed(),
            };
            shadow.layouts.store(value(0), number, known);
        }
        Action::PushClient => {
            save(shadow, value(0));
            if call.command == id::glPushClientAttribDefaultEXT {
                set_default(shadow, value(0));
            }
        }
        Action::PopClient => restore(shadow),
        Action::DefaultClient => set_default(shadow, value(0)),
        Action::ActiveUnit => {
            if let Some(unit) = value(0).checked_sub(c::GL_TEXTURE0).filter(|unit| *unit < shadow.facts.units) {
                shadow.arrays.unit = unit;
            }
        }
        // Everything below is state of the vertex array object.
        _ if shadow.bindings.vertex_array != 0 => {}
        Action::Enable | Action::Disable => {
            enable(shadow, call.command, value(0), value(1), action::of(call.command) == Action::Enable);
        }
        Action::Divisor => shadow.arrays.divide(value(0), value(1)),
        Action::Detach => {
            let count = match call.command {
                id::glBindVertexBuffers => value(1),
                _ => 1,
            };
            for index in (value(0)..).take(count.min(shadow.facts.attributes) as usize) {
                shadow.arrays.detach(index);
            }
        }
        Action::Pointer => {
            let limit = shadow.facts.attributes;
            let known = |layout: &arrays::Layout| {
                !matches!(layout.selector, arrays::ArraySelector::Attribute) || value(0) < limit
            };
            if let Some(layout) = arrays::layout(call.command).filter(known) {
                shadow.arrays.specify(call.command, &layout, args, shadow.bindings.array() != 0);
            }
        }
        Action::Interleaved => {
            let buffered = shadow.bindings.array() != 0;
            shadow.arrays.interleave(value(0), value(1).cast_signed(), word(2), buffered);
        }
        _ => {}
    }
}

/// Iterates over the names in an array argument.
pub fn names(count: u64, address: u64) -> impl Iterator<Item = u32> {
    let count = if address == 0 { 0 } else { u32::try_from(count as i32).unwrap_or(0) };
    (0..u64::from(count)).map(move |index| payload::int(address.wrapping_add(4 * index)).cast_unsigned())
}

fn enable(shadow: &mut PerContext, command: api::CommandId, first: u32, second: u32, on: bool) {
    let slot = match command {
        id::glEnableVertexAttribArray
        | id::glEnableVertexAttribArrayARB
        | id::glDisableVertexAttribArray
        | id::glDisableVertexAttribArrayARB => Slot::attribute(first).filter(|_| first < shadow.facts.attributes),
        id::glEnableClientStateiEXT
        | id::glEnableClientStateIndexedEXT
        | id::glDisableClientStateiEXT
        | id::glDisableClientStateIndexedEXT => Slot::client_state(first, second),
        _ if first == c::GL_PRIMITIVE_RESTART_NV => {
            shadow.facts.restart_nv = on;
            None
        }
        // `glEnable` also accepts array names: in EXT_vertex_array they are ordinary capabilities.
        _ => Slot::client_state(first, shadow.arrays.unit),
    };
    if let Some(slot) = slot {
        shadow.arrays.enable(slot, on);
    }
}

fn save(shadow: &mut PerContext, mask: u32) {
    // A full stack is an error that changes nothing.
    if shadow.saved.len() < DEPTH {
        shadow.saved.push(Saved {
            mask,
            layouts: shadow.layouts,
            arrays: Box::new(shadow.arrays.clone()),
            bindings: shadow.bindings.clone(),
            restart_nv: shadow.facts.restart_nv,
        });
    }
}

fn restore(shadow: &mut PerContext) {
    let Some(saved) = shadow.saved.pop() else { return };
    if saved.mask & c::GL_CLIENT_PIXEL_STORE_BIT != 0 {
        shadow.layouts = saved.layouts;
        for target in [c::GL_PIXEL_PACK_BUFFER, c::GL_PIXEL_UNPACK_BUFFER] {
            shadow.bindings.bind(target, saved.bindings.name(target), true);
        }
    }
    if saved.mask & c::GL_CLIENT_VERTEX_ARRAY_BIT != 0 {
        shadow.arrays = *saved.arrays;
        shadow.bindings.vertex_array = saved.bindings.vertex_array;
        shadow.bindings.set_elements(saved.bindings.vertex_array, saved.bindings.elements());
        shadow.bindings.bind(c::GL_ARRAY_BUFFER, saved.bindings.array(), false);
        shadow.facts.restart_nv = saved.restart_nv;
    }
}

fn set_default(shadow: &mut PerContext, mask: u32) {
    if mask & c::GL_CLIENT_PIXEL_STORE_BIT != 0 {
        shadow.layouts = Layouts::default();
        for target in [c::GL_PIXEL_PACK_BUFFER, c::GL_PIXEL_UNPACK_BUFFER] {
            shadow.bindings.bind(target, 0, false);
        }
    }
    if mask & c::GL_CLIENT_VERTEX_ARRAY_BIT != 0 {
        shadow.arrays = Arrays::default();
        shadow.bindings.vertex_array = 0;
        shadow.bindings.set_elements(0, 0);
        shadow.bindings.bind(c::GL_ARRAY_BUFFER, 0, false);
        shadow.facts.restart_nv = false;
    }
}
