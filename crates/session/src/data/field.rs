//! A value for each pixel of a framebuffer.

use moment::glsl::value::number;
use serde::Serialize;
use shader::types::Scalar;

use super::value::Agreement;

/// A value for each pixel.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Width and height.
    pub size: [u32; 2],
    /// The kind of each component; all values have the same.
    pub kinds: Vec<Scalar>,
    /// Names of the components.
    pub names: Vec<String>,
    /// What became of each pixel, row by row from below.
    pub pixels: Vec<PixelState>,
    /// The bits of each component of each pixel; zeros where there is no value.
    pub bits: Vec<u64>,
}

/// What became of a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PixelState {
    /// No fragment was drawn there, or none that stayed.
    Untouched,
    /// A fragment was drawn, and did not reach the moment.
    NotReached,
    /// The fragment was discarded before it reached the moment.
    Discarded,
    /// There is a value.
    Reached,
}

impl PixelState {
    /// Returns its name, as in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PixelState::Untouched => "untouched",
            PixelState::NotReached => "not reached",
            PixelState::Discarded => "discarded",
            PixelState::Reached => "reached",
        }
    }
}

/// How a pixel compares with the emulator's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PixelComparison {
    /// Neither has a fragment there.
    Untouched,
    /// Neither has a value there, for the same reason.
    Alike,
    /// The same bits.
    Equal,
    /// Within rounding, this many units in the last place apart.
    Within(u32),
    /// Farther apart, but every operation up to the value gives what the specification allows from what was measured of its
    /// operands.
    Allowed(u32),
    /// Farther apart.
    Divergent(u32),
    /// Only one has a value.
    OnlyOne,
}

/// How many pixels became what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct PixelCounts {
    /// There is a value.
    pub reached: usize,
    /// The fragment did not reach the moment.
    pub not_reached: usize,
    /// The fragment was discarded before it reached the moment.
    pub discarded: usize,
    /// No fragment was drawn.
    pub untouched: usize,
}

/// What the numbers of one component are like.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ComponentSummary {
    /// The component.
    pub name: String,
    /// The smallest finite number.
    pub least: Option<f64>,
    /// The largest finite number.
    pub most: Option<f64>,
    /// The mean of the finite numbers.
    pub mean: Option<f64>,
    /// How many are finite.
    pub finite: u64,
    /// How many are NaN.
    pub nan: u64,
    /// How many are infinite.
    pub infinite: u64,
    /// How many finite numbers are in each of 32 bins from `least` to `most`.
    pub histogram: [u64; BINS],
}

/// Bins of a histogram.
pub const BINS: usize = 32;

impl ComponentSummary {
    /// Returns the histogram as a line of bars.
    #[must_use]
    pub fn bars(&self) -> String {
        const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let most = self.histogram.iter().copied().max().unwrap_or(0).max(1);
        // A bin that has any is never shown as empty.
        let bar = |&count: &u64| BARS[(count * 8).div_ceil(most) as usize];
        self.histogram.iter().map(bar).collect()
    }
}

impl Field {
    /// Returns the components of a pixel as numbers; none where there is no value.
    #[must_use]
    pub fn numbers(&self, at: usize) -> Vec<f64> {
        if self.pixels[at] != PixelState::Reached {
            return Vec::new();
        }
        let count = self.kinds.len();
        let bits = &self.bits[at * count..(at + 1) * count];
        self.kinds.iter().zip(bits).map(|(&kind, &bits)| number(kind, bits)).collect()
    }

    /// Returns how many pixels became what.
    #[must_use]
    pub fn counts(&self) -> PixelCounts {
        let count = |state: PixelState| self.pixels.iter().filter(|&&pixel| pixel == state).count();
        PixelCounts {
            reached: count(PixelState::Reached),
            not_reached: count(PixelState::NotReached),
            discarded: count(PixelState::Discarded),
            untouched: count(PixelState::Untouched),
        }
    }

    /// Returns what the numbers of each component are like.
    #[must_use]
    pub fn summaries(&self) -> Vec<ComponentSummary> {
        self.names.iter().enumerate().map(|(component, name)| self.summary(component, name)).collect()
    }

    fn summary(&self, component: usize, name: &str) -> ComponentSummary {
        let (mut least, mut most, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        let (mut finite, mut nan, mut infinite) = (0, 0, 0);
        let numbers = || (0..self.pixels.len()).filter_map(|at| self.numbers(at).get(component).copied());
        for value in numbers() {
            if value.is_nan() {
                nan += 1;
            } else if value.is_infinite() {
                infinite += 1;
            } else {
                (least, most) = (least.min(value), most.max(value));
                sum += value;
                finite += 1;
            }
        }
        let width = most - least;
        let mut histogram = [0; BINS];
        for value in numbers().filter(|value| value.is_finite()) {
            let part = if width > 0.0 { (value - least) / width } else { 0.0 };
            histogram[((part * BINS as f64) as usize).min(BINS - 1)] += 1;
        }
        let some = |number: f64| (finite > 0).then_some(number);
        ComponentSummary {
            name: name.to_owned(),
            least: some(least),
            most: some(most),
            mean: some(sum / finite as f64),
            finite,
            nan,
            infinite,
            histogram,
        }
    }

    /// Returns how the values of a pixel compare in two fields; `None` if one of them has none.
    pub(crate) fn agreement(&self, other: &Field, at: usize) -> Option<Agreement> {
        let is_reached = |field: &Field| field.pixels[at] == PixelState::Reached;
        if !is_reached(self) || !is_reached(other) || self.kinds != other.kinds {
            return None;
        }
        let places = at * self.kinds.len()..(at + 1) * self.kinds.len();
        let pairs = self.bits[places.clone()].iter().zip(&other.bits[places]).zip(&self.kinds);
        pairs.map(|((&one, &two), &kind)| verdict::numbers(kind, one, two)).max().map(Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(numbers: &[f32]) -> Field {
        Field {
            size: [numbers.len() as u32, 1],
            kinds: vec![Scalar::Float],
            names: vec!["value".to_owned()],
            pixels: vec![PixelState::Reached; numbers.len()],
            bits: numbers.iter().map(|number| u64::from(number.to_bits())).collect(),
        }
    }

    #[test]
    fn nan_and_infinities_are_counted_apart() {
        let summary = field(&[1.0, 3.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 2.0]).summaries().remove(0);
        assert_eq!((summary.least, summary.most, summary.mean), (Some(1.0), Some(3.0), Some(2.0)));
        assert_eq!((summary.finite, summary.nan, summary.infinite), (3, 1, 2));
        assert_eq!(summary.histogram.iter().sum::<u64>(), 3);
        assert_eq!((summary.histogram[0], summary.histogram[BINS / 2], summary.histogram[BINS - 1]), (1, 1, 1));
    }

    #[test]
    fn a_constant_is_one_bar() {
        let summary = field(&[0.5; 7]).summaries().remove(0);
        assert_eq!(summary.histogram[0], 7);
        assert_eq!(summary.bars().trim_end(), "█");
    }
}
