//! One call being applied: what a handler sees and may do.

use std::borrow::Cow;

use api::constant as c;

use crate::call::Call;
use crate::context::{Context, Facts};
use crate::fault::Fault;
use crate::model::{Seat, Surface};
use crate::notes::{Notes, Source, Thing};
use crate::objects::format::Format;
use crate::records::ImageWrite;
use crate::share::ShareGroup;
use imbl::OrdMap;

/// What a handler answers: nothing, or why GL refuses the call.
pub type Done = Result<(), Fault>;

/// One call being applied to the context that is current.
pub struct Step<'s> {
    /// The call.
    pub call: &'s Call<'s>,
    /// The context.
    pub context: &'s mut Context,
    /// What it shares with others.
    pub group: &'s mut ShareGroup,
    /// What is current beside it.
    pub seat: Seat,
    /// All surfaces.
    pub surfaces: &'s OrdMap<u32, Surface>,
    /// Whoever wants to know what is touched.
    pub notes: Option<&'s mut (dyn Notes + 's)>,
}

impl Step<'_> {
    /// What the context is.
    #[inline]
    pub fn facts(&self) -> &Facts {
        &self.context.facts
    }

    /// An argument as it was recorded; 0 when there is none of that index.
    #[inline]
    pub fn word(&self, index: usize) -> u64 {
        self.call.args.get(index).copied().unwrap_or(0)
    }

    /// An argument that is an enum, a name or another unsigned number of 32 bits.
    #[inline]
    pub fn name(&self, index: usize) -> u32 {
        self.word(index) as u32
    }

    /// An argument that is a signed number of 32 bits.
    #[inline]
    pub fn int(&self, index: usize) -> i32 {
        self.word(index) as u32 as i32
    }

    /// An argument that is a float.
    #[inline]
    pub fn float(&self, index: usize) -> f32 {
        f32::from_bits(self.word(index) as u32)
    }

    /// An argument with 16 bits behind the point.
    #[inline]
    pub fn fixed(&self, index: usize) -> f32 {
        fixed(self.name(index))
    }

    /// An argument that is a double.
    #[inline]
    pub fn double(&self, index: usize) -> f64 {
        f64::from_bits(self.word(index))
    }

    /// An argument that is true or false; anything but 0 is true.
    #[inline]
    pub fn truth(&self, index: usize) -> bool {
        self.word(index) & 0xFF != 0
    }

    /// The bytes that a parameter points to.
    pub fn input(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        self.call.memory.input_bytes(param)
    }

    /// The unsigned numbers of 32 bits that a parameter points to.
    pub fn input_names(&self, param: u8) -> Vec<u32> {
        self.input(param).map(|bytes| words(&bytes).collect()).unwrap_or_default()
    }

    /// The unsigned numbers of 32 bits that the call has written where a parameter points to.
    pub fn output_names(&self, param: u8) -> Vec<u32> {
        self.call.memory.output_bytes(param).map(|bytes| words(&bytes).collect()).unwrap_or_default()
    }

    /// The floats that a parameter points to.
    pub fn input_floats(&self, param: u8) -> Vec<f32> {
        self.input(param).map(|bytes| words(&bytes).map(f32::from_bits).collect()).unwrap_or_default()
    }

    /// Says that the call depends on what a thing holds.
    #[inline]
    pub fn reads(&mut self, thing: Thing) {
        if let Some(notes) = &mut self.notes {
            notes.reads(thing);
        }
    }

    /// Says that the call changes what a thing holds.
    #[inline]
    pub fn writes(&mut self, thing: Thing, source: Source) {
        if let Some(notes) = &mut self.notes {
            notes.writes(thing, source);
        }
    }

    /// Says that the call changes texels of an image.
    #[inline]
    pub fn writes_image(&mut self, image: Thing, source: Source, write: ImageWrite) {
        if let Some(notes) = &mut self.notes {
            notes.writes(image, source);
            notes.image_written(image, write);
        }
    }

    /// Says that the call makes an image, or gives it storage anew.
    #[inline]
    pub fn makes_image(&mut self, image: Thing, size: [i32; 2], format: Option<&Format>) {
        if let Some(notes) = &mut self.notes {
            let combined = format.is_some_and(|format| format.has_depth() && format.has_stencil());
            notes.image_made(image, size.map(|size| size.max(0).cast_unsigned()), combined);
        }
    }
}

/// A number with 16 bits behind the point.
#[inline]
pub fn fixed(word: u32) -> f32 {
    word as i32 as f32 / 65536.0
}

/// Refuses a value that is none of a list.
#[inline]
pub fn one_of(value: u32, list: &[u32], why: &'static str) -> Result<u32, Fault> {
    if list.contains(&value) { Ok(value) } else { Err(Fault::invalid_enum(why)) }
}

/// Refuses a negative number.
#[inline]
pub fn not_negative(value: i32, why: &'static str) -> Result<i32, Fault> {
    if value < 0 { Err(Fault { error: c::GL_INVALID_VALUE, why }) } else { Ok(value) }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()))
}
