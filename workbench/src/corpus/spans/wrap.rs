//! Puts parentheses around expressions by span edits, and checks the result with our own front end.

use shader::Shader;
use shader::ast::{Callee, ExprId, ExprKind, NodeId, Tree};
use shader::edit::{LineRules, Rewrite, RewriteError};
use shader::query_rvalue::{Use, Uses};

use crate::corpus::case::Case;
use crate::corpus::front_end;

/// One edited text.
pub struct Wrapped {
    /// The index of the shader in the case.
    pub shader: usize,
    /// Its new strings.
    pub strings: Vec<String>,
    /// The expression in the author's text, or the macro calls that it came from; empty if there are several.
    pub what: String,
    /// Whether an end of the expression is inside a macro call.
    pub in_macro: bool,
}

/// All edited sources of one case.
#[derive(Default)]
pub struct Wrapping {
    /// All at once: the shaders that have expressions to wrap.
    pub all: Vec<Wrapped>,
    /// One at a time.
    pub single: Vec<Wrapped>,
    /// Expressions wrapped all at once.
    pub wrapped: usize,
    /// Those of them that start or end in the output of a macro.
    pub from_macros: usize,
    /// Those of them for which a macro call had to be expanded.
    pub in_macros: usize,
    /// Expressions not wrapped one at a time because the shader has too many.
    pub left_out: usize,
    /// Failures before any driver was used.
    pub failures: Vec<String>,
}

/// Wraps the values of each shader: all at once, and up to `limit` of each shader one at a time. `None` if we do not
/// accept the case.
pub fn wrap(case: &Case, limit: usize) -> Option<Wrapping> {
    let mut wrapping = Wrapping::default();
    for (index, source) in case.shaders.iter().enumerate() {
        let options = front_end::options(case, source.stage);
        let analyze = |strings: &[String]| shader::analyze(strings, &options);
        let original = analyze(&source.strings);
        if original.has_errors() {
            return None;
        }
        let uses = Uses::new(&original);
        let mut values: Vec<ExprId> = uses.all(Use::Value).chain(uses.all(Use::Opaque)).collect();
        values.sort_unstable();
        if values.is_empty() {
            continue;
        }
        let mut rewrite = Rewrite::new(&original);
        wrapping.wrapped += values.len();
        wrapping.from_macros += values.iter().filter(|id| rewrite.touches_call(NodeId::Expr(**id))).count();
        wrapping.in_macros += values.iter().filter(|id| rewrite.splits_call(NodeId::Expr(**id))).count();
        for (what, chosen, at_once) in chosen(&original, &values, limit) {
            rewrite.clear();
            chosen.iter().for_each(|id| rewrite.wrap(NodeId::Expr(*id), "(", ")"));
            let strings = match apply(&rewrite, &original) {
                Ok(strings) => strings,
                Err(error) => {
                    wrapping.failures.push(format!("{what}: {error:?}"));
                    continue;
                }
            };
            let edited = analyze(&strings);
            if let Some(difference) = difference(&original, &edited, chosen) {
                wrapping.failures.push(format!("{what}: {difference}"));
            }
            let in_macro = !at_once && rewrite.splits_call(NodeId::Expr(chosen[0]));
            let list = if at_once { &mut wrapping.all } else { &mut wrapping.single };
            list.push(Wrapped { shader: index, strings, what, in_macro });
        }
        wrapping.left_out += values.len().saturating_sub(limit);
    }
    Some(wrapping)
}

/// Returns everything at once, then each on its own or an evenly spread choice of them.
fn chosen<'a>(shader: &Shader, values: &'a [ExprId], limit: usize) -> Vec<(String, &'a [ExprId], bool)> {
    let mut sets = vec![("all".to_owned(), values, true)];
    let count = values.len().min(limit);
    for index in 0..count {
        let at = index * values.len() / count;
        let (span, _) = shader.preprocessed.span(shader.tree.tokens(NodeId::Expr(values[at])));
        let place = shader.sources.locate(span.start);
        let text: String = shader.sources.slice(span).chars().take(60).collect();
        sets.push((format!("{}:{}: `{text}`", place.line, place.column), &values[at..=at], false));
    }
    sets
}

