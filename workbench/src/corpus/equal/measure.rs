//! One shader: recorded on the driver, on the emulator, and on the emulator with measured values.

use anyhow::Context as _;
use driver::Api;
use instrument::inspect::{Ask, Identity, InspectContext, InspectError, Inspector};
use instrument::variant::{Reading, Record};
use instrument::{Detail, Question, Scope, Subject, Transport, What};
use lab::{OnDriver, OnEmulator, everything};
use moment::Moment;
use serde_json::{Value, json};
use testing::random::SplitMix;
use verdict::settle::{Finding, Judge, Judgement, direct, recomputed};

use super::bench::{self, Bench};
use super::rerun::rerun;
use super::subject;

/// Longer recordings are left out, as are shaders that do not terminate.
const MAX_RECORDS: usize = 200_000;

/// A shader with more sites than this is first inspected for single values: a driver takes long to compile large
/// shaders with a probe at every expression.
const MAX_SITES: usize = 120;

const DETAIL: Detail = Detail::Expressions;
const QUESTION: Question = Question::Recording { detail: DETAIL };

/// Replies to a job.
pub fn reply(api: Api, job: &Value) -> anyhow::Result<Value> {
    let subject = bench::read(api, job).context("a job lacks shaders")?;
    let seed = job["seed"].as_u64().unwrap_or(0);
    let triples = job["triples"].as_u64().unwrap_or(1) as usize;
    Ok(measure(&subject, seed, triples).unwrap_or_else(|why| json!({ "refused": why })))
}

fn measure(subject: &subject::Subject, seed: u64, triples: usize) -> Result<Value, String> {
    let mut random = SplitMix::named(&format!("{seed} {}", subject.name));
    let bench = Bench::new(subject, &mut random)?;
    let driver = OnDriver::new(bench.scenario.clone()).map_err(|error| format!("driver: {error}"))?;
    let emulator = OnEmulator::new(bench.scenario.clone()).like(driver.device());
    let options = bench.scenario.options(bench.stage);
    let asked = Subject { shader: &bench.shader, options: &options, written: None };
    let device = everything(bench.scenario.api);
    let sites = instrument::weave(asked, &QUESTION, Scope::One, &device, Transport::Storage)
        .map_or(0, |variant| variant.layout.sites.len());
    let mut measuring = Measuring {
        bench: &bench,
        subject: asked,
        inspector: Inspector::new(instrument::weave, 8),
        driver,
        emulator,
        pick: bench.pick,
        transport: None,
        theirs: None,
        forced: None,
    };
    measuring.compare(sites <= MAX_SITES, &mut random, triples)
}

/// One invocation of one shader.
struct Measuring<'a> {
    bench: &'a Bench,
    subject: Subject<'a>,
    inspector: Inspector,
    driver: OnDriver,
    emulator: OnEmulator,
    /// The invocation whose values are compared, once one has answered.
    pick: [i32; 4],
    transport: Option<Transport>,
    /// The driver's recording, once it is needed.
    theirs: Option<Reading>,
    /// The driver's recording and the emulator's with measured values, record by record.
    forced: Option<(Reading, Reading)>,
}

