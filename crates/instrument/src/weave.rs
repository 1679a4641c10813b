//! Inserts probes: turns a question into calls of the frame's functions in the shader's own source.
//!
//! Nothing is reprinted and nothing is evaluated twice. An expression whose value is needed becomes the argument of a
//! function that records and returns it, `see(7, a + b)`; a statement gets a call inserted before it. A call of one of
//! the shader's functions goes through a wrapper function for that call site, which does what is necessary on entry and
//! exit: by then the arguments have been evaluated, and results have not been copied back. So the path to a moment, and
//! the current iteration of a loop, are kept in global counters while the shader runs; as the language has no
//! recursion, one number per loop and one for the path are enough.
//!
//! Right operands of `&&` and `||` with probes become operands of `?:`, because some compilers hoist side effects out
//! of them.

mod blocks;
mod calls;
mod condition;
mod first;
mod held;
mod live_ins;
mod nodes;
mod outputs;
mod parts;
mod path;
mod primitive;
mod profile;
mod recomputation;
mod recording;
mod sites;
mod slots;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use moment::Moment;
use shader::Shader;
use shader::ast::{BinaryOp, ExprId, ExprKind, NodeId, StmtId, StmtKind};
use shader::edit::Rewrite;
use shader::query_precision::Precisions;
use shader::query_rvalue::Uses;
use shader::token::{TokenIndex, TokenKind, TokenSpan};
use shader::typed::VarId;
use shader::types::{Precision, Scalar, Type};

use crate::device::{Device, Transport};
use crate::frame::{Frame, Framed, SlotRange};
use crate::question::{Detail, Question, Scope, Subject};
use crate::stream::word_count;
use crate::variant::{Layout, Refusal, Site, Variant, What};

pub(crate) use nodes::Nodes;
use slots::{Position, Slots};

pub use blocks::{BlockFacts, BlockVariant, MASK, SIDE, weave_blocks};
pub use condition::{first_hit, hits};
pub use first::first_way;
pub use parts::{parts, parts_of};
pub(crate) use parts::{planned, weave_planned};
pub use primitive::pass_primitive;
pub(crate) use slots::{PART, Plan, SMALL_PART};

/// Makes the variant of a shader that answers a question.
///
/// # Errors
/// When the question is invalid, the shader has no such moment, or the device has no way to answer.
pub fn weave(
    subject: Subject<'_>,
    question: &Question,
    scope: Scope,
    device: &Device,
    transport: Transport,
) -> Result<Variant, Refusal> {
    // Few of a frame's invocations meet a condition: the others need no space.
    let late = matches!(question, Question::Condition { .. }) && scope == Scope::At;
    let mut weaver = Weaver::new(subject, (scope, late), device, transport, None)?;
    let mut moment = None;
    match question {
        Question::Value { moment: at, expression } => {
            weaver.value(at, expression.as_deref())?;
            moment = Some(at.clone());
        }
        Question::Recording { detail } => weaver.recording(detail)?,
        Question::Part { .. } => return parts::weave_part(subject, question, scope, device, transport),
        Question::Recomputation { detail } => weaver.recomputation(detail)?,
        Question::Condition { site, condition } => weaver.condition(*site, condition.as_deref())?,
        Question::LiveIns => weaver.live_ins()?,
        Question::Ends => weaver.ends()?,
        Question::Outputs => weaver.outputs()?,
        Question::Profile { site } => weaver.profile(*site)?,
    }
    weaver.finish(transport, moment)
}

/// A shader that is being turned into a variant.
struct Weaver<'a> {
    subject: Subject<'a>,
    shader: &'a Shader,
    frame: Frame<'a>,
    rewrite: Rewrite<'a>,
    nodes: Nodes,
    uses: Uses,
    precisions: Precisions,
    sites: Vec<Site>,
    /// Whether expressions return values measured elsewhere.
    given: bool,
    /// Functions that record and return a value.
    sees: BTreeMap<(Type, Option<Precision>), String>,
    /// Operators that become `?:`.
    unfolded: BTreeSet<ExprId>,
    /// The number of calls through wrapper functions.
    calls: u32,
    /// GLSL ES 1.00: loop headers and indices must not change (appendix A).
    strict: bool,
    /// Loops whose headers must not change.
    fixed: BTreeSet<StmtId>,
    /// Which expressions a recording has.
    detail: Detail,
    /// Where records go.
    slots: Slots,
    /// Where the records belong that are woven next.
    position: Position,
    /// Inputs that are read from copies, whose names these are.
    held: Vec<(VarId, String)>,
}

