//! A recording whose expressions give what another device measured: the stream which that device sent is put beforehand
//! where the variant can read it, and a function that notes a value gives back what lies there at the same place of the
//! stream, if that is a record of the same site.

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

/// In a storage block the first half of the region has the stream that is given, the second is written.
const HALVES: &str = "\
`int $given = 0;
void $halve() { $given = $first; $first += $room / 2; $limit = $room / 2 - 4; }
";

impl Weaver<'_> {
    pub(super) fn recomputation(&mut self, detail: Detail) -> Result<(), Refusal> {
        let declared = match self.frame.way().1 {
            Transport::Memory(count) => ARRAYS.replace("COUNT", &count.to_string()),
            Transport::Storage => HALVES.to_owned(),
            other => {
                let name = other.name();
                return Err(Refusal::Impossible(format!("what was measured cannot be given by way of {name}")));
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

    /// What a function that has just noted a value gives back, as a template.
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
        // Nothing is looked up before it is known that something is there.
        format!("{there} ? ({same} ? {value} : $v) : $v")
    }

    /// The scalars that lie where those of a value were just written, if each of them is a word.
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

    /// The word that lies so far before the place of the next.
    fn given_word(&self, back: usize, float: bool) -> String {
        match (self.frame.way().1, float) {
            (Transport::Memory(_), true) => format!("$floats_given[$at - {back}]"),
            (Transport::Memory(_), false) => format!("$ints_given[$at - {back}]"),
            (_, true) => format!("intBitsToFloat($words[$given + $at - {back}])"),
            (_, false) => format!("$words[$given + $at - {back}]"),
        }
    }
}
