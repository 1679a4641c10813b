//! The screen as a whole: where things are, and the frames around them.

mod console;
pub mod help;
mod keys;
pub mod lists;
pub mod source;

use ratatui::Frame;
use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph, Widget, Wrap};
use session::Invocation;

use super::image::{self, GraphicsProtocol, Shot};
use super::state::{Areas, Pane, State};
use super::theme::{self, Depth};
use crate::debug::view::View;

/// From this many columns on, panes are in two columns.
const TWO_COLUMNS: u16 = 100;

/// Below this many rows between the bars, one column has one pane at a time above the console.
const ONE_PANE: u16 = 13;

/// Columns and rows without which nothing can be shown.
const LEAST: (u16, u16) = (40, 12);

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
    // What is not drawn cannot be clicked on.
    state.areas = Areas::default();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("The debugger needs a terminal of at least {} columns and {} rows.", LEAST.0, LEAST.1);
        Paragraph::new(text).wrap(Wrap { trim: true }).render(area, buffer);
        scene.depth.fit(buffer);
        return;
    }
    let [top, body, bottom] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)]).areas(area);
    bar(scene, top, buffer);
    keys::draw(scene.view, state, bottom, buffer);
    if !matches!(state.focus, Pane::Source | Pane::Picture) {
        state.lower = state.focus;
    }
    let low = body.height < ONE_PANE;
    let two = body.width >= TWO_COLUMNS && !low;
    let at_start = scene.view.is_at_start();
    let large = at_start || state.large || !two && state.focus == Pane::Picture;
    let (left, right) = if two && !at_start {
        let [left, right] = Layout::horizontal([Constraint::Fill(57), Constraint::Fill(43)]).areas(body);
        (left, Some(right))
    } else {
        (body, None)
    };
    let alone = low && !large && state.focus != Pane::Source;
    let lower = right.is_none() && !large && !low;
    let mut rows = vec![Constraint::Fill(1)];
    if lower {
        rows.push(Constraint::Length((body.height / 3).clamp(4, 10)));
    }
    // A long answer - of `lanes`, `reads`, `find` - takes as much as half of the screen, until the next.
    let usual = (body.height / 4).clamp(4, 12);
    let answer = console::answer_rows(state, left.width.saturating_sub(2)).saturating_add(3);
    rows.push(Constraint::Length(answer.min(body.height / 2).max(usual)));
    let parts = Layout::vertical(rows).split(left);
    if large {
        picture(scene, parts[0], state, buffer);
    } else if alone {
        lower_list(scene.view, parts[0], state, buffer);
    } else {
        state.areas.source = panel(Pane::Source, &source_title(scene.view), parts[0], state, buffer);
        source::draw(scene.view, state.areas.source, state, buffer);
    }
    let title = if state.prompt.open && state.prompt.search { " search " } else { " console " };
    state.areas.console = panel_plain(title, parts[parts.len() - 1], state.prompt.open, buffer);
    let cursor = console::draw(scene.view, state, state.areas.console, buffer);
    if let Some(right) = right {
        side(scene, right, large, state, buffer);
    } else if lower {
        lower_list(scene.view, parts[1], state, buffer);
    }
    if let Some(from) = &mut state.help {
        help::draw(area, from, buffer);
    }
    scene.depth.fit(buffer);
    if let Some(cursor) = cursor.filter(|_| state.help.is_none()) {
        frame.set_cursor_position(cursor);
    }
}

/// Rows that the list of variables keeps, with its frame: values are what the user steps for.
const LEAST_VARIABLES: u16 = 7;

/// The right column; without the picture where that has the place of the source.
fn side(scene: &Scene<'_>, area: Rect, large: bool, state: &mut State, buffer: &mut Buffer) {
    let view = scene.view;
    let stack_rows = (view.stack.len() as u16 + 2).clamp(4, (area.height / 5).max(4));
    // Who looks at the history wants more of it than two events.
    let most = if state.focus == Pane::History { area.height / 2 } else { area.height / 4 };
    let history_rows = if view.history.is_empty() {
        4
    } else {
        u16::try_from(2 * view.history.len() + 2).unwrap_or(u16::MAX).clamp(4, most.max(4))
    };
    // As high as the picture is at this width, but never more than leaves room for the rest.
    let shape = scene.shot.map_or(0.5, |shot| f64::from(shot.window.height) / f64::from(shot.window.width.max(1)));
    let wanted = (f64::from(area.width.saturating_sub(2)) * shape / 2.0).ceil() as u16 + 2;
    let rest = area.height.saturating_sub(stack_rows + history_rows + LEAST_VARIABLES);
    let picture_rows = if large || area.height < 20 { 0 } else { wanted.min(area.height * 3 / 8).min(rest) };
    // A picture of a few rows shows nothing.
    let picture_rows = if picture_rows < 6 { 0 } else { picture_rows };
    let [top, variables, stack, history] = Layout::vertical([
        Constraint::Length(picture_rows),
        Constraint::Fill(1),
        Constraint::Length(stack_rows),
        Constraint::Length(history_rows),
    ])
    .areas(area);
    if picture_rows > 2 {
        picture(scene, top, state, buffer);
    }
    for (pane, area) in [(Pane::Variables, variables), (Pane::Stack, stack), (Pane::History, history)] {
        list(pane, &list_title(pane, view), view, area, state, buffer);
    }
}

/// The list that is shown where there is room for one; its title names the others.
fn lower_list(view: &View, area: Rect, state: &mut State, buffer: &mut Buffer) {
    let others: Vec<&str> = state.lower.others().map(Pane::name).collect();
    let title = format!("{} │ Tab: {}", list_title(state.lower, view), others.join(", "));
    list(state.lower, &title, view, area, state, buffer);
}

