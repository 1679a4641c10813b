//! What an invocation was given: its inputs as measured, and those of its neighbours as far as they follow from them.

use instrument::InspectError;
use instrument::inspect::Identity;
use instrument::stream::Facts;
use instrument::variant::{Reading, Slope, What};
use moment::glsl::Value;
use shader::types::Scalar;
use shader::version::Stage;

use crate::{Measured, Rows};

/// One input of a lane: its name as the shader spells it, and its value.
pub type Lane = Vec<(String, Vec<u32>)>;

/// The inputs of an invocation.
#[derive(Clone, PartialEq, Debug)]
pub struct Inputs {
    /// Who it is; the row of a fragment is counted from below.
    pub who: Identity,
    /// Facts about it.
    pub facts: Facts,
    /// Its inputs, and how floats among them change to the right and upwards.
    values: Vec<Input>,
    stage: Stage,
    rows: Rows,
}

#[derive(Clone, PartialEq, Debug)]
struct Input {
    name: String,
    value: Value,
    /// To the right, upwards, and how the first changes upwards.
    slopes: [Option<Value>; 3],
}

impl Inputs {
    /// Out of the answer to [`instrument::Question::LiveIns`]; of several invocations the last, which is the one that
    /// stays.
    ///
    /// # Errors
    /// When there is none.
    pub fn new(stage: Stage, measured: &Measured) -> Result<Inputs, InspectError> {
        let none = || InspectError::Failed("no invocation of this draw is there".to_owned());
        let (who, reading) = measured.result.readings.last().ok_or_else(none)?;
        Ok(Inputs { who: *who, facts: reading.facts, values: values(reading), stage, rows: measured.rows })
    }

    /// Those of every invocation that answered.
    #[must_use]
    pub fn all(stage: Stage, measured: &Measured) -> Vec<Inputs> {
        let one = |(who, reading): &(Identity, Reading)| Inputs {
            who: *who,
            facts: reading.facts,
            values: values(reading),
            stage,
            rows: measured.rows,
        };
        measured.result.readings.iter().map(one).collect()
    }

    /// The inputs that the language declares or the shader does, by name.
    pub fn named(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().map(|input| (input.name.as_str(), &input.value))
    }

    /// Which lane of its quad a fragment is: left and right, then the row above. Others are the first.
    #[must_use]
    pub fn lane(&self) -> usize {
        match self.stage {
            Stage::Fragment => (self.who[0] & 1) as usize | usize::from(self.rows.in_quads(self.who[1]).1) << 1,
            _ => 0,
        }
    }

    /// The quad of a fragment: its row and column.
    pub(crate) fn quad(&self) -> [i32; 2] {
        [self.rows.in_quads(self.who[1]).0, self.who[0] >> 1]
    }

    /// What `gl_FragCoord` is for a fragment in a lane of the quad, as far as its place says.
    pub(crate) fn centre(&self, lane: usize) -> [f32; 2] {
        let own = self.lane();
        let step = |axis: usize| (lane >> axis & 1) as f32 - (own >> axis & 1) as f32;
        let [x, y, ..] = self.rows.turned(self.who);
        [x as f32 + 0.5 + step(0), y as f32 + 0.5 + step(1) * self.rows.upwards()]
    }

    /// The words of an input in a lane of the quad.
    #[must_use]
    pub fn words(&self, name: &str, lane: usize) -> Option<Vec<u32>> {
        let input = self.values.iter().find(|input| input.name == name)?;
        let mut words = Vec::new();
        self.extend(input, lane, &mut words);
        Some(words)
    }

    /// Appends the words of an input in a lane of the quad; most often the input has this number.
    pub(crate) fn spread(&self, (number, name): (usize, &str), lane: usize, into: &mut Vec<u32>) {
        let expected = self.values.get(number).filter(|input| input.name == name);
        if let Some(input) = expected.or_else(|| self.values.iter().find(|input| input.name == name)) {
            self.extend(input, lane, into);
        }
    }

    /// Whether two invocations of a quad say the same of what a lane of it is given, as far as inputs are used.
    pub(crate) fn agrees(&self, other: &Inputs, lane: usize, used: &[&str]) -> bool {
        let same = |(one, two): (&Input, &Input)| {
            let count = one.value.scalars.len();
            let scalar = |place: usize| self.scalar(one, lane, place) == other.scalar(two, lane, place);
            let equal = || count == two.value.scalars.len() && (0..count).all(scalar);
            one.name == two.name && (!used.contains(&one.name.as_str()) || equal())
        };
        self.values.len() == other.values.len() && self.values.iter().zip(&other.values).all(same)
    }

