//! A variant whose expressions give what another device measured.
//!
//! The stream that a device sent is put into the storage block beforehand. The functions that note a value go on to note
//! what they are given, in the other half of the region, but give back what lies where the value would have been written.

/// The texts of a recording variant (for a storage block), changed so. `prefix` is that of the names it adds.
pub fn force(strings: &[String], prefix: &str) -> Vec<String> {
    strings.iter().map(|text| text.lines().map(|line| line_of(line, prefix) + "\n").collect()).collect()
}

fn line_of(line: &str, prefix: &str) -> String {
    let p = prefix;
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
    let forced = if sees { kind(line).and_then(|kind| value(kind, p)) } else { None };
    match forced {
        Some(value) => format!("{}return {p}live ? {value} : {p}v; }}", line.trim_end_matches(&given)),
        None => line.to_owned(),
    }
}

/// The type a function gives.
fn kind(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if matches!(first, "highp" | "mediump" | "lowp") { words.next() } else { Some(first) }
}

/// The value of a type that lies where words were just written, if it is made of words of one sort.
fn value(kind: &str, p: &str) -> Option<String> {
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
    let word = |index: usize| {
        let at = format!("{p}words[{p}first + {p}at - {}]", count - index);
        match scalar {
            "float" => format!("intBitsToFloat({at})"),
            "uint" => format!("uint({at})"),
            "bool" => format!("({at} != 0)"),
            _ => at,
        }
    };
    let words: Vec<String> = (0..count).map(word).collect();
    Some(if count == 1 { words[0].clone() } else { format!("{kind}({})", words.join(", ")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_give_what_was_measured() {
        let line = "vec2 ai_see1(int ai_s, vec2 ai_v) { ai_note(ai_s); ai_put_vec2(ai_v); return ai_v; }";
        let expected = "vec2 ai_see1(int ai_s, vec2 ai_v) { ai_note(ai_s); ai_put_vec2(ai_v); return ai_live ? \
            vec2(intBitsToFloat(ai_words[ai_first + ai_at - 2]), intBitsToFloat(ai_words[ai_first + ai_at - 1])) : ai_v; }";
        assert_eq!(line_of(line, "ai_"), expected);
        assert_eq!(line_of("float f(float v) { return v; }", "ai_"), "float f(float v) { return v; }");
    }

    #[test]
    fn words_go_to_the_other_half() {
        let line = "void ai_word(int ai_w) { if (ai_at < ai_room - 4) ai_words[ai_first + ai_at] = ai_w; ai_at++; }";
        let expected = "void ai_word(int ai_w) { if (ai_at < ai_room / 2 - 4) \
            ai_words[ai_first + ai_room / 2 + ai_at] = ai_w; ai_at++; }";
        assert_eq!(line_of(line, "ai_"), expected);
    }
}
