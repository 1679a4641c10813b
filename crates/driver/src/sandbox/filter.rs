//! The system calls that a confined worker may make, as a seccomp filter.
//!
//! The list names what is allowed: memory, threads, time, signals within the process, descriptors, and files by path, which
//! Landlock bounds. What is new in a later kernel is therefore denied until it is listed here. Unlisted calls fail with
//! `ENOSYS`, as on an older kernel, so that libraries fall back; calls of [`REFUSED`] fail with `EPERM`.

use std::io;

use libc::{c_long, sock_filter};

/// What a filter returns for an allowed call.
const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;

/// Offsets into `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

/// `AUDIT_ARCH_X86_64` of `linux/audit.h`: the machine, 64 bits, little endian.
const X86_64: u32 = 62 | 0x8000_0000 | 0x4000_0000;

/// Calls that are allowed whatever their arguments are. The most frequent come first: kernels before 5.11 go through the
/// list for each call.
#[rustfmt::skip]
const ALLOWED: &[c_long] = &[
    // Memory. Drivers compile shaders to machine code, so mappings may be executable.
    libc::SYS_mmap, libc::SYS_munmap, libc::SYS_mprotect, libc::SYS_madvise, libc::SYS_mremap, libc::SYS_brk,
    libc::SYS_msync, libc::SYS_mincore, libc::SYS_mlock, libc::SYS_mlock2, libc::SYS_munlock, libc::SYS_mlockall,
    libc::SYS_munlockall, libc::SYS_pkey_alloc, libc::SYS_pkey_free, libc::SYS_pkey_mprotect, libc::SYS_membarrier,
    libc::SYS_mbind, libc::SYS_get_mempolicy, libc::SYS_set_mempolicy, libc::SYS_memfd_create, libc::SYS_mseal,
    // Threads.
    libc::SYS_futex, libc::SYS_futex_waitv, libc::SYS_sched_yield, libc::SYS_set_tid_address,
    libc::SYS_set_robust_list, libc::SYS_get_robust_list, libc::SYS_rseq, libc::SYS_arch_prctl, libc::SYS_gettid,
    libc::SYS_getcpu, libc::SYS_sched_getaffinity, libc::SYS_sched_getattr, libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler, libc::SYS_sched_get_priority_max, libc::SYS_sched_get_priority_min,
    libc::SYS_sched_rr_get_interval, libc::SYS_getpriority, libc::SYS_ioprio_get, libc::SYS_exit, libc::SYS_exit_group,
    libc::SYS_restart_syscall,
    // Descriptors. The only socket is the supervisor's; no call here makes another.
    libc::SYS_read, libc::SYS_write, libc::SYS_readv, libc::SYS_writev, libc::SYS_pread64, libc::SYS_pwrite64,
    libc::SYS_preadv, libc::SYS_pwritev, libc::SYS_preadv2, libc::SYS_pwritev2, libc::SYS_lseek, libc::SYS_close,
    libc::SYS_close_range, libc::SYS_dup, libc::SYS_dup2, libc::SYS_dup3, libc::SYS_fstat, libc::SYS_fstatfs,
    libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_ftruncate, libc::SYS_fallocate, libc::SYS_fadvise64,
    libc::SYS_readahead, libc::SYS_flock, libc::SYS_sendfile, libc::SYS_splice, libc::SYS_copy_file_range,
    libc::SYS_getdents, libc::SYS_getdents64, libc::SYS_pipe, libc::SYS_pipe2, libc::SYS_poll, libc::SYS_ppoll,
    libc::SYS_select, libc::SYS_pselect6, libc::SYS_epoll_create, libc::SYS_epoll_create1, libc::SYS_epoll_ctl,
    libc::SYS_epoll_wait, libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2, libc::SYS_eventfd, libc::SYS_eventfd2,
    libc::SYS_timerfd_create, libc::SYS_timerfd_settime, libc::SYS_timerfd_gettime, libc::SYS_recvfrom,
    libc::SYS_recvmsg, libc::SYS_sendto, libc::SYS_sendmsg, libc::SYS_shutdown, libc::SYS_getsockopt,
    libc::SYS_setsockopt,
    // Files by path. Landlock says which.
    libc::SYS_stat, libc::SYS_lstat, libc::SYS_newfstatat, libc::SYS_statx, libc::SYS_statfs, libc::SYS_access,
    libc::SYS_faccessat, libc::SYS_faccessat2, libc::SYS_readlink, libc::SYS_readlinkat, libc::SYS_getcwd,
    libc::SYS_mkdir, libc::SYS_mkdirat, libc::SYS_rmdir, libc::SYS_unlink, libc::SYS_unlinkat, libc::SYS_rename,
    libc::SYS_renameat, libc::SYS_renameat2, libc::SYS_umask,
    // Time.
    libc::SYS_clock_gettime, libc::SYS_clock_getres, libc::SYS_clock_nanosleep, libc::SYS_nanosleep,
    libc::SYS_gettimeofday, libc::SYS_time, libc::SYS_times, libc::SYS_getitimer, libc::SYS_setitimer,
    libc::SYS_alarm, libc::SYS_timer_create, libc::SYS_timer_settime, libc::SYS_timer_gettime,
    libc::SYS_timer_getoverrun, libc::SYS_timer_delete, libc::SYS_pause,
    // Signals of this process.
    libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn, libc::SYS_rt_sigpending,
    libc::SYS_rt_sigtimedwait, libc::SYS_rt_sigsuspend, libc::SYS_sigaltstack, libc::SYS_wait4,
    // What the process is, and the machine.
    libc::SYS_getpid, libc::SYS_getppid, libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid, libc::SYS_getegid,
    libc::SYS_getresuid, libc::SYS_getresgid, libc::SYS_getgroups, libc::SYS_getpgrp, libc::SYS_getpgid,
    libc::SYS_getsid, libc::SYS_capget, libc::SYS_getrlimit, libc::SYS_setrlimit, libc::SYS_getrusage, libc::SYS_uname,
    libc::SYS_sysinfo, libc::SYS_getrandom,
];

