//! Variants that were made before.

use std::collections::HashMap;
use std::sync::Arc;

use shader::version::{Stage, Version};

use crate::device::{Style, Transport};
use crate::question::{Question, Scope, Subject};
use crate::variant::{Refusal, Variant};

/// What a variant depends on, beside the device.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    /// The text itself: two texts with the same digest would give wrong answers.
    text: String,
    stage: Stage,
    version: Version,
    question: Question,
    pub scope: Scope,
    pub transport: Transport,
    pub style: Style,
}

impl Key {
    pub fn new(subject: Subject<'_>, question: &Question, scope: Scope, (transport, style): (Transport, Style)) -> Key {
        let shader = subject.shader;
        let (text, version) = (shader.sources.text().to_owned(), shader.preprocessed.version);
        Key { text, stage: shader.stage, version, question: question.clone(), scope, transport, style }
    }
}

/// What became of an attempt.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// It can be run.
    Variant(Arc<Variant>),
    /// It cannot be made.
    Refused(Refusal),
    /// The driver does not take it: what it said, and the text.
    Rejected(String, String),
}

/// How a cache fared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheStatistics {
    /// Variants asked for that were there.
    pub hits: u64,
    /// Variants asked for that had to be made.
    pub misses: u64,
    /// Variants given up to make room.
    pub evicted: u64,
    /// Variants there now.
    pub entries: usize,
}

/// So many variants, those that were not asked for the longest given up first.
#[derive(Debug)]
pub(super) struct Cache {
    capacity: usize,
    entries: HashMap<Key, (Known, u64)>,
    /// Counts what is asked for.
    clock: u64,
    statistics: CacheStatistics,
}

impl Cache {
    pub fn new(capacity: usize) -> Cache {
        Cache { capacity: capacity.max(1), entries: HashMap::new(), clock: 0, statistics: CacheStatistics::default() }
    }

    pub fn get(&mut self, key: &Key) -> Option<Known> {
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

    pub fn put(&mut self, key: Key, known: Known) {
        if self.entries.len() >= self.capacity && !self.entries.contains_key(&key) {
            // Looking at all of them costs less than what made one.
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
