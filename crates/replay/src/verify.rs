//! Comparison with the recording.

use trace::Data;

/// What was compared, and how it came out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Pictures about to be presented.
    pub frames: Count,
    /// Pictures of what was bound when a context or the program ended.
    pub last: Count,
    /// What calls gave back: pixels, texels, bytes of buffers, mapped memory.
    pub readbacks: Count,
    /// Answers of `glGetError`.
    pub errors: Count,
    /// Things that could not be compared, because nothing was written, or only a hash is known and not all was written.
    pub incomparable: u64,
    /// The first differences.
    pub differences: Vec<Difference>,
}

/// How many were compared and how many of those were equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Compared.
    pub compared: u64,
    /// Equal.
    pub equal: u64,
}

/// Something that is not as it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The call at which it was found.
    pub command: u64,
    /// What was compared.
    pub kind: Kind,
    /// How it differs.
    pub text: String,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A picture about to be presented.
    Frame,
    /// A picture of what was bound at an end.
    Last,
    /// What a call gave back.
    Readback,
    /// An answer of `glGetError`.
    Error,
}

/// What came of one comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// What was compared.
    pub kind: Kind,
    /// Whether it is as it was.
    pub equal: bool,
    /// How it differs; empty when it does not.
    pub text: String,
}

/// So many differences are told in words.
const TOLD: usize = 8;

impl Kind {
    /// A word for it, for JSON and for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Frame => "frame",
            Kind::Last => "last picture",
            Kind::Readback => "readback",
            Kind::Error => "error",
        }
    }
}

impl Tally {
    /// Adds what was found at a call.
    pub fn add(&mut self, command: u64, found: Found) {
        let count = match found.kind {
            Kind::Frame => &mut self.frames,
            Kind::Last => &mut self.last,
            Kind::Readback => &mut self.readbacks,
            Kind::Error => &mut self.errors,
        };
        count.compared += 1;
        count.equal += u64::from(found.equal);
        if !found.equal && self.differences.len() < TOLD {
            self.differences.push(Difference { command, kind: found.kind, text: found.text });
        }
    }

    /// Comparisons of something to see. Errors alone do not make a verified trace.
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.frames.compared + self.last.compared + self.readbacks.compared
    }

    /// Whether all that was compared is as it was.
    #[must_use]
    pub fn equal(&self) -> bool {
        [self.frames, self.last, self.readbacks, self.errors].iter().all(|count| count.compared == count.equal)
    }
}

/// Compares bytes with recorded ones. `first` and `second` are what came of two calls that found different bytes where
/// they wrote, so that bytes which differ between them were not written. Nothing when there is nothing to compare.
#[must_use]
pub fn compare(data: Data<'_>, recorded: Option<&[u8]>, first: &[u8], second: &[u8]) -> Option<(bool, String)> {
    let untouched = first.iter().zip(second).filter(|(a, b)| a != b).count();
    if untouched == first.len() && !first.is_empty() {
        return None;
    }
    match (recorded, data) {
        (Some(recorded), _) => {
            let mut differences = Histogram::default();
            for ((recorded, first), second) in recorded.iter().zip(first).zip(second) {
                if first == second {
                    differences.add(recorded.abs_diff(*first));
                }
            }
            let equal = differences.different() == 0 && recorded.len() == first.len();
            Some((equal, if equal { String::new() } else { differences.to_string() }))
        }
        (None, Data::Digest { hash, size }) if untouched == 0 => {
            let equal = first.len() as u64 == size && blake3::hash(first).as_bytes() == hash;
            let text = if equal { String::new() } else { format!("{size} bytes have another hash") };
            Some((equal, text))
        }
        _ => None,
    }
}

/// How far bytes are apart: how many by nothing, 1, 2, 3 to 4, 5 to 8, and so on.
#[derive(Default)]
struct Histogram {
    buckets: [u64; 10],
    largest: u8,
}

impl Histogram {
    fn add(&mut self, difference: u8) {
        let bucket = if difference == 0 { 0 } else { 1 + (difference - 1).checked_ilog2().map_or(0, |log| log + 1) };
        self.buckets[bucket as usize] += 1;
        self.largest = self.largest.max(difference);
    }

    fn different(&self) -> u64 {
        self.buckets[1..].iter().sum()
    }
}

impl std::fmt::Display for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let total: u64 = self.buckets.iter().sum();
        write!(f, "{} of {total} bytes differ, by at most {}", self.different(), self.largest)?;
        let names = ["1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", "65-128", "129-255"];
        let mut separator = " (";
        for (name, count) in names.iter().zip(&self.buckets[1..]) {
            if *count > 0 {
                write!(f, "{separator}by {name}: {count}")?;
                separator = ", ";
            }
        }
        if separator == ", " { write!(f, ")") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(recorded: &[u8], first: &[u8], second: &[u8], expected: Option<(bool, &str)>) {
        let found = compare(Data::Inline(recorded), Some(recorded), first, second);
        assert_eq!(found, expected.map(|(equal, text)| (equal, text.to_owned())));
        let hash = blake3::hash(recorded);
        let digest = Data::Digest { hash: hash.as_bytes(), size: recorded.len() as u64 };
        let by_hash = compare(digest, None, first, second).map(|(equal, _)| equal);
        let whole = first == second;
        assert_eq!(by_hash, expected.map(|(equal, _)| equal).filter(|_| whole));
    }

    #[test]
    fn bytes_that_nobody_wrote_do_not_count() {
        check(&[1, 2, 3], &[1, 2, 3], &[1, 2, 3], Some((true, "")));
        check(&[1, 2, 3], &[1, 2, 9], &[1, 2, 8], Some((true, "")));
        check(&[1, 2, 3], &[7, 8, 9], &[9, 8, 7], Some((false, "1 of 1 bytes differ, by at most 6 (by 5-8: 1)")));
        check(&[1, 2, 3], &[4, 5, 6], &[7, 8, 9], None);
    }

    #[test]
    fn differences_are_sorted_by_size() {
        let recorded = [10, 10, 10, 10, 10, 0];
        let real = [10, 11, 8, 13, 10, 255];
        let text = "4 of 6 bytes differ, by at most 255 (by 1: 1, by 2: 1, by 3-4: 1, by 129-255: 1)";
        check(&recorded, &real, &real, Some((false, text)));
    }

    #[test]
    fn errors_alone_are_not_a_comparison() {
        let mut tally = Tally::default();
        tally.add(3, Found { kind: Kind::Error, equal: true, text: String::new() });
        assert_eq!(tally.compared(), 0);
        tally.add(4, Found { kind: Kind::Frame, equal: false, text: "other".to_owned() });
        assert_eq!((tally.compared(), tally.equal()), (1, false));
        assert_eq!(tally.differences[0].command, 4);
    }
}
