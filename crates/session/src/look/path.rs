//! Variables and their parts, by the paths that name them.

use emulator::ir::{Register, Registers};
use emulator::value::{Value, scalars};
use moment::{Moment, Step as Way};
use shader::Shader;
use shader::ast::{NodeId, StmtKind};
use shader::symbol::Symbols;
use shader::typed::VarId;
use shader::types::{Type, TypeTable};

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
pub fn count(types: &TypeTable, ty: Type) -> usize {
    suffixes(types, ty, &|_| String::new()).len()
}

/// How the parts of a value are named behind it, and their types.
fn suffixes(types: &TypeTable, ty: Type, name: &dyn Fn(shader::symbol::Symbol) -> String) -> Vec<(String, Type)> {
    let numbered = |count: u32, ty: Type| (0..count).map(|number| (format!("[{number}]"), ty)).collect();
    match ty {
        Type::Vector(scalar, size) => {
            let names = ["x", "y", "z", "w"].iter().take(usize::from(size));
            names.map(|name| (format!(".{name}"), Type::Scalar(scalar))).collect()
        }
        Type::Matrix(scalar, columns, rows) => numbered(u32::from(columns), Type::Vector(scalar, rows)),
        Type::Array(_) => {
            types.as_array(ty).map_or(Vec::new(), |array| numbered(array.size.unwrap_or(0), array.element))
        }
        Type::Struct(_) => types.as_struct(ty).map_or(Vec::new(), |structure| {
            structure.fields.iter().map(|field| (format!(".{}", name(field.name)), field.ty)).collect()
        }),
        Type::Scalar(_) | Type::Opaque(_) | Type::Subroutine(_) | Type::Void | Type::Error => Vec::new(),
    }
}

/// The parts of a value.
pub fn parts(types: &TypeTable, symbols: &Symbols, value: &Value) -> Vec<Part> {
    let mut from = 0;
    let part = |(suffix, ty): (String, Type)| {
        let to = (from + scalars(types, ty).len()).min(value.scalars.len());
        let own = Value { ty, scalars: value.scalars[from.min(to)..to].to_vec() };
        from = to;
        Part {
            suffix,
            type_name: types.name(symbols, ty),
            text: own.text(types, symbols),
            children: count(types, ty),
            value: own,
        }
    };
    suffixes(types, value.ty, &|name| symbols.name(name).to_owned()).into_iter().map(part).collect()
}

/// A variable or part of one that lives in registers.
pub struct InVariable {
    pub id: VarId,
    pub ty: Type,
    pub home: Registers,
    /// From which to which scalar of the variable.
    pub scalars: (usize, usize),
}

/// The variable, or part of one, that a path means in a frame.
pub fn spot(bench: &Bench, moment: &Moment, path: &str) -> Option<InVariable> {
    let (shader, program) = (bench.shader(), bench.lowered());
    let (types, symbols) = (&program.types, &shader.preprocessed.symbols);
    let path = path.trim();
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (name, mut rest) = path.split_at(end);
    let named = |id: &VarId| symbols.name(shader.typed.variable(*id).name) == name;
    let id = visible(shader, moment).into_iter().find(named)?;
    let (mut ty, mut home) = (program.variable_types[id.0 as usize], program.variable(id)?);
    let mut from = 0;
    while !rest.is_empty() {
        let end = rest[1..].find(['.', '[']).map_or(rest.len(), |at| at + 1);
        let (part, tail) = rest.split_at(end);
        let mut all = suffixes(types, ty, &|name| symbols.name(name).to_owned());
        if let Type::Vector(scalar, size) = ty {
            for names in [["r", "g", "b", "a"], ["s", "t", "p", "q"]] {
                all.extend(names.iter().take(usize::from(size)).map(|name| (format!(".{name}"), Type::Scalar(scalar))));
            }
            all.extend((0..size).map(|number| (format!("[{number}]"), Type::Scalar(scalar))));
        }
        let place = all.iter().position(|(suffix, _)| suffix == part)?;
        // Components have several names.
        let place = if let Type::Vector(_, size) = ty { place % usize::from(size) } else { place };
        let words = |ty: Type| emulator::words(types, ty);
        let before = all[..place].iter().map(|(_, ty)| words(*ty)).sum::<Option<u32>>()?;
        from += all[..place].iter().map(|(_, ty)| scalars(types, *ty).len()).sum::<usize>();
        ty = all[place].1;
        home = Registers { start: Register(home.start.0 + before), len: words(ty)? };
        rest = tail;
    }
    let to = from + scalars(types, ty).len();
    Some(InVariable { id, ty, home, scalars: (from, to) })
}
