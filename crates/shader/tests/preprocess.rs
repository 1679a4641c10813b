//! The output of the preprocessor: macros, conditionals, and their errors.
#![allow(missing_docs, reason = "tests")]

use shader::diagnostic::Severity;
use shader::preprocess::{Preprocessed, preprocess};
use shader::source::Sources;
use shader::token::TokenKind;
use shader::version::{Options, Profile, Stage, Vendor, Version};

fn run(text: &str, version: Option<Version>) -> Preprocessed {
    let sources = Sources::new(&[text]);
    let mut options = Options::new(Stage::Fragment);
    if let Some(version) = version {
        options.default_version = version;
    }
    preprocess(&sources, &options)
}

fn spell(result: &Preprocessed) -> String {
    let spelling = |t: &shader::token::Token| match t.kind {
        TokenKind::Word | TokenKind::Number => result.symbols.name(t.symbol).to_owned(),
        kind => kind.text().to_owned(),
    };
    let (last, tokens) = result.tokens.split_last().expect("there is always an end token");
    assert_eq!(last.kind, TokenKind::Eof);
    tokens.iter().map(spelling).collect::<Vec<_>>().join(" ")
}

/// Codes; warnings have a question mark.
fn codes(result: &Preprocessed) -> Vec<String> {
    let mark = |severity| if severity == Severity::Error { "" } else { "?" };
    result.diagnostics.iter().map(|d| format!("{}{}", d.code, mark(d.severity))).collect()
}

const GLSL_460: Version = Version { number: 460, profile: Profile::Core };
const ES_100: Version = Version { number: 100, profile: Profile::Es };
const ES_300: Version = Version { number: 300, profile: Profile::Es };

/// Checks the tokens; there must be no diagnostics.
#[track_caller]
fn check(text: &str, expected: &str) {
    let result = run(text, Some(GLSL_460));
    assert_eq!(codes(&result), [""; 0], "{:?}", result.diagnostics);
    assert_eq!(spell(&result), expected);
}

#[track_caller]
fn check_codes_in(version: Version, text: &str, expected: &[&str]) {
    let result = run(text, Some(version));
    assert_eq!(codes(&result), expected, "{:?}", result.diagnostics);
}

#[track_caller]
fn check_codes(text: &str, expected: &[&str]) {
    check_codes_in(GLSL_460, text, expected);
}

#[test]
fn object_macros() {
    check("#define A b\nA A a", "b b a");
    check("#define A\nx A y", "x y");
    check("#define A (1 +  2)\nA", "( 1 + 2 )");
    check("#define A B\n#define B C\n#define C 3\nA", "3");
    check("# define A /* one\ntwo */ 4 // three\nA", "4");
    check("#define A \\\n 1 \\\n + 2\nA", "1 + 2");
    check("#define A(x) 1\n#undef A\nA(2)", "A ( 2 )");
    check("#undef NEVER_DEFINED\nx", "x");
    check("#define A (x)\nA", "( x )");
    check("#define asm a\nasm", "a");
}

#[test]
fn function_macros() {
    check("#define F(x) [x]\nF(1) F ( 2 ) F\n(\n3\n)", "[ 1 ] [ 2 ] [ 3 ]");
    check("#define F(x) [x]\nF F; F", "F F ; F");
    check("#define F() 0\nF() F( )", "0 0");
    check("#define F(x) [x]\nF() F((1,2)) F(a(b,c))", "[ ] [ ( 1 , 2 ) ] [ a ( b , c ) ]");
    check("#define F(a, b) b a\nF(1 + 2, 3) F(,4) F(5,)", "3 1 + 2 4 5");
    check("#define F(x) x+x\n#define G 1\nF(G)", "1 + 1");
    check("#define F(a) a*2\n#define G(a) F(a)+F(F(a))\nG(3)", "3 * 2 + 3 * 2 * 2");
    check("#define F (1)\nF", "( 1 )");
    check("#define VALUE 1.0\n#define F(VALUE, B) (VALUE-B)\nF(3.0, 2.0)", "( 3.0 - 2.0 )");
    check("#define FOO(a, b) (1 a 9) b 2\nFOO(+, *)", "( 1 + 9 ) * 2");
    check("#define F(x) x\nF(a // c)\n b /* ) */)", "a b");
}

