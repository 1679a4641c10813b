//! Compute shaders: workgroups of waves that meet at barriers.

use anyhow::bail;
use emulator::wave::{Stop, Trap};
use emulator::{Wave, WaveState};
use lanes::Mask;

use super::BLOCKS;
use super::report::{Invocation, Report};
use super::single::Job;
use super::watchers::Watchers;
use super::world::World;

/// Lanes of a wave.
const W: usize = 32;
/// More invocations in a workgroup than this are refused.
const MOST: u32 = 1 << 14;

/// All workgroups of `--compute`, one after the other.
pub fn groups<'a>(job: &Job<'a>, world: &mut World, watchers: &mut Watchers<'a>) -> anyhow::Result<Report> {
    let groups = counts(&job.args.compute)?;
    let size = job.shader.typed.stage.local_size.map(|n| n.unwrap_or(1));
    let Some(count) = size.iter().try_fold(1u32, |n, s| n.checked_mul(*s)).filter(|n| *n > 0 && *n <= MOST) else {
        bail!("a workgroup of {} x {} x {} invocations is more than {MOST}", size[0], size[1], size[2]);
    };
    watchers.start(job, u64::MAX, 0)?;
    let mut report = Report::new(Invocation::Groups(groups));
    let all = (0..groups[2]).flat_map(|z| (0..groups[1]).flat_map(move |y| (0..groups[0]).map(move |x| [x, y, z])));
    for (number, id) in all.enumerate() {
        watchers.restart(number as u64);
        world.shared.fill(0);
        if let Err(trap) = group(job, world, watchers, (groups, size, id), count)? {
            report.trap = Some(trap);
            break;
        }
    }
    Ok(report)
}

/// `4`, `4,2`, `4,2,1`
fn counts(text: &str) -> anyhow::Result<[u32; 3]> {
    let mut counts = [1; 3];
    let words: Vec<&str> = text.split(',').collect();
    for (i, word) in words.iter().enumerate() {
        match (counts.get_mut(i), word.trim().parse()) {
            (Some(count), Ok(number)) => *count = number,
            _ => bail!("--compute takes up to three numbers such as 4,2,1, not {text:?}"),
        }
    }
    Ok(counts)
}

fn group<'a>(
    job: &Job<'a>,
    world: &mut World,
    watchers: &mut Watchers<'a>,
    (groups, size, id): ([u32; 3], [u32; 3], [u32; 3]),
    count: u32,
) -> anyhow::Result<Result<(), Trap>> {
    let mut waves: Vec<(Wave<W>, Mask<W>)> = Vec::new();
    for first in (0..count).step_by(W) {
        let mask = Mask::from_bits(u64::MAX >> (64 - (count - first).min(W as u32)));
        let mut wave = Wave::new(job.program, job.args.numerics.numerics());
        wave.initialize(mask)?;
        for (number, unit) in world.units.iter().enumerate() {
            wave.set(unit.register, [number as u32; W]);
        }
        job.values.iter().for_each(|value| value.apply(&mut wave));
        builtins(job, &mut wave, first, (groups, size, id));
        wave.start(mask);
        waves.push((wave, mask));
    }
    let mut left = BLOCKS;
    let mut waiting: Vec<usize> = (0..waves.len()).collect();
    while !waiting.is_empty() {
        let mut arrived = Vec::new();
        for &number in &waiting {
            let (wave, mask) = &mut waves[number];
            watchers.select(number);
            // Steps, texels and values are those of the first workgroup, and of its first invocation.
            let noted = number == 0 && id == [0; 3];
            let stop = if noted {
                wave.run(world, &mut watchers.all(), &mut left)
            } else {
                wave.run(world, &mut (&mut watchers.sanitizer, &mut watchers.counters), &mut left)
            };
            match stop {
                Stop::Barrier => arrived.push(number),
                Stop::Spent => return Ok(Err(Trap::Endless(BLOCKS))),
                Stop::Done | Stop::Paused => {
                    watchers.finish(wave, mask.bits());
                    if noted {
                        watchers.end_trace(wave);
                    }
                }
            }
        }
        if let Some(sanitizer) = &mut watchers.sanitizer {
            sanitizer.barrier();
        }
        waiting = arrived;
    }
    Ok(Ok(()))
}

fn builtins(job: &Job<'_>, wave: &mut WaveState<W>, first: u32, (groups, size, id): ([u32; 3], [u32; 3], [u32; 3])) {
    let local = |lane: usize| {
        let index = first + lane as u32;
        [index % size[0], index / size[0] % size[1], index / (size[0] * size[1])]
    };
    let mut vector = |name: &str, value: &dyn Fn(usize, usize) -> u32| {
        if let Some((_, home)) = job.program.locate(name) {
            for (axis, register) in home.iter().enumerate() {
                wave.set(register, std::array::from_fn(|lane| value(lane, axis)));
            }
        }
    };
    vector("gl_NumWorkGroups", &|_, axis| groups[axis]);
    vector("gl_WorkGroupID", &|_, axis| id[axis]);
    vector("gl_LocalInvocationID", &|lane, axis| local(lane)[axis]);
    vector("gl_GlobalInvocationID", &|lane, axis| id[axis] * size[axis] + local(lane)[axis]);
    vector("gl_LocalInvocationIndex", &|lane, _| first + lane as u32);
}
