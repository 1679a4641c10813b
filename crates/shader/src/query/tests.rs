use super::*;
use crate::source::Pos;
use crate::version::{Options, Stage};

/// Analyses a fragment shader; `‸` marks a position and is removed.
#[track_caller]
fn at(text: &str) -> (Shader, Pos) {
    let place = text.find('‸').unwrap_or(0);
    let text = format!("#version 450\n{}", text.replace('‸', ""));
    (crate::analyze(&[text], &Options::new(Stage::Fragment)), Pos(place as u32 + 13))
}

#[track_caller]
fn check_node(text: &str, expected: &str) {
    let (shader, pos) = at(text);
    let found = shader.node_at(pos).map(|node| shader.sources.slice(shader.span(node).0).to_owned());
    assert_eq!(found.unwrap_or_default(), expected);
}

#[test]
fn nodes_at_positions() {
    check_node("void main() { int a = 1 +‸ 2 * 3; }", "1 + 2 * 3");
    check_node("void main() { int a = 1 + 2 ‸* 3; }", "2 * 3");
    check_node("void main() { int a = 1 + 2 * ‸3; }", "3");
    check_node("void main() {‸   int a; }", "{   int a; }");
    check_node("int g[‸7]; void main() { }", "7");
    check_node("layout(location = ‸1) out vec4 c; void main() { }", "1");
    check_node("‸", "");
    check_node("void main() { if (true) { } else if (‸false) { } }", "false");
    check_node("#define M(x) (x + 1)\nvoid main() { int a = 2; int b = ‸M(a * 3) * 2; }", "M(a * 3)");
    check_node("#define M(x) (x + 1)\nvoid main() { int a = 2; int b = M(‸a * 3) * 2; }", "a");
    check_node("#define M(x) (x + 1)\nvoid main() { int a = 2; int b = M(a ‸* 3) * 2; }", "a * 3");
    check_node("#define M ‸5\nvoid main() { int b = M; }", "");
}

#[track_caller]
fn check_visible(text: &str, expected: &[&str]) {
    let (shader, pos) = at(text);
    let node = shader.node_at(pos).expect("there is a node");
    let names: Vec<String> = shader
        .visible_variables(node)
        .into_iter()
        .map(|id| {
            let line = shader.definition(id).map(|span| shader.sources.locate(span.start).line);
            let name = shader.preprocessed.symbols.name(shader.typed.variable(id).name);
            format!("{name}@{}", line.map_or_else(|| "language".to_owned(), |l| (l - 1).to_string()))
        })
        .collect();
    assert_eq!(names, expected);
}

#[test]
fn visible_variables_in_their_scopes() {
    check_visible("uniform float u;\nvoid f(int a) {\nint u = a;\n{ int b = ‸u;\nint c; }\n}", &["a@2", "u@3"]);
    check_visible("void main() {\nfor (int i = 0; i < 3; i++) { ‸i; }\nint z;\n}", &["i@2"]);
    check_visible("void main() {\nint x = 1;\n{\nint x = ‸x;\n}\n}", &["x@2"]);
    check_visible(
        "uniform B {\nfloat m;\n};\nout vec4 c;\nvoid main() { ‸c = gl_FragCoord; }",
        &["m@2", "c@4", "gl_FragCoord@language"],
    );
}

#[track_caller]
fn check_boundaries(text: &str, expected: &[&str]) {
    let (shader, _) = at(text);
    let found = shader.statement_boundaries();
    let found: Vec<&str> = found.into_iter().map(|node| shader.sources.slice(shader.span(node).0)).collect();
    assert_eq!(found, expected);
}

#[test]
fn statement_boundaries() {
    check_boundaries(
        "float g = 1.0; void main() { int a = 1; if (a > 0) a++; else discard; for (int i = 0; i < 3; i++) { continue; } }",
        &["int a = 1;", "a > 0", "a++;", "discard;", "int i = 0;", "i < 3", "i++", "continue;"],
    );
    check_boundaries(
        "void main() { while (bool b = true) break; do { ; } while (false); switch (1) { case 1: return; default: {} } }",
        &["bool b = true", "break;", "false", "1", "return;"],
    );
}

