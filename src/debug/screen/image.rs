//! A picture on a terminal: as half blocks in the cells, or as pixels where the terminal can show them.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;
use session::Picture;

/// A picture with a pixel marked in it.
pub struct Shot {
    pub picture: Picture,
    /// From the lower left.
    pub pixel: Option<[u32; 2]>,
    pub title: String,
}

/// How a terminal shows pictures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GraphicsProtocol {
    /// Two pixels to a cell, as coloured half blocks.
    Blocks,
    /// The graphics protocol of kitty, which WezTerm, Ghostty and Konsole speak too.
    Kitty,
    /// DEC's sixels, with the number of pixels in a cell.
    Sixel { cell: [u16; 2] },
}

const MARK: [u8; 3] = [255, 214, 92];
const MARK_EDGE: [u8; 3] = [20, 20, 28];

/// The part of an area that a picture takes with its shape kept, in the middle. Cells are taken for twice as high as wide.
pub fn place(picture: &Picture, area: Rect) -> Rect {
    let (width, height) = (picture.width.max(1), picture.height.max(1));
    let (most_wide, most_high) = (u32::from(area.width), u32::from(area.height) * 2);
    if most_wide == 0 || most_high == 0 {
        return Rect { width: 0, height: 0, ..area };
    }
    let (wide, high) = if most_wide * height <= most_high * width {
        (most_wide, (most_wide * height).div_ceil(width))
    } else {
        ((most_high * width) / height, most_high)
    };
    let wide = u16::try_from(wide).unwrap_or(area.width).clamp(1, area.width);
    let high = u16::try_from(high.div_ceil(2)).unwrap_or(area.height).clamp(1, area.height);
    Rect { x: area.x + (area.width - wide) / 2, y: area.y + (area.height - high) / 2, width: wide, height: high }
}

/// The pixel under a cell: its column and row from the lower left.
pub fn pixel_at(picture: &Picture, area: Rect, column: u16, row: u16) -> Option<[u32; 2]> {
    if !area.contains((column, row).into()) {
        return None;
    }
    let middle = |at: u16, from: u16, count: u16, size: u32| {
        ((u32::from(at - from) * 2 + 1) * size / (u32::from(count) * 2)).min(size.saturating_sub(1))
    };
    let x = middle(column, area.x, area.width, picture.width);
    let y = middle(row, area.y, area.height, picture.height);
    Some([x, picture.height - 1 - y])
}

/// Puts a picture into cells.
pub fn blocks(shot: &Shot, area: Rect, buffer: &mut Buffer) {
    let rows = u32::from(area.height) * 2;
    let pixels = scaled(shot, u32::from(area.width), rows, 0);
    for row in 0..area.height {
        for column in 0..area.width {
            let at =
                |half: u32| pixels[((u32::from(row) * 2 + half) * u32::from(area.width) + u32::from(column)) as usize];
            let color = |[r, g, b]: [u8; 3]| Color::Rgb(r, g, b);
            if let Some(cell) = buffer.cell_mut((area.x + column, area.y + row)) {
                cell.set_char('▀').set_fg(color(at(0))).set_bg(color(at(1)));
            }
        }
    }
}

/// What a terminal is sent to show a picture in an area of the screen; nothing for blocks, which are cells.
pub fn escape(manner: GraphicsProtocol, shot: &Shot, area: Rect) -> Option<String> {
    let go = format!("\x1b[{};{}H", area.y + 1, area.x + 1);
    match manner {
        GraphicsProtocol::Blocks => None,
        GraphicsProtocol::Kitty => Some(go + &kitty(shot, area)),
        GraphicsProtocol::Sixel { cell: [width, height] } => {
            let (wide, high) = (u32::from(area.width) * u32::from(width), u32::from(area.height) * u32::from(height));
            Some(go + &sixel(&scaled(shot, wide, high, 2), wide, high))
        }
    }
}

/// What takes pictures away that were sent before.
pub fn erase(manner: GraphicsProtocol) -> &'static str {
    match manner {
        GraphicsProtocol::Kitty => "\x1b_Ga=d,d=A,q=2\x1b\\",
        // Cells that are written over take sixels away.
        GraphicsProtocol::Blocks | GraphicsProtocol::Sixel { .. } => "",
    }
}

