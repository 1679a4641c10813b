//! What every hook does: convert its arguments to words, [`enter`], call the real function, [`leave`].
//!
//! A hook is a few instructions around two calls, because there are thousands of them. Nothing in a hook's frame has a
//! destructor, and the real function is called outside of any `catch_unwind`: programs leave GL calls by `longjmp` and
//! `pthread_exit`.

use std::ffi::c_void;
use std::slice;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use api::{COMMANDS, CommandId};

use crate::call::{Call, Payloads};
use crate::real::Provider;
use crate::thread::{self, ThreadState};
use crate::{binaries, facts, guard, memory, nesting, real, tracer, trampoline, window};

/// Any pointer in a command's signature.
pub type Ptr = *mut c_void;

/// Defines the hook of a command.
macro_rules! hook {
    ($name:ident, $id:literal, ($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)?) => {
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[allow(missing_docs, non_snake_case, unused_parens, clippy::too_many_arguments, reason = "the names and signatures are GL's own")]
        pub unsafe extern "C-unwind" fn $name($($arg: $type),*) $(-> $result)? {
            const COUNT: usize = <[&str]>::len(&[$(stringify!($arg)),*]);
            let mut args: [u64; COUNT] = [$($crate::word::Word::word($arg)),*];
            // SAFETY: the words are the arguments of this command, as many as it has.
            let entered = unsafe { $crate::hook::enter($id, args.as_mut_ptr(), COUNT) };
            // SAFETY: `enter` returns the address of the driver's function of this name, which has this signature, or
            // of one that accepts anything and returns zero.
            let function = unsafe {
                std::mem::transmute::<*const std::ffi::c_void, unsafe extern "C-unwind" fn($($type),*) -> ($($result)?)>(entered.function)
            };
            let [$($arg),*] = args;
            // SAFETY: the arguments come from the program, possibly changed by a tracer.
            let result = unsafe { function($($crate::word::Word::value($arg)),*) };
            if entered.token == 0 {
                return result;
            }
            // SAFETY: words and token belong to the matching `enter`.
            let result = unsafe { $crate::hook::leave($id, args.as_mut_ptr(), COUNT, entered.token, $crate::word::Word::word(result)) };
            $crate::word::Word::value(result)
        }
    };
}
pub(crate) use hook;

/// Defines the hook of a variant of a command: the driver gets all arguments, and the call is recorded as the command,
/// with its arguments only.
macro_rules! hook_variant {
    ($name:ident, $own:literal, $id:literal, ($($arg:ident: $type:ty),*) $(-> $result:ty)?, ($($kept:ident),*)) => {
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[allow(missing_docs, non_snake_case, unused_parens, clippy::too_many_arguments, reason = "the names and signatures are GL's own")]
        pub unsafe extern "C-unwind" fn $name($($arg: $type),*) $(-> $result)? {
            const COUNT: usize = <[&str]>::len(&[$(stringify!($kept)),*]);
            $(let $arg: u64 = $crate::word::Word::word($arg);)*
            let mut args: [u64; COUNT] = [$($kept),*];
            // SAFETY: the words are the arguments of the recorded command, as many as it has.
            let entered = unsafe { $crate::hook::enter_variant($own, $id, args.as_mut_ptr(), COUNT) };
            // SAFETY: `enter_variant` returns the address of the driver's function of this name, which has this
            // signature, or of one that accepts anything and returns zero.
            let function = unsafe {
                std::mem::transmute::<*const std::ffi::c_void, unsafe extern "C-unwind" fn($($type),*) -> ($($result)?)>(entered.function)
            };
            let [$($kept),*] = args;
            // SAFETY: the arguments come from the program, possibly changed by a tracer.
            let result = unsafe { function($($crate::word::Word::value($arg)),*) };
            if entered.token == 0 {
                return result;
            }
            // SAFETY: words and token belong to the matching `enter_variant`.
            let result = unsafe { $crate::hook::leave($id, args.as_mut_ptr(), COUNT, entered.token, $crate::word::Word::word(result)) };
            $crate::word::Word::value(result)
        }
    };
}
pub(crate) use hook_variant;

