//! Comparison with the recording.

use device::report::ComparedKind;
use trace::Data;

/// The result of one comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// What was compared.
    pub kind: ComparedKind,
    /// Whether it is as recorded.
    pub equal: bool,
    /// How it differs; empty when it does not.
    pub text: String,
}

/// Compares bytes with recorded ones. `first` and `second` are the outputs of two calls into memory with different
/// previous contents: bytes that differ between them were not written. Returns `None` when there is nothing to compare.
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

/// A histogram of differences between bytes: by 0, 1, 2, 3 to 4, 5 to 8, and so on.
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
}
