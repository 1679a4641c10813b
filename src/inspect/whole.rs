//! One value of all fragments of a draw: a picture, an array, a table, and what the numbers are like.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, bail};
use inquiry::{Emulated, Inputs, Measured, Work};
use instrument::{Question, Scope};
use moment::Moment;
use serde_json::{Value as Json, json};
use shader::Shader;
use shader::version::Stage;

use super::asking::{self, Asker, Times};
use super::compared::{Compared, ENOUGH, Settling};
use super::export;
use super::field::{Field, Pixel, Summary};
use crate::cli::Outcome;
use crate::progress::Progress;

/// Where values go.
#[derive(clap::Args, Default)]
pub struct Files {
    /// Write the values of all fragments as a picture.
    #[arg(long, value_name = "PNG")]
    pub image: Option<PathBuf>,
    /// The numbers that are black and white in the picture; else those that all but a few lie between.
    #[arg(long, value_name = "A..B", requires = "image", value_parser = super::place::span, allow_hyphen_values = true)]
    pub range: Option<(f64, f64)>,
    /// Write the values of all invocations as a table.
    #[arg(long, value_name = "CSV")]
    pub csv: Option<PathBuf>,
    /// Write the values of all invocations as an array for NumPy; which have one is in FILE.mask.npy.
    #[arg(long, value_name = "NPY")]
    pub npy: Option<PathBuf>,
}

impl Files {
    /// Whether any is wanted.
    pub fn any(&self) -> bool {
        self.image.is_some() || self.csv.is_some() || self.npy.is_some()
    }

    /// Writes what is wanted of a field; the range of the picture.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, field: &Field, names: &[String]) -> anyhow::Result<Option<(f64, f64)>> {
        if let Some(path) = &self.csv {
            export::csv(field, names, path)?;
        }
        if let Some(path) = &self.npy {
            export::npy(field, path)?;
            export::mask(field, &path.with_extension("mask.npy"))?;
        }
        self.image.as_ref().map(|path| export::picture(field, self.range, path)).transpose()
    }
}

/// Asks all fragments for a value at a moment.
pub struct Whole<'a> {
    pub work: &'a Work,
    pub moment: Moment,
    pub expression: Option<String>,
    pub files: &'a Files,
    /// Have the emulator say it.
    pub emulated: bool,
    /// Have both say it, and compare.
    pub verify: bool,
    /// So many fragments that diverge are settled at most.
    pub settle: usize,
    pub json: bool,
}

impl Whole<'_> {
    /// Asks, writes files, and says what the values are like.
    ///
    /// # Errors
    /// When there is no answer, or a file cannot be written.
    pub fn run(&self, asker: &mut Asker<'_>) -> anyhow::Result<(String, Outcome)> {
        let (work, stage) = (self.work, Stage::Fragment);
        let shader = &work.facts(stage)?.shader;
        let question = Question::Value { moment: self.moment.clone(), expression: self.expression.clone() };
        let whose = (Scope::All, [-1; 4]);
        let measured = asker.measure(work, stage, &question, whose)?;
        let times = asker.times(work, stage, &question, whose, &measured)?;
        let mut field = Field::of_values(&measured.result, &shader.typed.types, work.target.size);
        let (mut compared, mut missing) = (None, Vec::new());
        if self.verify || self.emulated {
            let changes = asker.changes(work)?;
            let inputs = asker.inquiry.all_inputs(work, stage, &changes)?;
            let first = inputs.first().context("nothing was drawn, so there is nothing to emulate")?;
            let mut emulated = asker.inquiry.emulated(work, stage, first.clone(), &changes)?;
            let other = self.emulate(asker, &question, (&mut emulated, &inputs), shader)?;
            missing = emulated.missing().to_vec();
            if self.verify {
                let mut found = Compared::new(&field, &other);
                // What somebody asks for in his own words is in no recording.
                if self.expression.is_none() {
                    let (emulated, moment, field) = (&mut emulated, &self.moment, &field);
                    let mut settling = Settling { work, emulated, inputs: &inputs, moment, field };
                    found.settle(asker, &mut settling, self.settle)?;
                }
                if let Some(path) = &self.files.image {
                    export::difference(&found.found, work.target.size, &path.with_extension("difference.png"))?;
                }
                compared = Some(found);
            }
            if self.emulated {
                field = other;
            }
        }
        if field.count(Pixel::Reached) + field.count(Pixel::Elsewhere) + field.count(Pixel::Discarded) == 0 {
            bail!("command {} leaves no fragments anywhere, so there are no values", work.command);
        }
        let names = names(shader, &measured);
        let range = self.files.write(&field, &names)?;
        let page = Page { whole: self, shader, field: &field, measured: &measured, times, names, range, missing };
        let outcome = match &compared {
            Some(compared) if compared.share() < ENOUGH => Outcome::No,
            _ if field.count(Pixel::Reached) == 0 => Outcome::No,
            _ => Outcome::Done,
        };
        let text =
            if self.json { format!("{:#}\n", page.json(compared.as_ref())) } else { page.text(compared.as_ref()) };
        Ok((text, outcome))
    }

    /// The same on the emulator, from what the device gave each fragment.
    fn emulate(
        &self,
        asker: &mut Asker<'_>,
        question: &Question,
        (emulated, inputs): (&mut Emulated<'_>, &[Inputs]),
        shader: &Shader,
    ) -> anyhow::Result<Field> {
        let mut progress = Progress::new(inputs.len() as u64, "fragments emulated");
        let step = &mut |done| progress.step(done as u64);
        let result = asker.inquiry.emulate_all(self.work, emulated, question, inputs, step);
        progress.clear();
        Ok(Field::of_values(&result?, &shader.typed.types, self.work.target.size))
    }
}

