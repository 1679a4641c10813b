//! The fragment shaders to compare, from all corpora.

use std::collections::BTreeSet;
use std::path::Path;

use driver::Api;
use shader::version::Stage;

use super::super::case::Case;
use super::super::{deqp, glmark2, piglit};
use super::values::Range;
use crate::setup;

/// A fragment shader.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its origin.
    pub name: String,
    /// The row of the table that it is counted in.
    pub group: String,
    /// The kind of context.
    pub api: Api,
    /// Its strings.
    pub strings: Vec<String>,
}

impl Subject {
    /// Returns the range of values for one of its uniforms.
    pub fn range(&self, uniform: &str) -> Range {
        if self.group != "piglit built-in values" {
            return Range::Usual;
        }
        let test = self.name.rsplit('/').next().unwrap_or_default();
        // After the name of the stage.
        let operation = test.split('-').nth(1).unwrap_or_default();
        // Results that are undefined by the language cannot be compared (GLSL 4.60, 5.9 and chapter 8).
        match (operation, uniform) {
            ("op", "arg1") if test.contains("shift") => Range::Shift,
            ("op", "arg1") if test.contains("-div-") || test.contains("-mod-") => Range::Divisor,
            ("op", "arg0") if test.contains("-mod-") => Range::Positive,
            ("asin" | "acos" | "atanh", _) => Range::Unit,
            ("log" | "log2" | "sqrt" | "inversesqrt", _) | ("pow", "arg0") => Range::Positive,
            ("acosh", _) | ("mod", "arg1") => Range::Divisor,
            _ => Range::Wide,
        }
    }
}

/// Returns all fragment shaders of piglit.
pub fn of_piglit() -> anyhow::Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for case in piglit::read(&setup::piglit_dir())?.cases {
        subjects.extend(fragment(&case, "piglit"));
    }
    let values: Vec<Subject> = subjects.iter().filter_map(value_of_built_in).collect();
    subjects.extend(values);
    Ok(each_once(subjects))
}

/// Returns all fragment shaders of glmark2.
pub fn of_glmark2() -> anyhow::Result<Vec<Subject>> {
    Ok(glmark2::cases(false)?.iter().filter_map(|case| fragment(case, "glmark2")).collect())
}

/// Returns all fragment shaders of piglit, glmark2 and, given its folder, dEQP.
pub fn all(deqp_folder: Option<&Path>) -> anyhow::Result<Vec<Subject>> {
    let mut subjects = of_piglit()?;
    subjects.extend(of_glmark2()?);
    if let Some(folder) = deqp_folder {
        for (name, text) in deqp::value_fragments(folder)? {
            subjects.push(Subject { name, group: "dEQP values".to_owned(), api: Api::Es, strings: vec![text] });
        }
    }
    Ok(each_once(subjects))
}

/// Removes duplicates, and gives those for ES high precision.
fn each_once(mut subjects: Vec<Subject>) -> Vec<Subject> {
    for subject in subjects.iter_mut().filter(|s| s.api == Api::Es && !s.strings.concat().contains(HIGH)) {
        subject.strings = vec![high_precision(&subject.strings.concat())];
    }
    let mut seen = BTreeSet::new();
    subjects
        .retain(|s| seen.insert(*blake3::hash((s.api.name().to_owned() + &s.strings.concat()).as_bytes()).as_bytes()));
    subjects
}

const HIGH: &str = "precision highp float; precision highp int; precision highp sampler2D; ";

/// Returns an ES shader with `highp` everywhere: the other precisions are implementation-dependent, and Mesa uses 16
/// bits.
fn high_precision(text: &str) -> String {
    let mut changed = String::with_capacity(text.len() + 200);
    for (i, part) in text.split("mediump").flat_map(|part| part.split("lowp")).enumerate() {
        changed += if i == 0 { "" } else { "highp" };
        changed += part;
    }
    let directive =
        |line: &&str| line.trim_start().starts_with("#version") || line.trim_start().starts_with("#extension");
    let mut at = 0;
    let mut end = 0;
    for line in changed.split_inclusive('\n') {
        at += line.len();
        if directive(&line) {
            end = at;
        }
    }
    // Line 1 stays line 1, and the defaults apply where no precision is given.
    changed.insert_str(end, HIGH);
    changed
}

/// Returns the fragment shader of a case, if it has exactly one that stands alone.
fn fragment(case: &Case, group: &str) -> Option<Subject> {
    let mut fragments = case.shaders.iter().filter(|s| s.stage == Stage::Fragment);
    let source = fragments.next()?;
    let alone = fragments.next().is_none() && case.includes.strings.is_empty();
    (alone && case.expect.passes()).then(|| Subject {
        name: case.name.clone(),
        group: group.to_owned(),
        api: case.api,
        strings: source.strings.clone(),
    })
}

/// Changes a test of a built-in function, which outputs green or red, to output the function's value.
fn value_of_built_in(subject: &Subject) -> Option<Subject> {
    if !subject.name.contains("/built-in-functions/") {
        return None;
    }
    let text = subject.strings.last()?;
    let declared = text.lines().find_map(|line| line.trim().split_once(" result = ").map(|(kind, _)| kind))?;
    let start = text.find("gl_FragColor = ")?;
    let end = start + text[start..].find(';')?;
    let changed = format!("{}gl_FragColor = {}{}", &text[..start], colour_of(&[(declared, "result")])?, &text[end..]);
    let mut strings = subject.strings.clone();
    *strings.last_mut()? = changed;
    let name = format!("{} (value)", subject.name);
    Some(Subject { name, group: "piglit built-in values".to_owned(), strings, ..subject.clone() })
}

/// Returns a `vec4` that depends on every component of these values, each a type and a name.
pub fn colour_of(values: &[(&str, &str)]) -> Option<String> {
    let mut components = Vec::new();
    for (kind, name) in values {
        let digit = |at: usize| kind.as_bytes().get(kind.len() - at).map(|d| u32::from(d.wrapping_sub(b'0')));
        if let Some(shape) = kind.strip_prefix("mat") {
            let (columns, rows) = if shape.contains('x') { (digit(3)?, digit(1)?) } else { (digit(1)?, digit(1)?) };
            components.extend((0..columns).flat_map(|c| (0..rows).map(move |r| format!("{name}[{c}][{r}]"))));
        } else if kind.contains("vec") {
            components.extend((0..digit(1)?).map(|i| format!("{name}[{i}]")));
        } else if matches!(*kind, "float" | "int" | "uint" | "bool") {
            components.push((*name).to_owned());
        } else {
            return None;
        }
    }
    let mut channels = vec![Vec::new(); 4];
    for (i, component) in components.iter().enumerate() {
        // Halves, quarters, …: products with those are exact.
        let weight = 0.5f32.powi(i32::try_from(i / 4).unwrap_or(0));
        channels[i % 4].push(if i < 4 {
            format!("float({component})")
        } else {
            format!("float({component}) * {weight:?}")
        });
    }
    let channel = |terms: &Vec<String>| if terms.is_empty() { "1.0".to_owned() } else { terms.join(" + ") };
    Some(format!("vec4({})", channels.iter().map(channel).collect::<Vec<_>>().join(", ")))
}
