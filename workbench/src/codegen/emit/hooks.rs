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
        let mut text = format!("{BANNER}\nuse crate::hook::{{Ptr, hook}};\n\n");
        hooked.iter().for_each(|(index, command)| text.push_str(&line(*index, command)));
        files.insert(format!("crates/capture/src/generated/hooks_{name}.rs"), text);
        let _ = writeln!(root, "mod hooks_{name};");
    }
    files.insert("crates/capture/src/generated.rs".to_owned(), root);
}

fn line(index: usize, command: &Command) -> String {
    let params = command.params.iter().map(|p| format!("{}: {}", identifier(&p.name), p.value.scalar.rust()));
    let result = match command.result.scalar {
        Scalar::Void => String::new(),
        scalar => format!(" -> {}", scalar.rust()),
    };
    format!("hook!({}, {index}, ({}){result});\n", command.name, params.collect::<Vec<_>>().join(", "))
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
