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
    ("h", "what made this pixel; again: one pass further back"),
    ("", "Picture"),
    ("click", "take a pixel: the invocation that wrote it"),
    ("wheel  + -", "zoom in and out; 0 shows all of it"),
    ("drag  ^arrows", "move the part that is shown"),
    ("arrows Enter", "move the cross, with Shift by 10; take the pixel"),
    ("p", "large, and small again"),
    ("<  >", "the frame before and after, until a pixel is taken"),
    ("", "All fragments of a draw together"),
    ("g", "begin with this draw, or end it"),
    ("1  2", "go with those of the first branch, or the second"),
    ("l", "leave the loop, through all iterations that are left"),
    ("", "Else"),
    ("b", "set or take away a breakpoint here"),
    ("u  d", "look at the caller; at the one called"),
    ("/", "search in the shader; then n and N, until Esc"),
    ("PgUp PgDn", "scroll the text; Shift scrolls the console"),
    ("Tab", "the next pane, in which arrows choose and Enter acts"),
    ("mouse", "a line's number, a variable, a call, an event"),
    ("Esc  ^C", "end what takes long; the debugger stays where that is"),
    ("^L", "draw the screen anew"),
    (":", "a command; `:help` lists them, Tab completes"),
    ("q", "quit"),
];

/// Draws the list from a row on, as far as there are more than fit.
pub fn draw(screen: Rect, from: &mut usize, buffer: &mut Buffer) {
    let (width, height) = (76.min(screen.width), (KEYS.len() as u16 + 2).min(screen.height));
    let area =
        Rect { x: screen.x + (screen.width - width) / 2, y: screen.y + (screen.height - height) / 2, width, height };
    Clear.render(area, buffer);
    buffer.set_style(area, Style::new().bg(theme::BAR).fg(theme::TEXT));
    let room = usize::from(height.saturating_sub(2));
    *from = (*from).min(KEYS.len().saturating_sub(room));
    let title = match KEYS.len() > room {
        true => format!(" keys {}-{} of {} · ↓ ↑ · any other key closes ", *from + 1, *from + room, KEYS.len()),
        false => " keys · any key closes ".to_owned(),
    };
    let inside = super::panel_plain(&title, area, true, buffer);
    for (at, (key, what)) in KEYS.iter().skip(*from).enumerate().take(usize::from(inside.height)) {
        let row = Rect { y: inside.y + at as u16, height: 1, ..inside };
        let line = if key.is_empty() {
            Line::from(Span::styled(format!(" {what}"), Style::new().fg(theme::TITLE)))
        } else {
            Line::from(vec![
                Span::styled(format!("   {key:<14}"), Style::new().fg(theme::MARK)),
                Span::styled((*what).to_owned(), Style::new().fg(theme::TEXT)),
            ])
        };
        line.render(row, buffer);
    }
}
