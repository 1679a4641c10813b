//! Long lines in several rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Styled text, letter by letter.
pub type Letters = Vec<(char, Style)>;

/// The letters of a line. What would do something to a terminal, or is invisible, becomes a dot.
pub fn letters(line: &Line<'_>) -> Letters {
    let of = |span: &Span<'_>| {
        let style = line.style.patch(span.style);
        let plain = |letter: char| if letter.is_control() { '·' } else { letter };
        span.content.chars().map(|letter| (plain(letter), style)).collect::<Letters>()
    };
    line.spans.iter().flat_map(of).collect()
}

/// How many cells a letter takes.
pub fn cells(letter: char) -> usize {
    if letter.is_ascii() { 1 } else { Span::raw(letter.encode_utf8(&mut [0; 4]) as &str).width() }
}

/// Where the rows of a text begin and end: the first has `width` cells, and the others `width - indent`. With `words`,
/// a row ends at a space where there is one in its second half.
pub fn rows(letters: &[(char, Style)], width: usize, indent: usize, words: bool) -> Vec<std::ops::Range<usize>> {
    let mut rows = Vec::new();
    let mut from = 0;
    while from < letters.len() {
        let room = if from == 0 { width } else { width.saturating_sub(indent) }.max(1);
        let (mut to, mut used) = (from, 0);
        while let Some((letter, _)) = letters.get(to) {
            used += cells(*letter);
            if used > room && to > from {
                break;
            }
            to += 1;
        }
        if words && to < letters.len() {
            let half = from + (to - from) / 2;
            let space = letters[half..to].iter().rposition(|(letter, _)| *letter == ' ');
            to = space.map_or(to, |at| half + at + 1);
        }
        rows.push(from..to);
        from = to;
    }
    if rows.is_empty() {
        rows.push(0..0);
    }
    rows
}

/// Writes letters into a row of the screen, as far as they fit.
pub fn write(letters: &[(char, Style)], row: Rect, buffer: &mut Buffer) {
    let mut x = row.x;
    for (letter, style) in letters {
        let wide = u16::try_from(cells(*letter)).unwrap_or(1);
        if wide == 0 {
            continue;
        }
        if x + wide > row.right() {
            return;
        }
        if let Some(cell) = buffer.cell_mut((x, row.y)) {
            cell.set_char(*letter).set_style(*style);
        }
        // A letter of two cells owns the second, too.
        for beside in x + 1..x + wide {
            if let Some(cell) = buffer.cell_mut((beside, row.y)) {
                cell.reset();
                cell.set_style(*style);
            }
        }
        x += wide;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, width: usize, indent: usize, words: bool) -> Vec<String> {
        let letters = letters(&Line::raw(text.to_owned()));
        rows(&letters, width, indent, words)
            .into_iter()
            .map(|row| letters[row].iter().map(|(letter, _)| *letter).collect())
            .collect()
    }

    #[test]
    fn nothing_is_lost_where_lines_are_cut() {
        assert_eq!(cut("abcdefghij", 4, 1, false), ["abcd", "efg", "hij"]);
        assert_eq!(cut("the light of lamps", 10, 0, true), ["the light ", "of lamps"]);
        assert_eq!(cut("a undividable_word", 10, 0, true), ["a undivida", "ble_word"]);
        assert_eq!(cut("", 10, 2, true), [""]);
        // Two cells each, and room for less than one.
        assert_eq!(cut("光光光", 4, 0, false), ["光光", "光"]);
        assert_eq!(cut("光光", 1, 5, false), ["光", "光"]);
        for width in 0..20 {
            let text = "mix(a, b) * lamp 光 é";
            assert_eq!(cut(text, width, 2, width % 2 == 0).concat(), text);
        }
    }

    #[test]
    fn what_steers_a_terminal_is_shown_as_a_dot() {
        assert_eq!(cut("a\x1b[2Jb\r\u{9b}", 20, 0, false), ["a·[2Jb··"]);
    }
}
