//! Buffers and their bindings.

use super::node::Node;
use super::value::Value;
use api::constant as c;
use state::objects::buffer::{Buffer, BufferBindings, BufferRange, BufferRef, Point};
use state::records::Origin;

/// Returns the node of a buffer.
pub fn node(name: u32, buffer: &Buffer) -> Node {
    let mut node = Node::object(name.to_string());
    if !buffer.exists {
        node.fact("exists", Value::Truth(false));
        return node;
    }
    node.fact("size", Value::Bytes(buffer.size));
    node.fact("usage", Value::gl(buffer.usage));
    node.put("immutable", Value::Truth(buffer.immutable), Value::Truth(false));
    if buffer.immutable {
        node.fact("storage_flags", Value::bits("BufferStorageMask", buffer.flags));
    }
    if let Some(map) = &buffer.map {
        let mut mapped = Node::object("map");
        mapped.fact("address", Value::Address(map.address));
        mapped.fact("offset", Value::Bytes(map.offset));
        mapped.fact("length", Value::Bytes(map.length));
        mapped.fact("access", Value::bits("MapBufferAccessMask", map.access));
        node.push(mapped);
    }
    node.list(
        "written",
        buffer.records.within(0, buffer.size).map(|(from, to, write)| {
            let mut piece = Node::leaf(format!("{from}..{to}"), Value::Call(write.call));
            piece.put("from", origin(&write.origin), Value::text(MEMORY));
            piece
        }),
    );
    node
}

/// The most common origin of contents.
pub const MEMORY: &str = "memory of the program";

/// Returns the origin of contents.
pub fn origin(origin: &Origin) -> Value {
    Value::Text(match origin {
        Origin::Memory { .. } => MEMORY.to_owned(),
        Origin::Buffer { from, .. } => format!("a buffer, from byte {from}"),
        Origin::Fill(pattern) => format!("filled with {:02x?}", pattern.bytes()),
        Origin::Gpu => "the GPU".to_owned(),
        Origin::Undefined => "undefined".to_owned(),
    })
}

/// Returns a bound buffer; one whose name was deleted still exists.
pub fn bound(buffer: BufferRef) -> Value {
    Value::Object("buffer", buffer.name)
}

const NONE: Value = Value::Object("buffer", 0);

/// The buffer targets of a context, by their names in `glBindBuffer`.
const POINTS: &[(&str, Point)] = &[
    ("array_buffer", Point::Array),
    ("uniform_buffer", Point::Uniform),
    ("shader_storage_buffer", Point::ShaderStorage),
    ("atomic_counter_buffer", Point::AtomicCounter),
    ("transform_feedback_buffer", Point::TransformFeedback),
    ("pixel_unpack_buffer", Point::PixelUnpack),
    ("pixel_pack_buffer", Point::PixelPack),
    ("copy_read_buffer", Point::CopyRead),
    ("copy_write_buffer", Point::CopyWrite),
    ("draw_indirect_buffer", Point::DrawIndirect),
    ("dispatch_indirect_buffer", Point::DispatchIndirect),
    ("parameter_buffer", Point::Parameter),
    ("query_buffer", Point::Query),
    ("texture_buffer", Point::Texture),
];

/// Returns the buffer bindings of a context.
pub fn bindings(bindings: &BufferBindings) -> Node {
    let mut node = Node::branch("buffer_bindings");
    for (name, point) in POINTS {
        node.put(*name, bound(bindings.get(*point)), NONE);
    }
    for (name, point) in POINTS {
        let ranges = bindings.ranges(*point).unwrap_or_default();
        node.list(format!("indexed_{name}"), ranges.iter().enumerate().map(|(index, one)| range(index, one)));
    }
    node
}

/// Returns an indexed binding.
pub fn range(index: usize, range: &BufferRange) -> Node {
    let mut node = Node::branch(index.to_string());
    node.put("buffer", bound(range.buffer), NONE);
    node.put("offset", Value::Integer(range.offset), Value::Integer(0));
    // Without a size, it is the whole buffer.
    node.put("size", Value::Integer(range.size), Value::Integer(0));
    node
}

/// Returns whether components are floating point, so that normalization does not apply.
pub fn is_floating(kind: u32) -> bool {
    matches!(kind, c::GL_FLOAT | c::GL_DOUBLE | c::GL_HALF_FLOAT | c::GL_HALF_FLOAT_OES | c::GL_FIXED)
}
