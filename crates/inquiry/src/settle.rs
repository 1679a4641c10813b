//! One invocation of a draw, recorded with everything it computes, and computed again from that.

use device::Changes;
use instrument::inspect::{Ask, Identity, InspectError};
use instrument::stream::HEADER;
use instrument::variant::{Reading, Record};
use instrument::{Detail, InspectContext, Question, Scope, Transport, Variant, What};
use moment::Moment;
use moment::glsl::Value;
use shader::version::Stage;
use texture::{Bound, Side};
use verdict::settle::{Dependent, Hull, Judge, Judgement, RunFindings, encode, recomputed};

use crate::{DrawSnapshot, Emulated, Inputs, Inquiry, InquiryError};

/// Recordings longer than this are not computed again.
const MOST_WORDS: usize = 1 << 18;

/// Streams that are a little longer have the same variant.
const STEP: usize = 512;

/// What is found of a value.
#[derive(Clone, PartialEq, Debug)]
pub struct Settled {
    /// The finding.
    pub judgement: Judgement,
    /// What the device gave while it recorded: as it may compute otherwise where there are probes, not always what it gave
    /// when it was asked for this value alone.
    pub measured: Value,
}

impl Inquiry {
    /// Settles a value of one invocation that is farther from the emulator's than rounding. Nothing if the value is in no
    /// recording: the invocation does not come to the moment, or the recording is too long.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn settle(
        &mut self,
        work: &DrawSnapshot,
        emulated: &mut Emulated<'_>,
        inputs: &Inputs,
        moment: &Moment,
        changes: &Changes,
    ) -> Result<Option<Settled>, InquiryError> {
        let [x, y, ..] = inputs.who;
        let stage = emulated.stage();
        let pick = if stage == Stage::Fragment { [x, y, -1, -1] } else { inputs.who };
        let Some(measured) = self.recorded((work, stage), Detail::Expressions, pick, changes)? else { return Ok(None) };
        let Some(found) = recompute(work, emulated, inputs, &measured)? else { return Ok(None) };
        let wanted = |record: &Record| {
            let path = record.moment.as_ref().map(|of| &of.path);
            record.what == What::Value(moment.site.into()) && path == Some(&moment.path) && record.value.is_some()
        };
        let Some(index) = found.theirs.records.iter().position(wanted) else { return Ok(None) };
        let judgement = found.judge(work, emulated)?.settle(index, &found.forced, false);
        Ok(found.theirs.records[index].value.clone().map(|measured| Settled { judgement, measured }))
    }

    /// Judges every operation of an invocation by what was measured of its operands. `measured` is a recording of it, and
    /// `pick` is the invocation as the device is asked for it: if statements cannot be judged by what was measured of
    /// variables, it is recorded with every expression of those. Nothing if a recording is too long.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn examine(
        &mut self,
        work: &DrawSnapshot,
        emulated: &mut Emulated<'_>,
        inputs: &Inputs,
        (measured, detail): (&Reading, Detail),
        (pick, changes): (Identity, &Changes),
    ) -> Result<Option<RunFindings>, InquiryError> {
        let stage = emulated.stage();
        let Some(found) = recompute(work, emulated, inputs, measured)? else { return Ok(None) };
        let mut findings = found.judge(work, emulated)?.run(&found.forced);
        if detail == Detail::Expressions || findings.is_right() {
            return Ok(Some(findings));
        }
        // A driver may not take so many probes; then what statements say stands.
        let detail = Detail::ExpressionsIn(findings.unsettled(work.subject(stage)?.shader).into());
        let measured = match self.recorded((work, stage), detail, pick, changes) {
            Ok(Some(measured)) => measured,
            Err(error) if error.is_interruption() => return Err(error),
            Ok(None) | Err(_) => return Ok(Some(findings)),
        };
        if let Some(found) = recompute(work, emulated, inputs, &measured)? {
            findings.refine(work.subject(stage)?.shader, &found.judge(work, emulated)?.run(&found.forced));
        }
        Ok(Some(findings))
    }

    /// Records an invocation. Nothing if it is not there or the recording is too long.
    fn recorded(
        &mut self,
        (work, stage): (&DrawSnapshot, Stage),
        detail: Detail,
        pick: Identity,
        changes: &Changes,
    ) -> Result<Option<Reading>, InquiryError> {
        let ask = Ask { scope: work.scope_of_one(stage), pick, transport: None };
        let question = Question::Recording { detail };
        let readings = self.measure(work, stage, &question, &ask, changes)?.result.readings;
        Ok(readings.into_iter().next_back().map(|(_, reading)| reading).filter(|reading| reading.lost == 0))
    }
}

