//! `cargo xtask corpus watch`: compares values of watch expressions with values of the run.
//!
//! At every `x = e;` and `T x = e;` that a lane passes in a shader of the corpus, `e` is evaluated from its own text,
//! then the statement is run, and `x` must hold the same bits, in every lane that was there. Where the statement
//! converts, `T(e)` is evaluated. Then the text of `x` itself is evaluated, which must give the same result.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::bail;
use emulator::WaveState;
use emulator::glsl::evaluate::{Answer, Error};
use emulator::glsl::{Evaluator, variable};
use emulator::ir::{Program, Registers};
use emulator::travel::{Arrival, Limits, Travel};
use lanes::Mask;
use shader::Shader;
use shader::ast::{DeclKind, ExprId, ExprKind, NodeId, StmtId, StmtKind, TypeSyntaxKind};
use shader::edit::Rewrite;
use shader::typed::{Target, VarId};
use shader::types::Type;

use super::front_end;
use super::travel::{Scene, World, subjects};
use crate::setup;

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Number of shaders.
    #[arg(long, default_value_t = 5000, value_name = "N")]
    shaders: usize,
    /// Seed of the choice of shaders.
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Use only shaders whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Print each expression that cannot be evaluated.
    #[arg(long)]
    list: bool,
}

/// Maximum number of statements per run.
const STOPS: usize = 60;

#[derive(Default)]
struct Tally {
    shaders: usize,
    statements: usize,
    values: usize,
    wrong: Vec<String>,
    unanswered: BTreeMap<String, usize>,
}

/// Runs the fixed sample for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    run(&Args { shaders: 100, seed: 0, filter: None, list: false })
}

/// Checks all shaders; any difference is a failure.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure_piglit()?;
    let start = Instant::now();
    let mut tally = Tally::default();
    for (case, number) in subjects(args.seed)? {
        if tally.shaders >= args.shaders {
            break;
        }
        if args.filter.as_ref().is_some_and(|filter| !case.name.contains(filter.as_str())) {
            continue;
        }
        if let Ok(scene) = Scene::new(&case, number, args.seed) {
            let options = front_end::options(&case, case.shaders[number].stage);
            let program = scene.program();
            let mut evaluator = Evaluator::new(&scene.shader, &options, &program);
            tally.shaders += 1;
            try_scene(&scene, &program, &mut evaluator, &mut tally, args.list);
        }
    }
    println!(
        "{} statements in {} shaders: {} values evaluated before them are correct, {} are not",
        tally.statements,
        tally.shaders,
        tally.values,
        tally.wrong.len()
    );
    for (reason, count) in &tally.unanswered {
        println!("  {count} not evaluated: {reason}");
    }
    println!("in {:.1?}", start.elapsed());
    tally.wrong.iter().for_each(|wrong| println!("{wrong}"));
    if !tally.wrong.is_empty() {
        bail!("{} values differ", tally.wrong.len());
    }
    Ok(())
}

/// A statement that assigns a value.
struct Assignment {
    /// The expression to evaluate.
    text: String,
    /// The destination, as text.
    place: String,
    /// Its registers, if it is a whole variable that has some.
    home: Option<Registers>,
}

fn try_scene(scene: &Scene, program: &Arc<Program>, evaluator: &mut Evaluator, tally: &mut Tally, list: bool) {
    let limits = Limits { blocks: 100_000, ..Limits::default() };
    let (engine, wave) = scene.wave(program).into_parts();
    let mut travel = Travel::new(engine, vec![wave], scene.world.clone(), limits);
    for _ in 0..STOPS {
        if travel.step_into() != Arrival::There {
            return;
        }
        let Some(moment) = travel.moment() else { return };
        let Some(site) = moment::glsl::stmt(moment.site) else { return };
        let Some(assignment) = assignment(&scene.shader, program, site) else { continue };
        let mut answer = |tally: &mut Tally, travel: &Travel<4, World>, text: &str| {
            let answer = evaluator.expression(&moment, text).and_then(|expression| expression.run(travel));
            answer.map_err(|error| note(tally, scene, text, &error, list)).ok()
        };
        tally.statements += 1;
        let Some(before) = answer(tally, &travel, &assignment.text) else { continue };
        let here = travel.time();
        let stepped = travel.step_over();
        // After the last statement of an iteration or of a function other than `main`, other code runs before the next
        // stop.
        let follows = match stepped {
            Arrival::There => travel.moment().is_some_and(|after| after.path == moment.path),
            Arrival::End => moment.path.is_empty(),
            Arrival::Start | Arrival::Never | Arrival::Endless | Arrival::Interrupted => false,
        };
        if follows {
            if let Some(home) = assignment.home {
                compare(tally, scene, &assignment, &before, &register_values(travel.wave(), home), &before.lanes);
            }
            if !assignment.place.is_empty()
                && let Some(after) = answer(tally, &travel, &assignment.place)
            {
                compare(tally, scene, &assignment, &before, &after.words, &after.lanes);
            }
        }
        travel.go_to(here);
    }
}

