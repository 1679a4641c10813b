//! Vertex arrays.

use super::buffer;
use super::node::Node;
use super::value::Value;
use state::context::Context;
use state::objects::vertex_array::{Attrib, Binding, GENERIC, SLOTS, TEX_COORD, TEX_COORDS, VertexArray};

/// The names of fixed-function arrays, except texture coordinates.
const FIXED: [(usize, &str); 8] = [
    (0, "position"),
    (1, "normal"),
    (2, "color"),
    (3, "secondary_color"),
    (4, "fog_coord"),
    (5, "index"),
    (14, "point_size"),
    (15, "edge_flag"),
];

/// Returns the bound vertex array.
pub fn binding(context: &Context) -> Node {
    let value = Value::Object("vertex_array", context.vertex_array);
    Node { default: context.vertex_array == 0, ..Node::leaf("vertex_array_binding", value) }
}

/// Returns the node of a vertex array. The default one is shown only where it is used.
pub fn node(name: u32, array: &VertexArray, bound: bool) -> Node {
    let mut node = if name == 0 { Node::branch("0") } else { Node::object(name.to_string()) };
    if !array.exists {
        node.fact("exists", Value::Truth(false));
        return node;
    }
    if bound && name != 0 {
        node.fact("bound", Value::Truth(true));
    }
    let initial = VertexArray::new(array.object);
    node.put("element_array_buffer", buffer::bound(array.elements), buffer::bound(initial.elements));
    for (slot, called) in FIXED {
        node.push(attrib(called.to_owned(), array, &initial, slot));
    }
    node.list("tex_coord", (0..TEX_COORDS).map(|unit| attrib(unit.to_string(), array, &initial, TEX_COORD + unit)));
    node.list("attrib", (GENERIC..SLOTS).map(|slot| attrib((slot - GENERIC).to_string(), array, &initial, slot)));
    // Bindings that an attribute uses are shown with it.
    let used = |slot: usize| array.attribs.iter().any(|attrib| usize::from(attrib.binding) == slot);
    node.list(
        "binding",
        (GENERIC..SLOTS).filter(|slot| !used(*slot)).map(|slot| {
            let mut node = Node::branch((slot - GENERIC).to_string());
            put_binding(&mut node, &array.bindings[slot], &initial.bindings[slot]);
            node
        }),
    );
    node
}

fn attrib(name: String, array: &VertexArray, initial: &VertexArray, slot: usize) -> Node {
    let (attrib, first) = (&array.attribs[slot], &initial.attribs[slot]);
    let binding = usize::from(attrib.binding);
    let same = attrib == first && array.bindings[binding] == initial.bindings[binding];
    let mut node = if same { Node::branch(name) } else { Node::object(name) };
    node.put("enabled", Value::Truth(attrib.enabled), Value::Truth(false));
    node.push(Node { default: same, ..Node::leaf("type", Value::Text(kind(attrib))) });
    node.put("integer", Value::Truth(attrib.integer), Value::Truth(false));
    node.put("long", Value::Truth(attrib.long), Value::Truth(false));
    if !buffer::is_floating(attrib.kind) && !attrib.integer {
        node.put("normalized", Value::Truth(attrib.normalized), Value::Truth(first.normalized));
    }
    node.put("relative_offset", Value::number(attrib.relative), Value::number(0u32));
    if binding != slot {
        node.fact("binding", Value::number(binding.saturating_sub(GENERIC) as u32));
    }
    let usual = Binding { stride: attrib.bytes() as i32, ..initial.bindings[binding] };
    put_binding(&mut node, &array.bindings[binding], &usual);
    if array.bindings[binding].buffer.is_none() {
        node.put("pointer", Value::Address(attrib.pointer), Value::Address(0));
    }
    node
}

/// Returns the type and size, such as `GL_FLOAT x 3`.
fn kind(attrib: &Attrib) -> String {
    let size = if attrib.bgra { "GL_BGRA".to_owned() } else { attrib.size.to_string() };
    format!("{size} x {}", Value::gl(attrib.kind))
}

fn put_binding(node: &mut Node, binding: &Binding, initial: &Binding) {
    node.put("buffer", buffer::bound(binding.buffer), buffer::bound(initial.buffer));
    // The offset is an address without a buffer, and shown as such.
    let offset = if binding.buffer.is_none() { initial.offset } else { binding.offset };
    node.put("offset", Value::Integer(offset), Value::Integer(initial.offset));
    node.put("stride", Value::number(binding.stride), Value::number(initial.stride));
    node.put("divisor", Value::number(binding.divisor), Value::number(initial.divisor));
}
