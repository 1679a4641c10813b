//! Traces of any length, made of the frames of a short one.

use std::path::Path;

use anyhow::{Context, ensure};
use api::id;
use trace::{Bytes, Call, Content, Payload, Reader, Writer};

/// Writes a trace of at least so many calls, and returns its size in bytes: the frames of `base`, all but the first again and
/// again, with other values of uniforms each time. All calls of `base` are of one thread.
pub fn write(base: &Path, calls: u64, file: &Path) -> anyhow::Result<u64> {
    let reader = Reader::open(base, api::COMMANDS)?;
    let frames = reader.frame_count();
    let (first, last) = (reader.frame(1), reader.frame(frames.saturating_sub(1)));
    let body =
        first.zip(last).map(|(first, last)| first.start..last.end).context("the trace has less than two frames")?;
    let mut writer = Writer::create(file, api::COMMANDS)?;
    let copy = |writer: &mut Writer, from: u64, end: u64| -> anyhow::Result<()> {
        let mut list = reader.calls();
        list.seek(from);
        while let Some(call) = list.next()? {
            if call.number >= end || writer.calls() >= calls {
                break;
            }
            copy_call(writer, &reader, &call)?;
        }
        Ok(())
    };
    copy(&mut writer, 0, body.start)?;
    while writer.calls() < calls {
        copy(&mut writer, body.start, body.end)?;
    }
    Ok(writer.finish()?.0.bytes)
}

fn copy_call(writer: &mut Writer, reader: &Reader, call: &Call<'_>) -> anyhow::Result<()> {
    let Some(command) = call.command else { return Ok(()) };
    ensure!(call.thread == 0, "the trace has calls of several threads");
    let mut args = call.args.to_vec();
    if command == id::glUniform4f
        && let Some(word) = args.get_mut(1)
    {
        // From 0 to 1, without a pattern.
        let noise = writer.calls().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        *word = u64::from((noise as f32 / (1 << 24) as f32).to_bits());
    }
    let inputs = payloads(reader, call.inputs.iter())?;
    let inputs: Vec<Content<'_>> = inputs.iter().map(content).collect();
    writer.enter(0, command, call.by_capture, &args, &inputs)?;
    if let Some(outcome) = &call.outcome {
        let outputs = payloads(reader, outcome.outputs.iter())?;
        let outputs: Vec<Content<'_>> = outputs.iter().map(content).collect();
        writer.leave(0, outcome.result, &outputs, writer.calls())?;
    }
    Ok(())
}

/// The memory behind a call's parameters.
fn payloads<'a>(reader: &Reader, list: impl Iterator<Item = Payload<'a>>) -> anyhow::Result<Vec<(u8, Vec<u8>)>> {
    let mut all = Vec::new();
    for payload in list {
        let bytes = match reader.bytes(payload.data)? {
            Some(Bytes::Inline(bytes)) => bytes.to_vec(),
            Some(Bytes::Blob(bytes)) => bytes.to_vec(),
            None => continue,
        };
        all.push((payload.param, bytes));
    }
    Ok(all)
}

fn content((param, bytes): &(u8, Vec<u8>)) -> Content<'_> {
    Content { param: *param, bytes, digest_only: false }
}
