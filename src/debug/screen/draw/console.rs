//! What was said, and the line on which commands are typed.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::debug::screen::state::{self, State};
use crate::debug::screen::wrap::Letters;
use crate::debug::screen::{theme, wrap};
use crate::debug::view::View;

const SIGN: &str = "❯ ";

/// What can be typed: without a shader, and with one.
const HINT: &str = "press : to type a command";
const HINT_SEARCH: &str = "press : to type a command, / to search";

/// In front of a text to look for.
const SEARCH: &str = "/ ";

/// Columns before the rows of a line after its first.
const INDENT: usize = 2;

/// Draws it, and says where the cursor is.
pub fn draw(view: &View, state: &mut State, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    if area.height == 0 {
        return None;
    }
    let prompt = Rect { y: area.bottom() - 1, height: 1, ..area };
    let above = Rect { height: area.height - 1, ..area };
    let height = usize::from(above.height);
    let width = usize::from(area.width);
    let mut rows: Vec<(u16, Letters)> = state.console.iter().flat_map(|line| wrapped(line, width)).collect();
    // A long answer is read from its beginning.
    let answer = &state.console[state.console.len() - std::mem::take(&mut state.console_new)..];
    let answer_rows: usize = answer.iter().map(|line| wrapped(line, width).len()).sum();
    state.console_back = state.console_back.max(answer_rows.saturating_sub(height));
    state.console_back = state.console_back.min(rows.len().saturating_sub(height));
    rows.truncate(rows.len() - state.console_back);
    let first = rows.len().saturating_sub(height);
    super::more(above, first > 0, state.console_back > 0, buffer);
    for (y, (indent, letters)) in (above.y..).zip(&rows[first..]) {
        let indent = (*indent).min(above.width);
        wrap::write(letters, Rect { x: above.x + indent, y, width: above.width - indent, height: 1 }, buffer);
    }
    let sign = Style::new().fg(if state.prompt.open { theme::MARK } else { theme::FAINT });
    if !state.prompt.open {
        let hint = if view.source.is_some() { HINT_SEARCH } else { HINT };
        let hint = Span::styled(hint, Style::new().fg(theme::FAINT));
        Line::from(vec![Span::styled(SIGN, sign), hint]).render(prompt, buffer);
        return None;
    }
    // The end of a line that is too long is what is being typed.
    let before: Letters = wrap::letters(&Line::raw(&state.prompt.text[..state.prompt.cursor]));
    let room = usize::from(prompt.width).saturating_sub(3).max(1);
    let mut skipped = 0;
    let mut used: usize = before.iter().map(|(letter, _)| wrap::cells(*letter)).sum();
    while used > room {
        used -= wrap::cells(before[skipped].0);
        skipped += 1;
    }
    let text: String = state.prompt.text.chars().skip(skipped).collect();
    let start = if state.prompt.search { SEARCH } else { SIGN };
    let text = Span::styled(text, Style::new().fg(theme::TEXT));
    Line::from(vec![Span::styled(start, sign), text]).render(prompt, buffer);
    offered(state, above, buffer);
    let x = prompt.x + 2 + used as u16;
    Some(Position { x: x.min(prompt.right().saturating_sub(1)), y: prompt.y })
}

/// The rows that the last answer takes at a width.
pub fn answer_rows(state: &State, width: u16) -> u16 {
    let answer = state.console.iter().rev().take(state.console_answer);
    u16::try_from(answer.map(|line| wrapped(line, usize::from(width)).len()).sum::<usize>()).unwrap_or(u16::MAX)
}

/// What the last word may become, above the line.
fn offered(state: &State, area: Rect, buffer: &mut Buffer) {
    if state.prompt.offered.is_empty() || area.height == 0 {
        return;
    }
    let row = Rect { y: area.bottom() - 1, height: 1, ..area };
    buffer.set_style(row, Style::new().bg(theme::BAR));
    let mut spans = Vec::new();
    // The one that is taken stays in sight.
    let first = state.prompt.taken.unwrap_or(0).saturating_sub(3);
    for (at, word) in state.prompt.offered.iter().enumerate().skip(first) {
        let style = Style::new().bg(theme::BAR).fg(theme::DIM);
        let style =
            if state.prompt.taken == Some(at) { style.fg(theme::MARK).add_modifier(Modifier::BOLD) } else { style };
        spans.push(Span::styled(format!("{word}  "), style));
    }
    let blank = " ".repeat(usize::from(row.width));
    Span::styled(blank, Style::new().bg(theme::BAR)).render(row, buffer);
    Line::from(spans).render(row, buffer);
}

/// The rows of a line, and how far each is indented.
fn wrapped(line: &state::Line, width: usize) -> Vec<(u16, Letters)> {
    let (text, style) = match line {
        state::Line::Command(text) => (format!("{SIGN}{text}"), Style::new().fg(theme::TITLE)),
        state::Line::Said(text) => (text.clone(), Style::new().fg(theme::TEXT)),
        state::Line::Wrong(text) => (text.clone(), Style::new().fg(theme::BAD)),
    };
    let letters = wrap::letters(&Line::styled(text, style));
    let rows = wrap::rows(&letters, width, INDENT, true);
    let indent = |number: usize| if number == 0 { 0 } else { INDENT as u16 };
    rows.into_iter().enumerate().map(|(number, row)| (indent(number), letters[row].to_vec())).collect()
}
