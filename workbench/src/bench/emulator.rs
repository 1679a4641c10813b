//! `cargo xtask bench emulator`: the speed of the emulator.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use emulator::ir::{Instruction, Marker, Program, SiteId};
use emulator::observe::Stepper;
use emulator::wave::{Flow, Interest, Observer};
use emulator::{Wave, WaveState};
use lanes::{Mask, Numerics};
use shader::Shader;
use shader::version::{Options, Stage};

use crate::corpus::differ;

/// Lanes per wave.
const LANES: usize = 16;
/// Duration of each measurement.
const TIME: Duration = Duration::from_millis(700);
/// More blocks than this mean that something is wrong with the benchmark.
const BLOCKS: u64 = 100_000_000;

/// Shaders of simple operations: sums, products, comparisons, selections and copies, in loops.
const PROGRAMS: &[(&str, &str)] = &[
    ("straight", include_str!("emulator/straight.frag")),
    ("branches", include_str!("emulator/branches.frag")),
    ("vectors", include_str!("emulator/vectors.frag")),
    ("divergent loops", include_str!("emulator/loops.frag")),
];

/// Measures everything. Lane-operations count active lanes; markers and calls do not count.
pub fn run() -> anyhow::Result<()> {
    println!(
        "{:18} {:>14} {:>16} {:>14} {:>16} {:>10} {:>9}",
        "16 lanes", "instructions", "lane-ops / s", "in bulk", "lane-ops / s", "faster", "stepping"
    );
    for (name, text) in PROGRAMS {
        let shader = read(text).with_context(|| (*name).to_owned())?;
        let program = emulator::glsl::lower(&shader)?;
        let bulk = Arc::new(program.bulk());
        let (mut count, mut bulk_count) = (Count::default(), Count::default());
        once(&program, &mut count)?;
        once(&bulk, &mut bulk_count)?;
        let plain = time(|| once(&program, &mut ()))?.as_secs_f64();
        let faster = time(|| once(&bulk, &mut ()))?.as_secs_f64();
        let stepper = Stepper::new(&Arc::new(emulator::glsl::source_map(&shader)), 0);
        let watched = time(|| {
            let mut stepping = Stepping { stepper: stepper.clone(), steps: 0 };
            once(&program, &mut stepping)?;
            black_box(stepping.steps);
            Ok(())
        })?;
        println!(
            "{name:18} {:14} {:13.2} G {:15} {:14.2} G {:9.2}x {:8.2}x",
            count.instructions,
            count.lanes as f64 / plain / 1e9,
            bulk_count.instructions,
            bulk_count.lanes as f64 / faster / 1e9,
            plain / faster,
            watched.as_secs_f64() / plain,
        );
    }
    let race = differ::race()?;
    let (ours, theirs) = (race.ours * 1e9, race.theirs * 1e9);
    println!(
        "glmark2's terrain, one thread each: {ours:.0} ns per pixel, llvmpipe {theirs:.1} ns: {:.0}x",
        ours / theirs
    );
    Ok(())
}

fn read(text: &str) -> anyhow::Result<Shader> {
    let shader = shader::analyze(&[text], &Options::new(Stage::Fragment));
    anyhow::ensure!(!shader.has_errors(), "{:?}", shader.diagnostics);
    Ok(shader)
}

/// Runs a wave whose input `p` differs from lane to lane.
fn once(program: &Arc<Program>, observer: &mut dyn Observer<LANES>) -> anyhow::Result<()> {
    let mut wave: Wave<LANES> = Wave::new(program, Numerics::IEEE);
    let all = Mask::ALL;
    wave.initialize(all)?;
    if let Some((_, home)) = program.locate("p") {
        for (i, register) in home.iter().enumerate() {
            let value = |lane: usize| (0.25 + (lane * 7 + i * 3) as f32 / 64.0).to_bits();
            wave.set(register, std::array::from_fn(value));
        }
    }
    wave.main(all, BLOCKS, &mut (), observer)?;
    for (_, home) in program.outputs() {
        black_box(wave.register(home.start));
    }
    Ok(())
}

/// Returns the shortest of many runs: other load on the machine only makes them longer.
fn time(mut run: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let mut best = Duration::MAX;
    while start.elapsed() < TIME {
        let begin = Instant::now();
        run()?;
        best = best.min(begin.elapsed());
    }
    Ok(best)
}

/// Counts instructions, and the lanes that took part in each.
#[derive(Default)]
struct Count {
    instructions: u64,
    lanes: u64,
}

impl Observer<LANES> for Count {
    fn interest(&self) -> Interest {
        Interest::INSTRUCTIONS
    }

    fn before(&mut self, _: &WaveState<LANES>, _: &Instruction, _: Option<SiteId>, mask: &Mask<LANES>) {
        self.instructions += 1;
        self.lanes += u64::from(mask.bits().count_ones());
    }
}

/// Tracks one lane: its statement, call depth and iteration.
struct Stepping {
    stepper: Stepper,
    steps: u64,
}

impl Observer<LANES> for Stepping {
    fn interest(&self) -> Interest {
        Interest::INSTRUCTIONS
    }

    fn marker(&mut self, _: &WaveState<LANES>, marker: Marker, mask: &Mask<LANES>) -> Flow {
        if self.stepper.takes_part(mask) {
            self.stepper.marker(marker, |_| self.steps += 1);
        }
        Flow::Continue
    }

    fn before(&mut self, _: &WaveState<LANES>, _: &Instruction, origin: Option<SiteId>, mask: &Mask<LANES>) {
        if self.stepper.takes_part(mask) {
            self.stepper.before(origin, |_| self.steps += 1);
        }
    }
}
