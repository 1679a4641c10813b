//! The debugger of Afterimage, for other programs: everything of the facade (crate `session`) under one name.
//!
//! ```no_run
//! use afterimage::{Choice, OpenOptions, Scope, Session, Step};
//!
//! fn main() -> Result<(), afterimage::SessionError> {
//!     // A driver may crash, so it is used in a process of its own: this program, started once more.
//!     afterimage::be_a_worker_if_asked();
//!     let mut session = Session::open(&OpenOptions::new("game.aftr"))?;
//!     let stop = session.enter(&Choice::Pixel { frame: None, x: 320, y: 200 })?;
//!     println!("{} stands in line {}: {}", stop.invocation.name, stop.location.line, stop.location.text);
//!     while !session.step(Step::Over)?.ended {
//!         for variable in session.variables(0, Scope::Locals)? {
//!             println!("  {} {} = {}", variable.type_name, variable.name, variable.value.text());
//!         }
//!     }
//!     Ok(())
//! }
//! ```
//!
//! `examples/pixel.rs` is a whole program that does this. Traces come from `afterimage record`.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub use session::*;