/// What [`enter`] returns to a hook.
#[repr(C)]
pub struct Entered {
    /// The function to call.
    pub function: *const c_void,
    /// A token for [`leave`], which need not be called when this is 0.
    pub token: usize,
}

/// The call is recorded and no module handles it.
const PLAIN: usize = 1;
/// The call is recorded, and `INTEREST` gives the modules that handle it.
const HANDLED: usize = 2;
// Any larger value is the address of a `tracer::Frame`.

/// `memory::before` handles the call.
const BEFORE: u8 = 1;
/// `memory::after` handles the call.
const AFTER: u8 = 2;
/// `memory::finished` handles the call.
const FINISHED: u8 = 4;
/// `window` handles the call.
const WINDOW: u8 = 8;
/// `facts` handles the call.
const FACTS: u8 = 16;
/// `memory::before` reads the program's memory.
const READS: u8 = 32;
/// `binaries` handles the call.
const BINARIES: u8 = 64;

/// By command, the modules that handle it.
static INTEREST: [AtomicU8; COMMANDS.len()] = [const { AtomicU8::new(0) }; COMMANDS.len()];

/// Fills `INTEREST`. Called once, before the first call is recorded.
pub fn collect_interest() {
    for (index, command) in COMMANDS.iter().enumerate() {
        let id = CommandId(index as u16);
        let wanted = memory::interest(id, command);
        let mut bits = 0;
        if wanted.before {
            bits |= BEFORE;
        }
        if wanted.reads {
            bits |= READS;
        }
        if wanted.after {
            bits |= AFTER;
        }
        if wanted.finished {
            bits |= FINISHED;
        }
        if window::interest(id, command) {
            bits |= WINDOW;
        }
        if facts::interest(id) {
            bits |= FACTS;
        }
        if binaries::interest(id) {
            bits |= BINARIES;
        }
        if let Some(interest) = INTEREST.get(index) {
            interest.store(bits, Relaxed);
        }
    }
}

#[inline]
fn interest(command: CommandId) -> u8 {
    INTEREST.get(usize::from(command.0)).map_or(0, |interest| interest.load(Relaxed))
}

/// Starts a call. Returns the function that the hook has to call.
///
/// # Safety
/// `args` must point to `count` words, which are the arguments of the command, in the frame of the hook.
#[inline]
pub unsafe fn enter(command: u16, args: *mut u64, count: usize) -> Entered {
    // SAFETY: guaranteed by the caller.
    unsafe { enter_variant(command, command, args, count) }
}

/// Starts a call of a variant of a command, which is recorded as the command. Returns the function that the hook has to
/// call.
///
/// # Safety
/// As for [`enter`]: the words are the arguments of `command`.
#[inline(never)]
pub unsafe fn enter_variant(called: u16, command: u16, args: *mut u64, count: usize) -> Entered {
    let command = CommandId(command);
    let provider = trampoline::take_provider();
    let function = real::callable(provider, CommandId(called));
    if tracer::active() {
        // SAFETY: guaranteed by the caller.
        return unsafe { tracer::enter(provider, command, function, args, count) };
    }
    // SAFETY: guaranteed by the caller.
    Entered { function, token: unsafe { begin(provider, command, args, count) } }
}

/// Ends a call. Returns the result for the program.
///
/// # Safety
/// `args` and `count` must be those of the matching `enter`, and `token` what it returned.
#[inline(never)]
pub unsafe fn leave(command: u16, args: *mut u64, count: usize, token: usize, result: u64) -> u64 {
    let command = CommandId(command);
    if token > HANDLED {
        // SAFETY: guaranteed by the caller.
        return unsafe { tracer::leave(command, args, count, token, result) };
    }
    // SAFETY: guaranteed by the caller.
    unsafe { end(command, args, count, token, result) }
}

