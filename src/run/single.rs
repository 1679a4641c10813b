//! A file with one shader.

use std::sync::Arc;

use anyhow::{Context, bail};
use emulator::glsl::{self, Stage as Lowered};
use emulator::ir::Program;
use shader::Shader;
use shader::ast::{Condition, NodeId, StmtKind};
use shader::types::TypeTable;
use shader::version::{Options, Stage};

use super::report::{Report, Traced};
use super::watchers::Watchers;
use super::world::World;
use super::{Args, compute, fragment, setting, vertex};
use crate::check::{self, input};
use crate::cli::Outcome;
use crate::out::shell_quoted;

/// What is run, and with what.
pub struct Job<'a> {
    pub args: &'a Args,
    pub shader: &'a Shader,
    pub program: &'a Arc<Program>,
    /// The shader's types as the program has them.
    pub types: &'a TypeTable,
    /// Values for registers, in the order they were given.
    pub values: Vec<setting::Assignment>,
}

/// Serves the command.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let shader = read(args)?;
    let options = (&args.numerics.numerics()).into();
    let lowered = glsl::lower_stage(&[&shader], options).map_err(|refusal| refused(&shader, args, &refusal))?;
    let Lowered { program, units } = &lowered;
    let types = &units[0].types;
    let mut world = World::new(&shader, program, types, &args.textures)?;
    let values = setting::all(&shader, &lowered, &mut world, &args.values)?;
    let job = Job { args, shader: &shader, program, types, values };
    unused(&job)?;
    let mut watchers = Watchers::default();
    let mut report = match (shader.stage, &args.image) {
        (Stage::Fragment, Some(path)) => fragment::image(&job, &mut world, &mut watchers, path)?,
        (Stage::Compute, _) => compute::groups(&job, &mut world, &mut watchers)?,
        (Stage::Vertex, _) => vertex::all(&job, &mut world, &mut watchers)?,
        (Stage::Fragment, None) => fragment::one(&job, &mut world, &mut watchers)?,
        (Stage::TessControl | Stage::TessEvaluation | Stage::Geometry, _) => {
            vertex::single(&job, &mut world, &mut watchers)?
        }
    };
    report.take(&job, watchers, &world);
    world.save(&args.save)?;
    let Report { findings, trap, .. } = &report;
    let outcome = if trap.is_some() || !findings.is_empty() { Outcome::No } else { Outcome::Done };
    if let Some(trap) = trap {
        crate::cli::complain(&trap.to_string());
    }
    print(args, shader, &lowered, &report)?;
    Ok(outcome)
}

fn read(args: &Args) -> anyhow::Result<Shader> {
    let file = &args.file;
    let stage = match args.stage {
        Some(stage) => stage.stage(),
        None => input::stage_by_name(file)
            .with_context(|| format!("the name of {file} does not tell its stage; use --stage"))?,
    };
    let shader = shader::analyze(&[input::text(file)?], &Options::new(stage));
    if shader.has_errors() {
        bail!("{file} has errors; `afterimage check {}` shows them", shell_quoted(file.as_ref()));
    }
    Ok(shader)
}

fn refused(shader: &Shader, args: &Args, refusal: &glsl::Unsupported) -> anyhow::Error {
    let place = refusal.site.map(|site| shader.sources.locate(shader.written(site.into()).start));
    let line = place.map(|p| format!(":{}", p.line)).unwrap_or_default();
    anyhow::anyhow!("{}{line}: {refusal}", args.file)
}

/// Options that say nothing about this stage are mistakes.
fn unused(job: &Job<'_>) -> anyhow::Result<()> {
    let stage = job.shader.stage;
    if job.args.image.is_some() && stage != Stage::Fragment {
        bail!("--image is for fragment shaders");
    }
    if job.args.vertex_data.is_some() && stage != Stage::Vertex {
        bail!("--vertex-data is for vertex shaders");
    }
    Ok(())
}

fn print(args: &Args, shader: Shader, lowered: &Lowered, report: &Report) -> anyhow::Result<()> {
    if args.json {
        return check::print(crate::json::pretty(&report.document(&shader, lowered))?.as_bytes());
    }
    let mut text = crate::out::visible(&report.text(&shader, lowered, args)).into_owned().into_bytes();
    let diagnostics = report.findings.iter().map(|finding| report.diagnostic(&shader, finding)).collect();
    text.extend(check::listed(&args.file, shader, diagnostics, args.color.on_stdout()));
    check::print(&text)
}

/// Line and first line of text of the first of some steps; nothing if there is none.
pub fn traced(shader: &Shader, program: &Program, steps: &[emulator::observe::TraceStep]) -> Option<Traced> {
    let (step, later) = steps.split_first()?;
    let span = shader.written(step.moment.site.into());
    let text = shader.sources.slice(span);
    let depth = step.moment.calls();
    // What a condition calls comes before what it leads to.
    let next = later.iter().find(|next| next.moment.calls() <= depth);
    Some(Traced {
        line: shader.sources.locate(span.start).line,
        text: text.lines().next().unwrap_or_default().trim_end().to_owned(),
        depth,
        changes: step
            .changes
            .iter()
            .map(|change| (program.variable(change.variable).name.clone(), change.value.clone()))
            .collect(),
        holds: next.and_then(|next| holds(shader, step.moment.site.into(), next.moment.site.into())),
    })
}

/// Whether a condition was true, by what was run after it; nothing if a step is no condition.
fn holds(shader: &Shader, step: NodeId, next: NodeId) -> Option<bool> {
    let guarded = shader.statements().into_iter().find_map(|id| {
        let (condition, body) = match shader.tree.stmt(id).kind {
            StmtKind::If { then, .. } => (NodeId::Stmt(id), then),
            StmtKind::While { condition: Condition::Expr(condition), body }
            | StmtKind::For { condition: Some(Condition::Expr(condition)), body, .. } => {
                (NodeId::Expr(condition), body)
            }
            _ => return None,
        };
        (condition == step).then_some(body)
    })?;
    // Nothing shows whether an empty body was entered.
    let is_empty = match &shader.tree.stmt(guarded).kind {
        StmtKind::Block(statements) => statements.is_empty(),
        StmtKind::Empty => true,
        _ => false,
    };
    (!is_empty).then_some(shader.tree.is_inside(next, NodeId::Stmt(guarded)))
}
