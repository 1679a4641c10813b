//! State in parameters, for compilers that cannot handle globals written by functions.
//!
//! The finished variant is parsed once more. The globals with the state of an invocation become members of a structure,
//! a variable of `main` that is passed as the last argument to every function that leads to a use of it. Arguments are
//! evaluated from left to right and copied one after the other (GLSL 4.60, 6.1.1), so that changes by other arguments
//! of a call are included when the state is copied.

use std::collections::BTreeSet;

use shader::Shader;
use shader::ast::{DeclId, DeclKind, ExprId, ExprKind, FunctionSyntax, NodeId};
use shader::diagnostic::Severity;
use shader::edit::{LineRules, Rewrite};
use shader::qualifier::Storage;
use shader::token::{TokenIndex, TokenKind, TokenSpan};
use shader::typed::{FunctionId, Target, VarId, VariableKind};
use shader::types::Scalar;
use shader::version::Options;

use super::position;
use crate::variant::Refusal;

/// Moves the state of a finished variant, the globals whose names begin with the prefix, into a parameter.
pub(super) fn lower(
    strings: &[String],
    options: &Options,
    (prefix, kept): (&str, &[String]),
    per_string: bool,
) -> Result<Vec<String>, Refusal> {
    let shader = shader::analyze(strings, options);
    if let Some(error) = shader.diagnostics.iter().find(|finding| finding.severity == Severity::Error) {
        return Err(Refusal::Impossible(format!("the shader with probes cannot be parsed again: {}", error.message)));
    }
    position::check_macros(&shader, "struct inout")?;
    let mut lowering = Lowering::new(&shader, prefix, kept);
    lowering.check()?;
    lowering.state()?;
    lowering.functions();
    lowering.names_and_calls();
    let edits = lowering.rewrite.edits().map_err(|error| Refusal::Impossible(format!("{FAILED}: {error:?}")))?;
    let rules = LineRules { version: shader.preprocessed.version, per_string };
    let edited = edits.apply_keeping_lines(&shader.sources, rules);
    let mut edited = edited.map_err(|error| Refusal::Impossible(format!("{FAILED}: {error:?}")))?;
    edited.strings.truncate(shader.sources.own_strings());
    Ok(edited.strings)
}

const FAILED: &str = "the state of the probes cannot be passed through parameters";

struct Lowering<'a> {
    shader: &'a Shader,
    rewrite: Rewrite<'a>,
    /// The names of the structure and of the parameter.
    names: (String, String),
    /// The globals that become its members.
    state: Vec<VarId>,
    /// Functions that use the state, or call one that does.
    users: BTreeSet<FunctionId>,
}

