//! What is in a trace: frames, draws, contexts, programs, what it lacks. One walk finds all of it.

mod draws;
mod programs;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use api::{Command, Count, Namespace, Role, constant as c, id};
use chronicle::Annotations;
use trace::{Call, ReadError, Reader};

use crate::error::TraceError;

pub use draws::Amount;
use draws::Changes;
use programs::Programs;
pub use programs::{Program, Shader, Text};

/// What is in a trace.
#[derive(Default)]
pub struct Survey {
    /// What wrote it.
    pub product: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// How many calls it has.
    pub calls: u64,
    /// How many threads made them.
    pub threads: u32,
    /// The recorded program, if the trace names it.
    pub process: Option<Process>,
    /// The frames.
    pub frames: Vec<Frame>,
    /// The first and the last call before the first frame, in a trimmed trace.
    pub before: Option<(u64, u64)>,
    /// The first and the last call after the last frame.
    pub after: Option<(u64, u64)>,
    /// How many draws and dispatches there are.
    pub draw_count: u64,
    /// Those before the first frame.
    pub draws_before: u64,
    /// Those after the last frame.
    pub draws_after: u64,
    /// Each of them, if that was asked for.
    pub draws: Vec<Draw>,
    /// The contexts, in the order in which the trace names them.
    pub contexts: Vec<Context>,
    /// The programs, in the order in which they were made.
    pub programs: Vec<Program>,
    /// The texts of shaders.
    pub texts: Vec<Text>,
    /// What the recording lacks, in sentences.
    pub problems: Vec<String>,
    /// Whether it has no end.
    pub truncated: bool,
    /// Whether anything is presented in it; if not, all of it counts as one frame.
    pub presented: bool,
}

impl Survey {
    /// Whether a call is before the first frame.
    #[must_use]
    pub fn is_before(&self, call: u64) -> bool {
        self.before.is_some_and(|(_, last)| call <= last)
    }
}

/// The program that was recorded.
pub struct Process {
    /// Its process id.
    pub pid: u64,
    /// The path of its executable.
    pub program: String,
    /// Its arguments.
    pub arguments: String,
    /// Its working directory.
    pub directory: String,
}

/// A frame ([`Reader::frame_count`] says what that is).
pub struct Frame {
    /// Its first command.
    pub first: u64,
    /// Its last command.
    pub last: u64,
    /// How many draws it has.
    pub draws: u64,
}

/// A draw or dispatch.
pub struct Draw {
    /// Its command.
    pub command: u64,
    /// Its frame; nothing before the first and after the last.
    pub frame: Option<usize>,
    /// The function that it calls.
    pub name: &'static str,
    /// A place in the list of programs.
    pub program: Option<usize>,
    /// How much it draws.
    pub amount: Amount,
    /// The framebuffer that it draws to, 0 for a surface, and what the program calls it.
    pub framebuffer: (u32, Option<String>),
    /// What changed since the context's last draw.
    pub changed: Vec<&'static str>,
    /// Whether it is in the list that was asked for.
    pub listed: bool,
    /// The debug groups that are open there.
    pub groups: Vec<Arc<str>>,
}

/// A context, as capture described it.
#[derive(Default)]
pub struct Context {
    /// Its number.
    pub number: u32,
    /// The context whose objects it shares, or 0.
    pub share: u32,
    /// The context that stands for all that share objects with it.
    pub group: u32,
    /// The API, as the trace has it.
    pub api: u64,
    /// The version that was asked for.
    pub version: (i64, i64),
    /// The profile that was asked for, as the trace has it.
    pub profile: u64,
    /// The driver's `GL_VENDOR`; empty if the context was never current.
    pub vendor: String,
    /// The driver's `GL_RENDERER`; empty if the context was never current.
    pub renderer: String,
    /// The driver's `GL_VERSION`; empty if the context was never current.
    pub version_text: String,
}

