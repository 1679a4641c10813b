//! Whether a recorded program printed what it prints otherwise.

/// Words in lines that speak of time, which differ between any two runs: frames a second, scores made of them.
const TIMED: &[&str] = &["FPS", "Score", "frames in"];

/// The first line that differs between two outputs, none if they say the same.
pub fn difference(plain: &str, recorded: &str) -> Option<String> {
    let (plain, recorded) = (lines(plain), lines(recorded));
    let differs = plain.iter().zip(&recorded).find(|(a, b)| a != b);
    match differs {
        Some((a, b)) => Some(format!("{b:?} instead of {a:?}")),
        None if recorded.len() < plain.len() => Some(format!("{:?} is missing", plain[recorded.len()])),
        None if recorded.len() > plain.len() => Some(format!("{:?} is new", recorded[plain.len()])),
        None => None,
    }
}

/// Hides in `text` what differs between two runs that nobody recorded: pointers, process numbers, chance.
///
/// Such lines are replaced by one that is the same for all. Lines cannot be paired up when the runs have not equally
/// many; then nothing is hidden.
pub fn mask(text: &str, first: &str, second: &str) -> String {
    let (first, second): (Vec<&str>, Vec<&str>) = (lines(first), lines(second));
    let all = lines(text);
    if first.len() != second.len() || all.len() != first.len() {
        return text.to_owned();
    }
    let masked = all.iter().zip(first.iter().zip(&second)).map(|(line, (a, b))| if a == b { *line } else { "…" });
    masked.collect::<Vec<_>>().join("\n")
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !TIMED.iter().any(|word| line.contains(word))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(plain: &str, recorded: &str, expected: Option<&str>) {
        assert_eq!(difference(plain, recorded).as_deref(), expected);
    }

    #[test]
    fn outputs_are_compared_without_times() {
        check("a\nFPS: 12\nb\n", "a\nFPS: 9\nb\n", None);
        check("a\nb\n", "a\n", Some("\"b\" is missing"));
        check("a\n", "a\nb\n", Some("\"b\" is new"));
        check("a\nb\n", "a\nc\n", Some("\"c\" instead of \"b\""));
    }

    #[test]
    fn what_differs_by_itself_is_hidden() {
        let (first, second, recorded) = ("at 0x1\nok\n", "at 0x2\nok\n", "at 0x3\nok\n");
        check(&mask(first, first, second), &mask(recorded, first, second), None);
        let broken = "at 0x3\nfail\n";
        assert!(difference(&mask(first, first, second), &mask(broken, first, second)).is_some());
    }
}
