//! A least-recently-used cache with a size limit in bytes.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that an entry takes besides its value.
const OVERHEAD: usize = 96;

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
        // Otherwise a trace with very many empty blobs would fill the memory.
        let size = size.saturating_add(OVERHEAD);
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
        if inner.bytes > self.limit {
            inner.evict(self.limit / 8 * 7);
        }
    }
}

impl<K: Copy + Eq + Hash, V: ?Sized> Inner<K, V> {
    /// Removes the least recently used entries until the others have at most `target` bytes. Removing one at a time would
    /// look at all entries for each.
    fn evict(&mut self, target: usize) {
        let mut by_age: Vec<(u64, K)> = self.entries.iter().map(|(key, entry)| (entry.used, *key)).collect();
        by_age.sort_unstable_by_key(|(used, _)| *used);
        // The entry that was just added stays.
        by_age.pop();
        for (_, key) in by_age {
            if self.bytes <= target {
                return;
            }
            if let Some(old) = self.entries.remove(&key) {
                self.bytes -= old.size;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_values_go() {
        let cache = Cache::<u32, [u8]>::new(10 * (1000 + OVERHEAD));
        let put = |key| cache.put(key, vec![0; 1000].into(), 1000);
        (0..10).for_each(put);
        assert!(cache.get(0).is_some());
        put(10);
        assert!(cache.get(0).is_some() && cache.get(10).is_some());
        assert!(cache.get(1).is_none());
    }

    #[test]
    fn values_without_bytes_take_memory_too() {
        let cache = Cache::<u32, [u8]>::new(1 << 20);
        (0..1 << 16).for_each(|key| cache.put(key, Vec::new().into(), 0));
        let inner = cache.inner.lock().unwrap();
        assert!(inner.entries.len() <= (1 << 20) / OVERHEAD, "{} entries", inner.entries.len());
    }
}
