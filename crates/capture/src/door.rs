//! Second entrances to the hooks, for functions of providers other than the first.
//!
//! A hook is one function, whoever's `glClear` the program means. An address that was looked up in another provider's
//! library is therefore given out as that of a *door*: it notes in a thread-local word which provider is meant, and
//! jumps to the hook, which takes the note. Doors are assembled beforehand, one for each command and provider, so that
//! no memory has to be made executable at run time.

use std::arch::{asm, global_asm};
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Release;

use api::{COMMANDS, CommandId};

use crate::real::Provider;

/// The hooks to which doors lead.
static HOOKS: [AtomicPtr<c_void>; COMMANDS.len()] = [const { AtomicPtr::new(ptr::null_mut()) }; COMMANDS.len()];

/// Bytes from one door to the next.
const STRIDE: usize = 16;

unsafe extern "C" {
    fn afterimage_doors_1();
    fn afterimage_doors_2();
}

/// The address that leads to a hook and says which provider is meant.
pub fn to(provider: Provider, command: CommandId, hook: NonNull<c_void>) -> Option<NonNull<c_void>> {
    let doors = match provider.0 {
        0 => return Some(hook),
        1 => afterimage_doors_1 as *mut c_void,
        2 => afterimage_doors_2 as *mut c_void,
        _ => return None,
    };
    HOOKS.get(usize::from(command.0))?.store(hook.as_ptr(), Release);
    NonNull::new(doors.wrapping_byte_add(usize::from(command.0) * STRIDE))
}

/// The provider that the call in hand is meant for, as its door has noted. Takes the note.
#[inline(always)]
pub fn take_note() -> Provider {
    let provider: u64;
    // SAFETY: reads the thread's own variable; it is 8 bytes, defined below, zero at first.
    unsafe {
        asm!(
            "mov {provider}, qword ptr [rip + afterimage_provider@GOTTPOFF]",
            "mov {provider}, qword ptr fs:[{provider}]",
            provider = out(reg) provider,
            options(nostack, preserves_flags, readonly),
        );
    }
    if provider != 0 {
        clear_note();
    }
    Provider(provider as u8)
}

#[cold]
fn clear_note() {
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

// `rax` and `r11` are the caller's to lose and carry no arguments.
macro_rules! doors {
    ($number:literal, $first:literal, $common:literal) => {
        global_asm!(
            ".pushsection .text.afterimage_doors,\"ax\",@progbits",
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
            ".set afterimage_door, 0",
            ".rept {count}",
            "movl $afterimage_door, %r11d",
            concat!("jmp ", $common),
            ".p2align 4",
            ".set afterimage_door, afterimage_door + 1",
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
doors!("1", "afterimage_doors_1", "afterimage_through_door_1");
doors!("2", "afterimage_doors_2", "afterimage_through_door_2");
