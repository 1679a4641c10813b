//! One operation of a recording: whether its result is what it may be, given the operands that were measured.
//!
//! Operands that were not measured, because the device leaves out what its compiler finds needless, are what the emulator
//! makes of those that were.

use std::cell::RefCell;
use std::collections::BTreeMap;

use instrument::What;
use instrument::variant::{Reading, Record};
use moment::glsl::Value;
use shader::Shader;
use shader::ast::{BinaryOp, ExprId, ExprKind, NodeId, UnaryOp};
use shader::query_precision::Precisions;
use shader::typed::{Target, VarId, VariableKind};
use shader::types::{Precision, Scalar, Type};

use super::dependent::is_look_up;
use super::function::{self, Shaped};
use super::nearness::{Nearness, nearness};
use super::range::{DOUBLE, Floats, HALF, Range, SINGLE};
use super::{Hull, Judge, flow};

/// What is found of one operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The result is within its bounds, on the driver and on the emulator.
    Right,
    /// That of the driver is not.
    Driver,
    /// It does something that the language leaves undefined.
    Undefined,
    /// That of the emulator is not, or what has no bounds differs.
    Ours,
}

/// How far weights of texture filters may be off. Nothing is said of them in GL; hardware has eight bits for each.
const FILTER: f64 = 1.0 / 128.0;
/// The same where coordinates have half precision and were not measured: their last bit is a quarter of a texel of 512.
const UNSURE: f64 = 0.25;
/// A level of detail lies between that of the longest side and that of the sum of all (GL 4.6, 8.14.1).
const LEVEL: f64 = 1.6;
/// Differences of neighbours, whose operands are not measured, in parts of the operand: functions are off by so much.
const NEIGHBOUR: f64 = 1.0 / 1024.0;

/// The operations of one invocation.
pub struct Operations<'a> {
    pub(super) shader: &'a Shader,
    pub(super) theirs: &'a Reading,
    /// What the emulator makes of measured operands.
    forced: &'a Reading,
    /// By an expression that is an index, what it is an index of.
    pub(super) indexed: BTreeMap<ExprId, ExprId>,
    /// Of all expressions, where the device computes with few bits what need not have more.
    precisions: Option<Precisions>,
    /// The least and the most that look-ups may give, where filters are not known exactly.
    hull: Option<&'a Hull>,
    /// Bounds by expression and record, once they were computed.
    known: RefCell<BTreeMap<(ExprId, usize), Option<Shaped>>>,
}

