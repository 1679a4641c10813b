//! What goes in and comes out: plain data.

pub mod breaks;
pub mod choice;
pub mod contents;
pub mod field;
pub mod group;
pub mod history;
pub mod inspect;
pub mod machine;
pub mod measure;
pub mod nan;
pub mod number;
pub mod picture;
pub mod place;
pub mod profile;
pub mod read;
pub mod search;
pub mod stop;
pub mod trace;
pub mod value;
