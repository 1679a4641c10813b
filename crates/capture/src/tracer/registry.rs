//! Which tracers there are, and which calls are between their prologue and their epilogue.
//!
//! Tracers live in slots that are never freed. A call *pins* a slot before it looks whether the tracer in it is enabled,
//! and lets go after the epilogue; whoever destroys a tracer first marks it and then waits for the pins to go. Either the
//! call sees the mark, or the destroyer sees the pin.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize};
use std::time::Duration;

use super::{ACTIVE, TracedCall};

/// As many tracers as there can be.
pub(super) const MOST: usize = 16;

pub(super) type Prologue = unsafe extern "C" fn(*mut TracedCall, *mut c_void) -> i32;
pub(super) type Epilogue = unsafe extern "C" fn(*mut TracedCall, *mut c_void);

struct Slot {
    /// The number of the tracer in it, shifted, and [`ENABLED`]; 0 when it is free.
    state: AtomicU64,
    /// Calls that hold it.
    pins: AtomicUsize,
    prologue: AtomicPtr<c_void>,
    epilogue: AtomicPtr<c_void>,
    data: AtomicPtr<c_void>,
}

const ENABLED: u64 = 1;

static SLOTS: [Slot; MOST] = [const {
    Slot {
        state: AtomicU64::new(0),
        pins: AtomicUsize::new(0),
        prologue: AtomicPtr::new(std::ptr::null_mut()),
        epilogue: AtomicPtr::new(std::ptr::null_mut()),
        data: AtomicPtr::new(std::ptr::null_mut()),
    }
}; MOST];

/// How many slots have ever been used; calls need not look at others.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Tracers are made and destroyed one at a time.
static CHANGES: Mutex<u64> = Mutex::new(0);

thread_local! {
    /// For each slot, how often the calling thread holds it.
    static OWN_PINS: Cell<[u8; MOST]> = const { Cell::new([0; MOST]) };
}

/// A tracer that a call holds on to.
pub(super) struct Pinned(usize);

impl Pinned {
    /// Calls the prologue; whether it blocks the call.
    pub(super) fn prologue(&self, call: &mut TracedCall) -> bool {
        let slot = &SLOTS[self.0];
        let function = slot.prologue.load(Acquire);
        if function.is_null() {
            return false;
        }
        // SAFETY: what is in this place was a function of this type when the tracer was made.
        let function = unsafe { std::mem::transmute::<*mut c_void, Prologue>(function) };
        // SAFETY: the tracer is not destroyed while it is pinned, and the call is as the header describes it.
        unsafe { function(call, slot.data.load(Acquire)) == 1 }
    }

    /// Calls the epilogue.
    pub(super) fn epilogue(&self, call: &mut TracedCall) {
        let slot = &SLOTS[self.0];
        let function = slot.epilogue.load(Acquire);
        if function.is_null() {
            return;
        }
        // SAFETY: what is in this place was a function of this type when the tracer was made.
        let function = unsafe { std::mem::transmute::<*mut c_void, Epilogue>(function) };
        // SAFETY: the tracer is not destroyed while it is pinned, and the call is as the header describes it.
        unsafe { function(call, slot.data.load(Acquire)) };
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        count_own(self.0, u8::wrapping_sub);
        SLOTS[self.0].pins.fetch_sub(1, SeqCst);
    }
}

/// Pins one enabled tracer after the other, in the order in which they were made.
pub(super) fn enabled() -> impl Iterator<Item = Pinned> {
    (0..USED.load(Acquire).min(MOST)).filter_map(|index| {
        let slot = &SLOTS[index];
        if slot.state.load(Relaxed) & ENABLED == 0 {
            return None;
        }
        slot.pins.fetch_add(1, SeqCst);
        count_own(index, u8::wrapping_add);
        let pinned = Pinned(index);
        // Looked at again now that it cannot go away unseen.
        (slot.state.load(SeqCst) & ENABLED != 0).then_some(pinned)
    })
}

/// Makes a tracer. Nothing when there is no room.
pub(super) fn create(prologue: *mut c_void, epilogue: *mut c_void, data: *mut c_void) -> Option<u64> {
    let mut last = CHANGES.lock().ok()?;
    // Only behind those in use, so that tracers stay in the order in which they were made.
    let behind = SLOTS.iter().rposition(|slot| slot.state.load(Acquire) != 0).map_or(0, |index| index + 1);
    let slot = SLOTS.get(behind)?;
    *last += 1;
    slot.prologue.store(prologue, Relaxed);
    slot.epilogue.store(epilogue, Relaxed);
    slot.data.store(data, Relaxed);
    slot.state.store(*last << 1, SeqCst);
    USED.fetch_max(behind + 1, AcqRel);
    Some(handle(behind, *last))
}

/// Enables or disables a tracer.
pub(super) fn set_enabled(handle: u64, enabled: bool) -> Result<(), i32> {
    let _turn = CHANGES.lock().map_err(|_| libc::EINVAL)?;
    let (_, slot) = find(handle)?;
    let before = slot.state.load(Acquire);
    match (before & ENABLED != 0, enabled) {
        (false, true) => {
            slot.state.store(before | ENABLED, SeqCst);
            ACTIVE.fetch_add(1, AcqRel);
        }
        (true, false) => {
            slot.state.store(before & !ENABLED, SeqCst);
            ACTIVE.fetch_sub(1, AcqRel);
        }
        _ => {}
    }
    Ok(())
}

/// Disables a tracer, waits for the calls that hold it, and forgets it.
pub(super) fn destroy(handle: u64) -> Result<(), i32> {
    let (index, slot) = find(handle)?;
    if OWN_PINS.get()[index] != 0 {
        return Err(libc::EDEADLK);
    }
    set_enabled(handle, false)?;
    while slot.pins.load(SeqCst) != 0 {
        std::thread::sleep(Duration::from_micros(50));
    }
    let _turn = CHANGES.lock().map_err(|_| libc::EINVAL)?;
    // Somebody else may have destroyed it meanwhile, or enabled it again.
    let (_, slot) = find(handle)?;
    if slot.state.load(Acquire) & ENABLED != 0 {
        return Err(libc::EBUSY);
    }
    slot.state.store(0, SeqCst);
    Ok(())
}

fn handle(index: usize, number: u64) -> u64 {
    number << 8 | index as u64
}

fn find(handle: u64) -> Result<(usize, &'static Slot), i32> {
    let index = (handle & 0xff) as usize;
    let slot = SLOTS.get(index).ok_or(libc::EINVAL)?;
    let number = slot.state.load(Acquire) >> 1;
    if number == 0 || number != handle >> 8 { Err(libc::EINVAL) } else { Ok((index, slot)) }
}

fn count_own(index: usize, change: fn(u8, u8) -> u8) {
    let mut pins = OWN_PINS.get();
    pins[index] = change(pins[index], 1);
    OWN_PINS.set(pins);
}
