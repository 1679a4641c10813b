//! Where probes go: a question becomes calls of the frame's functions in the shader's own text.
//!
//! Nothing is reprinted and nothing is evaluated twice. An expression whose value is wanted becomes the argument of a
//! function that notes it and gives it back, `see(7, a + b)`; a statement gets a call in front of it. A call of one of
//! the shader's functions goes through a function of its own for that place of the text, which does what is to be done
//! when the call is entered and left: by then the arguments have been evaluated, and results have not been copied back.
//! So the way to a moment, and the iteration that a loop is in, are kept in global numbers while the shader runs; as the
//! language has no recursion, one number for each loop and one for the way are enough.
//!
//! Right operands of `&&` and `||` in which something is noted become sides of `?:`, because there are compilers that
//! take side effects out of them.

mod blocks;
mod calls;
mod condition;
mod first;
mod live_ins;
mod nodes;
mod outputs;
mod primitive;
mod profile;
mod recomputation;
mod recording;
mod sites;
mod value;
mod way;

use std::collections::{BTreeMap, BTreeSet};

use moment::Moment;
use shader::Shader;
use shader::ast::{BinaryOp, ExprId, ExprKind, NodeId, StmtId, StmtKind};
use shader::edit::Rewrite;
use shader::query_precision::Precisions;
use shader::query_rvalue::Uses;
use shader::token::{TokenIndex, TokenKind, TokenSpan};
use shader::types::{Precision, Scalar, Type};

use crate::device::{Device, Transport};
use crate::frame::{Frame, Framed};
use crate::question::{Question, Scope, Subject};
use crate::stream::word_count;
use crate::variant::{Layout, Refusal, Site, Variant, What};

use nodes::Nodes;

pub use blocks::{BlockFacts, BlockVariant, MASK, SIDE, weave_blocks};
pub use condition::{first_hit, hits};
pub use first::first_way;
pub use primitive::pass_primitive;

/// Makes the variant of a shader that answers a question.
///
/// # Errors
/// When the question is wrong, the shader has no such moment, or there is no way to answer on this device.
pub fn weave(
    subject: Subject<'_>,
    question: &Question,
    scope: Scope,
    device: &Device,
    transport: Transport,
) -> Result<Variant, Refusal> {
    // Of all the invocations of a frame few meet a condition: the others need no room.
    let late = matches!(question, Question::Condition { .. }) && scope == Scope::At;
    let mut weaver = Weaver::new(subject, (scope, late), device, transport)?;
    let mut moment = None;
    match question {
        Question::Value { moment: at, expression } => {
            weaver.value(at, expression.as_deref())?;
            moment = Some(at.clone());
        }
        Question::Recording { detail } => weaver.recording(*detail)?,
        Question::Recomputation { detail } => weaver.recomputation(*detail)?,
        Question::Condition { site, condition } => weaver.condition(*site, condition.as_deref())?,
        Question::LiveIns => weaver.live_ins()?,
        Question::Ends => weaver.ends()?,
        Question::Outputs => weaver.outputs()?,
        Question::Profile { site } => weaver.profile(*site)?,
    }
    weaver.finish(transport, moment)
}

/// A shader on its way to a variant.
struct Weaver<'a> {
    subject: Subject<'a>,
    shader: &'a Shader,
    frame: Frame<'a>,
    rewrite: Rewrite<'a>,
    nodes: Nodes,
    uses: Uses,
    precisions: Precisions,
    sites: Vec<Site>,
    /// What expressions give was measured elsewhere.
    given: bool,
    /// Functions that note a value and give it back.
    sees: BTreeMap<(Type, Option<Precision>), String>,
    /// Operators that have become `?:`.
    unfolded: BTreeSet<ExprId>,
    /// Calls that go through a function of their own.
    calls: u32,
    /// GLSL ES 1.00: headers of loops and indices must stay as they are (appendix A).
    strict: bool,
    /// Loops whose headers must.
    fixed: BTreeSet<StmtId>,
}

