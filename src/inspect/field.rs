//! One value of all fragments of a draw, for people and as files.

use std::fmt::Write as _;
use std::path::PathBuf;

use session::{ComponentSummary, Field, FieldComparison, FieldInspection, PathStep, PixelCounts};

use super::asking::remarks;
use super::export;
use super::invocation::{differing, missing};
use crate::cli::Outcome;
use crate::overwrite;

/// Where values go.
#[derive(clap::Args, Default)]
pub struct Files {
    /// Write the values of all fragments as a picture.
    #[arg(long, value_name = "PNG")]
    pub image: Option<PathBuf>,
    /// Map this range of numbers to black and white in the picture; by default, a range that leaves out a few outliers.
    #[arg(long, value_name = "A..B", requires = "image", value_parser = span, allow_hyphen_values = true)]
    pub range: Option<(f64, f64)>,
    /// Write the values of all invocations as a table.
    #[arg(long, value_name = "CSV")]
    pub csv: Option<PathBuf>,
    /// Write the values of all invocations as a NumPy array, and a mask of the invocations that have one as FILE.mask.npy.
    #[arg(long, value_name = "NPY")]
    pub npy: Option<PathBuf>,
    /// Replace files that are there already.
    #[arg(long)]
    pub force: bool,
}

impl Files {
    /// Returns whether any is wanted.
    pub fn any(&self) -> bool {
        self.image.is_some() || self.csv.is_some() || self.npy.is_some()
    }

    /// Returns an error if a file is there already and may not be replaced.
    ///
    /// # Errors
    /// When one is.
    pub fn refuse(&self) -> anyhow::Result<()> {
        let wanted = [&self.image, &self.csv, &self.npy];
        wanted.into_iter().flatten().try_for_each(|path| overwrite::refuse(path, self.force))
    }

    /// Writes the files that are wanted of a field, and returns the numbers that are black and white in the picture.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, field: &Field) -> anyhow::Result<Option<[f64; 2]>> {
        if let Some(path) = &self.csv {
            export::csv(field, path)?;
        }
        if let Some(path) = &self.npy {
            export::npy(field, path)?;
            export::mask(field, &path.with_extension("mask.npy"))?;
        }
        let range = self.image.as_ref().map(|path| export::picture(field, self.range, path)).transpose()?;
        Ok(range.map(|(least, most)| [least, most]))
    }
}

/// Returns whether any fragment has a value, and enough agree with the emulator.
pub fn outcome(inspection: &FieldInspection) -> Outcome {
    match &inspection.verify {
        Some(verify) if !verify.agrees() => differing(&inspection.missing),
        _ if inspection.pixels.reached == 0 => Outcome::No,
        _ => Outcome::Done,
    }
}

/// Writes what the values are like.
pub fn text(inspection: &FieldInspection, files: &Files, range: Option<[f64; 2]>) -> String {
    let FieldInspection { command, call, line, moment, path, source, .. } = inspection;
    let what = &inspection.text;
    let way = match PathStep::text(path) {
        way if way.is_empty() => way,
        way => format!(", {way} (moment {moment})"),
    };
    let mut text = format!("command {command}, {call}: {what} in line {line}{way}, {source}\n");
    text += &counts(&inspection.pixels);
    text += &histograms(&inspection.components);
    if let (Some([least, most]), Some(path)) = (range, &files.image) {
        // Writing to memory does not fail.
        let _ = writeln!(text, "in {}, black is {least} and white is {most}", path.display());
    }
    text += &inspection.verify.as_ref().map_or(String::new(), comparison);
    if let Some(note) = &inspection.manner {
        let _ = writeln!(text, "{note}");
    }
    if let Some(left_out) = inspection.left_out {
        let _ = writeln!(text, "{left_out}");
    }
    text += &missing(&inspection.missing);
    text + &remarks(&inspection.measurement)
}

/// Writes how many pixels became what.
pub fn counts(pixels: &PixelCounts) -> String {
    let PixelCounts { reached, not_reached, discarded, untouched } = pixels;
    format!("pixels: {reached} reached, {not_reached} not reached, {discarded} discarded, {untouched} untouched\n")
}

/// Writes what the numbers of each component are like.
pub fn histograms(components: &[ComponentSummary]) -> String {
    let mut text = String::new();
    for summary in components {
        let name = &summary.name;
        let _ = match (summary.least, summary.most, summary.mean) {
            (Some(least), Some(most), Some(mean)) => {
                write!(text, "{name:>6}  {least:.6} |{}| {most:.6}  mean {mean:.6}", summary.bars())
            }
            _ => write!(text, "{name:>6}  no numbers"),
        };
        for (count, word) in [(summary.nan, "NaN"), (summary.infinite, "infinite")] {
            if count > 0 {
                let _ = write!(text, ", {count} {word}");
            }
        }
        text.push('\n');
    }
    text
}

/// Writes how the fragments compare with the emulator's.
fn comparison(found: &FieldComparison) -> String {
    let FieldComparison { all, equal, within, allowed, divergent, share, worst, reasons, .. } = found;
    let mut text = format!(
        "{} of {all} fragments hold beside the emulator's, {:.3} %: {equal} equal, {within} within rounding, {allowed} \
         within the bounds of each operation, {divergent} divergent",
        equal + within + allowed,
        share * 100.0
    );
    let worst = worst.map_or(String::new(), |[x, y]| format!("; the worst is at {x},{y}"));
    let _ = writeln!(text, "{worst}");
    for reason in reasons {
        let what = reason.what.as_ref().map_or(String::new(), |what| format!(": {what}"));
        let [x, y] = reason.first;
        let _ = writeln!(text, "  {} divergent: {}, the first at {x},{y}{what}", reason.count, reason.why);
    }
    text
}

/// Two numbers with two dots.
fn span(text: &str) -> Result<(f64, f64), String> {
    let both = text.split_once("..").and_then(|(from, to)| Some((from.trim().parse().ok()?, to.trim().parse().ok()?)));
    both.ok_or_else(|| "a range is two numbers with two dots, such as 0..1".to_owned())
}
