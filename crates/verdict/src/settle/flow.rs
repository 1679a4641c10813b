//! Where the values of a run come from: which of them are computed from the result of an operation that is wrong.
//!
//! Values are followed through expressions and variables, and into and out of calls. What a call computes counts as
//! computed from all that is wrong in it and in its arguments: functions are not followed statement by statement.

use std::collections::{BTreeMap, BTreeSet};

use instrument::What;
use instrument::variant::{Reading, Record};
use moment::Marker;
use shader::Shader;
use shader::ast::{ExprId, ExprKind, NodeId};
use shader::qualifier::Storage;
use shader::query::Visit;
use shader::typed::{Target, VarId, VariableKind};

/// By record, the record with the wrong operation that its value comes from, if it comes from one; a wrong one comes from
/// itself.
pub fn origins(shader: &Shader, reading: &Reading, is_wrong: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
    let mut flow = Flow { shader, values: BTreeMap::new(), variables: BTreeMap::new(), calls: Vec::new(), left: None };
    let records = reading.records.iter().enumerate();
    records.map(|(index, record)| flow.pass(record, is_wrong(index).then_some(index))).collect()
}

/// Adds a node, and the bodies of the functions that are called in it and in those.
pub fn reach(shader: &Shader, node: NodeId, into: &mut BTreeSet<NodeId>) {
    if !into.insert(node) {
        return;
    }
    for id in (0..shader.tree.exprs.len() as u32).map(ExprId) {
        let Target::Function(function) = shader.typed.expr(id).target else { continue };
        let is_call = matches!(shader.tree.expr(id).kind, ExprKind::Call(..));
        if let Some(body) =
            shader.typed.function(function).body.filter(|_| is_call && shader.tree.is_inside(NodeId::Expr(id), node))
        {
            reach(shader, NodeId::Stmt(body), into);
        }
    }
}

/// What is known at one moment of a run.
struct Flow<'a> {
    shader: &'a Shader,
    /// Where the last value of each expression comes from.
    values: BTreeMap<ExprId, Option<usize>>,
    /// Where the contents of variables come from, of those that come from something wrong.
    variables: BTreeMap<VarId, usize>,
    /// The calls that are entered.
    calls: Vec<Call>,
    /// What the last call that was left computes.
    left: Option<usize>,
}

/// A call that is entered.
#[derive(Clone, Copy)]
struct Call {
    /// Where any of its arguments comes from.
    arguments: Option<usize>,
    /// The first thing in it that comes from something wrong.
    within: Option<usize>,
}

