//! Variables and watches, the stack, the history.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use session::Agreement;

use crate::debug::inline::short;
use crate::debug::screen::state::{Pane, State};
use crate::debug::screen::{theme, wrap};
use crate::debug::view::{Event, Level, Row, View, Watch};

/// Rows that a line of a list takes at most, unless it is the chosen one.
const MOST_ROWS: usize = 3;

/// Columns before the rows of a line after its first.
const INDENT: usize = 6;

/// Variables below the watches.
pub fn variables(view: &View, area: Rect, state: &mut State, buffer: &mut Buffer) {
    let mut lines: Vec<Line<'_>> = Vec::new();
    if !view.watches.is_empty() {
        lines.push(title("Watches"));
        lines.extend(view.watches.iter().map(watch));
    }
    let before = lines.len();
    lines.extend(view.variables.iter().map(row));
    if lines.is_empty() {
        lines.push(Line::styled("nothing yet", Style::new().fg(theme::FAINT)));
    }
    state.variable = state.variable.min(view.variables.len().saturating_sub(1));
    let chosen = (state.focus == Pane::Variables).then_some(state.variable + before);
    list(&lines, area, chosen, &mut state.tops[0], &mut state.list_rows[0], buffer);
}

/// Which row of the variables is at a row of the screen.
pub fn variable_at(view: &View, state: &State, row: u16) -> Option<usize> {
    let watches = if view.watches.is_empty() { 0 } else { view.watches.len() + 1 };
    let place = item_at(state, 0, row.checked_sub(state.areas.variables.y)?)?;
    place.checked_sub(watches).filter(|at| *at < view.variables.len())
}

/// Which line of a list is in a row of it.
pub fn item_at(state: &State, list: usize, row: u16) -> Option<usize> {
    state.list_rows[list].get(usize::from(row)).copied()
}

pub fn stack(view: &View, area: Rect, state: &mut State, buffer: &mut Buffer) {
    let line = |level: &Level| match level {
        Level::Pass(name) => Line::from(vec![
            Span::styled("▣ ", Style::new().fg(theme::MARK)),
            Span::styled(name.clone(), Style::new().fg(theme::TITLE)),
        ]),
        Level::Frame { number, function, line, text } => {
            let here = *number == view.frame;
            let style = Style::new().fg(if here { theme::MARK } else { theme::TEXT });
            Line::from(vec![
                Span::styled(if here { "  ▶ " } else { "    " }, style),
                Span::styled(format!("{function}:{line}"), style.add_modifier(Modifier::BOLD)),
                Span::styled(format!("  {text}"), Style::new().fg(theme::DIM)),
            ])
        }
    };
    state.level = state.level.min(view.stack.len().saturating_sub(1));
    let chosen = (state.focus == Pane::Stack).then_some(state.level);
    let lines: Vec<Line<'_>> = view.stack.iter().map(line).collect();
    list(&lines, area, chosen, &mut state.tops[1], &mut state.list_rows[1], buffer);
}

pub fn history(view: &View, area: Rect, state: &mut State, buffer: &mut Buffer) {
    if view.history.is_empty() {
        let text = if state.working.is_some() { "looking …" } else { "press h to ask who made this pixel" };
        Span::styled(text, Style::new().fg(theme::FAINT)).render(area, buffer);
        return;
    }
    state.event = state.event.min(view.history.len() - 1);
    // Without a choice, the invocation that is walked through is kept in sight.
    let kept = match state.focus == Pane::History {
        true => Kept::Chosen(state.event),
        false => Kept::Seen(view.history.iter().position(|event| event.current).unwrap_or(0)),
    };
    let lines: Vec<Line<'_>> = view.history.iter().map(event).collect();
    list_with(&lines, area, kept, &mut state.tops[2], &mut state.list_rows[2], buffer);
}

/// The line of a list that stays in sight.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    None,
    Seen(usize),
    /// And is marked, and shown as a whole.
    Chosen(usize),
}

