//! Origins of tokens, `#line`, and the directives that affect how the rest is read.
#![allow(missing_docs, reason = "tests")]

use shader::diagnostic::Severity;
use shader::preprocess::{Behaviour, PragmaKind, Preprocessed, preprocess};
use shader::source::{Pos, Sources};
use shader::token::{ExpansionId, Token, TokenIndex, TokenKind, TokenSpan};
use shader::version::{Options, Profile, Stage, Version};

fn run(strings: &[&str], version: Version) -> (Sources, Preprocessed) {
    let sources = Sources::new(strings);
    let options = Options { default_version: version, ..Options::new(Stage::Fragment) };
    let result = preprocess(&sources, &options);
    (sources, result)
}

fn name<'a>(result: &'a Preprocessed, token: &Token) -> &'a str {
    match token.kind {
        TokenKind::Word | TokenKind::Number => result.symbols.name(token.symbol),
        kind => kind.text(),
    }
}

const GLSL_460: Version = Version { number: 460, profile: Profile::Core };
const GLSL_110: Version = Version { number: 110, profile: Profile::Compatibility };
const ES_100: Version = Version { number: 100, profile: Profile::Es };
const ES_300: Version = Version { number: 300, profile: Profile::Es };

/// Each token as `spelling@text where it is spelled<chain of macros`.
#[track_caller]
fn check_places(text: &str, expected: &str) {
    let (sources, result) = run(&[text], GLSL_460);
    assert!(!result.has_errors(), "{:?}", result.diagnostics);
    let place = |token: &Token| {
        let macros: Vec<&str> =
            result.chain(token.expansion).map(|id| result.symbols.name(result.expansion(id).name)).collect();
        format!("{}@{}<{}", name(&result, token), token.pos.0, macros.join("<"))
    };
    let places: Vec<String> = result.tokens[..result.tokens.len() - 1].iter().map(place).collect();
    assert_eq!(places.join(" "), expected, "in {:?}", sources.text());
}

#[test]
fn origins() {
    check_places("a  b", "a@0< b@3<");
    check_places("#define A x y\nA z", "x@10<A y@12<A z@16<");
    // Arguments keep their positions.
    check_places("#define F(p) p+p\nF(q)", "q@19<F +@14<F q@19<F");
    check_places("#define A 1\n#define B A\nB", "1@10<A<B");
    // A call in an argument belongs to the call that has the argument.
    check_places("#define A 1\n#define F(p) p\nF(A)", "1@10<A<F");
    check_places("#define F(p) G(p)\n#define G(p) [p]\nF(7)", "[@31<G<F 7@37<G<F ]@33<G<F");
    check_places("#define A x ## y\nA", "xy@10<A");
    check_places("#define P(a,b) a ## _ ## b\nP(u,v)", "u_v@15<P");
    check_places("\n__LINE__", "2@1<__LINE__");
    check_places("#define L __LINE__\n\nL", "3@10<__LINE__<L");
}

/// The spans of a range of tokens as text, with the macro that contains them.
#[track_caller]
fn check_span(text: &str, first: u32, last: u32, expected: (&str, &str)) {
    let (sources, result) = run(&[text], GLSL_460);
    let (span, id) = result.span(TokenSpan { first: TokenIndex(first), last: TokenIndex(last) });
    assert_eq!((sources.slice(span), result.symbols.name(result.expansion(id).name)), expected);
}

