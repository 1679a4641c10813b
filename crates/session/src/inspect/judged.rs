//! The values of one invocation beside the emulator's. A value that is farther off than rounding is judged by the operations
//! that it is computed by, each from what was measured of its operands: differences that the specification allows grow on
//! their way, and one that it does not allow is to be blamed where it begins, not wherever it shows.

use moment::glsl::Value;
use shader::Shader;
use shader::ast::NodeId;
use verdict::settle::{Finding, RunFindings, WrongOperation};
use verdict::{Comparison, Row, Verdict};

use crate::data::inspect::RunAgreement;
use crate::data::measure::ValueVerdict;
use crate::data::value::Agreement;
use crate::locate;

/// What is known of the operations of an invocation.
pub enum Examined {
    /// They need not be judged: all values are within rounding.
    Unneeded,
    /// They were judged.
    Found(RunFindings),
    /// They cannot be judged, for a reason.
    Failed(String),
}

/// The records of an invocation with their verdicts.
pub struct Judged {
    /// Record by record.
    pub rows: Vec<JudgedRow>,
    /// The first row that diverges by more than it may; past the last if the emulator goes on there.
    pub first_divergence: Option<usize>,
}

/// A record with its verdict.
pub struct JudgedRow {
    /// What the emulator has, if it came there.
    pub emulated: Option<Value>,
    /// The verdict, if there is a value to judge.
    pub verdict: Option<ValueVerdict>,
    /// Why it diverges, or why that could not be found out.
    pub why: Option<String>,
}

/// Judges the values of an invocation.
pub fn judge(shader: &Shader, comparison: &Comparison, examined: &Examined) -> Judged {
    let mut rows: Vec<JudgedRow> = Vec::with_capacity(comparison.rows.len());
    let mut first_divergence = None;
    for (number, row) in comparison.rows.iter().enumerate() {
        let (verdict, why) = judge_row(shader, row, examined);
        let diverges = matches!(verdict, Some(ValueVerdict::Divergent { .. } | ValueVerdict::Carried { .. }));
        if diverges && first_divergence.is_none() {
            first_divergence = Some(number);
        }
        let emulated = row.emulated.as_ref().and_then(|record| record.value.clone());
        rows.push(JudgedRow { emulated, verdict, why });
    }
    // The runs may part where there is no value, and the emulator's may go on at the end. By rounding they may, too.
    let is_right = matches!(examined, Examined::Found(findings) if findings.is_right());
    let parted = comparison.rows.iter().position(|row| row.emulated.is_none());
    let parted = parted.or(comparison.first_divergence.filter(|first| *first == comparison.rows.len()));
    Judged { rows, first_divergence: first_divergence.or(parted.filter(|_| !is_right)) }
}

/// Returns the verdict on a value, and why it diverges if it does.
fn judge_row(shader: &Shader, row: &Row, examined: &Examined) -> (Option<ValueVerdict>, Option<String>) {
    let Some(measured) = &row.measured.value else { return (None, None) };
    let ulps = match row.verdict {
        Some(verdict @ (Verdict::Equal | Verdict::Within(_))) => return (Some(Agreement::from(verdict).into()), None),
        Some(Verdict::Divergent(ulps)) => Some(ulps),
        // The emulator went another way.
        None => None,
    };
    let divergent = Some(ValueVerdict::Divergent { ulps });
    let findings = match examined {
        Examined::Found(findings) => findings,
        Examined::Failed(why) => return (divergent, Some(why.clone())),
        Examined::Unneeded => return (divergent, None),
    };
    let Some((recorded, wrong)) = findings.value(&row.measured.what, row.measured.moment.as_ref()) else {
        return (divergent, Some("the device does not come here while all its operations are recorded".to_owned()));
    };
    if matches!(verdict::values(&shader.typed.types, measured, recorded), Verdict::Divergent(_)) {
        return (
            divergent,
            Some("the device computes something else while all its operations are recorded".to_owned()),
        );
    }
    match wrong {
        None => (Some(ValueVerdict::Allowed { ulps }), None),
        Some(wrong) => match wrong.node.filter(|node| !is_inside(shader, *node, row)) {
            Some(elsewhere) => (Some(ValueVerdict::Carried { ulps, line: locate::line(shader, elsewhere).0 }), None),
            None => (divergent, Some(reason(wrong))),
        },
    }
}

/// Whether an operation is part of what a row is the value of.
fn is_inside(shader: &Shader, node: NodeId, row: &Row) -> bool {
    use instrument::variant::What;
    let (What::Value(outer) | What::Variable(outer, _)) = &row.measured.what else { return false };
    shader.tree.is_inside(node, *outer)
}

