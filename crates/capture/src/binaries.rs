//! Hides the binary formats of programs and shaders, so that a program gives GL the text of its shaders.
//!
//! A program that keeps its shaders as the driver's binaries loads those in its second run, and its trace then has no
//! text to show, measure or step through. Unless the user asked to keep binaries, the program gets the answers of a
//! driver without binary formats, which GL allows (GL 4.6, 7.5): it finds that there is none, or its binary is refused as
//! one of an unknown format, and it compiles the text. SPIR-V is a format of shaders that we can pass on, and stays.
//!
//! What the driver raises is the driver's own: a query goes to the driver with memory of ours to write to, and only
//! where it has written there does the program get our answer. Commands are changed before they are written, so the
//! trace has what the driver got. Calls that a driver makes inside another call are not the program's, and are left alone.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use api::{CommandId, constant as c, id};

use crate::call::Call;
use crate::facts::ask;
use crate::thread::Thread;

/// Whether formats are hidden in this process.
static HIDDEN: AtomicBool = AtomicBool::new(false);

/// Hides formats from now on. Called once, before the first call is recorded.
pub fn hide() {
    HIDDEN.store(true, Relaxed);
}

/// Returns whether formats are hidden in this process.
pub fn are_hidden() -> bool {
    HIDDEN.load(Relaxed)
}

/// Returns whether this module handles a command.
pub fn interest(id: CommandId) -> bool {
    are_hidden() && (changed(id).is_some() || query(id).is_some())
}

/// A query that returns something about binaries.
#[derive(Clone, Copy)]
struct Query {
    /// The index of the parameter with the name of what is asked; the address to write to follows it.
    name: usize,
    /// The type of the numbers that it writes.
    number: Number,
}

#[derive(Clone, Copy)]
enum Number {
    Boolean,
    Integer,
    Long,
    Float,
    Double,
}

fn query(id: CommandId) -> Option<Query> {
    let (name, number) = match id {
        id::glGetBooleanv => (0, Number::Boolean),
        id::glGetIntegerv => (0, Number::Integer),
        id::glGetInteger64v | id::glGetInteger64vAPPLE | id::glGetInteger64vEXT => (0, Number::Long),
        id::glGetFloatv => (0, Number::Float),
        id::glGetDoublev => (0, Number::Double),
        id::glGetProgramiv | id::glGetObjectParameterivARB => (1, Number::Integer),
        id::glGetObjectParameterfvARB => (1, Number::Float),
        _ => return None,
    };
    Some(Query { name, number })
}

/// Returns what a command passes on: the index of the parameter that names a format or a size.
fn changed(id: CommandId) -> Option<usize> {
    match id {
        id::glProgramBinary | id::glProgramBinaryOES | id::glGetProgramBinary | id::glGetProgramBinaryOES => Some(1),
        id::glShaderBinary => Some(2),
        _ => None,
    }
}

/// Where a query writes to instead of the program's memory.
pub struct Redirected {
    /// The words of the query as the program gave them: the name and the address. 0 while no query is redirected.
    name: u64,
    address: u64,
    /// What the driver writes to; none of what it is asked has more than one number.
    room: [AtomicU64; 2],
}

impl Redirected {
    /// Returns what a thread has that is in no such query.
    pub const fn none() -> Redirected {
        Redirected { name: 0, address: 0, room: [const { AtomicU64::new(0) }; 2] }
    }
}

/// No driver writes this where the number of formats or the size of a binary belongs.
const UNTOUCHED: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// Runs before a call is written: what is passed on to the driver fails there, as for a driver without binary formats.
pub fn before(call: &mut Call<'_>) {
    let Some(word) = changed(call.command).and_then(|index| call.args.get_mut(index)) else { return };
    match call.command {
        id::glShaderBinary if *word as u32 == c::GL_SHADER_BINARY_FORMAT_SPIR_V => {}
        // No binary of a linked program is so small. A negative size is another error, which is the program's own.
        id::glGetProgramBinary | id::glGetProgramBinaryOES => *word = (*word).cast_signed().min(0).cast_unsigned(),
        // No driver has a format of this number.
        _ => *word = u64::from(c::GL_NONE),
    }
}

