//! `crates/api/src/generated`: names of enum values, groups, and the values as constants.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::BANNER;
use crate::codegen::Files;
use crate::codegen::parse::Library;
use crate::codegen::resolve::{Enum, Model};

pub fn emit(model: &Model, files: &mut Files) {
    let mut text = format!("{BANNER}\nuse crate::enums::GroupTable;\n\n/// All groups; the first is any value.\n");
    text.push_str("pub static GROUPS: &[GroupTable] = &[\n");
    for group in &model.groups {
        let values = group.values.iter().map(|(value, name)| format!("({}, {name:?})", number(*value)));
        let _ = writeln!(
            text,
            "    GroupTable {{ name: {:?}, bits: {}, values: &[{}] }},",
            group.name,
            group.bits,
            values.collect::<Vec<_>>().join(", ")
        );
    }
    text.push_str("];\n");
    files.insert("crates/api/src/generated/groups.rs".to_owned(), text);

    let mut text = format!("{BANNER}\n");
    for (library, name) in [(Library::Gl, "GL"), (Library::Egl, "EGL"), (Library::Glx, "GLX")] {
        let _ = writeln!(
            text,
            "/// Names of {name}, one for each value, sorted by value.\npub static {name}: &[(i64, &str)] = &["
        );
        let mut last = None;
        for entry in model.enums.iter().filter(|e| e.library == library) {
            if last != Some(entry.value) {
                let _ = writeln!(text, "    ({}, {:?}),", number(entry.value), entry.name);
            }
            last = Some(entry.value);
        }
        text.push_str("];\n\n");
    }
    files.insert("crates/api/src/generated/names.rs".to_owned(), text);
    constants(model, files);
}

/// Writes a constant for each name, in one file for each first letter.
fn constants(model: &Model, files: &mut Files) {
    let mut shards: BTreeMap<String, Vec<&Enum>> = BTreeMap::new();
    for entry in &model.enums {
        let letter = entry.name.chars().nth(3).filter(char::is_ascii_alphabetic).unwrap_or('0').to_ascii_lowercase();
        let shard = match entry.library {
            Library::Gl => format!("gl_{letter}"),
            Library::Egl => "egl".to_owned(),
            Library::Glx => "glx".to_owned(),
        };
        shards.entry(shard).or_default().push(entry);
    }
    let mut root = format!("{BANNER}\n");
    for (name, entries) in &mut shards {
        let _ = writeln!(root, "mod {name};");
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        let mut text = format!("{BANNER}\n");
        for entry in entries.iter() {
            let (kind, value) = match entry.value {
                value if u32::try_from(value).is_ok() => ("u32", number(value)),
                value if i32::try_from(value).is_ok() => ("i32", value.to_string()),
                value => ("u64", format!("{:#x}", value.cast_unsigned())),
            };
            let _ = writeln!(text, "pub const {}: {kind} = {value};", entry.name);
        }
        files.insert(format!("crates/api/src/generated/constant/{name}.rs"), text);
    }
    root.push('\n');
    shards.keys().for_each(|name| writeln!(root, "pub use {name}::*;").unwrap_or_default());
    files.insert("crates/api/src/generated/constant.rs".to_owned(), root);
}

fn number(value: i64) -> String {
    if value < 0 { value.to_string() } else { format!("{value:#x}") }
}
