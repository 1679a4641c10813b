//! Numbers as people read them.

/// Returns a count with its noun and commas: "1 frame", "12,345 calls".
pub fn count(number: u64, what: &str) -> String {
    format!("{} {what}{}", digits(number), if number == 1 { "" } else { "s" })
}

/// Returns a number with commas: "12,345".
pub fn digits(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a count with its noun, for lines of many numbers: "1 frame", "12345 frames".
pub fn plural(number: impl Into<u64>, what: &str) -> String {
    let number = number.into();
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Returns a number of bytes as text.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => count(bytes, "byte"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_units() {
        assert_eq!(count(1, "frame"), "1 frame");
        assert_eq!(count(1_234_567, "call"), "1,234,567 calls");
        assert_eq!((plural(1u32, "node"), plural(1_000u64, "node")), ("1 node".into(), "1000 nodes".into()));
        assert_eq!((size(999), size(1_500), size(2_000_000)), ("999 bytes".into(), "1.5 kB".into(), "2.0 MB".into()));
    }
}
