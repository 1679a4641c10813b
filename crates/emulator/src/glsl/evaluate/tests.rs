//! Values of expressions.

use std::sync::Arc;

use lanes::{Mask, Numerics};
use shader::version::{Options, Stage};

use super::{Error, Evaluator};
use crate::glsl::lower;
use crate::ir::Program;
use crate::travel::{Arrival, Lane, Limits, Travel};
use crate::wave::Wave;

const TEXT: &str = "#version 450
#define TWICE(x) ((x) * 2)
flat in int lane; uniform float unused; out vec4 colour;
struct S { int a; vec2 b; };
int counter = 100;
int bump(int by) { counter += by; return counter; }
float square(float x) { return x * x; }
int deep(int n) { int local = n + 1; return local; }
void main() {
    int i = 7;
    S s = S(3, vec2(0.5, 0.25));
    vec4 v = vec4(1.0, 2.0, 3.0, lane);
    for (int i = 0; i < 3; i++) {
        float inner = float(i) + 0.5;
        counter++;
    }
    if (lane > 1) counter = deep(lane);
    { int i = 9; counter += i; }
    switch (lane) { case 0: counter += 1; break; default: counter += TWICE(2); }
    colour = v;
}";

fn options() -> Options {
    Options::new(Stage::Fragment)
}

fn begin(program: &Arc<Program>) -> Travel<4, ()> {
    let mut wave: Wave<4> = Wave::new(program, Numerics::IEEE);
    wave.initialize(Mask::ALL).expect("an end");
    let (_, home) = program.locate("lane").expect("an input");
    wave.set(home.start, [0, 1, 2, 3]);
    wave.start(Mask::ALL);
    let (engine, wave) = wave.into_parts();
    Travel::new(engine, vec![wave], (), Limits::default())
}

/// Goes to the first time a lane is at a statement that begins with some text, and evaluates there.
fn answer(lane: usize, at: &str, expression: &str) -> Result<(String, Vec<u32>), Error> {
    let shader = Arc::new(shader::analyze(&[TEXT], &options()));
    assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
    let program = lower(&shader).expect("nothing unsupported");
    let mut travel = begin(&program);
    travel.follow(Lane { wave: 0, lane });
    let is_there = |travel: &Travel<4, ()>| {
        let site = travel.moment().map(|moment| shader.sources.slice(shader.written(moment.site.into())));
        site.is_some_and(|text| text.starts_with(at))
    };
    assert_eq!(travel.run_to_condition(is_there), Arrival::There, "{at}");
    let options = options();
    let mut evaluator = Evaluator::new(&shader, &options, &program);
    let before = travel.time();
    let answer = evaluator.evaluate(&travel, expression)?;
    let moment = travel.moment().expect("a moment");
    let name = evaluator.expression(&moment, expression)?.type_name().to_owned();
    assert_eq!(evaluator.evaluate(&travel, expression)?, answer, "the run was disturbed");
    assert_eq!(travel.time(), before);
    Ok((name, answer.lane(lane).expect("the lane is there")))
}

#[track_caller]
fn check(lane: usize, at: &str, expression: &str, ty: &str, words: &[u32]) {
    assert_eq!(answer(lane, at, expression), Ok((ty.to_owned(), words.to_vec())));
}

#[track_caller]
fn check_float(at: &str, expression: &str, value: f32) {
    check(0, at, expression, "float", &[value.to_bits()]);
}

#[test]
fn names_mean_what_they_mean_there() {
    check(0, "S s", "i", "int", &[7]);
    check(0, "float inner", "i", "int", &[0]);
    check(0, "counter += i", "i", "int", &[9]);
    check(0, "for", "i", "int", &[7]);
    check(2, "int local", "n", "int", &[2]);
    check(2, "return local", "local * 10 + counter", "int", &[133]);
}

#[test]
fn all_of_the_language_can_be_used() {
    check_float("vec4 v", "s.b.y * 4.0", 1.0);
    check_float("colour = v", "dot(v.xyz, vec3(1.0, 10.0, 100.0)) + v.w", 321.0);
    check_float("colour = v", "square(v.z) + sin(0.0)", 9.0);
    check(3, "colour = v", "TWICE(lane) + int[](4, 5, 6)[1]", "int", &[11]);
    check(1, "colour = v", "lane > 0 ? s : S(0, vec2(0.0))", "S", &[3, 0.5f32.to_bits(), 0.25f32.to_bits()]);
    check_float("colour = v", "dFdx(v.w)", 1.0);
    check(0, "colour = v", "gl_MaxDrawBuffers > 0", "bool", &[1]);
}

#[test]
fn the_run_is_not_disturbed() {
    check(0, "S s", "bump(5) + bump(5)", "int", &[215]);
    check(0, "S s", "counter = 5, i++, i + counter", "int", &[13]);
}

#[test]
fn expressions_go_anywhere_a_statement_is() {
    check(0, "counter += 1", "lane", "int", &[0]);
    check(3, "counter += TWICE", "lane", "int", &[3]);
    check(2, "counter = deep", "counter", "int", &[103]);
    check(0, "int i = 0", "i", "int", &[7]);
}

#[track_caller]
fn check_wrong(expression: &str, code: &str, span: Option<(u32, u32)>) {
    let Err(Error::Wrong(findings)) = answer(0, "S s", expression) else { panic!("{expression} is not wrong") };
    let found = findings[0].span.map(|span| (span.start.0, span.end.0));
    assert_eq!((findings[0].code, found), (code, span), "{findings:?}");
}

#[test]
fn mistakes_are_the_front_ends_own() {
    check_wrong("i + missing", "undeclared", Some((4, 11)));
    check_wrong("i + 1.0 *", "syntax", Some((9, 9)));
    check_wrong("i + s", "undeclared", Some((4, 5)));
    check_wrong("square(true)", "no-overload", Some((0, 12)));
}

#[test]
fn what_is_no_expression_is_refused() {
    for text in
        ["", " ", "int x", "i; i", "return", "discard", "{ }", "i // c", "i /* c", "\n#undef X\n i", "if (true) i"]
    {
        let refused = answer(0, "S s", text);
        assert!(matches!(refused, Err(Error::NotAnExpression | Error::Wrong(_))), "{text:?}: {refused:?}");
    }
    assert_eq!(answer(0, "S s", "unused"), Err(Error::NoValue("unused".to_owned())));
    assert_eq!(answer(0, "S s", "gl_FragCoord.x"), Err(Error::NoValue("gl_FragCoord".to_owned())));
}

#[test]
fn included_text_is_text_too() {
    let mut options = options();
    let text =
        "#version 450\n#extension GL_ARB_shading_language_include : require\n#include \"/f\"\nvoid main() { f(3); }";
    options.includes.strings.push(("/f".to_owned(), "int n; void f(int x) { n = x; n += 1; }".to_owned()));
    let shader = Arc::new(shader::analyze(&[text], &options));
    assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
    let program = lower(&shader).expect("nothing unsupported");
    let mut wave: Wave<4> = Wave::new(&program, Numerics::IEEE);
    wave.start(Mask::ALL);
    let (engine, wave) = wave.into_parts();
    let mut travel = Travel::new(engine, vec![wave], (), Limits::default());
    (0..3).for_each(|_| assert_eq!(travel.step_into(), Arrival::There));
    let mut evaluator = Evaluator::new(&shader, &options, &program);
    let answer = evaluator.evaluate(&travel, "n * 10 + x").expect("an answer");
    assert_eq!(answer.words, [[33; 4]]);
}
