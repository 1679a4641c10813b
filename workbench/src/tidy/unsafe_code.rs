//! Unsafe code lives in the folders of a list, and the compiler forbids it everywhere else.

/// Folders with unsafe code, each with the reason.
const ALLOWED: &[(&str, &str)] = &[
    ("bench-peer/", "the front end that benchmarks compare with is a C++ library"),
    ("bindings/c/", "C passes and takes pointers"),
    ("crates/capture/", "hooks are called by C programs and call C libraries"),
    ("crates/driver/", "GL and EGL are C libraries, loaded at run time, that access memory by address"),
    ("crates/ring/", "memory that two processes share has no safe interface"),
    ("demos/", "GL and EGL are C libraries, and GL reads arrays of a program by address"),
];

/// What the root of every other crate begins with.
const FORBID: &str = "#![forbid(unsafe_code)]";

/// Checks files with their texts.
pub fn check<'a>(files: impl Iterator<Item = (&'a str, &'a str)>, findings: &mut Vec<String>) {
    let mut used = [false; ALLOWED.len()];
    for (file, text) in files {
        let allowed = ALLOWED.iter().position(|(folder, _)| file.starts_with(folder));
        let mut lines = text.lines().enumerate().filter(|(_, line)| is_unsafe(line));
        match allowed {
            Some(place) => used[place] |= lines.next().is_some(),
            None => {
                let hint = "write it without, or list the crate in workbench/src/tidy/unsafe_code.rs with a reason";
                findings.extend(lines.map(|(at, _)| format!("{file}:{}: unsafe code; {hint}", at + 1)));
                if is_root(file) && !text.lines().any(|line| line == FORBID) {
                    findings.push(format!("{file}: the root of a crate without unsafe code must have `{FORBID}`"));
                }
            }
        }
    }
    for ((folder, _), _) in ALLOWED.iter().zip(used).filter(|(_, used)| !used) {
        findings.push(format!("{folder}: listed in workbench/src/tidy/unsafe_code.rs, but has no unsafe code"));
    }
}

/// Returns whether a file is the root of a library or program.
fn is_root(file: &str) -> bool {
    let parts: Vec<&str> = file.split('/').collect();
    match &parts[..] {
        [.., "src", "bin", _] => true,
        ["bindings" | "crates", _, rest @ ..] | ["workbench" | "xtask", rest @ ..] | rest => {
            matches!(rest, ["src", "lib.rs" | "main.rs"])
        }
    }
}

/// Returns whether a line has unsafe code, or allows it.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or(line);
    let word = concat!("un", "safe");
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let begins = |rest: &str| {
        let rest = rest.trim_start();
        rest.is_empty() || ["{", "(", "fn", "impl", "trait", "extern"].iter().any(|next| rest.starts_with(next))
    };
    code.match_indices(word).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        let is_allowed = ["allow(", "expect(", "warn("].iter().any(|level| before.ends_with(level));
        !before.ends_with(is_word) && (begins(after) || is_allowed && after.starts_with("_code"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of the list, so that all of it is used.
    fn listed() -> Vec<(String, String)> {
        ALLOWED
            .iter()
            .map(|(folder, _)| (format!("{folder}src/a.rs"), concat!("un", "safe { b() }").to_owned()))
            .collect()
    }

    #[track_caller]
    fn check_file(file: &str, text: &str, expected: usize) {
        let mut files = listed();
        files.push((file.to_owned(), text.to_owned()));
        let mut findings = Vec::new();
        check(files.iter().map(|(file, text)| (&file[..], &text[..])), &mut findings);
        assert_eq!(findings.len(), expected, "{findings:?}");
    }

    #[test]
    fn code_is_found_and_words_are_not() {
        for text in [
            "un/safe {",
            "pub un/safe fn a()",
            "un/safe impl Send for A {}",
            "let a = un/safe",
            "#[un/safe(no_mangle)]",
        ] {
            check_file("crates/session/src/a.rs", &text.replace('/', ""), 1);
        }
        for level in ["allow", "expect"] {
            let text = format!("#![{level}({}_code, reason = \"none\")]", concat!("un", "safe"));
            check_file("tests/a.rs", &text, 1);
        }
        for text in ["// un/safe { a() }", "\"--enable-un/safe-b\"", "#![forbid(un/safe_code)]", "no un/safety"] {
            check_file("crates/session/src/a.rs", &text.replace("un/", "un"), 0);
        }
    }

    #[test]
    fn roots_forbid_it() {
        for root in [
            "src/lib.rs",
            "src/main.rs",
            "crates/a/src/lib.rs",
            "bindings/a/src/lib.rs",
            "workbench/src/main.rs",
            "xtask/src/lib.rs",
            "crates/a/src/bin/b.rs",
        ] {
            check_file(root, "fn a() {}", 1);
            check_file(root, FORBID, 0);
        }
        for other in ["src/a.rs", "crates/a/src/b.rs", "crates/a/tests/b.rs", "crates/driver/src/lib.rs"] {
            check_file(other, "fn a() {}", 0);
        }
    }

    #[test]
    fn entries_without_reason_to_exist_are_found() {
        let mut findings = Vec::new();
        check(std::iter::empty(), &mut findings);
        assert_eq!(findings.len(), ALLOWED.len());
    }
}
