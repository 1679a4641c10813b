//! Which commands to print.

use std::collections::HashMap;
use std::str::FromStr;

use api::id;
use trace::Call;

/// Numbers of commands as given on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    start: u64,
    end: Option<u64>,
}

impl Range {
    /// Those of them that there are.
    pub fn within(self, length: u64) -> std::ops::Range<u64> {
        let end = self.end.unwrap_or(length).min(length);
        self.start.min(end)..end
    }
}

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            text.parse::<u64>().map_err(|_| format!("`{text}` is not the number of a command; write 10..20 or 10"))
        };
        let Some((start, end)) = text.split_once("..") else {
            let start = number(text)?;
            return Ok(Range { start, end: Some(start.saturating_add(1)) });
        };
        let start = if start.is_empty() { 0 } else { number(start)? };
        let end = match end.strip_prefix('=') {
            Some(last) => Some(number(last)?.saturating_add(1)),
            None if end.is_empty() => None,
            None => Some(number(end)?),
        };
        if end.is_some_and(|end| end <= start) {
            return Err(format!("there is nothing in {text}"));
        }
        Ok(Range { start, end })
    }
}

/// Names with stars.
pub struct Names<'a> {
    patterns: &'a [String],
}

impl<'a> Names<'a> {
    pub fn new(patterns: &'a [String]) -> Self {
        Names { patterns }
    }

    /// Whether a name is asked for; every name is when there are no patterns.
    pub fn has(&self, name: &str) -> bool {
        self.patterns.is_empty() || self.patterns.iter().any(|pattern| matches(pattern, name))
    }
}

/// Whether a name is as a pattern says.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The context that each thread uses.
#[derive(Default)]
pub struct Threads {
    contexts: HashMap<u32, u32>,
}

impl Threads {
    /// A thread makes a call.
    pub fn follow(&mut self, call: &Call<'_>) {
        if call.command == Some(id::afiCurrent) {
            self.contexts.insert(call.thread, call.args[0] as u32);
        }
    }

    /// The context of a thread, or 0.
    pub fn context(&self, thread: u32) -> u32 {
        self.contexts.get(&thread).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let within = |text: &str| text.parse::<Range>().map(|range| range.within(100));
        assert_eq!(within("5..10"), Ok(5..10));
        assert_eq!(within("5..=10"), Ok(5..11));
        assert_eq!(within("90.."), Ok(90..100));
        assert_eq!(within("..200"), Ok(0..100));
        assert_eq!(within("7"), Ok(7..8));
        assert!(within("5..5").is_err());
        assert!(within("a..b").is_err());
    }

    #[test]
    fn stars_stand_for_anything() {
        assert!(matches("glTex*", "glTexImage2D"));
        assert!(matches("*Image*D", "glTexImage2D"));
        assert!(matches("glClear", "glClear"));
        assert!(!matches("glClear", "glClearColor"));
        assert!(!matches("*Clear", "glClearColor"));
        assert!(!matches("gl*gl", "gl"));
    }
}
