//! `crates/capture/src/generated`: one `hook!` for each command that programs can call.

use std::fmt::Write;

use super::{BANNER, shards};
use crate::codegen::Files;
use crate::codegen::resolve::{Command, Model, Scalar};

pub fn emit(model: &Model, files: &mut Files) {
    let mut root = format!("{BANNER}\n");
    for (name, commands) in shards(model) {
        let hooked: Vec<_> = commands.iter().filter(|(_, c)| c.library.is_some() && !c.by_hand).collect();
        if hooked.is_empty() {
            continue;
        }
        let variants = if hooked.iter().any(|(_, c)| c.recorded_as.is_some()) { ", hook_variant" } else { "" };
        let mut text = format!("{BANNER}\nuse crate::hook::{{Ptr, hook{variants}}};\n\n");
        hooked.iter().for_each(|(index, command)| text.push_str(&line(model, *index, command)));
        files.insert(format!("crates/capture/src/generated/hooks_{name}.rs"), text);
        let _ = writeln!(root, "mod hooks_{name};");
    }
    files.insert("crates/capture/src/generated.rs".to_owned(), root);
}

fn line(model: &Model, index: usize, command: &Command) -> String {
    let params = command.params.iter().map(|p| format!("{}: {}", identifier(&p.name), p.value.scalar.rust()));
    let result = match command.result.scalar {
        Scalar::Void => String::new(),
        scalar => format!(" -> {}", scalar.rust()),
    };
    let params = params.collect::<Vec<_>>().join(", ");
    let recorded = command.recorded_as.as_ref().and_then(|name| model.commands.iter().position(|c| c.name == *name));
    let Some(base) = recorded else { return format!("hook!({}, {index}, ({params}){result});\n", command.name) };
    // The parameters that are recorded: those of the other command, which are in the same order.
    let kept = model.commands[base].params.iter().map(|p| identifier(&p.name)).collect::<Vec<_>>().join(", ");
    format!("hook_variant!({}, {index}, {base}, ({params}){result}, ({kept}));\n", command.name)
}

/// Returns the name of a parameter as a Rust identifier.
fn identifier(name: &str) -> String {
    match name {
        "type" | "ref" | "in" | "box" | "mod" | "use" | "match" | "loop" | "move" | "where" | "final" | "virtual"
        | "priv" | "yield" | "try" | "async" | "await" | "dyn" | "impl" | "trait" | "pub" | "fn" | "let" => {
            format!("r#{name}")
        }
        _ => name.to_owned(),
    }
}
