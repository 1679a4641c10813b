//! The shaders to inspect: fragment shaders with a generated vertex shader each, all others in their own programs.

use std::collections::BTreeSet;

use driver::Api;
use serde_json::Value;
use shader::version::Stage;

use super::super::case::Case;
use super::super::{differ, glmark2, piglit};
use crate::setup;

/// One shader of a program.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its origin.
    pub name: String,
    /// As [`differ::Subject::group`].
    pub group: String,
    /// The kind of context.
    pub api: Api,
    /// The stage to inspect.
    pub asked: Stage,
    /// The shaders of the program, in pipeline order; a fragment shader only itself.
    pub shaders: Vec<(Stage, Vec<String>)>,
}

impl Subject {
    /// Returns the sources of a stage.
    pub fn text(&self, stage: Stage) -> Option<&[String]> {
        self.shaders.iter().find(|(of, _)| *of == stage).map(|(_, strings)| &strings[..])
    }

    /// Creates a subject from a fragment shader.
    pub fn fragment(subject: differ::Subject) -> Subject {
        Subject {
            name: subject.name,
            group: subject.group,
            api: subject.api,
            asked: Stage::Fragment,
            shaders: vec![(Stage::Fragment, subject.strings)],
        }
    }
}

/// Returns a stage by its number.
pub fn stage_of(value: &Value) -> Option<Stage> {
    Stage::ALL.get(usize::try_from(value.as_u64()?).ok()?).copied()
}

/// Returns all shaders of piglit's and glmark2's programs except fragment shaders, each with its program.
pub fn other_stages() -> anyhow::Result<Vec<Subject>> {
    let mut cases = piglit::read(&setup::piglit_dir())?.cases;
    cases.extend(glmark2::cases(false)?);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for case in &cases {
        for subject in of_case(case) {
            let texts: String = subject.shaders.iter().flat_map(|(_, strings)| strings.clone()).collect();
            let key = format!("{} {:?} {texts}", subject.api.name(), subject.asked);
            if seen.insert(*blake3::hash(key.as_bytes()).as_bytes()) {
                found.push(subject);
            }
        }
    }
    Ok(found)
}

fn of_case(case: &Case) -> Vec<Subject> {
    let mut shaders: Vec<(Stage, Vec<String>)> =
        case.shaders.iter().map(|source| (Stage::ALL[source.stage as usize], source.strings.clone())).collect();
    let count = shaders.len();
    shaders.sort_by_key(|(stage, _)| *stage as usize);
    shaders.dedup_by_key(|(stage, _)| *stage);
    let first = shaders.first().map(|(stage, _)| *stage);
    let whole = matches!(first, Some(Stage::Vertex | Stage::Compute)) && shaders.len() == count;
    if !whole || !case.expect.passes() || !case.includes.strings.is_empty() || case.geometry_input.is_some() {
        return Vec::new();
    }
    let group = if case.name.contains("/built-in-functions/") { "piglit built-in values" } else { "piglit" };
    let subject = |(asked, _): &(Stage, Vec<String>)| Subject {
        name: format!("{} ({asked:?})", case.name),
        group: group.to_owned(),
        api: case.api,
        asked: *asked,
        shaders: shaders.clone(),
    };
    shaders.iter().filter(|(stage, _)| *stage != Stage::Fragment).map(subject).collect()
}