/// Runs when a call has been written: the driver answers a query about binaries elsewhere.
pub fn redirect(call: &mut Call<'_>) {
    let Some(Query { name, .. }) = query(call.command) else { return };
    let Some([name, address]) = call.args.get_mut(name..name + 2) else { return };
    let asked = match *name as u32 {
        // A list is as long as its count says, which the program has been told is less than the driver would write.
        c::GL_NUM_PROGRAM_BINARY_FORMATS | c::GL_PROGRAM_BINARY_FORMATS => c::GL_NUM_PROGRAM_BINARY_FORMATS,
        c::GL_NUM_SHADER_BINARY_FORMATS | c::GL_SHADER_BINARY_FORMATS => c::GL_NUM_SHADER_BINARY_FORMATS,
        c::GL_PROGRAM_BINARY_LENGTH => c::GL_PROGRAM_BINARY_LENGTH,
        _ => return,
    };
    if *address == 0 {
        return;
    }
    let redirected = &mut call.thread.redirected;
    (redirected.name, redirected.address) = (*name, *address);
    redirected.room.iter().for_each(|word| word.store(UNTOUCHED, Relaxed));
    (*name, *address) = (u64::from(asked), redirected.room.as_ptr() as u64);
}

/// Runs when the driver has returned, before the result is written: the program gets our answer if the driver gave one.
pub fn answer(call: &mut Call<'_>) {
    let Some(Query { name, number }) = query(call.command) else { return };
    let redirected = &mut call.thread.redirected;
    let Some([word, address]) = call.args.get_mut(name..name + 2) else { return };
    if redirected.name == 0 || *address != redirected.room.as_ptr() as u64 {
        return;
    }
    (*word, *address) = (std::mem::take(&mut redirected.name), redirected.address);
    let touched = redirected.room.iter().any(|word| word.load(Relaxed) != UNTOUCHED);
    if !touched {
        return;
    }
    let (asked, address) = (*word as u32, *address);
    let shown = match asked {
        c::GL_SHADER_BINARY_FORMATS | c::GL_NUM_SHADER_BINARY_FORMATS => shader_formats(call.thread),
        _ => Vec::new(),
    };
    match asked {
        c::GL_SHADER_BINARY_FORMATS => {
            for (index, format) in shown.into_iter().enumerate() {
                write(address, number, index, format);
            }
        }
        c::GL_PROGRAM_BINARY_FORMATS => {}
        _ => write(address, number, 0, shown.len() as i32),
    }
}

/// Returns the formats of shaders that the program is told about. The context must have the query.
fn shader_formats(thread: &Thread) -> Vec<i32> {
    let count = ask::integers(thread, c::GL_NUM_SHADER_BINARY_FORMATS, 0)[0];
    match usize::try_from(count) {
        // A list that does not fit is not asked for.
        Ok(count) if count <= ask::ROOM => {
            let mut formats = ask::integers(thread, c::GL_SHADER_BINARY_FORMATS, 0)[..count].to_vec();
            formats.retain(|format| is_shown(c::GL_SHADER_BINARY_FORMATS, i64::from(*format)));
            formats
        }
        _ => Vec::new(),
    }
}

/// Writes a number of a query where the program wants it.
fn write(address: u64, number: Number, index: usize, value: i32) {
    let size = match number {
        Number::Boolean => 1,
        Number::Integer | Number::Float => 4,
        Number::Long | Number::Double => 8,
    };
    let place = address + (index * size) as u64;
    match number {
        // SAFETY: the program gave the address for as many numbers as the query returns, and `index` is one of those.
        Number::Boolean => unsafe { (place as *mut u8).write_unaligned(u8::from(value != 0)) },
        // SAFETY: as above.
        Number::Integer => unsafe { (place as *mut i32).write_unaligned(value) },
        // SAFETY: as above.
        Number::Long => unsafe { (place as *mut i64).write_unaligned(i64::from(value)) },
        // SAFETY: as above.
        Number::Float => unsafe { (place as *mut f32).write_unaligned(value as f32) },
        // SAFETY: as above.
        Number::Double => unsafe { (place as *mut f64).write_unaligned(f64::from(value)) },
    }
}

/// Returns whether the program is told about a format in a list.
fn is_shown(list: u32, format: i64) -> bool {
    list == c::GL_SHADER_BINARY_FORMATS && format == i64::from(c::GL_SHADER_BINARY_FORMAT_SPIR_V)
}

/// Returns what the program is told where the driver has these formats in a list of this name.
pub fn shown(list: u32, mut formats: Vec<i64>) -> Vec<i64> {
    let about_binaries = matches!(list, c::GL_PROGRAM_BINARY_FORMATS | c::GL_SHADER_BINARY_FORMATS);
    if are_hidden() && about_binaries {
        formats.retain(|format| is_shown(list, *format));
    }
    formats
}

/// Returns the number of formats that the program is told about, where the driver returns this one for a name. Numbers of
/// anything else are as the driver returns them.
pub fn shown_number(thread: &Thread, name: u32, number: i32) -> i32 {
    match name {
        _ if number == 0 || !are_hidden() => number,
        c::GL_NUM_PROGRAM_BINARY_FORMATS => 0,
        c::GL_NUM_SHADER_BINARY_FORMATS => shader_formats(thread).len() as i32,
        _ => number,
    }
}