fn list_title(pane: Pane, view: &View) -> String {
    match pane {
        Pane::History if !view.history_title.is_empty() => format!("history of {}", view.history_title),
        other => other.name().to_owned(),
    }
}

/// One of the lists, with a frame around it.
fn list(pane: Pane, title: &str, view: &View, area: Rect, state: &mut State, buffer: &mut Buffer) {
    let inside = panel(pane, title, area, state, buffer);
    match pane {
        Pane::Stack => {
            state.areas.stack = inside;
            lists::stack(view, inside, state, buffer);
        }
        Pane::History => {
            state.areas.history = inside;
            lists::history(view, inside, state, buffer);
        }
        Pane::Variables | Pane::Source | Pane::Picture => {
            state.areas.variables = inside;
            lists::variables(view, inside, state, buffer);
        }
    }
}

/// The picture, with a frame around it.
fn picture(scene: &Scene<'_>, area: Rect, state: &mut State, buffer: &mut Buffer) {
    let title = scene.shot.map_or("picture", |shot| shot.title.as_str());
    let inside = panel(Pane::Picture, title, area, state, buffer);
    let Some(shot) = scene.shot else {
        let text = scene.view.no_picture();
        Paragraph::new(text).style(Style::new().fg(theme::DIM)).wrap(Wrap { trim: true }).render(inside, buffer);
        return;
    };
    state.areas.picture = image::place(shot.window, inside);
    match scene.manner {
        GraphicsProtocol::Blocks if scene.depth == Depth::Plain => image::shades(shot, state.areas.picture, buffer),
        GraphicsProtocol::Blocks => image::blocks(shot, state.areas.picture, buffer),
        // The terminal puts the picture there, unless the help is over it.
        GraphicsProtocol::Kitty | GraphicsProtocol::Sixel { .. } if state.help.is_none() => {
            skip(state.areas.picture, buffer);
        }
        GraphicsProtocol::Kitty | GraphicsProtocol::Sixel { .. } => {}
    }
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
    if view.function.is_empty() { name.to_owned() } else { format!("{name} · {}", view.function) }
}

/// The line at the top: which trace, which invocation, how far.
fn bar(scene: &Scene<'_>, area: Rect, buffer: &mut Buffer) {
    let style = Style::new().bg(theme::BAR).fg(theme::TEXT);
    buffer.set_style(area, style);
    let dim = style.fg(theme::DIM);
    let view = scene.view;
    let name = std::path::Path::new(&view.trace).file_name();
    let name = name.map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let product = if area.width < TWO_COLUMNS { " ◉ " } else { " ◉ afterimage  " };
    let mut spans = vec![
        Span::styled(product, style.fg(theme::MARK).add_modifier(Modifier::BOLD)),
        Span::styled(format!("{name} "), style.add_modifier(Modifier::BOLD)),
    ];
    let mut right = Vec::new();
    if let Some(group) = &view.group {
        let text = format!("│ all fragments of {} (command {}) ", group.call, group.command);
        spans.push(Span::styled(text, style.fg(theme::MARK)));
        if group.ended {
            right.push(Span::styled(" at the end ", style.fg(theme::GOOD)));
        }
        let text = format!(" {} of {} here · line {} ", group.active, group.all, group.location.line);
        right.push(Span::styled(text, style.fg(theme::TITLE)));
    } else if let Some(stop) = &view.stop {
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
    let right = Line::from(right);
    let width = (right.width() as u16).min(area.width);
    if let (None, Some(stop)) = (&view.group, &view.stop) {
        let room = usize::from(area.width - width);
        let texts = invocation_texts(&stop.invocation);
        let taken = Line::from(spans.clone()).width();
        let fits = |text: &&String, taken: usize| Line::raw(text.as_str()).width() + taken <= room;
        match texts[..3].iter().find(|text| fits(text, taken)) {
            Some(text) => spans.push(Span::styled(text.clone(), dim)),
            // The user knows which trace it is; the shortest text is for the narrowest terminals.
            None => {
                spans.truncate(1);
                let taken = Line::from(spans.clone()).width();
                let text = texts.iter().find(|text| fits(text, taken)).or(texts.last());
                spans.extend(text.map(|text| Span::styled(text.clone(), dim)));
            }
        }
    }
    Line::from(spans).render(Rect { width: area.width - width, ..area }, buffer);
    right.render(Rect { x: area.right() - width, width, ..area }, buffer);
}

/// What the title says of an invocation, in full and then with less; the number of the draw is in all of them.
fn invocation_texts(invocation: &Invocation) -> [String; 4] {
    let (frame, command) = (invocation.frame_name(), invocation.command);
    let who = invocation.name.split(&format!(" of {}", invocation.call)).next().unwrap_or_default();
    [
        format!("│ {frame} │ {} ", invocation.name),
        format!("│ {frame} │ command {command} │ {who} "),
        format!("│ command {command} │ {who} "),
        format!("│ {command} │ {} ", who.split(", ").next().unwrap_or_default()),
    ]
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

/// Marks on the right edge of a pane that there is more above or below of what it shows.
fn more(inside: Rect, above: bool, below: bool, buffer: &mut Buffer) {
    let marks = [(above, inside.y, "▲"), (below, inside.bottom().saturating_sub(1), "▼")];
    for (_, y, mark) in marks.into_iter().filter(|(there, ..)| *there && inside.height > 0) {
        if let Some(cell) = buffer.cell_mut((inside.right(), y)) {
            cell.set_symbol(mark).set_fg(theme::MARK);
        }
    }
}

#[cfg(test)]
mod tests;