#[test]
fn spans() {
    check_span("a + b;", 0, 2, ("a + b", ""));
    check_span("#define A x + y\nA * z", 0, 2, ("x + y", "A"));
    check_span("#define A x + y\nA * z", 1, 3, ("A *", ""));
    check_span("#define A x + y\nA * z", 0, 4, ("A * z", ""));
    check_span("#define F(p) (p + 1)\nF(q * r)", 1, 3, ("q * r", "F"));
    check_span("#define F(p) (p + 1)\nF(q * r)", 4, 5, ("+ 1", "F"));
    // Partly argument and partly body: the call.
    check_span("#define F(p) (p + 1)\nF(q * r);", 1, 5, ("F(q * r)", ""));
    // Both ends are the same argument, but the body is in between.
    check_span("#define SQ(p) p*p\nSQ(q);", 0, 2, ("SQ(q)", ""));
    check_span("#define G(p) p - 1\n#define F(p) G(p) + 2\nF(q);", 0, 2, ("G(p)", "F"));
    check_span("#define G(p) p - 1\n#define F(p) G(p) + 2\nF(q);", 0, 4, ("G(p) + 2", "F"));
    check_span("#define G(p) p - 1\n#define F(p) G(p) + 2\nF(q);", 1, 2, ("- 1", "G"));
    check_span("#define A 1\n#define F(p) p + 2\nF(A)", 0, 2, ("F(A)", ""));
    check_span("a", 0, 99, ("a", ""));
}

#[test]
fn outermost_calls() {
    #[track_caller]
    fn check(text: &str, token: u32, expected: Option<&str>) {
        let (sources, result) = run(&[text], GLSL_460);
        assert_eq!(result.outermost_call(TokenIndex(token)).map(|(_, span)| sources.slice(span)), expected);
    }
    check("a", 0, None);
    check("a", 7, None);
    check("#define A B\n#define B 1\nx A y", 1, Some("A"));
    check("#define F(p) G(p)\n#define G(p) p\nF ( 1\n)", 0, Some("F ( 1\n)"));
    // The arguments are after the call that produces the name: they belong to it.
    check("#define H G\n#define G(p) p\nH (1) + 2", 0, Some("H (1)"));
    check("#define H G\n#define G(p) p\nH (1) + 2", 1, None);
}

#[test]
fn definitions_are_listed() {
    let (sources, result) =
        run(&["#define A 1 + 2 // c\n#define F(x,y) x\n#undef A\n#define E\nGL_core_profile"], GLSL_460);
    let list: Vec<_> =
        result.macros.iter().map(|m| (sources.slice(m.definition), sources.slice(m.body), m.parameters)).collect();
    assert_eq!(list, [("A", "1 + 2", None), ("F", "x", Some(2)), ("E", "", None)]);
}

#[test]
fn tokens_may_straddle_strings() {
    let (sources, result) = run(&["flo", "at x = 1", ".5; #", "\n#def", "ine A 7\nA /", "* c */ y"], GLSL_460);
    let names: Vec<&str> = result.tokens.iter().map(|t| name(&result, t)).collect();
    assert_eq!(names, ["float", "x", "=", "1.5", ";", "7", "y", ""]);
    assert_eq!(sources.locate(result.tokens[1].pos).string, 1);
    assert_eq!(result.diagnostics.len(), 1, "the lone `#` is not at the start of a line");
}

/// Checks the values of `__FILE__` and `__LINE__`, in order.
#[track_caller]
fn check_lines(version: Version, strings: &[&str], expected: &str) {
    let (_, result) = run(strings, version);
    assert!(!result.has_errors(), "{:?}", result.diagnostics);
    let names: Vec<&str> = result.tokens[..result.tokens.len() - 1].iter().map(|t| name(&result, t)).collect();
    assert_eq!(names.join(" "), expected);
}

