//! Combines registry and overlay into the commands of crate `api`.

mod count;
mod ctype;
mod enums;
mod meaning;
mod role;

use std::collections::BTreeMap;

use anyhow::{Context, bail};

pub use count::Count;
pub use ctype::Scalar;
pub use enums::{Enum, Group};
pub use meaning::{Meaning, Value};

use super::overlay::{self, Overlay};
use super::parse::{self, Library, Registry};

/// Everything that [`emit`](super::emit) writes.
pub struct Model {
    /// Sorted by name.
    pub commands: Vec<Command>,
    /// Sorted by value and preference.
    pub enums: Vec<Enum>,
    /// Group 0 is any value.
    pub groups: Vec<Group>,
    /// Distinct calling shapes.
    pub shapes: Vec<Shape>,
    /// Distinct rules, with their arguments.
    pub rules: Vec<count::Rule>,
}

pub struct Command {
    pub name: String,
    pub doc: Option<String>,
    /// `None` for commands that only capture records.
    pub library: Option<Library>,
    pub core: bool,
    pub by_hand: bool,
    /// The command that it is recorded as, if not as itself.
    pub recorded_as: Option<String>,
    pub params: Vec<Param>,
    pub result: Value,
    /// What it is for, as expressions of crate `api`.
    pub purpose: role::Purpose,
    /// Its place among the shapes; `None` for commands of capture.
    pub shape: Option<usize>,
}

pub struct Param {
    pub name: String,
    pub value: Value,
    pub memory: Option<Memory>,
}

pub struct Memory {
    pub access: Access,
    pub element: Value,
    pub count: Count,
}

#[derive(Clone, Copy, Debug)]
pub enum Access {
    Read,
    Write,
    Both,
}

/// The types that a call passes and returns, as far as the ABI distinguishes them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    pub params: Vec<Scalar>,
    pub result: Scalar,
}

impl Model {
    /// Returns the pointers of unknown length, as `command.parameter`, and whether the command is in a version.
    pub fn unknown(&self) -> Vec<(bool, String)> {
        let mut unknown = Vec::new();
        for command in &self.commands {
            for param in &command.params {
                if param.memory.as_ref().is_some_and(|m| matches!(m.count, Count::Unknown)) {
                    unknown.push((command.core, format!("{}.{}", command.name, param.name)));
                }
            }
        }
        unknown
    }
}

/// The state of resolving.
struct Scope<'a> {
    overlay: &'a Overlay,
    groups: BTreeMap<&'a str, (usize, bool)>,
    rules: Vec<count::Rule>,
    constants: BTreeMap<&'a str, i64>,
    used: Used,
}

/// The patterns of the overlay that matched something.
#[derive(Default)]
struct Used(std::collections::BTreeSet<String>);

impl Used {
    fn mark(&mut self, section: &str, pattern: &str) {
        self.0.insert(format!("{section} {pattern}"));
    }

    fn unused<'a>(&self, section: &str, patterns: impl Iterator<Item = &'a String>) -> Vec<String> {
        patterns.map(|p| format!("{section} {p}")).filter(|key| !self.0.contains(key)).collect()
    }
}

/// Combines registry and overlay.
///
/// # Errors
/// When an entry of the overlay is invalid or matches nothing, or does not fit the parameters of a command.
pub fn model(registry: &Registry, overlay: &Overlay) -> anyhow::Result<Model> {
    let groups = enums::groups(registry);
    let mut scope = Scope {
        overlay,
        groups: groups.iter().enumerate().map(|(index, g)| (g.name.as_str(), (index, g.bits))).collect(),
        rules: Vec::new(),
        constants: registry.enums.iter().map(|e| (e.name.as_str(), e.value)).collect(),
        used: Used::default(),
    };
    let mut commands = Vec::new();
    for raw in &registry.commands {
        commands.push(command(raw, &mut scope).with_context(|| raw.name.clone())?);
    }
    for raw in &overlay.command {
        commands.push(missing(raw, &mut scope).with_context(|| raw.name.clone())?);
    }
    for raw in &overlay.variant {
        variants(raw, registry, &mut commands, &mut scope)?;
    }
    for raw in &overlay.capture {
        commands.push(capture(raw, &mut scope).with_context(|| raw.name.clone())?);
    }
    let rules = std::mem::take(&mut scope.rules);
    check_used(&scope)?;
    role::check(&commands, registry, overlay)?;
    commands.sort_by(|a, b| a.name.cmp(&b.name));
    let shapes = shapes(&mut commands);
    drop(scope);
    Ok(Model { commands, enums: enums::sorted(registry), groups, shapes, rules })
}

