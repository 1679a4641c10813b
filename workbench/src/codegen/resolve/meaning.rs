//! The meanings of values.

use super::{Scalar, Scope, ctype};
use crate::codegen::{overlay, parse};

/// How a value is stored and what it means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value {
    pub scalar: Scalar,
    pub meaning: Meaning,
}

/// What a value means: the variants of `api::Meaning`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meaning {
    Number,
    Boolean,
    Enum(usize),
    Bits(usize),
    Name(String),
    Character,
}

/// Structures of other libraries, which are treated as bytes.
const STRUCTURES: &[&str] =
    &["Display", "DMparams", "GLXHyperpipeConfigSGIX", "GLXHyperpipeNetworkSGIX", "XVisualInfo"];

/// Returns the type and meaning of a parameter, a result or an element. For an element, the type of `param` is that of
/// the element.
pub fn value(command: &parse::Command, param: &parse::Param, scope: &mut Scope) -> anyhow::Result<Value> {
    let bare = param.ctype.strip_prefix("const ").unwrap_or(&param.ctype);
    let structure = (bare.starts_with("struct ") && !bare.contains('*')) || STRUCTURES.contains(&bare);
    let untyped = matches!(bare, "void" | "GLvoid") && !param.name.is_empty();
    let scalar = if structure || untyped { Scalar::U8 } else { ctype::scalar(bare)? };
    Ok(Value { scalar, meaning: meaning(command, param, bare, scope) })
}

fn meaning(command: &parse::Command, param: &parse::Param, bare: &str, scope: &mut Scope) -> Meaning {
    let overlay = scope.overlay;
    if !bare.contains('*') {
        let named = overlay.name.iter().find(|entry| marked("name", &entry.of, command, param, scope));
        if let Some(entry) = named {
            return Meaning::Name(entry.namespace.clone());
        }
        let grouped = overlay.group.iter().find(|entry| marked("group", &entry.of, command, param, scope));
        if let Some(meaning) = grouped.and_then(|entry| of_group(&entry.group, scope)) {
            return meaning;
        }
    }
    if let Some(namespace) = overlay.types.get(bare) {
        scope.used.mark("type", bare);
        return Meaning::Name(namespace.clone());
    }
    match bare {
        "GLboolean" | "EGLBoolean" | "Bool" => return Meaning::Boolean,
        "GLchar" | "GLcharARB" | "char" => return Meaning::Character,
        "GLuint" | "GLhandleARB" => {
            if let Some(namespace) = param.class.as_deref().and_then(class) {
                return Meaning::Name(namespace.to_owned());
            }
        }
        _ => {}
    }
    let grouped = param.group.as_deref().and_then(|group| of_group(group, scope));
    match bare {
        "GLenum" | "EGLenum" => grouped.unwrap_or(Meaning::Enum(0)),
        "GLbitfield" => match grouped {
            Some(Meaning::Enum(group) | Meaning::Bits(group)) => Meaning::Bits(group),
            _ => Meaning::Bits(0),
        },
        "GLint" | "GLuint" => grouped.unwrap_or(Meaning::Number),
        _ => Meaning::Number,
    }
}

/// Returns whether one of the patterns matches a parameter. Marks all that do as used.
fn marked(
    section: &str,
    patterns: &[String],
    command: &parse::Command,
    param: &parse::Param,
    scope: &mut Scope,
) -> bool {
    let mut found = false;
    for pattern in patterns.iter().filter(|p| overlay::matches_param(p, &command.name, &param.name)) {
        scope.used.mark(section, pattern);
        found = true;
    }
    found
}

fn of_group(group: &str, scope: &Scope) -> Option<Meaning> {
    let (index, bits) = *scope.groups.get(group)?;
    Some(if bits { Meaning::Bits(index) } else { Meaning::Enum(index) })
}

/// Returns the variant of `api::Namespace` for a class of the registry.
fn class(class: &str) -> Option<&'static str> {
    Some(match class {
        "buffer" => "Buffer",
        "display list" => "DisplayList",
        "framebuffer" => "Framebuffer",
        "program" | "shader" => "Program",
        "program pipeline" => "ProgramPipeline",
        "query" => "Query",
        "renderbuffer" => "Renderbuffer",
        "sampler" => "Sampler",
        "sync" => "Sync",
        "texture" => "Texture",
        "transform feedback" => "TransformFeedback",
        "vertex array" => "VertexArray",
        _ => return None,
    })
}
