//! Laws that hold for every shader, however broken.

use shader::Shader;
use shader::ast::{Callee, Condition, DeclKind, ExprId, ExprKind, NodeId, StmtKind};
use shader::diagnostic::Diagnostic;
use shader::edit::Edits;
use shader::source::Span;
use shader::token::{ExpansionId, TokenIndex, TokenKind, TokenSpan};
use shader::version::Stage;

use crate::input::Input;

/// Reads, links and edits a shader, and panics if a law is violated.
pub fn check(input: &Input) {
    let shader = shader::analyze(&input.strings, &input.options);
    let again = shader::analyze(&input.strings, &input.options);
    assert_eq!(shader.diagnostics, again.diagnostics, "the same text has the same diagnostics");
    tokens(&shader);
    diagnostics(&shader, &shader.diagnostics);
    nesting(&shader);
    assert_eq!(shader.typed.exprs.len(), shader.tree.exprs.len(), "every expression has a type entry");
    link(input, &shader);
    edit(input, &shader);
}

fn within(shader: &Shader, span: Span) {
    let text = shader.sources.text();
    let (start, end) = (span.start.0 as usize, span.end.0 as usize);
    assert!(start <= end && end <= text.len(), "{span:?} must be inside the text");
    assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{span:?} must be on character boundaries");
}

fn tokens(shader: &Shader) {
    let tokens = &shader.preprocessed.tokens;
    assert_eq!(tokens.last().map(|t| t.kind), Some(TokenKind::Eof));
    let mut end = 0;
    for token in tokens {
        within(shader, token.span());
        for id in shader.preprocessed.chain(token.expansion) {
            let row = shader.preprocessed.expansion(id);
            assert!(row.parent < id, "the row of a parent must come first");
            within(shader, row.call);
            within(shader, row.body);
            within(shader, row.definition);
        }
        if token.expansion == ExpansionId::NONE {
            assert!(token.pos.0 >= end, "the author's tokens must be in order");
            end = token.pos.0 + token.len;
        }
    }
}

fn diagnostics(shader: &Shader, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        assert!(!diagnostic.message.is_empty() && !diagnostic.labels.is_empty());
        for label in &diagnostic.labels {
            within(shader, label.span);
            let _ = shader.sources.locate(label.span.start);
            let _ = shader.preprocessed.presumed(&shader.sources, label.span.end);
        }
    }
    assert!(diagnostics.is_sorted_by_key(|d| d.labels.first().map(|l| l.span)), "diagnostics must be in order");
}

