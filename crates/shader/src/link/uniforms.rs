//! Uniforms outside blocks, and their locations (GL 4.6, 7.6).

use std::collections::BTreeMap;

use super::linker::Linker;
use super::locations::Gaps;
use super::{Declared, Uniform};
use crate::layout;
use crate::qualifier::Storage;
use crate::typed::VariableKind;
use crate::types::{OpaqueKind, Type};

impl Linker<'_> {
    pub(super) fn list_uniforms(&mut self) {
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for index in 0..self.stages.len() {
            let bit = self.stages[index].stage.bit();
            for unit in self.stages[index].units.clone() {
                for at in self.globals(unit) {
                    let row = self.variable(at);
                    let q = &row.qualifiers;
                    let wanted = matches!(row.kind, VariableKind::Global)
                        && q.storage == Storage::Uniform
                        && !q.flags.subroutine
                        && !self.is_subroutine(at);
                    if !wanted {
                        continue;
                    }
                    let name = self.variable_name(at);
                    let slot = *known.entry(name).or_insert(self.out.uniforms.len());
                    if slot == self.out.uniforms.len() {
                        self.out.uniforms.push(Uniform {
                            name: name.to_owned(),
                            declared: Vec::new(),
                            array_size: None,
                            stages: 0,
                            location: None,
                            locations: 1,
                            binding: None,
                        });
                    }
                    let used = self.is_used(at);
                    let shape = self.shape(at);
                    let size = self.types(unit).as_array(shape.ty).and_then(|a| a.size.or(shape.implied).or(Some(1)));
                    let uniform = &mut self.out.uniforms[slot];
                    uniform.declared.push(at);
                    uniform.array_size = uniform.array_size.max(size);
                    uniform.stages |= if used { bit } else { 0 };
                    uniform.location = uniform.location.or(q.layout.location);
                    uniform.binding = uniform.binding.or(q.layout.binding);
                }
            }
        }
        for i in 0..self.out.uniforms.len() {
            let uniform = &self.out.uniforms[i];
            let at = uniform.declared[0];
            let ty = self.variable(at).ty;
            let locations = match self.types(at.shader).as_array(ty) {
                Some(array) => layout::uniform_locations(self.types(at.shader), array.element)
                    .unwrap_or(1)
                    .saturating_mul(uniform.array_size.unwrap_or(1)),
                None => layout::uniform_locations(self.types(at.shader), ty).unwrap_or(1),
            };
            self.out.uniforms[i].locations = locations;
        }
        self.assign_uniforms();
    }

    pub(super) fn is_subroutine(&self, at: Declared) -> bool {
        let mut ty = self.variable(at).ty;
        while let Some(array) = self.types(at.shader).as_array(ty) {
            ty = array.element;
        }
        matches!(ty, Type::Subroutine(_))
    }

    /// Explicit locations must not overlap, used or not (GLSL 4.60, 4.4.3); the others go into the gaps.
    fn assign_uniforms(&mut self) {
        let mut taken: Vec<(u32, u32, usize)> = Vec::new();
        for (i, uniform) in self.out.uniforms.iter().enumerate() {
            if let Some(location) = uniform.location {
                taken.push((location, location.saturating_add(uniform.locations), i));
            }
        }
        taken.sort_unstable();
        let mut furthest: Option<(u32, usize)> = None;
        let mut clashes = Vec::new();
        for &(start, end, i) in &taken {
            if let Some((_, other)) = furthest.filter(|f| start < f.0) {
                clashes.push((i.max(other), i.min(other), start));
            }
            if furthest.is_none_or(|f| f.0 < end) {
                furthest = Some((end, i));
            }
        }
        for (i, other, location) in clashes {
            let (at, there) = (self.out.uniforms[i].declared[0], self.out.uniforms[other].declared[0]);
            let (a, b) = (&self.out.uniforms[i].name, &self.out.uniforms[other].name);
            let message = format!("uniforms `{a}` and `{b}` both take location {location}");
            self.conflict(at, there, "location-overlap", message);
        }
        let mut gaps = Gaps::new(taken.iter().map(|t| (t.0, t.1)).collect());
        for i in 0..self.out.uniforms.len() {
            let uniform = &self.out.uniforms[i];
            let counter = self.handle_kind(uniform.declared[0]) == Some(OpaqueKind::AtomicUint);
            if uniform.location.is_none() && uniform.stages != 0 && !counter {
                let location = gaps.take(uniform.locations);
                self.out.uniforms[i].location = Some(location);
            }
        }
    }
}
