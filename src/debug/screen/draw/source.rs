//! The shader's text, with values beside it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::debug::highlight::tokens;
use crate::debug::inline::Shown;
use crate::debug::screen::state::State;
use crate::debug::screen::theme;
use crate::debug::view::View;

/// Columns of marks and line numbers.
const GUTTER: u16 = 8;

/// Columns between a line and the values beside it.
const GAP: usize = 3;

/// The line at a row of the screen.
pub fn line_at(state: &State, row: u16) -> u32 {
    state.shown_top + u32::from(row.saturating_sub(state.areas.source.y))
}

pub fn draw(view: &View, area: Rect, state: &mut State, buffer: &mut Buffer) {
    let Some(source) = &view.source else {
        let text = "Choose an invocation: type `:pixel X,Y`, or click on the picture.";
        Span::styled(text, Style::new().fg(theme::DIM)).render(area, buffer);
        return;
    };
    let lines: Vec<&str> = source.text.lines().collect();
    let most = (lines.len() as u32 + 1).saturating_sub(u32::from(area.height)).max(1);
    let wanted = view.line.saturating_sub(u32::from(area.height) * 2 / 5);
    let top = state.source_top.unwrap_or(wanted).clamp(1, most);
    state.shown_top = top;
    let mut inside = false;
    for (number, text) in (1..).zip(lines) {
        // Comments may begin above.
        let pieces = tokens(text, &mut inside);
        if number < top || number >= top + u32::from(area.height) {
            continue;
        }
        let row = Rect { y: area.y + (number - top) as u16, height: 1, ..area };
        let here = number == view.line;
        if here {
            buffer.set_style(row, Style::new().bg(theme::HERE));
        }
        gutter(view, number, here, row, buffer);
        let room = Rect { x: row.x + GUTTER, width: row.width.saturating_sub(GUTTER), ..row };
        let mut spans: Vec<Span<'_>> =
            pieces.into_iter().map(|(sort, text)| Span::styled(text.replace('\t', "    "), theme::of(sort))).collect();
        let used: usize = spans.iter().map(Span::width).sum();
        if let Some(values) = view.inline.get(&number) {
            spans.push(Span::raw(" ".repeat(GAP)));
            beside(&mut spans, values, usize::from(room.width).saturating_sub(used + GAP));
        }
        Line::from(spans).render(room, buffer);
        if let (true, Some((from, to))) = (here, view.columns) {
            let from = u16::try_from(from.saturating_sub(1)).unwrap_or(0).min(room.width);
            let width = u16::try_from(to).unwrap_or(0).saturating_sub(from + 1).min(room.width - from);
            buffer.set_style(Rect { x: room.x + from, width, ..room }, Style::new().bg(theme::HERE_EXACT));
        }
    }
}

fn gutter(view: &View, number: u32, here: bool, row: Rect, buffer: &mut Buffer) {
    let stop = view.breaks.iter().find(|(line, _)| *line == number);
    let mark = match stop {
        Some((_, false)) => Span::styled("●", Style::new().fg(theme::BAD)),
        Some((_, true)) => Span::styled("◆", Style::new().fg(theme::BAD)),
        None => Span::raw(" "),
    };
    let color = if here { theme::MARK } else { theme::FAINT };
    let style = Style::new().fg(color);
    let style = if here { style.add_modifier(Modifier::BOLD) } else { style };
    let arrow = if here { "▶" } else { " " };
    let spans = vec![mark, Span::styled(format!("{number:>4} {arrow} "), style)];
    Line::from(spans).render(Rect { width: GUTTER.min(row.width), ..row }, buffer);
}

/// Values as far as there is room.
fn beside(spans: &mut Vec<Span<'_>>, values: &[Shown], room: usize) {
    let mut left = room;
    for (at, value) in values.iter().enumerate() {
        let name = format!("{}{} = ", if at == 0 { "" } else { "  " }, value.name);
        let mut text = value.value.clone();
        let width = name.chars().count() + text.chars().count();
        if width > left {
            let fits = left.saturating_sub(name.chars().count() + 1);
            if fits < 6 {
                return;
            }
            text = text.chars().take(fits).chain(['…']).collect();
        }
        left = left.saturating_sub(width);
        let value_style = Style::new().fg(if value.broken { theme::BAD } else { theme::VALUE });
        let value_style = if value.broken { value_style.add_modifier(Modifier::BOLD) } else { value_style };
        spans.push(Span::styled(name, Style::new().fg(theme::DIM)));
        spans.push(Span::styled(text, value_style));
    }
}
