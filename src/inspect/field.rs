//! A value for each pixel of a rectangle: what all fragments of a draw say of one expression.

use inquiry::verdict::{self, Verdict};
use instrument::inspect::InspectResult;
use instrument::stream::Facts;
use instrument::variant::Reading;
use moment::glsl::Value;
use moment::glsl::value::{number, scalars};
use shader::types::{Scalar, TypeTable};

/// What became of a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pixel {
    /// No fragment came there, or none that stayed.
    Untouched,
    /// A fragment came, but not to the moment that was asked about.
    Elsewhere,
    /// The fragment was thrown away before it came to the moment.
    Discarded,
    /// There is a value.
    Reached,
}

impl Pixel {
    /// A word for it, as tables and documents have it.
    pub fn word(self) -> &'static str {
        match self {
            Pixel::Untouched => "untouched",
            Pixel::Elsewhere => "not reached",
            Pixel::Discarded => "discarded",
            Pixel::Reached => "reached",
        }
    }

    fn of(facts: Facts, value: bool) -> Pixel {
        match (value, facts.has(Facts::DISCARDED)) {
            (true, _) => Pixel::Reached,
            (false, true) => Pixel::Discarded,
            (false, false) => Pixel::Elsewhere,
        }
    }
}

/// A value for each pixel.
pub struct Field {
    /// Width and height.
    pub size: [u32; 2],
    /// What each component is; all values have the same.
    pub kinds: Vec<Scalar>,
    /// Row by row from the bottom.
    pub pixels: Vec<Pixel>,
    /// The bits of each component of each pixel; zeros where there is no value.
    pub bits: Vec<u64>,
}

impl Field {
    /// What came back for the pixels of a target; `scalars` finds the bits of what is wanted in what a fragment said.
    pub fn new(
        result: &InspectResult,
        kinds: Vec<Scalar>,
        size: [u32; 2],
        scalars: impl Fn(&Reading) -> Option<Vec<u64>>,
    ) -> Field {
        let readings = result.readings.iter();
        Field::of(kinds, size, readings.map(|(who, reading)| ([who[0], who[1]], reading.facts, scalars(reading))))
    }

    /// From places, what is known of each, and its bits.
    pub fn of(
        kinds: Vec<Scalar>,
        size: [u32; 2],
        places: impl Iterator<Item = ([i32; 2], Facts, Option<Vec<u64>>)>,
    ) -> Field {
        let count = size[0] as usize * size[1] as usize;
        let bits = vec![0; count * kinds.len()];
        let mut field = Field { size, kinds, pixels: vec![Pixel::Untouched; count], bits };
        for (place, facts, value) in places {
            let place = |axis: usize| u32::try_from(place[axis]).ok().filter(|&at| at < size[axis]);
            let (Some(x), Some(y)) = (place(0), place(1)) else { continue };
            let at = y as usize * size[0] as usize + x as usize;
            let value = value.filter(|value| value.len() == field.kinds.len());
            field.pixels[at] = Pixel::of(facts, value.is_some());
            if let Some(value) = value {
                let count = field.kinds.len();
                field.bits[at * count..(at + 1) * count].copy_from_slice(&value);
            }
        }
        field
    }

    /// Each fragment's one value.
    pub fn of_values(result: &InspectResult, types: &TypeTable, size: [u32; 2]) -> Field {
        let value = |reading: &Reading| reading.records.first().and_then(|record| record.value.clone());
        let first = result.readings.iter().find_map(|(_, reading)| value(reading));
        let kinds = first.map_or(Vec::new(), |value: Value| scalars(types, value.ty));
        Field::new(result, kinds, size, |reading| value(reading).map(|value| value.scalars))
    }

    /// The components of a pixel as numbers; empty where there is no value.
    pub fn numbers(&self, at: usize) -> Vec<f64> {
        if self.pixels[at] != Pixel::Reached {
            return Vec::new();
        }
        let count = self.kinds.len();
        let bits = &self.bits[at * count..(at + 1) * count];
        self.kinds.iter().zip(bits).map(|(&kind, &bits)| number(kind, bits)).collect()
    }

