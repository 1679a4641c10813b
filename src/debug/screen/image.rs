//! A picture on a terminal: as half blocks in the cells, or as pixels where the terminal can show them.

mod sixel;
mod window;

use std::fmt::Write as _;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use session::Picture;

pub use window::{Lens, Window};

/// A picture with a pixel marked in it.
pub struct Shot {
    pub picture: Arc<Picture>,
    /// The part of it that is shown.
    pub window: Window,
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
    /// DEC's sixels, with the number of pixels in a cell, and of colours.
    Sixel { cell: [u16; 2], colours: usize },
}

const MARK: [u8; 3] = [255, 214, 92];
const MARK_EDGE: [u8; 3] = [20, 20, 28];

/// The part of an area that a picture takes with its shape kept, in the middle. Cells are taken for twice as high as wide.
pub fn place(window: Window, area: Rect) -> Rect {
    let (width, height) = (u64::from(window.width.max(1)), u64::from(window.height.max(1)));
    let (most_wide, most_high) = (u64::from(area.width), u64::from(area.height) * 2);
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
pub fn pixel_at(window: Window, area: Rect, column: u16, row: u16) -> Option<[u32; 2]> {
    if !area.contains((column, row).into()) {
        return None;
    }
    let middle = |at: u16, from: u16, count: u16, size: u32| {
        let at = (u64::from(at - from) * 2 + 1) * u64::from(size) / (u64::from(count) * 2);
        u32::try_from(at).unwrap_or(u32::MAX).min(size.saturating_sub(1))
    };
    let x = middle(column, area.x, area.width, window.width);
    let y = middle(row, area.y, area.height, window.height);
    Some([window.x + x, window.y + window.height - 1 - y])
}

/// Letters from dark to bright, for terminals without colours.
const SHADES: &[char] = &[' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];

/// Puts a picture into cells by its brightness alone; the marked pixel is turned round.
pub fn shades(shot: &Shot, area: Rect, buffer: &mut Buffer) {
    let pixels = scaled(shot, u32::from(area.width), u32::from(area.height));
    for (position, [r, g, b]) in area.positions().zip(pixels) {
        // Rec. 709, of values that are not linear; good enough for ten shades.
        let bright = (u32::from(r) * 54 + u32::from(g) * 183 + u32::from(b) * 19) / 256;
        let letter = SHADES[(bright as usize * (SHADES.len() - 1) + 127) / 255];
        if let Some(cell) = buffer.cell_mut(position) {
            cell.set_char(letter);
        }
    }
    let marked = shot.pixel.filter(|pixel| shot.window.contains(*pixel));
    if let Some((column, row)) = marked.and_then(|pixel| cell_of(shot.window, area, pixel))
        && let Some(cell) = buffer.cell_mut((column, row))
    {
        cell.set_char('X').modifier |= Modifier::REVERSED;
    }
}

/// The cell that shows a pixel.
fn cell_of(window: Window, area: Rect, [x, y]: [u32; 2]) -> Option<(u16, u16)> {
    let middle = |at: u32, size: u32, count: u16| {
        u16::try_from((u64::from(at) * 2 + 1) * u64::from(count) / (u64::from(size) * 2)).ok()
    };
    let column = middle(x.checked_sub(window.x)?, window.width, area.width)?;
    let row = middle((window.y + window.height - 1).checked_sub(y)?, window.height, area.height)?;
    Some((area.x + column, area.y + row))
}

/// Puts a picture into cells.
pub fn blocks(shot: &Shot, area: Rect, buffer: &mut Buffer) {
    let rows = u32::from(area.height) * 2;
    let mut pixels = scaled(shot, u32::from(area.width), rows);
    mark_pixel(shot, &mut pixels, (u32::from(area.width), rows), 0);
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
        GraphicsProtocol::Sixel { cell: [width, height], colours } => {
            let (wide, high) = (u32::from(area.width) * u32::from(width), u32::from(area.height) * u32::from(height));
            let mut pixels = scaled(shot, wide, high);
            mark_pixel(shot, &mut pixels, (wide, high), 2);
            Some(go + &sixel::sixel(&pixels, wide, high, colours))
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

/// A picture in another size, rows from above: each new pixel is the mean of those it covers, or where it is less than one
/// that one, so that enlarged pixels have edges.
fn scaled(shot: &Shot, wide: u32, high: u32) -> Vec<[u8; 3]> {
    let Picture { width, height, rgba } = &*shot.picture;
    let window = shot.window;
    let span = |at: u32, count: u32, size: u32| {
        let (at, count, size) = (u64::from(at), u64::from(count), u64::from(size));
        let (from, to) = if size <= count {
            let from = (at * 2 + 1) * size / (count * 2);
            (from, from + 1)
        } else {
            (at * size / count, ((at + 1) * size).div_ceil(count))
        };
        let last = size.max(1);
        (from.min(last - 1) as u32)..(to.min(last) as u32)
    };
    let columns: Vec<_> = (0..wide).map(|column| span(column, wide, window.width)).collect();
    let mut out = Vec::with_capacity(wide as usize * high as usize);
    for row in 0..high {
        let rows = span(row, high, window.height);
        for columns in &columns {
            let (mut sum, mut count) = ([0_u32; 3], 0);
            for y in rows.clone() {
                // Rows of the picture are from below.
                let y = (window.y + window.height - 1 - y).min(height.saturating_sub(1)) as usize;
                for x in columns.clone() {
                    let x = (window.x + x).min(width.saturating_sub(1)) as usize;
                    let at = (y * *width as usize + x) * 4;
                    let Some(pixel) = rgba.get(at..at + 3) else { continue };
                    for (sum, channel) in sum.iter_mut().zip(pixel) {
                        *sum += u32::from(*channel);
                    }
                    count += 1;
                }
            }
            out.push(sum.map(|sum| u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX)));
        }
    }
    out
}

/// Marks the pixel in a picture that was scaled, if it is in the part that is shown. `thick` is half the width of the mark.
fn mark_pixel(shot: &Shot, pixels: &mut [[u8; 3]], (wide, high): (u32, u32), thick: u32) {
    let window = shot.window;
    let Some([x, y]) = shot.pixel.filter(|pixel| window.contains(*pixel)) else { return };
    let middle =
        |at: u32, size: u32, count: u32| ((u64::from(at) * 2 + 1) * u64::from(count) / (u64::from(size) * 2)) as u32;
    let column = middle(x - window.x, window.width, wide);
    let row = middle(window.y + window.height - 1 - y, window.height, high);
    mark(pixels, (wide, high), (column, row), thick);
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
    let (width, height) = (u64::from(shot.window.width.max(1)), u64::from(shot.window.height.max(1)));
    let wide = shot.window.width.clamp(MOST / 2, MOST);
    let high = u32::try_from((u64::from(wide) * height).div_ceil(width)).unwrap_or(MOST).clamp(1, MOST * 4);
    let mut pixels = scaled(shot, wide, high);
    mark_pixel(shot, &mut pixels, (wide, high), 2);
    let bytes: Vec<u8> = pixels.into_iter().flatten().collect();
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

#[cfg(test)]
mod tests;
