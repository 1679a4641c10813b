//! Vertex arrays: names, formats and bindings.

mod bind;
mod format;
mod generic;
mod legacy;
mod named;
mod object;
mod query;

use std::sync::Arc;

use api::constant as c;

use super::Table;
use crate::context::{Client, Context, Facts};
use crate::fault::Fault;
use crate::objects::vertex_array::{Slot, VertexArray};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    object::register(table);
    generic::register(table);
    bind::register(table);
    legacy::register(table);
    named::register(table);
    query::register(table);
}

const NO_ARRAY: Fault = Fault::invalid_operation("no vertex array object is bound");
const NO_ATTRIB: Fault = Fault::invalid_value("the vertex attribute index is too large");
const NO_BINDING: Fault = Fault::invalid_value("the vertex buffer binding is too large");

/// Returns the bound vertex array.
pub fn bound(context: &Context) -> Option<&VertexArray> {
    context.vertex_arrays.get(&context.vertex_array).map(Arc::as_ref)
}

/// Returns a vertex array for modification.
fn change<'s>(step: &'s mut Step<'_>, name: u32) -> Option<&'s mut VertexArray> {
    step.context.vertex_arrays.get_mut(&name).map(Arc::make_mut)
}

/// Returns the number of generic attributes.
fn attribs(facts: &Facts) -> u32 {
    (facts.limits.integer(c::GL_MAX_VERTEX_ATTRIBS, 16) as u32).min(16)
}

/// Returns the number of buffer bindings.
fn bindings(facts: &Facts) -> u32 {
    (facts.limits.integer(c::GL_MAX_VERTEX_ATTRIB_BINDINGS, 16) as u32).min(16)
}

/// Returns the maximum stride, if there is one.
fn most_stride(facts: &Facts) -> i32 {
    match facts.limits.integer(c::GL_MAX_VERTEX_ATTRIB_STRIDE, 2048) {
        most if facts.desktop(4, 4) || facts.es(3, 1) => most as i32,
        _ => i32::MAX,
    }
}

/// Returns an attribute by its index.
fn attrib(facts: &Facts, index: u32) -> Result<Slot, Fault> {
    if index < attribs(facts) { Ok(crate::objects::vertex_array::GENERIC + index as usize) } else { Err(NO_ATTRIB) }
}

/// Returns a buffer binding by its index.
fn binding(facts: &Facts, index: u32) -> Result<Slot, Fault> {
    if index < bindings(facts) { Ok(crate::objects::vertex_array::GENERIC + index as usize) } else { Err(NO_BINDING) }
}

/// Rejects the default vertex array where commands of `ARB_vertex_attrib_binding` cannot change it.
fn is_changeable(step: &Step<'_>) -> Done {
    let facts = step.facts();
    let strict = facts.client == Client::Core || facts.es(3, 1);
    if strict && step.context.vertex_array == 0 { Err(NO_ARRAY) } else { Ok(()) }
}
