//! Runs a program alone, under apitrace and under `afterimage record`, and measures the cost.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use anyhow::{Context, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use super::Subject;
use crate::corpus::Display;
use crate::{files, process};

/// Paths and resources of a benchmark.
pub struct Tools {
    /// The folder of our own programs.
    pub built: PathBuf,
    /// The X server.
    pub display: String,
    /// The folder for traces.
    pub folder: PathBuf,
}

impl Tools {
    /// Builds our own programs, starts an X server, which lives as long as the returned value, and creates a folder for
    /// traces.
    ///
    /// # Errors
    /// When one of these fails.
    pub fn ready(folder: &str) -> anyhow::Result<(Display, Tools)> {
        let built = process::build_product(true)?;
        let display = Display::start()?;
        let folder = process::target_dir().join(folder);
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let tools = Tools { built, display: display.name.clone(), folder };
        Ok((display, tools))
    }

    /// Returns an `afterimage` command, with a shader cache of our own for the driver.
    pub fn afterimage(&self) -> Command {
        let mut command = Command::new(self.built.join("afterimage"));
        // Confined workers have a cache of their own below the user's caches.
        command.env("MESA_SHADER_CACHE_DIR", self.cache()).env("XDG_CACHE_HOME", self.cache());
        command
    }

    /// Fills the driver's shader cache with the shaders of a trace only, as right after recording it. They are compiled
    /// once; later calls copy the files.
    ///
    /// # Errors
    /// When the trace cannot be replayed.
    pub fn cache_only(&self, trace: &Path) -> anyhow::Result<()> {
        let pristine = trace.with_extension("cache");
        let is_older = || Ok::<bool, std::io::Error>(modified(&pristine)? < modified(trace)?);
        if !pristine.is_dir() || is_older()? {
            self.clear_cache()?;
            self.run(self.afterimage().arg("replay").arg(trace))?;
            if pristine.is_dir() {
                std::fs::remove_dir_all(&pristine)?;
            }
            files::copy(&self.cache(), &pristine)?;
        }
        self.clear_cache()?;
        files::copy(&pristine, &self.cache())
    }

    fn clear_cache(&self) -> std::io::Result<()> {
        if self.cache().exists() { std::fs::remove_dir_all(self.cache()) } else { Ok(()) }
    }

    fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }
}

fn modified(path: &Path) -> std::io::Result<SystemTime> {
    std::fs::metadata(path)?.modified()
}

/// The cost of one run.
#[derive(Clone, Copy)]
pub struct Cost {
    /// CPU seconds of the program, all threads.
    pub program: f64,
    /// CPU seconds of an external recorder.
    pub recorder: f64,
    /// Nanoseconds of the calling thread per call, if the program prints them.
    pub per_call: Option<f64>,
    /// Size of the trace in bytes.
    pub bytes: u64,
}

impl Cost {
    /// Returns the median of the CPU seconds of whole programs, and the minimum of everything else.
    ///
    /// A program that talks to an X server takes one of two times, which differ by half, by the cores that the two processes
    /// happen to run on. The minimum would compare a lucky run of one mode with usual runs of the others.
    ///
    /// # Errors
    /// When there were no runs.
    pub fn of_runs(runs: &[Cost]) -> anyhow::Result<Cost> {
        let bytes = runs.iter().map(|cost| cost.bytes).min().context("there were no rounds")?;
        let median = |value: fn(&Cost) -> f64| {
            let mut values: Vec<f64> = runs.iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        Ok(Cost {
            program: median(|cost| cost.program),
            recorder: median(|cost| cost.recorder),
            per_call: runs.iter().filter_map(|cost| cost.per_call).min_by(f64::total_cmp),
            bytes,
        })
    }
}

impl Tools {
    /// Runs the program alone.
    pub fn plain(&self, subject: &Subject) -> anyhow::Result<Cost> {
        let (stdout, cpu) = self.run(&mut self.program(subject))?;
        Ok(Cost { program: cpu, recorder: 0.0, per_call: per_call(subject, &stdout)?, bytes: 0 })
    }

