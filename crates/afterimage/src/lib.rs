//! Traces of OpenGL programs, and the debugger of Afterimage, for other programs.
//!
//! A [`Trace`] is read without a driver: its calls with typed arguments, and the GL state after any of them.
//!
//! ```
//! use afterimage::Trace;
//!
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/tests/golden/recorded/0.1-deferred.aftr");
//! let trace = Trace::open(file)?;
//! let frame = trace.frame(0)?;
//! for call in trace.calls(frame.clone()) {
//!     let call = call?;
//!     if call.name == "glDrawArrays" {
//!         println!("{}: {:?}", call.command, call.arguments);
//!     }
//! }
//! let state = trace.state(frame.end - 1)?;
//! let viewport = state.find("viewport")?;
//! assert!(viewport.node.children.iter().any(|child| child.name == "viewport"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Trace::survey`] says what is in it: draws, contexts, and programs with the commands that gave their shaders a text.
//!
//! ```
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/tests/golden/recorded/0.1-deferred.aftr");
//! let survey = afterimage::Trace::open(file)?.survey()?;
//! let draw = survey.draws.last().ok_or("nothing is drawn")?;
//! let program = draw.program.map(|place| &survey.programs[place]).ok_or("no program is in use")?;
//! assert_eq!(program.shaders[1].stage, "fragment");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What needs a driver is asked of a [`Session`]: pictures ([`Session::picture`]), what buffers and textures hold
//! ([`Session::buffer`], [`Session::images`]), the history of a pixel ([`Session::history`]), and the debugger.
//!
//! ```no_run
//! use afterimage::{Choice, Host, OpenOptions, Scope, Step};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // A driver may crash, so it is used in a process of its own: this program, started once more.
//!     afterimage::be_a_worker_if_asked();
//!     let mut session = Host::new().session(&OpenOptions::new("game.aftr"))?;
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
//! A breakpoint belongs to the current invocation ([`Session::set_breakpoints`]), or to all: a search finds the invocations
//! of a frame that reach a line with a condition true, measured on the device.
//!
//! ```no_run
//! # use afterimage::{BreakpointSearch, DrawSelection, Host, OpenOptions};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut session = Host::new().session(&OpenOptions::new("game.aftr"))?;
//! let source = session.sources(1200)?.remove(1).id;
//! let mut search = BreakpointSearch::new(source, 31, DrawSelection::Frame(0));
//! search.condition = Some("isnan(light.x)".to_owned());
//! let hits = session.search_breakpoint(&search)?;
//! if let Some(hit) = hits.first.first() {
//!     session.enter(&hit.choice)?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! What takes long is ended from another thread: [`Session::control`] gives a handle that any thread can keep.
//!
//! ```no_run
//! # use afterimage::{Host, OpenOptions, Reason, Step};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut session = Host::new().session(&OpenOptions::new("game.aftr"))?;
//! let control = session.control();
//! std::thread::spawn(move || {
//!     std::thread::sleep(std::time::Duration::from_secs(5));
//!     println!("that takes too long: {}", control.progress().text());
//!     control.interrupt();
//! });
//! let stop = session.step(Step::Continue)?;
//! if stop.reason == Reason::Interrupted {
//!     println!("so far it came to line {}", stop.location.line);
//!     session.control().clear();
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `examples/pixel.rs` is a whole program that walks through a pixel. Traces come from `afterimage record`.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod call;
mod error;
mod line;
mod state;
pub mod survey;
mod trace;
pub mod tree;

pub use call::{Argument, ArgumentValue, Call, Calls, Memory};
pub use error::TraceError;
pub use host::{Host, HostError, OpenOptions, be_a_worker_if_asked};
pub use line::line;
pub use session::*;
pub use state::{StatePart, StateTree, Tree};
pub use trace::Trace;

/// The page for users, whose examples are compiled with those of this crate.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
pub struct Page;
