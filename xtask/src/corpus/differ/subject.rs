//! The fragment shaders to compare on, from every corpus there is.

use std::collections::BTreeSet;
use std::path::Path;

use driver::{Api, Stage};

use super::super::case::Case;
use super::super::{deqp, glmark2, piglit};
use super::values::Range;
use crate::setup;

/// A fragment shader.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Where it is from.
    pub name: String,
    /// The row of the table it is counted in.
    pub group: String,
    /// The kind of context it is for.
    pub api: Api,
    /// Its strings.
    pub strings: Vec<String>,
}

impl Subject {
    /// Which values a uniform of it takes.
    pub fn range(&self, uniform: &str) -> Range {
        if self.group != "piglit built-in values" {
            return Range::Usual;
        }
        let operation = self.name.rsplit('/').next().unwrap_or_default();
        match uniform {
            "arg1" if operation.contains("shift") => Range::Shift,
            "arg1" if operation.contains("-div-") || operation.contains("-mod-") => Range::Divisor,
            _ => Range::Wide,
        }
    }
}

/// All fragment shaders of piglit, glmark2 and, given its folder, dEQP; each text once.
pub fn all(deqp_folder: Option<&Path>) -> anyhow::Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for case in piglit::read(&setup::piglit_dir())?.cases {
        subjects.extend(fragment(&case, "piglit"));
    }
    let values: Vec<Subject> = subjects.iter().filter_map(value_of_built_in).collect();
    subjects.extend(values);
    for case in glmark2::cases(false)? {
        subjects.extend(fragment(&case, "glmark2"));
    }
    if let Some(folder) = deqp_folder {
        for (name, text) in deqp::value_fragments(folder)? {
            subjects.push(Subject { name, group: "dEQP values".to_owned(), api: Api::Es, strings: vec![text] });
        }
    }
    let mut seen = BTreeSet::new();
    subjects
        .retain(|s| seen.insert(*blake3::hash((s.api.name().to_owned() + &s.strings.concat()).as_bytes()).as_bytes()));
    Ok(subjects)
}

/// The fragment shader of a case, if it has exactly one that stands alone.
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

/// Piglit's tests of built-in functions answer green or red; this one answers with the function's value instead.
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

/// A `vec4` that every component of these values, each a type and a name, has its part in.
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
