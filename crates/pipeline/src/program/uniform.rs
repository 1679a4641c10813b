//! Uniforms outside of blocks: one array of words for all stages.

use std::collections::BTreeMap;
use std::sync::Arc;

use emulator::ir::Register;
use shader::Shader;
use shader::link::{Declared, Linked};
use shader::types::{Dim, OpaqueKind, Scalar, Type, TypeTable};

use super::Program;
use super::view::View;
use crate::words;

/// The uniform that a name refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UniformInfo {
    /// The type of the value or, if the name is that of an array, of its elements.
    pub ty: Type,
    /// The number of elements from the named one to the end of its array; one if it is not an array.
    pub elements: u32,
    /// The number of words per element: one for each component, two for 64-bit ones.
    pub words: u32,
    /// Its location, if it has one.
    pub location: Option<u32>,
    /// Whether some stage uses it.
    pub active: bool,
    /// Its offset in the array of words.
    pub(crate) start: u32,
}

/// The meaning of a word of a uniform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Plain,
    Bool,
    /// A texture unit, accessed through this target.
    Sampler(Target),
}

/// The targets of a texture unit, each of which can have a texture bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are GL's own")]
pub enum Target {
    D1,
    D2,
    D3,
    Cube,
    Rect,
    Buffer,
    D1Array,
    D2Array,
    CubeArray,
    D2Multisample,
    D2MultisampleArray,
    External,
}

impl Target {
    const ALL: [Target; 12] = [
        Target::D1,
        Target::D2,
        Target::D3,
        Target::Cube,
        Target::Rect,
        Target::Buffer,
        Target::D1Array,
        Target::D2Array,
        Target::CubeArray,
        Target::D2Multisample,
        Target::D2MultisampleArray,
        Target::External,
    ];

    /// The target that a sampler of this type accesses.
    #[must_use]
    pub fn of(opaque: &shader::types::Opaque) -> Target {
        match (opaque.dim, opaque.array, opaque.multisample) {
            (Dim::D1, false, _) => Target::D1,
            (Dim::D1, true, _) => Target::D1Array,
            (Dim::D2 | Dim::Subpass, false, false) => Target::D2,
            (Dim::D2 | Dim::Subpass, true, false) => Target::D2Array,
            (Dim::D2 | Dim::Subpass, false, true) => Target::D2Multisample,
            (Dim::D2 | Dim::Subpass, true, true) => Target::D2MultisampleArray,
            (Dim::D3, ..) => Target::D3,
            (Dim::Cube, false, _) => Target::Cube,
            (Dim::Cube, true, _) => Target::CubeArray,
            (Dim::Rect, ..) => Target::Rect,
            (Dim::Buffer, ..) => Target::Buffer,
            (Dim::External, ..) => Target::External,
        }
    }

    /// The value of a sampler variable in a running shader: unit and target. Also the lower half of the handle of a
    /// resident texture on that unit; the upper half is zero.
    #[must_use]
    pub fn handle(self, unit: u32) -> u32 {
        (self as u32) << 16 | unit & 0xffff
    }

    /// The unit and target of such a value.
    #[must_use]
    pub fn of_handle(handle: u32) -> Option<(u32, Target)> {
        Some((handle & 0xffff, *Target::ALL.get((handle >> 16) as usize)?))
    }
}

/// The type of a variable, with array sizes as in the program.
fn declared_type<'a>(shaders: &'a [Arc<Shader>], views: &[View<'a>], at: Declared) -> (&'a TypeTable, Type) {
    match views.iter().find(|view| view.unit == at.shader) {
        Some(view) => (view.types, view.ty(at.variable)),
        None => (&shaders[at.shader].typed.types, shaders[at.shader].typed.variable(at.variable).ty),
    }
}

/// The values of all uniforms of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uniforms {
    words: Vec<u32>,
    meanings: Vec<Meaning>,
    /// The first word and the defining declaration, by uniform of [`Linked::uniforms`].
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    start: u32,
    /// The index of the declaration with the most words.
    declaration: usize,
}

/// A range of words that is copied to registers of a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy {
    pub from: u32,
    pub to: Register,
    pub words: u32,
    /// Whether its declaration has an initialiser, which writes the registers.
    pub initialized: bool,
}

