//! `cargo xtask corpus filters`: random look-ups in random textures, on the driver and on the emulator.
//!
//! Samplers, formats, shapes, coordinates and functions are random; each texture is looked up 1,024 times. A table shows how
//! many results are the same in every bit, within rounding, or different, by group. Where the driver is llvmpipe, the
//! emulator filters as it does; elsewhere what counts is how many anisotropic look-ups lie outside of their bounds.

use driver::{Api, Context};
use lab::filters::{Case, Table};
use testing::random::Random;
use texture::Filtering;

use super::ratchet::{Ratchet, Share};

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Number of textures.
    #[arg(long, default_value_t = 3000, value_name = "N")]
    count: u64,
    /// Seed of the first; the others follow.
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Use only textures whose description contains STR; repeat for several.
    #[arg(long, value_name = "STR")]
    filter: Vec<String>,
    /// Print the N textures with the most differences, each with its first.
    #[arg(long, default_value_t = 0, value_name = "N")]
    list: usize,
    /// Write the numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// Runs the corpus.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let context = Context::new(Api::DesktopCore)?;
    let renderer = context.renderer()?;
    let llvmpipe = renderer.starts_with("llvmpipe");
    let filtering =
        if llvmpipe { Filtering::Llvmpipe { flipped: false, ellipses: true } } else { Filtering::default() };
    println!("{renderer}, {}", context.version()?);
    let mut table = Table::default();
    let mut different = Vec::new();
    for seed in args.seed..args.seed + args.count {
        let case = Case::random(&mut Random::new(seed));
        let text = format!("{case:?}");
        if !args.filter.iter().all(|part| text.contains(part.as_str())) {
            continue;
        }
        let found = case.compare(&context, filtering, seed)?;
        table.add(&case, &found);
        if found.different() > 0 {
            different.push((found.different(), seed, text, found.first.unwrap_or_default()));
        }
    }
    print!("{table}");
    different.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
    for (count, seed, text, first) in different.iter().take(args.list) {
        println!("{count} of {seed}, {text}\n    {first}");
    }
    if !llvmpipe || !args.filter.is_empty() {
        return Ok(());
    }
    let all = &table.all;
    let share = |right| Share { right, total: all.total };
    let numbers = [
        ("exact", share(all.exact)),
        ("same", share(all.exact + all.close)),
        ("bounded", share(all.total - all.outside)),
    ];
    Ratchet::read()?.settle("filters", &numbers, args.update_ratchet)
}
