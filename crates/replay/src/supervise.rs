//! Starts a worker, watches it, and knows what became of it.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use driver::{DeviceChoice, Page};
use serde_json::Value;

use crate::Report;
use crate::timeline::Until;
use crate::worker::{Contents, Request, word};

/// The hidden command by which the product starts itself as a worker.
pub const WORKER: &str = "replay-worker";

/// How often a worker is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// How a worker ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Ended {
    /// It did what was asked.
    Done(Box<Report>),
    /// It could not, and said why.
    Unserved(String),
    /// It died.
    Crashed {
        /// The call it was executing; none when it had not begun.
        command: Option<u64>,
        /// How it died, in words.
        how: String,
    },
    /// It did not get any further and was ended.
    Hung {
        /// The call it was executing; none when it had not begun.
        command: Option<u64>,
        /// How long nothing had happened.
        seconds: u64,
    },
}

/// How far a worker is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Calls executed.
    pub command: u64,
    /// How many there are; 0 while that is not known.
    pub total: u64,
    /// Frames presented.
    pub frames: u64,
}

/// Has a worker do what is asked for. `program` is this product's own executable; `progress` is told now and then.
///
/// # Errors
/// When no worker can be started.
pub fn run(
    program: &Path,
    request: &Request,
    timeout: Duration,
    progress: &mut dyn FnMut(Progress),
) -> io::Result<Ended> {
    let page = Page::create()?;
    let descriptor = page.share()?;
    let mut command = Command::new(program);
    command.arg(WORKER).arg("--page").arg(descriptor.to_string()).args(arguments(request));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let answers = listen(&mut child);
    let mut last = (page.load(word::COMMAND), page.load(word::BEAT));
    let mut since = Instant::now();
    loop {
        match answers.recv_timeout(INTERVAL) {
            // The pipe has ended, so the worker has or is about to.
            Ok(answer) => {
                let status = wait(&mut child, timeout)?;
                return Ok(conclude(&page, &answer, status));
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let status = wait(&mut child, timeout)?;
                return Ok(conclude(&page, "", status));
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        let now = (page.load(word::COMMAND), page.load(word::BEAT));
        if now != last {
            (last, since) = (now, Instant::now());
        } else if since.elapsed() >= timeout {
            child.kill()?;
            child.wait()?;
            return Ok(Ended::Hung { command: now.0.checked_sub(1), seconds: timeout.as_secs() });
        }
        progress(Progress { command: now.0, total: page.load(word::TOTAL), frames: page.load(word::FRAMES) });
    }
}

/// The part of a worker's command line that says what to open, and where.
pub(crate) fn place(trace: &Path, device: &DeviceChoice) -> Vec<OsString> {
    let mut list: Vec<OsString> = vec!["--trace".into(), trace.into()];
    match device {
        DeviceChoice::First => {}
        DeviceChoice::Index(index) => list.extend(["--device-index".into(), index.to_string().into()]),
        DeviceChoice::Named(name) => list.extend(["--device-name".into(), name.into()]),
    }
    list
}

/// The worker's command line, as [`parse`] reads it.
fn arguments(request: &Request) -> Vec<OsString> {
    let mut list = place(&request.trace, &request.device);
    match request.until {
        Until::End => {}
        Until::Frame(frame) => list.extend(["--frame".into(), frame.to_string().into()]),
        Until::Command(number) => list.extend(["--to".into(), number.to_string().into()]),
    }
    if let Some(folder) = &request.images {
        list.extend(["--images".into(), folder.clone().into()]);
    }
    list.extend(request.per_draw.then(|| "--per-draw".into()));
    for (name, numbers) in [("--examine", &request.examine), ("--looks", &request.looks)] {
        if !numbers.is_empty() {
            let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
            list.extend([name.into(), numbers.join(",").into()]);
        }
    }
    list.extend(request.everything.then(|| "--everything".into()));
    list.extend(request.from_start.then(|| "--from-start".into()));
    list.extend(request.compare_state.then(|| "--compare-state".into()));
    if let Some(contents) = &request.contents {
        let range = format!("{}..{}", contents.kept.start, contents.kept.end);
        list.extend(["--contents-of".into(), range.into(), "--contents-to".into(), contents.to.clone().into()]);
    }
    list.extend(request.verify.then(|| "--verify".into()));
    list
}

/// What a worker is started for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Work {
    /// To do one thing.
    Once(Box<Request>),
    /// To answer questions about a trace on a device, with [`service::serve`](crate::service::serve).
    Serve(PathBuf, DeviceChoice),
}

/// Reads a worker's command line, without the name of its command: the descriptor of the page, and what to do.
#[must_use]
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Option<(i32, Work)> {
    let (mut page, mut serve) = (None, false);
    let mut request = Request::new(PathBuf::new());
    let mut arguments = arguments.into_iter();
    while let Some(name) = arguments.next() {
        match name.to_str()? {
            "--serve" => serve = true,
            "--per-draw" => request.per_draw = true,
            "--verify" => request.verify = true,
            "--everything" => request.everything = true,
            "--from-start" => request.from_start = true,
            "--compare-state" => request.compare_state = true,
            name => {
                let value = arguments.next()?;
                let number = || value.to_str()?.parse::<u64>().ok();
                match name {
                    "--page" => page = Some(i32::try_from(number()?).ok()?),
                    "--trace" => request.trace = value.into(),
                    "--device-index" => request.device = DeviceChoice::Index(usize::try_from(number()?).ok()?),
                    "--device-name" => request.device = DeviceChoice::Named(value.into_string().ok()?),
                    "--frame" => request.until = Until::Frame(number()?),
                    "--to" => request.until = Until::Command(number()?),
                    "--examine" => request.examine = numbers(value.to_str()?)?,
                    "--looks" => request.looks = numbers(value.to_str()?)?,
                    "--images" => request.images = Some(value.into()),
                    "--contents-of" => {
                        let (start, end) = value.to_str()?.split_once("..")?;
                        let kept = start.parse().ok()?..end.parse().ok()?;
                        request.contents = Some(Contents { kept, to: PathBuf::new() });
                    }
                    "--contents-to" => request.contents.as_mut()?.to = value.into(),
                    _ => return None,
                }
            }
        }
    }
    Some((page?, if serve { Work::Serve(request.trace, request.device) } else { Work::Once(Box::new(request)) }))
}

fn numbers(list: &str) -> Option<Vec<u64>> {
    list.split(',').map(|number| number.parse().ok()).collect()
}

/// Collects what the worker says, on a thread of its own, because a worker that hangs says nothing.
fn listen(child: &mut Child) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut pipe) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // A worker that dies in the middle of a sentence has said what it has said.
            let _ = pipe.read_to_end(&mut bytes);
            let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
        });
    }
    receiver
}

