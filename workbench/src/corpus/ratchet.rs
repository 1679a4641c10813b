//! `corpus/ratchet.toml`: today's numbers. A run that falls below them fails.

use std::path::PathBuf;

use anyhow::{Context, bail};
use toml::{Table, Value};

use crate::process;

/// A number of a total.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Share {
    /// The number of right ones.
    pub right: usize,
    /// The total.
    pub total: usize,
}

impl Share {
    /// Counts one more.
    pub fn add(&mut self, right: bool) {
        self.total += 1;
        self.right += usize::from(right);
    }

    /// Returns whether this share is smaller than the other, compared exactly even if the totals differ. As many wrong
    /// ones among almost as many are no smaller share: what a program does may depend on time, and with it the total.
    fn below(self, other: Share) -> bool {
        let smaller = (self.right as u128) * (other.total as u128) < (other.right as u128) * (self.total as u128);
        let as_many = self.total >= other.total - other.total / 1000;
        smaller && !(as_many && self.total - self.right <= other.total - other.right)
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{}/{}", self.right, self.total))
    }
}

/// The file.
pub struct Ratchet {
    path: PathBuf,
    table: Table,
}

impl Ratchet {
    /// Reads the file; a missing one has no numbers.
    pub fn read() -> anyhow::Result<Ratchet> {
        let path = process::root().join("corpus/ratchet.toml");
        let text = if path.exists() { std::fs::read_to_string(&path)? } else { String::new() };
        let table = text.parse().with_context(|| format!("{} is not valid TOML", path.display()))?;
        Ok(Ratchet { path, table })
    }

    /// Compares a run's numbers with the file's, or writes them there.
    pub fn settle(mut self, section: &str, numbers: &[(&str, Share)], update: bool) -> anyhow::Result<()> {
        if update {
            let shares = numbers.iter().map(|(name, share)| ((*name).to_owned(), write(*share)));
            self.table.insert(section.to_owned(), Value::Table(shares.collect()));
            let text = format!(
                "# [right, total] of each corpus run. A run with a smaller share fails.\n# Written by `cargo xtask corpus … --update-ratchet`.\n\n{}",
                self.table
            );
            std::fs::write(&self.path, text).with_context(|| format!("cannot write {}", self.path.display()))?;
            println!("wrote {section} to corpus/ratchet.toml");
            return Ok(());
        }
        let Some(held) = self.table.get(section) else {
            println!("corpus/ratchet.toml has no numbers for {section}; add them with --update-ratchet");
            return Ok(());
        };
        let fallen: Vec<String> = numbers
            .iter()
            .filter_map(|(name, share)| {
                let before = read(held.get(name)?)?;
                share.below(before).then(|| format!("{name} is {share}, was {before}"))
            })
            .collect();
        if !fallen.is_empty() {
            bail!("{section} fell below corpus/ratchet.toml: {}", fallen.join("; "));
        }
        Ok(())
    }
}

fn write(share: Share) -> Value {
    let number = |n: usize| Value::Integer(i64::try_from(n).unwrap_or(i64::MAX));
    Value::Array(vec![number(share.right), number(share.total)])
}

fn read(value: &Value) -> Option<Share> {
    let number = |index: usize| usize::try_from(value.get(index)?.as_integer()?).ok();
    Some(Share { right: number(0)?, total: number(1)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(now: (usize, usize), before: (usize, usize), falls: bool) {
        let share = |(right, total)| Share { right, total };
        assert_eq!(share(now).below(share(before)), falls, "{now:?} {before:?}");
    }

    #[test]
    fn shares_compare_exactly() {
        check((99, 100), (99, 100), false);
        check((98, 100), (99, 100), true);
        check((199, 200), (99, 100), false);
        check((197, 200), (99, 100), true);
        check((0, 0), (0, 0), false);
        check((9_970, 9_990), (9_980, 10_000), false);
        check((9_969, 9_990), (9_980, 10_000), true);
        check((9_969, 9_989), (9_980, 10_000), true);
    }
}
