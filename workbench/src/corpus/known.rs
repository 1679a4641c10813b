//! `corpus/known.toml`: known disagreements, each with its reason.
//!
//! A listed case still counts as wrong in every ratio; it is only printed separately. An entry that matches no wrong
//! case is an error of a full run, so the list cannot get stale.

use anyhow::Context;

use crate::process;

/// One entry.
pub struct KnownDisagreement {
    /// Case names; `*` stands for anything.
    pub pattern: String,
    /// Why our verdict differs.
    pub reason: String,
}

impl KnownDisagreement {
    /// Returns whether the entry matches the case.
    pub fn matches(&self, name: &str) -> bool {
        glob(self.pattern.as_bytes(), name.as_bytes())
    }
}

/// Returns the entries for one corpus.
pub fn read(corpus: &str) -> anyhow::Result<Vec<KnownDisagreement>> {
    let path = process::root().join("corpus/known.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let table: toml::Table = text.parse().with_context(|| format!("{} is not valid TOML", path.display()))?;
    let entries = table.get("known").and_then(toml::Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let field = |entry: &toml::Value, key: &str| {
        let value = entry.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        value.with_context(|| format!("an entry of {} has no {key}", path.display()))
    };
    let mut known = Vec::new();
    for entry in entries {
        if field(entry, "corpus")? == corpus {
            known.push(KnownDisagreement { pattern: field(entry, "pattern")?, reason: field(entry, "reason")? });
        }
    }
    Ok(known)
}

fn glob(pattern: &[u8], name: &[u8]) -> bool {
    // Remembers the last star, and lets it match one byte more whenever the rest does not match.
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p, n));
            p += 1;
        } else if pattern.get(p) == Some(&name[n]) {
            p += 1;
            n += 1;
        } else if let Some((at, eaten)) = star {
            star = Some((at, eaten + 1));
            p = at + 1;
            n = eaten + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, name: &str, expected: bool) {
        assert_eq!(glob(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
    }

    #[test]
    fn stars_match_anything() {
        check("a/b.frag", "a/b.frag", true);
        check("a/b.frag", "a/b.frags", false);
        check("a/*.frag", "a/b/c.frag", true);
        check("*x*y", "axbxcy", true);
        check("*x*y", "axbxc", false);
        check("*", "", true);
    }
}
