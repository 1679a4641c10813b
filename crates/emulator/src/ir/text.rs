//! Programs as text.

use super::{Instruction, Program, Terminator};

/// A line of a listing.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The function it is in: an index of [`Program::functions`].
    pub function: usize,
    /// The index of the block in that function.
    pub block: usize,
    /// The index of the instruction in that block; `None` for the end of the block.
    pub instruction: Option<usize>,
    /// The text of the line.
    pub text: String,
}

/// Returns all instructions of a program, function after function.
#[must_use]
pub fn listing(program: &Program) -> Vec<Line> {
    let mut lines = Vec::new();
    for (function, code) in program.functions.iter().enumerate() {
        for (number, block) in code.blocks.iter().enumerate() {
            let line = |instruction, text| Line { function, block: number, instruction, text };
            for (place, instruction) in block.instructions.iter().enumerate() {
                lines.push(line(Some(place), self::instruction(program, instruction)));
            }
            let end = match block.terminator {
                Terminator::Jump(to) => format!("jump block {}", to.0),
                Terminator::Branch(on, yes, no) => format!("branch r{}, block {}, block {}", on.0, yes.0, no.0),
                Terminator::Return => "return".to_owned(),
            };
            lines.push(line(None, end));
        }
    }
    lines
}

/// Returns an instruction as text: what it does, then its operands, the result first.
#[must_use]
pub fn instruction(program: &Program, instruction: &Instruction) -> String {
    match instruction {
        Instruction::Constant(to, bits) => {
            format!("constant r{}, {bits:#x} ({:?})", to.0, f32::from_bits(*bits))
        }
        Instruction::Call(id) => {
            let name = program.functions.get(id.0 as usize).map_or("?", |function| function.name.as_str());
            format!("call {name}")
        }
        Instruction::Lookup(id) => match program.lookups.get(id.0 as usize) {
            Some(lookup) => plain(&format!("lookup {lookup:?}")),
            None => "lookup".to_owned(),
        },
        Instruction::Image(id) => match program.image_ops.get(id.0 as usize) {
            Some(access) => plain(&format!("image {access:?}")),
            None => "image".to_owned(),
        },
        other => plain(&format!("{other:?}")),
    }
}

/// Abbreviates registers to `r` and a number.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("Register(") {
        out.push_str(before);
        let (number, behind) = after.split_once(')').unwrap_or((after, ""));
        out.push('r');
        out.push_str(number);
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn registers_are_short() {
        assert_eq!(plain("Copy(Register(12), Register(3))"), "Copy(r12, r3)");
        assert_eq!(plain("Barrier"), "Barrier");
    }
}
