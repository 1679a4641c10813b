//! Questions about the shaders of a draw, asked of the device and, to compare, of the emulator.

mod all_emulated;
mod compare;
mod expression;
mod field;
mod invocation;
mod judged;
mod profile;
mod table;

use device::Changes;
use inquiry::{DrawSnapshot, Inquiry, Measured};
use instrument::inspect::{Ask, Identity, Limits};
use instrument::variant::Reading;
use instrument::{Device as Capabilities, Question, Scope, Transport};
use moment::Moment;
use shader::Shader;
use shader::version::Stage;

use crate::change::{attribute, has_input};
use crate::control::Activity;
use crate::data::inspect::ValuePlace;
use crate::data::measure::{Counted, MeasureOptions, MeasureSeconds, Measurement, Overrides, RejectedShader};
use crate::error::SessionError;
use crate::locate;
use crate::open::Session;

/// Which invocations answer.
#[derive(Clone, Copy)]
pub(crate) struct Whose {
    scope: Scope,
    pick: Identity,
    /// The room for answers, in words; `None` if only the inquiry's own limits apply.
    words: Option<u64>,
}

impl Whose {
    /// Every invocation; of fragments every one that runs.
    pub const EVERY: Whose = Whose { scope: Scope::At, pick: [-1; 4], words: None };
    /// Every invocation, but where the device can count them, few or none are read.
    pub const COUNTED: Whose = Whose { words: Some(1), ..Whose::EVERY };
    /// Every fragment that stays.
    const STAYING: Whose = Whose { scope: Scope::All, pick: [-1; 4], words: None };

    /// One invocation.
    fn one(work: &DrawSnapshot, stage: Stage, pick: Identity) -> Whose {
        Whose { scope: work.scope_of_one(stage), pick, words: None }
    }
}

impl Session {
    /// Keeps the text of every instrumented shader in a folder.
    pub fn keep_shaders(&mut self, folder: &std::path::Path) {
        self.inquiry.keep_sources(folder);
    }

    /// Makes the driver reject instrumented shaders with these transports: for tests of what happens then.
    pub fn spoil(&mut self, transports: &[String]) {
        self.inquiry.spoil(transports);
    }

    /// Selects how the fragments of a draw are told apart.
    pub fn isolate_by(&mut self, isolation: inquiry::Isolation) {
        self.inquiry.isolate_by(isolation);
    }

    /// Asks with the limits of a question that the user waits for, and not with those of a debugger's stop.
    fn patiently<R>(&mut self, ask: impl FnOnce(&mut Session) -> Result<R, SessionError>) -> Result<R, SessionError> {
        self.control.tell(Activity::None, 0, None);
        self.inquiry.limit(Limits::default());
        let answer = ask(self);
        self.inquiry.limit(crate::open::LIMITS);
        self.control.tell(Activity::None, 0, None);
        answer
    }

    /// Asks the device.
    pub(crate) fn measured(
        &mut self,
        work: &DrawSnapshot,
        stage: Stage,
        question: &Question,
        whose: Whose,
        options: &MeasureOptions,
    ) -> Result<Measured, SessionError> {
        let changes = changes(work, &options.overrides)?;
        let transport = transport(&work.device, stage, whose.scope, options.transport.as_deref())?;
        let ask = Ask { scope: whose.scope, pick: whose.pick, transport };
        let measure = |inquiry: &mut Inquiry| match (stage, whose.scope) {
            (Stage::Fragment, Scope::At) if whose.pick == [-1; 4] => inquiry.every(work, question, &ask, &changes),
            _ => inquiry.measure(work, stage, question, &ask, &changes),
        };
        Ok(match whose.words {
            Some(words) => self.inquiry.within(words, measure)?,
            None => measure(&mut self.inquiry)?,
        })
    }

    /// Asks the device, and measures how long that takes if that is wanted.
    fn measured_with_times(
        &mut self,
        work: &DrawSnapshot,
        stage: Stage,
        question: &Question,
        whose: Whose,
        options: &MeasureOptions,
    ) -> Result<(Measured, Measurement), SessionError> {
        let measured = self.measured(work, stage, question, whose, options)?;
        let (build, all) = measured.seconds;
        let mut seconds = MeasureSeconds { build, all, cached: None, alone: None };
        if options.times {
            seconds.cached = Some(self.measured(work, stage, question, whose, options)?.seconds.1);
            // The first time the driver has its own preparations to make.
            self.inquiry.alone(work)?;
            seconds.alone = Some(self.inquiry.alone(work)?);
        }
        let measurement = measurement(&measured, seconds);
        Ok((measured, measurement))
    }
}