impl Measuring<'_> {
    /// Chooses values and compares them. With `whole`, everything is recorded on the driver at once; otherwise only
    /// where a single value differs.
    fn compare(&mut self, whole: bool, random: &mut SplitMix, triples: usize) -> Result<Value, String> {
        if whole {
            self.record_theirs()?;
        }
        let (identity, _, ours) = ask(&mut self.inspector, &mut self.emulator, self.subject, &QUESTION, self.pick)
            .map_err(|why| format!("emulator{why}"))?;
        self.pick = identity;
        let all = values(self.theirs.as_ref().unwrap_or(&ours));
        let mut found = Vec::new();
        for chosen in choose(&all, random, triples) {
            if let Some(judgement) = self.judge(&ours, &chosen)? {
                found.push(json!({
                    "verdict": judgement.finding.name(),
                    "what": judgement.what,
                    "operation": judgement.operation,
                }));
            }
        }
        let way = if whole { "" } else { ", one by one" };
        let transport = self.transport.map_or("nothing".to_owned(), |transport| format!("{transport:?}{way}"));
        Ok(json!({ "records": all.len(), "transport": transport, "triples": found }))
    }

    /// Returns the verdict on a value; `None` if the query has no variant.
    fn judge(&mut self, ours: &Reading, chosen: &Record) -> Result<Option<Judgement>, String> {
        if self.theirs.is_none() {
            let (What::Value(site), Some(moment)) = (&chosen.what, &chosen.moment) else { return Ok(None) };
            let moment = Moment { site: (*site).into(), path: moment.path.clone() };
            let question = Question::Value { moment, expression: None };
            let asked = ask(&mut self.inspector, &mut self.driver, self.subject, &question, self.pick);
            let (_, transport, reading) = match asked {
                Err(why) if why.starts_with(NOT_WOVEN) => return Ok(None),
                other => other.map_err(|why| format!("driver{why}"))?,
            };
            self.transport = Some(transport);
            let value = reading.records.iter().find(|record| record.value.is_some());
            let finding = value.map_or(Finding::Ours, |value| direct(value, chosen, self.subject.shader));
            if finding != Finding::Ours {
                return Ok(Some(Judgement { finding, what: String::new(), operation: None }));
            }
            self.record_theirs()?;
        }
        let Some(theirs) = self.theirs.take().map(|theirs| theirs.in_order_of(ours)) else { return Ok(None) };
        let theirs = &*self.theirs.insert(theirs);
        let same = |record: &Record| record.what == chosen.what && record.moment == chosen.moment;
        let judge = |theirs, ours| Judge { shader: self.subject.shader, theirs, ours, half: false, hull: None };
        if let Some(index) = theirs.records.iter().position(same)
            && let Some(finding) = judge(theirs, ours).directly(index)
        {
            return Ok(Some(Judgement { finding, what: String::new(), operation: None }));
        }
        if self.forced.is_none() {
            let (scenario, pick) = (&self.bench.scenario, self.pick);
            let run = |theirs: &Reading| rerun(scenario, self.subject, DETAIL, pick, theirs);
            self.forced = Some(recomputed(theirs, ours, run)?);
        }
        let Some((theirs, forced)) = &self.forced else { return Ok(None) };
        let measured = |record: &Record| same(record) && record.value.is_some();
        let index = theirs.records.iter().position(measured).or_else(|| {
            // The driver took another branch: the first divergence is what to judge.
            let pairs = theirs.records.iter().zip(&ours.records);
            pairs.into_iter().position(|(one, other)| one.what != other.what).and_then(|at| at.checked_sub(1))
        });
        Ok(index.map(|index| judge(theirs, ours).settle(index, forced, self.bench.is_undefined())))
    }

    fn record_theirs(&mut self) -> Result<(), String> {
        let (identity, transport, theirs) =
            ask(&mut self.inspector, &mut self.driver, self.subject, &QUESTION, self.pick)
                .map_err(|why| format!("driver{why}"))?;
        if theirs.records.len() > MAX_RECORDS {
            return Err("too long a recording".to_owned());
        }
        self.pick = identity;
        self.transport = Some(transport);
        self.theirs = Some(theirs);
        Ok(())
    }
}

/// Returns the records that have a value.
fn values(reading: &Reading) -> Vec<Record> {
    reading.records.iter().filter(|record| record.value.is_some()).cloned().collect()
}

/// Returns a random choice of them.
fn choose(values: &[Record], random: &mut SplitMix, count: usize) -> Vec<Record> {
    let Some(all) = u32::try_from(values.len()).ok().filter(|all| *all > 0) else { return Vec::new() };
    let mut chosen: Vec<usize> = (0..count).map(|_| random.below(all) as usize).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|index| values[index].clone()).collect()
}

const NOT_WOVEN: &str = ", not woven";

