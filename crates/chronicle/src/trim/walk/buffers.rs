//! Buffers.

use api::{Namespace, Operation, constant as c};

use super::super::slot::{Family, Object, key};
use super::{Step, Walk};

/// Targets whose buffers the GPU writes to.
const WRITTEN: [u32; 4] = [
    c::GL_TRANSFORM_FEEDBACK_BUFFER,
    c::GL_SHADER_STORAGE_BUFFER,
    c::GL_ATOMIC_COUNTER_BUFFER,
    c::GL_PIXEL_PACK_BUFFER,
];

impl Walk {
    /// What a call does to buffers. False when it is no such call, or does nothing that lasts.
    pub(super) fn buffer(&mut self, step: &mut Step<'_>, operation: Operation) -> bool {
        match operation {
            Operation::BindBuffer => self.bind_buffer(step),
            Operation::BindBufferIndexed => {
                let (target, index, name) = (step.arg(0), step.wide(1), step.arg(2));
                self.bound(step).names.buffers.insert(target, name);
                self.bind(step, Namespace::Buffer, name, target);
                self.written_through(step, target, name);
                self.sets(step, Family::BufferBinding, u64::from(target));
                self.sets(step, Family::Plain, key([u64::from(target), index, u64::MAX]));
                // Transform feedback objects have bindings of their own; which one is bound is not followed.
                if target == c::GL_TRANSFORM_FEEDBACK_BUFFER {
                    step.fate = super::super::log::Fate::Always;
                }
            }
            Operation::BufferStorage { named } => {
                let buffer = self.addressed(step, named);
                let size = step.wide(1);
                let about = self.about(buffer, step.context);
                (about.size, about.changes, about.changed) = (size, 0, 0);
                // New storage is not mapped, even if the old one was.
                (about.mapped, about.written) = (false, false);
                self.sets_of(step, buffer, Family::Storage, 0);
                self.sets_of(step, buffer, Family::Contents, 0);
            }
            Operation::BufferSub { named } => {
                let buffer = self.addressed(step, named);
                let (offset, size) = (step.wide(1), step.wide(2));
                let about = self.about(buffer, step.context);
                if offset == 0 && size == about.size {
                    (about.changes, about.changed) = (0, 0);
                    self.sets_of(step, buffer, Family::Contents, 0);
                } else {
                    about.changes += 1;
                    about.changed += size;
                    self.changes_of(step, buffer, Family::Contents, 0);
                }
            }
            Operation::ClearBufferData { named } | Operation::CopyBuffer { named } => {
                // What is filled or copied is read back from the driver afterwards, if it is needed.
                let at = usize::from(matches!(operation, Operation::CopyBuffer { .. }));
                let buffer = if named {
                    self.object(step.context, Namespace::Buffer, step.arg(at))
                } else {
                    self.at_target(step, step.arg(at))
                };
                self.about(buffer, step.context).by_gpu = true;
                return false;
            }
            Operation::Map { named } => {
                let address = step.call.outcome.as_ref().map_or(0, |outcome| outcome.result);
                if address == 0 {
                    return false;
                }
                let buffer = self.addressed(step, named);
                self.maps.insert(address, buffer);
                let bits = if step.call.args.len() == 4 { step.arg(3) } else { 0 };
                let invalidates = bits & c::GL_MAP_INVALIDATE_BUFFER_BIT != 0;
                let about = self.about(buffer, step.context);
                (about.mapped, about.written) = (true, invalidates);
                if invalidates {
                    (about.changes, about.changed) = (0, 0);
                    self.sets_of(step, buffer, Family::Contents, 0);
                }
                self.sets_of(step, buffer, Family::Mapping, 0);
            }
            Operation::Unmap { named } => {
                let buffer = self.addressed(step, named);
                let about = self.about(buffer, step.context);
                let written = about.written;
                (about.mapped, about.written) = (false, false);
                self.changes_of(step, buffer, Family::Mapping, 0);
                // A map that is kept for what was written through it has to end.
                if written {
                    self.changes_of(step, buffer, Family::Contents, 0);
                    self.needs_mapping(step, buffer);
                }
            }
            Operation::FlushMapped { named } => {
                let buffer = self.addressed(step, named);
                self.about(buffer, step.context).written = true;
                self.needs_mapping(step, buffer);
                self.changes_of(step, buffer, Family::Contents, 0);
            }
            Operation::WriteMapped => {
                let Some(buffer) = self.maps.get(&step.wide(0)).copied() else { return false };
                let size = step.wide(2);
                let about = self.about(buffer, step.context);
                about.changes += 1;
                about.changed += size;
                about.written = true;
                self.needs_mapping(step, buffer);
                self.changes_of(step, buffer, Family::Contents, 0);
            }
            _ => return false,
        }
        true
    }

    fn bind_buffer(&mut self, step: &mut Step<'_>) {
        let (target, name) = (step.arg(0), step.arg(1));
        self.bind(step, Namespace::Buffer, name, target);
        self.written_through(step, target, name);
        if target == c::GL_ELEMENT_ARRAY_BUFFER {
            let bound = self.bound(step);
            let array = bound.names.vertex_array;
            bound.elements.insert(array, name);
            let array = self.object(step.context, Namespace::VertexArray, array);
            self.needs(step, Family::VertexArray, 0);
            self.sets_of(step, array, Family::BufferBinding, 0);
            let buffer = self.object(step.context, Namespace::Buffer, name);
            self.about(buffer, step.context).held = true;
        } else {
            self.bound(step).names.buffers.insert(target, name);
            self.sets(step, Family::BufferBinding, u64::from(target));
        }
    }

    fn written_through(&mut self, step: &Step<'_>, target: u32, name: u32) {
        if name != 0 && WRITTEN.contains(&target) {
            let buffer = self.object(step.context, Namespace::Buffer, name);
            self.about(buffer, step.context).by_gpu = true;
        }
    }

    /// The buffer that a call names with its first parameter, or by the target that it is bound to, which it relies on.
    fn addressed(&mut self, step: &mut Step<'_>, named: bool) -> Object {
        if named {
            return self.object(step.context, Namespace::Buffer, step.arg(0));
        }
        let target = step.arg(0);
        if target == c::GL_ELEMENT_ARRAY_BUFFER {
            let array = self.bound(step).names.vertex_array;
            let array = self.object(step.context, Namespace::VertexArray, array);
            self.needs(step, Family::VertexArray, 0);
            let slot = self.slots.number(super::Owner::Object(array), Family::BufferBinding, 0);
            step.effect.needs.push(slot);
        } else {
            self.needs(step, Family::BufferBinding, u64::from(target));
        }
        self.at_target(step, target)
    }

    fn at_target(&mut self, step: &Step<'_>, target: u32) -> Object {
        let bound = self.bound(step);
        let name = if target == c::GL_ELEMENT_ARRAY_BUFFER {
            bound.elements.get(&bound.names.vertex_array)
        } else {
            bound.names.buffers.get(&target)
        };
        let name = name.copied().unwrap_or(0);
        self.object(step.context, Namespace::Buffer, name)
    }

    fn needs_mapping(&mut self, step: &mut Step<'_>, buffer: Object) {
        let slot = self.slots.number(super::Owner::Object(buffer), Family::Mapping, 0);
        step.effect.needs.push(slot);
    }
}
