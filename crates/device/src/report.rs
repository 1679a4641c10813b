//! Replaying a trace as a whole: what to do, and what came of it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What to do with a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ReplayRequest {
    /// How far to run.
    pub until: Until,
    /// The folder to write pictures to.
    pub images: Option<PathBuf>,
    /// Write a picture after each draw instead of one of each frame.
    pub per_draw: bool,
    /// Compare with the recording.
    pub verify: bool,
    /// Commands after which to take a picture of the draw framebuffer, in any order.
    pub looks: Vec<u64>,
    /// For these pictures, execute every call and not only those that they depend on.
    pub everything: bool,
    /// For these pictures, go back by starting over and not from checkpoints.
    pub from_start: bool,
    /// Compare the model with the driver after each of these commands.
    pub compare_state: bool,
    /// Commands after which to compare the model with the driver, in order.
    pub examine: Vec<u64>,
    /// Contents to read back for a trimmed trace.
    pub contents: Option<ContentsRequest>,
    /// Frames to hash, the first and the last; the first of a trace is 0.
    pub hashes: Option<[u64; 2]>,
}

/// How far to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Until {
    /// To the end.
    #[default]
    End,
    /// Until this frame has been presented; the first is 0.
    Frame(u64),
    /// Up to and including this call.
    Command(u64),
}

/// Contents to read back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ContentsRequest {
    /// The calls that are kept; their contents are those before the first.
    pub kept: Range<u64>,
    /// The file to write them to: a trace that has nothing but `afiContents`.
    pub to: PathBuf,
}

/// What came of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Calls executed.
    pub commands: u64,
    /// Calls among them that could not be read.
    pub lost: u64,
    /// Calls that were skipped, because nothing that was looked at depends on them.
    pub skipped: u64,
    /// How the run got back to earlier commands.
    pub returns: Returns,
    /// Seconds that it took to get to each command that was looked at, and to look.
    pub looks: Vec<f64>,
    /// Frames presented.
    pub frames: u64,
    /// Pictures written.
    pub images: u64,
    /// Hashes of the frames that were asked for, in order, each with its size; a frame that shows nothing has an empty one.
    pub hashes: Vec<String>,
    /// Names of the pictures of commands that were looked at: the first colour buffer of each, then the others.
    pub pictures: Vec<String>,
    /// The driver's `GL_RENDERER`.
    pub renderer: String,
    /// What was compared with the recording, if that was asked for.
    pub tally: Option<Tally>,
    /// Where the model and the driver differ, if that was asked for.
    pub findings: Option<Findings>,
    /// What could not be done as recorded.
    pub problems: Vec<Problem>,
    /// Seconds from the first call to the end of the last.
    pub seconds: f64,
    /// Seconds of processor time during that.
    pub cpu_seconds: f64,
}

/// Something that could not be done as recorded.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Problem {
    /// The first call it happened at.
    pub command: u64,
    /// What it is.
    pub text: String,
    /// How often it happened.
    pub times: u64,
}

/// How a run got back to earlier commands.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Returns {
    /// How often from a checkpoint.
    pub by_checkpoint: u64,
    /// How often by starting over, and why.
    pub anew: Vec<Restart>,
    /// How many checkpoints there are.
    pub checkpoints: u64,
    /// Bytes of contents that they hold.
    pub bytes: u64,
    /// The most bytes that they ever held.
    pub most_bytes: u64,
    /// How often draws of earlier frames were left out because an experiment showed that nothing depends on them.
    pub shortcuts: u64,
    /// How often such an experiment showed that something does, or showed nothing.
    pub detours: u64,
}

/// Why a run started over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Restart {
    /// The reason.
    pub reason: String,
    /// How often.
    pub times: u64,
}

impl Returns {
    /// Counts a start over.
    pub fn started_over(&mut self, reason: String) {
        match self.anew.iter_mut().find(|restart| restart.reason == reason) {
            Some(restart) => restart.times += 1,
            None => self.anew.push(Restart { reason, times: 1 }),
        }
    }
}

/// What was compared with the recording.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Pictures about to be presented.
    pub frames: Count,
    /// Pictures of what was bound when a context or the program ended.
    pub last: Count,
    /// What calls returned: pixels, texels, bytes of buffers, mapped memory.
    pub readbacks: Count,
    /// Answers of `glGetError`.
    pub errors: Count,
    /// Results that could not be compared: nothing was written, or the trace has only a hash and not all was written.
    pub incomparable: u64,
    /// The commands that gave those results and why they could not be compared, the first of each kind first.
    pub unsettled: Vec<Unsettled>,
    /// The first differences.
    pub differences: Vec<Difference>,
}

/// Results of one command that could not be compared, for one reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unsettled {
    /// The command's name.
    pub name: String,
    /// The first call.
    pub command: u64,
    /// How many results.
    pub times: u64,
    /// Why.
    pub reason: Incomparable,
}

/// Why a result could not be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Incomparable {
    /// The driver wrote nothing.
    NothingWritten,
    /// The trace has only a hash, and the driver did not write every byte that was hashed.
    PartlyWritten,
    /// No buffer is mapped there.
    NotMapped,
    /// There is no surface or context to read from, or it was never drawn to.
    NothingToRead,
}

