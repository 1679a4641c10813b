//! Records with slots: see `weave::slots`.
//!
//! A slot is a place in an array, which is copied to the beginning of the stream at the end. Its index is a constant after
//! inlining, and so is the comparison with the range.

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

    /// Adds the array, and the code for a word around that of the stream.
    pub(super) fn slotted_word(&self, stream: &str) -> String {
        match self.slots {
            None => stream.to_owned(),
            Some(SlotRange { loops: false, .. }) => "if ($slot >= 0) { $log[$slot] = $w; $slot++; }".to_owned(),
            Some(_) => format!("if ($slot >= 0) {{ $log[$slot] = $w; $slot++; }} else {{ {stream} }}"),
        }
    }

    /// Declarations for slots.
    pub(super) fn declare_slots(&self) -> String {
        let count = self.slots();
        if count == 0 { String::new() } else { DECLARED.replace("COUNT", &count.to_string()) }
    }

    /// Code that empties the slots.
    pub(super) fn clear_slots(&self) -> String {
        match self.slots() {
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
