//! A value of all fragments as it was measured beside the emulator's: what is found of each, and how many are what.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use inquiry::settle::{Finding, Settled};
use inquiry::verdict::{self, Verdict};
use inquiry::{Emulated, Inputs, Work};
use moment::Moment;
use serde_json::{Value as Json, json};

use super::asking::Asker;
use super::field::{Field, Pixel};
use crate::progress::Progress;

/// Of all fragments, so many percent that hold are enough: where a texture is read or a branch is taken at its very edge,
/// a last bit decides.
pub const ENOUGH: f64 = 99.9;

/// What is found of a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// Neither has a fragment there.
    Untouched,
    /// Both have no value there, for the same reason.
    Alike,
    /// The same bits.
    Equal,
    /// Within rounding: so many units in the last place apart.
    Within(u32),
    /// Farther apart, but every operation up to the value gives what the specification allows it, from what was measured
    /// of its operands.
    Allowed(u32),
    /// Farther apart.
    Divergent(u32),
    /// Only one has a value.
    Parted,
}

/// What is to be said of values that diverge for one reason.
struct Reason {
    /// How many there are.
    count: usize,
    /// Where the first is.
    first: [usize; 2],
    /// What it came to on both sides, if that is known.
    what: Option<String>,
}

/// Two fields side by side.
pub struct Compared {
    /// Pixel by pixel, as fields have them.
    pub found: Vec<Found>,
    size: [u32; 2],
    /// Why values diverge.
    reasons: BTreeMap<String, Reason>,
}

impl Compared {
    /// Compares values as they are.
    pub fn new(one: &Field, other: &Field) -> Compared {
        let found = (0..one.pixels.len()).map(|at| match one.verdict(other, at) {
            Some(Verdict::Equal) => Found::Equal,
            Some(Verdict::Within(ulps)) => Found::Within(ulps),
            Some(Verdict::Divergent(ulps)) => Found::Divergent(ulps),
            None if one.pixels[at] != other.pixels[at] => Found::Parted,
            None if one.pixels[at] == Pixel::Untouched => Found::Untouched,
            None => Found::Alike,
        });
        Compared { found: found.collect(), size: one.size, reasons: BTreeMap::new() }
    }

    /// Settles fragments that diverge, operation by operation; so many at most. Where the first cannot be recorded, the
    /// others are not tried.
    ///
    /// # Errors
    /// When what is changed cannot be changed.
    pub fn settle(
        &mut self,
        asker: &mut Asker<'_>,
        settling: &mut Settling<'_, '_>,
        mut most: usize,
    ) -> anyhow::Result<()> {
        let width = self.size[0] as usize;
        let inputs: BTreeMap<usize, &Inputs> =
            settling.inputs.iter().filter_map(|one| Some((place(one, self.size)?, one))).collect();
        let divergent = |at: &usize| matches!(self.found[*at], Found::Divergent(_));
        let all: Vec<usize> = (0..self.found.len()).filter(divergent).collect();
        let changes = asker.changes(settling.work)?;
        let mut progress = Progress::new(all.len().min(most) as u64, "fragments settled");
        for (done, &at) in all.iter().enumerate() {
            let Found::Divergent(ulps) = self.found[at] else { continue };
            let reason = match inputs.get(&at) {
                _ if done >= most => Err(("not looked at".to_owned(), None)),
                None => Err(("the emulator was given nothing there".to_owned(), None)),
                Some(inputs) => {
                    let Settling { work, emulated, moment, .. } = settling;
                    match asker.inquiry.settle(work, emulated, inputs, moment, &changes) {
                        Ok(settled) => settling.reason(at, settled),
                        Err(error) => {
                            most = 0;
                            Err((format!("it cannot be recorded: {error}"), None))
                        }
                    }
                }
            };
            match reason {
                Ok(()) => self.found[at] = Found::Allowed(ulps),
                Err((reason, what)) => {
                    let first = Reason { count: 0, first: [at % width, at / width], what };
                    self.reasons.entry(reason).or_insert(first).count += 1;
                }
            }
            progress.step(done as u64 + 1);
        }
        progress.clear();
        Ok(())
    }

    /// How many pixels are what.
    pub fn count(&self, what: fn(&Found) -> bool) -> usize {
        self.found.iter().filter(|found| what(found)).count()
    }

    fn all(&self) -> usize {
        self.count(|found| *found != Found::Untouched)
    }

