//! The lines of a shader that one finding shows, made fit for a terminal.
//!
//! Long lines are clipped around what matters, characters that would move the cursor or hide text are replaced, and line
//! numbers are those of the file. Only lines that will be shown are prepared, so a finding costs no more in a large
//! shader than in a small one.

use std::collections::BTreeMap;
use std::ops::Range;

use codespan_reporting::files::{Error, Files};
use shader::source::Span;

use super::explain::Annotation;
use super::input::Unit;

/// Lines with more characters than this are clipped.
const MAX_WIDTH: usize = 160;
/// Characters kept in front of what matters in a clipped line.
const LEAD: usize = 50;
/// A label over more lines than this is put on its first line only.
const MAX_LINES: u32 = 60;
/// Stands for what was clipped.
const CLIPPED: &str = "…";

/// The excerpts that one finding needs, one for each string of each shader it touches.
#[derive(Default)]
pub struct Excerpts {
    excerpts: Vec<Excerpt>,
}

struct Excerpt {
    key: (usize, usize),
    name: String,
    first_line: u32,
    text: String,
    /// By index of the line.
    rows: BTreeMap<usize, Row>,
}

struct Row {
    /// In the excerpt's text.
    range: Range<usize>,
    /// Offsets of characters in the source line and in the excerpt's text, in order.
    marks: Vec<(usize, usize)>,
    /// Characters of the source line before the first mark.
    skipped: usize,
}

/// A place in terms of strings and lines.
struct Stretch {
    key: (usize, usize),
    /// First and last line, from one.
    lines: (u32, u32),
    /// Offsets in these lines.
    offsets: (usize, usize),
}

impl Excerpts {
    /// Prepares what the places need; each place becomes an excerpt's number and a range of its text.
    pub fn new(places: &[Annotation], units: &[Unit]) -> (Excerpts, Vec<(usize, Range<usize>)>) {
        let stretches: Vec<Stretch> = places.iter().map(|place| stretch(place, units)).collect();
        let mut wanted: BTreeMap<(usize, usize), BTreeMap<u32, usize>> = BTreeMap::new();
        for (stretch, place) in stretches.iter().zip(places) {
            let lines = wanted.entry(stretch.key).or_default();
            let (first, last) = stretch.lines;
            // One line more on either side: a gap of one line is shown rather than marked as a gap.
            for line in first.saturating_sub(1).max(1)..=last.saturating_add(1) {
                let focus = if line == first { stretch.offsets.0 } else { 0 };
                let known = lines.entry(line).or_insert(focus);
                if line == first && (place.primary || *known == 0) {
                    *known = focus;
                }
            }
        }
        let excerpts = wanted.into_iter().map(|(key, lines)| Excerpt::new(key, &lines, &units[key.0])).collect();
        let excerpts = Excerpts { excerpts };
        let ranges = stretches.iter().map(|stretch| excerpts.place(stretch)).collect();
        (excerpts, ranges)
    }

    fn place(&self, stretch: &Stretch) -> (usize, Range<usize>) {
        let index = self.excerpts.iter().position(|e| e.key == stretch.key).unwrap_or(0);
        let at = |line: u32, offset| {
            let row = self.excerpts.get(index).and_then(|e| e.rows.get(&(line as usize - 1)));
            row.map_or(0, |row| row.display(offset))
        };
        let start = at(stretch.lines.0, stretch.offsets.0);
        (index, start..at(stretch.lines.1, stretch.offsets.1).max(start))
    }

    fn get(&self, id: usize) -> Result<&Excerpt, Error> {
        self.excerpts.get(id).ok_or(Error::FileMissing)
    }
}

fn stretch(place: &Annotation, units: &[Unit]) -> Stretch {
    let sources = &units[place.unit].shader.sources;
    let span = place.span;
    let start = sources.locate(span.start);
    // The end is one past the last byte, which may already be on the next line or in the next string.
    let last = if span.is_empty() { start } else { sources.locate(shader::source::Pos(span.end.0 - 1)) };
    let offset = start.column as usize - 1;
    let length = sources.line_span(start.string, start.line).len() as usize;
    let (line, end) = if last.string != start.string || last.line - start.line > MAX_LINES {
        (start.line, length.max(offset))
    } else {
        (last.line, last.column as usize - usize::from(span.is_empty()))
    };
    Stretch { key: (place.unit, start.string), lines: (start.line, line), offsets: (offset, end) }
}

