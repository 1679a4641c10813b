//! Why a session cannot do something.
//!
//! Every variant says what is wrong and where in its fields, so that a client can act on it; its message is one sentence for
//! people. Errors of the engines below are translated here and do not leave the crate.

use std::fmt;
use std::path::PathBuf;

use chronicle::ChronicleError;
use device::DeviceError;
use inquiry::InquiryError;
use instrument::InspectError;
use instrument::variant::Refusal;
use open_trace::{DrawError, LedgerError};
use recall::RecallError;

use crate::data::group::Branch;
use crate::data::history::{NodeKind, Plane};

/// Why a session cannot do something.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    // The trace.
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] trace::ReadError),
    /// The trace has no such command.
    #[error("there is no command {command}: the trace has {count} command{}, from 0", ending(*.count))]
    NoSuchCommand {
        /// The command asked for.
        command: u64,
        /// How many commands there are.
        count: u64,
    },
    /// The trace has no such frame.
    #[error("{}", trace::no_such_frame(*.frame as u64, *.count as u64))]
    NoSuchFrame {
        /// The frame asked for.
        frame: usize,
        /// How many frames there are.
        count: usize,
    },
    /// The command neither draws nor dispatches.
    #[error(
        "command {command} is {call}, which neither draws nor dispatches; `afterimage info --draws` lists the commands that do"
    )]
    NotADraw {
        /// The command.
        command: u64,
        /// The function it calls.
        call: String,
    },
    /// No context is current at the command.
    #[error("no context is current at command {command}")]
    NoContext {
        /// The command.
        command: u64,
    },

    /// The recorded program has no such object there.
    #[error("after command {command} there is no {kind} {name}")]
    NoSuchObject {
        /// The command.
        command: u64,
        /// What was asked for: `buffer`, `texture` or `renderbuffer`.
        kind: &'static str,
        /// Its name.
        name: u32,
    },
    /// The trace asks for more work or memory than a trace may.
    #[error("the trace cannot be served: {why}")]
    Excess {
        /// The command and what it asks for.
        why: String,
    },

    // Shaders.
    /// No shader runs in the draw, or the trace lacks its text.
    #[error("command {command} has no shader to examine: {why}")]
    NoShaders {
        /// The draw or dispatch.
        command: u64,
        /// The reason.
        why: String,
    },
    /// The draw has no such stage.
    #[error("no {stage} shader runs in command {command}")]
    NoStage {
        /// The draw or dispatch.
        command: u64,
        /// The stage.
        stage: &'static str,
    },
    /// No stage has this name.
    #[error(transparent)]
    UnknownStage(#[from] shader::version::UnknownStage),
    /// The front end finds an error in the shader.
    #[error("the {stage} shader of program {program} cannot be debugged: {why}")]
    ShaderInvalid {
        /// Its stage.
        stage: &'static str,
        /// The recorded name of its program.
        program: u32,
        /// The first error.
        why: String,
    },
    /// The emulator cannot run the draw.
    #[error("the emulator cannot run this draw: {why}")]
    NotEmulated {
        /// The reason.
        why: String,
    },
    /// The shader cannot be instrumented for the question on this device, or in its version of the language.
    #[error("{why}")]
    NotInstrumented {
        /// The reason, as a sentence.
        why: String,
    },
    /// The question does not fit the shader: an expression that does not compile where it is put.
    #[error("{message}")]
    QuestionInvalid {
        /// The front end's message.
        message: String,
    },
    /// The shader has no such moment.
    #[error("the shader has no moment {moment}: copy one from the list of values")]
    NoSuchMoment {
        /// The moment.
        moment: String,
    },
    /// The driver accepts no instrumented shader.
    #[error("the driver rejects the instrumented shader{}: {log}", in_file(.path.as_ref()))]
    ShaderRejected {
        /// Its log of the last one.
        log: String,
        /// The file with the text of the last one.
        path: Option<PathBuf>,
    },

    // The device.
    /// The device cannot be started.
    #[error("cannot start a worker for the driver: {why}")]
    DeviceNotStarted {
        /// The reason.
        why: String,
    },
    /// The device cannot answer the question.
    #[error("{why}")]
    DeviceRefused {
        /// The reason, as a sentence.
        why: String,
    },
    /// The driver crashed.
    #[error("the driver crashed{}: {how}", at(*.command))]
    DeviceCrashed {
        /// The command it was executing; `None` if it had not begun.
        command: Option<u64>,
        /// How it crashed.
        how: String,
    },
    /// The driver made no progress and was stopped.
    #[error("the driver made no progress for {seconds} seconds{} and was stopped", at(*.command))]
    DeviceHung {
        /// The command it was executing; `None` if it had not begun.
        command: Option<u64>,
        /// How long it made no progress.
        seconds: u64,
    },
    /// The driver ran out of memory.
    #[error("the driver ran out of memory{}: a worker may take {megabytes} MB; --worker-memory allows more", at(*.command))]
    DeviceOutOfMemory {
        /// The command it was executing; `None` if it had not begun.
        command: Option<u64>,
        /// The bound for its memory.
        megabytes: u64,
    },
    /// The worker's answer cannot be understood.
    #[error("the worker sent an answer that cannot be understood ({why}); this is a bug, please report it")]
    DeviceGarbled {
        /// What is wrong with it.
        why: String,
    },
    /// The device offers no such transport for answers.
    #[error("the device has no transport {name} for a {stage} shader; it offers {}", list(.offered))]
    NoTransport {
        /// The transport asked for.
        name: String,
        /// The stage of the shader.
        stage: &'static str,
        /// Those that it offers.
        offered: Vec<&'static str>,
    },
    /// The user interrupted ([`crate::Control::interrupt`]); nothing is wrong.
    #[error("interrupted")]
    Interrupted,

    // Choosing an invocation.
    /// No invocation was chosen.
    #[error("no invocation is being debugged: choose one first")]
    NoInvocation,
    /// No such invocation runs in the draw.
    #[error("command {command} runs no such {stage} invocation: nothing was drawn there")]
    NoSuchInvocation {
        /// The draw or dispatch.
        command: u64,
        /// The stage.
        stage: &'static str,
    },
    /// No fragment of the draw ran at the pixel, or none of that primitive.
    #[error("command {command}: {why}")]
    NoFragment {
        /// The draw.
        command: u64,
        /// The reason, with the pixel and the primitive.
        why: String,
    },
    /// No invocation of the stage runs in the draw.
    #[error("command {command} runs no {stage} invocations")]
    NoInvocations {
        /// The draw or dispatch.
        command: u64,
        /// The stage.
        stage: &'static str,
    },
    /// The compute invocation is outside the dispatch, or its workgroup cannot be emulated.
    #[error("invocation {},{},{} of command {command} cannot be run: {why}", id[0], id[1], id[2])]
    NoSuchThread {
        /// The dispatch.
        command: u64,
        /// The invocation.
        id: [u32; 3],
        /// The reason.
        why: String,
    },
    /// The pixel is outside the framebuffer.
    #[error("pixel {},{} is outside the framebuffer{}, which has {}x{} pixels", pixel[0], pixel[1], of(*.command), size[0], size[1])]
    OutsideOfTarget {
        /// The pixel.
        pixel: [u32; 2],
        /// Width and height of the framebuffer.
        size: [u32; 2],
        /// The draw, if one was named.
        command: Option<u64>,
    },
    /// The framebuffer has no such plane.
    #[error("the framebuffer has no {}", buffer(*.plane))]
    NoSuchPlane {
        /// The plane.
        plane: Plane,
    },
    /// The framebuffer has no such layer.
    #[error("there is no layer {layer}: command {command} draws to {count}")]
    NoSuchLayer {
        /// The layer asked for.
        layer: u32,
        /// How many there are.
        count: u32,
        /// The draw.
        command: u64,
    },
    /// The shader does not run for each sample.
    #[error("the shader of command {command} runs once for all samples of a fragment: leave out the sample")]
    SamplesAlike {
        /// The draw.
        command: u64,
    },
    /// No fragment of the draw stays anywhere.
    #[error("command {command} leaves no fragments anywhere")]
    NoFragments {
        /// The draw.
        command: u64,
    },
    /// The size of a dispatch is unknown.
    #[error("the number of workgroups of command {command} is unknown: {why}")]
    UnknownDispatchSize {
        /// The dispatch.
        command: u64,
        /// The reason.
        why: String,
    },

    // Walking.
    /// The quad or workgroup has no such lane.
    #[error("there is no lane {lane}: `lanes` lists them")]
    NoSuchLane {
        /// The lane asked for.
        lane: usize,
    },
    /// The stack has no such frame.
    #[error("there is no stack frame {frame}: the stack has {count}")]
    NoSuchStackFrame {
        /// The frame asked for.
        frame: usize,
        /// How many there are.
        count: usize,
    },
    /// The shader has no statement to stop at.
    #[error("the shader has no statements to stop at")]
    NoStatements,
    /// The shader does not end.
    #[error("the shader ran a billion blocks without stopping: it may be endless")]
    Endless,
    /// The emulator failed.
    #[error("the emulator failed on this invocation: choose another, and please report this trace")]
    EmulatorFailed,

    // Places in a shader.
    /// No statement begins in the line, nor after it where that would do.
    #[error("no statement begins in line {line} of the shader{}", if *.or_after { " or after it" } else { "" })]
    NoStatementAt {
        /// The line, from 1.
        line: u32,
        /// Whether a statement after the line would do.
        or_after: bool,
    },
    /// The shader has no such column.
    #[error("line {line} of the shader has no column {column}")]
    NoSuchColumn {
        /// The line, from 1.
        line: u32,
        /// The column, from 1.
        column: u32,
    },
    /// Nothing at the place is executed.
    #[error("nothing at line {line}, column {column} of the shader is executed")]
    NotExecuted {
        /// The line, from 1.
        line: u32,
        /// The column, from 1.
        column: u32,
    },
    /// The invocation does not come to the line.
    #[error("{}the invocation never comes to line {line}", next_statement(*asked, *line))]
    LineNotReached {
        /// The line of the statement, from 1.
        line: u32,
        /// The line that was asked for.
        asked: u32,
    },
    /// The statement has no value.
    #[error("`{text}` has no value: name an expression by its column, or write one")]
    NoValueAt {
        /// The statement.
        text: String,
    },
    /// No path through the shader leads to the place.
    #[error("no path through the shader leads to `{text}`")]
    NeverReached {
        /// The statement or expression.
        text: String,
    },
    /// No loop or branch begins in the line.
    #[error("no loop, if, switch or ?: begins in line {line} of the shader")]
    NothingToCount {
        /// The line, from 1.
        line: u32,
    },

    // Expressions, breakpoints and changes.
    /// An expression has no value at a place.
    #[error("`{text}` has no value here: {why}")]
    Expression {
        /// The expression.
        text: String,
        /// The reason.
        why: NoValue,
    },
    /// What is written to is followed for variables in registers only.
    #[error("`{path}` is no variable in registers here, or part of one, so that nothing writes to it")]
    NotInRegisters {
        /// The expression.
        path: String,
    },
    /// The invocation does not come to a moment.
    #[error("this invocation does not come to the moment {moment}")]
    MomentNotReached {
        /// The moment.
        moment: String,
    },
    /// A condition cannot be evaluated at its line.
    #[error("{why}")]
    Condition {
        /// The condition.
        text: String,
        /// The reason, as a sentence.
        why: String,
    },
    /// No exception has this name.
    #[error("there is no exception `{name}`; use {}", list(.known))]
    UnknownException {
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<&'static str>,
    },
    /// No draw among those searched runs the shader.
    #[error("of {count} draw{} searched none runs this shader{}", ending(*.count as u64), because(.why.as_ref()))]
    NoDrawRunsShader {
        /// How many draws were searched.
        count: usize,
        /// Why the first draw that may run it could not be asked.
        why: Option<String>,
    },
    /// A value cannot be changed.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// A comparison with the emulator needs to know which value to compare.
    #[error("of a {stage} shader say which value to compare")]
    NothingToCompare {
        /// The stage.
        stage: &'static str,
    },

    // Walking through all fragments together.
    /// No branch is at the statement.
    #[error("there is no branch here")]
    NoBranch,
    /// No fragment takes the branch.
    #[error("no fragment takes this branch: {}", if *.branch == Branch::True { "true" } else { "false" })]
    BranchNotTaken {
        /// The branch.
        branch: Branch,
    },
    /// No loop is around the statement.
    #[error("there is no loop around this statement")]
    NoLoop,
    /// The device and the emulator take different branches.
    #[error("the device and the emulator take different branches here, so this one cannot be followed")]
    BranchesDiffer,

    // Across passes.
    /// The statement makes no such texture read.
    #[error("the statement makes no texture read {read} with texel {texel}")]
    NoSuchRead {
        /// The read asked for.
        read: usize,
        /// The texel of it.
        texel: usize,
    },
    /// Histories are of pixels and fragments.
    #[error("only pixels have a history: choose a pixel or a fragment")]
    NotAPixel,
    /// What wrote the texel was not a shader.
    #[error("no shader wrote this: {call} (command {command}) did, so that there is nothing to step through")]
    NoShaderWrote {
        /// The command that wrote it.
        command: u64,
        /// The function it calls.
        call: String,
        /// How it wrote.
        kind: NodeKind,
    },
    /// Nothing wrote the texel.
    #[error("no command wrote this texel")]
    NotWritten,
    /// The draw that wrote the texel cannot be examined.
    #[error("the draw that wrote this texel (command {command}) cannot be examined: {why}")]
    WriterUnknown {
        /// The draw.
        command: u64,
        /// The reason.
        why: String,
    },

    // Memory.
    /// There is no such memory.
    #[error("there is no memory `{space}`; use uniform, storage, counter, shared or patch")]
    NoSuchMemory {
        /// The name of the address space.
        space: String,
    },
}

