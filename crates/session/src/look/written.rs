//! Variables that no statement can have written where a run stands: what their registers hold is no value of theirs.
//!
//! This follows from the text alone: all places that write the variable come later, and no loop leads back to them. Where
//! a place may have run, the variable counts as written.

use moment::Moment;
use moment::glsl::insert::InsertionPoint;
use shader::Shader;
use shader::ast::{ExprId, ExprKind, NodeId, StmtKind};
use shader::qualifier::Storage;
use shader::query_rvalue::{Use, Uses};
use shader::token::{TokenIndex, TokenSpan};
use shader::typed::{ScopeId, Target, VarId, VariableKind};

use crate::run::frames;

/// What [`crate::data::value::Variable::note`] says of such a variable.
pub const NOT_WRITTEN: &str = "not written yet";

/// The places that write variables.
pub struct Writers<'a> {
    shader: &'a Shader,
    uses: Uses,
}

impl<'a> Writers<'a> {
    pub fn new(shader: &'a Shader) -> Writers<'a> {
        Writers { shader, uses: Uses::new(shader) }
    }

    /// Returns whether a variable cannot have been written where a frame of a run stands.
    pub fn cannot_have_written(&self, id: VarId, frame: &Moment, run: &Moment) -> bool {
        let row = self.shader.typed.variable(id);
        let has_no_value_before = matches!(
            (row.kind, row.qualifiers.storage),
            (VariableKind::Local, _)
                | (VariableKind::Parameter(..) | VariableKind::Builtin, Storage::Out)
                | (VariableKind::Global, Storage::Out | Storage::Plain)
        );
        if !has_no_value_before || row.constant.is_some() || row.init.is_some() {
            return false;
        }
        // What functions that have returned wrote is not known: outside of functions, only writes of `main` count as later.
        let outermost = frames(run).pop();
        let at = if row.scope == ScopeId::GLOBAL { outermost.as_ref() } else { Some(frame) };
        let Some((at, point)) = at.and_then(|at| Some((at, InsertionPoint::of(self.shader, at)?))) else {
            return false;
        };
        let now = self.shader.tree.stmt(point.statement);
        let function = self.shader.enclosing_function(NodeId::Stmt(point.statement));
        let loops: Vec<TokenSpan> = self.loops_around(now.tokens).collect();
        // In the middle of a statement, parts of it may have run; the left side of an assignment has not.
        let target = match now.kind {
            StmtKind::Expr(expr) => match self.shader.tree.expr(expr).kind {
                ExprKind::Assign(_, target, _) => Some(self.shader.tree.expr(target).tokens),
                _ => None,
            },
            _ => None,
        };
        self.places(id).all(|place| {
            let token = self.shader.tree.expr(place).tokens.first;
            let inside = at != run && holds(now.tokens, token) && !target.is_some_and(|target| holds(target, token));
            let same = function.is_some() && self.shader.enclosing_function(NodeId::Expr(place)) == function;
            same && token.0 >= now.tokens.first.0 && !inside && !loops.iter().any(|around| holds(*around, token))
        })
    }

    /// The expressions that write a variable or part of it, or pass it on to be written.
    fn places(&self, id: VarId) -> impl Iterator<Item = ExprId> {
        self.uses.all(Use::Lvalue).filter(move |place| {
            matches!(self.shader.tree.expr(*place).kind, ExprKind::Name(_))
                && matches!(self.shader.typed.expr(*place).target, Target::Variable(variable) if variable == id)
        })
    }

    /// The loops that a statement is in or is.
    fn loops_around(&self, now: TokenSpan) -> impl Iterator<Item = TokenSpan> {
        let statements = self.shader.statements().into_iter().map(|id| self.shader.tree.stmt(id));
        let loops = statements.filter(|statement| {
            matches!(statement.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. })
        });
        loops.map(|statement| statement.tokens).filter(move |span| holds(*span, now.first))
    }
}

fn holds(span: TokenSpan, token: TokenIndex) -> bool {
    (span.first.0..=span.last.0).contains(&token.0)
}

#[cfg(test)]
mod tests {
    use shader::ast::StmtId;
    use shader::version::{Options, Stage};

    use super::*;

    const TEXT: &str = "#version 330 core
out vec4 color;
vec3 shared_by_all;
float half_of(out float whole) {
    whole = 2.0;
    return 0.5;
}
void main() {
    float early = 1.0, late, looped, passed;
    for (int i = 0; i < 2; i++) {
        late = early;
        looped = late;
    }
    late = half_of(passed);
    shared_by_all = vec3(late);
    color.x = passed;
    color = vec4(shared_by_all, looped);
}
";

    /// Checks which variables of `main` cannot have been written before a line.
    #[track_caller]
    fn check(line: usize, expected: &str) {
        let shader = shader::analyze(&[TEXT], &Options::new(Stage::Fragment));
        assert!(!shader.has_errors());
        let begins = TEXT.lines().take(line - 1).map(|line| line.len() + 1).sum::<usize>();
        let at_line = |id: &StmtId| {
            let token = shader.tree.stmt(*id).tokens.first;
            let at = shader.preprocessed.tokens[token.0 as usize].pos.0 as usize;
            TEXT[begins..at.max(begins)].trim().is_empty() && at >= begins
        };
        let statement = shader.statements().into_iter().find(at_line).expect("a statement");
        let moment = Moment { site: NodeId::Stmt(statement).into(), path: Vec::new() };
        let writers = Writers::new(&shader);
        let names = (0..).map(VarId).zip(&shader.typed.variables).filter_map(|(id, row)| {
            let name = shader.preprocessed.symbols.name(row.name);
            let plain = !matches!(row.kind, VariableKind::Builtin | VariableKind::Parameter(..));
            (plain && writers.cannot_have_written(id, &moment, &moment)).then_some(name)
        });
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        assert_eq!(names.join(" "), expected, "before line {line}");
    }

    #[test]
    fn what_comes_later_has_not_been_written() {
        check(10, "color passed shared_by_all");
        // In a loop, what comes later may have run before.
        check(11, "color passed shared_by_all");
        check(14, "color passed shared_by_all");
        check(15, "color shared_by_all");
        check(16, "color");
        check(17, "");
    }
}
