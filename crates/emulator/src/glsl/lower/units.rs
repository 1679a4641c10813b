//! Stages made of several shaders: functions of one are called from another, and globals of the same name are one variable.

use std::collections::BTreeMap;

use shader::Shader;
use shader::qualifier::Storage;
use shader::query_precision::Precisions;
use shader::token::TokenIndex;
use shader::typed::{self, ScopeId, VarId, VariableKind};
use shader::types::{Type, TypeTable};

use super::super::types::TypeIds;
use super::{Lower, LowerOptions, Lowered, Value, interface};
use crate::ir::{self, FunctionId, Home, Pointer, Registers, Role};

/// What belongs to one shader of a stage.
pub(super) struct Unit<'a> {
    pub shader: &'a Shader,
    /// The shader's types, arrays of its interface sized.
    pub types: TypeTable,
    /// By variable: its type, with a size where the stage gives it one.
    pub variable_types: Vec<Type>,
    /// Its types in the program's table.
    pub type_ids: TypeIds,
    /// By function of the shader: its number in the program.
    pub by_source: Vec<Option<FunctionId>>,
    /// By function of the shader: whether it is lowered or being lowered.
    pub begun: Vec<bool>,
    /// Precisions of expressions, if the program depends on them.
    pub precisions: Precisions,
    /// By function of the shader: where its result goes.
    pub results: Vec<Option<Value>>,
    pub variables: Vec<Option<Registers>>,
    pub pointers: Vec<Option<Pointer>>,
    /// Variables by the token that names them in their declaration.
    pub declared: BTreeMap<TokenIndex, VarId>,
}

/// Where a function's arguments go and its result comes from.
pub(super) struct Callee {
    pub target: FunctionId,
    /// By parameter; `None` for those the function does not name.
    pub params: Vec<Option<Value>>,
    pub result: Option<Value>,
}

impl<'a> Unit<'a> {
    fn new(shader: &'a Shader, options: LowerOptions) -> Unit<'a> {
        let rows = shader.typed.variables.iter().enumerate();
        let (types, variable_types) = interface::sized(shader);
        Unit {
            shader,
            types,
            variable_types,
            type_ids: TypeIds::default(),
            by_source: vec![None; shader.typed.functions.len()],
            begun: vec![false; shader.typed.functions.len()],
            precisions: if options.needs_precisions() { Precisions::new(shader) } else { Precisions::default() },
            results: vec![None; shader.typed.functions.len()],
            variables: vec![None; shader.typed.variables.len()],
            pointers: vec![None; shader.typed.variables.len()],
            declared: rows.filter_map(|(i, v)| Some((v.declared?, VarId(i as u32)))).collect(),
        }
    }
}

/// Returns the name of a global among the shaders of its stage; `None` if each shader has its own.
pub(super) fn global(shader: &Shader, id: VarId) -> Option<String> {
    let row = shader.typed.variable(id);
    if row.scope != ScopeId::GLOBAL || row.qualifiers.storage == Storage::Const {
        return None;
    }
    let name = |symbol| shader.preprocessed.symbols.name(symbol);
    match row.kind {
        VariableKind::Global | VariableKind::Builtin | VariableKind::Member(..) => Some(name(row.name).to_owned()),
        VariableKind::Instance(block) => {
            let block = shader.typed.block(block);
            Some(format!("{:?} {}", block.qualifiers.storage, name(block.name)))
        }
        VariableKind::Local | VariableKind::Parameter(..) => None,
    }
}

/// Returns the shaders of a stage; arrays without a size get the largest that any of them knows (GLSL 4.60, 4.1.9).
pub(super) fn units<'a>(shaders: &[&'a Shader], options: LowerOptions) -> Vec<Unit<'a>> {
    let mut units: Vec<Unit<'a>> = shaders.iter().map(|shader| Unit::new(shader, options)).collect();
    if units.len() < 2 {
        return units;
    }
    share_member_sizes(&mut units);
    let mut sizes: BTreeMap<String, u32> = BTreeMap::new();
    for unit in &units {
        for (i, ty) in unit.variable_types.iter().enumerate() {
            let size = unit.types.as_array(*ty).and_then(|array| array.size);
            if let (Some(name), Some(size)) = (global(unit.shader, VarId(i as u32)), size) {
                let largest = sizes.entry(name).or_default();
                *largest = size.max(*largest);
            }
        }
    }
    for unit in &mut units {
        for i in 0..unit.variable_types.len() {
            let open = unit.shader.typed.types.as_array(unit.shader.typed.variables[i].ty);
            let Some(open) = open.filter(|array| array.size.is_none()) else { continue };
            let size = global(unit.shader, VarId(i as u32)).and_then(|name| sizes.get(&name).copied());
            if let (Some(size), Some(_)) = (size, unit.types.as_array(unit.variable_types[i]).and_then(|a| a.size)) {
                unit.variable_types[i] = unit.types.array(open.element, Some(size));
            }
        }
    }
    units
}