fn list(
    lines: &[Line<'_>],
    area: Rect,
    chosen: Option<usize>,
    top: &mut usize,
    shown: &mut Vec<usize>,
    buffer: &mut Buffer,
) {
    list_with(lines, area, chosen.map_or(Kept::None, Kept::Chosen), top, shown, buffer);
}

/// Draws lines from `top` on, and notes in `shown` which is in each row.
fn list_with(lines: &[Line<'_>], area: Rect, kept: Kept, top: &mut usize, shown: &mut Vec<usize>, buffer: &mut Buffer) {
    shown.clear();
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    if width == 0 || height == 0 {
        return;
    }
    let chosen = if let Kept::Chosen(at) = kept { Some(at) } else { None };
    let most = |at: usize| if chosen == Some(at) { height } else { MOST_ROWS.min(height) };
    let rows = |at: usize| wrap::rows(&wrap::letters(&lines[at]), width, INDENT, true).len().min(most(at));
    let heights: Vec<usize> = (0..lines.len()).map(rows).collect();
    if let Kept::Seen(at) | Kept::Chosen(at) = kept {
        *top = (*top).min(at);
        while *top < at && heights.get(*top..=at).is_some_and(|all| all.iter().sum::<usize>() > height) {
            *top += 1;
        }
    }
    // As many as fill the pane, if there are so many.
    let mut last = lines.len();
    let mut filled = 0;
    while last > 0 && filled + heights[last - 1] <= height {
        last -= 1;
        filled += heights[last];
    }
    *top = (*top).min(last);
    let whole = heights[*top..].iter().sum::<usize>() <= height;
    super::more(area, *top > 0, !whole, buffer);
    for (at, line) in lines.iter().enumerate().skip(*top) {
        let letters = wrap::letters(line);
        let cut = wrap::rows(&letters, width, INDENT, true);
        let all = cut.len();
        for (number, row) in cut.into_iter().take(most(at)).enumerate() {
            if shown.len() >= height {
                return;
            }
            let indent = if number == 0 { 0 } else { INDENT.min(width / 2) as u16 };
            let row_area = Rect { y: area.y + shown.len() as u16, height: 1, ..area };
            shown.push(at);
            if chosen == Some(at) {
                buffer.set_style(row_area, Style::new().bg(theme::CHOSEN));
            }
            let text = Rect { x: row_area.x + indent, width: row_area.width - indent, ..row_area };
            wrap::write(&letters[row], text, buffer);
            if number + 1 == most(at) && all > most(at) {
                let end = Rect { x: row_area.right() - 1, width: 1, ..row_area };
                Span::styled("…", Style::new().fg(theme::MARK)).render(end, buffer);
            }
        }
    }
}

fn title(name: &str) -> Line<'static> {
    Line::styled(name.to_owned(), Style::new().fg(theme::TITLE).add_modifier(Modifier::BOLD))
}

fn watch(watch: &Watch) -> Line<'static> {
    let (text, color) = match &watch.value {
        Ok(value) if watch.broken => (value.clone(), theme::BAD),
        Ok(value) => (value.clone(), theme::VALUE),
        Err(why) => (why.clone(), theme::FAINT),
    };
    Line::from(vec![
        Span::styled(format!("  {} ", watch.number), Style::new().fg(theme::FAINT)),
        Span::styled(watch.expression.clone(), Style::new().fg(theme::TEXT)),
        Span::styled(" = ", Style::new().fg(theme::DIM)),
        Span::styled(text, Style::new().fg(color)),
    ])
}

fn row(row: &Row) -> Line<'static> {
    let Row::Variable { depth, name, type_name, value, agreement, pending, apart, changed, broken, open, .. } = row
    else {
        let Row::Scope(name) = row else { return Line::default() };
        return title(name);
    };
    let fold = match open {
        Some(true) => "▾ ",
        Some(false) => "▸ ",
        None => "  ",
    };
    let color = if *broken {
        theme::BAD
    } else if *changed {
        theme::MARK
    } else {
        theme::VALUE
    };
    let value_style = Style::new().fg(color);
    let value_style = if *changed || *broken { value_style.add_modifier(Modifier::BOLD) } else { value_style };
    let (sign, sign_color) = match agreement {
        Some(Agreement::Equal) => ("✓ ".to_owned(), theme::GOOD),
        Some(Agreement::Within { .. }) => ("≈ ".to_owned(), theme::GOOD),
        Some(Agreement::Divergent { .. }) => (format!("≠ {apart} "), theme::BAD),
        None if *pending => ("… ".to_owned(), theme::FAINT),
        None => ("  ".to_owned(), theme::FAINT),
    };
    Line::from(vec![
        Span::styled(format!("{}{fold}", "  ".repeat(*depth)), Style::new().fg(theme::FAINT)),
        Span::styled(sign, Style::new().fg(sign_color)),
        Span::styled(name.clone(), Style::new().fg(theme::TEXT)),
        Span::styled(" = ", Style::new().fg(theme::FAINT)),
        Span::styled(value.clone(), value_style),
        Span::styled(format!("  {type_name}"), Style::new().fg(theme::FAINT)),
    ])
}

fn event(event: &Event) -> Line<'static> {
    let indent = if event.depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(event.depth - 1)) };
    let color = match () {
        () if event.current => theme::MARK,
        () if event.broken => theme::BAD,
        () if event.enterable => theme::TEXT,
        () => theme::DIM,
    };
    let mark = if event.current { "▶ " } else { "" };
    let share = &event.share;
    let again = if event.again { " ↑" } else { "" };
    let value = event.value.as_ref().map_or(String::new(), |value| format!(" = {}", short(value)));
    let title = Style::new().fg(color);
    let title = if event.current || event.broken { title.add_modifier(Modifier::BOLD) } else { title };
    Line::from(vec![
        Span::styled(indent, Style::new().fg(theme::FAINT)),
        Span::styled(format!("{mark}{}", event.title), title),
        Span::styled(value, Style::new().fg(if event.broken { theme::BAD } else { theme::VALUE })),
        Span::styled(format!("  {}{share}{again}", event.why), Style::new().fg(theme::FAINT)),
    ])
}
