//! Devices in processes of their own.
//!
//! A driver may crash or hang on what a trace makes it do, so it runs in a worker process: this product's own
//! executable, started with a hidden command ([`be_a_worker_if_asked`]). A worker has one trace open on one device and
//! answers questions until its socket is closed. [`Pool`] starts workers when they are needed and shares them among the
//! users of a trace; [`PooledDevice`] is what a user of the trace holds.
//!
//! One protocol serves everything: a [`device::Ask`] and a [`device::Reply`], as JSON and bytes over a socket. Progress is
//! in a page of shared memory, so that the supervisor knows which call a worker died of.
//!
//! A trace may be hostile, and take over the driver. So a worker confines itself before it reads the trace
//! (`docs/decisions/20-confined-workers.md`): the trace reaches it as an open descriptor, and it sends pictures and contents
//! to the supervisor, which writes the files.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod cache;
mod egl;
mod files;
mod message;
mod page;
mod pool;
mod prints;
mod process;
mod serve;
mod start;
mod wire;

pub use egl::{open_egl, open_egl_unmixed};
pub use pool::{Pool, PooledDevice};
pub use process::WorkerOptions;
pub use serve::{ProcessKind, Said, WORKER_COMMAND, be_a_worker_if_asked, be_taken_over_if_asked, process_kind};
