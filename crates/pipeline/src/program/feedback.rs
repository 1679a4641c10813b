//! Transform feedback: maps words of a vertex to buffers (GL 4.6, 11.1.2.1).

use shader::types::{Type, TypeTable};

use super::{Program, Slot, StageProgram};
use crate::words;

/// The outputs that transform feedback captures.
#[derive(Clone, Debug, Default)]
pub(crate) struct Capture {
    pub words: Vec<CapturedWord>,
    /// The stride in bytes and the captured stream of each buffer; `None` for missing buffers.
    pub buffers: Vec<Option<(u32, u32)>>,
}

/// A word of a vertex's record and its destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CapturedWord {
    pub record: u32,
    pub buffer: u32,
    pub offset: u32,
}

impl Capture {
    /// By the layouts in the shaders.
    pub(super) fn of_layout(program: &Program) -> Capture {
        let mut capture = Capture::default();
        let Some(stage) = program.last_vertex_stage() else { return capture };
        let feedback = &program.linked.feedback;
        for row in &feedback.captured {
            let slot = stage.outputs.iter().find(|slot| slot.declared.contains(&(row.output, row.member)));
            let Some(slot) = slot else { continue };
            capture.add(stage.types(slot.unit), slot.ty, slot.record, row.buffer, row.offset);
            capture.buffer(row.buffer, 0, slot.qualifiers.layout.stream.unwrap_or(0));
        }
        for &(buffer, stride) in &feedback.strides {
            capture.buffer(buffer, stride, 0);
        }
        capture
    }

    /// By `glTransformFeedbackVaryings`. `None` if a name is unknown.
    fn of_names(program: &Program, names: &[&str], separate: bool) -> Option<Capture> {
        let mut capture = Capture::default();
        let stage = program.last_vertex_stage()?;
        let (mut buffer, mut offset) = (0, 0);
        for name in names {
            if *name == "gl_NextBuffer" {
                (buffer, offset) = (buffer + 1, 0);
                continue;
            }
            if let Some(skipped) = name.strip_prefix("gl_SkipComponents") {
                offset += skipped.parse::<u32>().ok().filter(|n| *n <= 4)? * 4;
                capture.buffer(buffer, offset, 0);
                continue;
            }
            let (slot, ty, word, elements) = find(&program.shaders, stage, name)?;
            let types = stage.types(slot.unit);
            let len = words::count(types, ty)?;
            for element in 0..elements {
                capture.add(types, ty, slot.record + word + element * len, buffer, offset);
                offset += len * 4;
            }
            capture.buffer(buffer, offset, slot.qualifiers.layout.stream.unwrap_or(0));
            if separate {
                (buffer, offset) = (buffer + 1, 0);
            }
        }
        Some(capture)
    }

    /// Ensures a minimum stride of a buffer.
    fn buffer(&mut self, buffer: u32, stride: u32, stream: u32) {
        let index = buffer as usize;
        self.buffers.resize(self.buffers.len().max(index + 1), None);
        let (before, of) = self.buffers[index].unwrap_or((0, stream));
        self.buffers[index] = Some((before.max(stride), of.max(stream)));
    }

    /// Adds a value; 64-bit components are aligned to eight bytes.
    fn add(&mut self, types: &TypeTable, ty: Type, record: u32, buffer: u32, offset: u32) {
        let mut at = offset;
        words::leaves(types, ty, record, &mut |word, leaf| {
            let width = leaf.scalar().map_or(1, words::width);
            at = at.next_multiple_of(width * 4);
            for i in 0..leaf.components() * width {
                self.words.push(CapturedWord { record: word + i, buffer, offset: at });
                at += 4;
            }
        });
        self.buffer(buffer, at, 0);
    }
}

/// The output with this name: `colour`, `colour[2]`, `s.a`, `Block.member`, `Block[1].member`. Returns its slot, the
/// type of an element, the first word in the slot, and the number of elements.
fn find<'a>(
    shaders: &[std::sync::Arc<shader::Shader>],
    stage: &'a StageProgram,
    name: &str,
) -> Option<(&'a Slot, Type, u32, u32)> {
    let follow = |slot: &Slot, path: &str| {
        let symbols = &shaders[stage.units[slot.unit]].preprocessed.symbols;
        words::follow(stage.types(slot.unit), symbols, slot.ty, path)
    };
    let end = name.find(['.', '[']).unwrap_or(name.len());
    if let Some(slot) = stage.outputs.iter().find(|slot| slot.name == name[..end]) {
        let part = follow(slot, &name[end..])?;
        return Some((slot, part.ty, part.offset, part.elements));
    }
    // A member of a block or of an array of blocks.
    let (block, member) = name.split_once('.')?;
    let (block, copy) = match block.split_once('[') {
        Some((block, number)) => (block, number.strip_suffix(']')?.parse::<u32>().ok()?),
        None => (block, 0),
    };
    let end = member.find(['.', '[']).unwrap_or(member.len());
    let wanted = format!("{block}.{}", &member[..end]);
    let slot = stage.outputs.iter().find(|slot| slot.name == wanted)?;
    let part = follow(slot, &member[end..])?;
    let before = copy * words::count(stage.types(slot.unit), slot.ty)?;
    Some((slot, part.ty, before + part.offset, part.elements))
}

impl Program {
    /// `glTransformFeedbackVaryings`, after linking: outputs of the last vertex processing stage by name, each to its
    /// own buffer or all to one, including `gl_NextBuffer` and `gl_SkipComponents1` to `4`. Returns false, without
    /// changing anything, if an output does not exist.
    pub fn capture(&mut self, names: &[&str], separate: bool) -> bool {
        let capture = Capture::of_names(self, names, separate);
        let known = capture.is_some();
        self.capture = capture.unwrap_or_else(|| std::mem::take(&mut self.capture));
        known
    }
}