impl<'a> Operations<'a> {
    /// Both recordings have the same records in the same order.
    pub fn new(judge: &Judge<'a>, forced: &'a Reading) -> Operations<'a> {
        let Judge { shader, theirs, half, hull, .. } = *judge;
        let all = (0..shader.tree.exprs.len() as u32).map(ExprId);
        let indexed = all.filter_map(|id| match shader.tree.expr(id).kind {
            ExprKind::Index(base, index) => Some((index, base)),
            _ => None,
        });
        let precisions = half.then(|| Precisions::new(shader));
        let indexed = indexed.collect();
        Operations { shader, theirs, forced, indexed, precisions, hull, known: RefCell::default() }
    }

    /// What is found of the operation behind a record.
    pub fn step(&self, index: usize) -> Step {
        let theirs = &self.theirs.records[index];
        let forced = self.forced.records.get(index).filter(|forced| forced.what == theirs.what);
        let nearness = forced.map(|forced| nearness(theirs, forced, self.shader));
        if matches!(nearness, Some(Nearness::Exact)) {
            return Step::Right;
        }
        if self.is_undefined(index) {
            return Step::Undefined;
        }
        let Some(forced) = forced else { return Step::Ours };
        let near = matches!(nearness, Some(Nearness::Within));
        let (measured, computed) = match (&theirs.value, &forced.value) {
            (Some(measured), Some(computed)) => (measured, computed),
            // It was not measured: there is nothing to judge.
            (None, Some(_)) => return Step::Right,
            _ => return Step::Ours,
        };
        let Some(id) = expression(theirs) else {
            let is_right = near
                || self.is_initialised(theirs, index, [measured, computed])
                || self.is_halved(theirs) && halves_to(measured, computed);
            return if is_right { Step::Right } else { Step::Ours };
        };
        if let Some(bounds) = self.bounds(id, index).filter(|bounds| bounds.parts.len() == measured.scalars.len()) {
            let inside =
                |value: &Value| bounds.parts.iter().zip(value.numbers()).all(|(range, number)| range.contains(number));
            // A copy may be measured in another variant than what it is a copy of, where the device rounds otherwise.
            let halved = || self.floats(id) == Some(HALF) && halves_to(measured, computed);
            if self.copies(id) && (near || halved()) {
                return Step::Right;
            }
            // What the old value of a place was on the emulator is not what was measured of it.
            return match (inside(measured), inside(computed) || self.writes(id)) {
                (true, true) => Step::Right,
                (false, true) => Step::Driver,
                (_, false) => Step::Ours,
            };
        }
        let same = |value: &Value| value.ty == measured.ty && value.scalars == measured.scalars;
        let loosely = self.is_loose(id, index, measured, computed);
        let moved = self.variable(id).and_then(|variable| self.last(variable, index)).is_some_and(same);
        if near || loosely || moved || self.compares_denormals(id, index) { Step::Right } else { Step::Ours }
    }

    /// Whether a variable is declared with a value that its initialiser may have, on the driver and on the emulator.
    fn is_initialised(&self, record: &Record, index: usize, values: [&Value; 2]) -> bool {
        let What::Variable(node, name) = &record.what else { return false };
        let init = flow::declared(self.shader, *node, name).and_then(|(_, init)| init);
        let bounds = init.and_then(|init| self.operand(init, self.floats(init)?, index));
        let inside = |value: &Value, bounds: &Shaped| {
            bounds.parts.len() == value.scalars.len()
                && bounds.parts.iter().zip(value.numbers()).all(|(range, number)| range.contains(number))
        };
        bounds.is_some_and(|bounds| values.iter().all(|value| inside(value, &bounds)))
    }

    /// Whether a variable may have half precision, so that what it is given is rounded.
    fn is_halved(&self, record: &Record) -> bool {
        let What::Variable(node, name) = &record.what else { return false };
        let Some((variable, _)) = flow::declared(self.shader, *node, name) else { return false };
        let row = &self.shader.typed.variables[variable.0 as usize];
        let precise = row.qualifiers.precision == Some(Precision::High);
        self.precisions.is_some() && !precise && floats(row.ty) == Some(SINGLE)
    }

    /// What computes a record's value, by name.
    pub fn name(&self, index: usize) -> String {
        let Some(id) = expression(&self.theirs.records[index]) else { return "a declaration".to_owned() };
        match (self.shader.tree.expr(id).kind, self.shader.typed.expr(id).target) {
            (ExprKind::Call(..), Target::Builtin(function)) => self.symbol(function.name).to_owned(),
            (ExprKind::Call(..), Target::Constructor(_)) => "a constructor".to_owned(),
            (ExprKind::Call(..), _) => "a call".to_owned(),
            (ExprKind::Binary(op, ..), _) => format!("{op:?}"),
            (ExprKind::Assign(Some(op), ..), _) => format!("{op:?} and assign"),
            (ExprKind::Unary(op, _), _) => format!("{op:?}"),
            (kind, _) => format!("{kind:?}").split('(').next().unwrap_or_default().to_owned(),
        }
    }

    pub(super) fn symbol(&self, name: shader::symbol::Symbol) -> &str {
        self.shader.preprocessed.symbols.name(name)
    }

    /// What an expression is computed with, if it is a floating-point number.
    fn floats(&self, id: ExprId) -> Option<Floats> {
        let precision = self.precisions.as_ref().and_then(|precisions| precisions.of(id));
        let found = floats(self.shader.typed.expr(id).ty)?;
        let few = found == SINGLE && matches!(precision, Some(Precision::Medium | Precision::Low));
        Some(if few { HALF } else { found })
    }

    /// What an expression may come to if it is evaluated where a record is; none if it has no bounds.
    fn bounds(&self, id: ExprId, before: usize) -> Option<Shaped> {
        // Sums of products ask for the same operands in two ways, at every level of a long one.
        if let Some(known) = self.known.borrow().get(&(id, before)) {
            return known.clone();
        }
        let found = self.computed_bounds(id, before);
        self.known.borrow_mut().insert((id, before), found.clone());
        found
    }

    fn computed_bounds(&self, id: ExprId, before: usize) -> Option<Shaped> {
        let facts = self.shader.typed.expr(id);
        let floats = self.floats(id)?;
        let tree = &self.shader.tree;
        match tree.expr(id).kind {
            ExprKind::Paren(inner) => self.operand(inner, floats, before),
            ExprKind::Assign(None, _, inner) => {
                let operand = self.operand(inner, floats, before)?;
                // What is assigned may have had more bits.
                Some(if floats == HALF { each(&operand, |range| floats.round(range)) } else { operand })
            }
            ExprKind::Unary(UnaryOp::Plus, inner) => self.operand(inner, floats, before),
            ExprKind::Unary(UnaryOp::Minus, inner) => {
                let operand = self.operand(inner, floats, before)?;
                Some(each(&operand, Range::negated))
            }
            ExprKind::Unary(op, place) => {
                let old = self.old(place, floats, before)?;
                let step = match op {
                    UnaryOp::PreIncrement => 1.0,
                    UnaryOp::PreDecrement => -1.0,
                    _ => return Some(old),
                };
                Some(each(&old, |range| floats.add(range, Range::point(step))))
            }
            ExprKind::Binary(op, a, b) => {
                let [a, b] = [self.term(op, a, floats, before)?, self.term(op, b, floats, before)?];
                binary(op, floats, &a, &b)
            }
            ExprKind::Assign(Some(op), place, b) => {
                let [a, b] = [self.old(place, floats, before)?, self.term(op, b, floats, before)?];
                binary(op, floats, &a, &b)
            }
            ExprKind::Call(_, arguments) => {
                let operands: Vec<Shaped> = tree
                    .exprs_of(arguments)
                    .iter()
                    .map(|argument| self.operand(*argument, floats, before))
                    .collect::<Option<_>>()?;
                match facts.target {
                    Target::Builtin(function) => function::call(floats, self.symbol(function.name), &operands),
                    Target::Constructor(ty) => construct(ty, operands),
                    _ => None,
                }
            }
            ExprKind::Name(_) => {
                let variable = self.shader.typed.variables.get(self.variable(id)?.0 as usize)?;
                let init = variable.init.filter(|_| variable.constant.is_some())?;
                self.operand(init, floats, before)
            }
            _ => None,
        }
    }

    /// What was measured of an operand, or what it may be if it was not.
    fn operand(&self, id: ExprId, floats: Floats, before: usize) -> Option<Shaped> {
        let found = self.theirs.records[..before].iter().rposition(|record| expression(record) == Some(id));
        if let Some(value) = found.and_then(|at| self.theirs.records[at].value.as_ref()) {
            return points(value, floats);
        }
        let constant = || {
            let constant = self.shader.typed.expr(id).constant?;
            let scalars = self.shader.typed.constants.components(constant).to_vec();
            points(&Value { ty: constant.ty, scalars }, floats)
        };
        // A recording of statements has what is assigned to a variable, and not what is read.
        let variable = || points(self.last(self.variable(id)?, before)?, floats);
        let computed = || {
            let forced = self.forced.records.get(found?).filter(|forced| expression(forced) == Some(id))?;
            let exact = points(forced.value.as_ref()?, floats)?;
            let Some(distance) = self.looseness(id, before) else { return Some(exact) };
            let hull = self.hull_of(id, found?, floats).unwrap_or(exact);
            Some(each(&hull, |range| range.give(distance)))
        };
        self.bounds(id, before).or_else(constant).or_else(variable).or_else(computed)
    }

    /// An operand; where it is a product that is added to something, it may not be rounded before.
    fn term(&self, op: BinaryOp, id: ExprId, floats: Floats, before: usize) -> Option<Shaped> {
        let rounded = self.operand(id, floats, before)?;
        let mut inner = id;
        while let ExprKind::Paren(next) = self.shader.tree.expr(inner).kind {
            inner = next;
        }
        let ExprKind::Binary(BinaryOp::Mul, a, b) = self.shader.tree.expr(inner).kind else { return Some(rounded) };
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            return Some(rounded);
        }
        let (Some(a), Some(b)) = (self.operand(a, floats, before), self.operand(b, floats, before)) else {
            return Some(rounded);
        };
        let exact = function::product(floats, &a, &b, false);
        let parts = rounded.parts.iter().zip(&exact.parts).map(|(one, other)| one.union(*other)).collect();
        Some(Shaped { parts, columns: rounded.columns })
    }

    /// What was measured last of a place that is changed.
    fn old(&self, place: ExprId, floats: Floats, before: usize) -> Option<Shaped> {
        points(self.last(self.variable(place)?, before)?, floats)
    }

    /// The variable that an expression is the name of.
    fn variable(&self, id: ExprId) -> Option<VarId> {
        match (self.shader.tree.expr(id).kind, self.shader.typed.expr(id).target) {
            (ExprKind::Paren(inner), _) => self.variable(inner),
            (ExprKind::Name(_), Target::Variable(variable)) => Some(variable),
            _ => None,
        }
    }

    /// What was measured last of a variable as a whole, unless a part of it was written since.
    fn last(&self, variable: VarId, before: usize) -> Option<&Value> {
        let row = self.shader.typed.variables.get(variable.0 as usize)?;
        let name = self.symbol(row.name);
        // Every call has parameters of its own.
        let is_parameter = matches!(row.kind, VariableKind::Parameter(..));
        let call = |record: &'a Record| {
            let path = record.moment.as_ref().map_or(&[][..], |moment| &moment.path);
            let calls = path.iter().rposition(|step| matches!(step, moment::Step::Call(_))).map_or(0, |at| at + 1);
            &path[..calls]
        };
        let now = self.theirs.records.get(before).map(call).filter(|_| is_parameter);
        for record in self.theirs.records[..before].iter().rev() {
            if now.is_some_and(|now| call(record) != now) {
                continue;
            }
            match &record.what {
                What::Variable(_, declared) if declared == name => return record.value.as_ref(),
                What::Value(NodeId::Expr(id)) => match self.shader.tree.expr(*id).kind {
                    ExprKind::Name(_) if self.variable(*id) == Some(variable) => return record.value.as_ref(),
                    ExprKind::Assign(_, place, _)
                    | ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, place)
                        if self.root(place) == Some(variable) =>
                    {
                        return record.value.as_ref().filter(|_| self.variable(place) == Some(variable));
                    }
                    ExprKind::Unary(UnaryOp::PostIncrement | UnaryOp::PostDecrement, place)
                        if self.root(place) == Some(variable) =>
                    {
                        return None;
                    }
                    ExprKind::Call(_, arguments) => {
                        let given = self.shader.tree.exprs_of(arguments);
                        if given.iter().any(|argument| self.root(*argument) == Some(variable)) {
                            return None;
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        None
    }

    /// The variable that a place is a part of.
    fn root(&self, place: ExprId) -> Option<VarId> {
        match self.shader.tree.expr(place).kind {
            ExprKind::Paren(inner) | ExprKind::Field(inner, _) | ExprKind::Index(inner, _) => self.root(inner),
            _ => self.variable(place),
        }
    }

    /// Whether an expression changes what is in a place from what was there.
    fn writes(&self, id: ExprId) -> bool {
        match self.shader.tree.expr(id).kind {
            ExprKind::Assign(op, ..) => op.is_some(),
            ExprKind::Unary(op, _) => !matches!(op, UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Not | UnaryOp::BitNot),
            _ => false,
        }
    }

    /// Whether an expression has the value of another, or of a part of it.
    fn copies(&self, id: ExprId) -> bool {
        match self.shader.tree.expr(id).kind {
            ExprKind::Assign(op, ..) => op.is_none(),
            ExprKind::Name(_) | ExprKind::Paren(_) | ExprKind::Field(..) | ExprKind::Index(..) => true,
            _ => false,
        }
    }

    /// Functions of which the language says little: whether both results are near enough.
    fn is_loose(&self, id: ExprId, before: usize, measured: &Value, computed: &Value) -> bool {
        self.looseness(id, before).is_some_and(|distance| {
            if let Some(hull) = self.floats(id).and_then(|floats| self.hull_of(id, before, floats)) {
                let mut parts = hull.parts.iter().zip(measured.numbers());
                return parts.all(|(range, number)| range.give(distance).contains(number));
            }
            measured.numbers().iter().zip(computed.numbers()).all(|(one, other)| (one - other).abs() <= distance)
        })
    }

    /// Functions of which the language says little: how far apart results may be.
    fn looseness(&self, id: ExprId, before: usize) -> Option<f64> {
        let Target::Builtin(function) = self.shader.typed.expr(id).target else { return None };
        let floats = self.floats(id)?;
        let name = self.symbol(function.name);
        let arguments = match self.shader.tree.expr(id).kind {
            ExprKind::Call(_, arguments) => self.shader.tree.exprs_of(arguments),
            _ => &[],
        };
        let greatest = |id: &ExprId| {
            let operand = self.operand(*id, floats, before);
            operand.map_or(0.0, |operand| operand.parts.iter().map(|part| part.magnitude()).fold(0.0, f64::max))
        };
        if name.starts_with("textureQueryL") {
            Some(LEVEL)
        } else if is_look_up(name) {
            let is_unsure = |id: &ExprId| self.floats(*id) == Some(HALF) && !self.is_measured(*id, before);
            Some(if arguments.iter().any(is_unsure) { UNSURE } else { FILTER })
        } else if name.starts_with("dFd") || name.starts_with("fwidth") {
            Some(NEIGHBOUR * arguments.iter().map(greatest).fold(0.0, f64::max))
        } else {
            None
        }
    }

    /// What a look-up may give, by its record.
    fn hull_of(&self, id: ExprId, index: usize, floats: Floats) -> Option<Shaped> {
        let hull = self.hull?;
        let any_level = hull.any_level.as_ref().filter(|_| hull.dependent.moves(self.shader, id));
        let ends = any_level.unwrap_or(&hull.likely);
        let ends = ends.each_ref().map(|reading| {
            let record = reading.records.get(index).filter(|record| expression(record) == Some(id))?;
            points(record.value.as_ref()?, floats)
        });
        let [Some(low), Some(high)] = ends else { return None };
        let parts = low.parts.iter().zip(&high.parts).map(|(low, high)| low.union(*high)).collect();
        Some(Shaped { parts, columns: low.columns })
    }

    fn is_measured(&self, id: ExprId, before: usize) -> bool {
        let found = self.theirs.records[..before].iter().rfind(|record| expression(record) == Some(id));
        found.is_some_and(|record| record.value.is_some())
    }

    /// Whether it is a comparison of floats one of which is denormal: it may count as zero (GLSL 4.60, 4.7.1).
    fn compares_denormals(&self, id: ExprId, before: usize) -> bool {
        if self.shader.typed.expr(id).ty.scalar() != Some(Scalar::Bool) {
            return false;
        }
        let operands = match self.shader.tree.expr(id).kind {
            ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Call(_, arguments) => self.shader.tree.exprs_of(arguments).to_vec(),
            _ => return false,
        };
        operands.into_iter().any(|operand| {
            let Some(floats) = self.floats(operand) else { return false };
            let found = self.operand(operand, floats, before);
            // A set with zero at one end is that of a denormal.
            found.is_some_and(|found| found.parts.iter().any(|part| part.low != part.high && part.contains(0.0)))
        })
    }
}

/// The expression that a record has the value of.
pub(super) fn expression(record: &Record) -> Option<ExprId> {
    match record.what {
        What::Value(NodeId::Expr(id)) => Some(id),
        _ => None,
    }
}

/// The floating-point numbers of a type.
pub(super) fn floats(ty: Type) -> Option<Floats> {
    match ty.scalar()? {
        Scalar::Float => Some(SINGLE),
        Scalar::Double => Some(DOUBLE),
        _ => None,
    }
}

/// A value as an operand; integers are converted, and denormals may be zeros.
fn points(value: &Value, floats: Floats) -> Option<Shaped> {
    let columns = if let Type::Matrix(_, columns, _) = value.ty { usize::from(columns) } else { 1 };
    let wide = matches!(value.ty.scalar()?, Scalar::Double);
    let part = |number: f64| {
        let exact = Range::point(number);
        if wide { floats.flush(exact) } else { floats.round(exact) }
    };
    let parts = value.numbers().into_iter().map(part).collect();
    Some(Shaped { parts, columns })
}

/// Whether numbers are others in half precision.
fn halves_to(measured: &Value, computed: &Value) -> bool {
    let mut pairs = measured.numbers().into_iter().zip(computed.numbers());
    measured.ty == computed.ty && pairs.all(|(half, number)| HALF.round(Range::point(number)).contains(half))
}

fn each(operand: &Shaped, f: impl Fn(Range) -> Range) -> Shaped {
    Shaped { parts: operand.parts.iter().map(|part| f(*part)).collect(), columns: operand.columns }
}

fn binary(op: BinaryOp, floats: Floats, a: &Shaped, b: &Shaped) -> Option<Shaped> {
    let longest = if a.parts.len() >= b.parts.len() { a } else { b };
    let pairwise = |f: fn(Floats, Range, Range) -> Range| {
        let part = |of: &Shaped, number: usize| of.parts[if of.parts.len() == 1 { 0 } else { number }];
        let fits = [a, b].iter().all(|of| of.parts.len() == 1 || of.parts.len() == longest.parts.len());
        fits.then(|| Shaped {
            parts: (0..longest.parts.len()).map(|number| f(floats, part(a, number), part(b, number))).collect(),
            columns: longest.columns,
        })
    };
    match op {
        BinaryOp::Mul => Some(function::product(floats, a, b, true)),
        BinaryOp::Div => pairwise(Floats::div),
        BinaryOp::Add => pairwise(Floats::add),
        BinaryOp::Sub => pairwise(Floats::sub),
        _ => None,
    }
}

/// A vector or scalar from its parts.
fn construct(ty: Type, operands: Vec<Shaped>) -> Option<Shaped> {
    let count = ty.components() as usize;
    if matches!(ty, Type::Matrix(..)) && operands.len() == 1 {
        return None;
    }
    let mut parts: Vec<Range> = operands.into_iter().flat_map(|operand| operand.parts).collect();
    if parts.len() == 1 {
        parts = vec![parts[0]; count];
    }
    parts.truncate(count);
    let columns = if let Type::Matrix(_, columns, _) = ty { usize::from(columns) } else { 1 };
    (parts.len() == count).then_some(Shaped { parts, columns })
}
