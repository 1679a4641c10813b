//! What goes in and comes out: plain data.

pub mod breaks;
pub mod choice;
pub mod group;
pub mod machine;
pub mod place;
pub mod read;
pub mod stop;
pub mod trace;
pub mod value;
