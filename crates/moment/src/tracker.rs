//! The path to where an invocation is, computed from markers.

use crate::{Marker, Moment, SiteId, Step};

/// A call or loop that has not been left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Open {
    Call(SiteId),
    /// With the number of iterations that have begun.
    Loop(SiteId, u32),
}

/// Where one invocation is. Pass it every marker the invocation passes and no other: where invocations run in lockstep,
/// not those of branches the invocation is masked out of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tracker {
    open: Vec<Open>,
    statement: Option<SiteId>,
}

impl Tracker {
    /// Returns the tracker of an invocation that has not begun.
    #[must_use]
    pub fn new() -> Tracker {
        Tracker::default()
    }

    /// Records that the invocation passes a marker.
    pub fn pass(&mut self, marker: Marker) {
        match marker {
            Marker::Statement(id) => self.statement = Some(id),
            Marker::Enter(call) => self.open.push(Open::Call(call)),
            Marker::Loop(id) => self.open.push(Open::Loop(id, 0)),
            Marker::Iterate => {
                if let Some(Open::Loop(id, begun)) = self.open.last_mut() {
                    *begun = begun.saturating_add(1);
                    self.statement = Some(*id);
                }
            }
            Marker::Done => {
                if matches!(self.open.last(), Some(Open::Loop(..))) {
                    self.open.pop();
                }
            }
            // A `return` inside loops passes none of their ends.
            Marker::Leave => while !matches!(self.open.pop(), Some(Open::Call(_)) | None) {},
        }
    }

    /// Returns the statement passed last, which is the one being run; a loop whenever it begins an iteration.
    #[must_use]
    pub fn statement(&self) -> Option<SiteId> {
        self.statement
    }

    /// Returns the number of open calls.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.open.iter().filter(|open| matches!(open, Open::Call(_))).count()
    }

    /// Returns the path, outermost first.
    pub fn path(&self) -> impl Iterator<Item = Step> {
        self.open.iter().map(|open| match *open {
            Open::Call(call) => Step::Call(call),
            Open::Loop(id, begun) => Step::Iteration(id, begun.saturating_sub(1)),
        })
    }

    /// Returns the moment of a site reached by the path the invocation has taken.
    #[must_use]
    pub fn at(&self, site: SiteId) -> Moment {
        Moment { site, path: self.path().collect() }
    }

    /// Returns the moment of the statement passed last; `None` before the first.
    #[must_use]
    pub fn moment(&self) -> Option<Moment> {
        self.statement.map(|statement| self.at(statement))
    }

    /// Returns whether the invocation is at `moment`: its site is the statement passed last, and the paths are equal.
    #[must_use]
    pub fn is_at(&self, moment: &Moment) -> bool {
        self.statement == Some(moment.site)
            && self.open.len() == moment.path.len()
            && self.path().eq(moment.path.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `s12` statement, `(34` call, `)` leave, `[56` loop, `+` iterate, `]` done.
    fn markers(text: &str) -> impl Iterator<Item = Marker> {
        text.split_whitespace().map(|word| {
            let number = word[1..].parse().unwrap_or_default();
            match &word[..1] {
                "s" => Marker::Statement(SiteId::statement(number)),
                "(" => Marker::Enter(SiteId::expression(number)),
                "[" => Marker::Loop(SiteId::statement(number)),
                "+" => Marker::Iterate,
                "]" => Marker::Done,
                _ => Marker::Leave,
            }
        })
    }

    #[track_caller]
    fn check(passed: &str, expected: &str) {
        let mut tracker = Tracker::new();
        markers(passed).for_each(|marker| tracker.pass(marker));
        let moment = tracker.moment();
        assert_eq!(moment.as_ref().map(ToString::to_string).unwrap_or_default(), expected);
        assert!(moment.is_none_or(|moment| tracker.is_at(&moment)));
    }

    #[test]
    fn the_path_is_kept() {
        check("", "");
        check("s1", "s1");
        check("s1 (2 s3", "s3:call@2");
        check("s1 (2 s3 ) s4", "s4");
        check("s1 [1 + s2", "s2:loop@1#0");
        check("s1 [1 + s2 +", "s1:loop@1#1");
        check("s1 [1 + s2 + s2", "s2:loop@1#1");
        check("s1 [1 + s2 + ] s3", "s3");
        check("s1 [1 + s2 [2 + + s3", "s3:loop@1#0/loop@2#1");
    }

    #[test]
    fn a_return_leaves_the_loops_around_it() {
        check("s1 [1 + (5 s2 [2 + [3 + s4 ) s5", "s5:loop@1#0");
        check("s1 (5 (6 s2 [2 + ) s3", "s3:call@5");
    }

    #[test]
    fn ends_without_beginnings_do_no_harm() {
        check("s1 ) ] + s2", "s2");
        check("s1 (2 ] + s3", "s3:call@2");
    }
}
