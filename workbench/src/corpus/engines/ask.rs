//! One draw of a gallery: a fragment of it is debugged and inspected.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use host::{Host, OpenOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use session::Choice;

use crate::bench::record::measure::Tools;
use crate::corpus::alarms::touched;
use crate::corpus::record::child;

/// How long a command may take.
const LIMIT: Duration = Duration::from_secs(400);
/// Pixels that are tried for a fragment.
const TRIES: usize = 12;

/// A draw, and a fragment of it.
#[derive(Clone, Serialize, Deserialize)]
pub struct Question {
    /// The names of its shaders.
    pub name: String,
    pub trace: PathBuf,
    /// The command and the pixel; nothing if no pixel that was tried has a fragment.
    place: Option<(u64, String)>,
}

/// What a draw answered.
#[derive(Serialize)]
pub struct Answer {
    pub question: Question,
    /// Seconds until the debugger shows the first stop, the first measured value, and all of them.
    stop: Option<f64>,
    pub first: Option<f64>,
    pub whole: Option<f64>,
    /// Seconds that `inspect --verify` takes, if it answers.
    pub verified: Option<f64>,
    /// Whether it finds no difference.
    pub quiet: bool,
    /// The first failure.
    why: String,
}

impl Answer {
    /// Whether there is a fragment to ask about.
    pub fn is_drawn(&self) -> bool {
        self.question.place.is_some()
    }

    /// A line of the table.
    pub fn line(&self) -> String {
        let seconds = |time: Option<f64>| time.map_or("-".to_owned(), |time| format!("{time:.1} s"));
        let verdict = match (self.is_drawn(), self.verified, self.quiet) {
            (false, _, _) => "draws nothing",
            (_, None, _) => "no answer",
            (_, _, true) => "agrees",
            _ => "differs",
        };
        format!(
            "{:44} stop {:>7}, first {:>7}, whole {:>7}, --verify {:>7}  {verdict} {}",
            self.question.name,
            seconds(self.stop),
            seconds(self.first),
            seconds(self.whole),
            seconds(self.verified),
            self.why
        )
    }
}

/// Finds a fragment of the only draw of a frame.
pub fn question(tools: &Tools, trace: &Path, frame: usize, name: String) -> anyhow::Result<Question> {
    Ok(Question { name, place: fragment(tools, trace, frame)?, trace: trace.to_owned() })
}

/// Asks one draw.
pub fn ask(tools: &Tools, question: &Question) -> anyhow::Result<Answer> {
    let none = [None; 4];
    let [stop, first, whole, verified] = none;
    let mut answer =
        Answer { question: question.clone(), stop, first, whole, verified, quiet: false, why: String::new() };
    let Question { trace, place: Some((command, pixel)), .. } = question else { return Ok(answer) };
    let place = ["--at".to_owned(), command.to_string(), "--pixel".to_owned(), pixel.clone()];
    let folder = tools.folder.join("answer");
    tools.cache_only(trace)?;
    let mut debug = tools.afterimage();
    let debugged =
        child::finish(debug.arg("debug").arg(trace).args(&place).args(["--bench", "1"]), &folder, LIMIT, None)?;
    let rounds: Value = serde_json::from_str(&debugged.stdout).unwrap_or_default();
    let round = &rounds["rounds"][0];
    [answer.stop, answer.first, answer.whole] =
        ["cold", "first_value", "recorded"].map(|key| round[key].as_f64().filter(|_| debugged.status == Some(0)));
    if answer.whole.is_none() {
        answer.why = last(&debugged.stderr);
    }
    tools.cache_only(trace)?;
    let begin = Instant::now();
    let mut inspect: Command = tools.afterimage();
    let inspected =
        child::finish(inspect.arg("inspect").arg(trace).args(&place).args(["--verify"]), &folder, LIMIT, None)?;
    if matches!(inspected.status, Some(0 | 1)) {
        answer.verified = Some(begin.elapsed().as_secs_f64());
        answer.quiet = inspected.status == Some(0);
    }
    if inspected.status != Some(0) {
        let said = match inspected.stdout.lines().find(|line| line.contains('✗')) {
            Some(line) if inspected.status == Some(1) => line.trim().to_owned(),
            _ => last(&inspected.stderr),
        };
        answer.why = format!("{} {said}", place[1..].join(" ")).chars().take(240).collect();
    }
    Ok(answer)
}

fn last(text: &str) -> String {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
}

fn fragment(tools: &Tools, trace: &Path, frame: usize) -> anyhow::Result<Option<(u64, String)>> {
    let mut session = Host::with_program(tools.built.join("afterimage")).session(&OpenOptions::new(trace))?;
    let draws = session.draws(frame).with_context(|| format!("{} has no frame {frame}", trace.display()))?;
    let Some(command) = draws.first().map(|draw| draw.command) else { return Ok(None) };
    let pixels = touched(&mut session, command)?;
    let step = (pixels.len() / TRIES).max(1);
    for [x, y] in pixels.into_iter().step_by(step) {
        let choice = Choice::Fragment { command, x, y, primitive: None, sample: None, layer: None };
        if session.enter(&choice).is_ok() {
            return Ok(Some((command, format!("{x},{y}"))));
        }
    }
    Ok(None)
}
