//! The driver's verdicts: a pool of worker processes, and a cache.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context, bail};
use driver::Api;
use serde_json::Value;

use super::answers::{self, Answers};
use super::case::{Answer, Case, Verdict};
use super::{pool, worker};

/// Timeout of the driver for one case.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// What the driver supports for one API.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    /// `GL_VERSION` and renderer.
    pub version: String,
    /// Highest `#version`.
    pub glsl: u16,
    /// All extensions.
    pub extensions: BTreeSet<String>,
    /// Limits, by the names of GLSL's built-in constants.
    pub limits: Vec<(String, i32)>,
}

/// What the driver supports for each API.
pub type Offers = BTreeMap<Api, Offer>;

/// All verdicts of a run.
pub struct Verdicts {
    /// What the driver supports.
    pub offers: Offers,
    /// One per case, in order.
    pub verdicts: Vec<Verdict>,
    /// Number of new verdicts; the rest came from the cache.
    pub asked: usize,
}

impl Verdicts {
    /// Sets the driver's limits where cases demand none, so that our front end uses them too.
    pub fn apply_limits(&self, cases: &mut [Case]) {
        for case in cases {
            let Some(offer) = self.offers.get(&case.api) else { continue };
            for limit in &offer.limits {
                if !case.limits.iter().any(|demanded| demanded.0 == limit.0) {
                    case.limits.push(limit.clone());
                }
            }
        }
    }
}

/// Returns the driver's verdict on every case, from the cache where the same source was judged before.
pub fn judge(cases: &[&Case]) -> anyhow::Result<Verdicts> {
    let offers = Worker::start(None)?.offers.clone();
    let mut cache = Answers::open("mesa-verdicts", &offers)?;
    let jobs: Vec<(Value, String)> = cases
        .iter()
        .map(|case| {
            let job = worker::job(case);
            let key = answers::key(&job);
            (job, key)
        })
        .collect();
    let known = |cache: &Answers, key: &str| cache.get(key).and_then(from_cached);
    let open: Vec<&(Value, String)> = jobs.iter().filter(|(_, key)| known(&cache, key).is_none()).collect();
    let shared = Mutex::new(&mut cache);
    pool::each(
        &open,
        pool::cores(),
        || None,
        |worker, (job, key)| {
            let verdict = ask(worker, job)?;
            let mut cache = shared.lock().map_err(|_| anyhow::anyhow!("another thread failed"))?;
            cache.store(key, to_cached(&verdict))
        },
    )?;
    let verdicts = jobs
        .iter()
        .map(|(_, key)| known(&cache, key).context("a verdict is missing from the cache"))
        .collect::<anyhow::Result<_>>()?;
    Ok(Verdicts { offers, verdicts, asked: open.len() })
}

/// Returns why the driver's verdict on a case is not meaningful; `None` when it is.
pub fn incomparable(case: &Case, offers: &Offers, verdict: &Verdict) -> Option<String> {
    if verdict.answer == Answer::Broke {
        return Some(verdict.log.clone());
    }
    let offer = offers.get(&case.api)?;
    if case.glsl > offer.glsl {
        return Some(format!("GLSL {}", case.glsl));
    }
    let lacking = case.requires.iter().find(|name| !offer.extensions.contains(*name));
    let offered = case.absent.iter().find(|name| offer.extensions.contains(*name));
    lacking.cloned().or_else(|| offered.map(|name| format!("!{name}")))
}

/// Gets a verdict from a running worker; its death is the verdict on the job that killed it.
fn ask(slot: &mut Option<Worker>, job: &Value) -> anyhow::Result<Verdict> {
    match ask_frame(slot, job, None, TIMEOUT)? {
        Ok(frame) => read_verdict(&frame),
        Err(log) => Ok(Verdict { answer: Answer::Broke, log: log.to_owned() }),
    }
}

/// Reads a verdict from a worker's reply.
pub fn read_verdict(frame: &Value) -> anyhow::Result<Verdict> {
    let answer = frame["answer"].as_str().and_then(Answer::from_name).context("a worker sent an invalid reply")?;
    Ok(Verdict { answer, log: frame["log"].as_str().unwrap_or_default().to_owned() })
}

