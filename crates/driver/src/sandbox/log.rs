//! Reports denied system calls, to find out what a driver needs (`AFTERIMAGE_SANDBOX_LOG`).

use std::io::{self, Write};
use std::mem::MaybeUninit;

use libc::{c_int, c_void, siginfo_t, ucontext_t};

use super::filter::REFUSED;

/// Installs the handler of SIGSYS, which a filter that logs raises in place of each denied call.
pub fn install() -> io::Result<()> {
    // SAFETY: all zeros is a valid action: no flags, an empty mask.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = report;
    action.sa_sigaction = handler as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_ONSTACK;
    // SAFETY: the action is live, and its handler has the signature that SA_SIGINFO asks for.
    let set = unsafe { libc::sigaction(libc::SIGSYS, &raw const action, std::ptr::null_mut()) };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Writes which call was denied, and lets it fail. A handler may not allocate, so the line is put together in place.
extern "C" fn report(_signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes the signal's information, which lives until the handler returns.
    let info = unsafe { &*info };
    // SAFETY: for a handler with SA_SIGINFO the context is a `ucontext_t`, which no other reference names.
    let context = unsafe { &mut *context.cast::<ucontext_t>() };
    let registers = &mut context.uc_mcontext.gregs;
    let number = registers[libc::REG_RAX as usize];
    let arguments = [libc::REG_RDI, libc::REG_RSI, libc::REG_RDX].map(|register| registers[register as usize]);
    let name = REFUSED.iter().find(|(call, _)| *call == number).map_or("", |(_, name)| name);
    let mut line = [0; 160];
    let mut rest = &mut line[..];
    let [one, two, three] = arguments;
    // The line is long enough.
    let _ = writeln!(rest, "the sandbox denied system call {number} {name}({one:#x}, {two:#x}, {three:#x}, …)");
    let left = rest.len();
    let length = line.len() - left;
    // SAFETY: the bytes are live; `write` may be called in a handler.
    unsafe { libc::write(2, line.as_ptr().cast(), length) };
    // The error that the filter chose.
    registers[libc::REG_RAX as usize] = -i64::from(info.si_errno);
}
