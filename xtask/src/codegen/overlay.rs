//! `crates/api/overlay.toml`: what the registry does not say.

use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    /// Commands whose hooks are written by hand.
    pub by_hand: Vec<String>,
    /// C types that are pointers nobody follows.
    pub opaque: Vec<String>,
    /// C types whose values are names of objects.
    pub types: std::collections::BTreeMap<String, String>,
    /// Commands that only capture writes.
    #[serde(default)]
    pub capture: Vec<Capture>,
    /// Extents of memory.
    #[serde(default)]
    pub extent: Vec<Extent>,
    /// Parameters that are names of objects.
    #[serde(default)]
    pub name: Vec<Name>,
    /// Parameters that are enums or sets of bits.
    #[serde(default)]
    pub group: Vec<Grouped>,
    /// What commands are for.
    #[serde(default)]
    pub role: Vec<Role>,
    /// What commands do.
    #[serde(default)]
    pub operation: Vec<Operation>,
    /// Groups of `glPushAttrib` that save what commands set.
    #[serde(default)]
    pub saved: Vec<Saved>,
    /// Properties of commands.
    #[serde(default, rename = "trait")]
    pub traits: Vec<Trait>,
    /// Commands that look as if they drew.
    pub not_drawing: NotDrawing,
}

/// A command that only capture writes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    pub name: String,
    pub doc: String,
    /// C declarations.
    pub params: Vec<String>,
    /// Extents by parameter.
    #[serde(default)]
    pub counts: std::collections::BTreeMap<String, String>,
}

/// How much memory is behind some parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extent {
    /// Patterns `command.parameter`.
    #[serde(default)]
    pub of: Vec<String>,
    /// Or: all parameters for which the registry says this and no other entry says more.
    pub len: Option<String>,
    /// How many elements; see `resolve::count`.
    pub count: String,
    /// The C type of an element, where the registry says `void` or something that is not so.
    pub element: Option<String>,
    /// `read`, `write` or `both`, where `const` does not say it.
    pub access: Option<String>,
}

/// Parameters that are names of objects.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Name {
    pub namespace: String,
    /// Patterns `command.parameter`; `command.` is what a command returns.
    pub of: Vec<String>,
}

/// Parameters that are of a group of enums.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grouped {
    pub group: String,
    /// Patterns `command.parameter`; `command.` is what a command returns.
    pub of: Vec<String>,
}

/// What some commands are for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Role {
    /// A variant of `api::Role`.
    pub role: String,
    /// Patterns of commands.
    pub of: Vec<String>,
    /// Patterns of commands that are not meant.
    #[serde(default)]
    pub but: Vec<String>,
}

/// What some commands do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// A variant of `api::Operation`.
    pub operation: String,
    /// How many leading arguments say what is set.
    pub selectors: Option<u8>,
    /// Whether the first argument names the object.
    pub named: Option<bool>,
    /// Whether client state is meant.
    pub client: Option<bool>,
    /// Whether buffers to read from are meant.
    pub read: Option<bool>,
    /// Whether window coordinates are meant.
    pub window: Option<bool>,
    /// A variant of `api::Attribute`.
    pub attribute: Option<String>,
    /// A variant of `api::NumberForm`, where the types of the parameters do not say it.
    pub form: Option<String>,
    /// Whether integers are normalised.
    #[serde(default)]
    pub normalized: bool,
    /// Patterns of commands.
    pub of: Vec<String>,
    /// Patterns of commands that are not meant.
    #[serde(default)]
    pub but: Vec<String>,
}

/// The group of `glPushAttrib` that saves what some commands set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// The name of its bit.
    pub group: String,
    /// Patterns of commands.
    pub of: Vec<String>,
    /// Patterns of commands that are not meant.
    #[serde(default)]
    pub but: Vec<String>,
}

/// A property of some commands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trait {
    /// A variant of `api::Trait`.
    #[serde(rename = "trait")]
    pub name: String,
    /// Patterns of commands.
    pub of: Vec<String>,
    /// Patterns of commands that are not meant.
    #[serde(default)]
    pub but: Vec<String>,
}

/// Commands that have a parameter like those of draws, and do not draw.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotDrawing {
    /// Patterns of commands.
    pub of: Vec<String>,
}

/// Reads the file.
pub fn read(path: &Path) -> anyhow::Result<Overlay> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let overlay: Overlay = toml::from_str(&text).with_context(|| format!("{} is not understood", path.display()))?;
    for extent in &overlay.extent {
        if extent.of.is_empty() == extent.len.is_none() {
            bail!("an extent needs either `of` or `len`: count = {:?}", extent.count);
        }
    }
    Ok(overlay)
}

/// Vendors whose names end commands.
const VENDORS: &[&str] = &[
    "3DFX", "AMD", "ANDROID", "ANGLE", "APPLE", "ARB", "ARM", "ATI", "EXT", "HI", "HP", "IBM", "IMG", "INGR", "INTEL",
    "KHR", "MESA", "NOK", "NV", "NVX", "OES", "OML", "OVR", "PGI", "QCOM", "SGI", "SGIS", "SGIX", "SUN", "TIZEN",
    "VIV", "WIN", "WL",
];

/// The vendor whose name ends a command; empty when none does.
pub fn vendor(name: &str) -> &'static str {
    VENDORS.iter().find(|vendor| name.ends_with(**vendor)).copied().unwrap_or_default()
}

/// Whether a name matches a pattern: `*` stands for any characters, `+` at the end for any vendor's suffix or none.
pub fn matches(pattern: &str, name: &str) -> bool {
    if let Some(stem) = pattern.strip_suffix('+') {
        return matches(stem, name)
            || VENDORS.iter().any(|vendor| name.strip_suffix(vendor).is_some_and(|bare| matches(stem, bare)));
    }
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| matches(after, &rest[at..]))
        }),
    }
}

/// Whether a parameter of a command matches a pattern `command.parameter`.
pub fn matches_param(pattern: &str, command: &str, param: &str) -> bool {
    pattern.split_once('.').is_some_and(|(c, p)| matches(c, command) && matches(p, param))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        assert!(matches("glDraw*", "glDrawArrays"));
        assert!(matches("gl*Arrays*", "glMultiDrawArraysEXT"));
        assert!(!matches("glDraw", "glDrawArrays"));
        assert!(matches("glGenBuffers+", "glGenBuffers") && matches("glGenBuffers+", "glGenBuffersARB"));
        assert!(!matches("glGenBuffers+", "glGenBuffersfoo"));
        assert!(matches_param("glGen*.*", "glGenTextures", "textures"));
    }
}
