//! Landlock: which files a process can open, by the folders they are in.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// What a process may do below a folder, or with a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Read files and list folders.
    Read,
    /// Use devices: read, write, make requests.
    Device,
    /// Read, write, make and remove files and folders.
    Own,
}

/// A file or folder, and what may be done with it and below it.
pub type Rule = (PathBuf, Access);

// Rights of `linux/landlock.h`, and the version of the interface (ABI) from which on the kernel knows them.
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_FOLDER: u64 = 1 << 3;
const REMOVE_FOLDER: u64 = 1 << 4;
const REMOVE_FILE: u64 = 1 << 5;
const MAKE_FOLDER: u64 = 1 << 7;
const MAKE_FILE: u64 = 1 << 8;
/// All rights of version 1, among them executing, which no rule gives.
const FIRST: u64 = (1 << 13) - 1;
/// From version 2: moving files between folders.
const REFER: u64 = 1 << 13;
/// From version 3.
const TRUNCATE: u64 = 1 << 14;
/// From version 5: requests on devices.
const REQUEST: u64 = 1 << 15;
/// From version 4: binding and connecting TCP sockets.
const NETWORK: u64 = 3;
/// From version 6: abstract Unix sockets of others, and signals to others.
const SCOPES: u64 = 3;

/// Rights that a rule for a file, as opposed to a folder, can give.
const OF_FILES: u64 = WRITE_FILE | READ_FILE | TRUNCATE | REQUEST;

impl Access {
    fn rights(self) -> u64 {
        match self {
            Access::Read => READ_FILE | READ_FOLDER,
            Access::Device => READ_FILE | READ_FOLDER | WRITE_FILE | TRUNCATE | REQUEST,
            Access::Own => {
                let own = REMOVE_FOLDER | REMOVE_FILE | MAKE_FOLDER | MAKE_FILE | REFER;
                READ_FILE | READ_FOLDER | WRITE_FILE | TRUNCATE | own
            }
        }
    }
}

/// `struct landlock_ruleset_attr`.
#[repr(C)]
struct RulesetAttributes {
    files: u64,
    network: u64,
    scopes: u64,
}

/// `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct PathBeneath {
    rights: u64,
    parent: i32,
}

/// Returns the version of the kernel's interface; `None` if it has none, or Landlock is disabled.
pub fn abi() -> Option<u32> {
    const ASK_FOR_VERSION: u32 = 1;
    let nothing = std::ptr::null::<RulesetAttributes>();
    // SAFETY: with this flag the kernel takes a null pointer and the size 0, and only returns a number.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0usize, ASK_FOR_VERSION) };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// Denies this thread, and all that it starts, everything that the rules do not allow. Files that do not exist are left
/// out of the rules. The thread must not be able to gain privileges.
pub fn restrict(abi: u32, rules: &[Rule]) -> io::Result<()> {
    let known = FIRST
        | if abi >= 2 { REFER } else { 0 }
        | if abi >= 3 { TRUNCATE } else { 0 }
        | if abi >= 5 { REQUEST } else { 0 };
    let attributes = RulesetAttributes {
        files: known,
        network: if abi >= 4 { NETWORK } else { 0 },
        scopes: if abi >= 6 { SCOPES } else { 0 },
    };
    let size: usize = match abi {
        ..4 => 8,
        4..6 => 16,
        6.. => 24,
    };
    // SAFETY: the attributes are live, and at least `size` bytes long.
    let created = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const attributes, size, 0u32) };
    let descriptor = i32::try_from(created).ok().filter(|descriptor| *descriptor >= 0);
    let descriptor = descriptor.ok_or_else(io::Error::last_os_error)?;
    // SAFETY: the descriptor is new and has no other owner.
    let ruleset = unsafe { OwnedFd::from_raw_fd(descriptor) };
    for (path, access) in rules {
        // What cannot be reached cannot be used either, with or without a rule.
        let Ok(file) = std::fs::OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path) else { continue };
        add(&ruleset, &file, access.rights() & known)?;
    }
    // SAFETY: the call takes a descriptor and a number.
    let restricted = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0u32) };
    if restricted == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn add(ruleset: &OwnedFd, file: &File, rights: u64) -> io::Result<()> {
    const BENEATH: u32 = 1;
    let rights = if file.metadata()?.is_dir() { rights } else { rights & OF_FILES };
    let rule = PathBeneath { rights, parent: file.as_raw_fd() };
    // SAFETY: the rule is live and of the type that `BENEATH` announces; both descriptors are open.
    let added =
        unsafe { libc::syscall(libc::SYS_landlock_add_rule, ruleset.as_raw_fd(), BENEATH, &raw const rule, 0u32) };
    if added == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
