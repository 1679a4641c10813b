//! Texts that no person would write: too deep, too long, too many. Each gets a result, without a crash or a hang.
//!
//! `cargo test --release -p shader --test robust -- --nocapture` prints how long each takes.

use std::fmt::Write as _;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use shader::Shader;
use shader::version::{Options, Stage};

/// Anything longer is considered a hang, even without optimisation on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Half of the standard library's default for threads, and the usual size in WebAssembly.
const STACK: usize = 1 << 20;

/// The result of the front end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Accepted,
    Refused,
}
use Verdict::{Accepted, Refused};

#[track_caller]
fn check(name: &str, text: String, expected: Verdict) -> Vec<&'static str> {
    let (send, receive) = mpsc::channel();
    let size = text.len();
    let work = move || {
        let start = Instant::now();
        let shader = shader::analyze(&[text], &Options::new(Stage::Fragment));
        let _ = shader::link(&[&shader]);
        let time = start.elapsed();
        let errors = shader.has_errors();
        let codes: Vec<&str> = shader.diagnostics.iter().map(|d| d.code).take(20).collect();
        let first = first(&shader);
        drop(shader);
        let _ = send.send((errors, codes, first, time, start.elapsed()));
    };
    thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    let (errors, codes, first, time, whole) =
        receive.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{name}: no answer"));
    eprintln!("{name:32} {size:9} bytes {:8.1} ms {:8.1} ms {first}", ms(time), ms(whole));
    assert_eq!(if errors { Refused } else { Accepted }, expected, "{name}: {first}");
    codes
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn first(shader: &Shader) -> String {
    shader.diagnostics.first().map(|d| format!("{}: {:.60}", d.code, d.message)).unwrap_or_default()
}

/// A fragment shader of GLSL 4.60 with this in `main`.
fn body(text: &str) -> String {
    format!("#version 460\nint a, b;\nint f(int x) {{ return x; }}\nvoid main() {{ {text} }}\n")
}

fn many(count: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    (0..count).for_each(|i| text.push_str(&piece(i)));
    text
}

fn nested(open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(10_000), close.repeat(10_000))
}

/// Checks that deep nesting is rejected with a single diagnostic about it.
#[track_caller]
fn too_deep(name: &str, text: String) {
    let codes = check(name, text, Refused);
    assert!(codes.iter().any(|c| matches!(*c, "too-deep" | "limit" | "array-of-arrays")), "{name}: {codes:?}");
}

#[test]
fn deep_expressions() {
    too_deep("parentheses", body(&format!("a = {};", nested("(", "b", ")"))));
    too_deep("indices", body(&format!("a = {};", nested("f[", "b", "]"))));
    too_deep("calls", body(&format!("a = {};", nested("f(", "b", ")"))));
    too_deep("constructors", body(&format!("a = {};", nested("int(", "b", ")"))));
    too_deep("minus signs", body(&format!("a = {}b;", "- ".repeat(10_000))));
    too_deep("exclamation marks", body(&format!("bool c = {}true;", "!".repeat(10_000))));
    too_deep("increments", body(&format!("{}a;", "++ ".repeat(10_000))));
    too_deep("braced initializers", body(&format!("int x[1] = {};", nested("{", "b", "}"))));
    too_deep("assignments", body(&format!("{}b;", "a = ".repeat(10_000))));
    too_deep("conditionals in the middle", body(&format!("a = {};", nested("b > 0 ? ", "1", " : 2"))));
    too_deep("open parentheses", body(&"(".repeat(10_000)));
    check("open brackets", body(&format!("a{}", "[".repeat(10_000))), Refused);
    too_deep("operators to the right", body(&format!("a = {};", nested("b + (", "b", ")"))));
}

#[test]
fn deep_statements() {
    too_deep("blocks", body(&nested("{", ";", "}")));
    too_deep("open blocks", body(&"{".repeat(10_000)));
    too_deep("ifs", body(&format!("{};", "if (a > 0) ".repeat(10_000))));
    too_deep("ifs with else", body(&nested("if (a > 0) {", ";", "} else ;")));
    too_deep("fors", body(&format!("{};", "for (;;) ".repeat(10_000))));
    too_deep("whiles", body(&format!("{};", "while (a > 0) ".repeat(10_000))));
    too_deep("dos", body(&nested("do ", ";", " while (a > 0);")));
    too_deep("switches", body(&nested("switch (a) { case 0: ", ";", "}")));
}

