//! Records what the driver reports about contexts, shaders and programs, because what depends on the implementation
//! cannot be reconstructed later.
//!
//! The program does not notice the queries. They are made after calls that take long anyway: the first use of a
//! context, compiling, linking. Errors that the program has not fetched yet are kept for it, and its debug callback is not
//! told of ours ([`Hidden`]).

pub(crate) mod ask;
mod assembly;
mod interface;
mod limits;
mod program;
mod shader;

use api::reflection::answers::{self, Answer};
use api::when::{Client, When, both};
use api::{CommandId, constant as c, id};
use ring::Payload;

use crate::call::Call;
use crate::context::Context;
use crate::thread::Thread;

pub use limits::record as tell_limits;

/// Commands after which a shader is queried.
const SHADERS: [CommandId; 5] = [
    id::glCompileShader,
    id::glCompileShaderARB,
    id::glShaderBinary,
    id::glSpecializeShader,
    id::glSpecializeShaderARB,
];

/// Commands after which a program is queried.
const PROGRAMS: [CommandId; 8] = [
    id::glLinkProgram,
    id::glLinkProgramARB,
    id::glProgramBinary,
    id::glProgramBinaryOES,
    id::glCreateShaderProgramv,
    id::glCreateShaderProgramvEXT,
    id::glValidateProgram,
    id::glValidateProgramARB,
];

/// Commands after which an assembly program is queried.
const ASSEMBLY: [CommandId; 1] = [id::glProgramStringARB];

/// What determines which queries a context supports. Empty until the driver has been asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Capabilities {
    /// Desktop GL or GLES, and its profile.
    pub client: Client,
    /// Its version.
    pub version: (u32, u32),
    /// Whether it is a debug context, in which the driver logs errors.
    pub debug: bool,
    /// Its extensions, separated by spaces.
    pub extensions: String,
}

impl Capabilities {
    /// Returns whether something exists in the context.
    pub fn has(&self, when: When) -> bool {
        when.exists(self.client, self.version, |extension| self.extension(extension))
    }

    /// Returns whether the context has an extension.
    pub fn extension(&self, name: &str) -> bool {
        self.extensions.split(' ').any(|extension| extension == name)
    }
}

/// Returns whether this module handles a command.
pub fn interest(id: CommandId) -> bool {
    SHADERS.contains(&id) || PROGRAMS.contains(&id) || ASSEMBLY.contains(&id)
}

/// Runs after the result of a call has been written.
pub fn after(call: &mut Call<'_>) {
    let Some(context) = call.context.as_deref_mut() else { return };
    // Before GL 2, shaders are objects of an extension with its own queries; such drivers are obsolete.
    if context.facts.version < (2, 0) {
        return;
    }
    let word = |index: usize| call.args.get(index).copied().unwrap_or(0);
    let thread = &mut *call.thread;
    match call.command {
        id::glShaderBinary => shader::record_all(thread, context, word(0), word(1)),
        command if SHADERS.contains(&command) => shader::record(thread, context, word(0) as u32),
        id::glCreateShaderProgramv | id::glCreateShaderProgramvEXT => {
            let stages = program::Stages::Known(vec![word(0) as u32]);
            program::record(thread, context, call.result as u32, &stages);
        }
        id::glProgramBinary | id::glProgramBinaryOES => {
            program::record(thread, context, word(0) as u32, &program::Stages::Unknown);
        }
        id::glValidateProgram | id::glValidateProgramARB => program::record_validation(thread, context, word(0) as u32),
        id::glProgramStringARB => assembly::record(thread, context, word(0) as u32),
        _ => program::record(thread, context, word(0) as u32, &program::Stages::Attached),
    }
}

/// Makes queries without the program noticing.
fn quietly<T>(thread: &mut Thread, context: &mut Context, ask: impl FnOnce(&Thread, &Capabilities) -> T) -> T {
    let hidden = Hidden::begin(thread, context);
    let answer = ask(thread, &context.facts);
    hidden.end(thread);
    answer
}

/// Calls of our own that the program does not notice: errors that it has not fetched yet are kept for it, errors of the
/// calls are dropped, and its debug callback and log hear nothing of them.
pub(crate) struct Hidden {
    /// Whether debug output is switched on again at the end.
    reports: bool,
}

impl Hidden {
    /// Starts to hide calls.
    pub(crate) fn begin(thread: &Thread, context: &mut Context) -> Hidden {
        context.errors.extend(ask::errors(thread));
        // Messages about errors and slow reads go to the program otherwise (GL 4.6, 20).
        let can_report = context.facts.has(both(43, 32).or(&["GL_KHR_debug"]));
        let reports = can_report && !compiles_list(thread, context) && ask::is_enabled(thread, c::GL_DEBUG_OUTPUT);
        if reports {
            ask::disable(thread, c::GL_DEBUG_OUTPUT);
        }
        Hidden { reports }
    }

    /// Stops hiding them.
    pub(crate) fn end(self, thread: &Thread) {
        ask::errors(thread).for_each(drop);
        if self.reports {
            ask::enable(thread, c::GL_DEBUG_OUTPUT);
        }
    }
}

/// Returns whether commands go into a display list, those of our own included.
pub(crate) fn compiles_list(thread: &Thread, context: &Context) -> bool {
    context.api == c::EGL_OPENGL_API
        && context.facts.client == Client::Compatibility
        && ask::integers(thread, c::GL_LIST_INDEX, 0)[0] != 0
}

/// Records answers as a command about the object of that name.
fn emit_answers(thread: &mut Thread, command: CommandId, object: u32, answers: &[Answer]) {
    emit(thread, command, object, &answers::encode(answers));
}

fn emit(thread: &mut Thread, command: CommandId, object: u32, bytes: &[u8]) {
    let words = [u64::from(object), bytes.len() as u64, bytes.as_ptr() as u64];
    thread.emit(command, &words, &[Payload { param: 2, bytes }]);
}
