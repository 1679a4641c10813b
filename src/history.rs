//! `afterimage history`: who made a pixel, through every pass.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};
use inquiry::Inquiry;
use recall::{Bounds, Place, Recall};
use reenact::tail::Role;

use crate::cli::{EXIT_STATUS, Outcome};
use crate::replay::On;

/// Show who made a pixel.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The pixel, from the lower left.
    #[arg(long, value_name = "X,Y", value_delimiter = ',', num_args = 1, required = true)]
    pixel: Vec<u32>,
    /// After this command; otherwise before the frame is shown.
    #[arg(long, value_name = "CMD", conflicts_with = "frame")]
    at: Option<u64>,
    /// The frame, from 0; otherwise the last.
    #[arg(long, value_name = "N")]
    frame: Option<usize>,
    /// Leave out what has less influence than this.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    min_weight: f64,
    /// Follow so many passes back.
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Find so many nodes at most.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    max_nodes: usize,
    /// Only who wrote to the pixel.
    #[arg(long)]
    rows: bool,
    #[command(flatten)]
    on: On,
}

/// Prints a history.
///
/// # Errors
/// When the trace cannot be read, or there is no such pixel.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let &[x, y] = args.pixel.as_slice() else { bail!("a pixel is two numbers: --pixel X,Y") };
    let program = std::env::current_exe().context("this program cannot be found")?;
    let start = Instant::now();
    let mut inquiry = Inquiry::open(&program, &args.trace, args.on.choice(), args.on.patience())?;
    let until = match (args.at, args.frame) {
        (Some(at), _) => at + 1,
        (None, Some(frame)) => {
            inquiry.reader().frame(frame).with_context(|| format!("there is no frame {frame}"))?.end - 1
        }
        (None, None) => inquiry.reader().presents().last().copied().unwrap_or_else(|| inquiry.reader().len()),
    };
    let model = inquiry.state_after(until.saturating_sub(1))?;
    let thread = inquiry.reader().call_at(until.saturating_sub(1))?.call().thread;
    let view = model.view(thread).context("there is no context at that command")?;
    let place = Place::drawn(&view, Role::Colour(0), [x, y], 0)?;
    let mut recall = Recall::new(&mut inquiry, &mut |_| {})?;
    let opened = start.elapsed();
    let start = Instant::now();
    let bounds =
        Bounds { min_weight: args.min_weight, depth: args.depth.unwrap_or(u32::MAX), max_nodes: args.max_nodes };
    if args.rows {
        let from = recall.inquiry().reader().frame(recall.inquiry().reader().frame_of(until - 1)).map_or(0, |f| f.start);
        let rows = recall.rows(place, (from, until), &mut |_, _| {})?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "opened {opened:?}, rows {:?}: {}", start.elapsed(), rows.len())?;
        for node in rows.iter().take(30) {
            let fate = node.fragment.as_ref().map(|f| (f.primitive, f.fate, f.measured, f.depth));
            writeln!(out, "{} {} {:?} {:?} -> {:?} {:?}", node.call, node.kind.word(), fate, node.before, node.after, node.verdict)?;
        }
        let mut tally = std::collections::BTreeMap::new();
        for node in &rows {
            *tally.entry(format!("{} {:?}", node.kind.word(), node.verdict)).or_insert(0) += 1;
        }
        writeln!(out, "{tally:#?}")?;
        return Ok(Outcome::Done);
    }
    let history = recall.history(place, until, bounds, &mut |_, _| {})?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "opened {opened:?}, history {:?}: {} nodes, {} edges",
        start.elapsed(),
        history.nodes.len(),
        history.edges.len()
    )?;
    for node in history.nodes.iter().take(30) {
        writeln!(
            out,
            "{} {} {} depth {} at {:?} weight {:.4} {:?} -> {:?} emulated {:?} {:?}",
            node.id.0,
            node.call,
            node.kind.word(),
            node.depth,
            node.place.at,
            node.weight,
            node.before,
            node.after,
            node.emulated,
            node.verdict
        )?;
    }
    let mut tally = std::collections::BTreeMap::new();
    for node in &history.nodes {
        *tally.entry(format!("{} {:?}", node.kind.word(), node.verdict)).or_insert(0) += 1;
    }
    writeln!(out, "{tally:#?}\n{:?} {:#?}", history.cut, history.notes)?;
    Ok(Outcome::Done)
}
