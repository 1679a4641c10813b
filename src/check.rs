//! `afterimage check FILE…`: GLSL diagnostics.

mod context;
mod excerpt;
mod explain;
pub mod input;
mod json;
mod program;
mod render;
mod summary;

use std::io::{ErrorKind, Write};

use anyhow::Context as _;
use clap::ValueEnum;
use shader::diagnostic::{Diagnostic, Severity};
use shader::version::{Profile, Stage, Vendor, Version};

use crate::cli::{self, Color, Outcome};
use crate::progress::Progress;
use context::{Context, WebGl};
use input::Unit;

const HELP: &str = "\
Examples:
  afterimage check wood.frag                       one shader, its stage from the extension
  afterimage check wood.vert wood.frag             both, and whether they link
  afterimage check --link common.vert wood.frag    link files whose names differ
  afterimage check --webgl --stage fragment -      a WebGL shader from stdin
  afterimage check --webgl=2 --extensions none --limits es3-minimum a.vert a.frag
                                                   what every WebGL 2 context accepts
  afterimage check --limits game.aftr --extensions game.aftr a.frag
                                                   as the context that was recorded
  afterimage check --separable a.vert a.frag       programs of a pipeline, and whether they fit together
  afterimage check --json shaders/*.frag           one JSON document for other programs
  afterimage check blend.shader_test               the shaders of a piglit test, linked

Files of different stages that share their name up to the extension, a vertex shader among them, are linked as one
program; --link links all files, --no-link none. With --separable each is a program of its own (GL_PROGRAM_SEPARABLE), and
their interfaces are compared as a pipeline of them is validated.

--limits takes one of
  a file with a name and a number on each line, such as GL_MAX_DRAW_BUFFERS 8 or gl_MaxDrawBuffers 8, and # for comments
  a trace (.aftr): the limits of its last context
  a profile: llvmpipe (Mesa 22.3), es2-minimum (what WebGL 1 guarantees), es3-minimum (what WebGL 2 guarantees)

Stages by extension: .vert .vs, .tesc .tcs, .tese .tes, .geom .gs, .frag .fs, .comp .cs; `wood.frag.glsl` works too.

Exit status: 0 no errors, 1 errors were found, 2 something could not be checked.";

/// What to check, and how.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Shader files, .shader_test files, or - for stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The stage of files whose name does not tell.
    #[arg(long, value_enum)]
    stage: Option<StageName>,
    /// Read every shader as this version, such as "300 es" or "450 core".
    #[arg(long, value_name = "VERSION", value_parser = parse_version)]
    version_override: Option<Version>,
    /// Apply the rules of WebGL 1 or 2, by default those of the shader's version; without #version it is GLSL ES 1.00.
    #[arg(long, value_enum, value_name = "VERSION", num_args = 0..=1, require_equals = true, default_missing_value = "any")]
    webgl: Option<WebGl>,
    /// Use the limits of this file, trace (.aftr) or profile instead of llvmpipe's.
    #[arg(long, value_name = "FILE|TRACE|PROFILE")]
    limits: Option<String>,
    /// Support only these extensions, separated by commas, those of a trace (.aftr), or none.
    #[arg(long, value_name = "LIST|TRACE")]
    extensions: Option<String>,
    /// Whose deviations from the specification to accept, with a warning each.
    #[arg(long, value_enum, default_value = "khronos")]
    vendor: VendorName,
    /// Link all files as one program.
    #[arg(long, conflicts_with = "no_link")]
    link: bool,
    /// Take linked files for separable programs, and check that their interfaces match.
    #[arg(long, conflicts_with = "no_link")]
    separable: bool,
    /// Link nothing.
    #[arg(long)]
    no_link: bool,
    /// What to do about warnings.
    #[arg(long, value_enum, default_value = "show")]
    warnings: Warnings,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
    /// When to use colour.
    #[arg(long, value_enum, default_value = "auto")]
    color: Color,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum StageName {
    #[value(alias = "vert")]
    Vertex,
    #[value(name = "tess-control", alias = "tesc")]
    TessControl,
    #[value(name = "tess-evaluation", alias = "tese")]
    TessEvaluation,
    #[value(alias = "geom")]
    Geometry,
    #[value(alias = "frag")]
    Fragment,
    #[value(alias = "comp")]
    Compute,
}

#[derive(Clone, Copy, ValueEnum)]
enum VendorName {
    Khronos,
    Mesa,
    Nvidia,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Warnings {
    /// Show them.
    Show,
    /// Leave them out.
    Hide,
    /// Treat them as errors.
    Deny,
}

/// One finding, and in which shader each of its labels lies.
struct Finding {
    diagnostic: Diagnostic,
    /// Indices into the list of all shaders, one for each label.
    units: Vec<usize>,
}

/// What became of one file.
#[derive(Default)]
struct Report {
    path: String,
    /// Why it could not be checked.
    problem: Option<String>,
    /// Findings in order.
    findings: Vec<Finding>,
}

impl Report {
    fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.diagnostic.severity == severity).count()
    }
}

/// Checks every file, and the programs they form.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let context = Context::new(args)?;
    let mut reports: Vec<Report> = Vec::with_capacity(args.files.len());
    let mut units: Vec<Unit> = Vec::new();
    let mut groups = Vec::new();
    let mut progress = Progress::new(args.files.len() as u64, "files checked");
    for (file, path) in args.files.iter().enumerate() {
        progress.step(file as u64);
        let mut report = Report { path: path.clone(), ..Report::default() };
        match input::read(file, path, args, &context) {
            Err(error) => {
                let sentence = format!("{error:#}");
                cli::complain(&sentence);
                report.problem = Some(sentence);
            }
            Ok(read) => {
                let first = units.len();
                units.extend(read.units);
                let program: Vec<usize> = (first..units.len()).collect();
                if read.links && !args.link && !args.no_link {
                    groups.push(program.clone());
                }
                report.findings = program.iter().flat_map(|&unit| findings(&mut units[unit], unit, args)).collect();
            }
        }
        reports.push(report);
    }
    progress.clear();
    if args.link {
        groups.push((0..units.len()).collect());
    } else if !args.no_link {
        groups.extend(program::by_name(&units, &reports));
    }
    for group in groups {
        let found = if args.separable {
            program::pipeline(&group, &units, &context)
        } else {
            program::link(&group, &units, &context)
        };
        program::report(found, &units, &mut reports, args.warnings == Warnings::Deny);
    }
    if args.warnings == Warnings::Hide {
        for report in &mut reports {
            report.findings.retain(|f| f.diagnostic.severity == Severity::Error);
        }
    }
    let text = if args.json {
        crate::json::pretty(&json::document(&reports, &units))?.into_bytes()
    } else {
        render::document(&reports, &units, args.color.on_stdout())
    };
    print(&text)?;
    let refused = reports.iter().any(|r| r.count(Severity::Error) > 0);
    let unserved = reports.iter().any(|r| r.problem.is_some());
    Ok(match (unserved, refused) {
        (true, _) => Outcome::Unserved,
        (false, true) => Outcome::No,
        (false, false) => Outcome::Done,
    })
}

/// Returns the given findings about a shader, with their excerpts, as text.
pub fn listed(path: &str, shader: shader::Shader, diagnostics: Vec<Diagnostic>, color: bool) -> Vec<u8> {
    let pieces = vec![input::Piece { name: shown(path).to_owned(), first_line: 1, implied: false }];
    let unit = Unit { file: 0, pieces, shader, broken: false };
    let findings = diagnostics.into_iter().map(|d| Finding { units: vec![0; d.labels.len()], diagnostic: d });
    let report = Report { path: path.to_owned(), problem: None, findings: findings.collect() };
    render::findings(&[report], &[unit], color)
}

/// Takes the findings out of a shader.
fn findings(unit: &mut Unit, index: usize, args: &Args) -> Vec<Finding> {
    let diagnostics = std::mem::take(&mut unit.shader.diagnostics);
    unit.broken = diagnostics.iter().any(|d| d.severity == Severity::Error);
    diagnostics
        .into_iter()
        .map(|mut diagnostic| {
            if args.warnings == Warnings::Deny {
                diagnostic.severity = Severity::Error;
            }
            Finding { units: vec![index; diagnostic.labels.len()], diagnostic }
        })
        .collect()
}

/// What to call a file in text for people.
fn shown(path: &str) -> &str {
    if path == "-" { "<stdin>" } else { path }
}

/// Writes a document to stdout.
pub fn print(text: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        // The reader has seen enough, as `head` does.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("stdout cannot be written"),
    }
}

impl StageName {
    /// The stage of that name.
    pub fn stage(self) -> Stage {
        match self {
            StageName::Vertex => Stage::Vertex,
            StageName::TessControl => Stage::TessControl,
            StageName::TessEvaluation => Stage::TessEvaluation,
            StageName::Geometry => Stage::Geometry,
            StageName::Fragment => Stage::Fragment,
            StageName::Compute => Stage::Compute,
        }
    }
}

impl VendorName {
    fn vendor(self) -> Vendor {
        match self {
            VendorName::Khronos => Vendor::Khronos,
            VendorName::Mesa => Vendor::Mesa,
            VendorName::Nvidia => Vendor::Nvidia,
        }
    }
}

/// `450`, `450 core`, `150 compatibility`, `300 es`: what may stand after `#version`.
fn parse_version(text: &str) -> Result<Version, String> {
    const DESKTOP: [u16; 12] = [110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450];
    let mut words = text.split_whitespace();
    let number = words.next().and_then(|n| n.parse::<u16>().ok());
    let (Some(number), profile, None) = (number, words.next(), words.next()) else {
        return Err("a version looks like \"450 core\" or \"300 es\"".to_owned());
    };
    let profile = match (number, profile) {
        (100, None | Some("es")) | (300 | 310 | 320, Some("es")) => Profile::Es,
        (300 | 310 | 320, _) => return Err(format!("say \"{number} es\": there is no desktop version of that number")),
        (150.., Some("compatibility")) => Profile::Compatibility,
        (150.., Some("core")) | (140.., None) => Profile::Core,
        (_, None) => Profile::Compatibility,
        (_, Some(word)) => return Err(format!("version {number} has no profile `{word}`")),
    };
    if profile != Profile::Es && number != 460 && !DESKTOP.contains(&number) {
        return Err(format!("there is no version {number} of GLSL"));
    }
    Ok(Version { number, profile })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let read = parse_version(text).map_or_else(|e| e, |v| format!("{v} {:?}", v.profile));
        assert_eq!(read, expected);
    }

    #[test]
    fn versions() {
        check("450", "GLSL 4.50 Core");
        check("150 compatibility", "GLSL 1.50 Compatibility");
        check("120", "GLSL 1.20 Compatibility");
        check("100", "GLSL ES 1.00 Es");
        check(" 300  es ", "GLSL ES 3.00 Es");
        check("300", "say \"300 es\": there is no desktop version of that number");
        check("120 core", "version 120 has no profile `core`");
        check("450 es", "version 450 has no profile `es`");
        check("199", "there is no version 199 of GLSL");
        check("es", "a version looks like \"450 core\" or \"300 es\"");
    }
}
