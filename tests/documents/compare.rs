//! Compares what a command printed with what a document shows.

/// What stands for output that the document leaves out.
const ANYTHING: char = '…';

/// Compares line by line.
///
/// # Errors
/// With the first line that differs.
pub fn compare(shown: &[String], printed: &str) -> Result<(), String> {
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let shown: Vec<&str> = shown.iter().map(|line| line.trim_end()).collect();
    // Parts between lines that are left out; each is looked for after the one before it.
    let parts: Vec<&[&str]> = shown.split(|line| line.trim() == "…").collect();
    let mut at = 0;
    for (number, part) in parts.iter().enumerate() {
        let (is_first, is_last) = (number == 0, number + 1 == parts.len());
        let latest = printed.len().checked_sub(part.len());
        let found = match (is_first, is_last) {
            // Nothing before it is left out.
            (true, _) => Some(0).filter(|_| fits(part, &printed)),
            (false, true) if !part.is_empty() => {
                latest.filter(|at_end| *at_end >= at && fits(part, &printed[*at_end..]))
            }
            _ => latest.and_then(|latest| (at..=latest).find(|from| fits(part, &printed[*from..]))),
        };
        let Some(found) = found else {
            let differs = |line: &&&str| !printed.iter().any(|found| matches(line, found));
            let line = part.iter().find(differs).or(part.first()).unwrap_or(&"");
            return Err(format!("does not print, where the document shows it: `{line}`"));
        };
        at = found + part.len();
    }
    if parts.len() == 1 && at < printed.len() {
        return Err(format!("prints more than the document shows: `{}`", printed[at]));
    }
    Ok(())
}

/// Returns whether printed lines begin with those of a document.
fn fits(shown: &[&str], printed: &[&str]) -> bool {
    printed.len() >= shown.len() && shown.iter().zip(printed).all(|(shown, printed)| matches(shown, printed))
}

/// Returns whether a printed line is the one of a document.
fn matches(shown: &str, printed: &str) -> bool {
    let mut pieces = shown.split(ANYTHING);
    let Some(mut rest) = pieces.next().and_then(|first| printed.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

#[test]
fn what_is_left_out_may_be_anything_and_all_else_must_be_equal() {
    let check = |shown: &str, printed: &str| {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        compare(&shown, printed).is_ok()
    };
    assert!(check("a\nb", "a\nb\n"));
    assert!(!check("a\nb", "a\nc\n"));
    assert!(!check("a", "a\nb\n"));
    assert!(!check("a\nb", "a\n"));
    assert!(!check("", "a\n"));
    assert!(check("a … kB", "a 12.3 kB"));
    assert!(!check("a … kB", "a 12.3 MB"));
    assert!(check("x … y … z", "x 1 y 2 z"));
    assert!(!check("x … y … z", "x 1 z"));
    assert!(check("a\n…", "a\nb\nc"));
    assert!(check("…\nc", "a\nb\nc"));
    assert!(!check("…\nb", "a\nb\nc"));
    assert!(check("a\n…\nc\n…\ne", "a\nb\nc\nd\ne"));
    assert!(!check("a\n…\nd\n…\nc\n…", "a\nb\nc\nd\ne"));
    assert!(check("a\n…\nb", "a\nb"));
}
