//! A recording whose expressions return what another device measured: that device's stream is put where the variant can
//! read it, and a function that records a value returns the value at the same position of that stream, if it is a
//! record of the same site.

use shader::types::{Scalar, Type};

use super::Weaver;
use crate::device::Transport;
use crate::question::Detail;
use crate::stream::word_count;
use crate::variant::Refusal;

/// The arrays of a stream in memory.
const ARRAYS: &str = "\
`int $ints_given[COUNT];
`float $floats_given[COUNT];
";

/// In a storage block, the first half of the region contains the given stream, and the second is written.
const HALVES: &str = "\
`int $given = 0;
void $halve() { $given = $first; $first += $room / 2; $limit = $room / 2 - 4; }
";

impl Weaver<'_> {
    pub(super) fn recomputation(&mut self, detail: &Detail) -> Result<(), Refusal> {
        let declared = match self.frame.way().1 {
            Transport::Memory(count) => ARRAYS.replace("COUNT", &count.to_string()),
            Transport::Storage => HALVES.to_owned(),
            other => {
                let name = other.name();
                return Err(Refusal::Impossible(format!(
                    "measured values cannot be passed to the shader with transport {name}"
                )));
            }
        };
        self.frame.declare(&self.frame.text(&declared));
        self.given = true;
        self.recording(detail)?;
        if self.frame.way().1 == Transport::Storage {
            let halve = self.frame.text("if ($mine) $halve();");
            self.around_main(&halve, "", false);
        }
        Ok(())
    }

    /// The return value of a function that has just recorded a value, as a template.
    pub(super) fn gives(&self, ty: Type) -> String {
        let parts = if self.given { self.given_parts(ty) } else { None };
        let Some(parts) = parts else { return "$v".to_owned() };
        let value = match ty {
            Type::Scalar(_) => parts.concat(),
            _ => format!("{}({})", self.shader.type_name(ty), parts.join(", ")),
        };
        let there = match self.frame.way().1 {
            Transport::Memory(_) => "$live && $ints_given[0] != 0",
            _ => "$live",
        };
        let same = format!("{} == $s", self.given_word(parts.len() + 1, false));
        // Nothing is read before it is known to exist.
        format!("{there} ? ({same} ? {value} : $v) : $v")
    }

    /// The scalars at the position where those of a value were just written, if each of them is one word.
    fn given_parts(&self, ty: Type) -> Option<Vec<String>> {
        if !matches!(ty, Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..)) {
            return None;
        }
        let scalar = ty.scalar().filter(|scalar| !scalar.is_64_bit())?;
        let count = word_count(&self.shader.typed.types, ty) as usize;
        let part = |index: usize| {
            let word = self.given_word(count - index, scalar == Scalar::Float);
            match scalar {
                Scalar::Uint => format!("uint({word})"),
                Scalar::Bool => format!("({word} != 0)"),
                _ => word,
            }
        };
        Some((0..count).map(part).collect())
    }

    /// The word `back` words before the next position.
    fn given_word(&self, back: usize, float: bool) -> String {
        match (self.frame.way().1, float) {
            (Transport::Memory(_), true) => format!("$floats_given[$at - {back}]"),
            (Transport::Memory(_), false) => format!("$ints_given[$at - {back}]"),
            (_, true) => format!("intBitsToFloat($words[$given + $at - {back}])"),
            (_, false) => format!("$words[$given + $at - {back}]"),
        }
    }
}
