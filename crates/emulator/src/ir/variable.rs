//! The variables of a program, and finding them by name.

use super::{Pointer, Program, Register, Registers, Type, TypeId, Types};

/// A row of [`Program::variables`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

/// What a variable is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// It belongs to one function.
    Local,
    /// All functions see it.
    Global,
    /// It holds a value from outside when the run begins; all functions see it.
    Input,
    /// Its value is used after the run; all functions see it.
    Output,
    /// Both an input and an output.
    InputOutput,
    /// It has the same value in all invocations; all functions see it.
    Uniform,
}

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Home {
    /// Nowhere: the program does not mention it.
    Unused,
    /// In registers, one or two for each scalar.
    Registers(Registers),
    /// In memory.
    Memory(Pointer),
}

/// A variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its name in the source.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// What it is for.
    pub role: Role,
    /// Where it lives.
    pub home: Home,
}

impl Variable {
    /// Returns the registers it lives in; `None` if it lives elsewhere.
    #[must_use]
    pub fn registers(&self) -> Option<Registers> {
        match self.home {
            Home::Registers(registers) => Some(registers),
            Home::Unused | Home::Memory(_) => None,
        }
    }

    /// Returns where it begins in memory; `None` if it lives elsewhere.
    #[must_use]
    pub fn pointer(&self) -> Option<Pointer> {
        match self.home {
            Home::Memory(pointer) => Some(pointer),
            Home::Unused | Home::Registers(_) => None,
        }
    }
}

/// The translation units of a program number their sites and variables separately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    /// The first of its variables.
    pub first: VarId,
    /// How many it has.
    pub count: u32,
}

impl Program {
    /// Returns a variable.
    #[must_use]
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// Returns the variables of a translation unit, in the order of its front end; none if there is no such unit.
    #[must_use]
    pub fn unit_variables(&self, unit: usize) -> &[Variable] {
        let Some(unit) = self.units.get(unit) else { return &[] };
        let first = unit.first.0 as usize;
        &self.variables[first..first + unit.count as usize]
    }

    /// Returns the outputs that live in registers.
    pub fn outputs(&self) -> impl Iterator<Item = (&Variable, Registers)> {
        let outputs = self.variables.iter().filter(|variable| variable.role == Role::Output);
        outputs.filter_map(|variable| Some((variable, variable.registers()?)))
    }

    /// Returns the type and registers of a variable that all functions see, or of part of one, by the name that a person
    /// or an API call uses: `light[2].colour`. `None` if there is no such thing or it lives in no registers.
    #[must_use]
    pub fn locate(&self, path: &str) -> Option<(TypeId, Registers)> {
        let end = path.find(['.', '[']).unwrap_or(path.len());
        let (name, rest) = path.split_at(end);
        let named = |variable: &&Variable| variable.role != Role::Local && variable.name == name;
        let variable = self.variables.iter().filter(named).find(|variable| variable.registers().is_some())?;
        let (offset, ty) = part(&self.types, variable.ty, rest)?;
        let (home, len) = (variable.registers()?, self.types.words(ty)?);
        let end = offset.checked_add(len)?;
        (end <= home.len).then(|| (ty, Registers { start: Register(home.start.0 + offset), len }))
    }
}

/// Follows `[2].colour` and the like into a type: returns the registers before the part, and its type.
fn part(types: &Types, ty: TypeId, path: &str) -> Option<(u32, TypeId)> {
    let (mut ty, mut rest, mut offset) = (ty, path, 0u32);
    while !rest.is_empty() {
        let (before, inner) = if let Some(tail) = rest.strip_prefix('.') {
            let end = tail.find(['.', '[']).unwrap_or(tail.len());
            let members = types.members(ty);
            let at = members.iter().position(|member| member.name == tail[..end])?;
            let before = members[..at].iter().map(|member| types.words(member.ty)).sum::<Option<u32>>()?;
            rest = &tail[end..];
            (before, members[at].ty)
        } else {
            let (number, tail) = rest.strip_prefix('[')?.split_once(']')?;
            let Type::Array { element, size } = *types.get(ty) else { return None };
            let number: u32 = number.parse().ok().filter(|number| size.is_none_or(|size| *number < size))?;
            rest = tail;
            (number.checked_mul(types.words(element)?)?, element)
        };
        offset = offset.checked_add(before)?;
        ty = inner;
    }
    Some((offset, ty))
}
