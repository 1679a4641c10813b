//! `crates/api/src/generated`: the table of commands, their ids and the rules of their extents.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{BANNER, shards};
use crate::codegen::Files;
use crate::codegen::parse::Library;
use crate::codegen::resolve::{Command, Count, Meaning, Model, Value};

pub fn emit(model: &Model, files: &mut Files) {
    let shards = shards(model);
    let mut fingerprint = String::new();
    for (name, commands) in &shards {
        let mut text =
            format!("{BANNER}\nuse super::make::*;\nuse super::values::*;\n\npub const ALL: &[Command] = &[\n");
        let mut ids = format!("{BANNER}\nuse crate::CommandId;\n\n");
        for (index, command) in commands {
            let line = line(command, model);
            fingerprint.push_str(&line);
            text.push_str(&line);
            match &command.doc {
                Some(doc) => doc.lines().for_each(|line| writeln!(ids, "/// {line}").unwrap_or_default()),
                None => writeln!(ids, "/// `{}`", command.name).unwrap_or_default(),
            }
            let _ = writeln!(ids, "pub const {}: CommandId = CommandId({index});", command.name);
        }
        text.push_str("];\n");
        files.insert(format!("crates/api/src/generated/commands/{name}.rs"), text);
        files.insert(format!("crates/api/src/generated/id/{name}.rs"), ids);
    }
    files.insert("crates/api/src/generated/commands/values.rs".to_owned(), values(model));
    files.insert("crates/api/src/generated/commands/make.rs".to_owned(), format!("{BANNER}{MAKE}"));

    let mut text = format!("{BANNER}\nmod make;\nmod values;\n");
    shards.iter().for_each(|(name, _)| writeln!(text, "mod {name};").unwrap_or_default());
    let lists = shards.iter().map(|(name, _)| format!("{name}::ALL")).collect::<Vec<_>>().join(", ");
    let _ = writeln!(
        text,
        "\nuse crate::Command;\n\n/// How many commands there are.\npub const COUNT: usize = {};\n\n/// All commands, sorted by name.\npub static ALL: [Command; COUNT] = make::join(&[{lists}]);",
        model.commands.len()
    );
    files.insert("crates/api/src/generated/commands.rs".to_owned(), text);

    let mut text = format!("{BANNER}\n");
    shards.iter().for_each(|(name, _)| writeln!(text, "mod {name};").unwrap_or_default());
    text.push('\n');
    shards.iter().for_each(|(name, _)| writeln!(text, "pub use {name}::*;").unwrap_or_default());
    files.insert("crates/api/src/generated/id.rs".to_owned(), text);

    let rules = rules(model);
    fingerprint.push_str(&rules);
    files.insert("crates/api/src/generated/rules.rs".to_owned(), rules);
    files.insert(
        "crates/api/src/generated/fingerprint.rs".to_owned(),
        format!(
            "{BANNER}\n/// A hash of the tables of commands.\npub const FINGERPRINT: u64 = {:#018x};\n",
            fnv(fingerprint.as_bytes())
        ),
    );
}

/// The module that all files of commands use.
const MAKE: &str = r#"
pub use crate::{Access, Command, Count, Memory, Param, Role, Trait, Traits, Value};
pub use crate::Access::{Both, Read, Write};
pub use crate::Count::{Bytes, Fixed, Kept, Rule, Text, TextOf, Texts, Unknown, Until};
pub use crate::Library::{Capture, Egl, Gl, Glx};
pub use crate::operation::{Attribute, NumberForm, Operation as Op};

/// No trait.
pub const NONE: Traits = Traits::of(&[]);

/// A parameter that is not a pointer to memory.
pub const fn p(name: &'static str, value: Value) -> Param {
    Param { name, value, memory: None }
}

/// A pointer.
pub const fn m(name: &'static str, access: Access, element: Value, count: Count) -> Param {
    Param { name, value: super::values::POINTER, memory: Some(Memory { access, element, count }) }
}

/// Concatenates the commands of all files.
pub const fn join<const N: usize>(shards: &[&[Command]]) -> [Command; N] {
    let mut all = [shards[0][0]; N];
    let (mut at, mut shard) = (0, 0);
    while shard < shards.len() {
        let mut index = 0;
        while index < shards[shard].len() {
            all[at] = shards[shard][index];
            at += 1;
            index += 1;
        }
        shard += 1;
    }
    assert!(at == N);
    all
}
"#;