#[test]
fn expansion_is_not_recursive() {
    check("#define A A\nA", "A");
    check("#define A B\n#define B A\nA B", "A B");
    check("#define A (1+B)\n#define B (2+A)\nA", "( 1 + ( 2 + A ) )");
    check("#define F(x) F(x)\nF(F(1))", "F ( F ( 1 ) )");
    check("#define f(x) x f\nf(1)(2)", "1 f ( 2 )");
    // The examples of the C standard, 6.10.3.4 and 6.10.3.5.
    check("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g");
    let text = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n\
                #define m(a) a(w)\n#define w 0,1\n#define t(a) a\nf(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\n\
                g(x+(3,4)-w) | h 5) & m(f)^m(m);";
    check(
        text,
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; \
         f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;",
    );
    check("#define NIL(x) x\n#define G0(a) NIL(G1)(a)\n#define G1(a) NIL(a)\nG0(42)", "42");
    check("#define f g\n#define g(x) [x]\nf(1) f\n(2) f", "[ 1 ] [ 2 ] g");
}

#[test]
fn pasting() {
    check("#define INT i##n ## t\nINT", "int");
    check("#define C(x, y) x ## y\nC(a, b) C(a b, c d) C(, b) C(a, ) C(,) C(1, .5) C(+, =)", "ab a bc d b a 1.5 +=");
    check("#define I i\n#define IN yes\n#define A I ## N\nA", "yes");
    check("#define C(x, y) x ## y\n#define A 1\nC(A, A) C(A, 2)", "AA A2");
    check("#define C(x,y,z) x ## y ## z\nC(a,,c) C(,,c) C(,b,) q", "ac c b q");
    check("#define t(x,y,z) x ## y ## z + x\n#define j 7\nt(j,,)", "7 + 7");
    check(
        "#define ONE() done\n#define GLUE(x,y) x ## _ ## y\n#define EVAL(x,y) GLUE(x,y)\n#define STEP(n) EVAL(STEP,n)()\n\
         #define STEP_ONE() done\n#define GO STEP(ONE)\nGO",
        "done",
    );
    check_codes("#define A + ## *\nA", &["token-paste"]);
    check_codes("#define A ## b\n", &["token-paste"]);
    check_codes("#define A b ##\n", &["token-paste"]);
    check_codes_in(ES_300, "#define A a ## b\n", &["token-paste"]);
    check_codes("a ## b", &["stray-hash"]);
    let sources = Sources::new(&["#define A a ## b\nA"]);
    let old = Options { vendor: Vendor::Mesa, ..Options::new(Stage::Fragment) };
    assert_eq!(codes(&preprocess(&sources, &old)), ["token-paste?"]);
    assert_eq!(codes(&preprocess(&sources, &Options::new(Stage::Fragment))), ["token-paste"]);
}

#[test]
fn definitions() {
    check(
        "#define A 1\n#define A  1 // same\n#define F(a,b) (a  +b)\n#define F( a, b )(a /* */ +b)\nA F(1,2)",
        "1 ( 1 + 2 )",
    );
    check_codes("#define A 1\n#define A 2", &["macro-redefined"]);
    check_codes("#define A\n#define A 1", &["macro-redefined"]);
    check_codes("#define A (B - 1)\n#define A (B- 1)", &["macro-redefined"]);
    check_codes("#define A 1\n#define A() 1", &["macro-redefined"]);
    check_codes("#define F(a) a\n#define F(b) b", &["macro-redefined"]);
    check_codes("#define F(a,b) a\n#define F(b,a) a", &["macro-redefined"]);
    check_codes("#define A $\n#define A @", &["macro-redefined"]);
    check("#define A 1\n#undef A\n#define A 2\nA", "2");
    check_codes("#define\n#define 1 2\n#define + 2", &["macro-name"; 3]);
    check_codes("#undef\n#undef 1\n#undef a.b", &["macro-name", "macro-name", "extra-tokens"]);
    check_codes(
        "#define F(a a) a\n#define F(\n#define F(,a) 1\n#define F(a,) 1\n#define F(a+b) 1",
        &["macro-parameters"; 5],
    );
    check_codes("#define F(a,a) a", &["macro-parameters"]);
    check_codes("#define S(a) #a\n", &["stringize"]);
    check_codes("#if 0\n#define S(a) #a\n#endif\n", &[]);
    // A meaningless character is reported only where it is used.
    check("#define A a \\ b\n#define B 1.0\nB", "1.0");
    check_codes("#define A a \\ b\nA", &["unknown-character"]);
}