/// Calls that fail with `EPERM`, and their names for the log. Everything else that is not allowed fails with `ENOSYS`.
#[rustfmt::skip]
pub const REFUSED: &[(c_long, &str)] = &[
    // The network, and local sockets.
    (libc::SYS_socket, "socket"), (libc::SYS_socketpair, "socketpair"), (libc::SYS_connect, "connect"),
    (libc::SYS_bind, "bind"), (libc::SYS_listen, "listen"), (libc::SYS_accept, "accept"), (libc::SYS_accept4, "accept4"),
    // Processes.
    (libc::SYS_execve, "execve"), (libc::SYS_execveat, "execveat"), (libc::SYS_fork, "fork"), (libc::SYS_vfork, "vfork"),
    (libc::SYS_ptrace, "ptrace"), (libc::SYS_process_vm_readv, "process_vm_readv"),
    (libc::SYS_process_vm_writev, "process_vm_writev"), (libc::SYS_process_madvise, "process_madvise"),
    (libc::SYS_pidfd_open, "pidfd_open"), (libc::SYS_pidfd_getfd, "pidfd_getfd"),
    (libc::SYS_pidfd_send_signal, "pidfd_send_signal"), (libc::SYS_tkill, "tkill"),
    (libc::SYS_rt_sigqueueinfo, "rt_sigqueueinfo"), (libc::SYS_rt_tgsigqueueinfo, "rt_tgsigqueueinfo"),
    (libc::SYS_kcmp, "kcmp"), (libc::SYS_setpgid, "setpgid"), (libc::SYS_setsid, "setsid"),
    (libc::SYS_shmget, "shmget"), (libc::SYS_shmat, "shmat"), (libc::SYS_shmctl, "shmctl"), (libc::SYS_semget, "semget"),
    (libc::SYS_msgget, "msgget"), (libc::SYS_mq_open, "mq_open"), (libc::SYS_migrate_pages, "migrate_pages"),
    (libc::SYS_move_pages, "move_pages"), (libc::SYS_ioprio_set, "ioprio_set"),
    // What Landlock does not cover, or not on every kernel that has it.
    (libc::SYS_truncate, "truncate"), (libc::SYS_chmod, "chmod"), (libc::SYS_fchmod, "fchmod"),
    (libc::SYS_fchmodat, "fchmodat"), (libc::SYS_chown, "chown"), (libc::SYS_fchown, "fchown"),
    (libc::SYS_lchown, "lchown"), (libc::SYS_fchownat, "fchownat"), (libc::SYS_utime, "utime"),
    (libc::SYS_utimes, "utimes"), (libc::SYS_utimensat, "utimensat"), (libc::SYS_futimesat, "futimesat"),
    (libc::SYS_setxattr, "setxattr"), (libc::SYS_lsetxattr, "lsetxattr"), (libc::SYS_fsetxattr, "fsetxattr"),
    (libc::SYS_link, "link"), (libc::SYS_linkat, "linkat"), (libc::SYS_symlink, "symlink"),
    (libc::SYS_symlinkat, "symlinkat"), (libc::SYS_mknod, "mknod"), (libc::SYS_mknodat, "mknodat"),
    (libc::SYS_inotify_init, "inotify_init"), (libc::SYS_inotify_init1, "inotify_init1"),
    (libc::SYS_fanotify_init, "fanotify_init"), (libc::SYS_name_to_handle_at, "name_to_handle_at"),
    (libc::SYS_open_by_handle_at, "open_by_handle_at"),
    // The system.
    (libc::SYS_mount, "mount"), (libc::SYS_umount2, "umount2"), (libc::SYS_open_tree, "open_tree"),
    (libc::SYS_move_mount, "move_mount"), (libc::SYS_fsopen, "fsopen"), (libc::SYS_fsmount, "fsmount"),
    (libc::SYS_pivot_root, "pivot_root"), (libc::SYS_chroot, "chroot"), (libc::SYS_unshare, "unshare"),
    (libc::SYS_setns, "setns"), (libc::SYS_keyctl, "keyctl"), (libc::SYS_add_key, "add_key"),
    (libc::SYS_request_key, "request_key"), (libc::SYS_bpf, "bpf"), (libc::SYS_perf_event_open, "perf_event_open"),
    (libc::SYS_userfaultfd, "userfaultfd"), (libc::SYS_io_uring_setup, "io_uring_setup"),
    (libc::SYS_io_uring_enter, "io_uring_enter"), (libc::SYS_io_uring_register, "io_uring_register"),
    (libc::SYS_init_module, "init_module"), (libc::SYS_finit_module, "finit_module"),
    (libc::SYS_kexec_load, "kexec_load"), (libc::SYS_reboot, "reboot"), (libc::SYS_syslog, "syslog"),
    (libc::SYS_iopl, "iopl"), (libc::SYS_ioperm, "ioperm"), (libc::SYS_personality, "personality"),
    (libc::SYS_modify_ldt, "modify_ldt"), (libc::SYS_setuid, "setuid"), (libc::SYS_setgid, "setgid"),
    (libc::SYS_setresuid, "setresuid"), (libc::SYS_setresgid, "setresgid"), (libc::SYS_setgroups, "setgroups"),
    (libc::SYS_capset, "capset"),
];

