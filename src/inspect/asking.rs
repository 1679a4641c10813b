//! How questions are asked: options that `inspect`, `break` and `profile` share.

use std::path::PathBuf;

use anyhow::{Context, bail};
use device::{Changes, Tests};
use host::Host;
use inquiry::{Inquiry, Measured, Work};
use instrument::inspect::Ask;
use instrument::{Device, Question, Scope, Transport};
use shader::qualifier::Storage;
use shader::typed::VariableKind;
use shader::version::Stage;

use crate::replay::On;
use crate::run::picture;

/// Options of commands that ask a device about shaders.
#[derive(clap::Args)]
pub struct Asking {
    /// The trace.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Give a uniform, or an attribute in all vertices, another value: tint=1,0.5,0
    #[arg(long = "set", value_name = "NAME=NUMBERS")]
    set: Vec<String>,
    /// Have a sampler read a picture: grain=oak.png
    #[arg(long = "texture", value_name = "NAME=PNG")]
    texture: Vec<String>,
    /// What fragments are tested against: `recorded`, `off`, or a depth and a stencil value for all pixels.
    #[arg(long, value_name = "recorded|off|DEPTH[,STENCIL]", default_value = "recorded", value_parser = tests)]
    tests: Tests,
    /// Bring answers out this way: storage, integer, float, bytes, feedback or points. The best is chosen otherwise.
    #[arg(long, value_name = "WAY", value_parser = TRANSPORTS)]
    transport: Option<String>,
    /// Keep the text of every shader that is made for an answer.
    #[arg(long, value_name = "FOLDER")]
    save_source: Option<PathBuf>,
    /// Ask everything twice, and run the draw by itself, to say how long each takes.
    #[arg(long)]
    times: bool,
    /// Have the driver refuse shaders with these ways out, by text that is no GLSL. For tests.
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
    /// The draw or dispatch: the number of its command.
    #[arg(long, value_name = "CMD")]
    pub at: u64,
    /// The stage: vertex, tesscontrol, tessevaluation, geometry, fragment or compute.
    #[arg(long, value_name = "STAGE", value_parser = super::place::stage)]
    pub stage: Option<Stage>,
}

const TRANSPORTS: [&str; 6] = ["storage", "integer", "float", "bytes", "feedback", "points"];

/// An inquiry, and how things are asked in it.
pub struct Asker<'a> {
    asking: &'a Asking,
    pub inquiry: Inquiry,
}

/// What questions cost, in seconds.
#[derive(Clone, Copy, Default)]
pub struct Times {
    /// The first answer, shaders and all.
    pub first: f64,
    /// Making shaders, of that.
    pub build: f64,
    /// The same answer once more, if that was asked for.
    pub cached: Option<f64>,
    /// The draw by itself, if that was asked for.
    pub alone: Option<f64>,
}

impl Asking {
    /// Opens the trace.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(&self) -> anyhow::Result<Asker<'_>> {
        let mut inquiry = Host::new().inquiry(&self.on.options(&self.trace))?;
        if let Some(folder) = &self.save_source {
            std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
            inquiry.keep_sources(folder);
        }
        inquiry.spoil(&self.spoil);
        Ok(Asker { asking: self, inquiry })
    }

    /// What is to be otherwise than recorded.
    ///
    /// # Errors
    /// When a value or a picture is wrong.
    fn changes(&self, work: &Work) -> anyhow::Result<Changes> {
        let mut changes = Changes { tests: self.tests, ..Changes::default() };
        for text in &self.set {
            let Some((name, numbers)) = text.split_once('=') else { bail!("--set takes NAME=NUMBERS, not {text:?}") };
            let (name, numbers) = (name.trim().to_owned(), self::numbers(numbers, text)?);
            if is_attribute(work, &name) {
                // What is not given is as GL has it: 0, 0, 0, 1.
                let mut all = [0.0, 0.0, 0.0, 1.0];
                if numbers.len() > all.len() {
                    bail!("attribute {name} takes at most four numbers, not {}", numbers.len());
                }
                all[..numbers.len()].copy_from_slice(&numbers);
                changes.attributes.push((name, all));
            } else {
                changes.uniforms.push((name, numbers));
            }
        }
        for text in &self.texture {
            let Some((name, file)) = text.split_once('=') else { bail!("--texture takes NAME=PNG, not {text:?}") };
            let (width, height, rgba) = picture::pixels(file.trim())?;
            changes.textures.push((name.trim().to_owned(), device::Picture { width, height, rgba }));
        }
        Ok(changes)
    }

    fn way(&self, device: &Device, stage: Stage, scope: Scope) -> anyhow::Result<Option<Transport>> {
        let Some(name) = &self.transport else { return Ok(None) };
        let all = device.transports(stage, scope);
        if let Some(way) = all.iter().find(|way| way.name() == name) {
            return Ok(Some(*way));
        }
        let names: Vec<&str> = all.iter().map(|way| way.name()).collect();
        let offered = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        bail!("the device has no way {name} out of a {} shader; it offers {offered}", stage.name())
    }
}

