//! A cache of variants.

use std::collections::HashMap;
use std::sync::Arc;

use shader::version::{Stage, Version};

use crate::device::{CompilerWorkarounds, Transport};
use crate::question::{Question, Scope, Subject};
use crate::variant::{Refusal, Variant};

/// What a variant depends on, apart from the device.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    /// The source itself: a collision of digests would give wrong answers.
    text: String,
    stage: Stage,
    version: Version,
    question: Question,
    pub scope: Scope,
    pub transport: Transport,
    pub style: CompilerWorkarounds,
}

impl Key {
    pub fn new(
        subject: Subject<'_>,
        question: &Question,
        scope: Scope,
        (transport, style): (Transport, CompilerWorkarounds),
    ) -> Key {
        let shader = subject.shader;
        let (text, version) = (shader.sources.text().to_owned(), shader.preprocessed.version);
        Key { text, stage: shader.stage, version, question: question.clone(), scope, transport, style }
    }
}

/// The result of an attempt.
#[derive(Clone, Debug)]
pub(super) enum Attempt {
    /// It can be run.
    Variant(Arc<Variant>),
    /// It could not be made.
    Refused(Refusal),
    /// The driver rejected it: its log, and the source.
    Rejected(String, String),
}

/// Statistics of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheStatistics {
    /// The number of requested variants that were cached.
    pub hits: u64,
    /// The number of requested variants that had to be made.
    pub misses: u64,
    /// The number of variants that were evicted.
    pub evicted: u64,
    /// The number of cached variants.
    pub entries: usize,
}

/// A cache with a maximum number of variants, evicting the least recently used.
#[derive(Debug)]
pub(super) struct Cache {
    capacity: usize,
    entries: HashMap<Key, (Attempt, u64)>,
    /// Counts requests.
    clock: u64,
    statistics: CacheStatistics,
}

impl Cache {
    pub fn new(capacity: usize) -> Cache {
        Cache { capacity: capacity.max(1), entries: HashMap::new(), clock: 0, statistics: CacheStatistics::default() }
    }

    pub fn get(&mut self, key: &Key) -> Option<Attempt> {
        self.clock += 1;
        let found = self.entries.get_mut(key).map(|(known, used)| {
            *used = self.clock;
            known.clone()
        });
        match found {
            Some(_) => self.statistics.hits += 1,
            None => self.statistics.misses += 1,
        }
        found
    }

    pub fn put(&mut self, key: Key, known: Attempt) {
        if self.entries.len() >= self.capacity && !self.entries.contains_key(&key) {
            // A linear search costs less than making a variant.
            let oldest = self.entries.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                self.entries.remove(&oldest);
                self.statistics.evicted += 1;
            }
        }
        self.entries.insert(key, (known, self.clock));
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }

    pub fn statistics(&self) -> CacheStatistics {
        CacheStatistics { entries: self.entries.len(), ..self.statistics }
    }
}
