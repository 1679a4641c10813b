//! Stages made of several shaders: their declarations in one text, which is then one shader.
//!
//! The linker has found the shaders to agree by then. What they all declare is kept once; names that only one of them
//! means are visible to those after it too, which changes nothing for programs that link.

use std::collections::BTreeSet;

use shader::Shader;
use shader::ast::{Decl, DeclKind};
use shader::preprocess::Behaviour;
use shader::token::TokenSpan;
use shader::version::{Options, Profile, Version};

/// The shaders of a stage as one; `None` if they make no shader together.
pub(super) fn join(units: &[&Shader]) -> Option<Shader> {
    let first = units.first()?;
    let version = units.iter().map(|unit| unit.preprocessed.version).max_by_key(|version| version.number)?;
    let mut text = header(version, units);
    let mut seen = BTreeSet::new();
    for unit in units {
        for &item in &unit.tree.items {
            let decl = unit.tree.decl(item);
            let written = written(unit, decl.tokens);
            if is_new(unit, decl, &written, &mut seen) {
                text.push_str(&written);
                let closed = written.ends_with(';') || matches!(&decl.kind, DeclKind::Function(f) if f.body.is_some());
                text.push_str(if closed { "\n" } else { ";\n" });
            }
        }
    }
    let joined = shader::analyze(&[text], &Options::new(first.stage));
    (!joined.has_errors()).then_some(joined)
}

fn header(version: Version, units: &[&Shader]) -> String {
    let profile = match version.profile {
        Profile::Es if version.number >= 300 => " es",
        Profile::Compatibility if version.number >= 150 => " compatibility",
        _ => "",
    };
    let mut text = format!("#version {}{profile}\n", version.number);
    for unit in units {
        for change in &unit.preprocessed.extensions {
            let behaviour = match change.behaviour {
                Behaviour::Require | Behaviour::Enable => "enable",
                Behaviour::Warn => "warn",
                Behaviour::Disable => continue,
            };
            let name = unit.preprocessed.symbols.name(change.name);
            text.push_str(&format!("#extension {name} : {behaviour}\n"));
        }
    }
    text
}

/// The tokens of a declaration, macros expanded.
fn written(unit: &Shader, tokens: TokenSpan) -> String {
    let range = tokens.first.0 as usize..=tokens.last.0 as usize;
    let words = unit.preprocessed.tokens.get(range).unwrap_or(&[]).iter().map(|token| match token.kind.text() {
        "" => unit.preprocessed.symbols.name(token.symbol),
        punctuation => punctuation,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a declaration says anything that those before it did not.
fn is_new(unit: &Shader, decl: &Decl, written: &str, seen: &mut BTreeSet<String>) -> bool {
    let name = |symbol| unit.preprocessed.symbols.name(symbol).to_owned();
    match &decl.kind {
        DeclKind::Variables { declarators, .. } if !declarators.is_empty() => {
            if !seen.insert(written.to_owned()) {
                return false;
            }
            // An array may be declared again to get its size; everything else has been said.
            let sized = declarators.iter().any(|d| d.dims.iter().any(|dim| dim.size.is_some()));
            let known =
                declarators.iter().filter(|d| !seen.insert(format!("{} as a name", name(d.name.symbol)))).count();
            known < declarators.len() || sized
        }
        DeclKind::Variables { .. } => seen.insert(written.to_owned()),
        DeclKind::Block(block) => seen.insert(format!("{} as a block", name(block.name.symbol))),
        _ => true,
    }
}
