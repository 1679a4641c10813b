//! What commands are for: roles, operations, traits and groups of saved state, and whether that fits their parameters.

use anyhow::{Context, bail};

use super::{Command, Scope};
use crate::codegen::overlay::{self, Operation, Overlay};
use crate::codegen::parse::{self, Registry};

/// What a command is for, in expressions of crate `api`.
pub struct Purpose {
    pub vendor: &'static str,
    /// A variant of `Role`.
    pub role: String,
    /// An expression of type `Operation`, which is called `Op` in generated code.
    pub operation: String,
    /// Variants of `Trait`.
    pub traits: Vec<String>,
    /// Bits of `glPushAttrib`.
    pub saved_with: u32,
}

/// Works out what a command is for.
pub fn purpose(command: &parse::Command, scope: &mut Scope) -> anyhow::Result<Purpose> {
    let (name, overlay) = (&command.name, scope.overlay);
    let roles = overlay.role.iter().filter(|entry| applies(scope, "role", &entry.of, &entry.but, name));
    let role = roles.map(|entry| entry.role.clone()).collect::<Vec<_>>().into_iter().next();
    let role = role.unwrap_or_else(|| "Other".to_owned());
    let mut operations = Vec::new();
    for entry in &overlay.operation {
        if applies(scope, "operation", &entry.of, &entry.but, name) {
            operations.push(entry);
        }
    }
    let operation = match operations.first() {
        Some(entry) => expression(entry, command)?,
        None if role == "Query" => "Op::Transient".to_owned(),
        None => "Op::Unknown".to_owned(),
    };
    let mut traits = Vec::new();
    for entry in &overlay.traits {
        if applies(scope, "trait", &entry.of, &entry.but, name) {
            traits.push(entry.name.clone());
        }
    }
    if command.params.iter().any(|param| matches!(bare(param), "GLfixed" | "GLclampx")) {
        traits.push("FixedPoint".to_owned());
    }
    let mut saved_with = 0;
    for entry in &overlay.saved {
        if applies(scope, "saved", &entry.of, &entry.but, name) {
            let bit =
                scope.constants.get(entry.group.as_str()).with_context(|| format!("no constant {}", entry.group))?;
            saved_with |= u32::try_from(*bit)?;
        }
    }
    Ok(Purpose { vendor: overlay::vendor(name), role, operation, traits, saved_with })
}

/// Whether an entry applies to a command. All of its patterns that match are marked as used.
fn applies(scope: &mut Scope, section: &str, of: &[String], but: &[String], name: &str) -> bool {
    let mut found = false;
    for pattern in of.iter().filter(|pattern| overlay::matches(pattern, name)) {
        scope.used.mark(section, pattern);
        found = true;
    }
    let mut excepted = false;
    for pattern in but.iter().filter(|pattern| overlay::matches(pattern, name)) {
        scope.used.mark(&format!("{section} but"), pattern);
        excepted = true;
    }
    found && !excepted
}

/// The operation of an entry, as it is for one command.
fn expression(entry: &Operation, command: &parse::Command) -> anyhow::Result<String> {
    let field = |name: &str, value: Option<bool>| value.map(|value| format!(" {{ {name}: {value} }}"));
    let detail = match (&entry.attribute, entry.selectors) {
        (Some(attribute), _) => format!("(Attribute::{attribute}, NumberForm::{})", form(entry, command)?),
        (None, Some(selectors)) if usize::from(selectors) <= command.params.len() => format!("({selectors})"),
        (None, Some(selectors)) => bail!("{} has fewer than {selectors} parameters", command.name),
        (None, None) => field("named", entry.named)
            .or_else(|| field("client", entry.client))
            .or_else(|| field("read", entry.read))
            .or_else(|| field("window", entry.window))
            .unwrap_or_default(),
    };
    Ok(format!("Op::{}{detail}", entry.operation))
}

/// How the numbers of a command become those of an attribute: by the type of its last parameter.
fn form(entry: &Operation, command: &parse::Command) -> anyhow::Result<String> {
    if let Some(form) = &entry.form {
        return Ok(form.clone());
    }
    let last = command.params.last().with_context(|| format!("{} has no parameters", command.name))?;
    Ok(match bare(last) {
        "GLhalfNV" => "Half",
        "GLfloat" | "GLdouble" | "GLfixed" => "Plain",
        _ if entry.normalized => "Normalized",
        _ => "Plain",
    }
    .to_owned())
}

/// The C type of a parameter, or of what it points to.
fn bare(param: &parse::Param) -> &str {
    param.ctype.trim_start_matches("const ").trim_end_matches([' ', '*'])
}

/// Patterns that match no command.
pub fn unused(scope: &Scope) -> Vec<String> {
    let (overlay, used) = (scope.overlay, &scope.used);
    let mut unused = used.unused("role", overlay.role.iter().flat_map(|entry| &entry.of));
    unused.extend(used.unused("role but", overlay.role.iter().flat_map(|entry| &entry.but)));
    unused.extend(used.unused("operation", overlay.operation.iter().flat_map(|entry| &entry.of)));
    unused.extend(used.unused("operation but", overlay.operation.iter().flat_map(|entry| &entry.but)));
    unused.extend(used.unused("saved", overlay.saved.iter().flat_map(|entry| &entry.of)));
    unused.extend(used.unused("saved but", overlay.saved.iter().flat_map(|entry| &entry.but)));
    unused.extend(used.unused("trait", overlay.traits.iter().flat_map(|entry| &entry.of)));
    unused.extend(used.unused("trait but", overlay.traits.iter().flat_map(|entry| &entry.but)));
    unused
}

/// Checks what commands are for against their parameters: a new command that draws must not go without a role.
///
/// # Errors
/// When a command takes parameters of draws and has another role, or lacks a trait that its parameters imply.
pub fn check(commands: &[Command], registry: &Registry, overlay: &Overlay) -> anyhow::Result<()> {
    let mut findings = Vec::new();
    for pattern in &overlay.not_drawing.of {
        if !registry.commands.iter().any(|command| overlay::matches(pattern, &command.name)) {
            findings.push(format!("not_drawing: {pattern} matches nothing"));
        }
    }
    for raw in &registry.commands {
        let Some(command) = commands.iter().find(|command| command.name == raw.name) else { continue };
        let purpose = &command.purpose;
        let param = |name: &str| raw.params.iter().any(|param| param.name == name);
        let primitives = raw.params.iter().any(|param| param.group.as_deref() == Some("PrimitiveType"));
        let draws = matches!(purpose.role.as_str(), "Draw" | "Dispatch");
        let excepted = overlay.not_drawing.of.iter().any(|pattern| overlay::matches(pattern, &raw.name));
        if (primitives || param("num_groups_x")) && draws == excepted {
            let should = if excepted { "is in not_drawing" } else { "looks like a draw" };
            findings.push(format!("{} {should}, and its role is {}", raw.name, purpose.role));
        }
        let implied =
            [("indices", "Indexed"), ("indirect", "Indirect"), ("drawcount", "Multi"), ("instancecount", "Instanced")];
        for (name, implied) in implied.into_iter().filter(|(name, _)| draws && param(name)) {
            if !purpose.traits.iter().any(|one| one == implied) {
                findings.push(format!("{} has a parameter {name} and is not {implied}", raw.name));
            }
        }
    }
    if !findings.is_empty() {
        bail!("overlay.toml does not fit the registry:\n  {}", findings.join("\n  "));
    }
    Ok(())
}
