use super::*;
use crate::version::{Profile, Version};

const GLSL_450: Version = Version { number: 450, profile: Profile::Core };
const ES_100: Version = Version { number: 100, profile: Profile::Es };
const GLSL_120: Version = Version { number: 120, profile: Profile::Compatibility };

fn span_of(text: &str, part: &str) -> Span {
    let start = text.find(part).expect("the part is in the text") as u32;
    Span::new(start, start + part.len() as u32)
}

#[track_caller]
fn check(strings: &[&str], edit: impl Fn(&mut Edits), expected: &[&str]) {
    let mut edits = Edits::new();
    edit(&mut edits);
    let edited = edits.apply(&Sources::new(strings)).expect("the edits do not conflict");
    assert_eq!(edited.strings, expected);
}

#[track_caller]
fn check_lines(version: Version, text: &str, edits: &[(&str, &str)], expected: &str) {
    let mut all = Edits::new();
    for (part, new) in edits {
        all.replace(span_of(text, part), new);
    }
    let rules = LineRules { version, per_string: true };
    let edited = all.apply_keeping_lines(&Sources::new(&[text]), rules).expect("the edits do not conflict");
    assert_eq!(edited.strings, [expected]);
}

#[track_caller]
fn check_error(edit: impl Fn(&mut Edits), expected: EditError) {
    let mut edits = Edits::new();
    edit(&mut edits);
    assert_eq!(edits.apply(&Sources::new(&["0123456789é"])).map(|edited| edited.strings), Err(expected));
}

#[test]
fn untouched_text_is_the_same() {
    check(&["a\r\n", "", "é1e-8"], |_| {}, &["a\r\n", "", "é1e-8"]);
    check(&[], |_| {}, &[""]);
}

#[test]
fn wraps_nest_like_their_spans() {
    // The order of the calls must not matter for different spans.
    let text = "a+b";
    let outer = |e: &mut Edits| e.wrap(Span::new(0, 3), "o(", ")o");
    let inner = |e: &mut Edits| e.wrap(Span::new(0, 1), "i(", ")i");
    let right = |e: &mut Edits| e.wrap(Span::new(2, 3), "r(", ")r");
    let expected = &["o(i(a)i+r(b)r)o"];
    check(&[text], |e| [outer, inner, right].iter().for_each(|f| f(e)), expected);
    check(&[text], |e| [right, inner, outer].iter().for_each(|f| f(e)), expected);
    check(
        &["x"],
        |e| {
            e.wrap(Span::new(0, 1), "1(", ")1");
            e.wrap(Span::new(0, 1), "2(", ")2");
        },
        &["2(1(x)1)2"],
    );
    check(&["xy"], |e| e.wrap(Span::new(1, 1), "(", ")"), &["x()y"]);
}

#[test]
fn order_of_insertions_at_one_position() {
    check(
        &["ab"],
        |e| {
            e.replace(Span::new(1, 2), "B");
            e.wrap(Span::new(1, 2), "<", ">");
            e.insert_before(Pos(1), "before ");
            e.insert(Pos(1), "middle1 ");
            e.insert(Pos(1), "middle2 ");
            e.insert_after(Pos(1), " after ");
            e.wrap(Span::new(0, 1), "[", "]");
        },
        &["[a] after middle1 middle2 before <B>"],
    );
}

#[test]
fn string_boundaries() {
    check(
        &["ab", "", "cd"],
        |e| {
            e.wrap(Span::new(1, 2), "(", ")");
            e.insert_after(Pos(2), ";");
            e.insert_before(Pos(2), "!");
            e.insert(Pos(4), "$");
        },
        &["a(b);", "", "!cd$"],
    );
    check(&["abc", "def"], |e| e.replace(Span::new(2, 4), "X"), &["abX", "ef"]);
    check(&["abc", "def"], |e| e.delete(Span::new(0, 6)), &["", ""]);
}

#[test]
fn conflicts_are_rejected() {
    let (first, second) = (Span::new(1, 5), Span::new(4, 6));
    check_error(
        |e| {
            e.delete(second);
            e.replace(first, "x");
        },
        EditError::Overlap { first, second },
    );
    check_error(
        |e| {
            e.replace(first, "x");
            e.insert(Pos(3), "y");
        },
        EditError::Overlap { first, second: Span::new(3, 3) },
    );
    check_error(|e| e.insert(Pos(99), "y"), EditError::Outside(Span::new(99, 99)));
    check_error(|e| e.insert(Pos(11), "y"), EditError::Outside(Span::new(11, 11)));
    check_error(|e| e.delete(Span::new(5, 3)), EditError::Outside(Span::new(5, 3)));
}

#[test]
fn positions_map_both_ways() {
    let mut edits = Edits::new();
    edits.insert(Pos(2), "++");
    edits.replace(Span::new(4, 7), "X");
    let edited = edits.apply(&Sources::new(&["0123", "456789"])).expect("the edits do not conflict");
    assert_eq!(edited.strings.concat(), "01++23X789");
    let pairs = [(0, 0), (1, 1), (2, 4), (3, 5), (7, 7), (9, 9), (10, 10)];
    for (old, new) in pairs {
        assert_eq!((edited.to_new(Pos(old)), edited.to_old(Pos(new))), (Pos(new), Pos(old)));
    }
    // Removed and new text maps to the position of the change.
    assert_eq!([5, 6].map(|old| edited.to_new(Pos(old)).0), [6, 6]);
    assert_eq!([2, 3, 6].map(|new| edited.to_old(Pos(new)).0), [2, 2, 4]);
}

