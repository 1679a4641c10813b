//! Whether a recorded program printed what it prints otherwise.

/// Words in lines that speak of time, which differ between any two runs: frames a second, scores made of them.
const TIMED: &[&str] = &["FPS", "Score", "frames in"];

/// How lines begin that are not the program's but the recorder's.
const OURS: &str = "afterimage: ";

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

/// Hides in `text` what differs between runs that nobody recorded: pointers, process numbers, the order of hash tables.
///
/// Such lines are replaced by one that is the same for all. Lines cannot be paired up when not all have equally many;
/// then nothing is hidden.
pub fn mask(text: &str, runs: &[String]) -> String {
    let all = lines(text);
    let runs: Vec<Vec<&str>> = runs.iter().map(|run| lines(run)).collect();
    if runs.iter().any(|run| run.len() != all.len()) {
        return text.to_owned();
    }
    let steady = |index: usize| runs.windows(2).all(|pair| pair[0][index] == pair[1][index]);
    let masked = all.iter().enumerate().map(|(index, line)| if steady(index) { *line } else { "…" });
    masked.collect::<Vec<_>>().join("\n")
}

fn lines(text: &str) -> Vec<&str> {
    let theirs = |line: &&str| !line.starts_with(OURS) && !TIMED.iter().any(|word| line.contains(word));
    text.lines().filter(theirs).collect()
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
        let runs = ["at 0x1\nok\n", "at 0x2\nok\n"].map(str::to_owned);
        check(&mask(&runs[0], &runs), &mask("at 0x3\nok\n", &runs), None);
        assert!(difference(&mask(&runs[0], &runs), &mask("at 0x3\nfail\n", &runs)).is_some());
        assert!(difference(&mask(&runs[0], &runs), &mask("at 0x1\n", &runs)).is_some());
    }
}
