//! Compares the output of a recorded program with that of unrecorded runs.

/// Words in lines that depend on time and differ between any two runs: frames per second, scores derived from them.
const TIMED: &[&str] = &["FPS", "Score", "frames in"];

/// The prefix of lines that the recorder prints.
const OURS: &str = "afterimage: ";

/// Returns the first line that differs between two outputs, or `None`.
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

/// Masks lines in `text` that differ between unrecorded runs: pointers, process ids, the order of hash tables.
///
/// Such lines are replaced by a constant one. If the runs have different numbers of lines, these cannot be paired, and
/// nothing is masked.
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
    fn lines_that_vary_are_masked() {
        let runs = ["at 0x1\nok\n", "at 0x2\nok\n"].map(str::to_owned);
        check(&mask(&runs[0], &runs), &mask("at 0x3\nok\n", &runs), None);
        assert!(difference(&mask(&runs[0], &runs), &mask("at 0x3\nfail\n", &runs)).is_some());
        assert!(difference(&mask(&runs[0], &runs), &mask("at 0x1\n", &runs)).is_some());
    }
}
