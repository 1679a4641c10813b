//! Variables in memory: blocks in buffers, `shared` variables, outputs of tessellation control shaders.

use lanes::{Op2, Test2};
use shader::ast::ExprId;
use shader::layout::{self, BlockRules};
use shader::qualifier::{MatrixOrder, Packing, Storage};
use shader::typed::{Target, VarId, VariableKind};
use shader::types::{Scalar, Type};
use shader::version::Stage;

use super::{Lower, Lowered, Value};
use crate::ir::{Access, Address, Base, BlockSlots, Instruction, Pointer, Register, Space, Width};

/// How aggregates lie in memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Rules {
    /// Words in order without gaps: memory that only shaders see.
    Flat,
    /// As the layout of a block says.
    Block { packing: Packing, row_major: bool },
}

/// Part of a variable in memory.
#[derive(Clone, Debug)]
pub(super) struct MemoryLValue {
    pub address: Address,
    pub ty: Type,
    rules: Rules,
    /// Bytes between the components of a vector, if it is a column of a row-major matrix.
    stride: Option<u32>,
    /// The selected components of the vector at the address, in order; `None` for all.
    swizzle: Option<Vec<u8>>,
    /// The block, if the lvalue is a whole block or an array of blocks.
    block: Option<shader::typed::BlockId>,
}

