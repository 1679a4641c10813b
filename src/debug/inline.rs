//! Values beside the lines that wrote them.

use std::collections::BTreeMap;

use session::Variable;

use super::highlight::{Sort, tokens};
use super::view::is_broken;

/// A value beside a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    pub name: String,
    pub value: String,
    /// Something in it is no number.
    pub broken: bool,
}

/// The values to put beside lines of a text: of each variable, what it holds now, at the last line up to the current one
/// that gives it a value; and at the current line what it uses. At the end the current line has run.
pub fn values(text: &str, (current, ended): (u32, bool), variables: &[Variable]) -> BTreeMap<u32, Vec<Shown>> {
    let lines: Vec<&str> = text.lines().collect();
    let current_index = current.saturating_sub(1) as usize;
    let mut out: BTreeMap<u32, Vec<Shown>> = BTreeMap::new();
    // Only lines of the function at hand: those above belong to others, whose names mean other things.
    let first = (0..current_index.min(lines.len())).rev().find(|at| is_outside(lines[*at])).unwrap_or(0);
    let mut written: BTreeMap<&str, u32> = BTreeMap::new();
    let passed = current_index + usize::from(ended);
    for (number, line) in (1..).zip(&lines).skip(first).take(passed.saturating_sub(first)) {
        for name in assigned(line) {
            written.insert(name, number);
        }
    }
    let used: Vec<&str> = lines.get(current_index).filter(|_| !ended).map_or(Vec::new(), |line| used(line));
    for variable in variables {
        if variable.value.emulated.is_none() {
            continue;
        }
        let shown = || Shown {
            name: variable.name.clone(),
            value: short(variable.value.emulated.as_deref().unwrap_or_default()),
            broken: is_broken(variable),
        };
        if used.contains(&variable.name.as_str()) && !is_large(variable) {
            out.entry(current).or_default().push(shown());
        } else if let Some(line) = written.get(variable.name.as_str()) {
            out.entry(*line).or_default().push(shown());
        }
    }
    out
}

/// A value with its numbers rounded to four digits behind the point, for where there is little room.
pub fn short(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(from) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(from);
        out.push_str(before);
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '.';
        let end = number
            .char_indices()
            .find(|(at, c)| !(inside(*c) || matches!(c, '-' | '+') && number[..*at].ends_with(['e', 'E'])));
        let end = end.map_or(number.len(), |(at, _)| at);
        let word = &number[..end];
        // What belongs to a name is none.
        let named = out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match word.parse::<f64>() {
            Ok(value) if !named && word.contains('.') && word.len() > 6 => {
                let rounded =
                    if value != 0.0 && value.abs() < 0.0005 { format!("{value:.2e}") } else { format!("{value:.4}") };
                out.push_str(&rounded);
            }
            _ => out.push_str(word),
        }
        rest = &number[end..];
    }
    out + rest
}

/// What would fill the line.
fn is_large(variable: &Variable) -> bool {
    variable.value.numbers.len() > 4
}

/// A line at which a function begins: it is not indented, and has a brace.
fn is_outside(line: &str) -> bool {
    !line.starts_with([' ', '\t', '}', '/', '#']) && line.contains('(') && line.trim_end().ends_with('{')
}

/// The names that a line uses: what it only gives a value is none of them.
fn used(line: &str) -> Vec<&str> {
    let all = tokens(line, &mut false);
    let mut names: Vec<&str> = all.iter().filter(|(sort, _)| *sort == Sort::Name).map(|(_, text)| *text).collect();
    let plain =
        all.iter().filter(|(sort, text)| *sort == Sort::Symbol && text.ends_with('=')).all(|(_, text)| *text == "=");
    for name in assigned(line) {
        if plain && let Some(at) = names.iter().position(|known| *known == name) {
            names.remove(at);
        }
    }
    names
}