fn measurement(measured: &Measured, seconds: MeasureSeconds) -> Measurement {
    let rejected = measured.rejected.iter().map(|rejection| RejectedShader {
        transport: rejection.transport.name(),
        log: rejection.log.clone(),
        source: rejection.path.clone(),
    });
    Measurement {
        transport: measured.result.transport.name(),
        runs: measured.result.runs,
        cached: measured.result.cached,
        seconds,
        rejected: rejected.collect(),
        notes: measured.notes.clone(),
    }
}

/// Returns what a draw does differently from the recording.
pub(crate) fn changes(work: &DrawSnapshot, overrides: &Overrides) -> Result<Changes, SessionError> {
    let vertex = work.facts(Stage::Vertex).ok();
    let mut changes = Changes { tests: overrides.tests, textures: overrides.textures.clone(), ..Changes::default() };
    for (name, numbers) in &overrides.values {
        if vertex.is_some_and(|facts| has_input(&facts.shader, name)) {
            changes.attributes.push((name.clone(), attribute(name, numbers)?));
        } else {
            changes.uniforms.push((name.clone(), numbers.clone()));
        }
    }
    Ok(changes)
}

fn transport(
    device: &Capabilities,
    stage: Stage,
    scope: Scope,
    name: Option<&str>,
) -> Result<Option<Transport>, SessionError> {
    let Some(name) = name else { return Ok(None) };
    let all = device.transports(stage, scope);
    if let Some(transport) = all.iter().find(|transport| transport.name() == name) {
        return Ok(Some(*transport));
    }
    let offered = all.iter().map(|transport| transport.name()).collect();
    Err(SessionError::NoTransport { name: name.to_owned(), stage: stage.name(), offered })
}

/// Returns which fragments answered; `None` for other stages, whose invocations all answer.
pub(crate) fn counted(work: &DrawSnapshot, stage: Stage, measured: &Measured) -> Option<Counted> {
    if stage != Stage::Fragment {
        return None;
    }
    let early = work.facts(stage).is_ok_and(|facts| facts.shader.typed.stage.early_fragment_tests);
    Some(match (measured.every, early) {
        (true, false) => Counted::Running,
        (true, true) => Counted::Passing,
        (false, _) => Counted::Staying,
    })
}

/// Returns answers in an order that people can follow: fragments row by row from the lower left, at each pixel in the order
/// in which they began; others by their numbers, vertices instance by instance.
pub(crate) fn sorted(stage: Stage, measured: &Measured) -> Vec<&(Identity, Reading)> {
    let mut readings: Vec<&(Identity, Reading)> = measured.result.readings.iter().collect();
    readings.sort_by_key(|(who, _)| match stage {
        Stage::Fragment => [who[1], who[0], 0, 0],
        Stage::Vertex => [who[1], who[0], who[2], who[3]],
        _ => *who,
    });
    readings
}

/// Returns the moment of a value that all invocations are asked for, and the user's expression.
fn moment_of(shader: &Shader, value: &ValuePlace) -> Result<(Moment, Option<String>), SessionError> {
    let site = match (&value.moment, value.line) {
        (Some(moment), None) => moment.site.into(),
        (_, line) => locate::site_from(shader, line.unwrap_or(0), value.column)?,
    };
    let site = match value.expression {
        Some(_) => site,
        None => {
            let missing = || SessionError::NoValueAt { text: locate::excerpt(shader, site) };
            locate::value_of(shader, site).ok_or_else(missing)?
        }
    };
    let moment = match &value.moment {
        // The path is the same for everything in a statement.
        Some(moment) => Moment { site: site.into(), path: moment.path.clone() },
        None => {
            let missing = || SessionError::NeverReached { text: locate::excerpt(shader, site) };
            instrument::first_way(shader, site, value.iteration).ok_or_else(missing)?
        }
    };
    Ok((moment, value.expression.clone()))
}
