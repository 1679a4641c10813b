//! Names that several shaders declare: globals within a stage, uniforms across all of them (GLSL 4.60, 4.2 and 4.3.5).

use std::collections::BTreeMap;

use super::Declared;
use super::compare::{Shape, Strictness};
use super::linker::Linker;
use crate::qualifier::Storage;
use crate::typed::VariableKind;
use crate::types::{OpaqueKind, Type};

/// The previous declarations of a name, with which a later one is compared.
struct Earlier {
    first: Declared,
    /// The last one with a location or binding.
    placed: Option<Declared>,
    /// The last one with an initializer.
    initialized: Option<Declared>,
}

impl Linker<'_> {
    pub(super) fn check_globals(&mut self) {
        for index in 0..self.stages.len() {
            if self.stages[index].units.len() > 1 {
                let units = self.stages[index].units.clone();
                self.check_names(&units, false);
            }
        }
        if self.stages.len() > 1 {
            let shaders: Vec<usize> = self.stages.iter().flat_map(|s| s.units.iter().copied()).collect();
            self.check_names(&shaders, true);
        }
    }

    /// Compares each declaration with the first of its name; `across` stages only uniforms and buffers are shared, and
    /// pairs within a stage have been compared before.
    fn check_names(&mut self, shaders: &[usize], across: bool) {
        let mut known: BTreeMap<&str, Earlier> = BTreeMap::new();
        for &shader in shaders {
            for at in self.globals(shader) {
                let row = self.variable(at);
                let shared = match row.kind {
                    VariableKind::Global => true,
                    VariableKind::Member(block, _) => !self.typed(shader).block(block).builtin,
                    _ => false,
                };
                let wanted = !across || matches!(row.qualifiers.storage, Storage::Uniform | Storage::Buffer);
                if !shared || !wanted || across && row.qualifiers.flags.subroutine {
                    continue;
                }
                let name = self.variable_name(at);
                let earlier = known.entry(name).or_insert(Earlier { first: at, placed: None, initialized: None });
                let layout = &row.qualifiers.layout;
                let placed = layout.location.or(layout.binding).and_then(|_| earlier.placed.replace(at));
                let initialized = row.init.and_then(|_| earlier.initialized.replace(at));
                let first = earlier.first;
                let apart = |linker: &Self, other: Declared| {
                    let together = across && linker.stage_of(other.shader) == linker.stage_of(shader);
                    other.shader != shader && !together
                };
                if apart(self, first) {
                    self.check_pair(at, first);
                }
                if let Some(other) = placed.filter(|&p| p != first && apart(self, p)) {
                    self.check_pair(at, other);
                }
                if let Some(other) = initialized.filter(|&i| apart(self, i)) {
                    self.check_initializers(at, other);
                }
            }
        }
    }

    /// The type of a variable, with an unsized outermost dimension sized by its use in one shader.
    pub(super) fn shape(&self, at: Declared) -> Shape {
        let row = self.variable(at);
        let implied = match row.kind {
            VariableKind::Member(block, member) => {
                let structure = self.typed(at.shader).block(block).structure;
                let used = self.typed(at.shader).member_max_index.get(&(structure, member)).copied();
                used.max(row.max_index)
            }
            _ => row.max_index,
        };
        Shape { shader: at.shader, ty: row.ty, implied: implied.map(|n| n.saturating_add(1)) }
    }

    fn check_pair(&mut self, at: Declared, other: Declared) {
        let (row, old) = (self.variable(at), self.variable(other));
        let (q, p) = (&row.qualifiers, &old.qualifiers);
        let name = self.variable_name(at);
        let role = self.role(q.storage, self.stage_of(at.shader));
        if q.storage != p.storage {
            let there = self.role(p.storage, self.stage_of(other.shader));
            self.conflict(
                at,
                other,
                "declaration-mismatch",
                format!("`{name}` is a {role} here and a {there} elsewhere"),
            );
            return;
        }
        if self.check_homes(at, other) || q.flags.subroutine || self.check_pair_types(at, other) {
            return;
        }
        let (a, b) = (q.layout, p.layout);
        let differ = |x: Option<u32>, y: Option<u32>| x.is_some() && y.is_some() && x != y;
        let member = matches!(row.kind, VariableKind::Member(..));
        let mut problem = None;
        if differ(a.location, b.location) {
            problem = Some("location");
        } else if a.location.is_some() && a.component.unwrap_or(0) != b.component.unwrap_or(0) && b.location.is_some() {
            problem = Some("component");
        } else if differ(a.binding, b.binding) {
            problem = Some("binding");
        } else if differ(a.offset, b.offset) && !member {
            problem = Some("offset");
        } else if differ(a.index, b.index) {
            problem = Some("index");
        } else if a.format != b.format {
            problem = Some("image format");
        } else if q.flags.invariant != p.flags.invariant {
            problem = Some("invariance");
        } else if q.flags.centroid != p.flags.centroid {
            problem = Some("`centroid` qualifier");
        } else if q.flags.sample != p.flags.sample {
            problem = Some("`sample` qualifier");
        } else if q.flags.patch != p.flags.patch {
            problem = Some("`patch` qualifier");
        } else if q.interpolation != p.interpolation && matches!(q.storage, Storage::In | Storage::Out) {
            problem = Some("interpolation");
        }
        if let Some(what) = problem {
            self.conflict(at, other, "declaration-mismatch", format!("{role} `{name}` has another {what} elsewhere"));
            return;
        }
        self.check_precisions(at, other, &role);
    }

    /// Members of blocks without instance names share the name space of global variables: a name belongs to one block
    /// or to none (GLSL 4.60, 4.3.9). Reports at most once, and returns whether it did.
    fn check_homes(&mut self, at: Declared, other: Declared) -> bool {
        let home = |at: Declared| match self.variable(at).kind {
            VariableKind::Member(block, _) => Some(self.name(at.shader, self.typed(at.shader).block(block).name)),
            _ => None,
        };
        let (here, there) = (home(at), home(other));
        if here == there {
            return false;
        }
        let name = self.variable_name(at);
        let describe = |home: Option<&str>| home.map_or("outside blocks".to_owned(), |b| format!("in block `{b}`"));
        let message = format!("`{name}` is declared {} and {}", describe(here), describe(there));
        self.conflict(at, other, "declaration-mismatch", message);
        true
    }

    fn check_pair_types(&mut self, at: Declared, other: Declared) -> bool {
        let (a, b) = (self.shape(at), self.shape(other));
        let name = self.variable_name(at);
        let strict = Strictness { names: true, precision: self.is_es() };
        let unsized_ = |s: Shape| self.types(s.shader).as_array(s.ty).is_some_and(|x| x.size.is_none());
        // An unsized dimension takes the size of the other declaration, which must cover every index used.
        for (open, full, here, there) in [(a, b, at, other), (b, a, other, at)] {
            let size = self.types(full.shader).as_array(full.ty).and_then(|x| x.size);
            if let (true, Some(used), Some(size)) = (unsized_(open), open.implied, size)
                && used > size
            {
                let index = used - 1;
                let message = format!("`{name}` is used with index {index}, elsewhere it has {size} elements");
                self.conflict(here, there, "array-size", message);
                return true;
            }
        }
        let ignore = |s: Shape| Shape { implied: None, ..s };
        let Some(reason) = self.type_difference(ignore(a), ignore(b), strict) else { return false };
        let role = self.role(self.qualifiers(at).storage, self.stage_of(at.shader));
        let (s, t) = (self.type_name(a.shader, a.ty, None), self.type_name(b.shader, b.ty, None));
        let message = if reason.is_empty() {
            format!("{role} `{name}` is `{s}` here and `{t}` elsewhere")
        } else {
            format!("{role} `{name}` has different types: {reason}")
        };
        self.conflict(at, other, "type-mismatch", message);
        true
    }

    /// GLSL ES 3.00, 4.3.5 and 4.5.3: precisions of a uniform must agree; before, only if both shaders use it.
    fn check_precisions(&mut self, at: Declared, other: Declared, role: &str) {
        let (row, old) = (self.variable(at), self.variable(other));
        let member = matches!(row.kind, VariableKind::Member(..));
        if !self.is_es() || member || row.qualifiers.precision == old.qualifiers.precision {
            return;
        }
        let mentioned = |at: Declared| self.variable(at).read || self.variable(at).written;
        if self.version.number >= 300 || mentioned(at) && mentioned(other) {
            let name = self.variable_name(at);
            self.conflict(at, other, "precision-mismatch", format!("{role} `{name}` has another precision elsewhere"));
        }
    }

    /// Several initialisers of one variable must be constants with the same value (GLSL 4.60, 4.2).
    fn check_initializers(&mut self, at: Declared, other: Declared) {
        let role = self.role(self.qualifiers(at).storage, self.stage_of(at.shader));
        let (row, old) = (self.variable(at), self.variable(other));
        let (Some(here), Some(there)) = (row.init, old.init) else { return };
        let value = |shader: usize, init| {
            let typed = self.typed(shader);
            typed.expr(init).constant.map(|c| (c.ty, typed.constants.components(c)))
        };
        let name = self.variable_name(at);
        let message = match (value(at.shader, here), value(other.shader, there)) {
            (Some((s, a)), Some((t, b))) if (s == t || s == Type::Error) && a != b => {
                format!("{role} `{name}` has an initializer of another value elsewhere")
            }
            (Some(_), Some(_)) => return,
            _ => format!("{role} `{name}` has several initializers, and they are not constant"),
        };
        self.conflict(at, other, "initializer-mismatch", message);
    }

    /// The kind of handle that a type is or contains.
    pub(super) fn handle_kind(&self, at: Declared) -> Option<OpaqueKind> {
        let mut ty = self.variable(at).ty;
        while let Some(array) = self.types(at.shader).as_array(ty) {
            ty = array.element;
        }
        match ty {
            Type::Opaque(opaque) => Some(opaque.kind),
            _ => None,
        }
    }
}
