//! A row for each invocation of a stage.

use std::collections::BTreeMap;
use std::sync::Arc;

use instrument::inspect::Identity;
use instrument::stream::Facts;
use instrument::variant::{Reading, Slope, What};
use instrument::{Detail, Question};
use moment::glsl::Value;
use shader::Shader;
use shader::ast::{ExprKind, NodeId};
use shader::qualifier::Storage;
use shader::version::Stage;

use super::all_emulated::AllEmulated;
use super::{Whose, counted, moment_of, sorted};
use crate::data::inspect::{ColumnValue, TableComparison, TableInspection, TableRequest, TableRow};
use crate::data::measure::TypedValue;
use crate::data::value::Agreement;
use crate::error::SessionError;
use crate::locate;
use crate::open::Session;

impl Session {
    /// Measures every invocation of a stage of a draw.
    ///
    /// # Errors
    /// When there is no such stage or place, no invocation runs, or the device gives no answer.
    pub fn inspect_table(&mut self, request: &TableRequest) -> Result<TableInspection, SessionError> {
        self.patiently(|session| session.inspect_stage(request))
    }

    fn inspect_stage(&mut self, request: &TableRequest) -> Result<TableInspection, SessionError> {
        let TableRequest { command, stage, value, verify, options } = request;
        let (command, stage) = (*command, *stage);
        let work = self.work(command)?;
        let shader = &work.facts(stage)?.shader;
        let value = value.as_ref().map(|value| moment_of(shader, value)).transpose()?;
        let question = match &value {
            Some((moment, expression)) => Question::Value { moment: moment.clone(), expression: expression.clone() },
            None if *verify && matches!(stage, Stage::Geometry | Stage::TessControl | Stage::Compute) => {
                return Err(SessionError::NothingToCompare { stage: stage.name() });
            }
            None if stage == Stage::Geometry => Question::Recording { detail: Detail::Statements },
            None if *verify || stage == Stage::Fragment => Question::Outputs,
            None => Question::LiveIns,
        };
        let (measured, measurement) = self.measured_with_times(&work, stage, &question, Whose::EVERY, options)?;
        if measured.result.readings.is_empty() {
            return Err(SessionError::NoInvocations { command, stage: stage.name() });
        }
        let mut beside = match verify {
            true => Some(AllEmulated::new(self, &work, stage, &question, options)?),
            false => None,
        };
        let mut rows = Rows { shader, columns: Vec::new(), list: Vec::new() };
        let mut verdicts = Vec::new();
        for (who, reading) in sorted(stage, &measured) {
            let first = rows.list.len();
            match &value {
                Some((moment, expression)) => {
                    let name = || expression.clone().unwrap_or_else(|| locate::excerpt(shader, moment.site.into()));
                    rows.add_value(*who, reading, name);
                }
                None if stage == Stage::Geometry => rows.add_emissions(*who, reading),
                None => rows.add_interface(*who, reading),
            }
            if let (Some(beside), Some(row)) = (&mut beside, rows.list.get_mut(first)) {
                let verdict = beside.verdict(&shader.typed.types, *who, reading);
                row.verdict = Some(Agreement::from(verdict).name());
                verdicts.push((*who, verdict));
            }
        }
        Ok(TableInspection {
            command,
            stage: stage.name(),
            invocations: measured.result.readings.len(),
            columns: rows.columns,
            counted: counted(&work, stage, &measured),
            missed: measured.result.missed,
            missing: beside.map_or(Vec::new(), |beside| beside.missing),
            verify: verify.then(|| TableComparison::of(verdicts.into_iter())),
            rows: rows.list,
            measurement,
            call: work.calls.name(),
        })
    }
}

/// Rows, and the columns that they have so far.
struct Rows<'a> {
    shader: &'a Arc<Shader>,
    columns: Vec<Arc<str>>,
    list: Vec<TableRow>,
}

impl Rows<'_> {
    fn column(&mut self, name: &str) -> usize {
        self.columns.iter().position(|known| **known == *name).unwrap_or_else(|| {
            self.columns.push(name.into());
            self.columns.len() - 1
        })
    }

    fn push(&mut self, id: Identity, state: &str, values: BTreeMap<usize, Value>) {
        let value = |(column, value): (usize, Value)| ColumnValue {
            column,
            name: Arc::clone(&self.columns[column]),
            value: TypedValue::new(self.shader, value),
        };
        let values = values.into_iter().map(value).collect();
        self.list.push(TableRow { id, state: state.to_owned(), values, verdict: None });
    }

    fn add_value(&mut self, who: Identity, reading: &Reading, name: impl FnOnce() -> String) {
        if self.columns.is_empty() {
            self.columns.push(name().into());
        }
        let value = reading.records.first().and_then(|record| record.value.clone());
        let state = if value.is_some() { "reached" } else { "not reached" };
        self.push(who, state, value.map(|value| (0, value)).into_iter().collect());
    }

    /// Adds the inputs or outputs of an invocation.
    fn add_interface(&mut self, who: Identity, reading: &Reading) {
        let mut values = BTreeMap::new();
        for record in &reading.records {
            if let (What::Input(name, Slope::None) | What::Output(name), Some(value)) = (&record.what, &record.value) {
                values.insert(self.column(name), value.clone());
            }
        }
        let outputs = reading.records.iter().any(|record| matches!(record.what, What::Output(_)));
        let state = match (reading.facts.has(Facts::DISCARDED), outputs) {
            (true, _) => "discarded",
            (false, true) => "outputs",
            (false, false) => "inputs",
        };
        self.push(who, state, values);
    }

    /// Adds the vertices that an invocation of a geometry shader emits, with every output as it is then, and what it
    /// assigned after the last of them: outputs are undefined after `EmitVertex` until they are assigned again (GLSL 4.60,
    /// 8.13).
    fn add_emissions(&mut self, who: Identity, reading: &Reading) {
        let (mut values, mut assigned) = (BTreeMap::new(), BTreeMap::new());
        // For each stream, which vertex of which strip is next.
        let mut next: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        for record in &reading.records {
            match (&record.what, &record.value) {
                (What::Output(name), Some(value)) => {
                    values.insert(self.column(name), value.clone());
                }
                (What::Emit(stream), _) => {
                    let (vertex, strip) = next.entry(*stream).or_default();
                    let to = if *stream == 0 { String::new() } else { format!(" of stream {stream}") };
                    let state = format!("emits {vertex} of {strip}{to}");
                    *vertex += 1;
                    self.push(who, &state, std::mem::take(&mut values));
                    assigned.clear();
                }
                (What::Cut(stream), _) => {
                    let (vertex, strip) = next.entry(*stream).or_default();
                    (*vertex, *strip) = (0, *strip + 1);
                }
                (What::Value(NodeId::Expr(expr)), Some(value)) => {
                    let ExprKind::Assign(_, left, _) = self.shader.tree.expr(*expr).kind else { continue };
                    let target = locate::excerpt(self.shader, NodeId::Expr(left));
                    if is_output(self.shader, &target) {
                        assigned.insert(self.column(&target), value.clone());
                    }
                }
                _ => {}
            }
        }
        if !assigned.is_empty() {
            self.push(who, "not emitted", assigned);
        } else if next.is_empty() {
            self.push(who, "emits none", assigned);
        }
    }
}

/// Returns whether an assigned expression is part of an output.
fn is_output(shader: &Shader, target: &str) -> bool {
    let name: String = target.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    name.starts_with("gl_")
        || shader.typed.variables.iter().any(|variable| {
            shader.preprocessed.symbols.name(variable.name) == name && variable.qualifiers.storage == Storage::Out
        })
}
