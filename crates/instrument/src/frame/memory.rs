//! Streams in variables of the shader, for an emulator that reads them after an invocation has ended.
//!
//! No conversion is needed: floats are in one array and integers in another, and each word is in one of them while the
//! other has zero. So shaders of any version answer exactly, without extracting the bits of floats, and all of their
//! outputs stay unchanged.

use super::Frame;

/// The arrays, and the functions that write to them.
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

    /// The names of the arrays.
    pub(super) fn memory_names(&self) -> Vec<String> {
        ["ints", "floats"].map(|name| self.name(name)).to_vec()
    }
}
