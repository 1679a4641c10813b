//! The commands of GL 1.0 to 4.6, GLES 1.0 to 3.2, EGL and GLX as data: their names, the types and meanings of their
//! parameters, how many bytes each pointer points to, and what each command does.
//!
//! One description drives recording, printing, replay and the state model. The tables in `generated` are written by
//! `cargo xtask codegen` from the Khronos registry and `overlay.toml`; the code that uses them is written by hand.
//!
//! Code decides by [`Operation`], [`Role`] and [`Trait`] where it means a family of commands, and by the constants of
//! [`id`] where it means one command. It never decides by the text of a name; `cargo xtask tidy` checks that.
//!
//! This crate is *not* a binding: it calls nothing and reads no memory.
#![forbid(unsafe_code)]

pub mod call;
pub mod command;
pub mod enums;
pub mod extent;
pub mod fetch;
#[rustfmt::skip]
mod generated;
pub mod limits;
pub mod operation;
pub mod print;
pub mod reflection;
pub mod request;
pub mod when;

pub use command::{
    Access, Command, CommandId, Count, Group, Library, Meaning, Memory, Namespace, Param, Role, SKIPPED, Scalar, Value,
};
/// Values of GL, EGL and GLX under their own names, such as `GL_TEXTURE_2D`.
pub use generated::constant;
pub use generated::fingerprint::FINGERPRINT;
/// Commands under their own names, such as `glClear`.
pub use generated::id;
pub use operation::{Attribute, NumberForm, Operation, Trait, Traits};

/// All commands, sorted by name; a [`CommandId`] is a place in this list.
pub const COMMANDS: &[Command] = &generated::commands::ALL;

/// Returns the description of a command.
///
/// # Panics
/// When the id is not a place in [`COMMANDS`]; the constants of [`id`] and the results of [`find`] always are.
#[must_use]
pub fn command(id: CommandId) -> &'static Command {
    &COMMANDS[usize::from(id.0)]
}

/// Returns the command of a name, for names that come from outside: from files, from programs and from users.
#[must_use]
pub fn find(name: &str) -> Option<CommandId> {
    let at = COMMANDS.binary_search_by(|command| command.name.cmp(name)).ok()?;
    u16::try_from(at).ok().map(CommandId)
}