#[test]
fn reserved_names() {
    check_codes("#define GL_FOO 1", &["reserved-macro"]);
    check_codes("#define __FOO 1\n#define A__B\n#define C__\n", &["reserved-macro?"; 3]);
    check_codes("#define __LINE__ 1\n#define __FILE__\n#define __VERSION__ 3", &["reserved-macro"; 3]);
    let predefined = "#undef __LINE__\n#undef __FILE__\n#undef __VERSION__";
    check_codes(predefined, &["reserved-macro?"; 3]);
    check_codes_in(ES_100, predefined, &["reserved-macro"; 3]);
    check_codes("#undef GL_ES\n#undef GL_foo", &["reserved-macro"; 2]);
    check_codes("#undef A__B", &["reserved-macro?"]);
    check_codes_in(ES_100, "#undef A__B", &["reserved-macro"]);
    check_codes("#define defined 1", &["reserved-macro"]);
    check_codes_in(ES_300, "#define defined 1", &[]);
    check("#define F(__LINE__, b) __LINE__+b\nF(1,2)", "1 + 2");
}

#[test]
fn invalid_calls() {
    check_codes("#define F(a,b) a\nF() F(1) F(1,2) F(1,2,3)", &["macro-arguments"; 3]);
    check_codes("#define F() a\nF(1)", &["macro-arguments"]);
    check_codes("#define F(a) a\nF(1", &["macro-unterminated"]);
    check_codes("#define F(a) a\n#if F(1\n#endif", &["macro-unterminated"]);
    check_codes("#define F(a) a\n#define G F(1\nG)", &[]);
    let result = run("#define F(a) [a]\nF(1\n#define X 2\n#ifdef X\n+X\n#else\n-X\n#endif\n)", Some(GLSL_460));
    assert_eq!(spell(&result), "[ 1 + 2 ]");
    assert_eq!(codes(&result), ["directive-in-arguments?"; 3]);
}

#[test]
fn conditionals() {
    check("#if 1\na\n#else\nb\n#endif\nc", "a c");
    check("#if 0\na\n#elif 0\nb\n#elif 1\nc\n#elif 1\nd\n#else\ne\n#endif", "c");
    check("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c");
    check("#ifdef A\na\n#elif defined B\nb\n#else\nc\n#endif", "c");
    check("#define A\n#ifdef A\na\n#endif\n#ifndef A\nb\n#endif\n#ifndef B\nc\n#endif", "a c");
    check("#if 0\n#bogus\n#error no\n' @ \"\n#define A 1\n#endif\nA", "A");
    check("#if 1\n#elif garbage ( here\n#endif\nx", "x");
    check("#if 0\n/*\n#endif\n*/\n// #endif\nx #endif\n#endif\ny", "y");
    check("  /* */ # /* */ if 1\nx\n#\n# // nothing\n#endif", "x");
    check("#if 1\r\na\r#else\n\rb\n#endif\r\nc", "a c");
    check("#i\\\nf 1\nx\n#endif", "x");
    check_codes("#if\n#endif\n#elif 1\n#endif", &["condition", "unbalanced-conditional", "unbalanced-conditional"]);
    check_codes("#else\n", &["unbalanced-conditional"]);
    check_codes("#if 1\n#else\n#else\n#endif", &["unbalanced-conditional"]);
    check_codes("#if 0\n#else\n#elif 1\n#endif", &["unbalanced-conditional"]);
    check_codes("#if 1\n#if 0\n", &["unbalanced-conditional"; 2]);
    check_codes("#ifdef\n#endif\n#ifndef 1\n#endif", &["macro-name"; 2]);
    check_codes("#ifdef A b\n#else c\n#endif d", &["extra-tokens"; 3]);
    check_codes("#if 0\n#if 1 2 3\n#else x\n#endif y\n#endif", &[]);
}

