//! Loading and lookup: the hooks of `dlopen`, `dlsym` and `dlvsym`, and the real ones for capture itself.
//!
//! The hooks are naked: they decide and then jump with all registers intact, so that the real functions see the
//! program's return address. `RTLD_NEXT` and `$ORIGIN` depend on the caller.

use std::arch::naked_asm;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{Acquire, Release};

use api::{COMMANDS, CommandId};

use crate::library::{self, Library};
use crate::real::{self, Provider};
use crate::{elf, guard, trampoline, unknown};

type Open = unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void;
type Symbol = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

type Version = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;

static REAL_OPEN: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static REAL_SYMBOL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static REAL_VERSION: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Finds the real functions. Cheap after the first time.
fn prepare() {
    if !REAL_SYMBOL.load(Acquire).is_null() {
        return;
    }
    for (slot, name) in [(&REAL_OPEN, c"dlopen"), (&REAL_VERSION, c"dlvsym"), (&REAL_SYMBOL, c"dlsym")] {
        let found = of_system(name);
        slot.store(found.map_or(absent as *mut c_void, <*const c_void>::cast_mut), Release);
    }
}

/// Returns a function of the system's C library that this library hooks.
pub fn of_system(name: &CStr) -> Option<*const c_void> {
    // Since glibc 2.34 the loader's functions are part of libc, before that of libdl; musl has one object for
    // everything.
    elf::each_object(|object| {
        let file = object.file_name();
        let of_system = ["libc.so.", "libdl.so.", "ld-musl-", "libc.musl-"].iter().any(|name| file.starts_with(name));
        if of_system { object.function(name) } else { None }
    })
}

/// Replaces a function that the system's C library lacks.
extern "C" fn absent() -> *mut c_void {
    ptr::null_mut()
}

fn real_open() -> Open {
    prepare();
    // SAFETY: this is the address of `dlopen`, or of a function that always returns null.
    unsafe { std::mem::transmute::<*mut c_void, Open>(REAL_OPEN.load(Acquire)) }
}

fn real_symbol() -> Symbol {
    prepare();
    // SAFETY: this is the address of `dlsym`, or of a function that always returns null.
    unsafe { std::mem::transmute::<*mut c_void, Symbol>(REAL_SYMBOL.load(Acquire)) }
}

fn real_version() -> Version {
    prepare();
    // SAFETY: this is the address of `dlvsym`, or of a function that always returns null.
    unsafe { std::mem::transmute::<*mut c_void, Version>(REAL_VERSION.load(Acquire)) }
}

/// Returns the next definition of a name after this library's, in the program's lookup order.
pub fn next(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the name is a NUL-terminated string; the call comes from this library.
    NonNull::new(unsafe { real_symbol()(libc::RTLD_NEXT, name.as_ptr()) })
}

/// Looks a name up in a loaded library, which is never unloaded afterwards, so that the address stays valid.
pub fn symbol_of(library: &Library, name: &CStr) -> Option<NonNull<c_void>> {
    let handle = keep(library)?;
    // SAFETY: the handle was just given out, and the name is NUL-terminated.
    NonNull::new(unsafe { real_symbol()(handle.as_ptr(), name.as_ptr()) })
}

/// Keeps a loaded library from being unloaded.
fn keep(library: &Library) -> Option<NonNull<c_void>> {
    let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
    // SAFETY: the path is NUL-terminated; nothing new is loaded.
    NonNull::new(unsafe { real_open()(library.path.as_ptr(), flags) })
}

/// Returns a handle of a library that the program has loaded, by name.
pub fn loaded(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the name is NUL-terminated; nothing new is loaded.
    NonNull::new(unsafe { real_open()(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) })
}

/// Loads a shared object by its path.
pub fn open(path: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the path is NUL-terminated. The user who named the object vouches for its constructors.
    NonNull::new(unsafe { real_open()(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) })
}

/// Looks a name up in an opened object.
pub fn symbol(handle: NonNull<c_void>, name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the handle comes from `open` and the name is NUL-terminated.
    NonNull::new(unsafe { real_symbol()(handle.as_ptr(), name.as_ptr()) })
}

/// The hook of `dlopen`. It removes `RTLD_DEEPBIND`: a library loaded with it would find the driver's functions before
/// the hooks.
///
/// # Safety
/// As for the C library's `dlopen`.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[unsafe(naked)]
pub unsafe extern "C" fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void {
    naked_asm!(
        "and esi, {others}",
        "mov rax, qword ptr [rip + {real}]",
        "test rax, rax",
        "jnz 2f",
        "push rdi",
        "push rsi",
        "sub rsp, 8",
        "call {prepare}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "mov rax, qword ptr [rip + {real}]",
        "2:",
        "jmp rax",
        others = const !libc::RTLD_DEEPBIND,
        real = sym REAL_OPEN,
        prepare = sym prepare_for_hook,
    )
}

