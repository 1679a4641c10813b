//! Handlers of commands and queries, by family: each module adds its own to the table.

mod assembly;
mod buffer;
mod draw;
mod extension;
mod external;
mod fixed;
mod framebuffer;
mod get;
mod include;
mod internal_format;
mod label;
pub mod list;
mod pipeline;
mod plain;
mod program;
mod query;
mod renderbuffer;
mod sampler;
mod shader;
mod sync;
mod texture;
mod transform_feedback;
mod uniform;
mod vertex_array;
pub mod window;

pub use pipeline::is_valid as is_valid_pipeline;

use std::sync::LazyLock;

use api::{COMMANDS, CommandId};

use crate::answer::{Answer, View};
use crate::call::Memory;
use crate::fault::Fault;
use crate::step::{Done, Step};

/// Applies a command.
pub type Handler = fn(&mut Step<'_>) -> Done;

/// Answers a query.
pub type Answerer = fn(&View<'_>, &[u64]) -> Result<Answer, Fault>;

/// Answers a query that reads memory, such as a name.
pub type Inquirer = fn(&View<'_>, &[u64], &dyn Memory) -> Result<Answer, Fault>;

/// Answers `glGet…` for a parameter, by name and index; `None` when it does not belong to this family.
pub type Getter = fn(&View<'_>, u32, u32) -> Option<Result<Answer, Fault>>;

/// Answers `glGet…` for a parameter without an index; `None` when it does not belong to this family.
pub type PlainGetter = fn(&View<'_>, u32) -> Option<Result<Answer, Fault>>;

/// Enables or disables a capability that is not a plain variable, by name and optional index; `None` when it does not
/// belong to this family.
pub type Enabler = fn(&mut Step<'_>, u32, Option<u32>, bool) -> Option<Done>;

/// Handlers of commands and queries, by command.
pub struct Table {
    handlers: Vec<Option<Handler>>,
    answerers: Vec<Option<Answerer>>,
    inquirers: Vec<Option<Inquirer>>,
    getters: Vec<Getter>,
    indexed_getters: Vec<Getter>,
    plain_getters: Vec<PlainGetter>,
    enablers: Vec<Enabler>,
}

impl Table {
    /// Returns the handler of a command; `None` when it is not modelled.
    #[inline]
    pub fn handler(&self, command: CommandId) -> Option<Handler> {
        self.handlers.get(usize::from(command.0)).copied().flatten()
    }

    /// Returns the handler of a query; `None` when it is not modelled.
    pub fn answerer(&self, command: CommandId) -> Option<Answerer> {
        self.answerers.get(usize::from(command.0)).copied().flatten()
    }

    /// Returns the handler of a query that reads memory; `None` when it is not modelled.
    pub fn inquirer(&self, command: CommandId) -> Option<Inquirer> {
        self.inquirers.get(usize::from(command.0)).copied().flatten()
    }

    /// Answers `glGet…` for a parameter that is not a plain variable, by the family that has it.
    pub fn get(&self, view: &View<'_>, name: u32, index: u32) -> Option<Result<Answer, Fault>> {
        self.getters.iter().find_map(|getter| getter(view, name, index))
    }

    /// Answers `glGet…i_v` for a parameter for which it differs from `glGet…` at any index.
    pub fn get_indexed(&self, view: &View<'_>, name: u32, index: u32) -> Option<Result<Answer, Fault>> {
        self.indexed_getters.iter().find_map(|getter| getter(view, name, index))
    }

    /// Adds parameters for which `glGet…i_v` differs from `glGet…`.
    pub fn indexed_getter(&mut self, getter: Getter) {
        self.indexed_getters.push(getter);
    }

    /// Answers `glGet…` for a parameter that has no index and is not a plain variable.
    pub fn get_plain(&self, view: &View<'_>, name: u32) -> Option<Result<Answer, Fault>> {
        self.plain_getters.iter().find_map(|getter| getter(view, name))
    }

    /// Adds parameters of `glGet…` that `glGet…i_v` does not have.
    pub fn plain_getter(&mut self, getter: PlainGetter) {
        self.plain_getters.push(getter);
    }

    /// Enables or disables a capability that is not a plain variable, by the family that has it.
    pub fn enable(&self, step: &mut Step<'_>, name: u32, index: Option<u32>, enabled: bool) -> Option<Done> {
        self.enablers.iter().find_map(|enabler| enabler(step, name, index, enabled))
    }

    /// Adds capabilities of `glEnable` that are not plain variables.
    pub fn enabler(&mut self, enabler: Enabler) {
        self.enablers.push(enabler);
    }

    /// Adds parameters of `glGet…`.
    pub fn getter(&mut self, getter: Getter) {
        self.getters.push(getter);
    }

    /// Sets the handler of commands that differ only in name.
    pub fn on(&mut self, commands: &[CommandId], handler: Handler) {
        for command in commands {
            let place = &mut self.handlers[usize::from(command.0)];
            debug_assert!(place.is_none(), "{} has two handlers", api::command(*command).name);
            *place = Some(handler);
        }
    }

    /// Sets the handler of queries that read memory.
    pub fn ask_with(&mut self, commands: &[CommandId], inquirer: Inquirer) {
        for command in commands {
            let place = &mut self.inquirers[usize::from(command.0)];
            debug_assert!(place.is_none(), "{} has two query handlers", api::command(*command).name);
            *place = Some(inquirer);
        }
    }

    /// Sets the handler of queries.
    pub fn ask(&mut self, commands: &[CommandId], answerer: Answerer) {
        for command in commands {
            let place = &mut self.answerers[usize::from(command.0)];
            debug_assert!(place.is_none(), "{} has two query handlers", api::command(*command).name);
            *place = Some(answerer);
        }
    }
}

/// Returns the table of all handlers.
pub fn table() -> &'static Table {
    static TABLE: LazyLock<Table> = LazyLock::new(|| {
        let mut table = Table {
            handlers: vec![None; COMMANDS.len()],
            answerers: vec![None; COMMANDS.len()],
            inquirers: vec![None; COMMANDS.len()],
            getters: Vec::new(),
            indexed_getters: Vec::new(),
            plain_getters: Vec::new(),
            enablers: Vec::new(),
        };
        assembly::register(&mut table);
        buffer::register(&mut table);
        draw::register(&mut table);
        extension::register(&mut table);
        external::register(&mut table);
        fixed::register(&mut table);
        framebuffer::register(&mut table);
        get::register(&mut table);
        include::register(&mut table);
        internal_format::register(&mut table);
        label::register(&mut table);
        list::register(&mut table);
        pipeline::register(&mut table);
        plain::register(&mut table);
        program::register(&mut table);
        query::register(&mut table);
        renderbuffer::register(&mut table);
        sampler::register(&mut table);
        shader::register(&mut table);
        sync::register(&mut table);
        texture::register(&mut table);
        transform_feedback::register(&mut table);
        uniform::register(&mut table);
        vertex_array::register(&mut table);
        table
    });
    &TABLE
}
