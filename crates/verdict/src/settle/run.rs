//! A whole run: which of its operations are wrong, and which of its values come from those.

use std::collections::{BTreeMap, BTreeSet};

use instrument::variant::{Reading, What};
use moment::Moment;
use moment::glsl::Value;
use shader::Shader;
use shader::ast::NodeId;

use super::operation::{Operations, Step};
use super::{Finding, Judge, flow};
use crate::Verdict;

/// An operation that gives something else than it may, from what was measured of its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrongOperation {
    /// What is wrong with it: of the driver's, of the emulator's, or left open by the language.
    pub finding: Finding,
    /// Its name.
    pub operation: String,
    /// What was computed, as text.
    pub what: String,
    /// The expression or declaration.
    pub node: Option<NodeId>,
}

/// What is found of the operations of one run.
#[derive(Clone, PartialEq, Debug)]
pub struct RunFindings {
    /// What the device measured, record by record.
    pub theirs: Reading,
    /// By record, the wrong operation that its value comes from.
    origins: Vec<Option<usize>>,
    wrong: BTreeMap<usize, WrongOperation>,
}

impl Judge<'_> {
    /// Judges every operation of a run. `forced` is what the emulator makes of measured operands.
    #[must_use]
    pub fn run(&self, forced: &Reading) -> RunFindings {
        let operations = Operations::new(self, forced);
        let mut wrong = BTreeMap::new();
        for (index, record) in self.theirs.records.iter().enumerate() {
            // Where the emulator does not go with the device, there is nothing to compare.
            if record.value.is_none() {
                continue;
            }
            let finding = match operations.step(index) {
                Step::Right => continue,
                Step::Driver => Finding::Driver,
                Step::Undefined => Finding::Undefined,
                Step::Ours => Finding::Ours,
            };
            let node = match &record.what {
                What::Value(node) | What::Variable(node, _) => Some(*node),
                _ => None,
            };
            let what = self.told(index, forced);
            wrong.insert(index, WrongOperation { finding, operation: operations.name(index), what, node });
        }
        let mut findings = RunFindings { theirs: self.theirs.clone(), origins: Vec::new(), wrong };
        findings.follow(self.shader);
        findings
    }
}

impl RunFindings {
    /// Whether no operation of the run is wrong.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty()
    }

    /// The statements, declarations and expressions whose values are not what they should be, with the functions that they
    /// call: a recording of the expressions in them tells more.
    #[must_use]
    pub fn unsettled(&self, shader: &Shader) -> BTreeSet<NodeId> {
        let mut nodes = BTreeSet::new();
        self.wrong.values().filter_map(|wrong| wrong.node).for_each(|node| flow::reach(shader, node, &mut nodes));
        nodes
    }

    fn follow(&mut self, shader: &Shader) {
        self.origins = flow::origins(shader, &self.theirs, |index| self.wrong.contains_key(&index));
    }

    /// Takes over what is found of a recording of the same run with more of its operations: statements whose bounds are
    /// not known are judged by the operations in them. That holds for values that are the same in both, within rounding:
    /// where the device computes something else, what is wrong stays wrong.
    pub fn refine(&mut self, shader: &Shader, finer: &RunFindings) {
        let is_inside = |outer: NodeId, wrong: &WrongOperation| {
            let mut reached = BTreeSet::new();
            flow::reach(shader, outer, &mut reached);
            wrong.node.is_some_and(|node| reached.into_iter().any(|outer| shader.tree.is_inside(node, outer)))
        };
        for (index, coarse) in std::mem::take(&mut self.wrong) {
            let record = &self.theirs.records[index];
            let found = finer.value(&record.what, record.moment.as_ref());
            let agrees = |value: &Value| {
                let own = record.value.as_ref();
                own.is_some_and(|own| !matches!(crate::values(&shader.typed.types, own, value), Verdict::Divergent(_)))
            };
            let kept = match found {
                Some((_, Some(fine))) if coarse.node.is_some_and(|node| is_inside(node, fine)) => fine.clone(),
                // Its own operations are right.
                Some((value, _)) if agrees(value) => continue,
                _ => coarse,
            };
            self.wrong.insert(index, kept);
        }
        self.follow(shader);
    }

    /// What was measured of a value, and the wrong operation that it comes from, if there is one; nothing if the value
    /// was not measured.
    #[must_use]
    pub fn value(&self, what: &What, moment: Option<&Moment>) -> Option<(&Value, Option<&WrongOperation>)> {
        let is_it = |record: &instrument::variant::Record| record.what == *what && record.moment.as_ref() == moment;
        let index = self.theirs.records.iter().position(is_it)?;
        let origin = self.origins.get(index).copied().flatten();
        let value = self.theirs.records[index].value.as_ref()?;
        Some((value, origin.and_then(|origin| self.wrong.get(&origin))))
    }
}

