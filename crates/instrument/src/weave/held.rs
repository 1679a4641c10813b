//! Varyings that the stage before does not write in whole: copies of them, which may be read.

use shader::ast::{ExprId, NodeId};
use shader::typed::Target;
use shader::types::Type;

use super::Weaver;
use crate::varyings::{self, Division};

impl Weaver<'_> {
    /// Makes a copy of each varying that is written in part or not at all, and lets the shader read that one. What is not
    /// written has no value (GLSL 1.20, 4.3.6), and is zero in the copy.
    pub(super) fn hold_varyings(&mut self) {
        let Some(written) = self.subject.written.filter(|_| varyings::matters(self.shader)) else { return };
        let mut begin = String::new();
        let mut copies = Vec::new();
        for (id, row) in varyings::declared(self.shader) {
            let name = self.shader.preprocessed.symbols.name(row.name);
            let Some(division) = varyings::divide(row, &self.shader.typed.types) else { continue };
            let masks = written.masks(name, division);
            if masks.iter().all(|mask| *mask == division.all) {
                continue;
            }
            let copy = self.frame.name(&format!("held_{name}"));
            let divided = division.element != row.ty;
            let is_array = self.shader.typed.types.as_array(row.ty).is_some();
            let (kind, brackets) = match is_array {
                true => (division.element, format!("[{}]", division.count)),
                false => (row.ty, String::new()),
            };
            self.frame.declare(&format!("{} {copy}{brackets};\n", self.type_text(kind, None)));
            for (index, mask) in masks.iter().enumerate() {
                let part = if divided { format!("[{index}]") } else { String::new() };
                let value = self.held(&format!("{name}{part}"), division, *mask);
                begin.push_str(&format!("{copy}{part} = {value}; "));
            }
            copies.push((id, copy));
        }
        if copies.is_empty() {
            return;
        }
        self.around_main(begin.trim_end(), "", false);
        for id in (0..self.shader.tree.exprs.len() as u32).map(ExprId) {
            if let Target::Variable(variable) = self.shader.typed.expr(id).target
                && let Some((_, copy)) = copies.iter().find(|(held, _)| *held == variable)
            {
                self.rewrite.replace(NodeId::Expr(id), copy);
            }
        }
        self.held = copies;
    }

    /// An element with zeros in place of the components that are not written.
    fn held(&self, name: &str, division: Division, mask: u8) -> String {
        let kind = self.type_text(division.element, None);
        match division.element {
            _ if mask == division.all => name.to_owned(),
            Type::Vector(_, count) if mask != 0 => {
                let component = |at: u8| match mask & 1 << at {
                    0 => "0.0".to_owned(),
                    _ => format!("{name}.{}", &"xyzw"[usize::from(at)..=usize::from(at)]),
                };
                format!("{kind}({})", (0..count).map(component).collect::<Vec<_>>().join(", "))
            }
            _ => format!("{kind}(0.0)"),
        }
    }

    /// What an input is to be read from.
    pub(super) fn source_of(&self, input: &str) -> String {
        let end = input.find(['[', '.']).unwrap_or(input.len());
        let (name, part) = input.split_at(end);
        let named = |held: &&(_, String)| {
            let row = self.shader.typed.variable(held.0);
            self.shader.preprocessed.symbols.name(row.name) == name
        };
        self.held.iter().find(named).map_or_else(|| input.to_owned(), |(_, copy)| format!("{copy}{part}"))
    }
}