    /// Runs the program under apitrace, which writes its trace in the program's own threads.
    pub fn apitrace(&self, subject: &Subject) -> anyhow::Result<Cost> {
        let trace = self.apitrace_file();
        remove(&trace)?;
        let mut command = Command::new("apitrace");
        command.args(["trace", "--api", subject.api, "--output"]).arg(&trace);
        let (stdout, cpu) = self.run(self.append(&mut command, subject))?;
        Ok(Cost { program: cpu, recorder: 0.0, per_call: per_call(subject, &stdout)?, bytes: size(&trace)? })
    }

    /// Runs the program under `afterimage record`.
    pub fn ours(&self, subject: &Subject) -> anyhow::Result<Cost> {
        let trace = self.our_file();
        remove(&trace)?;
        let mut command = Command::new(self.built.join("afterimage"));
        command.args(["record", "--json", "--quiet", "--output"]).arg(&trace).arg("--");
        let (stdout, _) = self.run(self.append(&mut command, subject))?;
        let last = stdout.lines().last().context("afterimage printed nothing")?;
        let json: serde_json::Value = serde_json::from_str(last).context("afterimage did not print JSON")?;
        let cpu = |key: &str| json[key].as_f64().with_context(|| format!("afterimage did not print {key}"));
        Ok(Cost {
            program: cpu("program_cpu")?,
            recorder: cpu("recorder_cpu")?,
            per_call: per_call(subject, &stdout)?,
            bytes: size(&trace)?,
        })
    }

    /// Returns the CPU seconds of apitrace's replay of its last trace, without checks and at full speed.
    pub fn replay_apitrace(&self) -> anyhow::Result<f64> {
        Ok(self.run(Command::new("apitrace").args(["replay", "--benchmark"]).arg(self.apitrace_file()))?.1)
    }

    /// Returns the CPU seconds of our replay of our last trace.
    pub fn replay_ours(&self) -> anyhow::Result<f64> {
        let mut command = Command::new(self.built.join("afterimage"));
        Ok(self.run(command.args(["replay", "--bench"]).arg(self.our_file()))?.1)
    }

    /// Returns the path of apitrace's last trace.
    pub fn apitrace_file(&self) -> PathBuf {
        self.folder.join("bench.trace")
    }

    /// Returns the path of our last trace.
    pub fn our_file(&self) -> PathBuf {
        self.folder.join("bench.aftr")
    }

    fn program(&self, subject: &Subject) -> Command {
        let mut command = Command::new(self.path(subject));
        command.args(&subject.command[1..]);
        command
    }

    fn append<'a>(&self, command: &'a mut Command, subject: &Subject) -> &'a mut Command {
        command.arg(self.path(subject)).args(&subject.command[1..])
    }

    fn path(&self, subject: &Subject) -> PathBuf {
        let own = self.built.join(subject.command[0]);
        if own.is_file() { own } else { PathBuf::from(subject.command[0]) }
    }

    /// Runs to completion; returns stdout and CPU seconds of the process and its waited-for children.
    pub fn run(&self, command: &mut Command) -> anyhow::Result<(String, f64)> {
        let before = children()?;
        let output = command
            .env("DISPLAY", &self.display)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        if !output.status.success() {
            bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), children()? - before))
    }
}

/// Returns the CPU seconds of all children so far.
fn children() -> anyhow::Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

/// Parses what the program prints: `glUniform4f: 21.5 ns per call, …`.
fn per_call(subject: &Subject, stdout: &str) -> anyhow::Result<Option<f64>> {
    if subject.calls.is_none() {
        return Ok(None);
    }
    let number = stdout.lines().find_map(|line| line.split_once(" ns per call")?.0.rsplit(' ').next()?.parse().ok());
    Ok(Some(number.with_context(|| format!("{} did not print the time per call", subject.name))?))
}

fn size(path: &Path) -> anyhow::Result<u64> {
    Ok(std::fs::metadata(path).with_context(|| format!("cannot find {}", path.display()))?.len())
}

fn remove(path: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