#[test]
fn effects_and_functions() {
    let (shader, pos) = at("out vec4 c;\nint f() { return 1; }\nvoid main() { ‸int a; f(); c = vec4(1); }");
    let statements = shader.statements();
    let effects: Vec<bool> = statements.iter().map(|&s| shader.has_side_effects(NodeId::Stmt(s))).collect();
    // The body and statement of `f`; the body of `main`, then its three statements. A call of a user-defined function
    // may have any effect.
    assert_eq!(effects, [false, false, true, false, true, true]);
    let node = shader.node_at(pos).expect("there is a node");
    let function = shader.enclosing_function(node).expect("the node is in a function");
    assert_eq!(shader.preprocessed.symbols.name(shader.typed.function(function).name), "main");
}

#[test]
fn long_chains_need_no_stack() {
    let sum = vec!["1"; 300_000].join("+");
    let ifs = vec!["if (true) { }"; 20_000].join(" else ");
    let (shader, _) = at(&format!("void main() {{ int a = {sum}; {ifs} }}"));
    assert_eq!(shader.statement_boundaries().len(), 1 + 20_000);
    let node = shader.node_at(Pos(13 + 22)).expect("there is a node");
    assert_eq!(shader.type_of(node), Some(Type::INT));
    assert_eq!(shader.constant_of(node).map(|c| shader.constant_text(c)), Some("1".to_owned()));
}

#[test]
fn constants_as_text() {
    let (shader, _) = at(
        "struct S { int a; vec2 b; };\nconst S s = S(-1, vec2(0.5, 2));\nconst uint u[2] = uint[](1, 2);\nconst mat2 m = mat2(1);\nconst float big[100] = float[100](1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1);",
    );
    let texts: Vec<String> =
        shader.typed.variables.iter().filter_map(|v| v.constant).map(|c| shader.constant_text(c)).collect();
    assert_eq!(texts[0], "S(-1, vec2(0.5, 2.0))");
    assert_eq!(texts[1], "uint[2](1u, 2u)");
    assert_eq!(texts[2], "mat2(1.0, 0.0, 0.0, 1.0)");
    assert!(texts[3].ends_with("1.0, …)"), "{}", texts[3]);
}

#[track_caller]
fn check_parts(expression: &str, expected: &[(Option<u32>, Option<&str>)]) {
    let text = format!("#version 120\nvoid main() {{\nint i = 1;\ngl_Position = vec4({expression});\n}}");
    let shader = crate::analyze(&[text.as_str()], &Options::new(Stage::Vertex));
    assert!(shader.diagnostics.is_empty(), "{expression}: {:?}", shader.diagnostics);
    let named =
        |variable: &&crate::typed::Variable| shader.preprocessed.symbols.name(variable.name) == "gl_LightSource";
    let place = shader.typed.variables.iter().position(|variable| named(&variable)).unwrap();
    let found = shader.used_parts(crate::typed::VarId(place as u32));
    let name = |symbol| shader.preprocessed.symbols.name(symbol);
    let found: Vec<_> = found.iter().map(|part| (part.element, part.member.map(name))).collect();
    assert_eq!(found, expected, "{expression}");
}

#[test]
fn parts_that_are_used() {
    check_parts("gl_LightSource[2].diffuse.x", &[(Some(2), Some("diffuse"))]);
    check_parts("(gl_LightSource[0]).spotCutoff", &[(Some(0), Some("spotCutoff"))]);
    check_parts("gl_LightSource[i].position[1]", &[(None, Some("position"))]);
    check_parts(
        "gl_LightSource[0].ambient + gl_LightSource[1].ambient",
        &[(Some(0), Some("ambient")), (Some(1), Some("ambient"))],
    );
}
