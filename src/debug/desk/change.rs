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
        let usage = "it is `set [var] NAME = VALUE`, `set uniform NAME = NUMBERS`, `set attribute NAME = NUMBERS` or \
                     `set texture SAMPLER FILE.png`";
        // As in gdb, what is no sort of things is a variable.
        let (what, rest) = match rest.split_once(char::is_whitespace) {
            Some((what, rest)) if SETTABLE.contains(&what) => (what, rest),
            _ if rest.split('=').next().is_some_and(|name| name.trim().contains(char::is_whitespace)) => {
                bail!("{usage}")
            }
            _ => ("var", rest),
        };
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
        if name.is_empty() || value.is_empty() {
            bail!("{usage}");
        }
        if what == "var" {
            let variable = self.session.set_variable(self.frame, name, value)?;
            let mut out = String::new();
            let _ = writeln!(out, "{name} = {}", text::value(&variable));
            let stop = self.session.here()?;
            return Ok(out + &self.arrive(stop));
        }
        let numbers = session::parse::numbers(value)?;
        let stop = match what {
            "uniform" => self.session.set_uniform(name, &numbers)?,
            _ => self.session.set_attribute(name, &numbers)?,
        };
        Ok(format!("{what} {name} = {value} from the start of the invocation on\n") + &self.arrive(stop))
    }
}
