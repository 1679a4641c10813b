//! One invocation of a draw, recorded with everything it computes, and computed again from that.

use device::Changes;
use instrument::inspect::{Ask, InspectError};
use instrument::stream::HEADER;
use instrument::variant::{Reading, Record};
use instrument::{Detail, InspectContext, Question, Scope, Transport, Variant, What};
use moment::Moment;
use moment::glsl::Value;
use shader::version::Stage;
use verdict::settle::{Judge, Judgement, encode, recomputed};

use crate::{DrawSnapshot, Emulated, Inputs, Inquiry, InquiryError};

/// Recordings longer than this are not computed again.
const MOST_WORDS: usize = 1 << 16;

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
        let (stage, detail) = (emulated.stage(), Detail::Expressions);
        let [x, y, ..] = inputs.who;
        let pick = if stage == Stage::Fragment { [x, y, -1, -1] } else { inputs.who };
        let ask = Ask { scope: work.scope_of_one(stage), pick, transport: None };
        let result = self.measure(work, stage, &Question::Recording { detail }, &ask, changes)?.result;
        let Some((_, measured)) = result.readings.last().filter(|(_, reading)| reading.lost == 0) else {
            return Ok(None);
        };
        let subject = work.subject(stage)?;
        let made = |words: usize| -> Result<Variant, InspectError> {
            let way = Transport::Memory(u32::try_from(words).unwrap_or(u32::MAX));
            Ok(instrument::weave(subject, &Question::Recomputation { detail }, Scope::One, emulated.device(), way)?)
        };
        let mut variant = made(STEP)?;
        // The emulator may go another way, which may be longer.
        let words = (2 * encode(measured, &variant.layout).len()).next_multiple_of(STEP);
        if words > MOST_WORDS {
            return Ok(None);
        }
        if words > STEP {
            variant = made(words)?;
        }
        let mut run = |given: Option<&Reading>| -> Result<Reading, InspectError> {
            let stream = given.map(|reading| encode(reading, &variant.layout));
            let words = emulated.answer_given(&variant, inputs, stream.as_deref())?;
            if words.len() < HEADER as usize {
                return Err(InspectError::Failed("the emulator did not come to an end".to_owned()));
            }
            variant.layout.decode(&words)
        };
        let ours = run(None)?;
        let (theirs, forced) = recomputed(measured, &ours, |theirs| run(Some(theirs)))?;
        let wanted = |record: &Record| {
            let path = record.moment.as_ref().map(|of| &of.path);
            record.what == What::Value(moment.site.into()) && path == Some(&moment.path) && record.value.is_some()
        };
        let Some(index) = theirs.records.iter().position(wanted) else { return Ok(None) };
        let half = work.manner.halves(subject.shader.preprocessed.version);
        let judge = Judge { shader: subject.shader, theirs: &theirs, ours: &ours, half };
        let judgement = judge.settle(index, &forced, false);
        Ok(theirs.records[index].value.clone().map(|measured| Settled { judgement, measured }))
    }
}