#[test]
fn line_numbers() {
    check_lines(GLSL_460, &["__LINE__\n__LINE__ /*\n*/ __LINE__"], "1 2 3");
    check_lines(GLSL_460, &["__FILE__ __LINE__\n__LINE__\n", "__FILE__ __LINE__"], "0 1 2 1 1");
    check_lines(GLSL_460, &["#line 7\n__LINE__ __FILE__\n__LINE__"], "7 0 8");
    check_lines(GLSL_110, &["#line 7\n__LINE__"], "8");
    check_lines(ES_100, &["#line 7\n__LINE__"], "7");
    check_lines(
        ES_300,
        &["#line 234 10\n__LINE__ __FILE__\n#line 5\n__LINE__ __FILE__", "\n__LINE__ __FILE__"],
        "234 10 5 10 2 11",
    );
    check_lines(GLSL_460, &["#define A 4\n#line A A+1\n__LINE__ __FILE__"], "4 5");
    check_lines(GLSL_460, &["#line (1 + 2) * 2\n__LINE__"], "6");
    check_lines(GLSL_460, &["a \\\n__LINE__\n__LINE__"], "a 2 3");
    check_lines(GLSL_460, &["#if __LINE__ == 1\nyes\n#endif"], "yes");
    // Body tokens have the position of the end of the call, arguments their own.
    let text = "#define BBB __LINE__, /*\n*/ __LINE__\n#define AAA(a,b) BBB, a, b\nAAA(__LINE__,\n__LINE__\n)";
    check_lines(GLSL_460, &[text], "6 , 6 , 4 , 5");
    let bad =
        ["#line", "#line a", "#line 1.5", "#line 1 2 3", "#line -1", "#line \"a\"", "#line 1 \"a\"", "#line 22 1.234"];
    for text in bad {
        let (_, result) = run(&[text], GLSL_460);
        assert_eq!(result.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["line-directive"], "{text}");
    }
    let include = "#extension GL_ARB_shading_language_include : enable\n#line 9 \"/a b\"\n__LINE__";
    check_lines(GLSL_460, &[include], "9");
    let (sources, result) = run(&["a\n#line 40 3\nb"], GLSL_460);
    let at = result.presumed(&sources, result.tokens[1].pos);
    assert_eq!((at.string, at.line), (3, 40));
    assert_eq!(result.line_directives[0].at, Pos(13));
}

#[track_caller]
fn check_version(text: &str, expected: Option<(u16, Profile)>) {
    let (_, result) = run(&[text], GLSL_110);
    let found = (!result.has_errors()).then_some((result.version.number, result.version.profile));
    assert_eq!(found, expected, "{:?}", result.diagnostics);
    assert!(result.diagnostics.iter().all(|d| d.code == "version"));
}

#[test]
fn versions() {
    check_version("x", Some((110, Profile::Compatibility)));
    check_version("#version 120", Some((120, Profile::Compatibility)));
    check_version("// c\n\n /* */ # version 330 // c\nx", Some((330, Profile::Core)));
    check_version("#version 150 compatibility", Some((150, Profile::Compatibility)));
    check_version("#version 460 core", Some((460, Profile::Core)));
    check_version("#version 100", Some((100, Profile::Es)));
    check_version("#version 310 es", Some((310, Profile::Es)));
    for bad in [
        "#version",
        "#version foo",
        "#version 100 es",
        "#version 300",
        "#version 320 core",
        "#version 140 core",
        "#version 110 es",
        "#version 150 es",
        "#version 330 foo",
        "#version 99",
        "#version 331",
        "#version 330 core x",
        "#version 100.0",
        "#version 4294967295",
        "x\n#version 330",
        "#define A\n#version 330",
        "#\n#version 330",
        "#version 330\n#version 330",
        "#version 0x14a",
        "#version 330;",
    ] {
        check_version(bad, None);
    }
    let sources = Sources::new(&["#version 330\n__VERSION__"]);
    let options = Options { version_override: Some(ES_300), ..Options::new(Stage::Fragment) };
    let result = preprocess(&sources, &options);
    assert_eq!((result.version, name(&result, &result.tokens[0])), (ES_300, "300"));
    assert_eq!(result.version_span.map(|span| sources.slice(span)), Some("version 330"));
}

#[track_caller]
fn check_extension(version: Version, text: &str, expected: &[&str]) {
    let (_, result) = run(&[text], version);
    let mark = |severity| if severity == Severity::Error { "" } else { "?" };
    let codes: Vec<String> = result.diagnostics.iter().map(|d| format!("{}{}", d.code, mark(d.severity))).collect();
    assert_eq!(codes, expected, "{:?}", result.diagnostics);
}

