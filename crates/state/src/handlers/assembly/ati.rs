//! Fragment shaders of ATI_fragment_shader. They have no queries; their contents are not kept, except for what
//! determines whether an instruction is an error.

use std::sync::Arc;

use api::{constant as c, id};

use crate::fault::Fault;
use crate::handlers::Table;
use crate::objects::assembly::{AtiOperation, AtiShader};
use crate::step::{Done, Step};

const INSIDE: Fault = Fault::invalid_operation("a fragment shader definition is active");
const OUTSIDE: Fault = Fault::invalid_operation("no fragment shader definition is active");
const NO_REGISTER: Fault = Fault::invalid_enum("invalid register");
const NO_OPERATION: Fault = Fault::invalid_enum("no operation of this name takes this many arguments");

/// Maximum number of instructions of a pass.
const MAX_INSTRUCTIONS: u32 = 8;

pub fn register(table: &mut Table) {
    table.on(&[id::glGenFragmentShadersATI], generate);
    table.on(&[id::glBindFragmentShaderATI], bind);
    table.on(&[id::glDeleteFragmentShaderATI], delete);
    table.on(&[id::glBeginFragmentShaderATI], begin);
    table.on(&[id::glEndFragmentShaderATI], end);
    table.on(&[id::glPassTexCoordATI, id::glSampleMapATI], texture);
    table.on(&[id::glColorFragmentOp1ATI], |step| operate(step, true, 1));
    table.on(&[id::glColorFragmentOp2ATI], |step| operate(step, true, 2));
    table.on(&[id::glColorFragmentOp3ATI], |step| operate(step, true, 3));
    table.on(&[id::glAlphaFragmentOp1ATI], |step| operate(step, false, 1));
    table.on(&[id::glAlphaFragmentOp2ATI], |step| operate(step, false, 2));
    table.on(&[id::glAlphaFragmentOp3ATI], |step| operate(step, false, 3));
    table.on(&[id::glSetFragmentShaderConstantATI], |step| {
        let known = (c::GL_CON_0_ATI..=c::GL_CON_7_ATI).contains(&step.name(0));
        if known { Ok(()) } else { Err(Fault::invalid_enum("invalid constant")) }
    });
}

fn generate(step: &mut Step<'_>) -> Done {
    let count = step.name(0);
    if count == 0 {
        return Err(Fault::invalid_value("the number of shaders is 0"));
    }
    if step.context.assembly.ati.writing.is_some() {
        return Err(INSIDE);
    }
    let first = step.call.result.unwrap_or(0) as u32;
    // Bounded; no program creates more at a time.
    for name in first..first.saturating_add(count.min(1 << 16)) {
        let object = step.group.next_object();
        step.group.ati_shaders.insert(name, object);
    }
    Ok(())
}

fn bind(step: &mut Step<'_>) -> Done {
    if step.context.assembly.ati.writing.is_some() {
        return Err(INSIDE);
    }
    let name = step.name(0);
    if name != 0 && !step.group.ati_shaders.contains_key(&name) {
        let object = step.group.next_object();
        step.group.ati_shaders.insert(name, object);
    }
    Arc::make_mut(&mut step.context.assembly).ati.bound = name;
    Ok(())
}

fn delete(step: &mut Step<'_>) -> Done {
    if step.context.assembly.ati.writing.is_some() {
        return Err(INSIDE);
    }
    let name = step.name(0);
    if name != 0 && step.group.ati_shaders.remove(&name).is_some() && step.context.assembly.ati.bound == name {
        Arc::make_mut(&mut step.context.assembly).ati.bound = 0;
    }
    Ok(())
}

fn begin(step: &mut Step<'_>) -> Done {
    if step.context.assembly.ati.writing.is_some() {
        return Err(INSIDE);
    }
    Arc::make_mut(&mut step.context.assembly).ati.writing = Some(AtiShader::default());
    Ok(())
}

