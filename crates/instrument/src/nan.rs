//! `isnan` and `isinf` for language versions without them: GLSL before 1.30 and GLSL ES 1.00.

use moment::Moment;
use moment::glsl::insert::{InsertError, InsertionPoint, insert};
use shader::Shader;
use shader::ast::NodeId;
use shader::types::Type;
use shader::version::Options;

/// Rewrites a condition for the shader's version: calls of `isnan` and `isinf` become comparisons that only such
/// numbers satisfy. A number is either below zero or not below zero; NaN is neither. `x != x` would be folded by
/// compilers.
///
/// # Errors
/// When an argument is not an expression there: the reason.
pub fn spelled(shader: &Shader, options: &Options, site: NodeId, condition: &str) -> Result<String, String> {
    let version = shader.preprocessed.version;
    let has = if version.is_es() { version.number >= 300 } else { version.number >= 130 };
    let mut text = condition.to_owned();
    if has {
        return Ok(text);
    }
    while let Some((name, start)) = ["isnan", "isinf"].into_iter().find_map(|name| Some((name, find(&text, name)?))) {
        let open = start + name.len() + text[start + name.len()..].find('(').unwrap_or(0);
        let Some(close) = closing(&text, open) else {
            return Err(format!("the parentheses of `{condition}` do not match"));
        };
        let argument = text[open + 1..close].trim().to_owned();
        let count = components(shader, options, site, &argument)?;
        let test = |part: &str| match name {
            "isnan" => format!("!(({argument}){part} < 0.0 || ({argument}){part} >= 0.0)"),
            _ => format!("(abs(({argument}){part}) > 3.402823e38)"),
        };
        let all = match count {
            1 => format!("({})", test("")),
            _ => {
                let parts: Vec<String> = [".x", ".y", ".z", ".w"].iter().take(count).map(|part| test(part)).collect();
                format!("bvec{count}({})", parts.join(", "))
            }
        };
        text.replace_range(start..=close, &all);
    }
    Ok(text)
}

/// The position of a call of a function.
fn find(text: &str, name: &str) -> Option<usize> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .map(|(at, _)| at)
        .find(|&at| !text[..at].ends_with(word) && text[at + name.len()..].trim_start().starts_with('('))
}

/// The closing parenthesis for an opening one.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in text[open..].char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + at);
        }
    }
    None
}

fn components(shader: &Shader, options: &Options, site: NodeId, argument: &str) -> Result<usize, String> {
    let Some(point) = InsertionPoint::of(shader, &Moment { site: site.into(), path: Vec::new() }) else {
        return Err("nothing can be asked at that place".to_owned());
    };
    match insert(shader, options, point, argument) {
        Ok(inserted) => match inserted.shader.typed.expr(inserted.expr).ty {
            Type::Scalar(_) => Ok(1),
            Type::Vector(_, count) => Ok(usize::from(count)),
            _ => Err(format!("`{argument}` is neither a number nor a vector")),
        },
        Err(InsertError::Wrong(findings)) => Err(format!(
            "`{argument}` is invalid there: {}",
            findings.first().map_or("", |found| found.message.as_str())
        )),
        Err(InsertError::NotAnExpression) => Err(format!("`{argument}` is not an expression")),
        Err(InsertError::Unreachable) => Err("no expression can be evaluated at this position".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use shader::version::Stage;

    use super::*;

    #[track_caller]
    fn check(version: &str, condition: &str, expected: &str) {
        let text =
            format!("{version}\nvarying vec3 v;\nvoid main() {{\n  float a = v.x;\n  gl_FragColor = vec4(a);\n}}\n");
        let options = Options::new(Stage::Fragment);
        let shader = shader::analyze(&[&text], &options);
        let site = *shader.statement_boundaries().last().expect("a statement");
        assert_eq!(spelled(&shader, &options, site, condition).expect("a condition"), expected);
    }

    #[test]
    fn old_versions_use_comparisons() {
        check("#version 120", "isnan(a)", "(!((a) < 0.0 || (a) >= 0.0))");
        check("#version 120", "isinf(a * 2.0) || a > 3.0", "((abs((a * 2.0)) > 3.402823e38)) || a > 3.0");
        let each = ["x", "y"].map(|c| format!("!((v.xy).{c} < 0.0 || (v.xy).{c} >= 0.0)")).join(", ");
        check("#version 120", "any(isnan(v.xy))", &format!("any(bvec2({each}))"));
        check("#version 130", "isnan(a)", "isnan(a)");
    }
}