fn command(raw: &parse::Command, scope: &mut Scope) -> anyhow::Result<Command> {
    let by_hand = scope.overlay.by_hand.contains(&raw.name);
    if by_hand {
        scope.used.mark("by_hand", &raw.name);
    }
    let mut params = Vec::new();
    for param in &raw.params {
        params.push(self::param(raw, param, scope).with_context(|| param.name.clone())?);
    }
    Ok(Command {
        name: raw.name.clone(),
        doc: None,
        library: Some(raw.library),
        core: raw.core,
        by_hand,
        recorded_as: None,
        params,
        result: meaning::value(raw, &raw.result, scope)?,
        purpose: role::purpose(raw, scope)?,
        shape: None,
    })
}

fn param(command: &parse::Command, raw: &parse::Param, scope: &mut Scope) -> anyhow::Result<Param> {
    let value = meaning::value(command, raw, scope)?;
    let Some(pointee) = ctype::pointee(&raw.ctype) else {
        return Ok(Param { name: raw.name.clone(), value, memory: None });
    };
    let constant = raw.ctype.starts_with("const ");
    if scope.overlay.opaque.contains(&raw.ctype) {
        scope.used.mark("opaque", &raw.ctype);
        return Ok(Param { name: raw.name.clone(), value, memory: None });
    }
    let entry = entry(command, raw, scope);
    let text = entry.map(|e| e.count.clone());
    if text.as_deref() == Some("opaque") {
        return Ok(Param { name: raw.name.clone(), value, memory: None });
    }
    let access = match entry.and_then(|e| e.access.as_deref()) {
        Some("read") => Access::Read,
        Some("write") => Access::Write,
        Some("both") => Access::Both,
        Some(other) => bail!("invalid access `{other}`; use read, write or both"),
        None if constant => Access::Read,
        None => Access::Write,
    };
    let element =
        parse::Param { ctype: entry.and_then(|e| e.element.clone()).unwrap_or_else(|| pointee.clone()), ..raw.clone() };
    let element = meaning::value(command, &element, scope)?;
    let count = match (&text, &raw.len) {
        (Some(text), _) => count::parse(text, command, raw, scope)?,
        // Not all lengths of the registry are expressions; the overlay has entries for the others.
        (None, Some(len)) => count::parse(len, command, raw, scope).unwrap_or(Count::Unknown),
        (None, None) => count::guess(raw),
    };
    // The group and class in the registry are those of the elements, not of the pointer.
    let value = Value { scalar: Scalar::Pointer, meaning: Meaning::Number };
    Ok(Param { name: raw.name.clone(), value, memory: Some(Memory { access, element, count }) })
}

/// Returns the entry of the overlay for a parameter: by its name, otherwise by its length in the registry.
fn entry<'a>(command: &parse::Command, raw: &parse::Param, scope: &mut Scope<'a>) -> Option<&'a overlay::Extent> {
    let overlay = scope.overlay;
    let mut named = None;
    for extent in &overlay.extent {
        for pattern in &extent.of {
            if overlay::matches_param(pattern, &command.name, &raw.name) {
                scope.used.mark("extent", pattern);
                named = named.or(Some(extent));
            }
        }
    }
    named.or_else(|| {
        let found = overlay.extent.iter().find(|e| e.len.is_some() && e.len == raw.len)?;
        scope.used.mark("len", found.len.as_deref().unwrap_or_default());
        Some(found)
    })
}

/// Returns parameters from their C declarations, with their lengths.
fn declared(declarations: &[String], counts: &BTreeMap<String, String>) -> anyhow::Result<Vec<parse::Param>> {
    let mut params = Vec::new();
    for declaration in declarations {
        let at = declaration.rfind([' ', '*']).with_context(|| format!("`{declaration}` has no type"))?;
        let (ctype, name) = declaration.split_at(at + 1);
        let ctype = ctype.replace('*', " * ").split_whitespace().collect::<Vec<_>>().join(" ");
        let len = counts.get(name).cloned();
        params.push(parse::Param { name: name.to_owned(), ctype, len, ..parse::Param::default() });
    }
    if let Some(name) = counts.keys().find(|name| !params.iter().any(|p| p.name == **name)) {
        bail!("counts names {name}, which is not a parameter");
    }
    Ok(params)
}

