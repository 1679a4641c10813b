//! On to the next breakpoint, or back to the last.

use std::collections::BTreeMap;

use emulator::glsl::Evaluator;
use emulator::ir::{Registers, TypeId};
use emulator::travel::{Arrival, Travel, Watch};
use emulator::value::Value;
use moment::{Moment, SiteId, Step as Way};
use pipeline::World;

use super::Run;
use crate::bench::Bench;

/// Times that a breakpoint with a count is reached which are kept.
const MOST_HITS: usize = 1 << 25;

/// Log messages of one search that are kept; of more, how many there were.
const MOST_LOGGED: usize = 10_000;

/// A breakpoint at a statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Armed {
    pub id: u64,
    pub line: u32,
    pub site: SiteId,
    pub condition: Option<String>,
    pub hits: Option<Hits>,
    pub log: Option<Vec<Piece>>,
}

/// Which of the times that it is reached count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hits {
    Equal(u64),
    More(u64),
    Least(u64),
    Less(u64),
    Most(u64),
    Each(u64),
}

impl Hits {
    /// Reads `5`, `>= 5`, `% 5` and the like.
    pub fn parse(text: &str) -> Option<Hits> {
        let text = text.trim();
        let end = text.find(|c: char| c.is_ascii_digit())?;
        let number: u64 = text[end..].trim().parse().ok()?;
        Some(match text[..end].trim() {
            "" | "=" | "==" => Hits::Equal(number),
            ">" => Hits::More(number),
            ">=" => Hits::Least(number),
            "<" => Hits::Less(number),
            "<=" => Hits::Most(number),
            "%" if number > 0 => Hits::Each(number),
            _ => return None,
        })
    }

    fn counts(self, hit: u64) -> bool {
        match self {
            Hits::Equal(number) => hit == number,
            Hits::More(number) => hit > number,
            Hits::Least(number) => hit >= number,
            Hits::Less(number) => hit < number,
            Hits::Most(number) => hit <= number,
            Hits::Each(number) => hit.is_multiple_of(number),
        }
    }
}

/// A part of a log message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    Text(String),
    Value(String),
}

impl Piece {
    /// Takes a message apart: what is in braces is an expression.
    pub fn parse(text: &str) -> Vec<Piece> {
        let (mut all, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once('{') {
            let Some((inside, behind)) = after.split_once('}') else { break };
            all.push(Piece::Text(before.to_owned()));
            all.push(Piece::Value(inside.to_owned()));
            rest = behind;
        }
        all.push(Piece::Text(rest.to_owned()));
        all
    }
}

/// A variable that is watched for writes.
#[derive(Clone, PartialEq, Debug)]
pub struct Watched {
    pub id: u64,
    pub path: String,
    pub ty: TypeId,
    pub home: Registers,
    pub condition: Option<String>,
}

/// What to look for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Search {
    pub back: bool,
    /// Forwards not beyond this time.
    pub until: Option<u64>,
    pub lines: Vec<Armed>,
    pub data: Vec<Watched>,
    /// Moments at which something undefined happens, by a number of the caller's.
    pub exceptions: Vec<(usize, Moment)>,
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    pub arrival: Arrival,
    pub lines: Vec<u64>,
    /// The breakpoint, what the variable holds before the statement that writes it, and after it.
    pub data: Option<(u64, String, String)>,
    /// That statement is about to run.
    pub ahead: bool,
    pub exception: Option<usize>,
    /// Breakpoint, line and text.
    pub log: Vec<(u64, u32, String)>,
}

/// A write to a variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Written {
    /// When the statement began that did it.
    pub time: u64,
    pub site: Option<SiteId>,
    pub old: String,
    pub new: String,
}

impl Hit {
    /// Whether anything was found that is to be stopped for.
    pub fn is_stop(&self) -> bool {
        !self.lines.is_empty() || self.data.is_some() || self.exception.is_some()
    }
}

