//! The reason of the last failure.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use crate::memory::c_string;

thread_local! {
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// Returns why the last call of this thread failed, as one sentence, or `NULL` if it did not. The text is valid until
/// the next call of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_last_error() -> *const c_char {
    LAST.with_borrow(|last| last.as_ref().map_or(ptr::null(), |text| text.as_ptr()))
}

/// Why a call fails.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Runs what a call does. An error or a panic becomes the last error of this thread, and `none` is returned.
pub(crate) fn answer<T>(none: T, run: impl FnOnce() -> Result<T, Failure>) -> T {
    let outcome = catch_unwind(AssertUnwindSafe(run));
    let (value, error) = match outcome {
        Ok(Ok(value)) => (value, None),
        Ok(Err(error)) => (none, Some(sentence(error.as_ref()))),
        Err(panic) => {
            let said = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let said = said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            (none, Some(format!("afterimage failed inside: {said}; this is a bug, please report it")))
        }
    };
    LAST.set(error.map(|text| c_string(&text)));
    value
}

/// An error with those of its causes that it does not name itself.
fn sentence(error: &dyn std::error::Error) -> String {
    let (mut text, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}
