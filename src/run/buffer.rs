//! Blocks in buffers: their members by name.

use anyhow::bail;
use emulator::glsl::ir_scalar;
use emulator::host::Space;
use emulator::ir::{BlockSlots, Program};
use moment::glsl::{Value, value};
use shader::Shader;
use shader::layout::{self, BlockLayout, BlockRules, MemberLayout};
use shader::qualifier::{MatrixOrder, Packing, Storage};
use shader::typed::BlockId;
use shader::types::{Scalar, Type, TypeTable};

use super::setting;

/// Members listed of one block.
const MAX_MEMBERS: usize = 4096;

/// The buffer of one instance of a block.
pub struct Buffer {
    /// The block's name, with the index of an array of blocks.
    pub name: String,
    /// What a shader calls it, if it has an instance name.
    instance: Option<String>,
    pub space: Space,
    pub slot: u32,
    pub bytes: Vec<u8>,
    layout: BlockLayout,
}

/// A member, or an element of one, as a stretch of a buffer.
struct Part<'b> {
    member: &'b MemberLayout,
    /// Type of the part; an element's where a whole array is meant.
    ty: Type,
    offset: usize,
    /// Elements; none for a part that is no array. An array without a size has as many as there is room for.
    elements: Option<Option<u32>>,
}

/// Buffers for all blocks of a program, filled with zeros.
pub fn all(shader: &Shader, program: &Program, types: &TypeTable) -> anyhow::Result<Vec<Buffer>> {
    let mut made = Vec::new();
    for slots in &program.blocks {
        let layout = lay_out(shader, types, slots)?;
        let row = shader.typed.block(BlockId(slots.block));
        let symbols = &shader.preprocessed.symbols;
        for index in 0..slots.count {
            let many = |name: &str| if slots.count > 1 { format!("{name}[{index}]") } else { name.to_owned() };
            made.push(Buffer {
                name: many(symbols.name(row.name)),
                instance: row.instance.map(|id| many(symbols.name(shader.typed.variable(id).name))),
                space: slots.space,
                slot: slots.first + index,
                bytes: vec![0; layout.size as usize],
                layout: layout.clone(),
            });
        }
    }
    Ok(made)
}

fn lay_out(shader: &Shader, types: &TypeTable, slots: &BlockSlots) -> anyhow::Result<BlockLayout> {
    let row = shader.typed.block(BlockId(slots.block));
    let rules = BlockRules {
        packing: row.qualifiers.layout.packing.unwrap_or(Packing::Shared),
        matrix: row.qualifiers.layout.matrix.unwrap_or(MatrixOrder::ColumnMajor),
        buffer: row.qualifiers.storage == Storage::Buffer,
        most: MAX_MEMBERS,
    };
    let fields = &shader.typed.types.structs[row.structure.0 as usize].fields;
    match layout::block_layout(types, &shader.preprocessed.symbols, fields, rules) {
        Ok(layout) => Ok(layout),
        Err(error) => bail!("block {}: a member {}", shader.preprocessed.symbols.name(row.name), error.problem),
    }
}

