//! `glGet…` and `glIsEnabled` for plain state and limits.

use api::{constant as c, id};

use super::{Table, plain};
use crate::answer::{Answer, Values, View, word};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::stencil;
use crate::variable::{self as var, NumberType, Var};

const NO_VALUE: Fault = Fault::invalid_enum("invalid parameter name");
const NO_INDEX: Fault = Fault::invalid_value("the index is too large");
const NO_CAPABILITY: Fault = Fault::invalid_enum("invalid capability");

pub fn register(table: &mut Table) {
    let plain = [id::glGetBooleanv, id::glGetIntegerv, id::glGetInteger64v, id::glGetFloatv, id::glGetDoublev];
    table.ask(&plain, |view, args| value(view, word(args, 0)));
    table.ask(&[id::glGetInteger64vAPPLE, id::glGetInteger64vEXT], |view, args| value(view, word(args, 0)));
    table.ask(&[id::glGetFixedv, id::glGetFixedvOES], |view, args| Ok(in_fixed_point(value(view, word(args, 0))?)));
    let indexed = [
        id::glGetBooleani_v,
        id::glGetBooleanIndexedvEXT,
        id::glGetIntegeri_v,
        id::glGetIntegerIndexedvEXT,
        id::glGetInteger64i_v,
        id::glGetFloati_v,
        id::glGetFloati_vEXT,
        id::glGetFloatIndexedvEXT,
        id::glGetFloati_vNV,
        id::glGetFloati_vOES,
        id::glGetDoublei_v,
        id::glGetDoublei_vEXT,
        id::glGetDoubleIndexedvEXT,
    ];
    table.ask(&indexed, |view, args| indexed_value(view, word(args, 0), word(args, 1)));
    table.ask(&[id::glIsEnabled], |view, args| enabled(view, word(args, 0)));
    let indexed =
        [id::glIsEnabledi, id::glIsEnabledIndexedEXT, id::glIsEnablediEXT, id::glIsEnablediNV, id::glIsEnablediOES];
    table.ask(&indexed, |view, args| indexed_enabled(view, word(args, 0), word(args, 1)));
    table.ask(&[id::glGetPointerv, id::glGetPointervEXT, id::glGetPointervKHR], pointer);
    table.ask(&[id::glGetString], text);
    table.ask(&[id::glGetStringi], indexed_text);
    table.ask(&[id::glGetShaderPrecisionFormat], precision);
    let statuses = [id::glGetGraphicsResetStatus, id::glGetGraphicsResetStatusARB];
    table.ask(&statuses, |_, _| Ok(Answer::one(NumberType::Enum, 0.0)));
    let statuses = [id::glGetGraphicsResetStatusEXT, id::glGetGraphicsResetStatusKHR];
    table.ask(&statuses, |_, _| Ok(Answer::one(NumberType::Enum, 0.0)));
}

/// Returns the name that the table uses for a parameter with several names.
fn usual_name(facts: &Facts, name: u32) -> u32 {
    match name {
        c::GL_BLEND_SRC => c::GL_BLEND_SRC_RGB,
        c::GL_BLEND_DST => c::GL_BLEND_DST_RGB,
        c::GL_PRIMITIVE_RESTART_NV if facts.desktop(1, 0) => c::GL_PRIMITIVE_RESTART,
        c::GL_PRIMITIVE_RESTART_INDEX_NV if facts.desktop(1, 0) => c::GL_PRIMITIVE_RESTART_INDEX,
        c::GL_PACK_REVERSE_ROW_ORDER_ANGLE if facts.client == Client::Es2 => c::GL_PACK_INVERT_MESA,
        _ => name,
    }
}

/// Returns the plain variable of a name, if this context has it.
fn variable(facts: &Facts, name: u32) -> Option<Var> {
    let usual = usual_name(facts, name);
    let var = Var::named(usual)?;
    // By an alias, ES has parameters that its own table lacks.
    (facts.meets(&var.about().when) || usual != name).then_some(var)
}

fn plain_value(view: &View<'_>, var: Var, index: usize) -> Answer {
    let kind = var.about().kind;
    let numbers = view.context.vars.value(var, index);
    let active = || view.context.vars.name(var::ACTIVE_STENCIL_FACE_EXT) == c::GL_BACK;
    let unit = |numbers: &[f64]| numbers.iter().map(|number| number.clamp(0.0, 1.0)).collect::<Vec<_>>();
    match var {
        var::BLEND_COLOR | var::COLOR_CLEAR_VALUE | var::FOG_COLOR | var::ALPHA_TEST_REF
            if plain::clamps_colours(view) =>
        {
            Answer::numbers(kind, &unit(numbers))
        }
        var::STENCIL_REF | var::STENCIL_BACK_REF => {
            let number =
                if var == var::STENCIL_REF && active() { view.context.fixed.two_side_stencil[1] } else { numbers[0] };
            Answer::one(kind, number.clamp(0.0, f64::from(most_stencil(view))))
        }
        var::DEBUG_LOGGED_MESSAGES | var::DEBUG_NEXT_LOGGED_MESSAGE_LENGTH if view.context.fixed.messages => {
            Answer { kind, values: Values::Unknown("the driver's debug messages are not recorded") }
        }
        _ => {
            if let Some(at) = stencil::FRONT.iter().position(|front| *front == var).filter(|_| active()) {
                return Answer::one(kind, view.context.fixed.two_side_stencil[at]);
            }
            Answer::numbers(kind, numbers)
        }
    }
}

