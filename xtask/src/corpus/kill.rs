//! `cargo xtask corpus kill`: programs killed with SIGKILL while they are recorded. Every call that a program had
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

/// How often.
#[derive(clap::Args)]
pub struct Args {
    /// How many programs to kill.
    #[arg(long, default_value_t = 100, value_name = "N")]
    times: u32,
    /// Where chance begins.
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
}

/// What is killed: arguments of demo `overhead`, the command that it counts and the threads that call it.
const SUBJECTS: &[(&[&str], &str, usize)] = &[
    (&["uniform", "1000000000", "--present-every", "3000"], "glUniform4f", 1),
    (&["uniform2", "1000000000", "--present-every", "5000"], "glUniform4f", 2),
    (&["upload", "1000000000", "--present-every", "10"], "glTexSubImage2D", 1),
    (&["map", "1000000000", "--present-every", "100"], "glUnmapBuffer", 1),
    (&["getinteger", "1000000000"], "glGetIntegerv", 1),
];

/// The longest time between a program's first counted call and its death, in microseconds.
const LIFE: u64 = 200_000;

/// Kills, and compares.
pub fn run(args: &Args) -> anyhow::Result<()> {
    process::build_product(false)?;
    let folder = process::corpus_dir().join("kill");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
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
    ensure!(failed == 0, "{failed} of {} recordings are not what they should be", args.times);
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
        .context("afterimage cannot be started")?;
    let begin = Instant::now();
    while counts(&counter, threads) == 0 {
        if begin.elapsed() > Duration::from_secs(60) || recorder.try_wait()?.is_some() {
            // Whatever it hangs in, it must not outlive this task.
            let _ = recorder.kill();
            bail!("{} makes no calls", arguments.join(" "));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(life);
    let program = program_of(&recorder)?;
    kill(program, Signal::SIGKILL).context("the program cannot be killed")?;
    let status = recorder.wait()?;
    ensure!(status.code() == Some(128 + 9), "the recorder of a killed program left with {status}");
    let completed = counts(&counter, threads);
    let lost = completed.saturating_sub(returned(&trace, command)?);
    let replay = Command::new(built.join("afterimage")).arg("replay").arg(&trace).output()?;
    Ok(Killed { completed, lost, replays: replay.status.success() })
}

/// The process that a recorder has started.
fn program_of(recorder: &Child) -> anyhow::Result<Pid> {
    let path = PathBuf::from(format!("/proc/{0}/task/{0}/children", recorder.id()));
    let children = fs::read_to_string(&path).context("the recorder is gone")?;
    let first = children.split_whitespace().next().context("the recorder has started nothing")?;
    Ok(Pid::from_raw(first.parse()?))
}

/// What the program's threads have counted: one number every 128 bytes.
fn counts(path: &Path, threads: usize) -> u64 {
    let bytes = fs::read(path).unwrap_or_default();
    bytes.chunks_exact(128).take(threads).filter_map(|cell| Some(u64::from_ne_bytes(*cell.first_chunk()?))).sum()
}

/// How many calls of a command returned.
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
