//! The worker's end.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

use driver::{DeviceChoice, Page};

use super::wire::{Wire, WireError};
use super::{Answer, Ask};
use crate::timeline::Timeline;
use crate::worker::word;
use crate::{Picture, ReplayError};

/// Answers questions that come through standard input, which is a socket, until nobody asks any more.
///
/// # Errors
/// When standard input is no socket.
pub fn serve(trace: &Path, device: &DeviceChoice, page: &Page) -> io::Result<()> {
    let mut wire = Wire::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?));
    let mut timeline = None;
    loop {
        let (ask, bytes) = match wire.receive::<Ask>() {
            Ok(Some(received)) => received,
            Ok(None) => continue,
            Err(WireError::Gone) => return Ok(()),
            Err(WireError::Garbled(what)) => return Err(io::Error::other(what)),
        };
        page.store(word::BEAT, page.load(word::BEAT) + 1);
        let answer =
            opened(&mut timeline, trace, device, page).and_then(|timeline| answer(timeline, &ask, &bytes, page));
        let (answer, bytes) = match answer {
            Ok((answer, bytes)) => (Ok(answer), bytes),
            Err(error) => (Err(error.to_string()), Vec::new()),
        };
        if wire.send(&answer, &bytes).is_err() {
            return Ok(());
        }
    }
}

/// The trace, which is opened for the first question: that it cannot be is an answer like others.
fn opened<'a>(
    timeline: &'a mut Option<Timeline>,
    trace: &Path,
    device: &DeviceChoice,
    page: &Page,
) -> Result<&'a mut Timeline, ReplayError> {
    match timeline {
        Some(timeline) => Ok(timeline),
        None => {
            let opened = timeline.insert(Timeline::open(trace, device, false)?);
            page.store(word::TOTAL, opened.reader().len());
            Ok(opened)
        }
    }
}

fn answer(timeline: &mut Timeline, ask: &Ask, _bytes: &[u8], page: &Page) -> Result<(Answer, Vec<u8>), ReplayError> {
    match *ask {
        Ask::Picture { command, everything } => {
            page.store(word::COMMAND, command + 1);
            if everything {
                timeline.seek(command)?
            } else {
                timeline.look_at(command)?
            };
            let picture = timeline.read_pixels();
            let size = picture.as_ref().map(|picture| [picture.width, picture.height]);
            Ok((Answer::Picture { size }, picture.map(|Picture { rgba, .. }| rgba).unwrap_or_default()))
        }
    }
}
