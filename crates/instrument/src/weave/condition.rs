//! Counts how often a site is reached with a condition that holds.
//!
//! The first record is the number; if it is not zero, further records describe the first time: for each function that
//! may lead to the site, the number of the call it was entered by, and for each loop the iteration. [`first_hit`] turns
//! them into a moment.

use std::collections::BTreeSet;

use moment::glsl::insert::InsertionPoint;
use moment::{Moment, Step};
use shader::Shader;
use shader::ast::{ExprId, NodeId, StmtId};
use shader::query_rvalue::Use;
use shader::typed::FunctionId;
use shader::types::Type;

use super::Weaver;
use super::nodes::{Nodes, Part};
use crate::variant::{Reading, Refusal, What};

/// The numbers of [`What::Count`] records.
const HITS: u32 = 0;
const ENTERED_BY: u32 = 1;
const ITERATION: u32 = 2;

impl Weaver<'_> {
    pub(super) fn condition(&mut self, site: NodeId, condition: Option<&str>) -> Result<(), Refusal> {
        let no = || Refusal::NoMoment(Moment { site: site.into(), path: Vec::new() }.to_string());
        let function = self.nodes.function(site).filter(|_| self.nodes.is_reached(site)).ok_or_else(no)?;
        let mut point =
            InsertionPoint::of(self.shader, &Moment { site: site.into(), path: Vec::new() }).ok_or_else(no)?;
        // A condition or step of a loop header is in the scope of the header.
        point.inside = self.nodes.loops(self.shader, site).last().is_some_and(|(id, _)| *id == point.statement);
        let condition = match condition {
            None => "true".to_owned(),
            Some(text) => {
                let (ty, line) = self.checked(point, text)?;
                if ty != Type::BOOL {
                    let name = self.shader.type_name(ty);
                    return Err(Refusal::Wrong(format!("a condition must be a bool; `{text}` is a {name}")));
                }
                line
            }
        };
        let callers = callers(self.shader, &self.nodes, function);
        let mut loops: BTreeSet<StmtId> = BTreeSet::new();
        let around = self.nodes.loops(self.shader, site);
        loops.extend(around.iter().map(|(id, _)| *id));
        for &call in &callers.calls {
            loops.extend(self.nodes.loops(self.shader, NodeId::Expr(call)).iter().map(|(id, _)| *id));
        }
        self.count_first(&callers, &loops, &around, site)?;
        for &call in &callers.calls {
            let mut before = self.iterations(&self.nodes.loops(self.shader, NodeId::Expr(call)));
            for callee in self.nodes.callees(self.shader, call) {
                if callers.functions.contains(&callee) {
                    before.push_str(&format!(" $by{} = {};", callee.0, call.0));
                }
            }
            self.through(call, &before, "")?;
        }
        self.put_hit(site, point, &condition)?;
        for &id in &loops {
            self.count_iterations(id);
        }
        let tell = self.frame.text("$tell();");
        self.around_main("", &tell, true);
        Ok(())
    }

    /// The variables for the first time, and the function that reports them at the end.
    fn count_first(
        &mut self,
        callers: &Callers,
        loops: &BTreeSet<StmtId>,
        around: &[(StmtId, Part)],
        site: NodeId,
    ) -> Result<(), Refusal> {
        let mut text = "`int $hits = 0;\n".to_owned();
        let mut first = self.iterations(around);
        let mut tell = self.note_count(site, HITS, "$hits")?;
        let mut more = String::new();
        for id in loops {
            let number = id.0;
            text.push_str(&format!("`int $n{number} = 0, $i{number} = 0, $f{number} = 0;\n"));
            first.push_str(&format!(" $f{number} = $i{number};"));
            more.push_str(&self.note_count(NodeId::Stmt(*id), ITERATION, &format!("$f{number}"))?);
        }
        for function in &callers.functions {
            let number = function.0;
            let Some(decl) = self.shader.typed.function(*function).definition else { continue };
            if Some(*function) != self.nodes.main {
                text.push_str(&format!("`int $by{number} = 0, $g{number} = 0;\n"));
                first.push_str(&format!(" $g{number} = $by{number};"));
                more.push_str(&self.note_count(NodeId::Decl(decl), ENTERED_BY, &format!("$g{number}"))?);
            }
        }
        if !more.is_empty() {
            tell.push_str(&format!(" if ($hits > 0) {{ {more}}}"));
        }
        text.push_str(&format!(
            "void $hit(bool $c) {{ if ($c && $live) {{ $reach(); if ($hits == 0) {{ {first} }} $hits++; }} }}\n"
        ));
        if let Some(take) = self.frame.take() {
            tell = format!("if ($live && $hits > 0) {{ $add($hits); {take} {tell} }}");
        }
        text.push_str(&format!("void $tell() {{ {tell} }}\n"));
        let text = self.frame.text(&text);
        self.frame.declare(&text);
        Ok(())
    }

    /// Statements that record a number, as a template.
    pub(super) fn note_count(&mut self, node: NodeId, which: u32, name: &str) -> Result<String, Refusal> {
        let name = self.frame.text(name);
        Ok(self.note_value(What::Count(node, which), Type::INT, &name)? + " ")
    }

    /// Statements that save the current iterations of loops, as a template.
    fn iterations(&self, loops: &[(StmtId, Part)]) -> String {
        let one = |(id, part): &(StmtId, Part)| {
            let less = if *part == Part::Condition { "" } else { " - 1" };
            format!(" $i{0} = $n{0}{less};", id.0)
        };
        loops.iter().map(one).collect()
    }

    /// Inserts the counting call. An expression is counted when it is evaluated, if that can be observed; otherwise
    /// when its statement begins.
    fn put_hit(&mut self, site: NodeId, point: InsertionPoint, condition: &str) -> Result<(), Refusal> {
        let hit = self.frame.name("hit");
        if let NodeId::Expr(id) = site
            && self.uses.of(id) == Use::Value
            && self.obstacle(id).is_none()
        {
            let ty = self.shader.typed.expr(id).ty;
            if self.passes(ty).is_ok() {
                let kind = self.type_text(ty, self.precisions.of(id));
                let text = self.frame.text(&format!("{kind} $pass(bool $c, {kind} $v) {{ {hit}($c); return $v; }}\n"));
                if self.frame.declare_for(ty, &text).is_ok() {
                    let pass = self.frame.name("pass");
                    self.wrap_in_call(id, &pass, &format!("{condition}, "));
                    return Ok(());
                }
            }
        }
        if point.inside {
            let why = "this position in a loop's header cannot be probed; use a statement of the loop's body instead";
            return Err(Refusal::Impossible(why.to_owned()));
        }
        self.around_statement(point.statement, &format!("{hit}({condition});"), "");
        Ok(())
    }
}

