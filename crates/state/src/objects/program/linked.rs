//! Linked programs.

use api::constant as c;
use api::reflection::kind::{Shape, sampler_target, shape};
use api::reflection::{Interface, Reflection};

use crate::objects::pipeline::STAGES;

/// The result of linking a program, as reported by the driver.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Linked {
    /// Whether it succeeded.
    pub status: bool,
    /// The driver's full description.
    pub reflection: Reflection,
    /// Uniforms outside of blocks that have a location.
    pub uniforms: Vec<Uniform>,
    /// The uniform at each location; see [`Linked::slot`].
    slots: Vec<Slot>,
    /// Number of words for the values of all uniforms.
    words: usize,
    /// Whether it has samplers of several targets, which must not use the same unit.
    pub mixes_samplers: bool,
    /// Whether any stage has subroutine uniforms.
    pub has_subroutines: bool,
    /// Which of [`STAGES`] it has; `None` when the trace does not record it.
    stages: Option<[bool; 6]>,
}

/// A uniform outside of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uniform {
    /// Its index in the interface `GL_UNIFORM`.
    pub index: u32,
    /// Its type, such as `GL_FLOAT_VEC4`.
    pub kind: u32,
    /// The structure of the type.
    pub shape: Shape,
    /// Whether it is an array.
    pub array: bool,
    /// The number of elements; 1 when it is not an array.
    pub size: u32,
    /// The location of its first element.
    pub location: i32,
    /// The offset of its first word among the values of the program.
    pub offset: u32,
    /// The number of words per element.
    pub stride: u32,
}

/// The uniform at a location, by its index in [`Linked::uniforms`], and the element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The uniform.
    pub uniform: u32,
    /// The element.
    pub element: u32,
}

/// Higher locations are ignored; no driver has that many.
const LOCATIONS: usize = 1 << 17;

const NOWHERE: Slot = Slot { uniform: u32::MAX, element: 0 };

impl Linked {
    /// Creates it from the driver's description.
    #[must_use]
    pub fn new(reflection: Reflection) -> Linked {
        let mut linked =
            Linked { status: reflection.parameter(c::GL_LINK_STATUS).unwrap_or(0) != 0, ..Linked::default() };
        if let Some(interface) = reflection.interface(c::GL_UNIFORM) {
            linked.find_uniforms(interface);
        }
        let mut targets = linked.uniforms.iter().filter_map(|uniform| sampler_target(uniform.kind));
        linked.mixes_samplers = targets.next().is_some_and(|first| targets.any(|target| target != first));
        let subroutines = [
            c::GL_VERTEX_SUBROUTINE_UNIFORM,
            c::GL_TESS_CONTROL_SUBROUTINE_UNIFORM,
            c::GL_TESS_EVALUATION_SUBROUTINE_UNIFORM,
            c::GL_GEOMETRY_SUBROUTINE_UNIFORM,
            c::GL_FRAGMENT_SUBROUTINE_UNIFORM,
            c::GL_COMPUTE_SUBROUTINE_UNIFORM,
        ];
        let present = |name| reflection.interface(name).is_some_and(|interface| !interface.resources.is_empty());
        linked.has_subroutines = subroutines.into_iter().any(present);
        let mut kinds = reflection.stages.iter().filter(|value| value.1 == c::GL_SHADER_TYPE).map(|value| value.0);
        if let Some(first) = kinds.next() {
            let mut stages = STAGES.map(|stage| stage == first);
            for kind in kinds {
                STAGES.iter().zip(&mut stages).for_each(|(stage, present)| *present |= *stage == kind);
            }
            linked.stages = Some(stages);
        }
        linked.reflection = reflection;
        linked
    }

    fn find_uniforms(&mut self, interface: &Interface) {
        let mut taken = 0usize;
        for index in 0..interface.resources.len() {
            let property = |name| interface.value(index, name).unwrap_or(-1);
            let (location, kind) = (property(c::GL_LOCATION), property(c::GL_TYPE).cast_unsigned());
            let size = property(c::GL_ARRAY_SIZE).max(1).cast_unsigned();
            let (Ok(first), Some(shape)) = (usize::try_from(location), shape(kind)) else { continue };
            let end = first.saturating_add(size as usize);
            // Uniforms do not share locations, so all of them together take no more either.
            taken = taken.saturating_add(size as usize);
            if end > LOCATIONS || taken > LOCATIONS {
                continue;
            }
            let uniform = Uniform {
                index: index as u32,
                kind,
                shape,
                array: interface.resources[index].name.ends_with(b"[0]"),
                size,
                location,
                offset: self.words as u32,
                stride: (shape.size() / 4) as u32,
            };
            if self.slots.len() < end {
                self.slots.resize(end, NOWHERE);
            }
            for element in 1..size {
                self.slots[first + element as usize] = Slot { uniform: self.uniforms.len() as u32, element };
            }
            self.words += size as usize * uniform.stride as usize;
            self.uniforms.push(uniform);
        }
        // Where `glBindUniformLocationCHROMIUM` chose locations, other uniforms may be at those of an array's later elements.
        for (index, uniform) in self.uniforms.iter().enumerate() {
            self.slots[uniform.location as usize] = Slot { uniform: index as u32, element: 0 };
        }
    }