/// Returns the answer of one invocation, and which one; or why there is none, to be appended to the name of the engine.
fn ask(
    inspector: &mut Inspector,
    context: &mut dyn InspectContext,
    subject: Subject<'_>,
    question: &Question,
    pick: [i32; 4],
) -> Result<(Identity, Transport, Reading), String> {
    let ask = Ask { scope: Scope::One, pick, transport: None };
    let answer = inspector.ask(context, subject, question, &ask).map_err(|error| match error {
        InspectError::Rejected { log, source_text } => {
            let first = log.lines().next().unwrap_or_default();
            format!(" refuses the variant: {first}\n{log}\n{source_text}")
        }
        InspectError::Refused(refusal) => format!("{NOT_WOVEN}: {refusal}"),
        other => format!(": {other}"),
    })?;
    let wanted = |who: &Identity| who.iter().zip(&pick).all(|(who, pick)| *pick < 0 || who == pick);
    let readings = answer.readings.into_iter().filter(|(who, _)| wanted(who));
    let (identity, reading) = readings.min_by_key(|(who, _)| *who).ok_or(": no invocation answers")?;
    if reading.lost > 0 {
        return Err(": words are lost".to_owned());
    }
    Ok((identity, answer.transport, reading))
}

#[cfg(test)]
mod tests {
    use driver::Output;
    use lab::surround::{CORNER, VertexShader};
    use lab::{Scenario, quad};
    use shader::ast::NodeId;
    use shader::version::{Profile, Stage, Version};

    use super::*;

    #[test]
    fn operations_are_computed_from_measured_values() {
        let version = Version { number: 430, profile: Profile::Compatibility };
        let text = "#version 430 compatibility
            out vec4 colour;
            void main() {
                float a = gl_FragCoord.x * 2.0;
                ivec2 n = ivec2(a) + ivec2(1, 2);
                colour = vec4(a + 1.0, float(n.y - 1), 0.0, 1.0);
            }";
        let (corner, work) = quad(CORNER);
        let texts = vec![text.to_owned()];
        let scenario = Scenario {
            api: Api::DesktopCompatibility,
            shaders: vec![(Stage::Vertex, vec![VertexShader::new(version).text()]), (Stage::Fragment, texts.clone())],
            uniforms: Vec::new(),
            images: Vec::new(),
            attributes: vec![corner],
            work,
            size: [8, 8],
            outputs: vec![Output { name: "colour".to_owned(), channel: driver::Channel::Float }],
            buffer_words: 16,
        };
        let options = scenario.options(Stage::Fragment);
        let shader = shader::analyze(&texts, &options);
        let subject = Subject { shader: &shader, options: &options, written: None };
        let mut emulator = OnEmulator::new(scenario.clone());
        let mut inspector = Inspector::new(instrument::weave, 4);
        let (pick, _, mut measured) =
            ask(&mut inspector, &mut emulator, subject, &QUESTION, [5, 2, -1, -1]).expect("a recording");
        let place = |reading: &Reading, text: &str| {
            let spelled = |node: NodeId| shader.sources.slice(shader.written(node)) == text;
            let is = |record: &Record| matches!(record.what, What::Value(node) if spelled(node));
            reading.records.iter().rposition(is).expect("a record")
        };
        let numbers = |reading: &Reading, text: &str| {
            reading.records[place(reading, text)].value.as_ref().map(moment::glsl::Value::numbers).expect("a value")
        };
        assert_eq!((numbers(&measured, "a + 1.0"), numbers(&measured, "n.y - 1")), (vec![12.0], vec![12.0]));
        // As if the device had computed something else.
        for (text, bits) in [("a", 5.0f32.to_bits()), ("n.y", 8)] {
            let at = place(&measured, text);
            measured.records[at].value.as_mut().expect("a value").scalars = vec![u64::from(bits)];
        }
        let forced = rerun(&scenario, subject, DETAIL, pick, &measured).expect("the rerun succeeds");
        assert_eq!((numbers(&forced, "a + 1.0"), numbers(&forced, "n.y - 1")), (vec![6.0], vec![7.0]));
        assert_eq!(numbers(&forced, "gl_FragCoord.x * 2.0"), [11.0], "no other value has changed");
        assert_eq!(forced.records.len(), measured.records.len());
    }
}