#[test]
fn conditions() {
    #[track_caller]
    fn holds(condition: &str) {
        check(&format!("#define ZERO 0\n#define TWO 2\n#define F(x) (x)*2\n#if {condition}\nyes\n#endif"), "yes");
    }
    for condition in [
        "1",
        "-1",
        "!0",
        "~0 == -1",
        "- - 1 == 1",
        "!!TWO",
        "(((1)))",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "8 - 3 - 2 == 3",
        "7 / 2 == 3 && -7 / 2 == -3",
        "7 % 3 == 1 && -7 % 3 == -1",
        "1 << 4 == 16",
        "-16 >> 2 == -4",
        "8 >> 3 - 2 == 4",
        "(8 != 3 >= 2) == 1",
        "(8 & 3 == 2) == 0",
        "(8 ^ 3 & 2) == 10",
        "(8 | 3 ^ 2) == 9",
        "(0 || 4 && 0) == 0",
        "(0 && 3 | 2) == 0",
        "1 || 0 && 0",
        "1 || 1 / 0",
        "!(0 && 1 % 0)",
        "1 || UNKNOWN",
        "1 || (UNKNOWN && (UNKNOWN / 0))",
        "!(0 && UNKNOWN || 0)",
        "0x10 == 16 && 010 == 8",
        "4294967295 > 0 && 0xffffffffu == 4294967295",
        "5u - 3u == 2",
        "defined TWO",
        "defined(TWO)",
        "defined ( TWO ) && !defined NOT",
        "F(3) == 6",
        "1 << 64 == 0",
        "-1 >> 99 == -1",
    ] {
        holds(condition);
    }
    check("#define AAA defined\n#if AAA AAA\nyes\n#endif", "yes");
    check("#define BBB 1\n#define AAA defined(BBB)\n#undef BBB\n#if !AAA\nyes\n#endif", "yes");
    check("#define VAL (( (4 ) )\n#if VAL) >= 4\nyes\n#endif", "yes");
    for wrong in [
        "!",
        "3+4+",
        "4 4",
        "4 * * 4",
        "(4)(4)",
        "4)",
        "((4 + 7)",
        "1.5",
        "1 foo",
        "++1",
        "--1",
        "1 ? 2 : 3",
        "0x1g",
        "99999999999",
        "defined",
        "defined()",
        "defined(",
        "defined)",
        "defined((A))",
        "defined(A",
        "'a'",
        "()",
        "A(1)",
    ] {
        let result = run(&format!("#if {wrong}\n#endif"), Some(GLSL_460));
        assert!(result.has_errors(), "{wrong}: {:?}", result.diagnostics);
        assert!(result.diagnostics.iter().all(|d| d.code != "unbalanced-conditional"));
    }
    check_codes("#if 1 / 0\n#endif\n#if 1 % 0\n#endif", &["division-by-zero"; 2]);
    check_codes("#if UNKNOWN\n#endif", &["undefined-in-condition?"]);
    check_codes_in(ES_100, "#if UNKNOWN\n#endif", &["undefined-in-condition"]);
    check_codes_in(ES_300, "#define A 1\n#if A && B\n#endif", &["undefined-in-condition"]);
    check_codes_in(ES_300, "#if 1 || B\n#endif\n#if 0 && B\n#endif", &[]);
    check_codes("#define E\n#if E\n#endif", &["condition"]);
    // `defined` from a macro takes the next name unexpanded.
    check_codes("#define FOO 1\n#define OPEN defined(\n#define CLOSE FOO)\n#if OPEN CLOSE\n#endif", &["condition"]);
    let es = "#define CCC 1\n#define defined BBB\n#define AAA defined\n#if AAA CCC\nyes\n#endif\ndefined";
    let result = run(es, Some(ES_300));
    assert_eq!((spell(&result).as_str(), codes(&result).len()), ("yes BBB", 0));
}

#[test]
fn other_directives() {
    let result = run("#error  one /* two */ three // four\n#error\n", Some(GLSL_460));
    let messages: Vec<&str> = result.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, ["one /* two */ three", "#error"]);
    check_codes("#defin A\n#123\n#+", &["directive"; 3]);
    check_codes("#include <a>\n", &["include"]);
    check_codes("a # b", &["stray-hash"]);
    check_codes("a \u{fc}\u{fc} b @ \"c\"", &["unknown-character"; 4]);
    check("a // \u{fc} @\n/* \u{fc} $ \" */ b", "a b");
    check_codes("a /* b", &["unterminated-comment"]);
    check_codes("#if 0\n /* b\n#endif", &["unterminated-comment", "unbalanced-conditional"]);
    check_codes_in(ES_100, "a \\\n b", &["line-continuation?"]);
    check_codes_in(ES_300, "a \\\n b", &[]);
}

