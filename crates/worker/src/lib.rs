//! Devices in processes of their own.
//!
//! A driver may crash or hang on what a trace makes it do, so it runs in a worker process: this product's own
//! executable, started with a hidden command ([`be_a_worker_if_asked`]). A worker has one trace open on one device and
//! answers questions until its socket is closed. [`Pool`] starts workers when they are needed and shares them among the
//! users of a trace; [`PooledDevice`] is what a user of the trace holds.
//!
//! One protocol serves everything: a [`device::Ask`] and a [`device::Reply`], as JSON and bytes over a socket. Progress is
//! in a page of shared memory, so that the supervisor knows which call a worker died of.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod egl;
mod files;
mod page;
mod pool;
mod process;
mod serve;
mod start;
mod wire;

pub use egl::open_egl;
pub use files::Files;
pub use pool::{Pool, PooledDevice};
pub use process::WorkerOptions;
pub use serve::{WORKER_COMMAND, be_a_worker_if_asked, run};
