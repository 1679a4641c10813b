//! The contents of the registry, uninterpreted: commands, parameters and enums.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, bail};
use roxmltree::{Document, Node};

use super::sources::Source;

/// The library that a file of the registry describes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Library {
    Gl,
    Egl,
    Glx,
}

/// The contents of all files.
pub struct Registry {
    pub commands: Vec<Command>,
    pub enums: Vec<Enum>,
}

pub struct Command {
    pub name: String,
    pub library: Library,
    /// Whether a version of GL, GLES, EGL or GLX has it, and not only an extension.
    pub core: bool,
    /// The result, as a parameter without a name.
    pub result: Param,
    pub params: Vec<Param>,
}

#[derive(Clone, Default)]
pub struct Param {
    pub name: String,
    /// The C type with single spaces and without the name: `const GLchar * const *`.
    pub ctype: String,
    pub group: Option<String>,
    pub class: Option<String>,
    pub len: Option<String>,
}

pub struct Enum {
    pub name: String,
    pub library: Library,
    pub value: i64,
    pub groups: Vec<String>,
    /// Whether it is a bit of a set.
    pub bits: bool,
    /// The preference among names of the same value; lower is better.
    pub rank: u8,
}

/// Reads all files. Of several descriptions of a command or enum the first counts.
///
/// # Errors
/// When a file is not XML, or a command or enum is malformed.
pub fn registry(sources: &[Source]) -> anyhow::Result<Registry> {
    let mut commands = BTreeMap::new();
    let mut enums = Vec::new();
    let mut known = BTreeSet::new();
    for source in sources {
        let document = Document::parse(&source.text).with_context(|| format!("{} is not XML", source.name))?;
        let ranks = ranks(&document);
        for node in document
            .descendants()
            .filter(|n| n.has_tag_name("command") && n.children().any(|c| c.has_tag_name("proto")))
        {
            let mut command = command(source.library, node).with_context(|| source.name.to_owned())?;
            command.core = ranks.get(command.name.as_str()) == Some(&0);
            commands.entry(command.name.clone()).or_insert(command);
        }
        let blocks = document.root_element().children().filter(|n| n.has_tag_name("enums"));
        for block in blocks {
            for node in block.children().filter(|n| n.has_tag_name("enum")) {
                // A name may have another value in an old version of GLES.
                if node.attribute("api").is_some_and(|api| api != "gl")
                    && known.contains(node.attribute("name").unwrap_or_default())
                {
                    continue;
                }
                if let Some(found) = enumerant(source.library, block, node, &ranks)?
                    && known.insert(found.name.clone())
                {
                    enums.push(found);
                }
            }
        }
    }
    Ok(Registry { commands: commands.into_values().collect(), enums })
}

/// Returns the rank of each name: 0 in a version, 1 in an extension of ARB or KHR, 2 in one of several vendors, 3 in
/// one of a single vendor.
fn ranks<'a>(document: &'a Document) -> BTreeMap<&'a str, u8> {
    let mut ranks = BTreeMap::new();
    for node in document.root_element().descendants().filter(|n| n.has_tag_name("require")) {
        let Some(parent) = node.parent() else { continue };
        let rank = if parent.has_tag_name("feature") {
            0
        } else {
            match parent.attribute("name").unwrap_or_default().split('_').nth(1).unwrap_or_default() {
                "ARB" | "KHR" => 1,
                "EXT" | "OES" => 2,
                _ => 3,
            }
        };
        for name in node.children().filter_map(|n| n.attribute("name")) {
            let entry = ranks.entry(name).or_insert(rank);
            *entry = rank.min(*entry);
        }
    }
    ranks
}

fn command(library: Library, node: Node) -> anyhow::Result<Command> {
    let proto = node.children().find(|n| n.has_tag_name("proto")).context("a command without prototype")?;
    let mut result = param(proto)?;
    let name = std::mem::take(&mut result.name);
    let params = node.children().filter(|n| n.has_tag_name("param")).map(param).collect::<anyhow::Result<_>>()?;
    Ok(Command { name, library, core: false, result, params })
}

fn param(node: Node) -> anyhow::Result<Param> {
    let mut ctype = String::new();
    let mut name = String::new();
    for child in node.descendants().filter(Node::is_text) {
        let text = child.text().unwrap_or_default();
        if child.parent().is_some_and(|p| p.has_tag_name("name")) {
            name = text.trim().to_owned();
        } else {
            ctype.push_str(text);
            ctype.push(' ');
        }
    }
    if name.is_empty() {
        bail!("a parameter without a name: {ctype}");
    }
    // The registry writes stars with and without spaces around them.
    let spaced = ctype.replace('*', " * ");
    let ctype = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    let attribute = |name| node.attribute(name).map(str::to_owned);
    Ok(Param { name, ctype, group: attribute("group"), class: attribute("class"), len: attribute("len") })
}

fn enumerant(library: Library, block: Node, node: Node, ranks: &BTreeMap<&str, u8>) -> anyhow::Result<Option<Enum>> {
    let name = node.attribute("name").context("an enum without name")?;
    let text = node.attribute("value").with_context(|| format!("{name} has no value"))?;
    if text.starts_with('"') {
        return Ok(None);
    }
    let number =
        text.strip_prefix("EGL_CAST(").and_then(|rest| rest.trim_end_matches(')').split(',').nth(1)).unwrap_or(text);
    let value = number_of(number.trim()).with_context(|| format!("{name} has the odd value {text}"))?;
    let groups = node.attribute("group").or(block.attribute("group")).unwrap_or_default();
    Ok(Some(Enum {
        name: name.to_owned(),
        library,
        value,
        groups: groups.split(',').filter(|g| !g.is_empty()).map(str::to_owned).collect(),
        bits: block.attribute("type") == Some("bitmask"),
        rank: ranks.get(name).copied().unwrap_or(4),
    }))
}

/// Parses a C integer literal.
fn number_of(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok().map(u64::cast_signed),
        None => text.parse().ok(),
    }
}