impl<const W: usize> Run<W> {
    pub(super) fn search_for(&mut self, search: &Search) -> Hit {
        let Some(counted) = self.counted(search) else {
            let arrival = Arrival::Interrupted;
            return Hit { arrival, lines: Vec::new(), data: None, ahead: false, exception: None, log: Vec::new() };
        };
        let was_over = self.travel.is_at_end();
        let arrival = if search.back { self.search_back(search, &counted) } else { self.search_on(search, &counted) };
        let (arrival, log) = arrival;
        let here = self.travel.time();
        let mut hit = Hit { arrival, lines: Vec::new(), data: None, ahead: search.back, exception: None, log };
        if arrival == Arrival::End && !was_over {
            // There is no stop behind the last statement, which may write what is watched.
            hit.data = self.written(search, here);
            hit.arrival = if hit.data.is_some() { Arrival::There } else { arrival };
        }
        if arrival != Arrival::There {
            return hit;
        }
        let Run { travel, evaluator, .. } = self;
        for armed in search.lines.iter().filter(|armed| armed.log.is_none()) {
            if holds(travel, evaluator, armed, &counted) {
                hit.lines.push(armed.id);
            }
        }
        hit.exception = exception(travel, search);
        if hit.lines.is_empty() && hit.exception.is_none() {
            hit.data = self.written(search, here);
        }
        hit
    }

    /// All times that breakpoints with counts are reached with their conditions true; nothing if it was told to stop.
    fn counted(&mut self, search: &Search) -> Option<BTreeMap<u64, Vec<u64>>> {
        let mut all = BTreeMap::new();
        if search.lines.iter().all(|armed| armed.hits.is_none()) {
            return Some(all);
        }
        let here = self.travel.time();
        for armed in search.lines.iter().filter(|armed| armed.hits.is_some()) {
            let (mut times, none) = (Vec::new(), BTreeMap::new());
            self.travel.to_start();
            let plain = Armed { hits: None, ..armed.clone() };
            let Run { travel, evaluator, .. } = self;
            while times.len() < MOST_HITS {
                match travel.run_to_break(&[armed.site], |travel| holds(travel, evaluator, &plain, &none)) {
                    Arrival::There => times.push(travel.time()),
                    Arrival::Interrupted => {
                        travel.go_to(here);
                        return None;
                    }
                    _ => break,
                }
            }
            all.insert(armed.id, times);
        }
        self.travel.go_to(here);
        Some(all)
    }

    fn search_on(&mut self, search: &Search, counted: &BTreeMap<u64, Vec<u64>>) -> (Arrival, Vec<(u64, u32, String)>) {
        let (mut log, mut unlogged) = (Vec::new(), BTreeMap::<(u64, u32), u64>::new());
        let Run { travel, evaluator, bench, .. } = self;
        let mut held: Vec<Vec<u32>> = search.data.iter().map(|watched| words(travel, watched)).collect();
        let mut stops = |travel: &Travel<W, World>| {
            if search.until.is_some_and(|until| travel.time() >= until) {
                return true;
            }
            let mut stop = exception(travel, search).is_some();
            for armed in &search.lines {
                if holds(travel, evaluator, armed, counted) {
                    match &armed.log {
                        Some(_) if log.len() >= MOST_LOGGED => {
                            *unlogged.entry((armed.id, armed.line)).or_default() += 1
                        }
                        Some(pieces) => log.push((armed.id, armed.line, message(travel, evaluator, pieces))),
                        None => stop = true,
                    }
                }
            }
            for (watched, held) in search.data.iter().zip(&mut held) {
                let now = words(travel, watched);
                if now != *held {
                    *held = now;
                    stop |= truth(travel, evaluator, watched.condition.as_deref());
                }
            }
            stop
        };
        let arrival = if search.data.is_empty() && search.until.is_none() {
            travel.run_to_break(&sites(bench, search), &mut stops)
        } else {
            travel.run_to_condition(&mut stops)
        };
        log.extend(unlogged.into_iter().map(|((id, line), times)| (id, line, format!("and {times} times more"))));
        (arrival, log)
    }

