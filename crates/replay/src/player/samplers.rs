//! Samplers that only this driver has: those that the compiler of the recording removed, so that the program never set them.
//!
//! They have texture unit 0 then, and if a sampler of another type has that, too, every draw is an error (GL 4.6, 7.10). What
//! they read does not matter, or the other compiler could not have removed them.

use std::collections::BTreeSet;

use api::call::{CallMemory, PointerArgument};
use api::reflection::Reflection;
use api::reflection::kind::sampler_target;
use api::{constant as c, id};

use super::Player;

/// Drivers limit the names of uniforms far below this.
const LONGEST: usize = 1 << 12;

impl Player {
    /// Gives samplers that the recording's driver did not have texture units at the end, one for each type.
    pub(crate) fn park_samplers(&mut self, program: u64, recorded: &Reflection) {
        let known = recorded.interface(c::GL_UNIFORM).map_or(&[][..], |interface| &interface.resources);
        let [count] = self.query::<1>(id::glGetProgramiv, &[program, u64::from(c::GL_ACTIVE_UNIFORMS)]);
        let known: BTreeSet<&[u8]> = known.iter().map(|uniform| uniform.name.as_slice()).collect();
        let all = (0..count).filter_map(|index| self.active_uniform(program, index));
        let samplers = all.filter(|(_, kind, _)| sampler_target(*kind).is_some());
        let (own, unknown): (Vec<_>, Vec<_>) = samplers.partition(|(name, ..)| known.contains(name.as_slice()));
        let mut types: Vec<u32> = Vec::new();
        let mut parked = Vec::new();
        for (name, kind, length) in unknown {
            // Without another type there is nothing in the way, and unit 0 has what the emulator reads, too.
            if own.iter().all(|(_, other, _)| *other == kind) {
                continue;
            }
            let place = types.iter().position(|other| *other == kind).unwrap_or_else(|| {
                types.push(kind);
                types.len() - 1
            });
            parked.push((name, place as i32, length));
        }
        if parked.is_empty() {
            return;
        }
        let last = self.integer(c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS) - 1;
        let before = self.integer(c::GL_CURRENT_PROGRAM).cast_unsigned();
        self.own_call(id::glUseProgram, &[program]);
        for (name, place, length) in parked {
            let location = self.own_call_text(id::glGetUniformLocation, &[program], &name);
            let units: Vec<u8> = (0..length).flat_map(|_| (last - place).max(0).to_ne_bytes()).collect();
            self.own_call_reading(id::glUniform1iv, &[location, u64::from(length)], &units);
        }
        self.own_call(id::glUseProgram, &[u64::from(before)]);
    }

    /// The name, the type and the number of elements of a uniform of a program.
    fn active_uniform(&mut self, program: u64, index: u32) -> Option<(Vec<u8>, u32, u32)> {
        let (mut length, mut size, mut kind, mut name) = ([0; 4], [0; 4], [0; 4], vec![0; LONGEST]);
        let words = [program, u64::from(index), LONGEST as u64, 0, 0, 0, 0];
        let pointers = &mut [
            PointerArgument { param: 3, memory: CallMemory::Output(&mut length) },
            PointerArgument { param: 4, memory: CallMemory::Output(&mut size) },
            PointerArgument { param: 5, memory: CallMemory::Output(&mut kind) },
            PointerArgument { param: 6, memory: CallMemory::Output(&mut name) },
        ];
        self.own_call_with(id::glGetActiveUniform, &words, pointers);
        name.truncate(u32::from_ne_bytes(length) as usize);
        // An array has as many elements as the shader says, which is bounded by the units that there are.
        let size = u32::from_ne_bytes(size).min(1 << 10);
        (!name.is_empty()).then_some((name, u32::from_ne_bytes(kind), size))
    }
}