/// Names of the components of a value.
fn names(shader: &Shader, measured: &Measured) -> Vec<String> {
    let values = measured.result.readings.iter().filter_map(|(_, reading)| reading.records.first()?.value.as_ref());
    let Some(value) = values.take(1).next() else { return Vec::new() };
    let count = moment::glsl::value::scalars(&shader.typed.types, value.ty).len();
    match count {
        1 => vec!["value".to_owned()],
        2..=4 => "xyzw".chars().take(count).map(String::from).collect(),
        _ => (0..count).map(|number| format!("c{number}")).collect(),
    }
}

/// What is printed.
struct Page<'a> {
    whole: &'a Whole<'a>,
    shader: &'a Shader,
    field: &'a Field,
    measured: &'a Measured,
    times: Times,
    names: Vec<String>,
    range: Option<(f64, f64)>,
    missing: Vec<String>,
}

impl Page<'_> {
    fn what(&self) -> String {
        let site = self.whole.moment.site;
        self.whole.expression.clone().unwrap_or_else(|| super::place::excerpt(self.shader, site.into()))
    }

    fn text(&self, compared: Option<&Compared>) -> String {
        let (field, work) = (self.field, self.whole.work);
        let (line, _) = super::place::line(self.shader, self.whole.moment.site.into());
        let mut text = format!("command {}, {}: {} in line {line}", work.command, work.calls.name(), self.what());
        let by = if self.whole.emulated { "emulated" } else { "measured" };
        // Writing to memory does not fail.
        let _ = writeln!(text, ", at moment {}, {by}", self.whole.moment);
        text += &counts(field);
        text += &histograms(field, &self.names);
        if let (Some((least, most)), Some(path)) = (self.range, &self.whole.files.image) {
            let _ = writeln!(text, "in {}, black is {least} and white is {most}", path.display());
        }
        text += &compared.map_or(String::new(), Compared::text);
        if let Some(note) = self.whole.work.manner.note().filter(|_| compared.is_some()) {
            let _ = writeln!(text, "{note}");
        }
        for missing in &self.missing {
            let _ = writeln!(text, "the emulator reads zeros where it should read {missing}");
        }
        text += &self.times.text();
        text + &asking::remarks(self.measured)
    }

    fn json(&self, compared: Option<&Compared>) -> Json {
        let (line, column) = super::place::line(self.shader, self.whole.moment.site.into());
        let mut document = asking::json_of(self.measured, self.times);
        let more = json!({
            "command": self.whole.work.command,
            "stage": Stage::Fragment.name(),
            "line": line,
            "column": column,
            "text": self.what(),
            "moment": self.whole.moment.to_string(),
            "source": if self.whole.emulated { "emulated" } else { "measured" },
            "size": self.field.size,
            "pixels": json_counts(self.field),
            "components": json_components(self.field, &self.names),
            "range": self.range.map(|(least, most)| [least, most]),
            "verify": compared.map(Compared::json),
            "missing": self.missing,
            "manner": self.whole.work.manner.note().filter(|_| compared.is_some()),
        });
        if let Json::Object(more) = more {
            document.extend(more);
        }
        Json::Object(document)
    }
}

/// How many pixels became what, for people.
pub fn counts(field: &Field) -> String {
    let of = |what: Pixel| format!("{} {}", field.count(what), what.word());
    let all = [Pixel::Reached, Pixel::Elsewhere, Pixel::Discarded, Pixel::Untouched].map(of);
    format!("pixels: {}\n", all.join(", "))
}

/// The same for scripts.
pub fn json_counts(field: &Field) -> Json {
    json!({
        "reached": field.count(Pixel::Reached),
        "not_reached": field.count(Pixel::Elsewhere),
        "discarded": field.count(Pixel::Discarded),
        "untouched": field.count(Pixel::Untouched),
    })
}

/// What the numbers of each component are like, for people.
pub fn histograms(field: &Field, names: &[String]) -> String {
    let mut text = String::new();
    for (component, name) in names.iter().enumerate() {
        let summary = field.summary(component);
        if summary.finite > 0 {
            let mean = summary.mean().unwrap_or(0.0);
            let (least, most) = (summary.least, summary.most);
            let _ = write!(text, "{name:>6}  {least:.6} |{}| {most:.6}  mean {mean:.6}", summary.bars());
        } else {
            let _ = write!(text, "{name:>6}  no numbers");
        }
        for (count, word) in [(summary.nan, "NaN"), (summary.infinite, "infinite")] {
            if count > 0 {
                let _ = write!(text, ", {count} {word}");
            }
        }
        text.push('\n');
    }
    text
}

/// The same for scripts.
pub fn json_components(field: &Field, names: &[String]) -> Vec<Json> {
    let one = |(component, name): (usize, &String)| {
        let Summary { least, most, finite, nan, infinite, histogram, .. } = field.summary(component);
        let mean = field.summary(component).mean();
        let some = |number: f64| number.is_finite().then_some(number);
        json!({
            "name": name, "least": some(least), "most": some(most), "mean": mean, "finite": finite, "nan": nan,
            "infinite": infinite, "histogram": histogram.to_vec(),
        })
    };
    names.iter().enumerate().map(one).collect()
}
