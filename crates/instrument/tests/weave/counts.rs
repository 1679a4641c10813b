//! Conditions, profiles and inputs.

use instrument::stream::Facts;
use instrument::variant::{Reading, Slope};
use instrument::{Question, Scope, Subject, Transport, What, first_hit, weave};
use shader::Shader;
use shader::ast::{ExprId, NodeId, StmtId};
use shader::version::{Options, Stage};

use crate::compare::{answers, device};

const TEXT: &str = "#version 430
in vec2 uv; flat in int k; uniform int n; out vec4 c;
struct S { vec2 a; int b; };
in Block { vec3 p; vec3 unread; } block;
int f(int a) {
    int s = 0;
    for (int i = 0; i < 4; i++) { if (i == a) continue; s += i; }
    return s;
}
void main() {
    int s = f(1);
    for (int j = 0; j < 3; j++) {
        s += f(j) > 4 ? 1 : 2;
        switch (j) { case 0: s++; case 7: s--; break; default: s += 10; }
    }
    if (s == 12345) return;
    c = vec4(s, uv, k) + vec4(block.p, gl_FragCoord.x);
}
";

fn ask(shader: &Shader, question: &Question) -> Reading {
    let options = Options::new(Stage::Fragment);
    let variant = weave(
        Subject { shader, options: &options, written: None },
        question,
        Scope::All,
        &device(),
        Transport::Storage,
    );
    let variant = variant.expect("a variant");
    answers(&variant, &options).unwrap_or_else(|why| panic!("{why}\n{}", variant.strings.concat())).readings.remove(0)
}

fn shader() -> Shader {
    let shader = shader::analyze(&[TEXT], &Options::new(Stage::Fragment));
    assert!(!shader.has_errors());
    shader
}

/// The node with this source.
fn find(shader: &Shader, text: &str) -> NodeId {
    let statements = (0..shader.tree.stmts.len() as u32).map(|id| NodeId::Stmt(StmtId(id)));
    let expressions = (0..shader.tree.exprs.len() as u32).map(|id| NodeId::Expr(ExprId(id)));
    let spelled = |node: &NodeId| shader.sources.slice(shader.written(*node)).starts_with(text);
    statements.chain(expressions).find(spelled).expect("the node")
}

fn counts(reading: &Reading) -> Vec<(u32, i64)> {
    let count = |record: &instrument::variant::Record| match (&record.what, &record.value) {
        (What::Count(_, which), Some(value)) => Some((*which, i64::from(value.scalars[0] as u32))),
        _ => None,
    };
    reading.records.iter().filter_map(count).collect()
}

#[test]
fn a_condition_counts_and_reports_the_first_time() {
    let shader = shader();
    let check = |site: &str, condition: Option<&str>, hits: i64, first: Option<&str>| {
        let site = find(&shader, site);
        let reading = ask(&shader, &Question::Condition { site, condition: condition.map(str::to_owned) });
        assert_eq!(counts(&reading).first(), Some(&(0, hits)));
        assert_eq!(reading.facts.has(Facts::REACHED), hits > 0);
        let moment = first_hit(&shader, site, &reading);
        let text = moment.map(|moment| {
            let step = |step: &moment::Step| match *step {
                moment::Step::Call(call) => {
                    format!("{} ", shader.sources.slice(shader.written(call.into())))
                }
                moment::Step::Iteration(_, number) => format!("#{number} "),
            };
            moment.path.iter().map(step).collect::<String>()
        });
        assert_eq!(text.as_deref(), first);
    };
    check("s += i;", None, 12, Some("f(1) #0 "));
    check("s += i;", Some("s > 4"), 0, None);
    check("s += i;", Some("s >= 3 && a == 0"), 1, Some("#0 f(j) #3 "));
    check("s += i;", Some("a == 2 && i == 1"), 1, Some("#2 f(j) #1 "));
    check("continue;", Some("i > 0"), 3, Some("f(1) #1 "));
    check("i < 4", Some("i == 4 && a == 1"), 2, Some("f(1) #4 "));
    check("i++", Some("i == 2 && a == 2"), 1, Some("#2 f(j) #2 "));
    check("return;", None, 0, None);
    check("s += 10;", None, 2, Some("#1 "));
}

#[test]
fn a_profile_counts_branches_and_iterations() {
    let shader = shader();
    let check = |site: &str, expected: &[(u32, i64)]| {
        let reading = ask(&shader, &Question::Profile { site: find(&shader, site) });
        assert_eq!(counts(&reading), expected);
    };
    check("for (int i", &[(0, 16), (1, 4)]);
    check("for (int j", &[(0, 3), (1, 1)]);
    check("if (i == a)", &[(0, 12), (1, 4)]);
    check("f(j) > 4 ?", &[(0, 1), (1, 2)]);
    check("switch (j)", &[(0, 1), (0, 0), (0, 2), (0, 0)]);
}

#[test]
fn live_ins_are_the_inputs_that_are_read() {
    let shader = shader();
    let reading = ask(&shader, &Question::LiveIns);
    let inputs: Vec<(String, Slope)> = reading
        .records
        .iter()
        .map(|record| match &record.what {
            What::Input(name, slope) => (name.clone(), *slope),
            other => panic!("{other:?}"),
        })
        .collect();
    let has = |name: &str, slope| inputs.contains(&(name.to_owned(), slope));
    for name in ["uv", "block.p"] {
        assert!(
            has(name, Slope::None) && has(name, Slope::X) && has(name, Slope::Y) && has(name, Slope::Both),
            "{inputs:?}"
        );
    }
    assert!(has("k", Slope::None) && !has("k", Slope::X), "{inputs:?}");
    assert!(has("gl_FragCoord", Slope::None) && !has("block.unread", Slope::None), "{inputs:?}");
    assert_eq!(inputs.len(), 10);
}

#[test]
fn ends_are_inputs_and_outputs() {
    let shader = shader();
    let reading = ask(&shader, &Question::Ends);
    let named = |what: &What| match what {
        What::Input(name, _) | What::Output(name) => name.clone(),
        other => panic!("{other:?}"),
    };
    let names: Vec<String> = reading.records.iter().map(|record| named(&record.what)).collect();
    assert!(names.iter().any(|name| name == "gl_FrontFacing") && names.last().is_some_and(|name| name == "c"));
    let value = |name: &str| {
        let found = reading.records.iter().find(|record| named(&record.what) == name);
        f32::from_bits(found.and_then(|record| record.value.as_ref()).expect("a value").scalars[0] as u32)
    };
    // f returns 5, 6, 5 and 4; the loop adds 1, 1, 2 and 0, 10, 10.
    assert_eq!(value("c"), 5.0 + 1.0 + 1.0 + 2.0 + 20.0 + value("block.p"));
}