#[cfg(test)]
mod tests {
    use instrument::stream::Facts;
    use instrument::variant::Record;
    use moment::Marker;
    use shader::ast::{DeclId, ExprId, ExprKind};
    use shader::types::{Scalar, Type};
    use shader::version::{Options, Stage};

    use super::super::{Dependent, Hull};
    use super::*;

    const TEXT: &str = "#version 330
in float x;
uniform sampler2DShadow map;
out float color;
float twice(float given) { return given * 2.0; }
void main() {
    float a = x * 3.0;
    float b = x + 1.0;
    float c = a + b;
    float d = fract(b * 100000.0);
    float e = texture(map, vec3(b));
    color = twice(c);
    color = b;
}
";

    fn text(shader: &Shader, node: NodeId) -> &str {
        shader.sources.slice(shader.written(node))
    }

    /// A variable of a declaration, or an expression, by its text.
    fn named(shader: &Shader, wanted: &str) -> What {
        let expressions = (0..shader.tree.exprs.len() as u32).map(|id| NodeId::Expr(ExprId(id)));
        if let Some(node) = expressions.into_iter().find(|node| text(shader, *node) == wanted) {
            let is_name = matches!(node, NodeId::Expr(id) if matches!(shader.tree.expr(id).kind, ExprKind::Name(_)));
            if !is_name {
                return What::Value(node);
            }
        }
        let declarations = (0..shader.tree.decls.len() as u32).map(|id| NodeId::Decl(DeclId(id)));
        let begins = format!("float {wanted} = ");
        let node = declarations.into_iter().find(|node| text(shader, *node).starts_with(&begins));
        What::Variable(node.unwrap_or_else(|| panic!("{wanted} is declared")), wanted.to_owned())
    }

    fn reading(shader: &Shader, values: &[(&str, f32)]) -> Reading {
        let record = |(name, number): &(&str, f32)| {
            let value = Value { ty: Type::Scalar(Scalar::Float), scalars: vec![u64::from(number.to_bits())] };
            Record { what: named(shader, name), moment: None, value: Some(value) }
        };
        Reading { facts: Facts(0), records: values.iter().map(record).collect(), lost: 0 }
    }

    /// Where each value comes from, by the text of the wrong operation.
    fn origins(measured: &[(&str, f32)], forced: &[(&str, f32)]) -> Vec<Option<String>> {
        let shader = shader::analyze(&[TEXT], &Options::new(Stage::Fragment));
        assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
        let (theirs, forced) = (reading(&shader, measured), reading(&shader, forced));
        let judge = Judge { shader: &shader, theirs: &theirs, ours: &forced, half: false, hull: None };
        let findings = judge.run(&forced);
        let origin = |(name, _): &(&str, f32)| {
            let (_, wrong) = findings.value(&named(&shader, name), None).expect("it was measured");
            wrong.map(|wrong| text(&shader, wrong.node.expect("a place")).to_owned())
        };
        measured.iter().map(origin).collect()
    }

    #[test]
    fn a_difference_is_carried_over_from_where_it_begins() {
        let measured = [("a", 7.0), ("b", 2.0), ("c", 9.0), ("twice(c)", 18.0), ("color = twice(c)", 18.0)];
        let mut forced = measured;
        forced[0].1 = 3.0;
        let a = Some("float a = x * 3.0;".to_owned());
        assert_eq!(origins(&measured, &forced), [a.clone(), None, a.clone(), a.clone(), a]);
    }

    #[test]
    fn a_call_is_judged_by_what_its_function_does() {
        let shader = shader::analyze(&[TEXT], &Options::new(Stage::Fragment));
        let judged = |theirs: &Reading, forced: &Reading| {
            Judge { shader: &shader, theirs, ours: forced, half: false, hull: None }.run(forced)
        };
        let call = |number: f32| reading(&shader, &[("c", 9.0), ("twice(c)", number)]);
        let mut findings = judged(&call(18.5), &call(18.0));
        let unsettled = findings.unsettled(&shader);
        let body = unsettled.iter().find(|node| matches!(node, NodeId::Stmt(_))).expect("the function");
        assert_eq!(text(&shader, *body), "{ return given * 2.0; }");
        // In the function, an operation of the driver is wrong: the call is, too.
        let What::Value(NodeId::Expr(site)) = named(&shader, "twice(c)") else { panic!("a call") };
        let inside = |product: f32| {
            let mut all = reading(&shader, &[("c", 9.0), ("given * 2.0", product), ("twice(c)", 18.5)]);
            let marker = |marker: Marker| Record { what: What::Marker(marker), moment: None, value: None };
            all.records.insert(1, marker(Marker::Enter(site.into())));
            all.records.insert(3, marker(Marker::Leave));
            all
        };
        let finer = judged(&inside(18.5), &inside(18.0));
        findings.refine(&shader, &finer);
        assert!(!findings.is_right(), "{findings:?}");
        // All of them are right: so is what they come to.
        let mut findings = judged(&call(18.5), &call(18.0));
        findings.refine(&shader, &judged(&inside(18.5), &inside(18.5)));
        assert!(findings.is_right(), "{findings:?}");
    }

