//! Functions that are not in the registry: passed through, and reported when they are called.
//!
//! Libraries that wrap GL look up thousands of names, including old and private ones, and drivers return an address for
//! any. A lookup means nothing; only a call is missing from a recording. So the program gets the address of a *stub*,
//! which reports the call and jumps to the function with all registers intact.

use std::arch::global_asm;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{self, NonNull};
use std::sync::Mutex;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::atomic::{AtomicPtr, AtomicU8};

use crate::{guard, thread};

/// Maximum number of names with stubs; further functions are passed through without one.
const MAX_STUBS: usize = 512;

/// Size in bytes of a stub.
const STRIDE: usize = 16;

/// The functions that stubs jump to.
static FUNCTIONS: [AtomicPtr<c_void>; MAX_STUBS] = [const { AtomicPtr::new(ptr::null_mut()) }; MAX_STUBS];

/// Their names, as strings that are never freed.
static NAMES: [AtomicPtr<c_char>; MAX_STUBS] = [const { AtomicPtr::new(ptr::null_mut()) }; MAX_STUBS];

/// Which have been reported.
static REPORTED: [AtomicU8; MAX_STUBS] = [const { AtomicU8::new(0) }; MAX_STUBS];

unsafe extern "C" {
    fn afterimage_stubs();
}

/// Returns the address that programs get for a function of an unknown name. `None` when there are too many.
pub fn stub(name: &CStr, function: NonNull<c_void>) -> Option<NonNull<c_void>> {
    // The number of stubs in use.
    static USED: Mutex<usize> = Mutex::new(0);
    // In the child of a fork the thread that holds the lock may not exist; no thread of it is recorded.
    if !thread::current().is_open() {
        return None;
    }
    let mut used = USED.lock().ok()?;
    let known = (0..*used).find(|&index| {
        let same = FUNCTIONS.get(index).is_some_and(|known| known.load(Acquire) == function.as_ptr());
        same && name_of(index) == Some(name)
    });
    let index = match known {
        Some(index) => index,
        None => {
            let index = *used;
            NAMES.get(index)?.store(CString::from(name).into_raw(), Release);
            FUNCTIONS.get(index)?.store(function.as_ptr(), Release);
            *used += 1;
            index
        }
    };
    NonNull::new((afterimage_stubs as *mut c_void).wrapping_byte_add(index * STRIDE))
}

fn name_of(index: usize) -> Option<&'static CStr> {
    let name = NAMES.get(index)?.load(Acquire);
    // SAFETY: null, or a string that `stub` has leaked.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })
}

/// Called by stubs, each time.
extern "C" fn report(index: usize) {
    if REPORTED.get(index).is_none_or(|reported| reported.load(Acquire) != 0) {
        return;
    }
    guard::run(|| {
        if let (Some(reported), Some(name)) = (REPORTED.get(index), name_of(index))
            && reported.swap(1, AcqRel) == 0
        {
            let name = name.to_string_lossy();
            let text = format!("calls to {name} are not recorded because the function is not in the registry");
            thread::with(|thread| thread.problem(&text));
        }
    });
}

// All registers that can carry arguments are preserved across the report. The stack pointer is a multiple of 16 after
// the return address and these 216 bytes.
global_asm!(
    ".pushsection .text.afterimage_stubs,\"ax\",@progbits",
    "afterimage_through_stub:",
    "sub rsp, 216",
    "mov qword ptr [rsp], rdi",
    "mov qword ptr [rsp + 8], rsi",
    "mov qword ptr [rsp + 16], rdx",
    "mov qword ptr [rsp + 24], rcx",
    "mov qword ptr [rsp + 32], r8",
    "mov qword ptr [rsp + 40], r9",
    "mov qword ptr [rsp + 48], rax",
    "mov qword ptr [rsp + 56], r11",
    "movups xmmword ptr [rsp + 64], xmm0",
    "movups xmmword ptr [rsp + 80], xmm1",
    "movups xmmword ptr [rsp + 96], xmm2",
    "movups xmmword ptr [rsp + 112], xmm3",
    "movups xmmword ptr [rsp + 128], xmm4",
    "movups xmmword ptr [rsp + 144], xmm5",
    "movups xmmword ptr [rsp + 160], xmm6",
    "movups xmmword ptr [rsp + 176], xmm7",
    "mov rdi, r11",
    "call {report}",
    "mov rdi, qword ptr [rsp]",
    "mov rsi, qword ptr [rsp + 8]",
    "mov rdx, qword ptr [rsp + 16]",
    "mov rcx, qword ptr [rsp + 24]",
    "mov r8, qword ptr [rsp + 32]",
    "mov r9, qword ptr [rsp + 40]",
    "mov rax, qword ptr [rsp + 48]",
    "mov r11, qword ptr [rsp + 56]",
    "movups xmm0, xmmword ptr [rsp + 64]",
    "movups xmm1, xmmword ptr [rsp + 80]",
    "movups xmm2, xmmword ptr [rsp + 96]",
    "movups xmm3, xmmword ptr [rsp + 112]",
    "movups xmm4, xmmword ptr [rsp + 128]",
    "movups xmm5, xmmword ptr [rsp + 144]",
    "movups xmm6, xmmword ptr [rsp + 160]",
    "movups xmm7, xmmword ptr [rsp + 176]",
    "add rsp, 216",
    "lea r10, [rip + {functions}]",
    "jmp qword ptr [r10 + r11 * 8]",
    ".popsection",
    report = sym report,
    functions = sym FUNCTIONS,
);
global_asm!(
    ".pushsection .text.afterimage_stubs,\"ax\",@progbits",
    ".globl afterimage_stubs",
    ".hidden afterimage_stubs",
    ".type afterimage_stubs,@function",
    ".p2align 4",
    "afterimage_stubs:",
    ".set afterimage_stub, 0",
    ".rept {count}",
    "movl $afterimage_stub, %r11d",
    "jmp afterimage_through_stub",
    ".p2align 4",
    ".set afterimage_stub, afterimage_stub + 1",
    ".endr",
    ".popsection",
    count = const MAX_STUBS,
    options(att_syntax),
);
