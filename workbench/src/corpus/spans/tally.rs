//! The counts of a run.

use anyhow::bail;

use super::Reply;
use crate::corpus::case::Answer;
use crate::corpus::ratchet::Share;

/// What was tried, with the results.
#[derive(Default)]
pub struct Tally {
    /// Programs tried.
    pub programs: usize,
    /// Expressions wrapped all at once.
    pub wrapped: usize,
    /// Those of them that start or end in the output of a macro.
    pub from_macros: usize,
    /// Those of them with an end inside a macro call.
    pub in_macros: usize,
    /// Expressions wrapped one at a time.
    pub single: usize,
    /// Expressions not wrapped one at a time, because their shader has too many.
    pub left_out: usize,
    /// Programs that draw something.
    pub drawn: usize,
    /// Programs that draw nothing but can be drawn with.
    pub blank: usize,
    /// Programs that cannot be drawn with: single shaders, compute shaders, patches.
    pub undrawn: usize,
    /// Verdicts compared, of edited texts.
    pub verdicts: usize,
    /// Pictures compared, and equal.
    pub pictures: usize,
    /// Verdicts and pictures of expressions that end inside macro calls, one at a time.
    pub macro_singles: usize,
    /// Programs that are not deterministic.
    pub unsteady: Vec<String>,
    /// Programs that our front end rejects.
    pub refused: Vec<String>,
    /// Programs that broke the driver without edits.
    pub broken: Vec<String>,
    /// All changes caused by an edit.
    pub changed: Vec<String>,
}

impl Tally {
    /// Compares the driver's reply for an edited program with that for the original, which it accepted.
    pub fn compare(&mut self, place: &str, picture: Option<&String>, reply: &Reply, in_macro: bool) {
        self.verdicts += 1;
        self.macro_singles += usize::from(in_macro);
        if reply.answer != Answer::Accepted {
            self.changed.push(format!("{place}: {}: {}", reply.answer.name(), reply.log));
        } else if let Some(picture) = picture {
            if reply.picture.as_ref() == Some(picture) {
                self.pictures += 1;
            } else {
                let now = reply.picture.as_deref().unwrap_or("nothing");
                self.changed.push(format!("{place}: draws {now} instead of {picture}"));
            }
        }
    }

    /// Adds another's counts.
    pub fn add(&mut self, other: Tally) {
        self.programs += other.programs;
        self.wrapped += other.wrapped;
        self.from_macros += other.from_macros;
        self.in_macros += other.in_macros;
        self.single += other.single;
        self.left_out += other.left_out;
        self.drawn += other.drawn;
        self.blank += other.blank;
        self.undrawn += other.undrawn;
        self.verdicts += other.verdicts;
        self.pictures += other.pictures;
        self.macro_singles += other.macro_singles;
        self.unsteady.extend(other.unsteady);
        self.refused.extend(other.refused);
        self.broken.extend(other.broken);
        self.changed.extend(other.changed);
    }

    /// Prints the counts, and with `list` the cases behind them.
    pub fn print(&self, list: bool) {
        let programs = self.programs - self.refused.len() - self.broken.len();
        println!(
            "{programs} programs; {} draw, {} draw nothing, {} cannot be drawn",
            self.drawn, self.blank, self.undrawn
        );
        println!(
            "{} expressions wrapped all at once, {} of them made by macros, {} with an end inside a macro call",
            self.wrapped, self.from_macros, self.in_macros
        );
        println!(
            "{} wrapped one at a time, {} of them inside macro calls; {} left out of long shaders",
            self.single, self.macro_singles, self.left_out
        );
        println!("{} verdicts compared; {} images equal; {} changes", self.verdicts, self.pictures, self.changed.len());
        let lists = [
            ("are not deterministic, so no images are compared", &self.unsteady),
            ("are rejected by our front end", &self.refused),
            ("break the driver without edits", &self.broken),
        ];
        for (what, names) in lists {
            if !names.is_empty() {
                println!("{} programs {what}", names.len());
                names.iter().filter(|_| list).for_each(|name| println!("    {name}"));
            }
        }
        let shown = if list { usize::MAX } else { 20 };
        self.changed.iter().take(shown).for_each(|change| println!("CHANGED {change}"));
    }

    /// Returns the numbers that must not fall: the programs tried, and those whose images are compared.
    pub fn numbers(&self) -> Vec<(&'static str, Share)> {
        let total = self.programs;
        let tried = total - self.refused.len() - self.broken.len();
        vec![("tried", Share { right: tried, total }), ("drawn", Share { right: self.drawn, total })]
    }

    /// Fails when anything changed.
    pub fn verdict(&self) -> anyhow::Result<()> {
        if self.changed.is_empty() {
            return Ok(());
        }
        bail!("{} edits changed the meaning of a shader: its spans are wrong", self.changed.len())
    }
}
