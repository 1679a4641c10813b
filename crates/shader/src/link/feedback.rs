//! Transform feedback declared in shaders with `xfb_buffer`, `xfb_offset` and `xfb_stride` (GLSL 4.60, 4.4.2).

use std::collections::BTreeMap;

use super::blocks::BlockAt;
use super::linker::Linker;
use super::{Captured, Declared};
use crate::layout::xfb_size;
use crate::qualifier::Storage;
use crate::version::Stage;

/// The strides of buffers in bytes, each with the shader that declares it; `usize::MAX` where none does.
type Strides = BTreeMap<u32, (u32, usize)>;

impl Linker<'_> {
    pub(super) fn lay_out_feedback(&mut self) {
        // The outputs of the last stage before rasterisation are captured.
        let last = self.stages.iter().rposition(|s| !matches!(s.stage, Stage::Fragment | Stage::Compute));
        let Some(index) = last else { return };
        let mut strides = Strides::new();
        for &unit in &self.stages[index].units {
            for &(buffer, stride) in &self.typed(unit).stage.xfb_strides {
                strides.entry(buffer).or_insert((stride, unit));
            }
        }
        let mut captured = self.captured_variables(index, &mut strides);
        for &unit in &self.stages[index].units {
            for block in self.blocks_of(unit) {
                self.capture_members(unit, block, &mut strides, &mut captured);
            }
        }
        let mut findings = Vec::new();
        captured.sort_by_key(|c| (c.buffer, c.offset));
        self.check_capture(&captured, &strides, &mut findings);
        for c in &captured {
            let stride = &mut strides.entry(c.buffer).or_insert((0, usize::MAX));
            if stride.1 == usize::MAX {
                let wide = c.size % 8 == 0 && self.has_wide(c.output.shader, c.ty);
                let end = c.offset.saturating_add(c.size).checked_next_multiple_of(if wide { 8 } else { 4 });
                stride.0 = stride.0.max(end.unwrap_or(u32::MAX));
            }
        }
        for (at, message) in findings {
            self.error_variable(at, "transform-feedback", message);
        }
        self.check_strides(index, &strides);
        self.out.feedback.captured = captured;
        self.out.feedback.strides = strides.into_iter().map(|(buffer, (stride, _))| (buffer, stride)).collect();
    }

    /// Returns the captured outputs that are not in blocks; adds the strides that they declare.
    fn captured_variables(&self, stage: usize, strides: &mut Strides) -> Vec<Captured> {
        let mut captured = Vec::new();
        for at in self.interface(&self.stages[stage], Storage::Out) {
            let q = self.qualifiers(at).layout;
            if let Some(stride) = q.xfb_stride {
                strides.entry(q.xfb_buffer.unwrap_or(0)).or_insert((stride, at.shader));
            }
            let (Some(offset), ty) = (q.xfb_offset, self.variable(at).ty) else { continue };
            let Some(size) = xfb_size(self.types(at.shader), ty) else { continue };
            let (name, buffer) = (self.variable_name(at).to_owned(), q.xfb_buffer.unwrap_or(0));
            captured.push(Captured { output: at, member: None, name, ty, buffer, offset, size });
        }
        captured
    }

    /// Adds the captured members of an output block, and the stride that it declares.
    fn capture_members(&self, unit: usize, block: BlockAt, strides: &mut Strides, captured: &mut Vec<Captured>) {
        let row = self.block(block);
        if row.qualifiers.storage != Storage::Out {
            return;
        }
        let Some(output) = self.block_variable(block) else { return };
        let of_block = row.qualifiers.layout;
        let buffer = of_block.xfb_buffer.unwrap_or(0);
        if let Some(stride) = of_block.xfb_stride {
            strides.entry(buffer).or_insert((stride, unit));
        }
        // A block's offset is that of its first member; members without an offset follow the previous one.
        let mut next = of_block.xfb_offset;
        for (i, field) in self.fields(block).iter().enumerate() {
            let own = field.qualifiers.layout;
            let Some(size) = xfb_size(self.types(unit), field.ty) else { continue };
            if own.xfb_offset.is_none() && next.is_none() {
                continue;
            }
            let wide = size % 8 == 0 && self.has_wide(unit, field.ty);
            let implied = next.unwrap_or(0).next_multiple_of(if wide { 8 } else { 4 });
            let offset = own.xfb_offset.unwrap_or(implied);
            if of_block.xfb_offset.is_some() {
                next = Some(offset.saturating_add(size));
            }
            let name = format!("{}.{}", self.block_name(block), self.name(unit, field.name));
            let buffer = own.xfb_buffer.unwrap_or(buffer);
            let member = Some(i as u32);
            captured.push(Captured { output, member, name, ty: field.ty, buffer, offset, size });
        }
    }

    /// Reports strides beyond the limit.
    fn check_strides(&mut self, stage: usize, strides: &Strides) {
        let limit = self.limit("gl_MaxTransformFeedbackInterleavedComponents").unwrap_or(64);
        for (&buffer, &(stride, unit)) in strides.iter().filter(|(_, (stride, _))| stride / 4 > limit) {
            let shader = if unit == usize::MAX { self.stages[stage].units[0] } else { unit };
            let message = format!(
                "transform feedback buffer {buffer} takes {} components per vertex, the limit is {limit}",
                stride / 4
            );
            let error = self.error_at(shader, None, "transform-feedback", message);
            self.report(shader, error);
        }
    }

    fn has_wide(&self, shader: usize, ty: crate::types::Type) -> bool {
        let wide = |leaf: crate::types::Type| Some(u64::from(leaf.scalar().is_some_and(|s| s.is_64_bit())));
        crate::measure::measure(self.types(shader), ty, &wide).is_some_and(|n| n > 0)
    }

    fn check_capture(&self, captured: &[Captured], strides: &Strides, findings: &mut Vec<(Declared, String)>) {
        let mut previous: Option<&Captured> = None;
        for c in captured {
            let end = c.offset.saturating_add(c.size);
            if let Some(p) = previous.filter(|p| p.buffer == c.buffer && c.offset < p.offset.saturating_add(p.size)) {
                let message =
                    format!("`{}` and `{}` overlap in transform feedback buffer {}", c.name, p.name, c.buffer);
                findings.push((c.output, message));
            }
            if let Some(&(stride, _)) = strides.get(&c.buffer)
                && end > stride
            {
                let message = format!(
                    "`{}` ends at byte {end}, behind the `xfb_stride` of {stride} of buffer {}",
                    c.name, c.buffer
                );
                findings.push((c.output, message));
            }
            if previous.is_none_or(|p| p.buffer != c.buffer || p.offset.saturating_add(p.size) < end) {
                previous = Some(c);
            }
        }
    }
}