fn line(command: &Command, model: &Model) -> String {
    let library = match command.library {
        None => "Capture",
        Some(Library::Gl) => "Gl",
        Some(Library::Egl) => "Egl",
        Some(Library::Glx) => "Glx",
    };
    let params = command.params.iter().map(|param| match &param.memory {
        None => format!("p({:?}, {})", param.name, value_name(&param.value, model)),
        Some(memory) => format!(
            "m({:?}, {:?}, {}, {})",
            param.name,
            memory.access,
            value_name(&memory.element, model),
            count(&memory.count)
        ),
    });
    format!(
        "    Command {{ name: {:?}, library: {library}, suffix: {}, role: Role::{}, operation: {}, traits: {}, saved_with: {:#x}, result: {}, params: &[{}] }},\n",
        command.name,
        command.purpose.vendor.len(),
        command.purpose.role,
        command.purpose.operation,
        traits(&command.purpose.traits),
        command.purpose.saved_with,
        value_name(&command.result, model),
        params.collect::<Vec<_>>().join(", ")
    )
}

fn traits(traits: &[String]) -> String {
    match traits {
        [] => "NONE".to_owned(),
        _ => format!(
            "Traits::of(&[{}])",
            traits.iter().map(|one| format!("Trait::{one}")).collect::<Vec<_>>().join(", ")
        ),
    }
}

fn count(count: &Count) -> String {
    match count {
        Count::Fixed(count) => format!("Fixed({count})"),
        Count::Param { index, times } => format!("Count::Param {{ index: {index}, times: {times} }}"),
        Count::Bytes(index) => format!("Bytes({index})"),
        Count::Text => "Text".to_owned(),
        Count::TextOf(index) => format!("TextOf({index})"),
        Count::Texts { count, lengths } => format!("Texts {{ count: {count}, lengths: {lengths:?} }}"),
        Count::Until(terminator) => format!("Until({terminator})"),
        Count::Rule(rule) => format!("Rule({rule})"),
        Count::Kept => "Kept".to_owned(),
        Count::Unknown => "Unknown".to_owned(),
    }
}

/// Returns the name of the constant for a type and meaning.
fn value_name(value: &Value, model: &Model) -> String {
    let scalar = format!("{:?}", value.scalar).to_uppercase();
    match &value.meaning {
        Meaning::Number => scalar,
        Meaning::Boolean => format!("{scalar}_BOOLEAN"),
        Meaning::Character => format!("{scalar}_CHARACTER"),
        Meaning::Enum(group) => format!("{scalar}_ENUM_{}", model.groups[*group].name),
        Meaning::Bits(group) => format!("{scalar}_BITS_{}", model.groups[*group].name),
        Meaning::Name(namespace) => format!("{scalar}_NAME_{namespace}"),
    }
}

fn values(model: &Model) -> String {
    let mut distinct = BTreeSet::new();
    for command in &model.commands {
        distinct.insert(&command.result);
        for param in &command.params {
            distinct.insert(&param.value);
            distinct.extend(param.memory.as_ref().map(|m| &m.element));
        }
    }
    let mut text = format!("{BANNER}\nuse crate::{{Group, Meaning, Namespace, Scalar, Value}};\n\n");
    for value in distinct {
        let meaning = match &value.meaning {
            Meaning::Number => "Number".to_owned(),
            Meaning::Boolean => "Boolean".to_owned(),
            Meaning::Character => "Character".to_owned(),
            Meaning::Enum(group) => format!("Enum(Group({group}))"),
            Meaning::Bits(group) => format!("Bits(Group({group}))"),
            Meaning::Name(namespace) => format!("Name(Namespace::{namespace})"),
        };
        let _ = writeln!(
            text,
            "pub const {}: Value = Value {{ scalar: Scalar::{:?}, meaning: Meaning::{meaning} }};",
            value_name(value, model),
            value.scalar
        );
    }
    text
}

fn rules(model: &Model) -> String {
    let mut text = format!(
        "{BANNER}\nuse crate::extent::rule::{{self, Arg::{{Param, Value}}, Rule}};\n\n/// The rules of `Count::Rule`, by number.\npub const RULES: &[Rule] = &[\n"
    );
    for rule in &model.rules {
        let args = rule.args.iter().map(|arg| format!("{arg:?}")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "    Rule {{ function: rule::{}, args: &[{args}] }},", rule.function);
    }
    text.push_str("];\n");
    text
}

/// FNV-1a, 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
