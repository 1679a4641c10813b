//! `cargo xtask corpus kill`: kills programs with SIGKILL while they are recorded. Every call that a program had
//! completed must be in its trace, and the trace must replay.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use trace::Reader;

use crate::process;

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Number of programs to kill.
    #[arg(long, default_value_t = 100, value_name = "N")]
    times: u32,
    /// Seed of the random times.
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
}

/// The programs: arguments of demo `overhead`, the command that it counts and the threads that call it.
const SUBJECTS: &[(&[&str], &str, usize)] = &[
    (&["uniform", "1000000000", "--present-every", "3000"], "glUniform4f", 1),
    (&["uniform2", "1000000000", "--present-every", "5000"], "glUniform4f", 2),
    (&["upload", "1000000000", "--present-every", "10"], "glTexSubImage2D", 1),
    (&["map", "1000000000", "--present-every", "100"], "glUnmapBuffer", 1),
    (&["getinteger", "1000000000"], "glGetIntegerv", 1),
];

/// Maximum time between a program's first counted call and its death, in microseconds.
const LIFE: u64 = 200_000;

/// Kills programs, and checks their traces.
pub fn run(args: &Args) -> anyhow::Result<()> {
    process::build_product(false)?;
    let folder = process::corpus_dir().join("kill");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut chance = args.seed;
    let (mut completed, mut lost, mut failed) = (0, 0, 0);
    for time in 0..args.times {
        let subject = SUBJECTS[time as usize % SUBJECTS.len()];
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let life = Duration::from_micros((chance >> 33) % LIFE);
        let killed = kill_one(&folder, subject, life)?;
        completed += killed.completed;
        lost += killed.lost;
        if killed.lost > 0 || !killed.replays {
            failed += 1;
            let what = if killed.replays { "lost calls" } else { "does not replay" };
            println!("  {}, killed after {life:.0?}: {what} ({} of {})", subject.0[0], killed.lost, killed.completed);
        }
    }
    println!("{} programs killed, {completed} completed calls, {lost} of them lost, {failed} failures", args.times);
    ensure!(failed == 0, "{failed} of {} recordings are wrong", args.times);
    Ok(())
}

struct Killed {
    completed: u64,
    lost: u64,
    replays: bool,
}

fn kill_one(folder: &Path, subject: (&[&str], &str, usize), life: Duration) -> anyhow::Result<Killed> {
    let (arguments, command, threads) = subject;
    let (counter, trace) = (folder.join("count"), folder.join("killed.aftr"));
    for file in [&counter, &trace] {
        if file.exists() {
            fs::remove_file(file)?;
        }
    }
    let built = process::target_dir().join("debug");
    let mut recorder = Command::new(built.join("afterimage"))
        .args(["record", "--quiet", "--output"])
        .arg(&trace)
        .arg("--")
        .arg(built.join("overhead"))
        .args(arguments)
        .arg("--count")
        .arg(&counter)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .context("cannot start afterimage")?;
    let begin = Instant::now();
    while counts(&counter, threads) == 0 {
        if begin.elapsed() > Duration::from_secs(60) || recorder.try_wait()?.is_some() {
            // It must not outlive this task, whatever it is waiting for.
            let _ = recorder.kill();
            bail!("{} makes no calls", arguments.join(" "));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(life);
    let program = program_of(&recorder)?;
    kill(program, Signal::SIGKILL).context("cannot kill the program")?;
    let status = recorder.wait()?;
    ensure!(status.code() == Some(128 + 9), "the recorder of a killed program exited with {status}");
    let completed = counts(&counter, threads);
    let lost = completed.saturating_sub(returned(&trace, command)?);
    let replay = Command::new(built.join("afterimage")).arg("replay").arg(&trace).output()?;
    Ok(Killed { completed, lost, replays: replay.status.success() })
}

/// Returns the process that a recorder has started.
fn program_of(recorder: &Child) -> anyhow::Result<Pid> {
    let path = PathBuf::from(format!("/proc/{0}/task/{0}/children", recorder.id()));
    let children = fs::read_to_string(&path).context("the recorder has exited")?;
    let first = children.split_whitespace().next().context("the recorder has not started a program")?;
    Ok(Pid::from_raw(first.parse()?))
}

/// Returns the total of the program's thread counters: one number every 128 bytes.
fn counts(path: &Path, threads: usize) -> u64 {
    let bytes = fs::read(path).unwrap_or_default();
    bytes.chunks_exact(128).take(threads).filter_map(|cell| Some(u64::from_ne_bytes(*cell.first_chunk()?))).sum()
}

/// Returns the number of calls of a command that returned.
fn returned(path: &Path, command: &str) -> anyhow::Result<u64> {
    let reader = Reader::open(path, api::COMMANDS)?;
    let wanted = api::find(command).with_context(|| format!("there is no command {command}"))?;
    let mut calls = reader.calls();
    let mut returned = 0;
    while let Some(call) = calls.next()? {
        returned += u64::from(call.command == Some(wanted) && !call.by_capture && call.outcome.is_some());
    }
    Ok(returned)
}
