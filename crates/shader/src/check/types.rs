//! Resolves type syntax, and names types.

use super::Checker;
use super::block::Members;
use super::scope::Binding;
use crate::ast::{ArrayDim, MemberSyntax, StructSyntax, TypeSyntax, TypeSyntaxKind};
use crate::builtin;
use crate::constant::{self, Constant};
use crate::symbol::Symbol;
use crate::token::TokenSpan;
use crate::types::{Field, Scalar, StructId, StructType, Type};
use crate::version::Stage;

/// Facts about a structure that would otherwise need a traversal of its contents.
#[derive(Clone, Copy, Default)]
pub(super) struct StructFacts {
    pub(super) array: bool,
    pub(super) opaque: bool,
    pub(super) integer: bool,
    pub(super) double: bool,
    pub(super) boolean: bool,
    pub(super) depth: u32,
}

/// Structures with more members have an index by name.
const FEW_MEMBERS: usize = 32;

/// More deeply nested structures are rejected, so that traversals of types need no check.
const MAX_TYPE_DEPTH: u32 = 64;

impl<'a> Checker<'a> {
    /// Adds a structure or block.
    pub(super) fn add_struct(&mut self, structure: StructType) -> StructId {
        let mut facts = StructFacts { depth: 1, ..StructFacts::default() };
        for field in &structure.fields {
            let inner = self.type_facts(field.ty);
            facts.array |= inner.array;
            facts.opaque |= inner.opaque;
            facts.integer |= inner.integer;
            facts.double |= inner.double;
            facts.boolean |= inner.boolean;
            facts.depth = facts.depth.max(inner.depth + 1);
        }
        let id = StructId(self.out.types.structs.len() as u32);
        if structure.fields.len() > FEW_MEMBERS {
            for (at, field) in structure.fields.iter().enumerate() {
                self.notes.members.entry((id, field.name)).or_insert(at as u32);
            }
        }
        self.notes.structs.push(facts);
        self.out.types.structs.push(structure);
        id
    }

    /// The index of a member.
    pub(super) fn member(&self, id: StructId, name: Symbol) -> Option<usize> {
        let fields = &self.out.types.structs[id.0 as usize].fields;
        if fields.len() > FEW_MEMBERS {
            return self.notes.members.get(&(id, name)).map(|&at| at as usize);
        }
        fields.iter().position(|f| f.name == name)
    }

    /// The value of a member of a constant.
    pub(super) fn constant_member(&mut self, id: StructId, value: Constant, member: usize) -> Option<Constant> {
        let types = &self.out.types;
        let fields = &types.structs[id.0 as usize].fields;
        if fields.len() <= FEW_MEMBERS {
            return constant::field(types, value, member);
        }
        let offsets = self.notes.member_offsets.entry(id).or_insert_with(|| {
            let mut before = 0;
            let add = |field: &Field| {
                let start = before;
                before += constant::flat_len(types, field.ty)?;
                Some(start)
            };
            fields.iter().map(add).collect::<Option<Vec<u32>>>().unwrap_or_default()
        });
        constant::field_at(types, value, fields[member].ty, *offsets.get(member)?)
    }

    /// The contents of a type, at any depth.
    pub(super) fn type_facts(&self, ty: Type) -> StructFacts {
        let mut array = false;
        let mut element = ty;
        while let Some(inner) = self.out.types.as_array(element) {
            array = true;
            element = inner.element;
        }
        let mut facts = match element {
            Type::Struct(id) => self.notes.structs[id.0 as usize],
            Type::Opaque(_) => StructFacts { opaque: true, ..StructFacts::default() },
            _ => {
                let scalar = element.scalar();
                StructFacts {
                    integer: scalar.is_some_and(Scalar::is_integer),
                    double: scalar == Some(Scalar::Double),
                    boolean: scalar == Some(Scalar::Bool),
                    ..StructFacts::default()
                }
            }
        };
        facts.array |= array;
        facts
    }

