//! Subroutines and the uniforms that select them (GLSL 4.60, 6.1.2; GL 4.6, 7.10).

use std::collections::{BTreeMap, BTreeSet};

use super::linker::Linker;
use super::locations::Gaps;
use super::{Declared, Defined, Subroutine, SubroutineUniform};
use crate::typed::{FunctionId, VariableKind};
use crate::types::Type;

impl Linker<'_> {
    pub(super) fn list_subroutines(&mut self) {
        for index in 0..self.stages.len() {
            let from = self.out.subroutines.len();
            self.list_functions(index);
            self.out.subroutines[from..].sort_by_key(|s| s.index);
            self.list_subroutine_uniforms(index, from);
        }
    }

    fn list_functions(&mut self, index: usize) {
        let stage = self.stages[index].stage;
        let mut found: Vec<(Defined, Option<u32>)> = Vec::new();
        for &shader in &self.stages[index].units {
            for (i, row) in self.typed(shader).functions.iter().enumerate() {
                if !row.implements.is_empty() && row.body.is_some() {
                    found.push((Defined { shader, function: FunctionId(i as u32) }, row.index));
                }
            }
        }
        self.check_overloads(index, &found);
        let mut explicit: BTreeMap<u32, Defined> = BTreeMap::new();
        for &(at, given) in &found {
            let Some(given) = given else { continue };
            if let Some(&other) = explicit.get(&given) {
                let (a, b) = (self.function(at), self.function(other));
                let (name, there) = (self.name(at.shader, a.name), self.name(other.shader, b.name));
                let message = format!("subroutines `{name}` and `{there}` have the same index {given}");
                let note = self.place(other.shader, Some(b.declared));
                let error = self.error_at(at.shader, Some(a.declared), "subroutine-index", message).note(note);
                self.report(at.shader, error);
            } else {
                explicit.insert(given, at);
            }
        }
        let mut gaps = Gaps::new(explicit.keys().map(|&i| (i, i.saturating_add(1))).collect());
        for (at, given) in found {
            let row = self.function(at);
            let types = row.implements.iter().map(|&ty| self.typed(at.shader).function(ty).name);
            let types = types.map(|symbol| self.name(at.shader, symbol).to_owned()).collect();
            let name = self.name(at.shader, row.name).to_owned();
            let index = given.unwrap_or_else(|| gaps.take(1));
            self.out.subroutines.push(Subroutine { stage, name, function: at, index, types });
        }
    }

    /// A subroutine cannot share its name with another definition of its stage (GLSL 4.60, 6.1.2).
    fn check_overloads(&mut self, index: usize, subroutines: &[(Defined, Option<u32>)]) {
        let mut names: BTreeMap<&str, Defined> = BTreeMap::new();
        for &(at, _) in subroutines {
            names.insert(self.name(at.shader, self.function(at).name), at);
        }
        if names.is_empty() {
            return;
        }
        for shader in self.stages[index].units.clone() {
            for (i, row) in self.typed(shader).functions.iter().enumerate() {
                let at = Defined { shader, function: FunctionId(i as u32) };
                let name = self.name(shader, row.name);
                let Some(&other) = names.get(name).filter(|&&o| o != at && row.body.is_some()) else { continue };
                let message =
                    format!("`{name}` is a subroutine and cannot share its name with another function of the stage");
                let note = self.place(other.shader, Some(self.function(other).declared));
                let error = self.error_at(shader, Some(row.declared), "redefinition", message).note(note);
                self.report(shader, error);
            }
        }
    }

    fn list_subroutine_uniforms(&mut self, index: usize, from: usize) {
        let stage = self.stages[index].stage;
        let mut list: Vec<(Declared, u32, String)> = Vec::new();
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for unit in self.stages[index].units.clone() {
            for at in self.globals(unit) {
                let row = self.variable(at);
                let mut count = 1u32;
                let mut ty = row.ty;
                while let Some(array) = self.types(unit).as_array(ty) {
                    count =
                        count.saturating_mul(array.size.or(row.max_index.map(|n| n.saturating_add(1))).unwrap_or(1));
                    ty = array.element;
                }
                let Type::Subroutine(number) = ty else { continue };
                if matches!(row.kind, VariableKind::Global) && known.insert(self.variable_name(at)) {
                    let of = self.typed(unit).functions.get(number as usize);
                    let of = of.map_or(String::new(), |f| self.name(unit, f.name).to_owned());
                    list.push((at, count, of));
                }
            }
        }
        let mut taken: Vec<(u32, u32, Declared)> = Vec::new();
        for &(at, count, _) in &list {
            let Some(location) = self.qualifiers(at).layout.location else { continue };
            taken.push((location, location.saturating_add(count), at));
        }
        taken.sort_unstable();
        for pair in 1..taken.len() {
            let ((_, end, other), (location, _, at)) = (taken[pair - 1], taken[pair]);
            if location < end {
                let (a, b) = (self.variable_name(at), self.variable_name(other));
                let message = format!("subroutine uniforms `{a}` and `{b}` both take location {location}");
                self.conflict(at, other, "location-overlap", message);
            }
        }
        let mut gaps = Gaps::new(taken.iter().map(|t| (t.0, t.1)).collect());
        for (declared, count, of) in list {
            let name = self.variable_name(declared).to_owned();
            let location = self.qualifiers(declared).layout.location.unwrap_or_else(|| gaps.take(count));
            let subroutines = self.out.subroutines[from..].iter();
            let compatible: Vec<u32> = subroutines.filter(|s| s.types.contains(&of)).map(|s| s.index).collect();
            if compatible.is_empty() && self.is_used(declared) {
                let message = format!("no function implements `{of}`, the type of subroutine uniform `{name}`");
                self.error_variable(declared, "subroutine", message);
            }
            self.out.subroutine_uniforms.push(SubroutineUniform { stage, name, declared, location, count, compatible });
        }
    }
}