    fn extend(&self, input: &Input, lane: usize, into: &mut Vec<u32>) {
        let wide = input.value.ty.scalar().is_some_and(Scalar::is_64_bit);
        for place in 0..input.value.scalars.len() {
            let bits = self.scalar(input, lane, place);
            into.push(bits as u32);
            if wide {
                into.push((bits >> 32) as u32);
            }
        }
    }

    /// A scalar of an input in a lane of the quad.
    fn scalar(&self, input: &Input, lane: usize, place: usize) -> u64 {
        let bits = input.value.scalars[place];
        let own = self.lane();
        let step = |axis: usize| ((lane >> axis & 1) as f32) - ((own >> axis & 1) as f32);
        let moved = |by: f32| u64::from((f32::from_bits(bits as u32) + by).to_bits());
        if place < 2 && input.name == "gl_FragCoord" {
            return moved(if place == 1 { step(1) * self.rows.upwards() } else { step(0) });
        }
        if lane == own || input.value.ty.scalar().is_some_and(Scalar::is_64_bit) {
            return bits;
        }
        let slope = |which: usize, steps: f32| {
            let value = input.slopes[which].as_ref()?;
            // A slope that is not finite is no part of a way that is not gone.
            let slope = f32::from_bits(*value.scalars.get(place)? as u32);
            Some(if steps == 0.0 { 0.0 } else { slope * steps })
        };
        let (x, y) = (step(0), step(1));
        match (slope(0, x), slope(1, y), slope(2, x * y)) {
            (Some(right), Some(up), across) => {
                u64::from((f32::from_bits(bits as u32) + right + up + across.unwrap_or(0.0)).to_bits())
            }
            _ => bits,
        }
    }
}

fn values(reading: &Reading) -> Vec<Input> {
    let mut inputs: Vec<Input> = Vec::new();
    for record in &reading.records {
        let (What::Input(name, slope), Some(value)) = (&record.what, &record.value) else { continue };
        match (slope, inputs.iter_mut().find(|input| input.name == *name)) {
            (Slope::X, Some(input)) => input.slopes[0] = Some(value.clone()),
            (Slope::Y, Some(input)) => input.slopes[1] = Some(value.clone()),
            (Slope::Both, Some(input)) => input.slopes[2] = Some(value.clone()),
            _ => inputs.push(Input { name: name.clone(), value: value.clone(), slopes: [None, None, None] }),
        }
    }
    inputs
}

#[cfg(test)]
pub mod tests {
    use shader::types::Type;

    use super::*;

    /// A fragment that was given one float, `value`, which changes so much from pixel to pixel.
    pub fn fragment(who: Identity, value: f32, slope: [f32; 2]) -> Inputs {
        let float = |number: f32| Value { ty: Type::FLOAT, scalars: vec![u64::from(number.to_bits())] };
        let [right, up] = slope.map(|slope| Some(float(slope)));
        let slopes = [right, up, None];
        let values = vec![Input { name: "value".to_owned(), value: float(value), slopes }];
        Inputs { who, facts: Facts(Facts::RAN), values, stage: Stage::Fragment, rows: Rows::default() }
    }

    #[test]
    fn neighbours_follow_from_slopes() {
        let one = fragment([3, 4, 0, 0], 10.0, [1.0, 0.5]);
        assert_eq!(one.lane(), 1);
        let words =
            |lane| one.words("value", lane).map(|words| words.iter().map(|&bits| f32::from_bits(bits)).collect());
        assert_eq!([0, 1, 2, 3].map(words), [9.0, 10.0, 9.5, 10.5].map(|value| Some(vec![value])));
        assert_eq!(one.words("nothing", 0), None);
    }

    #[test]
    fn a_quad_may_begin_with_an_odd_row() {
        let even = fragment([3, 5, 0, 0], 10.0, [1.0, 0.5]);
        let odd = Inputs { rows: Rows { quads_begin_odd: true, ..Rows::default() }, ..even.clone() };
        assert_eq!((even.lane(), even.quad()), (3, [2, 1]));
        assert_eq!((odd.lane(), odd.quad()), (1, [3, 1]));
        assert_eq!([1, 3].map(|lane| odd.centre(lane)), [[3.5, 5.5], [3.5, 6.5]]);
        assert_eq!(odd.words("value", 3), Some(vec![10.5_f32.to_bits()]), "the row above");
    }

    #[test]
    fn rows_from_above_become_fewer_upwards() {
        let below = fragment([3, 4, 0, 0], 10.0, [1.0, 0.5]);
        assert_eq!([1, 3].map(|lane| below.centre(lane)), [[3.5, 4.5], [3.5, 5.5]]);
        let above = Inputs { rows: Rows { from_above: Some(10), ..Rows::default() }, ..below };
        assert_eq!(above.lane(), 1, "quads are where they are, however the shader counts");
        assert_eq!([1, 3].map(|lane| above.centre(lane)), [[3.5, 5.5], [3.5, 4.5]]);
    }
}
