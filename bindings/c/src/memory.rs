//! Memory that crosses the interface.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

use crate::error::Failure;

/// Gives a text back that a function returned. `NULL` is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_string_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: by the contract of the interface, `text` came from `given_text` and was not given back before.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Returns a text without the zeros that C cannot have in it.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

/// Gives a text to the caller.
pub(crate) fn given_text(text: &str) -> *mut c_char {
    c_string(text).into_raw()
}

/// Returns a text that the caller passed.
pub(crate) fn passed_text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(format!("{what} is NULL").into());
    }
    // SAFETY: by the contract of the interface, a text that is not NULL ends with a zero and lives during the call.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| format!("{what} is not valid UTF-8").into())
}

/// Returns a text that the caller may leave out.
pub(crate) fn optional_text<'a>(text: *const c_char, what: &str) -> Result<Option<&'a str>, Failure> {
    if text.is_null() { Ok(None) } else { passed_text(text, what).map(Some) }
}

/// Returns what a pointer of the caller points to.
pub(crate) fn passed<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: by the contract of the interface, a pointer that is not NULL came from this library, was not given back,
    // and is not written to meanwhile.
    unsafe { pointer.as_ref() }.ok_or_else(|| format!("{what} is NULL").into())
}

/// Returns the elements of a list of the caller.
pub(crate) fn passed_list<'a, T>(list: *const T, count: usize, what: &str) -> Result<&'a [T], Failure> {
    match (list.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(format!("{what} is NULL").into()),
        // SAFETY: by the contract of the interface, a list that is not NULL has as many elements as are said, which are
        // not written to during the call.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(list, count) }),
    }
}

/// A value that was given to the caller, with the memory that it points into. The value comes first, so that a pointer to
/// it is one to the whole.
#[repr(C)]
struct Given<T> {
    value: T,
    kept: Kept,
}

/// Memory that a given value points into.
#[derive(Default)]
pub(crate) struct Kept {
    texts: Vec<CString>,
    lists: Vec<Box<dyn std::any::Any>>,
}

impl Kept {
    /// Keeps a text, and returns a pointer to it.
    pub(crate) fn text(&mut self, text: &str) -> *const c_char {
        let text = c_string(text);
        let pointer = text.as_ptr();
        // A `CString` that moves does not move its bytes.
        self.texts.push(text);
        pointer
    }

    /// Keeps a text that may be missing.
    pub(crate) fn optional(&mut self, text: Option<&str>) -> *const c_char {
        text.map_or(ptr::null(), |text| self.text(text))
    }

    /// Keeps a list, and returns a pointer to its first element; `NULL` if it is empty.
    pub(crate) fn list<T: 'static>(&mut self, list: Vec<T>) -> *const T {
        if list.is_empty() {
            return ptr::null();
        }
        let list = list.into_boxed_slice();
        let pointer = list.as_ptr();
        // A box that moves does not move its elements.
        self.lists.push(Box::new(list));
        pointer
    }
}

/// Gives a value to the caller; `kept` is what it points into.
pub(crate) fn given<T>(value: T, kept: Kept) -> *mut T {
    Box::into_raw(Box::new(Given { value, kept })).cast()
}

/// Takes a value back from the caller.
pub(crate) fn taken_back<T>(pointer: *mut T) {
    if !pointer.is_null() {
        let whole = pointer.cast::<c_void>().cast::<Given<T>>();
        // SAFETY: by the contract of the interface, `pointer` came from `given` as a pointer to the first field of a
        // `Given<T>` of the same `T`, and was not given back before.
        drop(unsafe { Box::from_raw(whole) });
    }
}