impl<'a> Lowering<'a> {
    fn new(shader: &'a Shader, prefix: &str, kept: &[String]) -> Lowering<'a> {
        let is_state = |id: &VarId| {
            let row = shader.typed.variable(*id);
            let name = shader.preprocessed.symbols.name(row.name);
            row.kind == VariableKind::Global
                && row.qualifiers.storage == Storage::Plain
                && name.starts_with(prefix)
                && !kept.iter().any(|other| other == name)
        };
        let state: Vec<VarId> = (0..shader.typed.variables.len() as u32).map(VarId).filter(is_state).collect();
        let rows = || (0..).map(FunctionId).zip(&shader.typed.functions);
        let uses = |(_, row): &(FunctionId, &shader::typed::Function)| row.uses.iter().any(|id| state.contains(id));
        let mut users: BTreeSet<FunctionId> = rows().filter(uses).map(|(id, _)| id).collect();
        loop {
            let before = users.len();
            let calls = rows().filter(|(_, row)| row.calls.iter().any(|(callee, _)| users.contains(callee)));
            let more: Vec<FunctionId> = calls.map(|(id, _)| id).collect();
            users.extend(more);
            if users.len() == before {
                break;
            }
        }
        let names = (format!("{prefix}State"), format!("{prefix}state"));
        Lowering { shader, rewrite: Rewrite::new(shader), names, state, users }
    }

    /// Rejects shaders in which a parameter cannot be added.
    fn check(&self) -> Result<(), Refusal> {
        for id in &self.users {
            let row = self.shader.typed.function(*id);
            if !row.implements.is_empty() || row.subroutine_type {
                let name = self.shader.preprocessed.symbols.name(row.name);
                return Err(Refusal::Impossible(format!("{FAILED}: `{name}` is a subroutine")));
            }
        }
        match self.calls().find(|(id, _)| self.shader.enclosing_function(NodeId::Expr(*id)).is_none()) {
            None => Ok(()),
            Some((id, _)) => {
                let text = self.shader.sources.slice(self.shader.written(NodeId::Expr(id)));
                Err(Refusal::Impossible(format!("{FAILED}: `{text}` is called outside of functions")))
            }
        }
    }

    /// Calls of the functions that get the parameter, and whether they have arguments.
    fn calls(&self) -> impl Iterator<Item = (ExprId, bool)> {
        let all = (0..self.shader.tree.exprs.len() as u32).map(ExprId);
        all.filter_map(|id| match (self.shader.tree.expr(id).kind, self.shader.typed.expr(id).target) {
            (ExprKind::Call(_, list), Target::Function(callee)) if self.users.contains(&callee) => {
                Some((id, !self.shader.tree.exprs_of(list).is_empty()))
            }
            _ => None,
        })
    }

    /// Adds the structure before everything and its variable in `main`; removes the globals.
    fn state(&mut self) -> Result<(), Refusal> {
        let (mut members, mut values) = (String::new(), String::new());
        for &id in &self.state {
            let row = self.shader.typed.variable(id);
            let name = self.shader.preprocessed.symbols.name(row.name);
            members.push_str(&format!("{}; ", self.member(id, name)));
            if let Some(init) = row.init {
                let value = self.shader.sources.slice(self.shader.written(NodeId::Expr(init)));
                values.push_str(&format!(" {}.{name} = {value};", self.names.1));
            }
        }
        let declared = |decl: &&DeclId| match &self.shader.tree.decl(**decl).kind {
            DeclKind::Variables { declarators, .. } => declarators.iter().any(|declarator| {
                let token = Some(declarator.name.token);
                self.state.iter().any(|id| self.shader.typed.variable(*id).declared == token)
            }),
            _ => false,
        };
        let gone: Vec<DeclId> = self.shader.tree.items.iter().filter(declared).copied().collect();
        gone.into_iter().for_each(|decl| self.rewrite.replace(NodeId::Decl(decl), ""));
        let main = self.shader.typed.functions.iter().filter(|row| row.params.is_empty());
        let main = main.filter(|row| self.shader.preprocessed.symbols.name(row.name) == "main");
        let body = main.filter_map(|row| row.body).next();
        let (Some(&first), Some(body)) = (self.shader.tree.items.first(), body) else {
            return Err(Refusal::Impossible(format!("{FAILED}: the shader has no function main")));
        };
        self.rewrite.before(NodeId::Decl(first), &format!("struct {} {{ {members}}};\n", self.names.0));
        let brace = self.shader.tree.stmt(body).tokens.first;
        let text = format!(" {} {};{values}", self.names.0, self.names.1);
        self.rewrite.wrap_tokens(NodeId::Stmt(body), one(brace), "", &text);
        Ok(())
    }

    /// A member of the structure, as it was declared.
    fn member(&self, id: VarId, name: &str) -> String {
        let types = &self.shader.typed.types;
        let (mut element, mut sizes) = (self.shader.typed.variable(id).ty, String::new());
        while let Some(array) = types.as_array(element) {
            sizes.push_str(&array.size.map_or("[]".to_owned(), |size| format!("[{size}]")));
            element = array.element;
        }
        let precise = element.scalar().is_some_and(|scalar| scalar != Scalar::Bool);
        let highp = if precise && self.shader.preprocessed.version.is_es() { "highp " } else { "" };
        format!("{highp}{} {name}{sizes}", self.shader.type_name(element))
    }

    /// Adds the parameter to functions, wherever they are declared.
    fn functions(&mut self) {
        let parameter = format!("inout {} {}", self.names.0, self.names.1);
        for &decl in &self.shader.tree.items {
            let DeclKind::Function(syntax) = &self.shader.tree.decl(decl).kind else { continue };
            let is_main = self.shader.preprocessed.symbols.name(syntax.name.symbol) == "main";
            if !is_main && self.declares_user(decl, syntax) {
                let close = match syntax.params.last() {
                    Some(param) => TokenIndex(param.tokens.last.0 + 1),
                    None => self.closing(TokenIndex(syntax.name.token.0 + 1)),
                };
                self.append(NodeId::Decl(decl), close, &parameter, !syntax.params.is_empty());
            }
        }
    }

    /// Whether a declaration is of a function that gets the parameter.
    fn declares_user(&self, decl: DeclId, syntax: &FunctionSyntax) -> bool {
        let token = syntax.name.token;
        let mut rows = self.users.iter().map(|id| self.shader.typed.function(*id));
        rows.any(|row| {
            let declared = row.first_declared == token || row.declared == token || row.definition == Some(decl);
            declared || self.is_redeclared(row, syntax)
        })
    }

    /// Whether a prototype that is neither the first nor the definition belongs to this function: their spelling is the
    /// same.
    fn is_redeclared(&self, row: &shader::typed::Function, syntax: &FunctionSyntax) -> bool {
        let first = self.shader.tree.items.iter().find_map(|&id| match &self.shader.tree.decl(id).kind {
            DeclKind::Function(first) if first.name.token == row.first_declared => Some(first),
            _ => None,
        });
        let spelled = |syntax: &FunctionSyntax| -> Vec<String> {
            let ty = |param: &shader::ast::ParamSyntax| {
                let words = |tokens: TokenSpan| {
                    self.shader.preprocessed.tokens[tokens.first.0 as usize..=tokens.last.0 as usize]
                        .iter()
                        .map(|token| self.shader.preprocessed.symbols.name(token.symbol).to_owned())
                        .collect::<String>()
                };
                words(param.ty.tokens) + &param.dims.iter().map(|dim| words(dim.tokens)).collect::<String>()
            };
            syntax.params.iter().map(ty).collect()
        };
        row.name == syntax.name.symbol && first.is_some_and(|first| spelled(first) == spelled(syntax))
    }

    fn names_and_calls(&mut self) {
        for id in (0..self.shader.tree.exprs.len() as u32).map(ExprId) {
            if let (ExprKind::Name(_), Target::Variable(variable)) =
                (self.shader.tree.expr(id).kind, self.shader.typed.expr(id).target)
                && self.state.contains(&variable)
            {
                let name = self.shader.preprocessed.symbols.name(self.shader.typed.variable(variable).name);
                self.rewrite.replace(NodeId::Expr(id), &format!("{}.{name}", self.names.1));
            }
        }
        let calls: Vec<(ExprId, bool)> = self.calls().collect();
        let state = self.names.1.clone();
        for (id, has_arguments) in calls {
            self.append(NodeId::Expr(id), self.shader.tree.expr(id).tokens.last, &state, has_arguments);
        }
    }

    /// The parenthesis that closes an empty list or one of `void`.
    fn closing(&self, open: TokenIndex) -> TokenIndex {
        let next = TokenIndex(open.0 + 1);
        if self.is_close(next) { next } else { TokenIndex(open.0 + 2) }
    }

    fn is_close(&self, at: TokenIndex) -> bool {
        self.shader.preprocessed.tokens[at.0 as usize].kind == TokenKind::RightParen
    }

    /// Inserts text before a closing parenthesis; removes the `void` of an empty list.
    fn append(&mut self, node: NodeId, close: TokenIndex, text: &str, has_others: bool) {
        let before = TokenIndex(close.0 - 1);
        let is_void = self.shader.preprocessed.tokens[before.0 as usize].kind == TokenKind::Word;
        match has_others {
            true => self.rewrite.wrap_tokens(node, one(close), &format!(", {text}"), ""),
            false if is_void => self.rewrite.replace_tokens(node, one(before), text),
            false => self.rewrite.wrap_tokens(node, one(close), text, ""),
        }
    }
}

fn one(at: TokenIndex) -> TokenSpan {
    TokenSpan { first: at, last: at }
}