/// Why an expression has no value at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// The expression is wrong, or the emulator cannot evaluate it.
    Invalid {
        /// What is wrong.
        message: String,
    },
    /// The device can be asked only about the chosen invocation, without changes, before it ends.
    NotTheRecorded,
    /// No statement can be put in front of the place.
    NoPlace,
    /// The device does not reach the place.
    NotReached,
    /// The invocations have ended.
    Ended,
}

impl fmt::Display for NoValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoValue::Invalid { message } => message,
            NoValue::NotTheRecorded => {
                "the device can be asked only about the chosen invocation, before it ends, and without changed values"
            }
            NoValue::NoPlace => "no statement can be put in front of this place",
            NoValue::NotReached => "the device does not reach this place",
            NoValue::Ended => "the fragments have ended",
        })
    }
}

/// Why a value cannot be changed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ChangeError {
    /// Only the invocation on top of the stack can be changed.
    #[error("only variables of the current invocation can be set: step out to the one that has `{path}` first")]
    NotCurrent {
        /// The variable.
        path: String,
    },
    /// The value is of another type.
    #[error("`{path}` is of type {expected}, and `{value}` is of type {found}")]
    WrongType {
        /// The variable.
        path: String,
        /// Its type.
        expected: String,
        /// The expression.
        value: String,
        /// Its type.
        found: String,
    },
    /// The variable is not in registers.
    #[error("`{path}` {}; only variables of the shader that are visible can be set", not_visible(*line))]
    NotVisible {
        /// The variable.
        path: String,
        /// The line in which a variable of that name is declared.
        line: Option<u32>,
    },
    /// A recorded edit cannot be repeated.
    #[error("`{path}` cannot be set at {moment}")]
    NotRepeatable {
        /// The variable.
        path: String,
        /// The place.
        moment: String,
    },
    /// The vertex shader has no such attribute.
    #[error("the vertex shader has no attribute {name}")]
    NoSuchAttribute {
        /// The name.
        name: String,
    },
    /// An attribute has at most four numbers.
    #[error("attribute {name} takes at most four numbers, not {count}")]
    TooManyNumbers {
        /// The attribute.
        name: String,
        /// How many were given.
        count: usize,
    },
    /// The shaders have no such sampler.
    #[error("the shaders of this draw have no sampler {name}")]
    NoSuchSampler {
        /// The name.
        name: String,
    },
    /// A texture or a uniform cannot be replaced.
    #[error("{why}")]
    Refused {
        /// The name of the sampler or uniform.
        name: String,
        /// The reason, as a sentence.
        why: String,
    },
}

