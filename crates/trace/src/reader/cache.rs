//! What was read lately, up to a number of bytes.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps what was used last.
pub struct Cache<K, V: ?Sized> {
    limit: usize,
    inner: Mutex<Inner<K, V>>,
}

struct Inner<K, V: ?Sized> {
    kept: HashMap<K, Kept<V>>,
    bytes: usize,
    clock: u64,
}

struct Kept<V: ?Sized> {
    value: Arc<V>,
    size: usize,
    used: u64,
}

impl<K: Copy + Eq + Hash, V: ?Sized> Cache<K, V> {
    pub fn new(limit: usize) -> Self {
        Cache { limit, inner: Mutex::new(Inner { kept: HashMap::new(), bytes: 0, clock: 0 }) }
    }

    pub fn get(&self, key: K) -> Option<Arc<V>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clock += 1;
        let clock = inner.clock;
        let kept = inner.kept.get_mut(&key)?;
        kept.used = clock;
        Some(Arc::clone(&kept.value))
    }

    /// Keeps a value, unless it is larger than everything that may be kept together.
    pub fn put(&self, key: K, value: Arc<V>, size: usize) {
        if size > self.limit {
            return;
        }
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clock += 1;
        let kept = Kept { value, size, used: inner.clock };
        inner.bytes += size;
        if let Some(old) = inner.kept.insert(key, kept) {
            inner.bytes -= old.size;
        }
        while inner.bytes > self.limit {
            let oldest = inner.kept.iter().min_by_key(|(_, kept)| kept.used).map(|(key, _)| *key);
            let Some(old) = oldest.and_then(|oldest| inner.kept.remove(&oldest)) else { break };
            inner.bytes -= old.size;
        }
    }
}