/// Has the emulator compute every expression of an invocation from what was measured of it; what was not measured is
/// computed from what was. Nothing if the recording is too long.
fn recompute(
    work: &DrawSnapshot,
    emulated: &mut Emulated<'_>,
    inputs: &Inputs,
    measured: &Reading,
) -> Result<Option<Recomputed>, InquiryError> {
    if measured.lost > 0 {
        return Ok(None);
    }
    let subject = work.subject(emulated.stage())?;
    let mut words = STEP;
    let (variant, ours) = loop {
        if words > MOST_WORDS {
            return Ok(None);
        }
        let way = Transport::Memory(u32::try_from(words).unwrap_or(u32::MAX));
        let question = Question::Recomputation { detail: Detail::Expressions };
        let variant =
            instrument::weave(subject, &question, Scope::One, emulated.device(), way).map_err(InspectError::from)?;
        let ours = run(emulated, &variant, inputs, None)?;
        // The device may go another way, which may be longer.
        let longer = encode(measured, &variant.layout).len().max(encode(&ours, &variant.layout).len());
        let needed = (2 * (longer + ours.lost as usize)).next_multiple_of(STEP);
        if needed <= words {
            break (variant, ours);
        }
        words = needed;
    };
    let (theirs, forced) = recomputed(measured, &ours, |theirs| run(emulated, &variant, inputs, Some(theirs)))?;
    let mut hull = None;
    if emulated.scene().bounds_filters() {
        let mut bounded = |any_level| {
            let [low, high] = [Side::Lowest, Side::Highest].map(|side| {
                emulated.bound_filters(Some(Bound { side, any_level }));
                run(emulated, &variant, inputs, Some(&theirs))
            });
            Ok::<_, InspectError>([low?, high?])
        };
        let dependent = Dependent::new(subject.shader);
        let likely = bounded(false);
        let any_level = dependent.moves_any(subject.shader).then(|| bounded(true)).transpose();
        emulated.bound_filters(None);
        hull = Some(Hull { likely: likely?, any_level: any_level?, dependent });
    }
    Ok(Some(Recomputed { theirs, ours, forced, hull }))
}

/// Runs an invocation on the emulator, with a recording to take values from or without.
fn run(
    emulated: &mut Emulated<'_>,
    variant: &Variant,
    inputs: &Inputs,
    given: Option<&Reading>,
) -> Result<Reading, InspectError> {
    let stream = given.map(|reading| encode(reading, &variant.layout));
    let words = emulated.answer_given(variant, inputs, stream.as_deref())?;
    if words.len() < HEADER as usize {
        return Err(InspectError::Failed("the emulator did not come to an end".to_owned()));
    }
    variant.layout.decode(&words)
}

/// One invocation three times.
struct Recomputed {
    /// What the device measured.
    theirs: Reading,
    /// What the emulator computes by itself.
    ours: Reading,
    /// What the emulator computes from what the device measured.
    forced: Reading,
    /// The same with the least and the most that filters may give which are not known exactly.
    hull: Option<Hull>,
}

impl Recomputed {
    fn judge<'a>(&'a self, work: &'a DrawSnapshot, emulated: &Emulated<'_>) -> Result<Judge<'a>, InquiryError> {
        let shader = work.subject(emulated.stage())?.shader;
        let half = work.manner.may_halve(shader.preprocessed.version);
        Ok(Judge { shader, theirs: &self.theirs, ours: &self.ours, half, hull: self.hull.as_ref() })
    }
}
