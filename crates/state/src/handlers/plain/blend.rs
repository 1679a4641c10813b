//! Blending, logic operations, colour masks, the alpha test and clear colours.

use api::{constant as c, id};

use super::{COMPARISONS, most, set_enum};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::handlers::Table;
use crate::step::{Done, Step};
use crate::variable as var;

const NO_FACTOR: Fault = Fault::invalid_enum("invalid blend factor");
const NO_EQUATION: Fault = Fault::invalid_enum("invalid blend equation");
const NO_BUFFER: Fault = Fault::invalid_value("the draw buffer index is too large");

/// The equations of KHR_blend_equation_advanced, from `GL_MULTIPLY_KHR` to `GL_HSL_LUMINOSITY_KHR`.
const ADVANCED: &[u32] = &[
    c::GL_MULTIPLY_KHR,
    c::GL_SCREEN_KHR,
    c::GL_OVERLAY_KHR,
    c::GL_DARKEN_KHR,
    c::GL_LIGHTEN_KHR,
    c::GL_COLORDODGE_KHR,
    c::GL_COLORBURN_KHR,
    c::GL_HARDLIGHT_KHR,
    c::GL_SOFTLIGHT_KHR,
    c::GL_DIFFERENCE_KHR,
    c::GL_EXCLUSION_KHR,
    c::GL_HSL_HUE_KHR,
    c::GL_HSL_SATURATION_KHR,
    c::GL_HSL_COLOR_KHR,
    c::GL_HSL_LUMINOSITY_KHR,
];

pub fn register(table: &mut Table) {
    table.on(&[id::glBlendFunc], |step| functions(step, None, [0, 1, 0, 1]));
    table.on(&[id::glBlendFuncSeparate, id::glBlendFuncSeparateEXT, id::glBlendFuncSeparateOES], |step| {
        functions(step, None, [0, 1, 2, 3])
    });
    let indexed =
        [id::glBlendFunci, id::glBlendFunciARB, id::glBlendFunciEXT, id::glBlendFunciOES, id::glBlendFuncIndexedAMD];
    table.on(&indexed, |step| functions(step, Some(step.name(0)), [1, 2, 1, 2]));
    let separate = [
        id::glBlendFuncSeparatei,
        id::glBlendFuncSeparateiARB,
        id::glBlendFuncSeparateiEXT,
        id::glBlendFuncSeparateiOES,
        id::glBlendFuncSeparateIndexedAMD,
    ];
    table.on(&separate, |step| functions(step, Some(step.name(0)), [1, 2, 3, 4]));
    table.on(&[id::glBlendEquation, id::glBlendEquationEXT, id::glBlendEquationOES], |step| {
        equations(step, None, [0, 0], true)
    });
    let separate = [id::glBlendEquationSeparate, id::glBlendEquationSeparateEXT, id::glBlendEquationSeparateOES];
    table.on(&separate, |step| equations(step, None, [0, 1], false));
    let indexed = [
        id::glBlendEquationi,
        id::glBlendEquationiARB,
        id::glBlendEquationiEXT,
        id::glBlendEquationiOES,
        id::glBlendEquationIndexedAMD,
    ];
    table.on(&indexed, |step| equations(step, Some(step.name(0)), [1, 1], true));
    let separate = [
        id::glBlendEquationSeparatei,
        id::glBlendEquationSeparateiARB,
        id::glBlendEquationSeparateiEXT,
        id::glBlendEquationSeparateiOES,
        id::glBlendEquationSeparateIndexedAMD,
    ];
    table.on(&separate, |step| equations(step, Some(step.name(0)), [1, 2], false));
    table.on(&[id::glBlendColor, id::glBlendColorEXT], |step| {
        let colour = [0, 1, 2, 3].map(|at| f64::from(step.float(at)));
        step.context.vars.set_value(var::BLEND_COLOR, 0, &colour);
        Ok(())
    });
    table.on(&[id::glColorMask], |step| {
        let mask = [0, 1, 2, 3].map(|at| f64::from(u8::from(step.truth(at))));
        step.context.vars.set_all(var::COLOR_WRITEMASK, &mask);
        Ok(())
    });
    let indexed = [id::glColorMaski, id::glColorMaskIndexedEXT, id::glColorMaskiEXT, id::glColorMaskiOES];
    table.on(&indexed, |step| {
        let buffer = buffer(step, step.name(0))?;
        let mask = [1, 2, 3, 4].map(|at| f64::from(u8::from(step.truth(at))));
        step.context.vars.set_value(var::COLOR_WRITEMASK, buffer, &mask);
        Ok(())
    });
    table.on(&[id::glIndexMask], |step| {
        let mask = f64::from(step.int(0));
        step.context.vars.set(var::INDEX_WRITEMASK, mask);
        Ok(())
    });
    table.on(&[id::glLogicOp], |step| {
        let operation = step.name(0);
        if !(c::GL_CLEAR..=c::GL_SET).contains(&operation) {
            return Err(Fault::invalid_enum("invalid logic operation"));
        }
        step.context.vars.set(var::LOGIC_OP_MODE, f64::from(operation));
        Ok(())
    });
    table.on(&[id::glAlphaFunc], |step| alpha_test(step, f64::from(step.float(1))));
    table.on(&[id::glAlphaFuncx, id::glAlphaFuncxOES], |step| alpha_test(step, f64::from(step.fixed(1))));
    table.on(&[id::glClearColor], |step| {
        let colour = [0, 1, 2, 3].map(|at| f64::from(step.float(at)));
        step.context.vars.set_value(var::COLOR_CLEAR_VALUE, 0, &colour);
        Ok(())
    });
    table.on(&[id::glClearColorx, id::glClearColorxOES], |step| {
        let colour = [0, 1, 2, 3].map(|at| f64::from(step.fixed(at)));
        step.context.vars.set_value(var::COLOR_CLEAR_VALUE, 0, &colour);
        Ok(())
    });
    table.on(&[id::glClearColorIiEXT, id::glClearColorIuiEXT], |step| {
        // Integers share their memory with floats: queried as floats, they return those of the same bits.
        let colour = [0, 1, 2, 3].map(|at| f64::from(f32::from_bits(step.name(at))));
        step.context.vars.set_value(var::COLOR_CLEAR_VALUE, 0, &colour);
        Ok(())
    });
    table.on(&[id::glClearIndex], |step| {
        let index = f64::from(step.float(0) as i64 as i32);
        step.context.vars.set(var::INDEX_CLEAR_VALUE, index);
        Ok(())
    });
    table.on(&[id::glClearAccum], |step| {
        let colour = [0, 1, 2, 3].map(|at| f64::from(step.float(at).clamp(-1.0, 1.0)));
        step.context.vars.set_value(var::ACCUM_CLEAR_VALUE, 0, &colour);
        Ok(())
    });
}

