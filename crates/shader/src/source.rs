//! The text that the application passed to `glShaderSource`, as one address space.
//!
//! An application passes several strings; GLSL treats them as concatenated. A [`Pos`] is a byte offset into that
//! concatenation, so every token and node has one integer for an address, and [`Sources::locate`] turns it back into
//! string, line and column.

use std::ops::Range;
use std::sync::OnceLock;

use crate::version::Includes;

/// A byte offset into the concatenation of all source strings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Pos(pub u32);

/// A half-open byte range in the concatenated source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: Pos,
    /// One past the last byte.
    pub end: Pos,
}

impl Span {
    /// A span from two byte offsets.
    #[must_use]
    pub fn new(start: u32, end: u32) -> Span {
        Span { start: Pos(start), end: Pos(end) }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Number of bytes.
    #[must_use]
    pub fn len(self) -> u32 {
        self.end.0 - self.start.0
    }

    /// True when the span covers nothing.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A [`Pos`] as string, line and column. Lines and columns count from one; columns count bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// Index of the source string.
    pub string: usize,
    /// Physical line within that string.
    pub line: u32,
    /// Byte column.
    pub column: u32,
}

/// All source strings of one shader, in order.
#[derive(Clone, Debug)]
pub struct Sources {
    text: String,
    starts: Vec<u32>,
    /// The number of the program's own strings; the rest are for inclusion.
    own: usize,
    /// Offsets just after each newline, computed on first use: most shaders never need them.
    lines: OnceLock<Vec<u32>>,
}

/// The effect of a `#line` directive on the following lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineDirective {
    /// The first character of the line after the directive.
    pub at: Pos,
    /// The number that line has.
    pub line: u32,
    /// The string number from there on.
    pub string: u32,
}

/// A [`Pos`] after applying `#line` directives: the values of `__FILE__` and `__LINE__`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Presumed {
    /// String number.
    pub string: u32,
    /// Line number.
    pub line: u32,
}

impl Sources {
    /// Joins the strings of one `glShaderSource` call.
    #[must_use]
    pub fn new<S: AsRef<str>>(strings: &[S]) -> Sources {
        let total = strings.iter().map(|s| s.as_ref().len()).sum();
        let mut text = String::with_capacity(total);
        let mut starts = Vec::with_capacity(strings.len());
        for s in strings {
            starts.push(text.len() as u32);
            text.push_str(s.as_ref());
        }
        if starts.is_empty() {
            starts.push(0);
        }
        Sources { text, own: starts.len(), starts, lines: OnceLock::new() }
    }

    /// Joins a program's strings and, after them, those it may include.
    #[must_use]
    pub fn with_includes<S: AsRef<str>>(strings: &[S], includes: &Includes) -> Sources {
        let mut sources = Sources::new(strings);
        for (_, text) in &includes.strings {
            sources.starts.push(sources.text.len() as u32);
            sources.text.push_str(text);
        }
        sources
    }

    /// The program's own text, without strings for inclusion.
    #[must_use]
    pub fn program(&self) -> &str {
        let end = self.starts.get(self.own).map_or(self.text.len(), |start| *start as usize);
        &self.text[..end]
    }

    /// The number of the program's own strings.
    #[must_use]
    pub fn own_strings(&self) -> usize {
        self.own
    }

    /// The range of a string for inclusion, by index.
    #[must_use]
    pub fn include_range(&self, index: usize) -> Range<u32> {
        let start = self.starts[self.own + index];
        let end = self.starts.get(self.own + index + 1).map_or(self.text.len() as u32, |next| *next);
        start..end
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of strings, including those for inclusion.
    #[must_use]
    pub fn strings(&self) -> usize {
        self.starts.len()
    }

    /// Offset at which string `index` begins.
    #[must_use]
    pub fn start(&self, index: usize) -> Pos {
        Pos(self.starts[index])
    }

    /// The bytes of a span.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start.0 as usize..span.end.0 as usize).unwrap_or("")
    }

    /// String, line and column of an offset. Each string starts a new line even if the previous one ends without a
    /// newline; CR, LF, CRLF and LFCR each end one line (GLSL 4.60, 3.1).
    #[must_use]
    pub fn locate(&self, pos: Pos) -> Location {
        let lines = self.lines();
        let string = self.starts.partition_point(|start| *start <= pos.0).max(1) - 1;
        let start = self.starts[string];
        let before = lines.partition_point(|line| *line <= start);
        let upto = lines.partition_point(|line| *line <= pos.0).max(before);
        let line_start = if upto > before { lines[upto - 1] } else { start };
        Location { string, line: (upto - before) as u32 + 1, column: pos.0.saturating_sub(line_start) + 1 }
    }

