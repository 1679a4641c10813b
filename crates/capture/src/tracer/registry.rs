//! The registered tracers, and the calls between their prologue and epilogue.
//!
//! Tracers live in slots that are never freed. A call *pins* a slot before it checks whether the tracer in it is
//! enabled, and unpins it after the epilogue. Destroying a tracer first marks it and then waits for the pins to go.
//! Either the call sees the mark, or the destroying thread sees the pin.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize};
use std::time::Duration;

use super::{ACTIVE, TracedCall};

/// Maximum number of tracers.
pub(super) const MAX_TRACERS: usize = 16;

pub(super) type Prologue = unsafe extern "C" fn(*mut TracedCall, *mut c_void) -> i32;
pub(super) type Epilogue = unsafe extern "C" fn(*mut TracedCall, *mut c_void);

struct Slot {
    /// The number of its tracer, shifted, and [`ENABLED`]; 0 when it is free.
    state: AtomicU64,
    /// The number of calls that pin it.
    pins: AtomicUsize,
    prologue: AtomicPtr<c_void>,
    epilogue: AtomicPtr<c_void>,
    data: AtomicPtr<c_void>,
}

const ENABLED: u64 = 1;

static SLOTS: [Slot; MAX_TRACERS] = [const {
    Slot {
        state: AtomicU64::new(0),
        pins: AtomicUsize::new(0),
        prologue: AtomicPtr::new(std::ptr::null_mut()),
        epilogue: AtomicPtr::new(std::ptr::null_mut()),
        data: AtomicPtr::new(std::ptr::null_mut()),
    }
}; MAX_TRACERS];

/// The number of slots ever used; calls need not check others.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Serialises the creation and destruction of tracers.
static CHANGES: Mutex<u64> = Mutex::new(0);

thread_local! {
    /// For each slot, how often the calling thread pins it.
    static OWN_PINS: Cell<[u8; MAX_TRACERS]> = const { Cell::new([0; MAX_TRACERS]) };
}

/// A tracer pinned by a call.
pub(super) struct Pinned(usize);

impl Pinned {
    /// Calls the prologue; returns whether it blocks the call.
    pub(super) fn prologue(&self, call: &mut TracedCall) -> bool {
        let slot = &SLOTS[self.0];
        let function = slot.prologue.load(Acquire);
        if function.is_null() {
            return false;
        }
        // SAFETY: the field held a function of this type when the tracer was created.
        let function = unsafe { std::mem::transmute::<*mut c_void, Prologue>(function) };
        // SAFETY: a pinned tracer is not destroyed, and the call is as the header specifies.
        unsafe { function(call, slot.data.load(Acquire)) == 1 }
    }

    /// Calls the epilogue.
    pub(super) fn epilogue(&self, call: &mut TracedCall) {
        let slot = &SLOTS[self.0];
        let function = slot.epilogue.load(Acquire);
        if function.is_null() {
            return;
        }
        // SAFETY: the field held a function of this type when the tracer was created.
        let function = unsafe { std::mem::transmute::<*mut c_void, Epilogue>(function) };
        // SAFETY: a pinned tracer is not destroyed, and the call is as the header specifies.
        unsafe { function(call, slot.data.load(Acquire)) };
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        count_own(self.0, u8::wrapping_sub);
        SLOTS[self.0].pins.fetch_sub(1, SeqCst);
    }
}

/// Pins the enabled tracers one after the other, in the order of their creation.
pub(super) fn enabled() -> impl Iterator<Item = Pinned> {
    (0..USED.load(Acquire).min(MAX_TRACERS)).filter_map(|index| {
        let slot = &SLOTS[index];
        if slot.state.load(Relaxed) & ENABLED == 0 {
            return None;
        }
        slot.pins.fetch_add(1, SeqCst);
        count_own(index, u8::wrapping_add);
        let pinned = Pinned(index);
        // Checked again now that it is pinned.
        (slot.state.load(SeqCst) & ENABLED != 0).then_some(pinned)
    })
}

/// Creates a tracer. `None` when there is no free slot.
pub(super) fn create(prologue: *mut c_void, epilogue: *mut c_void, data: *mut c_void) -> Option<u64> {
    let mut last = CHANGES.lock().ok()?;
    // Only after those in use, so that tracers stay in the order of their creation.
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

/// Disables a tracer, waits for the calls that pin it, and removes it.
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
    // Another thread may have destroyed or enabled it meanwhile.
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
