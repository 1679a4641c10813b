//! `glGet…` and `glIsEnabled`: what they say of plain state and of limits.

use api::id;

use super::Table;
use crate::answer::{Answer, Values, View};
use crate::fault::Fault;
use crate::variable::{Kind, Var};

pub fn register(table: &mut Table) {
    let plain =
        [id::glGetBooleanv, id::glGetIntegerv, id::glGetInteger64v, id::glGetFloatv, id::glGetDoublev, id::glGetFixedv];
    table.ask(&plain, |view, args| value(view, name(args, 0), 0));
    let indexed =
        [id::glGetBooleani_v, id::glGetIntegeri_v, id::glGetInteger64i_v, id::glGetFloati_v, id::glGetDoublei_v];
    table.ask(&indexed, |view, args| {
        let (name, index) = (name(args, 0), name(args, 1));
        super::table().get_indexed(view, name, index).unwrap_or_else(|| value(view, name, index))
    });
    table.ask(&[id::glIsEnabled], |view, args| enabled(view, name(args, 0), 0));
    table.ask(&[id::glIsEnabledi], |view, args| enabled(view, name(args, 0), name(args, 1)));
}

fn name(args: &[u64], index: usize) -> u32 {
    args.get(index).copied().unwrap_or(0) as u32
}

fn value(view: &View<'_>, name: u32, index: u32) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    if let Some(var) = Var::named(name).filter(|var| var.about().when.holds(facts)) {
        let about = var.about();
        if index >= u32::from(about.count) {
            return Err(Fault::invalid_value("there is none of that index"));
        }
        return Ok(Answer::numbers(about.kind, view.context.vars.value(var, index as usize)));
    }
    if let Some(answer) = super::table().get(view, name, index) {
        return answer;
    }
    match facts.limits.get(name, index) {
        Some(values) => Ok(Answer { kind: Kind::Integer, values: values.clone() }),
        None => Err(Fault::invalid_enum("there is no such value")),
    }
}

fn enabled(view: &View<'_>, name: u32, index: u32) -> Result<Answer, Fault> {
    let answer = value(view, name, index)?;
    match (&answer.values, answer.kind) {
        (Values::Numbers(_), Kind::Boolean) => Ok(answer),
        _ => Err(Fault::invalid_enum("there is nothing of that name to enable")),
    }
}
