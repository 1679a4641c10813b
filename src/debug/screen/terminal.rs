//! What a terminal can show, asked of itself.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::image::GraphicsProtocol;

/// How long to wait for an answer of the terminal.
const PATIENCE: Duration = Duration::from_millis(300);

/// Asks whether it knows kitty's protocol for pictures, whether it shows sixels and how large its cells are; and then for its
/// attributes, which every terminal answers, so that this does not wait for answers that do not come. Call it in raw mode,
/// and before keys are read.
pub fn ask() -> std::io::Result<GraphicsProtocol> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty")?;
    // A picture of one pixel that is only looked at; `CSI 16 t` asks for the size of a cell; `CSI c` for attributes.
    terminal.write_all(b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[c")?;
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
    Ok(manner(&String::from_utf8_lossy(&answer)))
}

/// Whether the answer to `CSI c` is there: `CSI ? … c`.
fn has_attributes(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    text.split("\x1b[?")
        .skip(1)
        .any(|part| part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('c'))
}

/// What the answers come to.
fn manner(answer: &str) -> GraphicsProtocol {
    if answer.contains("\x1b_Gi=31;OK") {
        return GraphicsProtocol::Kitty;
    }
    let mut sixel = false;
    let mut cell = None;
    for part in answer.split("\x1b[").skip(1) {
        let numbers = |text: &str| text.split(';').map(|number| number.parse::<u16>().ok()).collect::<Option<Vec<_>>>();
        if let Some(attributes) = part.strip_prefix('?').and_then(|rest| rest.split_once('c')) {
            // Attribute 4 is sixel graphics, in DEC's manuals.
            sixel |= numbers(attributes.0).is_some_and(|all| all.contains(&4));
        } else if let Some([6, height, width]) = part.split_once('t').and_then(|(text, _)| numbers(text)).as_deref() {
            cell = Some([*width, *height]).filter(|size| size.iter().all(|side| *side > 0));
        }
    }
    match cell {
        Some(cell) if sixel => GraphicsProtocol::Sixel { cell },
        _ => GraphicsProtocol::Blocks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_terminals_are_understood() {
        // kitty; foot; xterm without sixels; one that says nothing.
        assert_eq!(manner("\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62;c"), GraphicsProtocol::Kitty);
        assert_eq!(manner("\x1b[6;18;9t\x1b[?62;4;22c"), GraphicsProtocol::Sixel { cell: [9, 18] });
        assert_eq!(manner("\x1b[6;18;9t\x1b[?64;1;2;6;9;15;18;21;22c"), GraphicsProtocol::Blocks);
        assert_eq!(manner("\x1b[?62;4c"), GraphicsProtocol::Blocks);
        assert_eq!(manner(""), GraphicsProtocol::Blocks);
    }

    #[test]
    fn the_last_answer_is_recognised() {
        assert!(has_attributes(b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c"));
        assert!(!has_attributes(b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4"));
    }
}