impl Uniforms {
    pub(crate) fn new(linked: &Linked, shaders: &[Arc<Shader>], views: &[View<'_>]) -> Uniforms {
        let mut uniforms = Uniforms::default();
        let mut counters: BTreeMap<u32, u32> = BTreeMap::new();
        for uniform in &linked.uniforms {
            let size = |i: usize| {
                let (types, ty) = declared_type(shaders, views, uniform.declared[i]);
                words::count(types, ty).unwrap_or(0)
            };
            let declaration = (0..uniform.declared.len()).rev().max_by_key(|i| size(*i)).unwrap_or(0);
            let start = uniforms.words.len() as u32;
            uniforms.rows.push(Row { start, declaration });
            let len = (start + size(declaration)) as usize;
            uniforms.words.resize(len, 0);
            uniforms.meanings.resize(len, Meaning::Plain);
            let at = uniform.declared[declaration];
            let (types, ty) = declared_type(shaders, views, at);
            let mut unit = uniform.binding;
            // A counter without an offset follows the previous one in its buffer (GLSL 4.60, 4.4.7).
            let counter = counters.entry(uniform.binding.unwrap_or(0)).or_default();
            if let Some(offset) = shaders[at.shader].typed.variable(at.variable).qualifiers.layout.offset {
                *counter = offset;
            }
            words::leaves(types, ty, start, &mut |word, leaf| {
                let components = words::count(types, leaf).unwrap_or(0) as usize;
                let range = word as usize..word as usize + components;
                match leaf {
                    Type::Opaque(opaque) => {
                        uniforms.words[word as usize] = match opaque.kind {
                            OpaqueKind::AtomicUint => {
                                let offset = *counter & 0x00ff_ffff;
                                *counter = counter.saturating_add(4);
                                uniform.binding.unwrap_or(0) << 24 | offset
                            }
                            OpaqueKind::Sampler | OpaqueKind::Image => unit.unwrap_or(0),
                        };
                        unit = unit.map(|n| n.saturating_add(1));
                        if opaque.kind == OpaqueKind::Sampler {
                            uniforms.meanings[word as usize] = Meaning::Sampler(Target::of(&opaque));
                        }
                    }
                    _ if leaf.scalar() == Some(Scalar::Bool) => uniforms.meanings[range].fill(Meaning::Bool),
                    _ => {}
                }
            });
        }
        uniforms
    }

    /// The words that a stage with these shaders needs.
    pub(crate) fn copies(&self, linked: &Linked, views: &[View<'_>]) -> Vec<Copy> {
        let mut copies = Vec::new();
        for (uniform, row) in linked.uniforms.iter().zip(&self.rows) {
            for at in &uniform.declared {
                let Some(view) = views.iter().find(|view| view.unit == at.shader) else { continue };
                let Some(home) = view.home(at.variable) else { continue };
                let words = home.len.min(self.words.len() as u32 - row.start);
                let initialized = view.shader.typed.variable(at.variable).init.is_some();
                copies.push(Copy { from: row.start, to: home.start, words, initialized });
            }
        }
        copies
    }

    /// The uniform that a name such as `light[2].colour` refers to.
    pub(crate) fn find(&self, program: &Program, name: &str) -> Option<UniformInfo> {
        let (linked, shaders) = (&program.linked, &program.shaders);
        let end = name.find(['.', '[']).unwrap_or(name.len());
        let (base, path) = name.split_at(end);
        let index = linked.uniforms.iter().position(|u| u.name == base)?;
        let (uniform, row) = (&linked.uniforms[index], self.rows[index]);
        let at = uniform.declared[row.declaration];
        let symbols = &shaders[at.shader].preprocessed.symbols;
        let views: Vec<View<'_>> = program.stages.iter().flat_map(|stage| stage.views(shaders)).collect();
        let (types, ty) = declared_type(shaders, &views, at);
        let part = words::follow(types, symbols, ty, path)?;
        Some(UniformInfo {
            ty: part.ty,
            elements: part.elements,
            words: words::count(types, part.ty)?,
            location: uniform.location.filter(|_| path.is_empty() || path == "[0]"),
            active: uniform.stages != 0,
            start: row.start + part.offset,
        })
    }

    /// Sets consecutive elements; words beyond the last element are ignored.
    pub(crate) fn set(&mut self, info: &UniformInfo, values: &[u32]) {
        let room = (info.words * info.elements) as usize;
        for (i, &value) in values.iter().take(room).enumerate() {
            let at = info.start as usize + i;
            self.words[at] = if self.meanings[at] == Meaning::Bool { u32::from(value != 0) } else { value };
        }
    }

    /// The words of consecutive elements.
    pub(crate) fn get(&self, info: &UniformInfo) -> &[u32] {
        let start = info.start as usize;
        self.words.get(start..start + (info.words * info.elements) as usize).unwrap_or(&[])
    }

    /// The word as stored in a register.
    pub(crate) fn register_word(&self, at: u32) -> u32 {
        let value = self.words[at as usize];
        match self.meanings[at as usize] {
            Meaning::Plain | Meaning::Bool => value,
            Meaning::Sampler(target) => target.handle(value),
        }
    }

    /// Writes a word directly, for initial values.
    pub(crate) fn set_word(&mut self, at: u32, value: u32) {
        self.words[at as usize] = value;
    }
}
