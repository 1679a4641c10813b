//! Fragment shaders of ATI_fragment_shader. Nothing of them can be asked for; what they are made of is not kept, only
//! what it takes to know which instructions are refused.

mod instruction;

use std::sync::Arc;

use api::{constant as c, id};

use crate::fault::Fault;
use crate::handlers::Table;
use crate::step::{Done, Step};

const INSIDE: Fault = Fault::invalid_operation("a fragment shader is being written");
const OUTSIDE: Fault = Fault::invalid_operation("no fragment shader is being written");

pub fn register(table: &mut Table) {
    table.on(&[id::glGenFragmentShadersATI], generate);
    table.on(&[id::glBindFragmentShaderATI], bind);
    table.on(&[id::glDeleteFragmentShaderATI], delete);
    table.on(&[id::glBeginFragmentShaderATI], |step| write(step, true));
    table.on(&[id::glEndFragmentShaderATI], |step| write(step, false));
    instruction::register(table);
    table.on(&[id::glSetFragmentShaderConstantATI], |step| {
        let known = (c::GL_CON_0_ATI..=c::GL_CON_7_ATI).contains(&step.name(0));
        if known { Ok(()) } else { Err(Fault::invalid_enum("there is no such constant")) }
    });
}

fn generate(step: &mut Step<'_>) -> Done {
    let count = step.name(0);
    if count == 0 {
        return Err(Fault::invalid_value("there are no shaders to make"));
    }
    if step.context.assembly.ati.1 {
        return Err(INSIDE);
    }
    let first = step.call.result.unwrap_or(0) as u32;
    // No program makes more at a time than this.
    for name in first..first.saturating_add(count.min(1 << 16)) {
        let object = step.group.next_object();
        step.group.ati_shaders.insert(name, object);
    }
    Ok(())
}

fn bind(step: &mut Step<'_>) -> Done {
    if step.context.assembly.ati.1 {
        return Err(INSIDE);
    }
    let name = step.name(0);
    if name != 0 && !step.group.ati_shaders.contains_key(&name) {
        let object = step.group.next_object();
        step.group.ati_shaders.insert(name, object);
    }
    Arc::make_mut(&mut step.context.assembly).ati.0 = name;
    Ok(())
}

fn delete(step: &mut Step<'_>) -> Done {
    if step.context.assembly.ati.1 {
        return Err(INSIDE);
    }
    let name = step.name(0);
    if name != 0 && step.group.ati_shaders.remove(&name).is_some() && step.context.assembly.ati.0 == name {
        Arc::make_mut(&mut step.context.assembly).ati.0 = 0;
    }
    Ok(())
}

fn write(step: &mut Step<'_>, begin: bool) -> Done {
    if step.context.assembly.ati.1 == begin {
        return Err(if begin { INSIDE } else { OUTSIDE });
    }
    let state = Arc::make_mut(&mut step.context.assembly);
    state.ati.1 = begin;
    let written = std::mem::take(&mut state.ati_draft);
    // The shader is finished even if it is not as it should be.
    if !begin && written.uses_colours && written.pass > 1 {
        return Err(Fault::invalid_operation("colours of the vertices are there in the last pass only"));
    }
    if !begin && written.pass.is_multiple_of(2) {
        return Err(Fault::invalid_operation("the last pass has no arithmetic"));
    }
    Ok(())
}
