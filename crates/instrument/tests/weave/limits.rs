//! Unsupported questions are rejected by name, and variants stay within the limits of compilers.

use instrument::{Detail, Device, Question, Refusal, Scope, Subject, Transport, Variant, weave};
use moment::Moment;
use shader::Shader;
use shader::ast::{ExprId, NodeId, StmtId};
use shader::version::{Options, Profile, Stage, Version};

use crate::compare::device;

fn woven(shader: &Shader, options: &Options, question: &Question) -> Result<Variant, Refusal> {
    weave(Subject { shader, options, written: None }, question, Scope::All, &device(), Transport::Storage)
}

/// The expression with this source.
fn find(shader: &Shader, text: &str) -> NodeId {
    let all = (0..shader.tree.exprs.len() as u32).map(|id| NodeId::Expr(ExprId(id)));
    let spelled = |node: &NodeId| shader.sources.slice(shader.written(*node)) == text;
    all.into_iter().find(spelled).expect("the expression")
}

#[test]
fn long_shaders_stay_short() {
    let body: String = (0..200).map(|i| format!("    v{0} = v{1} * 0.5 + float({i});\n", i % 4, (i + 1) % 4)).collect();
    let text = format!(
        "#version 430\nout vec4 c;\nvoid main() {{\n    float v0 = 1.0, v1 = 2.0, v2 = 3.0, v3 = 4.0;\n{body}    c = vec4(v0, v1, v2, v3);\n}}\n"
    );
    let options = Options::new(Stage::Fragment);
    let shader = shader::analyze(&[&text], &options);
    for (detail, most) in [(Detail::Statements, 2), (Detail::Expressions, 5)] {
        let variant = woven(&shader, &options, &Question::Recording { detail }).expect("a variant");
        let new: usize = variant.strings.iter().map(String::len).sum();
        assert!(new < most * text.len() + 4000, "{} bytes became {new}", text.len());
        let functions = variant.strings.concat().matches("ai_note(ai_s);").count();
        assert!(functions < 10, "{functions} functions");
    }
}

#[test]
fn expressions_without_a_value_are_rejected_by_name() {
    let text = "#version 430\nuniform sampler2D s; out vec4 c; void f() { }\nvoid main() { const int k = 3; float a[k]; a[0] = 1.0; f(); switch (k) { case 1 + 1: break; } c = texture(s, vec2(0)) + a.length(); }";
    let options = Options::new(Stage::Fragment);
    let shader = shader::analyze(&[text], &options);
    assert!(!shader.has_errors());
    let refusal = |moment: Moment, expression: Option<&str>| {
        let question = Question::Value { moment, expression: expression.map(str::to_owned) };
        woven(&shader, &options, &question).err().map(|refusal| refusal.to_string()).unwrap_or_default()
    };
    let at = |text: &str| Moment { site: find(&shader, text).into(), path: Vec::new() };
    assert!(refusal(at("s"), None).contains("a sampler"), "{}", refusal(at("s"), None));
    assert!(refusal(at("f()"), None).contains("no value"));
    assert!(refusal(at("1 + 1"), None).contains("constant"));
    assert!(refusal(Moment { site: NodeId::Stmt(StmtId(0)).into(), path: Vec::new() }, None).contains("statement"));
    assert!(refusal(at("c = texture(s, vec2(0)) + a.length()"), Some("c.x = 1.0")).contains("side effects"));
    assert!(refusal(at("c = texture(s, vec2(0)) + a.length()"), Some("nothing")).contains("not declared"));
    assert!(refusal(at("c = texture(s, vec2(0)) + a.length()"), Some("1 +")).len() > 5);
    let elsewhere =
        Moment { site: find(&shader, "f()").into(), path: vec![moment::Step::Iteration(StmtId(0).into(), 1)] };
    assert!(refusal(elsewhere, None).contains("no such moment"));
}

