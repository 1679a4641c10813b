//! `afterimage dap`: the debugger in an editor.

mod listen;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use host::Host;

use crate::cli::Outcome;
use crate::replay::Confinement;

const HELP: &str = "\
Editors start this command themselves, and talk to it through its input and output. With --port or --socket it waits for
them, one session for each connection, until it is ended.

Every program of this machine can connect to a TCP port, and every page in a browser can send requests to it. So the
launch configuration must have the \"token\" that this command prints when it starts, and programs are only started with
--allow-programs. Only you can connect to a Unix socket, which needs neither.

A launch configuration says what to debug:
  {\"type\": \"afterimage\", \"request\": \"launch\", \"trace\": \"game.aftr\", \"pixel\": [400, 300]}
                                                    what wrote a pixel of the last frame, from the lower left
  {…, \"trace\": \"game.aftr\", \"pixel\": [400, 300], \"command\": 1200}
                                                    a fragment of one draw, as `afterimage info` lists them
  {…, \"trace\": \"game.aftr\", \"vertex\": 7, \"command\": 1200}
  {…, \"program\": \"./game\", \"args\": [\"--windowed\"], \"pixel\": [400, 300]}
                                                    records the program, and debugs what it drew
Pausing stops a shader that takes long where it is; a program that is being recorded is ended by it.
docs/editors.md has all of it, and configurations for VS Code, Neovim, Helix, Zed and Emacs.";

/// Debug shaders in an editor, by the Debug Adapter Protocol.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Wait for editors on this TCP port of this machine; 0 takes a free one, and says which.
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Wait for editors on a Unix socket that only this user can connect to.
    #[arg(long, value_name = "PATH", conflicts_with = "port")]
    socket: Option<PathBuf>,
    /// Start programs for editors on the TCP port that know the token.
    #[arg(long, requires = "port")]
    allow_programs: bool,
    #[command(flatten)]
    confinement: Confinement,
}

/// Serves an editor, or any number of them.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let afterimage = std::env::current_exe().context("this program cannot find itself, to start workers")?;
    let (sandbox, worker_memory) = (!args.confinement.no_sandbox, args.confinement.worker_bytes());
    let options = ::dap::Options { afterimage, host: Arc::new(Host::new()), sandbox, worker_memory, guard: None };
    match (args.port, &args.socket) {
        (Some(port), _) => listen::on_port(port, args.allow_programs, &options),
        (None, Some(path)) => listen::on_socket(path, &options),
        (None, None) => {
            ::dap::serve(std::io::stdin(), std::io::stdout(), &options)?;
            Ok(Outcome::Done)
        }
    }
}
