//! The hooks of `glXGetProcAddress`, `glXGetProcAddressARB` and `eglGetProcAddress`, which return hooks to programs.

use std::arch::naked_asm;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::NonNull;

use api::CommandId;

use crate::real::{self, Provider};
use crate::{guard, library, loader, trampoline, unknown};

macro_rules! look_up {
    ($name:ident, $inner:ident) => {
        /// The hook of the function of this name: passes on the caller's address.
        ///
        /// # Safety
        /// As for the real function.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        #[allow(non_snake_case, reason = "the name is GL's own")]
        pub unsafe extern "C-unwind" fn $name(name: *const c_char) -> *mut c_void {
            naked_asm!("mov rsi, qword ptr [rsp]", "jmp {inner}", inner = sym $inner)
        }

        unsafe extern "C-unwind" fn $inner(name: *const c_char, caller: usize) -> *mut c_void {
            // SAFETY: the name comes from the program.
            unsafe { look_up(api::id::$name, name, caller) }
        }
    };
}

look_up!(glXGetProcAddress, look_up_glx);
look_up!(glXGetProcAddressARB, look_up_glx_arb);
look_up!(eglGetProcAddress, look_up_egl);

/// # Safety
/// `name` must be null or a NUL-terminated string.
unsafe fn look_up(command: CommandId, name: *const c_char, caller: usize) -> *mut c_void {
    let provider = trampoline::take_provider();
    let Some(function) = real::function(provider, command) else { return std::ptr::null_mut() };
    // SAFETY: passes on the program's own request.
    let address = unsafe { real::proc_address(function)(name) };
    let Some(found) = NonNull::new(address) else { return address };
    // SAFETY: guaranteed by the caller; the real function has returned an address for it.
    let name = unsafe { CStr::from_ptr(name) };
    guard::run(|| substitute(provider, name, found, caller)).flatten().map_or(address, NonNull::as_ptr)
}

/// Returns what the program gets in place of the driver's address.
fn substitute(provider: Provider, name: &CStr, found: NonNull<c_void>, caller: usize) -> Option<NonNull<c_void>> {
    // Lookups of one GL library in another are internal to a call, not calls of the program.
    if library::containing(caller).is_some() {
        return None;
    }
    let Some(command) = loader::hooked(name) else {
        return if loader::is_function(name) { unknown::stub(name, found) } else { None };
    };
    let hook = loader::hook_of(provider, command)?;
    real::learn(provider, command, found.as_ptr());
    Some(hook)
}
