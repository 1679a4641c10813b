//! `UPDATE_EXPECT=1`: rewrites `error:` and `warning:` directives to what the front end reports.

use shader::Shader;
use shader::diagnostic::{Diagnostic, Severity};
use testing::filetest::{directive, split};

use crate::directive::FileTest;
use crate::judge::line_of;

/// Returns the file with its diagnostics as directives: matching directives stay unchanged, others are removed, new
/// ones are appended to their line.
pub fn bless(text: &str, file: &FileTest, shader: &Shader) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut open: Vec<(u32, &Diagnostic)> = shader.diagnostics.iter().map(|d| (line_of(shader, d), d)).collect();
    // Warnings are expected only in files that already have a `warning:` directive.
    let asked = text.contains("// warning:");
    open.retain(|(_, d)| d.severity == Severity::Error || asked);
    let mut out: Vec<String> = Vec::new();
    let mut columns: Vec<Option<usize>> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let at = index as u32 + 1;
        let (code, comments) = split(line);
        let mut kept = code.trim_end().to_owned();
        let column = if comments.is_empty() { None } else { Some(code.len()) };
        columns.push(column);
        let mut written = 0;
        for comment in &comments {
            let finding = directive(comment).filter(|(word, _)| matches!(*word, "error" | "warning"));
            let stays = match finding {
                None => true,
                Some((word, rest)) => {
                    let speaks_of = file.directives.iter().find(|d| d.at == at).map_or(at, |d| d.line);
                    let fits = |(place, d): &(u32, &Diagnostic)| {
                        (*place == speaks_of || speaks_of > lines.len() as u32 && *place >= at)
                            && word_of(d) == word
                            && rest.starts_with(d.code)
                            && d.message.contains(rest[d.code.len()..].trim().trim_matches('"'))
                    };
                    let known = open.iter().position(fits);
                    if let Some(index) = known {
                        open.remove(index);
                    }
                    known.is_some()
                }
            };
            if stays {
                pad(&mut kept, if written == 0 { column } else { None });
                kept.push_str("//");
                kept.push_str(comment.trim_end());
                written += 1;
            }
        }
        out.push(if kept.trim().is_empty() { String::new() } else { kept });
    }
    for (line, diagnostic) in open {
        let comment = format!("// {}: {} \"{}\"", word_of(diagnostic), diagnostic.code, diagnostic.message);
        match out.get_mut(line as usize - 1).filter(|text| !text.trim().is_empty()) {
            Some(text) => {
                let column = columns.get(line as usize - 1).copied().flatten();
                pad(text, column.filter(|_| !text.contains("//")));
                text.push_str(&comment);
            }
            None => out.push(comment),
        }
    }
    out.join("\n") + "\n"
}

fn word_of(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Pads the text before a comment.
fn pad(text: &mut String, column: Option<usize>) {
    if text.is_empty() {
        return;
    }
    let width = column.unwrap_or(0).max(text.len() + 1);
    text.push_str(&" ".repeat(width - text.len()));
}
