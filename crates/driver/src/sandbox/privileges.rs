//! What a process gives up before it is confined: descriptors, privileges.

use std::io;

/// Closes every descriptor but standard input, output and error: what the parent had open when it started this process is
/// not this process's business.
pub fn close_inherited() -> io::Result<()> {
    // SAFETY: at the start of a worker no value of this process owns a descriptor above the standard ones.
    let closed = unsafe { libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, 0u32) };
    if closed == 0 {
        return Ok(());
    }
    // Kernels before 5.9.
    let open: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|descriptor| *descriptor > 2)
        .collect();
    for descriptor in open {
        // SAFETY: as above; the one by which the folder was read is closed already, which is harmless.
        unsafe { libc::close(descriptor) };
    }
    Ok(())
}

/// Makes this process the first that the kernel ends when the machine runs out of memory, and not a process of the user's
/// that happens to be larger.
pub fn be_killed_first() {
    // Without /proc the kernel chooses by size.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// Forbids this process to gain privileges, from programs it executes or otherwise. Landlock and seccomp require it.
pub fn gain_none() -> io::Result<()> {
    // SAFETY: PR_SET_NO_NEW_PRIVS takes numbers.
    let set = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Gives up all capabilities, which root has.
pub fn drop_capabilities() -> io::Result<()> {
    /// `struct __user_cap_header_struct` of `linux/capability.h`.
    #[repr(C)]
    struct Header {
        version: u32,
        process: i32,
    }
    /// Version 3: two sets of three words, effective, permitted and inheritable.
    const VERSION: u32 = 0x2008_0522;
    let (header, none) = (Header { version: VERSION, process: 0 }, [0u32; 6]);
    // SAFETY: both structures are live and as long as the version says.
    let set = unsafe { libc::syscall(libc::SYS_capset, &raw const header, &raw const none) };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
