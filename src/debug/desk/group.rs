//! All fragments of a draw together: one place for all of them, with the share of each way where ways part.

use std::fmt::Write as _;

use anyhow::{Context, bail};
use session::{Branch, GroupMask, GroupStep, GroupStop, GroupValues, Picture, Step};

use super::Desk;
use crate::debug::command::{Entry, Verb};

/// Columns and rows of a mask in text.
const COLUMNS: u32 = 64;
const ROWS: u32 = 24;

/// Colours of a mask: no fragment stays there; not here; here; here, and the condition is true.
const COLOURS: [[u8; 4]; 4] =
    [[0x10, 0x12, 0x18, 255], [0x3a, 0x40, 0x4e, 255], [0x3f, 0x7f, 0xc8, 255], [0xf0, 0xb4, 0x3c, 255]];

/// The same as letters.
const LETTERS: [char; 4] = [' ', '·', '░', '█'];

/// Ways that `choose` knows.
pub const WAYS: &[&str] = &["true", "false", "next", "leave"];

impl Desk {
    /// Begins with all fragments of a draw, or ends that.
    pub(super) fn begin_group(&mut self, rest: &str) -> anyhow::Result<String> {
        if rest == "end" {
            if self.group.take().is_none() {
                bail!("no group is being walked through");
            }
            self.session.leave_group();
            // There may be no invocation that was chosen before, to go back to.
            return Ok(self.session.here().map_or_else(|_| String::new(), |stop| self.arrive(stop)));
        }
        let command = match rest {
            "" => self.here().context("say which draw: `group COMMAND`")?.invocation.command,
            _ => self.draw(rest)?,
        };
        let stop = self.session.enter_group(command)?;
        Ok(self.gather(stop))
    }

    /// Begins with all fragments of this draw, or ends that.
    ///
    /// # Errors
    /// When there is no draw, or its fragments cannot be asked.
    pub fn toggle_group(&mut self) -> anyhow::Result<String> {
        let rest = if self.group.is_some() { "end" } else { "" };
        self.begin_group(rest)
    }

    /// Takes one of the branches that the last stop lists, from 0.
    ///
    /// # Errors
    /// When there is no such branch.
    pub fn take_branch(&mut self, place: usize) -> anyhow::Result<String> {
        let group = self.group.as_ref().context("no group is being walked through; `group` begins one")?;
        let Some(way) = group.ways.get(place) else {
            bail!("there is no branch here; next and step go on with all that are here");
        };
        let stop = self.session.step_group(GroupStep::Choose(way.branch))?;
        Ok(self.gather(stop))
    }

    /// Refuses what tells about one invocation, while all fragments are walked through: it would answer about another
    /// place than the one on the screen.
    pub(super) fn refuse_in_group(&self, entry: &Entry) -> anyhow::Result<()> {
        let instead = match entry.verb {
            Verb::Print | Verb::Measure | Verb::Display => "`values EXPRESSION` measures it in all that are here",
            Verb::Up | Verb::Down | Verb::Frame | Verb::Lanes | Verb::Lane => "the group has one place in the shader",
            Verb::Goto | Verb::LastWrite | Verb::Watch | Verb::Set | Verb::Undo | Verb::Findings => {
                "click on a pixel of the mask to walk through its fragment"
            }
            Verb::Reads | Verb::IntoRead | Verb::Pass | Verb::Way => "texture reads are those of one fragment",
            _ => return Ok(()),
        };
        bail!(
            "`{}` is about one invocation, and a group is being walked through: {instead}; `group end` ends it",
            entry.names[0]
        )
    }

    /// A step, where a group is walked through.
    pub(super) fn step_group(&mut self, step: Step, times: u64) -> anyhow::Result<String> {
        let step = match step {
            Step::Over => GroupStep::Over,
            Step::Into => GroupStep::Into,
            Step::Out => GroupStep::Out,
            Step::BackOver => GroupStep::BackOver,
            Step::BackInto => GroupStep::BackInto,
            Step::Continue | Step::ReverseContinue | Step::BackOut | Step::ToStart | Step::ToEnd => {
                bail!("a group goes by steps: next, step, finish, reverse-next, reverse-step; `group end` ends it")
            }
        };
        let mut last = String::new();
        for _ in 0..times {
            let stop = self.session.step_group(step)?;
            let ended = stop.ended;
            last = self.gather(stop);
            if ended {
                break;
            }
        }
        Ok(last)
    }

    /// Goes the way of some.
    pub(super) fn choose_way(&mut self, rest: &str) -> anyhow::Result<String> {
        if self.group.is_none() {
            bail!("no group is being walked through; `group` begins with all fragments of this draw");
        }
        let step = match rest {
            "true" | "next" => GroupStep::Choose(Branch::True),
            "false" => GroupStep::Choose(Branch::False),
            "leave" => GroupStep::Leave,
            _ => bail!("the ways are true, false, next (another iteration) and leave (to behind the loop)"),
        };
        let stop = self.session.step_group(step)?;
        Ok(self.gather(stop))
    }

    /// Who is where, as a picture of letters.
    pub(super) fn tell_mask(&mut self) -> anyhow::Result<String> {
        let stop = self.group.clone().context("no group is being walked through; `group` begins one")?;
        if self.shows_pictures {
            return Ok("the mask is shown in the place of the picture; p enlarges it\n".to_owned());
        }
        Ok(letters(&self.session.group_mask()?, !stop.ways.is_empty()))
    }

