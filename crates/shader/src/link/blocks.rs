//! Checks that the declarations of a block agree within a stage, between stages, and for uniforms in all of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::compare::{Shape, Strictness};
use super::linker::{Linker, is_per_vertex};
use super::{Declared, LinkedBlock};
use crate::layout::{self, BlockRules};
use crate::qualifier::{Interpolation, MatrixOrder, Packing, Storage};
use crate::typed::{Block, BlockId};
use crate::types::{Field, Type, TypeTable};

/// The maximum number of listed members in all blocks of a program, after which no more blocks are laid out. Real
/// programs have hundreds; two lines of source can make a block with tens of thousands, and each further line another.
const MAX_LISTED: usize = 1 << 18;

/// A block of one of the shaders.
pub(super) type BlockAt = (usize, BlockId);

impl<'a> Linker<'a> {
    pub(super) fn block(&self, at: BlockAt) -> &'a Block {
        self.typed(at.0).block(at.1)
    }

    pub(super) fn block_name(&self, at: BlockAt) -> &'a str {
        self.name(at.0, self.block(at).name)
    }

    pub(super) fn fields(&self, at: BlockAt) -> &'a [Field] {
        &self.types(at.0).structs[self.block(at).structure.0 as usize].fields
    }

    /// The user-declared blocks of a shader.
    pub(super) fn blocks_of(&self, shader: usize) -> impl Iterator<Item = BlockAt> + use<'a> {
        let blocks = &self.shaders[shader].typed.blocks;
        blocks.iter().enumerate().filter(|(_, b)| b.declared.is_some()).map(move |(i, _)| (shader, BlockId(i as u32)))
    }

    /// Whether an expression mentions the block or one of its members.
    pub(super) fn block_mentioned(&self, at: BlockAt) -> bool {
        let block = self.block(at);
        let mut variables = block.instance.iter().chain(&block.members);
        variables.any(|&v| self.typed(at.0).variable(v).read || self.typed(at.0).variable(v).written)
    }

    /// The variable that represents the block: its instance, or its first member.
    pub(super) fn block_variable(&self, at: BlockAt) -> Option<Declared> {
        let block = self.block(at);
        let variable = block.instance.or(block.members.first().copied())?;
        Some(Declared { shader: at.0, variable })
    }

    /// Compares the blocks within every stage, and those in memory across stages.
    pub(super) fn match_blocks(&mut self) {
        let mut memory: BTreeMap<(bool, &str), usize> = BTreeMap::new();
        for index in 0..self.stages.len() {
            let mut seen: BTreeMap<(Storage, &str), BlockAt> = BTreeMap::new();
            for unit in self.stages[index].units.clone() {
                for at in self.blocks_of(unit) {
                    let (storage, name) = (self.block(at).qualifiers.storage, self.block_name(at));
                    if self.block(at).builtin {
                        continue;
                    }
                    if matches!(storage, Storage::Uniform | Storage::Buffer) {
                        let next = self.out.blocks.len();
                        let known = *memory.entry((storage == Storage::Buffer, name)).or_insert(next);
                        self.add_block(known, at);
                    } else if let Some(&other) = seen.get(&(storage, name)) {
                        if let Some(reason) = self.block_difference(at, other, true) {
                            self.block_conflict(at, other, &reason);
                        }
                    } else {
                        seen.insert((storage, name), at);
                    }
                }
            }
        }
    }

    fn add_block(&mut self, known: usize, at: BlockAt) {
        let block = self.block(at);
        let variables = block.instance.iter().chain(&block.members);
        let used = variables.copied().any(|variable| self.is_used(Declared { shader: at.0, variable }));
        let stage = if used { self.stage_of(at.0).bit() } else { 0 };
        let binding = block.qualifiers.layout.binding;
        if let Some(row) = self.out.blocks.get(known) {
            let other = row.declared[0];
            let row = &mut self.out.blocks[known];
            row.declared.push(at);
            row.stages |= stage;
            row.binding = row.binding.or(binding);
            if let Some(reason) = self.block_difference(at, other, true) {
                self.block_conflict(at, other, &reason);
            }
            return;
        }
        let buffer = block.qualifiers.storage == Storage::Buffer;
        let rules = BlockRules {
            packing: layout::chosen_packing(block.qualifiers.layout.packing, buffer),
            matrix: block.qualifiers.layout.matrix.unwrap_or(MatrixOrder::ColumnMajor),
            buffer,
            most: MAX_LISTED.saturating_sub(self.listed),
        };
        let symbols = &self.shaders[at.0].preprocessed.symbols;
        // Beyond the limit a block has no layout at all: computing its size alone takes as long as listing it.
        let place = || {
            let (types, fields) = self.sized_fields(at);
            layout::block_layout(&types, symbols, &fields, rules).ok()
        };
        let layout = if self.listed < MAX_LISTED { place() } else { None };
        self.listed += layout.as_ref().map_or(0, |l| l.members.len());
        let mut count = 1u32;
        let mut ty = block.ty;
        while let Some(array) = self.types(at.0).as_array(ty) {
            count = count.saturating_mul(array.size.unwrap_or(1));
            ty = array.element;
        }
        let name = self.block_name(at).to_owned();
        self.out.blocks.push(LinkedBlock { name, buffer, declared: vec![at], stages: stage, binding, count, layout });
        self.check_open_members(at);
    }

    /// The members of a block, with the sizes that their use gives to unsized arrays. The last of a storage block stays
    /// unsized.
    fn sized_fields(&self, at: BlockAt) -> (Cow<'a, TypeTable>, Cow<'a, [Field]>) {
        let (types, fields) = (self.types(at.0), self.fields(at));
        let stays =
            fields.len() - usize::from(self.block(at).qualifiers.storage == Storage::Buffer && !fields.is_empty());
        let open = |ty: Type| types.as_array(ty).filter(|array| array.size.is_none());
        if !fields[..stays].iter().any(|field| open(field.ty).is_some()) {
            return (Cow::Borrowed(types), Cow::Borrowed(fields));
        }
        let (mut sized, mut made) = (types.clone(), fields.to_vec());
        for (i, field) in made[..stays].iter_mut().enumerate() {
            if let Some(array) = open(field.ty) {
                let size = self.stage_field_shape(at, i as u32).implied;
                field.ty = sized.array(array.element, Some(size.unwrap_or(1)));
            }
        }
        (Cow::Owned(sized), Cow::Owned(made))
    }

    /// Only the last member of a storage block may stay unsized (GLSL 4.60, 4.1.9).
    fn check_open_members(&mut self, at: BlockAt) {
        if self.block(at).qualifiers.storage != Storage::Buffer {
            return;
        }
        let fields = self.fields(at);
        for (i, field) in fields.iter().enumerate() {
            let open = self.types(at.0).as_array(field.ty).is_some_and(|a| a.size.is_none());
            let used = self.field_shape(at, i as u32).implied;
            if open && used.is_none() && i + 1 < fields.len() {
                let (block, member) = (self.block_name(at), self.name(at.0, field.name));
                let message = format!("`{block}.{member}`: only the last member of a storage block may be unsized");
                let error = self.error_at(at.0, self.block(at).declared, "unsized-array", message);
                self.report(at.0, error);
            }
        }
    }

    /// A member's type, with an unsized dimension sized by use.
    pub(super) fn field_shape(&self, at: BlockAt, member: u32) -> Shape {
        let block = self.block(at);
        let ty = self.fields(at).get(member as usize).map_or(Type::Error, |f| f.ty);
        let of_variable = block.members.get(member as usize).and_then(|&v| self.typed(at.0).variable(v).max_index);
        let of_member = self.typed(at.0).member_max_index.get(&(block.structure, member)).copied();
        Shape { shader: at.0, ty, implied: of_variable.max(of_member).map(|n| n.saturating_add(1)) }
    }

    /// A member's type, with an unsized dimension sized by its use in all units of the stage.
    fn stage_field_shape(&self, at: BlockAt, member: u32) -> Shape {
        let mut shape = self.field_shape(at, member);
        let (name, storage, stage) = (self.block_name(at), self.block(at).qualifiers.storage, self.stage_of(at.0));
        for &other in self.blocks_named(self.stage_index(stage), storage, name) {
            let found = self.field_shape(other, member);
            let fixed = self.types(found.shader).as_array(found.ty).and_then(|a| a.size);
            shape.implied = shape.implied.max(fixed).max(found.implied);
        }
        shape
    }

    pub(super) fn block_conflict(&mut self, at: BlockAt, other: BlockAt, reason: &str) {
        let name = self.block_name(at);
        let message = format!("block `{name}` is declared differently elsewhere: {reason}");
        let note = self.place(other.0, self.block(other).declared);
        let error = self.error_at(at.0, self.block(at).declared, "block-mismatch", message).note(note);
        self.report(at.0, error);
    }

    /// The difference between two declarations of a block; `same` within one interface, otherwise between two stages.
    pub(super) fn block_difference(&self, at: BlockAt, other: BlockAt, same: bool) -> Option<String> {
        let (x, y) = (self.block(at), self.block(other));
        let memory = matches!(x.qualifiers.storage, Storage::Uniform | Storage::Buffer);
        if same && x.instance.is_some() != y.instance.is_some() {
            return Some("only one of them has an instance name".to_owned());
        }
        if let Some(reason) = self.instance_difference(at, other, same) {
            return Some(reason);
        }
        let (fields, others) = (self.fields(at), self.fields(other));
        if fields.len() != others.len() {
            return Some(format!("it has {} members here and {} there", fields.len(), others.len()));
        }
        for (i, (f, g)) in fields.iter().zip(others).enumerate() {
            let (p, q) = (self.name(at.0, f.name), self.name(other.0, g.name));
            if p != q {
                return Some(format!("member `{p}` is at the position of `{q}` there"));
            }
            if let Some(reason) = self.member_difference((at, f), (other, g), i as u32, same) {
                return Some(format!("member `{p}` {reason}"));
            }
        }
        let (a, b) = (x.qualifiers.layout, y.qualifiers.layout);
        if memory && a.packing.unwrap_or(Packing::Shared) != b.packing.unwrap_or(Packing::Shared) {
            return Some("the packing differs".to_owned());
        }
        if memory && a.binding.is_some() && b.binding.is_some() && a.binding != b.binding {
            return Some("the bindings differ".to_owned());
        }
        if a.location != b.location {
            return Some("the locations differ".to_owned());
        }
        None
    }

    /// Arrays of blocks must have the same dimensions; the per-vertex dimension is not counted.
    fn instance_difference(&self, at: BlockAt, other: BlockAt, same: bool) -> Option<String> {
        let shape = |at: BlockAt| {
            let block = self.block(at);
            let mut ty = block.ty;
            let implied = block.instance.and_then(|v| self.typed(at.0).variable(v).max_index);
            let mut implied = implied.map(|n| n.saturating_add(1));
            if !same && is_per_vertex(self.stage_of(at.0), &block.qualifiers) {
                ty = self.types(at.0).as_array(ty).map_or(ty, |a| a.element);
                implied = None;
            }
            let mut sizes = Vec::new();
            while let Some(array) = self.types(at.0).as_array(ty) {
                let open = array.size.is_none();
                sizes.push((array.size.or(implied), open));
                implied = None;
                ty = array.element;
            }
            sizes
        };
        let (x, y) = (shape(at), shape(other));
        if x.len() != y.len() {
            return Some("the array dimensions differ".to_owned());
        }
        let per_vertex = same && is_per_vertex(self.stage_of(at.0), &self.block(at).qualifiers);
        for ((m, open), (n, closed)) in x.into_iter().zip(y) {
            // Within a stage an unsized dimension takes the size of the other declaration, if that covers its use.
            let fits = match (m, n) {
                (Some(m), Some(n)) => match (open, closed) {
                    _ if !same => m == n,
                    (true, true) => true,
                    (true, false) => m <= n,
                    (false, true) => n <= m,
                    (false, false) => m == n,
                },
                _ => same || per_vertex || m == n,
            };
            if !fits {
                return Some("the array sizes differ".to_owned());
            }
        }
        None
    }

    fn member_difference(
        &self,
        (at, f): (BlockAt, &Field),
        (other, g): (BlockAt, &Field),
        member: u32,
        same: bool,
    ) -> Option<String> {
        let (a, b) = if same {
            (self.field_shape(at, member), self.field_shape(other, member))
        } else {
            (self.stage_field_shape(at, member), self.stage_field_shape(other, member))
        };
        // GLSL ES 3.00, 4.3.7 demands it of all; only browsers check it.
        let precision = self.options.webgl && same;
        let strict = Strictness { names: true, precision };
        let open = |s: Shape| self.types(s.shader).as_array(s.ty).is_some_and(|x| x.size.is_none());
        let storage = self.block(at).qualifiers.storage;
        let last = storage == Storage::Buffer && member as usize + 1 == self.fields(at).len();
        if last && open(a) != open(b) {
            return Some("has a size only in one of them".to_owned());
        }
        // Within an interface an unsized dimension takes the size of the other declaration, if that covers its use.
        for (open, full) in [(a, b), (b, a)] {
            let size = self.types(full.shader).as_array(full.ty).and_then(|x| x.size);
            if let (true, Some(used), Some(size)) = (same, open.implied, size)
                && used > size
            {
                return Some(format!("has {size} elements in one of them, but index {} is used", used - 1));
            }
        }
        let forget = last || same;
        let (a, b) = if forget { (Shape { implied: None, ..a }, Shape { implied: None, ..b }) } else { (a, b) };
        if let Some(reason) = self.type_difference(a, b, strict) {
            let (s, t) = (self.type_name(a.shader, a.ty, a.implied), self.type_name(b.shader, b.ty, b.implied));
            return Some(if reason.is_empty() { format!("is `{s}` here and `{t}` there") } else { reason });
        }
        let (x, y) = (&f.qualifiers, &g.qualifiers);
        if precision && x.precision != y.precision {
            return Some("has another precision".to_owned());
        }
        let (m, n) = (x.layout, y.layout);
        let order = |q: Option<MatrixOrder>| q.unwrap_or(MatrixOrder::ColumnMajor);
        let matrix = |l: Option<MatrixOrder>, at: BlockAt| order(l.or(self.block(at).qualifiers.layout.matrix));
        let smooth = |i: Option<Interpolation>| if self.is_es() { i.or(Some(Interpolation::Smooth)) } else { i };
        let io = matches!(storage, Storage::In | Storage::Out);
        if m.location != n.location {
            Some("has another location".to_owned())
        } else if m.offset != n.offset || m.align != n.align {
            Some("has another offset or alignment".to_owned())
        } else if m.component != n.component {
            Some("has another component".to_owned())
        } else if !io && matrix(m.matrix, at) != matrix(n.matrix, other) {
            Some("has another matrix order".to_owned())
        } else if io && x.flags.patch != y.flags.patch {
            Some("is `patch` in one of them".to_owned())
        } else if io && smooth(x.interpolation) != smooth(y.interpolation) && (same || self.before(440, 1000)) {
            Some("has another interpolation".to_owned())
        } else if io && same && (x.flags.centroid != y.flags.centroid || x.flags.sample != y.flags.sample) {
            Some("is `centroid` or `sample` in one of them".to_owned())
        } else {
            None
        }
    }
}
