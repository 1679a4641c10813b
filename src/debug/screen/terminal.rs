//! What a terminal can show, asked of itself.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use ratatui::crossterm::terminal::window_size;

use super::image::GraphicsProtocol;

/// How long to wait for an answer of the terminal. All that can be drawn on answer; one that is just being started may
/// take its time, and what it says later would be taken for keys.
const PATIENCE: Duration = Duration::from_secs(3);

/// Colours of a VT340, for terminals that do not say how many they have.
const COLOURS: usize = 16;

/// More colours than this do not make a picture better.
const MOST_COLOURS: usize = 256;

/// Asks whether it knows kitty's protocol for pictures, whether it shows sixels, in how many colours and how large its cells are; and then for its
/// attributes, which every terminal answers, so that this does not wait for answers that do not come. Call it in raw mode,
/// and before keys are read.
pub fn ask() -> std::io::Result<GraphicsProtocol> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty")?;
    // A picture of one pixel that is only looked at; `CSI 16 t` asks for the size of a cell; `CSI ? 1 ; 1 ; 0 S` for the
    // number of colours (XTSMGRAPHICS); `CSI c` for attributes.
    terminal.write_all(b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[?1;1;0S\x1b[c")?;
    terminal.flush()?;
    let mut answer = Vec::new();
    let end = Instant::now() + PATIENCE;
    while !has_attributes(&answer) {
        let left = end.saturating_duration_since(Instant::now());
        let wait = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
        let mut ready = [PollFd::new(terminal.as_fd(), PollFlags::POLLIN)];
        if left.is_zero() || poll(&mut ready, wait)? == 0 {
            break;
        }
        let mut buffer = [0; 256];
        let count = terminal.read(&mut buffer)?;
        answer.extend_from_slice(&buffer[..count]);
    }
    Ok(manner(&String::from_utf8_lossy(&answer), cell_of_window()))
}

/// The size of a cell as the kernel was told it, for terminals that do not say it themselves.
fn cell_of_window() -> Option<[u16; 2]> {
    let size = window_size().ok()?;
    let cell = [size.width.checked_div(size.columns)?, size.height.checked_div(size.rows)?];
    (cell[0] > 0 && cell[1] > 0).then_some(cell)
}

/// Whether the answer to `CSI c` is there: `CSI ? … c`.
fn has_attributes(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    text.split("\x1b[?")
        .skip(1)
        .any(|part| part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('c'))
}

/// What the answers come to.
fn manner(answer: &str, window: Option<[u16; 2]>) -> GraphicsProtocol {
    if answer.contains("\x1b_Gi=31;OK") {
        return GraphicsProtocol::Kitty;
    }
    let mut sixel = false;
    let mut cell = None;
    let mut colours = COLOURS;
    for part in answer.split("\x1b[").skip(1) {
        let numbers = |text: &str| text.split(';').map(|number| number.parse::<u16>().ok()).collect::<Option<Vec<_>>>();
        if let Some((graphics, _)) = part.strip_prefix('?').and_then(|rest| rest.split_once('S')) {
            if let Some([1, 0, count]) = numbers(graphics).as_deref() {
                colours = usize::from(*count).clamp(2, MOST_COLOURS);
            }
        } else if let Some(attributes) = part.strip_prefix('?').and_then(|rest| rest.split_once('c')) {
            // Attribute 4 is sixel graphics, in DEC's manuals.
            sixel |= numbers(attributes.0).is_some_and(|all| all.contains(&4));
        } else if let Some([6, height, width]) = part.split_once('t').and_then(|(text, _)| numbers(text)).as_deref() {
            cell = Some([*width, *height]).filter(|size| size.iter().all(|side| *side > 0));
        }
    }
    match cell.or(window) {
        Some(cell) if sixel => GraphicsProtocol::Sixel { cell, colours },
        _ => GraphicsProtocol::Blocks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_terminals_are_understood() {
        // kitty; foot; xterm without sixels; one that says nothing.
        let said = |answer: &str| manner(answer, None);
        assert_eq!(said("\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62;c"), GraphicsProtocol::Kitty);
        let sixel = |cell, colours| GraphicsProtocol::Sixel { cell, colours };
        assert_eq!(said("\x1b[6;18;9t\x1b[?1;0;1024S\x1b[?62;4;22c"), sixel([9, 18], 256));
        assert_eq!(said("\x1b[6;18;9t\x1b[?1;3;0S\x1b[?62;4;22c"), sixel([9, 18], 16));
        assert_eq!(said("\x1b[6;18;9t\x1b[?64;1;2;6;9;15;18;21;22c"), GraphicsProtocol::Blocks);
        // xterm as a VT340, which does not tell the size of its cells.
        assert_eq!(manner("\x1b[?1;0;16S\x1b[?63;1;2;4;6;9c", Some([8, 15])), sixel([8, 15], 16));
        assert_eq!(said("\x1b[?62;4c"), GraphicsProtocol::Blocks);
        assert_eq!(said(""), GraphicsProtocol::Blocks);
    }

    #[test]
    fn the_last_answer_is_recognised() {
        assert!(has_attributes(b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c"));
        assert!(!has_attributes(b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4"));
    }
}