/// Whether draws are listed or only counted. A trace may have tens of millions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Draws {
    /// Each is listed.
    Listed,
    /// They are only counted.
    Counted,
}

/// Reads all calls. `progress` is told the number of a call now and then.
///
/// # Errors
/// When the trace cannot be read.
pub fn survey(reader: &Reader, draws: Draws, progress: &mut dyn FnMut(u64)) -> Result<Survey, TraceError> {
    let mut survey = Survey {
        product: reader.fact("product").unwrap_or_default().to_owned(),
        bytes: reader.bytes_on_disk(),
        calls: reader.len(),
        ..Survey::default()
    };
    survey.frames = (0..reader.frame_count())
        .filter_map(|index| reader.frame(index))
        .map(|range| Frame { first: range.start, last: range.end - 1, draws: 0 })
        .collect();
    let before = reader.before_first_frame();
    survey.before = (!before.is_empty()).then(|| (before.start, before.end - 1));
    let after = reader.after_last_frame();
    survey.after = (!after.is_empty()).then(|| (after.start, after.end - 1));
    survey.presented = !reader.presents().is_empty();
    if !reader.is_complete() {
        survey.truncated = true;
        survey.problems.push("the recording was not finished, or its end is damaged".to_owned());
    }
    survey.problems.extend(reader.losses().iter().map(ToString::to_string));
    // Lost calls are met on the way.
    survey.problems.extend(reader.damage().lost_memory());
    let mut walk = Walk {
        reader,
        survey,
        draws,
        missed: reader.losses().iter().filter_map(trace::Loss::calls).collect(),
        places: HashMap::new(),
        current: HashMap::new(),
        compiling: HashSet::new(),
        programs: Programs::default(),
        changes: Changes::default(),
        annotations: Annotations::read(reader)?,
    };
    reader.calls().each(reader.len(), |read| {
        match read {
            Ok(call) => {
                if call.number % 4096 == 0 {
                    progress(call.number);
                }
                walk.take(call);
            }
            Err(lost) => walk.lost(lost),
        }
        Ok::<(), ReadError>(())
    })?;
    let Walk { mut survey, mut programs, annotations, .. } = walk;
    programs.label(&annotations);
    survey.programs = programs.list;
    survey.texts = programs.texts;
    Ok(survey)
}

struct Walk<'r> {
    reader: &'r Reader,
    survey: Survey,
    draws: Draws,
    /// Ranges of calls that were missed when the file was opened.
    missed: HashSet<(u64, u64)>,
    /// Where a context is in the list.
    places: HashMap<u32, usize>,
    /// The context that a thread uses.
    current: HashMap<u32, u32>,
    /// Contexts that are compiling a display list without executing it.
    compiling: HashSet<u32>,
    programs: Programs,
    changes: Changes,
    annotations: Annotations,
}

