//! What was said, and the line on which commands are typed.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::debug::screen::state::{self, State};
use crate::debug::screen::theme;

const SIGN: &str = "❯ ";

/// Draws it, and says where the cursor is.
pub fn draw(state: &mut State, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    if area.height == 0 {
        return None;
    }
    let prompt = Rect { y: area.bottom() - 1, height: 1, ..area };
    let above = Rect { height: area.height - 1, ..area };
    let rows: Vec<Line<'_>> = state.console.iter().flat_map(|line| wrapped(line, usize::from(area.width))).collect();
    let height = usize::from(above.height);
    state.console_back = state.console_back.min(rows.len().saturating_sub(height));
    let end = rows.len() - state.console_back;
    for (at, line) in rows[end.saturating_sub(height)..end].iter().enumerate() {
        line.render(Rect { y: above.y + at as u16, height: 1, ..above }, buffer);
    }
    let sign = Style::new().fg(if state.prompt.open { theme::MARK } else { theme::FAINT });
    if !state.prompt.open {
        let hint = Span::styled("press : to type a command", Style::new().fg(theme::FAINT));
        Line::from(vec![Span::styled(SIGN, sign), hint]).render(prompt, buffer);
        return None;
    }
    let text = Span::styled(state.prompt.text.clone(), Style::new().fg(theme::TEXT));
    Line::from(vec![Span::styled(SIGN, sign), text]).render(prompt, buffer);
    offered(state, above, buffer);
    let before = Span::raw(&state.prompt.text[..state.prompt.cursor]).width() as u16 + 2;
    Some(Position { x: (prompt.x + before).min(prompt.right().saturating_sub(1)), y: prompt.y })
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

fn wrapped(line: &state::Line, width: usize) -> Vec<Line<'static>> {
    let (text, style) = match line {
        state::Line::Command(text) => (format!("{SIGN}{text}"), Style::new().fg(theme::TITLE)),
        state::Line::Said(text) => (text.clone(), Style::new().fg(theme::TEXT)),
        state::Line::Wrong(text) => (text.clone(), Style::new().fg(theme::BAD)),
    };
    let letters: Vec<char> = text.chars().collect();
    if letters.is_empty() {
        return vec![Line::default()];
    }
    letters.chunks(width.max(1)).map(|part| Line::styled(part.iter().collect::<String>(), style)).collect()
}
