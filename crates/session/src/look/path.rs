//! Variables and their parts, by the paths that name them.

use emulator::ir::{Register, Registers, Type, TypeId, Types};
use emulator::value::Value;
use moment::{Moment, Step as Way};
use shader::Shader;
use shader::ast::{NodeId, StmtKind};
use shader::token::TokenIndex;
use shader::typed::{VarId, Variable, VariableKind};

use crate::bench::Bench;
use crate::run::Part;

/// What a frame can name.
pub fn visible(shader: &Shader, moment: &Moment) -> Vec<VarId> {
    // Where a loop begins an iteration, what its header declares is there.
    let node = match (moment::glsl::stmt(moment.site), moment.path.last()) {
        (Some(id), Some(Way::Iteration(inner, _))) if moment.site == *inner => match shader.tree.stmt(id).kind {
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => {
                NodeId::Stmt(body)
            }
            _ => moment.site.into(),
        },
        _ => moment.site.into(),
    };
    shader.visible_variables(node)
}

/// How many parts a value of a type has.
pub fn count(types: &Types, ty: TypeId) -> usize {
    suffixes(types, ty).len()
}

/// How the parts of a value are named behind it, and their types.
fn suffixes(types: &Types, ty: TypeId) -> Vec<(String, TypeId)> {
    match types.get(ty) {
        Type::Vector { component, size } => {
            let names = ["x", "y", "z", "w"].iter().take(*size as usize);
            names.map(|name| (format!(".{name}"), *component)).collect()
        }
        Type::Matrix { .. } | Type::Array { .. } => types
            .elements(ty)
            .map_or(Vec::new(), |(element, count)| (0..count).map(|number| (format!("[{number}]"), element)).collect()),
        Type::Struct(members) => members.iter().map(|member| (format!(".{}", member.name), member.ty)).collect(),
        Type::Scalar(_) | Type::Opaque(_) | Type::Function | Type::Pointer { .. } | Type::Void => Vec::new(),
    }
}

/// The parts of a value.
pub fn parts(types: &Types, value: &Value) -> Vec<Part> {
    let mut from = 0;
    let part = |(suffix, ty): (String, TypeId)| {
        let to = (from + types.scalars(ty).len()).min(value.scalars.len());
        let own = Value { ty, scalars: value.scalars[from.min(to)..to].to_vec() };
        from = to;
        Part {
            suffix,
            type_name: types.name(ty).to_owned(),
            text: own.text(types),
            numbers: own.numbers(types),
            children: count(types, ty),
            value: own,
        }
    };
    suffixes(types, value.ty).into_iter().map(part).collect()
}

/// A variable or part of one that lives in registers.
pub struct InVariable {
    pub id: VarId,
    pub ty: TypeId,
    pub home: Registers,
    /// From which to which scalar of the variable.
    pub scalars: (usize, usize),
}

/// The variable, or part of one, that a path means in a frame.
pub fn spot(bench: &Bench, moment: &Moment, path: &str) -> Option<InVariable> {
    let shader = bench.shader();
    let name = split(path).0;
    let named = |id: &VarId| shader.preprocessed.symbols.name(shader.typed.variable(*id).name) == name;
    let id = visible(shader, moment).into_iter().find(named)?;
    spot_in(bench, id, path)
}

/// The same where the name is not visible in the frame yet, or only in another function: the one variable of that name in the
/// function at hand, or if that has none, in the shader. Nothing where several have it.
pub fn spot_ahead(bench: &Bench, moment: &Moment, path: &str) -> Option<InVariable> {
    let shader = bench.shader();
    let name = split(path).0;
    let named = |(_, variable): &(usize, &Variable)| {
        matches!(variable.kind, VariableKind::Local | VariableKind::Parameter(..))
            && shader.preprocessed.symbols.name(variable.name) == name
    };
    let function = shader.enclosing_function(moment.site.into()).and_then(|id| shader.typed.function(id).body);
    let body = function.map(|body| shader.tree.stmt(body).tokens);
    let is_own = |variable: &Variable| {
        let inside = |declared: TokenIndex| body.is_some_and(|body| (body.first..=body.last).contains(&declared));
        variable.declared.is_some_and(inside)
    };
    let all: Vec<(usize, &Variable)> = shader.typed.variables.iter().enumerate().filter(named).collect();
    let own: Vec<_> = all.iter().filter(|(_, variable)| is_own(variable)).copied().collect();
    match if own.is_empty() { all } else { own }.as_slice() {
        [(index, _)] => spot_in(bench, VarId(*index as u32), path),
        _ => None,
    }
}

/// A path as the name of a variable, and the part of it that is meant.
fn split(path: &str) -> (&str, &str) {
    let path = path.trim();
    path.split_at(path.find(['.', '[']).unwrap_or(path.len()))
}

/// The variable, or the part of it that a path means, wherever it is visible.
pub fn spot_in(bench: &Bench, id: VarId, path: &str) -> Option<InVariable> {
    let program = bench.lowered();
    let types = &program.types;
    let mut rest = split(path).1;
    let variable = program.variable(emulator::glsl::variable(id));
    let (mut ty, mut home) = (variable.ty, variable.registers()?);
    let mut from = 0;
    while !rest.is_empty() {
        let end = rest[1..].find(['.', '[']).map_or(rest.len(), |at| at + 1);
        let (part, tail) = rest.split_at(end);
        let mut all = suffixes(types, ty);
        let count = all.len();
        if let Type::Vector { component, size } = *types.get(ty) {
            for names in [["r", "g", "b", "a"], ["s", "t", "p", "q"]] {
                all.extend(names.iter().take(size as usize).map(|name| (format!(".{name}"), component)));
            }
            all.extend((0..size).map(|number| (format!("[{number}]"), component)));
        }
        let place = all.iter().position(|(suffix, _)| suffix == part)?;
        // Components have several names.
        let place = place % count;
        let before = all[..place].iter().map(|(_, ty)| types.words(*ty)).sum::<Option<u32>>()?;
        from += all[..place].iter().map(|(_, ty)| types.scalars(*ty).len()).sum::<usize>();
        ty = all[place].1;
        home = Registers { start: Register(home.start.0 + before), len: types.words(ty)? };
        rest = tail;
    }
    let to = from + types.scalars(ty).len();
    Some(InVariable { id, ty, home, scalars: (from, to) })
}
