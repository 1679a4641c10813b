//! Finds the bytes behind the arguments of a call.

use std::ffi::c_char;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use api::extent::{Extent, extent, size_of};
use api::{Access, COMMANDS, Command, CommandId, Count, Meaning, Role, Scalar, id};

use super::surroundings::CallSurroundings;
use crate::call::{Call, Payloads};
use crate::thread::Thread;

/// No pointer of the program is below this; such a value is an offset.
const LOWEST: u64 = 4096;

/// From this size on, memory is checked for readability before it is copied: GL may reject a call with a large image,
/// and then does not follow its pointer.
const DOUBTFUL: usize = 64 << 10;

/// More attributes than any list has.
const MAX_ATTRIBUTES: usize = 1024;

/// Bit masks of the parameters whose memory is recorded, on entry and on return.
#[derive(Clone, Copy)]
struct Masks {
    inputs: u32,
    outputs: u32,
}

static MASKS: [Masks; COMMANDS.len()] = masks();

const fn masks() -> [Masks; COMMANDS.len()] {
    let mut all = [Masks { inputs: 0, outputs: 0 }; COMMANDS.len()];
    let mut at = 0;
    while at < all.len() {
        let params = COMMANDS[at].params;
        let mut index = 0;
        while index < params.len() {
            if let Some(memory) = params[index].memory
                && !matches!(memory.count, Count::Kept)
            {
                if !matches!(memory.access, Access::Write) {
                    all[at].inputs |= 1 << index;
                }
                if !matches!(memory.access, Access::Read) {
                    all[at].outputs |= 1 << index;
                }
            }
            index += 1;
        }
        at += 1;
    }
    all
}

/// Returns whether a command has memory that is recorded on entry.
#[inline]
pub fn has_inputs(command: CommandId) -> bool {
    MASKS.get(usize::from(command.0)).is_some_and(|masks| masks.inputs != 0)
}

/// Returns whether a command has memory that is recorded on return.
#[inline]
pub fn has_outputs(command: CommandId) -> bool {
    MASKS.get(usize::from(command.0)).is_some_and(|masks| masks.outputs != 0)
}

/// Iterates over the indices of the set bits.
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (index < 32).then_some(index as usize)
    })
}

/// Adds the memory that a call reads.
pub fn inputs(call: &mut Call<'_>, payloads: &mut Payloads) {
    let Some(masks) = MASKS.get(usize::from(call.command.0)) else { return };
    let command = api::command(call.command);
    // Pointers to indices are illegal in a core profile. Some drivers follow them, others do not.
    let doubtful = command.role == Role::Draw && call.context.as_ref().is_some_and(|context| context.memory.is_core());
    for index in bits(masks.inputs) {
        let extent = measure(call, index);
        let Some(&address) = call.args.get(index) else { continue };
        if address < LOWEST {
            continue;
        }
        let param = index as u8;
        match extent {
            Extent::Nothing | Extent::Kept => {}
            Extent::Bytes(size) if doubtful && !is_readable(address, size) => {}
            Extent::Bytes(size) | Extent::TextOf(size) => push(payloads, param, address, size),
            Extent::Text => push(payloads, param, address, text_length(address)),
            Extent::Texts { count, lengths } => texts(call.thread, param, address, count, lengths),
            Extent::Arrays { count, counts, element } => arrays(call.thread, param, address, count, counts, element),
            Extent::Until { terminator, element } => {
                let singles = matches!(call.command, id::glXChooseVisual);
                push(payloads, param, address, list_size(address, terminator, element, singles));
            }
            Extent::Unknown => unknown(call.thread, call.command.0, command, index),
        }
    }
}

/// Returns how much memory a parameter points to. Queries to the driver for this do not affect the program's errors.
fn measure(call: &mut Call<'_>, param: usize) -> Extent {
    let around = CallSurroundings::new(call.thread, call.context.as_ref().map(|context| &context.memory));
    let extent = extent(call.command, param, call.args, &around);
    let errors = around.errors.into_inner();
    if let Some(context) = call.context.as_deref_mut() {
        context.errors.extend(errors);
    }
    extent
}

