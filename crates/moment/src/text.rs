//! Moments as text, and parsing them.

use std::fmt;
use std::str::FromStr;

use crate::{Moment, SiteId, SiteKind, Step};

/// The text is not that of a moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The part that cannot be parsed.
    pub part: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not part of a moment; a moment looks like s12:call@34/loop@56#3", self.part)
    }
}

impl std::error::Error for ParseError {}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Call(call) => write!(f, "call@{}", call.number()),
            Step::Iteration(site, number) => write!(f, "loop@{}#{number}", site.number()),
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.site.kind() {
            SiteKind::Statement => 's',
            SiteKind::Expression => 'e',
            SiteKind::Declaration => 'd',
        };
        write!(f, "{kind}{}", self.site.number())?;
        for (i, step) in self.path.iter().enumerate() {
            write!(f, "{}{step}", if i == 0 { ':' } else { '/' })?;
        }
        Ok(())
    }
}

impl FromStr for Step {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Step, ParseError> {
        let step = || {
            if let Some(call) = text.strip_prefix("call@") {
                return Some(Step::Call(SiteId::expression(number(call)?)));
            }
            let (id, iteration) = text.strip_prefix("loop@")?.split_once('#')?;
            Some(Step::Iteration(SiteId::statement(number(id)?), number(iteration)?))
        };
        step().ok_or_else(|| ParseError { part: text.to_owned() })
    }
}

impl FromStr for Moment {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Moment, ParseError> {
        let (site, path) = match text.split_once(':') {
            Some((site, path)) => (site, Some(path)),
            None => (text, None),
        };
        let parsed = match (site.get(..1), site.get(1..).and_then(number)) {
            (Some("s"), Some(id)) => SiteId::statement(id),
            (Some("e"), Some(id)) => SiteId::expression(id),
            (Some("d"), Some(id)) => SiteId::declaration(id),
            _ => return Err(ParseError { part: site.to_owned() }),
        };
        let steps = path.map(|path| path.split('/').map(str::parse).collect());
        Ok(Moment { site: parsed, path: steps.unwrap_or(Ok(Vec::new()))? })
    }
}

/// Parses digits only, without leading zeros, so that a moment has one spelling.
fn number(text: &str) -> Option<u32> {
    let canonical = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    canonical.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str) {
        assert_eq!(text.parse::<Moment>().map(|moment| moment.to_string()).as_deref(), Ok(text));
    }

    #[track_caller]
    fn check_refused(text: &str, part: &str) {
        assert_eq!(text.parse::<Moment>(), Err(ParseError { part: part.to_owned() }));
    }

    #[test]
    fn what_is_printed_can_be_parsed() {
        let all = ["s12", "e0", "d7", "s12:call@34", "s12:call@34/loop@56#3", "e9:loop@1#0/loop@2#4294967295"];
        all.into_iter().for_each(check);
    }

    #[test]
    fn text_that_is_not_a_moment_is_refused() {
        check_refused("", "");
        check_refused("12", "12");
        check_refused("ä12", "ä12");
        check_refused("s012", "s012");
        check_refused("s1:", "");
        check_refused("s1:call@", "call@");
        check_refused("s1:call@2/loop@3", "loop@3");
        check_refused("s4294967296", "s4294967296");
    }

    #[test]
    fn iterations_are_in_the_order_they_run() {
        let parse = |text: &str| text.parse::<Moment>().expect("a moment");
        assert!(parse("s9:loop@1#2") < parse("s9:loop@1#10"));
        assert_eq!(parse("s9:call@1/loop@1#2/call@3").calls(), 2);
    }
}
