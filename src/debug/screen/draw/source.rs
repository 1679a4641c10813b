//! The shader's text, with values beside it. Lines that are too long take several rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::debug::highlight::tokens;
use crate::debug::inline::Shown;
use crate::debug::screen::state::State;
use crate::debug::screen::wrap::{self, Letters};
use crate::debug::screen::{search::Search, theme};
use crate::debug::view::View;

/// Columns of marks and line numbers.
const GUTTER: u16 = 8;

/// Columns between a line and the values beside it.
const GAP: usize = 3;

/// Columns before the rows of a line after its first.
const INDENT: u16 = 2;

const TAB: usize = 4;

/// The line at a row of the screen.
pub fn line_at(state: &State, row: u16) -> Option<u32> {
    state.source_lines.get(usize::from(row.checked_sub(state.areas.source.y)?)).copied()
}

pub fn draw(view: &View, area: Rect, state: &mut State, buffer: &mut Buffer) {
    state.source_lines.clear();
    let Some(source) = &view.source else {
        let text = "Choose an invocation: click on the picture, or type `:pixel X,Y`.";
        Span::styled(text, Style::new().fg(theme::DIM)).render(area, buffer);
        return;
    };
    if let Some(search) = &mut state.search {
        search.follow(source, view.line);
    }
    let room = usize::from(area.width.saturating_sub(GUTTER)).max(1);
    let lines: Vec<&str> = source.text.lines().collect();
    let mut firsts = Vec::with_capacity(lines.len());
    let mut count = 0;
    for (line, number) in lines.iter().zip(1..) {
        firsts.push(count);
        count += rows_of(line, room) + usize::from(has_values_below(view, number, line, room));
    }
    let top = top(view, state, &lines, &firsts, count, area, room);
    state.shown_top = top;
    super::more(area, top > 0, count > top + usize::from(area.height), buffer);
    let mut inside = false;
    let end = top + usize::from(area.height);
    for (at, text) in lines.iter().enumerate() {
        // Comments may begin above.
        let pieces = tokens(text, &mut inside);
        let first = firsts[at];
        let next = firsts.get(at + 1).copied().unwrap_or(count);
        if next <= top || first >= end {
            continue;
        }
        let number = at as u32 + 1;
        let plain: Letters = pieces
            .into_iter()
            .flat_map(|(sort, text)| text.chars().map(move |letter| (letter, theme::of(sort))))
            .collect();
        let letters = expanded(view, number, plain, state.search.as_ref());
        let mut rows = wrap::rows(&letters, room, usize::from(INDENT), true);
        if has_values_below(view, number, text, room) {
            rows.push(letters.len()..letters.len());
        }
        let last = rows.len() - 1;
        for (place, row) in rows.into_iter().enumerate() {
            let Some(y) = (first + place).checked_sub(top).filter(|y| *y < usize::from(area.height)) else { continue };
            let row_area = Rect { y: area.y + y as u16, height: 1, ..area };
            state.source_lines.push(number);
            let here = number == view.line;
            if here {
                buffer.set_style(row_area, Style::new().bg(theme::HERE));
            }
            let indent = if place == 0 { 0 } else { INDENT };
            match place {
                0 => gutter(view, number, here, row_area, buffer),
                _ => continued(row_area, buffer),
            }
            let left = GUTTER + indent;
            let text_area =
                Rect { x: row_area.x + left, width: row_area.width.saturating_sub(left), height: 1, y: row_area.y };
            wrap::write(&letters[row.clone()], text_area, buffer);
            if let Some(values) = view.inline.get(&number).filter(|_| place == last) {
                let used = width(&letters[row]) + GAP;
                let room = usize::from(text_area.width).saturating_sub(used);
                let from = text_area.x.saturating_add(u16::try_from(used).unwrap_or(u16::MAX)).min(text_area.right());
                let beside = Line::from(beside(values, room));
                beside.render(Rect { x: from, width: text_area.right() - from, ..text_area }, buffer);
            }
        }
    }
}

/// The row at the top: what the user scrolled to, or what shows the statement or the text that is looked for.
fn top(view: &View, state: &State, lines: &[&str], firsts: &[usize], count: usize, area: Rect, room: usize) -> usize {
    let height = usize::from(area.height);
    let most = count.saturating_sub(height);
    let sought = state.search.as_ref().and_then(|search| {
        let line = search.line()?;
        let column = search.in_line(line).find(|(.., current)| *current).map_or(0, |(from, ..)| from);
        Some((line, column))
    });
    let here = (view.line, view.columns.map_or(0, |(from, _)| from.saturating_sub(1) as usize));
    let (line, column) = sought.unwrap_or(here);
    let at = (line as usize).saturating_sub(1);
    let row = firsts.get(at).map_or(0, |first| {
        let letters: Letters = lines[at].chars().flat_map(|letter| spread(letter, Style::new())).collect();
        let tabs = lines[at].chars().take(column).filter(|letter| *letter == '\t').count();
        let place = column + tabs * (TAB - 1);
        let rows = wrap::rows(&letters, room, usize::from(INDENT), true);
        first + rows.iter().position(|row| row.contains(&place)).unwrap_or(0)
    });
    state.source_top.unwrap_or(row.saturating_sub(height * 2 / 5)).min(most)
}

