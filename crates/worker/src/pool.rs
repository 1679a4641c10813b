//! A pool of workers for one trace on one device, shared by any number of users.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use device::{Ask, Control, Device, DeviceError, Reply};

use crate::process::{Worker, WorkerOptions};

/// Workers of one pool at most. Each holds everything that the trace's contexts hold at some command.
const MOST: usize = 4;

/// How long to wait for a worker to finish a question that was abandoned before it is replaced. Most questions take
/// less, and a worker that was replaced has to replay the trace from its start.
const GRACE: Duration = Duration::from_millis(500);

/// How often a user that waits for a worker looks whether it is interrupted.
const INTERVAL: Duration = Duration::from_millis(20);

/// Workers that have one trace open on one device. They belong to no thread.
pub struct Pool {
    options: WorkerOptions,
    workers: Mutex<Workers>,
    /// A worker came back.
    returned: Condvar,
    started: AtomicU32,
    questions: AtomicU64,
}

#[derive(Default)]
struct Workers {
    idle: Vec<Worker>,
    /// How many are idle or out with a question.
    count: usize,
}

impl Pool {
    /// Makes a pool. No worker is started before there is a question. What the kernel lacks to confine workers is said on
    /// stderr, once in a process.
    #[must_use]
    pub fn new(options: WorkerOptions) -> Arc<Pool> {
        if options.sandbox {
            say_what_is_missing();
        }
        Arc::new(Pool {
            options,
            workers: Mutex::default(),
            returned: Condvar::new(),
            started: AtomicU32::new(0),
            questions: AtomicU64::new(0),
        })
    }

    /// Returns a device that borrows a worker for each question.
    #[must_use]
    pub fn device(self: &Arc<Pool>) -> PooledDevice {
        PooledDevice { pool: Arc::clone(self) }
    }

    /// Returns the number of workers started so far.
    #[must_use]
    pub fn started(&self) -> u32 {
        self.started.load(Ordering::Relaxed)
    }

    /// Returns the number of questions so far.
    #[must_use]
    pub fn questions(&self) -> u64 {
        self.questions.load(Ordering::Relaxed)
    }

    /// Takes a worker for a question: the idle one whose last question was about the nearest command, or a new one.
    fn take(&self, ask: &Ask, control: &Control) -> Result<Worker, DeviceError> {
        let mut workers = self.lock();
        loop {
            if control.is_interrupted() {
                return Err(DeviceError::Interrupted);
            }
            let wanted = ask.command().unwrap_or(0);
            let distance =
                |worker: &Worker| (worker.is_owing, worker.last_command.map_or(u64::MAX, |last| last.abs_diff(wanted)));
            let nearest = (0..workers.idle.len()).min_by_key(|at| distance(&workers.idle[*at]));
            if let Some(at) = nearest {
                let mut worker = workers.idle.swap_remove(at);
                drop(workers);
                if worker.settle(GRACE) {
                    return Ok(worker);
                }
                drop(worker);
                return self.start();
            }
            if workers.count < MOST {
                workers.count += 1;
                drop(workers);
                return self.start();
            }
            let waited = self.returned.wait_timeout(workers, INTERVAL);
            workers = waited.map_or_else(|error| error.into_inner().0, |(workers, _)| workers);
        }
    }

    /// Starts a worker that has been counted.
    fn start(&self) -> Result<Worker, DeviceError> {
        self.started.fetch_add(1, Ordering::Relaxed);
        Worker::start(&self.options).inspect_err(|_| self.lock().count -= 1)
    }

    /// Takes a worker back; `None` if it was lost.
    fn give_back(&self, worker: Option<Worker>) {
        let mut workers = self.lock();
        match worker {
            Some(worker) => workers.idle.push(worker),
            None => workers.count -= 1,
        }
        drop(workers);
        self.returned.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Workers> {
        // The list is whole after every step, so a panic elsewhere does not spoil it.
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn say_what_is_missing() {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        for part in driver::missing_parts() {
            // stderr may be closed.
            let _ = writeln!(io::stderr(), "afterimage: {}", part.consequence());
        }
    });
}

/// A device that borrows a worker of a pool for each question.
#[derive(Clone)]
pub struct PooledDevice {
    pool: Arc<Pool>,
}

impl PooledDevice {
    /// Returns the pool.
    #[must_use]
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }
}

impl Device for PooledDevice {
    fn ask(&mut self, ask: &Ask, control: &Control) -> Result<Reply, DeviceError> {
        let mut worker = self.pool.take(ask, control)?;
        self.pool.questions.fetch_add(1, Ordering::Relaxed);
        let reply = worker.ask(ask, control);
        let is_alive = matches!(reply, Ok(_) | Err(DeviceError::Refused(_) | DeviceError::Interrupted));
        self.pool.give_back(is_alive.then_some(worker));
        reply
    }
}
