//! Commands that choose an invocation, or a time in it.

use anyhow::{Context, bail};
use session::{Choice, Step, parse};

use super::Desk;
use crate::debug::command::{Entry, Verb};
use crate::debug::place::{number, of_stage};
use crate::state::place::CommandRef;

impl Desk {
    pub(super) fn pixel(&mut self, rest: &str) -> anyhow::Result<String> {
        let words: Vec<&str> = rest.split([',', ' ']).filter(|word| !word.is_empty()).collect();
        let (x, y, frame) = match words.as_slice() {
            [x, y] => (x, y, self.stop.as_ref().and_then(|stop| stop.invocation.frame).or(self.shown_frame())),
            [x, y, frame] => (x, y, Some(number(frame.strip_prefix("frame:").unwrap_or(frame), "number of a frame")?)),
            _ => bail!("a pixel is two numbers, and perhaps a frame: `pixel 320,200` or `pixel 320,200 7`"),
        };
        let choice = Choice::Pixel { frame, x: number(x, "column")?, y: number(y, "row")? };
        self.enter(&choice)
    }

    pub(super) fn choose(&mut self, entry: &Entry, rest: &str) -> anyhow::Result<String> {
        let usage = || format!("it is `{} {}`", entry.names[0], entry.usage);
        let (command, rest) = rest.split_once(char::is_whitespace).with_context(usage)?;
        let command = self.draw(command)?;
        let choice = match entry.verb {
            Verb::Fragment => {
                let (pixel, primitive) = match rest.trim().split_once(char::is_whitespace) {
                    Some((pixel, primitive)) => (pixel, Some(number(primitive, "number of a primitive")?)),
                    None => (rest, None),
                };
                let [x, y] = parse::pixel(pixel)?;
                Choice::Fragment { command, x, y, primitive, sample: None, layer: None }
            }
            Verb::Vertex => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                match words.as_slice() {
                    [vertex] => Choice::vertex(command, number(vertex, "number of a vertex")?),
                    [vertex, instance] => Choice::Vertex {
                        command,
                        vertex: number(vertex, "number of a vertex")?,
                        instance: Some(number(instance, "number of an instance")?),
                    },
                    _ => bail!(usage()),
                }
            }
            Verb::Primitive => {
                let (stage, id) = rest.split_once(char::is_whitespace).with_context(usage)?;
                of_stage(command, stage.parse()?, parse::invocation(id)?)
            }
            _ => Choice::thread(command, parse::invocation(rest)?),
        };
        self.enter(&choice)
    }

    /// Returns the command that a draw or dispatch is named by: its number, from the end, or the last one of a frame.
    pub(super) fn draw(&self, text: &str) -> anyhow::Result<u64> {
        let command: CommandRef = text.trim().parse().map_err(anyhow::Error::msg)?;
        command.draw(self.session.trace().reader())
    }

    pub(super) fn go_to(&mut self, rest: &str) -> anyhow::Result<String> {
        self.here()?;
        let stop = match rest.split_once(char::is_whitespace) {
            None if rest == "start" => self.session.step(Step::ToStart)?,
            None if rest == "end" => self.session.step(Step::ToEnd)?,
            Some(("time", time)) => self.session.go_to_time(number(time, "time")?)?,
            _ => return self.run_to(number(rest, "line")?),
        };
        Ok(self.arrive(stop))
    }

    /// Runs to a line: forwards, or backwards if it does not come there again.
    ///
    /// # Errors
    /// When the invocation never comes there.
    pub fn run_to(&mut self, line: u32) -> anyhow::Result<String> {
        self.here()?;
        let stop = self.session.run_to_line(line)?;
        Ok(self.arrive(stop))
    }
}
