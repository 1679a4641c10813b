//! Workers are confined: a trace that takes one over reaches no file, no network and no other process.
//!
//! This program is its own worker, with an intruder in it that tries what such a trace would try. Each attempt has to fail
//! in a confined worker and to succeed in an unconfined one, so that the attempt itself is known to be real.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use device::{Answer, Ask, Control, Device, DeviceError};
use libtest_mimic::{Arguments, Trial};
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::{ptrace, signal};
use nix::unistd::Pid;
use worker::{Pool, Said, WorkerOptions};

/// What the intruder tries. The port of a listener is in the upper bits of the question's command.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Attempt {
    ReadFile,
    WriteFile,
    CreateFile,
    RemoveFile,
    ChangeMode,
    ListFolder,
    ConnectTcp,
    ConnectUnix,
    StartProgram,
    SignalParent,
    TraceParent,
    ReadParent,
    Execute,
}

const ATTEMPTS: [Attempt; 13] = [
    Attempt::ReadFile,
    Attempt::WriteFile,
    Attempt::CreateFile,
    Attempt::RemoveFile,
    Attempt::ChangeMode,
    Attempt::ListFolder,
    Attempt::ConnectTcp,
    Attempt::ConnectUnix,
    Attempt::StartProgram,
    Attempt::SignalParent,
    Attempt::TraceParent,
    Attempt::ReadParent,
    Attempt::Execute,
];

// What a worker must be able to do, and what it is asked about itself.
const READ_LIBRARY: u64 = 100;
const WRITE_CACHE: u64 = 101;
const START_THREAD: u64 = 102;
const LIST_DESCRIPTORS: u64 = 103;
const TAKE_MEMORY: u64 = 104;
const TAKE_MUCH_MEMORY_AT_ONCE: u64 = 105;

impl Attempt {
    /// Whether it is Landlock that prevents it, and not seccomp.
    fn is_about_files(self) -> bool {
        use Attempt::{CreateFile, ListFolder, ReadFile, ReadParent, RemoveFile, WriteFile};
        matches!(self, ReadFile | WriteFile | CreateFile | RemoveFile | ListFolder | ReadParent)
    }

    /// Does it.
    fn run(self, port: u16) -> io::Result<()> {
        let parent = Pid::parent();
        match self {
            Attempt::ReadFile => File::open(secret())?.read_to_end(&mut Vec::new()).map(drop),
            Attempt::WriteFile => OpenOptions::new().append(true).open(secret())?.write_all(b"!"),
            Attempt::CreateFile => File::create(scratch("sandbox-created")).map(drop),
            Attempt::RemoveFile => std::fs::remove_file(scratch("sandbox-removable")),
            Attempt::ChangeMode => std::fs::set_permissions(secret(), Permissions::from_mode(0o644)),
            Attempt::ListFolder => std::fs::read_dir(scratch(""))?.next().transpose().map(drop),
            Attempt::ConnectTcp => TcpStream::connect((Ipv4Addr::LOCALHOST, port)).map(drop),
            Attempt::ConnectUnix => UnixStream::connect(socket()).map(drop),
            Attempt::StartProgram => Command::new("/bin/true").status().map(drop),
            Attempt::SignalParent => signal::kill(parent, signal::Signal::SIGWINCH).map_err(io::Error::from),
            Attempt::TraceParent => {
                ptrace::seize(parent, ptrace::Options::empty())?;
                // It is the parent that judges; it must not stop.
                ptrace::detach(parent, None).or(Ok(()))
            }
            Attempt::ReadParent => std::fs::read(format!("/proc/{parent}/environ")).map(drop),
            Attempt::Execute => Err(Command::new("/bin/true").exec()),
        }
    }
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn secret() -> PathBuf {
    scratch("sandbox-secret")
}

/// Sockets have short names.
fn socket() -> PathBuf {
    std::env::temp_dir().join(format!("afterimage-sandbox-{}", env!("CARGO_PKG_VERSION")))
}

/// What the worker does in place of its work.
fn intrude(ask: &Ask) -> Option<Said> {
    let &Ask::Check { command } = ask else { return None };
    let (what, port) = (command & 0xFFFF, (command >> 16) as u16);
    let done = match what {
        READ_LIBRARY => File::open("/usr/lib/os-release").map(drop),
        WRITE_CACHE => {
            let file = std::env::temp_dir().join("sandbox-test");
            std::fs::write(&file, b"shader").and_then(|()| std::fs::remove_file(&file))
        }
        START_THREAD => std::thread::Builder::new().spawn(|| ()).map(|thread| thread.join().unwrap()),
        LIST_DESCRIPTORS => {
            let files = std::fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| entry.ok());
            let names = files.filter_map(|file| std::fs::read_link(file.path()).ok());
            return Some(Err(names.map(|name| name.display().to_string()).collect::<Vec<_>>().join("\n")));
        }
        TAKE_MEMORY => {
            let mut blocks = Vec::new();
            loop {
                blocks.push(std::hint::black_box(vec![1u8; 1 << 20]));
            }
        }
        TAKE_MUCH_MEMORY_AT_ONCE => {
            std::hint::black_box(vec![1u8; 1 << 40]);
            Ok(())
        }
        attempt => ATTEMPTS.get(usize::try_from(attempt).ok()?)?.run(port),
    };
    Some(Err(done.map_or_else(|error| format!("denied: {error}"), |()| "done".to_owned())))
}

