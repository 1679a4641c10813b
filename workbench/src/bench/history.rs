//! `cargo xtask bench history`: how long pixel histories take, compared with RenderDoc's for the same program and with
//! replaying the frame once.

mod measure;

use std::fmt::Write as _;

use anyhow::Context;

use self::measure::Measured;
use super::document;
use super::record::measure::Tools;
use crate::setup;

/// Options of the benchmark.
#[derive(clap::Args)]
pub struct Args {
    /// Number of repetitions; the shortest time counts.
    #[arg(long, default_value_t = 3, value_name = "N")]
    rounds: usize,
    /// Measure only programs whose name contains STR; does not write docs/benchmarks.md.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Do not run RenderDoc; does not write docs/benchmarks.md.
    #[arg(long)]
    alone: bool,
}

/// A demo and the history of the pixel in its middle.
#[derive(Clone, Copy)]
struct Subject {
    name: &'static str,
    command: &'static [&'static str],
    /// Width and height.
    size: [u32; 2],
    /// Number of additional frames to replay, to measure the time of one frame.
    frames: u32,
    /// Draws and fragments at the pixel in each frame, for the tables.
    draws: u32,
    rows: u32,
    /// Whether to run RenderDoc too.
    peer: bool,
}

/// The window size of glmark2, a tiny one, and that of the demos.
const WINDOW: [u32; 2] = [800, 600];
const TINY: [u32; 2] = [64, 64];
const DEMO: [u32; 2] = [480, 270];

const fn pile(name: &'static str, command: &'static [&'static str], draws: u32, rows: u32, peer: bool) -> Subject {
    let most = 5_000 / draws;
    let frames = if most > 20 { 20 } else { most };
    Subject { name, command, size: WINDOW, frames: if frames < 2 { 2 } else { frames }, draws, rows, peer }
}

const fn tiny(subject: Subject) -> Subject {
    Subject { size: TINY, ..subject }
}

const fn chain(name: &'static str, command: &'static [&'static str], passes: u32) -> Subject {
    Subject { name, command, size: DEMO, frames: 10, draws: passes, rows: 0, peer: false }
}

/// Programs in which a clear is one row and each fragment another.
const PILES: &[Subject] = &[
    pile("20 draws", &["overlap", "--plain", "--draws", "20"], 20, 21, true),
    pile("100 draws", &["overlap", "--plain", "--draws", "100"], 100, 101, true),
    pile("1,000 draws", &["overlap", "--plain", "--draws", "1000"], 1000, 1001, false),
    pile("10,000 draws", &["overlap", "--plain", "--draws", "10000"], 10_000, 10_001, false),
    tiny(pile("100 draws, 64x64", &["overlap", "--plain", "--draws", "100"], 100, 101, true)),
    pile("100 draws, half of them rejected", &["overlap", "--draws", "100"], 100, 101, true),
    pile("100 draws of three fragments", &["overlap", "--plain", "--draws", "100", "--layers", "3"], 100, 301, true),
    pile("one draw of 1,000 fragments", &["overdraw"], 1, 1001, true),
];

const CHAINS: &[Subject] = &[
    chain("4 passes", &["chain", "--passes", "4"], 4),
    chain("17 passes", &["chain", "--passes", "17"], 17),
    chain("64 passes", &["chain", "--passes", "64"], 64),
];

/// The minimum ratio of RenderDoc's time to ours for this program.
const AGAINST_PEER: (&str, f64) = ("100 draws", 50.0);

/// The maximum ratio of our time to that of replaying the frame.
const AGAINST_FRAME: (&str, f64) = ("17 passes", 20.0);

/// Measures everything and writes the tables.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure(&["xvfb", "libgl1-mesa-dri", "libegl1"])?;
    if !args.alone {
        setup::ensure(&["python3-renderdoc"])?;
    }
    let (_display, tools) = Tools::ready("bench-history")?;
    let all = |subjects: &'static [Subject]| -> anyhow::Result<Vec<Measured>> {
        let wanted =
            |subject: &&Subject| args.filter.as_ref().is_none_or(|filter| subject.name.contains(filter.as_str()));
        let measure = |subject: &'static Subject| {
            println!("{}", subject.name);
            measure::all(subject, args, &tools).context(subject.name)
        };
        subjects.iter().filter(wanted).map(measure).collect()
    };
    let text = tables(&all(PILES)?, &all(CHAINS)?, args);
    print!("{text}");
    if args.filter.is_none() && !args.alone {
        document::write(&text)?;
    }
    Ok(())
}

