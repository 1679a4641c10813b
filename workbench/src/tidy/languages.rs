//! Crates that serve any shading language name the front end of a language in one module only.

/// Folders of such crates, the crate of a front end, and the module below the folder that may name it.
const FRONT_ENDS: &[(&str, &str, &str)] =
    &[("crates/emulator/src/", "shader", "glsl"), ("crates/moment/src/", "shader", "glsl")];

/// Checks the text of one file.
pub fn check(file: &str, text: &str, findings: &mut Vec<String>) {
    for (folder, front_end, module) in FRONT_ENDS {
        let Some(path) = file.strip_prefix(folder) else { continue };
        let inside = path.strip_prefix(module).is_some_and(|rest| rest.starts_with(['.', '/']));
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !inside && names(line, front_end)) {
            let (number, line) = (number + 1, line.trim());
            findings.push(format!("{file}:{number}: only {folder}{module} may name crate {front_end}: {line}"));
        }
    }
}

/// Whether a line has a path into a crate.
fn names(line: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        !before.ends_with(is_word) && (after.starts_with("::") || before.ends_with("use ") && after.starts_with(';'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_file(file: &str, text: &str, expected: usize) {
        let mut findings = Vec::new();
        check(file, text, &mut findings);
        assert_eq!(findings.len(), expected, "{findings:?}");
    }

    #[test]
    fn a_front_end_is_named_in_its_module_only() {
        let text = "use shader::ast::ExprId;\nfn f(shader: &Source) { shader.text(); }\nlet x = shader::analyze();\n";
        check_file("crates/emulator/src/ir.rs", text, 2);
        check_file("crates/emulator/src/wave/interpret/step.rs", "use shader;", 1);
        check_file("crates/moment/src/lib.rs", text, 2);
        check_file("crates/emulator/src/glsl.rs", text, 0);
        check_file("crates/emulator/src/glsl/lower/expr.rs", text, 0);
        check_file("crates/emulator/src/glsl_like.rs", text, 2);
        check_file("crates/pipeline/src/lib.rs", text, 0);
        check_file("crates/emulator/src/ir.rs", "a_shader::b(); shader.c::<D>(); // crate `shader`", 0);
    }
}