impl Walk<'_> {
    fn take(&mut self, call: &Call<'_>) {
        let reader = self.reader;
        self.survey.threads = self.survey.threads.max(call.thread + 1);
        let Some(command) = call.command else { return };
        let int = |at: usize| call.args[at] as u32;
        match command {
            id::afiProcess => {
                self.survey.process = Some(Process {
                    pid: call.args[0],
                    program: text(reader, call, 1),
                    arguments: text(reader, call, 2),
                    directory: text(reader, call, 3),
                });
            }
            id::afiContext => {
                let group = if int(1) == 0 { int(0) } else { self.group(int(1)) };
                let context = self.context(int(0));
                context.share = int(1);
                context.group = group;
                context.api = call.args[3];
                context.version = (call.args[4] as i64, call.args[5] as i64);
                context.profile = call.args[6];
            }
            id::afiDescribe => {
                let words = [1, 2, 3].map(|param| text(reader, call, param));
                let context = self.context(int(0));
                [context.vendor, context.renderer, context.version_text] = words;
            }
            id::afiCurrent => {
                self.current.insert(call.thread, int(0));
            }
            id::afiProblem => {
                let problem = text(reader, call, 0);
                self.survey.problems.push(problem);
            }
            _ => {}
        }
        let context = self.current.get(&call.thread).copied().unwrap_or(0);
        let known: &'static Command = api::command(command);
        match command {
            id::glNewList if int(1) == c::GL_COMPILE => {
                self.compiling.insert(context);
            }
            id::glEndList => {
                self.compiling.remove(&context);
            }
            _ => {}
        }
        if !self.compiling.contains(&context) && matches!(known.role, Role::Draw | Role::Dispatch) {
            let frame = reader.frame_of(call.number);
            self.survey.draw_count += 1;
            let is_before = self.survey.is_before(call.number);
            match frame.and_then(|frame| self.survey.frames.get_mut(frame)) {
                Some(frame) => frame.draws += 1,
                None if is_before => self.survey.draws_before += 1,
                None => self.survey.draws_after += 1,
            }
            if self.draws == Draws::Listed {
                let program = self.programs.used_by(context);
                let groups = self.annotations.groups(call.thread, call.number);
                let (framebuffer, changed) = self.changes.at_draw(context);
                let label = self.annotations.label(context, Namespace::Framebuffer, framebuffer, call.number);
                self.survey.draws.push(Draw {
                    command: call.number,
                    frame,
                    name: known.name,
                    program,
                    amount: Amount::of(call, known),
                    framebuffer: (framebuffer, label.filter(|_| framebuffer != 0).map(str::to_owned)),
                    changed,
                    listed: true,
                    groups,
                });
            }
        } else if self.draws == Draws::Listed && !self.compiling.contains(&context) {
            self.changes.follow(context, call, command);
        }
        let group = self.group(context);
        self.programs.follow(reader, call, command, context, group);
    }

    fn lost(&mut self, error: &ReadError) {
        // Calls that opening the file already missed are in the list without a reason.
        let known = match error {
            ReadError::Lost { first, last, .. } => self.missed.contains(&(*first, last + 1)),
            _ => false,
        };
        if !known {
            self.survey.problems.push(error.to_string());
        }
    }

    fn context(&mut self, number: u32) -> &mut Context {
        let contexts = &mut self.survey.contexts;
        let at = *self.places.entry(number).or_insert_with(|| {
            contexts.push(Context { number, group: number, ..Context::default() });
            contexts.len() - 1
        });
        &mut contexts[at]
    }

    /// One context stands for all that share objects with it.
    fn group(&self, context: u32) -> u32 {
        self.places.get(&context).map_or(context, |at| self.survey.contexts[*at].group)
    }
}

/// The text behind a parameter; empty when it was not recorded.
fn text(reader: &Reader, call: &Call<'_>, param: u8) -> String {
    let pieces = pieces(reader, call, param).unwrap_or_default();
    String::from_utf8_lossy(pieces.first().map_or(&[], Vec::as_slice)).into_owned()
}

/// The texts behind a parameter that is an array of texts, or one text, as bytes; nothing when they were not recorded or
/// are lost.
#[must_use]
pub fn pieces(reader: &Reader, call: &Call<'_>, param: u8) -> Option<Vec<Vec<u8>>> {
    let bytes = call.input(param).and_then(|data| reader.bytes(data).ok().flatten())?;
    let several = call.command.is_some_and(|command| {
        let memory = api::command(command).params.get(usize::from(param)).and_then(|param| param.memory);
        memory.is_some_and(|memory| matches!(memory.count, Count::Texts { .. }))
    });
    if !several {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        return Some(vec![bytes[..end].to_vec()]);
    }
    let mut rest = &bytes[..];
    let mut pieces = Vec::new();
    while let Some((length, tail)) = rest.split_first_chunk::<4>() {
        let length = (u32::from_le_bytes(*length) as usize).min(tail.len());
        let (piece, tail) = tail.split_at(length);
        pieces.push(piece.to_vec());
        rest = tail;
    }
    Some(pieces)
}
