//! One shader: recorded on the driver, on the emulator, and on the emulator with what was measured.

use anyhow::Context as _;
use driver::Api;
use instrument::inspect::{Ask, InspectContext, InspectError, Inspector, Run};
use instrument::stream::{BLOCK_HEADER, HEADER, IDENTITY};
use instrument::variant::{Reading, Record};
use instrument::{Detail, Layout, Question, Scope, Subject, Transport, What};
use lab::surround::CORNER;
use lab::{OnDriver, OnEmulator, Setting, everything, quad};
use moment::Moment;
use serde_json::{Value, json};
use shader::version::Stage;

use super::super::differ::{self, Random, Scene};
use super::forced::force;
use super::verdict::{Judge, Verdict, direct};

/// Records longer than this are left out, as are shaders that never end.
const MOST_RECORDS: usize = 200_000;

/// A shader with more places to probe than this is asked for single values.
const MOST_SITES: usize = 120;

/// Answers a job.
pub fn reply(api: Api, job: &Value) -> anyhow::Result<Value> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let strings: Vec<String> = job["strings"].as_array().context("a job lacks texts")?.iter().map(text).collect();
    let subject = differ::Subject { name: text(&job["name"]), group: text(&job["group"]), api, strings };
    let seed = job["seed"].as_u64().unwrap_or(0);
    let triples = job["triples"].as_u64().unwrap_or(1) as usize;
    match measure(&subject, seed, triples) {
        Ok(reply) => Ok(reply),
        Err(why) => Ok(json!({ "refused": why })),
    }
}

fn measure(subject: &differ::Subject, seed: u64, triples: usize) -> Result<Value, String> {
    let scene = Scene::new(subject)?;
    let mut random = Random::named(&format!("{seed} {}", subject.name));
    let side = u32::from(differ::SIDE);
    let (x, y) = (random.below(side), random.below(side));
    let setting = setting(&scene, (x, y));
    let mut driver = OnDriver::new(setting.clone()).map_err(|error| format!("driver: {error}"))?;
    let mut emulator = OnEmulator::new(setting.clone()).like(driver.device());
    let options = setting.options(Stage::Fragment);
    let asked = Subject { shader: &scene.shader, options: &options };
    let question = QUESTION;
    let pick = [x.cast_signed(), y.cast_signed(), -1, -1];
    let ask = Ask { scope: Scope::One, pick, transport: None };
    let mut inspector = Inspector::new(instrument::weave, 8);
    let sites = instrument::weave(asked, &question, Scope::One, &everything(setting.api), Transport::Storage)
        .map_or(0, |variant| variant.layout.sites.len());
    let mut measuring = Measuring {
        setting: &setting,
        subject: asked,
        ask: &ask,
        inspector: &mut inspector,
        undefined: differ::undefined_at(&scene, (x, y)),
    };
    if sites <= MOST_SITES {
        return measuring.by_recording(&mut driver, &mut emulator, &mut random, triples);
    }
    measuring.by_values(&mut driver, &mut emulator, &mut random, triples)
}

/// One invocation of one shader.
struct Measuring<'a> {
    setting: &'a Setting,
    subject: Subject<'a>,
    ask: &'a Ask,
    inspector: &'a mut Inspector,
    /// Whether something undefined is computed.
    undefined: bool,
}

const QUESTION: Question = Question::Recording { detail: Detail::Expressions };

