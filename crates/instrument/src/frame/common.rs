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
        self.add(&self.declare_slots());
        self.add(sink);
        let (arguments, slot) = if self.slots.is_some() { ("$k, $site", "`int $k, ") } else { ("$site", "") };
        let note = self.record(arguments, 0, "");
        self.add(&format!("void $note({slot}`int $site) {{ {note} }}\n"));
        self.add(if self.branchless() {
            "void $reach() { $reached = $reached || $live; }\n"
        } else {
            "void $reach() { if ($live) $reached = true; }\n"
        });
        self.add(FUNCTIONS);
    }

    /// A statement that appends a record, as a template: the number of its site, with its slot before it if it has one, and
    /// the code that appends `words` words.
    pub(super) fn record(&self, number: &str, words: u32, puts: &str) -> String {
        let (slot, site) = number.split_once(", ").unwrap_or(("", number));
        let all = format!("$word({}); {puts}", self.word_of(site));
        let all = all.trim_end();
        let Some(slots) = self.slots else { return self.appended(words, all) };
        let stream = match slots.sites {
            None => self.appended(words, all),
            Some([from, to]) => {
                let numbered = format!("$word({}); $word($order); {puts}", self.word_of(site));
                let appended = self.appended(words + 1, numbered.trim_end());
                format!("if ({site} >= {from} && {site} < {to}) {{ {appended} }} $order++;")
            }
        };
        self.slotted(slots, slot, all, &stream)
    }

    /// A statement that appends `words` words and the number of their site to the stream.
    fn appended(&self, words: u32, all: &str) -> String {
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
