//! Names of vertex arrays, and which of them is bound.

use std::sync::Arc;

use api::id;

use super::super::Table;
use crate::fault::Fault;
use crate::objects::vertex_array::VertexArray;
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glGenVertexArrays, id::glGenVertexArraysOES, id::glGenVertexArraysAPPLE], |step| {
        generate(step, false)
    });
    table.on(&[id::glCreateVertexArrays], |step| generate(step, true));
    table.on(&[id::glBindVertexArray, id::glBindVertexArrayOES, id::glBindVertexArrayAPPLE], bind);
    table.on(&[id::glDeleteVertexArrays, id::glDeleteVertexArraysOES, id::glDeleteVertexArraysAPPLE], delete);
}

fn generate(step: &mut Step<'_>, exists: bool) -> Done {
    if step.int(0) < 0 {
        return Err(Fault::invalid_value("there is no negative number of names"));
    }
    for name in step.output_names(1) {
        let object = step.group.next_object();
        step.context.vertex_arrays.insert(name, Arc::new(VertexArray { exists, ..VertexArray::new(object) }));
    }
    Ok(())
}

fn bind(step: &mut Step<'_>) -> Done {
    let name = step.name(0);
    if name == step.context.vertex_array {
        return Ok(());
    }
    let Some(array) = step.context.vertex_arrays.get_mut(&name) else {
        return Err(Fault::invalid_operation("that name does not come from glGenVertexArrays"));
    };
    if !array.exists {
        Arc::make_mut(array).exists = true;
    }
    step.context.vertex_array = name;
    Ok(())
}

fn delete(step: &mut Step<'_>) -> Done {
    if step.int(0) < 0 {
        return Err(Fault::invalid_value("there is no negative number of names"));
    }
    for name in step.input_names(1) {
        if name == 0 || step.context.vertex_arrays.remove(&name).is_none() {
            continue;
        }
        // One that is bound is first replaced by the default one (GL 4.6, 10.3.1).
        if step.context.vertex_array == name {
            step.context.vertex_array = 0;
        }
    }
    Ok(())
}
