//! Framebuffers and renderbuffers.

use api::constant as c;

use super::image::Writers;
use super::node::Node;
use super::value::Value;
use state::objects::framebuffer::{Attachment, COLOURS, DEPTH, Framebuffer, STENCIL, Targets};
use state::objects::renderbuffer::Renderbuffer;
use state::observer::ContentsRef;

/// Returns the node of a framebuffer.
pub fn node(name: u32, framebuffer: &Framebuffer) -> Node {
    let mut node = Node::object(name.to_string());
    if !framebuffer.exists {
        node.fact("exists", Value::Truth(false));
        return node;
    }
    let initial = Framebuffer::new(0, true);
    let colours = (0..COLOURS).map(|at| attachment(at.to_string(), &framebuffer.attachments[at]));
    node.list("color", colours);
    node.push(attachment("depth".to_owned(), &framebuffer.attachments[DEPTH]));
    node.push(attachment("stencil".to_owned(), &framebuffer.attachments[STENCIL]));
    node.put("draw_buffers", buffers(&framebuffer.buffers.draw), buffers(&initial.buffers.draw));
    node.put("read_buffer", Value::gl(framebuffer.buffers.read), Value::gl(initial.buffers.read));
    for (name, value) in ["width", "height", "layers", "samples"].into_iter().zip(framebuffer.defaults) {
        node.put(format!("default_{name}"), Value::number(value), Value::number(0));
    }
    let fixed = Value::Truth(framebuffer.default_fixed != 0);
    node.put("default_fixed_sample_locations", fixed, Value::Truth(false));
    node.put("flip_y", Value::Truth(framebuffer.flip_y), Value::Truth(false));
    node
}

fn attachment(name: String, attachment: &Attachment) -> Node {
    let mut node = Node::branch(name);
    match attachment {
        Attachment::None => {}
        Attachment::Renderbuffer(bound) => node.value = Some(Value::Object("renderbuffer", bound.name)),
        Attachment::Texture { texture, target, level, layer, layered } => {
            node.value = Some(Value::Object("texture", texture.name));
            node.put("target", Value::gl(target.name()), Value::gl(c::GL_TEXTURE_2D));
            node.put("level", Value::number(*level), Value::number(0));
            node.put("layer", Value::number(*layer), Value::number(0));
            node.put("layered", Value::Truth(*layered), Value::Truth(false));
        }
    }
    node.default = *attachment == Attachment::None;
    node
}

/// Returns the draw buffers, without trailing `GL_NONE`.
fn buffers(draw: &[u32]) -> Value {
    let used = draw.iter().rposition(|buffer| *buffer != c::GL_NONE).map_or(1, |last| last + 1);
    let mut names: Vec<Value> = draw[..used].iter().map(|buffer| Value::gl(*buffer)).collect();
    if names.len() == 1 { names.remove(0) } else { Value::List(names) }
}

/// Returns the bindings of framebuffers and renderbuffers.
pub fn bindings(targets: &Targets) -> Node {
    let mut node = Node::branch("framebuffer_bindings");
    let (none, initial) = (Value::Object("framebuffer", 0), Targets::default());
    node.put("draw_framebuffer", Value::Object("framebuffer", targets.draw), none.clone());
    node.put("read_framebuffer", Value::Object("framebuffer", targets.read), none);
    node.put(
        "renderbuffer",
        Value::Object("renderbuffer", targets.renderbuffer.name),
        Value::Object("renderbuffer", 0),
    );
    let (now, first) = (&targets.default, &initial.default);
    node.put("default_draw_buffers", buffers(&now.draw), buffers(&first.draw));
    node.put("default_read_buffer", Value::gl(now.read), Value::gl(first.read));
    node
}

/// Returns the node of a renderbuffer.
pub fn renderbuffer(name: u32, renderbuffer: &Renderbuffer, writers: &Writers<'_, '_>) -> Node {
    let mut node = Node::object(name.to_string());
    if !renderbuffer.exists {
        node.fact("exists", Value::Truth(false));
        return node;
    }
    node.fact("size", Value::size(&[renderbuffer.size.0, renderbuffer.size.1]));
    node.fact("format", Value::gl(renderbuffer.internal));
    node.put("samples", Value::number(renderbuffer.samples), Value::number(0));
    writers.put(&mut node, &[ContentsRef::Renderbuffer { object: renderbuffer.object }]);
    node
}
