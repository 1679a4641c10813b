//! An expression of the user's own in one invocation, each time a line is reached.

use std::fmt::Write as _;

use anyhow::bail;
use inquiry::Work;
use inquiry::verdict::{self, Verdict};
use instrument::variant::What;
use instrument::{Detail, Question};
use moment::glsl::Value;
use moment::{Marker, Moment};
use serde_json::{Value as Json, json};
use shader::ast::NodeId;
use shader::version::Stage;

use super::asking::{self, Asker};
use super::place;
use crate::cli::Outcome;

/// A loop may reach a line very often; so many times are asked about.
const MOST: usize = 64;

/// What is asked.
pub struct Expression<'a> {
    pub work: &'a Work,
    pub stage: Stage,
    pub pick: [i32; 4],
    /// A statement.
    pub site: NodeId,
    pub text: &'a str,
    /// Only then.
    pub moment: Option<Moment>,
    pub verify: bool,
    pub json: bool,
}

/// What it came to once.
struct Row {
    moment: Moment,
    measured: Option<Value>,
    emulated: Option<Value>,
    verdict: Option<Verdict>,
}

impl Expression<'_> {
    /// Asks for each moment, and says what came of it.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn run(&self, asker: &mut Asker<'_>) -> anyhow::Result<(String, Outcome)> {
        let (work, stage) = (self.work, self.stage);
        let shader = &work.facts(stage)?.shader;
        let whose = (work.scope_of_one(stage), self.pick);
        let (moments, total) = match &self.moment {
            Some(moment) => (vec![moment.clone()], 1),
            None => self.moments(asker)?,
        };
        let mut rows = Vec::new();
        let mut last = None;
        for moment in moments {
            let question = Question::Value { moment: moment.clone(), expression: Some(self.text.to_owned()) };
            let measured = asker.measure(work, stage, &question, whose)?;
            let times = asker.times(work, stage, &question, whose, &measured)?;
            let Some((who, reading)) = measured.result.readings.last() else {
                bail!(
                    "no {} invocation of command {} is there; nothing was drawn at that place",
                    stage.name(),
                    work.command
                );
            };
            let value = reading.records.first().and_then(|record| record.value.clone());
            let mut row = Row { moment, measured: value, emulated: None, verdict: None };
            if self.verify {
                let changes = asker.changes(work)?;
                let inputs = asker.inquiry.inputs(work, stage, *who, &changes)?;
                let mut emulated = asker.inquiry.emulated(work, stage, inputs, &changes)?;
                let result = asker.inquiry.emulate(work, &mut emulated, &question)?;
                row.emulated = result.readings.last().and_then(|(_, reading)| reading.records.first()?.value.clone());
                row.verdict = match (&row.measured, &row.emulated) {
                    (Some(one), Some(other)) => Some(verdict::values(&shader.typed.types, one, other)),
                    (None, None) => None,
                    _ => Some(Verdict::Divergent(u32::MAX)),
                };
            }
            rows.push(row);
            last = Some((measured, times));
        }
        let diverges = rows.iter().any(|row| matches!(row.verdict, Some(Verdict::Divergent(_))));
        let reached = rows.iter().any(|row| row.measured.is_some());
        let outcome = if reached && !diverges { Outcome::Done } else { Outcome::No };
        let value = |value: &Value| value.text(&shader.typed.types, &shader.preprocessed.symbols);
        let (line, column) = place::line(shader, self.site);
        if self.json {
            let components = |value: &Value| json!({ "type": shader.type_name(value.ty), "components": value.components(&shader.typed.types) });
            let moments: Vec<Json> = rows.iter().map(|row| json!({
                "line": line, "column": column, "text": self.text, "path": row.moment.to_string(),
                "measured": row.measured.as_ref().map(components), "emulated": row.emulated.as_ref().map(components),
                "verdict": row.verdict.map(Verdict::word), "ulps": row.verdict.map(Verdict::ulps),
            })).collect();
            let mut document = last.map(|(measured, times)| asking::json_of(&measured, times)).unwrap_or_default();
            document.insert(
                "invocation".to_owned(),
                json!({
                    "command": work.command, "stage": stage.name(), "id": self.pick,
                }),
            );
            let divergence = rows.iter().position(|row| matches!(row.verdict, Some(Verdict::Divergent(_))));
            document.insert("first_divergence".to_owned(), json!(divergence.map(|at| &moments[at])));
            document.insert("moments".to_owned(), Json::Array(moments));
            document.insert("times_reached".to_owned(), json!(total));
            return Ok((format!("{:#}\n", Json::Object(document)), outcome));
        }
        let mut text = format!("{} in line {line}: {}\n", self.text, place::excerpt_line(shader, line));
        for row in &rows {
            let measured = row.measured.as_ref().map_or("not reached".to_owned(), value);
            let beside = match (row.verdict, &row.emulated) {
                (None, _) => String::new(),
                (Some(Verdict::Equal), _) => "  ✓".to_owned(),
                (Some(Verdict::Within(ulps)), _) => format!("  ✓ within {ulps} ulp"),
                (Some(Verdict::Divergent(_)), Some(other)) => format!("  ✗ emulated {}", value(other)),
                (Some(Verdict::Divergent(_)), None) => "  ✗ the emulator did not come here".to_owned(),
            };
            // Writing to memory does not fail.
            let _ = writeln!(text, "  {:<24} {measured}{beside}", row.moment.to_string());
        }
        if rows.is_empty() {
            text += "that line was not reached\n";
        }
        if total > rows.len() {
            let _ = writeln!(text, "{} more times; --moment picks one", total - rows.len());
        }
        if let Some((measured, times)) = last {
            text += &times.text();
            text += &asking::remarks(&measured);
        }
        Ok((text, outcome))
    }

    /// When the invocation reaches the statement, and how often it does.
    fn moments(&self, asker: &mut Asker<'_>) -> anyhow::Result<(Vec<Moment>, usize)> {
        let question = Question::Recording { detail: Detail::Statements };
        let measured =
            asker.measure(self.work, self.stage, &question, (self.work.scope_of_one(self.stage), self.pick))?;
        let Some((_, reading)) = measured.result.readings.last() else {
            let (stage, command) = (self.stage.name(), self.work.command);
            bail!("no {stage} invocation of command {command} is there; nothing was drawn at that place");
        };
        let reached = reading.records.iter().filter_map(|record| match (&record.what, self.site) {
            (What::Marker(Marker::Statement(id)), NodeId::Stmt(site)) if *id == site.into() => record.moment.clone(),
            _ => None,
        });
        let all: Vec<Moment> = reached.collect();
        let total = all.len();
        Ok((all.into_iter().take(MOST).collect(), total))
    }
}
