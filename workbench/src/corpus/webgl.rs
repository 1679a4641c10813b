//! `cargo xtask corpus webgl DIR`: compares a browser's verdicts on shaders with ours in WebGL mode.

mod chromium;
mod probes;
mod suite;
mod variants;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use shader::version::Stage;

use super::case::{Answer, Verdict};
use super::front_end::{self, WebGl};
use super::ratchet::{Ratchet, Share};
use super::report::percent;
use super::{deqp, known};

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// A folder with `.test` files of the conformance suite and `.txt` files of probes, at any depth.
    #[arg(required_unless_present = "variants")]
    directory: Option<PathBuf>,
    /// The folder is sdk/tests of WebGL's conformance suite: compile and link what its pages do.
    #[arg(long, requires = "directory", conflicts_with = "variants")]
    suite: bool,
    /// With --suite: compare with what the browser said last time.
    #[arg(long, requires = "suite")]
    again: bool,
    /// Compile variants of the filetests and of a sample of piglit's ES shaders instead.
    #[arg(long, conflicts_with = "directory")]
    variants: bool,
    /// Write today's numbers of the variants or of the suite to corpus/ratchet.toml.
    #[arg(long)]
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
    if args.suite {
        return run_suite(args, directory);
    }
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

/// Compares what the pages of the conformance suite compile and link.
fn run_suite(args: &Args, directory: &Path) -> anyhow::Result<()> {
    let found = suite::collect(directory, args.filter.as_deref().unwrap_or_default(), args.again)?;
    let known = known::read("webgl")?;
    let (mut compiled, mut linked) = (Share::default(), Share::default());
    let (mut faults, mut explained) = (0, 0);
    let mut seen = std::collections::BTreeSet::new();
    let mut fault = |name: &str, ours: &Verdict, theirs: &Verdict, texts: &[&str]| {
        faults += 1;
        explained += usize::from(known.iter().any(|k| k.matches(name)));
        if args.list {
            println!("\n{name}\n  ours:     {} {}", ours.answer.name(), ours.log);
            println!("  Chromium: {} {}", theirs.answer.name(), theirs.log);
            texts.iter().filter(|_| args.show).for_each(|text| println!("{text}\n--"));
        }
    };
    let mut shaders = Vec::with_capacity(found.shaders.len());
    for shader in &found.shaders {
        let language = WebGl {
            newest: if shader.context == 1 { 100 } else { 300 },
            extensions: &shader.extensions,
            limits: &shader.limits,
        };
        let (analysed, ours) = front_end::read_webgl(shader.stage, &shader.text, &language);
        shaders.push(analysed);
        if !seen.insert((shader.context, shader.stage, shader.extensions.clone(), shader.text.clone())) {
            continue;
        }
        let agrees = ours.answer.agrees(shader.theirs.answer);
        compiled.add(agrees);
        if !agrees {
            fault(&shader.page, &ours, &shader.theirs, &[&shader.text]);
        }
    }
    let mut pairs = std::collections::BTreeSet::new();
    for program in &found.programs {
        let [a, b] = program.shaders;
        let (first, second) = (&found.shaders[a], &found.shaders[b]);
        let is_broken =
            |index: usize| shaders[index].has_errors() || found.shaders[index].theirs.answer != Answer::Accepted;
        if is_broken(a) || is_broken(b) || !pairs.insert((first.context, first.text.clone(), second.text.clone())) {
            continue;
        }
        let ours = front_end::link_webgl(&[&shaders[a], &shaders[b]], &first.limits);
        let agrees = ours.answer.agrees(program.theirs.answer);
        linked.add(agrees);
        if !agrees {
            fault(&first.page, &ours, &program.theirs, &[&first.text, &second.text]);
        }
    }
    println!("shaders as Chromium      {}", percent(compiled));
    println!("programs as Chromium     {}", percent(linked));
    println!("{faults} faults, {explained} of them known; {} pages compile nothing", found.silent);
    if args.filter.is_none() {
        let numbers = [("compile", compiled), ("link", linked)];
        Ratchet::read()?.settle("webgl-suite", &numbers, args.update_ratchet)?;
    }
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