/// Ends a shader. Errors in it do not keep it from ending.
fn end(step: &mut Step<'_>) -> Done {
    let Some(shader) = Arc::make_mut(&mut step.context.assembly).ati.writing.take() else { return Err(OUTSIDE) };
    if shader.interpolates_first && shader.pass > 1 {
        return Err(Fault::invalid_operation("the first of two passes reads a colour interpolator"));
    }
    if shader.pass == 0 || shader.pass == 2 {
        return Err(Fault::invalid_operation("the last pass has no arithmetic instruction"));
    }
    Ok(())
}

fn is_register(name: u32) -> bool {
    (c::GL_REG_0_ATI..=c::GL_REG_5_ATI).contains(&name)
}

/// `glPassTexCoordATI` and `glSampleMapATI`.
fn texture(step: &mut Step<'_>) -> Done {
    let (to, from, swizzle) = (step.name(0), step.name(1), step.name(2));
    let Some(mut shader) = step.context.assembly.ati.writing else { return Err(OUTSIDE) };
    let pass = if shader.pass == 1 { 2 } else { shader.pass };
    let used = &mut shader.assigned[usize::from(pass > 1)];
    if pass > 2 || is_register(to) && *used & 1 << (to - c::GL_REG_0_ATI) != 0 {
        return Err(Fault::invalid_operation(
            "the register is already assigned, or arithmetic instructions have begun",
        ));
    }
    let units = step.facts().limits.integer(c::GL_MAX_TEXTURE_UNITS, 8);
    if !is_register(to) || i64::from(to - c::GL_REG_0_ATI) >= units {
        return Err(NO_REGISTER);
    }
    let coordinate = (c::GL_TEXTURE0..=c::GL_TEXTURE7).contains(&from) && i64::from(from - c::GL_TEXTURE0) < units;
    if !is_register(from) && !coordinate {
        return Err(Fault::invalid_enum("invalid texture coordinates"));
    }
    if pass == 0 && is_register(from) {
        return Err(Fault::invalid_operation("registers cannot be texture coordinates in the first pass"));
    }
    if !(c::GL_SWIZZLE_STR_ATI..=c::GL_SWIZZLE_STQ_DQ_ATI).contains(&swizzle) {
        return Err(Fault::invalid_enum("invalid swizzle"));
    }
    if swizzle & 1 != 0 && is_register(from) {
        return Err(Fault::invalid_operation("registers have no fourth coordinate"));
    }
    if coordinate {
        // For each unit, all instructions read the third coordinate, or all read the fourth.
        let place = 2 * (from - c::GL_TEXTURE0);
        let (before, now) = (shader.swizzles >> place & 3, (swizzle & 1) + 1);
        if before != 0 && before != now {
            return Err(Fault::invalid_operation("the coordinates are already read with a different swizzle"));
        }
        shader.swizzles |= now << place;
    }
    *used |= 1 << (to - c::GL_REG_0_ATI);
    shader.pass = pass;
    shader.last = None;
    Arc::make_mut(&mut step.context.assembly).ati.writing = Some(shader);
    Ok(())
}