/// Returns a command that the registry lacks.
fn missing(raw: &overlay::Missing, scope: &mut Scope) -> anyhow::Result<Command> {
    let ctype = raw.result.clone().unwrap_or_else(|| "void".to_owned());
    let parsed = parse::Command {
        name: raw.name.clone(),
        library: if raw.name.starts_with("egl") { Library::Egl } else { Library::Gl },
        core: false,
        result: parse::Param { ctype, ..parse::Param::default() },
        params: declared(&raw.params, &raw.counts)?,
    };
    command(&parsed, scope)
}

/// Adds the variants of commands, each with its parameters before the last of those that it is recorded as.
fn variants(
    raw: &overlay::Variant,
    registry: &Registry,
    commands: &mut Vec<Command>,
    scope: &mut Scope,
) -> anyhow::Result<()> {
    let inserted = declared(&raw.insert, &BTreeMap::new())?;
    for name in &raw.of {
        let base = registry.commands.iter().find(|command| command.name == *name);
        let base = base.with_context(|| format!("variant: the registry has no command {name}"))?;
        let mut params = base.params.clone();
        let last = params.pop().with_context(|| format!("variant: {name} has no parameters"))?;
        params.extend(inserted.iter().cloned());
        params.push(last);
        let parsed = parse::Command {
            name: format!("{name}{}", raw.suffix),
            library: base.library,
            core: false,
            result: base.result.clone(),
            params,
        };
        let mut variant = command(&parsed, scope).with_context(|| parsed.name.clone())?;
        variant.recorded_as = Some(name.clone());
        // Its memory is recorded with the parameters of the other command.
        variant.params.iter_mut().for_each(|param| param.memory = None);
        commands.push(variant);
    }
    Ok(())
}

/// Returns a command of capture, from the C declarations of its parameters.
fn capture(raw: &overlay::Capture, scope: &mut Scope) -> anyhow::Result<Command> {
    let parsed = parse::Command {
        name: raw.name.clone(),
        library: Library::Gl,
        core: true,
        result: parse::Param { ctype: "void".to_owned(), ..parse::Param::default() },
        params: declared(&raw.params, &raw.counts)?,
    };
    let mut command = command(&parsed, scope)?;
    command.library = None;
    command.doc = Some(raw.doc.clone());
    for (param, parsed) in command.params.iter_mut().zip(&parsed.params) {
        // These addresses are recorded, and not followed.
        if parsed.ctype == "const void *" && parsed.len.is_none() {
            param.memory = None;
        }
    }
    Ok(command)
}

fn check_used(scope: &Scope) -> anyhow::Result<()> {
    let overlay = scope.overlay;
    let mut unused = scope.used.unused("by_hand", overlay.by_hand.iter());
    unused.extend(scope.used.unused("opaque", overlay.opaque.iter()));
    unused.extend(scope.used.unused("type", overlay.types.keys()));
    unused.extend(scope.used.unused("extent", overlay.extent.iter().flat_map(|e| &e.of)));
    unused.extend(scope.used.unused("len", overlay.extent.iter().filter_map(|e| e.len.as_ref())));
    unused.extend(scope.used.unused("name", overlay.name.iter().flat_map(|n| &n.of)));
    unused.extend(scope.used.unused("group", overlay.group.iter().flat_map(|n| &n.of)));
    unused.extend(role::unused(scope));
    if !unused.is_empty() {
        bail!("overlay.toml: {} entries match nothing:\n  {}", unused.len(), unused.join("\n  "));
    }
    Ok(())
}

fn shapes(commands: &mut [Command]) -> Vec<Shape> {
    let shape = |command: &Command| Shape {
        params: command.params.iter().map(|p| p.value.scalar.class()).collect(),
        result: command.result.scalar.class(),
    };
    let mut shapes: Vec<Shape> = commands.iter().filter(|c| c.library.is_some()).map(shape).collect();
    shapes.sort();
    shapes.dedup();
    for command in commands.iter_mut().filter(|c| c.library.is_some()) {
        command.shape = shapes.binary_search(&shape(command)).ok();
    }
    shapes
}
