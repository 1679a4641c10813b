//! One call being applied: what a handler can access.

use std::borrow::Cow;

use api::constant as c;

use crate::call::Call;
use crate::context::{Context, Facts};
use crate::fault::Fault;
use crate::model::{Seat, Surface};
use crate::objects::format::Format;
use crate::observer::{CallObserver, ContentsRef, Source};
use crate::records::ImageWrite;
use crate::share::ShareGroup;
use crate::work::{EVENT, IMAGE_WRITE, NAME, Work};
use imbl::OrdMap;

/// The result of a handler: nothing, or why GL rejects the call.
pub type Done = Result<(), Fault>;

/// One call being applied to the current context.
pub struct Step<'s> {
    /// The call.
    pub call: &'s Call<'s>,
    /// The context.
    pub context: &'s mut Context,
    /// Its share group.
    pub group: &'s mut ShareGroup,
    /// What else is current in the thread.
    pub seat: Seat,
    /// All surfaces.
    pub surfaces: &'s OrdMap<u32, Surface>,
    /// Receives what is read and written, if anything is interested.
    pub observer: Option<&'s mut (dyn CallObserver + 's)>,
    /// What the calls so far have cost.
    pub work: &'s mut Work,
    /// How many display lists the call is in.
    pub list_depth: u32,
}

impl Step<'_> {
    /// Returns the properties of the context.
    #[inline]
    pub fn facts(&self) -> &Facts {
        &self.context.facts
    }

    /// Returns an argument as recorded; 0 when there is none of that index.
    #[inline]
    pub fn word(&self, index: usize) -> u64 {
        self.call.args.get(index).copied().unwrap_or(0)
    }

    /// Returns an argument that is an enum, a name or another 32-bit unsigned number.
    #[inline]
    pub fn name(&self, index: usize) -> u32 {
        self.word(index) as u32
    }

    /// Returns an argument that is a 32-bit signed number.
    #[inline]
    pub fn int(&self, index: usize) -> i32 {
        self.word(index) as u32 as i32
    }

    /// Returns a float argument.
    #[inline]
    pub fn float(&self, index: usize) -> f32 {
        f32::from_bits(self.word(index) as u32)
    }

    /// Returns a 16.16 fixed-point argument.
    #[inline]
    pub fn fixed(&self, index: usize) -> f32 {
        fixed(self.name(index))
    }

    /// Returns a double argument.
    #[inline]
    pub fn double(&self, index: usize) -> f64 {
        f64::from_bits(self.word(index))
    }

    /// Returns a boolean argument; anything but 0 is true.
    #[inline]
    pub fn truth(&self, index: usize) -> bool {
        self.word(index) & 0xFF != 0
    }

    /// Returns the bytes that a parameter points to.
    pub fn input(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        self.call.memory.input_bytes(param)
    }

    /// Returns the 32-bit unsigned numbers that a parameter points to.
    pub fn input_names(&self, param: u8) -> Vec<u32> {
        self.input(param).map(|bytes| words(&bytes).collect()).unwrap_or_default()
    }

    /// Returns the names of objects to delete that a parameter points to; none when that would be too much work.
    pub fn names_to_delete(&mut self, param: u8) -> Vec<u32> {
        let bytes = self.call.memory.input_bytes(param);
        self.names(bytes)
    }

    /// Returns the names of new objects that the call has written behind a parameter; none when that would be too much
    /// work.
    pub fn output_names(&mut self, param: u8) -> Vec<u32> {
        let bytes = self.call.memory.output_bytes(param);
        self.names(bytes)
    }

    fn names(&mut self, bytes: Option<Cow<'_, [u8]>>) -> Vec<u32> {
        let bytes = bytes.unwrap_or_default();
        if self.work.charge((bytes.len() / 4) as u64 * NAME) { words(&bytes).collect() } else { Vec::new() }
    }

    /// Returns the floats that a parameter points to.
    pub fn input_floats(&self, param: u8) -> Vec<f32> {
        self.input(param).map(|bytes| words(&bytes).map(f32::from_bits).collect()).unwrap_or_default()
    }

    /// Returns whether anything is interested in what is read and written, besides images.
    #[inline]
    pub fn wants_accesses(&self) -> bool {
        self.observer.as_ref().is_some_and(|observer| observer.wants_accesses())
    }

    /// Records that the call depends on the contents of a thing.
    #[inline]
    pub fn reads(&mut self, thing: ContentsRef) {
        if let Some(observer) = &mut self.observer
            && observer.wants_accesses()
            && self.work.charge(EVENT)
        {
            observer.reads(thing);
        }
    }

    /// Records that the call compares its fragments with depth or stencil values.
    pub fn tests(&mut self, thing: ContentsRef) {
        if let Some(observer) = &mut self.observer
            && observer.wants_accesses()
            && self.work.charge(EVENT)
        {
            observer.tests(thing);
        }
    }

    /// Records that the call changes the contents of a thing.
    #[inline]
    pub fn writes(&mut self, thing: ContentsRef, source: Source) {
        if let Some(observer) = &mut self.observer
            && observer.wants_accesses()
            && self.work.charge(EVENT)
        {
            observer.writes(thing, source);
        }
    }

    /// Records that the call writes texels of an image.
    #[inline]
    pub fn writes_image(&mut self, image: ContentsRef, source: Source, write: ImageWrite) {
        if let Some(observer) = &mut self.observer
            && self.work.charge(IMAGE_WRITE)
        {
            observer.writes(image, source);
            observer.image_written(image, write);
        }
    }

    /// Records that the call creates an image, or gives it new storage.
    #[inline]
    pub fn makes_image(&mut self, image: ContentsRef, size: [i32; 2], format: Option<&Format>) {
        if let Some(observer) = &mut self.observer
            && self.work.charge(EVENT)
        {
            let combined = format.is_some_and(|format| format.has_depth() && format.has_stencil());
            observer.image_made(image, size.map(|size| size.max(0).cast_unsigned()), combined);
        }
    }
}

/// Converts a 16.16 fixed-point number.
#[inline]
pub fn fixed(word: u32) -> f32 {
    word as i32 as f32 / 65536.0
}

/// Rejects a value that is not in a list.
#[inline]
pub fn one_of(value: u32, list: &[u32], why: &'static str) -> Result<u32, Fault> {
    if list.contains(&value) { Ok(value) } else { Err(Fault::invalid_enum(why)) }
}

/// Rejects a negative number.
#[inline]
pub fn not_negative(value: i32, why: &'static str) -> Result<i32, Fault> {
    if value < 0 { Err(Fault { error: c::GL_INVALID_VALUE, why }) } else { Ok(value) }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()))
}
