//! The recorded process: attaches to the recorder, and what becomes of its forked children.

use std::env;
use std::ffi::CStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64};

use ring::handshake::{self, Launch};
use ring::{Block, Payload};

use crate::thread::{self, Thread};
use crate::{binaries, elf, guard, hook, tracer};

/// The block shared with the recorder; null in a process that is not recorded.
static BLOCK: AtomicPtr<Block> = AtomicPtr::new(ptr::null_mut());

/// A word that is 1 in the process that has attached, and 0 in its children, where the kernel wipes it.
static ATTACHED: AtomicPtr<AtomicU32> = AtomicPtr::new(ptr::null_mut());

static READY: AtomicU8 = AtomicU8::new(0);

/// The name of the recorder's socket; the program may have changed its environment since.
static SOCKET: OnceLock<String> = OnceLock::new();

/// Whether calls were recorded in this process, or in one that it was forked from before the fork.
static USED: AtomicBool = AtomicBool::new(false);

/// Returns the block shared with the recorder, if this process is recorded.
pub fn block() -> Option<&'static Block> {
    // SAFETY: null, or a word that stays mapped.
    let attached = unsafe { ATTACHED.load(Acquire).as_ref() }?;
    if attached.load(Relaxed) == 0 {
        return None;
    }
    // SAFETY: null, or a block that stays mapped.
    unsafe { BLOCK.load(Acquire).as_ref() }
}

/// Returns the block of a child process that was forked and makes its first call. If its parent had made none before, the
/// child attaches to the recorder and gets a trace of its own. Otherwise it has contexts and objects that such a trace
/// would not explain, and locks that it cannot open; the recorder is told that it is not recorded.
#[cold]
pub fn adopt() -> Option<&'static Block> {
    // The id of the process, and whether it is done: what a parent has noted here does not count in its children.
    static STATE: AtomicU64 = AtomicU64::new(0);
    // SAFETY: null, or a word that stays mapped.
    let attached = unsafe { ATTACHED.load(Acquire).as_ref() }?;
    if attached.load(Relaxed) != 0 {
        return block();
    }
    let now = u64::from(std::process::id()) << 1;
    let done = now | 1;
    let before = STATE.load(Acquire);
    if before & !1 != now && STATE.compare_exchange(before, now, AcqRel, Acquire).is_ok() {
        guard::run(attach_child);
        STATE.store(done, Release);
    }
    while STATE.load(Acquire) != done {
        std::thread::yield_now();
    }
    block()
}

/// Notes that a thread of this process is about to make its first call.
pub fn note_use() {
    USED.store(true, Release);
}

fn attach_child() {
    let Some(name) = SOCKET.get() else { return };
    if USED.load(Acquire) {
        // If the recorder has ended, there is no trace in which the child could be missed.
        let _ = handshake::report_unrecorded(name, api::FINGERPRINT);
        return;
    }
    match handshake::attach(name, api::FINGERPRINT) {
        Ok(block) => attach(block),
        Err(error) => warn(&format!("process {} is not recorded: {error}", std::process::id())),
    }
}

/// Returns whether the library's constructor has run: constructors of other libraries may call GL earlier.
pub fn is_ready() -> bool {
    READY.load(Acquire) != 0
}

/// Prints one sentence for the user to standard error. Standard output belongs to the program and is never written to.
pub fn warn(text: &str) {
    let line = format!("afterimage: {text}\n");
    // SAFETY: the bytes are those of the line. It does not matter whether they can be written.
    unsafe { libc::write(2, line.as_ptr().cast(), line.len()) };
}