/// Requests on terminals and sockets that reach beyond the process: typing for the user (`TIOCSTI`, `TIOCLINUX`), and
/// signals to an owner (`FIOSETOWN`, `SIOCSPGRP`), which libc does not name for Linux.
const REFUSED_REQUESTS: &[u32] = &[libc::TIOCSTI as u32, libc::TIOCLINUX as u32, 0x8901, 0x8902];

/// `fcntl` commands by which the kernel signals another process on behalf of this one. `F_SETSIG`, `F_SETOWN_EX` and
/// `F_NOTIFY` of `fcntl.h` are 10, 15 and 1026.
const REFUSED_CONTROLS: &[u32] = &[libc::F_SETOWN as u32, 10, 15, 1026];

/// What `prctl` may do: names of threads and mappings, and harmless questions.
const ALLOWED_PRCTL: &[u32] = &[
    libc::PR_SET_NAME as u32,
    libc::PR_GET_NAME as u32,
    libc::PR_SET_VMA as u32,
    libc::PR_GET_DUMPABLE as u32,
    libc::PR_GET_NO_NEW_PRIVS as u32,
    libc::PR_GET_SECCOMP as u32,
    libc::PR_CAPBSET_READ as u32,
    libc::PR_SET_TIMERSLACK as u32,
    libc::PR_GET_TIMERSLACK as u32,
    libc::PR_SET_THP_DISABLE as u32,
    libc::PR_GET_THP_DISABLE as u32,
];

