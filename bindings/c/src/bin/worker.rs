//! A process with a driver in it, started by the libraries for C and Python: their programs need not know of workers.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    afterimage::be_a_worker_if_asked();
    eprintln!("afterimage-worker: this program is started by the library afterimage and does nothing by itself");
    ExitCode::from(2)
}