/// Waits for a worker that has closed its pipe. One that does not end is ended.
pub(crate) fn wait(child: &mut Child, timeout: Duration) -> io::Result<ExitStatus> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if begin.elapsed() >= timeout {
            child.kill()?;
            return child.wait();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn conclude(page: &Page, answer: &str, status: ExitStatus) -> Ended {
    // A driver may print to stdout; the worker's own word is the last line.
    let answer = answer.lines().next_back().and_then(|line| serde_json::from_str::<Value>(line).ok());
    let command = page.load(word::COMMAND).checked_sub(1);
    match (answer, status.signal()) {
        (Some(answer), None) if answer["report"].is_object() => {
            Ended::Done(Box::new(Report::from_json(&answer["report"])))
        }
        (Some(answer), None) if answer["error"].is_string() => {
            Ended::Unserved(answer["error"].as_str().unwrap_or_default().to_owned())
        }
        // The report is out; what a driver does while it is unloaded is no part of the trace.
        (Some(answer), Some(_)) if answer["report"].is_object() => {
            Ended::Done(Box::new(Report::from_json(&answer["report"])))
        }
        (..) => Ended::Crashed { command, how: how_it_ended(status) },
    }
}

/// How a process died, in words.
pub(crate) fn how_it_ended(status: ExitStatus) -> String {
    status.signal().map_or_else(|| status.to_string(), signal_name)
}

fn signal_name(signal: i32) -> String {
    match signal {
        4 => "SIGILL (illegal instruction)".to_owned(),
        6 => "SIGABRT (it gave up)".to_owned(),
        7 => "SIGBUS (bad address)".to_owned(),
        8 => "SIGFPE (arithmetic)".to_owned(),
        9 => "SIGKILL (killed from outside, perhaps for lack of memory)".to_owned(),
        11 => "SIGSEGV (bad address)".to_owned(),
        other => format!("signal {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_survives_the_way_through_a_command_line() {
        let request = Request {
            trace: "some trace.aftr".into(),
            device: DeviceChoice::Named("llvm".to_owned()),
            until: Until::Frame(3),
            images: Some("pictures".into()),
            per_draw: true,
            verify: true,
            looks: vec![4, 2],
            everything: true,
            from_start: true,
            compare_state: true,
            examine: vec![7],
            contents: Some(Contents { kept: 5..9, to: "contents.aftr".into() }),
        };
        let mut list = arguments(&request);
        list.extend(["--page".into(), "5".into()]);
        assert_eq!(parse(list), Some((5, Work::Once(Box::new(request)))));
        let mut list = place(Path::new("t.aftr"), &DeviceChoice::Index(1));
        list.extend(["--page".into(), "5".into(), "--serve".into()]);
        assert_eq!(parse(list), Some((5, Work::Serve("t.aftr".into(), DeviceChoice::Index(1)))));
        assert_eq!(parse(["--nonsense".into(), "1".into()]), None);
        assert_eq!(parse(["--verify".into()]), None);
    }
}
