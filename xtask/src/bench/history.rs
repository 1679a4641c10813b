//! `cargo xtask bench history`: how long the history of a pixel takes, against RenderDoc's of the same program and against
//! replaying the frame once.

mod measure;

use std::fmt::Write as _;

use anyhow::Context;

use self::measure::Measured;
use super::document;
use super::record::measure::Tools;
use crate::setup;

/// How to measure.
#[derive(clap::Args)]
pub struct Args {
    /// How often everything is asked; the least of the times counts.
    #[arg(long, default_value_t = 3, value_name = "N")]
    rounds: usize,
    /// Only programs whose name contains this; nothing is written to docs/benchmarks.md then.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Do not ask RenderDoc; nothing is written to docs/benchmarks.md then.
    #[arg(long)]
    alone: bool,
}

/// A demo and the history of the pixel in its middle.
struct Subject {
    name: &'static str,
    command: &'static [&'static str],
    /// How many more frames it is replayed with, to know what one of them takes.
    frames: u32,
    /// Draws and fragments at the pixel of each frame, for the tables.
    draws: u32,
    rows: u32,
    /// True to ask RenderDoc too.
    peer: bool,
}

/// Width and height of everything.
const SIZE: &str = "64x64";
const MIDDLE: &str = "32";

const fn pile(name: &'static str, command: &'static [&'static str], draws: u32, rows: u32, peer: bool) -> Subject {
    let most = 50_000 / draws;
    Subject { name, command, frames: if most > 100 { 100 } else { most }, draws, rows, peer }
}

/// Where a clear is one row and each fragment another.
const PILES: &[Subject] = &[
    pile("20 draws", &["overlap", "--plain", "--draws", "20"], 20, 21, true),
    pile("100 draws", &["overlap", "--plain", "--draws", "100"], 100, 101, true),
    pile("1,000 draws", &["overlap", "--plain", "--draws", "1000"], 1000, 1001, false),
    pile("10,000 draws", &["overlap", "--plain", "--draws", "10000"], 10_000, 10_001, false),
    pile("100 draws, half of them rejected", &["overlap", "--draws", "100"], 100, 101, true),
    pile("100 draws of three fragments", &["overlap", "--plain", "--draws", "100", "--layers", "3"], 100, 301, true),
    pile("one draw of 1,000 fragments", &["overdraw"], 1, 1001, true),
];

const CHAINS: &[Subject] = &[
    pile("4 passes", &["chain", "--passes", "4"], 4, 0, false),
    pile("17 passes", &["chain", "--passes", "17"], 17, 0, false),
    pile("64 passes", &["chain", "--passes", "64"], 64, 0, false),
];

/// RenderDoc's time over ours that is wanted for this one.
const AGAINST_PEER: (&str, f64) = ("100 draws", 50.0);

/// Our time over that of replaying the frame, at most.
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
        "# Histories of pixels in numbers\n\nMade by `cargo xtask bench history`: the pixel in the middle of the last frame of \
         demos of {SIZE} pixels, on Mesa's llvmpipe\nand a shared machine. Milliseconds; each was asked {} times, by turns, and \
         the least counts. \"First\" is to open the trace, \"history\" the question itself; \"frame\" is what\none \
         more frame adds to a replay.\n\n\
         ## One pixel, many draws\n\n\
         Rows are the clear and all fragments at the pixel, \"nodes\" what we answer with. RenderDoc {version} is asked through its \
         Python module about a frame of the same\nprogram, opened before; it makes rows for draws, not for fragments.\n\n\
         | Program | rows | nodes | first | history | a draw | frame | history / frame | RenderDoc | its CPU | its rows | RenderDoc / ours | target |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
        args.rounds
    );
    for one in piles {
        let peer = one.peer.as_ref();
        let ratio = peer.map(|peer| peer.history / one.history);
        let cell = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
        // Writing to memory does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {:.1} | {} | {} | {} | {} | {} |",
            one.subject.name,
            one.subject.rows,
            one.nodes,
            ms(one.open),
            ms(one.history),
            ms(one.history / f64::from(one.subject.draws)),
            ms(one.frame),
            one.history / one.frame,
            cell(peer.map(|peer| peer.history * 1e3)),
            cell(peer.map(|peer| peer.cpu * 1e3)),
            peer.map_or("-".to_owned(), |peer| peer.rows.to_string()),
            cell(ratio),
            verdict(one, AGAINST_PEER, ratio, |ratio, wanted| ratio >= wanted),
        );
    }
    text.push_str(
        "\n## One pixel, many passes\n\nThe demo `chain`: each pass reads nine texels or more of the one before. A node is a texel \
         that was visited.\n\n\
         | Program | nodes | first | history | a thousand nodes | frame | history / frame | target |\n\
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
            ms(one.open),
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

/// The target and whether it is met, for the one program that has it.
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
        let of = |subject, peer| Measured { subject, nodes: 2, open: 0.5, history: 0.01, frame: 0.002, peer };
        let peer = Peer { version: "1.24".to_owned(), history: 0.6, cpu: 0.5, rows: 101 };
        let args = Args { rounds: 1, filter: None, alone: false };
        let text = tables(&[of(&PILES[1], Some(peer)), of(&PILES[2], None)], &[of(&CHAINS[1], None)], &args);
        let expected = [
            "| 100 draws | 101 | 2 | 500.00 | 10.00 | 0.10 | 2.00 | 5.0 | 600.0 | 500.0 | 101 | 60.0 | 50: met |",
            "| 1,000 draws | 1001 | 2 | 500.00 | 10.00 | 0.01 | 2.00 | 5.0 | - | - | - | - | - |",
            "| 17 passes | 2 | 500.00 | 10.00 | 5000.00 | 2.00 | 5.0 | 20: met |",
        ];
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| 1")).collect();
        assert_eq!(rows, expected);
    }
}