fn note(tally: &mut Tally, scene: &Scene, text: &str, error: &Error, list: bool) {
    if list {
        println!("{}: {text}: {error}", scene.name);
    }
    *tally.unanswered.entry(error.to_string()).or_default() += 1;
}

fn register_values(wave: &WaveState<4>, home: Registers) -> Vec<[u32; 4]> {
    home.iter().map(|register| *wave.register(register)).collect()
}

fn compare(
    tally: &mut Tally,
    scene: &Scene,
    assignment: &Assignment,
    before: &Answer<4>,
    after: &[[u32; 4]],
    lanes: &Mask<4>,
) {
    let lanes = before.lanes.and(lanes);
    let masked = |row: &[u32; 4]| -> [u32; 4] { std::array::from_fn(|i| row[i] & lanes.words()[i]) };
    let rows = |words: &[[u32; 4]]| -> Vec<[u32; 4]> { words.iter().map(masked).collect() };
    if rows(&before.words) == rows(after) {
        tally.values += 1;
    } else {
        let (place, text) = (&assignment.place, &assignment.text);
        tally.wrong.push(format!("{}: {place} = {text}: {:x?} then {after:x?}", scene.name, before.words));
    }
}

/// Returns what a statement assigns, if it is in the author's text and does only that.
fn assignment(shader: &Shader, program: &Program, site: StmtId) -> Option<Assignment> {
    let text_of = |id: ExprId| shader.sources.slice(shader.written(NodeId::Expr(id)));
    match shader.tree.stmt(site).kind {
        StmtKind::Expr(expr) => {
            let ExprKind::Assign(None, left, right) = shader.tree.expr(expr).kind else { return None };
            if shader.expansion_chain(NodeId::Expr(expr)).next().is_some() || shader.typed.expr(left).side_effects {
                return None;
            }
            let target = shader.tree.unwrap_parens(left);
            let named = match (shader.tree.expr(target).kind, shader.typed.expr(target).target) {
                (ExprKind::Name(_), Target::Variable(variable)) => Some(variable),
                // The index of the destination may change with the value.
                _ if shader.typed.expr(right).side_effects => return None,
                _ => None,
            };
            let text = converted(shader, right, shader.typed.expr(left).ty)?;
            let place = text_of(left).to_owned();
            let home = named.and_then(|id| program.variable(variable(id)).registers());
            (!is_elsewhere(shader, program, left)).then_some(Assignment { text, place, home })
        }
        StmtKind::Decl(decl) => {
            let DeclKind::Variables { declarators, ty, .. } = &shader.tree.decl(decl).kind else { return None };
            // A structure that the statement itself defines is not known before it.
            let defines = matches!(ty.kind, TypeSyntaxKind::Struct(_));
            let [only] = &declarators[..] else { return None };
            if defines || shader.expansion_chain(NodeId::Decl(decl)).next().is_some() {
                return None;
            }
            let init = only.init.filter(|&init| !matches!(shader.tree.expr(init).kind, ExprKind::Initializers(_)))?;
            let variables = shader.typed.variables.iter();
            let index = variables.clone().position(|v| v.declared == Some(only.name.token))?;
            let text = converted(shader, init, shader.typed.variables[index].ty)?;
            // At its declaration the name means something else or nothing.
            let home = program.variable(variable(VarId(index as u32))).registers();
            Some(Assignment { text, place: String::new(), home })
        }
        _ => None,
    }
}

/// Returns whether a destination may mean something else afterwards: it has an index that is not constant (`a[a[0]] =
/// 1` is then another element), or it is in memory that all lanes write.
fn is_elsewhere(shader: &Shader, program: &Program, place: ExprId) -> bool {
    let mut found = false;
    shader.walk(NodeId::Expr(place), |node| {
        if let NodeId::Expr(id) = node {
            found |= match (shader.tree.expr(id).kind, shader.typed.expr(id).target) {
                (ExprKind::Index(_, index), _) => shader.typed.expr(index).constant.is_none(),
                (_, Target::Variable(id)) => program.variable(variable(id)).pointer().is_some(),
                _ => false,
            };
        }
        shader::query::Visit::Into
    });
    found
}

/// Returns the text of an expression, with a constructor where its value is converted; `None` if no constructor can do
/// that.
fn converted(shader: &Shader, expr: ExprId, to: Type) -> Option<String> {
    let text = shader.sources.slice(shader.written(NodeId::Expr(expr)));
    let from = shader.typed.expr(expr).ty;
    // Half of a macro expansion cannot be evaluated separately.
    let whole = !Rewrite::new(shader).splits_call(NodeId::Expr(expr));
    let clean = whole && !text.contains('#') && !text.contains("//") && !text.contains("/*") && !text.contains('\\');
    if !clean {
        return None;
    }
    match (from == to, to.scalar()) {
        (true, _) => Some(text.to_owned()),
        (false, Some(_)) => Some(format!("{}({text})", shader.type_name(to))),
        (false, None) => None,
    }
}
