//! A draw or dispatch before anything runs: its calls, and the shaders of its stages as the recording driver read them.

use std::ops::RangeInclusive;
use std::sync::Arc;

use api::{Command, CommandId, Role, constant as c, id};
use instrument::{Subject, Written};
use shader::Shader;
use shader::builtin::ExtensionSet;
use shader::version::{Options, Profile, Stage, Vendor, Version};
use state::objects::pipeline::STAGES;
use state::objects::program::{Part, Program};
use state::reach::{WorkKind, running};
use state::{Facts as ContextFacts, ShareGroup, View};
use trace::{ReadError, Reader};

use crate::DrawError;
use crate::stand_in::{self, Replaced, StandIn};

/// The shader of one stage of a draw or dispatch.
pub struct StageShader {
    /// The stage.
    pub stage: Stage,
    /// The recorded name of its program.
    pub program: u32,
    /// The text of the shader that has `main`.
    pub text: Arc<[u8]>,
    /// That shader, analysed as the recording driver read it.
    pub shader: Arc<Shader>,
    /// The options it was analysed with.
    pub options: Options,
    /// Its index among the shaders that the program was linked from.
    pub part: usize,
    /// For a fragment shader, what the vertex shader writes of its varyings; `None` if that does not matter.
    pub written: Option<Arc<Written>>,
    /// What it replaces, if it is a generated shader and not one of the recording.
    pub stand_in: Option<Replaced>,
    /// The whole program with its generated shaders, if it has any.
    pub whole: Option<Arc<StandIn>>,
}

impl StageShader {
    /// Returns the shader as the subject of a question.
    #[must_use]
    pub fn subject(&self) -> Subject<'_> {
        Subject { shader: &self.shader, options: &self.options, written: self.written.as_deref() }
    }

    /// Returns the values of the uniforms of generated shaders, as bits.
    #[must_use]
    pub fn uniforms(&self) -> &[(String, Vec<u32>)] {
        self.whole.as_ref().map_or(&[], |whole| whole.uniforms.as_slice())
    }

    /// Returns the model's record of its program.
    #[must_use]
    pub fn recorded<'a>(&'a self, view: &View<'a>) -> Option<&'a Program> {
        self.whole.as_ref().map(|whole| &whole.program).or_else(|| view.group.program(self.program))
    }
}

/// The call or calls that make up one draw or dispatch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrawCalls {
    /// The thread that makes them.
    pub thread: u32,
    /// From the first to the last; calls of other threads in between are not part of it. There is more than one only
    /// between `glBegin` and `glEnd`.
    pub range: RangeInclusive<u64>,
    /// The last command.
    pub command: CommandId,
    /// Whether it draws or dispatches.
    pub work: WorkKind,
}

impl DrawCalls {
    /// Returns the description of the last command.
    #[must_use]
    pub fn about(&self) -> &'static Command {
        api::command(self.command)
    }

    /// Returns the name of the last command.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.about().name
    }
}

/// How many calls back to search for the `glBegin` of a call.
const LONGEST_PRIMITIVE: u64 = 1 << 20;

/// Returns GL's name for a stage, such as `GL_VERTEX_SHADER`.
#[must_use]
pub fn shader_type(stage: Stage) -> u32 {
    STAGES[stage as usize]
}

/// Returns the calls of the draw or dispatch that a call belongs to.
///
/// # Errors
/// When the call neither draws nor dispatches, or the trace cannot be read.
pub fn draw_calls(reader: &Reader, number: u64) -> Result<DrawCalls, DrawError> {
    let held = reader.call_at(number)?;
    let (thread, name) = (held.call().thread, held.call().name().to_owned());
    let command = held.call().command;
    drop(held);
    let nothing = || DrawError::NotADraw { command: number, name: name.clone() };
    let command = command.ok_or_else(nothing)?;
    let role = api::command(command).role;
    let work = match role {
        Role::Dispatch => WorkKind::Dispatch,
        _ => WorkKind::Draw,
    };
    let alone = DrawCalls { thread, range: number..=number, command, work };
    let immediate = command == id::glEnd || role != Role::Draw && role != Role::Dispatch;
    if !immediate {
        return Ok(alone);
    }
    let begin = begin_before(reader, thread, number.saturating_sub(LONGEST_PRIMITIVE), number)?;
    let end = if command == id::glEnd { Some(number) } else { end_after(reader, thread, number)? };
    match (begin, end) {
        (Some(begin), Some(end)) => Ok(DrawCalls { range: begin..=end, command: id::glEnd, ..alone }),
        _ => Err(nothing()),
    }
}

