//! Which shaders are one program, and what is wrong with the combination.

use std::collections::BTreeMap;

use shader::diagnostic::{Diagnostic, Severity};
use shader::link::{LinkDiagnostic, LinkOptions};
use shader::version::Stage;

use super::context::Context;
use super::input::{Unit, split};
use super::{Finding, Report};

/// Groups of shaders that belong together by their names: all stages different, a vertex shader among them.
///
/// Without a vertex shader the group is surely incomplete, and a compute shader is a program of its own.
pub fn by_name(units: &[Unit], reports: &[Report]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, unit) in units.iter().enumerate() {
        let (stem, extension) = split(&reports[unit.file].path);
        if !extension.is_empty() && unit.shader.stage != Stage::Compute {
            groups.entry(stem).or_default().push(index);
        }
    }
    let is_program = |group: &Vec<usize>| {
        let stages = group.iter().map(|&unit| units[unit].shader.stage);
        let different = stages.clone().fold(0, |bits, stage| bits | stage.bit()).count_ones() as usize;
        group.len() > 1 && different == group.len() && stages.clone().any(|stage| stage == Stage::Vertex)
    };
    let mut groups: Vec<Vec<usize>> = groups.into_values().filter(is_program).collect();
    groups.sort_unstable();
    groups
}

/// A finding about a program, and the shader that it is told with.
pub type Found = Vec<(usize, Diagnostic)>;

/// Links a group, unless one of its shaders is broken.
pub fn link(group: &[usize], units: &[Unit], context: &Context) -> Found {
    linked(
        group,
        units,
        &LinkOptions { webgl: context.is_webgl(), limits: context.limits.clone(), ..LinkOptions::default() },
    )
}

/// Links each stage of a group as a separable program, and compares the interfaces between them.
pub fn pipeline(group: &[usize], units: &[Unit], context: &Context) -> Found {
    if is_broken(group, units) {
        return Vec::new();
    }
    let options = LinkOptions { separable: true, limits: context.limits.clone(), ..LinkOptions::default() };
    let mut found = Vec::new();
    for stage in Stage::ALL {
        let program: Vec<usize> = group.iter().copied().filter(|&unit| units[unit].shader.stage == stage).collect();
        found.extend(linked(&program, units, &options));
    }
    found.extend(placed(shader::link::match_separable(&shaders(group, units)), group));
    found
}

fn linked(group: &[usize], units: &[Unit], options: &LinkOptions) -> Found {
    if is_broken(group, units) {
        return Vec::new();
    }
    placed(shader::link_with(&shaders(group, units), options).diagnostics, group)
}

/// Whether nothing can be said about a group.
fn is_broken(group: &[usize], units: &[Unit]) -> bool {
    group.is_empty() || group.iter().any(|&unit| units[unit].broken)
}

fn shaders<'a>(group: &[usize], units: &'a [Unit]) -> Vec<&'a shader::Shader> {
    group.iter().map(|&unit| &units[unit].shader).collect()
}

/// What the program as a whole gets wrong is told with its last shader.
fn placed(diagnostics: Vec<LinkDiagnostic>, group: &[usize]) -> Found {
    let home = |shader: Option<usize>| shader.map_or(group[group.len() - 1], |shader| group[shader]);
    diagnostics.into_iter().map(|found| (home(found.shader), found.diagnostic)).collect()
}

/// Adds findings to the files of their shaders; `deny` makes errors of warnings.
pub fn report(found: Found, units: &[Unit], reports: &mut [Report], deny: bool) {
    for (home, mut diagnostic) in found {
        if deny {
            diagnostic.severity = Severity::Error;
        }
        let units_of: Vec<usize> = diagnostic.labels.iter().map(|_| home).collect();
        reports[units[home].file].findings.push(Finding { diagnostic, units: units_of });
    }
}