/// Adds the memory that a call has written.
pub fn outputs(call: &mut Call<'_>, payloads: &mut Payloads) {
    let Some(masks) = MASKS.get(usize::from(call.command.0)) else { return };
    let command = api::command(call.command);
    for index in bits(masks.outputs) {
        let extent = measure(call, index);
        let Some(&address) = call.args.get(index) else { continue };
        if address < LOWEST {
            continue;
        }
        let size = match extent {
            Extent::Bytes(size) | Extent::TextOf(size) => written(call, command, index, size),
            Extent::Text => text_length(address),
            Extent::Unknown => {
                unknown(call.thread, call.command.0, command, index);
                continue;
            }
            Extent::Nothing | Extent::Kept | Extent::Texts { .. } | Extent::Arrays { .. } | Extent::Until { .. } => {
                continue;
            }
        };
        push(payloads, index as u8, address, size);
    }
}

/// Returns the 32-bit integer at an address, or 0 for an invalid address.
pub fn int(address: u64) -> i32 {
    if address < LOWEST {
        return 0;
    }
    // SAFETY: addresses come from arguments that the command itself follows.
    unsafe { (address as *const i32).read_unaligned() }
}

/// Returns whether memory is readable, by asking the kernel to populate it, which fails for unmapped ranges.
pub fn is_readable(address: u64, size: usize) -> bool {
    const MADV_POPULATE_READ: libc::c_int = 22;
    let start = address & !(PAGE - 1);
    let Some(end) = address.checked_add(size as u64) else { return false };
    // SAFETY: this advice changes no contents; ranges that are not mapped are an error.
    let result = unsafe { libc::madvise(start as *mut libc::c_void, (end - start) as usize, MADV_POPULATE_READ) };
    if result == 0 {
        return true;
    }
    // The kernel does not support the advice, or not for this memory: it may belong to a device, or be protected.
    std::io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL)
        && (start..end).step_by(PAGE as usize).all(is_readable_page)
}

const PAGE: u64 = 4096;

/// Returns whether a page is readable: the kernel copies the new signal mask from there, then rejects the operation.
fn is_readable_page(address: u64) -> bool {
    const NO_OPERATION: libc::c_int = -1;
    const MASK_SIZE: usize = 8;
    let no_result = std::ptr::null_mut::<u64>();
    // SAFETY: the kernel reads at most a mask from the address, and reports an error if it cannot.
    let result = unsafe { libc::syscall(libc::SYS_rt_sigprocmask, NO_OPERATION, address, no_result, MASK_SIZE) };
    result == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
}

fn push(payloads: &mut Payloads, param: u8, address: u64, size: usize) {
    if size == 0 || size >= DOUBTFUL && !is_readable(address, size) {
        return;
    }
    // SAFETY: the specification makes GL read this much, and for long payloads the kernel has confirmed that it is
    // readable.
    unsafe { payloads.push(param, address as *const u8, size) };
}

fn text_length(address: u64) -> usize {
    // SAFETY: the specification makes GL search for the terminating NUL.
    unsafe { libc::strlen(address as *const c_char) }
}

/// Returns how much of an output the call has actually written, according to its other results.
fn written(call: &Call<'_>, command: &Command, index: usize, size: usize) -> usize {
    let Some(memory) = command.params.get(index).and_then(|param| param.memory) else { return size };
    if memory.count == Count::Fixed(1) {
        return size;
    }
    let is_text = memory.element.meaning == Meaning::Character;
    let element = size_of(memory.element.scalar).max(1);
    let counted = command.params.iter().zip(call.args.iter()).find_map(|(param, address)| {
        let other = param.memory?;
        let counts = matches!(param.name, "length" | "count" | "num_config" | "nelements" | "numAttachedShaders")
            || param.name.starts_with("num_");
        let one = other.access == Access::Write && other.count == Count::Fixed(1);
        (counts && one && other.element.scalar == Scalar::I32 && *address >= LOWEST).then(|| int(*address))
    });
    match counted {
        Some(count) => size.min(usize::try_from(count).unwrap_or(0).saturating_mul(element)),
        None if is_text => {
            let Some(&address) = call.args.get(index) else { return 0 };
            // SAFETY: the caller gave the driver this much room for the string.
            unsafe { libc::strnlen(address as *const c_char, size) }
        }
        None => match call.command {
            // These return the number of their results.
            id::glGetDebugMessageLog
            | id::glGetDebugMessageLogARB
            | id::glGetDebugMessageLogKHR
            | id::glGetDebugMessageLogAMD => size.min(call.result as u32 as usize * element),
            _ => size,
        },
    }
}