fn alpha_test(step: &mut Step<'_>, reference: f64) -> Done {
    set_enum(step, 0, COMPARISONS, var::ALPHA_TEST_FUNC, "invalid comparison function")?;
    step.context.vars.set(var::ALPHA_TEST_REF, reference);
    Ok(())
}

fn buffer(step: &Step<'_>, index: u32) -> Result<usize, Fault> {
    if index < most(step.facts(), c::GL_MAX_DRAW_BUFFERS, 1) { Ok(index as usize) } else { Err(NO_BUFFER) }
}

fn is_factor(facts: &Facts, factor: u32, destination: bool) -> bool {
    match factor {
        c::GL_ZERO
        | c::GL_ONE
        | c::GL_SRC_ALPHA
        | c::GL_ONE_MINUS_SRC_ALPHA
        | c::GL_DST_ALPHA
        | c::GL_ONE_MINUS_DST_ALPHA
        | c::GL_SRC_COLOR
        | c::GL_ONE_MINUS_SRC_COLOR
        | c::GL_DST_COLOR
        | c::GL_ONE_MINUS_DST_COLOR => true,
        c::GL_SRC_ALPHA_SATURATE => {
            !destination || facts.es(3, 0) || facts.client != Client::Es1 && facts.has("GL_ARB_blend_func_extended")
        }
        c::GL_CONSTANT_COLOR
        | c::GL_ONE_MINUS_CONSTANT_COLOR
        | c::GL_CONSTANT_ALPHA
        | c::GL_ONE_MINUS_CONSTANT_ALPHA => facts.client != Client::Es1,
        c::GL_SRC1_COLOR | c::GL_SRC1_ALPHA | c::GL_ONE_MINUS_SRC1_COLOR | c::GL_ONE_MINUS_SRC1_ALPHA => {
            facts.client != Client::Es1
                && (facts.has("GL_ARB_blend_func_extended") || facts.has("GL_EXT_blend_func_extended"))
        }
        _ => false,
    }
}

/// Sets the factors of one draw buffer or of all: `args` are the indices of source and destination for colour, then for
/// alpha.
fn functions(step: &mut Step<'_>, index: Option<u32>, args: [usize; 4]) -> Done {
    let index = index.map(|index| buffer(step, index)).transpose()?;
    let factors = args.map(|arg| step.name(arg));
    for (at, factor) in factors.iter().enumerate() {
        if !is_factor(step.facts(), *factor, at % 2 == 1) {
            return Err(NO_FACTOR);
        }
    }
    let vars = [var::BLEND_SRC_RGB, var::BLEND_DST_RGB, var::BLEND_SRC_ALPHA, var::BLEND_DST_ALPHA];
    for (var, factor) in vars.into_iter().zip(factors) {
        match index {
            Some(index) => step.context.vars.set_value(var, index, &[f64::from(factor)]),
            None => step.context.vars.set_all(var, &[f64::from(factor)]),
        }
    }
    Ok(())
}

fn is_equation(facts: &Facts, equation: u32, advanced: bool) -> bool {
    match equation {
        c::GL_FUNC_ADD | c::GL_FUNC_SUBTRACT | c::GL_FUNC_REVERSE_SUBTRACT => true,
        c::GL_MIN | c::GL_MAX => facts.desktop(1, 4) || facts.es(3, 0) || facts.has("GL_EXT_blend_minmax"),
        _ => {
            let exists = facts.es(3, 2) || facts.has("GL_KHR_blend_equation_advanced");
            advanced && exists && ADVANCED.contains(&equation)
        }
    }
}

/// Sets the equations of one draw buffer or of all: `args` are the indices of those for colour and for alpha.
fn equations(step: &mut Step<'_>, index: Option<u32>, args: [usize; 2], advanced: bool) -> Done {
    let index = index.map(|index| buffer(step, index)).transpose()?;
    let equations = args.map(|arg| step.name(arg));
    if equations.iter().any(|equation| !is_equation(step.facts(), *equation, advanced)) {
        return Err(NO_EQUATION);
    }
    for (var, equation) in [var::BLEND_EQUATION_RGB, var::BLEND_EQUATION_ALPHA].into_iter().zip(equations) {
        match index {
            Some(index) => step.context.vars.set_value(var, index, &[f64::from(equation)]),
            None => step.context.vars.set_all(var, &[f64::from(equation)]),
        }
    }
    Ok(())
}
