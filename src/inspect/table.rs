//! All invocations of a stage that has no pixels: one row for each.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, bail};
use inquiry::Work;
use inquiry::verdict::Verdict;
use instrument::inspect::Identity;
use instrument::stream::Facts;
use instrument::variant::{Reading, Slope, What};
use instrument::{Detail, Question, Scope};
use moment::Moment;
use moment::glsl::Value;
use serde_json::{Map, Value as Json, json};
use shader::Shader;
use shader::ast::{ExprKind, NodeId};
use shader::types::Scalar;
use shader::version::Stage;

use super::asking::{self, Asker};
use super::beside::{Beside, Compared};
use super::counted::{self, Counted};
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
    /// A value; else everything that the stage is given, and of a geometry shader what it emits; of fragments, and
    /// beside the emulator, what comes out.
    pub value: Option<(Moment, Option<String>)>,
    pub files: &'a Files,
    /// Have the emulator say it too, and compare.
    pub verify: bool,
    pub json: bool,
}

/// One row: who, what sort of row, and values by name.
struct Row {
    who: Identity,
    state: String,
    values: BTreeMap<usize, Value>,
    /// The worst of how the values compare with the emulator's.
    verdict: Option<Verdict>,
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
            None if self.verify && matches!(stage, Stage::Geometry | Stage::TessControl | Stage::Compute) => {
                bail!("of a {} shader say which value is to be compared, with --line", stage.name())
            }
            None if stage == Stage::Geometry => Question::Recording { detail: Detail::Statements },
            None if self.verify || stage == Stage::Fragment => Question::Outputs,
            None => Question::LiveIns,
        };
        let whose = (Scope::At, [-1; 4]);
        let measured = asker.measure(work, stage, &question, whose)?;
        let times = asker.times(work, stage, &question, whose, &measured)?;
        if measured.result.readings.is_empty() {
            bail!("command {} runs no {} shader for anything", work.command, stage.name());
        }
        let mut names = Vec::new();
        let mut rows = Vec::new();
        let mut beside = if self.verify { Some(Beside::emulate(asker, work, stage, &question)?) } else { None };
        for (who, reading) in counted::sorted(stage, &measured) {
            let first = rows.len();
            match &self.value {
                Some(_) => rows.push(self.value_row(shader, *who, reading, &mut names)),
                None if stage == Stage::Geometry => emissions(shader, *who, reading, &mut names, &mut rows),
                None => rows.push(inputs_row(*who, reading, &mut names)),
            }
            if let (Some(beside), Some(row)) = (&mut beside, rows.get_mut(first)) {
                row.verdict = Some(beside.verdict(&shader.typed.types, *who, reading));
            }
        }
        let reached = rows.iter().any(|row| !row.values.is_empty());
        let compared = self.verify.then(|| Compared::of(rows.iter().filter_map(|row| Some((row.who, row.verdict?)))));
        let diverges = compared.as_ref().is_some_and(|compared| !compared.is_enough());
        let outcome = if self.value.is_some() && !reached || diverges { Outcome::No } else { Outcome::Done };
        let counted = Counted::of(work, stage, &measured);
        let missing = beside.map_or(Vec::new(), |beside| beside.missing);
        self.write(shader, &names, &rows)?;
        if self.json {
            let mut document = asking::json_of(&measured, times);
            document.insert("command".to_owned(), json!(work.command));
            document.insert("stage".to_owned(), json!(stage.name()));
            document.insert("invocations".to_owned(), json!(measured.result.readings.len()));
            document.insert("columns".to_owned(), json!(names));
            document.insert("counted".to_owned(), json!(counted.map(Counted::word)));
            document.insert("missed".to_owned(), json!(measured.result.missed));
            document.insert("missing".to_owned(), json!(missing));
            document.insert("verify".to_owned(), compared.map_or(Json::Null, |compared| compared.json()));
            let rows: Vec<Json> = rows.iter().map(|row| json_row(shader, row, &names)).collect();
            document.insert("rows".to_owned(), Json::Array(rows));
            return Ok((format!("{:#}\n", Json::Object(document)), outcome));
        }
        let count = measured.result.readings.len();
        let mut text =
            format!("command {}, {}: {count} {} invocations\n", work.command, work.calls.name(), stage.name());
        for row in rows.iter().take(SHOWN) {
            // Writing to memory does not fail.
            let _ = write!(text, "{:>8} {:<10}", title(stage, row.who), row.state);
            for (name, value) in &row.values {
                let value = value.text(&shader.typed.types, &shader.preprocessed.symbols);
                let _ = write!(text, "  {} = {value}", names[*name]);
            }
            text += row.verdict.map_or("", |verdict| if verdict.word() == "divergent" { "  ✗" } else { "  ✓" });
            text.push('\n');
        }
        if rows.len() > SHOWN {
            let _ = writeln!(text, "{} more rows; --csv, --npy and --json have all", rows.len() - SHOWN);
        }
        text += &compared.map_or(String::new(), |compared| compared.text(stage));
        for missing in &missing {
            let _ = writeln!(text, "the emulator reads zeros where it should read {missing}");
        }
        text += counted.map_or("", Counted::text);
        text += &counted::missed(u64::from(measured.result.missed));
        text += &times.text();
        text += &asking::remarks(&measured);
        Ok((text, outcome))
    }

    fn value_row(&self, shader: &Shader, who: Identity, reading: &Reading, names: &mut Vec<String>) -> Row {
        if names.is_empty() {
            let (moment, expression) = self.value.as_ref().map_or((None, None), |(at, text)| (Some(at), text.clone()));
            let site = moment.map(|moment| place::excerpt(shader, moment.site.into()));
            names.push(expression.or(site).unwrap_or_default());
        }
        let value = reading.records.first().and_then(|record| record.value.clone());
        let state = if value.is_some() { "reached" } else { "not reached" };
        Row { who, state: state.to_owned(), values: value.map(|value| (0, value)).into_iter().collect(), verdict: None }
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
        let kinds = first.map_or(Vec::new(), |value| moment::glsl::value::scalars(&shader.typed.types, value.ty));
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
        let kinds_of = |value: &Value| moment::glsl::value::scalars(&shader.typed.types, value.ty);
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
    let verdict = row.verdict.map(Verdict::word);
    json!({ "id": row.who, "state": row.state, "values": values, "verdict": verdict })
}

