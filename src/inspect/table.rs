//! All invocations of a stage that has no pixels: one row for each.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, bail};
use inquiry::Work;
use instrument::inspect::Identity;
use instrument::stream::Facts;
use instrument::variant::{Reading, Slope, What};
use instrument::{Detail, Question, Scope};
use moment::{Marker, Moment, Value};
use serde_json::{Map, Value as Json, json};
use shader::Shader;
use shader::ast::{ExprKind, NodeId, StmtKind};
use shader::types::Scalar;
use shader::version::Stage;

use super::asking::{self, Asker};
use super::export;
use super::place;
use super::whole::Files;
use crate::cli::Outcome;

/// Rows that are printed; files have all.
const SHOWN: usize = 64;

/// What is asked of all invocations.
pub struct Table<'a> {
    pub work: &'a Work,
    pub stage: Stage,
    /// A value; else everything that the stage is given, and of a geometry shader what it emits.
    pub value: Option<(Moment, Option<String>)>,
    pub files: &'a Files,
    pub json: bool,
}

/// One row: who, what sort of row, and values by name.
struct Row {
    who: Identity,
    state: String,
    values: BTreeMap<usize, Value>,
}

impl Table<'_> {
    /// Asks, writes files, and prints the table.
    ///
    /// # Errors
    /// When there is no answer, or a file cannot be written.
    pub fn run(&self, asker: &mut Asker<'_>) -> anyhow::Result<(String, Outcome)> {
        let (work, stage) = (self.work, self.stage);
        let shader = &work.facts(stage)?.shader;
        let question = match &self.value {
            Some((moment, expression)) => Question::Value { moment: moment.clone(), expression: expression.clone() },
            None if stage == Stage::Geometry => Question::Recording { detail: Detail::Statements },
            None => Question::LiveIns,
        };
        let whose = (Scope::All, [-1; 4]);
        let measured = asker.measure(work, stage, &question, whose)?;
        let times = asker.times(work, stage, &question, whose, &measured)?;
        if measured.result.readings.is_empty() {
            bail!("command {} runs no {} shader for anything", work.command, stage.name());
        }
        let mut names = Vec::new();
        let mut rows = Vec::new();
        let mut readings: Vec<&(Identity, Reading)> = measured.result.readings.iter().collect();
        readings.sort_by_key(|(who, _)| if stage == Stage::Vertex { [who[1], who[0], who[2], who[3]] } else { *who });
        for (who, reading) in readings {
            match &self.value {
                Some(_) => rows.push(self.value_row(shader, *who, reading, &mut names)),
                None if stage == Stage::Geometry => emissions(shader, *who, reading, &mut names, &mut rows),
                None => rows.push(inputs_row(*who, reading, &mut names)),
            }
        }
        let reached = rows.iter().any(|row| !row.values.is_empty());
        let outcome = if self.value.is_some() && !reached { Outcome::No } else { Outcome::Done };
        self.write(shader, &names, &rows)?;
        if self.json {
            let mut document = asking::json_of(&measured, times);
            document.insert("command".to_owned(), json!(work.command));
            document.insert("stage".to_owned(), json!(stage.name()));
            document.insert("invocations".to_owned(), json!(measured.result.readings.len()));
            document.insert("columns".to_owned(), json!(names));
            let rows: Vec<Json> = rows.iter().map(|row| json_row(shader, row, &names)).collect();
            document.insert("rows".to_owned(), Json::Array(rows));
            return Ok((format!("{:#}\n", Json::Object(document)), outcome));
        }
        let count = measured.result.readings.len();
        let mut text = format!("command {}, {}: {count} {} invocations\n", work.command, work.calls.name, stage.name());
        for row in rows.iter().take(SHOWN) {
            // Writing to memory does not fail.
            let _ = write!(text, "{:>8} {:<10}", title(stage, row.who), row.state);
            for (name, value) in &row.values {
                let value = value.text(&shader.typed.types, &shader.preprocessed.symbols);
                let _ = write!(text, "  {} = {value}", names[*name]);
            }
            text.push('\n');
        }
        if rows.len() > SHOWN {
            let _ = writeln!(text, "{} more rows; --csv, --npy and --json have all", rows.len() - SHOWN);
        }
        text += &times.text();
        text += &asking::remarks(&measured);
        Ok((text, outcome))
    }

    fn value_row(&self, shader: &Shader, who: Identity, reading: &Reading, names: &mut Vec<String>) -> Row {
        if names.is_empty() {
            let (moment, expression) = self.value.as_ref().map_or((None, None), |(at, text)| (Some(at), text.clone()));
            let site = moment.map(|moment| place::excerpt(shader, moment.site));
            names.push(expression.or(site).unwrap_or_default());
        }
        let value = reading.records.first().and_then(|record| record.value.clone());
        let state = if value.is_some() { "reached" } else { "not reached" };
        Row { who, state: state.to_owned(), values: value.map(|value| (0, value)).into_iter().collect() }
    }

    fn write(&self, shader: &Shader, names: &[String], rows: &[Row]) -> anyhow::Result<()> {
        if self.files.image.is_some() {
            bail!("--image shows fragments; for a {} shader use --csv or --npy", self.stage.name());
        }
        if let Some(path) = &self.files.csv {
            std::fs::write(path, self.csv(shader, names, rows))
                .with_context(|| format!("{} cannot be written", path.display()))?;
        }
        let Some(path) = &self.files.npy else { return Ok(()) };
        let Some((moment, _)) = &self.value else {
            bail!("--npy is an array of one value: say which with --line; --csv has everything")
        };
        let _ = moment;
        let first = rows.iter().find_map(|row| row.values.get(&0));
        let kinds = first.map_or(Vec::new(), |value| moment::value::scalars(&shader.typed.types, value.ty));
        let kind = kinds.first().copied().unwrap_or(Scalar::Uint);
        let (name, size) = export::npy_kind(kind);
        let mut bytes = Vec::new();
        for row in rows {
            let absent = if kind == Scalar::Float { u64::from(f32::NAN.to_bits()) } else { 0 };
            for place in 0..kinds.len() {
                let bits = row.values.get(&0).and_then(|value| value.scalars.get(place)).copied().unwrap_or(absent);
                bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
        export::write_npy(path, name, &format!("({}, {})", rows.len(), kinds.len()), &bytes)
    }

    fn csv(&self, shader: &Shader, names: &[String], rows: &[Row]) -> String {
        let kinds_of = |value: &Value| moment::value::scalars(&shader.typed.types, value.ty);
        let widths: Vec<usize> = (0..names.len())
            .map(|name| rows.iter().find_map(|row| row.values.get(&name)).map_or(1, |value| value.scalars.len()))
            .collect();
        let mut text = "a,b,c,d,state".to_owned();
        for (name, width) in names.iter().zip(&widths) {
            for place in 0..*width {
                let quoted = if *width == 1 { name.clone() } else { format!("{name}[{place}]") };
                let _ = write!(text, ",\"{}\"", quoted.replace('"', "\"\""));
            }
        }
        text.push('\n');
        for row in rows {
            let [a, b, c, d] = row.who;
            let _ = write!(text, "{a},{b},{c},{d},{}", row.state);
            for (name, width) in widths.iter().enumerate() {
                let value = row.values.get(&name);
                let kinds = value.map_or(Vec::new(), kinds_of);
                for place in 0..*width {
                    let cell =
                        value.and_then(|value| Some(export::cell(*kinds.get(place)?, *value.scalars.get(place)?)));
                    let _ = write!(text, ",{}", cell.unwrap_or_default());
                }
            }
            text.push('\n');
        }
        text
    }
}

fn json_row(shader: &Shader, row: &Row, names: &[String]) -> Json {
    let value = |value: &Value| json!({ "type": shader.type_name(value.ty), "components": value.components(&shader.typed.types) });
    let values: Map<String, Json> = row.values.iter().map(|(name, v)| (names[*name].clone(), value(v))).collect();
    json!({ "id": row.who, "state": row.state, "values": values })
}

fn title(stage: Stage, [a, b, c, _]: Identity) -> String {
    match stage {
        Stage::Vertex if b == 0 => format!("{a}"),
        Stage::Compute => format!("{a},{b},{c}"),
        _ => format!("{a}/{b}"),
    }
}

fn column(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

fn inputs_row(who: Identity, reading: &Reading, names: &mut Vec<String>) -> Row {
    let mut values = BTreeMap::new();
    for record in &reading.records {
        if let (What::Input(name, Slope::None), Some(value)) = (&record.what, &record.value) {
            values.insert(column(names, name), value.clone());
        }
    }
    Row { who, state: "inputs".to_owned(), values }
}

/// The vertices that a run of a geometry shader emits, with what was assigned since the one before - outputs are
/// undefined after `EmitVertex` unless they are assigned again (GLSL 4.60, 8.15) - and what is assigned after the last.
fn emissions(shader: &Shader, who: Identity, reading: &Reading, names: &mut Vec<String>, rows: &mut Vec<Row>) {
    let mut values = BTreeMap::new();
    let (mut vertex, mut strip) = (0, 0);
    for record in &reading.records {
        match &record.what {
            What::Marker(Marker::Statement(id)) => {
                let StmtKind::Expr(expr) = shader.tree.stmt(*id).kind else { continue };
                let text = place::excerpt(shader, NodeId::Expr(expr)).replace(' ', "");
                if text.starts_with("EmitVertex(") || text.starts_with("EmitStreamVertex(") {
                    let state = format!("emits {vertex} of {strip}");
                    rows.push(Row { who, state, values: std::mem::take(&mut values) });
                    vertex += 1;
                } else if text.starts_with("EndPrimitive(") || text.starts_with("EndStreamPrimitive(") {
                    (vertex, strip) = (0, strip + 1);
                }
            }
            What::Value(NodeId::Expr(expr)) => {
                let (ExprKind::Assign(_, left, _), Some(value)) = (shader.tree.expr(*expr).kind, &record.value) else {
                    continue;
                };
                let place = place::excerpt(shader, NodeId::Expr(left));
                if is_output(shader, &place) {
                    values.insert(column(names, &place), value.clone());
                }
            }
            _ => {}
        }
    }
    if !values.is_empty() {
        rows.push(Row { who, state: "not emitted".to_owned(), values });
    } else if !reading.facts.has(Facts::RAN) {
        rows.push(Row { who, state: "did not run".to_owned(), values });
    }
}

/// Whether a place that is assigned to is part of an output.
fn is_output(shader: &Shader, place: &str) -> bool {
    let name: String = place.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    name.starts_with("gl_")
        || shader.typed.variables.iter().any(|variable| {
            shader.preprocessed.symbols.name(variable.name) == name
                && variable.qualifiers.storage == shader::qualifier::Storage::Out
        })
}
