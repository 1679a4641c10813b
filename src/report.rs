//! `afterimage report`: what is wrong with the calls of a trace, by the model; and what is wrong with the model.

mod driver;
mod page;

use std::path::PathBuf;

use chronicle::audit::audit;
use host::Host;

use crate::cli::Outcome;
use crate::json;
use crate::progress::Progress;
use crate::replay::{Confinement, On, mention_damage, on_what_is_left};
use crate::state::place::CommandRef;

const HELP: &str = "\
Examples:
  afterimage report game.aftr                   calls that GL refuses, each with the reason
  afterimage report game.aftr --driver          compare the model with the driver, too, at 50 commands
  afterimage report game.aftr --driver --at 1200
  afterimage report game.aftr --json            everything

Errors are what the model of GL expects; where the program was told something else by glGetError or by a query, or where
the driver says something else (--driver), the report says so: one of them is wrong then.

Exit status: 0 nothing is wrong, 1 something is, 2 the request could not be served.";

/// Show errors and misuse of GL in a trace, and where model, recording and driver disagree.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Also replay the trace, and compare all state that the driver can be queried for with the model.
    #[arg(long)]
    driver: bool,
    /// Compare with the driver after this command; may be given several times.
    #[arg(long, value_name = "COMMAND", requires = "driver", allow_hyphen_values = true)]
    at: Vec<CommandRef>,
    /// Compare with the driver after N commands, chosen at random.
    #[arg(long, value_name = "N", default_value_t = 50, requires = "driver")]
    samples: usize,
    /// Choose the random commands by this seed.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "driver")]
    seed: u64,
    /// Replay on this device: its number, or part of its name; `afterimage replay --device list` lists them.
    #[arg(long, value_name = "DEVICE", requires = "driver")]
    device: Option<String>,
    /// Give up after the driver makes no progress for SECONDS.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "driver")]
    timeout: u64,
    #[command(flatten)]
    confinement: Confinement,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
}

/// Reads a trace and says what is wrong.
///
/// # Errors
/// When the trace cannot be read, or no worker can be started.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let open = Host::new().trace(&args.trace)?;
    let reader = open.reader();
    mention_damage(&args.trace, reader, open.damage());
    let mut progress = Progress::new(reader.len(), "commands looked at");
    let audit = audit(reader, &mut |number| progress.step(number));
    progress.clear();
    let audit = audit?;
    let examined = if args.driver {
        let places = match args.at.is_empty() {
            true => replay::oracle::sample(reader.len(), args.samples, args.seed),
            false => args.at.iter().map(|at| at.number(reader)).collect::<anyhow::Result<_>>()?,
        };
        let on = On { device: args.device.clone(), timeout: args.timeout, confinement: args.confinement };
        Some(driver::examine(&args.trace, &on, places)?)
    } else {
        None
    };
    let document = if args.json {
        json::pretty(&page::document(&audit, examined.as_ref()))?
    } else {
        page::text(reader, &audit, examined.as_ref())
    };
    crate::out::document(&document, args.json)?;
    let clean = audit.refused.is_empty()
        && audit.errors.missed.is_empty()
        && audit.contradicted.is_empty()
        && audit.unmodelled.is_empty()
        && examined.is_none_or(|findings| findings.differences.is_empty());
    Ok(if clean { on_what_is_left(open.damage(), Outcome::Done) } else { Outcome::No })
}