    /// Returns whether it has a stage, such as `GL_VERTEX_SHADER`; `None` when the trace does not record it.
    #[inline]
    #[must_use]
    pub fn has_stage(&self, stage: u32) -> Option<bool> {
        let stages = self.stages?;
        Some(STAGES.iter().zip(stages).any(|(known, present)| present && *known == stage))
    }

    /// Returns which of [`STAGES`] it has; `None` when the trace does not record it.
    #[inline]
    #[must_use]
    pub fn stages(&self) -> Option<[bool; 6]> {
        self.stages
    }

    /// Returns how much memory the table of locations takes.
    pub(crate) fn slot_bytes(&self) -> usize {
        size_of_val(&self.slots[..])
    }

    /// Returns the uniform at a location.
    #[inline]
    #[must_use]
    pub fn slot(&self, location: i32) -> Option<(&Uniform, u32)> {
        let slot = self.slots.get(usize::try_from(location).ok()?)?;
        Some((self.uniforms.get(slot.uniform as usize)?, slot.element))
    }

    /// Returns the initial values of all uniforms.
    #[must_use]
    pub fn first_values(&self) -> Vec<u32> {
        let mut words = vec![0; self.words];
        for value in &self.reflection.values {
            let Some((uniform, element)) = self.slot(value.location) else { continue };
            let first = (uniform.offset + element * uniform.stride) as usize;
            let numbers =
                value.bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()));
            let place = words.get_mut(first..first + uniform.stride as usize).unwrap_or_default();
            for (word, number) in place.iter_mut().zip(numbers) {
                *word = number;
            }
        }
        words
    }

    /// Returns the location of a variable by its name, with or without an index in brackets (GL 4.6, 7.3.1.1); -1 when
    /// there is none.
    #[must_use]
    pub fn location(&self, interface: u32, name: &[u8]) -> i32 {
        let Some(interface) = self.reflection.interface(interface) else { return -1 };
        let Some((index, element)) = find(interface, name) else { return -1 };
        match interface.value(index, c::GL_LOCATION) {
            Some(location) if location >= 0 => {
                location.saturating_add(element.saturating_mul(columns_of(interface, index)))
            }
            _ => -1,
        }
    }
}

/// Returns the number of locations per element: matrix inputs of a vertex shader take one for each column (GL 4.6,
/// 11.1.1); uniforms do not.
fn columns_of(interface: &Interface, index: usize) -> i32 {
    if interface.name != c::GL_ACTIVE_ATTRIBUTES && interface.name != c::GL_PROGRAM_INPUT {
        return 1;
    }
    let kind = interface.value(index, c::GL_TYPE).unwrap_or(0).cast_unsigned();
    shape(kind).map_or(1, |shape| i32::from(shape.columns))
}

/// Finds a resource by a name that a program may use: `lights`, `lights[0]` and `lights[2]` are elements of
/// `lights[0]`. Returns the resource and the element.
#[must_use]
pub fn find(interface: &Interface, name: &[u8]) -> Option<(usize, i32)> {
    let place = |wanted: &[u8]| interface.resources.iter().position(|resource| resource.name == wanted);
    if let Some(index) = place(name) {
        return Some((index, 0));
    }
    let first = |base: &[u8]| place(&[base, b"[0]"].concat());
    if let Some(index) = first(name) {
        return Some((index, 0));
    }
    let inner = name.strip_suffix(b"]")?;
    let open = inner.iter().rposition(|letter| *letter == b'[')?;
    let (base, digits) = (&inner[..open], &inner[open + 1..]);
    // An index has no superfluous characters (GL 4.6, 7.3.1.1).
    let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) && (digits == b"0" || digits[0] != b'0');
    let element: i32 = if plain { std::str::from_utf8(digits).ok()?.parse().ok()? } else { return None };
    let index = first(base)?;
    let size = interface.value(index, c::GL_ARRAY_SIZE).unwrap_or(1);
    (element < size).then_some((index, element))
}
