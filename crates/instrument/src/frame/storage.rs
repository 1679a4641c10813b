//! Streams that are written to a storage block directly.

use shader::qualifier::Storage;

use super::Frame;
use super::language::{lacks, offered};
use crate::question::Scope;
use crate::stream::HEADER;
use crate::variant::Refusal;
use crate::weave::SIDE;

/// The block and the functions that write to it. The numbers are those of [`crate::stream`]. The caller has checked
/// that a whole record fits ([`Frame::record`]): one branch per record instead of one per word halves compile times.
/// The limit is read once, because compilers would have to read it again after each written word. Invocations that are
/// not selected have no space.
const BLOCK: &str = "\
layout(std430BINDING) buffer $block { `int $count; `int $room; `int $sum; `int $carry; `int $words[]; };
`int $first = 0, $limit = 0, $next = 0;
void $word(`int $w) { SINK }
";

const ENDS: &str = "\
void $take(`ivec4 $who) {
    `int $n = atomicAdd($count, 1);
    if ($room >= 6 && $n < REGIONS) {
        $first = $n * $room;
        $words[$first] = $who.x;
        $words[$first + 1] = $who.y;
        $words[$first + 2] = $who.z;
        $words[$first + 3] = $who.w;
        $first += 4;
        $limit = $room - 4;
        $at = START;
        $mine = true;
    }
    $live = $mine;
}
BEGIN
void $end() {
    if ($mine) {
        $words[$first] = $at;
        $words[$first + 1] = $facts();
COPY    }
}
";

/// Selected invocations allocate a region: immediately, or when they have something to report ([`Frame::late`]), which
/// they add to the sum even if there is no region left. The sum is unsigned and has 64 bits.
const AT_ONCE: &str = "\
void $begin(`ivec4 $who) {
CLEAR    if ($asked($who)) $take($who);
}";
const LATE: &str = "\
`ivec4 $whose = ivec4(0);
void $begin(`ivec4 $who) { $live = $asked($who); $whose = $who; }
void $add(`int $n) {
    `int $old = atomicAdd($sum, $n), $new = $old + $n;
    if ($old < 0 && $new >= 0) atomicAdd($carry, 1);
}";

/// The same for all fragments of a block of the target sharing a region.
const BLOCK_ENDS: &str = "\
void $begin(`ivec4 $who) {
    if ($on != 0) {
        `ivec2 $place = clamp($who.xy * SIDE / $pick.xy, ivec2(0), ivec2(SIDE - 1));
        $first = ($place.y * SIDE + $place.x) * $room;
        $live = true;
        atomicOr($words[$first], 1);
    }
}
void $end() { $live = false; }
";

impl Frame<'_> {
    pub(super) fn open_storage(&mut self) -> Result<(), Refusal> {
        let (stage, version) = (self.language.stage, self.language.version);
        let blocks = self.subject.shader.typed.blocks.iter();
        let used = blocks.filter(|block| block.qualifiers.storage == Storage::Buffer).count() as u32;
        if self.branchless() {
            return Err(Refusal::Impossible("a storage block cannot be written without branches".to_owned()));
        }
        if !self.device.has_storage(stage, used) {
            let name = stage.name();
            return Err(Refusal::Impossible(format!("the device has no storage block left for a {name} shader")));
        }
        if !version.at_least(430, 310) {
            // Before GLSL 1.40, blocks require the extension for uniform blocks.
            let blocks = version.number >= 140 || self.ask_for("GL_ARB_uniform_buffer_object");
            if version.is_es() || !blocks || !self.ask_for("GL_ARB_shader_storage_buffer_object") {
                return Err(lacks(version, "storage blocks"));
            }
        }
        self.open_words();
        let binding = self.binding().map_or(String::new(), |binding| format!(", binding = {binding}"));
        let sink = self.slotted_word("$words[$next] = $w; $next++;");
        self.open_common(&BLOCK.replace("BINDING", &binding).replace("SINK", &sink));
        if self.scope == Scope::Blocks {
            self.add(&BLOCK_ENDS.replace("SIDE", &SIDE.to_string()));
            self.add("void $discard() { $live = false; }\n");
            return Ok(());
        }
        // Before GLSL 1.20, arrays have no methods.
        let regions = if version.at_least(120, 310) {
            "$words.length() / $room"
        } else {
            self.add("uniform int $regions;\n");
            "$regions"
        };
        let begin = if self.late { LATE } else { AT_ONCE };
        let (begin, copy) = (begin.replace("CLEAR", &self.clear_slots()), self.store_slots());
        let ends = ENDS.replace("REGIONS", regions).replace("BEGIN", &begin).replace("COPY", &copy);
        self.add(&ends.replace("START", &self.first_word().to_string()));
        self.add("void $discard() { $discarded = true; $end(); $live = false; $mine = false; $limit = 0; }\n");
        Ok(())
    }

    /// Copies the slots to the region, as far as it has room.
    fn store_slots(&self) -> String {
        match self.slots() {
            0 => String::new(),
            count => format!(
                "        for (`int $i = 0; $i < {count}; $i++) if ($i + {HEADER} < $limit) $words[$first + {HEADER} + $i] = $log[$i];\n"
            ),
        }
    }

    /// The binding point of the block, if the language can declare it.
    pub(super) fn binding(&self) -> Option<u32> {
        let blocks = self.subject.shader.typed.blocks.iter();
        let used: Vec<u32> = blocks.filter_map(|block| block.qualifiers.layout.binding).collect();
        let says = self.language.version.at_least(420, 310);
        (0..self.device.storage_bindings).rev().find(|binding| says && !used.contains(binding))
    }

    /// Enables an extension; returns false if it is not available.
    pub fn ask_for(&mut self, extension: &str) -> bool {
        let offered = offered(self.subject.shader, self.device, extension);
        if offered {
            self.extensions.insert(extension.to_owned());
        }
        offered
    }
}
