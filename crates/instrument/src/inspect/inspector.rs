//! Answers questions: chooses transports and variants, and runs them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::cache::{Attempt, Cache, CacheStatistics, Key};
use super::gather::{Gathered, Limits, gather};
use super::{Ask, Identity, InspectContext, InspectError, InspectResult};
use crate::device::{CompilerWorkarounds, Device, Transport};
use crate::question::{Question, Scope, Subject};
use crate::variant::{Records, Refusal, Variant};
use crate::weave::{PART, Plan, SMALL_PART, planned, weave_planned};

/// Makes variants: `instrument::weave`, or a replacement for tests.
pub type Weaver = fn(Subject<'_>, &Question, Scope, &Device, Transport) -> Result<Variant, Refusal>;

/// Asks devices questions and caches the variants it makes for them.
pub struct Inspector {
    weaver: Weaver,
    cache: Cache,
    /// The device that the variants are for.
    device: Option<Device>,
    limits: Limits,
}

/// A recording that was made in part: what is needed to go on with it.
#[derive(Clone)]
pub struct Unfinished {
    way: (Transport, CompilerWorkarounds),
    rejected: Vec<(Transport, String)>,
    /// How many of its parts are there, of how many.
    done: [usize; 2],
    answers: Vec<(Identity, Records)>,
    runs: u32,
}

impl Unfinished {
    /// How many parts are there, of how many.
    #[must_use]
    pub fn parts(&self) -> [usize; 2] {
        self.done
    }
}

/// The default capacity of the cache: enough for many questions about a few shaders.
const CAPACITY: usize = 256;

impl Default for Inspector {
    fn default() -> Inspector {
        Inspector::new(crate::weave, CAPACITY)
    }
}

impl Inspector {
    /// Creates an inspector with this weaver and cache capacity.
    #[must_use]
    pub fn new(weaver: Weaver, capacity: usize) -> Inspector {
        Inspector { weaver, cache: Cache::new(capacity), device: None, limits: Limits::default() }
    }

    /// Sets the limits for answers.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Sets the limit for the answers of many invocations, and returns what it was.
    pub fn limit_every(&mut self, words: u64) -> u64 {
        std::mem::replace(&mut self.limits.every, words)
    }

    /// Statistics of the cache.
    #[must_use]
    pub fn statistics(&self) -> CacheStatistics {
        self.cache.statistics()
    }

    /// Asks a question about a shader: with the given transport, or with the best one that the device, the shader and
    /// the driver support.
    ///
    /// # Errors
    /// When the question is invalid, when no transport works - with the driver's log of the last one - or when the
    /// result is malformed.
    pub fn ask(
        &mut self,
        context: &mut dyn InspectContext,
        subject: Subject<'_>,
        question: &Question,
        ask: &Ask,
    ) -> Result<InspectResult, InspectError> {
        Ok(self.ask_some(context, subject, question, ask, (None, usize::MAX))?.0)
    }

    /// The same, but at most `most` further parts of a recording that is made in parts: the records are those from its
    /// beginning up to there. Returns what is needed to go on, unless all parts are there.
    ///
    /// # Errors
    /// As for [`Inspector::ask`].
    pub fn ask_some(
        &mut self,
        context: &mut dyn InspectContext,
        subject: Subject<'_>,
        question: &Question,
        ask: &Ask,
        (begun, most): (Option<Unfinished>, usize),
    ) -> Result<(InspectResult, Option<Unfinished>), InspectError> {
        if self.device.as_ref() != Some(context.device()) {
            self.cache.clear();
            self.device = Some(context.device().clone());
        }
        if let Some(begun) = begun {
            return self.attempt(context, subject, question, ask, begun, most);
        }
        let stage = subject.shader.stage;
        let ways = match ask.transport {
            Some(way) => vec![way],
            None => context.device().transports(stage, ask.scope),
        };
        let name = stage.name();
        let none = Refusal::Impossible(format!("the device has no transport for answers of a {name} shader"));
        let (mut failure, mut rejected) = (InspectError::Refused(none), Vec::new());
        // Known workarounds are always applied; the others only if the driver rejects the plain variant.
        let plain = context.device().style;
        let mut tries: VecDeque<(Transport, CompilerWorkarounds)> = ways.into_iter().map(|way| (way, plain)).collect();
        while let Some(way) = tries.pop_front() {
            let begun = Unfinished { way, rejected: rejected.clone(), done: [0, 1], answers: Vec::new(), runs: 0 };
            let (transport, style) = way;
            match self.attempt(context, subject, question, ask, begun, most) {
                Ok(result) => return Ok(result),
                // A driver's log is more informative than a transport that was not tried.
                Err(InspectError::Refused(Refusal::Impossible(_))) if !rejected.is_empty() => {}
                Err(error @ InspectError::Refused(Refusal::Impossible(_))) => failure = error,
                Err(InspectError::Rejected { log, source_text }) => {
                    rejected.push((transport, log.clone()));
                    failure = InspectError::Rejected { log, source_text };
                    match style.next(plain, transport) {
                        // Other transports have the same calls.
                        Some(next) if next.inlined && !style.inlined => tries.push_front((transport, next)),
                        next => tries.extend(next.map(|style| (transport, style))),
                    }
                }
                Err(other) => return Err(other),
            }
        }
        Err(failure)
    }

    /// Asks with one transport.
    fn attempt(
        &mut self,
        context: &mut dyn InspectContext,
        subject: Subject<'_>,
        question: &Question,
        ask: &Ask,
        mut begun: Unfinished,
        most: usize,
    ) -> Result<(InspectResult, Option<Unfinished>), InspectError> {
        let (transport, style) = begun.way;
        let device = Device { style, ..context.device().clone() };
        let part = self.limits.part.unwrap_or(if style.small_parts { SMALL_PART } else { PART });
        let planned = planned((subject, question), ask.scope, &device, transport, part);
        let (plan, parts) = planned.as_ref().map(|(plan, parts)| (plan, parts.as_slice())).unzip();
        let parts = parts.unwrap_or(std::slice::from_ref(question));
        let mut last: Option<(Arc<Variant>, InspectResult)> = None;
        for question in parts.iter().skip(begun.done[0]).take(most.max(1)) {
            let key = Key::new(subject, question, ask.scope, (transport, style));
            let (known, cached) = match self.cache.get(&key) {
                Some(known) => (known, true),
                None => (self.make((subject, question), &key, &device, plan), false),
            };
            let variant = match known {
                Attempt::Variant(variant) => variant,
                Attempt::Refused(refusal) => return Err(InspectError::Refused(refusal)),
                Attempt::Rejected(log, source_text) => return Err(InspectError::Rejected { log, source_text }),
            };
            let stage = subject.shader.stage;
            let Gathered { streams, runs, missed, sum } =
                gather(context, (&variant, stage), (ask.scope, ask.pick), self.limits).inspect_err(|error| {
                    if let InspectError::Rejected { log, source_text } = error {
                        self.cache.put(key, Attempt::Rejected(log.clone(), source_text.clone()));
                    }
                })?;
            let read = streams.iter().map(|(who, words)| Ok((*who, variant.layout.records(words)?)));
            let read = read.collect::<Result<Vec<_>, InspectError>>()?;
            if begun.done[0] == 0 {
                begun.answers = read;
            } else {
                append(&mut begun.answers, read)?;
            }
            begun.done = [begun.done[0] + 1, parts.len()];
            begun.runs += runs;
            let cached = cached && last.as_ref().is_none_or(|(_, last)| last.cached);
            let (readings, rejected, runs) = (Vec::new(), begun.rejected.clone(), begun.runs);
            last = Some((variant, InspectResult { transport, readings, missed, sum, runs, cached, rejected }));
        }
        let (variant, mut result) = last.ok_or_else(|| InspectError::Failed("nothing was asked".to_owned()))?;
        let next = parts.get(begun.done[0]);
        let answers = match next {
            // Several parts may have the records of one loop; until all are there, there is none.
            Some(Question::Part { slots: [end, _], .. }) => {
                begun.answers.iter().map(|(who, records)| (*who, records.before(*end))).collect()
            }
            _ => std::mem::take(&mut begun.answers),
        };
        let unfinished = next.is_some();
        result.readings = answers.into_iter().map(|(who, records)| (who, variant.layout.reading(records))).collect();
        Ok((result, unfinished.then_some(begun)))
    }

    /// Weaves the variant for a question, or for a part of a recording with this plan.
    fn make(
        &mut self,
        (subject, question): (Subject<'_>, &Question),
        key: &Key,
        device: &Device,
        plan: Option<&Arc<Plan>>,
    ) -> Attempt {
        let woven = match plan {
            None => (self.weaver)(subject, question, key.scope, device, key.transport),
            Some(plan) => weave_planned((subject, question), key.scope, device, key.transport, Arc::clone(plan)),
        };
        let known = match woven {
            Ok(variant) => Attempt::Variant(Arc::new(variant)),
            Err(refusal) => Attempt::Refused(refusal),
        };
        self.cache.put(key.clone(), known.clone());
        known
    }
}

/// Adds the records of the next part to those of the same invocation. Several fragments of a pixel may have the same identity;
/// then their order counts.
fn append(answers: &mut [(Identity, Records)], next: Vec<(Identity, Records)>) -> Result<(), InspectError> {
    let differ =
        || InspectError::Garbled("two parts of a recording have answers from different invocations".to_owned());
    if answers.len() != next.len() {
        return Err(differ());
    }
    let mut next: Vec<Option<(Identity, Records)>> = next.into_iter().map(Some).collect();
    for (who, records) in answers {
        let same = next.iter_mut().find(|one| one.as_ref().is_some_and(|(other, _)| other == who));
        let (_, more) = same.and_then(Option::take).ok_or_else(differ)?;
        records.append(more)?;
    }
    Ok(())
}