#[test]
fn deep_declarations() {
    too_deep("structures in structures", nested("struct { ", "int a;", " } s;"));
    too_deep("open structures", "struct S { ".repeat(10_000));
    check("dimensions", format!("#version 460\nint a{};\nvoid main() {{}}", "[1]".repeat(10_000)), Refused);
    check("dimensions of a type", format!("#version 460\nint{} a;\nvoid main() {{}}", "[1]".repeat(10_000)), Refused);
    let chain =
        many(
            10_000,
            |i| if i == 0 { "struct S0 { int a; };".into() } else { format!("struct S{i} {{ S{} a; }};", i - 1) },
        );
    check("a chain of structures", format!("{chain}void main() {{ S9999 s; }}"), Refused);
}

#[test]
fn deep_preprocessing() {
    check("parentheses in #if", format!("#if {}\n#endif\nvoid main() {{}}\n", nested("(", "1", ")")), Accepted);
    check("minus signs in #if", format!("#if {}1\n#endif\nvoid main() {{}}\n", "- ".repeat(10_000)), Accepted);
    check(
        "nested #if",
        format!("{}void main() {{}}\n{}", "#if 1\n".repeat(10_000), "#endif\n".repeat(10_000)),
        Accepted,
    );
    check(
        "nested #if 0",
        format!("#if 0\n{}{}#endif\nvoid main() {{}}\n", "#if 1\n".repeat(10_000), "#endif\n".repeat(10_000)),
        Accepted,
    );
    check("#elif chain", format!("#if 0\n{}#endif\nvoid main() {{}}\n", "#elif 0\n".repeat(100_000)), Accepted);
    let chain = many(10_000, |i| format!("#define M{} M{i}\n", i + 1));
    check("macros naming macros", format!("{chain}int M0;\nvoid main() {{ M10000 = 1; }}\n"), Refused);
    check(
        "macro arguments in arguments",
        format!("#define M(x) x\n{}", body(&format!("a = {};", nested("M(", "b", ")")))),
        Refused,
    );
    let doubling = many(60, |i| format!("#define D{} D{i} D{i}\n", i + 1));
    check("doubling macros", format!("#define D0 a\n{doubling}{}", body("D60;")), Refused);
    check("open macro call", format!("#define M(x) x\nM({}", "(".repeat(1_000_000)), Refused);
}

#[test]
fn long_chains() {
    check("else-if", body(&format!("{};", "if (a > 0) b = 1; else ".repeat(100_000))), Accepted);
    check("else-if with blocks", body(&format!("{}{{}}", "if (a > 0) { b = 1; } else ".repeat(100_000))), Accepted);
    check("conditionals", body(&format!("a = {}0;", "a > 0 ? 1 : ".repeat(10_000))), Refused);
    check("sum of a million", body(&format!("a = a{};", " + a".repeat(1_000_000))), Accepted);
    check("constant sum of a million", body(&format!("const int c = 1{};", " + 1".repeat(1_000_000))), Accepted);
    check("mixed precedence", body(&format!("a = a{};", " + a * b - a / b".repeat(200_000))), Accepted);
    check("comma operator", body(&format!("a{};", ", a".repeat(1_000_000))), Accepted);
    check("logical chain", body(&format!("bool c = a > 0{};", " && a > 0".repeat(200_000))), Accepted);
    check("arguments", body(&format!("f(a{});", ", a".repeat(1_000_000))), Refused);
    check("statements", body(&"a = b;".repeat(300_000)), Accepted);
    check("declarators", body(&format!("int x0{};", many(100_000, |i| format!(", x{}", i + 1)))), Accepted);
    check("broken sum", body(&format!("a = a{};", " + undeclared".repeat(300_000))), Refused);
    check("swizzles", body(&format!("vec4 v = vec4(1){};", ".xyzw".repeat(10_000))), Refused);
    check("a few swizzles", body(&format!("vec4 v = vec4(1){};", ".xyzw".repeat(200))), Accepted);
    check("indices in a row", body(&format!("a = b{};", "[0]".repeat(10_000))), Refused);
    check("calls in a row", body(&format!("a = f{};", "(0)".repeat(10_000))), Refused);
    check("postfix increments", body(&format!("a{};", "++".repeat(10_000))), Refused);
}