/// Sends a job to a running worker, or to a new one; if the worker dies of the job, returns how.
pub fn ask_frame(
    slot: &mut Option<Worker>,
    job: &Value,
    machine_code: Option<&Path>,
    timeout: Duration,
) -> anyhow::Result<Result<Value, &'static str>> {
    let mut worker = match slot.take() {
        Some(worker) => worker,
        None => Worker::start(machine_code)?,
    };
    if worker::write_frame(&mut worker.input, job).is_err() {
        return Ok(Err("driver crashed"));
    }
    match worker.frames.recv_timeout(timeout) {
        Ok(frame) => {
            *slot = Some(worker);
            Ok(Ok(frame))
        }
        Err(RecvTimeoutError::Disconnected) => Ok(Err("driver crashed")),
        Err(RecvTimeoutError::Timeout) => Ok(Err("driver timed out")),
    }
}

/// A worker process, which is killed when this value is dropped.
pub struct Worker {
    child: Child,
    input: ChildStdin,
    frames: Receiver<Value>,
    offers: Offers,
}

impl Worker {
    /// Starts a worker. Given a folder, Mesa caches machine code there, which makes drawing fast; without it,
    /// everything is compiled again, because a cache would hide the logs.
    pub fn start(machine_code: Option<&Path>) -> anyhow::Result<Worker> {
        let mut command = Command::new(crate::process::this_program());
        match machine_code {
            // Equivalent programs have the same intermediate code, by which Mesa finds the machine code.
            Some(folder) => command.env("MESA_SHADER_CACHE_DIR", folder).env("MESA_SHADER_CACHE_DISABLE", "false"),
            None => command.env("MESA_SHADER_CACHE_DISABLE", "true"),
        };
        let mut child = command
            .arg("mesa-worker")
            // Verdicts must be llvmpipe's on any machine.
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            // With rasterizer threads images would depend on their order, and each worker already has a core.
            .env("LP_NUM_THREADS", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start a worker process")?;
        let input = child.stdin.take().context("a worker has no stdin")?;
        let mut output = child.stdout.take().context("a worker has no stdout")?;
        let mut errors = child.stderr.take().context("a worker has no stderr")?;
        let (send, frames) = mpsc::channel();
        std::thread::spawn(move || {
            while let Ok(Some(frame)) = worker::read_frame(&mut output) {
                if send.send(frame).is_err() {
                    break;
                }
            }
        });
        // RecordedTrace in case the worker cannot start; always drained, so that it never blocks on a full pipe.
        let (say, said) = mpsc::channel();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            // A worker that dies closes its end; everything up to then has been read.
            let _ = std::io::Read::read_to_end(&mut errors, &mut text);
            let _ = say.send(String::from_utf8_lossy(&text).into_owned());
        });
        match frames.recv_timeout(TIMEOUT) {
            Ok(hello) => Ok(Worker { child, input, frames, offers: read_offers(&hello) }),
            Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                let text = said.recv_timeout(TIMEOUT).unwrap_or_default();
                bail!("cannot get verdicts from the driver: {}", text.trim().trim_start_matches("xtask: "))
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_offers(hello: &Value) -> Offers {
    let read = |api: Api| {
        let offer = &hello[api.name()];
        let names = offer["extensions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let limits = offer["limits"].as_array().map(Vec::as_slice).unwrap_or_default();
        let limit = |l: &Value| Some((l[0].as_str()?.to_owned(), i32::try_from(l[1].as_i64()?).ok()?));
        Offer {
            version: offer["version"].as_str().unwrap_or_default().to_owned(),
            glsl: offer["glsl"].as_u64().and_then(|n| u16::try_from(n).ok()).unwrap_or(0),
            extensions: names.iter().filter_map(|n| n.as_str().map(str::to_owned)).collect(),
            limits: limits.iter().filter_map(limit).collect(),
        }
    };
    Api::ALL.into_iter().map(|api| (api, read(api))).collect()
}

/// Returns a verdict as stored in the cache: `ANSWER LOG`.
fn to_cached(verdict: &Verdict) -> String {
    format!("{} {}", verdict.answer.name(), verdict.log.replace('\n', " "))
}

fn from_cached(text: &str) -> Option<Verdict> {
    let (answer, log) = text.split_once(' ').unwrap_or((text, ""));
    Some(Verdict { answer: Answer::from_name(answer)?, log: log.to_owned() })
}
