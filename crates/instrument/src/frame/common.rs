//! What all transports have: switches, the state of an invocation, facts.

use super::Frame;
use super::word::Words;

const SWITCHES: &str = "\
uniform `int $on;
uniform `ivec4 $pick;
bool $live = false, $mine = false, $reached = false, $discarded = false;
`int $at = 0;
";

/// Whose answers are wanted, and facts: the numbers are those of [`crate::stream::Facts`].
const FUNCTIONS: &str = "\
`int $facts() { return 1 + ($reached ? 2 : 0) + ($discarded ? 4 : 0); }
bool $wanted(`int $a, `int $b) { return $a < 0 || $a == $b; }
bool $asked(`ivec4 $who) {
    return $on != 0 && $wanted($pick.x, $who.x) && $wanted($pick.y, $who.y) && $wanted($pick.z, $who.z)
        && $wanted($pick.w, $who.w);
}
";

impl Frame<'_> {
    /// Adds what all transports have, around what a transport does with a word.
    pub(super) fn open_common(&mut self, sink: &str) {
        self.add(SWITCHES);
        self.add(sink);
        let note = match self.words {
            Words::Int => "$word($site)",
            Words::Bytes => "$word($bytes($site))",
        };
        if self.branchless() {
            self.add(&format!(
                "void $note(`int $site) {{ {note}; }}\nvoid $reach() {{ $reached = $reached || $live; }}\n"
            ));
        } else {
            self.add(&format!("void $note(`int $site) {{ if ($live) {note}; }}\n"));
            self.add("void $reach() { if ($live) $reached = true; }\n");
        }
        self.add(FUNCTIONS);
    }

    /// Whether probes are to be without branches.
    pub(super) fn branchless(&self) -> bool {
        self.device.style.branchless
    }
}
