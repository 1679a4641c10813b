//! The directives of a filetest.

use testing::filetest::{directive, split};

/// A filetest's directives.
pub struct FileTest {
    /// The reason why it is known to fail, if so.
    pub xfail: Option<String>,
    /// Expectations in order.
    pub directives: Vec<Directive>,
}

/// One expectation.
pub struct Directive {
    /// The line that it refers to, from one; [`END`] for one after the last line of code.
    pub line: u32,
    /// The line that it is on.
    pub at: u32,
    /// The expectation.
    pub kind: Expectation,
}

/// Directives after the last line of code refer to diagnostics there or further down.
pub const END: u32 = u32::MAX;

/// An expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expectation {
    /// An error with this code whose message contains this text.
    Error(String, String),
    /// A warning with this code whose message contains this text.
    Warning(String, String),
    /// A diagnostic on this line has a note that contains this text.
    Note(String),
    /// A diagnostic has a label on this line that contains this text.
    Label(String),
    /// A diagnostic on this line came through these macros, innermost first.
    Via(Vec<String>),
    /// An expression or a declared variable has this type.
    Type(String, String),
    /// An expression or a declared constant has this value.
    Value(String, String),
    /// Names that are visible at the first word of this line.
    Scope(Vec<Visible>),
    /// The line and string that `#line` gives this line.
    Line(u32, u32),
    /// There is no error.
    Accepted,
}

/// A name in `scope:`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visible {
    /// The name.
    pub name: String,
    /// False for `-name`.
    pub expected: bool,
    /// The line of its declaration, for `name@3`.
    pub line: Option<u32>,
}

/// Parses all directives of a file.
pub fn parse(text: &str) -> Result<FileTest, String> {
    let mut file = FileTest { xfail: None, directives: Vec::new() };
    let mut waiting: Vec<usize> = Vec::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        let at = index as u32 + 1;
        let (code, comments) = split(line);
        let alone = code.trim().is_empty();
        if !alone {
            waiting.drain(..).for_each(|w: usize| file.directives[w].line = at);
        }
        for comment in comments {
            let Some((word, rest)) = directive(comment) else { continue };
            if word == "xfail" {
                if rest.is_empty() {
                    return Err(format!("line {at}: `xfail` needs a reason"));
                }
                file.xfail = Some(rest.to_owned());
                continue;
            }
            let kind = kind(word, rest).map_err(|error| format!("line {at}: {error}"))?;
            if alone {
                waiting.push(file.directives.len());
            }
            file.directives.push(Directive { line: if alone { END } else { at }, at, kind });
        }
    }
    Ok(file)
}

fn kind(word: &str, rest: &str) -> Result<Expectation, String> {
    let pair = || rest.rsplit_once(" = ").map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned()));
    Ok(match word {
        "error" | "warning" => {
            let (code, text) = rest.split_once(' ').unwrap_or((rest, "\"\""));
            let text = quoted(text)?;
            if code.is_empty() || code.starts_with('"') {
                return Err(format!("expected `{word}: CODE \"PART OF THE MESSAGE\"`"));
            }
            if word == "error" {
                Expectation::Error(code.to_owned(), text)
            } else {
                Expectation::Warning(code.to_owned(), text)
            }
        }
        "note" => Expectation::Note(quoted(rest)?),
        "label" => Expectation::Label(quoted(rest)?),
        "via" => Expectation::Via(rest.split_whitespace().map(str::to_owned).collect()),
        "type" => pair().map(|(e, t)| Expectation::Type(e, t)).ok_or("expected `type: EXPRESSION = TYPE`")?,
        "value" => pair().map(|(e, v)| Expectation::Value(e, v)).ok_or("expected `value: EXPRESSION = VALUE`")?,
        "scope" => Expectation::Scope(rest.split_whitespace().map(visible).collect::<Result<_, _>>()?),
        "line" => {
            let (line, string) = rest.split_once(" of ").unwrap_or((rest, "0"));
            let number = |text: &str| text.trim().parse().map_err(|_| format!("`{text}` is not a number"));
            Expectation::Line(number(line)?, number(string)?)
        }
        "accepted" => Expectation::Accepted,
        _ => return Err(format!("unknown directive `{word}`")),
    })
}

/// Returns the text in quotes.
pub fn quoted(text: &str) -> Result<String, String> {
    let inner = text.trim().strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    inner.map(str::to_owned).ok_or_else(|| format!("`{text}` must be in quotes"))
}

fn visible(word: &str) -> Result<Visible, String> {
    let (name, expected) = word.strip_prefix('-').map_or((word, true), |name| (name, false));
    let (name, line) = match name.split_once('@') {
        Some((name, line)) => (name, Some(line.parse().map_err(|_| format!("`{line}` is not a line number"))?)),
        None => (name, None),
    };
    Ok(Visible { name: name.to_owned(), expected, line })
}