impl Measuring<'_> {
    /// Records everything on both, and looks at some of it.
    fn by_recording(
        &mut self,
        driver: &mut OnDriver,
        emulator: &mut OnEmulator,
        random: &mut Random,
        triples: usize,
    ) -> Result<Value, String> {
        let (transport, theirs) = record(self.inspector, driver, self.subject, &QUESTION, self.ask, "driver")?;
        let (_, ours) = record(self.inspector, emulator, self.subject, &QUESTION, self.ask, "emulator")?;
        if theirs.records.len() > MOST_RECORDS {
            return Err("too long a recording".to_owned());
        }
        let forced = forced(self.setting, self.subject, &QUESTION, self.ask.pick, &theirs)?;
        let judge = Judge {
            shader: self.subject.shader,
            theirs: &theirs,
            ours: &ours,
            forced: &forced,
            undefined: self.undefined,
        };
        let values = values(&theirs);
        let chosen = choose(&values, random, triples);
        let found: Vec<Value> = chosen.into_iter().map(|index| told(&judge, index)).collect();
        Ok(json!({ "records": values.len(), "transport": format!("{transport:?}"), "triples": found }))
    }

    /// Records everything on the emulator, and asks the driver for some of it; only where it differs is everything
    /// recorded there. A driver takes long to compile large shaders with a probe at every expression.
    fn by_values(
        &mut self,
        driver: &mut OnDriver,
        emulator: &mut OnEmulator,
        random: &mut Random,
        triples: usize,
    ) -> Result<Value, String> {
        let (_, ours) = record(self.inspector, emulator, self.subject, &QUESTION, self.ask, "emulator")?;
        let values = values(&ours);
        let mut found = Vec::new();
        let mut transports = None;
        for index in choose(&values, random, triples) {
            let here = &ours.records[index];
            let (What::Value(site), Some(moment)) = (&here.what, &here.moment) else { continue };
            let moment = Moment { site: *site, path: moment.path.clone() };
            let question = Question::Value { moment: moment.clone(), expression: None };
            let asked = record(self.inspector, driver, self.subject, &question, self.ask, "driver");
            let (transport, reading) = match asked {
                Err(why) if why.starts_with("not woven") => continue,
                other => other?,
            };
            transports = Some(transport);
            let value = reading.records.into_iter().find(|record| record.value.is_some());
            let direct = value.as_ref().map_or(Verdict::Ours, |value| direct(value, here, self.subject.shader));
            if matches!(direct, Verdict::Exact | Verdict::Within) {
                found.push(json!({ "verdict": direct.name() }));
                continue;
            }
            let (_, theirs) = record(self.inspector, driver, self.subject, &QUESTION, self.ask, "driver")?;
            let forced = forced(self.setting, self.subject, &QUESTION, self.ask.pick, &theirs)?;
            let judge = Judge {
                shader: self.subject.shader,
                theirs: &theirs,
                ours: &ours,
                forced: &forced,
                undefined: self.undefined,
            };
            let same = |record: &Record| record.what == here.what && record.moment == here.moment;
            match theirs.records.iter().position(same) {
                Some(index) => found.push(told(&judge, index)),
                // The driver went another way, and says so of the value, too.
                None if value.is_none() => found.push(json!({ "verdict": Verdict::Carried.name() })),
                None => {
                    let what = format!("{moment} has a value, but is not in the recording");
                    found.push(json!({ "verdict": Verdict::Ours.name(), "what": what }));
                }
            }
        }
        let transport = transports.map_or("nothing".to_owned(), |transport| format!("{transport:?}, one by one"));
        Ok(json!({ "records": values.len(), "transport": transport, "triples": found }))
    }
}

/// The records that have a value.
fn values(reading: &Reading) -> Vec<usize> {
    (0..reading.records.len()).filter(|index| reading.records[*index].value.is_some()).collect()
}

