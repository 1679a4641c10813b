//! The text the application handed to `glShaderSource`, as one address space.
//!
//! An application passes several strings; GLSL treats them as concatenated. A [`Pos`] is a byte offset into that
//! concatenation, so every token and node has one integer for an address, and [`Sources::locate`] turns it back into
//! string, line and column.

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

/// Where a [`Pos`] is, in the terms a person uses. Lines and columns count from one; columns count bytes.
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
    lines: Vec<u32>,
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
        Sources { text, starts, lines: Vec::new() }
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of strings.
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
}
