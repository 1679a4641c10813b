//! Image functions.

use shader::ast::ExprId;
use shader::builtin;
use shader::types::{Dim, Opaque, Type};

use super::atomic_op;
use crate::glsl::lower::{Lower, Lowered, Value};
use crate::glsl::types::opaque_of;
use crate::ir::{ImageAccess, ImageOp, ImageOpId, Instruction, Query, Register};

impl Lower<'_> {
    pub(super) fn image_function(
        &mut self,
        id: ExprId,
        name: &str,
        function: &'static builtin::Function,
        image: Opaque,
        arguments: &[ExprId],
    ) -> Lowered<Value> {
        if function.params.iter().any(|p| p.direction != builtin::Direction::In) {
            return self.refuse(format!("`{name}`"), Some(id));
        }
        let values = self.inputs(function, arguments)?;
        let (handle, ty) = (values[0].registers[0], function.result);
        if let Some(query) = match name {
            "imageSize" => Some(Query::ImageSize),
            "imageSamples" => Some(Query::ImageSamples),
            _ => None,
        } {
            let to = self.fresh(ty.components())?;
            self.emit(Instruction::Query(query, to, handle, handle));
            return Ok(Value { ty, registers: to.iter().collect() });
        }
        let mut coords = values[1].registers.clone();
        coords.truncate(coordinates(image));
        let mut rest: Vec<&Value> = values[2..].iter().collect();
        let sample = if image.multisample && !rest.is_empty() { Some(rest.remove(0).registers[0]) } else { None };
        let mut op = |lower: &mut Self, access: ImageAccess| {
            lower.image_ops.push(ImageOp {
                handle,
                image: opaque_of(image),
                access,
                coords: std::mem::take(&mut coords),
                sample,
            });
            let id = ImageOpId(lower.image_ops.len() as u32 - 1);
            lower.emit(Instruction::Image(id));
        };
        match (name, &rest[..]) {
            ("imageLoad", _) => {
                let to = self.fresh(4)?;
                op(self, ImageAccess::Load(to));
                Ok(Value { ty, registers: to.iter().collect() })
            }
            ("imageStore", [data]) => {
                let Ok(from) = <[Register; 4]>::try_from(&data.registers[..]) else {
                    return self.refuse("this `imageStore`", Some(id));
                };
                op(self, ImageAccess::Store(from));
                Ok(Value { ty: Type::Void, registers: Vec::new() })
            }
            (_, operands) => {
                let Some(operation) = atomic_op(name.trim_start_matches("imageAtomic"), ty.scalar()) else {
                    return self.refuse(format!("`{name}`"), Some(id));
                };
                let operands: Vec<Register> = operands.iter().map(|v| v.registers[0]).collect();
                let operands = match operands[..] {
                    [compare, value] => [value, compare],
                    [value] => [value, value],
                    _ => return self.refuse(format!("`{name}`"), Some(id)),
                };
                let to = self.one()?;
                op(self, ImageAccess::Atomic(to, operation, operands));
                Ok(Value { ty, registers: vec![to] })
            }
        }
    }
}

/// Returns the number of integers of an image coordinate; a cube's face counts as one, also together with its layer.
fn coordinates(image: Opaque) -> usize {
    let axes = match image.dim {
        Dim::D1 | Dim::Buffer => 1,
        Dim::D2 | Dim::Rect | Dim::External | Dim::Subpass => 2,
        Dim::D3 | Dim::Cube => return 3,
    };
    axes + usize::from(image.array)
}