    fn search_back(
        &mut self,
        search: &Search,
        counted: &BTreeMap<u64, Vec<u64>>,
    ) -> (Arrival, Vec<(u64, u32, String)>) {
        // Just behind a write, the write is what lies before.
        let latest = search.data.iter().filter_map(|watched| self.change_before(watched)).max();
        let Run { travel, evaluator, bench, .. } = self;
        let arrival = travel.back_to_break(&sites(bench, search), |travel| {
            exception(travel, search).is_some()
                || search.lines.iter().any(|armed| armed.log.is_none() && holds(travel, evaluator, armed, counted))
        });
        match latest.filter(|time| arrival != Arrival::There || *time > travel.time()) {
            Some(time) => (travel.go_to(time), Vec::new()),
            None => (arrival, Vec::new()),
        }
    }

    /// When the last statement before now began that gave a variable another value, with the condition true afterwards.
    fn change_before(&mut self, watched: &Watched) -> Option<u64> {
        let here = self.travel.time();
        let mut found = None;
        while let Some(write) = self.write_before(watched) {
            self.travel.go_to(write.time);
            let changes = write.old != write.new;
            if changes && (watched.condition.is_none() || self.is_true_behind(watched)) {
                found = Some(write.time);
                break;
            }
        }
        self.travel.go_to(here);
        found
    }

    /// Whether the condition of a watched variable is true behind the statement at hand.
    fn is_true_behind(&mut self, watched: &Watched) -> bool {
        let here = self.travel.time();
        let holds = self.travel.step_over() != Arrival::Endless && self.is_true(watched.condition.as_deref());
        self.travel.go_to(here);
        holds
    }

    /// Whether a condition is true where the run is; at its end in the last statement of `main`.
    fn is_true(&mut self, condition: Option<&str>) -> bool {
        let Some(text) = condition else { return true };
        let at = if self.travel.is_at_end() { self.end_moment() } else { self.travel.moment() };
        let Run { travel, evaluator, .. } = self;
        let answer = at.and_then(|at| evaluator.expression(&at, text).ok()?.run(travel).ok());
        answer.and_then(|answer| answer.truth(travel.lane().lane)).unwrap_or(true)
    }

    /// The last write to a variable before now.
    pub(super) fn write_before(&mut self, watched: &Watched) -> Option<Written> {
        let here = self.travel.time();
        let write = self.travel.last_write(Watch::Registers(self.travel.lane(), watched.home))?;
        // Where a statement calls functions before it writes, the last stop is in one of those.
        let origin = write.origin;
        let own = origin.and_then(|site| moment::glsl::stop(self.bench.shader(), &Moment { site, path: Vec::new() }));
        self.travel.go_to(write.time.max(1));
        if let Some(own) = own {
            while self.travel.depth() > 0 && self.travel.moment().is_some_and(|moment| moment.site != own.site) {
                self.travel.back_out();
            }
        }
        // A statement writes one component after the other; before it is before all of them.
        let (time, old) = (self.travel.time(), self.shown(watched));
        self.travel.go_to(here);
        let types = &self.bench.lowered().types;
        let text = |words: Vec<u32>| Value::of_words(types, watched.ty, words).text(types);
        let site = origin.or_else(|| write.moment.map(|moment| moment.site));
        Some(Written { time, site, old, new: text(write.new) })
    }

    /// Which watched variable changed in the statement before, or backwards changes in the statement at hand, and its
    /// condition is true behind that.
    fn written(&mut self, search: &Search, here: u64) -> Option<(u64, String, String)> {
        let now: Vec<Vec<u32>> = search.data.iter().map(|watched| words(&self.travel, watched)).collect();
        let texts: Vec<String> = search.data.iter().map(|watched| self.shown(watched)).collect();
        let mut holds: Vec<bool> = Vec::with_capacity(now.len());
        for watched in &search.data {
            holds.push(if search.back {
                self.is_true_behind(watched)
            } else {
                self.is_true(watched.condition.as_deref())
            });
        }
        // Forwards the write lies behind; backwards it lies ahead, perhaps after calls of functions.
        let arrival = if search.back { self.travel.step_over() } else { self.travel.back_into() };
        let mut found = None;
        if arrival != Arrival::Endless {
            for (place, watched) in search.data.iter().enumerate().filter(|(place, _)| holds[*place]) {
                if words(&self.travel, watched) != now[place] {
                    let (here, other) = (texts[place].clone(), self.shown(watched));
                    let (old, new) = if search.back { (here, other) } else { (other, here) };
                    found = Some((watched.id, old, new));
                    break;
                }
            }
        }
        self.travel.go_to(here);
        found
    }

