//! A value of all fragments as it was measured beside the emulator's.

use std::collections::BTreeMap;

use device::Changes;
use inquiry::Settled;
use inquiry::{DrawSnapshot, Emulated, Inputs};
use moment::Moment;
use verdict::Verdict;
use verdict::settle::Finding;

use crate::control::Activity;
use crate::data::field::{Field, PixelComparison, PixelState};
use crate::data::inspect::{DivergenceReason, FieldComparison};
use crate::data::value::Agreement;
use crate::error::SessionError;
use crate::open::Session;

/// Two fields side by side.
pub struct Compared {
    pixels: Vec<PixelComparison>,
    size: [u32; 2],
    /// Why values diverge.
    reasons: BTreeMap<String, Reason>,
}

/// The values that diverge for one reason.
struct Reason {
    count: usize,
    first: [usize; 2],
    what: Option<String>,
}

/// What is needed to examine fragments that diverge.
pub struct Settling<'a, 'w> {
    pub work: &'a DrawSnapshot,
    pub emulated: &'a mut Emulated<'w>,
    pub inputs: &'a [Inputs],
    pub moment: &'a Moment,
    /// What was measured of the value alone.
    pub field: &'a Field,
    pub changes: &'a Changes,
}

impl Compared {
    /// Compares values as they are.
    pub fn new(one: &Field, other: &Field) -> Compared {
        let pixels = (0..one.pixels.len()).map(|at| match one.agreement(other, at) {
            Some(Agreement::Equal) => PixelComparison::Equal,
            Some(Agreement::Within { ulps }) => PixelComparison::Within(ulps),
            Some(Agreement::Divergent { ulps }) => PixelComparison::Divergent(ulps),
            None if one.pixels[at] != other.pixels[at] => PixelComparison::OnlyOne,
            None if one.pixels[at] == PixelState::Untouched => PixelComparison::Untouched,
            None => PixelComparison::Alike,
        });
        Compared { pixels: pixels.collect(), size: one.size, reasons: BTreeMap::new() }
    }

    /// Examines at most `most` fragments that diverge, operation by operation. If the first cannot be recorded, the others
    /// are not tried.
    ///
    /// # Errors
    /// When the user interrupts.
    pub fn settle(
        &mut self,
        session: &mut Session,
        settling: &mut Settling<'_, '_>,
        mut most: usize,
    ) -> Result<(), SessionError> {
        let width = self.size[0] as usize;
        let inputs: BTreeMap<usize, &Inputs> =
            settling.inputs.iter().filter_map(|one| Some((place(one, self.size)?, one))).collect();
        let divergent = |at: &usize| matches!(self.pixels[*at], PixelComparison::Divergent(_));
        let all: Vec<usize> = (0..self.pixels.len()).filter(divergent).collect();
        let total = Some(all.len().min(most) as u64);
        for (done, &at) in all.iter().enumerate() {
            let PixelComparison::Divergent(ulps) = self.pixels[at] else { continue };
            let reason = match inputs.get(&at) {
                _ if done >= most => Err(("not looked at".to_owned(), None)),
                None => Err(("the emulator was given nothing there".to_owned(), None)),
                Some(inputs) => {
                    let Settling { work, emulated, moment, changes, .. } = settling;
                    match session.inquiry.settle(work, emulated, inputs, moment, changes) {
                        Ok(settled) => settling.reason(at, settled),
                        Err(error) if error.is_interruption() => return Err(error.into()),
                        Err(error) => {
                            most = 0;
                            Err((format!("it cannot be recorded: {error}"), None))
                        }
                    }
                }
            };
            match reason {
                Ok(()) => self.pixels[at] = PixelComparison::Allowed(ulps),
                Err((reason, what)) => {
                    let first = Reason { count: 0, first: [at % width, at / width], what };
                    self.reasons.entry(reason).or_insert(first).count += 1;
                }
            }
            session.control.tell(Activity::Settling, done as u64 + 1, total);
        }
        Ok(())
    }