    #[test]
    fn copies_may_be_measured_in_another_variant_than_their_origin() {
        let more = f32::from_bits(9.0_f32.to_bits() + 2);
        let values = |first: f32, second: f32| [("c", 9.0), ("twice(c)", first), ("color = twice(c)", second)];
        assert_eq!(origins(&values(9.0, more), &values(9.0, 9.0)), [None, None, None]);
        let own = Some("color = twice(c)".to_owned());
        assert_eq!(origins(&values(9.0, 9.5), &values(9.0, 9.0)), [None, None, own]);
    }

    #[test]
    fn variables_of_half_precision_round_what_they_are_given() {
        const ES: &str = "#version 300 es
precision mediump float;
in float x;
uniform sampler2D map;
out float color;
highp float kept(highp float given) { return given; }
float rounded(float taken) { return taken; }
void main() { color = rounded(texture(map, vec2(x)).x) + kept(x); }
";
        let shader = shader::analyze(&[ES], &Options::new(Stage::Fragment));
        assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
        let parameter = |wanted: &str, number: f32| {
            let declarations = (0..shader.tree.decls.len() as u32).map(|id| NodeId::Decl(DeclId(id)));
            let found = declarations.filter(|node| text(&shader, *node).contains(wanted));
            let node = found.min_by_key(|node| text(&shader, *node).len());
            let value = Value { ty: Type::Scalar(Scalar::Float), scalars: vec![u64::from(number.to_bits())] };
            let what = What::Variable(node.expect("a parameter"), wanted.to_owned());
            Reading { facts: Facts(0), records: vec![Record { what, moment: None, value: Some(value) }], lost: 0 }
        };
        let is_right = |name: &str, measured: f32, half: bool| {
            let (theirs, forced) = (parameter(name, measured), parameter(name, 0.352_941_2));
            Judge { shader: &shader, theirs: &theirs, ours: &forced, half, hull: None }.run(&forced).is_right()
        };
        assert!(is_right("taken", 0.353_027_34, true));
        assert!(!is_right("taken", 0.353_027_34, false));
        assert!(!is_right("taken", 0.354, true));
        assert!(!is_right("given", 0.353_027_34, true));
    }

    #[test]
    fn look_ups_are_judged_by_what_filters_may_give() {
        let shader = shader::analyze(&[TEXT], &Options::new(Stage::Fragment));
        let of = |number: f32| reading(&shader, &[("texture(map, vec3(b))", number)]);
        let (theirs, forced) = (of(0.5), of(0.25));
        let is_right = |hull: Option<&[Reading; 2]>| {
            let hull = hull.map(|hull| Hull {
                likely: hull.clone(),
                any_level: Some([of(f32::NAN), of(f32::NAN)]),
                dependent: Dependent::new(&shader),
            });
            let hull = hull.as_ref();
            Judge { shader: &shader, theirs: &theirs, ours: &forced, half: false, hull }.run(&forced).is_right()
        };
        assert!(!is_right(None));
        assert!(is_right(Some(&[of(0.125), of(0.75)])));
        assert!(is_right(Some(&[of(f32::NEG_INFINITY), of(f32::INFINITY)])));
        assert!(!is_right(Some(&[of(0.125), of(0.375)])));
    }

    #[test]
    fn what_was_overwritten_is_forgotten() {
        let measured = [("b", 2.0), ("color = twice(c)", 5.0), ("color = b", 2.0)];
        let forced = [("b", 2.0), ("color = twice(c)", 4.0), ("color = b", 2.0)];
        let own = Some("color = twice(c)".to_owned());
        assert_eq!(origins(&measured, &forced), [None, own, None]);
    }

    #[test]
    fn a_statement_is_judged_by_what_was_measured_of_its_variables() {
        // A unit in the last place of 234567.8 is 1/64: both are what the rounding of a product may give.
        let b = 2.345_678;
        let near = [("b", b), ("d", 0.796_875)];
        let computed = [("b", b), ("d", 0.812_5)];
        assert_eq!(origins(&near, &computed), [None, None]);
        // Half of the way from one integer to the next is no rounding.
        let far = [("b", b), ("d", 0.3)];
        assert_eq!(origins(&far, &computed), [None, Some("float d = fract(b * 100000.0);".to_owned())]);
    }
}
