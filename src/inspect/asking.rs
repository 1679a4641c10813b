//! How questions are asked: options that `inspect`, `break` and `profile` share.

use std::path::PathBuf;

use anyhow::{Context, bail};
use session::{MeasureOptions, Measurement, Overrides, Picture, Session, Stage, TRANSPORTS, Tests};

use crate::replay::On;
use crate::run::picture;
use crate::state::place::CommandRef;

/// Options of commands that ask a device about shaders.
#[derive(clap::Args)]
pub struct Asking {
    /// The trace.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Give a uniform, or an attribute in all vertices, another value: tint=1,0.5,0
    #[arg(long = "set", value_name = "NAME=NUMBERS")]
    set: Vec<String>,
    /// Replace the texture of a sampler by a picture: grain=oak.png
    #[arg(long = "texture", value_name = "NAME=PNG")]
    texture: Vec<String>,
    /// Test fragments against `recorded` values, a depth and a stencil value for all pixels, or not at all (`off`).
    #[arg(long, value_name = "recorded|off|DEPTH[,STENCIL]", default_value = "recorded", value_parser = tests)]
    tests: Tests,
    /// Choose the transport of answers: storage, integer, float, bytes, feedback or points; the best one without it.
    #[arg(long, value_name = "WAY", value_parser = TRANSPORTS)]
    transport: Option<String>,
    /// Keep the text of every instrumented shader in a folder.
    #[arg(long, value_name = "FOLDER")]
    save_source: Option<PathBuf>,
    /// Ask everything twice, and run the draw by itself, and print how long each takes.
    #[arg(long)]
    times: bool,
    /// Make the driver reject shaders with these transports, by text that is not GLSL. For tests.
    #[arg(long, value_name = "WAY", hide = true, value_parser = TRANSPORTS)]
    spoil: Vec<String>,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    on: On,
}

/// The draw that is asked, and the stage of it.
#[derive(clap::Args)]
pub struct Which {
    /// Choose the draw or dispatch by the number of its command; frame:N for the last one of a frame.
    #[arg(long, value_name = "CMD", allow_hyphen_values = true)]
    pub at: CommandRef,
    /// Choose the stage: vertex, tesscontrol, tessevaluation, geometry, fragment or compute.
    #[arg(long, value_name = "STAGE")]
    pub stage: Option<Stage>,
}

impl Asking {
    /// Opens the trace.
    ///
    /// # Errors
    /// When it cannot be read, or the folder for shaders cannot be made.
    pub fn open(&self) -> anyhow::Result<Session> {
        let mut session = self.on.session(&self.trace)?;
        if let Some(folder) = &self.save_source {
            std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
            session.keep_shaders(folder);
        }
        session.spoil(&self.spoil);
        Ok(session)
    }

    /// Returns how the device is asked.
    ///
    /// # Errors
    /// When a value or a picture is wrong.
    pub fn options(&self) -> anyhow::Result<MeasureOptions> {
        let mut overrides = Overrides { tests: self.tests, ..Overrides::default() };
        for text in &self.set {
            let Some((name, numbers)) = text.split_once('=') else { bail!("--set takes NAME=NUMBERS, not {text:?}") };
            let numbers = session::parse::numbers(numbers).map_err(|why| anyhow::anyhow!("--set {text}: {why}"))?;
            overrides.values.push((name.trim().to_owned(), numbers));
        }
        for text in &self.texture {
            let Some((name, file)) = text.split_once('=') else { bail!("--texture takes NAME=PNG, not {text:?}") };
            let (width, height, rgba) = picture::pixels(file.trim())?;
            overrides.textures.push((name.trim().to_owned(), Picture { width, height, rgba }));
        }
        Ok(MeasureOptions { overrides, transport: self.transport.clone(), times: self.times })
    }
}

/// Writes how long an answer took, if that was measured, and what was rejected or is not as recorded.
pub fn remarks(measurement: &Measurement) -> String {
    let (seconds, mut text) = (&measurement.seconds, String::new());
    if let (Some(cached), Some(alone)) = (seconds.cached, seconds.alone) {
        let ms = |seconds: f64| format!("{:.2} ms", seconds * 1e3);
        text += &format!(
            "the first answer took {} ({} to make shaders), the same again {}, the draw by itself {}\n",
            ms(seconds.all),
            ms(seconds.build),
            ms(cached),
            ms(alone)
        );
    }
    for rejected in &measurement.rejected {
        let file = rejected.source.as_ref().map_or(String::new(), |path| format!(", which is in {}", path.display()));
        text += &format!(
            "the driver refused the shader that answers by way of {}{file}: {}; the answer came by way of {}\n",
            rejected.transport,
            rejected.log.trim(),
            measurement.transport
        );
    }
    for note in &measurement.notes {
        text += &format!("not as recorded: {note}\n");
    }
    text
}

fn tests(text: &str) -> Result<Tests, String> {
    let wrong =
        || "say `recorded`, `off`, or a depth from 0 to 1 and perhaps a stencil value, such as 0.5,3".to_owned();
    match text {
        "recorded" => Ok(Tests::Recorded),
        "off" => Ok(Tests::Off),
        _ => {
            let (depth, stencil) = text.split_once(',').unwrap_or((text, "0"));
            let depth: f32 = depth.trim().parse().map_err(|_| wrong())?;
            let stencil = stencil.trim().parse().map_err(|_| wrong())?;
            if !(0.0..=1.0).contains(&depth) {
                return Err(wrong());
            }
            Ok(Tests::Against { depth, stencil })
        }
    }
}