    pub(super) fn contains_array(&self, ty: Type) -> bool {
        self.type_facts(ty).array
    }

    pub(super) fn contains_opaque(&self, ty: Type) -> bool {
        self.type_facts(ty).opaque
    }

    /// The type of an element of the innermost array.
    pub(super) fn innermost(&self, ty: Type) -> Type {
        let mut element = ty;
        while let Some(array) = self.out.types.as_array(element) {
            element = array.element;
        }
        element
    }

    /// A type as it would be written in source.
    pub(super) fn type_name(&self, ty: Type) -> String {
        self.out.types.name(&self.input.symbols, ty)
    }

    /// The type of a specifier, without declarator brackets.
    pub(super) fn resolve_type(&mut self, syntax: &'a TypeSyntax) -> Type {
        let base = match &syntax.kind {
            TypeSyntaxKind::Missing => Type::Error,
            TypeSyntaxKind::Builtin(ty) => *ty,
            TypeSyntaxKind::Named(symbol) => self.named_type(*symbol, syntax.tokens),
            TypeSyntaxKind::Struct(structure) => self.define_struct(structure, syntax.tokens),
        };
        // GLSL ES 1.00, chapter 9 has no such brackets; GL drivers accept them, browsers do not.
        let since = if self.options.webgl { 300 } else { 100 };
        if !syntax.dims.is_empty() && !self.at_least(120, since) && !self.has("GL_3DL_array_objects") {
            let version = self.dialect.version;
            self.error(
                syntax.tokens,
                "array-type",
                format!("brackets after a type are not available in {version}; put them after the name"),
            );
        }
        self.apply_dims(base, &syntax.dims, syntax.tokens)
    }

    fn named_type(&mut self, symbol: Symbol, tokens: TokenSpan) -> Type {
        match self.bindings.get(symbol) {
            Some(Binding::Struct(id)) => Type::Struct(id),
            Some(Binding::SubroutineType(_)) => Type::Error,
            Some(_) => {
                let name = self.name(symbol);
                self.error(tokens, "not-a-type", format!("`{name}` is not a type"));
                Type::Error
            }
            None => {
                if let Some(ty) = self.builtin_struct(symbol) {
                    return ty;
                }
                let name = self.name(symbol);
                let mut error = self.error_at(tokens, "unknown-type", format!("unknown type `{name}`"));
                if let Some(since) = builtin::availability(symbol) {
                    error = error.note(format!("`{name}` is available from {since}"));
                } else if let Some(similar) = self.similar_type(symbol) {
                    error = error.note(format!("did you mean `{similar}`?"));
                }
                self.report(error);
                Type::Error
            }
        }
    }

    /// Wraps a type in arrays; the first bracket is the outermost dimension.
    pub(super) fn apply_dims(&mut self, base: Type, dims: &[ArrayDim], tokens: TokenSpan) -> Type {
        if dims.is_empty() {
            return base;
        }
        let nested = dims.len() > 1 || self.out.types.as_array(base).is_some();
        // In ARB_geometry_shader4 inputs are arrays, so arrays of arrays exist.
        let geometry = self.dialect.stage == Stage::Geometry && self.has("GL_ARB_geometry_shader4");
        if nested && !self.at_least(430, 310) && !self.has("GL_ARB_arrays_of_arrays") && !geometry {
            let version = self.dialect.version;
            let error = self
                .error_at(tokens, "array-of-arrays", format!("arrays of arrays are not available in {version}"))
                .note("available from GLSL 4.30, GLSL ES 3.10 or with GL_ARB_arrays_of_arrays");
            self.report(error);
        }
        if dims.len() as u32 > MAX_TYPE_DEPTH {
            self.error(tokens, "too-deep", format!("more than {MAX_TYPE_DEPTH} array dimensions"));
            return Type::Error;
        }
        let sizes: Vec<Option<Option<u32>>> = dims.iter().map(|dim| self.dim_size(dim)).collect();
        if base == Type::Void {
            self.error(tokens, "void-array", "there are no arrays of `void`");
            return Type::Error;
        }
        let mut ty = base;
        for size in sizes.into_iter().rev() {
            ty = match size {
                Some(size) if ty != Type::Error => self.out.types.array(ty, size),
                _ => Type::Error,
            };
        }
        ty
    }