/// The functions through which a function is reached, including itself, and the calls between them.
struct Callers {
    functions: BTreeSet<FunctionId>,
    calls: Vec<ExprId>,
}

fn callers(shader: &Shader, nodes: &Nodes, function: FunctionId) -> Callers {
    let all = (0..shader.tree.exprs.len() as u32).map(ExprId).filter(|&id| nodes.is_reached(NodeId::Expr(id)));
    let calls: Vec<(ExprId, Vec<FunctionId>)> =
        all.map(|id| (id, nodes.callees(shader, id))).filter(|(_, callees)| !callees.is_empty()).collect();
    let mut found = Callers { functions: BTreeSet::from([function]), calls: Vec::new() };
    let mut open = vec![function];
    while let Some(function) = open.pop() {
        for (call, _) in calls.iter().filter(|(_, callees)| callees.contains(&function)) {
            found.calls.push(*call);
            open.extend(nodes.function(NodeId::Expr(*call)).filter(|caller| found.functions.insert(*caller)));
        }
    }
    found.calls.sort_unstable();
    found.calls.dedup();
    found
}

/// How often a site was reached with its condition, from the answer to
/// [`Question::Condition`](crate::Question::Condition).
#[must_use]
pub fn hits(site: NodeId, reading: &Reading) -> u32 {
    count(reading, site, HITS).unwrap_or(0)
}

/// The moment at which a site was first reached with its condition, from the answer to
/// [`Question::Condition`](crate::Question::Condition); `None` if it never was.
#[must_use]
pub fn first_hit(shader: &Shader, site: NodeId, reading: &Reading) -> Option<Moment> {
    if hits(site, reading) == 0 {
        return None;
    }
    let nodes = Nodes::new(shader);
    let mut path = Vec::new();
    let mut at = site;
    loop {
        for (id, _) in nodes.loops(shader, at).into_iter().rev() {
            path.push(Step::Iteration(id.into(), count(reading, NodeId::Stmt(id), ITERATION)?));
        }
        let function = nodes.function(at)?;
        if Some(function) == nodes.main {
            break;
        }
        let decl = shader.typed.function(function).definition?;
        let call = ExprId(count(reading, NodeId::Decl(decl), ENTERED_BY)?);
        path.push(Step::Call(call.into()));
        // Words from a device may be arbitrary; a path cannot be longer than the number of functions.
        if path.len() > shader.tree.stmts.len() + shader.typed.functions.len() {
            return None;
        }
        at = NodeId::Expr(call);
    }
    path.reverse();
    Some(Moment { site: site.into(), path })
}

/// A number in an invocation's answer.
fn count(reading: &Reading, node: NodeId, which: u32) -> Option<u32> {
    let record = reading.records.iter().find(|record| record.what == What::Count(node, which))?;
    record.value.as_ref()?.scalars.first().map(|&bits| bits as u32)
}