fn title(stage: Stage, [a, b, c, _]: Identity) -> String {
    match stage {
        Stage::Vertex if b == 0 => format!("{a}"),
        Stage::Compute => format!("{a},{b},{c}"),
        Stage::Fragment => format!("{a},{b} of {c}"),
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
        if let (What::Input(name, Slope::None) | What::Output(name), Some(value)) = (&record.what, &record.value) {
            values.insert(column(names, name), value.clone());
        }
    }
    let outputs = reading.records.iter().any(|record| matches!(record.what, What::Output(_)));
    let state = match (reading.facts.has(Facts::DISCARDED), outputs) {
        (true, _) => "discarded",
        (false, true) => "outputs",
        (false, false) => "inputs",
    };
    Row { who, state: state.to_owned(), values, verdict: None }
}

/// The vertices that a run of a geometry shader emits, with every output as it was then, and what was assigned after the
/// last of them: outputs are undefined after `EmitVertex` until they are assigned again (GLSL 4.60, 8.13).
fn emissions(shader: &Shader, who: Identity, reading: &Reading, names: &mut Vec<String>, rows: &mut Vec<Row>) {
    let (mut values, mut assigned) = (BTreeMap::new(), BTreeMap::new());
    // Of each stream, which vertex of which strip is next.
    let mut next: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for record in &reading.records {
        match (&record.what, &record.value) {
            (What::Output(name), Some(value)) => {
                values.insert(column(names, name), value.clone());
            }
            (What::Emit(stream), _) => {
                let (vertex, strip) = next.entry(*stream).or_default();
                let to = if *stream == 0 { String::new() } else { format!(" of stream {stream}") };
                let state = format!("emits {vertex} of {strip}{to}");
                rows.push(Row { who, state, values: std::mem::take(&mut values), verdict: None });
                assigned.clear();
                *vertex += 1;
            }
            (What::Cut(stream), _) => {
                let (vertex, strip) = next.entry(*stream).or_default();
                (*vertex, *strip) = (0, *strip + 1);
            }
            (What::Value(NodeId::Expr(expr)), Some(value)) => {
                let ExprKind::Assign(_, left, _) = shader.tree.expr(*expr).kind else { continue };
                let place = place::excerpt(shader, NodeId::Expr(left));
                if is_output(shader, &place) {
                    assigned.insert(column(names, &place), value.clone());
                }
            }
            _ => {}
        }
    }
    if !assigned.is_empty() {
        rows.push(Row { who, state: "not emitted".to_owned(), values: assigned, verdict: None });
    } else if next.is_empty() {
        rows.push(Row { who, state: "emits none".to_owned(), values: assigned, verdict: None });
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
