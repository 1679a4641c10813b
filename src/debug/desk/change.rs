//! Going on with other values.

use std::fmt::Write as _;

use anyhow::{Context, bail};

use session::Picture;

use super::{Desk, text};
use crate::debug::command::SETTABLE;
use crate::run::picture;

impl Desk {
    pub(super) fn set(&mut self, rest: &str) -> anyhow::Result<String> {
        self.here()?;
        let usage = "it is `set var NAME = VALUE`, `set uniform NAME = NUMBERS`, `set attribute NAME = NUMBERS` or \
                     `set texture SAMPLER FILE.png`";
        let (what, rest) = rest.split_once(char::is_whitespace).context(usage)?;
        if what == "texture" {
            let (sampler, file) = rest.trim().split_once([' ', '=']).context(usage)?;
            let file = file.trim_start_matches([' ', '=']).trim();
            if file.is_empty() {
                bail!("{usage}");
            }
            let (width, height, rgba) = picture::pixels(file)?;
            let stop = self.session.set_texture(sampler.trim(), &Picture { width, height, rgba })?;
            return Ok(format!("{} reads {file}, {width} x {height} pixels\n", sampler.trim()) + &self.arrive(stop));
        }
        let (name, value) = rest.split_once('=').context(usage)?;
        let (name, value) = (name.trim(), value.trim());
        if !SETTABLE.contains(&what) || name.is_empty() || value.is_empty() {
            bail!("{usage}");
        }
        if what == "var" {
            let variable = self.session.set_variable(self.frame, name, value)?;
            let mut out = String::new();
            let _ = writeln!(out, "{name} = {}", text::value(&variable));
            let stop = self.session.here()?;
            return Ok(out + &self.arrive(stop));
        }
        let numbers = numbers(value)?;
        let stop = match what {
            "uniform" => self.session.set_uniform(name, &numbers)?,
            _ => self.session.set_attribute(name, &numbers)?,
        };
        Ok(self.arrive(stop))
    }
}

/// Numbers with commas or spaces between them, perhaps as the language writes vectors.
fn numbers(text: &str) -> anyhow::Result<Vec<f64>> {
    let inside = match text.split_once('(') {
        Some((_, inside)) => inside.trim_end().trim_end_matches(')'),
        None => text,
    };
    let number = |word: &str| match word {
        "true" => Ok(1.0),
        "false" => Ok(0.0),
        _ => word.parse::<f64>().with_context(|| format!("`{word}` is no number")),
    };
    inside.split([',', ' ']).filter(|word| !word.is_empty()).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn numbers_are_read_plain_and_as_vectors() {
        assert_eq!(numbers("1, 2.5 -3").unwrap(), [1.0, 2.5, -3.0]);
        assert_eq!(numbers("vec2(0.5, 1e3)").unwrap(), [0.5, 1000.0]);
        assert_eq!(numbers("true").unwrap(), [1.0]);
        assert!(numbers("red").is_err());
    }
}