/// Records the program's path and arguments as the first call of the process. Other threads wait until the first one
/// has done so.
pub fn record_program(thread: &mut Thread) {
    const NOT_YET: u8 = 0;
    const NOW: u8 = 1;
    const DONE: u8 = 2;
    static STATE: AtomicU8 = AtomicU8::new(NOT_YET);
    match STATE.compare_exchange(NOT_YET, NOW, AcqRel, Acquire) {
        Ok(_) => {
            let program = fs::read_link("/proc/self/exe").unwrap_or_default();
            let arguments = fs::read("/proc/self/cmdline").unwrap_or_default();
            let mut arguments = String::from_utf8_lossy(&arguments).trim_end_matches('\0').replace('\0', " ");
            arguments.retain(|character| !character.is_control());
            let directory = env::current_dir().unwrap_or_default();
            let texts = [program.to_string_lossy(), arguments.into(), directory.to_string_lossy()];
            let mut words = [u64::from(std::process::id()), 0, 0, 0];
            let mut payloads = [Payload { param: 0, bytes: &[] }; 3];
            for (index, text) in texts.iter().enumerate() {
                words[index + 1] = text.as_ptr() as u64;
                payloads[index] = Payload { param: index as u8 + 1, bytes: text.as_bytes() };
            }
            thread.emit(api::id::afiProcess, &words, &payloads);
            STATE.store(DONE, Release);
        }
        Err(mut state) => {
            while state == NOW {
                std::thread::yield_now();
                state = STATE.load(Acquire);
            }
        }
    }
}

#[used]
#[cfg_attr(not(test), unsafe(link_section = ".init_array"))]
static CONSTRUCTOR: extern "C" fn() = constructor;

/// Runs when the library is loaded.
extern "C" fn constructor() {
    guard::run(|| {
        tracer::prepare();
        guard::prepare();
        let socket = env::var("AFTERIMAGE_SOCKET").ok().filter(|name| !name.is_empty());
        let output = env::var_os("AFTERIMAGE_OUT").filter(|path| !path.is_empty());
        let name = match (socket, output) {
            (Some(name), _) => name,
            (None, Some(output)) => match launch(Path::new(&output)) {
                Some(name) => name,
                None => return,
            },
            (None, None) => return,
        };
        match handshake::attach(&name, api::FINGERPRINT) {
            Ok(block) => attach(block),
            Err(error) => warn(&format!("this program is not recorded: {error}")),
        }
        // Set once: this is the only place, and it runs once.
        let _ = SOCKET.set(name);
    });
    READY.store(1, Release);
}

/// Starts a recorder that writes a trace, and returns the name of its socket.
fn launch(output: &Path) -> Option<String> {
    let Some(binary) = recorder() else {
        warn(
            "this program is not recorded: cannot find `afterimage` beside the capture library or in PATH; set AFTERIMAGE_BINARY to its path",
        );
        return None;
    };
    match handshake::launch(Launch { binary: &binary, output }) {
        Ok(name) => Some(name),
        Err(error) => {
            warn(&format!("this program is not recorded: {} cannot be started ({error})", binary.display()));
            None
        }
    }
}

/// Returns the `afterimage` executable: named by the environment, beside this library, as installed, or in `PATH`.
fn recorder() -> Option<PathBuf> {
    let named = env::var_os("AFTERIMAGE_BINARY").map(PathBuf::from);
    let library = elf::own_path().and_then(|path| Some(PathBuf::from(path.to_str().ok()?)));
    let folder = library.as_deref().and_then(Path::parent);
    let beside = folder.map(|folder| folder.join("afterimage"));
    let installed = folder.and_then(Path::parent).map(|prefix| prefix.join("bin/afterimage"));
    let path = env::var_os("PATH").unwrap_or_default();
    let in_path = env::split_paths(&path).map(|folder| folder.join("afterimage"));
    [named, beside, installed].into_iter().flatten().chain(in_path).find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Makes this the process whose calls go to a block.
fn attach(block: &'static Block) {
    let Some(word) = thread::wiped_on_fork(size_of::<AtomicU32>()) else {
        warn("this program is not recorded: the kernel lacks MADV_WIPEONFORK; use Linux 4.14 or later");
        return;
    };
    if !block.settings().keep_binaries {
        binaries::hide();
    }
    hook::collect_interest();
    let word = word.cast::<AtomicU32>();
    // SAFETY: the memory has been mapped for this and stays mapped.
    unsafe { word.as_ref() }.store(1, Relaxed);
    BLOCK.store(ptr::from_ref(block).cast_mut(), Release);
    ATTACHED.store(word.as_ptr(), Release);
}

/// Returns the string at an address, if it is not null.
pub fn text_at(address: u64) -> Option<&'static CStr> {
    if address == 0 {
        return None;
    }
    // SAFETY: callers have the address from a function of GL, EGL or GLX that returns or expects a string.
    Some(unsafe { CStr::from_ptr(address as *const std::ffi::c_char) })
}
