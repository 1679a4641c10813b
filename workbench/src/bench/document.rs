//! `docs/benchmarks.md`, of which each benchmark writes one part.

use anyhow::Context;

use crate::process;

/// Puts a part into the document, replacing the one with the same first line.
pub fn write(part: &str) -> anyhow::Result<()> {
    let path = process::root().join("docs/benchmarks.md");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(&path, replaced(&before, part)).context("docs/benchmarks.md")
}

/// Replaces a part: parts start with a line `# …`; those with another first line stay, and a new one comes last.
fn replaced(document: &str, part: &str) -> String {
    let heading = part.lines().next().unwrap_or_default();
    let mut parts: Vec<String> = Vec::new();
    for line in document.lines() {
        if line.starts_with("# ") || parts.is_empty() {
            parts.push(String::new());
        }
        if let Some(last) = parts.last_mut() {
            last.push_str(line);
            last.push('\n');
        }
    }
    match parts.iter_mut().find(|old| old.lines().next() == Some(heading)) {
        Some(old) => part.clone_into(old),
        None => parts.push(part.to_owned()),
    }
    let trimmed: Vec<&str> = parts.iter().map(|part| part.trim_end()).collect();
    trimmed.join("\n\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn a_part_replaces_its_predecessor_and_leaves_the_others() {
        let document = "# One\n\ntext\n\n## Within\n\nmore\n\n# Two\n\nold\n";
        assert_eq!(replaced(document, "# Two\n\nnew\n"), "# One\n\ntext\n\n## Within\n\nmore\n\n# Two\n\nnew\n");
        assert_eq!(replaced(document, "# One\n\nnew\n"), "# One\n\nnew\n\n# Two\n\nold\n");
        assert_eq!(replaced("", "# One\n"), "# One\n");
        assert_eq!(replaced("# One\n", "# Three\n\nx\n"), "# One\n\n# Three\n\nx\n");
    }
}
