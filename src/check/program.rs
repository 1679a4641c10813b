//! Which shaders are one program, and what is wrong with the combination.

use std::collections::BTreeMap;

use shader::version::Stage;

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

/// Links a group, unless one of its shaders is broken; each finding goes to the file of its first label.
pub fn link(group: &[usize], units: &[Unit], reports: &mut [Report]) {
    if group.is_empty() || group.iter().any(|&unit| units[unit].broken) {
        return;
    }
    let shaders: Vec<&shader::Shader> = group.iter().map(|&unit| &units[unit].shader).collect();
    for found in shader::link(&shaders).diagnostics {
        // What the program as a whole gets wrong is told with its last shader.
        let home = found.shader.map_or(group[group.len() - 1], |shader| group[shader]);
        let diagnostic = found.diagnostic;
        let units_of: Vec<usize> = diagnostic.labels.iter().map(|_| home).collect();
        reports[units[home].file].findings.push(Finding { diagnostic, units: units_of });
    }
}