/// `glColorFragmentOp…ATI` and `glAlphaFragmentOp…ATI`.
fn operate(step: &mut Step<'_>, colour: bool, arguments: usize) -> Done {
    let Some(mut shader) = step.context.assembly.ati.writing else { return Err(OUTSIDE) };
    let (operation, to) = (step.name(0), step.name(1));
    // An operation on alpha is paired with the operation on colour before it.
    let paired = !colour && matches!(shader.last, Some(last) if last.colour);
    let pass = shader.pass | 1;
    let place = usize::from(pass > 1);
    if !paired && shader.instructions[place] >= MAX_INSTRUCTIONS {
        return Err(Fault::invalid_operation("the pass has too many instructions"));
    }
    let (modifier, first) = if colour { (step.name(3), 4) } else { (step.name(2), 3) };
    if !is_register(to) {
        return Err(NO_REGISTER);
    }
    let scale = modifier & !c::GL_SATURATE_BIT_ATI;
    let scales = [
        0,
        c::GL_2X_BIT_ATI,
        c::GL_4X_BIT_ATI,
        c::GL_8X_BIT_ATI,
        c::GL_HALF_BIT_ATI,
        c::GL_QUARTER_BIT_ATI,
        c::GL_EIGHTH_BIT_ATI,
    ];
    if !scales.contains(&scale) {
        return Err(Fault::invalid_enum("invalid destination modifier"));
    }
    let known: &[u32] = match arguments {
        1 => &[c::GL_MOV_ATI],
        2 => &[c::GL_ADD_ATI, c::GL_SUB_ATI, c::GL_MUL_ATI, c::GL_DOT3_ATI, c::GL_DOT4_ATI],
        _ => &[c::GL_MAD_ATI, c::GL_LERP_ATI, c::GL_CND_ATI, c::GL_CND0_ATI, c::GL_DOT2_ADD_ATI],
    };
    if !known.contains(&operation) {
        return Err(NO_OPERATION);
    }
    let dot = matches!(operation, c::GL_DOT2_ADD_ATI | c::GL_DOT3_ATI | c::GL_DOT4_ATI);
    if !colour {
        let before = shader.last.filter(|last| last.colour).map(|last| last.operation);
        if dot && before != Some(operation) || before == Some(c::GL_DOT4_ATI) && operation != c::GL_DOT4_ATI {
            return Err(Fault::invalid_operation("a dot product must be computed for both colour and alpha"));
        }
    }
    let mut constants = Vec::new();
    for argument in 0..arguments {
        let at = first + 3 * argument;
        let (from, part) = (step.name(at), step.name(at + 1));
        check_argument(colour, operation, from, part, step.name(at + 2))?;
        if (c::GL_CON_0_ATI..=c::GL_CON_7_ATI).contains(&from) && !constants.contains(&from) {
            constants.push(from);
        }
        shader.interpolates_first |=
            pass == 1 && matches!(from, c::GL_PRIMARY_COLOR_ARB | c::GL_SECONDARY_INTERPOLATOR_ATI);
    }
    if constants.len() > 2 {
        return Err(Fault::invalid_operation("the instruction reads more than two constants"));
    }
    if !paired {
        shader.instructions[place] += 1;
    }
    shader.pass = pass;
    shader.last = Some(AtiOperation { colour, operation });
    Arc::make_mut(&mut step.context.assembly).ati.writing = Some(shader);
    Ok(())
}

fn check_argument(colour: bool, operation: u32, from: u32, part: u32, modifier: u32) -> Done {
    let constant = (c::GL_CON_0_ATI..=c::GL_CON_7_ATI).contains(&from);
    let known = [c::GL_ZERO, c::GL_ONE, c::GL_PRIMARY_COLOR_ARB, c::GL_SECONDARY_INTERPOLATOR_ATI];
    if !is_register(from) && !constant && !known.contains(&from) {
        return Err(Fault::invalid_enum("invalid argument"));
    }
    if ![c::GL_NONE, c::GL_RED, c::GL_GREEN, c::GL_BLUE, c::GL_ALPHA].contains(&part) {
        return Err(Fault::invalid_enum("invalid argument replication"));
    }
    let bits = c::GL_2X_BIT_ATI | c::GL_COMP_BIT_ATI | c::GL_NEGATE_BIT_ATI | c::GL_BIAS_BIT_ATI;
    if modifier & !bits != 0 {
        return Err(Fault::invalid_enum("invalid argument modifier"));
    }
    // The secondary colour has no alpha.
    let alpha = part == c::GL_ALPHA || part == c::GL_NONE && (!colour || operation == c::GL_DOT4_ATI);
    if from == c::GL_SECONDARY_INTERPOLATOR_ATI && alpha {
        return Err(Fault::invalid_operation("the secondary colour has no alpha"));
    }
    Ok(())
}