/// Gives members of blocks without a size the largest that any shader knows.
fn share_member_sizes(units: &mut [Unit<'_>]) {
    let mut sizes: BTreeMap<(Storage, String, usize), u32> = BTreeMap::new();
    let blocks = |shader: &Shader| -> Vec<(Storage, String, usize)> {
        let name = |block: &typed::Block| shader.preprocessed.symbols.name(block.name).to_owned();
        let rows = shader.typed.blocks.iter();
        rows.map(|block| (block.qualifiers.storage, name(block), block.structure.0 as usize)).collect()
    };
    for unit in units.iter() {
        for (storage, name, structure) in blocks(unit.shader) {
            for (member, field) in unit.types.structs[structure].fields.iter().enumerate() {
                if let Some(size) = unit.types.as_array(field.ty).and_then(|array| array.size) {
                    let largest = sizes.entry((storage, name.clone(), member)).or_default();
                    *largest = size.max(*largest);
                }
            }
        }
    }
    for unit in units.iter_mut() {
        for (storage, name, structure) in blocks(unit.shader) {
            for member in 0..unit.types.structs[structure].fields.len() {
                let (declared, made) = (
                    unit.shader.typed.types.structs[structure].fields[member].ty,
                    unit.types.structs[structure].fields[member].ty,
                );
                let open = unit.shader.typed.types.as_array(declared).filter(|array| array.size.is_none());
                let given = unit.types.as_array(made).and_then(|array| array.size);
                let size = sizes.get(&(storage, name.clone(), member)).copied();
                if let (Some(open), Some(_), Some(size)) = (open, given, size) {
                    let sized = unit.types.array(open.element, Some(size));
                    unit.types.structs[structure].fields[member].ty = sized;
                }
            }
        }
    }
}

/// Returns what a variable is for.
fn role(row: &typed::Variable) -> Role {
    match row.qualifiers.storage {
        _ if row.scope != ScopeId::GLOBAL => Role::Local,
        Storage::In => Role::Input,
        Storage::Out => Role::Output,
        Storage::InOut => Role::InputOutput,
        Storage::Uniform => Role::Uniform,
        _ => Role::Global,
    }
}

impl Lower<'_> {
    /// Goes to another shader of the stage; returns the current one, so that the caller can go back.
    pub(super) fn enter(&mut self, unit: usize) -> usize {
        let before = self.unit;
        if unit != before {
            self.exchange(before);
            self.exchange(unit);
            self.unit = unit;
        }
        before
    }

    /// Begins with one of the shaders.
    pub(super) fn take_up(&mut self, unit: usize) {
        self.exchange(unit);
        self.unit = unit;
    }

    /// Returns the name of a global among several shaders; `None` if there is only one shader, or each has its own.
    pub(super) fn global_name(&self, id: VarId) -> Option<String> {
        if self.units.len() < 2 { None } else { global(self.shader, id) }
    }

    /// Puts away what belongs to the current shader: all of it is in `units` then.
    pub(super) fn put_away(&mut self) {
        self.exchange(self.unit);
        self.unit = usize::MAX;
    }

    /// Returns the variables of all shaders, and which of them belong to which.
    pub(super) fn variable_table(&mut self) -> (Vec<ir::Variable>, Vec<ir::Unit>) {
        let (mut variables, mut units) = (Vec::new(), Vec::new());
        for unit in 0..self.units.len() {
            self.enter(unit);
            let rows = &self.shader.typed.variables;
            units.push(ir::Unit { first: ir::VarId(variables.len() as u32), count: rows.len() as u32 });
            for (index, row) in rows.iter().enumerate() {
                variables.push(ir::Variable {
                    name: self.name(row.name).to_owned(),
                    ty: self.type_id(self.variable_types[index]),
                    role: role(row),
                    home: match (self.variables[index], self.pointers[index]) {
                        (Some(registers), _) => Home::Registers(registers),
                        (None, Some(pointer)) => Home::Memory(pointer),
                        (None, None) => Home::Unused,
                    },
                });
            }
        }
        (variables, units)
    }

    /// Swaps what belongs to one shader in or out.
    fn exchange(&mut self, unit: usize) {
        use std::mem::swap;
        let other = &mut self.units[unit];
        swap(&mut self.shader, &mut other.shader);
        swap(&mut self.types, &mut other.types);
        swap(&mut self.variable_types, &mut other.variable_types);
        swap(&mut self.type_ids, &mut other.type_ids);
        swap(&mut self.by_source, &mut other.by_source);
        swap(&mut self.begun, &mut other.begun);
        swap(&mut self.precisions, &mut other.precisions);
        swap(&mut self.results, &mut other.results);
        swap(&mut self.variables, &mut other.variables);
        swap(&mut self.pointers, &mut other.pointers);
        swap(&mut self.declared, &mut other.declared);
    }

    /// Returns a function to call, in whichever shader it is defined.
    pub(super) fn callee(&mut self, function: typed::FunctionId) -> Lowered<Callee> {
        let row = self.shader.typed.function(function);
        if row.body.is_none()
            && let Some((unit, defined)) = self.definition(function)
        {
            let (params, result) = (row.params.iter().map(|p| p.ty).collect::<Vec<_>>(), row.result);
            let before = self.enter(unit);
            let found = self.callee(defined);
            self.enter(before);
            let found = found?;
            // The same registers, with types of this shader.
            let typed = |value: Option<Value>, ty: Type| value.map(|value| Value { ty, ..value });
            return Ok(Callee {
                target: found.target,
                params: found.params.into_iter().zip(params).map(|(value, ty)| typed(value, ty)).collect(),
                result: typed(found.result, result),
            });
        }
        let target = self.function(function)?;
        let mut params = Vec::new();
        for param in row.params.iter() {
            params.push(match param.variable {
                Some(variable) => Some(self.variable_value(variable)?),
                None => None,
            });
        }
        Ok(Callee { target, params, result: self.results[function.0 as usize].clone() })
    }

    /// Returns the shader of the stage that has the body of a function, and the function's number there.
    fn definition(&self, function: typed::FunctionId) -> Option<(usize, typed::FunctionId)> {
        let signature = |shader: &Shader, row: &typed::Function| -> (String, Vec<String>) {
            let params = row.params.iter().map(|p| shader.type_name(p.ty));
            (shader.preprocessed.symbols.name(row.name).to_owned(), params.collect())
        };
        let here = self.shader;
        let wanted = signature(here, here.typed.function(function));
        // The current shader's data is swapped in, so its row here is empty.
        self.units.iter().enumerate().filter(|(unit, _)| *unit != self.unit).find_map(|(unit, other)| {
            let rows = other.shader.typed.functions.iter();
            let found = rows.enumerate().find(|(_, f)| f.body.is_some() && signature(other.shader, f) == wanted);
            found.map(|(i, _)| (unit, typed::FunctionId(i as u32)))
        })
    }
}