    fn counts(&self) -> [(&'static str, usize); 4] {
        [
            ("equal", self.count(|found| matches!(found, Found::Equal | Found::Alike))),
            ("within", self.count(|found| matches!(found, Found::Within(_)))),
            ("allowed", self.count(|found| matches!(found, Found::Allowed(_)))),
            ("divergent", self.count(|found| matches!(found, Found::Divergent(_) | Found::Parted))),
        ]
    }

    /// How many of a hundred hold.
    pub fn share(&self) -> f64 {
        let all = self.all();
        let [.., (_, divergent)] = self.counts();
        if all == 0 { 100.0 } else { 100.0 * (all - divergent) as f64 / all as f64 }
    }

    /// The pixel that is off most.
    fn worst(&self) -> Option<[usize; 2]> {
        let distance = |found: &Found| match found {
            Found::Divergent(ulps) => Some(*ulps),
            Found::Parted => Some(u32::MAX),
            _ => None,
        };
        let off = self.found.iter().enumerate().filter_map(|(at, found)| Some((distance(found)?, at)));
        let (_, at) = off.max_by_key(|(distance, at)| (*distance, std::cmp::Reverse(*at)))?;
        Some([at % self.size[0] as usize, at / self.size[0] as usize])
    }

    /// For people.
    pub fn text(&self) -> String {
        let [(_, equal), (_, within), (_, allowed), (_, divergent)] = self.counts();
        let mut text = format!(
            "{} of {} fragments hold beside the emulator's, {:.3} %: {equal} equal, {within} within rounding, {allowed} \
             within the bounds of each operation, {divergent} divergent",
            equal + within + allowed,
            self.all(),
            self.share()
        );
        let worst = self.worst().map_or(String::new(), |[x, y]| format!("; the worst is at {x},{y}"));
        // Writing to memory does not fail.
        let _ = writeln!(text, "{worst}");
        for (reason, Reason { count, first: [x, y], what }) in &self.reasons {
            let what = what.as_ref().map_or(String::new(), |what| format!(": {what}"));
            let _ = writeln!(text, "  {count} divergent: {reason}, the first at {x},{y}{what}");
        }
        text
    }

    /// For scripts.
    pub fn json(&self) -> Json {
        let reason = |(why, reason): (&String, &Reason)| json!({ "why": why, "count": reason.count, "first": reason.first, "what": reason.what });
        let reasons: Vec<Json> = self.reasons.iter().map(reason).collect();
        let mut document =
            json!({ "all": self.all(), "share": self.share() / 100.0, "worst": self.worst(), "reasons": reasons });
        for (name, count) in self.counts() {
            document[name] = json!(count);
        }
        document
    }
}

/// What settling needs.
pub struct Settling<'a, 'w> {
    pub work: &'a Work,
    pub emulated: &'a mut Emulated<'w>,
    pub inputs: &'a [Inputs],
    pub moment: &'a Moment,
    /// What was measured of the value alone.
    pub field: &'a Field,
}

impl Settling<'_, '_> {
    /// Whether a value holds; if not, why, and what it came to.
    fn reason(&self, at: usize, settled: Option<Settled>) -> Result<(), (String, Option<String>)> {
        let Some(Settled { judgement, measured }) = settled else {
            return Err(("the value is in no recording".to_owned(), None));
        };
        let count = self.field.kinds.len();
        let alone = &self.field.bits[at * count..(at + 1) * count];
        let pairs = self.field.kinds.iter().zip(alone.iter().zip(&measured.scalars));
        let same = pairs.map(|(kind, (one, two))| verdict::numbers(*kind, *one, *two)).max();
        if measured.scalars.len() != count || matches!(same, Some(Verdict::Divergent(_))) {
            return Err(("the device computes something else while it records".to_owned(), Some(judgement.what)));
        }
        let operation = judgement.operation.unwrap_or_default();
        let why = match judgement.finding {
            Finding::Exact | Finding::Within | Finding::Allowed => return Ok(()),
            Finding::Driver => format!("the device's {operation} is outside of its bounds"),
            Finding::Undefined => format!("the language leaves open what {operation} does"),
            Finding::Ours => format!("the emulator's {operation} is not the device's"),
        };
        Err((why, Some(judgement.what)))
    }
}

/// Where the value of a fragment is in a field.
fn place(inputs: &Inputs, size: [u32; 2]) -> Option<usize> {
    let [x, y] = [0, 1].map(|axis| usize::try_from(inputs.who[axis]).ok().filter(|&at| at < size[axis] as usize));
    Some(y? * size[0] as usize + x?)
}

#[cfg(test)]
mod tests {
    use shader::types::Scalar;

    use super::*;

    fn field(numbers: &[f32], pixels: &[Pixel]) -> Field {
        Field {
            size: [numbers.len() as u32, 1],
            kinds: vec![Scalar::Float],
            pixels: pixels.to_vec(),
            bits: numbers.iter().map(|number| u64::from(number.to_bits())).collect(),
        }
    }

    #[test]
    fn every_fragment_is_counted_once() {
        use Pixel::{Discarded, Reached, Untouched};
        let one = field(&[1.0, 1.0, 1.0, 0.0, 0.0, 1.0], &[Reached, Reached, Reached, Untouched, Discarded, Reached]);
        let ulp = f32::from_bits(1f32.to_bits() + 1);
        let other =
            field(&[1.0, ulp, 2.0, 0.0, 0.0, 1.0], &[Reached, Reached, Reached, Untouched, Discarded, Discarded]);
        let mut compared = Compared::new(&one, &other);
        let document = compared.json();
        let numbers = ["equal", "within", "allowed", "divergent", "all"].map(|name| document[name].as_u64());
        assert_eq!(numbers, [Some(2), Some(1), Some(0), Some(2), Some(5)]);
        assert_eq!(document["worst"], json!([5, 0]), "one has no value");
        compared.found[2] = Found::Allowed(1 << 23);
        assert_eq!(compared.share(), 80.0);
        assert!(
            compared.text().contains("2 equal, 1 within rounding, 1 within the bounds of each operation, 1 divergent")
        );
    }
}
