//! The functions behind the hooks, by command and by *provider*.
//!
//! A provider is a set of GL libraries that belong together. Provider 0 is the one that the program is linked to. A
//! program may bring another implementation in a folder of its own (browsers do, and that one then uses the first);
//! addresses looked up in it lead to the same hooks through `trampoline`, which gives the provider.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::atomic::{AtomicPtr, AtomicU8};

use api::{COMMANDS, CommandId};

use crate::library::{self, Library};
use crate::{guard, loader, thread};

/// Maximum number of implementations in one process.
pub const PROVIDERS: usize = 3;

/// A set of GL libraries that belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Provider(pub u8);

type Functions = [AtomicPtr<c_void>; COMMANDS.len()];

static FUNCTIONS: [Functions; PROVIDERS] =
    [const { [const { AtomicPtr::new(ptr::null_mut()) }; COMMANDS.len()] }; PROVIDERS];

/// The folders of providers other than the first.
static FOLDERS: [AtomicPtr<PathBuf>; PROVIDERS] = [const { AtomicPtr::new(ptr::null_mut()) }; PROVIDERS];

/// Returns the function that a hook calls: the provider's function, or one that does nothing and returns zero.
#[inline]
pub fn callable(provider: Provider, command: CommandId) -> *const c_void {
    match FUNCTIONS.get(usize::from(provider.0)).and_then(|functions| functions.get(usize::from(command.0))) {
        Some(slot) => {
            let known = slot.load(Acquire);
            if known.is_null() { find_or_report(provider, command) } else { known }
        }
        None => nothing(),
    }
}

/// Returns the provider's function for a command, if it has one.
pub fn function(provider: Provider, command: CommandId) -> Option<NonNull<c_void>> {
    let slot = FUNCTIONS.get(usize::from(provider.0))?.get(usize::from(command.0))?;
    NonNull::new(slot.load(Acquire)).or_else(|| NonNull::new(find(provider, command)?.cast_mut()))
}

/// Stores a provider's function for a command, unless one is known already.
pub fn learn(provider: Provider, command: CommandId, address: *mut c_void) {
    if let Some(slot) =
        FUNCTIONS.get(usize::from(provider.0)).and_then(|functions| functions.get(usize::from(command.0)))
    {
        // If another thread was first, its address is that of the same function.
        let _ = slot.compare_exchange(ptr::null_mut(), address, AcqRel, Acquire);
    }
}

/// Returns the provider that a library belongs to. `None` when there are too many.
pub fn provider_of(library: &Library) -> Option<Provider> {
    let folder = library.folder()?;
    if is_system(folder) || first_folder() == Some(folder) || library::has_driver(folder) {
        return Some(Provider(0));
    }
    for (index, slot) in FOLDERS.iter().enumerate().skip(1) {
        let mut known = slot.load(Acquire);
        if known.is_null() {
            let new = Box::into_raw(Box::new(folder.to_path_buf()));
            known = match slot.compare_exchange(ptr::null_mut(), new, AcqRel, Acquire) {
                Ok(_) => new,
                Err(theirs) => theirs,
            };
        }
        // SAFETY: the path was leaked here or in another thread that ran this function.
        if unsafe { &*known } == folder {
            return Some(Provider(index as u8));
        }
    }
    None
}

/// Returns whether a folder is one that the loader searches for the system's libraries, or one of a driver below it.
/// Programs have folders of their own beside these, such as `/usr/lib/chromium`.
fn is_system(folder: &Path) -> bool {
    let below = folder.strip_prefix("/usr").map_or(folder.to_path_buf(), |below| Path::new("/").join(below));
    let mut parts = below.iter().skip(1).filter_map(|part| part.to_str());
    match (parts.next(), parts.next()) {
        (Some("lib" | "lib32" | "lib64" | "libx32"), None) => true,
        (Some("lib"), Some(machine)) => machine.contains("-linux-"),
        (Some("lib32" | "lib64"), Some(part)) => part == "dri",
        _ => false,
    }
}

/// Returns the folder of the GL library that the program is linked to, if it is linked to one.
fn first_folder() -> Option<&'static Path> {
    static FIRST: AtomicPtr<PathBuf> = AtomicPtr::new(ptr::null_mut());
    static ASKED: AtomicU8 = AtomicU8::new(0);
    if ASKED.load(Acquire) == 0 {
        let linked = [c"glXGetProcAddressARB", c"eglGetProcAddress", c"glGetString", c"glFlush"]
            .into_iter()
            .find_map(loader::next)
            .and_then(|address| library::containing(address.as_ptr() as usize))
            .and_then(Library::folder);
        if let Some(folder) = linked {
            // Another thread that gets here at the same time finds the same folder and leaks it.
            FIRST.store(Box::into_raw(Box::new(folder.to_path_buf())), Release);
        }
        ASKED.store(1, Release);
    }
    // SAFETY: null, or a path that was leaked above.
    unsafe { FIRST.load(Acquire).as_ref() }.map(PathBuf::as_path)
}

