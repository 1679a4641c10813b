//! All keys, over everything else.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use crate::debug::screen::theme;

const KEYS: &[(&str, &str)] = &[
    ("", "Forwards"),
    ("↓  n", "the next statement, over calls"),
    ("→  s", "the next statement, into calls"),
    ("f", "out of the function, or back to the read that led here"),
    ("c  End", "to the next breakpoint; to the end"),
    ("", "Backwards"),
    ("↑  N", "the statement before, over calls"),
    ("←  S", "the statement before, into calls"),
    ("F", "back to the call of the function"),
    ("C  Home", "to the breakpoint before; to the start"),
    ("", "Through passes"),
    ("r", "into the first texture read: to who wrote the texel"),
    ("h", "who made this pixel; again: one pass further back"),
    ("", "Else"),
    ("b", "set or take away a breakpoint here"),
    ("u  d", "look at the caller; at the one called"),
    ("PgUp PgDn", "scroll the text; Shift scrolls the console"),
    ("Tab", "the next pane, in which arrows choose and Enter acts"),
    ("mouse", "a pixel, a line's number, a variable, a call, an event"),
    ("Esc  ^C", "end what takes long; the debugger stays where that is"),
    (":", "a command; `:help` lists them, Tab completes"),
    ("q", "quit"),
];

pub fn draw(screen: Rect, buffer: &mut Buffer) {
    let (width, height) = (76.min(screen.width), (KEYS.len() as u16 + 2).min(screen.height));
    let area =
        Rect { x: screen.x + (screen.width - width) / 2, y: screen.y + (screen.height - height) / 2, width, height };
    Clear.render(area, buffer);
    buffer.set_style(area, Style::new().bg(theme::BAR).fg(theme::TEXT));
    let inside = super::panel_plain(" keys ", area, true, buffer);
    for (at, (key, what)) in KEYS.iter().enumerate().take(usize::from(inside.height)) {
        let row = Rect { y: inside.y + at as u16, height: 1, ..inside };
        let line = if key.is_empty() {
            Line::from(Span::styled(format!(" {what}"), Style::new().fg(theme::TITLE)))
        } else {
            Line::from(vec![
                Span::styled(format!("   {key:<12}"), Style::new().fg(theme::MARK)),
                Span::styled((*what).to_owned(), Style::new().fg(theme::TEXT)),
            ])
        };
        line.render(row, buffer);
    }
}
