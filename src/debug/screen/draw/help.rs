//! All keys and commands, over everything else.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use crate::debug::command;
use crate::debug::screen::wrap::Letters;
use crate::debug::screen::{theme, wrap};

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
    ("r", "into a texture read, to what wrote the texel; a NaN first"),
    ("h", "what made this pixel; again: one pass further back"),
    ("Backspace", "back to the invocation before"),
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
    ("", "Marks"),
    ("✓  ≈  ≠", "the device computed the same bits; the same within rounding; another value"),
    ("…", "the device has not said yet what it computed"),
    ("▶  ■", "the next statement; the end of the invocation"),
    ("●  ◆", "a breakpoint; one that only logs"),
    ("▣", "an invocation; those above were entered from it"),
    ("time", "how many steps the invocation has made"),
];

/// Where to draw from so that the list begins with the commands, wherever those are in rows of this width.
pub const COMMANDS: usize = usize::MAX;

/// All rows: keys and what they do, then commands; a title has no key.
fn rows() -> Vec<(String, String)> {
    let own = |(key, what): &(&str, &str)| ((*key).to_owned(), (*what).to_owned());
    let mut all: Vec<(String, String)> = KEYS.iter().map(own).collect();
    for (title, entries) in command::COMMANDS {
        all.push((String::new(), format!("Commands: {title}")));
        for entry in *entries {
            all.push((format!(":{} {}", entry.names[0], entry.usage), entry.help.to_owned()));
        }
    }
    all
}

/// The widest that the list becomes, and the cells for a key or command.
const WIDEST: u16 = 110;
const KEY: usize = 14;

/// Draws the list from a row on, as far as there are more than fit.
pub fn draw(screen: Rect, from: &mut usize, buffer: &mut Buffer) {
    let width = WIDEST.min(screen.width);
    let (lines, commands) = lines(usize::from(width.saturating_sub(2)));
    let height = (lines.len() as u16 + 2).min(screen.height);
    let area =
        Rect { x: screen.x + (screen.width - width) / 2, y: screen.y + (screen.height - height) / 2, width, height };
    Clear.render(area, buffer);
    buffer.set_style(area, Style::new().bg(theme::BAR).fg(theme::TEXT));
    let room = usize::from(height.saturating_sub(2));
    *from = if *from == COMMANDS { commands } else { *from }.min(lines.len().saturating_sub(room));
    let shown = format!("{}-{} of {}", *from + 1, *from + room, lines.len());
    let title = format!(" keys and commands {shown} · ↓ ↑ PgDn PgUp · `:` and `/` type · any other key closes ");
    let inside = super::panel_plain(&title, area, true, buffer);
    for ((indent, letters), y) in lines.iter().skip(*from).zip(inside.y..inside.bottom()) {
        let x = (*indent as u16).min(inside.width);
        wrap::write(letters, Rect { x: inside.x + x, y, width: inside.width - x, height: 1 }, buffer);
    }
}

/// All rows of the list in lines of a width, each with the cells that it is indented by, and the first that has a command.
fn lines(width: usize) -> (Vec<(usize, Letters)>, usize) {
    let indent = KEY + 5;
    let (mut lines, mut commands) = (Vec::new(), 0);
    for (number, (key, what)) in rows().into_iter().enumerate() {
        if number == KEYS.len() {
            commands = lines.len();
        }
        let line = if key.is_empty() {
            Line::from(Span::styled(format!(" {what}"), Style::new().fg(theme::TITLE)))
        } else {
            Line::from(vec![
                Span::styled(format!("   {key:<KEY$}  "), Style::new().fg(theme::MARK)),
                Span::styled(what, Style::new().fg(theme::TEXT)),
            ])
        };
        let letters = wrap::letters(&line);
        for (row, range) in wrap::rows(&letters, width, indent, true).into_iter().enumerate() {
            lines.push((if row == 0 { 0 } else { indent }, letters[range].to_vec()));
        }
    }
    (lines, commands)
}