impl SessionError {
    /// Returns whether the user interrupted ([`crate::Control::interrupt`]), and nothing is wrong.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        matches!(self, SessionError::Interrupted)
    }
}

impl From<DeviceError> for SessionError {
    fn from(error: DeviceError) -> SessionError {
        match error {
            DeviceError::Start(why) => SessionError::DeviceNotStarted { why },
            DeviceError::Refused(why) => SessionError::DeviceRefused { why },
            DeviceError::Crashed { command, how } => SessionError::DeviceCrashed { command, how },
            DeviceError::Hung { command, seconds } => SessionError::DeviceHung { command, seconds },
            DeviceError::OutOfMemory { command, megabytes } => SessionError::DeviceOutOfMemory { command, megabytes },
            DeviceError::Interrupted => SessionError::Interrupted,
            DeviceError::UnexpectedAnswer { question, answer } => {
                SessionError::DeviceGarbled { why: format!("{answer} to {question}") }
            }
            DeviceError::Garbled(why) => SessionError::DeviceGarbled { why },
        }
    }
}

impl From<DrawError> for SessionError {
    fn from(error: DrawError) -> SessionError {
        match error {
            DrawError::Trace(error) => error.into(),
            DrawError::Model(error) => error.into(),
            DrawError::NoSuchCommand { command, length } => SessionError::NoSuchCommand { command, count: length },
            DrawError::NoSuchFrame { frame, count } => SessionError::NoSuchFrame { frame, count },
            DrawError::NotADraw { command, name } => SessionError::NotADraw { command, call: name },
            DrawError::NoContext { command } => SessionError::NoContext { command },
            // Those that are about a draw come with its command, as `InquiryError::Shaders`.
            why @ (DrawError::NoProgram | DrawError::NoStandIn { .. } | DrawError::NoText { .. }) => {
                SessionError::NotEmulated { why: why.to_string() }
            }
        }
    }
}

