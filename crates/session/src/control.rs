//! Ending early what takes long, and seeing how far it is.

use std::sync::{Arc, Mutex, PoisonError};

use emulator::travel::Signal;
use serde::{Deserialize, Serialize};

use crate::error::SessionError;

/// A handle on whatever a [`crate::Session`] is doing, for another thread than the one that waits for it.
///
/// Going on ends where the invocation is then, with [`crate::Reason::Interrupted`]; questions to which there is no answer
/// yet end with [`SessionError::Interrupted`]. The session can be used as before.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// Stops a run of the emulator.
    signal: Arc<Signal>,
    /// Interrupts questions to the device.
    device: device::Control,
    progress: Mutex<Progress>,
}

/// How far a session is with what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// What it does, and what is counted.
    pub activity: Activity,
    /// How many are done.
    pub done: u64,
    /// How many there are, where that is known.
    pub total: Option<u64>,
}

/// What takes a session's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Nothing yet.
    #[default]
    None,
    /// The driver executes the trace; commands are counted.
    Replaying,
    /// An invocation runs; statements are counted, those of its neighbours included.
    Walking,
    /// The trace is read to index its writes; commands are counted.
    Indexing,
    /// The writes to a pixel are examined; they are counted.
    ReadingRows,
    /// The history of a pixel is followed; events are counted.
    Remembering,
    /// The nodes of a history are computed; they are counted.
    Computing,
    /// Draws are asked; they are counted.
    Asking,
    /// Invocations are emulated; they are counted.
    Emulating,
    /// Fragments that differ from the emulator's are examined; they are counted.
    Settling,
}

impl Progress {
    /// As text: `command 1200 of 5000`.
    #[must_use]
    pub fn text(&self) -> String {
        let done = grouped(self.done);
        let of = self.total.map_or(String::new(), |total| format!(" of {}", grouped(total)));
        match self.activity {
            Activity::None => String::new(),
            Activity::Replaying => format!("command {done}{of}"),
            Activity::Walking => format!("{done} statements"),
            Activity::Indexing => format!("{done}{of} commands read"),
            Activity::ReadingRows => format!("{done}{of} writes to the image examined"),
            Activity::Remembering => format!("{done} events"),
            Activity::Computing => format!("{done}{of} nodes computed"),
            Activity::Asking => format!("draw {done}{of}"),
            Activity::Emulating => format!("{done}{of} invocations emulated"),
            Activity::Settling => format!("{done}{of} fragments examined"),
        }
    }
}

impl Control {
    /// Ends what the session is doing, as soon as that can be done, and whatever it is asked to do after it, until
    /// [`Control::clear`] is called.
    pub fn interrupt(&self) {
        self.0.signal.set_stop(true);
        self.0.device.interrupt();
    }

    /// Lets the session go on as usual.
    pub fn clear(&self) {
        self.0.signal.set_stop(false);
        self.0.device.clear();
    }

    /// Whether it is to end what it does.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.0.signal.is_stop()
    }

    /// How far it is with what it does, or did last.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let mut progress = *self.0.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let replayed = self.0.device.progress();
        // What the device is needed for says more about how long it will take than how far the device is, once some of it is
        // done.
        let is_told =
            !matches!(progress.activity, Activity::None | Activity::Replaying | Activity::Walking) && progress.done > 0;
        if !is_told && replayed != device::Progress::default() {
            let total = Some(replayed.total).filter(|total| *total > 0);
            return Progress { activity: Activity::Replaying, done: replayed.command, total };
        }
        if progress.activity == Activity::Walking {
            progress.done = self.0.signal.time();
        }
        progress
    }

    /// Makes the handle of a session whose questions to the device `device` controls.
    pub(crate) fn new(device: device::Control) -> Control {
        Control(Arc::new(Inner { device, ..Inner::default() }))
    }

    pub(crate) fn signal(&self) -> Arc<Signal> {
        Arc::clone(&self.0.signal)
    }

    pub(crate) fn tell(&self, activity: Activity, done: u64, total: Option<u64>) {
        self.0.device.report(device::Progress::default());
        *self.0.progress.lock().unwrap_or_else(PoisonError::into_inner) = Progress { activity, done, total };
    }

    /// An answer that came in spite of an interruption may lack what could not be had any more.
    pub(crate) fn heed(&self) -> Result<(), SessionError> {
        if self.is_interrupted() { Err(SessionError::Interrupted) } else { Ok(()) }
    }
}

/// A number with its digits by threes.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_told_in_words() {
        let device = device::Control::default();
        let replayed = |command, total| device.report(device::Progress { command, total, frames: 0 });
        let control = Control::new(device.clone());
        assert_eq!(control.progress().text(), "");
        replayed(1200, 0);
        assert_eq!(control.progress().text(), "command 1,200");
        control.tell(Activity::Asking, 0, Some(10_000));
        replayed(1250, 0);
        assert_eq!(control.progress().text(), "command 1,250");
        control.tell(Activity::Asking, 3, Some(10_000));
        replayed(1300, 1_234_567);
        assert_eq!(control.progress().text(), "draw 3 of 10,000");
        control.tell(Activity::None, 0, None);
        replayed(1300, 1_234_567);
        assert_eq!(control.progress().text(), "command 1,300 of 1,234,567");
    }
}
