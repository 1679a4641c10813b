//! Windows: a fixed number of words of a stream, starting at a base.

use super::Frame;
use super::word::Words;
use crate::stream::HEADER;

impl Frame<'_> {
    /// The code for a word: it is kept if it falls into the window.
    pub(super) fn window_sink(&self) -> String {
        let (ty, count) = (self.word_type(), self.window());
        let mut text = "uniform `int $base;\n".to_owned();
        if self.has_array() {
            text.push_str(&format!("{ty} $window[{count}];\n"));
            let stream = format!("`int $i = $at - $base; if ($i >= 0 && $i < {count}) $window[$i] = $w; $at++;");
            text.push_str(&format!("void $word({ty} $w) {{ {} }}\n", self.slotted_word(&stream)));
            return text;
        }
        let zero = self.zero();
        (0..count).for_each(|n| text.push_str(&format!("{ty} $window{n} = {zero};\n")));
        text.push_str(&format!("void $word({ty} $w) {{\n"));
        if self.branchless() {
            // Each word is written once, so that adding to zero is equivalent to writing.
            let weight = if self.words == Words::Int { "int" } else { "float" };
            text.push_str("    `int $k = int($live), $i = ($at - $base + 1) * $k - 1;\n");
            (0..count).for_each(|n| text.push_str(&format!("    $window{n} += $w * {weight}($i == {n});\n")));
            text.push_str("    $at += $k;\n}\n");
        } else {
            text.push_str("    `int $i = $at - $base;\n");
            (0..count).for_each(|n| text.push_str(&format!("    if ($i == {n}) $window{n} = $w;\n")));
            text.push_str("    $at++;\n}\n");
        }
        text
    }

    /// Whether words are kept in an array. Indices may have to be constant, so that only newer versions can have one;
    /// and an array that is part of a parameter is copied by every call, which takes Mesa's compiler minutes.
    pub(super) fn has_array(&self) -> bool {
        self.words == Words::Int && !self.branchless() && !self.device.style.parameters
    }

    fn zero(&self) -> &'static str {
        if self.words == Words::Int { "0" } else { "vec4(0.0)" }
    }

    /// The begin and end of an invocation; `start` runs first (with `$n`, the identity), and `export` writes the
    /// window.
    pub(super) fn window_ends(&self, start: &str, export: &str) -> String {
        let clear = if self.has_array() {
            format!("    for (`int $i = 0; $i < {}; $i++) $window[$i] = 0;\n", self.window())
        } else {
            String::new()
        };
        let (length, facts) = (self.word_of("$n"), self.word_of("$facts()"));
        if self.branchless() {
            return format!(
                "void $begin(`ivec4 $n) {{
{start}    $live = $asked($n);
    $mine = $live;
    $at = 2;
}}
void $end() {{
    `int $n = $at;
    $at = 0;
    $live = $mine;
    $word({length});
    $word({facts});
{export}}}
"
            );
        }
        let (first, clear_slots) = (self.first_word(), self.clear_slots());
        let export_header = match self.slots() {
            0 => format!("        $at = 0;\n        $word({length});\n        $word({facts});\n"),
            _ => self.copy_slots(),
        };
        format!(
            "void $begin(`ivec4 $n) {{
{start}{clear}{clear_slots}    if ($asked($n)) {{ $live = true; $mine = true; $at = {first}; }}
}}
void $end() {{
    if ($mine) {{
        `int $n = $at;
{export_header}    }}
{export}}}
"
        )
    }

    /// Copies the header and the slots to the window, as far as they fall into it.
    fn copy_slots(&self) -> String {
        let (first, end, count) = (HEADER, self.first_word(), self.window());
        format!(
            "        for (`int $i = 0; $i < {count}; $i++) {{
            `int $j = $base + $i;
            if ($j == 0) $window[$i] = $n;
            if ($j == 1) $window[$i] = $facts();
            if ($j >= {first} && $j < {end}) $window[$i] = $log[$i];
        }}
"
        )
    }

    /// A word of the window.
    pub(super) fn window_word(&self, index: u32) -> String {
        if self.has_array() { format!("$window[{index}]") } else { format!("$window{index}") }
    }

    /// The bytes of a window of one word, as numbers up to 255.
    pub(super) fn bytes_of_window(&self) -> String {
        let word = self.window_word(0);
        match self.words {
            Words::Int => {
                format!("vec4({word} & 255, ({word} >> 8) & 255, ({word} >> 16) & 255, ({word} >> 24) & 255)")
            }
            Words::Bytes => word,
        }
    }

    pub(super) fn window(&self) -> u32 {
        self.transport.window().unwrap_or(0)
    }
}