    /// `None` if the size is invalid, `Some(None)` for empty brackets.
    fn dim_size(&mut self, dim: &ArrayDim) -> Option<Option<u32>> {
        let Some(size) = dim.size else {
            return Some(None);
        };
        self.expr(size);
        let value = self.constant_integer(size, "the size of an array")?;
        // GLSL 1.20, 9: no sequence operator in an array's size.
        if self.at_least(120, 300) && self.has_sequence(size) {
            self.error_expr(size, "array-size", "the size of an array cannot be a sequence");
        }
        if self.side_effects(size) {
            self.error_expr(size, "array-size", "the size of an array may have no side effects");
        }
        if value <= 0 {
            self.error_expr(
                size,
                "array-size",
                format!("the size of an array must be greater than zero, this is {value}"),
            );
            return None;
        }
        u32::try_from(value).ok().map(Some)
    }

    fn define_struct(&mut self, syntax: &'a StructSyntax, tokens: TokenSpan) -> Type {
        let name = syntax.name.map_or(Symbol::EMPTY, |n| n.symbol);
        if let Some(name) = syntax.name {
            self.check_new_name(name);
        }
        let fields = self.struct_fields(&syntax.members);
        if fields.is_empty() {
            self.error(tokens, "empty-struct", "a structure needs at least one member");
        }
        let id = self.add_struct(StructType { name, block: false, fields });
        self.webgl_nesting(id, tokens);
        if self.notes.structs[id.0 as usize].depth > MAX_TYPE_DEPTH {
            self.error(tokens, "too-deep", format!("structures nested deeper than {MAX_TYPE_DEPTH} levels"));
            return Type::Error;
        }
        if let Some(name) = syntax.name {
            self.bind_new(name, Binding::Struct(id));
        }
        Type::Struct(id)
    }

    fn struct_fields(&mut self, members: &'a [MemberSyntax]) -> Vec<Field> {
        let mut fields = Members::default();
        for member in members {
            // GLSL 1.20, 4.1.8 and every ES: no structure definitions inside a structure. GLSL 1.10 has them.
            if matches!(member.ty.kind, TypeSyntaxKind::Struct(_)) && self.at_least(120, 100) {
                self.error(member.ty.tokens, "nested-struct", "a structure cannot be defined inside a structure");
            }
            let qualifiers = self.struct_member_qualifiers(member);
            let base = self.resolve_type(&member.ty);
            for declarator in &member.declarators {
                if let Some(init) = declarator.init {
                    self.expr(init);
                    self.error_expr(init, "initializer", "members of a structure cannot be initialized");
                }
                let ty = self.apply_dims(base, &declarator.dims, declarator.tokens);
                self.check_member_type(ty, declarator.tokens);
                if self.out.types.as_array(ty).is_some_and(|a| a.size.is_none()) {
                    self.error(declarator.tokens, "unsized-array", "an array in a structure needs a size");
                }
                self.check_identifier(declarator.name);
                let mut qualifiers = qualifiers;
                qualifiers.precision = self.precision_of(ty, qualifiers.precision, declarator.tokens);
                self.add_field(&mut fields, declarator, ty, qualifiers);
            }
        }
        fields.fields
    }

    /// `void` and similar types cannot be members.
    pub(super) fn check_member_type(&mut self, ty: Type, tokens: TokenSpan) {
        if self.innermost(ty) == Type::Void {
            self.error(tokens, "void-variable", "a member cannot be `void`");
        }
    }
}
