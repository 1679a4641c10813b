//! The screen as a whole: where things are, and the frames around them.

mod console;
mod help;
pub mod lists;
pub mod source;

use ratatui::Frame;
use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph, Widget, Wrap};

use super::image::{self, GraphicsProtocol, Shot};
use super::state::{Pane, State};
use super::theme::{self, Depth};
use crate::debug::view::View;

/// From this many columns on, panes are in two columns.
const TWO_COLUMNS: u16 = 100;

/// What is put on a screen.
pub struct Scene<'s> {
    pub view: &'s View,
    pub shot: Option<&'s Shot>,
    pub manner: GraphicsProtocol,
    pub depth: Depth,
}

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, scene: &Scene<'_>, state: &mut State) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    buffer.set_style(area, Style::new().bg(theme::GROUND).fg(theme::TEXT));
    if area.width < 40 || area.height < 12 {
        let text = "The debugger needs a terminal of at least 40 columns and 12 rows.";
        Paragraph::new(text).wrap(Wrap { trim: true }).render(area, buffer);
        return;
    }
    let [top, body, bottom] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)]).areas(area);
    bar(scene, top, buffer);
    keys(state, bottom, buffer);
    let console_rows = (body.height / 4).clamp(4, 12);
    let two = body.width >= TWO_COLUMNS;
    let (left, right) = if two {
        let [left, right] = Layout::horizontal([Constraint::Fill(57), Constraint::Fill(43)]).areas(body);
        (left, Some(right))
    } else {
        (body, None)
    };
    let mut rows = vec![Constraint::Fill(1)];
    if !two {
        rows.push(Constraint::Length((body.height / 3).clamp(4, 10)));
    }
    rows.push(Constraint::Length(console_rows));
    let parts = Layout::vertical(rows).split(left);
    state.areas.source = panel(Pane::Source, &source_title(scene.view), parts[0], state, buffer);
    source::draw(scene.view, state.areas.source, state, buffer);
    let under = panel_plain(" console ", parts[parts.len() - 1], state.prompt.open, buffer);
    state.areas.console = under;
    let cursor = console::draw(state, under, buffer);
    match right {
        Some(right) => side(scene, right, state, buffer),
        None => {
            (state.areas.picture, state.areas.stack, state.areas.history) = Default::default();
            state.areas.variables = panel(Pane::Variables, "variables", parts[1], state, buffer);
            lists::variables(scene.view, state.areas.variables, state, buffer);
        }
    }
    if state.help {
        help::draw(area, buffer);
    }
    scene.depth.fit(buffer);
    if let Some(cursor) = cursor.filter(|_| !state.help) {
        frame.set_cursor_position(cursor);
    }
}

/// The right column.
fn side(scene: &Scene<'_>, area: Rect, state: &mut State, buffer: &mut Buffer) {
    let view = scene.view;
    let stack_rows = (view.stack.len() as u16 + 2).clamp(4, (area.height / 5).max(4));
    let history_rows =
        if view.history.is_empty() { 4 } else { (view.history.len() as u16 + 2).clamp(4, (area.height / 4).max(4)) };
    // As high as the picture is at this width, but never more than leaves room for the rest.
    let shape = scene.shot.map_or(0.5, |shot| f64::from(shot.picture.height) / f64::from(shot.picture.width.max(1)));
    let wanted = (f64::from(area.width.saturating_sub(2)) * shape / 2.0).ceil() as u16 + 2;
    let picture_rows = if area.height < 24 { 0 } else { wanted.min(area.height * 3 / 8) };
    let [picture, variables, stack, history] = Layout::vertical([
        Constraint::Length(picture_rows),
        Constraint::Fill(1),
        Constraint::Length(stack_rows),
        Constraint::Length(history_rows),
    ])
    .areas(area);
    state.areas.picture = Rect::default();
    if picture_rows > 2 {
        let title = scene.shot.map_or("frame", |shot| shot.title.as_str());
        let inside = panel(Pane::Picture, title, picture, state, buffer);
        if let Some(shot) = scene.shot {
            state.areas.picture = image::place(&shot.picture, inside);
            match scene.manner {
                GraphicsProtocol::Blocks => image::blocks(shot, state.areas.picture, buffer),
                // The terminal puts the picture there.
                GraphicsProtocol::Kitty | GraphicsProtocol::Sixel { .. } => skip(state.areas.picture, buffer),
            }
        }
    }
    state.areas.variables = panel(Pane::Variables, "variables", variables, state, buffer);
    lists::variables(view, state.areas.variables, state, buffer);
    state.areas.stack = panel(Pane::Stack, "calls and passes", stack, state, buffer);
    lists::stack(view, state.areas.stack, state, buffer);
    let title = match (&view.history_title, &state.working) {
        (title, _) if !title.is_empty() => format!("history of {title}"),
        _ => "history".to_owned(),
    };
    state.areas.history = panel(Pane::History, &title, history, state, buffer);
    lists::history(view, state.areas.history, state, buffer);
}

