//! Notes for observers: which registers hold what an expression is made from.

use shader::ast::ExprId;

use super::{Lower, Value};
use crate::ir::{Note, NoteKind};

impl Lower<'_> {
    /// The value of an expression that names a place was read.
    pub(super) fn note_read(&mut self, id: ExprId, value: &Value) {
        self.note(id, NoteKind::Read(value.clone()));
    }

    /// A function of the shader returned.
    pub(super) fn note_returned(&mut self, id: ExprId, value: &Value) {
        self.note(id, NoteKind::Returned(value.clone()));
    }

    /// The operator or built-in function that is being lowered begins.
    pub(super) fn note_begin(&mut self, operands: &[&Value]) {
        if let Some(id) = self.origin {
            self.note(id, NoteKind::Begin(operands.iter().copied().cloned().collect()));
        }
    }

    /// It ends.
    pub(super) fn note_end(&mut self, result: &Value) {
        if let Some(id) = self.origin {
            self.note(id, NoteKind::End(result.clone()));
        }
    }

    fn note(&mut self, expr: ExprId, kind: NoteKind) {
        let block = &mut self.building[self.current.0 as usize];
        block.notes.push(Note { at: block.instructions.len(), site: expr.into(), kind });
    }
}
