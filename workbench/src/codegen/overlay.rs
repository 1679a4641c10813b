//! Reads `crates/api/overlay.toml`, which adds to the registry.

use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    /// Commands with handwritten hooks.
    pub by_hand: Vec<String>,
    /// C pointer types that are never followed.
    pub opaque: Vec<String>,
    /// C types whose values are names of objects.
    pub types: std::collections::BTreeMap<String, String>,
    /// Commands that only capture records.
    #[serde(default)]
    pub capture: Vec<Capture>,
    /// Commands of programs that the registry lacks.
    #[serde(default)]
    pub command: Vec<Missing>,
    /// Variants of commands that are recorded as those commands.
    #[serde(default)]
    pub variant: Vec<Variant>,
    /// Lengths of memory.
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

/// A command that only capture records.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    pub name: String,
    pub doc: String,
    /// C declarations.
    pub params: Vec<String>,
    /// Lengths by parameter.
    #[serde(default)]
    pub counts: std::collections::BTreeMap<String, String>,
}

/// A command that programs call and the registry lacks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    pub name: String,
    /// C type of the result; nothing if absent.
    pub result: Option<String>,
    /// C declarations.
    pub params: Vec<String>,
    /// Lengths by parameter.
    #[serde(default)]
    pub counts: std::collections::BTreeMap<String, String>,
}

/// Commands that do what others do, with more parameters, and are recorded as those.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// What is added to the name.
    pub suffix: String,
    /// The parameters before the last, as C declarations.
    pub insert: Vec<String>,
    /// Commands, not patterns.
    pub of: Vec<String>,
}

/// The length of the memory that some parameters point to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extent {
    /// Patterns `command.parameter`.
    #[serde(default)]
    pub of: Vec<String>,
    /// Or: all parameters with this length in the registry that no pattern matches.
    pub len: Option<String>,
    /// The number of elements; see `resolve::count`.
    pub count: String,
    /// The C type of an element, where that of the registry is `void` or wrong.
    pub element: Option<String>,
    /// `read`, `write` or `both`, where that differs from what `const` implies.
    pub access: Option<String>,
}

/// Parameters that are names of objects.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Name {
    pub namespace: String,
    /// Patterns `command.parameter`; `command.` is the result of a command.
    pub of: Vec<String>,
}

/// Parameters whose values are of a group of enums.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grouped {
    pub group: String,
    /// Patterns `command.parameter`; `command.` is the result of a command.
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
///
/// # Errors
/// When the file cannot be read, is not valid TOML, or has unknown keys.
pub fn read(path: &Path) -> anyhow::Result<Overlay> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let overlay: Overlay = toml::from_str(&text).with_context(|| format!("{} is invalid", path.display()))?;
    for extent in &overlay.extent {
        if extent.of.is_empty() == extent.len.is_none() {
            bail!("an extent needs either `of` or `len`: count = {:?}", extent.count);
        }
    }
    Ok(overlay)
}

/// Suffixes of commands that name a vendor.
const VENDORS: &[&str] = &[
    "3DFX", "AMD", "ANDROID", "ANGLE", "APPLE", "ARB", "ARM", "ATI", "CHROMIUM", "EXT", "HI", "HP", "IBM", "IMG",
    "INGR", "INTEL", "KHR", "MESA", "NOK", "NV", "NVX", "OES", "OML", "OVR", "PGI", "QCOM", "SGI", "SGIS", "SGIX",
    "SUN", "TIZEN", "VIV", "WIN", "WL",
];

/// Returns the vendor suffix of a command; empty when it has none.
pub fn vendor(name: &str) -> &'static str {
    VENDORS.iter().find(|vendor| name.ends_with(**vendor)).copied().unwrap_or_default()
}

/// Returns whether a name matches a pattern: `*` matches any characters, `+` at the end any vendor suffix or none.
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

/// Returns whether a parameter of a command matches a pattern `command.parameter`.
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
