//! A call as one line of text, as `afterimage dump` prints it.

use api::print::{Limits, Line, Pointee};
use api::{Count, Meaning, Scalar};
use chronicle::Annotations;
use trace::{Bytes, Call, Data, Reader};

/// Returns a call as one line: the function, its arguments by name, its result. Objects have their labels beside their
/// names. Long texts and arrays are cut unless `full` is set.
#[must_use]
pub fn line(reader: &Reader, call: &Call<'_>, annotations: &Annotations, full: bool) -> String {
    let limits = if full { Limits { elements: usize::MAX, characters: usize::MAX } } else { Limits::default() };
    let Some(command) = call.command else { return unknown(call) };
    let command = api::command(command);
    let data = |param: usize| {
        let param = u8::try_from(param).ok()?;
        call.output(param).or_else(|| call.input(param))
    };
    // Bytes of blobs are fetched only where they will be printed.
    let fetched: Vec<Option<Bytes<'_>>> = command
        .params
        .iter()
        .enumerate()
        .map(|(at, param)| {
            let memory = param.memory?;
            let is_text = memory.element.meaning == Meaning::Character || matches!(memory.count, Count::Texts { .. });
            match data(at)? {
                blob @ Data::Blob { .. } if is_text || full => reader.bytes(blob).ok().flatten(),
                _ => None,
            }
        })
        .collect();
    let behind = |param: usize| match data(param) {
        None => Pointee::Nothing,
        Some(Data::Inline(bytes)) => Pointee::Bytes(bytes),
        Some(Data::Blob { number, size }) => match &fetched[param] {
            Some(bytes) if full => Pointee::Bytes(bytes),
            bytes => Pointee::Blob { number, size: Some(size), bytes: bytes.as_deref() },
        },
        Some(Data::Digest { size, .. }) => Pointee::Digest { size },
    };
    let result = call.outcome.map(|outcome| outcome.result);
    let context = annotations.context(call.thread, call.number);
    let label = |space, name| annotations.label(context, space, name, call.number).map(str::to_owned);
    Line { command, args: call.args, result, memory: &behind, limits, label: &label }.to_string()
}

/// A call of a command that this build does not have: what the trace itself says of it.
fn unknown(call: &Call<'_>) -> String {
    let value = |scalar: Scalar, word: u64| match scalar {
        Scalar::F32 => format!("{:?}", f32::from_bits(word as u32)),
        Scalar::F64 => format!("{:?}", f64::from_bits(word)),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => (word as i64).to_string(),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 | Scalar::Void => word.to_string(),
        Scalar::Pointer => format!("{word:#x}"),
    };
    let params = call.signature.params.iter().zip(call.args);
    let params: Vec<String> =
        params.map(|(param, word)| format!("{} = {}", param.name, value(param.value.scalar, *word))).collect();
    let mut text = format!("{}({})", call.name(), params.join(", "));
    if let Some(outcome) = call.outcome
        && call.signature.result.scalar != Scalar::Void
    {
        text += &format!(" = {}", value(call.signature.result.scalar, outcome.result));
    }
    text
}
