//! `cargo xtask corpus travel`: points in runs of piglit's shaders, reached forwards and backwards.
//!
//! Forwards is a plain wave that is paused once, without checkpoints; backwards is from the end, or from a later point,
//! by steps back. Registers, masks, control flow and memory must be bitwise equal.

mod scene;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::bail;
use emulator::ir::{Marker, Program};
use emulator::travel::{Arrival, Lane, Limits, Travel};
use emulator::wave::{Flow, Observer, Stop};
use emulator::{Wave, WaveState};
use lanes::Mask;
use testing::random::SplitMix;

use crate::setup;
pub use scene::{Scene, World, subjects};

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Number of pairs of a shader and a moment.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pairs: usize,
    /// Seed of the choice of pairs.
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Print the name of each shader.
    #[arg(long)]
    list: bool,
}

/// Maximum number of blocks before a shader counts as not terminating.
const BLOCKS: u64 = 300_000;

/// Minimum number of stops of a run.
const SHORTEST: u64 = 10;

/// Runs the fixed sample for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    run(&Args { pairs: 60, seed: 0, list: false })
}

/// Checks all pairs; any difference is a failure.
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
                    bail!("only {tried} pairs are available");
                }
                continue;
            }
        };
        // Memory for almost no checkpoints, for some, and for plenty.
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

/// Tries some moments of a shader; returns how many, and the number of stops of its run.
fn try_scene(scene: &Scene, bytes: usize, random: &mut SplitMix, steps: &mut usize) -> anyhow::Result<(usize, u64)> {
    let program = scene.program();
    let (engine, wave) = scene.wave(&program).into_parts();
    let mut travel = Travel::new(engine, vec![wave], scene.world.clone(), Limits { bytes, blocks: BLOCKS });
    if travel.to_end() != Arrival::End || travel.time() < SHORTEST {
        return Ok((0, 0));
    }
    let end = travel.time();
    // Long runs are more meaningful than short ones.
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

/// Runs plainly, and pauses after this many stops.
fn forwards(scene: &Scene, program: &Arc<Program>, stops: u64) -> (Wave<4>, World) {
    let (mut wave, mut world) = (scene.wave(program), scene.world.clone());
    let mut pause = Pause(stops);
    while stops > 0 && matches!(wave.run(&mut world, &mut pause, &mut u64::MAX.clone()), Stop::Barrier) {}
    (wave, world)
}

/// Pauses after this many stops.
struct Pause(u64);

impl Observer<4> for Pause {
    fn marker(&mut self, _: &WaveState<4>, marker: Marker, _: &Mask<4>) -> Flow {
        self.0 -= u64::from(marker.is_stop());
        if self.0 == 0 && marker.is_stop() { Flow::Pause } else { Flow::Continue }
    }
}