    /// What an expression comes to in all fragments that are here.
    pub(super) fn tell_values(&mut self, expression: &str) -> anyhow::Result<String> {
        if self.group.is_none() {
            bail!("no group is being walked through; `group` begins with all fragments of this draw");
        }
        if expression.is_empty() {
            bail!("say what to measure: `values color.r`");
        }
        Ok(summary(expression, &self.session.group_values(expression)?))
    }

    /// The mask as a picture.
    pub fn mask(&self) -> Option<Picture> {
        self.group.as_ref()?;
        let mask = self.session.group_mask().ok()?;
        let rgba = mask.pixels.iter().flat_map(|pixel| COLOURS[usize::from(*pixel).min(3)]).collect();
        Some(Picture { width: mask.width, height: mask.height, rgba })
    }

    fn gather(&mut self, stop: GroupStop) -> String {
        let out = told(&stop);
        self.group = Some(stop);
        out
    }
}

/// Where all stand, and which ways they go.
fn told(stop: &GroupStop) -> String {
    let mut out = String::new();
    if stop.ended {
        out.push_str("the fragments are over\n");
    }
    let share = percent(stop.active as f64 / stop.all.max(1) as f64);
    let _ = writeln!(out, "{} of {} fragments that stay ({share}) of command {}", stop.active, stop.all, stop.command);
    let _ = writeln!(out, "{}:{}  {}", stop.function, stop.location.line, stop.location.text);
    for way in &stop.ways {
        let _ = writeln!(out, "  {:<15} {:>8}  {}", way.name, way.count, percent(way.share));
    }
    out
}

/// A share; what is not all and not none does not read as such.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.1 {
        "< 0.1 %".to_owned()
    } else if percent > 99.9 && percent < 100.0 {
        "> 99.9 %".to_owned()
    } else {
        format!("{percent:.1} %")
    }
}

/// A mask, made small: of the pixels of each cell the one that says most.
fn letters(mask: &GroupMask, parted: bool) -> String {
    let (columns, rows) = (mask.width.min(COLUMNS), mask.height.min(ROWS));
    let mut out = String::new();
    for row in (0..rows).rev() {
        for column in 0..columns {
            let xs = column * mask.width / columns..(column + 1) * mask.width / columns;
            let ys = row * mask.height / rows..(row + 1) * mask.height / rows;
            let all = ys.flat_map(|y| xs.clone().map(move |x| (x, y)));
            let most = all.filter_map(|(x, y)| mask.pixels.get((y * mask.width + x) as usize)).max();
            out.push(LETTERS[usize::from(most.copied().unwrap_or(0)).min(3)]);
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    let here = if parted { "░ here, false  █ here, true" } else { "░ here" };
    let _ = writeln!(out, "· elsewhere  {here}");
    out
}

/// The least, the largest and the mean of each component, and how many are no numbers.
fn summary(expression: &str, values: &GroupValues) -> String {
    let count = values.present.iter().filter(|present| **present).count();
    let mut out = format!("{expression} in {count} fragments\n");
    for component in 0..values.components {
        let numbers = values.numbers.iter().skip(component).step_by(values.components.max(1));
        let all: Vec<f64> = numbers.zip(&values.present).filter(|(_, present)| **present).map(|(n, _)| *n).collect();
        let real: Vec<f64> = all.iter().copied().filter(|number| number.is_finite()).collect();
        let (least, most) = real.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), n| (a.min(*n), b.max(*n)));
        let mean = real.iter().sum::<f64>() / real.len() as f64;
        let name = if values.components == 1 { String::new() } else { format!("[{component}] ") };
        let _ = match real.is_empty() {
            true => write!(out, "  {name}no finite number"),
            false => write!(out, "  {name}from {least} to {most}, mean {mean:.6}"),
        };
        let broken = all.len() - real.len();
        let _ = if broken > 0 { writeln!(out, ", {broken} NaN or infinite") } else { writeln!(out) };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_do_not_round_to_all_or_none() {
        assert_eq!(percent(0.0), "0.0 %");
        assert_eq!(percent(0.00001), "< 0.1 %");
        assert_eq!(percent(0.99999), "> 99.9 %");
        assert_eq!(percent(1.0), "100.0 %");
        assert_eq!(percent(0.256), "25.6 %");
    }

    #[test]
    fn a_mask_is_drawn_from_above_with_what_says_most() {
        // Two rows of 128 pixels: below no fragments but one that is here, above all elsewhere.
        let mut pixels = vec![0; 256];
        pixels[1] = 3;
        pixels[128..].fill(1);
        let drawn = letters(&GroupMask { width: 128, height: 2, pixels }, true);
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[..2], ["·".repeat(64).as_str(), "█"]);
        assert!(lines[2].contains("here, true"));
    }

    #[test]
    fn values_are_summed_up_by_component() {
        let numbers = vec![1.0, f64::NAN, 3.0, 8.0, 99.0, 99.0];
        let values = GroupValues { width: 3, height: 1, components: 2, numbers, present: vec![true, true, false] };
        let text = summary("v", &values);
        assert_eq!(
            text,
            "v in 2 fragments\n  [0] from 1 to 3, mean 2.000000\n  [1] from 8 to 8, mean 8.000000, 1 NaN or infinite\n"
        );
    }
}