    fn shown(&self, watched: &Watched) -> String {
        let value = Value::of_registers(self.travel.wave(), watched.ty, watched.home, self.travel.lane().lane);
        value.text(&self.bench.lowered().types)
    }
}

/// The statements at which anything may stop.
fn sites(bench: &Bench, search: &Search) -> Vec<SiteId> {
    let stop = |moment: &Moment| moment::glsl::stop(bench.shader(), moment);
    let moments = search.exceptions.iter().filter_map(|(_, moment)| Some(stop(moment)?.site));
    search.lines.iter().map(|armed| armed.site).chain(moments).collect()
}

/// Whether a breakpoint is reached: not by a loop that begins another iteration, for that is no beginning of it.
fn holds<const W: usize>(
    travel: &Travel<W, World>,
    evaluator: &mut Evaluator,
    armed: &Armed,
    counted: &BTreeMap<u64, Vec<u64>>,
) -> bool {
    let Some(moment) = travel.moment() else { return false };
    let again = matches!(moment.path.last(), Some(Way::Iteration(inner, _)) if *inner == armed.site);
    if moment.site != armed.site || again {
        return false;
    }
    if let Some(hits) = armed.hits {
        let times = counted.get(&armed.id).map_or(&[][..], Vec::as_slice);
        return times.binary_search(&travel.time()).is_ok_and(|place| hits.counts(place as u64 + 1));
    }
    truth(travel, evaluator, armed.condition.as_deref())
}

/// Returns whether a condition is true. One without a value counts as true, so that its author sees the problem.
fn truth<const W: usize>(travel: &Travel<W, World>, evaluator: &mut Evaluator, condition: Option<&str>) -> bool {
    let Some(text) = condition else { return true };
    evaluator.evaluate(travel, text).ok().and_then(|answer| answer.truth(travel.lane().lane)).unwrap_or(true)
}

fn exception<const W: usize>(travel: &Travel<W, World>, search: &Search) -> Option<usize> {
    let moment = travel.moment()?;
    search.exceptions.iter().find(|(_, wanted)| wanted.path == moment.path && wanted.site == moment.site).map(|e| e.0)
}

fn words<const W: usize>(travel: &Travel<W, World>, watched: &Watched) -> Vec<u32> {
    let (wave, lane) = (travel.wave(), travel.lane().lane);
    watched.home.iter().map(|register| wave.register(register)[lane]).collect()
}

/// A log message with its values.
fn message<const W: usize>(travel: &Travel<W, World>, evaluator: &mut Evaluator, pieces: &[Piece]) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Value(text) => match super::came(travel, evaluator, None, text) {
                Ok(came) => out.push_str(&came.text),
                Err(error) => out.push_str(&format!("{{{text}: {error}}}")),
            },
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        let check = |text: &str, hit: u64, expected: bool| {
            assert_eq!(Hits::parse(text).map(|hits| hits.counts(hit)), Some(expected), "{text} {hit}");
        };
        check("5", 5, true);
        check("== 5", 4, false);
        check(">5", 5, false);
        check(">= 5", 5, true);
        check("% 3", 6, true);
        check("<=2", 3, false);
        assert_eq!(Hits::parse("often"), None);
        assert_eq!(Hits::parse("% 0"), None);
    }

    #[test]
    fn messages_are_taken_apart() {
        let text = |text: &str| Piece::Text(text.to_owned());
        assert_eq!(Piece::parse("a {b.x} c"), [text("a "), Piece::Value("b.x".to_owned()), text(" c")]);
        assert_eq!(Piece::parse("a { b"), [text("a { b")]);
    }
}
