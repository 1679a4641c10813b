//! A context.

use super::labelled;
use super::node::Node;
use super::value::Value;
use super::{buffer, fixed, framebuffer, plain, program, query, texture, vertex_array};
use state::context::{Client, Context};
use state::share::ShareGroup;

/// Returns the node of a context with its own state.
pub fn node(context: &Context, group: Option<&ShareGroup>) -> Node {
    let facts = &context.facts;
    let mut node = Node::object(facts.number.to_string());
    let [vendor, renderer, version] = &facts.strings;
    let api = match facts.client {
        Client::Compatibility => "OpenGL",
        Client::Core => "OpenGL, core profile",
        Client::Es1 | Client::Es2 => "OpenGL ES",
    };
    node.fact("api", Value::text(api));
    node.fact("version", Value::Text(format!("{}.{}", facts.version.0, facts.version.1)));
    node.put("flags", Value::bits("ContextFlagMask", facts.flags), Value::Bits(Vec::new()));
    node.fact("renderer", Value::text(renderer));
    node.detail("vendor", Value::text(vendor));
    node.detail("version_string", Value::text(version));
    node.detail("extensions", Value::List(facts.extension_list.iter().map(|name| Value::text(name)).collect()));
    node.fact("share", Value::Object("share", context.group as u32 + 1));
    let error = context.error.map(|fault| Value::gl(fault.error));
    node.put("error", error.unwrap_or(Value::Enum("GL_NO_ERROR")), Value::Enum("GL_NO_ERROR"));
    if let Some(fault) = context.error {
        node.fact("error_reason", Value::text(fault.why));
    }

    let groups = context.debug_groups.path().iter().map(|text| Value::text(text)).collect();
    node.put("debug_groups", Value::List(groups), Value::List(Vec::new()));

    program::bindings(&mut node, context);
    node.push(framebuffer::bindings(&context.targets));
    node.push(vertex_array::binding(context));
    node.push(buffer::bindings(&context.buffers));
    for mut family in plain::families(context) {
        match family.name.as_str() {
            "texture_units" => texture::units(&mut family, context, group),
            "fixed_function" => fixed::put(&mut family, context),
            _ => {}
        }
        node.push(family);
    }
    node.push(texture::images(context));
    node.push(fixed::current(context));
    node.push(query::active(context));
    let framebuffers = context.framebuffers.iter();
    node.list(
        "framebuffer",
        framebuffers.map(|(name, one)| labelled(framebuffer::node(*name, one), group, one.object)),
    );
    let arrays = context.vertex_arrays.iter();
    node.list(
        "vertex_array",
        arrays.map(|(name, array)| {
            labelled(vertex_array::node(*name, array, context.vertex_array == *name), group, array.object)
        }),
    );
    node.list("query", context.queries.iter().map(|(name, one)| labelled(query::node(*name, one), group, one.object)));
    node.list(
        "pipeline",
        context.pipelines.iter().map(|(name, one)| labelled(program::pipeline(*name, one), group, one.object)),
    );
    let feedbacks = context.transform_feedbacks.iter();
    node.list(
        "transform_feedback",
        feedbacks.map(|(name, one)| labelled(query::feedback(*name, one), group, one.object)),
    );
    node.push(plain::limits(&facts.limits));
    node
}
