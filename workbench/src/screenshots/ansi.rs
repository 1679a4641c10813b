//! Parses the text with escape sequences that tmux returns for a screen.

/// One character and its colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    pub letter: char,
    pub style: Style,
}

/// The style of a character; colours are `0xRRGGBB`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Style {
    pub foreground: Option<u32>,
    pub background: Option<u32>,
    pub bold: bool,
    pub italic: bool,
    pub reversed: bool,
}

/// Returns the rows of a screen.
pub fn cells(text: &str) -> Vec<Vec<Cell>> {
    let mut style = Style::default();
    text.lines().map(|line| row(line, &mut style)).collect()
}

fn row(line: &str, style: &mut Style) -> Vec<Cell> {
    let mut out = Vec::new();
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter != '\x1b' {
            out.push(Cell { letter, style: *style });
            continue;
        }
        // tmux writes only `ESC [ numbers m` here, and `ESC ( 0` or `ESC ( B`, which do not matter for UTF-8.
        match letters.next() {
            Some('[') => {
                let mut numbers = String::new();
                for letter in letters.by_ref() {
                    if letter.is_ascii_alphabetic() {
                        if letter == 'm' {
                            apply(&numbers, style);
                        }
                        break;
                    }
                    numbers.push(letter);
                }
            }
            Some('(') => drop(letters.next()),
            _ => {}
        }
    }
    out
}

/// Applies Select Graphic Rendition of ECMA-48 and xterm.
fn apply(text: &str, style: &mut Style) {
    let numbers: Vec<u32> = text.split([';', ':']).map(|number| number.parse().unwrap_or(0)).collect();
    let mut at = 0;
    while let Some(number) = numbers.get(at) {
        let (color, used) = match (number, numbers.get(at + 1)) {
            (38 | 48, Some(2)) => {
                let channel = |place: usize| numbers.get(at + place).copied().unwrap_or(0) & 0xff;
                (Some(channel(2) << 16 | channel(3) << 8 | channel(4)), 5)
            }
            (38 | 48, Some(5)) => (Some(indexed(numbers.get(at + 2).copied().unwrap_or(0))), 3),
            _ => (None, 1),
        };
        match number {
            0 => *style = Style::default(),
            1 => style.bold = true,
            3 => style.italic = true,
            7 => style.reversed = true,
            22 => style.bold = false,
            23 => style.italic = false,
            27 => style.reversed = false,
            30..=37 => style.foreground = Some(indexed(number - 30)),
            90..=97 => style.foreground = Some(indexed(number - 82)),
            40..=47 => style.background = Some(indexed(number - 40)),
            38 => style.foreground = color,
            48 => style.background = color,
            39 => style.foreground = None,
            49 => style.background = None,
            _ => {}
        }
        at += used;
    }
}

/// xterm's 256 colours.
fn indexed(number: u32) -> u32 {
    const FIRST: [u32; 16] = [
        0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00,
        0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
    ];
    let level = |level: u32| if level == 0 { 0 } else { 55 + 40 * level };
    match number {
        0..=15 => FIRST[number as usize],
        16..=231 => {
            let number = number - 16;
            level(number / 36) << 16 | level(number / 6 % 6) << 8 | level(number % 6)
        }
        _ => (8 + 10 * (number - 232).min(23)) * 0x01_01_01,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_kept_from_line_to_line() {
        let rows = cells("\x1b[1;38;2;1;2;3ma\x1b[48;5;196mb\nc\x1b[0md");
        let a = Style { foreground: Some(0x010203), bold: true, ..Style::default() };
        let b = Style { background: Some(0xff0000), ..a };
        assert_eq!(rows[0], [Cell { letter: 'a', style: a }, Cell { letter: 'b', style: b }]);
        assert_eq!(rows[1], [Cell { letter: 'c', style: b }, Cell { letter: 'd', style: Style::default() }]);
    }
}
