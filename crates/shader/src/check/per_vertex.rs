//! Redeclarations of `gl_PerVertex` (GLSL 4.60, 7.5).

use super::Checker;
use crate::ast::{BlockSyntax, Name};
use crate::builtin::{self, AggregateKind};
use crate::qualifier::Storage;
use crate::symbol::Symbol;
use crate::token::TokenSpan;
use crate::typed::{BlockId, VariableKind};
use crate::types::Type;
use crate::version::Stage;

impl Checker<'_> {
    /// A redeclaration of `gl_PerVertex` may only omit members, resize and requalify them.
    pub(super) fn check_per_vertex(&mut self, syntax: &BlockSyntax, id: BlockId, storage: Storage, tokens: TokenSpan) {
        let structure = self.out.block(id).structure;
        let instance = syntax.instance.map(|n| self.name(n.symbol));
        let wanted = match (self.dialect.stage, storage) {
            (_, Storage::In) => Some("gl_in"),
            (Stage::TessControl, _) => Some("gl_out"),
            _ => None,
        };
        if instance != wanted {
            let message = match wanted {
                Some(name) => format!("`gl_PerVertex` must keep its instance name `{name}`"),
                None => "`gl_PerVertex` has no instance name here".to_owned(),
            };
            self.error(tokens, "block", message);
        }
        if syntax.dims.len() > 1 {
            self.error(tokens, "block", "`gl_PerVertex` is an array of one dimension");
        }
        self.check_per_vertex_order(storage, tokens);
        let names: Vec<Name> = syntax.members.iter().flat_map(|m| &m.declarators).map(|d| d.name).collect();
        for (i, name) in names.into_iter().enumerate() {
            let Some(found) = self.out.types.structs[structure.0 as usize].fields.get(i).map(|f| f.ty) else { break };
            let known = self.per_vertex_member(name.symbol, storage);
            match known {
                None => {
                    let text = self.name(name.symbol);
                    let error = self.error_token(name.token, "block", format!("`gl_PerVertex` has no member `{text}`"));
                    self.report(error);
                }
                Some(ty) => {
                    if found != Type::Error && self.innermost(ty) != self.innermost(found) {
                        let (text, ty) = (self.name(name.symbol), self.type_name(ty));
                        let error = self.error_token(name.token, "block", format!("`{text}` must stay `{ty}`"));
                        self.report(error);
                    }
                    self.check_distance_size(name, found);
                }
            }
        }
    }

    /// The block must be declared before its members are used, and not after one of them was redeclared by itself.
    fn check_per_vertex_order(&mut self, storage: Storage, tokens: TokenSpan) {
        let used = self.out.variables.iter().any(|v| {
            v.qualifiers.storage == storage
                && (v.read || v.written)
                && match v.kind {
                    VariableKind::Builtin => self.per_vertex_member(v.name, storage).is_some(),
                    VariableKind::Instance(block) => self.out.block(block).declared.is_none(),
                    _ => false,
                }
        });
        if used {
            self.error(tokens, "block", "`gl_PerVertex` must be declared before its members are used");
        }
        let alone =
            self.notes.redeclared.iter().find(|v| self.out.variable(**v).qualifiers.storage == storage).copied();
        if let Some(alone) = alone {
            let name = self.name(self.out.variable(alone).name);
            self.error(tokens, "block", format!("`gl_PerVertex` cannot follow a redeclaration of `{name}`"));
        }
    }

    fn check_distance_size(&mut self, name: Name, ty: Type) {
        let text = self.name(name.symbol);
        let limit = match text {
            "gl_ClipDistance" => self.limit("gl_MaxClipDistances"),
            "gl_CullDistance" => self.limit("gl_MaxCullDistances"),
            _ => return,
        };
        let size = self.out.types.as_array(ty).and_then(|a| a.size);
        if let (Some(size), Some(limit)) = (size, limit)
            && size > limit
        {
            let error = self.error_token(name.token, "array-size", format!("`{text}` has at most {limit} elements"));
            self.report(error);
        }
    }

    pub(super) fn per_vertex_member(&self, name: Symbol, storage: Storage) -> Option<Type> {
        let dialect = self.dialect;
        let basic = |v: &builtin::Variable| match v.ty {
            builtin::BaseType::Basic(ty) => Some(ty),
            builtin::BaseType::Struct(_) => None,
        };
        builtin::aggregates()
            .iter()
            .filter(|a| {
                a.when.holds(&dialect) && matches!(a.kind, AggregateKind::Block { storage: s, .. } if s == storage)
            })
            .flat_map(|a| a.members.iter())
            .filter(|m| m.name == name && m.when.holds(&dialect))
            .find_map(basic)
            .or_else(|| {
                builtin::variables(name)
                    .iter()
                    .filter(|v| v.when.holds(&dialect) && v.storage == storage)
                    .find_map(basic)
            })
    }
}
