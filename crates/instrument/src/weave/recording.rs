//! A complete recording of an invocation.
//!
//! Markers are recorded where the emulator passes them, so that [`moment::Tracker`] derives the same moments from both:
//! before statements; on entry to a call, when its arguments have been evaluated, and on exit, before results are
//! copied back; where a loop begins, for each of its iterations before the condition is evaluated, and where it ends
//! other than by `return`.
//!
//! What a statement does to a variable is recorded before the next marker. Constants are not recorded, nor are values
//! that no function can take; those have no site.

use moment::Marker;
use shader::ast::{Condition, DeclId, DeclKind, ExprId, ExprKind, NodeId, StmtId, StmtKind, UnaryOp};
use shader::builtin::{Direction, Function};
use shader::qualifier::Storage;
use shader::query_rvalue::Use;
use shader::token::{TokenIndex, TokenSpan};
use shader::typed::{Target, VarId};
use shader::types::{Scalar, Type};
use shader::version::Stage;

use super::Weaver;
use super::calls::{RESULT, argument};
use super::nodes::asked;
use super::slots::{Phase, Slots};
use crate::question::Detail;
use crate::variant::{Refusal, What};

/// The maximum nesting depth of recorded values: compilers have limits, which long sums would exceed.
const DEEPEST: usize = 48;

/// Expressions that record a marker and are true. Compilers cannot see that for the one at the head of loops: otherwise
/// they would unroll the loops with all their records, and take minutes instead of seconds. The exception is loops that
/// select blocks or samplers by an index: if they are not unrolled, llvmpipe uses the first fragment's index for all
/// fragments, whether that one is still in the loop or not.
const MARKS: &str = "\
bool $mark(PARAMETERS) { $note(ARGUMENTS); return true; }
bool $turn(PARAMETERS) { $note(ARGUMENTS); return UNKNOWN; }
";

