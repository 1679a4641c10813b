//! Tracers: others who take part in calls.

use api::CommandId;
use std::ffi::c_void;

use crate::hook::Entered;
use crate::real::Provider;

/// Whether any tracer is enabled.
#[inline]
pub fn active() -> bool {
    false
}

/// Has tracers loaded that the environment names, at the first call.
pub fn prepare() {}

/// # Safety
/// As for `hook::enter`.
pub unsafe fn enter(
    _provider: Provider,
    _command: CommandId,
    function: *const c_void,
    _args: *mut u64,
    _count: usize,
) -> Entered {
    Entered { function, token: 0 }
}

/// # Safety
/// As for `hook::leave`.
pub unsafe fn leave(_command: CommandId, _args: *mut u64, _count: usize, _token: usize, result: u64) -> u64 {
    result
}
