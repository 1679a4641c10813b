//! Variables and watches, the stack, the history.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use session::Agreement;

use crate::debug::inline::short;
use crate::debug::screen::state::{Pane, State, follow};
use crate::debug::screen::theme;
use crate::debug::view::{Event, Level, Row, View, Watch};

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
    list(lines, area, chosen, &mut state.tops[0], buffer);
}

/// Which row of the variables is at a row of the screen.
pub fn variable_at(view: &View, state: &State, row: u16) -> Option<usize> {
    let watches = if view.watches.is_empty() { 0 } else { view.watches.len() + 1 };
    let place = usize::from(row.checked_sub(state.areas.variables.y)?) + state.tops[0];
    place.checked_sub(watches).filter(|at| *at < view.variables.len())
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
    list(view.stack.iter().map(line).collect(), area, chosen, &mut state.tops[1], buffer);
}

pub fn history(view: &View, area: Rect, state: &mut State, buffer: &mut Buffer) {
    if view.history.is_empty() {
        let text = if state.working.is_some() { "looking …" } else { "press h to ask who made this pixel" };
        Span::styled(text, Style::new().fg(theme::FAINT)).render(area, buffer);
        return;
    }
    state.event = state.event.min(view.history.len() - 1);
    let current = view.history.iter().position(|event| event.current);
    let chosen = (state.focus == Pane::History).then_some(state.event);
    if chosen.is_none() {
        follow(&mut state.tops[2], current.unwrap_or(0), usize::from(area.height));
    }
    list(view.history.iter().map(event).collect(), area, chosen, &mut state.tops[2], buffer);
}

fn list(lines: Vec<Line<'_>>, area: Rect, chosen: Option<usize>, top: &mut usize, buffer: &mut Buffer) {
    let height = usize::from(area.height);
    if let Some(chosen) = chosen {
        follow(top, chosen, height);
    }
    *top = (*top).min(lines.len().saturating_sub(height));
    for (at, line) in lines.into_iter().enumerate().skip(*top).take(height) {
        let row = Rect { y: area.y + (at - *top) as u16, height: 1, ..area };
        if chosen == Some(at) {
            buffer.set_style(row, Style::new().bg(theme::CHOSEN));
        }
        line.render(row, buffer);
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
    let Row::Variable { depth, name, type_name, value, agreement, changed, broken, open, .. } = row else {
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
        Some(Agreement::Divergent { ulps }) => (format!("≠ {ulps} ulp "), theme::BAD),
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
    let share = match event.weight {
        weight if weight >= 0.9995 || weight == 0.0 => String::new(),
        weight => format!(" {:.1}%", weight * 100.0),
    };
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
