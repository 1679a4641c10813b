//! Built-in variables, constants and blocks, created when they are first named.

use super::Checker;
use super::scope::Binding;
use crate::builtin::{self, AggregateKind, ArraySize, BaseType};
use crate::qualifier::{Interpolation, Qualifiers, Storage};
use crate::symbol::Symbol;
use crate::token::TokenIndex;
use crate::typed::{Block, BlockId, ScopeId, VarId, Variable, VariableKind};
use crate::types::{Field, Scalar, StructType, Type};
use crate::version::Stage;

impl Checker<'_> {
    /// The built-in variable with this name, if any.
    pub(super) fn builtin_variable(&mut self, symbol: Symbol) -> Option<VarId> {
        if symbol.0 as usize >= self.input.symbols.base_len() {
            return None;
        }
        let dialect = self.dialect;
        if let Some(row) = builtin::constants(symbol).iter().find(|c| c.when.holds(&dialect)) {
            let value = self.limit_value(symbol).map_or(row.values.to_vec(), |v| vec![v]);
            let ty = if value.len() == 3 { Type::Vector(Scalar::Int, 3) } else { Type::INT };
            let bits: Vec<u64> = value.iter().map(|&v| u64::from(v as u32)).collect();
            let constant = self.out.constants.push(ty, &bits);
            let qualifiers = Qualifiers { storage: Storage::Const, ..Qualifiers::default() };
            let id = self.add_builtin(symbol, ty, qualifiers);
            self.out.variables[id.0 as usize].constant = Some(constant);
            return Some(id);
        }
        if self.dialect.stage == Stage::Compute && self.name(symbol) == "gl_WorkGroupSize" {
            return self.work_group_size(symbol);
        }
        if !self.notes.redeclared_blocks.is_empty() && self.left_out_of_block(symbol) {
            return None;
        }
        if let Some(row) = builtin::variables(symbol).iter().find(|v| v.when.holds(&dialect)) {
            let (ty, qualifiers) = (self.builtin_type(row), builtin_qualifiers(row));
            return Some(self.add_builtin(symbol, ty, qualifiers));
        }
        for aggregate in builtin::aggregates().iter().filter(|a| a.when.holds(&dialect)) {
            let AggregateKind::Block { storage, instance, array } = aggregate.kind else { continue };
            if instance == symbol && instance != Symbol::EMPTY {
                return Some(self.builtin_block(aggregate, storage, instance, array));
            }
            if instance == Symbol::EMPTY
                && let Some(row) = aggregate.members.iter().find(|m| m.name == symbol && m.when.holds(&dialect))
            {
                let mut qualifiers = builtin_qualifiers(row);
                qualifiers.storage = storage;
                let ty = self.builtin_type(row);
                return Some(self.add_builtin(symbol, ty, qualifiers));
            }
        }
        None
    }

    /// `gl_WorkGroupSize` is a constant that exists once the layout has set it (GLSL 4.60, 7.1.6).
    fn work_group_size(&mut self, symbol: Symbol) -> Option<VarId> {
        let available = self.at_least(430, 310) || self.has("GL_ARB_compute_shader");
        let size = self.out.stage.local_size;
        if !available || size.iter().all(Option::is_none) {
            return None;
        }
        let ty = Type::Vector(Scalar::Uint, 3);
        let bits = size.map(|n| u64::from(n.unwrap_or(1)));
        let constant = self.out.constants.push(ty, &bits);
        let qualifiers = Qualifiers { storage: Storage::Const, ..Qualifiers::default() };
        let id = self.add_builtin(symbol, ty, qualifiers);
        self.out.variables[id.0 as usize].constant = Some(constant);
        Some(id)
    }

    /// A redeclared `gl_PerVertex` has only the members it names (GLSL 4.60, 7.5).
    fn left_out_of_block(&self, symbol: Symbol) -> bool {
        let Some(&(_, block)) = self.notes.redeclared_blocks.iter().find(|b| b.0 == Storage::Out) else {
            return false;
        };
        self.out.block(block).instance.is_none() && self.per_vertex_member(symbol, Storage::Out).is_some()
    }

    /// Value of an implementation limit given in the options.
    fn limit_value(&self, symbol: Symbol) -> Option<i32> {
        if self.options.limits.is_empty() {
            return None;
        }
        let name = self.name(symbol);
        self.options.limits.iter().find(|l| l.0 == name).map(|l| l.1)
    }

    /// Value of an implementation limit by the name of its constant, available to the shader or not.
    pub(super) fn limit(&self, name: &str) -> Option<u32> {
        self.signed_limit(name).and_then(|value| u32::try_from(value).ok())
    }

    /// As [`Checker::limit`], for limits that may be negative.
    pub(super) fn signed_limit(&self, name: &str) -> Option<i32> {
        let symbol = self.input.symbols.find(name)?;
        self.limit_value(symbol).or_else(|| builtin::constants(symbol).first().map(|c| c.values[0]))
    }

    fn builtin_type(&mut self, row: &builtin::Variable) -> Type {
        let base = match row.ty {
            BaseType::Basic(ty) => ty,
            BaseType::Struct(index) => self.builtin_aggregate_type(&builtin::aggregates()[index as usize]),
        };
        let base = match row.inner {
            Some(inner) => self.out.types.array(base, Some(inner)),
            None => base,
        };
        self.builtin_array(base, row.array)
    }

    fn builtin_array(&mut self, base: Type, array: ArraySize) -> Type {
        match array {
            ArraySize::None => base,
            ArraySize::Unsized => self.out.types.array(base, None),
            ArraySize::Fixed(n) => self.out.types.array(base, Some(n)),
            ArraySize::Limit(symbol) => {
                let size = self.limit(self.name(symbol));
                self.out.types.array(base, size)
            }
        }
    }

    fn builtin_aggregate_type(&mut self, aggregate: &'static builtin::Aggregate) -> Type {
        if let Some(&(_, id)) = self.notes.builtin_structs.iter().find(|s| std::ptr::eq(s.0, aggregate)) {
            return Type::Struct(id);
        }
        let dialect = self.dialect;
        let mut fields = Vec::new();
        for member in aggregate.members.iter().filter(|m| m.when.holds(&dialect)) {
            let ty = self.builtin_type(member);
            fields.push(Field { name: member.name, ty, qualifiers: builtin_qualifiers(member), declared: None });
        }
        let block = aggregate.kind != AggregateKind::Struct;
        let id = self.add_struct(StructType { name: aggregate.name, block, fields });
        self.notes.builtin_structs.push((aggregate, id));
        Type::Struct(id)
    }

    /// A built-in structure named as a type, such as `gl_LightSourceParameters`.
    pub(super) fn builtin_struct(&mut self, symbol: Symbol) -> Option<Type> {
        let dialect = self.dialect;
        let row = builtin::aggregates()
            .iter()
            .find(|a| a.name == symbol && a.kind == AggregateKind::Struct && a.when.holds(&dialect))?;
        Some(self.builtin_aggregate_type(row))
    }

    fn builtin_block(
        &mut self,
        aggregate: &'static builtin::Aggregate,
        storage: Storage,
        instance: Symbol,
        array: ArraySize,
    ) -> VarId {
        let ty = self.builtin_aggregate_type(aggregate);
        let Type::Struct(structure) = ty else { return self.add_builtin(instance, Type::Error, Qualifiers::default()) };
        let ty = self.builtin_array(ty, array);
        let qualifiers = Qualifiers { storage, ..Qualifiers::default() };
        let id = self.add_builtin(instance, ty, qualifiers);
        self.out.blocks.push(Block {
            name: aggregate.name,
            structure,
            qualifiers,
            instance: Some(id),
            members: Vec::new(),
            ty,
            declared: None,
            builtin: true,
        });
        self.out.variables[id.0 as usize].kind = VariableKind::Instance(BlockId(self.out.blocks.len() as u32 - 1));
        id
    }

    fn add_builtin(&mut self, name: Symbol, ty: Type, qualifiers: Qualifiers) -> VarId {
        self.out.variables.push(Variable {
            name,
            ty,
            qualifiers,
            kind: VariableKind::Builtin,
            declared: None,
            scope: ScopeId::GLOBAL,
            visible_from: TokenIndex(0),
            constant: None,
            init: None,
            max_index: None,
            read: false,
            written: false,
        });
        let id = VarId(self.out.variables.len() as u32 - 1);
        self.bindings.bind_global(name, Binding::Variable(id));
        id
    }
}

fn builtin_qualifiers(row: &builtin::Variable) -> Qualifiers {
    let mut qualifiers = Qualifiers { storage: row.storage, precision: row.precision, ..Qualifiers::default() };
    if row.flat {
        qualifiers.interpolation = Some(Interpolation::Flat);
    }
    qualifiers.flags.patch = row.patch;
    qualifiers
}
