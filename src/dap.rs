//! `afterimage dap`: the debugger in an editor.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;

use anyhow::Context;
use host::Host;

use crate::cli::{Outcome, complain};

const HELP: &str = "\
Editors start this command themselves, and talk to it through its input and output; with --port it waits for them on a TCP
port of this machine, one session for each connection, until it is ended.

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
}

/// Serves an editor, or any number of them.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let afterimage = std::env::current_exe().context("this program cannot find itself, to start workers")?;
    let options = ::dap::Options { afterimage, host: Arc::new(Host::new()) };
    let Some(port) = args.port else {
        ::dap::serve(std::io::stdin(), std::io::stdout(), &options)?;
        return Ok(Outcome::Done);
    };
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).with_context(|| format!("port {port} cannot be used"))?;
    complain(&format!("waiting for editors on port {}", listener.local_addr()?.port()));
    for stream in listener.incoming() {
        let stream = stream.context("a connection failed")?;
        let options = options.clone();
        std::thread::spawn(move || {
            let served = stream
                .try_clone()
                .map_err(::dap::WireError::from)
                .and_then(|input| ::dap::serve(input, stream, &options));
            if let Err(error) = served {
                complain(&error.to_string());
            }
        });
    }
    Ok(Outcome::Done)
}