/// Some of them, at random.
fn choose(values: &[usize], random: &mut Random, count: usize) -> Vec<usize> {
    let Some(all) = u32::try_from(values.len()).ok().filter(|all| *all > 0) else { return Vec::new() };
    let mut chosen: Vec<usize> = (0..count).map(|_| values[random.below(all) as usize]).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

fn told(judge: &Judge<'_>, index: usize) -> Value {
    let (verdict, what) = judge.triple(index);
    let operation = if verdict == Verdict::Driver { judge.operation(index) } else { String::new() };
    json!({ "verdict": verdict.name(), "what": what, "operation": operation })
}

fn record(
    inspector: &mut Inspector,
    context: &mut dyn InspectContext,
    subject: Subject<'_>,
    question: &Question,
    ask: &Ask,
    who: &str,
) -> Result<(Transport, Reading), String> {
    let answer = inspector.ask(context, subject, question, ask).map_err(|error| match error {
        InspectError::Rejected { log, source_text } => {
            let first = log.lines().next().unwrap_or_default();
            format!("{who} refuses the variant: {first}\n{log}\n{source_text}")
        }
        InspectError::Refused(refusal) => format!("not woven: {refusal}"),
        other => format!("{who}: {other}"),
    })?;
    let [x, y, ..] = ask.pick;
    let mut readings = answer.readings.into_iter().filter(|(who, _)| who[0] == x && who[1] == y);
    let (_, reading) = readings.next().ok_or_else(|| format!("{who}: nobody answers"))?;
    if reading.lost > 0 {
        return Err(format!("{who}: words are lost"));
    }
    Ok((answer.transport, reading))
}

/// The emulator's recording with every expression giving what was measured.
fn forced(
    setting: &Setting,
    subject: Subject<'_>,
    question: &Question,
    pick: [i32; 4],
    measured: &Reading,
) -> Result<Reading, String> {
    let device = everything(setting.api);
    let mut variant = instrument::weave(subject, question, Scope::One, &device, Transport::Storage)
        .map_err(|refusal| format!("not woven for a storage block: {refusal}"))?;
    let prefix = variant.controls.on.trim_end_matches("on").to_owned();
    variant.strings = force(&variant.strings, &prefix);
    let stream = encode(measured, &variant.layout);
    let half = IDENTITY as usize + stream.len() + 64;
    let mut block = vec![0; BLOCK_HEADER as usize + half * 2];
    block[1] = (half * 2) as u32;
    let start = (BLOCK_HEADER + IDENTITY) as usize;
    block[start..start + stream.len()].copy_from_slice(&stream);
    let mut emulator = OnEmulator::new(setting.clone());
    let run = Run { on: true, pick, base: 0, room: [(half * 2) as u32, 1] };
    let after = emulator.run_on_block(&variant, subject.shader.stage, Scope::One, run, &block);
    let after = after.map_err(|error| format!("emulator, with what was measured: {error}"))?;
    let computed = after.get(start + half..).unwrap_or_default();
    let mut words = computed.get(..stream.len()).unwrap_or_default().to_vec();
    words[0] = after[start].min(stream.len() as u32).max(HEADER);
    words[1] = measured.facts.0;
    words.truncate(words[0] as usize);
    variant.layout.decode(&words).map_err(|error| format!("emulator, with what was measured: {error}"))
}

/// A recording as a stream.
fn encode(reading: &Reading, layout: &Layout) -> Vec<u32> {
    let mut words = vec![0, reading.facts.0];
    for record in &reading.records {
        words.push(number(record, layout));
        if let Some(value) = &record.value {
            words.extend(value.words(&layout.types));
        }
    }
    words[0] = words.len() as u32;
    words
}

fn number(record: &Record, layout: &Layout) -> u32 {
    layout.sites.iter().skip(1).position(|site| site.what == record.what).map_or(0, |at| at as u32 + 1)
}

/// The scene's program with the uniforms of one pixel.
pub fn setting(scene: &Scene, (x, y): (u32, u32)) -> Setting {
    let (corner, work) = quad(CORNER);
    let tile = differ::tile_at(x, y);
    Setting {
        api: scene.api,
        shaders: vec![(Stage::Vertex, vec![scene.vertex.clone()]), (Stage::Fragment, scene.fragment.clone())],
        uniforms: scene.leaves.iter().map(|leaf| leaf.uniform(tile)).collect(),
        images: scene.images.clone(),
        attributes: vec![corner],
        work,
        size: [differ::SIDE; 2],
        outputs: scene.outputs.clone(),
        buffer_words: 16,
    }
}
