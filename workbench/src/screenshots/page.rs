//! Renders a screen as a web page, and the page as a picture.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use super::ansi::{Cell, Style};

/// The size of a cell in pixels of the page; the font is chosen to fill it.
const CELL: (u32, u32) = (9, 18);
const FONT: &str = "15px 'DejaVu Sans Mono'";
const MARGIN: u32 = 14;
const GROUND: u32 = 0x11131b;
const TEXT: u32 = 0xd3d9ee;

/// Creates a picture of a screen.
pub fn picture(rows: &[Vec<Cell>], (columns, lines): (u16, u16), folder: &Path, file: &Path) -> anyhow::Result<()> {
    let page = folder.join("screen.html");
    std::fs::write(&page, html(rows)).with_context(|| format!("cannot write {}", page.display()))?;
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let (width, height) = (u32::from(columns) * CELL.0 + 2 * MARGIN, u32::from(lines) * CELL.1 + 2 * MARGIN);
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1"])
        .arg(format!("--window-size={width},{height}"))
        .arg(format!("--screenshot={}", file.display()))
        .arg(&page)
        .output()
        .context("cannot start chromium")?;
    if !output.status.success() || !file.is_file() {
        bail!("chromium created no picture: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// Returns the page, with each cell at an absolute position, so that fonts cannot shift anything.
fn html(rows: &[Vec<Cell>]) -> String {
    let mut out = format!(
        "<!doctype html><meta charset=\"utf-8\"><style>body{{margin:0;background:#{GROUND:06x}}}\
         i{{position:absolute;height:{}px;font:normal {FONT};line-height:{}px;white-space:pre;overflow:hidden}}</style><body>",
        CELL.1, CELL.1
    );
    for (row, cells) in rows.iter().enumerate() {
        let top = MARGIN + row as u32 * CELL.1;
        let mut column = 0;
        for run in cells.chunk_by(|a, b| a.style == b.style && !is_drawn(a.letter) && !is_drawn(b.letter)) {
            let left = MARGIN + column * CELL.0;
            let width = run.len() as u32 * CELL.0;
            column += run.len() as u32;
            piece(&mut out, run, (left, top, width));
        }
    }
    out
}

/// Returns whether a character is drawn as a shape, or would be wider than a cell in other fonts.
fn is_drawn(letter: char) -> bool {
    !letter.is_ascii()
}

fn piece(out: &mut String, run: &[Cell], (left, top, width): (u32, u32, u32)) {
    let style = run[0].style;
    let (foreground, background) = colors(style);
    let text: String = run.iter().map(|cell| cell.letter).collect();
    if background.is_none() && text.trim().is_empty() {
        return;
    }
    let mut css = format!("left:{left}px;top:{top}px;width:{width}px;color:#{foreground:06x};");
    match (text.as_str(), background) {
        ("▀", background) => {
            let below = background.unwrap_or(GROUND);
            let _ = write!(css, "background:linear-gradient(#{foreground:06x} 50%,#{below:06x} 50%);");
            let _ = write!(out, "<i style=\"{css}\"></i>");
            return;
        }
        (_, Some(background)) => {
            let _ = write!(css, "background:#{background:06x};");
        }
        (_, None) => {}
    }
    if let Some(lines) = frame(&text) {
        let _ = write!(out, "<i style=\"{css}\">");
        for line in lines {
            let _ = write!(out, "<i style=\"{line};border-color:#{foreground:06x}\"></i>");
        }
        out.push_str("</i>");
        return;
    }
    if style.bold {
        css.push_str("font-weight:bold;");
    }
    if style.italic {
        css.push_str("font-style:italic;");
    }
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _ = write!(out, "<i style=\"{css}\">{text}</i>");
}

/// Returns box-drawing characters as borders of boxes, because those of fonts leave gaps between cells.
fn frame(text: &str) -> Option<Vec<String>> {
    let (across, down) = (CELL.0 / 2, CELL.1 / 2);
    let box_at = |left: u32, top: u32, width: u32, height: u32, borders: &str| {
        format!(
            "left:{left}px;top:{top}px;width:{width}px;height:{height}px;box-sizing:border-box;border:0 solid;{borders}"
        )
    };
    let (right, below) = (CELL.0 - across, CELL.1 - down);
    Some(match text {
        "─" => vec![box_at(0, down, CELL.0, 1, "border-top-width:1px")],
        "│" => vec![box_at(across, 0, 1, CELL.1, "border-left-width:1px")],
        "╭" => vec![box_at(
            across,
            down,
            right,
            below,
            "border-top-width:1px;border-left-width:1px;border-top-left-radius:5px",
        )],
        "╮" => vec![box_at(
            0,
            down,
            across + 1,
            below,
            "border-top-width:1px;border-right-width:1px;border-top-right-radius:5px",
        )],
        "╰" => vec![box_at(
            across,
            0,
            right,
            down + 1,
            "border-bottom-width:1px;border-left-width:1px;border-bottom-left-radius:5px",
        )],
        "╯" => vec![box_at(
            0,
            0,
            across + 1,
            down + 1,
            "border-bottom-width:1px;border-right-width:1px;border-bottom-right-radius:5px",
        )],
        _ => return None,
    })
}

fn colors(style: Style) -> (u32, Option<u32>) {
    let foreground = style.foreground.unwrap_or(TEXT);
    if style.reversed { (style.background.unwrap_or(GROUND), Some(foreground)) } else { (foreground, style.background) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_their_positions_on_the_screen() {
        let cell = |letter| Cell { letter, style: Style::default() };
        let page = html(&[vec![], vec![cell('a'), cell('<'), cell('▀'), cell('b')]]);
        assert!(page.contains("left:14px;top:32px;width:18px;color:#d3d9ee;\">a&lt;</i>"), "{page}");
        assert!(page.contains("left:41px;top:32px;width:9px;color:#d3d9ee;\">b</i>"), "{page}");
        assert!(page.contains("linear-gradient(#d3d9ee 50%,#11131b 50%)"), "{page}");
    }
}