/// Says what is wrong with an operation.
fn reason(wrong: &WrongOperation) -> String {
    let WrongOperation { finding, operation, what, .. } = wrong;
    let blame = match finding {
        Finding::Driver => format!("the device's {operation} is outside of its bounds"),
        Finding::Undefined => format!("the language leaves open what {operation} does"),
        _ => format!("the emulator's {operation} is not the device's"),
    };
    format!("{blame}: {what}")
}

impl Judged {
    /// Counts the verdicts.
    pub fn agreement(&self) -> RunAgreement {
        let count = |name: &str| {
            let verdicts = self.rows.iter().filter_map(|row| row.verdict);
            verdicts.filter(|verdict| verdict.name() == name).count()
        };
        RunAgreement {
            equal: count("equal"),
            within: count("within"),
            allowed: count("allowed"),
            carried: count("carried"),
            divergent: count("divergent"),
            diverges: self.first_divergence.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use instrument::stream::Facts;
    use instrument::variant::{Reading, Record, What};
    use shader::ast::ExprId;
    use shader::types::{Scalar, Type};
    use shader::version::{Options, Stage};
    use verdict::settle::Judge;

    use super::*;

    const TEXT: &str = "#version 330
in float x;
out float color;
void main() {
    float a, b, c;
    a = x * 3.0;
    b = x + 1.0;
    c = fract(b * 100000.0);
    color = a + c;
}
";
    const STATEMENTS: [&str; 4] = ["a = x * 3.0", "b = x + 1.0", "c = fract(b * 100000.0)", "color = a + c"];

    fn reading(shader: &Shader, numbers: [f32; 4]) -> Reading {
        let node = |text: &str| {
            let mut all = (0..shader.tree.exprs.len() as u32).map(|id| NodeId::Expr(ExprId(id)));
            all.find(|node| shader.sources.slice(shader.written(*node)) == text).unwrap_or_else(|| panic!("no {text}"))
        };
        let records = STATEMENTS.iter().zip(numbers).map(|(text, number)| Record {
            what: What::Value(node(text)),
            moment: None,
            value: Some(Value { ty: Type::Scalar(Scalar::Float), scalars: vec![u64::from(number.to_bits())] }),
        });
        Reading { facts: Facts(0), records: records.collect(), lost: 0 }
    }

    /// Verdicts on what was measured, what the emulator has, and what it has from measured operands.
    fn verdicts(measured: [f32; 4], emulated: [f32; 4], forced: [f32; 4]) -> (Vec<ValueVerdict>, Judged) {
        let shader = shader::analyze(&[TEXT], &Options::new(Stage::Fragment));
        assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
        let [theirs, ours, forced] = [measured, emulated, forced].map(|numbers| reading(&shader, numbers));
        let findings = Judge { shader: &shader, theirs: &theirs, ours: &ours, half: false, hull: None }.run(&forced);
        let comparison = verdict::compare(&shader.typed.types, &theirs, &ours);
        let judged = judge(&shader, &comparison, &Examined::Found(findings));
        (judged.rows.iter().filter_map(|row| row.verdict).collect(), judged)
    }

    #[test]
    fn what_each_operation_is_allowed_is_no_divergence() {
        // The fraction of 234567.81 has few bits, so that a bit of `b` moves it by much.
        let b = 2.345_678_f32;
        let measured = [3.0, b, 0.812_5, 3.812_5];
        let (found, judged) = verdicts(measured, [3.0, b.next_up(), 0.828_125, 3.828_125], measured);
        assert!(
            matches!(
                found[1..],
                [ValueVerdict::Within { ulps: 1 }, ValueVerdict::Allowed { .. }, ValueVerdict::Allowed { .. }]
            ),
            "{found:?}"
        );
        assert!(!judged.agreement().diverges);
    }

    #[test]
    fn a_divergence_is_blamed_on_the_line_where_it_begins() {
        let measured = [7.0, 2.0, 0.5, 7.5];
        let (found, judged) = verdicts(measured, [3.0, 2.0, 0.5, 3.5], [3.0, 2.0, 0.5, 7.5]);
        assert!(matches!(found[0], ValueVerdict::Divergent { .. }), "{found:?}");
        assert!(matches!(found[3], ValueVerdict::Carried { line: 6, .. }), "{found:?}");
        assert!(
            judged.rows[0].why.as_ref().is_some_and(|why| why.contains("`a = x * 3.0`")),
            "{:?}",
            judged.rows[0].why
        );
        let counts = judged.agreement();
        assert_eq!((counts.equal, counts.carried, counts.divergent, judged.first_divergence), (2, 1, 1, Some(0)));
    }
}
