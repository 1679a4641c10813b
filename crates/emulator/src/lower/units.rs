//! Stages made of several shaders: functions of one are called from another, and globals of one name are one variable.

use std::collections::BTreeMap;

use shader::Shader;
use shader::qualifier::Storage;
use shader::query_precision::Precisions;
use shader::token::TokenIndex;
use shader::typed::{self, ScopeId, VarId, VariableKind};
use shader::types::{Type, TypeTable};

use super::{Lower, LowerOptions, Lowered, Value, interface};
use crate::ir::{self, FunctionId, Pointer, Registers};

/// What belongs to one shader of a stage.
pub(super) struct Unit<'a> {
    pub shader: &'a Shader,
    /// The shader's types, arrays of its interface sized.
    pub types: TypeTable,
    /// By variable: its type, with a size where the stage gives it one.
    pub variable_types: Vec<Type>,
    /// By function of the shader: its number in the program.
    pub by_source: Vec<Option<FunctionId>>,
    /// By function of the shader: whether it is lowered or being lowered.
    pub begun: Vec<bool>,
    /// Precisions of expressions, if the program is to have no more than those.
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

/// What a global is called among the shaders of its stage; `None` if each shader has its own.
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

/// The shaders of a stage; arrays without a size have the largest that any of them knows (GLSL 4.60, 4.1.9).
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

/// Members of blocks without a size have the largest of those any shader knows, too.
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

impl Lower<'_> {
    /// Goes to another shader of the stage; gives back where it was, to which the caller returns.
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

    /// What a global is called among several shaders; `None` where there is one shader only, or it is that shader's own.
    pub(super) fn global_name(&self, id: VarId) -> Option<String> {
        if self.units.len() < 2 { None } else { global(self.shader, id) }
    }

    /// Where variables of the shaders after the first live.
    pub(super) fn others(&mut self) -> Vec<ir::Unit> {
        let others = self.units.iter_mut().skip(1).map(|unit| ir::Unit {
            variables: std::mem::take(&mut unit.variables),
            pointers: std::mem::take(&mut unit.pointers),
            types: std::mem::take(&mut unit.types),
            variable_types: std::mem::take(&mut unit.variable_types),
        });
        others.collect()
    }

    /// Puts away or takes up what belongs to one shader.
    fn exchange(&mut self, unit: usize) {
        use std::mem::swap;
        let other = &mut self.units[unit];
        swap(&mut self.shader, &mut other.shader);
        swap(&mut self.types, &mut other.types);
        swap(&mut self.variable_types, &mut other.variable_types);
        swap(&mut self.by_source, &mut other.by_source);
        swap(&mut self.begun, &mut other.begun);
        swap(&mut self.precisions, &mut other.precisions);
        swap(&mut self.results, &mut other.results);
        swap(&mut self.variables, &mut other.variables);
        swap(&mut self.pointers, &mut other.pointers);
        swap(&mut self.declared, &mut other.declared);
    }

    /// A function to call, wherever it is defined.
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
            // The same registers, in the terms of this shader.
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

    /// The shader of the stage that has the body of a function, and its number there.
    fn definition(&self, function: typed::FunctionId) -> Option<(usize, typed::FunctionId)> {
        let signature = |shader: &Shader, row: &typed::Function| -> (String, Vec<String>) {
            let params = row.params.iter().map(|p| shader.type_name(p.ty));
            (shader.preprocessed.symbols.name(row.name).to_owned(), params.collect())
        };
        let here = self.shader;
        let wanted = signature(here, here.typed.function(function));
        // The place of the current shader holds nothing of interest.
        self.units.iter().enumerate().filter(|(unit, _)| *unit != self.unit).find_map(|(unit, other)| {
            let rows = other.shader.typed.functions.iter();
            let found = rows.enumerate().find(|(_, f)| f.body.is_some() && signature(other.shader, f) == wanted);
            found.map(|(i, _)| (unit, typed::FunctionId(i as u32)))
        })
    }
}