impl Buffer {
    /// Gives a member its value; false if it is not in this block.
    pub fn set(&mut self, shader: &Shader, types: &TypeTable, name: &str, given: &str) -> anyhow::Result<bool> {
        let Some(part) = self.find(types, name) else { return Ok(false) };
        let words: Vec<&str> = given.split(',').map(str::trim).collect();
        let kinds = value::scalars(types, part.ty);
        let each = kinds.len().max(1);
        let (ty, offset, stride) = (part.ty, part.offset, part.member.array_stride as usize);
        let (matrix_stride, row_major) = (part.member.matrix_stride as usize, part.member.row_major);
        let open = part.elements == Some(None);
        let count = match part.elements {
            None => 1,
            Some(Some(count)) => count as usize,
            Some(None) => words.len() / each,
        };
        if words.len() != count * each {
            let wanted = types.name(&shader.preprocessed.symbols, ty);
            bail!("{name} is {wanted}, {} components; it is given {}", count * each, words.len());
        }
        if open {
            self.bytes.resize(offset + count * stride, 0);
        }
        for (i, element) in words.chunks(each).enumerate() {
            for (j, (word, &kind)) in element.iter().zip(&kinds).enumerate() {
                let bits = setting::scalar(word, ir_scalar(kind), name)?;
                let at = offset + i * stride + component_offset(ty, kind, j, matrix_stride, row_major);
                let size = width(kind);
                if self.bytes.len() < at + size {
                    self.bytes.resize(at + size, 0);
                }
                self.bytes[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
        Ok(true)
    }

    /// Every member with its value, in order of declaration; arrays element by element in one value.
    pub fn values(&self, types: &TypeTable) -> Vec<(String, Vec<Value>)> {
        let mut all = Vec::new();
        for member in &self.layout.members {
            // Elements of an array of structures, of which only the first is listed.
            let repeats = match (member.top_level_array_stride, member.top_level_array_size) {
                (0, _) => 1,
                (stride, 0) => (self.bytes.len() as u32).saturating_sub(member.offset).div_ceil(stride),
                (_, size) => size,
            };
            for index in 0..repeats {
                let offset = member.offset as usize + index as usize * member.top_level_array_stride as usize;
                let name = if repeats > 1 {
                    member.name.replacen("[0]", &format!("[{index}]"), 1)
                } else {
                    member.name.clone()
                };
                all.push(self.member(types, member, &name, offset));
            }
        }
        all
    }

    fn member(&self, types: &TypeTable, member: &MemberLayout, name: &str, offset: usize) -> (String, Vec<Value>) {
        let array = types.as_array(member.ty);
        let (ty, count) = match array {
            None => (member.ty, 1),
            Some(array) => {
                let room = self.bytes.len().saturating_sub(offset).div_ceil(member.array_stride.max(1) as usize);
                (array.element, array.size.map_or(room, |size| size as usize))
            }
        };
        let element = |i: usize| {
            let kinds = value::scalars(types, ty);
            let scalar = |(j, &kind): (usize, &Scalar)| {
                let at = offset + i * member.array_stride as usize;
                let at = at + component_offset(ty, kind, j, member.matrix_stride as usize, member.row_major);
                let mut bytes = [0; 8];
                if let Some(there) = self.bytes.get(at..at + width(kind)) {
                    bytes[..there.len()].copy_from_slice(there);
                }
                u64::from_le_bytes(bytes)
            };
            Value { ty, scalars: kinds.iter().enumerate().map(scalar).collect() }
        };
        let name = if array.is_some() { name.strip_suffix("[0]").unwrap_or(name) } else { name };
        (name.to_owned(), (0..count).map(element).collect())
    }

    /// The part a name means: with or without the name of the block or its instance in front.
    fn find(&self, types: &TypeTable, name: &str) -> Option<Part<'_>> {
        let names = [Some(&self.name), self.instance.as_ref()];
        let inner = names.into_iter().flatten().find_map(|block| name.strip_prefix(block.as_str())?.strip_prefix('.'));
        let wanted = segments(inner.unwrap_or(name))?;
        self.layout.members.iter().find_map(|member| part(types, member, &wanted))
    }
}

/// A part of a name: a word, or an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Segment<'n> {
    Word(&'n str),
    Index(u32),
}

fn segments(name: &str) -> Option<Vec<Segment<'_>>> {
    let mut all = Vec::new();
    for piece in name.split(['.', '[']).filter(|piece| !piece.is_empty()) {
        all.push(match piece.strip_suffix(']') {
            Some(index) => Segment::Index(index.parse().ok()?),
            None => Segment::Word(piece),
        });
    }
    Some(all)
}

/// A listed member, or an element of it, if that is what is wanted: of some arrays only the first element is listed.
fn part<'b>(types: &TypeTable, member: &'b MemberLayout, wanted: &[Segment<'_>]) -> Option<Part<'b>> {
    let listed = segments(&member.name)?;
    let array = types.as_array(member.ty);
    let mut offset = member.offset as usize;
    for (i, segment) in listed.iter().enumerate() {
        let last = array.is_some() && i + 1 == listed.len();
        match (segment, wanted.get(i)) {
            (Segment::Word(a), Some(Segment::Word(b))) if a == b => {}
            (Segment::Index(_), Some(&Segment::Index(n))) if last => {
                offset += n as usize * member.array_stride as usize
            }
            (Segment::Index(0), Some(&Segment::Index(n))) if i == 1 && member.top_level_array_stride > 0 => {
                offset += n as usize * member.top_level_array_stride as usize;
            }
            (Segment::Index(a), Some(Segment::Index(b))) if a == b => {}
            (Segment::Index(_), None) if last => {
                let array = array?;
                return Some(Part { member, ty: array.element, offset, elements: Some(array.size) });
            }
            _ => return None,
        }
    }
    let ty = array.map_or(member.ty, |array| array.element);
    (wanted.len() == listed.len()).then_some(Part { member, ty, offset, elements: None })
}

/// Bytes before a component of a scalar, vector or matrix.
fn component_offset(ty: Type, kind: Scalar, index: usize, matrix_stride: usize, row_major: bool) -> usize {
    match ty {
        Type::Matrix(_, _, rows) => {
            let (column, row) = (index / usize::from(rows), index % usize::from(rows));
            if row_major {
                row * matrix_stride + column * width(kind)
            } else {
                column * matrix_stride + row * width(kind)
            }
        }
        _ => index * width(kind),
    }
}

fn width(kind: Scalar) -> usize {
    if kind.is_64_bit() { 8 } else { 4 }
}
