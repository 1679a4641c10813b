//! Code may not decide by the names of commands: single commands are constants of `api::id`, families are operations,
//! roles and traits of `crates/api/overlay.toml`.

use super::packages::DEVELOPMENT;

/// Files, and folders, that may hold the names of commands, each with the reason.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/capture/src/loader.rs", "programs ask for functions by name"),
    ("crates/capture/src/real.rs", "the system's libraries are asked for functions by name"),
    ("crates/driver/src/", "drivers are asked for functions by name"),
    ("crates/trace/src/signature.rs", "files name their commands"),
];

/// Methods that decide by text.
const METHODS: &[&str] = &["starts_with", "ends_with", "contains", "strip_prefix", "strip_suffix", "trim_end_matches"];

/// Crates in which a `name` may be that of a command.
const CRATES: &[&str] = &[
    "capture",
    "chronicle",
    "device",
    "fixed",
    "inquiry",
    "open_trace",
    "recall",
    "recorder",
    "reenact",
    "replay",
    "session",
    "state",
    "trace",
];

/// Checks all files.
pub fn check(files: &[String], findings: &mut Vec<String>) -> anyhow::Result<()> {
    let mut used = vec![false; ALLOWED.len()];
    for file in files.iter().filter(|file| is_product(file)) {
        let found = offences(file, &super::read(file)?);
        match ALLOWED.iter().position(|(allowed, _)| file.starts_with(allowed)) {
            Some(entry) => used[entry] |= !found.is_empty(),
            None => findings.extend(found),
        }
    }
    for ((allowed, _), _) in ALLOWED.iter().zip(used).filter(|(_, used)| !used) {
        findings.push(format!("{allowed}: allowed to name commands in workbench/src/tidy/commands.rs, but names none"));
    }
    Ok(())
}

/// Returns whether a file is code of the product, written by hand.
fn is_product(file: &str) -> bool {
    let development = DEVELOPMENT.iter().any(|name| file.starts_with(&format!("crates/{name}/")));
    let code = file.ends_with(".rs") && (file.starts_with("crates/") || file.starts_with("src/")) && !development;
    let apart = ["/tests/", "/generated/", "/benches/", "/examples/"].iter().any(|folder| file.contains(folder));
    code && !apart && !file.ends_with("/tests.rs") && !file.ends_with("/generated.rs")
}

/// Places that decide by the name of a command, or look one up.
fn offences(file: &str, text: &str) -> Vec<String> {
    let of_commands =
        file.starts_with("src/") || CRATES.iter().any(|name| file.starts_with(&format!("crates/{name}/")));
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate().take_while(|(_, line)| *line != "#[cfg(test)]") {
        let code = line.trim_start();
        if code.starts_with("//") {
            continue;
        }
        let mut report = |what: String| found.push(format!("{file}:{}: {what}", number + 1));
        if code.contains("api::find(") {
            report("looks a command up by its name; use a constant of api::id".to_owned());
        }
        let parts: Vec<&str> = code.split('"').collect();
        for pair in parts.windows(2).step_by(2) {
            let (before, literal) = (pair[0], pair[1]);
            if is_command(literal) {
                report(format!("names {literal}; use api::id::{literal}, or an operation, role or trait"));
            } else if of_commands && decides_by_name(before) && is_part_of_name(literal) {
                report(format!("decides by \"{literal}\" in a name; use an operation, role or trait of the command"));
            }
        }
    }
    found
}

/// Whether a text is the name of a command, or the beginning of one.
fn is_command(literal: &str) -> bool {
    let rest = ["glX", "gl", "egl", "afi"].iter().find_map(|prefix| literal.strip_prefix(prefix));
    rest.is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_uppercase()) && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Whether code before a literal compares a name with it: `name.contains(`, `name() ==`.
fn decides_by_name(before: &str) -> bool {
    let before = before.trim_end_matches(['b', '&']);
    let of_name = |rest: &str| rest.ends_with("name") || rest.ends_with("name()");
    let method = METHODS.iter().any(|method| before.strip_suffix(&format!(".{method}(")).is_some_and(of_name));
    let compared = [" == ", " != "].iter().any(|operator| before.strip_suffix(operator).is_some_and(of_name));
    method || compared
}

/// Whether a text can be part of the name of a command, rather than of a variable of a shader or of an extension.
fn is_part_of_name(literal: &str) -> bool {
    let word =
        literal.starts_with(|c: char| c.is_ascii_uppercase()) && literal.contains(|c: char| c.is_ascii_lowercase());
    matches!(literal, "gl" | "glX" | "egl" | "afi") || word && literal.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, line: &str, expected: usize) {
        let found = offences(file, line);
        assert_eq!(found.len(), expected, "{line}: {found:?}");
    }

    #[test]
    fn decisions_by_name_are_found() {
        let file = "crates/replay/src/plan.rs";
        check(file, r#"if command.name.starts_with("glDraw") {"#, 1);
        check(file, r#"if call.name() == "glEnd" {"#, 1);
        check(file, r#""glBegin" | "glEnd" => {}"#, 2);
        check(file, r#"let id = api::find(name);"#, 1);
        check(file, r#"command.name.contains("Instanced") || name().ends_with("Indirect")"#, 2);
        check(file, r#"call.name().starts_with("afi")"#, 1);
        check("crates/driver/tests/model.rs", r#"x"#, 0);
    }

    #[test]
    fn other_names_are_not() {
        let file = "crates/replay/src/plan.rs";
        check(file, r#"// it begins like "glDraw""#, 0);
        check(file, r#"Err("glCallLists names lists by memory".to_owned())"#, 0);
        check(file, r#"if port.name.starts_with("gl_TessLevel") {"#, 0);
        check(file, r#"facts.has("GL_ARB_bindless_texture")"#, 0);
        check(file, "fn main() {}\n#[cfg(test)]\nconst X: &str = \"glEnd\";", 0);
        check("crates/pipeline/src/program.rs", r#"input.name.ends_with("Color")"#, 0);
        assert!(!is_product("crates/api/src/generated/commands/gl_a.rs") && !is_product("workbench/src/main.rs"));
        assert!(is_product("src/dump.rs"));
    }
}
