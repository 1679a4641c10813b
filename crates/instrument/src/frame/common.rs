//! The code common to all transports: controls, the state of an invocation, facts.

use super::Frame;
use crate::device::Transport;

const SWITCHES: &str = "\
uniform `int $on;
uniform `ivec4 $pick;
bool $live = false, $mine = false, $reached = false, $discarded = false;
`int $at = 0;
";

/// Selection of invocations, and facts: the numbers are those of [`crate::stream::Facts`].
const FUNCTIONS: &str = "\
`int $facts() { return 1 + ($reached ? 2 : 0) + ($discarded ? 4 : 0); }
bool $wanted(`int $a, `int $b) { return $a < 0 || $a == $b; }
bool $asked(`ivec4 $who) {
    return $on != 0 && $wanted($pick.x, $who.x) && $wanted($pick.y, $who.y) && $wanted($pick.z, $who.z)
        && $wanted($pick.w, $who.w);
}
";

impl Frame<'_> {
    /// Adds the common code, around what a transport does with a word.
    pub(super) fn open_common(&mut self, sink: &str) {
        self.add(SWITCHES);
        self.add(sink);
        let note = self.record("$site", 0, "");
        self.add(&format!("void $note(`int $site) {{ {note} }}\n"));
        self.add(if self.branchless() {
            "void $reach() { $reached = $reached || $live; }\n"
        } else {
            "void $reach() { if ($live) $reached = true; }\n"
        });
        self.add(FUNCTIONS);
    }

    /// A statement that appends a record, as a template: the number of its site, and the code that appends `words`
    /// words.
    pub(super) fn record(&self, site: &str, words: u32, puts: &str) -> String {
        let all = format!("$word({}); {puts}", self.word_of(site));
        let all = all.trim_end();
        match self.transport {
            _ if self.branchless() => all.to_owned(),
            Transport::Storage => {
                // Records that do not fit stay zero, which is not a site.
                format!("if ($at < $limit - {words}) {{ $next = $first + $at; {all} }} $at += {};", words + 1)
            }
            _ => format!("if ($live) {{ {all} }}"),
        }
    }

    /// Whether probes are without branches.
    pub(super) fn branchless(&self) -> bool {
        self.device.style.branchless
    }
}