#[test]
fn extensions() {
    let text = "#extension GL_ARB_gpu_shader5 : enable\na b\n#extension all: disable\nc";
    let (sources, result) = run(&[text], GLSL_460);
    let list: Vec<_> = result
        .extensions
        .iter()
        .map(|e| (e.at.0, result.symbols.name(e.name), e.behaviour, sources.slice(e.span)))
        .collect();
    assert_eq!(
        list,
        [(0, "GL_ARB_gpu_shader5", Behaviour::Enable, "GL_ARB_gpu_shader5"), (2, "all", Behaviour::Disable, "all"),]
    );
    check_extension(GLSL_460, "#extension all : warn", &[]);
    check_extension(GLSL_460, "#extension all : enable\n#extension all : require", &["extension"; 2]);
    for bad in
        ["", "2 : all", "all", "all ;", "all :", "all : WARN", "all : warn;", "all\u{a4} : warn", "all : war\u{a4}n"]
    {
        check_extension(GLSL_460, &format!("#extension {bad}"), &["extension"]);
    }
    check_extension(GLSL_460, "#define FOO disable\n#extension all : FOO", &["extension"]);
    check_extension(ES_300, "#define warn enable\n#extension all : warn", &[]);
    check_extension(GLSL_460, "#extension GL_FOO_bar : require", &["extension-unsupported"]);
    check_extension(GLSL_460, "#extension GL_FOO_bar : enable", &["extension-unsupported?"]);
    check_extension(GLSL_460, "x\n#extension all : warn", &["extension-late?"]);
    check_extension(ES_300, "x\n#extension all : warn", &["extension-late"]);
    check_extension(ES_100, "x\n#extension all : warn", &["extension-late"]);
    let webgl = Options { webgl: true, default_version: ES_100, ..Options::new(Stage::Fragment) };
    assert!(!preprocess(&Sources::new(&["x\n#extension all : warn"]), &webgl).has_errors());
}

#[test]
fn pragmas() {
    let text = "#pragma\n#pragma STDGL invariant(all)\na\n#pragma  optimize( off ) // c\n#define on off\n\
                #pragma debug(on)\n#pragma \u{a4} x";
    let (_, result) = run(&[text], GLSL_460);
    assert!(result.diagnostics.is_empty());
    let list: Vec<_> = result.pragmas.iter().map(|p| (p.at.0, p.kind, p.text.as_str())).collect();
    assert_eq!(
        list,
        [
            (0, PragmaKind::Other, ""),
            (0, PragmaKind::InvariantAll, "STDGL invariant(all)"),
            (1, PragmaKind::Optimize(false), "optimize( off )"),
            (1, PragmaKind::Debug(true), "debug(on)"),
            (1, PragmaKind::Other, "\u{a4} x"),
        ]
    );
    assert_eq!(result.expansion(ExpansionId::NONE).name, shader::symbol::Symbol::EMPTY);
}

/// Any part of a text full of directives gives a result without panic.
#[test]
fn fragments_of_text_are_handled() {
    let text = "#version 330 core\n#extension GL_ARB_gpu_shader5 : enable\n#define F(a, b) a ## b + \\\n G(a)\n\
                #define G(x) x __LINE__ F\n#if defined(F) && (1 << 2) / 3 || !X\nF(1, /* c */ 2)(F(G(3),\n4))\n\
                #elif 0\n#else\n#line 3 4\n#endif\n#undef F\n#pragma debug(on)\n\u{e9} .5e-3f 0x1Fu @ G(G(G))\n";
    for start in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
        for end in (start..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let (_, result) = run(&[&text[start..end]], GLSL_460);
            let last = TokenIndex(result.tokens.len() as u32 - 1);
            for first in 0..result.tokens.len() as u32 {
                let (span, _) = result.span(TokenSpan { first: TokenIndex(first), last });
                assert!(span.start <= span.end && span.end.0 as usize <= end - start);
            }
        }
    }
}