    /// The span of a line in a string, counted from one, without its line end; empty if there is no such line.
    #[must_use]
    pub fn line_span(&self, string: usize, line: u32) -> Span {
        let lines = self.lines();
        let Some(&start) = self.starts.get(string) else { return Span::default() };
        let end = self.starts.get(string + 1).map_or(self.text.len() as u32, |next| *next);
        let before = lines.partition_point(|l| *l <= start);
        let index = before + line.max(1) as usize - 1;
        let first = if index == before { start } else { lines.get(index - 1).map_or(end, |l| (*l).min(end)) };
        let last = lines.get(index).map_or(end, |l| (*l).min(end));
        let text = self.slice(Span::new(first, last)).trim_end_matches(['\r', '\n']);
        Span::new(first, first + text.len() as u32)
    }

    /// String and line of an offset after applying `#line` directives, which must be in order. Strings after the one
    /// with the last directive are numbered consecutively (GLSL 4.60, 3.3).
    #[must_use]
    pub fn presumed(&self, directives: &[LineDirective], pos: Pos) -> Presumed {
        let here = self.locate(pos);
        let Some(last) = directives[..directives.partition_point(|d| d.at <= pos)].last() else {
            return Presumed { string: here.string as u32, line: here.line };
        };
        let there = self.locate(last.at);
        let string = last.string.wrapping_add((here.string - there.string) as u32);
        let line = if here.string == there.string { last.line.wrapping_add(here.line - there.line) } else { here.line };
        Presumed { string, line }
    }

    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let mut lines = Vec::new();
            for (index, start) in self.starts.iter().enumerate() {
                let end = self.starts.get(index + 1).map_or(self.text.len(), |next| *next as usize);
                let bytes = &self.text.as_bytes()[*start as usize..end];
                let mut at = 0;
                while at < bytes.len() {
                    if let b @ (b'\n' | b'\r') = bytes[at] {
                        at += usize::from(matches!(bytes.get(at + 1), Some(n @ (b'\n' | b'\r')) if *n != b));
                        lines.push(start + at as u32 + 1);
                    }
                    at += 1;
                }
            }
            lines
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{LineDirective, Pos, Sources};

    #[track_caller]
    fn check(strings: &[&str], at: u32, expected: (usize, u32, u32)) {
        let location = Sources::new(strings).locate(Pos(at));
        assert_eq!((location.string, location.line, location.column), expected);
    }

    #[test]
    fn locations() {
        check(&["ab\ncd"], 0, (0, 1, 1));
        check(&["ab\ncd"], 2, (0, 1, 3));
        check(&["ab\ncd"], 4, (0, 2, 2));
        check(&["ab\ncd"], 5, (0, 2, 3));
        check(&["ab\ncd"], 99, (0, 2, 97));
        check(&["a\r\nb\n\rc\rd\n\ne"], 3, (0, 2, 1));
        check(&["a\r\nb\n\rc\rd\n\ne"], 6, (0, 3, 1));
        check(&["a\r\nb\n\rc\rd\n\ne"], 8, (0, 4, 1));
        check(&["a\r\nb\n\rc\rd\n\ne"], 11, (0, 6, 1));
        check(&["a\nb", "c\nd"], 2, (0, 2, 1));
        check(&["a\nb", "c\nd"], 3, (1, 1, 1));
        check(&["a\nb", "c\nd"], 5, (1, 2, 1));
        check(&["a\n", "", "b"], 2, (2, 1, 1));
        check(&[], 0, (0, 1, 1));
    }

    #[test]
    fn lines_of_strings() {
        let sources = Sources::new(&["a\r\nbc\n", "d", "\ne"]);
        let line = |string, line| sources.slice(sources.line_span(string, line));
        assert_eq!([line(0, 1), line(0, 2), line(0, 3), line(0, 9)], ["a", "bc", "", ""]);
        assert_eq!([line(1, 1), line(1, 2), line(2, 1), line(2, 2), line(7, 1)], ["d", "", "", "e", ""]);
    }

    #[test]
    fn presumed_positions() {
        let sources = Sources::new(&["0\n1\n2\n", "3\n4"]);
        let directives = [LineDirective { at: Pos(2), line: 40, string: 7 }];
        let at = |pos| {
            let presumed = sources.presumed(&directives, Pos(pos));
            (presumed.string, presumed.line)
        };
        assert_eq!([at(0), at(2), at(4), at(6), at(8)], [(0, 1), (7, 40), (7, 41), (8, 1), (8, 2)]);
    }
}
