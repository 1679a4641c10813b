//! `SHADER:LINE`.

use std::fmt;

use anyhow::bail;
use session::{ShaderSelection, Stage};

use crate::info::survey::Survey;

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
    /// Returns the shader, and the programs that have it.
    ///
    /// # Errors
    /// When no program has it.
    pub fn resolve(&self, survey: &Survey) -> anyhow::Result<(ShaderSelection, Vec<u32>)> {
        let (programs, stage) = self.find(survey)?;
        Ok((ShaderSelection::Programs { programs: programs.clone(), stage }, programs))
    }

    fn find(&self, survey: &Survey) -> anyhow::Result<(Vec<u32>, Stage)> {
        match self.which {
            Which::Program(program, stage) => {
                if !survey.programs.iter().any(|known| known.name == program) {
                    bail!("the trace has no program {program}; `afterimage info` lists those that it has");
                }
                Ok((vec![program], stage))
            }
            Which::Shader(name) => {
                let mut found: Vec<(u32, Stage)> = Vec::new();
                for program in &survey.programs {
                    for shader in program.shaders.iter().filter(|shader| shader.name == Some(name)) {
                        if let Ok(stage) = shader.stage.parse() {
                            found.push((program.name, stage));
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
