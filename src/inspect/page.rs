//! What is printed of an invocation.

use std::fmt::Write as _;

use inquiry::verdict::{Comparison, Verdict};
use inquiry::{Measured, Work};
use instrument::inspect::Identity;
use instrument::stream::{Facts, HEADER, LAYER};
use instrument::variant::{Reading, Record, What};
use moment::glsl::Value;
use moment::{Moment, Step};
use serde_json::{Value as Json, json};
use shader::Shader;
use shader::ast::NodeId;
use shader::version::Stage;

use super::asking::{self, Times};
use super::place;
use crate::cli::Outcome;

/// An invocation and what is known of it.
pub struct Page<'a> {
    pub work: &'a Work,
    pub stage: Stage,
    pub who: Identity,
    pub reading: &'a Reading,
    pub comparison: Option<Comparison>,
    /// Only this place.
    pub site: Option<NodeId>,
    /// Only this time.
    pub moment: Option<Moment>,
    pub measured: &'a Measured,
    pub times: Times,
    /// What the emulator lacks.
    pub missing: Vec<String>,
}

/// One value of the run.
struct Row<'a> {
    number: usize,
    record: &'a Record,
    node: NodeId,
    name: Option<&'a str>,
}

impl Page<'_> {
    /// Whether what was asked for is there, and nothing diverges.
    pub fn outcome(&self) -> Outcome {
        let diverges = self.comparison.as_ref().is_some_and(|comparison| comparison.first_divergence.is_some());
        if diverges || self.site.is_some() && self.rows().is_empty() { Outcome::No } else { Outcome::Done }
    }

    /// For people.
    pub fn text(&self) -> String {
        let shader = self.shader();
        let mut text = format!("{}, {}\n", self.title(), self.facts());
        let count = self.measured.result.readings.len();
        if count > 1 {
            let _ = writeln!(text, "{count} are there, of which this began last; --primitive picks another");
        }
        let rows = self.rows();
        if rows.is_empty() && self.site.is_some() {
            text += "that place was not reached\n";
        }
        let mut last = None;
        for row in &rows {
            let (line, column) = place::line(shader, row.node);
            let way = self.way(row.record);
            if last != Some((line, way.clone())) {
                // Writing to memory does not fail.
                let _ = writeln!(text, "{line:>5}  {}{way}", self.source_line(row.node));
                last = Some((line, way));
            }
            let what = row.name.map_or_else(|| self.excerpt(row.node), str::to_owned);
            let value = row.record.value.as_ref().map_or(String::new(), |value| self.value(value));
            let _ = write!(text, "       {column:>3}: {what} = {value}");
            text += &self.beside(row.number);
            text.push('\n');
        }
        if let Some(comparison) = &self.comparison {
            text += &self.summary(comparison);
        }
        if self.reading.lost > 0 {
            let _ = writeln!(text, "{} more words did not fit", self.reading.lost);
        }
        if let Some(note) = self.work.manner.note().filter(|_| self.comparison.is_some()) {
            let _ = writeln!(text, "{note}");
        }
        for missing in &self.missing {
            let _ = writeln!(text, "the emulator reads zeros where it should read {missing}");
        }
        text += &self.times.text();
        text + &asking::remarks(self.measured)
    }

    /// For scripts.
    pub fn json(&self) -> Json {
        let shader = self.shader();
        let moments: Vec<Json> = self.rows().iter().map(|row| self.json_row(row, shader)).collect();
        let facts = self.reading.facts;
        let mut document = asking::json_of(self.measured, self.times);
        let more = json!({
            "invocation": {
                "command": self.work.command,
                "stage": self.stage.name(),
                "id": self.who,
                "discarded": facts.has(Facts::DISCARDED),
                "helper": facts.has(Facts::HELPER),
            },
            "moments": moments,
            "first_divergence": self.comparison.as_ref().and_then(|comparison| {
                let row = self.all_rows().into_iter().find(|row| Some(row.number) >= comparison.first_divergence)?;
                comparison.first_divergence.map(|_| self.json_row(&row, shader))
            }),
            "of": self.measured.result.readings.len(),
            "words": self.words(),
            "lost": self.reading.lost,
            "missing": self.missing,
            "manner": self.work.manner.note().filter(|_| self.comparison.is_some()),
        });
        if let Json::Object(more) = more {
            document.extend(more);
        }
        Json::Object(document)
    }

    fn json_row(&self, row: &Row<'_>, shader: &Shader) -> Json {
        let (line, column) = place::line(shader, row.node);
        let compared = self.comparison.as_ref().and_then(|comparison| comparison.rows.get(row.number));
        let value = |record: &Record| record.value.as_ref().map(|value| self.json_value(value));
        json!({
            "line": line,
            "column": column,
            "text": row.name.map_or_else(|| self.excerpt(row.node), str::to_owned),
            "path": row.record.moment.as_ref().map(ToString::to_string),
            "measured": value(row.record),
            "emulated": compared.and_then(|row| row.emulated.as_ref()).and_then(value),
            "verdict": compared.and_then(|row| row.verdict).map(Verdict::word),
            "ulps": compared.and_then(|row| row.verdict).map(Verdict::ulps),
        })
    }

    fn json_value(&self, value: &Value) -> Json {
        json!({ "type": self.shader().type_name(value.ty), "components": value.components(&self.shader().typed.types) })
    }

    /// How long the stream was that all of this came in.
    fn words(&self) -> usize {
        let types = &self.shader().typed.types;
        let records = self.reading.records.iter();
        let words = records.map(|record| 1 + record.value.as_ref().map_or(0, |value| value.words(types).len()));
        HEADER as usize + words.sum::<usize>() + self.reading.lost as usize
    }

    fn shader(&self) -> &Shader {
        // The command was refused where there is no such stage.
        &self.work.stages.iter().find(|facts| facts.stage == self.stage).unwrap_or(&self.work.stages[0]).shader
    }

    fn title(&self) -> String {
        let [a, b, c, d] = self.who;
        let who = match self.stage {
            Stage::Fragment => {
                let (sample, layer) = (d % LAYER.cast_signed(), d / LAYER.cast_signed());
                let target = &self.work.target;
                let sample = if target.samples > 1 { format!(", sample {sample}") } else { String::new() };
                let layer = if target.layers > 1 { format!(", layer {layer}") } else { String::new() };
                format!("fragment {a},{b} of primitive {c}{sample}{layer}")
            }
            Stage::Vertex => format!("vertex {a} of instance {b}"),
            Stage::Compute => format!("invocation {a},{b},{c}"),
            _ => format!("{} invocation {b} of primitive {a}", self.stage.name()),
        };
        format!("command {}, {}: {who}", self.work.command, self.work.calls.name())
    }

    fn facts(&self) -> String {
        let facts = self.reading.facts;
        let fate = match (facts.has(Facts::DISCARDED), facts.has(Facts::HELPER)) {
            (true, _) => "discarded",
            (false, true) => "a helper",
            (false, false) => "ran to its end",
        };
        let runs = self.measured.result.runs;
        format!("{fate}; measured in {runs} run{}", if runs == 1 { "" } else { "s" })
    }

    fn all_rows(&self) -> Vec<Row<'_>> {
        let rows = self.reading.records.iter().enumerate().filter_map(|(number, record)| match &record.what {
            What::Value(node) => Some(Row { number, record, node: *node, name: None }),
            What::Variable(node, name) => Some(Row { number, record, node: *node, name: Some(name) }),
            What::Marker(_) | What::Input(..) | What::Output(_) | What::Emit(_) | What::Cut(_) | What::Count(..) => {
                None
            }
        });
        rows.collect()
    }

    fn rows(&self) -> Vec<Row<'_>> {
        let Some(site) = self.site else { return self.all_rows() };
        let shader = self.shader();
        let tokens = shader.tree.tokens(site);
        let wanted = |row: &Row<'_>| match site {
            NodeId::Expr(_) => row.node == site,
            NodeId::Stmt(_) | NodeId::Decl(_) => {
                let inner = shader.tree.tokens(row.node);
                tokens.first <= inner.first && inner.last <= tokens.last
            }
        };
        let then = |row: &Row<'_>| match (&self.moment, &row.record.moment) {
            (Some(asked), Some(moment)) => asked.path == moment.path,
            _ => true,
        };
        self.all_rows().into_iter().filter(|row| wanted(row) && then(row)).collect()
    }

    /// The calls and iterations around a moment, for people.
    fn way(&self, record: &Record) -> String {
        let Some(moment) = &record.moment else { return String::new() };
        let shader = self.shader();
        let mut way = String::new();
        for step in &moment.path {
            let _ = match *step {
                Step::Call(call) => write!(way, ", called in line {}", place::line(shader, call.into()).0),
                Step::Iteration(_, number) => write!(way, ", iteration {number}"),
            };
        }
        if way.is_empty() { way } else { format!("    //{}", &way[1..]) }
    }

    fn source_line(&self, node: NodeId) -> String {
        let (line, _) = place::line(self.shader(), node);
        place::excerpt_line(self.shader(), line).to_owned()
    }

    fn excerpt(&self, node: NodeId) -> String {
        place::excerpt(self.shader(), node)
    }

    fn value(&self, value: &Value) -> String {
        value.text(&self.shader().typed.types, &self.shader().preprocessed.symbols)
    }

    /// What the emulator says of a record.
    fn beside(&self, number: usize) -> String {
        let Some(row) = self.comparison.as_ref().and_then(|comparison| comparison.rows.get(number)) else {
            return String::new();
        };
        let emulated = row.emulated.as_ref().and_then(|record| record.value.as_ref());
        match (row.verdict, emulated) {
            (Some(Verdict::Equal), _) => "  ✓".to_owned(),
            (Some(Verdict::Within(ulps)), _) => format!("  ✓ within {ulps} ulp"),
            (Some(Verdict::Divergent(ulps)), Some(value)) => {
                format!("  ✗ emulated {} ({ulps} ulp)", self.value(value))
            }
            _ => "  ✗ the emulator did not come here".to_owned(),
        }
    }

    fn summary(&self, comparison: &Comparison) -> String {
        let verdicts = || comparison.rows.iter().filter_map(|row| row.verdict);
        let count = |word: &str| verdicts().filter(|verdict| verdict.word() == word).count();
        let (equal, within, divergent) = (count("equal"), count("within"), count("divergent"));
        let mut text = format!("{equal} values equal, {within} within rounding, {divergent} divergent\n");
        if let Some(first) = comparison.first_divergence {
            let row = self.all_rows().into_iter().find(|row| row.number >= first);
            text += &match row {
                Some(row) => {
                    let (line, column) = place::line(self.shader(), row.node);
                    format!("the first divergence is at line {line}, column {column}: {}\n", self.excerpt(row.node))
                }
                None => "the emulator went on where the device ended\n".to_owned(),
            };
        }
        text
    }
}
