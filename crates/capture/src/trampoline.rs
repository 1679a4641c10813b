//! Trampolines: further entry points to the hooks, for functions of providers other than the first.
//!
//! Each command has a single hook, whichever provider's `glClear` the program calls. An address that was looked up in
//! another provider's library is therefore replaced by that of a *trampoline*, which stores the provider in a
//! thread-local word and jumps to the hook, which takes it from there. Trampolines are assembled at build time, one for
//! each command and provider, so that no memory has to be made executable at run time.

use std::arch::{asm, global_asm};
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Release;

use api::{COMMANDS, CommandId};

use crate::real::Provider;

/// The hooks that trampolines jump to.
static HOOKS: [AtomicPtr<c_void>; COMMANDS.len()] = [const { AtomicPtr::new(ptr::null_mut()) }; COMMANDS.len()];

/// Size in bytes of a trampoline.
const STRIDE: usize = 16;

unsafe extern "C" {
    fn afterimage_trampolines_1();
    fn afterimage_trampolines_2();
}

/// Returns the address of the trampoline to a hook for this provider.
pub fn address(provider: Provider, command: CommandId, hook: NonNull<c_void>) -> Option<NonNull<c_void>> {
    let base = match provider.0 {
        0 => return Some(hook),
        1 => afterimage_trampolines_1 as *mut c_void,
        2 => afterimage_trampolines_2 as *mut c_void,
        _ => return None,
    };
    HOOKS.get(usize::from(command.0))?.store(hook.as_ptr(), Release);
    NonNull::new(base.wrapping_byte_add(usize::from(command.0) * STRIDE))
}

/// Returns the provider that the current call's trampoline has stored, and clears it.
#[inline(always)]
pub fn take_provider() -> Provider {
    let provider: u64;
    // SAFETY: reads the thread's own variable; it is 8 bytes, defined below, initially zero.
    unsafe {
        asm!(
            "mov {provider}, qword ptr [rip + afterimage_provider@GOTTPOFF]",
            "mov {provider}, qword ptr fs:[{provider}]",
            provider = out(reg) provider,
            options(nostack, preserves_flags, readonly),
        );
    }
    if provider != 0 {
        clear_provider();
    }
    Provider(provider as u8)
}

#[cold]
fn clear_provider() {
    // SAFETY: writes the thread's own variable; it is 8 bytes, defined below.
    unsafe {
        asm!(
            "mov {at}, qword ptr [rip + afterimage_provider@GOTTPOFF]",
            "mov qword ptr fs:[{at}], 0",
            at = out(reg) _,
            options(nostack, preserves_flags),
        );
    }
}

// `rax` and `r11` are caller-saved and carry no arguments.
macro_rules! trampolines {
    ($number:literal, $first:literal, $common:literal) => {
        global_asm!(
            ".pushsection .text.afterimage_trampolines,\"ax\",@progbits",
            concat!($common, ":"),
            "movq afterimage_provider@GOTTPOFF(%rip), %rax",
            concat!("movq $", $number, ", %fs:(%rax)"),
            "leaq {hooks}(%rip), %rax",
            "jmpq *(%rax,%r11,8)",
            concat!(".globl ", $first),
            concat!(".hidden ", $first),
            concat!(".type ", $first, ",@function"),
            ".p2align 4",
            concat!($first, ":"),
            ".set afterimage_trampoline, 0",
            ".rept {count}",
            "movl $afterimage_trampoline, %r11d",
            concat!("jmp ", $common),
            ".p2align 4",
            ".set afterimage_trampoline, afterimage_trampoline + 1",
            ".endr",
            ".popsection",
            hooks = sym HOOKS,
            count = const COMMANDS.len(),
            options(att_syntax),
        );
    };
}

global_asm!(
    ".pushsection .tbss.afterimage_provider,\"awT\",@nobits",
    ".balign 8",
    ".globl afterimage_provider",
    ".hidden afterimage_provider",
    ".type afterimage_provider,@object",
    ".size afterimage_provider,8",
    "afterimage_provider: .zero 8",
    ".popsection",
);
trampolines!("1", "afterimage_trampolines_1", "afterimage_through_door_1");
trampolines!("2", "afterimage_trampolines_2", "afterimage_through_door_2");