/// Variants are valid in WebGL 1: headers of loops and indices do not change.
#[test]
fn variants_respect_appendix_a() {
    let text = "precision mediump float;
varying vec2 uv; uniform float w[4]; uniform sampler2D s;
float f(float a, sampler2D t) { for (int i = 0; i < 4; i++) { if (a > 2.0 && w[i] > a) break; if (a < 0.0) continue; a += w[i]; } return a; }
void main() {
    float sum = 0.0;
    for (int j = 0; j < 3; ++j) sum += f(uv.x, s);
    vec4 v = texture2D(s, uv);
    if (sum > 1.0) v.x = sum; else if (sum > 0.5) v.y = sum;
    gl_FragColor = v;
}
";
    let mut options = Options::new(Stage::Fragment);
    options.webgl = true;
    options.default_version = Version { number: 100, profile: Profile::Es };
    let shader = shader::analyze(&[text], &options);
    assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
    let device = Device {
        newest: options.default_version,
        targets: 1,
        storage_blocks: [0; 6],
        extensions: instrument::Extensions::default(),
        ..device()
    };
    let subject = Subject { shader: &shader, options: &options, written: None };
    let loops = (0..shader.tree.stmts.len() as u32).map(StmtId);
    let inner =
        loops.into_iter().find(|&id| shader.sources.slice(shader.written(NodeId::Stmt(id))).starts_with("for (int i"));
    let outer = (0..shader.tree.stmts.len() as u32).map(StmtId);
    let outer =
        outer.into_iter().find(|&id| shader.sources.slice(shader.written(NodeId::Stmt(id))).starts_with("for (int j"));
    let (inner, outer) = (inner.expect("a loop"), outer.expect("a loop"));
    let NodeId::Expr(call) = find(&shader, "f(uv.x, s)") else { panic!("a call") };
    let path = vec![
        moment::Step::Iteration(outer.into(), 1),
        moment::Step::Call(call.into()),
        moment::Step::Iteration(inner.into(), 2),
    ];
    let site = find(&shader, "a += w[i]");
    let questions = [
        Question::Recording { detail: Detail::Statements },
        Question::Recording { detail: Detail::Expressions },
        Question::Value { moment: Moment { site: site.into(), path: path.clone() }, expression: None },
        Question::Value { moment: Moment { site: site.into(), path }, expression: Some("a * w[i]".to_owned()) },
        Question::Condition { site, condition: Some("a > 1.0".to_owned()) },
        Question::Profile { site: NodeId::Stmt(inner) },
        Question::LiveIns,
    ];
    for question in questions {
        let variant = weave(subject, &question, Scope::All, &device, Transport::Bytes).expect("a variant");
        let woven = shader::analyze(&variant.strings, &options);
        assert!(!woven.has_errors(), "{question:?}: {:?}\n{}", woven.diagnostics, variant.strings.concat());
    }
}

#[test]
fn compilers_cannot_determine_the_iterations_of_a_recorded_loop() {
    let recorded = |declared: &str, body: &str| {
        let text = format!(
            "#version 430\n{declared}\nout vec4 c;\nvoid main() {{\n    c = vec4(0.0);\n    for (int i = 0; i < 16; i++) {body}\n}}\n"
        );
        let options = Options::new(Stage::Fragment);
        let shader = shader::analyze(&[&text], &options);
        assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
        let question = Question::Recording { detail: Detail::Expressions };
        woven(&shader, &options, &question).expect("a variant").strings.concat()
    };
    let unknown = "ai_on >= 0";
    assert!(recorded("", "c.x += 1.0;").contains(unknown));
    assert!(recorded("in b { vec4 v[16]; } bs;", "c += bs.v[i];").contains(unknown));
    // Where a block or sampler is selected, drivers need the loop unrolled.
    assert!(!recorded("uniform b { vec4 v; } bs[4];", "c += bs[i % 4].v;").contains(unknown));
    assert!(!recorded("buffer b { vec4 v; } bs[2][2];", "c += bs[i % 2][0].v;").contains(unknown));
    assert!(!recorded("uniform sampler2D s[4];", "c += texture(s[i % 4], vec2(0.5));").contains(unknown));
}

