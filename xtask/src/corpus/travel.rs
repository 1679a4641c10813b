//! `cargo xtask corpus travel`: points in the runs of other people's shaders, reached forwards and backwards.
//!
//! The way forwards is a plain wave that is paused once, with no checkpoints; the way backwards is from the end, or from
//! a point further on, by steps back. Registers, masks, control flow and memory must be the same, bit for bit.

mod scene;

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::bail;
use emulator::Wave;
use emulator::ir::Marker;
use emulator::travel::{Arrival, Lane, Limits, Travel};
use emulator::wave::{Flow, Observer, Stop};
use lanes::Mask;
use testing::random::SplitMix;

use crate::setup;
pub use scene::{Scene, World, subjects};

/// What to try.
#[derive(clap::Args)]
pub struct Args {
    /// How many pairs of a shader and a moment.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pairs: usize,
    /// Chooses other pairs.
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Print the name of each shader that is tried.
    #[arg(long)]
    list: bool,
}

/// Blocks after which a shader counts as endless.
const BLOCKS: u64 = 300_000;

/// Runs with fewer stops say little.
const SHORTEST: u64 = 10;

/// The fixed sample for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    run(&Args { pairs: 60, seed: 0, list: false })
}

/// Tries the law; any difference is a failure.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure_piglit()?;
    let start = Instant::now();
    let subjects = subjects(args.seed)?;
    let mut random = SplitMix::new(args.seed);
    let (mut tried, mut stops, mut steps) = (0, 0, 0);
    let mut shaders = 0;
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    for (case, stage) in subjects.iter().cycle() {
        if tried >= args.pairs {
            break;
        }
        let scene = match Scene::new(case, *stage, random.number()) {
            Ok(scene) => scene,
            Err(reason) => {
                *left_out.entry(reason).or_default() += 1;
                if left_out.values().sum::<usize>() > 10 * subjects.len() {
                    bail!("only {tried} pairs can be tried");
                }
                continue;
            }
        };
        // Room for next to no checkpoints, for some, and for plenty.
        let bytes = [0, 40_000, 120 << 20][random.below(3) as usize];
        let (pairs, way) = try_scene(&scene, bytes, &mut random, &mut steps)?;
        if args.list && pairs > 0 {
            println!("{pairs} in {} of {way} stops", case.name);
        }
        if pairs == 0 {
            *left_out.entry(format!("fewer than {SHORTEST} stops, or no end")).or_default() += 1;
        }
        shaders += usize::from(pairs > 0);
        tried += pairs;
        stops += way;
    }
    println!(
        "{tried} moments of {shaders} shaders reached forwards and backwards: the same bits ({stops} stops in all, {steps} steps back)"
    );
    for (reason, count) in &left_out {
        println!("  {count} shaders left out: {reason}");
    }
    println!("in {:.1?}", start.elapsed());
    Ok(())
}

/// Some moments of a shader: how many, and how many stops its run has.
fn try_scene(scene: &Scene, bytes: usize, random: &mut SplitMix, steps: &mut usize) -> anyhow::Result<(usize, u64)> {
    let program = scene.program();
    let mut travel = Travel::new(vec![scene.wave(&program)], scene.world.clone(), Limits { bytes, blocks: BLOCKS });
    if travel.to_end() != Arrival::End || travel.time() < SHORTEST {
        return Ok((0, 0));
    }
    let end = travel.time();
    // Long runs say more than short ones.
    let pairs = if end > 100 { 4 } else { 1 };
    for _ in 0..pairs {
        travel.follow(Lane { wave: 0, lane: random.below(4) as usize });
        travel.go_to(1 + random.number() % end);
        for _ in 0..1 + random.below(12) {
            match random.below(4) {
                0 => travel.back_over(),
                1 => travel.back_out(),
                _ => travel.back_into(),
            };
            *steps += 1;
        }
        let (wave, world) = forwards(scene, &program, travel.time());
        if !wave.same_state(travel.wave()) || world != *travel.host() {
            bail!("{}: the states at stop {} of {end} differ", scene.name, travel.time());
        }
    }
    Ok((pairs, end))
}

/// A plain run, paused after so many stops.
fn forwards<'p>(scene: &Scene, program: &'p emulator::ir::Program, stops: u64) -> (Wave<'p, 4>, World) {
    let (mut wave, mut world) = (scene.wave(program), scene.world.clone());
    let mut pause = Pause(stops);
    while stops > 0 && matches!(wave.run(&mut world, &mut pause, &mut u64::MAX.clone()), Stop::Barrier) {}
    (wave, world)
}

/// Pauses after so many stops.
struct Pause(u64);

impl Observer<4> for Pause {
    fn marker(&mut self, _: &Wave<'_, 4>, marker: Marker, _: &Mask<4>) -> Flow {
        self.0 -= u64::from(marker.is_stop());
        if self.0 == 0 && marker.is_stop() { Flow::Pause } else { Flow::Continue }
    }
}
