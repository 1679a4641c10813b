//! `crates/driver/src/generated`: one function for each calling shape, and the shape of each command.

use std::fmt::Write;

use super::BANNER;
use crate::codegen::Files;
use crate::codegen::resolve::{Model, Scalar, Shape};

pub fn emit(model: &Model, files: &mut Files) {
    let mut text = format!("{BANNER}\nuse crate::invoke::{{Thunk, thunk}};\n\n");
    model.shapes.iter().enumerate().for_each(|(index, shape)| text.push_str(&thunk(index, shape)));
    text.push_str("\n/// All thunks, by the number of their shape.\npub static THUNKS: &[Thunk] = &[\n");
    for index in 0..model.shapes.len() {
        let _ = write!(text, "{}s{index},", if index % 16 == 0 { "    " } else { " " });
        if index % 16 == 15 {
            text.push('\n');
        }
    }
    text.push_str("\n];\n");
    files.insert("crates/driver/src/generated/thunks.rs".to_owned(), text);

    let mut text = format!(
        "{BANNER}\n/// The shape of each command; `u16::MAX` for those of capture.\npub static SHAPES: &[u16] = &[\n"
    );
    for (index, command) in model.commands.iter().enumerate() {
        let shape = command.shape.map_or_else(|| "u16::MAX".to_owned(), |shape| shape.to_string());
        let _ = write!(text, "{}{shape},", if index % 24 == 0 { "    " } else { " " });
        if index % 24 == 23 {
            text.push('\n');
        }
    }
    text.push_str("\n];\n");
    files.insert("crates/driver/src/generated/shapes.rs".to_owned(), text);
    files.insert("crates/driver/src/generated.rs".to_owned(), format!("{BANNER}\npub mod shapes;\npub mod thunks;\n"));
}

fn thunk(index: usize, shape: &Shape) -> String {
    let params = shape.params.iter().enumerate().map(|(at, scalar)| format!("{at}: {}", scalar.rust()));
    let result = match shape.result {
        Scalar::Void => String::new(),
        scalar => format!(" -> {}", scalar.rust()),
    };
    format!("thunk!(s{index}, ({}){result});\n", params.collect::<Vec<_>>().join(", "))
}