impl Flow<'_> {
    /// Goes on by one record, and returns where its value comes from. `wrong` is the record itself if it is wrong.
    fn pass(&mut self, record: &Record, wrong: Option<usize>) -> Option<usize> {
        let origin = match &record.what {
            What::Marker(Marker::Enter(site)) => {
                let arguments = self.below((*site).into());
                self.calls.push(Call { arguments, within: None });
                return None;
            }
            What::Marker(Marker::Leave) => {
                let left = self.calls.pop();
                self.left = left.and_then(|call| call.within.or(call.arguments));
                self.note(self.left);
                return None;
            }
            What::Value(NodeId::Expr(id)) => {
                let origin = wrong.or_else(|| self.of(*id));
                self.values.insert(*id, origin);
                self.write(*id, origin);
                origin
            }
            What::Variable(node, name) => {
                let (variable, init) = declared(self.shader, *node, name)?;
                let origin = wrong.or_else(|| init.and_then(|init| self.part(init)));
                self.set(variable, origin);
                origin
            }
            _ => wrong,
        };
        self.note(origin);
        origin
    }

    fn note(&mut self, origin: Option<usize>) {
        if let Some(call) = self.calls.last_mut() {
            call.within = call.within.or(origin);
        }
    }

    /// Where an expression that is evaluated now comes from.
    fn of(&self, id: ExprId) -> Option<usize> {
        let is_call = matches!(self.shader.typed.expr(id).target, Target::Function(_) | Target::Subroutine(_));
        match self.shader.tree.expr(id).kind {
            ExprKind::Name(_) => self.named(id),
            ExprKind::Call(..) if is_call => self.left.or_else(|| self.below(NodeId::Expr(id))),
            ExprKind::Assign(None, _, right) => self.part(right),
            _ => self.below(NodeId::Expr(id)),
        }
    }

    /// Where a part of what is evaluated comes from: what was recorded of it says that.
    fn part(&self, id: ExprId) -> Option<usize> {
        self.values.get(&id).copied().unwrap_or_else(|| self.of(id))
    }

    /// Where any part of an expression comes from.
    fn below(&self, node: NodeId) -> Option<usize> {
        let mut found = None;
        self.shader.walk(node, |inner| {
            let NodeId::Expr(id) = inner else { return Visit::Into };
            let known = if inner == node { None } else { self.values.get(&id).copied() };
            found = found.or_else(|| known.unwrap_or_else(|| self.named(id)));
            if known.is_some() { Visit::Over } else { Visit::Into }
        });
        found
    }

    /// Where a variable comes from, of an expression that is its name.
    fn named(&self, id: ExprId) -> Option<usize> {
        let (ExprKind::Name(_), Target::Variable(variable)) =
            (self.shader.tree.expr(id).kind, self.shader.typed.expr(id).target)
        else {
            return None;
        };
        let is_parameter = matches!(self.shader.typed.variable(variable).kind, VariableKind::Parameter(..));
        let given = || self.calls.last().filter(|_| is_parameter).and_then(|call| call.arguments);
        self.variables.get(&variable).copied().or_else(given)
    }

    /// What an expression writes comes from there, too.
    fn write(&mut self, id: ExprId, origin: Option<usize>) {
        match self.shader.tree.expr(id).kind {
            ExprKind::Assign(_, place, _) => self.set_place(place, origin),
            ExprKind::Unary(op, place) if op.assigns() => self.set_place(place, origin),
            ExprKind::Call(_, arguments) if origin.is_some() => {
                let Target::Function(function) = self.shader.typed.expr(id).target else { return };
                let Some(function) = self.shader.typed.functions.get(function.0 as usize) else { return };
                for (argument, parameter) in self.shader.tree.exprs_of(arguments).iter().zip(&function.params) {
                    if matches!(parameter.qualifiers.storage, Storage::Out | Storage::InOut) {
                        self.set_place(*argument, origin);
                    }
                }
            }
            _ => {}
        }
    }

    fn set_place(&mut self, place: ExprId, origin: Option<usize>) {
        match (self.shader.tree.expr(place).kind, self.shader.typed.expr(place).target) {
            (ExprKind::Name(_), Target::Variable(variable)) => self.set(variable, origin),
            // The rest of the variable stays what it was.
            (ExprKind::Field(base, _) | ExprKind::Index(base, _), _) if origin.is_some() => {
                self.set_place(base, origin);
            }
            (ExprKind::Paren(inner), _) => self.set_place(inner, origin),
            _ => {}
        }
    }

    fn set(&mut self, variable: VarId, origin: Option<usize>) {
        match origin {
            Some(origin) => self.variables.insert(variable, origin),
            None => self.variables.remove(&variable),
        };
    }
}

/// The variable of a declaration, and what it is initialised with.
pub fn declared(shader: &Shader, node: NodeId, name: &str) -> Option<(VarId, Option<ExprId>)> {
    let outer = shader.tree.tokens(node);
    let rows = shader.typed.variables.iter().enumerate();
    let mut found = rows.filter(|(_, row)| {
        let inside = row.declared.is_some_and(|token| outer.first <= token && token <= outer.last);
        inside && shader.preprocessed.symbols.name(row.name) == name
    });
    found.next().map(|(at, row)| (VarId(at as u32), row.init))
}
