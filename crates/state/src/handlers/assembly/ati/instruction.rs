//! What a fragment shader of ATI_fragment_shader is written with: fetches and arithmetic, in one or two passes.

use std::sync::Arc;

use api::{constant as c, id};

use super::OUTSIDE;
use crate::fault::Fault;
use crate::handlers::Table;
use crate::objects::assembly::AtiDraft;
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glPassTexCoordATI, id::glSampleMapATI], fetch);
    table.on(&[id::glColorFragmentOp1ATI], |step| operate(step, Half::Colour, 1));
    table.on(&[id::glColorFragmentOp2ATI], |step| operate(step, Half::Colour, 2));
    table.on(&[id::glColorFragmentOp3ATI], |step| operate(step, Half::Colour, 3));
    table.on(&[id::glAlphaFragmentOp1ATI], |step| operate(step, Half::Alpha, 1));
    table.on(&[id::glAlphaFragmentOp2ATI], |step| operate(step, Half::Alpha, 2));
    table.on(&[id::glAlphaFragmentOp3ATI], |step| operate(step, Half::Alpha, 3));
}

/// An instruction has two halves: what it does to colours and what to alpha.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Colour,
    Alpha,
}

fn draft(step: &Step<'_>) -> Result<AtiDraft, Fault> {
    if step.context.assembly.ati.1 { Ok(step.context.assembly.ati_draft) } else { Err(OUTSIDE) }
}

fn is_register(name: u32) -> bool {
    (c::GL_REG_0_ATI..=c::GL_REG_5_ATI).contains(&name)
}

fn is_constant(name: u32) -> bool {
    (c::GL_CON_0_ATI..=c::GL_CON_7_ATI).contains(&name)
}

/// `glPassTexCoordATI` and `glSampleMapATI`: a register is filled from coordinates or from a texture.
fn fetch(step: &mut Step<'_>) -> Done {
    let mut draft = draft(step)?;
    let (target, from, swizzle) = (step.name(0), step.name(1), step.name(2));
    // The first fetch behind arithmetic begins the second pass.
    if draft.pass == 1 {
        draft.pass = 2;
        draft.is_paired = true;
    }
    if draft.pass > 2 {
        return Err(Fault::invalid_operation("there are no more than two passes"));
    }
    if !is_register(target) {
        return Err(Fault::invalid_enum("the target is no register"));
    }
    let units = step.facts().limits.integer(c::GL_MAX_TEXTURE_UNITS, 8) as u32;
    let (pass, bit) = (usize::from(draft.pass >> 1), 1u8 << (target - c::GL_REG_0_ATI));
    if draft.fetched[pass] & bit != 0 {
        return Err(Fault::invalid_operation("the pass has filled this register already"));
    }
    let coordinates = from.checked_sub(c::GL_TEXTURE0).filter(|unit| *unit < units.min(8));
    if !is_register(from) && coordinates.is_none() {
        return Err(Fault::invalid_enum("there are no such coordinates"));
    }
    if draft.pass == 0 && coordinates.is_none() {
        return Err(Fault::invalid_operation("registers are not yet filled in the first pass"));
    }
    if swizzle < c::GL_SWIZZLE_STR_ATI {
        return Err(Fault::invalid_enum("there is no such swizzle"));
    }
    let projected = swizzle & 1 != 0;
    match coordinates {
        None if projected => return Err(Fault::invalid_operation("registers have no fourth coordinate")),
        None => {}
        Some(unit) => {
            let before = &mut draft.projected[unit as usize];
            if before.is_some_and(|before| before != projected) {
                return Err(Fault::invalid_operation("these coordinates were taken with another third one before"));
            }
            *before = Some(projected);
        }
    }
    draft.fetched[pass] |= bit;
    Arc::make_mut(&mut step.context.assembly).ati_draft = draft;
    Ok(())
}

/// One half of an instruction with so many operands.
fn operate(step: &mut Step<'_>, half: Half, operands: usize) -> Done {
    let mut draft = draft(step)?;
    let (operation, target) = (step.name(0), step.name(1));
    // Only operations on colours are told which of them they write.
    let change = step.name(if half == Half::Colour { 3 } else { 2 });
    let first = if half == Half::Colour { 4 } else { 3 };
    draft.pass |= 1;
    let pass = usize::from(draft.pass >> 1);
    if half == Half::Colour || draft.is_paired {
        if draft.instructions[pass] > 7 {
            return Err(Fault::invalid_operation("a pass has no more than eight instructions"));
        }
        draft.instructions[pass] += 1;
        draft.colour_operation = if half == Half::Colour { operation } else { 0 };
    }
    if !is_register(target) {
        return Err(Fault::invalid_enum("the target is no register"));
    }
    if !CHANGES.contains(&(change & !c::GL_SATURATE_BIT_ATI)) {
        return Err(Fault::invalid_enum("results cannot be changed so"));
    }
    if operation != c::GL_MOV_ATI && !(c::GL_ADD_ATI..=c::GL_DOT2_ADD_ATI).contains(&operation) {
        return Err(Fault::invalid_enum("there is no such operation"));
    }
    if half == Half::Alpha && !goes_with(operation, draft.colour_operation) {
        return Err(Fault::invalid_operation("a product over several components has all of the instruction"));
    }
    let mut used = [0; 3];
    for (place, operand) in used.iter_mut().enumerate().take(operands) {
        *operand = step.name(first + 3 * place);
        check_operand(*operand, step.name(first + 3 * place + 1), half, operation)?;
    }
    let [one, two, three] = used;
    if operands == 3 && used.iter().all(|operand| is_constant(*operand)) && one != two && one != three && two != three {
        return Err(Fault::invalid_operation("an instruction has no more than two constants"));
    }
    draft.uses_colours |= draft.pass == 1 && used[..operands].iter().any(|operand| is_colour(*operand));
    draft.is_paired = half == Half::Alpha;
    Arc::make_mut(&mut step.context.assembly).ati_draft = draft;
    Ok(())
}

/// How results can be multiplied.
const CHANGES: [u32; 7] = [
    c::GL_NONE,
    c::GL_2X_BIT_ATI,
    c::GL_4X_BIT_ATI,
    c::GL_8X_BIT_ATI,
    c::GL_HALF_BIT_ATI,
    c::GL_QUARTER_BIT_ATI,
    c::GL_EIGHTH_BIT_ATI,
];

fn goes_with(alpha: u32, colour: u32) -> bool {
    match alpha {
        c::GL_DOT2_ADD_ATI | c::GL_DOT3_ATI | c::GL_DOT4_ATI => colour == alpha,
        _ => colour != c::GL_DOT4_ATI,
    }
}

fn is_colour(operand: u32) -> bool {
    matches!(operand, c::GL_PRIMARY_COLOR_ARB | c::GL_SECONDARY_INTERPOLATOR_ATI)
}

fn check_operand(operand: u32, repeated: u32, half: Half, operation: u32) -> Done {
    let is_number = matches!(operand, c::GL_ZERO | c::GL_ONE);
    if !is_constant(operand) && !is_register(operand) && !is_number && !is_colour(operand) {
        return Err(Fault::invalid_enum("there is no such operand"));
    }
    // The second colour of vertices has no alpha.
    let wants_alpha = half == Half::Alpha || operation == c::GL_DOT4_ATI;
    let takes_alpha = repeated == c::GL_ALPHA || repeated == c::GL_NONE && wants_alpha;
    if operand == c::GL_SECONDARY_INTERPOLATOR_ATI && takes_alpha {
        return Err(Fault::invalid_operation("the second colour has no alpha"));
    }
    Ok(())
}
