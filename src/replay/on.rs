//! On which device something is replayed, and how long to wait for it.

use std::path::Path;
use std::time::Duration;

use device::{Answer, Ask, Control, Device, DeviceError, Progress, ReplayRequest, Report};
use host::{Host, HostError, OpenOptions};
use session::Session;

use super::answer::mention_damage;
use crate::progress::watched;

/// Options of commands that replay a trace.
#[derive(clap::Args)]
pub struct On {
    /// Replay on this device: its number, or part of its name; `afterimage replay --device list` lists them.
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Give up after the driver makes no progress for SECONDS.
    #[arg(long, value_name = "SECONDS", default_value_t = host::TIMEOUT.as_secs())]
    pub timeout: u64,
    #[command(flatten)]
    pub confinement: Confinement,
}

/// Options of commands that start workers.
#[derive(Clone, Copy, Default, clap::Args)]
pub struct Confinement {
    /// Let the driver open your files, use the network and start programs: only for traces that you trust.
    #[arg(long)]
    pub no_sandbox: bool,
    /// Limit the memory of each process that has a driver to N megabytes [default: half of the machine's].
    #[arg(long, value_name = "N", env = "AFTERIMAGE_WORKER_MEMORY", hide_env_values = true)]
    pub worker_memory: Option<u64>,
}

impl Confinement {
    /// Returns the memory that a worker may take, in bytes.
    pub fn worker_bytes(self) -> Option<u64> {
        self.worker_memory.map(|megabytes| megabytes.saturating_mul(1 << 20))
    }
}

impl Default for On {
    fn default() -> On {
        On { device: None, timeout: host::TIMEOUT.as_secs(), confinement: Confinement::default() }
    }
}

impl On {
    /// Returns how to open a trace.
    pub fn options(&self, trace: &Path) -> OpenOptions {
        let mut options = OpenOptions::new(trace);
        options.device.clone_from(&self.device);
        options.timeout = Duration::from_secs(self.timeout.max(1));
        options.sandbox = !self.confinement.no_sandbox;
        options.worker_memory = self.confinement.worker_bytes();
        options
    }

    /// Opens a trace for debugging. Says so on stderr if it is damaged or has no end: answers may then be about too little.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn session(&self, trace: &Path) -> Result<Session, HostError> {
        let session = Host::new().session(&self.options(trace))?;
        mention_damage(trace, session.trace().reader(), session.trace().damage());
        Ok(session)
    }

    /// Replays a trace in a worker. `show` is called ten times a second with the progress.
    ///
    /// # Errors
    /// When the worker cannot do it.
    pub fn replay(
        &self,
        trace: &Path,
        request: ReplayRequest,
        show: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Report, DeviceError> {
        let pool = Host::new().pool(&self.options(trace)).map_err(|error| DeviceError::Start(error.to_string()))?;
        let (ask, control) = (Ask::Replay(Box::new(request)), Control::default());
        let reply = watched(&mut || show(control.progress()), || pool.device().ask(&ask, &control))?;
        match reply.answer {
            Answer::Report(report) => Ok(*report),
            other => Err(DeviceError::unexpected(&ask, &other)),
        }
    }
}
