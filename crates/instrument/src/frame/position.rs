//! Positions for the frame's code.

use std::collections::BTreeMap;

use shader::Shader;
use shader::ast::{DeclId, DeclKind, StmtId, TypeSyntaxKind};
use shader::edit::Edits;
use shader::source::{Pos, Span};
use shader::symbol::Symbol;
use shader::token::{ExpansionId, TokenIndex};
use shader::types::{StructId, Type};
use shader::version::Stage;

use crate::variant::Refusal;

/// Positions in a shader's source.
pub(super) struct Positions {
    /// Before the first declaration.
    pub start: Pos,
    /// After everything.
    pub end: Pos,
    /// The names of `main`; empty if a macro expands to it.
    main: Vec<Span>,
    /// The declarations of structures that all functions can name; `None` for built-in ones.
    structures: BTreeMap<StructId, Option<DeclId>>,
}

impl Positions {
    pub fn find(shader: &Shader) -> Result<Positions, Refusal> {
        let end = shader.sources.program().len() as u32;
        let tokens = &shader.preprocessed.tokens;
        if tokens.iter().any(|token| token.pos.0 > end) {
            return Err(Refusal::Impossible("the shader includes named strings, which cannot be changed".to_owned()));
        }
        let names = main_names(shader);
        if names.is_empty() {
            return Err(Refusal::Impossible("the shader has no function main of its own".to_owned()));
        }
        let written = |token: &TokenIndex| tokens[token.0 as usize].expansion == ExpansionId::NONE;
        let spans = names.iter().map(|token| tokens[token.0 as usize].span());
        let main = if names.iter().all(written) { spans.collect() } else { Vec::new() };
        Ok(Positions { start: start(shader), end: Pos(end), main, structures: structures(shader) })
    }

    /// Renames the shader's `main`.
    pub fn rename_main(&self, name: &str, edits: &mut Edits, prelude: &mut String) {
        if self.main.is_empty() {
            prelude.push_str(&format!("#define main {name}\n"));
            edits.insert_after(self.end, "\n#undef main");
        }
        for span in &self.main {
            edits.replace(*span, name);
        }
    }

    /// The body of `main`.
    pub fn main_body(&self, shader: &Shader) -> Option<StmtId> {
        let mains = shader.typed.functions.iter().filter(|f| shader.preprocessed.symbols.name(f.name) == "main");
        mains.filter_map(|function| function.body).next()
    }

    /// The declaration after which a type can be named; `None` if anywhere.
    pub fn of_type(&self, shader: &Shader, ty: Type) -> Result<Option<DeclId>, Refusal> {
        let types = &shader.typed.types;
        let mut element = ty;
        while let Some(array) = types.as_array(element) {
            element = array.element;
        }
        let Type::Struct(id) = element else { return Ok(None) };
        let known = self.structures.get(&id).copied();
        known.ok_or_else(|| {
            let name = shader.type_name(element);
            Refusal::Impossible(format!("{name} is not declared at global scope, so no function can take it"))
        })
    }
}

/// A prefix that no name in the shader has. Each stage has its own: variants of several stages may be in one program,
/// where uniforms and blocks of the same name would have to match, including qualifiers (GLSL 4.60, 4.3.5 and 4.3.9),
/// although language versions differ in the qualifiers they have.
pub(super) fn prefix(shader: &Shader) -> String {
    let text = shader.sources.text();
    let taken = |prefix: &String| text.contains(prefix.as_str());
    let stage = match shader.stage {
        Stage::Fragment => "",
        Stage::Vertex => "v",
        Stage::TessControl => "c",
        Stage::TessEvaluation => "e",
        Stage::Geometry => "g",
        Stage::Compute => "k",
    };
    let mut all = std::iter::once(format!("ai{stage}_")).chain((1u32..).map(|n| format!("ai{stage}{n}_")));
    all.find(|prefix| !taken(prefix)).unwrap_or_default()
}

/// Rejects code with words that are macros of the shader, at this position or anywhere: a macro that is defined later
/// may apply to code that a weaver inserts there.
pub(super) fn check_macros(shader: &Shader, text: &str) -> Result<(), Refusal> {
    let names: Vec<&str> =
        shader.preprocessed.macros.iter().map(|row| shader.preprocessed.symbols.name(row.name)).collect();
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    match words.find(|word| names.contains(word)) {
        None => Ok(()),
        Some(word) => {
            let text = format!("the shader defines a macro `{word}`, which the probes' code uses as a keyword");
            Err(Refusal::Impossible(text))
        }
    }
}

/// Before the first token, and before its line if nothing else is on it.
fn start(shader: &Shader) -> Pos {
    let call = shader.preprocessed.outermost_call(TokenIndex(0));
    let at = call.map_or(shader.preprocessed.tokens[0].pos, |(_, span)| span.start);
    let string = (0..shader.sources.own_strings()).map(|n| shader.sources.start(n).0).rfind(|&start| start <= at.0);
    let before = shader.sources.slice(Span { start: Pos(string.unwrap_or(0)), end: at });
    let blank = before.len() - before.trim_end_matches([' ', '\t']).len();
    let line_start = before.len() == blank || before[..before.len() - blank].ends_with(['\n', '\r']);
    // A continued line does not start a new one.
    let continued = before.trim_end_matches([' ', '\t', '\n', '\r']).ends_with('\\');
    if line_start && !continued { Pos(at.0 - blank as u32) } else { at }
}

/// The tokens that name `main` in its declarations and definition.
fn main_names(shader: &Shader) -> Vec<TokenIndex> {
    let named = |decl: &DeclId| match &shader.tree.decl(*decl).kind {
        DeclKind::Function(function) => {
            (shader.preprocessed.symbols.name(function.name.symbol) == "main").then_some(function.name.token)
        }
        _ => None,
    };
    let defined = shader
        .typed
        .functions
        .iter()
        .any(|function| function.definition.is_some() && shader.preprocessed.symbols.name(function.name) == "main");
    if defined { shader.tree.items.iter().filter_map(named).collect() } else { Vec::new() }
}

fn structures(shader: &Shader) -> BTreeMap<StructId, Option<DeclId>> {
    let mut found = BTreeMap::new();
    let rows = &shader.typed.types.structs;
    for (index, row) in rows.iter().enumerate() {
        // Built-in structures have no position.
        let own = row.fields.iter().all(|field| field.declared.is_some());
        if !own && !row.block {
            found.insert(StructId(index as u32), None);
        }
    }
    for &decl in &shader.tree.items {
        let DeclKind::Variables { ty, .. } = &shader.tree.decl(decl).kind else { continue };
        let TypeSyntaxKind::Struct(syntax) = &ty.kind else { continue };
        let Some(name) = syntax.name else { continue };
        let first = syntax.members.first().and_then(|member| member.declarators.first());
        let first = first.map(|declarator| shader.preprocessed.tokens[declarator.name.token.0 as usize].span());
        let same = |(_, row): &(usize, &shader::types::StructType)| {
            row.name == name.symbol && row.fields.first().and_then(|field| field.declared) == first
        };
        if let Some((index, _)) = rows.iter().enumerate().find(same) {
            found.insert(StructId(index as u32), Some(decl));
        }
    }
    found.retain(|id, _| rows[id.0 as usize].name != Symbol::EMPTY);
    found
}