    /// Counts what was found.
    pub fn finish(self) -> FieldComparison {
        let count = |is: fn(&PixelComparison) -> bool| self.pixels.iter().filter(|pixel| is(pixel)).count();
        let all = count(|pixel| *pixel != PixelComparison::Untouched);
        let divergent = count(|pixel| matches!(pixel, PixelComparison::Divergent(_) | PixelComparison::OnlyOne));
        let reason = |(why, reason): (&String, &Reason)| DivergenceReason {
            why: why.clone(),
            count: reason.count,
            first: reason.first,
            what: reason.what.clone(),
        };
        FieldComparison {
            all,
            equal: count(|pixel| matches!(pixel, PixelComparison::Equal | PixelComparison::Alike)),
            within: count(|pixel| matches!(pixel, PixelComparison::Within(_))),
            allowed: count(|pixel| matches!(pixel, PixelComparison::Allowed(_))),
            divergent,
            share: if all == 0 { 1.0 } else { (all - divergent) as f64 / all as f64 },
            worst: self.worst(),
            reasons: self.reasons.iter().map(reason).collect(),
            pixels: self.pixels,
        }
    }

    /// Returns the pixel that is farthest apart.
    fn worst(&self) -> Option<[usize; 2]> {
        let distance = |pixel: &PixelComparison| match pixel {
            PixelComparison::Divergent(ulps) => Some(*ulps),
            PixelComparison::OnlyOne => Some(u32::MAX),
            _ => None,
        };
        let apart = self.pixels.iter().enumerate().filter_map(|(at, pixel)| Some((distance(pixel)?, at)));
        let (_, at) = apart.max_by_key(|(distance, at)| (*distance, std::cmp::Reverse(*at)))?;
        Some([at % self.size[0] as usize, at / self.size[0] as usize])
    }
}

impl Settling<'_, '_> {
    /// Returns why a value diverges, and what was computed; `Ok` if it is allowed.
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

/// Returns where the value of a fragment is in a field.
fn place(inputs: &Inputs, size: [u32; 2]) -> Option<usize> {
    let [x, y] = [0, 1].map(|axis| usize::try_from(inputs.who[axis]).ok().filter(|&at| at < size[axis] as usize));
    Some(y? * size[0] as usize + x?)
}

#[cfg(test)]
mod tests {
    use shader::types::Scalar;

    use super::*;

    fn field(numbers: &[f32], pixels: &[PixelState]) -> Field {
        Field {
            size: [numbers.len() as u32, 1],
            kinds: vec![Scalar::Float],
            names: vec!["value".to_owned()],
            pixels: pixels.to_vec(),
            bits: numbers.iter().map(|number| u64::from(number.to_bits())).collect(),
        }
    }

    #[test]
    fn every_fragment_is_counted_once() {
        use PixelState::{Discarded, Reached, Untouched};
        let one = field(&[1.0, 1.0, 1.0, 0.0, 0.0, 1.0], &[Reached, Reached, Reached, Untouched, Discarded, Reached]);
        let ulp = f32::from_bits(1f32.to_bits() + 1);
        let other =
            field(&[1.0, ulp, 2.0, 0.0, 0.0, 1.0], &[Reached, Reached, Reached, Untouched, Discarded, Discarded]);
        let found = Compared::new(&one, &other).finish();
        assert_eq!((found.equal, found.within, found.allowed, found.divergent, found.all), (2, 1, 0, 2, 5));
        assert_eq!(found.worst, Some([5, 0]), "one has no value");
        let mut compared = Compared::new(&one, &other);
        compared.pixels[2] = PixelComparison::Allowed(1 << 23);
        let found = compared.finish();
        assert_eq!((found.equal, found.within, found.allowed, found.divergent), (2, 1, 1, 1));
        assert_eq!(found.share, 0.8);
    }
}
