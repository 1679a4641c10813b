//! The last line: how many findings, and where.

use shader::diagnostic::Severity;

use super::{Report, shown};

/// `3 errors, 1 warning in a.frag`
pub fn of_all(reports: &[Report]) -> String {
    let sum = |severity| reports.iter().map(|r| r.count(severity)).sum();
    let (errors, warnings) = (sum(Severity::Error), sum(Severity::Warning));
    let unread = reports.iter().filter(|r| r.problem.is_some()).count();
    let affected: Vec<&Report> = reports.iter().filter(|r| !r.findings.is_empty()).collect();
    let checked: Vec<&Report> = reports.iter().filter(|r| r.problem.is_none()).collect();
    let place = match (affected.as_slice(), checked.as_slice()) {
        (_, []) => "nothing could be checked".to_owned(),
        ([one], _) => format!("in {}", shown(&one.path)),
        ([], [one]) => format!("in {}", shown(&one.path)),
        ([], [one, two]) => format!("in {} and {}", shown(&one.path), shown(&two.path)),
        ([], _) => format!("in {} files", checked.len()),
        _ if affected.len() == checked.len() => format!("in {} files", checked.len()),
        _ => format!("in {} of {} files", affected.len(), checked.len()),
    };
    let mut line = if checked.is_empty() { place } else { format!("{} {place}", counts(errors, warnings)) };
    if unread > 0 && !checked.is_empty() {
        line.push_str(&format!("; {} could not be checked", files(unread)));
    }
    line
}

/// `3 errors, 1 warning`
fn counts(errors: usize, warnings: usize) -> String {
    let number = |n: usize, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    match (errors, warnings) {
        (0, 0) => "no errors".to_owned(),
        (0, _) => number(warnings, "warning"),
        (_, 0) => number(errors, "error"),
        _ => format!("{}, {}", number(errors, "error"), number(warnings, "warning")),
    }
}

fn files(n: usize) -> String {
    if n == 1 { "1 file".to_owned() } else { format!("{n} files") }
}

#[cfg(test)]
mod tests {
    use shader::diagnostic::Diagnostic;
    use shader::source::Span;

    use super::*;
    use crate::check::Finding;

    #[track_caller]
    fn check(reports: &[(&str, Option<(usize, usize)>)], expected: &str) {
        let finding = |diagnostic| Finding { diagnostic, units: vec![0] };
        let reports: Vec<Report> = reports
            .iter()
            .map(|(path, counts)| {
                let (errors, warnings) = counts.unwrap_or_default();
                let mut findings = Vec::new();
                findings.extend((0..errors).map(|_| finding(Diagnostic::error("a", "b", Span::new(0, 1)))));
                findings.extend((0..warnings).map(|_| finding(Diagnostic::warning("a", "b", Span::new(0, 1)))));
                let problem = counts.is_none().then(|| "no".to_owned());
                Report { path: (*path).to_owned(), problem, findings }
            })
            .collect();
        assert_eq!(of_all(&reports), expected);
    }

    #[test]
    fn summaries() {
        check(&[("a.frag", Some((3, 1)))], "3 errors, 1 warning in a.frag");
        check(&[("a.frag", Some((0, 0)))], "no errors in a.frag");
        check(&[("a.frag", Some((0, 0))), ("b.frag", Some((0, 0)))], "no errors in a.frag and b.frag");
        check(&[("a.frag", Some((0, 2))), ("b.frag", Some((0, 0)))], "2 warnings in a.frag");
        check(&[("a", Some((1, 0))), ("b", Some((1, 0))), ("c", Some((0, 0)))], "2 errors in 2 of 3 files");
        check(&[("-", Some((1, 0)))], "1 error in <stdin>");
        check(&[("a.frag", None)], "nothing could be checked");
        check(&[("a.frag", None), ("b.frag", Some((1, 0)))], "1 error in b.frag; 1 file could not be checked");
    }
}
