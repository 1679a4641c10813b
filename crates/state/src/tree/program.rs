//! Shaders, programs and pipelines.

use super::node::Node;
use super::value::Value;
use crate::context::Context;
use crate::objects::pipeline::Pipeline;
use crate::objects::program::ShaderOrProgram;
use crate::share::ShareGroup;

/// Shaders and programs.
pub fn put(node: &mut Node, group: &ShareGroup) {
    let one = |name: &u32| Node::object(name.to_string());
    let shaders = group.programs.iter().filter(|(_, one)| matches!(***one, ShaderOrProgram::Shader(_)));
    node.list("shader", shaders.map(|(name, _)| one(name)));
    let programs = group.programs.iter().filter(|(_, one)| matches!(***one, ShaderOrProgram::Program(_)));
    node.list("program", programs.map(|(name, _)| one(name)));
}

/// What a context has current of programs.
pub fn bindings(_node: &mut Node, _context: &Context) {}

/// A pipeline.
pub fn pipeline(name: u32, _pipeline: &Pipeline) -> Node {
    Node::object(name.to_string())
}