fn pool(program: &Path, sandbox: bool, memory: Option<u64>) -> Arc<Pool> {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    let trace = TRACE.get_or_init(|| {
        let file = scratch("sandbox.aftr");
        testing::programs::recorded(&file, &["deferred"]);
        file
    });
    let (program, trace, timeout) = (program.to_owned(), trace.clone(), Duration::from_secs(60));
    Pool::new(WorkerOptions { program, trace, device: None, timeout, sandbox, memory })
}

/// Asks the intruder, who answers with a refusal.
fn ask(pool: &Arc<Pool>, command: u64) -> Result<String, DeviceError> {
    match pool.device().ask(&Ask::Check { command }, &Control::default()) {
        Err(DeviceError::Refused(text)) => Ok(text),
        Err(error) => Err(error),
        Ok(reply) => panic!("{:?}", reply.answer),
    }
}

fn own_program() -> PathBuf {
    std::env::current_exe().unwrap()
}

/// Tries it in a confined and in an unconfined worker.
fn attempt(attempt: Attempt) {
    std::fs::write(secret(), b"secret").unwrap();
    std::fs::set_permissions(secret(), Permissions::from_mode(0o600)).unwrap();
    std::fs::write(scratch("sandbox-removable"), b"").unwrap();
    let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    // What an earlier run left.
    let _ = std::fs::remove_file(socket());
    let _unix = UnixListener::bind(socket()).unwrap();
    let port = u64::from(tcp.local_addr().unwrap().port());
    let number = ATTEMPTS.iter().position(|other| *other == attempt).unwrap() as u64 | port << 16;

    let said = ask(&pool(&own_program(), true, None), number).unwrap();
    assert!(said.starts_with("denied: "), "a confined worker: {said}");
    assert_eq!(std::fs::read(secret()).unwrap(), b"secret");
    let free = ask(&pool(&own_program(), false, None), number);
    match attempt {
        // The worker is another program from there on, which ends at once.
        Attempt::Execute => assert!(
            matches!(&free, Err(DeviceError::Crashed { how, .. }) if how == "exit status: 0"),
            "an unconfined worker: {free:?}"
        ),
        _ => assert_eq!(free.as_deref(), Ok("done"), "an unconfined worker"),
    }
}

/// Restricting which processes can be traced, as Yama does, would make the attempt fail in any case.
fn is_tracing_restricted() -> bool {
    std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").is_ok_and(|scope| scope.trim() != "0")
}

fn a_worker_can_do_its_work() {
    let pool = pool(&own_program(), true, None);
    for work in [READ_LIBRARY, WRITE_CACHE, START_THREAD] {
        assert_eq!(ask(&pool, work).as_deref(), Ok("done"), "{work}");
    }
}

fn descriptors_are_not_inherited() {
    std::fs::write(secret(), b"secret").unwrap();
    let file = File::open(secret()).unwrap();
    fcntl(&file, FcntlArg::F_SETFD(FdFlag::empty())).unwrap();
    for sandbox in [true, false] {
        let open = ask(&pool(&own_program(), sandbox, None), LIST_DESCRIPTORS).unwrap();
        assert!(!open.contains("sandbox-secret"), "{open}");
        assert!(open.contains("sandbox.aftr"), "{open}");
    }
}