impl<'a> Weaver<'a> {
    fn new(
        subject: Subject<'a>,
        scope: (Scope, bool),
        device: &'a Device,
        transport: Transport,
        range: Option<SlotRange>,
    ) -> Result<Weaver<'a>, Refusal> {
        let shader = subject.shader;
        let version = shader.preprocessed.version;
        let nothing = Site { what: What::Marker(moment::Marker::Leave), ty: Type::Void, words: 0 };
        let mut frame = Frame::with_slots(subject, scope, device, transport, range)?;
        let mut rewrite = Rewrite::new(shader);
        frame.prepare(&mut rewrite);
        let mut weaver = Weaver {
            subject,
            shader,
            frame,
            rewrite,
            nodes: Nodes::new(shader),
            uses: Uses::new(shader),
            precisions: Precisions::new(shader),
            // No record has the number 0.
            sites: vec![nothing],
            given: false,
            sees: BTreeMap::new(),
            unfolded: BTreeSet::new(),
            calls: 0,
            strict: version.is_es() && version.number == 100,
            fixed: BTreeSet::new(),
            detail: Detail::Statements,
            slots: Slots::Stream,
            position: Position::default(),
            held: Vec::new(),
        };
        weaver.fixed = weaver.fixed_loops();
        weaver.hold_varyings();
        Ok(weaver)
    }

    fn finish(mut self, transport: Transport, moment: Option<Moment>) -> Result<Variant, Refusal> {
        self.unfold();
        let slots = self.frame.slot_layout();
        let framed = self.frame.finish(self.rewrite)?;
        let layout = Layout { sites: self.sites, types: self.shader.typed.types.clone(), moment, slots };
        let Framed { strings, fragment, controls } = framed;
        Ok(Variant { strings, fragment, transport, layout, controls })
    }

    /// Adds a site; returns its number.
    fn site(&mut self, what: What, ty: Type) -> u32 {
        let number = self.unplaced_site(what, ty);
        if let Slots::Survey(survey) = &mut self.slots {
            survey.record(self.position, number, 1 + self.sites[number as usize].words);
        }
        number
    }

    fn unplaced_site(&mut self, what: What, ty: Type) -> u32 {
        let words = word_count(&self.shader.typed.types, ty);
        self.sites.push(Site { what, ty, words });
        self.sites.len() as u32 - 1
    }

    /// A statement that appends a record without a value; nothing if it belongs to another part.
    fn note(&mut self, what: What) -> String {
        let number = self.site(what, Type::Void);
        if !self.wants(number) {
            return String::new();
        }
        self.frame.text(&format!("$note({});", self.number(number)))
    }

    /// A statement that records the value of a variable; nothing if it belongs to another part.
    fn note_value(&mut self, what: What, ty: Type, name: &str) -> Result<String, Refusal> {
        let next = self.sites.len() as u32;
        let note = self.frame.record_value(&self.number(next), ty, name)?;
        let number = self.site(what, ty);
        Ok(if self.wants(number) { self.frame.text(&note) } else { String::new() })
    }

    /// The spelling of a type in a declaration, with its precision if the language has precision qualifiers.
    fn type_text(&self, ty: Type, precision: Option<Precision>) -> String {
        let mut element = ty;
        while let Some(array) = self.shader.typed.types.as_array(element) {
            element = array.element;
        }
        let has = element.scalar().is_some_and(|scalar| scalar != Scalar::Bool);
        let word = match precision {
            _ if !has || !self.shader.preprocessed.version.is_es() => "",
            Some(Precision::Low) => "lowp ",
            Some(Precision::Medium) => "mediump ",
            Some(Precision::High) | None => "highp ",
        };
        format!("{word}{}", self.shader.type_name(ty))
    }

    /// The declaration of a parameter: before GLSL 1.20, brackets follow its name.
    fn parameter(&self, ty: Type, precision: Option<Precision>, name: &str) -> String {
        let kind = self.type_text(ty, precision);
        match kind.split_once('[') {
            Some((element, sizes)) if !self.shader.preprocessed.version.at_least(120, 300) => {
                format!("{element} {name}[{sizes}")
            }
            _ => format!("{kind} {name}"),
        }
    }

    /// Inserts code before and after a statement. It runs whenever the statement does; `after` only if control gets
    /// there.
    fn around_statement(&mut self, id: StmtId, before: &str, after: &str) {
        if let Some(NodeId::Stmt(parent)) = self.nodes.parent(NodeId::Stmt(id))
            && let StmtKind::For { init, .. } = self.shader.tree.stmt(parent).kind
            && init == id
        {
            // Code for the initialisation in a loop's header can only go before the whole loop.
            return self.around_statement(parent, before, after);
        }
        let (space, gap) = (if before.is_empty() { "" } else { " " }, if after.is_empty() { "" } else { " " });
        if self.nodes.stands_alone(self.shader, id) {
            self.rewrite.wrap(NodeId::Stmt(id), &format!("{{ {before}{space}"), &format!("{gap}{after} }}"));
        } else {
            self.rewrite.wrap(NodeId::Stmt(id), &format!("{before}{space}"), &format!("{gap}{after}"));
        }
    }

    /// Inserts code at the beginning of a loop's body.
    fn body_begins(&mut self, id: StmtId, text: &str) {
        let (StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } | StmtKind::For { body, .. }) =
            self.shader.tree.stmt(id).kind
        else {
            return;
        };
        self.rewrite.wrap(NodeId::Stmt(body), &format!("{{ {text} "), " }");
    }

    /// Inserts code at the beginning of `main`, and wherever it may end: at its end, before `return` and, if
    /// `also_discarded`, where a fragment is discarded, which may be in any function.
    fn around_main(&mut self, begin: &str, end: &str, also_discarded: bool) {
        let Some(main) = self.nodes.main else { return };
        let row = self.shader.typed.function(main);
        let Some(body) = row.body else { return };
        let tokens = self.shader.tree.stmt(body).tokens;
        let node = NodeId::Stmt(body);
        if !begin.is_empty() {
            let first = TokenSpan { first: tokens.first, last: tokens.first };
            self.rewrite.wrap_tokens(node, first, "", &format!(" {begin}"));
        }
        if end.is_empty() {
            return;
        }
        for id in self.shader.statements() {
            let kind = self.shader.tree.stmt(id).kind;
            let returns = matches!(kind, StmtKind::Return(_)) && self.nodes.function(NodeId::Stmt(id)) == Some(main);
            if returns || also_discarded && matches!(kind, StmtKind::Discard | StmtKind::Demote) {
                self.around_statement(id, end, "");
            }
        }
        let last = TokenSpan { first: tokens.last, last: tokens.last };
        self.rewrite.wrap_tokens(node, last, &format!("{end} "), "");
    }

    /// An expression now has side effects: enclosing operators that may skip it must become `?:`.
    fn unfold_around(&mut self, id: ExprId) {
        let mut inner = id;
        for outer in self.nodes.around(NodeId::Expr(id)) {
            let NodeId::Expr(outer) = outer else { return };
            if let ExprKind::Binary(BinaryOp::And | BinaryOp::Or, _, right) = self.shader.tree.expr(outer).kind
                && right == inner
                && !self.unfolded.insert(outer)
            {
                // The enclosing ones are known already.
                return;
            }
            inner = outer;
        }
    }

    /// Turns operators into `?:`. This comes last, because code wrapped around operands must be inside.
    fn unfold(&mut self) {
        for &id in &self.unfolded {
            let ExprKind::Binary(op, left, right) = self.shader.tree.expr(id).kind else { continue };
            let at = TokenIndex(self.shader.tree.expr(left).tokens.last.0 + 1);
            let (node, operator) = (NodeId::Expr(id), TokenSpan { first: at, last: at });
            self.rewrite.wrap(node, "(", ")");
            if op == BinaryOp::And {
                self.rewrite.replace_tokens(node, operator, "?");
                self.rewrite.after(NodeId::Expr(right), " : false");
            } else {
                self.rewrite.replace_tokens(node, operator, "? true :");
            }
        }
    }

    /// Makes an expression the last argument of a call.
    fn wrap_in_call(&mut self, id: ExprId, function: &str, arguments: &str) {
        let comma = matches!(self.shader.tree.expr(id).kind, ExprKind::Comma(..));
        let (open, close) = if comma { ("(", "))") } else { ("", ")") };
        self.rewrite.wrap(NodeId::Expr(id), &format!("{function}({arguments}{open}"), close);
        self.unfold_around(id);
    }

    /// The source of tokens.
    fn spelled(&self, tokens: TokenSpan) -> String {
        let all = &self.shader.preprocessed.tokens[tokens.first.0 as usize..=tokens.last.0 as usize];
        let words = all.iter().map(|token| match token.kind {
            TokenKind::Word | TokenKind::Number => self.shader.preprocessed.symbols.name(token.symbol),
            kind => kind.text(),
        });
        words.collect::<Vec<_>>().join(" ")
    }
}