/// Leaves cells alone.
fn skip(area: Rect, buffer: &mut Buffer) {
    for position in area.positions() {
        if let Some(cell) = buffer.cell_mut(position) {
            cell.set_diff_option(CellDiffOption::Skip);
        }
    }
}

fn source_title(view: &View) -> String {
    let name = view.source.as_ref().map_or("no shader", |source| source.name.as_str());
    let function = view.stop.as_ref().map_or("", |stop| stop.function.as_str());
    if function.is_empty() { name.to_owned() } else { format!("{name} · {function}") }
}

/// The line at the top: which trace, which invocation, how far.
fn bar(scene: &Scene<'_>, area: Rect, buffer: &mut Buffer) {
    let style = Style::new().bg(theme::BAR).fg(theme::TEXT);
    buffer.set_style(area, style);
    let dim = style.fg(theme::DIM);
    let name = std::path::Path::new(&scene.view.trace).file_name();
    let name = name.map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let mut spans = vec![
        Span::styled(" ◉ afterimage ", style.fg(theme::MARK).add_modifier(Modifier::BOLD)),
        Span::styled(format!(" {name} "), style.add_modifier(Modifier::BOLD)),
    ];
    let mut right = Vec::new();
    if let Some(stop) = &scene.view.stop {
        let invocation = &stop.invocation;
        spans.push(Span::styled(format!("│ frame {} │ {} ", invocation.frame, invocation.name), dim));
        if stop.diverted {
            right.push(Span::styled(" changed ", style.fg(theme::GROUND).bg(theme::MARK)));
        }
        let (text, color) = match (stop.ended, stop.discarded) {
            (_, true) => (" discarded ", theme::BAD),
            (true, false) => (" at the end ", theme::GOOD),
            (false, false) => ("", theme::DIM),
        };
        right.push(Span::styled(text, style.fg(color)));
        right.push(Span::styled(format!(" line {} · time {} ", stop.location.line, stop.time), style.fg(theme::TITLE)));
    }
    Line::from(spans).render(area, buffer);
    let right = Line::from(right);
    let width = (right.width() as u16).min(area.width);
    right.render(Rect { x: area.right() - width, width, ..area }, buffer);
}

/// The line at the bottom: what keys do now.
fn keys(state: &State, area: Rect, buffer: &mut Buffer) {
    let style = Style::new().bg(theme::BAR).fg(theme::DIM);
    buffer.set_style(area, style);
    if let Some(working) = &state.working {
        Span::styled(format!(" ◌ {working} …"), style.fg(theme::MARK)).render(area, buffer);
        return;
    }
    let all: &[(&str, &str)] = if state.prompt.open {
        &[("Enter", "do"), ("Tab", "complete"), ("↑↓", "earlier lines"), ("Esc", "leave")]
    } else {
        match state.focus {
            Pane::Source => &[
                ("↓ n", "next"),
                ("→ s", "into"),
                ("f", "out"),
                ("↑ N", "back"),
                ("← S", "back into"),
                ("c C", "continue"),
                ("r", "into read"),
                ("b", "break"),
                (":", "command"),
                ("Tab", "pane"),
                ("?", "help"),
                ("q", "quit"),
            ],
            Pane::Variables => {
                &[("↑↓", "choose"), ("Enter", "parts"), ("w", "who wrote it"), ("d", "display"), ("Tab", "pane")]
            }
            Pane::Stack => &[("↑↓", "choose"), ("Enter", "look at"), ("Tab", "pane")],
            Pane::History => {
                &[("↑↓", "choose"), ("Enter", "enter the invocation"), ("h", "go further back"), ("Tab", "pane")]
            }
            Pane::Picture => &[("↑↓←→", "move (with Shift by 10)"), ("Enter", "take the pixel"), ("Tab", "pane")],
        }
    };
    let mut spans = vec![Span::styled(" ", style)];
    for (key, what) in all {
        spans.push(Span::styled((*key).to_owned(), style.fg(theme::TITLE)));
        spans.push(Span::styled(format!(" {what}   "), style));
    }
    Line::from(spans).render(area, buffer);
}

/// The frame of a pane; what is inside comes back.
fn panel(pane: Pane, title: &str, area: Rect, state: &State, buffer: &mut Buffer) -> Rect {
    panel_plain(&format!(" {title} "), area, state.focus == pane && !state.prompt.open, buffer)
}

fn panel_plain(title: &str, area: Rect, focus: bool, buffer: &mut Buffer) -> Rect {
    let edge = if focus { theme::EDGE_FOCUS } else { theme::EDGE };
    let title_style = Style::new().fg(if focus { theme::MARK } else { theme::TITLE }).add_modifier(Modifier::BOLD);
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(Style::new().fg(edge))
        .title(Span::styled(title.to_owned(), title_style));
    let inside = block.inner(area);
    block.render(area, buffer);
    inside
}

#[cfg(test)]
mod tests;
