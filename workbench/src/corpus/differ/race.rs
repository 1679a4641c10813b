//! Measures how long whole images take, on the emulator and on the driver.

use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;

use super::scene::Scene;
use super::values::SIDE;
use super::{TIMEOUT, draw, emulate, subject};
use crate::corpus::mesa;

/// Number of images that the driver draws.
const DRAWS: u32 = 50;
/// Duration of our measurement.
const TIME: Duration = Duration::from_secs(2);

/// Seconds per pixel.
pub struct Race {
    /// On the emulator.
    pub ours: f64,
    /// On the driver.
    pub theirs: f64,
}

/// Draws glmark2's `terrain` with both, on one thread each, and returns the cost per pixel.
pub fn race() -> anyhow::Result<Race> {
    let terrain = subject::of_glmark2()?.into_iter().find(|s| s.strings.concat().contains("uRepeatOverlay"));
    let terrain = terrain.context("glmark2 has no shader of `terrain`")?;
    let scene = Scene::new(&terrain).map_err(|why| anyhow::anyhow!("{}: {why}", terrain.name))?;
    let start = Instant::now();
    let mut best = Duration::MAX;
    while start.elapsed() < TIME {
        let begin = Instant::now();
        emulate::picture(&scene).map_err(anyhow::Error::msg)?;
        best = best.min(begin.elapsed());
    }
    let mut worker = None;
    let mut seconds = [f64::MAX; 2];
    for _ in 0..8 {
        // The cost of one image besides drawing is in both.
        for (seconds, draws) in seconds.iter_mut().zip([1, DRAWS + 1]) {
            let mut job = draw::job(&scene);
            job["render"]["draws"] = json!(draws);
            let reply = mesa::ask_frame(&mut worker, &job, None, TIMEOUT)?.map_err(anyhow::Error::msg)?;
            let time = reply["seconds"].as_f64().context("the driver returned no time")?;
            *seconds = time.min(*seconds);
        }
    }
    let theirs = (seconds[1] - seconds[0]).max(0.0) / f64::from(DRAWS);
    Ok(Race { ours: best.as_secs_f64() / pixels(SIDE), theirs: theirs / pixels(draw::LARGE) })
}

fn pixels(side: u16) -> f64 {
    f64::from(side) * f64::from(side)
}
