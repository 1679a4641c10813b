//! A variant whose expressions give what another device measured.
//!
//! The stream that the device sent is put where the variant keeps its own, beforehand: in the first half of its region of
//! the storage block, or in a second pair of arrays. The functions that note a value go on to note what they are given,
//! but give back what lies where the value would have been written, if that is a record of the same place in the text.

use instrument::variant::{Reading, Record};
use instrument::{Layout, Transport, Variant};

/// The arrays that a stream is put into for a variant with [`Transport::Memory`], beside those it keeps its own in: of
/// integers and of floats. The first integer says whether there is one.
pub const GIVEN: [&str; 2] = ["given_ints", "given_floats"];

/// Changes the texts of a recording variant, for a storage block or for memory, so.
pub fn force(variant: &mut Variant) {
    let prefix = prefix(variant).to_owned();
    let memory = matches!(variant.transport, Transport::Memory(_));
    let changed = |text: &String| text.lines().map(|line| line_of(line, &prefix, memory) + "\n").collect();
    variant.strings = variant.strings.iter().map(changed).collect();
}

/// What the names that a variant adds begin with.
pub fn prefix(variant: &Variant) -> &str {
    variant.controls.on.trim_end_matches("on")
}

/// A recording as a stream. What was not measured has the number 0, which no place has.
#[must_use]
pub fn encode(reading: &Reading, layout: &Layout) -> Vec<u32> {
    let mut words = vec![0, reading.facts.0];
    for record in &reading.records {
        let number = number(record, layout);
        let room = layout.sites.get(number as usize).map_or(0, |site| site.words as usize);
        match &record.value {
            Some(value) => {
                words.push(number);
                words.extend(value.words(&layout.types));
            }
            None if room == 0 => words.push(number),
            None => words.extend(std::iter::repeat_n(0, 1 + room)),
        }
    }
    words[0] = words.len() as u32;
    words
}

fn number(record: &Record, layout: &Layout) -> u32 {
    layout.sites.iter().skip(1).position(|site| site.what == record.what).map_or(0, |at| at as u32 + 1)
}

fn line_of(line: &str, p: &str, memory: bool) -> String {
    let declared = ["ints", "floats"].iter().find(|name| memory && line.contains(&format!(" {p}{name}[")));
    if let Some(name) = declared.filter(|_| line.ends_with("];")) {
        return format!("{line} {}", line.replace(&format!("{p}{name}["), &format!("{p}given_{name}[")));
    }
    if let Some((head, body)) = line.split_once('{')
        && head.starts_with(&format!("void {p}word("))
        && body.contains(&format!("{p}words["))
    {
        let word = head.rsplit([' ', '(']).find(|part| part.starts_with(p)).unwrap_or_default();
        let word = word.trim_end_matches([')', ' ']);
        let half = format!("{p}room / 2");
        return format!("{head}{{ if ({p}at < {half} - 4) {p}words[{p}first + {half} + {p}at] = {word}; {p}at++; }}");
    }
    let given = format!("return {p}v; }}");
    let sees =
        line.contains(&format!(" {p}see")) && line.ends_with(&given) && line.contains(&format!("{p}note({p}s);"));
    let forced = if sees { kind(line).and_then(|kind| value(kind, p, memory)) } else { None };
    match forced {
        Some((value, count)) => {
            let there = if memory { format!("{p}live && {p}given_ints[0] != 0") } else { format!("{p}live") };
            let same = format!("{} == {p}s", word(p, memory, count + 1, false));
            // Nothing is looked up before it is known that something is there.
            format!("{}return {there} ? ({same} ? {value} : {p}v) : {p}v; }}", line.trim_end_matches(&given))
        }
        None => line.to_owned(),
    }
}

/// The type a function gives.
fn kind(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if matches!(first, "highp" | "mediump" | "lowp") { words.next() } else { Some(first) }
}

