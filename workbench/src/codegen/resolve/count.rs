//! The number of elements that a pointer points to, from the registry's `len` or from the overlay.
//!
//! `4`, `n`, `count*4`, `bytes(size)`, `text`, `text(length)`, `texts(count)`, `texts(count, lengths)`,
//! `until(0x3038)`, `kept`, `unknown`, or the name of a function of `api::extent::rule` with parameters, numbers and
//! constants of the registry as arguments: `pixels(format, type, width, height, 1)`.

use anyhow::{Context, bail};

use super::{Scope, ctype};
use crate::codegen::parse;

/// The variants of `api::Count`.
pub enum Count {
    Fixed(u32),
    Param { index: usize, times: u32 },
    Bytes(usize),
    Text,
    TextOf(usize),
    Texts { count: usize, lengths: Option<usize> },
    Until(i64),
    Rule(usize),
    Kept,
    Unknown,
}

/// A function and its arguments.
#[derive(PartialEq, Eq)]
pub struct Rule {
    pub function: String,
    pub args: Vec<Arg>,
}

/// An argument of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A parameter of the command.
    Param(usize),
    /// A constant.
    Value(i64),
}

/// The most arguments that a rule may have.
const MOST: usize = 8;

/// Parses an expression.
pub fn parse(text: &str, command: &parse::Command, param: &parse::Param, scope: &mut Scope) -> anyhow::Result<Count> {
    let text = text.trim();
    let index = |name: &str| command.params.iter().position(|p| p.name == name.trim());
    let is_text = |ctype: &str| matches!(ctype, "GLchar" | "GLcharARB" | "char");
    let pointee = ctype::pointee(&param.ctype).unwrap_or_default();
    let input_text = is_text(&pointee) && param.ctype.starts_with("const ");
    if text.starts_with("COMPSIZE") {
        return Ok(if input_text { compsize_text(text, command) } else { Count::Unknown });
    }
    if let Some((function, rest)) = text.split_once('(') {
        let args: Vec<&str> = rest.trim_end_matches(')').split(',').map(str::trim).filter(|a| !a.is_empty()).collect();
        return call(function.trim(), &args, command, scope);
    }
    match text {
        "text" => return Ok(Count::Text),
        "kept" => return Ok(Count::Kept),
        "unknown" => return Ok(Count::Unknown),
        _ => {}
    }
    if let Ok(fixed) = text.parse() {
        return Ok(Count::Fixed(fixed));
    }
    // The registry writes `bufSize / 4` for a size in bytes.
    if let Some((name, _)) = text.split_once(" / ") {
        return Ok(Count::Bytes(index(name).with_context(|| format!("`{text}` names no parameter"))?));
    }
    let factors: Vec<&str> = text.split('*').map(str::trim).collect();
    if factors.len() > 2 || factors.get(1).is_some_and(|factor| factor.parse::<u32>().is_err()) {
        return call("product", &factors, command, scope);
    }
    let times = factors.get(1).map_or(Ok(1), |factor| factor.parse())?;
    let index = index(factors[0]).with_context(|| format!("`{text}` names no parameter"))?;
    if command.params[index].ctype.contains('*') {
        bail!("`{text}` names a pointer");
    }
    if ctype::pointee(&pointee).is_some_and(|inner| is_text(&inner)) {
        let is_lengths = |p: &parse::Param| matches!(p.name.as_str(), "length" | "lengths") && p.ctype.contains('*');
        return Ok(Count::Texts { count: index, lengths: command.params.iter().position(is_lengths) });
    }
    if input_text && times == 1 {
        return Ok(Count::TextOf(index));
    }
    Ok(Count::Param { index, times })
}

/// The length of a string: zero-terminated for `COMPSIZE(name)`, a parameter for `COMPSIZE(label,length)`.
fn compsize_text(text: &str, command: &parse::Command) -> Count {
    let inside = text.trim_start_matches("COMPSIZE(").trim_end_matches(')');
    let length = inside.split(',').find_map(|name| {
        let at = command.params.iter().position(|p| p.name == name)?;
        matches!(command.params[at].ctype.as_str(), "GLsizei" | "GLint").then_some(at)
    });
    length.map_or(Count::Text, Count::TextOf)
}

/// The length where neither registry nor overlay gives one: a constant pointer to characters is a zero-terminated
/// string.
pub fn guess(param: &parse::Param) -> Count {
    match param.ctype.as_str() {
        "const GLchar *" | "const GLcharARB *" | "const char *" => Count::Text,
        _ => Count::Unknown,
    }
}

fn call(function: &str, args: &[&str], command: &parse::Command, scope: &mut Scope) -> anyhow::Result<Count> {
    let index = |name: &str| command.params.iter().position(|p| p.name == name);
    let param = |at: usize| {
        let name = args.get(at).with_context(|| format!("{function} lacks an argument"))?;
        index(name).with_context(|| format!("{function}: there is no parameter {name}"))
    };
    match function {
        "bytes" => return Ok(Count::Bytes(param(0)?)),
        "text" => return Ok(Count::TextOf(param(0)?)),
        "texts" => {
            let lengths = if args.len() > 1 { Some(param(1)?) } else { None };
            return Ok(Count::Texts { count: param(0)?, lengths });
        }
        "until" => return Ok(Count::Until(number(args.first().copied().unwrap_or_default(), scope)?)),
        _ => {}
    }
    if args.len() > MOST {
        bail!("{function} has more than {MOST} arguments");
    }
    let args = args
        .iter()
        .map(|arg| index(arg).map_or_else(|| number(arg, scope).map(Arg::Value), |at| Ok(Arg::Param(at))))
        .collect::<anyhow::Result<_>>()?;
    let rule = Rule { function: function.to_owned(), args };
    let at = scope.rules.iter().position(|r| *r == rule).unwrap_or_else(|| {
        scope.rules.push(rule);
        scope.rules.len() - 1
    });
    Ok(Count::Rule(at))
}

fn number(text: &str, scope: &Scope) -> anyhow::Result<i64> {
    if let Some(value) = scope.constants.get(text) {
        return Ok(*value);
    }
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.with_context(|| format!("`{text}` is neither a parameter nor a constant nor a number"))
}
