//! Records with slots: see `weave::slots`.
//!
//! A slot is a place at the beginning of the stream. Its number is a constant after inlining, and so is the comparison with
//! the range. Words for a storage block are kept in an array until the end. Where a window of the stream is returned at a
//! time, a word is kept if its window is asked for, in an array of one window, apart from the words whose places are known
//! at run time only: a compiler then takes that array for so many variables. A word costs it one choice between two
//! values, and not the dozens of instructions of an access to memory.

use super::Frame;
use crate::device::Transport;
use crate::stream::HEADER;
use crate::variant::SlotLayout;

/// The slots that a variant records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotRange {
    /// The first.
    pub from: u32,
    /// The one after the last.
    pub to: u32,
    /// Whether one of them is a loop's, whose records are in the stream.
    pub loops: bool,
    /// The first and the one after the last of the sites of that loop that are recorded, with the number of each record.
    pub sites: Option<[u32; 2]>,
}

/// The frame of the running call; the slot of the loop that it is in, or -1 outside of loops; the index of the next word in the
/// array, or -1 if the next word goes to the stream; and the number of records of the loop. The second is not written in a
/// loop, so that compilers know its value there.
const DECLARED: &str = "\
`int $log[COUNT];
`int $frame = 0, $loop = -1, $slot = -1, $order = 0;
";

impl Frame<'_> {
    /// Whether records may have slots: they need an array, and branches.
    #[must_use]
    pub fn has_slots(&self) -> bool {
        match self.transport {
            Transport::Memory(_) => false,
            Transport::Storage => !self.device.style.parameters,
            _ => self.has_array(),
        }
    }

    /// What the layout says of them.
    #[must_use]
    pub fn slot_layout(&self) -> Option<SlotLayout> {
        self.slots.map(|slots| SlotLayout { first: slots.from, count: self.slots(), numbered: slots.sites.is_some() })
    }

    /// The number of words of the slots.
    pub(super) fn slots(&self) -> u32 {
        self.slots.map_or(0, |slots| slots.to - slots.from)
    }

    /// Where the stream goes on after the header and the slots.
    pub(super) fn first_word(&self) -> u32 {
        HEADER + self.slots()
    }

    /// The code for a word, around that of the stream.
    pub(super) fn slotted_word(&self, stream: &str) -> String {
        let Some(slots) = self.slots else { return stream.to_owned() };
        let keep = match self.transport.window() {
            // Bases are multiples of the window.
            Some(window) => {
                let at = format!("($slot + {HEADER})");
                format!("if ($base == {at} / {window} * {window}) $log[{at} % {window}] = $w;")
            }
            None => "$log[$slot] = $w;".to_owned(),
        };
        if slots.loops {
            format!("if ($slot >= 0) {{ {keep} $slot++; }} else {{ {stream} }}")
        } else {
            format!("if ($slot >= 0) {{ {keep} $slot++; }}")
        }
    }

    /// The number of words that are kept: all, or those of a window.
    fn kept(&self) -> u32 {
        match self.slots() {
            0 => 0,
            count => self.transport.window().unwrap_or(count),
        }
    }

    /// Declarations for slots.
    pub(super) fn declare_slots(&self) -> String {
        let count = self.kept();
        if count == 0 { String::new() } else { DECLARED.replace("COUNT", &count.to_string()) }
    }

    /// Code that empties the slots.
    pub(super) fn clear_slots(&self) -> String {
        match self.kept() {
            0 => String::new(),
            count => format!("    for (`int $i = 0; $i < {count}; $i++) $log[$i] = 0;\n"),
        }
    }

    /// A statement that records a site in its slot, or in a loop in the stream.
    pub(super) fn slotted(&self, slots: SlotRange, slot: &str, all: &str, stream: &str) -> String {
        let SlotRange { from, to, loops, .. } = slots;
        let count = to - from;
        let fixed = format!(
            "$slot = $frame + {slot} - {from}; if ($live && $loop < 0 && $slot >= 0 && $slot < {count}) {{ {all} }}"
        );
        if !loops {
            return fixed;
        }
        format!("if ($loop < 0) {{ {fixed} }} else if ($loop >= {from} && $loop < {to}) {{ $slot = -1; {stream} }}")
    }

    /// A statement that records in a loop's slot where its records begin.
    pub(crate) fn begin_loop(&self, slot: u32, site: u32) -> String {
        let Some(slots) = self.slots else { return String::new() };
        let all = format!("$word({}); $word({});", self.word_of(&site.to_string()), self.word_of("$at"));
        self.slotted(SlotRange { loops: false, ..slots }, &slot.to_string(), &all, "")
    }
}