/// The word of the stream that lies so far before the place of the next.
fn word(p: &str, memory: bool, back: usize, float: bool) -> String {
    match (memory, float) {
        (true, true) => format!("{p}given_floats[{p}at - {back}]"),
        (true, false) => format!("{p}given_ints[{p}at - {back}]"),
        (false, true) => format!("intBitsToFloat({p}words[{p}first + {p}at - {back}])"),
        (false, false) => format!("{p}words[{p}first + {p}at - {back}]"),
    }
}

/// The value of a type that lies where words were just written, if it is made of words of one sort, and of how many.
fn value(kind: &str, p: &str, memory: bool) -> Option<(String, usize)> {
    if kind.ends_with(']') {
        return None;
    }
    let (count, scalar) = match kind {
        "float" | "int" | "uint" | "bool" => (1, kind),
        _ => {
            let digit = |at: usize| kind.as_bytes().get(at).map(|digit| usize::from(digit.wrapping_sub(b'0')));
            if let Some(shape) = kind.strip_prefix("mat") {
                let columns = digit(3)?;
                let rows = if shape.contains('x') { digit(5)? } else { columns };
                (columns * rows, "float")
            } else {
                let (letters, size) = kind.split_at(kind.len().checked_sub(1)?);
                let scalar = match letters {
                    "vec" => "float",
                    "ivec" => "int",
                    "uvec" => "uint",
                    "bvec" => "bool",
                    _ => return None,
                };
                (size.parse().ok()?, scalar)
            }
        }
    };
    let part = |index: usize| {
        let at = word(p, memory, count - index, scalar == "float");
        match scalar {
            "uint" => format!("uint({at})"),
            "bool" => format!("({at} != 0)"),
            _ => at,
        }
    };
    let parts: Vec<String> = (0..count).map(part).collect();
    Some((if count == 1 { parts[0].clone() } else { format!("{kind}({})", parts.join(", ")) }, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, memory: bool, expected: &str) {
        assert_eq!(line_of(line, "ai_", memory), expected);
    }

    #[test]
    fn functions_give_what_was_measured_of_the_same_place() {
        let line = "vec2 ai_see1(int ai_s, vec2 ai_v) { ai_note(ai_s); ai_put_vec2(ai_v); return ai_v; }";
        check(
            line,
            false,
            "vec2 ai_see1(int ai_s, vec2 ai_v) { ai_note(ai_s); ai_put_vec2(ai_v); return ai_live ? \
            (ai_words[ai_first + ai_at - 3] == ai_s ? vec2(intBitsToFloat(ai_words[ai_first + ai_at - 2]), \
            intBitsToFloat(ai_words[ai_first + ai_at - 1])) : ai_v) : ai_v; }",
        );
        check(
            line,
            true,
            "vec2 ai_see1(int ai_s, vec2 ai_v) { ai_note(ai_s); ai_put_vec2(ai_v); return ai_live && \
            ai_given_ints[0] != 0 ? (ai_given_ints[ai_at - 3] == ai_s ? vec2(ai_given_floats[ai_at - 2], \
            ai_given_floats[ai_at - 1]) : ai_v) : ai_v; }",
        );
        check("float f(float v) { return v; }", false, "float f(float v) { return v; }");
    }

    #[test]
    fn words_go_to_the_other_half() {
        check(
            "void ai_word(int ai_w) { if (ai_at < ai_room - 4) ai_words[ai_first + ai_at] = ai_w; ai_at++; }",
            false,
            "void ai_word(int ai_w) { if (ai_at < ai_room / 2 - 4) \
            ai_words[ai_first + ai_room / 2 + ai_at] = ai_w; ai_at++; }",
        );
    }

    #[test]
    fn there_is_room_for_another_stream() {
        check("highp float ai_floats[64];", true, "highp float ai_floats[64]; highp float ai_given_floats[64];");
        check("int ai_ints[64];", false, "int ai_ints[64];");
    }
}
