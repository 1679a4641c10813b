//! Whether a value is as it must be, and whose fault it is if not.

use instrument::What;
use instrument::variant::{Reading, Record};
use shader::Shader;
use shader::ast::{BinaryOp, ExprId, ExprKind, NodeId, UnaryOp};
use shader::query::Visit;
use shader::query_rvalue::{Use, Uses};
use shader::typed::Target;
use shader::types::Scalar;

use super::super::differ::{ABSOLUTE, RELATIVE};

/// What is found of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every bit is the same; all NaNs are one.
    Exact,
    /// The same within the budget of floats.
    Within,
    /// The operation comes to what was measured if it is given what was measured: the difference is an operand's.
    Carried,
    /// The operation's result is outside of what the specification allows.
    Driver,
    /// The invocation computes something that the language leaves undefined, such as an index out of bounds.
    Undefined,
    /// Anything else.
    Ours,
}

impl Verdict {
    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Exact => "exact",
            Verdict::Within => "within",
            Verdict::Carried => "carried",
            Verdict::Driver => "driver",
            Verdict::Undefined => "undefined",
            Verdict::Ours => "ours",
        }
    }
}

/// Three recordings of one invocation.
pub struct Judge<'a> {
    pub shader: &'a Shader,
    pub theirs: &'a Reading,
    pub ours: &'a Reading,
    pub forced: &'a Reading,
    /// Whether the invocation does something undefined.
    pub undefined: bool,
}

impl Judge<'_> {
    /// The verdict on a record, and the record in words.
    pub fn triple(&self, index: usize) -> (Verdict, String) {
        let theirs = &self.theirs.records[index];
        let (ours, forced) = (self.ours.records.get(index), self.forced.records.get(index));
        let verdict = self.verdict(index, theirs, ours, forced);
        let text = |record: Option<&Record>| {
            let value = record.and_then(|record| record.value.as_ref());
            value.map_or("nothing".to_owned(), |value| {
                value.text(&self.shader.typed.types, &self.shader.preprocessed.symbols)
            })
        };
        let source = match &theirs.what {
            What::Value(node) => self.shader.sources.slice(self.shader.written(*node)).to_owned(),
            What::Variable(_, name) => name.clone(),
            other => format!("{other:?}"),
        };
        let moment = theirs.moment.as_ref().map_or(String::new(), ToString::to_string);
        let what = format!(
            "`{source}` at {moment} is {} on the driver, {} on the emulator, {} from what was measured",
            text(Some(theirs)),
            text(ours),
            text(forced)
        );
        (verdict, what)
    }

    fn verdict(&self, index: usize, theirs: &Record, ours: Option<&Record>, forced: Option<&Record>) -> Verdict {
        // Where control went another way, the same place is not the same moment.
        let aligned = self.aligned(index);
        if let Some(ours) = ours.filter(|_| aligned) {
            match nearness(theirs, ours, self.shader) {
                Nearness::Exact => return Verdict::Exact,
                Nearness::Within => return Verdict::Within,
                Nearness::Outside | Nearness::Otherwise => {}
            }
        }
        let Some(forced) = forced else { return if self.undefined { Verdict::Undefined } else { Verdict::Ours } };
        match nearness(theirs, forced, self.shader) {
            Nearness::Exact | Nearness::Within => Verdict::Carried,
            _ if self.undefined => Verdict::Undefined,
            Nearness::Outside if self.has_bounds(index) || self.has_constants(index) => Verdict::Driver,
            Nearness::Outside | Nearness::Otherwise => Verdict::Ours,
        }
    }

    /// Whether both runs came the same way to a record.
    fn aligned(&self, index: usize) -> bool {
        let pairs = self.theirs.records.iter().zip(&self.ours.records).take(index + 1);
        self.ours.records.len() > index && pairs.into_iter().all(|(a, b)| a.what == b.what)
    }

    fn expression(&self, index: usize) -> Option<ExprId> {
        match self.theirs.records[index].what {
            What::Value(NodeId::Expr(id)) => Some(id),
            _ => None,
        }
    }

    /// What computes a record's value, by name.
    pub fn operation(&self, index: usize) -> String {
        let Some(id) = self.expression(index) else { return "a declaration".to_owned() };
        let kind = self.shader.tree.expr(id).kind;
        match (kind, self.shader.typed.expr(id).target) {
            (ExprKind::Call(..), Target::Builtin(_)) => {
                let text = self.shader.sources.slice(self.shader.written(NodeId::Expr(id)));
                text.split('(').next().unwrap_or_default().trim().to_owned()
            }
            (ExprKind::Call(..), Target::Constructor(_)) => "a constructor".to_owned(),
            (ExprKind::Call(..), _) => "a call".to_owned(),
            (ExprKind::Binary(op, ..), _) => format!("{op:?}"),
            (ExprKind::Assign(Some(op), ..), _) => format!("{op:?} and assign"),
            (ExprKind::Unary(op, _), _) => format!("{op:?}"),
            (kind, _) => format!("{kind:?}").split('(').next().unwrap_or_default().to_owned(),
        }
    }

    /// Whether constants are among the operands that a compiler computes: those are not measured.
    fn has_constants(&self, index: usize) -> bool {
        let Some(id) = self.expression(index) else { return false };
        let uses = Uses::new(self.shader);
        let mut found = false;
        self.shader.walk(NodeId::Expr(id), |node| {
            if let NodeId::Expr(part) = node
                && uses.of(part) == Use::Constant
            {
                found |= !matches!(self.shader.tree.expr(part).kind, ExprKind::Literal(_));
            }
            Visit::Into
        });
        found
    }

    /// Whether the specification leaves the operation of a record some room: arithmetic of floats and functions.
    fn has_bounds(&self, index: usize) -> bool {
        let Some(id) = self.expression(index) else { return false };
        let target = self.shader.typed.expr(id).target;
        match self.shader.tree.expr(id).kind {
            ExprKind::Call(..) => matches!(target, Target::Builtin(_)),
            ExprKind::Binary(op, ..) | ExprKind::Assign(Some(op), ..) => {
                matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Add | BinaryOp::Sub)
            }
            ExprKind::Unary(op, _) => !matches!(op, UnaryOp::Not | UnaryOp::BitNot),
            _ => false,
        }
    }
}

