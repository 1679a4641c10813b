//! Checks that both ways to separate the fragments of a draw agree.

use inquiry::Inquiry;
use instrument::Transport;
use instrument::inspect::InspectResult;
use instrument::variant::Record;

/// Compares the fragments of a draw at a pixel when isolated one by one with those in a list; `None` when there is only
/// one way.
pub fn as_listed(inquiry: &mut Inquiry, call: u64, [x, y]: [u32; 2]) -> Option<Result<(), String>> {
    let rectangle = [x, y, 1, 1];
    let work = inquiry.work(call).ok()?;
    // Isolated fragments have one sample, those of a list all of their own.
    if work.target.samples > 1 {
        return None;
    }
    let mut listed = inquiry.ends_by(&work, rectangle, Transport::Storage).ok()?.result;
    let targets = [Transport::IntegerTargets(4), Transport::FloatTargets(4), Transport::Bytes];
    let mut isolated = targets.iter().find_map(|way| inquiry.ends_by(&work, rectangle, *way).ok())?.result;
    // A list is in the order in which invocations answer, which is arbitrary; and llvmpipe runs those of points beside
    // the pixel, whatever the scissor box.
    let here = [x, y].map(u32::cast_signed);
    for result in [&mut listed, &mut isolated] {
        result.readings.retain(|(who, _)| who[..2] == here);
        result.readings.sort_by_key(|(who, _)| who[2]);
    }
    Some(difference(&listed, &isolated).map_or(Ok(()), Err))
}

/// Returns the first difference between fragments in a list and isolated ones.
fn difference(listed: &InspectResult, isolated: &InspectResult) -> Option<String> {
    if listed.readings.len() != isolated.readings.len() {
        return Some(format!("{} fragments instead of {}", isolated.readings.len(), listed.readings.len()));
    }
    for ((who, listed), (_, isolated)) in listed.readings.iter().zip(&isolated.readings) {
        for (record, other) in listed.records.iter().zip(&isolated.records) {
            if record.value != other.value {
                let numbers = |record: &Record| record.value.as_ref().map(|value| value.numbers());
                let (listed, isolated) = (numbers(record), numbers(other));
                return Some(format!("{:?} of {who:?} is {isolated:?} instead of {listed:?}", record.what));
            }
        }
        if listed.records.len() != isolated.records.len() {
            return Some(format!("{} values instead of {}", isolated.records.len(), listed.records.len()));
        }
    }
    None
}