impl<'a> Weaver<'a> {
    fn new(
        subject: Subject<'a>,
        scope: (Scope, bool),
        device: &'a Device,
        transport: Transport,
    ) -> Result<Weaver<'a>, Refusal> {
        let shader = subject.shader;
        let version = shader.preprocessed.version;
        let nothing = Site { what: What::Marker(moment::Marker::Leave), ty: Type::Void, words: 0 };
        let mut frame = Frame::new(subject, scope, device, transport)?;
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
        };
        weaver.fixed = weaver.fixed_loops();
        Ok(weaver)
    }

    fn finish(mut self, transport: Transport, moment: Option<Moment>) -> Result<Variant, Refusal> {
        self.unfold();
        let framed = self.frame.finish(self.rewrite)?;
        let layout = Layout { sites: self.sites, types: self.shader.typed.types.clone(), moment };
        let Framed { strings, fragment, controls } = framed;
        Ok(Variant { strings, fragment, transport, layout, controls })
    }

    /// A new kind of record; its number.
    fn site(&mut self, what: What, ty: Type) -> u32 {
        let words = word_count(&self.shader.typed.types, ty);
        self.sites.push(Site { what, ty, words });
        self.sites.len() as u32 - 1
    }

    /// A statement that notes a marker or the like.
    fn note(&mut self, what: What) -> String {
        let number = self.site(what, Type::Void);
        self.frame.text(&format!("$note({number});"))
    }

    /// A statement that notes a value, given by the name of a variable.
    fn note_value(&mut self, what: What, ty: Type, name: &str) -> Result<String, Refusal> {
        let note = self.frame.record_value(&self.sites.len().to_string(), ty, name)?;
        self.site(what, ty);
        Ok(self.frame.text(&note))
    }

    /// A type as it is written in front of a name, with its precision where the language has those.
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

    /// A parameter of a type: before GLSL 1.20 brackets stand behind its name.
    fn parameter(&self, ty: Type, precision: Option<Precision>, name: &str) -> String {
        let kind = self.type_text(ty, precision);
        match kind.split_once('[') {
            Some((element, sizes)) if !self.shader.preprocessed.version.at_least(120, 300) => {
                format!("{element} {name}[{sizes}")
            }
            _ => format!("{kind} {name}"),
        }
    }

    /// Text in front of a statement and behind it, all of it run whenever the statement is, its end only if control
    /// comes there.
    fn around_statement(&mut self, id: StmtId, before: &str, after: &str) {
        if let Some(NodeId::Stmt(parent)) = self.nodes.parent(NodeId::Stmt(id))
            && let StmtKind::For { init, .. } = self.shader.tree.stmt(parent).kind
            && init == id
        {
            // Nothing can stand in front of the first part of a header but in front of the whole.
            return self.around_statement(parent, before, after);
        }
        let (space, gap) = (if before.is_empty() { "" } else { " " }, if after.is_empty() { "" } else { " " });
        if self.nodes.stands_alone(self.shader, id) {
            self.rewrite.wrap(NodeId::Stmt(id), &format!("{{ {before}{space}"), &format!("{gap}{after} }}"));
        } else {
            self.rewrite.wrap(NodeId::Stmt(id), &format!("{before}{space}"), &format!("{gap}{after}"));
        }
    }

    /// Text at the beginning of each iteration's body.
    fn body_begins(&mut self, id: StmtId, text: &str) {
        let (StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } | StmtKind::For { body, .. }) =
            self.shader.tree.stmt(id).kind
        else {
            return;
        };
        self.rewrite.wrap(NodeId::Stmt(body), &format!("{{ {text} "), " }");
    }

    /// Text at the beginning of `main`, and wherever it may end: at its end, in front of `return`, and, unless there is
    /// nothing to say then, where a fragment is thrown away, which may be in any function.
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

    /// What is inside an expression has side effects now: operators around it that may leave it out are to become `?:`.
    fn unfold_around(&mut self, id: ExprId) {
        let mut inner = id;
        for outer in self.nodes.around(NodeId::Expr(id)) {
            let NodeId::Expr(outer) = outer else { return };
            if let ExprKind::Binary(BinaryOp::And | BinaryOp::Or, _, right) = self.shader.tree.expr(outer).kind
                && right == inner
                && !self.unfolded.insert(outer)
            {
                // Those further out are known then.
                return;
            }
            inner = outer;
        }
    }

    /// Turns operators into `?:`. This comes after everything else, for what is put around operands is inside.
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

    /// Makes an expression the argument of a function, after arguments that are given.
    fn wrap_in_call(&mut self, id: ExprId, function: &str, arguments: &str) {
        let comma = matches!(self.shader.tree.expr(id).kind, ExprKind::Comma(..));
        let (open, close) = if comma { ("(", "))") } else { ("", ")") };
        self.rewrite.wrap(NodeId::Expr(id), &format!("{function}({arguments}{open}"), close);
        self.unfold_around(id);
    }

    /// Tokens as they are spelled.
    fn spelled(&self, tokens: TokenSpan) -> String {
        let all = &self.shader.preprocessed.tokens[tokens.first.0 as usize..=tokens.last.0 as usize];
        let words = all.iter().map(|token| match token.kind {
            TokenKind::Word | TokenKind::Number => self.shader.preprocessed.symbols.name(token.symbol),
            kind => kind.text(),
        });
        words.collect::<Vec<_>>().join(" ")
    }
}