impl From<ChronicleError> for SessionError {
    fn from(error: ChronicleError) -> SessionError {
        match error {
            ChronicleError::Trace(error) => error.into(),
            ChronicleError::NoSuchCommand { number, length } => {
                SessionError::NoSuchCommand { command: number, count: length }
            }
            error @ (ChronicleError::Excess(_) | ChronicleError::TooMany { .. }) => {
                SessionError::Excess { why: error.to_string() }
            }
        }
    }
}

impl From<LedgerError> for SessionError {
    fn from(error: LedgerError) -> SessionError {
        match error {
            LedgerError::Trace(error) => error.into(),
            LedgerError::Interrupted => SessionError::Interrupted,
        }
    }
}

impl From<InspectError> for SessionError {
    fn from(error: InspectError) -> SessionError {
        match error {
            InspectError::Refused(Refusal::Wrong(message)) => SessionError::QuestionInvalid { message },
            InspectError::Refused(Refusal::NoMoment(moment)) => SessionError::NoSuchMoment { moment },
            InspectError::Refused(Refusal::Impossible(why)) => SessionError::NotInstrumented { why },
            InspectError::Rejected { log, .. } => SessionError::ShaderRejected { log, path: None },
            InspectError::Garbled(why) => SessionError::DeviceGarbled { why },
            InspectError::Failed(why) => SessionError::DeviceRefused { why },
        }
    }
}