/// Returns the size in bytes of an attribute list, including its `terminator`. Attributes have values, except for a few
/// boolean ones in the lists of `glXChooseVisual` (`singles`) (GLX 1.4, table 3.7).
fn list_size(address: u64, terminator: i64, element: usize, singles: bool) -> usize {
    let value = |index: usize| {
        let place = address.wrapping_add((index * element) as u64);
        if element == 8 {
            // SAFETY: the list continues until its terminator.
            unsafe { (place as *const i64).read_unaligned() }
        } else {
            i64::from(int(place))
        }
    };
    let mut index = 0;
    while index < MAX_ATTRIBUTES {
        let attribute = value(index);
        if attribute == terminator {
            return (index + 1) * element;
        }
        index += if singles && matches!(attribute, 1 | 4 | 5 | 6) { 1 } else { 2 };
    }
    0
}

/// Writes an array of strings as one payload: for each its length and its bytes.
fn texts(thread: &mut Thread, param: u8, address: u64, count: usize, lengths: u64) {
    let one = |index: usize| {
        let text = pointer(address, index);
        let length = if lengths < LOWEST { -1 } else { int(lengths.wrapping_add(4 * index as u64)) };
        match usize::try_from(length) {
            _ if text < LOWEST => (text, 0),
            Ok(length) => (text, length),
            Err(_) => (text, text_length(text)),
        }
    };
    stream(thread, param, count, one);
}

/// Writes an array of arrays as one payload: for each its size in bytes and its bytes.
fn arrays(thread: &mut Thread, param: u8, address: u64, count: usize, counts: u64, element: usize) {
    let one = |index: usize| {
        let array = pointer(address, index);
        let elements = usize::try_from(int(counts.wrapping_add(4 * index as u64))).unwrap_or(0);
        (array, if array < LOWEST { 0 } else { elements.saturating_mul(element) })
    };
    stream(thread, param, count, one);
}

fn stream(thread: &mut Thread, param: u8, count: usize, one: impl Fn(usize) -> (u64, usize)) {
    let size = (0..count).map(|index| 4 + one(index).1).sum();
    let mut stream = thread.stream(param, size);
    for index in 0..count {
        let (address, length) = one(index);
        if !stream.write(&(length as u32).to_le_bytes()) {
            return;
        }
        if length > 0 {
            // SAFETY: the command reads this much behind the pointer.
            let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, length) };
            if !stream.write(bytes) {
                return;
            }
        }
    }
}

/// Returns the pointer at an index of an array of pointers.
fn pointer(address: u64, index: usize) -> u64 {
    let place = (address as *const usize).wrapping_add(index);
    // SAFETY: the command reads an array of at least this many pointers.
    unsafe { place.read_unaligned() as u64 }
}

/// Reports that the size of the memory behind a parameter is not known.
#[cold]
fn unknown(thread: &mut Thread, number: u16, command: &Command, index: usize) {
    let name = command.params.get(index).map_or("?", |param| param.name);
    report_once(thread, CommandId(number), || {
        format!(
            "{} is recorded without the memory behind its parameter \"{name}\", because its size is not known",
            command.name
        )
    });
}

/// Reports a problem with a command, at most once per command.
#[cold]
pub fn report_once(thread: &mut Thread, command: CommandId, text: impl FnOnce() -> String) {
    static REPORTED: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];
    let bit = 1 << (command.0 % 64);
    let Some(word) = REPORTED.get(usize::from(command.0 / 64)) else { return };
    if word.fetch_or(bit, Relaxed) & bit == 0 {
        thread.problem(&text());
    }
}

#[cfg(test)]
mod tests {
    use super::{PAGE, is_readable, is_readable_page};

    #[test]
    fn protected_and_unmapped_pages_are_not_readable() {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let page = PAGE as usize;
        // SAFETY: a new mapping at an address chosen by the kernel overlaps nothing.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), 4 * page, libc::PROT_READ, flags, -1, 0) };
        let address = memory as u64;
        assert!(is_readable(address + 5, 3 * page) && is_readable_page(address));
        // SAFETY: the second page is inside the mapping made above.
        let second = unsafe { memory.byte_add(page) };
        // SAFETY: as above.
        unsafe { libc::mprotect(second, page, libc::PROT_NONE) };
        assert!(!is_readable_page(address + PAGE));
        assert!(is_readable(address, page) && !is_readable(address, page + 1) && is_readable(address + 2 * PAGE, page));
        // SAFETY: as above.
        unsafe { libc::munmap(second, page) };
        assert!(!is_readable(address, page + 1) && !is_readable_page(address + PAGE));
    }
}