/// Returns the largest stencil value of the draw framebuffer.
fn most_stencil(view: &View<'_>) -> u32 {
    let (bits, _) = super::framebuffer::stencil_and_floats(view);
    (1 << bits.clamp(0, 31)) - 1
}

/// Answers `glGet…`.
pub fn value(view: &View<'_>, name: u32) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    // The sample mask has words, and can only be queried by index.
    let by_index = |var: Var| var == var::SAMPLE_MASK_VALUE || name == c::GL_BLEND_DST && facts.client == Client::Es2;
    if let Some(var) = variable(facts, name).filter(|var| !by_index(*var)) {
        return Ok(plain_value(view, var, 0));
    }
    match super::table().get_plain(view, name).or_else(|| super::table().get(view, name, 0)) {
        Some(Ok(Answer { values: Values::Pointer(_), .. })) => return Err(NO_VALUE),
        Some(answer) => return answer,
        None => {}
    }
    if name == c::GL_GPU_DISJOINT_EXT && facts.has("GL_EXT_disjoint_timer_query") {
        return Ok(Answer::one(NumberType::Boolean, 0.0));
    }
    if name == c::GL_TIMESTAMP && super::query::has_timestamps(facts) {
        return Ok(Answer { kind: NumberType::Integer, values: Values::Unknown("the GPU's time was not recorded") });
    }
    match facts.limits.get(name, 0) {
        Some(Values::Text(_)) | None => Err(NO_VALUE),
        // A parameter with a second value can only be queried by index.
        Some(_) if facts.limits.get(name, 1).is_some() => Err(NO_VALUE),
        Some(values) => Ok(limit(values)),
    }
}

fn limit(values: &Values) -> Answer {
    let kind = if matches!(values, Values::Numbers(_)) { NumberType::Float } else { NumberType::Integer };
    Answer { kind, values: values.clone() }
}

/// Answers `glGet…i_v`.
fn indexed_value(view: &View<'_>, name: u32, index: u32) -> Result<Answer, Fault> {
    if let Some(answer) = super::table().get_indexed(view, name, index) {
        return answer;
    }
    let facts = &view.context.facts;
    if let Some(var) = variable(facts, name) {
        let count = match var {
            var::VIEWPORT | var::SCISSOR_BOX | var::DEPTH_RANGE => plain::most(facts, c::GL_MAX_VIEWPORTS, 1),
            var::SAMPLE_MASK_VALUE => plain::most(facts, c::GL_MAX_SAMPLE_MASK_WORDS, 1),
            var::SCISSOR_TEST => return Err(NO_VALUE),
            _ if var.about().count > 1 => plain::most(facts, c::GL_MAX_DRAW_BUFFERS, 1),
            _ => return Err(NO_VALUE),
        };
        if index >= count {
            return Err(NO_INDEX);
        }
        let answer = plain_value(view, var, index as usize);
        // Depth ranges queried by index are not normalized.
        let kind = if var == var::DEPTH_RANGE { NumberType::Float } else { answer.kind };
        return Ok(Answer { kind, ..answer });
    }
    if let Some(answer) = super::table().get(view, name, index) {
        return answer;
    }
    // It has no index, but Mesa accepts any.
    if let Some(values) = facts.limits.get(name, 0).filter(|_| name == c::GL_NUM_DEVICE_UUIDS_EXT) {
        return Ok(limit(values));
    }
    match (facts.limits.get(name, index), facts.limits.get(name, 1)) {
        // A parameter without a second value is not indexed.
        (Some(values), Some(_)) if !matches!(values, Values::Text(_)) => Ok(limit(values)),
        (None, Some(Values::Long(_))) => Err(NO_INDEX),
        _ => Err(NO_VALUE),
    }
}

fn enabled(view: &View<'_>, name: u32) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    if let Some(var) = plain::capability(facts, name) {
        return Ok(Answer::one(NumberType::Boolean, view.context.vars.get(var)));
    }
    if let Some(answer) = super::fixed::unit_enabled(view, name) {
        return answer;
    }
    match super::table().get_plain(view, name).or_else(|| super::table().get(view, name, 0)) {
        Some(Ok(answer)) if answer.kind == NumberType::Boolean && plain::is_capability(facts, name) => Ok(answer),
        _ => Err(NO_CAPABILITY),
    }
}

fn indexed_enabled(view: &View<'_>, name: u32, index: u32) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    if let Some(count) = plain::capability_indices(facts, name) {
        if index >= count {
            return Err(NO_INDEX);
        }
        let var = plain::capability(facts, name).ok_or(NO_CAPABILITY)?;
        return Ok(Answer::numbers(NumberType::Boolean, view.context.vars.value(var, index as usize)));
    }
    match super::table().get_indexed(view, name, index) {
        Some(Ok(answer)) if answer.kind == NumberType::Boolean => Ok(answer),
        Some(Err(fault)) => Err(fault),
        _ => Err(NO_CAPABILITY),
    }
}

