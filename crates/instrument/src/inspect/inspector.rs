//! Asking: which way, with which variant, how often.

use std::collections::VecDeque;
use std::sync::Arc;

use super::cache::{Cache, CacheStatistics, Key, Known};
use super::gather::{Gathered, Limits, gather};
use super::{Ask, InspectContext, InspectError, InspectResult};
use crate::device::{Device, Style, Transport};
use crate::question::{Question, Scope, Subject};
use crate::variant::{Refusal, Variant};

/// Makes variants: `instrument::weave`, or something that stands for it.
pub type Weaver = fn(Subject<'_>, &Question, Scope, &Device, Transport) -> Result<Variant, Refusal>;

/// Asks devices questions and remembers the variants it made for them.
pub struct Inspector {
    weaver: Weaver,
    cache: Cache,
    /// Whom the variants are for.
    device: Option<Device>,
    limits: Limits,
}

/// How many variants are remembered if nobody says otherwise: those of many questions about a few shaders.
const CAPACITY: usize = 256;

impl Default for Inspector {
    fn default() -> Inspector {
        Inspector::new(crate::weave, CAPACITY)
    }
}

impl Inspector {
    /// With room for so many variants, made by this weaver.
    #[must_use]
    pub fn new(weaver: Weaver, capacity: usize) -> Inspector {
        Inspector { weaver, cache: Cache::new(capacity), device: None, limits: Limits::default() }
    }

    /// What answers may cost from now on.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// How often variants were known from before.
    #[must_use]
    pub fn statistics(&self) -> CacheStatistics {
        self.cache.statistics()
    }

    /// Asks a question about a shader: by the way the question names, or by the best that the device, the shader and
    /// the driver go along with.
    ///
    /// # Errors
    /// When the question is wrong, when no way is left - with what the driver said to the last - or when what comes
    /// back makes no sense.
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
        let none = Refusal::Impossible(format!("the device offers no way out of a {name} shader"));
        let (mut failure, mut rejected) = (InspectError::Refused(none), Vec::new());
        // What the device is known not to take is not tried; the rest only where the driver rejected the plain text.
        let plain = context.device().style;
        let mut tries: VecDeque<(Transport, Style)> = ways.into_iter().map(|way| (way, plain)).collect();
        while let Some((transport, style)) = tries.pop_front() {
            let key = Key::new(subject, question, ask.scope, (transport, style));
            let (known, cached) = match self.cache.get(&key) {
                Some(known) => (known, true),
                None => (self.make(context, subject, &key, question), false),
            };
            let variant = match known {
                Known::Variant(variant) => variant,
                Known::Refused(refusal @ Refusal::Impossible(_)) => {
                    // What a driver said is worth more than what was not tried.
                    if rejected.is_empty() {
                        failure = InspectError::Refused(refusal);
                    }
                    continue;
                }
                Known::Refused(refusal) => return Err(InspectError::Refused(refusal)),
                Known::Rejected(log, source_text) => {
                    rejected.push((transport, log.clone()));
                    failure = InspectError::Rejected { log, source_text };
                    tries.extend(style.next(plain, transport).map(|style| (transport, style)));
                    continue;
                }
            };
            match gather(context, (&variant, stage), (ask.scope, ask.pick), self.limits) {
                Ok(Gathered { streams, runs, missed }) => {
                    let read = streams.iter().map(|(who, words)| Ok((*who, variant.layout.decode(words)?)));
                    let readings = read.collect::<Result<Vec<_>, InspectError>>()?;
                    return Ok(InspectResult { transport, readings, missed, runs, cached, rejected });
                }
                Err(InspectError::Rejected { log, source_text }) => {
                    self.cache.put(key, Known::Rejected(log.clone(), source_text.clone()));
                    rejected.push((transport, log.clone()));
                    failure = InspectError::Rejected { log, source_text };
                    tries.extend(style.next(plain, transport).map(|style| (transport, style)));
                }
                Err(other) => return Err(other),
            }
        }
        Err(failure)
    }

    fn make(&mut self, context: &dyn InspectContext, subject: Subject<'_>, key: &Key, question: &Question) -> Known {
        let device = Device { style: key.style, ..context.device().clone() };
        let known = match (self.weaver)(subject, question, key.scope, &device, key.transport) {
            Ok(variant) => Known::Variant(Arc::new(variant)),
            Err(refusal) => Known::Refused(refusal),
        };
        self.cache.put(key.clone(), known.clone());
        known
    }
}
