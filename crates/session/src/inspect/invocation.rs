//! The values of one invocation.

use std::sync::Arc;

use inquiry::{DrawSnapshot, Measured};
use instrument::inspect::Identity;
use instrument::stream::{Facts, HEADER, LAYER};
use instrument::variant::{Reading, Record, What};
use instrument::{Detail, Question};
use moment::Moment;
use moment::glsl::Value;
use shader::Shader;
use shader::ast::NodeId;
use shader::version::Stage;

use super::judged::{self, Examined, Judged};
use super::{Whose, changes};
use crate::bench::source_of;
use crate::data::inspect::{InspectRequest, InspectedInvocation, Inspection, RecordedValue};
use crate::data::measure::{Comparison, Measurement, TypedValue};
use crate::error::SessionError;
use crate::locate;
use crate::open::Session;

impl Session {
    /// Records an invocation on the device, and returns its values.
    ///
    /// # Errors
    /// When there is no such invocation or place, or the device gives no answer.
    pub fn inspect(&mut self, request: &InspectRequest) -> Result<Inspection, SessionError> {
        self.patiently(|session| session.inspect_invocation(request))
    }

    fn inspect_invocation(&mut self, request: &InspectRequest) -> Result<Inspection, SessionError> {
        let InspectRequest { choice, line, column, moment, verify, options } = request;
        let (command, stage, pick) = self.pick(choice)?;
        let work = self.work(command)?;
        let pick = work.answering(stage, pick);
        let facts = work.facts(stage)?;
        let site = line.map(|line| locate::site_from(&facts.shader, line, *column)).transpose()?;
        let detail = if column.is_some() { Detail::Expressions } else { Detail::Statements };
        let question = Question::Recording { detail: detail.clone() };
        let whose = Whose::one(&work, stage, pick);
        let (measured, measurement) = self.measured_with_times(&work, stage, &question, whose, options)?;
        let Some((who, reading)) = measured.result.readings.last() else {
            return Err(self.absent(&work, stage, pick));
        };
        let (mut missing, mut manner) = (Vec::new(), None);
        let (mut comparison, mut examined) = (None, Examined::Unneeded);
        if *verify {
            let changes = changes(&work, &options.overrides)?;
            let inputs = self.inquiry.inputs(&work, stage, *who, &changes)?;
            let mut emulated = self.inquiry.emulated(&work, stage, inputs.clone(), &changes)?;
            let result = self.inquiry.emulate(&work, &mut emulated, &question)?;
            (missing, manner) = (emulated.missing().to_vec(), emulated.note());
            let (_, theirs) = result.readings.last().ok_or(SessionError::Endless)?;
            let found = verdict::compare(&facts.shader.typed.types, reading, theirs);
            if found.first_divergence.is_some() {
                let recording = (reading, detail);
                examined = match self.inquiry.examine(&work, &mut emulated, &inputs, recording, (pick, &changes)) {
                    Ok(Some(findings)) => Examined::Found(findings),
                    Ok(None) => Examined::Failed("its recording is too long to judge each operation".to_owned()),
                    Err(error) if error.is_interruption() => return Err(error.into()),
                    Err(error) => Examined::Failed(format!("its operations cannot be judged: {error}")),
                };
            }
            comparison = Some(found);
        }
        let (shader, moment) = (&facts.shader, moment.as_ref());
        let judged = comparison.map(|comparison| judged::judge(shader, &comparison, &examined));
        let recording = Recording { work: &work, stage, who: *who, shader, reading, judged, site, moment };
        Ok(recording.inspection(&measured, measurement, (missing, manner)))
    }
}

/// A recording of an invocation, and the emulator's beside it.
struct Recording<'a> {
    work: &'a DrawSnapshot,
    stage: Stage,
    who: Identity,
    shader: &'a Arc<Shader>,
    reading: &'a Reading,
    judged: Option<Judged>,
    /// Only this place.
    site: Option<NodeId>,
    /// Only this time.
    moment: Option<&'a Moment>,
}

/// A value of a recording.
struct Row<'a> {
    number: usize,
    record: &'a Record,
    node: NodeId,
    name: Option<&'a str>,
}