#[test]
fn many_of_a_kind() {
    let main = "void main() {}\n";
    let v = "#version 460\n";
    check("globals", format!("{v}{}{main}", many(100_000, |i| format!("int g{i};\n"))), Accepted);
    check("globals of one name", format!("{v}{}{main}", "int g;\n".repeat(100_000)), Refused);
    check(
        "constants",
        format!("{v}const int c0 = 1;\n{}{main}", many(100_000, |i| format!("const int c{} = c{i} + 1;\n", i + 1))),
        Accepted,
    );
    check(
        "functions",
        format!("{v}{}{main}", many(100_000, |i| format!("int f{i}(int x) {{ return x; }}\n"))),
        Accepted,
    );
    check("prototypes of one function", format!("{v}{}{main}", "int f(int x);\n".repeat(100_000)), Accepted);
    check(
        "calls down a chain",
        format!("{v}void f0() {{}}\n{}{main}", many(100_000, |i| format!("void f{}() {{ f{i}(); }}\n", i + 1))),
        Accepted,
    );
    let mutual = many(2_000, |i| format!("void f{i}();\n"));
    let calls = many(100, |i| format!("f{i}();"));
    check(
        "calls of everything",
        format!("{v}{mutual}{}{main}", many(2_000, |i| format!("void f{i}() {{ {calls} }}\n"))),
        Refused,
    );
    let structs = many(100_000, |i| format!("struct S{i} {{ int a; }};\n"));
    check("structures", format!("{v}{structs}{main}"), Accepted);
    let overloads = many(100_000, |i| format!("struct S{i} {{ int a; }};\nint f(S{i} s) {{ return s.a; }}\n"));
    check("overloads of one name", format!("{v}{overloads}void main() {{ S5 s; f(s); }}\n"), Accepted);
    let overloads = many(2_000, |i| format!("struct S{i} {{ int a; }};\nint f(S{i} s) {{ return s.a; }}\n"));
    check(
        "calls of many overloads",
        format!("{v}{overloads}void main() {{ S5 s; {} }}\n", "f(s);".repeat(20_000)),
        Accepted,
    );
    check(
        "wrong calls of many overloads",
        format!("{v}{overloads}void main() {{ {} }}\n", "f(1);".repeat(20_000)),
        Refused,
    );
    let members = many(100_000, |i| format!("int m{i};\n"));
    let uses = many(100_000, |i| format!("s.m{i} = 1;\n"));
    check("members", format!("{v}struct S {{ {members} }};\nvoid main() {{ S s; {uses} }}\n"), Accepted);
    check("members of one name", format!("{v}struct S {{ {} }};\n{main}", "int m;\n".repeat(100_000)), Refused);
    check(
        "no such members",
        format!("{v}struct S {{ {members} }};\nvoid main() {{ S s; {} }}\n", "s.none = 1;".repeat(10_000)),
        Refused,
    );
    let ones = ", 1".repeat(59_999);
    let values = many(60_000, |i| format!("a += s.m{i};\n"));
    let large = format!("{v}int a;\nstruct S {{ {} }};\n", many(60_000, |i| format!("int m{i};\n")));
    check("members of a constant", format!("{large}const S s = S(1{ones});\nvoid main() {{ {values} }}\n"), Accepted);
    check(
        "large structures",
        format!(
            "{large}S f(S s) {{ return s; }}\nvoid main() {{ {} }}\n",
            many(20_000, |i| format!("S s{i}; s{i} = f(s{i});\n"))
        ),
        Accepted,
    );
    check(
        "large structures in arrays",
        format!("{large}void main() {{ {} }}\n", many(20_000, |i| format!("S s{i}[2]; s{i}[0] == s{i}[1];\n"))),
        Accepted,
    );
    check(
        "large blocks",
        format!("{large}{}{main}", many(20_000, |i| format!("uniform B{i} {{ S s{i}; }};\n"))),
        Accepted,
    );
    check(
        "precisions in many scopes",
        format!("#version 300 es\nvoid main() {{ {} }}\n", "{ precision highp float; int a; float b; }".repeat(50_000)),
        Accepted,
    );
    let f = many(1024, |i| {
        format!("void f({});\n", (0..5).map(|b| ["int", "uint", "float", "double"][i >> (2 * b) & 3].to_owned() + if b < 4 { ", " } else { "" }).collect::<String>())
    });
    check(
        "calls between overloads",
        format!("{v}{f}void main() {{ {} }}\n", "f(true, 1, 1, 1, 1); f(1, 1, 1, 1, 1);".repeat(5_000)),
        Refused,
    );
    check(
        "calls with conversions",
        format!(
            "{v}{}void main() {{ S1 s; {} }}\n",
            many(1_000, |i| format!("struct S{i} {{ int a; }}; void f(S{i} s, float b);")),
            "f(s, 1);".repeat(5_000)
        ),
        Accepted,
    );
    check(
        "many calls with conversions",
        format!(
            "{v}{}void main() {{ S1 s; {} }}\n",
            many(20_000, |i| format!("struct S{i} {{ int a; }}; void f(S{i} s, float b);")),
            "f(s, 1);".repeat(20_000)
        ),
        Refused,
    );
    check(
        "vertex layouts",
        format!("{v}{}{main}", many(50_000, |i| format!("flat in int u{i}; layout(early_fragment_tests) in;\n"))),
        Accepted,
    );
    check(
        "members of a uniform block",
        format!("{v}uniform B {{ {members} }};\nvoid main() {{ int x = m5; }}\n"),
        Accepted,
    );
    let named = many(100_000, |i| format!("int y{i} = b.m{i};\n"));
    check(
        "members of a named block",
        format!("{v}uniform B {{ {members} }} b;\nvoid main() {{ {named} }}\n"),
        Accepted,
    );
    check("blocks", format!("{v}{}{main}", many(50_000, |i| format!("uniform B{i} {{ int m{i}; }};\n"))), Accepted);
    check("locals", body(&many(100_000, |i| format!("int l{i};"))), Accepted);
    check("shadowing", body(&many(100_000, |_| "{ int a = 1; { int a = a; } }".into())), Accepted);
    check(
        "parameters",
        format!("{v}void f({});\n{main}", many(100_000, |i| format!("{}int p{i}", if i == 0 { "" } else { ", " }))),
        Accepted,
    );
    check(
        "cases",
        body(&format!("switch (a) {{ {} }}", many(100_000, |i| format!("case {i}: b = {i}; break;")))),
        Accepted,
    );
    check("cases of one value", body(&format!("switch (a) {{ {} }}", "case 1: break;".repeat(100_000))), Refused);
    check("undeclared names", body(&many(100_000, |i| format!("u{i} = 1;"))), Refused);
    check("array literal", body(&format!("const int c[] = int[](0{});", ", 1".repeat(100_000))), Accepted);
    check("array types", format!("{v}{}{main}", many(100_000, |i| format!("int g{i}[{}];\n", i + 1))), Accepted);
    check(
        "big arrays copied",
        body(&format!(
            "const int c[] = int[](0{}); {}",
            ", 1".repeat(1_000),
            many(20_000, |i| format!("const int d{i}[1001] = c;"))
        )),
        Accepted,
    );
    let extension = "#extension GL_ARB_gpu_shader5 : enable\nint a;\n";
    check(
        "extension directives",
        format!("{v}{}{main}", many(20_000, |i| extension.replace("int a", &format!("int a{i}")))),
        Refused,
    );
    check("computed sizes", format!("{v}{}{main}", many(100_000, |i| format!("int g{i}[max(1, 2)];\n"))), Accepted);
    check("macros", format!("{}{main}", many(100_000, |i| format!("#define M{i} {i}\n"))), Accepted);
    let macro_sum = " + M".repeat(100_000);
    check("macro uses", body(&format!("\n#define M a\na = a{macro_sum};")), Accepted);
    check(
        "mistakes in one macro",
        format!("#define M {}\n{}", "undeclared + ".repeat(10_000), body("a = M 1;")),
        Refused,
    );
    check(
        "counters",
        format!("{v}{}{main}", many(20_000, |i| format!("layout(binding = 0) uniform atomic_uint c{i};\n"))),
        Accepted,
    );
    check(
        "locations",
        format!("{v}{}{main}", many(20_000, |i| format!("layout(location = {i}) uniform int u{i};\n"))),
        Accepted,
    );
    check("inputs", format!("{v}{}{main}", many(20_000, |i| format!("flat in int u{i};\n"))), Accepted);
    check("qualifiers", format!("{v}{} int g;\n{main}", "const ".repeat(100_000)), Refused);
    check(
        "layout arguments",
        format!("{v}layout(location = 1{}) uniform int g;\n{main}", ", location = 1".repeat(100_000)),
        Accepted,
    );
    check(
        "precision statements",
        format!("#version 300 es\n{}{main}", "precision highp float;\n".repeat(100_000)),
        Accepted,
    );
    check("requalified", format!("{v}out vec4 c;\n{}{main}", "invariant c;\n".repeat(100_000)), Accepted);
    check("line directives", format!("{v}{}{main}", "#line 1\n".repeat(100_000)), Accepted);
    check("line mentions", body(&"\n#line 5\na = __LINE__;\n".repeat(100_000)), Accepted);
}

