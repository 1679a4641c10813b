//! Distributes work among threads.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// Options for work that may hang.
pub struct Watch<'a> {
    /// Number of threads.
    pub threads: usize,
    /// Timeout for one item.
    pub timeout: Duration,
    /// The name of the engine, for the message.
    pub worker: &'a str,
    /// Whether to print progress every ten seconds.
    pub progress: bool,
}

/// Returns the number of cores.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs a function for each item on several threads, each with its own state; results are in the order of the items.
///
/// # Errors
/// The first error of the function. No further items are started after it.
pub fn each<T: Sync, S, R: Send>(
    items: &[T],
    threads: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> anyhow::Result<R> + Sync,
) -> anyhow::Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let run = || -> anyhow::Result<Vec<(usize, R)>> {
        let mut state = state();
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return Ok(done) };
            let result = work(&mut state, item).inspect_err(|_| next.store(items.len(), Ordering::Relaxed))?;
            done.push((index, result));
        }
    };
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1).min(items.len())).map(|_| scope.spawn(run)).collect();
        let mut results = Vec::with_capacity(items.len());
        for thread in threads {
            results.extend(thread.join().unwrap_or_else(|_| bail!("a thread of the pool panicked"))?);
        }
        anyhow::Ok(results)
    })?;
    results.sort_unstable_by_key(|(index, _)| *index);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// Like [`each`], for our own code, which may panic or hang. The function catches and reports panics; their usual
/// message is not printed, because it would appear between the lines. A thread that hangs cannot be stopped, so the
/// whole task then ends with a message.
pub fn each_watched<T: Sync, R: Send>(
    items: &[T],
    watch: &Watch<'_>,
    name: impl Fn(&T) -> &str + Sync,
    work: impl Fn(&T) -> R + Sync,
) -> anyhow::Result<Vec<R>> {
    let places: Vec<usize> = (0..items.len()).collect();
    let running = Running::default();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let results = std::thread::scope(|scope| {
        scope.spawn(|| running.watch(watch, items.len(), |index| name(&items[index])));
        let results = each(
            &places,
            watch.threads,
            || (),
            |(), &index| {
                running.begin(index)?;
                let result = work(&items[index]);
                running.end(index)?;
                Ok(result)
            },
        );
        running.over.store(true, Ordering::Relaxed);
        results
    });
    std::panic::set_hook(hook);
    results
}

/// The progress of a watched pool.
#[derive(Default)]
struct Running {
    /// Items in progress, with their start times.
    now: Mutex<BTreeMap<usize, Instant>>,
    begun: AtomicUsize,
    over: AtomicBool,
}

impl Running {
    fn begin(&self, index: usize) -> anyhow::Result<()> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.now.lock().ok().context("another thread failed")?.insert(index, Instant::now());
        Ok(())
    }

    fn end(&self, index: usize) -> anyhow::Result<()> {
        self.now.lock().ok().context("another thread failed")?.remove(&index);
        Ok(())
    }

    fn watch<'a>(&self, watch: &Watch<'_>, total: usize, name: impl Fn(usize) -> &'a str) {
        let mut told = Instant::now();
        while !self.over.load(Ordering::Relaxed) {
            let is_hung = |begin: &Instant| begin.elapsed() > watch.timeout;
            let hung = self.now.lock().ok().and_then(|now| Some(*now.iter().find(|(_, begin)| is_hung(begin))?.0));
            if let Some(index) = hung {
                eprintln!("xtask: {} timed out on {}", watch.worker, name(index));
                std::process::exit(1);
            }
            if watch.progress && told.elapsed() > Duration::from_secs(10) {
                told = Instant::now();
                println!("  {} of {total}", self.begun.load(Ordering::Relaxed));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() -> anyhow::Result<()> {
        let items: Vec<usize> = (0..1000).collect();
        for threads in [0, 1, 3] {
            let doubled = each(&items, threads, || (), |(), item| Ok(item * 2))?;
            assert!(doubled.iter().copied().eq((0..1000).map(|item| item * 2)));
        }
        assert!(each(&items[..0], 2, || (), |(), item| Ok(*item))?.is_empty());
        Ok(())
    }

    #[test]
    fn every_thread_has_its_own_state() -> anyhow::Result<()> {
        let states = AtomicUsize::new(0);
        let state = || {
            states.fetch_add(1, Ordering::Relaxed);
            0_usize
        };
        let counts = each(&[(); 100], 1, state, |count, ()| {
            *count += 1;
            Ok(*count)
        })?;
        assert!(counts.into_iter().eq(1..=100));
        each(&[(); 100], 2, state, |_, ()| Ok(()))?;
        assert_eq!(states.load(Ordering::Relaxed), 3);
        Ok(())
    }

    #[test]
    fn an_error_ends_the_work() {
        let items: Vec<usize> = (0..100).collect();
        let begun = AtomicUsize::new(0);
        let failed = each(
            &items,
            1,
            || (),
            |(), item| {
                begun.fetch_add(1, Ordering::Relaxed);
                if *item == 7 { bail!("seven") } else { Ok(()) }
            },
        );
        assert_eq!(failed.map_err(|error| error.to_string()), Err("seven".to_owned()));
        assert_eq!(begun.into_inner(), 8, "no item is started after the error");
    }

    #[test]
    fn watched_work_is_done() -> anyhow::Result<()> {
        let watch = Watch { threads: 2, timeout: Duration::from_secs(60), worker: "the test", progress: false };
        let items = ["a", "bc", ""];
        assert_eq!(each_watched(&items, &watch, |item| item, |item| item.len())?, [1, 2, 0]);
        Ok(())
    }
}
