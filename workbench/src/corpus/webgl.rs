//! `cargo xtask corpus webgl DIR`: compares a browser's verdicts on shaders with ours in WebGL mode.

mod chromium;
mod probes;
mod variants;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use shader::version::Stage;

use super::case::{Answer, Verdict};
use super::front_end::{self, WebGl};
use super::{deqp, known};

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// A folder with `.test` files of the conformance suite and `.txt` files of probes, at any depth.
    #[arg(required_unless_present = "variants")]
    directory: Option<PathBuf>,
    /// Compile variants of the filetests and of a sample of piglit's ES shaders instead.
    #[arg(long, conflicts_with = "directory")]
    variants: bool,
    /// Write today's number of variants to corpus/ratchet.toml.
    #[arg(long, requires = "variants")]
    update_ratchet: bool,
    /// Use only shaders whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Print each disagreement with the browser or with the shader's own expectation.
    #[arg(long)]
    list: bool,
    /// Print the source of each printed shader.
    #[arg(long)]
    show: bool,
}

/// One shader for one kind of context.
#[derive(Clone, Debug)]
pub struct Shader {
    /// The case it belongs to, with its stage.
    pub name: String,
    /// The row of the table.
    pub group: String,
    /// WebGL 1 or 2.
    pub context: u8,
    /// Vertex or fragment.
    pub stage: Stage,
    /// The source.
    pub text: String,
    /// Whether a browser is known to accept it.
    pub expect: Option<bool>,
}

/// Runs variants with the ratchet, for `cargo xtask test`.
pub fn run_variants() -> anyhow::Result<()> {
    variants::run(false, false)
}

/// Compiles every shader below the folder in a browser and with our front end.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let Some(directory) = &args.directory else { return variants::run(args.list, args.update_ratchet) };
    let mut shaders = read(directory)?;
    if let Some(filter) = &args.filter {
        shaders.retain(|s| s.name.contains(filter.as_str()));
    }
    let browser = chromium::compile(&shaders)?;
    println!("{}", browser.version);
    let known = known::read("webgl")?;
    let mut rows: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut explained, mut faults) = (0, 0);
    for (shader, theirs) in shaders.iter().zip(&browser.verdicts) {
        let language = WebGl {
            newest: if shader.context == 1 { 100 } else { 300 },
            extensions: &browser.extensions[usize::from(shader.context) - 1],
            limits: &browser.limits[usize::from(shader.context) - 1],
        };
        let ours = front_end::judge_webgl(shader.stage, &shader.text, &language);
        let row = rows.entry(&shader.group).or_default();
        row.1 += 1;
        let surprised = shader.expect.is_some_and(|e| e != (theirs.answer == Answer::Accepted));
        if ours.answer.agrees(theirs.answer) && !surprised {
            row.0 += 1;
            continue;
        }
        faults += 1;
        explained += usize::from(known.iter().any(|k| k.matches(&shader.name)));
        if args.list {
            print(shader, &ours, theirs, args.show);
        }
    }
    println!("\n{:48} {:>14}", "group", "as Chromium");
    for (name, (agreed, total)) in &rows {
        println!("{name:48} {:>14}", format!("{agreed}/{total}"));
    }
    let total: usize = rows.values().map(|r| r.1).sum();
    println!("\nagreement with Chromium  {}/{total}, {faults} faults, {explained} of them known", total - faults);
    if faults > explained {
        bail!("{} disagreements are not explained in corpus/known.toml", faults - explained);
    }
    Ok(())
}

fn print(shader: &Shader, ours: &Verdict, theirs: &Verdict, show: bool) {
    println!("\n{} (WebGL {})", shader.name, shader.context);
    if let Some(expect) = shader.expect {
        println!("  expected: {}", if expect { "accepted" } else { "compile-error" });
    }
    println!("  ours:     {} {}", ours.answer.name(), ours.log);
    println!("  Chromium: {} {}", theirs.answer.name(), theirs.log);
    if show {
        println!("{}", shader.text);
    }
}

/// Returns every shader once for each kind of context that supports its version.
fn read(folder: &Path) -> anyhow::Result<Vec<Shader>> {
    let mut shaders = probes::read(folder)?;
    let cases = deqp::cases(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut seen = std::collections::BTreeSet::new();
    for case in &cases {
        for source in &case.shaders {
            let text = source.strings.concat();
            if !seen.insert((source.stage.extension(), text.clone())) {
                continue;
            }
            shaders.push(Shader {
                name: format!("{}.{}", case.name, source.stage.extension()),
                group: case.group.clone(),
                context: if text.contains("#version 300 es") { 2 } else { 1 },
                stage: source.stage,
                text,
                expect: None,
            });
        }
    }
    Ok(shaders)
}