#[test]
fn large_texts() {
    check(
        "identifier of a megabyte",
        format!("#version 460\nint {};\nvoid main() {{}}\n", "x".repeat(1 << 20)),
        Accepted,
    );
    let long = "x".repeat(1 << 20);
    check("two undeclared megabytes", body(&format!("{long} = 1; {long}y = 1;")), Refused);
    check(
        "a declared megabyte mistyped",
        format!("#version 460\nint {long};\nvoid main() {{ {long}y = 1; }}\n"),
        Refused,
    );
    check(
        "type of a megabyte in messages",
        format!("#version 460\nstruct {long} {{ int a; }} s;\nvoid main() {{ {} }}\n", "s = 1;".repeat(100_000)),
        Refused,
    );
    check(
        "macro of a megabyte in messages",
        format!("#version 460\n#define M {long}\nvoid main() {{ {} }}\n", "M = 1;".repeat(100_000)),
        Refused,
    );
    check(
        "divisions by zero in a macro",
        format!("#version 460\n#define M 1{}\nvoid main() {{ int a = M; }}\n", " / 0".repeat(100_000)),
        Accepted,
    );
    check("number of a megabyte", body(&format!("a = {};", "1".repeat(1 << 20))), Refused);
    check("fraction of a megabyte", body(&format!("float c = 0.{};", "1".repeat(1 << 20))), Accepted);
    check("comment of ten megabytes", format!("/*{}*/ void main() {{}}\n", "*".repeat(10 << 20)), Accepted);
    check("continuations", format!("int {}a;\nvoid main() {{}}\n", "\\\n".repeat(1 << 20)), Accepted);
    let mut valid = String::from("#version 460\nuniform vec4 u;\nout vec4 c;\n");
    for i in 0.. {
        let _ = write!(
            valid,
            "vec4 f{i}(vec4 p, float q) {{\n    vec4 r = p * q + u;\n    for (int i = 0; i < 4; i++) {{ if (r.x > 1.0) r.yz += vec2(i) * r.xy; else r = mix(r, p, 0.5); }}\n    return normalize(r);\n}}\n"
        );
        if valid.len() > 10 << 20 {
            break;
        }
    }
    check("valid, ten megabytes", format!("{valid}void main() {{ c = f0(u, 1.0); }}\n"), Accepted);
    let garbage = "@ } ) \u{e4} 1x \" ' ; { # ## 0b $ \\ ";
    check("garbage line, ten megabytes", garbage.repeat((10 << 20) / garbage.len()), Refused);
    for piece in [
        "@",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ",",
        "#",
        "\"",
        "a ",
        "1 ",
        "= ",
        "int ",
        "struct ",
        "if ",
        "else ",
        "case ",
        "layout(",
        "a.",
        "a(",
        "? ",
        ": ",
        "- ",
        "int a ",
        "int a = ",
        "void f(",
        "for(",
        "#if 1\n",
        "#else\n",
        "#define\n",
        "#\n",
        "\\\n",
        "/*",
        "//",
        "\u{1f600}",
        "\0",
        "const ",
        "{ } ",
        "} ;",
        "void f() { ",
        "uniform B { ",
        "int x[",
        "a b ",
        "float f( { } ",
        "case 1: ",
        "switch (1) { ",
    ] {
        check(
            &format!("{piece:?} repeated"),
            piece.repeat((2 << 20) / piece.len()),
            if matches!(piece, ";" | "//" | "\\\n" | "#\n") { Accepted } else { Refused },
        );
    }
}
