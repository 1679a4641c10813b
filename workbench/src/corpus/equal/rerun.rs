//! Runs the emulator again, with the measured value of every expression.

use instrument::inspect::Run;
use instrument::stream::{BLOCK_HEADER, HEADER, IDENTITY};
use instrument::variant::Reading;
use instrument::{Detail, Question, Scope, Subject, Transport};
use lab::{OnEmulator, Scenario, everything};
use verdict::settle::encode;

/// Returns the emulator's recording of the invocation `pick`, computed from measured values.
pub fn rerun(
    scenario: &Scenario,
    subject: Subject<'_>,
    detail: Detail,
    pick: [i32; 4],
    measured: &Reading,
) -> Result<Reading, String> {
    let device = everything(scenario.api);
    let question = Question::Recomputation { detail };
    let variant = instrument::weave(subject, &question, Scope::One, &device, Transport::Storage)
        .map_err(|refusal| format!("not woven for a storage block: {refusal}"))?;
    let stream = encode(measured, &variant.layout);
    let half = IDENTITY as usize + stream.len() + 64;
    let mut block = vec![0; BLOCK_HEADER as usize + half * 2];
    block[1] = (half * 2) as u32;
    let start = (BLOCK_HEADER + IDENTITY) as usize;
    block[start..start + stream.len()].copy_from_slice(&stream);
    let mut emulator = OnEmulator::new(scenario.clone());
    let run = Run { on: true, pick, base: 0, room: [(half * 2) as u32, 1] };
    let after = emulator.run_on_block(&variant, subject.shader.stage, Scope::One, run, &block);
    let after = after.map_err(|error| format!("emulator, with measured values: {error}"))?;
    let computed = after.get(start + half..).unwrap_or_default();
    if computed.first().is_none_or(|&length| length < HEADER) {
        return Err("emulator, with measured values: no invocation answers".to_owned());
    }
    variant.layout.decode(computed).map_err(|error| format!("emulator, with measured values: {error}"))
}