/// A condition on the lower half of an argument. The kernel reads no more of the arguments that are judged here.
struct Condition {
    call: c_long,
    argument: u32,
    mask: u32,
    /// Values of the argument, after masking.
    values: Vec<u32>,
    /// Whether these values are the allowed ones, or the others are.
    are_allowed: bool,
}

/// Returns the calls that are allowed with some arguments only. `own` is this process.
fn conditions(own: u32) -> Vec<Condition> {
    let all = u32::MAX;
    let only = |call, argument, mask, values: &[u32]| {
        let values = values.to_vec();
        Condition { call, argument, mask, values, are_allowed: true }
    };
    let but =
        |call, argument, mask, values: &[u32]| Condition { are_allowed: false, ..only(call, argument, mask, values) };
    let (thread, access) = (libc::CLONE_THREAD as u32, libc::O_ACCMODE as u32);
    vec![
        but(libc::SYS_ioctl, 1, all, REFUSED_REQUESTS),
        but(libc::SYS_fcntl, 1, all, REFUSED_CONTROLS),
        // Access mode 3 opens for neither reading nor writing, which Landlock takes for harmless; with O_TRUNC it empties
        // any file of the user's on kernels before 6.2.
        but(libc::SYS_open, 1, access, &[access]),
        but(libc::SYS_openat, 2, access, &[access]),
        // Threads, not processes.
        only(libc::SYS_clone, 0, thread, &[thread]),
        only(libc::SYS_kill, 0, all, &[own]),
        only(libc::SYS_tgkill, 0, all, &[own]),
        only(libc::SYS_prctl, 0, all, ALLOWED_PRCTL),
        only(libc::SYS_prlimit64, 0, all, &[0, own]),
        only(libc::SYS_sched_setaffinity, 0, all, &[0, own]),
        only(libc::SYS_sched_setscheduler, 0, all, &[0, own]),
        only(libc::SYS_sched_setparam, 0, all, &[0, own]),
        only(libc::SYS_sched_setattr, 0, all, &[0, own]),
        only(libc::SYS_setpriority, 1, all, &[0, own]),
    ]
}

/// Returns the filter. If `log`, denied calls raise SIGSYS, whose handler reports them ([`super::log`]).
fn program(own: u32, log: bool) -> Vec<sock_filter> {
    let denied = |error: i32| {
        let action = if log { libc::SECCOMP_RET_TRAP } else { libc::SECCOMP_RET_ERRNO };
        action | error as u32
    };
    let mut program = vec![
        load(ARCHITECTURE),
        skip_unless(X86_64, 1),
        skip(1),
        // 32-bit calls have other numbers; no library of a 64-bit process makes them.
        give(libc::SECCOMP_RET_KILL_PROCESS),
        load(NUMBER),
    ];
    for condition in conditions(own) {
        let (listed, other) = match condition.are_allowed {
            true => (ALLOW, denied(libc::EPERM)),
            false => (denied(libc::EPERM), ALLOW),
        };
        let mut judged = vec![load(ARGUMENTS + 8 * condition.argument), mask(condition.mask)];
        judged.extend(condition.values.iter().flat_map(|value| [skip_unless(*value, 1), give(listed)]));
        judged.push(give(other));
        program.push(skip_unless(condition.call as u32, judged.len() as u8));
        program.append(&mut judged);
    }
    let allowed = ALLOWED.iter().map(|call| (*call, ALLOW));
    let refused = REFUSED.iter().map(|(call, _)| (*call, denied(libc::EPERM)));
    // Its flags are behind a pointer, where a filter cannot look. The C library falls back to `clone`, for each thread.
    let unseen = (libc::SYS_clone3, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32);
    for (call, action) in allowed.chain(refused).chain([unseen]) {
        program.extend([skip_unless(call as u32, 1), give(action)]);
    }
    // Numbers of the x32 interface have bit 30 set, so they are among these.
    program.push(give(denied(libc::ENOSYS)));
    program
}

