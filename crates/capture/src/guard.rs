//! Contains faults of the capture library: a panic ends the recording, not the program.

use std::panic::{self, AssertUnwindSafe};

use ring::StopReason;

use crate::process;

/// Runs a part of a hook. `None` when it panicked; recording has then been stopped with a reason.
#[inline]
pub fn run<R>(part: impl FnOnce() -> R) -> Option<R> {
    match panic::catch_unwind(AssertUnwindSafe(part)) {
        Ok(result) => Some(result),
        Err(payload) => {
            // Dropping the panic payload could panic again.
            std::mem::forget(payload);
            give_up();
            None
        }
    }
}

/// Installs a panic hook that prints one sentence.
pub fn prepare() {
    panic::set_hook(Box::new(|information| {
        let place = information.location().map_or_else(String::new, |place| format!(" at {place}"));
        process::warn(&format!(
            "recording has stopped because of a fault in the capture library{place}; please report it"
        ));
    }));
}

#[cold]
fn give_up() {
    if let Some(block) = process::block() {
        block.stop(StopReason::CaptureFault);
    }
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn panics_end_here() {
        assert_eq!(run(|| 5), Some(5));
        let list: Vec<i32> = Vec::new();
        assert_eq!(run(|| list[list.len()]), None);
    }
}
