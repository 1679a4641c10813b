//! Texture functions. Their names are made of parts - `Proj`, `Lod`, `Grad`, `Offset`, … - and the parts say which
//! arguments there are, in the same order in all versions of GLSL.

use lanes::Op2;
use shader::ast::ExprId;
use shader::builtin;
use shader::types::{Dim, Opaque, Scalar};

use crate::glsl::lower::{Lower, Lowered, Value};
use crate::glsl::types::opaque_of;
use crate::ir::{Detail, Instruction, Lookup, LookupId, LookupKind, Query, Register};

impl Lower<'_> {
    pub(super) fn texture_function(
        &mut self,
        id: ExprId,
        name: &str,
        function: &'static builtin::Function,
        sampler: Opaque,
        arguments: &[ExprId],
    ) -> Lowered<Value> {
        let ty = function.result;
        // Sparse look-ups return the residency, and the texel through a parameter; the rest is the same.
        let mut target = None;
        let mut values = Vec::new();
        for (i, (&argument, param)) in arguments.iter().zip(&function.params).enumerate() {
            if param.direction == builtin::Direction::In {
                let value = self.operand(argument, &arguments[i + 1..])?;
                values.push(self.convert(value, param.ty)?);
            } else {
                target = Some((self.lvalue(argument)?, param.ty));
            }
        }
        let handle = values[0].registers[0];
        let query = if name.starts_with("textureSize") {
            Some(Query::TextureSize)
        } else if name.starts_with("textureQueryLevels") {
            Some(Query::Levels)
        } else if name == "textureSamples" {
            Some(Query::TextureSamples)
        } else {
            None
        };
        if let Some(query) = query {
            let level = match values.get(1) {
                Some(level) => level.registers[0],
                None => self.word(0)?,
            };
            let to = self.fresh(ty.components())?;
            self.emit(Instruction::Query(query, to, handle, level));
            return Ok(Value { ty, registers: to.iter().collect() });
        }
        let mut look = self.lookup(id, name, sampler, &values)?;
        let result = target.as_ref().map_or(ty, |(_, ty)| *ty);
        look.to = self.fresh(result.components())?;
        let texel = Value { ty: result, registers: look.to.iter().collect() };
        let residency = self.one()?;
        look.residency = target.is_some().then_some(residency);
        self.lookups.push(look);
        self.emit(Instruction::Lookup(LookupId(self.lookups.len() as u32 - 1)));
        match target {
            Some((lvalue, _)) => {
                self.store(&lvalue, &texel)?;
                Ok(Value { ty, registers: vec![residency] })
            }
            None => Ok(texel),
        }
    }

    fn lookup(&mut self, id: ExprId, name: &str, sampler: Opaque, values: &[Value]) -> Lowered<Lookup> {
        let has = |part: &str| name.contains(part);
        let kind_fetch = has("Fetch");
        // GL_AMD_texture_texture4 calls it by another name.
        let gathers = has("Gather") || name == "texture4";
        let queries = has("QueryLod") || has("QueryLOD");
        let mut rest = values[2..].iter();
        let position = &values[1].registers;
        let axes = axes(sampler.dim);
        let wanted = if queries { axes } else { axes + usize::from(sampler.array) };
        if position.len() < wanted {
            return self.refuse(format!("this `{name}`"), Some(id));
        }
        let mut coords = position[..wanted].to_vec();
        let mut reference = None;
        if sampler.shadow && !queries {
            // The reference is the first component that is not part of the coordinate, but never the second; if there is
            // none, it is a separate argument.
            reference = match position.get(wanted.max(2)) {
                Some(&register) if !gathers => Some(register),
                _ => rest.next().map(|v| v.registers[0]),
            };
        }
        if has("Proj") {
            let Some(&divisor) = position.last() else { return self.refuse(format!("this `{name}`"), Some(id)) };
            for coord in &mut coords {
                *coord = self.two(Op2::FDiv, *coord, divisor)?;
            }
            if let Some(depth) = reference {
                reference = Some(self.two(Op2::FDiv, depth, divisor)?);
            }
        }
        let (mut detail, sample) = match self.detail(name, sampler, &mut rest) {
            Some(detail) => detail,
            None => return self.refuse(format!("this `{name}`"), Some(id)),
        };
        let mut offset = Vec::new();
        if has("Offset")
            && let Some(value) = rest.next()
        {
            offset.clone_from(&value.registers);
        }
        let min_lod = if has("Clamp") { rest.next().map(|v| v.registers[0]) } else { None };
        let last = rest.next().map(|v| v.registers[0]);
        let kind = if kind_fetch {
            LookupKind::Fetch
        } else if queries {
            LookupKind::QueryLod
        } else if gathers {
            LookupKind::Gather(match last {
                Some(component) => component,
                None => self.word(0)?,
            })
        } else {
            if let (Detail::Implicit(_), Some(bias)) = (&detail, last) {
                detail = Detail::Implicit(Some(bias));
            }
            LookupKind::Sample
        };
        // Queries return floats, whatever the texels are.
        let sampler = if queries { Opaque { texel: Scalar::Float, ..sampler } } else { sampler };
        let nowhere = crate::ir::Registers { start: Register(0), len: 0 };
        let handle = values[0].registers[0];
        Ok(Lookup {
            to: nowhere,
            handle,
            sampler: opaque_of(sampler),
            kind,
            coords,
            reference,
            detail,
            offset,
            sample,
            min_lod,
            residency: None,
        })
    }

    /// Takes the arguments that select the level of detail, or the sample; `None` if one is missing.
    fn detail<'v>(
        &self,
        name: &str,
        sampler: Opaque,
        rest: &mut impl Iterator<Item = &'v Value>,
    ) -> Option<(Detail, Option<Register>)> {
        let mut next = || rest.next().map(|value| value.registers.clone());
        if name.contains("Fetch") {
            if sampler.multisample {
                return Some((Detail::Base, next().map(|sample| sample[0])));
            }
            let has_levels = !matches!(sampler.dim, Dim::Rect | Dim::Buffer);
            let level = if has_levels { next() } else { None };
            return Some((level.map_or(Detail::Base, |level| Detail::Level(level[0])), None));
        }
        if name.contains("Grad") {
            return Some((Detail::Gradient(next()?, next()?), None));
        }
        let queries = name.contains("QueryLod") || name.contains("QueryLOD");
        let default = if self.has_derivatives() { Detail::Implicit(None) } else { Detail::Base };
        Some(if name.contains("Lod") && !queries {
            (next().map_or(default, |level| Detail::Level(level[0])), None)
        } else if name.contains("Gather") || name == "texture4" {
            (Detail::Base, None)
        } else {
            (default, None)
        })
    }
}

/// Returns the number of coordinates of a texture's shape, without layers.
fn axes(dim: Dim) -> usize {
    match dim {
        Dim::D1 | Dim::Buffer => 1,
        Dim::D2 | Dim::Rect | Dim::External | Dim::Subpass => 2,
        Dim::D3 | Dim::Cube => 3,
    }
}
