//! The model as a tree for people and scripts: names, values, and which of them have GL's initial values.
//!
//! [`tree`] is everything; [`find`] returns the part at a path such as `context/1/blend` or `texture/5`; [`diff`]
//! compares two states. Enums are given by their names, bit sets by the names of bits, objects by type and name.
//! Formatting is left to the caller.

mod buffer;
mod context;
mod diff;
mod fixed;
mod framebuffer;
mod image;
mod node;
mod path;
mod plain;
mod program;
mod query;
mod texture;
mod value;
mod vertex_array;

pub use diff::{Difference, diff};
pub use image::Records;
pub use node::Node;
pub use path::{FoundNode, NotThere, find, spelled};
pub use value::Value;

use api::constant as c;

use image::Writers;
use state::model::{Model, Seat, Surface};
use state::observer::ContentsRef;
use state::share::ShareGroup;

/// Returns everything that exists: `thread`, `surface`, `context` and `share`, each with its members by number. The
/// model itself knows which calls wrote buffers; for images, `records` is asked.
#[must_use]
pub fn tree(model: &Model, records: Records<'_>) -> Node {
    let mut root = Node::branch("");
    let seats = model.seats.iter().enumerate().filter(|(_, seat)| **seat != Seat::default());
    root.list("thread", seats.map(|(number, seat)| thread(number, *seat)));
    root.list("surface", model.surfaces.iter().map(|(number, about)| surface(*number, about, records)));
    let contexts = model.contexts.iter().flatten();
    root.list("context", contexts.map(|one| context::node(one, model.group_of(one))));
    root.list("share", model.groups.iter().enumerate().map(|(place, group)| share(place, group, records)));
    root
}

/// Returns the name of a share group by its index in the model.
#[must_use]
pub fn share_name(place: usize) -> String {
    (place + 1).to_string()
}

fn thread(number: usize, seat: Seat) -> Node {
    let mut node = Node::object(number.to_string());
    node.fact("context", Value::Object("context", seat.context));
    node.put("draw", Value::Object("surface", seat.draw), Value::Object("surface", 0));
    node.put("read", Value::Object("surface", seat.read), Value::Object("surface", seat.draw));
    node
}

fn surface(number: u32, surface: &Surface, records: Records<'_>) -> Node {
    let mut node = Node::object(number.to_string());
    node.fact("kind", Value::text(["window", "pbuffer", "pixmap"].get(surface.kind as usize).unwrap_or(&"other")));
    node.fact("size", Value::size(&[surface.size.0, surface.size.1]));
    node.fact("colour_bits", Value::numbers(surface.colour));
    node.put("depth_bits", Value::number(surface.depth), Value::number(0));
    node.put("stencil_bits", Value::number(surface.stencil), Value::number(0));
    node.put("samples", Value::number(surface.samples), Value::number(0));
    node.put("double_buffered", Value::Truth(surface.double), Value::Truth(true));
    node.put("srgb", Value::Truth(surface.srgb), Value::Truth(false));
    let planes = [
        ("back", c::GL_BACK_LEFT),
        ("front", c::GL_FRONT_LEFT),
        ("depth", c::GL_DEPTH),
        ("stencil", c::GL_STENCIL),
        ("accum", c::GL_ACCUM),
    ];
    let writers = Writers { place: 0, group: None, records };
    for (name, plane) in planes {
        let thing = ContentsRef::Surface { surface: number, plane };
        // Planes that were never written are omitted.
        if records(0, thing).is_some_and(|found| found.last().is_some()) {
            let mut branch = Node::branch(name);
            writers.put(&mut branch, &[thing]);
            node.push(branch);
        }
    }
    node
}

/// Returns the objects of a share group, type by type.
fn share(place: usize, group: &ShareGroup, records: Records<'_>) -> Node {
    let writers = Writers { place, group: Some(group), records };
    let mut node = Node::object(share_name(place));
    node.fact("contexts", Value::number(group.members));
    let label = |node: Node, object: u64| labelled(node, Some(group), object);
    let buffers = group.buffers.iter();
    node.list("buffer", buffers.map(|(name, buffer)| label(buffer::node(*name, buffer), buffer.object)));
    let textures = group.textures.iter();
    node.list("texture", textures.map(|(name, one)| label(texture::node(name.to_string(), one, &writers), one.object)));
    node.push(texture::defaults(group, &writers));
    let samplers = group.samplers.iter();
    node.list("sampler", samplers.map(|(name, sampler)| label(texture::sampler(*name, sampler), sampler.object)));
    node.list(
        "renderbuffer",
        group
            .renderbuffers
            .iter()
            .map(|(name, one)| label(framebuffer::renderbuffer(*name, one, &writers), one.object)),
    );
    program::put(&mut node, group);
    node.list("sync", group.syncs.iter().map(|(handle, sync)| query::sync(*handle, sync)));
    node.list("list", group.lists.iter().map(|(name, list)| label(fixed::list(*name, list), list.object)));
    node
}

/// Adds the label of an object to its node, before everything else.
fn labelled(mut node: Node, group: Option<&ShareGroup>, object: u64) -> Node {
    if let Some(label) = group.and_then(|group| group.label(object)) {
        node.children.insert(0, Node::leaf("label", Value::Text(label)));
        node.default = false;
    }
    node
}

#[cfg(test)]
mod tests;