impl Recording<'_> {
    fn inspection(
        &self,
        measured: &Measured,
        measurement: Measurement,
        (missing, manner): (Vec<String>, Option<String>),
    ) -> Inspection {
        let facts = self.reading.facts;
        let id = self.work.answering(self.stage, self.who);
        let all = self.all_rows();
        let first = self.judged.as_ref().and_then(|judged| judged.first_divergence);
        let diverging = first.and_then(|first| all.iter().find(|row| row.number >= first));
        Inspection {
            invocation: InspectedInvocation {
                command: self.work.command,
                stage: self.stage.name(),
                id,
                discarded: facts.has(Facts::DISCARDED),
                helper: facts.has(Facts::HELPER),
                call: self.work.calls.name(),
                name: invocation_name(self.work, self.stage, id),
            },
            first_divergence: diverging.map(|row| self.value(row)),
            moments: all.iter().filter(|row| self.is_wanted(row)).map(|row| self.value(row)).collect(),
            line: self.site.map(|site| locate::line(self.shader, site).0),
            of: measured.result.readings.len(),
            words: self.words(),
            lost: self.reading.lost,
            missing,
            manner,
            measurement,
            agreement: self.judged.as_ref().map(Judged::agreement),
            source: self.work.facts(self.stage).map(|facts| source_of(facts, &self.work.model)).unwrap_or_default(),
        }
    }

    fn value(&self, row: &Row<'_>) -> RecordedValue {
        let (line, column) = locate::line(self.shader, row.node);
        let beside = self.judged.as_ref().and_then(|judged| judged.rows.get(row.number));
        let typed = |value: &Value| TypedValue::new(self.shader, value.clone());
        let emulated = beside.and_then(|row| row.emulated.as_ref());
        RecordedValue {
            line,
            column,
            text: row.name.map_or_else(|| locate::excerpt(self.shader, row.node), str::to_owned),
            moment: row.record.moment.as_ref().map(ToString::to_string),
            measured: row.record.value.as_ref().map(typed),
            emulated: emulated.map(typed),
            comparison: Comparison(beside.and_then(|row| row.verdict)),
            why: beside.and_then(|row| row.why.clone()),
            path: row.record.moment.as_ref().map_or_else(Vec::new, |moment| locate::path(self.shader, moment)),
        }
    }

    /// Returns the length of the stream that the recording came in.
    fn words(&self) -> usize {
        let types = &self.shader.typed.types;
        let records = self.reading.records.iter();
        let words = records.map(|record| 1 + record.value.as_ref().map_or(0, |value| value.words(types).len()));
        HEADER as usize + words.sum::<usize>() + self.reading.lost as usize
    }

    fn all_rows(&self) -> Vec<Row<'_>> {
        let rows = self.reading.records.iter().enumerate().filter_map(|(number, record)| match &record.what {
            What::Value(node) => Some(Row { number, record, node: *node, name: None }),
            What::Variable(node, name) => Some(Row { number, record, node: *node, name: Some(name) }),
            What::Marker(_)
            | What::Input(..)
            | What::Output(_)
            | What::Emit(_)
            | What::Cut(_)
            | What::Count(..)
            | What::Loop => None,
        });
        rows.collect()
    }

    fn is_wanted(&self, row: &Row<'_>) -> bool {
        let Some(site) = self.site else { return true };
        let is_there = match site {
            NodeId::Expr(_) => row.node == site,
            NodeId::Stmt(_) | NodeId::Decl(_) => self.shader.tree.is_inside(row.node, site),
        };
        is_there
            && match (self.moment, &row.record.moment) {
                (Some(asked), Some(moment)) => asked.path == moment.path,
                _ => true,
            }
    }
}

/// Returns what an invocation of a draw is called.
fn invocation_name(work: &DrawSnapshot, stage: Stage, [a, b, c, d]: Identity) -> String {
    match stage {
        Stage::Fragment => {
            let (sample, layer) = (d % LAYER.cast_signed(), d / LAYER.cast_signed());
            let sample = if work.target.samples > 1 { format!(", sample {sample}") } else { String::new() };
            let layer = if work.target.layers > 1 { format!(", layer {layer}") } else { String::new() };
            let primitive = if c < 0 { String::new() } else { format!(" of primitive {c}") };
            format!("fragment {a},{b}{primitive}{sample}{layer}")
        }
        Stage::Vertex => format!("vertex {a} of instance {b}"),
        Stage::Compute => format!("invocation {a},{b},{c}"),
        Stage::Geometry | Stage::TessControl | Stage::TessEvaluation => {
            format!("{} invocation {b} of primitive {a}", stage.name())
        }
    }
}
