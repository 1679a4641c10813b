//! Calls inside calls.
//!
//! A driver may use its own interface: what it calls inside a call of the program's belongs to that call and is not
//! recorded. A signal handler may call GL while the thread is in a call, or in the middle of writing one: that cannot be
//! recorded, and is counted as lost.

use std::ffi::{c_int, c_void};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::thread::Seat;
use crate::{elf, library, process};

/// Calls inside calls that are looked at closely; looking costs microseconds.
const LOOKED_AT: u32 = 10_000;

/// Whether a call is made inside another one, given that another was begun in this thread and has not ended. `stack` is
/// an address in the frame of the new call's hook.
#[cold]
pub fn is_nested(seat: &Seat, stack: usize) -> bool {
    // Stacks grow downwards. A call further up than the one begun means that that one was left by a jump; unless this
    // is a signal handler with a stack of its own, which can lie anywhere.
    if stack >= seat.inside.load(Relaxed) && !on_alternate_stack() {
        seat.inside.store(0, Relaxed);
        return false;
    }
    static LOOKS: AtomicU32 = AtomicU32::new(0);
    if LOOKS.fetch_add(1, Relaxed) < LOOKED_AT
        && !called_by_driver()
        && let Some(block) = process::block()
    {
        block.count_lost_call();
    }
    true
}

/// Whether the caller is a signal handler with a stack of its own.
pub fn on_alternate_stack() -> bool {
    // SAFETY: all zeros is a valid value of this structure.
    let mut stack: libc::stack_t = unsafe { std::mem::zeroed() };
    // SAFETY: the old stack is written to a variable of this function, nothing is set.
    unsafe { libc::sigaltstack(std::ptr::null(), &raw mut stack) };
    stack.ss_flags & libc::SS_ONSTACK != 0
}

#[repr(C)]
struct UnwindContext {
    _opaque: [u8; 0],
}

// Part of the C++ ABI, and so of what every Rust program is linked to.
unsafe extern "C" {
    fn _Unwind_Backtrace(visit: extern "C" fn(*mut UnwindContext, *mut c_void) -> c_int, state: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut UnwindContext) -> usize;
}

/// Whether the code that called the hook is a GL library's.
fn called_by_driver() -> bool {
    const GO_ON: c_int = 0;
    const STOP: c_int = 5;
    extern "C" fn visit(context: *mut UnwindContext, caller: *mut c_void) -> c_int {
        // SAFETY: the context is the unwinder's.
        let address = unsafe { _Unwind_GetIP(context) };
        if elf::is_own_code(address) {
            return GO_ON;
        }
        // SAFETY: the state is the variable below.
        unsafe { caller.cast::<usize>().write(address) };
        STOP
    }
    let mut caller = 0_usize;
    // SAFETY: the callback expects a pointer to an address, which lives longer than the walk.
    unsafe { _Unwind_Backtrace(visit, (&raw mut caller).cast()) };
    library::known_to_contain(caller)
}