/// Converts numbers to 16.16 fixed point, for ES 1 (ES 1.1, 6.1.2).
pub fn in_fixed_point(answer: Answer) -> Answer {
    let whole = |number: f64| match number as i64 as i32 {
        32768.. => f64::from(i32::MAX),
        ..-32768 => f64::from(i32::MIN),
        fits => f64::from(fits) * 65536.0,
    };
    let part = |number: f64| {
        if number > 32768.0 { f64::from(i32::MAX) } else { crate::answer::cut((number * 65536.0).trunc()) }
    };
    let numbers: Vec<f64> = match (&answer.values, answer.kind) {
        (Values::Numbers(numbers), NumberType::Float | NumberType::Normalized | NumberType::Matrix) => {
            numbers.iter().map(|number| part(*number)).collect()
        }
        (Values::Numbers(numbers), _) => numbers.iter().map(|number| whole(*number)).collect(),
        (Values::Long(numbers), _) => numbers.iter().map(|number| whole(*number as f64)).collect(),
        _ => return answer,
    };
    Answer::numbers(NumberType::Integer, &numbers)
}

fn pointer(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    let fixed = &view.context.fixed;
    let known = |address| Ok(Answer { kind: NumberType::Integer, values: Values::Pointer(address) });
    match word(args, 0) {
        c::GL_DEBUG_CALLBACK_FUNCTION => known(fixed.debug_callback[0]),
        c::GL_DEBUG_CALLBACK_USER_PARAM => known(fixed.debug_callback[1]),
        c::GL_FEEDBACK_BUFFER_POINTER if facts.client == Client::Compatibility => known(fixed.feedback_buffer),
        c::GL_SELECTION_BUFFER_POINTER if facts.client == Client::Compatibility => known(fixed.selection_buffer),
        name => match super::table().get(view, name, 0) {
            Some(Ok(answer @ Answer { values: Values::Pointer(_), .. })) => Ok(answer),
            _ => Err(Fault::invalid_enum("invalid pointer query")),
        },
    }
}

fn text(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    const NO_TEXT: Fault = Fault::invalid_enum("invalid string query");
    let facts = &view.context.facts;
    let say = |text: String| Ok(Answer { kind: NumberType::Integer, values: Values::Text(text) });
    match word(args, 0) {
        c::GL_VENDOR => say(facts.strings[0].clone()),
        c::GL_RENDERER => say(facts.strings[1].clone()),
        c::GL_VERSION => say(facts.strings[2].clone()),
        c::GL_EXTENSIONS if facts.client == Client::Core => Err(NO_TEXT),
        // From GL 3.0 on the list is that of `glGetStringi`, and Mesa returns the names in a different order here.
        c::GL_EXTENSIONS if facts.version >= (3, 0) => Ok(Answer {
            kind: NumberType::Integer,
            values: Values::Unknown("the order of extensions in glGetString is not recorded"),
        }),
        // Mesa appends a space to the last one.
        c::GL_EXTENSIONS => say(facts.extension_list.join(" ") + if facts.is_mesa() { " " } else { "" }),
        c::GL_PROGRAM_ERROR_STRING_ARB if super::assembly::exists(facts) => {
            say(view.context.assembly.error_text.as_ref().to_owned())
        }
        name => match facts.limits.get(name, 0) {
            Some(Values::Text(text)) if name == c::GL_SHADING_LANGUAGE_VERSION => say(text.clone()),
            _ => Err(NO_TEXT),
        },
    }
}

fn indexed_text(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    let (name, index) = (word(args, 0), word(args, 1));
    let say = |text: String| Ok(Answer { kind: NumberType::Integer, values: Values::Text(text) });
    match name {
        c::GL_EXTENSIONS => facts.extension_list.get(index as usize).cloned().map_or(Err(NO_INDEX), say),
        c::GL_SHADING_LANGUAGE_VERSION | c::GL_SPIR_V_EXTENSIONS => {
            match index.checked_add(1).and_then(|place| facts.limits.get(name, place)) {
                Some(Values::Text(text)) => say(text.clone()),
                _ if facts.limits.get(name, 1).is_some() => Err(NO_INDEX),
                _ => Err(NO_VALUE),
            }
        }
        _ => Err(NO_VALUE),
    }
}

fn precision(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let (shader, kind) = (word(args, 0), word(args, 1));
    match view.context.facts.limits.get(kind, shader) {
        Some(Values::Long(numbers)) if numbers.len() == 3 => {
            let number = |at: usize| numbers[at] as f64;
            let range = Answer::numbers(NumberType::Integer, &[number(0), number(1)]);
            let precision = Answer::one(NumberType::Integer, number(2));
            Ok(Answer { kind: NumberType::Integer, values: Values::Outputs(vec![(2, range), (3, precision)]) })
        }
        _ => Err(Fault::invalid_enum("invalid precision type")),
    }
}