/// The variables that a line gives a value.
fn assigned(line: &str) -> Vec<&str> {
    let all: Vec<(Sort, &str)> =
        tokens(line, &mut false).into_iter().filter(|(sort, _)| !matches!(sort, Sort::Space | Sort::Comment)).collect();
    let mut found = Vec::new();
    for (at, (sort, text)) in all.iter().enumerate() {
        let is_assignment = *sort == Sort::Symbol && text.ends_with('=') && !matches!(*text, "==" | "!=" | "<=" | ">=");
        if !is_assignment && !matches!(*text, "++" | "--") {
            continue;
        }
        // Back over components and indices to the name: `lights[i].colour = …`.
        let mut back = at;
        let mut nested = 0;
        let mut name = None;
        while back > 0 {
            back -= 1;
            match all[back] {
                (_, "]") => nested += 1,
                (_, "[") if nested > 0 => nested -= 1,
                _ if nested > 0 => {}
                (_, ".") => {}
                (Sort::Name, text) => {
                    name = Some(text);
                    if back == 0 || all[back - 1].1 != "." {
                        break;
                    }
                }
                _ => break,
            }
        }
        if name.is_none() && matches!(*text, "++" | "--") {
            name = all.get(at + 1).filter(|(sort, _)| *sort == Sort::Name).map(|(_, text)| *text);
        }
        found.extend(name);
    }
    found
}

#[cfg(test)]
mod tests {
    use session::Shown as Value;

    use super::*;

    #[test]
    fn assignments_are_found_through_components_and_indices() {
        assert_eq!(assigned("    vec3 color = albedo;"), ["color"]);
        assert_eq!(assigned("lights[i].color.x += a.b[2] * 3.0;"), ["lights"]);
        assert_eq!(assigned("for (int i = 0; i <= 4; ++i) {"), ["i", "i"]);
        assert_eq!(assigned("if (a == b) return; // c = d"), [""; 0]);
    }

    #[test]
    fn what_a_line_only_writes_it_does_not_use() {
        assert_eq!(used("    color = vec4(light, color.a);"), ["light", "color", "a"]);
        assert_eq!(used("    color *= light;"), ["color", "light"]);
    }

    #[test]
    fn numbers_are_rounded_and_names_left_alone() {
        assert_eq!(short("vec3(0.31758013, -2.5, 1.16957475e-8)"), "vec3(0.3176, -2.5, 1.17e-8)");
        assert_eq!(short("mat2x2(NaN, 12345.678901, 3u, 1.0)"), "mat2x2(NaN, 12345.6789, 3u, 1.0)");
        assert_eq!(short("0.99999999"), "1.0000");
    }

    #[test]
    fn values_stand_at_the_last_line_that_wrote_and_at_the_line_that_uses() {
        let text = "float x(float a) {\n    float b = 1.0;\n}\nvoid main() {\n    float a = 2.0;\n    float b = a;\n    b = b + a;\n    c = b;\n}\n";
        let variable = |name: &str, value: &str| Variable {
            name: name.to_owned(),
            path: name.to_owned(),
            type_name: "float".to_owned(),
            value: Value { emulated: Some(value.to_owned()), numbers: vec![f64::NAN], ..Value::default() },
            children: 0,
            note: None,
        };
        let all = values(text, (8, false), &[variable("a", "2.0"), variable("b", "4.0")]);
        let plain: Vec<(u32, &str)> =
            all.iter().flat_map(|(line, shown)| shown.iter().map(|one| (*line, one.name.as_str()))).collect();
        assert_eq!(plain, [(5, "a"), (8, "b")]);
        assert!(all[&8][0].broken);
        // At the end the last line has run, and shows what it wrote.
        let ended = values(text, (8, true), &[variable("b", "4.0"), variable("c", "4.0")]);
        let plain: Vec<(u32, &str)> = ended.iter().map(|(line, shown)| (*line, shown[0].name.as_str())).collect();
        assert_eq!(plain, [(7, "b"), (8, "c")]);
    }
}
