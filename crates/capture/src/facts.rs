//! What the driver says of contexts, shaders and programs, asked for the trace: nobody can work out later what depends
//! on the implementation.
//!
//! Asking changes nothing for the program. It happens after calls that take long anyway: the first use of a context,
//! compiling, linking. Nothing is asked that the context does not know, because a program may listen to what its driver
//! says about errors; and errors that the program has not asked for yet are kept for it.

pub(crate) mod ask;
mod assembly;
mod interface;
mod limits;
mod program;
mod shader;

use api::reflection::answers::{self, Answer};
use api::when::{Client, When};
use api::{CommandId, id};
use ring::Payload;

use crate::call::Call;
use crate::context::Context;
use crate::thread::Thread;

pub use limits::tell as tell_limits;

/// Commands after which a shader is asked about.
const SHADERS: [CommandId; 5] = [
    id::glCompileShader,
    id::glCompileShaderARB,
    id::glShaderBinary,
    id::glSpecializeShader,
    id::glSpecializeShaderARB,
];

/// Commands after which a program is asked about.
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

/// Commands after which an assembly program is asked about.
const ASSEMBLY: [CommandId; 1] = [id::glProgramStringARB];

/// What a context is, as far as it decides what may be asked. Nothing is, until the driver has been asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nature {
    /// Which GL it is.
    pub client: Client,
    /// Its version.
    pub version: (u32, u32),
    /// Whether the driver writes down what goes wrong.
    pub debug: bool,
    /// Its extensions, with spaces between them.
    pub extensions: String,
}

impl Nature {
    /// Whether something exists in the context.
    pub fn has(&self, when: When) -> bool {
        when.exists(self.client, self.version, |extension| self.extension(extension))
    }

    /// Whether there is an extension.
    pub fn extension(&self, name: &str) -> bool {
        self.extensions.split(' ').any(|extension| extension == name)
    }
}

/// Whether this module wants to see a command.
pub fn interest(id: CommandId) -> bool {
    SHADERS.contains(&id) || PROGRAMS.contains(&id) || ASSEMBLY.contains(&id)
}

/// The result of a call is written.
pub fn after(call: &mut Call<'_>) {
    let Some(context) = call.context.as_deref_mut() else { return };
    // Before GL 2 shaders are objects of an extension, with queries of its own. Such drivers are history.
    if context.facts.version < (2, 0) {
        return;
    }
    let word = |index: usize| call.args.get(index).copied().unwrap_or(0);
    let thread = &mut *call.thread;
    match call.command {
        id::glShaderBinary => shader::tell_several(thread, context, word(0), word(1)),
        command if SHADERS.contains(&command) => shader::tell(thread, context, word(0) as u32),
        id::glCreateShaderProgramv | id::glCreateShaderProgramvEXT => {
            let stages = program::Stages::Known(vec![word(0) as u32]);
            program::tell(thread, context, call.result as u32, &stages);
        }
        id::glProgramBinary | id::glProgramBinaryOES => {
            program::tell(thread, context, word(0) as u32, &program::Stages::Unknown);
        }
        id::glValidateProgram | id::glValidateProgramARB => program::tell_validation(thread, context, word(0) as u32),
        id::glProgramStringARB => assembly::tell(thread, context, word(0) as u32),
        _ => program::tell(thread, context, word(0) as u32, &program::Stages::Attached),
    }
}

/// Lets the driver be asked without the program noticing: errors before are the program's, those after are ours.
fn quietly<T>(thread: &mut Thread, context: &mut Context, ask: impl FnOnce(&Thread, &Nature) -> T) -> T {
    context.errors.extend(ask::errors(thread));
    let answer = ask(thread, &context.facts);
    ask::errors(thread).for_each(drop);
    answer
}

/// Writes answers into the trace, as a command about the object of that name.
fn emit_answers(thread: &mut Thread, command: CommandId, object: u32, answers: &[Answer]) {
    emit(thread, command, object, &answers::encode(answers));
}

fn emit(thread: &mut Thread, command: CommandId, object: u32, bytes: &[u8]) {
    let words = [u64::from(object), bytes.len() as u64, bytes.as_ptr() as u64];
    thread.emit(command, &words, &[Payload { param: 2, bytes }]);
}
