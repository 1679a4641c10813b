//! Colours.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use crate::debug::highlight::Sort;

const fn rgb(hex: u32) -> Color {
    Color::Rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

pub const GROUND: Color = rgb(0x11131b);
pub const BAR: Color = rgb(0x1c2030);
pub const EDGE: Color = rgb(0x323a54);
pub const EDGE_FOCUS: Color = rgb(0x7aa2ff);
pub const TEXT: Color = rgb(0xd3d9ee);
pub const DIM: Color = rgb(0x727c9e);
pub const FAINT: Color = rgb(0x464e6b);
pub const HERE: Color = rgb(0x28324f);
pub const HERE_EXACT: Color = rgb(0x3b4a78);
pub const MARK: Color = rgb(0xffc777);
pub const GOOD: Color = rgb(0x8bd49c);
pub const BAD: Color = rgb(0xff6b81);
pub const VALUE: Color = rgb(0x7fd5c4);
pub const TITLE: Color = rgb(0x9fb4ff);
pub const CHOSEN: Color = rgb(0x2c3350);
pub const FOUND: Color = rgb(0x5a4a1e);

/// The colour of a piece of source.
pub fn of(sort: Sort) -> Style {
    let style = Style::new();
    match sort {
        Sort::Space | Sort::Name => style.fg(TEXT),
        Sort::Comment => style.fg(rgb(0x6d7aa8)).add_modifier(Modifier::ITALIC),
        Sort::Directive => style.fg(rgb(0x9d7cd8)),
        Sort::Keyword => style.fg(rgb(0xc6a0f6)),
        Sort::Type => style.fg(rgb(0x6cc0ff)),
        Sort::Function => style.fg(rgb(0x8fb3ff)),
        Sort::Number => style.fg(rgb(0xffa07a)),
        Sort::Symbol => style.fg(rgb(0x9aa5ce)),
    }
}

/// How many colours a terminal has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Any.
    True,
    /// The 256 of xterm.
    Indexed,
    /// None, because the user turned them off.
    Plain,
}

impl Depth {
    /// What the environment says.
    pub fn of_terminal(colour: bool) -> Depth {
        let says = |name: &str, words: &[&str]| {
            std::env::var(name).is_ok_and(|value| words.iter().any(|word| value.contains(word)))
        };
        if !colour {
            Depth::Plain
        } else if says("COLORTERM", &["truecolor", "24bit"])
            || says("TERM", &["direct", "kitty", "alacritty", "ghostty"])
        {
            Depth::True
        } else {
            Depth::Indexed
        }
    }

    /// Makes a picture of the screen one that the terminal can show.
    pub fn fit(self, buffer: &mut Buffer) {
        if self == Depth::True {
            return;
        }
        for cell in &mut buffer.content {
            match self {
                Depth::Indexed => {
                    cell.fg = indexed(cell.fg);
                    cell.bg = indexed(cell.bg);
                }
                Depth::Plain | Depth::True => {
                    // What is marked by its ground alone is marked by turning it round.
                    if matches!(cell.bg, HERE | HERE_EXACT | CHOSEN | MARK) {
                        cell.modifier |= Modifier::REVERSED;
                    }
                    if matches!(cell.bg, FOUND | MARK) {
                        cell.modifier |= Modifier::UNDERLINED;
                    }
                    cell.fg = Color::Reset;
                    cell.bg = Color::Reset;
                }
            }
        }
    }
}

/// The nearest colour of xterm's cube of 6 x 6 x 6, or of its greys.
fn indexed(color: Color) -> Color {
    let Color::Rgb(red, green, blue) = color else { return color };
    let level = |channel: u8| match channel {
        0..=47 => 0_u8,
        48..=114 => 1,
        _ => (channel - 35) / 40,
    };
    let value = |level: u8| if level == 0 { 0_i32 } else { 55 + 40 * i32::from(level) };
    let far = |r: i32, g: i32, b: i32| {
        let square = |a: i32, b: u8| (a - i32::from(b)).pow(2);
        square(r, red) + square(g, green) + square(b, blue)
    };
    let [r, g, b] = [red, green, blue].map(level);
    let cube = far(value(r), value(g), value(b));
    let mean = (i32::from(red) + i32::from(green) + i32::from(blue)) / 3;
    let grey = ((mean - 3) / 10).clamp(0, 23);
    let shade = 8 + 10 * grey;
    if far(shade, shade, shade) < cube {
        Color::Indexed(232 + u8::try_from(grey).unwrap_or(0))
    } else {
        Color::Indexed(16 + 36 * r + 6 * g + b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_the_cube_and_greys_are_themselves() {
        assert_eq!(indexed(Color::Rgb(255, 0, 0)), Color::Indexed(196));
        assert_eq!(indexed(Color::Rgb(95, 135, 175)), Color::Indexed(67));
        assert_eq!(indexed(Color::Rgb(128, 128, 128)), Color::Indexed(244));
        assert_eq!(indexed(Color::Rgb(8, 8, 8)), Color::Indexed(232));
        assert_eq!(indexed(Color::Reset), Color::Reset);
    }
}
