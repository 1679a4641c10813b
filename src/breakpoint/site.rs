//! `SHADER:LINE`.

use std::collections::BTreeMap;
use std::fmt;

use afterimage::survey::Survey;
use anyhow::bail;
use session::{ShaderSelection, Stage};

/// A line of a shader, as it is written on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    which: Which,
    /// Counted from 1.
    pub line: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Which {
    Shader(u32),
    Program(u32, Stage),
}

/// Reads `7:31` or `3:fragment:31`.
pub fn parse(text: &str) -> Result<Site, String> {
    let wrong = || "write the shader and the line, such as 7:31, or program, stage and line: 3:fragment:31".to_owned();
    let parts: Vec<&str> = text.split(':').collect();
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
    match parts[..] {
        [shader, line] => Ok(Site { which: Which::Shader(number(shader)?), line: number(line)? }),
        [program, stage, line] => {
            let stage = stage.parse().map_err(|error: shader::version::UnknownStage| error.to_string())?;
            Ok(Site { which: Which::Program(number(program)?, stage), line: number(line)? })
        }
        _ => Err(wrong()),
    }
}

impl Site {
    /// Returns the shader, and the programs that have it, by their places in the survey; those of one context if one is
    /// named.
    ///
    /// # Errors
    /// When no program has it, or several do that have nothing to do with each other.
    pub fn resolve(&self, survey: &Survey, context: Option<u32>) -> anyhow::Result<(ShaderSelection, Vec<usize>)> {
        let group = |context: u32| survey.contexts.iter().find(|own| own.number == context).map(|own| own.group);
        if let Some(context) = context.filter(|context| group(*context).is_none()) {
            bail!("the trace has no context {context}; `afterimage info` lists those that it has");
        }
        let wanted = |place: &usize| context.is_none_or(|own| group(own) == group(survey.programs[*place].context));
        let (mut places, stage) = self.find(survey)?;
        places.retain(wanted);
        let contexts: BTreeMap<Option<u32>, u32> =
            places.iter().rev().map(|place| survey.programs[*place].context).map(|own| (group(own), own)).collect();
        if contexts.len() > 1 {
            let all: Vec<String> = contexts.values().map(u32::to_string).collect();
            bail!("contexts {} each have a {} of their own: say which with --context", all.join(" and "), self.noun());
        }
        if places.is_empty() {
            bail!("context {} has no {}; `afterimage info` lists shaders", context.unwrap_or(0), self.noun());
        }
        let programs = places.iter().map(|place| survey.programs[*place].name).collect();
        Ok((ShaderSelection::Programs { programs, stage }, places))
    }

    fn noun(&self) -> String {
        match self.which {
            Which::Shader(name) => format!("shader {name}"),
            Which::Program(program, _) => format!("program {program}"),
        }
    }

    fn find(&self, survey: &Survey) -> anyhow::Result<(Vec<usize>, Stage)> {
        match self.which {
            Which::Program(program, stage) => {
                let programs = survey.programs.iter().enumerate().filter(|(_, known)| known.name == program);
                let places: Vec<usize> = programs.map(|(place, _)| place).collect();
                if places.is_empty() {
                    bail!("the trace has no program {program}; `afterimage info` lists those that it has");
                }
                Ok((places, stage))
            }
            Which::Shader(name) => {
                let mut found: Vec<(usize, Stage)> = Vec::new();
                for (place, program) in survey.programs.iter().enumerate() {
                    for shader in program.shaders.iter().filter(|shader| shader.name == Some(name)) {
                        if let Ok(stage) = shader.stage.parse() {
                            found.push((place, stage));
                        }
                    }
                }
                let Some(&(_, stage)) = found.first() else {
                    bail!("no program of the trace is linked from a shader {name}; `afterimage info` lists shaders");
                };
                Ok((found.into_iter().map(|(program, _)| program).collect(), stage))
            }
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.which {
            Which::Shader(name) => write!(f, "{name}"),
            Which::Program(program, stage) => write!(f, "{program}:{}", stage.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_read() {
        assert_eq!(parse("7:31"), Ok(Site { which: Which::Shader(7), line: 31 }));
        assert_eq!(parse("3:fragment:9"), Ok(Site { which: Which::Program(3, Stage::Fragment), line: 9 }));
        assert_eq!(parse("3:tess_control:9").map(|place| place.to_string()), Ok("3:tessellation control".to_owned()));
        assert!(parse("7").is_err());
        assert!(parse("7:x").is_err());
    }
}
