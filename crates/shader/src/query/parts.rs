//! Which parts of a variable a shader uses.

use std::collections::BTreeSet;

use crate::analyze::Shader;
use crate::ast::{ExprId, ExprKind};
use crate::symbol::Symbol;
use crate::typed::{Target, VarId};

/// A part of a variable that an expression uses: an element of an array, and a member of what it is then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct UsedPart {
    /// The element of an array; nothing for all, or where the index is not constant.
    pub element: Option<u32>,
    /// The member; nothing for all.
    pub member: Option<Symbol>,
}

impl Shader {
    /// The parts of a variable that expressions name, whether or not they run.
    #[must_use]
    pub fn used_parts(&self, variable: VarId) -> BTreeSet<UsedPart> {
        let mut all = BTreeSet::new();
        let mut inner = BTreeSet::new();
        let exprs = || (0..self.tree.exprs.len()).map(|index| ExprId(index as u32));
        // An expression whose part is taken says less than that which takes it.
        for id in exprs() {
            match self.tree.expr(id).kind {
                ExprKind::Index(base, _) | ExprKind::Field(base, _) | ExprKind::Paren(base) => {
                    inner.insert(base);
                }
                _ => {}
            }
        }
        for id in exprs().filter(|id| !inner.contains(id)) {
            all.extend(self.part_of(id, variable));
        }
        all
    }

    /// The part of a variable that an expression is, or a part of which it is.
    fn part_of(&self, id: ExprId, variable: VarId) -> Option<UsedPart> {
        let mut part = UsedPart { element: None, member: None };
        let mut at = self.tree.unwrap_parens(id);
        loop {
            at = self.tree.unwrap_parens(match self.tree.expr(at).kind {
                ExprKind::Field(base, name) => {
                    part = UsedPart { element: None, member: Some(name) };
                    base
                }
                ExprKind::Index(base, index) => {
                    let constant = self.typed.expr(index).constant;
                    let number = constant.and_then(|constant| self.typed.constants.as_i64(constant));
                    // What is indexed further in is inside of this.
                    let member = part.member.filter(|_| part.element.is_none());
                    part = UsedPart { element: number.and_then(|number| u32::try_from(number).ok()), member };
                    base
                }
                ExprKind::Name(_) => {
                    return matches!(self.typed.expr(at).target, Target::Variable(of) if of == variable)
                        .then_some(part);
                }
                _ => return None,
            });
        }
    }
}
