//! Buffer targets.

use api::constant as c;

use crate::context::{Client, Context, Facts};
use crate::objects::buffer::{BufferRef, Point};

/// The binding behind a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A binding of the context.
    Point(Point),
    /// `GL_ELEMENT_ARRAY_BUFFER`, which belongs to the vertex array.
    Elements,
}

/// Returns the target of that name, if the context has it.
pub fn target(facts: &Facts, name: u32) -> Option<Target> {
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let since = |gl: (u32, u32), es: (u32, u32), extension: &str| {
        facts.desktop(gl.0, gl.1) || facts.es(es.0, es.1) || facts.has(extension)
    };
    const NEVER: (u32, u32) = (99, 0);
    let point = match name {
        c::GL_ARRAY_BUFFER => return Some(Target::Point(Point::Array)),
        c::GL_ELEMENT_ARRAY_BUFFER => return Some(Target::Elements),
        c::GL_PIXEL_PACK_BUFFER => Some(Point::PixelPack),
        c::GL_PIXEL_UNPACK_BUFFER => Some(Point::PixelUnpack),
        c::GL_COPY_READ_BUFFER => (desktop || facts.es(3, 0)).then_some(Point::CopyRead),
        c::GL_COPY_WRITE_BUFFER => (desktop || facts.es(3, 0)).then_some(Point::CopyWrite),
        c::GL_UNIFORM_BUFFER => since((3, 1), (3, 0), "GL_ARB_uniform_buffer_object").then_some(Point::Uniform),
        c::GL_SHADER_STORAGE_BUFFER => {
            since((4, 3), (3, 1), "GL_ARB_shader_storage_buffer_object").then_some(Point::ShaderStorage)
        }
        c::GL_ATOMIC_COUNTER_BUFFER => {
            since((4, 2), (3, 1), "GL_ARB_shader_atomic_counters").then_some(Point::AtomicCounter)
        }
        c::GL_TRANSFORM_FEEDBACK_BUFFER => {
            since((3, 0), (3, 0), "GL_EXT_transform_feedback").then_some(Point::TransformFeedback)
        }
        c::GL_DRAW_INDIRECT_BUFFER => since((4, 0), (3, 1), "GL_ARB_draw_indirect").then_some(Point::DrawIndirect),
        c::GL_DISPATCH_INDIRECT_BUFFER => {
            since((4, 3), (3, 1), "GL_ARB_compute_shader").then_some(Point::DispatchIndirect)
        }
        c::GL_PARAMETER_BUFFER => since((4, 6), NEVER, "GL_ARB_indirect_parameters").then_some(Point::Parameter),
        c::GL_QUERY_BUFFER => since((4, 4), NEVER, "GL_ARB_query_buffer_object").then_some(Point::Query),
        c::GL_TEXTURE_BUFFER => (since((3, 1), (3, 2), "GL_OES_texture_buffer")
            || facts.has("GL_ARB_texture_buffer_object"))
        .then_some(Point::Texture),
        _ => None,
    };
    point.map(Target::Point)
}

/// Returns the binding of a target; `None` when there is no such target.
pub fn bound(context: &Context, name: u32) -> Option<BufferRef> {
    Some(match target(&context.facts, name)? {
        Target::Point(point) => context.buffers.get(point),
        Target::Elements => {
            context.vertex_arrays.get(&context.vertex_array).map_or(BufferRef::NONE, |array| array.elements)
        }
    })
}

/// Returns the target whose indexed bindings have that name, and the number of indices.
pub fn indexed(facts: &Facts, name: u32) -> Option<(Point, u32)> {
    let limit = |name, otherwise| facts.limits.integer(name, otherwise) as u32;
    let Target::Point(point) = target(facts, name)? else { return None };
    Some(match point {
        Point::Uniform => (point, limit(c::GL_MAX_UNIFORM_BUFFER_BINDINGS, 84)),
        Point::ShaderStorage => (point, limit(c::GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS, 96)),
        Point::AtomicCounter => (point, limit(c::GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS, 8)),
        Point::TransformFeedback => (point, limit(c::GL_MAX_TRANSFORM_FEEDBACK_BUFFERS, 4).min(4)),
        _ => return None,
    })
}