fn memory_is_bounded() {
    for what in [TAKE_MEMORY, TAKE_MUCH_MEMORY_AT_ONCE] {
        let error = ask(&pool(&own_program(), true, Some(256 << 20)), what).unwrap_err();
        assert_eq!(error, DeviceError::OutOfMemory { command: None, megabytes: 256 });
    }
}

/// The product names the command at which the memory was used up.
fn the_product_reports_what_ran_out_of_memory() {
    let trace = scratch("sandbox-memory.aftr");
    testing::programs::recorded(&trace, &["deferred"]);
    // No driver makes a context in so few megabytes, if it starts at all. What fails first depends on the number: an
    // allocation of ours, which panics, or one of the driver's.
    for megabytes in ["24", "28", "32"] {
        let mut replay = Command::new(env!("CARGO_BIN_EXE_afterimage"));
        // A panic must not wait for the memory of its backtrace.
        replay.env("RUST_BACKTRACE", "1").args(["replay", "--json", "--worker-memory", megabytes]);
        let output = replay.arg(&trace).output().unwrap();
        let (document, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(2), "{document}{said}");
        assert!(document.contains("\"how\": \"out of memory\""), "{document}{said}");
        assert!(said.contains(&format!("the {megabytes} MB that it may at command ")), "{said}");
    }
}

/// Looks at the workers of the product itself.
fn the_product_confines_its_workers() {
    let picture = |sandbox| {
        let pool = pool(Path::new(env!("CARGO_BIN_EXE_afterimage")), sandbox, None);
        let reply = pool.device().ask(&Ask::Picture { command: 3000, everything: true }, &Control::default()).unwrap();
        assert!(matches!(reply.answer, Answer::Picture { size: Some(_) }), "{:?}", reply.answer);
        let statuses = worker_statuses();
        assert_eq!(statuses.len(), 1);
        (reply.bytes, statuses.into_iter().next().unwrap())
    };
    let (confined, status) = picture(true);
    for line in ["NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000"] {
        assert!(status.contains(line), "{line} is not in\n{status}");
    }
    let (free, status) = picture(false);
    assert!(status.contains("Seccomp:\t0"), "{status}");
    assert!(confined == free, "the sandbox changes the picture");
}

/// Returns what the kernel says about the product's workers that this process has started.
fn worker_statuses() -> Vec<String> {
    let own = format!("PPid:\t{}\n", std::process::id());
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let is_worker = |process: &PathBuf| {
        std::fs::read(process.join("cmdline")).is_ok_and(|line| line.ends_with(b"\0replay-worker\0"))
    };
    let statuses =
        processes.filter(is_worker).filter_map(|process| std::fs::read_to_string(process.join("status")).ok());
    statuses.filter(|status| status.contains(&own)).collect()
}

/// A test that fails by panicking.
fn trial(name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

fn main() {
    worker::be_taken_over_if_asked(intrude);
    let missing = driver::missing_parts();
    let mut arguments = Arguments::from_args();
    // They share files and look at each other's processes.
    arguments.test_threads = Some(1);
    let mut trials: Vec<Trial> = ATTEMPTS
        .into_iter()
        .map(|what| {
            let part = if what.is_about_files() { driver::Part::Files } else { driver::Part::SystemCalls };
            let cannot = missing.contains(&part) || what == Attempt::TraceParent && is_tracing_restricted();
            trial(&format!("{what:?}"), move || attempt(what)).with_ignored_flag(cannot)
        })
        .collect();
    let others: [(&str, fn()); 5] = [
        ("a_worker_can_do_its_work", a_worker_can_do_its_work),
        ("descriptors_are_not_inherited", descriptors_are_not_inherited),
        ("memory_is_bounded", memory_is_bounded),
        ("the_product_confines_its_workers", the_product_confines_its_workers),
        ("the_product_reports_what_ran_out_of_memory", the_product_reports_what_ran_out_of_memory),
    ];
    for (name, test) in others {
        trials.push(trial(name, test).with_ignored_flag(!missing.is_empty()));
    }
    libtest_mimic::run(&arguments, trials).exit();
}