#[test]
fn predefined_macros() {
    #[track_caller]
    fn check_in(version: Version, expected: &str) {
        let text =
            "__VERSION__ GL_ES GL_core_profile GL_compatibility_profile GL_es_profile GL_FRAGMENT_PRECISION_HIGH";
        let result = run(text, Some(version));
        assert_eq!(spell(&result).replace("GL_", ""), expected);
    }
    let in_profile = |number, profile| Version { number, profile };
    check_in(ES_100, "100 1 core_profile compatibility_profile es_profile 1");
    check_in(ES_300, "300 1 core_profile compatibility_profile 1 1");
    check_in(GLSL_460, "460 ES 1 compatibility_profile es_profile 1");
    check_in(in_profile(150, Profile::Compatibility), "150 ES 1 1 es_profile 1");
    check_in(
        in_profile(110, Profile::Compatibility),
        "110 ES core_profile compatibility_profile es_profile FRAGMENT_PRECISION_HIGH",
    );
    check("GL_ARB_gpu_shader5 GL_FOO_bar", "1 GL_FOO_bar");
    check("#if GL_ARB_gpu_shader5 == 1\n#ifdef GL_ARB_gpu_shader5\nyes\n#endif\n#endif", "yes");
}

/// However hostile the text, the result comes soon and memory use stays small.
#[test]
fn limits() {
    let laughs: String = (0..30).map(|i| format!("#define A{i} A{} A{}\n", i + 1, i + 1)).collect();
    check_codes(&format!("{laughs}A0"), &["limit"]);
    let doubling: String = (0..30).map(|i| format!("#define F{i}(x) F{}(x x)\n", i + 1)).collect();
    check_codes(&format!("{doubling}F0(1)"), &["limit"]);
    let chain: String = (0..100_000).map(|i| format!("#define B{i} B{}\n", i + 1)).collect();
    check_codes(&format!("{chain}B0"), &["limit"]);
    check_codes(&format!("#define F(x) x\n{}1{}", "F(".repeat(100_000), ")".repeat(100_000)), &["limit"]);
    check_codes(&format!("#define f(x) g\n#define g(x) f\nf{}", "(1)".repeat(100_000)), &["limit"]);
    check_codes(&format!("{}{}", "#if 1\n".repeat(100_000), "#endif\n".repeat(100_000)), &[]);
    check_codes(&format!("#if {}1{}\n#endif", "(".repeat(100_000), ")".repeat(100_000)), &[]);
    check_codes(&format!("#if {}1\n#endif", "!".repeat(100_000)), &[]);
    let result = run(&"@ ".repeat(1_000_000), None);
    assert_eq!(result.diagnostics.len(), 201);
    check_codes(&format!("#define A {}a\nA", "a##".repeat(100_000)), &["limit"]);
    let growing: String = (0..30).map(|i| format!("#define P{i}(x) P{}(x##x)\n", i + 1)).collect();
    check_codes(&format!("{growing}P0(a)"), &["limit"]);
    let many: String = (0..20_000).map(|i| format!("p{i},")).collect();
    check_codes(&format!("#define M({many}q) {}\n", many.repeat(2)), &[]);
}

#[test]
fn includes() {
    let mut options = Options::new(Stage::Fragment);
    options.includes.strings = vec![
        ("/lib/a".to_owned(), "#include \"b\"\nint a;\n".to_owned()),
        ("/lib/./x/../b".to_owned(), "int b;".to_owned()),
        ("/loop".to_owned(), "#include </loop>\n".to_owned()),
    ];
    options.includes.paths = vec!["/lib".to_owned()];
    let enable = "#extension GL_ARB_shading_language_include : enable\n";
    let check = |text: &str| {
        let sources = Sources::with_includes(&[format!("{enable}{text}")], &options.includes);
        let result = preprocess(&sources, &options);
        let words: Vec<_> = result.tokens.iter().filter(|t| t.len > 0).map(|t| sources.slice(t.span())).collect();
        (words.join(" "), codes(&result).join(" "))
    };
    let fine = |words: &str| (words.to_owned(), String::new());
    assert_eq!(check("#include \"/lib/a\"\nint c;"), fine("int b ; int a ; int c ;"));
    assert_eq!(check("#include <a> // found by the search path\n"), fine("int b ; int a ;"));
    assert_eq!(check("#include \"/nowhere\"\n").1, "include");
    assert_eq!(check("#include </loop>\n").1, "include");
    let off = preprocess(&Sources::with_includes(&["#include </lib/a>\n"], &options.includes), &options);
    assert_eq!(codes(&off), ["include"]);
}
