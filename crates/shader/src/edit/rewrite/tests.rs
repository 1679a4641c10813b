use super::*;
use crate::analyze::analyze;
use crate::ast::ExprId;
use crate::edit::LineRules;
use crate::token::TokenKind;
use crate::version::{Options, Stage};

fn shader(text: &str) -> Shader {
    let shader = analyze(&[text], &Options::new(Stage::Fragment));
    assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
    shader
}

fn spelled(shader: &Shader, node: NodeId) -> String {
    let tokens = shader.tree.tokens(node);
    let all = &shader.preprocessed.tokens[tokens.first.0 as usize..=tokens.last.0 as usize];
    let symbols = &shader.preprocessed.symbols;
    let text = |t: &Token| match t.kind {
        TokenKind::Word | TokenKind::Number => symbols.name(t.symbol).to_owned(),
        kind => kind.text().to_owned(),
    };
    all.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// The first expression with this spelling, after macro expansion.
fn find(shader: &Shader, spelling: &str) -> NodeId {
    let ids = (0..shader.tree.exprs.len() as u32).map(|i| NodeId::Expr(ExprId(i)));
    let stmts = (0..shader.tree.stmts.len() as u32).map(|i| NodeId::Stmt(crate::ast::StmtId(i)));
    ids.chain(stmts).find(|id| spelled(shader, *id) == spelling).expect("the node exists")
}

#[track_caller]
fn check(text: &str, change: impl Fn(&Shader, &mut Rewrite<'_>), expected: &str) {
    let shader = shader(text);
    let mut rewrite = Rewrite::new(&shader);
    change(&shader, &mut rewrite);
    let edits = rewrite.edits().expect("the changes do not conflict");
    let rules = LineRules { version: shader.preprocessed.version, per_string: true };
    let edited = edits.apply_keeping_lines(&shader.sources, rules).expect("the edits do not conflict");
    assert_eq!(edited.strings, [expected]);
}

/// Wraps one expression of `gl_FragColor = vec4(…);` with macros defined before it.
#[track_caller]
fn check_wrap(defines: &str, body: &str, wrapped: &str, expected: &str) {
    let text = |body: &str| format!("{defines}uniform float a, b, c;\nvoid main() {{ {body}; }}\n");
    check(&text(body), |s, r| r.wrap(find(s, wrapped), "(", ")"), &text(expected));
}

const OUT: &str = "gl_FragColor.x = ";

#[track_caller]
fn check_value(defines: &str, value: &str, wrapped: &str, expected: &str) {
    check_wrap(defines, &format!("{OUT}{value}"), wrapped, &format!("{OUT}{expected}"));
}

#[test]
fn plain_text_is_edited_directly() {
    check_value("", "a+b * c", "b * c", "a+(b * c)");
    check_value("", "a/**/+b", "a", "(a)/**/+b");
    let shader4 = "#extension GL_EXT_gpu_shader4 : enable\n";
    check_value(shader4, "float(unsigned int(a))", "unsigned int ( a )", "float((unsigned int(a)))");
    check_wrap("", "for (;;) { if (a<b) discard; }", "a < b", "for (;;) { if ((a<b)) discard; }");
}

#[test]
fn a_whole_call_is_kept() {
    check_value("#define M a + b\n", "M", "a + b", "(M)");
    check_value("#define F(x) sin(x)\n", "c - F(a)", "sin ( a )", "c - (F(a))");
    check_value("#define M a\n", "M - b", "a - b", "(M - b)");
}

#[test]
fn a_split_call_is_expanded() {
    check_value("#define M a * b\n", "M + c", "a", "(a)*b + c");
    check_value("#define M a + b\n", "c*M", "c * a", "(c*a)+b");
    check_value("#define F(x) x + x*x\n", "F(a)", "a * a", "a+(a*a)");
    check_value("#define F(x) x + G(x)\n#define G(y) y*b\n", "F(c)", "c * b", "c+(c*b)");
    check_value("#define M 2.*a, float(__LINE__)\n", "max(M)", "2. * a", "max((2.*a), float(3))");
}

#[test]
fn tokens_do_not_merge() {
    check_value("#define N -a*b\n", "-N", "a", "- -(a)*b");
    check_value("#define N - -a*b\n", "c+N", "a", "c+ - -(a)*b");
    check_value("#define D 2.\n#define P vec2(D) .x*a+b\n", "P", "a", "vec2(2.).x*(a)+b");
}

#[test]
fn painted_names_are_not_expanded_again() {
    let defines = "#define sin(x) sin(x + 1.)\n";
    let hidden = "\n#undef sin\nsin((a)+1.)\n#define sin(x) sin(x + 1.)\n";
    let text = |value: &str, end: &str| format!("{defines}uniform float a;\nvoid main() {{\n{OUT}{value}{end}");
    check(&text("sin(a)", ";\n}\n"), |s, r| r.wrap(find(s, "a"), "(", ")"), &text(hidden, "#line 3\n;\n}\n"));
}

#[test]
fn operators_of_removed_operands_do_not_merge() {
    let text = |value: &str| format!("uniform float a, b;\nvoid main() {{ gl_FragColor.x = {value}; }}\n");
    check(&text("a-b-a"), |s, r| r.replace(find(s, "b"), ""), &text("a- -a"));
    check(&text("a-b-a"), |s, r| r.replace(find(s, "b"), "-1."), &text("a- -1.-a"));
}

#[test]
fn calls_over_several_lines_keep_the_line_count() {
    check_value("#define F(x, y) x*y + x\n", "F(a,\n b)", "a * b", "(a*b)+a\n");
}

#[test]
fn a_name_and_its_arguments_may_have_different_origins() {
    check_value("#define F G\n#define G(x) x*b + x\n", "F(a) - c", "a * b", "(a*b)+a - c");
}

#[test]
fn a_call_may_continue_after_another() {
    check_value("#define F(x) x + G\n#define G(y) (y*y)\n", "F(a)(b) - c", "b * b", "a+((b*b)) - c");
    check_value("#define F(x) x + G\n#define G(y) (y*y)\n", "F(a)(b) - c", "a", "(a)+(b*b) - c");
}

#[test]
fn directives_in_arguments_are_not_lost() {
    let text = "#define F(x) x + x\nuniform float a;\nvoid main() { gl_FragColor.x = F(a\n#define Z 1\n); }\n";
    let shader = shader(text);
    let mut rewrite = Rewrite::new(&shader);
    rewrite.wrap(find(&shader, "a + a"), "(", ")");
    assert!(rewrite.edits().is_ok());
    rewrite.wrap(find(&shader, "a"), "(", ")");
    assert!(matches!(rewrite.edits(), Err(RewriteError::Directive(_))));
}

#[test]
fn strings_stay_separate() {
    let strings = ["uniform float a;\n#define M a*a\nvoid main() { gl_FragColor.x = a", "*M;", "}"];
    let shader = analyze(&strings, &Options::new(Stage::Fragment));
    let mut rewrite = Rewrite::new(&shader);
    rewrite.wrap(find(&shader, "a"), "(", ")");
    rewrite.wrap(find(&shader, "a * a"), "(", ")");
    let edited = rewrite
        .edits()
        .expect("the changes do not conflict")
        .apply(&shader.sources)
        .expect("the edits do not conflict");
    let expected = ["uniform float a;\n#define M a*a\nvoid main() { gl_FragColor.x = ((a)", "*a)*a;", "}"];
    assert_eq!(edited.strings, expected);
}

#[test]
fn functions_may_begin_in_a_macro() {
    let text = "uniform float a;\n#define BEGIN void main() { gl_FragColor.x =\nBEGIN a*a; }\n";
    check(text, |s, r| r.wrap(find(s, "a * a"), "(", ")"), &text.replace("a*a", "(a*a)"));
    check(
        text,
        |s, r| r.before(find(s, "gl_FragColor . x = a * a ;"), "f();"),
        "uniform float a;\n#define BEGIN void main() { gl_FragColor.x =\nvoid main(){f();gl_FragColor.x= a*a; }\n",
    );
}

#[test]
fn several_changes_in_one_call() {
    let text = "#define M a*b + a\nuniform float a, b;\nvoid main() { gl_FragColor.x = M; }\n";
    check(
        text,
        |s, r| {
            r.wrap(find(s, "a"), "f(", ")");
            r.wrap(find(s, "a * b"), "g(", ")");
            r.wrap(find(s, "a * b + a"), "h(", ")");
            r.replace(find(s, "b"), "2.");
        },
        "#define M a*b + a\nuniform float a, b;\nvoid main() { gl_FragColor.x = h(g(f(a)*2.)+a); }\n",
    );
}

#[test]
fn replaced_ranges_keep_lines_and_directives() {
    let text = "uniform float a;\nvoid main() { gl_FragColor.x = sin(a\n#ifdef X\n+ 1.\n#endif\n* 2.) + a; }\n";
    check(
        text,
        |s, r| r.replace(find(s, "sin ( a * 2. )"), "0."),
        "uniform float a;\nvoid main() { gl_FragColor.x = 0.\n#ifdef X\n+ 1.\n#endif\n + a; }\n",
    );
}

#[test]
fn conflicts_are_rejected() {
    let shader = shader("uniform float a;\nvoid main() { gl_FragColor.x = a*a; }\n");
    let (outer, inner) = (find(&shader, "a * a"), find(&shader, "a"));
    let mut rewrite = Rewrite::new(&shader);
    rewrite.replace(outer, "1.");
    rewrite.wrap(outer, "(", ")");
    assert!(rewrite.edits().is_ok());
    rewrite.wrap(inner, "(", ")");
    assert_eq!(rewrite.edits().err(), Some(RewriteError::Overlap { replaced: outer, other: inner }));
}