/// Records the start of a call. Returns 0 when it is not recorded, else a token for [`end`].
///
/// # Safety
/// As for [`enter`].
#[inline]
pub unsafe fn begin(provider: Provider, command: CommandId, args: *mut u64, count: usize) -> usize {
    let state = thread::current();
    if !state.is_open() {
        state.pass();
        return 0;
    }
    let stack = args as usize;
    if state.inside.load(Relaxed) != 0 && nesting::is_nested(state, stack) {
        return 0;
    }
    state.inside.store(stack, Relaxed);
    let token = guard::run(|| {
        // SAFETY: guaranteed by the caller.
        let args = unsafe { slice::from_raw_parts_mut(args, count) };
        // SAFETY: this is the state's own thread, and `inside` has just been set.
        unsafe { state.thread() }.provider = provider;
        let interest = interest(command);
        if interest & (BEFORE | WINDOW | BINARIES) != 0 {
            return begin_handled(state, command, args, interest);
        }
        // SAFETY: this is the state's own thread, and `inside` has just been set.
        let thread = unsafe { state.thread() };
        match (thread.enter(command, 0, args, &[]), interest) {
            (false, _) => 0,
            (true, 0) => PLAIN,
            (true, _) => HANDLED,
        }
    })
    .unwrap_or(0);
    if token == 0 {
        state.inside.store(0, Relaxed);
        state.close_unless_recording();
    }
    token
}

/// Records the return of a call. Returns the result for the program.
///
/// # Safety
/// As for [`leave`]; `token` must come from [`begin`].
#[inline]
pub unsafe fn end(command: CommandId, args: *mut u64, count: usize, token: usize, result: u64) -> u64 {
    let state = thread::current();
    // A fork in the middle of the call has closed the state.
    if !state.is_open() {
        return result;
    }
    state.inside.store(args as usize, Relaxed);
    let done = guard::run(|| {
        if token == HANDLED {
            // SAFETY: guaranteed by the caller.
            let args = unsafe { slice::from_raw_parts_mut(args, count) };
            return end_handled(state, command, args, result);
        }
        // SAFETY: this is the state's own thread, in the call that set `inside`.
        let thread = unsafe { state.thread() };
        thread.leave(command, result, &[]);
        result
    });
    state.inside.store(0, Relaxed);
    done.unwrap_or_else(|| {
        state.close();
        result
    })
}

#[cold]
fn begin_handled(state: &ThreadState, command: CommandId, args: &mut [u64], interest: u8) -> usize {
    let Some(mut call) = call(state, command, args, 0) else { return 0 };
    let mut payloads = Payloads::new();
    if interest & WINDOW != 0 {
        window::before(&mut call);
    }
    if interest & BINARIES != 0 {
        binaries::before(&mut call);
    }
    if interest & READS != 0 {
        call.thread.announce(command, call.args);
    }
    if interest & BEFORE != 0 {
        memory::before(&mut call, &mut payloads);
    }
    let entered = call.thread.enter(command, 0, call.args, payloads.as_slice());
    if interest & READS != 0 {
        call.thread.withdraw();
    }
    if entered && interest & BINARIES != 0 {
        binaries::redirect(&mut call);
    }
    match entered {
        false => 0,
        true if interest & !READS == BEFORE => PLAIN,
        true => HANDLED,
    }
}

#[cold]
fn end_handled(state: &ThreadState, command: CommandId, args: &mut [u64], mut result: u64) -> u64 {
    let interest = interest(command);
    let mut payloads = Payloads::new();
    {
        let Some(mut call) = call(state, command, args, result) else { return result };
        if interest & BINARIES != 0 {
            binaries::answer(&mut call);
        }
        if interest & WINDOW != 0 {
            result = window::result(&mut call);
            call.result = result;
        }
        if interest & AFTER != 0 {
            memory::after(&mut call, &mut payloads);
            result = call.result;
        }
        call.thread.leave(command, result, payloads.as_slice());
        if interest & FINISHED != 0 {
            memory::finished(&mut call);
        }
        if interest & FACTS != 0 {
            call.result = result;
            facts::after(&mut call);
        }
    }
    if interest & WINDOW != 0 {
        window::after(state, command, args, result);
    }
    result
}

/// Assembles what other modules see of a call.
fn call<'a>(state: &'a ThreadState, command: CommandId, args: &'a mut [u64], result: u64) -> Option<Call<'a>> {
    // SAFETY: called only by the state's own thread between `begin` and `end`, and the call does not outlive that.
    let thread = unsafe { state.thread() };
    // SAFETY: as above.
    let context = unsafe { state.context() };
    // SAFETY: as above.
    let memory = unsafe { state.memory() }?;
    Some(Call { command, args, result, thread, context, memory })
}