impl Weaver<'_> {
    pub(super) fn recording(&mut self, detail: &Detail) -> Result<(), Refusal> {
        self.detail = detail.clone();
        let all: Vec<StmtId> = self.shader.statements();
        let all: Vec<StmtId> = all.into_iter().filter(|&id| self.nodes.is_reached(NodeId::Stmt(id))).collect();
        let picks = self.picks().next().is_some();
        let unknown = if picks { "true" } else { "$on >= 0" };
        if !picks {
            self.frame.keep_loops();
        }
        let (parameters, arguments) = match self.slots {
            Slots::Part(_) => ("`int $k, `int $s", "$k, $s"),
            Slots::Stream | Slots::Survey(_) => ("`int $s", "$s"),
        };
        let marks = MARKS.replace("PARAMETERS", parameters).replace("ARGUMENTS", arguments);
        self.frame.declare(&self.frame.text(&marks.replace("UNKNOWN", unknown)));
        // From the inside out: code for an outer statement is wrapped around code for an inner one.
        for id in (0..self.shader.tree.exprs.len() as u32).map(ExprId) {
            if self.nodes.is_reached(NodeId::Expr(id)) {
                self.record_expression(id)?;
            }
        }
        if !picks {
            self.hide_indices();
        }
        if self.shader.stage == Stage::Geometry {
            self.emissions()?;
        }
        for &id in all.iter().rev() {
            self.record_statement(id)?;
        }
        Ok(())
    }

    /// Hides from compilers that arrays are indexed by the variables of loops: Mesa's guesses from the length of such an array
    /// how often the loop is run, and unrolls it with all its records, although it cannot know its condition.
    fn hide_indices(&mut self) {
        if !matches!(self.shader.stage, Stage::Vertex | Stage::Fragment | Stage::Compute) {
            return;
        }
        let mut declared = false;
        for id in (0..self.shader.tree.exprs.len() as u32).map(ExprId) {
            let ExprKind::Index(_, index) = self.shader.tree.expr(id).kind else { continue };
            let facts = *self.shader.typed.expr(index);
            let node = NodeId::Expr(index);
            let hides = facts.ty == Type::INT && facts.constant.is_none() && self.nodes.is_reached(node);
            if hides && !self.nodes.loops(self.shader, node).is_empty() && self.obstacle(index).is_none() {
                if !declared {
                    let text = self.frame.text("`int $index(`int $i) { return $i + min($on, 0); }\n");
                    self.frame.declare(&text);
                    declared = true;
                }
                let name = self.frame.name("index");
                self.wrap_in_call(index, &name, "");
            }
        }
    }

    fn marker(&mut self, marker: Marker) -> String {
        self.note(What::Marker(marker))
    }

    /// An expression that records a marker and is true, by one of [`MARKS`]; `None` if it belongs to another part.
    fn mark(&mut self, function: &str, marker: Marker) -> Option<String> {
        let number = self.site(What::Marker(marker), Type::Void);
        self.wants(number).then(|| self.frame.text(&format!("${function}({})", self.number(number))))
    }

    fn record_statement(&mut self, id: StmtId) -> Result<(), Refusal> {
        let kind = self.shader.tree.stmt(id).kind;
        let mut after = String::new();
        if self.begins(id).is_some_and(|outer| self.fixed.contains(&outer)) {
            return Ok(());
        }
        self.at_statement(id, Phase::After);
        match kind {
            StmtKind::Error | StmtKind::Empty | StmtKind::Block(_) | StmtKind::Case(_) | StmtKind::Default => {
                return Ok(());
            }
            StmtKind::Decl(decl) => after = self.record_declaration(decl)?,
            StmtKind::Expr(expr) => after = self.record_behind(expr)?,
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => return self.record_loop(id),
            StmtKind::If { condition, .. } if self.is_else_if(id) => {
                // No deeper than in the original: such chains are long.
                self.at_statement(id, Phase::Before);
                if let Some(mark) = self.mark("mark", Marker::Statement(id.into())) {
                    self.rewrite.wrap(NodeId::Expr(condition), &format!("{mark} ? ("), ") : false");
                }
                return Ok(());
            }
            _ => {}
        }
        self.at_statement(id, Phase::Before);
        let note = self.marker(Marker::Statement(id.into()));
        if note.is_empty() && after.trim().is_empty() {
            return Ok(());
        }
        if self.begins(id).is_some() {
            // The enclosing loop has put it into a block.
            self.rewrite.wrap(NodeId::Stmt(id), &format!("{note} "), &after);
        } else {
            self.around_statement(id, &note, &after);
        }
        Ok(())
    }

    fn is_else_if(&self, id: StmtId) -> bool {
        match self.nodes.parent(NodeId::Stmt(id)) {
            Some(NodeId::Stmt(parent)) => {
                matches!(self.shader.tree.stmt(parent).kind, StmtKind::If { otherwise: Some(next), .. } if next == id)
            }
            _ => false,
        }
    }

    /// The loop whose header begins with a statement.
    fn begins(&self, id: StmtId) -> Option<StmtId> {
        let NodeId::Stmt(parent) = self.nodes.parent(NodeId::Stmt(id))? else { return None };
        matches!(self.shader.tree.stmt(parent).kind, StmtKind::For { init, .. } if init == id).then_some(parent)
    }

    fn record_loop(&mut self, id: StmtId) -> Result<(), Refusal> {
        let kind = self.shader.tree.stmt(id).kind;
        if self.fixed.contains(&id) {
            return self.record_fixed_loop(id);
        }
        self.at_statement(id, Phase::Before);
        let statement = self.marker(Marker::Statement(id.into()));
        // The loop begins after its initialisation.
        match kind {
            StmtKind::For { init, .. } if self.shader.tree.stmt(init).kind != StmtKind::Empty => {
                self.at_statement(init, Phase::After);
                self.position.spot.step = Phase::After;
            }
            _ => self.at_statement(id, Phase::In),
        }
        let begin = self.marker(Marker::Loop(id.into()));
        let looped = self.around_loop(id);
        self.at_statement(id, Phase::After);
        let done = self.marker(Marker::Done);
        let begin = format!("{begin} {}", looped.before);
        let condition = match kind {
            StmtKind::While { condition, .. } | StmtKind::For { condition: Some(condition), .. } => Some(condition),
            _ => None,
        };
        if let Some(Condition::Decl(decl)) = condition {
            self.record_declaration(decl)?;
        }
        let asked = condition.and_then(|condition| asked(self.shader, condition));
        self.at_iteration(id);
        // Constant or missing conditions are not recorded; compilers may need to see that the loop is endless.
        match asked.filter(|&expr| self.uses.of(expr) != Use::Constant) {
            Some(expr) => {
                if let Some(iterate) = self.mark("turn", Marker::Iterate) {
                    self.rewrite.wrap(NodeId::Expr(expr), &format!("({iterate} ? ("), ") : false)");
                }
            }
            None => {
                let iterate = self.marker(Marker::Iterate);
                if !iterate.is_empty() {
                    self.body_begins(id, &iterate);
                }
            }
        }
        match kind {
            StmtKind::For { init, .. } if self.shader.tree.stmt(init).kind != StmtKind::Empty => {
                // `for (init; …)` becomes `{ init; for (; …) }`, because the loop begins after its initialisation.
                let first = self.shader.tree.stmt(id).tokens.first;
                let last = TokenIndex(self.shader.tree.stmt(init).tokens.first.0 - 1);
                self.rewrite.replace_tokens(NodeId::Stmt(id), TokenSpan { first, last }, "{ ");
                self.rewrite.after(NodeId::Stmt(init), &format!(" {begin} for (;"));
                self.around_statement(id, &statement, &format!("{} }} {done}", looped.after));
            }
            _ if [&statement, &begin, &done].iter().all(|text| text.trim().is_empty()) => {}
            _ => {
                let (before, after) = (format!("{statement} {begin}"), format!("{} {done}", looped.after));
                self.around_statement(id, &before, &after);
            }
        }
        Ok(())
    }

    /// A loop whose header must not change. Its condition has no side effects, so its evaluation is implied by what
    /// follows: the body, or the end without a `break`.
    fn record_fixed_loop(&mut self, id: StmtId) -> Result<(), Refusal> {
        let StmtKind::For { init, .. } = self.shader.tree.stmt(id).kind else { return Ok(()) };
        self.at_statement(id, Phase::Before);
        let statement = self.marker(Marker::Statement(id.into()));
        let first = self.marker(Marker::Statement(init.into()));
        self.at_statement(id, Phase::In);
        let begin = self.marker(Marker::Loop(id.into()));
        let looped = self.around_loop(id);
        self.at_statement(id, Phase::After);
        let done = self.marker(Marker::Done);
        self.at_iteration(id);
        let iterate = self.marker(Marker::Iterate);
        let begin = format!("{begin} {}", looped.before);
        let done = format!("{} {done}", looped.after);
        let left = self.frame.name(&format!("left{}", id.0));
        self.frame.declare(&format!("bool {left} = false;\n"));
        for inner in self.shader.statements() {
            if self.shader.tree.stmt(inner).kind == StmtKind::Break && self.breaks(inner) == Some(id) {
                self.around_statement(inner, &format!("{left} = true;"), "");
            }
        }
        self.body_begins(id, &iterate);
        let before = format!("{statement} {first} {begin} {left} = false;");
        self.around_statement(id, &before, &format!("if (!{left}) {{ {iterate} }} {done}"));
        Ok(())
    }

    /// The loop that a `break` leaves.
    fn breaks(&self, id: StmtId) -> Option<StmtId> {
        self.nodes.around(NodeId::Stmt(id)).find_map(|node| match node {
            NodeId::Stmt(outer) => match self.shader.tree.stmt(outer).kind {
                StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::Switch { .. } => {
                    Some(outer)
                }
                _ => None,
            },
            NodeId::Expr(_) | NodeId::Decl(_) => None,
        })
    }

    /// The initialisers of a declaration. Those that cannot be recorded in place are recorded after the statement.
    fn record_declaration(&mut self, decl: DeclId) -> Result<String, Refusal> {
        let DeclKind::Variables { declarators, .. } = &self.shader.tree.decl(decl).kind else {
            return Ok(String::new());
        };
        let (mut behind, behind_it) = (String::new(), self.position);
        for declarator in declarators.clone() {
            let Some(init) = declarator.init else { continue };
            let Some(variable) = self.variable(declarator.name.token, init) else { continue };
            let row = self.shader.typed.variable(variable);
            let (ty, precision, constant) = (row.ty, row.qualifiers.precision, row.constant.is_some());
            if constant {
                continue;
            }
            let name = self.shader.preprocessed.symbols.name(row.name).to_owned();
            let what = What::Variable(NodeId::Decl(decl), name.clone());
            let listed = matches!(self.shader.tree.expr(init).kind, ExprKind::Initializers(_));
            match self.see(ty, precision) {
                Ok(see) if !listed && self.obstacle(init).is_none() => {
                    self.at_expr(init, Phase::After);
                    self.record_in_place(init, what, ty, &see);
                }
                _ => {
                    self.position = behind_it;
                    if let Ok(note) = self.note_value(what, ty, &name) {
                        behind.push_str(&format!(" {note}"));
                    }
                }
            }
        }
        Ok(behind)
    }

    /// The variable of a declarator; see the emulator about redeclared arrays.
    fn variable(&self, name: TokenIndex, init: ExprId) -> Option<VarId> {
        let rows = &self.shader.typed.variables;
        let found = rows.iter().position(|row| row.declared == Some(name));
        found.or_else(|| rows.iter().position(|row| row.init == Some(init))).map(|index| VarId(index as u32))
    }

    /// A statement that assigns a value which no function can take: recorded after it.
    fn record_behind(&mut self, expr: ExprId) -> Result<String, Refusal> {
        let ExprKind::Assign(_, left, _) = self.shader.tree.expr(expr).kind else { return Ok(String::new()) };
        let ty = self.shader.typed.expr(left).ty;
        let passes = self.see(ty, self.precisions.of(left)).is_ok() && self.obstacle(expr).is_none();
        if passes || self.shader.typed.expr(left).side_effects {
            return Ok(String::new());
        }
        let text = self.spelled(self.shader.tree.expr(left).tokens);
        Ok(self.note_value(What::Value(NodeId::Expr(expr)), ty, &text).unwrap_or_default())
    }

    fn record_expression(&mut self, id: ExprId) -> Result<(), Refusal> {
        let (kind, facts) = (self.shader.tree.expr(id).kind, *self.shader.typed.expr(id));
        if let (ExprKind::Call(..), Target::Function(_) | Target::Subroutine(_)) = (kind, facts.target) {
            return self.record_call(id);
        }
        if let (ExprKind::Call(_, list), Target::Builtin(function)) = (kind, facts.target)
            && function.params.iter().any(|param| param.direction != Direction::In && !param.memory)
        {
            return self.record_builtin(id, function, self.shader.tree.exprs_of(list));
        }
        if let ExprKind::Paren(_) = kind {
            return Ok(());
        }
        let wanted = match kind {
            ExprKind::Assign(..) => true,
            ExprKind::Unary(op, _) if op.assigns() => true,
            _ => self.is_detailed(id) && !self.is_part_of_place(id) && self.depth(id) < DEEPEST,
        };
        if self.uses.of(id) != Use::Value || !(wanted || self.steers(id)) || self.obstacle(id).is_some() {
            return Ok(());
        }
        // `a = b`: the value is recorded in place, with the type of `a`.
        let (typed_by, wrapped) = match kind {
            ExprKind::Assign(None, left, right) => (left, right),
            _ => (id, id),
        };
        let ty = self.shader.typed.expr(typed_by).ty;
        if let Ok(see) = self.see(ty, self.precisions.of(typed_by)) {
            self.at_expr(id, Phase::After);
            self.record_in_place(wrapped, What::Value(NodeId::Expr(id)), ty, &see);
            self.store_given(id);
        }
        Ok(())
    }

    /// Has a place that an expression changes hold the value that another device measured.
    fn store_given(&mut self, id: ExprId) {
        let place = match self.shader.tree.expr(id).kind {
            ExprKind::Assign(Some(_), place, _)
            | ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, place) => place,
            _ => return,
        };
        if self.given && !self.shader.typed.expr(place).side_effects {
            let place = self.spelled(self.shader.tree.expr(place).tokens);
            self.rewrite.wrap(NodeId::Expr(id), &format!("({place} = "), ")");
        }
    }

    /// Whether the recording has the values of expressions here.
    fn is_detailed(&self, id: ExprId) -> bool {
        match &self.detail {
            Detail::Statements => false,
            Detail::Expressions => true,
            Detail::ExpressionsIn(chosen) => {
                let node = NodeId::Expr(id);
                chosen.contains(&node) || self.nodes.around(node).any(|outer| chosen.contains(&outer))
            }
        }
    }

    /// Puts an expression into a function that records its value, unless the record belongs to another part.
    fn record_in_place(&mut self, id: ExprId, what: What, ty: Type, see: &str) {
        let number = self.site(what, ty);
        if self.wants(number) {
            self.convert(id, ty);
            self.wrap_in_call(id, see, &format!("{}, ", self.number(number)));
        }
    }

    /// Converts an expression to the type it would be converted to implicitly. Mesa converts to 64-bit types, and float
    /// matrices to double ones, in assignments, but often not in arguments.
    fn convert(&mut self, id: ExprId, ty: Type) {
        let basic = matches!(ty, Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..));
        if basic && ty.scalar().is_some_and(Scalar::is_64_bit) && self.shader.typed.expr(id).ty != ty {
            let name = self.shader.type_name(ty);
            self.wrap_in_call(id, &name, "");
        }
    }

    /// Whether a value determines control flow.
    fn steers(&self, id: ExprId) -> bool {
        match self.nodes.parent(NodeId::Expr(id)) {
            Some(NodeId::Expr(outer)) => match self.shader.tree.expr(outer).kind {
                ExprKind::Conditional(condition, ..) => condition == id,
                ExprKind::Paren(_) => self.steers(outer),
                _ => false,
            },
            Some(NodeId::Stmt(outer)) => match self.shader.tree.stmt(outer).kind {
                StmtKind::If { condition, .. } | StmtKind::DoWhile { condition, .. } => condition == id,
                StmtKind::While { condition, .. } | StmtKind::For { condition: Some(condition), .. } => {
                    condition == Condition::Expr(id)
                }
                StmtKind::Switch { selector, .. } => selector == id,
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether an expression denotes a variable of which a part is accessed: the part is recorded, not the whole.
    fn is_part_of_place(&self, id: ExprId) -> bool {
        let named =
            matches!(self.shader.tree.expr(id).kind, ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Field(..));
        match self.nodes.parent(NodeId::Expr(id)) {
            Some(NodeId::Expr(outer)) => match self.shader.tree.expr(outer).kind {
                ExprKind::Index(base, _) | ExprKind::Field(base, _) => named && base == id,
                _ => false,
            },
            _ => false,
        }
    }

    /// The nesting depth of an expression.
    fn depth(&self, id: ExprId) -> usize {
        let around = self.nodes.around(NodeId::Expr(id));
        around.take(DEEPEST).take_while(|node| matches!(node, NodeId::Expr(_))).count()
    }

    /// A call: its arguments, entry and exit, and its result.
    fn record_call(&mut self, id: ExprId) -> Result<(), Refusal> {
        let (Target::Function(function) | Target::Subroutine(function)) = self.shader.typed.expr(id).target else {
            return Ok(());
        };
        let ExprKind::Call(_, list) = self.shader.tree.expr(id).kind else { return Ok(()) };
        let arguments = self.shader.tree.exprs_of(list).to_vec();
        let row = self.shader.typed.function(function).clone();
        let names = self.parameter_names(function);
        self.at_expr(id, Phase::Before);
        let mut before = self.marker(Marker::Enter(id.into()));
        for (index, param) in row.params.iter().enumerate() {
            if param.qualifiers.storage == Storage::Out {
                continue;
            }
            let Some((decl, name)) = names.get(index).cloned().flatten() else { continue };
            let what = What::Variable(NodeId::Decl(decl), name);
            let text = self.frame.text(&argument(index));
            if let Ok(note) = self.note_value(what, param.ty, &text) {
                before.push_str(&format!(" {note}"));
            }
        }
        self.at_expr(id, Phase::After);
        let mut after = self.marker(Marker::Leave);
        for (index, (param, &argument_id)) in row.params.iter().zip(&arguments).enumerate() {
            if matches!(param.qualifiers.storage, Storage::Out | Storage::InOut) {
                let text = self.frame.text(&argument(index));
                let what = What::Value(NodeId::Expr(argument_id));
                if let Ok(note) = self.note_value(what, param.ty, &text) {
                    after.push_str(&format!(" {note}"));
                }
            }
        }
        if row.result != Type::Void {
            let text = self.frame.text(RESULT);
            if let Ok(note) = self.note_value(What::Value(NodeId::Expr(id)), row.result, &text) {
                after.push_str(&format!(" {note}"));
            }
        }
        self.through(id, &before, &after)
    }

    /// A call of a built-in function that writes arguments: what it writes, and its result.
    fn record_builtin(&mut self, id: ExprId, function: &Function, arguments: &[ExprId]) -> Result<(), Refusal> {
        self.at_expr(id, Phase::After);
        let mut after = String::new();
        for (index, (param, &written)) in function.params.iter().zip(arguments).enumerate() {
            if param.direction != Direction::In {
                let (what, text) = (What::Value(NodeId::Expr(written)), self.frame.text(&argument(index)));
                after.push_str(&self.note_value(what, self.shader.typed.expr(written).ty, &text)?);
                after.push(' ');
            }
        }
        let ty = self.shader.typed.expr(id).ty;
        if ty != Type::Void {
            let text = self.frame.text(RESULT);
            after.push_str(&self.note_value(What::Value(NodeId::Expr(id)), ty, &text)?);
        }
        self.through(id, "", &after)
    }

    /// The declaration and name of each parameter of a function, from its definition.
    fn parameter_names(&self, function: shader::typed::FunctionId) -> Vec<Option<(DeclId, String)>> {
        let row = self.shader.typed.function(function);
        let named = |decl: DeclId| match &self.shader.tree.decl(decl).kind {
            DeclKind::Function(syntax) => {
                let name = |param: &shader::ast::ParamSyntax| {
                    param.name.map(|name| (decl, self.shader.preprocessed.symbols.name(name.symbol).to_owned()))
                };
                syntax.params.iter().map(name).collect()
            }
            _ => Vec::new(),
        };
        row.definition.map(named).unwrap_or_default()
    }
}
