//! `afterimage debug`: walk through the shaders behind a pixel, in a terminal.

mod batch;
mod command;
mod complete;
mod desk;
mod guide;
mod highlight;
mod inline;
mod measure;
pub mod place;
mod screen;
mod view;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::cli::{Color, Outcome};
use crate::progress::shown;
use crate::replay::{On, truncation};
use desk::Desk;
pub use guide::{Guide, show, tell};
use place::InvocationArgs;
pub use screen::tty::can_draw;

const HELP: &str = "\
Examples:
  afterimage debug game.aftr --pixel 400,300              what wrote the pixel last in the last frame
  afterimage debug game.aftr --pixel 400,300 --frame 12
  afterimage debug game.aftr --pixel 400,300 --at 1200    the fragment of the draw that is command 1200
  afterimage debug game.aftr --at 1200 --stage vertex --index 7
  afterimage debug game.aftr                              opens the picture: a click takes a pixel
  echo 'next 3
  print color' | afterimage debug game.aftr --pixel 400,300 --batch -

Pixels are counted from the lower left. On the screen, down steps over a statement and up goes back over one, right and left
step into calls, n s f go forwards as in gdb and N S F the same way backwards; `:` begins a command, `?` shows all keys, and a
click on the picture takes that pixel. The wheel and + - zoom the picture, dragging moves it, `/` searches in the shader.
Esc or Ctrl-C end what takes long, and the debugger stays where that is; q leaves it. --batch reads the same commands
(`help` lists them) and prints plain text; --plain and TERM=dumb do so at a prompt. NO_COLOR=1 turns colours off.

Exit status: 0 done, 2 the request, or a command of a batch, could not be served.";

/// Walk through the shaders behind a pixel, forwards and backwards.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    #[command(flatten)]
    place: InvocationArgs,
    /// Run the commands of a file, or of stdin for `-`, and print what they say.
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// Read commands line by line and print plain text, instead of drawing a screen; so it is where TERM is `dumb`.
    #[arg(long, conflicts_with = "batch")]
    plain: bool,
    /// Measure N times how long steps and values take, and print the seconds as JSON.
    #[arg(long, value_name = "N", conflicts_with = "batch", hide = true)]
    bench: Option<usize>,
    /// With --bench: have the device record in parts of about N words.
    #[arg(long, value_name = "N", requires = "bench", hide = true)]
    part_words: Option<u32>,
    /// With --bench: keep the text of every instrumented shader in a folder that is there.
    #[arg(long, value_name = "FOLDER", requires = "bench", hide = true)]
    save_source: Option<PathBuf>,
    /// When to use colour.
    #[arg(long, value_enum, default_value = "auto")]
    color: Color,
    #[command(flatten)]
    on: On,
}

/// Debugs.
///
/// # Errors
/// When the trace cannot be read, or there is no such invocation.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    if let Some(rounds) = args.bench {
        let parts = measure::Parts { words: args.part_words, folder: args.save_source.as_deref() };
        return measure::run(&args.trace, &args.place, &args.on, (rounds, &parts));
    }
    if let Some(script) = &args.batch {
        let desk = Desk::new(args.on.session(&args.trace)?, &args.trace);
        return batch::run(desk, &args.place, script);
    }
    // What is wrong with the trace is worth more than what is wrong with the terminal.
    let mut desk = Desk::new(args.on.session(&args.trace)?, &args.trace);
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        bail!("the debugger needs a terminal; --batch FILE runs commands from a file, and `--batch -` from stdin");
    }
    if args.plain || !screen::tty::can_draw() {
        return batch::converse(desk, &args.place);
    }
    let control = desk.session.control();
    let first = match shown(&control, || desk.begin(&args.place))? {
        Some(said) => said,
        None if desk.shown_frame().is_none() => "there is no pixel to choose; q leaves the debugger".to_owned(),
        None => "click on a pixel, or move the cross with the arrow keys and press Enter".to_owned(),
    };
    // The screen covers what stderr says.
    let name = args.trace.file_name().map_or(args.trace.as_path(), Path::new);
    let truncated = truncation(name, desk.session.trace().reader());
    let damaged = desk.session.trace().damage().text().map(|lost| format!("the trace is damaged: {lost}"));
    let said = [truncated, damaged].into_iter().flatten().map(|sentence| sentence + "\n");
    let first = said.collect::<String>() + &first;
    desk.shows_pictures = true;
    screen::run(desk, &first, args.color.on_stdout())?;
    Ok(Outcome::Done)
}