/// How many rows a line takes.
fn rows_of(line: &str, room: usize) -> usize {
    let tabs = line.bytes().filter(|byte| *byte == b'\t').count() * (TAB - 1);
    if line.is_ascii() && line.len() + tabs <= room {
        return 1;
    }
    let letters: Letters = line.chars().flat_map(|letter| spread(letter, Style::new())).collect();
    wrap::rows(&letters, room, usize::from(INDENT), true).len()
}

/// Whether the values of a line have a row of their own below it: those of the current line, if not even the first fits
/// beside it.
fn has_values_below(view: &View, number: u32, line: &str, room: usize) -> bool {
    let Some(value) = view.inline.get(&number).and_then(|values| values.first()).filter(|_| number == view.line) else {
        return false;
    };
    let letters: Letters = line.chars().flat_map(|letter| spread(letter, Style::new())).collect();
    let rows = wrap::rows(&letters, room, usize::from(INDENT), true);
    let indent = if rows.len() > 1 { usize::from(INDENT) } else { 0 };
    let used = rows.last().map_or(0, |row| width(&letters[row.clone()])) + indent + GAP;
    used + value.name.chars().count() + " = ".len() + value.value.chars().count() > room
}

fn width(letters: &[(char, Style)]) -> usize {
    letters.iter().map(|(letter, _)| wrap::cells(*letter)).sum()
}

/// A letter as it is shown: a tab is several spaces.
fn spread(letter: char, style: Style) -> impl Iterator<Item = (char, Style)> {
    let (shown, times) = match letter {
        '\t' => (' ', TAB),
        control if control.is_control() => ('·', 1),
        other => (other, 1),
    };
    std::iter::repeat_n((shown, style), times)
}

/// A line with what is about to run and what is looked for marked, and tabs as spaces.
fn expanded(view: &View, number: u32, mut letters: Letters, search: Option<&Search>) -> Letters {
    if let (true, Some((from, to))) = (number == view.line, view.columns) {
        let (from, to) = (from.saturating_sub(1) as usize, to.saturating_sub(1) as usize);
        paint(&mut letters, from, to, Style::new().bg(theme::HERE_EXACT));
    }
    for (from, to, current) in search.iter().flat_map(|search| search.in_line(number)) {
        let (ground, text) = if current { (theme::MARK, theme::GROUND) } else { (theme::FOUND, theme::TEXT) };
        paint(&mut letters, from, to, Style::new().bg(ground).fg(text));
    }
    letters.into_iter().flat_map(|(letter, style)| spread(letter, style)).collect()
}

fn paint(letters: &mut Letters, from: usize, to: usize, style: Style) {
    let end = to.min(letters.len());
    for (_, own) in letters.get_mut(from..end).into_iter().flatten() {
        *own = own.patch(style);
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
    let ended = view.stop.as_ref().is_some_and(|stop| stop.ended);
    let arrow = match (here, ended) {
        (true, false) => "▶",
        // The last statement was executed; none is next.
        (true, true) => "■",
        (false, _) => " ",
    };
    let spans = vec![mark, Span::styled(format!("{number:>4} {arrow} "), style)];
    Line::from(spans).render(Rect { width: GUTTER.min(row.width), ..row }, buffer);
}

/// In the place of a number, the sign of a row that goes on with the one above.
fn continued(row: Rect, buffer: &mut Buffer) {
    let sign = Span::styled("     ↪  ", Style::new().fg(theme::FAINT));
    sign.render(Rect { width: GUTTER.min(row.width), ..row }, buffer);
}

/// Values as far as there is room.
fn beside(values: &[Shown], room: usize) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let mut left = room;
    for (at, value) in values.iter().enumerate() {
        let name = format!("{}{} = ", if at == 0 { "" } else { "  " }, value.name);
        let mut text = value.value.clone();
        let width = name.chars().count() + text.chars().count();
        if width > left {
            let fits = left.saturating_sub(name.chars().count() + 1);
            if fits < 6 {
                return spans;
            }
            text = text.chars().take(fits).chain(['…']).collect();
        }
        left = left.saturating_sub(width);
        let value_style = Style::new().fg(if value.broken { theme::BAD } else { theme::VALUE });
        let value_style = if value.broken { value_style.add_modifier(Modifier::BOLD) } else { value_style };
        spans.push(Span::styled(name, Style::new().fg(theme::DIM)));
        spans.push(Span::styled(text, value_style));
    }
    spans
}