fn apply(rewrite: &Rewrite<'_>, shader: &Shader) -> Result<Vec<String>, RewriteError> {
    // Mesa joins the strings before it counts lines.
    let rules = LineRules { version: shader.preprocessed.version, per_string: false };
    let edits = rewrite.edits()?;
    // Edits made from nodes are inside the text and do not overlap; otherwise the text would be lost.
    Ok(edits.apply_keeping_lines(&shader.sources, rules).map(|edited| edited.strings).unwrap_or_default())
}

/// Returns how the edited shader differs from the original, other than by parentheses around the given expressions.
fn difference(original: &Shader, edited: &Shader, wrapped: &[ExprId]) -> Option<String> {
    if edited.has_errors() {
        return Some(edited.diagnostics.first().map(|d| d.message.clone()).unwrap_or_default());
    }
    let (old, new) = (Shape::new(&original.tree), Shape::new(&edited.tree));
    if old.kept.len() != new.kept.len() {
        return Some("the number of expressions has changed".to_owned());
    }
    for (a, b) in old.kept.iter().zip(&new.kept) {
        if old.describe(original, *a) != new.describe(edited, *b) {
            return Some(format!("{:?} became {:?}", original.tree.expr(*a).kind, edited.tree.expr(*b).kind));
        }
    }
    let mut expected = old.parens.clone();
    expected.extend(wrapped.iter().map(|id| old.number(*id)));
    expected.sort_unstable();
    let mut found = new.parens;
    found.sort_unstable();
    (expected != found).then(|| "the parentheses are around something else".to_owned())
}

/// A tree's expressions without its parentheses, numbered in order.
struct Shape<'a> {
    tree: &'a Tree,
    kept: Vec<ExprId>,
    /// Number of each expression; parentheses have that of their contents.
    numbers: Vec<u32>,
    /// The contents of each pair of parentheses.
    parens: Vec<u32>,
}

impl<'a> Shape<'a> {
    fn new(tree: &'a Tree) -> Shape<'a> {
        let mut shape =
            Shape { tree, kept: Vec::new(), numbers: Vec::with_capacity(tree.exprs.len()), parens: Vec::new() };
        for (id, expr) in (0..).map(ExprId).zip(&tree.exprs) {
            let number = if let ExprKind::Paren(inner) = expr.kind {
                let number = shape.number(inner);
                shape.parens.push(number);
                number
            } else {
                shape.kept.push(id);
                shape.kept.len() as u32 - 1
            };
            shape.numbers.push(number);
        }
        shape
    }

    fn number(&self, id: ExprId) -> u32 {
        self.numbers[id.0 as usize]
    }

    /// Returns an expression with its parts as numbers and its names as text.
    fn describe<'s>(&self, shader: &'s Shader, id: ExprId) -> (ExprKind, &'s str, Vec<u32>) {
        let n = |id: ExprId| ExprId(self.number(id));
        let name = |symbol| shader.preprocessed.symbols.name(symbol);
        let none = ExprKind::Error;
        match self.tree.expr(id).kind {
            ExprKind::Name(symbol) => (none, name(symbol), vec![]),
            ExprKind::Field(a, symbol) => (none, name(symbol), vec![self.number(a)]),
            ExprKind::Call(callee, list) => {
                let arguments = self.tree.exprs_of(list).iter().map(|id| self.number(*id));
                match callee {
                    Callee::Name(symbol) => (none, name(symbol), arguments.collect()),
                    Callee::Type(_) | Callee::Array(_) => (none, "type", arguments.collect()),
                    Callee::Expr(id) => (none, "call", std::iter::once(self.number(id)).chain(arguments).collect()),
                }
            }
            ExprKind::Initializers(list) => {
                (none, "list", self.tree.exprs_of(list).iter().map(|id| self.number(*id)).collect())
            }
            ExprKind::Unary(op, a) => (ExprKind::Unary(op, n(a)), "", vec![]),
            ExprKind::Binary(op, a, b) => (ExprKind::Binary(op, n(a), n(b)), "", vec![]),
            ExprKind::Assign(op, a, b) => (ExprKind::Assign(op, n(a), n(b)), "", vec![]),
            ExprKind::Conditional(a, b, c) => (ExprKind::Conditional(n(a), n(b), n(c)), "", vec![]),
            ExprKind::Comma(a, b) => (ExprKind::Comma(n(a), n(b)), "", vec![]),
            ExprKind::Index(a, b) => (ExprKind::Index(n(a), n(b)), "", vec![]),
            kind @ (ExprKind::Error | ExprKind::Literal(_) | ExprKind::Paren(_)) => (kind, "", vec![]),
        }
    }
}