impl Asker<'_> {
    /// Asks the device.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn measure(
        &mut self,
        work: &Work,
        stage: Stage,
        question: &Question,
        (scope, pick): (Scope, [i32; 4]),
    ) -> anyhow::Result<Measured> {
        let changes = self.asking.changes(work)?;
        let transport = self.asking.way(&work.device, stage, scope)?;
        let ask = Ask { scope, pick, transport };
        Ok(match (stage, scope) {
            (Stage::Fragment, Scope::At) if pick == [-1; 4] => self.inquiry.every(work, question, &ask, &changes)?,
            _ => self.inquiry.measure(work, stage, question, &ask, &changes)?,
        })
    }

    /// What an answer cost; asks again if that is wanted.
    ///
    /// # Errors
    /// When there is no other answer.
    pub fn times(
        &mut self,
        work: &Work,
        stage: Stage,
        question: &Question,
        whose: (Scope, [i32; 4]),
        first: &Measured,
    ) -> anyhow::Result<Times> {
        let mut times = Times { first: first.seconds.1, build: first.seconds.0, cached: None, alone: None };
        if self.asking.times {
            times.cached = Some(self.measure(work, stage, question, whose)?.seconds.1);
            // The first time the driver has its own preparations to make.
            self.inquiry.alone(work)?;
            times.alone = Some(self.inquiry.alone(work)?);
        }
        Ok(times)
    }

    /// What is to be otherwise than recorded, for the emulator too.
    ///
    /// # Errors
    /// When a value or a picture is wrong.
    pub fn changes(&self, work: &Work) -> anyhow::Result<Changes> {
        self.asking.changes(work)
    }
}

impl Times {
    /// For scripts.
    pub fn json(self) -> serde_json::Value {
        serde_json::json!({ "build": self.build, "all": self.first, "cached": self.cached, "alone": self.alone })
    }

    /// For people, if there is more to say than how long it took.
    pub fn text(self) -> String {
        let ms = |seconds: f64| format!("{:.2} ms", seconds * 1e3);
        match (self.cached, self.alone) {
            (Some(cached), Some(alone)) => format!(
                "the first answer took {} ({} to make shaders), the same again {}, the draw by itself {}\n",
                ms(self.first),
                ms(self.build),
                ms(cached),
                ms(alone)
            ),
            _ => String::new(),
        }
    }
}

/// Rejections and notes of an answer, for people.
pub fn remarks(measured: &Measured) -> String {
    let mut text = String::new();
    for rejection in &measured.rejected {
        let file = rejection.path.as_ref().map_or(String::new(), |path| format!(", which is in {}", path.display()));
        text += &format!(
            "the driver refused the shader that answers by way of {}{file}: {}; the answer came by way of {}\n",
            rejection.transport.name(),
            rejection.log.trim(),
            measured.result.transport.name()
        );
    }
    for note in &measured.notes {
        text += &format!("not as recorded: {note}\n");
    }
    text
}

/// How an answer came, for scripts: keys that all documents have.
pub fn json_of(measured: &Measured, times: Times) -> serde_json::Map<String, serde_json::Value> {
    let rejected: Vec<serde_json::Value> = measured.rejected.iter().map(|rejection| {
        serde_json::json!({ "transport": rejection.transport.name(), "log": rejection.log, "source": rejection.path })
    }).collect();
    let facts = serde_json::json!({
        "transport": measured.result.transport.name(),
        "runs": measured.result.runs,
        "seconds": times.json(),
        "cached": measured.result.cached,
        "rejected": rejected,
        "notes": measured.notes,
    });
    match facts {
        serde_json::Value::Object(facts) => facts,
        _ => serde_json::Map::new(),
    }
}

fn is_attribute(work: &Work, name: &str) -> bool {
    let Ok(facts) = work.facts(Stage::Vertex) else { return false };
    let shader = &facts.shader;
    shader.typed.variables.iter().any(|variable| {
        shader.preprocessed.symbols.name(variable.name) == name
            && variable.qualifiers.storage == Storage::In
            && variable.kind == VariableKind::Global
    })
}

fn numbers(text: &str, whole: &str) -> anyhow::Result<Vec<f64>> {
    let number = |word: &str| match word.trim() {
        "true" => Ok(1.0),
        "false" => Ok(0.0),
        word => word.parse().with_context(|| format!("--set {whole}: {word} is no number")),
    };
    text.split(',').map(number).collect()
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
