//! Edits that keep the numbers of later lines.

use crate::edit::map::Builder;
use crate::edit::{EditError, Edited, Edits};
use crate::source::{Sources, Span};
use crate::version::Version;

/// How the compiler counts lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineRules {
    /// Before GLSL 3.30 the line after `#line n` is n + 1; since then, and in every ES version as Mesa and glslang read
    /// it, it is n.
    pub version: Version,
    /// Every source string begins with line 1, as in the specification. Some drivers concatenate the strings first.
    pub per_string: bool,
}

impl Edits {
    /// Applies the changes so that later lines keep their numbers, both for diagnostics and for `__LINE__`.
    ///
    /// A replacement with fewer lines than the original is padded with line ends. After new text with additional lines,
    /// `#line` is inserted before the next line of the original at which a directive is allowed: not inside of a
    /// comment, a directive or a continued line, and not between parentheses, which may contain the arguments of a
    /// macro. (In the middle of a statement a directive is harmless.) The additional lines, and what follows up to that
    /// point, have numbers that are too high.
    ///
    /// Where conditional groups begin or end before that point, `#line` is repeated until one is certain to be
    /// processed. After a `#line` in the original whose number is not a plain literal, nothing is restored, because the
    /// line number is unknown; the same goes for one in a skipped group.
    ///
    /// Text inserted before `#version` must not contain line ends.
    ///
    /// # Errors
    /// As for [`Edits::apply`].
    pub fn apply_keeping_lines(&self, sources: &Sources, rules: LineRules) -> Result<Edited, EditError> {
        let mut lines = Lines { builder: Builder::new(sources), sources, rules, scan: Scan::default(), string: 0 };
        for edit in self.sorted(sources)? {
            lines.keep(edit.span.start.0);
            if edit.starts_string() {
                lines.builder.open_strings(edit.span.start.0);
                lines.enter_string();
            }
            let (old, new) = (sources.slice(edit.span), self.text_of(&edit));
            let missing = count_lines(old).saturating_sub(count_lines(new));
            lines.builder.edit(edit.span, edit.starts_string(), new);
            lines.scan.read_new(new, count_lines(old));
            // A line end after a backslash must stay escaped, or it would end a directive.
            let fill = if old.contains("\\\n") || old.contains("\\\r") { "\\\n" } else { "\n" };
            for _ in 0..missing {
                lines.builder.insert(fill);
                lines.scan.read(fill);
            }
            lines.scan.line = lines.scan.line.map(|line| line.saturating_add(count_lines(old)));
        }
        lines.keep(sources.text().len() as u32);
        Ok(lines.builder.finish())
    }
}

/// The number of line ends in a text; a carriage return and a line feed next to each other are one (GLSL 4.60, 3.1).
fn count_lines(text: &str) -> u32 {
    let mut count = 0;
    let mut ends = Ends::default();
    for byte in text.bytes() {
        count += u32::from(ends.ends(byte));
    }
    count
}

/// Detects line ends of one or two bytes.
#[derive(Clone, Copy, Default)]
struct Ends {
    last: u8,
}

impl Ends {
    /// True for a byte that ends a line, false for the second of a pair and for others.
    fn ends(&mut self, byte: u8) -> bool {
        let newline = matches!(byte, b'\n' | b'\r');
        if newline && matches!(self.last, b'\n' | b'\r') && self.last != byte {
            self.last = 0;
            return false;
        }
        self.last = byte;
        newline
    }
}

struct Lines<'a> {
    builder: Builder<'a>,
    sources: &'a Sources,
    rules: LineRules,
    scan: Scan,
    string: usize,
}

impl Lines<'_> {
    /// Copies the original up to a position, line by line, with `#line` where needed.
    fn keep(&mut self, to: u32) {
        let bytes = self.sources.text().as_bytes();
        let mut at = self.builder.position();
        while at < to {
            self.builder.open_strings(at);
            self.enter_string();
            if self.scan.due()
                && let Some(line) = self.scan.line
            {
                let number = if self.rules.version.at_least(330, 100) { line } else { line.saturating_sub(1) };
                self.builder.insert(&format!("#line {number}\n"));
                self.scan.restored();
            }
            // Up to and including the next line end, or the end of the string.
            let string_end = match self.builder.string() + 1 {
                next if next < self.sources.strings() => self.sources.start(next).0.min(to),
                _ => to,
            };
            let mut ends = Ends::default();
            let mut end = at;
            while end < string_end {
                end += 1;
                if ends.ends(bytes[end as usize - 1]) {
                    let pair = bytes.get(end as usize).is_some_and(|&next| {
                        end < string_end && matches!(next, b'\n' | b'\r') && next != bytes[end as usize - 1]
                    });
                    end += u32::from(pair);
                    break;
                }
            }
            self.builder.keep(end);
            self.scan.read_kept(self.sources.slice(Span::new(at, end)), self.rules);
            at = end;
        }
    }

    /// Resets the line number at the start of a string, if the compiler does.
    fn enter_string(&mut self) {
        while self.string < self.builder.string() {
            self.string += 1;
            if self.rules.per_string {
                self.scan.line = Some(1);
                self.scan.shifted = None;
            }
        }
    }
}

/// The preprocessor's state at the end of the text read so far.
struct Scan {
    /// The number of the current line in the original; `None` after a `#line` that could not be evaluated.
    line: Option<u32>,
    ends: Ends,
    at_line_start: bool,
    block_comment: bool,
    line_comment: bool,
    /// The directive being read.
    directive: Option<String>,
    parentheses: u32,
    /// For each open conditional group, the open parentheses before it and the minimum at the end of its parts.
    groups: Vec<(u32, u32)>,
    last: u8,
    /// Depth of conditional groups.
    depth: u32,
    shifted: Option<Shifted>,
    /// The number in a `#line` just read; `Some(None)` if it is not a literal.
    author_line: Option<Option<u32>>,
}

