//! The driver of this machine, which a test that needs one must find.
//!
//! A test that cannot run fails: a pass would say that something was compared.

use std::fmt::Display;

use driver::{Api, Context};

/// The versions of GLSL and GLSL ES that Mesa's software driver has on Debian 12. Tests run shaders up to these.
const NEEDED: (u16, u16) = (450, 320);

/// Makes a headless context.
///
/// # Panics
/// When there is no driver, when it makes no such context, or when it is too old for the tests.
#[must_use]
#[track_caller]
pub fn context(api: Api) -> Context {
    let context = found(Context::new(api));
    let version = context.glsl_version().unwrap_or_else(|error| panic!("the driver does not say its version: {error}"));
    let needed = if api == Api::Es { NEEDED.1 } else { NEEDED.0 };
    assert!(version >= needed, "this test needs a driver with GLSL {needed}; this one has {version}");
    context
}

/// Returns what was made with a driver.
///
/// # Panics
/// When it could not be made; the message names what is missing and how to install it.
#[track_caller]
pub fn found<T, E: Display>(made: Result<T, E>) -> T {
    made.unwrap_or_else(|error| {
        panic!("this test needs a GL driver: {error}; `cargo xtask setup` installs Mesa's software driver")
    })
}
