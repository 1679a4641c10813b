//! Named strings that shaders include (ARB_shading_language_include).

use std::sync::Arc;

use api::{constant as c, id};

use super::Table;
use super::program::text::{outputs, part, several, until_zero};
use super::shader::compile;
use crate::answer::{Answer, View};
use crate::call::Memory;
use crate::fault::Fault;
use crate::step::{Done, Step};
use crate::variable::NumberType;

const NO_NAME: Fault = Fault::invalid_value("the name of a named string must be an absolute path");
const NO_TEXT: Fault = Fault::invalid_operation("no named string has this name");

pub fn register(table: &mut Table) {
    table.on(&[id::glNamedStringARB], |step| {
        if step.name(0) != c::GL_SHADER_INCLUDE_ARB || step.word(4) == 0 {
            return Err(Fault::invalid_value("the named string has no text"));
        }
        let path = given_path(step, 1)?;
        let text = given(step.call.memory, step.int(3), 4);
        step.group.includes.insert(path, Arc::from(text));
        Ok(())
    });
    table.on(&[id::glDeleteNamedStringARB], |step| {
        let path = given_path(step, 0)?;
        step.group.includes.remove(&path).map(|_| ()).ok_or(NO_TEXT)
    });
    table.on(&[id::glCompileShaderIncludeARB], |step| {
        if step.int(1) > 0 {
            check_paths(step)?;
        }
        // For a name that is not a shader, this command reports a different error.
        compile(step).map_err(|fault| Fault::invalid_operation(fault.why))
    });
    table.ask_with(&[id::glIsNamedStringARB], |view, args, memory| {
        let is = find(view, args, memory).is_ok();
        Ok(Answer::truth(is))
    });
    table.ask_with(&[id::glGetNamedStringARB], |view, args, memory| {
        let text = find(view, args, memory)?;
        let room = args.get(2).copied().unwrap_or(0) as u32 as i32;
        let fits = part(text, room);
        let mut parts = Vec::new();
        for (param, answer) in [(3u8, fits.length), (4, fits.text)] {
            if args.get(usize::from(param)).is_some_and(|pointer| *pointer != 0) {
                parts.push((param, answer));
            }
        }
        Ok(outputs(parts))
    });
    table.ask_with(&[id::glGetNamedStringivARB], |view, args, memory| {
        let text = find(view, args, memory)?;
        match args.get(2).copied().unwrap_or(0) as u32 {
            // The terminating NUL counts.
            c::GL_NAMED_STRING_LENGTH_ARB => Ok(Answer::one(NumberType::Integer, text.len() as f64 + 1.0)),
            c::GL_NAMED_STRING_TYPE_ARB => Ok(Answer::one(NumberType::Enum, f64::from(c::GL_SHADER_INCLUDE_ARB))),
            _ => Err(Fault::invalid_enum("invalid named string query")),
        }
    });
}

/// Returns a string in memory: of the given length, or up to its NUL when that is negative.
fn given(memory: &dyn Memory, length: i32, param: u8) -> Vec<u8> {
    let bytes = memory.input_bytes(param).unwrap_or_default();
    let bytes = until_zero(&bytes);
    let limit = usize::try_from(length).unwrap_or(usize::MAX);
    bytes[..bytes.len().min(limit)].to_vec()
}

/// Returns the path that an argument names; the previous argument is its length.
fn given_path(step: &Step<'_>, length: u8) -> Result<Vec<u8>, Fault> {
    path(&given(step.call.memory, step.int(usize::from(length)), length + 1)).ok_or(NO_NAME)
}

fn find<'v>(view: &View<'v>, args: &[u64], memory: &dyn Memory) -> Result<&'v [u8], Fault> {
    let length = args.first().copied().unwrap_or(0) as u32 as i32;
    let path = path(&given(memory, length, 1)).ok_or(NO_NAME)?;
    view.group.includes.get(&path).map(AsRef::as_ref).ok_or(NO_TEXT)
}

/// Checks that search paths are valid paths.
fn check_paths(step: &Step<'_>) -> Done {
    if step.word(2) == 0 {
        return Err(NO_NAME);
    }
    // Paths that were not recorded cannot be checked.
    let Some(bytes) = step.input(2) else { return Ok(()) };
    let all = several(&bytes).into_iter().all(|text| path(until_zero(text)).is_some());
    if all { Ok(()) } else { Err(NO_NAME) }
}

/// Normalizes a path; `None` when it is invalid. Allowed are the characters of GLSL except `<`, `>`, `"` and `#`,
/// without two adjacent slashes or one at the end.
fn path(name: &[u8]) -> Option<Vec<u8>> {
    let body = name.strip_prefix(b"/")?;
    let known = |byte: &u8| byte.is_ascii_alphanumeric() || b"/^. _+*%[](){}|&~=!:;,?-".contains(byte);
    if !body.iter().all(known) {
        return None;
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in body.split(|byte| *byte == b'/') {
        match part {
            b"" => return None,
            b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(parts.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_absolute_and_normalized() {
        assert_eq!(path(b"/a/./b/../c d").as_deref(), Some(&b"a/c d"[..]));
        for wrong in [&b""[..], b"a", b"/", b"/a/", b"/a//b", b"/a$", b"/\"a\"", b"/a\tb"] {
            assert_eq!(path(wrong), None);
        }
    }
}