/// State while line numbers are wrong.
#[derive(Clone, Copy)]
struct Shifted {
    /// The depth of the innermost group that the compiler certainly processes.
    depth: u32,
    /// Whether the position is still in it.
    inside: bool,
    /// Whether the current group already contains a `#line`.
    done_here: bool,
}

impl Default for Scan {
    fn default() -> Scan {
        Scan {
            line: Some(1),
            ends: Ends::default(),
            at_line_start: true,
            block_comment: false,
            line_comment: false,
            directive: None,
            parentheses: 0,
            groups: Vec::new(),
            last: 0,
            depth: 0,
            shifted: None,
            author_line: None,
        }
    }
}

impl Scan {
    /// Whether a `#line` is needed and allowed here.
    fn due(&self) -> bool {
        self.shifted.is_some_and(|shifted| !shifted.done_here)
            && self.at_line_start
            && !self.block_comment
            && !self.line_comment
            && self.directive.is_none()
            && self.parentheses == 0
            && matches!(self.last, b'\n' | b'\r' | 0)
    }

    fn restored(&mut self) {
        if let Some(shifted) = &mut self.shifted {
            if shifted.inside && shifted.depth == self.depth {
                self.shifted = None;
            } else {
                shifted.done_here = true;
            }
        }
    }

    /// Reads new text that replaces text with `old_lines` line ends.
    fn read_new(&mut self, text: &str, old_lines: u32) {
        let lines = self.read(text);
        if lines > old_lines {
            self.shifted = Some(Shifted { depth: self.depth, inside: true, done_here: false });
        }
    }

    /// Reads text of the original.
    fn read_kept(&mut self, text: &str, rules: LineRules) {
        self.author_line = None;
        let lines = self.read(text);
        self.line = self.line.map(|line| line.saturating_add(lines));
        if let Some(number) = self.author_line {
            // The original's `#line` determines the numbers of the following lines.
            let offset = if rules.version.at_least(330, 100) { 0 } else { 1 };
            self.line = number.and_then(|n| n.checked_add(offset));
            if self.shifted.is_some_and(|shifted| shifted.inside && shifted.depth == self.depth) {
                self.shifted = None;
            }
        }
    }

    /// Reads text and returns the number of line ends in it.
    fn read(&mut self, text: &str) -> u32 {
        let mut lines = 0;
        for byte in text.bytes() {
            let last = self.last;
            if matches!(byte, b'\n' | b'\r') {
                if self.ends.ends(byte) {
                    lines += 1;
                    if last == b'\\' {
                        self.last = b' ';
                    } else {
                        self.last = byte;
                        self.end_line();
                    }
                }
                continue;
            }
            self.ends.last = byte;
            self.last = byte;
            self.read_byte(last, byte);
        }
        lines
    }

    fn read_byte(&mut self, last: u8, byte: u8) {
        if self.block_comment {
            if last == b'*' && byte == b'/' {
                self.block_comment = false;
                self.last = b' ';
            }
            return;
        }
        if self.line_comment {
            return;
        }
        match byte {
            b'/' if last == b'/' => self.line_comment = true,
            b'*' if last == b'/' => {
                self.block_comment = true;
                self.last = b' ';
                return;
            }
            b'#' if self.at_line_start => self.directive = Some(String::new()),
            b'(' if self.directive.is_none() => self.parentheses += 1,
            b')' if self.directive.is_none() => self.parentheses = self.parentheses.saturating_sub(1),
            // Braces are rarely between parentheses; a parenthesis left open in text that the compiler skips must not
            // prevent restoration for good.
            b'{' | b'}' if self.directive.is_none() => self.parentheses = 0,
            _ => {}
        }
        if let Some(directive) = &mut self.directive
            && directive.len() < 64
        {
            directive.push(char::from(byte));
        }
        // A slash may begin a comment, and comments may precede the number sign.
        if !matches!(byte, b' ' | b'\t' | 0x0b | 0x0c | b'/') {
            self.at_line_start = false;
        }
    }

    fn end_line(&mut self) {
        self.line_comment = false;
        self.at_line_start = true;
        if self.block_comment {
            return;
        }
        if let Some(directive) = self.directive.take() {
            let words = directive.trim_start_matches('#').trim_start();
            let end = words.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(words.len());
            let (name, rest) = words.split_at(end);
            match name {
                "line" => {
                    self.author_line = Some(rest.split_ascii_whitespace().next().and_then(|n| n.parse().ok()));
                    return;
                }
                "if" | "ifdef" | "ifndef" => {
                    self.depth += 1;
                    self.groups.push((self.parentheses, u32::MAX));
                }
                "elif" | "else" => {
                    if let Some((before, fewest)) = self.groups.last_mut() {
                        *fewest = self.parentheses.min(*fewest);
                        self.parentheses = *before;
                    }
                    if let Some(shifted) = &mut self.shifted
                        && shifted.depth == self.depth
                    {
                        shifted.inside = false;
                    }
                }
                "endif" => {
                    self.depth = self.depth.saturating_sub(1);
                    if let Some((_, fewest)) = self.groups.pop() {
                        self.parentheses = self.parentheses.min(fewest);
                    }
                    if let Some(shifted) = &mut self.shifted
                        && self.depth < shifted.depth
                    {
                        shifted.depth = self.depth;
                        shifted.inside = true;
                    }
                }
                _ => return,
            }
            if let Some(shifted) = &mut self.shifted {
                shifted.done_here = false;
            }
        }
    }
}
