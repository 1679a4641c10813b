//! The library is light: a program that depends on package `afterimage` gets nothing of the command line.

use crate::process;

/// Packages that the library must not need, each with the reason.
const APART: &[(&str, &str)] = &[
    ("clap", "it reads command lines"),
    ("codespan-reporting", "it renders diagnostics for terminals"),
    ("crossterm", "it drives terminals"),
    ("dap", "it serves editors"),
    ("ratatui", "it draws on terminals"),
    ("recorder", "it records programs"),
];

/// Checks everything that the library is built with.
pub fn check(findings: &mut Vec<String>) -> anyhow::Result<()> {
    let arguments =
        ["tree", "--package", "afterimage", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"];
    check_tree(&process::output("cargo", &arguments)?, findings);
    Ok(())
}

fn check_tree(tree: &str, findings: &mut Vec<String>) {
    for (package, why) in APART {
        if tree.lines().any(|line| line.split(' ').next() == Some(*package)) {
            findings.push(format!("the library `afterimage` is built with {package}, but {why}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_the_command_line_are_found() {
        let mut findings = Vec::new();
        check_tree("afterimage v0.1.0 (/a)\nclap_lex v1.0.0\nhost v0.1.0 (/a) (*)\n", &mut findings);
        assert_eq!(findings, [""; 0]);
        check_tree("afterimage v0.1.0 (/a)\nratatui v0.30.0\ndap v0.1.0 (/a)\n", &mut findings);
        assert_eq!(findings.len(), 2, "{findings:?}");
    }
}
