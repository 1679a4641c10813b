//! What a run does that the language leaves undefined.

use emulator::glsl::Sanitizer;
use emulator::sanitize::Finding;
use emulator::wave::{Engine as _, Stop};

use super::Run;

/// Blocks after which a run counts as endless.
const BLOCKS: u64 = 1_000_000_000;

/// Blocks between two checks for an interruption.
const GLANCE: u64 = 1 << 16;

impl<const W: usize> Run<W> {
    /// Runs everything from the start once more, watched; remembered for the lane. Nothing if it was told to stop.
    pub(super) fn undefined(&mut self) -> Option<Vec<Finding>> {
        let lane = self.travel.lane();
        if let Some((known, findings)) = &self.findings
            && *known == lane
        {
            return Some(findings.clone());
        }
        let (mut waves, mut world) = (self.begin.0.clone(), self.begin.1.clone());
        let mut sanitizer =
            Sanitizer::new(self.bench.shader(), self.bench.lowered()).only(1 << lane.lane).with_helpers();
        let mut left = BLOCKS;
        let mut waiting: Vec<usize> = (0..waves.len()).collect();
        while !waiting.is_empty() {
            let mut arrived = Vec::new();
            for &number in &waiting {
                sanitizer.select(number);
                let stop = loop {
                    let mut part = GLANCE.min(left);
                    left -= part;
                    let stop = self.travel.engine().run(&mut waves[number], &mut world, &mut sanitizer, &mut part);
                    left += part;
                    match stop {
                        Stop::Spent if self.signal.is_stop() => return None,
                        Stop::Spent if left > 0 => {}
                        stop => break stop,
                    }
                };
                match stop {
                    Stop::Barrier => arrived.push(number),
                    Stop::Done => sanitizer.finish(&waves[number]),
                    // What was found so far is what there is to say of a run without end.
                    Stop::Spent | Stop::Paused => {}
                }
            }
            sanitizer.barrier();
            waiting = arrived;
        }
        let mut findings = sanitizer.into_findings();
        findings.retain(|finding| finding.lane.0 == lane.wave);
        self.findings = Some((lane, findings.clone()));
        Some(findings)
    }
}
