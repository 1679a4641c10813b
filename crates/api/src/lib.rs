//! Commands of GL 1.0 to 4.6, GLES 1.0 to 3.2, EGL and GLX as data: what they are called, what their parameters are
//! and mean, how many bytes a pointer points to, and what a command is for.
//!
//! One description drives recording, printing, replay and state. The tables in `generated` are made by
//! `cargo xtask codegen` from the Khronos registry and `overlay.toml`; everything that walks them is written by hand.
//!
//! This crate is *not* a binding: it calls nothing and reads no memory.

pub mod command;
pub mod enums;
pub mod extent;
#[rustfmt::skip]
mod generated;
pub mod limits;
pub mod operation;
pub mod print;
pub mod reflection;
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

/// What is known of a command.
///
/// # Panics
/// When there is no such command; ids come from [`find`] and [`id`].
#[must_use]
pub fn command(id: CommandId) -> &'static Command {
    &COMMANDS[usize::from(id.0)]
}

/// The command of that name.
#[must_use]
pub fn find(name: &str) -> Option<CommandId> {
    let at = COMMANDS.binary_search_by(|command| command.name.cmp(name)).ok()?;
    u16::try_from(at).ok().map(CommandId)
}