    /// How the values of a pixel compare in two fields; none if one of them has none.
    pub fn verdict(&self, other: &Field, at: usize) -> Option<Verdict> {
        if self.pixels[at] != Pixel::Reached || other.pixels[at] != Pixel::Reached || self.kinds != other.kinds {
            return None;
        }
        let places = at * self.kinds.len()..(at + 1) * self.kinds.len();
        let pairs = self.bits[places.clone()].iter().zip(&other.bits[places]).zip(&self.kinds);
        pairs.map(|((&one, &two), &kind)| verdict::numbers(kind, one, two)).max()
    }

    /// How many pixels became what.
    pub fn count(&self, what: Pixel) -> usize {
        self.pixels.iter().filter(|&&pixel| pixel == what).count()
    }

    /// What the values of a component are like, over all pixels that have one.
    pub fn summary(&self, component: usize) -> Summary {
        let mut summary = Summary { least: f64::INFINITY, most: f64::NEG_INFINITY, ..Summary::default() };
        let numbers = || (0..self.pixels.len()).filter_map(|at| self.numbers(at).get(component).copied());
        for value in numbers() {
            if value.is_nan() {
                summary.nan += 1;
            } else if value.is_infinite() {
                summary.infinite += 1;
            } else {
                (summary.least, summary.most) = (summary.least.min(value), summary.most.max(value));
                summary.sum += value;
                summary.finite += 1;
            }
        }
        let width = summary.most - summary.least;
        for value in numbers().filter(|value| value.is_finite()) {
            let part = if width > 0.0 { (value - summary.least) / width } else { 0.0 };
            summary.histogram[((part * BINS as f64) as usize).min(BINS - 1)] += 1;
        }
        summary
    }
}

/// Bars of a histogram.
pub const BINS: usize = 32;

/// What the values of one component are like.
#[derive(Default)]
pub struct Summary {
    /// The smallest number; infinite if there is none.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// All numbers together.
    pub sum: f64,
    /// How many there are.
    pub finite: u64,
    /// How many values are no number.
    pub nan: u64,
    /// How many are infinite.
    pub infinite: u64,
    /// Finite numbers from `least` to `most`, in parts of equal width.
    pub histogram: [u64; BINS],
}

impl Summary {
    /// What they are on average.
    pub fn mean(&self) -> Option<f64> {
        (self.finite > 0).then(|| self.sum / self.finite as f64)
    }

    /// The histogram as a line of bars.
    pub fn bars(&self) -> String {
        const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let most = self.histogram.iter().copied().max().unwrap_or(0).max(1);
        // A part that has any is never shown as empty.
        let bar = |&count: &u64| BARS[(count * 8).div_ceil(most) as usize];
        self.histogram.iter().map(bar).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(numbers: &[f32]) -> Field {
        Field {
            size: [numbers.len() as u32, 1],
            kinds: vec![Scalar::Float],
            pixels: vec![Pixel::Reached; numbers.len()],
            bits: numbers.iter().map(|number| u64::from(number.to_bits())).collect(),
        }
    }

    #[test]
    fn what_is_no_number_is_counted_apart() {
        let summary = field(&[1.0, 3.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 2.0]).summary(0);
        assert_eq!((summary.least, summary.most, summary.mean()), (1.0, 3.0, Some(2.0)));
        assert_eq!((summary.finite, summary.nan, summary.infinite), (3, 1, 2));
        assert_eq!(summary.histogram.iter().sum::<u64>(), 3);
        assert_eq!((summary.histogram[0], summary.histogram[BINS / 2], summary.histogram[BINS - 1]), (1, 1, 1));
    }

    #[test]
    fn a_constant_is_one_bar() {
        let summary = field(&[0.5; 7]).summary(0);
        assert_eq!(summary.histogram[0], 7);
        assert_eq!(summary.bars().trim_end(), "█");
    }
}
