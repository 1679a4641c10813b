//! One value of all fragments of a draw.

use inquiry::Measured;
use instrument::inspect::InspectResult;
use instrument::stream::Facts;
use instrument::variant::Reading;
use instrument::{Question, Transport};
use moment::glsl::Value;
use moment::glsl::value::scalars;
use shader::Shader;
use shader::types::{Scalar, TypeTable};
use shader::version::Stage;

use super::compare::{Compared, Settling};
use super::{Whose, changes, moment_of};
use crate::control::Activity;
use crate::data::field::{Field, PixelState};
use crate::data::inspect::{FieldInspection, FieldRequest};
use crate::error::SessionError;
use crate::locate;
use crate::open::{Session, may_discard};

/// What a picture that comes out of colour targets cannot show.
const DISCARDED: &str = "fragments that the shader discards are not among these and count as untouched, because they leave nothing \
                         in the targets that the values come through; --every and --transport storage have them";

impl Session {
    /// Measures a value in all fragments of a draw that stay.
    ///
    /// # Errors
    /// When there is no such place, no fragment stays, or the device gives no answer.
    pub fn inspect_field(&mut self, request: &FieldRequest) -> Result<FieldInspection, SessionError> {
        self.patiently(|session| session.inspect_fragments(request))
    }

    fn inspect_fragments(&mut self, request: &FieldRequest) -> Result<FieldInspection, SessionError> {
        let FieldRequest { command, value, emulated: is_emulated, verify, settle, options } = request;
        let stage = Stage::Fragment;
        let work = self.work(*command)?;
        let shader = &work.facts(stage)?.shader;
        let (moment, expression) = moment_of(shader, value)?;
        let question = Question::Value { moment: moment.clone(), expression: expression.clone() };
        let (measured, measurement) = self.measured_with_times(&work, stage, &question, Whose::STAYING, options)?;
        let loses = measured.result.transport != Transport::Storage && may_discard(shader);
        let (types, size, names) = (&shader.typed.types, work.target.size, names(shader, &measured));
        let mut field = Field::of_values(&measured.result, types, size, &names);
        let (mut compared, mut missing, mut manner) = (None, Vec::new(), None);
        if *verify || *is_emulated {
            let changes = changes(&work, &options.overrides)?;
            let inputs = self.inquiry.all_inputs(&work, stage, &changes)?;
            let none = SessionError::NoInvocations { command: *command, stage: stage.name() };
            let first = inputs.first().ok_or(none)?;
            let mut emulated = self.inquiry.emulated(&work, stage, first.clone(), &changes)?;
            let (control, all) = (self.control.clone(), Some(inputs.len() as u64));
            let step = &mut |done| control.tell(Activity::Emulating, done as u64, all);
            let result = self.inquiry.emulate_all(&work, &mut emulated, &question, &inputs, step)?;
            let other = Field::of_values(&result, types, size, &names);
            (missing, manner) = (emulated.missing().to_vec(), emulated.note());
            if *verify {
                let mut found = Compared::new(&field, &other);
                // An expression of the user's is in no recording.
                if expression.is_none() {
                    let (emulated, moment, field) = (&mut emulated, &moment, &field);
                    let mut settling =
                        Settling { work: &work, emulated, inputs: &inputs, moment, field, changes: &changes };
                    found.settle(self, &mut settling, *settle)?;
                }
                compared = Some(found.finish());
            }
            if *is_emulated {
                field = other;
            }
        }
        let pixels = field.counts();
        if pixels.reached + pixels.not_reached + pixels.discarded == 0 {
            return Err(SessionError::NoFragments { command: *command });
        }
        let (line, column) = locate::line(shader, moment.site.into());
        Ok(FieldInspection {
            command: *command,
            stage: stage.name(),
            line,
            column,
            text: expression.unwrap_or_else(|| locate::excerpt(shader, moment.site.into())),
            moment: moment.to_string(),
            path: locate::path(shader, &moment),
            source: if *is_emulated { "emulated" } else { "measured" },
            size,
            pixels,
            components: field.summaries(),
            manner: manner.filter(|_| compared.is_some()),
            verify: compared,
            missing,
            left_out: loses.then_some(DISCARDED),
            measurement,
            call: work.calls.name(),
            field,
        })
    }
}

impl Field {
    /// Makes a field of pixels with their states and bits.
    pub(super) fn of(
        kinds: Vec<Scalar>,
        names: Vec<String>,
        size: [u32; 2],
        places: impl Iterator<Item = ([i32; 2], Facts, Option<Vec<u64>>)>,
    ) -> Field {
        let count = size[0] as usize * size[1] as usize;
        let bits = vec![0; count * kinds.len()];
        let mut field = Field { size, kinds, names, pixels: vec![PixelState::Untouched; count], bits };
        for (place, facts, value) in places {
            let place = |axis: usize| u32::try_from(place[axis]).ok().filter(|&at| at < size[axis]);
            let (Some(x), Some(y)) = (place(0), place(1)) else { continue };
            let at = y as usize * size[0] as usize + x as usize;
            let value = value.filter(|value| value.len() == field.kinds.len());
            field.pixels[at] = match (&value, facts.has(Facts::DISCARDED)) {
                (Some(_), _) => PixelState::Reached,
                (None, true) => PixelState::Discarded,
                (None, false) => PixelState::NotReached,
            };
            if let Some(value) = value {
                let count = field.kinds.len();
                field.bits[at * count..(at + 1) * count].copy_from_slice(&value);
            }
        }
        field
    }

    /// Makes a field of each fragment's one value.
    fn of_values(result: &InspectResult, types: &TypeTable, size: [u32; 2], names: &[String]) -> Field {
        let value = |reading: &Reading| reading.records.first().and_then(|record| record.value.clone());
        let first = result.readings.iter().find_map(|(_, reading)| value(reading));
        let kinds = first.map_or(Vec::new(), |value: Value| scalars(types, value.ty));
        let bits = |reading: &Reading| value(reading).map(|value| value.scalars);
        let places = result.readings.iter().map(|(who, reading)| ([who[0], who[1]], reading.facts, bits(reading)));
        Field::of(kinds, names.to_vec(), size, places)
    }
}

/// Returns names for the components of the measured value.
fn names(shader: &Shader, measured: &Measured) -> Vec<String> {
    let mut values = measured.result.readings.iter().filter_map(|(_, reading)| reading.records.first()?.value.as_ref());
    let Some(value) = values.next() else { return Vec::new() };
    let count = scalars(&shader.typed.types, value.ty).len();
    match count {
        1 => vec!["value".to_owned()],
        2..=4 => "xyzw".chars().take(count).map(String::from).collect(),
        _ => (0..count).map(|number| format!("c{number}")).collect(),
    }
}
