//! Constructors (GLSL 4.60, 5.4).

use super::Checker;
use crate::ast::ExprId;
use crate::constant;
use crate::typed::{ExprFacts, Target};
use crate::types::{OpaqueKind, Scalar, Type};

impl Checker<'_> {
    /// The facts about `ty(arguments)`; arguments have been checked.
    pub(super) fn construct(&mut self, id: ExprId, ty: Type, arguments: &[ExprId]) -> ExprFacts {
        let mut facts = self.facts(ty);
        facts.target = Target::Constructor(ty);
        facts.side_effects = arguments.iter().any(|&a| self.side_effects(a));
        if ty == Type::Error || arguments.iter().any(|&a| self.ty(a) == Type::Error) {
            return facts;
        }
        if let Some(&void) = arguments.iter().find(|&&a| self.ty(a) == Type::Void) {
            self.error_expr(void, "type-mismatch", "`void` is not a value");
            return facts;
        }
        let fits = match ty {
            Type::Scalar(_) | Type::Vector(..) => self.construct_vector(id, ty, arguments),
            Type::Matrix(_, c, r) => self.construct_matrix(id, ty, u32::from(c) * u32::from(r), arguments),
            Type::Struct(_) => self.construct_struct(id, ty, arguments),
            Type::Array(_) => {
                facts.ty = self.construct_array(id, ty, arguments);
                facts.target = Target::Constructor(facts.ty);
                facts.ty != Type::Error
            }
            Type::Opaque(opaque) => {
                let handle = self.has("GL_ARB_bindless_texture") && opaque.kind != OpaqueKind::AtomicUint;
                let source = arguments.first().map(|&a| self.ty(a));
                let ok = arguments.len() == 1
                    && (matches!(source, Some(Type::Vector(Scalar::Uint, 2))) || source == Some(ty));
                if !handle || !ok {
                    let name = self.type_name(ty);
                    self.error_expr(id, "constructor", format!("there is no constructor of `{name}`"));
                }
                return facts;
            }
            Type::Void | Type::Error => {
                self.error_expr(id, "constructor", "there is no constructor of `void`");
                facts.ty = Type::Error;
                return facts;
            }
            Type::Subroutine(_) => false,
        };
        if fits {
            facts.constant = self.fold_constructor(facts.ty, arguments);
        }
        facts
    }

    fn fold_constructor(&mut self, ty: Type, arguments: &[ExprId]) -> Option<constant::Constant> {
        let members: Vec<Type> = match ty {
            Type::Struct(id) => self.out.types.structs[id.0 as usize].fields.iter().map(|f| f.ty).collect(),
            Type::Array(_) => vec![self.out.types.as_array(ty)?.element; arguments.len()],
            _ => Vec::new(),
        };
        let mut values = Vec::with_capacity(arguments.len());
        for (i, &argument) in arguments.iter().enumerate() {
            self.constant(argument)?;
            values.push(match members.get(i) {
                Some(&member) => self.constant_as(argument, member)?,
                None => self.constant(argument)?,
            });
        }
        constant::construct(&mut self.out.constants, &self.out.types, ty, &values)
    }

    /// Arguments of scalar, vector and matrix constructors must themselves have components.
    fn component_counts(&mut self, ty: Type, arguments: &[ExprId]) -> Option<Vec<u32>> {
        let mut counts = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            let found = self.ty(argument);
            let handle = matches!(ty, Type::Vector(Scalar::Uint, 2))
                && matches!(found, Type::Opaque(_))
                && self.has("GL_ARB_bindless_texture");
            if found.components() == 0 && !handle {
                let (found, wanted) = (self.type_name(found), self.type_name(ty));
                self.error_expr(argument, "constructor", format!("`{wanted}` cannot be constructed from `{found}`"));
                return None;
            }
            counts.push(if handle { 2 } else { found.components() });
        }
        Some(counts)
    }

    fn construct_vector(&mut self, id: ExprId, ty: Type, arguments: &[ExprId]) -> bool {
        let wanted = ty.components();
        if arguments.is_empty() {
            self.error_expr(id, "constructor", format!("`{}` needs an argument", self.type_name(ty)));
            return false;
        }
        let Some(counts) = self.component_counts(ty, arguments) else { return false };
        if wanted == 1 && arguments.len() > 1 {
            let count = arguments.len();
            self.error_expr(id, "constructor", format!("`{}` takes one argument, not {count}", self.type_name(ty)));
            return false;
        }
        if counts.len() == 1 && (counts[0] == 1 || counts[0] >= wanted) {
            return true;
        }
        self.fill(id, ty, wanted, arguments, &counts)
    }

    fn construct_matrix(&mut self, id: ExprId, ty: Type, wanted: u32, arguments: &[ExprId]) -> bool {
        if arguments.is_empty() {
            self.error_expr(id, "constructor", format!("`{}` needs an argument", self.type_name(ty)));
            return false;
        }
        let Some(counts) = self.component_counts(ty, arguments) else { return false };
        let matrices = arguments.iter().filter(|&&a| matches!(self.ty(a), Type::Matrix(..))).count();
        if matrices > 0 {
            // GLSL 1.10, 5.4.2 reserves it; GLSL ES 1.00 has the constructors of 1.20.
            if !self.at_least(120, 100) {
                let version = self.dialect.version;
                self.error_expr(id, "constructor", format!("matrices from matrices are reserved in {version}"));
                return false;
            }
            if arguments.len() > 1 {
                self.error_expr(
                    id,
                    "constructor",
                    format!("`{}` from a matrix takes no other argument", self.type_name(ty)),
                );
                return false;
            }
            return true;
        }
        if counts.len() == 1 && counts[0] == 1 {
            return true;
        }
        self.fill(id, ty, wanted, arguments, &counts)
    }

    /// Whether the arguments provide the required components, and no argument is left over.
    fn fill(&mut self, id: ExprId, ty: Type, wanted: u32, arguments: &[ExprId], counts: &[u32]) -> bool {
        let mut have = 0;
        for (&argument, count) in arguments.iter().zip(counts) {
            if have >= wanted {
                self.error_expr(
                    argument,
                    "constructor",
                    format!("`{}` is full: the arguments before this one have {have} components", self.type_name(ty)),
                );
                return false;
            }
            have += count;
        }
        if have < wanted {
            self.error_expr(
                id,
                "constructor",
                format!("`{}` needs {wanted} components, the arguments have {have}", self.type_name(ty)),
            );
            return false;
        }
        true
    }

    fn construct_struct(&mut self, id: ExprId, ty: Type, arguments: &[ExprId]) -> bool {
        let Some(row) = self.out.types.as_struct(ty) else { return false };
        let members: Vec<(Type, &str)> = row.fields.iter().map(|f| (f.ty, self.input.symbols.name(f.name))).collect();
        let name = self.type_name(ty);
        if members.len() != arguments.len() {
            let (wanted, found) = (members.len(), arguments.len());
            self.error_expr(
                id,
                "constructor",
                format!("`{name}` has {wanted} members, the constructor has {found} arguments"),
            );
            return false;
        }
        let mut fits = true;
        for (&argument, (wanted, member)) in arguments.iter().zip(members) {
            let signs = matches!(
                (self.ty(argument).scalar(), wanted.scalar()),
                (Some(Scalar::Int), Some(Scalar::Uint)) | (Some(Scalar::Uint), Some(Scalar::Int))
            );
            let fitting = self.fits(argument, wanted)
                || signs && self.nvidia_converts(argument, wanted, "in a structure's constructor");
            if !fitting {
                let (found, wanted) = (self.type_name(self.ty(argument)), self.type_name(wanted));
                self.error_expr(
                    argument,
                    "type-mismatch",
                    format!("member `{member}` of `{name}` is `{wanted}`, this is `{found}`"),
                );
                fits = false;
            }
        }
        fits
    }

    /// The type with its size, or [`Type::Error`].
    fn construct_array(&mut self, id: ExprId, ty: Type, arguments: &[ExprId]) -> Type {
        let Some(array) = self.out.types.as_array(ty) else { return Type::Error };
        if !self.at_least(120, 300) && !self.has("GL_3DL_array_objects") {
            let version = self.dialect.version;
            self.error_expr(id, "constructor", format!("there are no array constructors in {version}"));
            return Type::Error;
        }
        let count = arguments.len() as u32;
        if count == 0 {
            self.error_expr(id, "constructor", "an array constructor needs an argument for each element");
            return Type::Error;
        }
        if let Some(size) = array.size.filter(|&n| n != count) {
            self.error_expr(id, "constructor", format!("an array of {size} needs {size} arguments, not {count}"));
            return Type::Error;
        }
        // `float[][2](float[](1, 2))`: missing inner sizes are those of the first argument.
        let element = self.size_like(array.element, self.ty(arguments[0]));
        for &argument in arguments {
            if !self.fits(argument, element) {
                let (found, wanted) = (self.type_name(self.ty(argument)), self.type_name(element));
                self.error_expr(
                    argument,
                    "type-mismatch",
                    format!("elements of this array are `{wanted}`, this is `{found}`"),
                );
                return Type::Error;
            }
        }
        self.out.types.array(element, Some(count))
    }

    /// `ty` with its missing array sizes filled in from `model`, where the shapes agree.
    pub(super) fn size_like(&mut self, ty: Type, model: Type) -> Type {
        let (Some(open), Some(full)) = (self.out.types.as_array(ty), self.out.types.as_array(model)) else {
            return ty;
        };
        let element = self.size_like(open.element, full.element);
        self.out.types.array(element, open.size.or(full.size))
    }
}