#[test]
fn added_lines_are_followed_by_a_line_directive() {
    check_lines(GLSL_450, "a;\nb;\nc;\n", &[("b", "x;\ny; b")], "a;\nx;\ny; b;\n#line 3\nc;\n");
    check_lines(GLSL_120, "a;\nb;\nc;\n", &[("b", "x;\ny; b")], "a;\nx;\ny; b;\n#line 2\nc;\n");
    check_lines(GLSL_450, "a;\nb;\nc;\n", &[("b", "x;\nb")], "a;\nx;\nb;\n#line 3\nc;\n");
    check_lines(ES_100, "a;\nb;\nc;\n", &[("b", "x;\ny; b")], "a;\nx;\ny; b;\n#line 3\nc;\n");
    // The rest of a line gets its own number if the new text ends its line.
    check_lines(GLSL_450, "a; b;\nc;\n", &[(" b", "\n x;\n b")], "a;\n x;\n b;\n#line 2\nc;\n");
    check_lines(GLSL_450, "a; b;\r\nc;", &[("a;", "a;\n")], "a;\n#line 1\n b;\r\nc;");
}

#[test]
fn removed_lines_are_padded() {
    check_lines(GLSL_450, "a(\n1,\n2);\nb;", &[("a(\n1,\n2)", "0")], "0\n\n;\nb;");
    check_lines(GLSL_450, "#define A \\\n 1 \\\n 2\nb;", &[("1 \\\n 2", "3")], "#define A \\\n 3\\\n\nb;");
}

#[test]
fn line_directives_wait_until_they_are_allowed() {
    check_lines(GLSL_450, "f(a,\nb,\nc);\nd;", &[("a", "x\n")], "f(x\n,\nb,\nc);\n#line 4\nd;");
    check_lines(GLSL_450, "a; /*\n*/ b;\nc;", &[("a", "x\n")], "x\n#line 1\n; /*\n*/ b;\nc;");
    check_lines(GLSL_450, "a; /*\n*/ b;\nc;", &[("a", "\nx")], "\nx; /*\n*/ b;\n#line 3\nc;");
    check_lines(GLSL_450, "a; // \\\n b\nc;", &[("a", "\nx")], "\nx; // \\\n b\n#line 3\nc;");
    check_lines(GLSL_450, "a;\n  #define B \\\n 2\nc;", &[("a", "\nx")], "\nx;\n#line 2\n  #define B \\\n 2\nc;");
}

#[test]
fn line_directives_are_repeated_after_conditional_groups() {
    check_lines(
        GLSL_450,
        "f(a,\n#if X\nb\n#else\nc)\n#endif\n;\nd;\n",
        &[("a", "\na")],
        "f(\na,\n#if X\nb\n#else\nc)\n#line 6\n#endif\n#line 7\n;\nd;\n",
    );
}

#[test]
fn line_directives_in_the_original_are_respected() {
    check_lines(GLSL_450, "#line 100 3\na;\nb;\n", &[("a", "\na")], "#line 100 3\n\na;\n#line 101\nb;\n");
    check_lines(GLSL_120, "#line 100 3\na;\nb;\n", &[("a", "\na")], "#line 100 3\n\na;\n#line 101\nb;\n");
    check_lines(GLSL_450, "/*\n#line 9\n*/a;\nb;", &[("a", "\na")], "/*\n#line 9\n*/\na;\n#line 4\nb;");
    check_lines(GLSL_450, "a; f(\n)\n#line 7\nb;", &[("(", "(\n")], "a; f(\n\n)\n#line 3\n#line 7\nb;");
    check_lines(GLSL_450, "#line N\na;\nb;", &[("a", "\na")], "#line N\n\na;\nb;");
}

#[test]
fn line_numbers_at_string_boundaries() {
    let sources = Sources::new(&["a;\nb;", "c;\nd;\ne;"]);
    let mut edits = Edits::new();
    edits.insert(Pos(3), "x;\ny; ");
    edits.insert(Pos(5), "z;\nw; ");
    let apply = |per_string| {
        edits.apply_keeping_lines(&sources, LineRules { version: GLSL_450, per_string }).expect("fine").strings
    };
    assert_eq!(apply(true), ["a;\nx;\ny; b;", "z;\nw; c;\n#line 2\nd;\ne;"]);
    assert_eq!(apply(false), ["a;\nx;\ny; b;", "z;\nw; c;\n#line 3\nd;\ne;"]);
}

#[test]
fn many_edits() {
    let n = 200_000;
    let text = "x".repeat(n);
    let mut edits = Edits::new();
    for at in (0..n as u32).rev() {
        edits.wrap(Span::new(at, at + 1), "(", ")");
    }
    let edited = edits.apply(&Sources::new(&[text])).expect("the edits do not conflict");
    assert_eq!(edited.strings, ["(x)".repeat(n)]);
    assert_eq!(edited.to_new(Pos(1000)), Pos(3001));
}