/// The verdict on a value beside another, without a look at what it was computed from.
pub fn direct(theirs: &Record, ours: &Record, shader: &Shader) -> Verdict {
    match nearness(theirs, ours, shader) {
        Nearness::Exact => Verdict::Exact,
        Nearness::Within => Verdict::Within,
        Nearness::Outside | Nearness::Otherwise => Verdict::Ours,
    }
}

/// How near two values are.
enum Nearness {
    Exact,
    Within,
    /// Floats that are farther apart.
    Outside,
    /// Integers or booleans that differ, or values that are not of one type.
    Otherwise,
}

fn nearness(a: &Record, b: &Record, shader: &Shader) -> Nearness {
    let (Some(x), Some(y)) = (&a.value, &b.value) else { return Nearness::Otherwise };
    if a.what != b.what || x.ty != y.ty || x.scalars.len() != y.scalars.len() {
        return Nearness::Otherwise;
    }
    let kinds = moment::value::scalars(&shader.typed.types, x.ty);
    let mut worst = Nearness::Exact;
    for ((&one, &other), kind) in x.scalars.iter().zip(&y.scalars).zip(&kinds) {
        match scalar(*kind, one, other) {
            Nearness::Exact => {}
            Nearness::Within if matches!(worst, Nearness::Exact) => worst = Nearness::Within,
            Nearness::Within => {}
            Nearness::Outside => worst = Nearness::Outside,
            Nearness::Otherwise => return Nearness::Otherwise,
        }
    }
    worst
}

fn scalar(kind: Scalar, one: u64, other: u64) -> Nearness {
    if one == other {
        return Nearness::Exact;
    }
    let (a, b) = match kind {
        Scalar::Float => (f64::from(f32::from_bits(one as u32)), f64::from(f32::from_bits(other as u32))),
        Scalar::Double => (f64::from_bits(one), f64::from_bits(other)),
        _ => return Nearness::Otherwise,
    };
    if a.is_nan() && b.is_nan() {
        return Nearness::Exact;
    }
    let distance = (a - b).abs();
    if distance <= ABSOLUTE || distance <= RELATIVE * a.abs().min(b.abs()) {
        Nearness::Within
    } else {
        Nearness::Outside
    }
}