impl From<InquiryError> for SessionError {
    fn from(error: InquiryError) -> SessionError {
        match error {
            InquiryError::Trace(error) => error.into(),
            InquiryError::Model(error) => error.into(),
            InquiryError::Draw(error) => error.into(),
            InquiryError::Shaders { command, why } => SessionError::NoShaders { command, why: why.to_string() },
            InquiryError::Device(error) => error.into(),
            InquiryError::Inspect(error) => error.into(),
            InquiryError::Reenact(refusal) => SessionError::NotEmulated { why: refusal.to_string() },
            InquiryError::NoStage { command, stage } => SessionError::NoStage { command, stage: stage.name() },
            InquiryError::DispatchSize { command, why } => {
                SessionError::UnknownDispatchSize { command, why: why.to_string() }
            }
            error @ InquiryError::NoTransport { .. } => SessionError::DeviceRefused { why: error.to_string() },
            InquiryError::Rejected { log, path } => SessionError::ShaderRejected { log, path: Some(path) },
        }
    }
}

impl From<RecallError> for SessionError {
    fn from(error: RecallError) -> SessionError {
        match error {
            RecallError::Inquiry(error) => error.into(),
            RecallError::Chronicle(error) => error.into(),
            RecallError::Framebuffer(refusal) => SessionError::NotEmulated { why: refusal.to_string() },
            RecallError::NoPlane(role) => SessionError::NoSuchPlane { plane: role.into() },
            RecallError::OutsideOfTarget { at, size } => {
                SessionError::OutsideOfTarget { pixel: at, size, command: None }
            }
        }
    }
}

fn at(command: Option<u64>) -> String {
    command.map(|command| format!(" at command {command}")).unwrap_or_default()
}

fn of(command: Option<u64>) -> String {
    command.map(|command| format!(" of command {command}")).unwrap_or_default()
}

fn in_file(path: Option<&PathBuf>) -> String {
    path.map(|path| format!(", which is in {}", path.display())).unwrap_or_default()
}

fn because(why: Option<&String>) -> String {
    why.map(|why| format!(": {why}")).unwrap_or_default()
}

fn buffer(plane: Plane) -> String {
    match plane {
        Plane::Colour(number) => format!("colour buffer {number}"),
        Plane::Depth => "depth buffer".to_owned(),
        Plane::Stencil => "stencil buffer".to_owned(),
    }
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The ending of a noun after a number.
fn ending(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Says that a line has no statement, if the next one was taken.
fn next_statement(asked: u32, line: u32) -> String {
    if asked == line { String::new() } else { format!("no statement begins in line {asked}, and of the next one: ") }
}

/// Why a variable is not visible.
fn not_visible(line: Option<u32>) -> String {
    match line {
        Some(line) => format!("is declared in line {line}, and not visible here"),
        None => "is not a variable here".to_owned(),
    }
}
