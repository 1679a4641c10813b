//! The memory behind the pointers of a call, from its preparation until its results are used.

use api::CommandId;
use api::call::{CallMemory, ImageHandle, KeptMemory, PointerArgument};
use trace::Bytes;

use crate::gl::Gl;

/// Pointer arguments of a call. Most calls have one at most, which needs no allocation.
#[derive(Default)]
pub struct Operands<'c> {
    first: Option<Operand<'c>>,
    others: Vec<Operand<'c>>,
}

/// A pointer argument.
struct Operand<'c> {
    param: u8,
    target: Target<'c>,
}

/// The memory behind a pointer.
pub enum Target<'c> {
    Input(Payload<'c>),
    /// A text without a terminating zero.
    Text(Payload<'c>),
    /// Several byte strings, packed as [`unpack`] describes.
    Inputs(Payload<'c>),
    /// Offsets into the bound buffer.
    Offsets(Vec<u64>),
    Output(Vec<u8>),
    Kept(KeptMemory),
    Image(ImageHandle),
    Zeros,
    Discarded,
}

/// Bytes of the trace, or bytes translated from them.
pub enum Payload<'c> {
    Trace(Bytes<'c>),
    Made(Vec<u8>),
}

impl Payload<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Payload::Trace(bytes) => bytes,
            Payload::Made(bytes) => bytes,
        }
    }
}

impl<'c> Operands<'c> {
    /// Sets the memory behind a parameter.
    pub fn set(&mut self, param: u8, target: Target<'c>) {
        let is_known = |operand: &&mut Operand<'c>| operand.param == param;
        if let Some(operand) = self.first.iter_mut().chain(&mut self.others).find(is_known) {
            operand.target = target;
        } else if self.first.is_none() {
            self.first = Some(Operand { param, target });
        } else {
            self.others.push(Operand { param, target });
        }
    }

    /// Returns the memory behind a parameter that the call writes to; `None` if there is none.
    pub fn output(&self, param: u8) -> Option<&[u8]> {
        self.first.iter().chain(&self.others).find(|operand| operand.param == param).and_then(|operand| match &operand
            .target
        {
            Target::Output(bytes) => Some(&bytes[..]),
            _ => None,
        })
    }

    /// Returns the parameters with memory that the call writes to.
    pub fn outputs(&self) -> Vec<u8> {
        let all = self.first.iter().chain(&self.others);
        all.filter(|operand| matches!(operand.target, Target::Output(_))).map(|operand| operand.param).collect()
    }

    /// Sets the bytes behind a parameter before a call that writes to them.
    pub fn fill(&mut self, param: u8, bytes: &[u8]) {
        let all = self.first.iter_mut().chain(&mut self.others);
        for operand in all.filter(|operand| operand.param == param) {
            if let Target::Output(room) = &mut operand.target {
                room.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            }
        }
    }

    /// Calls a command with these pointers.
    #[inline]
    pub fn call(&mut self, gl: &mut dyn Gl, command: CommandId, words: &[u64]) -> u64 {
        match (&mut self.first, &self.others[..]) {
            (None, _) => gl.call(command, words, &mut []),
            (Some(Operand { param, target: Target::Inputs(packed) }), []) => {
                let memory = CallMemory::Inputs(&unpack(packed.bytes()));
                gl.call(command, words, &mut [PointerArgument { param: *param, memory }])
            }
            (Some(only), []) => gl.call(command, words, &mut [only.argument()]),
            _ => self.call_with_several(gl, command, words),
        }
    }

    fn call_with_several(&mut self, gl: &mut dyn Gl, command: CommandId, words: &[u64]) -> u64 {
        // No command has two parameters of this kind.
        let (mut strings, mut place) = (Vec::new(), None);
        let mut pointers = Vec::with_capacity(1 + self.others.len());
        for operand in self.first.iter_mut().chain(&mut self.others) {
            match operand {
                Operand { param, target: Target::Inputs(packed) } => {
                    (strings, place) = (unpack(packed.bytes()), Some(*param));
                }
                operand => pointers.push(operand.argument()),
            }
        }
        if let Some(param) = place {
            pointers.push(PointerArgument { param, memory: CallMemory::Inputs(&strings) });
        }
        gl.call(command, words, &mut pointers)
    }
}

impl Operand<'_> {
    /// Returns the argument for the call. The caller handles [`Target::Inputs`], which have to be unpacked.
    fn argument(&mut self) -> PointerArgument<'_> {
        let memory = match &mut self.target {
            Target::Input(payload) => CallMemory::Input(payload.bytes()),
            Target::Text(payload) => CallMemory::Text(payload.bytes()),
            Target::Inputs(_) | Target::Zeros => CallMemory::Zeros,
            Target::Offsets(offsets) => CallMemory::Offsets(offsets),
            Target::Output(bytes) => CallMemory::Output(bytes),
            Target::Kept(memory) => CallMemory::Kept(*memory),
            Target::Image(image) => CallMemory::Image(*image),
            Target::Discarded => CallMemory::Discarded,
        };
        PointerArgument { param: self.param, memory }
    }
}

/// Unpacks byte strings from a trace's form: each follows its length, a little-endian 32-bit number.
pub fn unpack(packed: &[u8]) -> Vec<&[u8]> {
    let mut strings = Vec::new();
    let mut rest = packed;
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = (u32::from_le_bytes(*length) as usize).min(after.len());
        let (string, after) = after.split_at(length);
        strings.push(string);
        rest = after;
    }
    strings
}

/// Packs byte strings for [`unpack`].
pub fn pack<'s>(strings: impl IntoIterator<Item = &'s [u8]>) -> Vec<u8> {
    let mut packed = Vec::new();
    for string in strings {
        packed.extend((string.len() as u32).to_le_bytes());
        packed.extend(string);
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_unpacked_as_they_were_packed() {
        let strings: [&[u8]; 3] = [b"one", b"", b"three"];
        let packed = pack(strings);
        assert_eq!(unpack(&packed), strings);
        // A damaged trace ends where it ends.
        assert_eq!(unpack(&packed[..packed.len() - 2]), [&b"one"[..], b"", b"thr"]);
        assert_eq!(unpack(&[255, 255, 255, 255, 7]), [[7]]);
        assert_eq!(unpack(&[1, 0]), [[0u8; 0]; 0]);
    }

    #[test]
    fn outputs_are_found_by_their_parameter() {
        let mut operands = Operands::default();
        operands.set(2, Target::Zeros);
        operands.set(4, Target::Output(vec![0; 4]));
        operands.set(2, Target::Output(vec![0; 2]));
        operands.fill(4, &[1, 2, 3]);
        operands.fill(2, &[9, 9, 9]);
        assert_eq!((operands.output(4), operands.output(2)), (Some(&[1, 2, 3, 0][..]), Some(&[9, 9][..])));
        assert_eq!((operands.outputs(), operands.output(3)), (vec![2, 4], None));
    }
}
