//! Answers questions: chooses transports and variants, and runs them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::cache::{Attempt, Cache, CacheStatistics, Key};
use super::gather::{Gathered, Limits, gather};
use super::{Ask, InspectContext, InspectError, InspectResult};
use crate::device::{CompilerWorkarounds, Device, Transport};
use crate::question::{Question, Scope, Subject};
use crate::variant::{Refusal, Variant};

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
        if self.device.as_ref() != Some(context.device()) {
            self.cache.clear();
            self.device = Some(context.device().clone());
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
        while let Some((transport, style)) = tries.pop_front() {
            let key = Key::new(subject, question, ask.scope, (transport, style));
            let (known, cached) = match self.cache.get(&key) {
                Some(known) => (known, true),
                None => (self.make(context, subject, &key, question), false),
            };
            let variant = match known {
                Attempt::Variant(variant) => variant,
                Attempt::Refused(refusal @ Refusal::Impossible(_)) => {
                    // A driver's log is more informative than a transport that was not tried.
                    if rejected.is_empty() {
                        failure = InspectError::Refused(refusal);
                    }
                    continue;
                }
                Attempt::Refused(refusal) => return Err(InspectError::Refused(refusal)),
                Attempt::Rejected(log, source_text) => {
                    rejected.push((transport, log.clone()));
                    failure = InspectError::Rejected { log, source_text };
                    tries.extend(style.next(plain, transport).map(|style| (transport, style)));
                    continue;
                }
            };
            match gather(context, (&variant, stage), (ask.scope, ask.pick), self.limits) {
                Ok(Gathered { streams, runs, missed, sum }) => {
                    let read = streams.iter().map(|(who, words)| Ok((*who, variant.layout.decode(words)?)));
                    let readings = read.collect::<Result<Vec<_>, InspectError>>()?;
                    return Ok(InspectResult { transport, readings, missed, sum, runs, cached, rejected });
                }
                Err(InspectError::Rejected { log, source_text }) => {
                    self.cache.put(key, Attempt::Rejected(log.clone(), source_text.clone()));
                    rejected.push((transport, log.clone()));
                    failure = InspectError::Rejected { log, source_text };
                    tries.extend(style.next(plain, transport).map(|style| (transport, style)));
                }
                Err(other) => return Err(other),
            }
        }
        Err(failure)
    }

    fn make(&mut self, context: &dyn InspectContext, subject: Subject<'_>, key: &Key, question: &Question) -> Attempt {
        let device = Device { style: key.style, ..context.device().clone() };
        let known = match (self.weaver)(subject, question, key.scope, &device, key.transport) {
            Ok(variant) => Attempt::Variant(Arc::new(variant)),
            Err(refusal) => Attempt::Refused(refusal),
        };
        self.cache.put(key.clone(), known.clone());
        known
    }
}
