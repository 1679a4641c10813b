//! The line at the bottom: what keys do now.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::debug::screen::state::{Pane, State};
use crate::debug::screen::theme;
use crate::debug::view::View;

type Keys = &'static [(&'static str, &'static str)];

const PROMPT: Keys = &[("Enter", "do"), ("Tab", "complete"), ("↑↓", "earlier lines"), ("Esc", "leave")];
const SEARCH_PROMPT: Keys = &[("Enter", "search"), ("Esc", "leave")];
const FOUND: Keys = &[("n", "next"), ("N", "previous"), ("Esc", "end the search"), ("↑↓←→", "step")];
const GROUP: Keys = &[
    ("↓ n", "next"),
    ("→ s", "into"),
    ("f", "out"),
    ("↑ N", "back"),
    ("1 2", "take a branch"),
    ("l", "leave the loop"),
    ("g", "end the group"),
    ("/", "search"),
    (":", "command"),
    ("Tab", "pane"),
];
/// The most useful ones first: 80 columns have room for those up to `:`.
const SOURCE: Keys = &[
    ("↓ n", "next"),
    ("→ s", "into"),
    ("↑ N", "back"),
    ("r", "into read"),
    ("h", "history"),
    (":", "command"),
    ("f", "out"),
    ("c C", "continue"),
    ("b", "break"),
    ("Tab", "pane"),
    ("← S", "back into"),
    ("/", "search"),
];
const VARIABLES: Keys =
    &[("↑↓", "choose"), ("Enter", "parts"), ("w", "who wrote it"), ("d", "display"), ("Tab", "pane")];
const STACK: Keys = &[("↑↓", "choose"), ("Enter", "look at"), ("Tab", "pane")];
const HISTORY: Keys = &[("↑↓", "choose"), ("Enter", "enter the invocation"), ("h", "go further back"), ("Tab", "pane")];
const PICTURE: Keys =
    &[("↑↓←→", "move"), ("Enter", "take the pixel"), ("+ -", "zoom"), ("p", "size"), ("< >", "frame"), ("Tab", "pane")];

/// Before any pixel is chosen, and where there is none to choose.
const START: Keys =
    &[("↑↓←→", "move"), ("Enter", "take the pixel"), ("+ -", "zoom"), ("< >", "frame"), (":", "command")];
const NOTHING: Keys = &[(":", "command")];

/// Keys that are always there, on the right.
const ALWAYS: Keys = &[("?", "help"), ("q", "quit")];

pub fn draw(view: &View, state: &State, area: Rect, buffer: &mut Buffer) {
    let style = Style::new().bg(theme::BAR).fg(theme::DIM);
    buffer.set_style(area, style);
    if let Some(working) = &state.working {
        Span::styled(format!(" ◌ {working} …"), style.fg(theme::MARK)).render(area, buffer);
        return;
    }
    let search = state.search.as_ref().filter(|_| state.focus == Pane::Source);
    let keys = match state.focus {
        _ if state.prompt.open && state.prompt.search => SEARCH_PROMPT,
        _ if state.prompt.open => PROMPT,
        _ if view.is_at_start() && view.frames == 0 => NOTHING,
        _ if view.is_at_start() => START,
        Pane::Source if search.is_some() => FOUND,
        Pane::Source if view.group.is_some() => GROUP,
        Pane::Source => SOURCE,
        Pane::Variables => VARIABLES,
        Pane::Stack => STACK,
        Pane::History => HISTORY,
        Pane::Picture => PICTURE,
    };
    let one = |(key, what): &(&'static str, &'static str)| {
        [Span::styled(*key, style.fg(theme::TITLE)), Span::styled(format!(" {what}  "), style)]
    };
    let always = if state.prompt.open { Line::default() } else { Line::from_iter(ALWAYS.iter().flat_map(one)) };
    // One space after the last is enough.
    let reserved = (always.width() as u16).saturating_sub(1).min(area.width);
    let room = usize::from(area.width - reserved);
    let mut line = Line::from(Span::styled(" ", style));
    if let Some(search) = search.filter(|_| !state.prompt.open) {
        line.push_span(Span::styled(format!("{}  ", search.text()), style.fg(theme::MARK)));
    }
    for pair in keys.iter().map(one) {
        // A key that does not fit as a whole is left to the help.
        if line.width() + pair[0].width() + pair[1].width() > room + 1 {
            break;
        }
        line.extend(pair);
    }
    line.render(Rect { width: area.width - reserved, ..area }, buffer);
    always.render(Rect { x: area.right() - reserved, width: reserved, ..area }, buffer);
}
