//! How long whole pictures take, here and on the driver.

use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;

use super::scene::Scene;
use super::values::SIDE;
use super::{PATIENCE, draw, emulate, subject};
use crate::corpus::mesa;

/// How often the driver draws the picture.
const DRAWS: u32 = 50;
/// How long ours is measured.
const TIME: Duration = Duration::from_secs(2);

/// What a pixel costs, in seconds.
pub struct Race {
    /// On the emulator.
    pub ours: f64,
    /// On the driver.
    pub theirs: f64,
}

/// Draws glmark2's `terrain` both ways, on one thread each, and says what a pixel costs.
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
        // What one picture costs beside drawing is in both.
        for (seconds, draws) in seconds.iter_mut().zip([1, DRAWS + 1]) {
            let mut job = draw::job(&scene);
            job["render"]["draws"] = json!(draws);
            let reply = mesa::ask_frame(&mut worker, &job, None, PATIENCE)?.map_err(anyhow::Error::msg)?;
            let time = reply["seconds"].as_f64().context("the driver did not draw")?;
            *seconds = time.min(*seconds);
        }
    }
    let theirs = (seconds[1] - seconds[0]).max(0.0) / f64::from(DRAWS);
    Ok(Race { ours: best.as_secs_f64() / pixels(SIDE), theirs: theirs / pixels(draw::LARGE) })
}

fn pixels(side: u16) -> f64 {
    f64::from(side) * f64::from(side)
}
