//! A value for each pixel of a rectangle: what all fragments of a draw say of one expression.

use instrument::inspect::InspectResult;
use instrument::stream::Facts;
use moment::Value;
use moment::value::{number, scalars};
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
    /// Left, bottom, width and height.
    pub rectangle: [u32; 4],
    /// What each component is; all values have the same.
    pub kinds: Vec<Scalar>,
    /// Row by row from the bottom.
    pub pixels: Vec<Pixel>,
    /// The bits of each component of each pixel; zeros where there is no value.
    pub bits: Vec<u64>,
}

impl Field {
    /// What came back for the pixels of a rectangle.
    pub fn new(result: &InspectResult, types: &TypeTable, rectangle: [u32; 4]) -> Field {
        let values = || result.readings.iter().filter_map(|(_, reading)| reading.records.first()?.value.as_ref());
        let kinds = values().next().map_or(Vec::new(), |value: &Value| scalars(types, value.ty));
        let [left, bottom, width, height] = rectangle;
        let size = width as usize * height as usize;
        let mut field =
            Field { rectangle, pixels: vec![Pixel::Untouched; size], bits: vec![0; size * kinds.len()], kinds };
        for (identity, reading) in &result.readings {
            let place = |at: i32, from: u32, size: u32| u32::try_from(at).ok()?.checked_sub(from).filter(|&n| n < size);
            let (Some(x), Some(y)) = (place(identity[0], left, width), place(identity[1], bottom, height)) else {
                continue;
            };
            let at = y as usize * width as usize + x as usize;
            let value = reading.records.first().and_then(|record| record.value.as_ref());
            field.pixels[at] = Pixel::of(reading.facts, value.is_some());
            if let Some(value) = value.filter(|value| value.scalars.len() == field.kinds.len()) {
                let count = field.kinds.len();
                field.bits[at * count..(at + 1) * count].copy_from_slice(&value.scalars);
            }
        }
        field
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
    /// The smallest and the largest number; infinite if there is none.
    pub least: f64,
    pub most: f64,
    pub sum: f64,
    pub finite: u64,
    pub nan: u64,
    pub infinite: u64,
    /// Finite numbers from `least` to `most`, in parts of equal width.
    pub histogram: [u64; BINS],
}

impl Summary {
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