/// A picture in another size, rows from above, with the pixel marked: each new pixel is the mean of those it covers. `thick`
/// is half the width of the mark.
fn scaled(shot: &Shot, wide: u32, high: u32, thick: u32) -> Vec<[u8; 3]> {
    let Picture { width, height, rgba } = &shot.picture;
    let (width, height) = (*width, *height);
    let span = |at: u32, count: u32, size: u32| {
        let from = (u64::from(at) * u64::from(size) / u64::from(count)) as u32;
        let to = (u64::from(at + 1) * u64::from(size)).div_ceil(u64::from(count)) as u32;
        from..to.clamp(from + 1, size.max(from + 1))
    };
    let mut out = Vec::with_capacity((wide * high) as usize);
    for row in 0..high {
        let rows = span(row, high, height);
        for column in 0..wide {
            let (mut sum, mut count) = ([0_u32; 3], 0);
            for y in rows.clone() {
                for x in span(column, wide, width) {
                    // Rows lie from below.
                    let at = ((height - 1 - y.min(height - 1)) * width + x.min(width - 1)) as usize * 4;
                    for (sum, channel) in sum.iter_mut().zip(&rgba[at..at + 3]) {
                        *sum += u32::from(*channel);
                    }
                    count += 1;
                }
            }
            out.push(sum.map(|sum| u8::try_from(sum / count).unwrap_or(u8::MAX)));
        }
    }
    if let Some([x, y]) = shot.pixel.filter(|[x, y]| *x < width && *y < height) {
        let middle =
            |at: u32, size: u32, count: u32| (u64::from(at * 2 + 1) * u64::from(count) / u64::from(size * 2)) as u32;
        let (column, row) = (middle(x, width, wide), middle(height - 1 - y, height, high));
        mark(&mut out, (wide, high), (column, row), thick);
    }
    out
}

/// A cross hair through the whole picture, lighter, and the pixel itself.
fn mark(pixels: &mut [[u8; 3]], (wide, high): (u32, u32), (column, row): (u32, u32), thick: u32) {
    let mut set = |x: u32, y: u32, color: [u8; 3], share: u32| {
        if x < wide && y < high {
            let old = &mut pixels[(y * wide + x) as usize];
            for (old, new) in old.iter_mut().zip(color) {
                *old = u8::try_from((u32::from(*old) * (16 - share) + u32::from(new) * share) / 16).unwrap_or(u8::MAX);
            }
        }
    };
    for x in 0..wide {
        set(x, row, MARK, 6);
    }
    for y in 0..high {
        set(column, y, MARK, 6);
    }
    let reach = thick * 2 + 1;
    for y in row.saturating_sub(reach)..=row + reach {
        for x in column.saturating_sub(reach)..=column + reach {
            let far = x.abs_diff(column).max(y.abs_diff(row));
            if far == reach {
                set(x, y, MARK_EDGE, if thick == 0 { 9 } else { 16 });
            } else if far <= thick || far + 1 == reach {
                set(x, y, MARK, 16);
            }
        }
    }
}

/// The picture in the protocol of kitty, scaled by the terminal.
fn kitty(shot: &Shot, area: Rect) -> String {
    // More than a person sees in a small picture, and little enough to send at each stop.
    const MOST: u32 = 640;
    let (width, height) = (shot.picture.width.max(1), shot.picture.height.max(1));
    let wide = width.clamp(MOST / 2, MOST);
    let high = (wide * height).div_ceil(width).max(1);
    let bytes: Vec<u8> = scaled(shot, wide, high, 2).into_iter().flatten().collect();
    let text = base64(&bytes);
    let mut out = String::new();
    let mut chunks = text.as_bytes().chunks(4096).peekable();
    let mut first = true;
    while let Some(chunk) = chunks.next() {
        let more = u8::from(chunks.peek().is_some());
        if first {
            let _ =
                write!(out, "\x1b_Ga=T,f=24,s={wide},v={high},c={},r={},C=1,q=2,m={more};", area.width, area.height);
        } else {
            let _ = write!(out, "\x1b_Gm={more},q=2;");
        }
        first = false;
        out.push_str(std::str::from_utf8(chunk).unwrap_or_default());
        out.push_str("\x1b\\");
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0_u32, |word, at| word << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

/// The picture as sixels, in the 216 colours of a cube.
fn sixel(pixels: &[[u8; 3]], wide: u32, high: u32) -> String {
    let index = |[r, g, b]: [u8; 3]| {
        let level = |channel: u8| (usize::from(channel) * 5 + 127) / 255;
        level(r) * 36 + level(g) * 6 + level(b)
    };
    let mut out = format!("\x1bP0;1;0q\"1;1;{wide};{high}");
    for color in 0..216 {
        let [r, g, b] = [color / 36, color / 6 % 6, color % 6].map(|level| level * 20);
        let _ = write!(out, "#{color};2;{r};{g};{b}");
    }
    for band in (0..high).step_by(6) {
        // For each colour in the band, six rows of it in one character a column.
        let mut lines: Vec<Option<Vec<u8>>> = vec![None; 216];
        for row in band..(band + 6).min(high) {
            for column in 0..wide {
                let color = index(pixels[(row * wide + column) as usize]);
                let line = lines[color].get_or_insert_with(|| vec![0; wide as usize]);
                line[column as usize] |= 1 << (row - band);
            }
        }
        for (color, line) in
            lines.iter().enumerate().filter_map(|(color, line)| line.as_ref().map(|line| (color, line)))
        {
            let _ = write!(out, "#{color}");
            for run in line.chunk_by(|a, b| a == b) {
                let letter = char::from(63 + run[0]);
                if run.len() > 3 {
                    let _ = write!(out, "!{}{letter}", run.len());
                } else {
                    out.extend(std::iter::repeat_n(letter, run.len()));
                }
            }
            out.push('$');
        }
        out.push('-');
    }
    out.push_str("\x1b\\");
    out
}

#[cfg(test)]
mod tests;
