//! A least-recently-used cache with a size limit in bytes.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps the most recently used values.
pub struct Cache<K, V: ?Sized> {
    limit: usize,
    inner: Mutex<Inner<K, V>>,
}

struct Inner<K, V: ?Sized> {
    entries: HashMap<K, Entry<V>>,
    bytes: usize,
    clock: u64,
}

struct Entry<V: ?Sized> {
    value: Arc<V>,
    size: usize,
    used: u64,
}

impl<K: Copy + Eq + Hash, V: ?Sized> Cache<K, V> {
    pub fn new(limit: usize) -> Self {
        Cache { limit, inner: Mutex::new(Inner { entries: HashMap::new(), bytes: 0, clock: 0 }) }
    }

    pub fn get(&self, key: K) -> Option<Arc<V>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clock += 1;
        let clock = inner.clock;
        let entries = inner.entries.get_mut(&key)?;
        entries.used = clock;
        Some(Arc::clone(&entries.value))
    }

    /// Adds a value, unless it alone exceeds the limit.
    pub fn put(&self, key: K, value: Arc<V>, size: usize) {
        if size > self.limit {
            return;
        }
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clock += 1;
        let entries = Entry { value, size, used: inner.clock };
        inner.bytes += size;
        if let Some(old) = inner.entries.insert(key, entries) {
            inner.bytes -= old.size;
        }
        while inner.bytes > self.limit {
            let oldest = inner.entries.iter().min_by_key(|(_, entries)| entries.used).map(|(key, _)| *key);
            let Some(old) = oldest.and_then(|oldest| inner.entries.remove(&oldest)) else { break };
            inner.bytes -= old.size;
        }
    }
}
