//! GLSL in colour: just enough of its words to tell them apart.

/// What a piece of a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Space,
    Comment,
    Directive,
    Keyword,
    Type,
    /// A name with a parenthesis behind it.
    Function,
    Name,
    Number,
    Symbol,
}

const KEYWORDS: &[&str] = &[
    "attribute",
    "break",
    "buffer",
    "case",
    "centroid",
    "coherent",
    "const",
    "continue",
    "default",
    "discard",
    "do",
    "else",
    "false",
    "flat",
    "for",
    "highp",
    "if",
    "in",
    "inout",
    "invariant",
    "layout",
    "lowp",
    "mediump",
    "noperspective",
    "out",
    "patch",
    "precise",
    "precision",
    "readonly",
    "restrict",
    "return",
    "sample",
    "shared",
    "smooth",
    "struct",
    "subroutine",
    "switch",
    "true",
    "uniform",
    "varying",
    "volatile",
    "while",
    "writeonly",
];

const TYPES: &[&str] = &["void", "bool", "int", "uint", "float", "double", "atomic_uint"];

/// Beginnings of types that have many forms.
const TYPE_BEGINS: &[&str] = &[
    "vec", "ivec", "uvec", "bvec", "dvec", "mat", "dmat", "sampler", "isampler", "usampler", "image", "iimage",
    "uimage",
];

/// Symbols of two or three characters.
const LONG: &[&str] = &[
    "<<=", ">>=", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "&&", "||", "^^", "++", "--",
    "<<", ">>",
];

/// The pieces of a line. `inside` is whether a comment is open at its start, and then at its end.
pub fn tokens<'t>(line: &'t str, inside: &mut bool) -> Vec<(Sort, &'t str)> {
    let mut out = Vec::new();
    let mut rest = line;
    if !*inside && line.trim_start().starts_with('#') {
        return vec![(Sort::Directive, line)];
    }
    while let Some(first) = rest.chars().next() {
        let (sort, length) = if *inside || rest.starts_with("/*") {
            let from = if *inside { 0 } else { 2 };
            let end = rest[from..].find("*/").map(|at| from + at + 2);
            *inside = end.is_none();
            (Sort::Comment, end.unwrap_or(rest.len()))
        } else if rest.starts_with("//") {
            (Sort::Comment, rest.len())
        } else if first.is_whitespace() {
            (Sort::Space, span(rest, char::is_whitespace))
        } else if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            (Sort::Number, number(rest))
        } else if first.is_alphabetic() || first == '_' {
            let length = span(rest, |c| c.is_alphanumeric() || c == '_');
            (word(&rest[..length], rest[length..].trim_start().starts_with('(')), length)
        } else {
            let long = LONG.iter().find(|long| rest.starts_with(**long));
            (Sort::Symbol, long.map_or(first.len_utf8(), |long| long.len()))
        };
        out.push((sort, &rest[..length]));
        rest = &rest[length..];
    }
    out
}

fn span(text: &str, of: impl Fn(char) -> bool) -> usize {
    text.find(|c| !of(c)).unwrap_or(text.len())
}

/// How long the number at the start is; `1e-3` has a sign inside.
fn number(text: &str) -> usize {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let sign = matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && !text.starts_with("0x");
        if !c.is_alphanumeric() && c != '.' && !sign {
            return at;
        }
        before = c;
    }
    text.len()
}

fn word(word: &str, called: bool) -> Sort {
    let is_type = TYPES.contains(&word)
        || TYPE_BEGINS.iter().any(|begin| {
            word.strip_prefix(begin)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == 'C' || c == 'B'))
        });
    if is_type {
        Sort::Type
    } else if KEYWORDS.contains(&word) {
        Sort::Keyword
    } else if called {
        Sort::Function
    } else {
        Sort::Name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_put_together_are_the_line() {
        for line in ["vec3 a = b(1.0e-3) /* x */ >>= 0xffu; // c", "  #define é 3", "a./* open", "ü * \"?"] {
            let mut inside = false;
            let text: String = tokens(line, &mut inside).iter().map(|(_, text)| *text).collect();
            assert_eq!(text, line);
            assert_eq!(inside, line.ends_with("open"));
        }
    }

    #[test]
    fn words_are_told_apart() {
        let sorts: Vec<(Sort, &str)> = tokens("if (mix(vec3(1.0), samples)) // no", &mut false)
            .into_iter()
            .filter(|(sort, _)| *sort != Sort::Space)
            .collect();
        let plain: Vec<Sort> = sorts.iter().filter(|(sort, _)| *sort != Sort::Symbol).map(|(sort, _)| *sort).collect();
        assert_eq!(plain, [Sort::Keyword, Sort::Function, Sort::Type, Sort::Number, Sort::Name, Sort::Comment]);
    }
}