/// Loads a word of the call's description.
fn load(offset: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0)
}

fn mask(bits: u32) -> sock_filter {
    instruction(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, bits, 0)
}

/// Skips `count` instructions if the loaded word is another one.
fn skip_unless(word: u32, count: u8) -> sock_filter {
    instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, word, count)
}

fn skip(count: u32) -> sock_filter {
    instruction(libc::BPF_JMP | libc::BPF_JA, count, 0)
}

/// Ends the filter with an action.
fn give(action: u32) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, action, 0)
}

fn instruction(code: u32, k: u32, jf: u8) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf, k }
}

/// Returns whether the kernel has seccomp filters.
pub fn is_available() -> bool {
    let action = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the pointer is to a live word that the kernel only reads.
    unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action) == 0 }
}

/// Installs the filter for all threads of this process, which must not be able to gain privileges.
pub fn install(log: bool) -> io::Result<()> {
    let mut program = program(std::process::id(), log);
    let length = u16::try_from(program.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let program = libc::sock_fprog { len: length, filter: program.as_mut_ptr() };
    let (mode, flags) = (libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_TSYNC);
    // SAFETY: the program and its instructions are live until the call returns; the kernel copies them.
    let result = unsafe { libc::syscall(libc::SYS_seccomp, mode, flags, &raw const program) };
    match result {
        0 => Ok(()),
        thread if thread > 0 => Err(io::Error::other(format!("thread {thread} has a filter of its own"))),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: u32 = 4711;
    const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;
    const EPERM: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    const ENOSYS: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

    /// Runs the filter as the kernel does.
    fn judge(program: &[sock_filter], architecture: u32, number: u32, arguments: [u64; 3]) -> u32 {
        let (mut at, mut word) = (0, 0);
        loop {
            let step = &program[at];
            at += 1;
            let code = u32::from(step.code);
            if code == libc::BPF_RET | libc::BPF_K {
                return step.k;
            } else if code == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS {
                word = match step.k {
                    NUMBER => number,
                    ARCHITECTURE => architecture,
                    offset => arguments[(offset - ARGUMENTS) as usize / 8] as u32,
                };
            } else if code == libc::BPF_ALU | libc::BPF_AND | libc::BPF_K {
                word &= step.k;
            } else if code == libc::BPF_JMP | libc::BPF_JA {
                at += step.k as usize;
            } else {
                assert_eq!(code, libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K);
                at += usize::from(if word == step.k { step.jt } else { step.jf });
            }
        }
    }

    #[track_caller]
    fn check(call: c_long, arguments: [u64; 3], expected: u32) {
        assert_eq!(judge(&program(OWN, false), X86_64, call as u32, arguments), expected, "call {call} {arguments:x?}");
    }

    #[test]
    fn threads_are_allowed_and_processes_are_not() {
        let thread = (libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD) as u64;
        check(libc::SYS_clone, [thread, 0, 0], ALLOW);
        check(libc::SYS_clone, [libc::SIGCHLD as u64, 0, 0], EPERM);
        check(libc::SYS_clone, [(libc::CLONE_VM | libc::CLONE_VFORK) as u64, 0, 0], EPERM);
        check(libc::SYS_clone3, [0; 3], ENOSYS);
        for call in [libc::SYS_fork, libc::SYS_vfork, libc::SYS_execve, libc::SYS_execveat, libc::SYS_ptrace] {
            check(call, [0; 3], EPERM);
        }
    }

    #[test]
    fn signals_stay_in_the_process() {
        let own = u64::from(OWN);
        for (process, expected) in [(own, ALLOW), (1, EPERM), (0, EPERM), (u64::MAX, EPERM), (own + 1, EPERM)] {
            check(libc::SYS_kill, [process, 9, 0], expected);
            check(libc::SYS_tgkill, [process, process, 9], expected);
        }
        check(libc::SYS_tkill, [own, 9, 0], EPERM);
        check(libc::SYS_fcntl, [0, libc::F_SETOWN as u64, 1], EPERM);
        check(libc::SYS_fcntl, [0, libc::F_GETFL as u64, 0], ALLOW);
        check(libc::SYS_prctl, [libc::PR_SET_PDEATHSIG as u64, 0, 0], EPERM);
        check(libc::SYS_prlimit64, [1, 2, 0], EPERM);
    }

    #[test]
    fn terminals_are_not_typed_on() {
        check(libc::SYS_ioctl, [2, libc::TIOCSTI, 0], EPERM);
        // The kernel ignores the upper half.
        check(libc::SYS_ioctl, [2, libc::TIOCSTI | 1 << 40, 0], EPERM);
        check(libc::SYS_ioctl, [5, 0xC020_6410, 0], ALLOW);
    }

    #[test]
    fn files_are_opened_for_reading_or_writing() {
        let truncate = libc::O_TRUNC as u64;
        check(libc::SYS_openat, [0, 0, 0], ALLOW);
        check(libc::SYS_openat, [0, 0, libc::O_RDWR as u64 | truncate], ALLOW);
        check(libc::SYS_openat, [0, 0, 3 | truncate], EPERM);
        check(libc::SYS_open, [0, 3, 0], EPERM);
        check(libc::SYS_openat2, [0; 3], ENOSYS);
        check(libc::SYS_truncate, [0; 3], EPERM);
    }

    #[test]
    fn other_interfaces_and_later_calls_are_denied() {
        let program = program(OWN, false);
        // The first is `exit` of 32-bit programs.
        assert_eq!(judge(&program, 3 | 0x4000_0000, 1, [0; 3]), KILL);
        let x32 = libc::SYS_read as u32 | 0x4000_0000;
        assert_eq!(judge(&program, X86_64, x32, [0; 3]), ENOSYS);
        assert_eq!(judge(&program, X86_64, 5000, [0; 3]), ENOSYS);
        assert_eq!(judge(&program, X86_64, libc::SYS_read as u32, [0; 3]), ALLOW);
    }

    #[test]
    fn no_call_is_listed_twice() {
        let conditional = conditions(OWN).into_iter().map(|condition| condition.call);
        let refused = REFUSED.iter().map(|(call, _)| *call);
        let mut calls: Vec<_> = ALLOWED.iter().copied().chain(refused).chain(conditional).collect();
        let count = calls.len();
        calls.sort_unstable();
        calls.dedup();
        assert_eq!(calls.len(), count);
    }

    #[test]
    fn the_log_denies_the_same() {
        let quiet = program(OWN, false);
        let logged = program(OWN, true);
        let trap = libc::SECCOMP_RET_TRAP;
        for call in [libc::SYS_socket, libc::SYS_read, libc::SYS_openat2, libc::SYS_clone, 5000] {
            let plain = judge(&quiet, X86_64, call as u32, [0; 3]);
            let expected = if plain == ALLOW { ALLOW } else { trap | (plain & 0xFFFF) };
            assert_eq!(judge(&logged, X86_64, call as u32, [0; 3]), expected, "call {call}");
        }
    }
}
