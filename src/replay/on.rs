//! On which device something is replayed, and how patiently.

use std::time::Duration;

use anyhow::{Context, bail};
use driver::DeviceChoice;
use replay::supervise::{self, Ended};
use replay::worker::Request;
use replay::{Report, Until};

use super::worker;
use crate::progress::Progress;

/// Options of commands that have a worker replay something.
#[derive(clap::Args)]
pub struct On {
    /// A device by its number or part of its name; `afterimage replay --device list` lists them.
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Give up when the driver does nothing for so long.
    #[arg(long, value_name = "SECONDS", default_value_t = PATIENCE)]
    pub timeout: u64,
}

/// So many seconds without anything are enough for everybody.
const PATIENCE: u64 = 60;

impl Default for On {
    fn default() -> On {
        On { device: None, timeout: PATIENCE }
    }
}

impl On {
    /// The device that is meant.
    pub fn choice(&self) -> DeviceChoice {
        self.device.as_deref().map(worker::device).unwrap_or_default()
    }

    /// How long a driver may do nothing.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.timeout.max(1))
    }

    /// Has a worker do something, and shows how far it is. `what` is what becomes of commands: "commands replayed".
    ///
    /// # Errors
    /// When the worker could not do it.
    pub fn have_done(&self, request: &Request, what: &'static str) -> anyhow::Result<Report> {
        let last = if let Until::Command(last) = request.until { last } else { 0 };
        let program = std::env::current_exe().context("cannot find this program's own file, to start a worker")?;
        let mut progress = Progress::new(last, what);
        let ended = supervise::run(&program, request, self.patience(), &mut |now| progress.step(now.command));
        progress.clear();
        match ended.context("cannot start a worker")? {
            Ended::Done(report) => Ok(*report),
            Ended::Unserved(sentence) => bail!("{sentence}"),
            Ended::Crashed { command, how } => bail!("the driver ended with {how} at command {}", command.unwrap_or(0)),
            Ended::Hung { command, seconds } => {
                bail!("the driver did nothing for {seconds} s at command {}", command.unwrap_or(0))
            }
        }
    }
}