impl Excerpt {
    fn new(key: (usize, usize), lines: &BTreeMap<u32, usize>, unit: &Unit) -> Excerpt {
        let piece = &unit.pieces[key.1];
        let (name, first_line) = (visible(&piece.name), if piece.implied { 1 } else { piece.first_line });
        let mut excerpt = Excerpt { key, name, first_line, text: String::new(), rows: BTreeMap::new() };
        let sources = &unit.shader.sources;
        for (&line, &focus) in lines {
            let span: Span = sources.line_span(key.1, line);
            let row = Row::new(&mut excerpt.text, sources.slice(span), focus);
            excerpt.rows.insert(line as usize - 1, row);
            excerpt.text.push('\n');
        }
        excerpt
    }

    fn row_at(&self, byte: usize) -> Option<(usize, &Row)> {
        let mut found = None;
        for (index, row) in &self.rows {
            if row.range.start > byte {
                break;
            }
            found = Some((*index, row));
        }
        found
    }
}

impl Row {
    /// Appends a line to the text, clipped around the byte `focus` if it is long.
    fn new(text: &mut String, line: &str, focus: usize) -> Row {
        let begin = text.len();
        let mut from = 0;
        let mut to = line.len();
        if line.chars().nth(MAX_WIDTH).is_some() {
            let focus = floor(line, focus);
            from = line[..focus].char_indices().rev().take(LEAD).last().map_or(focus, |(at, _)| at);
            to = line[from..].char_indices().nth(MAX_WIDTH).map_or(line.len(), |(at, _)| from + at);
        }
        if from > 0 {
            text.push_str(CLIPPED);
        }
        let mut marks = Vec::new();
        for (at, c) in line[from..to].char_indices() {
            marks.push((from + at, text.len()));
            text.push(harmless(c));
        }
        marks.push((to, text.len()));
        if to < line.len() {
            text.push_str(CLIPPED);
        }
        Row { range: begin..text.len(), marks, skipped: line[..from].chars().count() }
    }

    /// Where a byte of the source line is shown.
    fn display(&self, offset: usize) -> usize {
        let at = self.marks.partition_point(|mark| mark.0 < offset);
        self.marks.get(at).or(self.marks.last()).map_or(self.range.start, |mark| mark.1)
    }
}

/// The last character boundary at or before an offset.
fn floor(line: &str, mut at: usize) -> usize {
    at = at.min(line.len());
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Text without characters that would move the cursor or hide other text.
pub fn visible(text: &str) -> String {
    text.chars().map(harmless).collect()
}

fn harmless(c: char) -> char {
    match c {
        '\t' => c,
        // Unicode has pictures for the control characters of ASCII.
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\x7f' => '␡',
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => char::REPLACEMENT_CHARACTER,
        _ => c,
    }
}

impl<'a> Files<'a> for Excerpts {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.get(id)?.name)
    }

    fn source(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.get(id)?.text)
    }

    fn line_index(&'a self, id: usize, byte: usize) -> Result<usize, Error> {
        Ok(self.get(id)?.row_at(byte).map_or(0, |(index, _)| index))
    }

    fn line_number(&'a self, id: usize, index: usize) -> Result<usize, Error> {
        Ok(self.get(id)?.first_line as usize + index)
    }

    fn column_number(&'a self, id: usize, _line: usize, byte: usize) -> Result<usize, Error> {
        let Some((_, row)) = self.get(id)?.row_at(byte) else { return Ok(1) };
        Ok(row.skipped + row.marks.partition_point(|mark| mark.1 < byte) + 1)
    }

    fn line_range(&'a self, id: usize, index: usize) -> Result<Range<usize>, Error> {
        let excerpt = self.get(id)?;
        let end = excerpt.text.len();
        Ok(excerpt.rows.get(&index).map_or(end..end, |row| row.range.clone()))
    }
}
