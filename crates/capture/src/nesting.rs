//! Detects calls inside calls.
//!
//! A driver may use its own interface: what it calls inside a call of the program belongs to that call and is not
//! recorded. A signal handler may call GL while the thread is in a call, or in the middle of writing one: that cannot
//! be recorded, and is counted as lost.

use std::ffi::{c_int, c_void};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::thread::ThreadState;
use crate::{elf, library, process};

/// Nested calls whose caller is examined; unwinding costs microseconds.
const MAX_UNWINDS: u32 = 10_000;

/// Returns whether a call is made inside another one, given that this thread has begun another one that has not ended.
/// `stack` is an address in the frame of the new call's hook.
#[cold]
pub fn is_nested(state: &ThreadState, stack: usize) -> bool {
    // Stacks grow downwards. If the new call's frame is above that of the old call, the old call was left by a jump;
    // unless this is a signal handler with its own stack, which can be anywhere.
    if stack >= state.inside.load(Relaxed) && !on_alternate_stack() {
        state.inside.store(0, Relaxed);
        return false;
    }
    static UNWINDS: AtomicU32 = AtomicU32::new(0);
    if UNWINDS.fetch_add(1, Relaxed) < MAX_UNWINDS
        && !called_by_driver()
        && let Some(block) = process::block()
    {
        block.count_lost_call();
    }
    true
}

/// Returns whether the caller is a signal handler with its own stack.
pub fn on_alternate_stack() -> bool {
    // SAFETY: all zeros is a valid value of this structure.
    let mut stack: libc::stack_t = unsafe { std::mem::zeroed() };
    // SAFETY: the old stack is written to a local variable, nothing is set.
    unsafe { libc::sigaltstack(std::ptr::null(), &raw mut stack) };
    stack.ss_flags & libc::SS_ONSTACK != 0
}

#[repr(C)]
struct UnwindContext {
    _opaque: [u8; 0],
}

// Part of the C++ ABI, and so linked into every Rust program.
unsafe extern "C" {
    fn _Unwind_Backtrace(visit: extern "C" fn(*mut UnwindContext, *mut c_void) -> c_int, state: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut UnwindContext) -> usize;
}

/// Returns whether the code that called the hook is in a GL library.
fn called_by_driver() -> bool {
    const CONTINUE: c_int = 0;
    const STOP: c_int = 5;
    extern "C" fn visit(context: *mut UnwindContext, caller: *mut c_void) -> c_int {
        // SAFETY: the context comes from the unwinder.
        let address = unsafe { _Unwind_GetIP(context) };
        if elf::is_own_code(address) {
            return CONTINUE;
        }
        // SAFETY: the state is the variable below.
        unsafe { caller.cast::<usize>().write(address) };
        STOP
    }
    let mut caller = 0_usize;
    // SAFETY: the callback expects a pointer to an address, which outlives the walk.
    unsafe { _Unwind_Backtrace(visit, (&raw mut caller).cast()) };
    library::known_to_contain(caller)
}
