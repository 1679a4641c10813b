//! Draw calls, dispatches and clears: when they are errors, what they read and what they write.

pub mod check;
mod clear;
mod compute;
mod direct;
mod indirect;
mod program;
pub mod touch;

use super::Table;

pub use program::feedback_source;

pub fn register(table: &mut Table) {
    direct::register(table);
    indirect::register(table);
    compute::register(table);
    clear::register(table);
}