#[cold]
fn find_or_report(provider: Provider, command: CommandId) -> *const c_void {
    guard::run(|| {
        find(provider, command).unwrap_or_else(|| {
            report_missing(command);
            nothing()
        })
    })
    .unwrap_or(nothing())
}

/// Reports in the trace, once for each command, that calls to it have no effect.
fn report_missing(command: CommandId) {
    static REPORTED: [AtomicU8; COMMANDS.len()] = [const { AtomicU8::new(0) }; COMMANDS.len()];
    let index = usize::from(command.0);
    if REPORTED.get(index).is_none_or(|reported| reported.swap(1, AcqRel) != 0) {
        return;
    }
    let name = COMMANDS.get(index).map_or("", |command| command.name);
    let text = format!("calls to {name} do nothing because no loaded library has this function");
    thread::with(|thread| thread.problem(&text));
}

/// Finds a provider's function: by the program's links, then in loaded GL libraries, then through their
/// `GetProcAddress`.
#[cold]
fn find(provider: Provider, command: CommandId) -> Option<*const c_void> {
    let name = CString::new(COMMANDS.get(usize::from(command.0))?.name).ok()?;
    let address = find_linked(provider, &name)
        .or_else(|| find_exported(provider, &name))
        .or_else(|| find_by_asking(provider, &name))?;
    learn(provider, command, address.as_ptr());
    Some(address.as_ptr())
}

fn find_linked(provider: Provider, name: &CStr) -> Option<NonNull<c_void>> {
    if provider.0 == 0 { loader::next(name) } else { None }
}

fn find_exported(provider: Provider, name: &CStr) -> Option<NonNull<c_void>> {
    library::loaded()
        .iter()
        .filter(|library| library.interface && provider_of(library) == Some(provider))
        .find_map(|library| loader::symbol_of(library, name))
}

fn find_by_asking(provider: Provider, name: &CStr) -> Option<NonNull<c_void>> {
    // A GetProcAddress need not support the functions of EGL and GLX, and returns a wrong address for itself.
    if name.to_bytes().ends_with(b"GetProcAddress") || name.to_bytes().ends_with(b"GetProcAddressARB") {
        return None;
    }
    [c"glXGetProcAddressARB", c"eglGetProcAddress"].into_iter().find_map(|asked| {
        if asked == c"eglGetProcAddress" && name.to_bytes().starts_with(b"glX") {
            return None;
        }
        let function = find_linked(provider, asked).or_else(|| find_exported(provider, asked))?;
        // SAFETY: both functions have this signature, and the name is a NUL-terminated string.
        NonNull::new(unsafe { proc_address(function)(name.as_ptr()) })
    })
}

/// The type of `glXGetProcAddress`, `glXGetProcAddressARB` and `eglGetProcAddress`.
pub type GetProcAddress = unsafe extern "C-unwind" fn(*const c_char) -> *mut c_void;

/// Returns the function of [`GetProcAddress`]'s type at an address.
pub fn proc_address(function: NonNull<c_void>) -> GetProcAddress {
    // SAFETY: callers have looked the address up under one of the names of such functions.
    unsafe { std::mem::transmute::<*mut c_void, GetProcAddress>(function.as_ptr()) }
}

/// Returns the function that is called in place of one that does not exist, or that a tracer has blocked.
pub fn nothing() -> *const c_void {
    do_nothing as *const c_void
}

/// Accepts any arguments, returns zero of any type.
#[unsafe(naked)]
extern "C" fn do_nothing() -> c_int {
    std::arch::naked_asm!("xor eax, eax", "xorps xmm0, xmm0", "ret")
}

/// Returns the driver's function of a name, as a callable function. Must be used in an unsafe block: the signature is
/// not checked.
macro_rules! real {
    ($thread:expr, $name:ident, fn($($type:ty),*) $(-> $result:ty)?) => {
        $thread.real(api::id::$name).map(|function| {
            std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C-unwind" fn($($type),*) $(-> $result)?>(function.as_ptr())
        })
    };
}
pub(crate) use real;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::is_system;

    #[test]
    fn folders_of_programs_are_not_the_systems() {
        let folders = [
            "/usr/lib/x86_64-linux-gnu",
            "/lib/x86_64-linux-gnu",
            "/usr/lib",
            "/lib64",
            "/usr/lib64",
            "/usr/lib/x86_64-linux-gnu/dri",
            "/usr/lib/x86_64-linux-gnu/nvidia/current",
        ];
        for folder in folders {
            assert!(is_system(Path::new(folder)), "{folder}");
        }
        for folder in
            ["/usr/lib/chromium", "/usr/lib/firefox", "/opt/app", "/home/user/lib", "/", "/usr", "/usr/lib64/app"]
        {
            assert!(!is_system(Path::new(folder)), "{folder}");
        }
    }
}