fn tables(piles: &[Measured], chains: &[Measured], args: &Args) -> String {
    let version = piles.iter().find_map(|one| one.peer.as_ref()).map_or("", |peer| peer.version.as_str());
    let mut text = format!(
        "# Histories of pixels in numbers\n\n\
         Made by `cargo xtask bench history`: the pixel in the middle of the last frame of demos, with Mesa's llvmpipe on a shared\n\
         machine. Milliseconds; each query ran {} times (10,000 draws once), alternately, and the minimum counts. \"Cold\" is the first\n\
         query about a trace, which starts a worker, replays what comes before and builds programs; \"rows\" and \"history\" are the same\n\
         query again. \"Frame\" is what one more frame adds to a replay.\n\n\
         ## One pixel, many draws\n\n\
         Windows have 800x600 pixels unless noted. Rows are the clear and all fragments at the pixel: those that wrote or tried to,\n\
         with colours and reasons. RenderDoc {version} has such a list too; it is queried through its Python module, twice, for a frame of\n\
         the same program in an open capture. Its rows are draws, not fragments. The whole history follows the pixel to vertices,\n\
         attributes, uniforms and the calls that set them.\n\n\
         | Program | rows | cold | rows again | per draw | whole history | nodes | frame | RenderDoc | its CPU | its rows | RenderDoc / our rows | target |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
        args.rounds
    );
    for one in piles {
        let peer = one.peer.as_ref();
        let ratio = peer.map(|peer| peer.history / one.rows);
        let cell = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
        // Writing to memory does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            one.subject.name,
            one.subject.rows,
            ms(one.cold),
            ms(one.rows),
            ms(one.rows / f64::from(one.subject.draws)),
            ms(one.history),
            one.nodes,
            ms(one.frame),
            cell(peer.map(|peer| peer.history * 1e3)),
            cell(peer.map(|peer| peer.cpu * 1e3)),
            peer.map_or("-".to_owned(), |peer| peer.rows.to_string()),
            cell(ratio),
            verdict(one, AGAINST_PEER, ratio, |ratio, wanted| ratio >= wanted),
        );
    }
    text.push_str(
        "\n\
         ## One pixel, many passes\n\n\
         The demo `chain`, 480x270 pixels: each pass reads nine or more texels of the previous one. A node is a visited texel, a\n\
         vertex, a uniform or an upload.\n\n\
         | Program | nodes | cold | history | per thousand nodes | frame | history / frame | target |\n\
         |---|--:|--:|--:|--:|--:|--:|---|\n",
    );
    for one in chains {
        let ratio = one.history / one.frame;
        // Writing to memory does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {ratio:.1} | {} |",
            one.subject.name,
            one.nodes,
            ms(one.cold),
            ms(one.history),
            ms(one.history * 1e3 / one.nodes.max(1) as f64),
            ms(one.frame),
            verdict(one, AGAINST_FRAME, Some(ratio), |ratio, wanted| ratio <= wanted),
        );
    }
    text
}

fn ms(seconds: f64) -> String {
    format!("{:.2}", seconds * 1e3)
}

/// Returns the target and whether it is met, for the program that has one.
fn verdict(one: &Measured, target: (&str, f64), ratio: Option<f64>, met: impl Fn(f64, f64) -> bool) -> String {
    let (name, wanted) = target;
    match ratio {
        Some(ratio) if one.subject.name == name => {
            format!("{wanted}: {}", if met(ratio, wanted) { "met" } else { "missed" })
        }
        _ => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::measure::Peer;
    use super::*;

    #[test]
    fn ratios_are_ours_over_a_frame_and_the_peers_over_ours() {
        let of =
            |subject, peer| Measured { subject, nodes: 2, cold: 0.5, rows: 0.01, history: 0.02, frame: 0.002, peer };
        let peer = Peer { version: "1.24".to_owned(), history: 0.6, cpu: 0.5, rows: 101 };
        let args = Args { rounds: 1, filter: None, alone: false };
        let text = tables(&[of(&PILES[1], Some(peer)), of(&PILES[2], None)], &[of(&CHAINS[1], None)], &args);
        let expected = [
            "| 100 draws | 101 | 500.00 | 10.00 | 0.10 | 20.00 | 2 | 2.00 | 600.0 | 500.0 | 101 | 60.0 | 50: met |",
            "| 1,000 draws | 1001 | 500.00 | 10.00 | 0.01 | 20.00 | 2 | 2.00 | - | - | - | - | - |",
            "| 17 passes | 2 | 500.00 | 20.00 | 10000.00 | 2.00 | 10.0 | 20: met |",
        ];
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| 1")).collect();
        assert_eq!(rows, expected);
    }
}