impl Lower<'_> {
    /// Returns where a variable lies in memory; `None` if it does not.
    pub(super) fn in_memory(&mut self, id: VarId) -> Lowered<Option<MemoryLValue>> {
        let row = self.shader.typed.variable(id);
        let (ty, storage) = (self.variable_types[id.0 as usize], row.qualifiers.storage);
        let (block, member) = match row.kind {
            VariableKind::Instance(block) => (Some(block), None),
            VariableKind::Member(block, member) => (Some(block), Some(member)),
            _ => (None, None),
        };
        let control_output = self.shader.stage == Stage::TessControl && storage == Storage::Out;
        if storage == Storage::Shared || control_output {
            let pointer = self.flat_pointer(id, ty, storage == Storage::Shared)?;
            return Ok(Some(MemoryLValue {
                address: Address::of(pointer),
                ty,
                rules: Rules::Flat,
                stride: None,
                swizzle: None,
                block: None,
            }));
        }
        let Some(block) = block else { return Ok(None) };
        let space = match self.shader.typed.block(block).qualifiers.storage {
            Storage::Uniform => Space::Uniform,
            Storage::Buffer => Space::Storage,
            _ => return Ok(None),
        };
        if self.shader.typed.block(block).builtin {
            return Ok(None);
        }
        let slot = self.slot(block, space);
        let (offset, rules) = match member {
            None => (0, self.block_rules(block, None)),
            Some(member) => (self.field_offset(block, member)?, self.block_rules(block, Some(member))),
        };
        let pointer = Pointer { space, slot, offset };
        self.pointers[id.0 as usize] = Some(pointer);
        let whole = if member.is_none() { Some(block) } else { None };
        Ok(Some(MemoryLValue { address: Address::of(pointer), ty, rules, stride: None, swizzle: None, block: whole }))
    }

    fn flat_pointer(&mut self, id: VarId, ty: Type, shared: bool) -> Lowered<Pointer> {
        if let Some(known) = self.pointers[id.0 as usize] {
            return Ok(known);
        }
        let name = self.global_name(id);
        if let Some(known) = name.as_ref().and_then(|name| self.globals.get(name)?.1) {
            self.pointers[id.0 as usize] = Some(known);
            return Ok(known);
        }
        let bytes = self.words(ty)?.checked_mul(4);
        let (space, total) =
            if shared { (Space::Workgroup, &mut self.shared_bytes) } else { (Space::Patch, &mut self.patch_bytes) };
        let offset = *total;
        match bytes.and_then(|bytes| offset.checked_add(bytes)) {
            Some(end) => *total = end,
            None => return self.refuse("more shared memory than there is", None),
        }
        let pointer = Pointer { space, slot: 0, offset };
        self.pointers[id.0 as usize] = Some(pointer);
        if let Some(name) = name {
            self.globals.entry(name).or_default().1 = Some(pointer);
        }
        Ok(pointer)
    }

    /// Returns the slot of a block's first instance.
    fn slot(&mut self, block: shader::typed::BlockId, space: Space) -> u32 {
        if let Some(known) = self.blocks.iter().find(|b| b.unit == self.unit && b.block == block.0) {
            return known.first;
        }
        let name = |shader: &shader::Shader, block| {
            shader.preprocessed.symbols.name(shader.typed.block(block).name).to_owned()
        };
        // Another shader of the stage may declare the same block.
        let here = name(self.shader, block);
        let others = self.blocks.iter().filter(|b| b.unit != self.unit && b.space == space);
        let known = others
            .into_iter()
            .find(|b| name(self.units[b.unit].shader, shader::typed::BlockId(b.block)) == here)
            .map(|b| b.first);
        let first = known.unwrap_or_else(|| self.blocks.iter().map(|b| b.first + b.count).max().unwrap_or(0));
        let mut count = 1u32;
        let mut ty = self.shader.typed.block(block).ty;
        while let Some(array) = self.types.as_array(ty) {
            count = count.saturating_mul(array.size.unwrap_or(1));
            ty = array.element;
        }
        self.blocks.push(BlockSlots { unit: self.unit, block: block.0, space, first, count });
        first
    }

    fn block_rules(&self, block: shader::typed::BlockId, member: Option<u32>) -> Rules {
        let row = self.shader.typed.block(block);
        let of_block = row.qualifiers.layout;
        let of_member = member.and_then(|m| {
            let fields = &self.types.structs[row.structure.0 as usize].fields;
            fields[m as usize].qualifiers.layout.matrix
        });
        let matrix = of_member.or(of_block.matrix).unwrap_or(MatrixOrder::ColumnMajor);
        let packing = layout::chosen_packing(of_block.packing, row.qualifiers.storage == Storage::Buffer);
        Rules::Block { packing, row_major: matrix == MatrixOrder::RowMajor }
    }

    fn field_offset(&self, block: shader::typed::BlockId, member: u32) -> Lowered<u32> {
        let row = self.shader.typed.block(block);
        let Rules::Block { packing, row_major } = self.block_rules(block, None) else { return Ok(0) };
        let matrix = if row_major { MatrixOrder::RowMajor } else { MatrixOrder::ColumnMajor };
        let rules = BlockRules { packing, matrix, buffer: row.qualifiers.storage == Storage::Buffer, most: 0 };
        let fields = &self.types.structs[row.structure.0 as usize].fields;
        match layout::block_layout(&self.types, &self.shader.preprocessed.symbols, fields, rules) {
            Ok(found) => Ok(found.field_offsets[member as usize]),
            Err(problem) => self.refuse(format!("a block that {}", problem.problem), None),
        }
    }

    /// Returns the lvalue of a member or swizzle of an lvalue in memory.
    pub(super) fn memory_part(&mut self, lvalue: MemoryLValue, target: Target, ty: Type) -> Lowered<MemoryLValue> {
        match target {
            Target::Swizzle(swizzle) => {
                let before = lvalue.swizzle.unwrap_or_else(|| vec![0, 1, 2, 3]);
                let picked = swizzle.components().iter().map(|&c| before[c as usize]).collect();
                Ok(MemoryLValue { swizzle: Some(picked), ty, ..lvalue })
            }
            Target::Member(member) => {
                let (offset, rules) = match lvalue.block {
                    Some(block) => (self.field_offset(block, member)?, self.block_rules(block, Some(member))),
                    None => (self.member_offset(lvalue.ty, member, lvalue.rules)?, lvalue.rules),
                };
                let mut address = lvalue.address;
                address.offset += offset;
                // The program's types have sizes for members without one.
                let ty = self.types.as_struct(lvalue.ty).map_or(ty, |s| s.fields[member as usize].ty);
                Ok(MemoryLValue { address, ty, rules, stride: None, swizzle: None, block: None })
            }
            _ => self.refuse("this member", None),
        }
    }

    /// Returns the bytes from the start of a structure to a member.
    fn member_offset(&self, ty: Type, member: u32, rules: Rules) -> Lowered<u32> {
        let Some(structure) = self.types.as_struct(ty) else { return self.refuse("this member", None) };
        let mut free = 0u32;
        for (i, field) in structure.fields.iter().enumerate() {
            let (size, align) = self.size_align(field.ty, rules)?;
            free = free.next_multiple_of(align.max(1));
            if i == member as usize {
                return Ok(free);
            }
            free += size;
        }
        self.refuse("this member", None)
    }

    fn size_align(&self, ty: Type, rules: Rules) -> Lowered<(u32, u32)> {
        match rules {
            Rules::Flat => Ok((self.words(ty)? * 4, 4)),
            Rules::Block { packing, row_major } => match layout::size_align(&self.types, ty, packing, row_major) {
                Some(found) => Ok(found),
                None => self.refuse(format!("`{}` in a block", self.shader.type_name(ty)), None),
            },
        }
    }

    /// Returns the bytes between elements of an array, columns of a matrix, or components of a vector.
    fn element_stride(&self, lvalue: &MemoryLValue, element: Type) -> Lowered<u32> {
        match lvalue.ty {
            Type::Vector(scalar, _) => Ok(lvalue.stride.unwrap_or(size_of(scalar))),
            Type::Matrix(scalar, _, rows) => Ok(match lvalue.rules {
                Rules::Flat => u32::from(rows) * size_of(scalar),
                Rules::Block { row_major: true, .. } => size_of(scalar),
                Rules::Block { packing, row_major } => {
                    layout::matrix_stride(&self.types, lvalue.ty, packing, row_major)
                }
            }),
            _ => {
                let (size, align) = self.size_align(element, lvalue.rules)?;
                let align = match lvalue.rules {
                    Rules::Block { packing, .. } if packing != Packing::Std430 => align.max(16),
                    _ => align,
                };
                Ok(size.next_multiple_of(align.max(1)))
            }
        }
    }

    /// Returns the lvalue of an element of an lvalue in memory.
    pub(super) fn memory_element(
        &mut self,
        lvalue: &MemoryLValue,
        index: ExprId,
        element: Type,
    ) -> Lowered<MemoryLValue> {
        let at = self.index_value(index)?;
        let mut made = MemoryLValue { ty: element, ..lvalue.clone() };
        if lvalue.block.is_some() {
            // In an array of blocks each element is another buffer.
            let mut inner = 1u32;
            let mut ty = element;
            while let Some(array) = self.types.as_array(ty) {
                inner = inner.saturating_mul(array.size.unwrap_or(1));
                ty = array.element;
            }
            let Base::Slot(slot, index) = made.address.base else {
                return self.refuse("a block behind a pointer", None);
            };
            made.address.base = match at {
                Err(known) => Base::Slot(slot + u32::try_from(known).unwrap_or(0) * inner, index),
                Ok(register) => Base::Slot(slot, Some(self.moved(register, inner, index)?)),
            };
            return Ok(made);
        }
        if let Some(swizzle) = &lvalue.swizzle {
            return self.swizzled_element(lvalue, swizzle, at, element);
        }
        let stride = self.element_stride(lvalue, element)?;
        made.stride = match (lvalue.ty, lvalue.rules) {
            (Type::Matrix(..), Rules::Block { packing, row_major: true }) => {
                Some(layout::matrix_stride(&self.types, lvalue.ty, packing, true))
            }
            _ => None,
        };
        let count = match lvalue.ty {
            Type::Vector(_, n) | Type::Matrix(_, n, _) => Some(u32::from(n)),
            _ => self.types.as_array(lvalue.ty).and_then(|array| array.size),
        };
        match at {
            Err(known) => {
                let known = u32::try_from(known).unwrap_or(0).min(count.unwrap_or(u32::MAX).saturating_sub(1));
                made.address.offset = made.address.offset.saturating_add(known.saturating_mul(stride));
            }
            Ok(register) => {
                let bounded = match count {
                    Some(count) => {
                        let to = self.one()?;
                        self.emit(Instruction::Bound(to, register, count));
                        to
                    }
                    None => register,
                };
                made.address.index = Some(self.moved(bounded, stride, made.address.index)?);
            }
        }
        Ok(made)
    }

    /// Emits `index * stride + before`.
    fn moved(&mut self, index: Register, stride: u32, before: Option<Register>) -> Lowered<Register> {
        let stride = self.word(stride)?;
        let scaled = self.two(Op2::IMul, index, stride)?;
        match before {
            None => Ok(scaled),
            Some(before) => self.two(Op2::IAdd, before, scaled),
        }
    }

    /// Returns the lvalue of a component of a swizzle, whose offset is selected by the index.
    fn swizzled_element(
        &mut self,
        lvalue: &MemoryLValue,
        swizzle: &[u8],
        at: Result<Register, i64>,
        element: Type,
    ) -> Lowered<MemoryLValue> {
        let stride = lvalue.stride.unwrap_or(element.scalar().map_or(4, size_of));
        let mut made = MemoryLValue { ty: element, swizzle: None, stride: None, ..lvalue.clone() };
        match at {
            Err(known) => {
                let known = usize::try_from(known).unwrap_or(0).min(swizzle.len() - 1);
                made.address.offset += u32::from(swizzle[known]) * stride;
            }
            Ok(register) => {
                let mut offset = self.word(u32::from(swizzle[0]) * stride)?;
                for (i, &component) in swizzle.iter().enumerate().skip(1) {
                    let (number, candidate) = (self.word(i as u32)?, self.word(u32::from(component) * stride)?);
                    let here = self.two(Test2::IEq, register, number)?;
                    offset = self.choose(here, candidate, offset, false)?;
                }
                made.address.index = Some(self.moved(offset, 1, made.address.index)?);
            }
        }
        Ok(made)
    }

    /// Returns the byte offset and component type of every scalar of an lvalue, in order.
    fn spread(&self, lvalue: &MemoryLValue) -> Lowered<Vec<(u32, Scalar)>> {
        let mut all = Vec::new();
        if let (Some(swizzle), Some(scalar)) = (&lvalue.swizzle, lvalue.ty.scalar()) {
            let stride = lvalue.stride.unwrap_or(size_of(scalar));
            all.extend(swizzle.iter().map(|&c| (u32::from(c) * stride, scalar)));
            return Ok(all);
        }
        self.spread_into(lvalue, 0, &mut all)?;
        Ok(all)
    }

    fn spread_into(&self, lvalue: &MemoryLValue, base: u32, all: &mut Vec<(u32, Scalar)>) -> Lowered<()> {
        let part = |ty: Type, stride: Option<u32>| MemoryLValue { ty, stride, block: None, ..lvalue.clone() };
        match lvalue.ty {
            Type::Scalar(scalar) => all.push((base, scalar)),
            Type::Vector(scalar, n) => {
                let stride = self.element_stride(lvalue, Type::Scalar(scalar))?;
                all.extend((0..u32::from(n)).map(|i| (base + i * stride, scalar)));
            }
            Type::Matrix(scalar, columns, rows) => {
                let column = Type::vector(scalar, rows);
                let stride = self.element_stride(lvalue, column)?;
                let inner = match lvalue.rules {
                    Rules::Block { packing, row_major: true } => {
                        Some(layout::matrix_stride(&self.types, lvalue.ty, packing, true))
                    }
                    _ => None,
                };
                for i in 0..u32::from(columns) {
                    self.spread_into(&part(column, inner), base + i * stride, all)?;
                }
            }
            Type::Array(_) => {
                let Some(array) = self.types.as_array(lvalue.ty) else { return Ok(()) };
                let Some(size) = array.size else {
                    return self.refuse("an array without a size as a value", None);
                };
                let stride = self.element_stride(lvalue, array.element)?;
                for i in 0..size {
                    self.spread_into(&part(array.element, None), base + i * stride, all)?;
                }
            }
            Type::Struct(_) => {
                let fields = self.types.as_struct(lvalue.ty).map_or(0, |s| s.fields.len());
                for member in 0..fields as u32 {
                    let (offset, rules) = match lvalue.block {
                        Some(block) => (self.field_offset(block, member)?, self.block_rules(block, Some(member))),
                        None => (self.member_offset(lvalue.ty, member, lvalue.rules)?, lvalue.rules),
                    };
                    let ty = self
                        .shader
                        .typed
                        .types
                        .as_struct(lvalue.ty)
                        .map_or(Type::Error, |s| s.fields[member as usize].ty);
                    self.spread_into(&MemoryLValue { rules, ..part(ty, None) }, base + offset, all)?;
                }
            }
            // A handle has 64 bits, of which only the lower half is used.
            Type::Opaque(_) => all.push((base, Scalar::Uint)),
            _ => return self.refuse(format!("`{}` in memory", self.shader.type_name(lvalue.ty)), None),
        }
        Ok(())
    }

    pub(super) fn load_memory(&mut self, lvalue: &MemoryLValue) -> Lowered<Value> {
        let mut registers = Vec::new();
        for (offset, scalar) in self.spread(lvalue)? {
            let mut register = self.component(scalar)?;
            let access = if scalar.is_64_bit() { Access::WIDE } else { Access::WORD };
            let offset = lvalue.address.offset.saturating_add(offset);
            self.emit(Instruction::Read(access, register, Address { offset, ..lvalue.address }));
            if scalar == Scalar::Bool {
                // A boolean in memory is true when it is not zero.
                let zero = self.word(0)?;
                register = self.two(Test2::INe, register, zero)?;
            }
            registers.push(register);
        }
        Ok(Value { ty: lvalue.ty, registers })
    }

    pub(super) fn store_memory(&mut self, lvalue: &MemoryLValue, value: &Value) -> Lowered<()> {
        for ((offset, scalar), &from) in self.spread(lvalue)?.into_iter().zip(&value.registers) {
            let width = if scalar.is_64_bit() { Width::W64 } else { Width::W32 };
            let offset = lvalue.address.offset.saturating_add(offset);
            self.emit(Instruction::Write(width, Address { offset, ..lvalue.address }, from));
        }
        Ok(())
    }

    /// Emits `.length()` of the array without a size at the end of a storage block.
    pub(super) fn runtime_length(&mut self, lvalue: &MemoryLValue) -> Lowered<Register> {
        let Some(array) = self.types.as_array(lvalue.ty) else {
            return self.refuse("this `.length()`", None);
        };
        if let Some(size) = array.size {
            return self.word(size);
        }
        let stride = self.element_stride(lvalue, array.element)?;
        let bytes = self.one()?;
        self.emit(Instruction::Bytes(bytes, lvalue.address));
        let (start, stride) = (self.word(lvalue.address.offset)?, self.word(stride)?);
        let rest = self.two(Op2::USubSat, bytes, start)?;
        self.two(Op2::UDiv, rest, stride)
    }
}

fn size_of(scalar: Scalar) -> u32 {
    if scalar.is_64_bit() { 8 } else { 4 }
}