fn nesting(shader: &Shader) {
    let tree = &shader.tree;
    let last = TokenIndex(shader.preprocessed.tokens.len() as u32 - 1);
    let all = TokenSpan { first: TokenIndex(0), last };
    let inside = |outer: TokenSpan, inner: NodeId| {
        let span = tree.tokens(inner);
        assert!(span.first <= span.last, "{inner:?} must have tokens");
        assert!(outer.first <= span.first && span.last <= outer.last, "{inner:?} must be inside its parent");
    };
    let expr = |outer, id: ExprId| inside(outer, NodeId::Expr(id));
    for node in &tree.exprs {
        let outer = node.tokens;
        match node.kind {
            ExprKind::Error | ExprKind::Name(_) | ExprKind::Literal(_) => {}
            ExprKind::Paren(a) | ExprKind::Unary(_, a) | ExprKind::Field(a, _) => expr(outer, a),
            ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) | ExprKind::Comma(a, b) | ExprKind::Index(a, b) => {
                expr(outer, a);
                expr(outer, b);
            }
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| expr(outer, e)),
            ExprKind::Call(callee, list) => {
                match callee {
                    Callee::Name(_) | Callee::Type(_) => {}
                    Callee::Array(decl) => inside(outer, NodeId::Decl(decl)),
                    Callee::Expr(e) => expr(outer, e),
                }
                tree.exprs_of(list).iter().for_each(|&e| expr(outer, e));
            }
            ExprKind::Initializers(list) => tree.exprs_of(list).iter().for_each(|&e| expr(outer, e)),
        }
    }
    for node in &tree.stmts {
        let outer = node.tokens;
        let stmt = |id| inside(outer, NodeId::Stmt(id));
        let condition = |condition| match condition {
            Condition::Expr(e) => expr(outer, e),
            Condition::Decl(d) => inside(outer, NodeId::Decl(d)),
        };
        match node.kind {
            StmtKind::Block(list) => tree.stmts_of(list).iter().for_each(|&s| stmt(s)),
            StmtKind::Expr(e) | StmtKind::Case(e) | StmtKind::Return(Some(e)) => expr(outer, e),
            StmtKind::Decl(d) => inside(outer, NodeId::Decl(d)),
            StmtKind::If { condition: c, then, otherwise } => {
                expr(outer, c);
                stmt(then);
                otherwise.into_iter().for_each(stmt);
            }
            StmtKind::While { condition: c, body } => {
                condition(c);
                stmt(body);
            }
            StmtKind::DoWhile { body, condition: c } => {
                stmt(body);
                expr(outer, c);
            }
            StmtKind::For { init, condition: c, step, body } => {
                stmt(init);
                c.into_iter().for_each(condition);
                step.into_iter().for_each(|e| expr(outer, e));
                stmt(body);
            }
            StmtKind::Switch { selector, body } => {
                expr(outer, selector);
                tree.stmts_of(body).iter().for_each(|&s| stmt(s));
            }
            StmtKind::Error
            | StmtKind::Empty
            | StmtKind::Default
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)
            | StmtKind::Discard
            | StmtKind::Demote => {}
        }
    }
    for (at, node) in tree.decls.iter().enumerate() {
        if let DeclKind::Function(function) = &node.kind
            && let Some(body) = function.body
        {
            inside(node.tokens, NodeId::Stmt(body));
        }
        inside(all, NodeId::Decl(shader::ast::DeclId(at as u32)));
        let _ = at;
    }
    assert!(tree.items.is_sorted_by_key(|&id| tree.decl(id).tokens.first), "declarations must be in order");
}

/// Links the shader alone, and with the same text as its neighbouring stage.
fn link(input: &Input, shader: &Shader) {
    linked(&[shader]);
    let mut options = input.options.clone();
    options.stage = if shader.stage == Stage::Fragment { Stage::Vertex } else { Stage::Fragment };
    let other = shader::analyze(&input.strings, &options);
    linked(&[shader, &other]);
    linked(&[&other, shader, shader]);
}

fn linked(shaders: &[&Shader]) {
    for found in &shader::link(shaders).diagnostics {
        assert!(!found.diagnostic.message.is_empty());
        for label in &found.diagnostic.labels {
            within(shaders[found.shader.expect("a label refers to a shader")], label.span);
        }
    }
}

/// Puts parentheses around every expression of the author's text.
fn edit(input: &Input, shader: &Shader) {
    let mut edits = Edits::new();
    let mut wraps = 0;
    for expr in &shader.tree.exprs {
        let (span, expansion) = shader.preprocessed.span(expr.tokens);
        within(shader, span);
        if expansion == ExpansionId::NONE && !span.is_empty() {
            edits.wrap(span, "(", ")");
            wraps += 1;
        }
    }
    let edited = edits.apply(&shader.sources).expect("insertions never conflict");
    let text = edited.strings.concat();
    assert_eq!(edited.strings.len(), shader.sources.strings());
    assert_eq!(text.len(), shader.sources.text().len() + 2 * wraps);
    for token in shader.preprocessed.tokens.iter().filter(|t| t.expansion == ExpansionId::NONE) {
        let start = edited.to_new(token.pos);
        assert_eq!(edited.to_old(start), token.pos);
        let kept = &text[start.0 as usize..(start.0 + token.len) as usize];
        assert_eq!(kept, shader.sources.slice(token.span()), "text that is not edited must not change");
    }
    let _ = shader::analyze(&edited.strings, &input.options);
}
