//! An expression of the user's in one invocation, each time that a line is reached.

use inquiry::DrawSnapshot;
use instrument::variant::What;
use instrument::{Detail, Question};
use moment::{Marker, Moment};
use shader::ast::NodeId;
use shader::version::Stage;

use super::{Whose, changes};
use crate::data::inspect::{AskedInvocation, ExpressionInspection, ExpressionPlace, ExpressionRequest, RecordedValue};
use crate::data::measure::{Comparison, MeasureOptions, TypedValue, ValueVerdict};
use crate::data::value::Agreement;
use crate::error::SessionError;
use crate::locate;
use crate::open::Session;

/// A loop may reach a line very often; this many times are asked about.
const MOST: usize = 64;

impl Session {
    /// Measures an expression in one invocation each time that a place is reached.
    ///
    /// # Errors
    /// When there is no such invocation or place, the expression is wrong there, or the device gives no answer.
    pub fn inspect_expression(&mut self, request: &ExpressionRequest) -> Result<ExpressionInspection, SessionError> {
        self.patiently(|session| session.inspect_at_moments(request))
    }

    fn inspect_at_moments(&mut self, request: &ExpressionRequest) -> Result<ExpressionInspection, SessionError> {
        let ExpressionRequest { choice, expression, at, verify, options } = request;
        let (command, stage, id) = self.pick(choice)?;
        let work = self.work(command)?;
        let id = work.answering(stage, id);
        let shader = &work.facts(stage)?.shader;
        let whose = Whose::one(&work, stage, id);
        let (site, moments, times_reached) = match at {
            ExpressionPlace::Moment(moment) => (moment.site.into(), vec![moment.clone()], 1),
            ExpressionPlace::Line(line) => {
                let site = locate::site_from(shader, *line, None)?;
                let all = self.moments(&work, stage, site, whose, options)?;
                let count = all.len();
                (site, all.into_iter().take(MOST).collect(), count)
            }
        };
        let (line, column) = locate::line(shader, site);
        let mut inspection = ExpressionInspection {
            invocation: AskedInvocation { command, stage: stage.name(), id },
            moments: Vec::new(),
            first_divergence: None,
            times_reached,
            measurement: None,
            line,
            line_text: locate::line_text(shader, line).to_owned(),
        };
        for moment in moments {
            let text = Some(expression.clone());
            let question = Question::Value { moment: moment.clone(), expression: text };
            let (measured, measurement) = self.measured_with_times(&work, stage, &question, whose, options)?;
            let Some((who, reading)) = measured.result.readings.last() else {
                return Err(self.absent(&work, stage, id));
            };
            let value = reading.records.first().and_then(|record| record.value.clone());
            let (mut emulated, mut agreement) = (None, None);
            if *verify {
                let changes = changes(&work, &options.overrides)?;
                let inputs = self.inquiry.inputs(&work, stage, *who, &changes)?;
                let mut other = self.inquiry.emulated(&work, stage, inputs, &changes)?;
                let result = self.inquiry.emulate(&work, &mut other, &question)?;
                emulated = result.readings.last().and_then(|(_, reading)| reading.records.first()?.value.clone());
                agreement = match (&value, &emulated) {
                    (Some(one), Some(other)) => Some(Agreement::from(verdict::values(&shader.typed.types, one, other))),
                    (None, None) => None,
                    _ => Some(Agreement::Divergent { ulps: u32::MAX }),
                };
            }
            inspection.moments.push(RecordedValue {
                line,
                column,
                text: expression.clone(),
                moment: Some(moment.to_string()),
                measured: value.map(|value| TypedValue::new(shader, value)),
                emulated: emulated.map(|value| TypedValue::new(shader, value)),
                comparison: Comparison(agreement.map(ValueVerdict::from)),
                why: None,
                path: locate::path(shader, &moment),
            });
            inspection.measurement = Some(measurement);
        }
        let diverging = inspection.moments.iter().find(|value| value.comparison.is_divergent());
        inspection.first_divergence = diverging.cloned();
        Ok(inspection)
    }

    /// Returns all moments at which an invocation reaches a statement.
    fn moments(
        &mut self,
        work: &DrawSnapshot,
        stage: Stage,
        site: NodeId,
        whose: Whose,
        options: &MeasureOptions,
    ) -> Result<Vec<Moment>, SessionError> {
        let question = Question::Recording { detail: Detail::Statements };
        let measured = self.measured(work, stage, &question, whose, options)?;
        let Some((_, reading)) = measured.result.readings.last() else {
            return Err(self.absent(work, stage, whose.pick));
        };
        let reached = reading.records.iter().filter_map(|record| match (&record.what, site) {
            (What::Marker(Marker::Statement(id)), NodeId::Stmt(site)) if *id == site.into() => record.moment.clone(),
            _ => None,
        });
        Ok(reached.collect())
    }
}