#[test]
fn an_index_of_a_component_that_a_call_changes_is_not_probed() {
    let text = "#version 430
uniform int i;
out vec4 c;
void f(inout float x) { x += 1.0; }
void g(out float x) { x = 1.0; }
void main() {
    vec4 v[2] = vec4[](vec4(0.0), vec4(1.0));
    float w[2] = float[](0.0, 1.0);
    f(v[i].y);
    f(w[i]);
    g(v[i].x);
    c = v[0] + w[0];
}
";
    let options = Options::new(Stage::Fragment);
    let shader = shader::analyze(&[text], &options);
    assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
    let question = Question::Recording { detail: Detail::Expressions };
    let made = woven(&shader, &options, &question).expect("a variant").strings.concat();
    assert!(made.contains("(v[i].y)") && !made.contains("(w[i])") && !made.contains("(v[i].x)"), "{made}");
}

#[test]
fn a_recomputation_returns_the_values_in_memory() {
    let text = "#version 430\nin vec2 at;\nout vec4 c;\nvoid main() { c = vec4(at * 2.0, 0.0, 1.0); }\n";
    let options = Options::new(Stage::Fragment);
    let shader = shader::analyze(&[text], &options);
    let (subject, question) = (
        Subject { shader: &shader, options: &options, written: None },
        Question::Recomputation { detail: Detail::Expressions },
    );
    let variant = weave(subject, &question, Scope::One, &device(), Transport::Memory(64)).expect("a variant");
    assert_eq!(variant.controls.given(), ["ai_ints_given", "ai_floats_given"]);
    let made = variant.strings.concat();
    assert!(made.contains("int ai_ints_given[64];") && made.contains("float ai_floats_given[64];"), "{made}");
    let gives = "return ai_live && ai_ints_given[0] != 0 ? (ai_ints_given[ai_at - 3] == ai_s ? \
                 vec2(ai_floats_given[ai_at - 2], ai_floats_given[ai_at - 1]) : ai_v) : ai_v;";
    assert!(made.contains(gives), "{made}");
    let targets = weave(subject, &question, Scope::One, &device(), Transport::IntegerTargets(4));
    assert!(matches!(targets, Err(Refusal::Impossible(_))), "{targets:?}");
}

#[test]
fn places_hold_what_a_recomputation_is_given() {
    let text = "#version 430\nin vec2 at;\nout vec4 c;\nvoid main() {\n    vec4 a = vec4(at, at);\n    a.xy *= at;\n    \
                int i = 0;\n    ++i;\n    c = a * float(i);\n}\n";
    let options = Options::new(Stage::Fragment);
    let shader = shader::analyze(&[text], &options);
    let subject = Subject { shader: &shader, options: &options, written: None };
    let made = |question: Question, way| {
        weave(subject, &question, Scope::One, &device(), way).expect("a variant").strings.concat()
    };
    let given = made(Question::Recomputation { detail: Detail::Statements }, Transport::Memory(64));
    assert!(given.contains("(a . xy = ai_see") && given.contains("(i = ai_see"), "{given}");
    let recorded = made(Question::Recording { detail: Detail::Statements }, Transport::Storage);
    assert!(!recorded.contains("a . xy = ai_see"), "{recorded}");
}

#[test]
fn loops_hide_which_arrays_they_go_through() {
    let text = "#version 430\nuniform vec4 all[4];\nuniform int which;\nout vec4 c;\nvoid main() {\n    c = all[which];\n    \
                for (int i = 0; i < 4; i++) c += all[i] + all[2];\n}\n";
    let options = Options::new(Stage::Fragment);
    let shader = shader::analyze(&[text], &options);
    let question = Question::Recording { detail: Detail::Statements };
    let made = woven(&shader, &options, &question).expect("a variant").strings.concat();
    assert!(made.contains("all[ai_index(i)] + all[2]") && made.contains("all[which]"), "{made}");
}