/// The hook of `dlsym`.
///
/// # Safety
/// As for the C library's `dlsym`.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[unsafe(naked)]
pub unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    naked_asm!(
        "push rdi",
        "push rsi",
        "sub rsp, 8",
        "mov rdx, qword ptr [rsp + 24]",
        "call {substitute}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "test rax, rax",
        "jz 2f",
        "ret",
        "2:",
        "jmp qword ptr [rip + {real}]",
        substitute = sym substitute,
        real = sym REAL_SYMBOL,
    )
}

/// The hook of `dlvsym`. GL libraries have no symbol versions, but programs may ask for one all the same.
///
/// # Safety
/// As for the C library's `dlvsym`.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[unsafe(naked)]
pub unsafe extern "C" fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void {
    naked_asm!(
        "push rdi",
        "push rsi",
        "push rdx",
        "mov rcx, qword ptr [rsp + 24]",
        "call {substitute}",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "test rax, rax",
        "jz 2f",
        "ret",
        "2:",
        "jmp qword ptr [rip + {real}]",
        substitute = sym substitute_versioned,
        real = sym REAL_VERSION,
    )
}

extern "C" fn prepare_for_hook() {
    guard::run(prepare);
}

/// Returns what the program gets in place of the result of `dlsym`; null when nothing is substituted.
extern "C" fn substitute(handle: *mut c_void, name: *const c_char, caller: usize) -> *mut c_void {
    substitute_found(handle, name, caller, || {
        // SAFETY: passes on the program's own request.
        unsafe { real_symbol()(handle, name) }
    })
}

/// Does the same for `dlvsym`.
extern "C" fn substitute_versioned(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
    caller: usize,
) -> *mut c_void {
    substitute_found(handle, name, caller, || {
        // SAFETY: passes on the program's own request.
        unsafe { real_version()(handle, name, version) }
    })
}

fn substitute_found(
    handle: *mut c_void,
    name: *const c_char,
    caller: usize,
    find: impl FnOnce() -> *mut c_void,
) -> *mut c_void {
    let hook = guard::run(|| {
        prepare();
        if handle == libc::RTLD_NEXT || handle == libc::RTLD_DEFAULT || name.is_null() {
            return None;
        }
        // SAFETY: `dlsym` takes a NUL-terminated string.
        let name = unsafe { CStr::from_ptr(name) };
        if !is_function(name) {
            return None;
        }
        // Lookups of one GL library in another are internal to a call, not calls of the program.
        if library::containing(caller).is_some() {
            return None;
        }
        let address = NonNull::new(find())?;
        let library = library::containing(address.as_ptr() as usize)?;
        let provider = real::provider_of(library)?;
        keep(library);
        let Some(command) = hooked(name) else { return unknown::stub(name, address) };
        let hook = hook_of(provider, command)?;
        real::learn(provider, command, address.as_ptr());
        Some(hook)
    });
    hook.flatten().map_or(ptr::null_mut(), NonNull::as_ptr)
}

/// Returns whether a name is like those of GL's functions, known or not: `glClear`, not `glapi_version`.
pub fn is_function(name: &CStr) -> bool {
    let bytes = name.to_bytes();
    let rest = bytes.strip_prefix(b"gl").or_else(|| bytes.strip_prefix(b"egl"));
    rest.and_then(<[u8]>::first).is_some_and(|first| first.is_ascii_uppercase())
}

/// Returns the command of that name, if it has a hook.
pub fn hooked(name: &CStr) -> Option<CommandId> {
    let text = name.to_str().ok()?;
    if text.starts_with("gl") || text.starts_with("egl") { api::find(text) } else { None }
}

/// Returns the address that programs get for a provider's function.
pub fn hook_of(provider: Provider, command: CommandId) -> Option<NonNull<c_void>> {
    let name = CString::new(COMMANDS.get(usize::from(command.0))?.name).ok()?;
    let own = own_handle()?;
    // SAFETY: the handle is that of this library, and the name is NUL-terminated.
    let hook = NonNull::new(unsafe { real_symbol()(own.as_ptr(), name.as_ptr()) })?;
    // A lookup in a library includes its dependencies.
    if elf::is_own_code(hook.as_ptr() as usize) { trampoline::address(provider, command, hook) } else { None }
}

/// Returns a handle of this library.
fn own_handle() -> Option<NonNull<c_void>> {
    static OWN: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
    if let Some(known) = NonNull::new(OWN.load(Acquire)) {
        return Some(known);
    }
    let path = elf::own_path()?;
    let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
    // SAFETY: the path is NUL-terminated; this library is loaded.
    let handle = NonNull::new(unsafe { real_open()(path.as_ptr(), flags) })?;
    OWN.store(handle.as_ptr(), Release);
    Some(handle)
}
