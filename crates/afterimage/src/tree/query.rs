//! Queries, syncs and transform feedback.

use super::buffer;
use super::node::Node;
use super::value::Value;
use state::context::Context;
use state::objects::query::{Query, QueryResult};
use state::objects::sync::Sync;
use state::objects::transform_feedback::TransformFeedback;

/// Returns the node of a query.
pub fn node(name: u32, query: &Query) -> Node {
    let mut node = Node::object(name.to_string());
    if !query.exists {
        node.fact("exists", Value::Truth(false));
        return node;
    }
    node.fact("target", Value::gl(query.target));
    node.put("stream", Value::number(query.stream), Value::number(0u32));
    node.put("active", Value::Truth(query.active), Value::Truth(false));
    match query.result {
        QueryResult::None => node.detail("result", Value::number(0)),
        QueryResult::Unknown => node.fact("result", Value::Unknown),
        QueryResult::Read(result) => node.fact("result", Value::Integer(result.cast_signed())),
    }
    node
}

/// Returns the active queries of a context.
pub fn active(context: &Context) -> Node {
    let mut node = Node::branch("active_queries");
    for (target, stream, name) in &context.active_queries.active {
        let target = super::plain::short(*target).to_ascii_lowercase();
        let key = if *stream == 0 { target } else { format!("{target}_{stream}") };
        node.fact(key, Value::Object("query", *name));
    }
    if let Some((name, mode)) = context.active_queries.condition {
        node.fact("conditional_render", Value::Object("query", name));
        node.fact("conditional_render_mode", Value::gl(mode));
    }
    node
}

/// Returns the node of a sync object.
pub fn sync(handle: u64, sync: &Sync) -> Node {
    let mut node = Node::object(format!("{handle:#x}"));
    node.fact("condition", Value::gl(sync.condition));
    node.fact("signaled", Value::Truth(sync.signaled));
    node
}

/// Returns the node of a transform feedback object. The default one is shown if it has been used.
pub fn feedback(name: u32, feedback: &TransformFeedback) -> Node {
    let mut node = if name == 0 { Node::branch("0") } else { Node::object(name.to_string()) };
    node.put("exists", Value::Truth(feedback.exists), Value::Truth(true));
    node.put("active", Value::Truth(feedback.mode.is_some()), Value::Truth(false));
    if let Some(mode) = feedback.mode {
        node.fact("mode", Value::gl_of("PrimitiveType", mode));
        node.fact("program", Value::Object("program", feedback.program));
    }
    node.put("paused", Value::Truth(feedback.paused), Value::Truth(false));
    node.list("buffer", feedback.buffers.iter().enumerate().map(|(index, one)| buffer::range(index, one)));
    node
}
