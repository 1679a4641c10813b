//! Checks that what documents name exists: relative links, paths in backquotes, and tasks of `cargo xtask`.

use std::path::Path;

use xtask::tasks::TASKS;

use crate::process;

/// Checks every Markdown file.
pub fn check(files: &[String], findings: &mut Vec<String>) -> anyhow::Result<()> {
    for file in files.iter().filter(|f| f.ends_with(".md")) {
        let text = super::read(file)?;
        for (number, line) in text.lines().enumerate() {
            let mut report = |what: String| findings.push(format!("{file}:{}: {what}", number + 1));
            for link in links(line) {
                let folder = Path::new(file).parent().unwrap_or(Path::new(""));
                if !process::root().join(folder).join(link).exists() {
                    report(format!("the link to {link} leads nowhere"));
                }
            }
            for quoted in line.split('`').skip(1).step_by(2) {
                if let Some(path) = path(quoted)
                    && !process::root().join(path).exists()
                {
                    report(format!("names {path}, which does not exist"));
                }
            }
            for rest in line.split("cargo xtask ").skip(1) {
                let task: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
                if !task.is_empty() && !TASKS.iter().any(|known| known.name == task) {
                    report(format!("names the task {task}, which does not exist"));
                }
            }
        }
    }
    Ok(())
}

/// Iterates over the targets of relative links in a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split(')').next()?.split('#').next()?;
        (!target.is_empty() && !target.contains("://")).then_some(target)
    })
}

/// Returns a quoted text if it is a path of this repository: it starts with one of its folders, and is not a pattern.
fn path(quoted: &str) -> Option<&str> {
    let folders = [
        "crates/",
        "workbench/",
        "xtask/",
        "docs/",
        "demos/",
        "filetests/",
        "corpus/",
        "src/",
        "fuzz/",
        "benches/",
        ".ci/",
        ".cargo/",
    ];
    let plain = !quoted.contains(|c: char| c.is_whitespace() || "*{}<>$…".contains(c));
    (plain && folders.iter().any(|folder| quoted.starts_with(folder))).then_some(quoted.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_paths_are_distinguished_from_prose() {
        let line = "see [a](docs/a.md#part), [b](https://example.org) and [c](#here)";
        assert_eq!(links(line).collect::<Vec<_>>(), ["docs/a.md"]);
        assert_eq!(path("crates/shader"), Some("crates/shader"));
        assert_eq!(path("crates/*"), None);
        assert_eq!(path("gl_Position"), None);
    }
}