impl Incomparable {
    /// Returns the reason as a clause.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Incomparable::NothingWritten => "the driver wrote nothing",
            Incomparable::PartlyWritten => {
                "the trace has a hash only, and the driver did not write all that was hashed"
            }
            Incomparable::NotMapped => "no buffer is mapped there",
            Incomparable::NothingToRead => "there is nothing to read from",
        }
    }
}

impl Tally {
    /// Counts a result that could not be compared.
    pub fn leave_open(&mut self, (command, name): (u64, &str), reason: Incomparable) {
        self.incomparable += 1;
        match self.unsettled.iter_mut().find(|known| known.reason == reason && known.name == name) {
            Some(known) => known.times += 1,
            None => self.unsettled.push(Unsettled { name: name.to_owned(), command, times: 1, reason }),
        }
    }
}

/// How many were compared and how many of those were equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Count {
    /// Compared.
    pub compared: u64,
    /// Equal.
    pub equal: u64,
}

/// Something that differs from the recording.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Difference {
    /// The call at which it was found.
    pub command: u64,
    /// What was compared.
    pub kind: ComparedKind,
    /// How it differs.
    pub text: String,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ComparedKind {
    /// A picture about to be presented.
    #[serde(rename = "frame")]
    Frame,
    /// A picture of what was bound at the end.
    #[serde(rename = "last picture")]
    Last,
    /// What a call returned.
    #[serde(rename = "readback")]
    Readback,
    /// An answer of `glGetError`.
    #[serde(rename = "error")]
    Error,
}

/// How many differences are described.
const DESCRIBED: usize = 8;

impl ComparedKind {
    /// Returns its name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ComparedKind::Frame => "frame",
            ComparedKind::Last => "last picture",
            ComparedKind::Readback => "readback",
            ComparedKind::Error => "error",
        }
    }
}

impl Tally {
    /// Counts a comparison at a call; `difference` says how it differs, if it does.
    pub fn add(&mut self, command: u64, kind: ComparedKind, difference: Option<String>) {
        let count = match kind {
            ComparedKind::Frame => &mut self.frames,
            ComparedKind::Last => &mut self.last,
            ComparedKind::Readback => &mut self.readbacks,
            ComparedKind::Error => &mut self.errors,
        };
        count.compared += 1;
        count.equal += u64::from(difference.is_none());
        if let Some(text) = difference
            && self.differences.len() < DESCRIBED
        {
            self.differences.push(Difference { command, kind, text });
        }
    }

    /// Returns how many comparisons of pixels and results there were. Errors alone do not verify a trace.
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.frames.compared + self.last.compared + self.readbacks.compared
    }

    /// Returns whether everything that was compared is equal.
    #[must_use]
    pub fn equal(&self) -> bool {
        [self.frames, self.last, self.readbacks, self.errors].iter().all(|count| count.compared == count.equal)
    }
}

/// Where the model and the driver differ.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Findings {
    /// At how many commands they were compared.
    pub places: u64,
    /// How many queries were made.
    pub asked: u64,
    /// How many of them the model answered as the driver did.
    pub equal: u64,
    /// How many the model could not answer for lack of facts in the trace.
    pub unknown: u64,
    /// What images hold, compared with the write records.
    pub texels: Texels,
    /// The differences, by query and name: how often, and the first time.
    pub differences: BTreeMap<String, Finding>,
}

/// Texels that were read back, by what the write records say of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Texels {
    /// They come from memory of the program, from copies of such texels or from clears, so the trace has them.
    pub compared: u64,
    /// Those of them that are in images, or parts of images, that are equal to what the trace has.
    pub equal: u64,
    /// Only a driver knows them.
    pub by_gpu: u64,
    /// Never written, or not in the trace.
    pub undefined: u64,
    /// The trace has them in a form that is not compared.
    pub other_form: u64,
    /// Images that were read back more than once.
    pub looks: u64,
    /// Those of them that had changed.
    pub changes: u64,
}

/// A difference between the model and the driver.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Finding {
    /// How often it occurred.
    pub times: u64,
    /// The command after which it occurred first.
    pub command: u64,
    /// The query, and both answers.
    pub text: String,
}

impl Findings {
    /// Adds a difference; `text` is called the first time.
    pub fn differ(&mut self, name: &str, command: u64, text: impl FnOnce() -> String) {
        let finding = self.differences.entry(name.to_owned()).or_default();
        finding.times += 1;
        if finding.times == 1 {
            finding.command = command;
            finding.text = text();
        }
    }

    /// Returns how many queries had different answers.
    #[must_use]
    pub fn different(&self) -> u64 {
        self.differences.values().map(|finding| finding.times).sum()
    }
}

/// Whether a device is as it should be after questions were asked.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Checked {
    /// Queries about the state that the driver was asked.
    pub asked: u64,
    /// Pictures, and results that the program read, to the end of the trace.
    pub compared: u64,
    /// How many of those equal the recording.
    pub equal: u64,
    /// The first differences from the model or the recording.
    pub differences: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_alone_do_not_verify_a_trace() {
        let mut tally = Tally::default();
        tally.add(3, ComparedKind::Error, None);
        assert_eq!(tally.compared(), 0);
        tally.add(4, ComparedKind::Frame, Some("other".to_owned()));
        assert_eq!((tally.compared(), tally.equal()), (1, false));
        assert_eq!(tally.differences[0].command, 4);
    }
}
