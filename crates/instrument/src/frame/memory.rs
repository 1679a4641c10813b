//! Streams kept in variables of the shader's own, for whoever can look into an invocation that is over.
//!
//! Nothing has to be taken apart for this: floats lie in one array and integers in another, and a word is in one of
//! them while the other has zero. So a shader of any language says everything exactly, without the work that bits of
//! floats are elsewhere, and all of its own outputs stay what they are.

use super::Frame;

/// The arrays, and what writes to them.
const ARRAYS: &str = "\
uniform `int $base;
`int $ints[COUNT];
`float $floats[COUNT];
void $word(`int $w) { `int $i = $at - $base; if ($i >= 0 && $i < COUNT) $ints[$i] = $w; $at++; }
void $word(`float $w) { `int $i = $at - $base; if ($i >= 0 && $i < COUNT) $floats[$i] = $w; $at++; }
";

const ENDS: &str = "\
void $begin(`ivec4 $n) { if ($asked($n)) { $live = true; $mine = true; $at = 2; } }
void $end() { if ($mine && $base == 0) { $ints[0] = $at; $ints[1] = $facts(); } }
void $discard() { $discarded = true; $end(); $live = false; }
";

impl Frame<'_> {
    pub(super) fn open_memory(&mut self) {
        self.open_common(&ARRAYS.replace("COUNT", &self.window().to_string()));
        self.add(ENDS);
    }

    /// Where the words are.
    pub(super) fn memory_names(&self) -> Vec<String> {
        ["ints", "floats"].map(|name| self.name(name)).to_vec()
    }
}
