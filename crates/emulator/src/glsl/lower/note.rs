//! Notes for observers: which registers hold the operands and results of an expression.

use shader::ast::ExprId;

use super::{Lower, Value};
use crate::ir::{Note, NoteKind};

impl Lower<'_> {
    /// Notes that the value of an expression that names an lvalue was read.
    pub(super) fn note_read(&mut self, id: ExprId, value: &Value) {
        let operand = self.as_operand(value);
        self.note(id, NoteKind::Read(operand));
    }

    /// Notes that a function of the shader returned.
    pub(super) fn note_returned(&mut self, id: ExprId, value: &Value) {
        let operand = self.as_operand(value);
        self.note(id, NoteKind::Returned(operand));
    }

    /// Notes that the operator or built-in function that is being lowered begins.
    pub(super) fn note_begin(&mut self, operands: &[&Value]) {
        if let Some(id) = self.origin {
            let operands = operands.iter().map(|value| self.as_operand(value)).collect();
            self.note(id, NoteKind::Begin(operands));
        }
    }

    /// Notes that it ends.
    pub(super) fn note_end(&mut self, result: &Value) {
        if let Some(id) = self.origin {
            let operand = self.as_operand(result);
            self.note(id, NoteKind::End(operand));
        }
    }

    fn note(&mut self, expr: ExprId, kind: NoteKind) {
        let block = &mut self.building[self.current.0 as usize];
        block.notes.push(Note { at: block.instructions.len(), site: expr.into(), kind });
    }
}