/// Returns the last `glBegin` of a thread up to a call that has no `glEnd` before that call.
fn begin_before(reader: &Reader, thread: u32, from: u64, number: u64) -> Result<Option<u64>, DrawError> {
    let mut calls = reader.calls();
    calls.seek(from);
    let mut begun = None;
    loop {
        match calls.next() {
            Ok(Some(call)) if call.number <= number => match call.command {
                Some(id::glBegin) if call.thread == thread => begun = Some(call.number),
                Some(id::glEnd) if call.thread == thread && call.number < number => begun = None,
                _ => {}
            },
            Ok(_) => return Ok(begun),
            Err(ReadError::Lost { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn end_after(reader: &Reader, thread: u32, number: u64) -> Result<Option<u64>, DrawError> {
    let mut calls = reader.calls();
    calls.seek(number);
    loop {
        match calls.next() {
            Ok(Some(call)) if call.number > number + LONGEST_PRIMITIVE => return Ok(None),
            Ok(Some(call)) if call.thread == thread && call.command == Some(id::glEnd) => return Ok(Some(call.number)),
            Ok(Some(_)) | Err(ReadError::Lost { .. }) => {}
            Ok(None) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Analyses the shaders that a draw or dispatch runs, in pipeline order, and generates those that fixed functions need.
///
/// # Errors
/// When no shader runs and none can be generated, or the trace lacks the text of one.
pub(crate) fn stages(view: &View<'_>, work: WorkKind) -> Result<Vec<StageShader>, DrawError> {
    let names = running(view.context, view.group, work);
    let mut stages: Vec<StageShader> = Vec::new();
    for (stage, name) in Stage::ALL.into_iter().zip(names) {
        let Some(program) = view.group.program(name).filter(|_| name != 0) else { continue };
        // A program whose interface is not in the trace counts as having every stage.
        let parts = program.executable_parts.iter().enumerate().filter(|(_, part)| part.kind == shader_type(stage));
        let parts: Vec<(usize, &Part)> = parts.collect();
        if parts.is_empty() && !program.executable_parts.is_empty() {
            continue;
        }
        let mut found = analyse(view, stage, name, &parts)?;
        if stage == Stage::Fragment
            && let [before @ .., vertex] = stages.as_slice()
            && before.is_empty()
            && program.executable_parts.iter().filter(|part| part.kind == c::GL_VERTEX_SHADER).count() == 1
        {
            found.written = Written::of(&vertex.shader).map(Arc::new);
        }
        stages.push(found);
    }
    stand_in::complete(view, work, &mut stages)?;
    Ok(stages)
}

/// Analyses the shader of a stage that defines `main`; other shaders of the stage stay as they are.
fn analyse(view: &View<'_>, stage: Stage, program: u32, parts: &[(usize, &Part)]) -> Result<StageShader, DrawError> {
    let options = options(&view.context.facts, view.group, stage);
    let mut found = None;
    for (part, about) in parts {
        let Some(text) = &about.text else { continue };
        let shader = shader::analyze(&[String::from_utf8_lossy(text).as_ref()], &options);
        let name = |function: &shader::typed::Function| shader.preprocessed.symbols.name(function.name) == "main";
        let has_main = shader.typed.functions.iter().any(|function| function.body.is_some() && name(function));
        if found.is_none() || has_main {
            found = Some((*part, Arc::clone(text), shader));
        }
        if has_main {
            break;
        }
    }
    let (part, text, shader) = found.ok_or(DrawError::NoText { stage: stage.name(), program })?;
    Ok(StageShader {
        stage,
        program,
        text,
        shader: Arc::new(shader),
        options,
        part,
        written: None,
        stand_in: None,
        whole: None,
    })
}

/// Returns the options with which the recording driver read a shader.
pub(crate) fn options(facts: &ContextFacts, group: &ShareGroup, stage: Stage) -> Options {
    let es = facts.es(2, 0);
    let mut options = Options::new(stage);
    if es {
        options.default_version = Version { number: 100, profile: Profile::Es };
    }
    let [vendor, renderer, version] = &facts.strings;
    let says = |what: &str| [vendor, renderer, version].iter().any(|text| text.contains(what));
    options.vendor = match (says("Mesa"), says("NVIDIA")) {
        (true, _) => Vendor::Mesa,
        (_, true) => Vendor::Nvidia,
        _ => Vendor::Khronos,
    };
    // A trace without a list of extensions does not restrict them.
    if !facts.extensions.is_empty() {
        options.available = ExtensionSet::empty();
        for extension in facts.extensions.iter().filter_map(|name| shader::builtin::extension(name)) {
            options.available.insert(extension);
        }
    }
    for (path, text) in &group.includes {
        let path = format!("/{}", String::from_utf8_lossy(path));
        options.includes.strings.push((path, String::from_utf8_lossy(text).into_owned()));
    }
    for (name, limit) in LIMITS {
        if let Ok(value) = i32::try_from(facts.limits.integer(limit, -1))
            && value >= 0
        {
            options.limits.push((name.to_owned(), value));
        }
    }
    options
}

/// Constants of the language that are limits of the implementation, and the queries that return them.
const LIMITS: [(&str, u32); 12] = [
    ("gl_MaxDrawBuffers", c::GL_MAX_DRAW_BUFFERS),
    ("gl_MaxVertexAttribs", c::GL_MAX_VERTEX_ATTRIBS),
    ("gl_MaxTextureImageUnits", c::GL_MAX_TEXTURE_IMAGE_UNITS),
    ("gl_MaxVertexTextureImageUnits", c::GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS),
    ("gl_MaxCombinedTextureImageUnits", c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS),
    ("gl_MaxTextureCoords", c::GL_MAX_TEXTURE_COORDS),
    ("gl_MaxTextureUnits", c::GL_MAX_TEXTURE_UNITS),
    ("gl_MaxClipDistances", c::GL_MAX_CLIP_DISTANCES),
    ("gl_MaxImageUnits", c::GL_MAX_IMAGE_UNITS),
    ("gl_MaxVertexUniformVectors", c::GL_MAX_VERTEX_UNIFORM_VECTORS),
    ("gl_MaxFragmentUniformVectors", c::GL_MAX_FRAGMENT_UNIFORM_VECTORS),
    ("gl_MaxVaryingVectors", c::GL_MAX_VARYING_VECTORS),
];
