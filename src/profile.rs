//! `afterimage profile`: how often a loop goes round, or which way a branch goes, in every invocation of a draw.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;

use anyhow::bail;
use instrument::inspect::Identity;
use instrument::stream::Facts;
use instrument::variant::{Reading, What};
use instrument::{Question, Scope};
use serde_json::{Value as Json, json};
use shader::Shader;
use shader::ast::{ExprKind, NodeId, StmtKind};
use shader::types::Scalar;
use shader::version::Stage;

use crate::cli::Outcome;
use crate::inspect::asking::{self, Asking, Which};
use crate::inspect::counted::{self, Counted};
use crate::inspect::field::Field;
use crate::inspect::place;
use crate::inspect::whole::{self, Files};

const HELP: &str = "\
Examples:
  afterimage profile game.aftr --at 1200 --line 20                    the loop or branch that begins in line 20
  afterimage profile game.aftr --at 1200 --line 20 --image loop.png   how often each fragment goes round
  afterimage profile game.aftr --at 1200 --line 9 --column 18 --csv branch.csv   the ?: at that column
  afterimage profile game.aftr --at 1200 --line 4 --stage vertex      of vertices

Of a loop the table says for each iteration how many invocations are active in it, for how many it is the last (done)
and how many go on (left). The picture of a loop is how often all fragments of a pixel went round, that of a branch the
share of times that its condition held.

Exit status: 0 done, 1 no invocation came to the place, 2 the request could not be served.";

/// Iterations that are printed; files and JSON have all.
const SHOWN: usize = 40;

/// Count loop iterations and the ways branches take, of every invocation of a draw.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// The line that the loop or branch begins in.
    #[arg(long, value_name = "LINE")]
    line: u32,
    /// A column of a ?: in it.
    #[arg(long, value_name = "COLUMN")]
    column: Option<u32>,
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    asking: Asking,
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Loop,
    Branch,
    Switch,
}

/// Asks, and prints the answer.
///
/// # Errors
/// When there is none.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut asker = args.asking.open()?;
    let work = asker.inquiry.work(args.which.at)?;
    let stage = args.which.stage.unwrap_or(Stage::Fragment);
    let shader = &work.facts(stage)?.shader;
    let (site, kind) = site(shader, args.line, args.column)?;
    let question = Question::Profile { site };
    let whose = (Scope::At, [-1; 4]);
    let measured = asker.measure(&work, stage, &question, whose)?;
    let times = asker.times(&work, stage, &question, whose, &measured)?;
    let counts: Vec<Vec<u32>> = measured.result.readings.iter().map(|(_, reading)| self::counts(reading)).collect();
    if counts.is_empty() {
        bail!("command {} runs no {} shader for anything", work.command, stage.name());
    }
    let names = names(shader, kind, measured.result.readings.first().map(|(_, reading)| reading));
    let field = match stage {
        Stage::Fragment => Some(field(kind, &measured.result.readings, &names, work.target.size)),
        _ => None,
    };
    write_files(args, stage, kind, field.as_ref(), &names, &measured.result.readings)?;
    let came = counts.iter().filter(|counts| came(kind, counts)).count();
    let rounds = if kind == Kind::Loop { table(&counts) } else { Vec::new() };
    let totals: Vec<u64> = (0..names.len())
        .map(|place| counts.iter().map(|row| u64::from(row.get(place).copied().unwrap_or(0))).sum())
        .collect();
    let counted = Counted::of(&work, stage, &measured);
    let document = if args.asking.json {
        let mut document = asking::json_of(&measured, times);
        let (line, column) = place::line(shader, site);
        let more = json!({
            "command": work.command, "stage": stage.name(), "line": line, "column": column,
            "kind": match kind { Kind::Loop => "loop", Kind::Branch => "branch", Kind::Switch => "switch" },
            "invocations": counts.len(), "came": came,
            "counted": counted.map(Counted::word), "missed": measured.result.missed,
            "totals": names.iter().zip(&totals).map(|(name, total)| json!({ "name": name, "total": total }))
                .collect::<Vec<_>>(),
            "iterations": rounds.iter().map(|[active, done, left]| json!({
                "active": active, "done": done, "left": left,
            })).collect::<Vec<_>>(),
            "pixels": field.as_ref().map(whole::json_counts),
            "components": field.as_ref().map(|field| whole::json_components(field, &shown(kind, &names))),
        });
        if let Json::Object(more) = more {
            document.extend(more);
        }
        format!("{:#}\n", Json::Object(document))
    } else {
        let mut text = format!("command {}, {}: line {}: ", work.command, work.calls.name(), args.line);
        text += place::excerpt_line(shader, args.line);
        // Writing to memory does not fail.
        let _ = writeln!(text, "\n{came} of {} {} invocations came there", counts.len(), stage.name());
        let all: u64 = totals.iter().sum();
        for (name, total) in names.iter().zip(&totals) {
            let share = if kind == Kind::Loop || all == 0 {
                String::new()
            } else {
                format!(", {:.2} %", 100.0 * *total as f64 / all as f64)
            };
            let _ = writeln!(text, "  {name:<24} {total} times{share}");
        }
        if let Some(field) = &field {
            text += &whole::counts(field);
            text += &whole::histograms(field, &shown(kind, &names));
        }
        text += &round_text(&rounds);
        text += counted.map_or("", Counted::text);
        text += &counted::missed(u64::from(measured.result.missed));
        text += &times.text();
        text + &asking::remarks(&measured)
    };
    std::io::stdout().lock().write_all(document.as_bytes())?;
    Ok(if came > 0 { Outcome::Done } else { Outcome::No })
}

fn round_text(rounds: &[[usize; 3]]) -> String {
    if rounds.is_empty() {
        return String::new();
    }
    let mut text = "iteration    active      done      left\n".to_owned();
    for (number, [active, done, left]) in rounds.iter().enumerate().take(SHOWN) {
        let _ = writeln!(text, "{number:>9} {active:>9} {done:>9} {left:>9}");
    }
    if rounds.len() > SHOWN {
        let _ = writeln!(text, "{} more iterations; --json has all", rounds.len() - SHOWN);
    }
    text
}

/// The loop or branch in a line.
fn site(shader: &Shader, line: u32, column: Option<u32>) -> anyhow::Result<(NodeId, Kind)> {
    if column.is_some() {
        let at = place::site(shader, line, column)?;
        let tokens = shader.tree.tokens(at);
        // The innermost ?: around the place.
        let around = (0..shader.tree.exprs.len() as u32).map(shader::ast::ExprId).filter(|&id| {
            let outer = shader.tree.expr(id).tokens;
            matches!(shader.tree.expr(id).kind, ExprKind::Conditional(..))
                && outer.first <= tokens.first
                && tokens.last <= outer.last
        });
        let inner = around.min_by_key(|&id| shader.tree.expr(id).tokens.last.0 - shader.tree.expr(id).tokens.first.0);
        if let Some(id) = inner {
            return Ok((NodeId::Expr(id), Kind::Branch));
        }
    }
    let statements = shader.statements().into_iter().filter(|&id| place::line(shader, NodeId::Stmt(id)).0 == line);
    let found = statements
        .filter_map(|id| {
            let kind = match shader.tree.stmt(id).kind {
                StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => Kind::Loop,
                StmtKind::If { .. } => Kind::Branch,
                StmtKind::Switch { .. } => Kind::Switch,
                _ => return None,
            };
            Some((NodeId::Stmt(id), kind))
        })
        .next();
    let conditional = || {
        let mut all = (0..shader.tree.exprs.len() as u32).map(shader::ast::ExprId);
        all.find(|&id| {
            matches!(shader.tree.expr(id).kind, ExprKind::Conditional(..))
                && place::line(shader, NodeId::Expr(id)).0 == line
        })
    };
    match found.or_else(|| conditional().map(|id| (NodeId::Expr(id), Kind::Branch))) {
        Some(found) => Ok(found),
        None => bail!("no loop, if, switch or ?: begins in line {line} of the shader"),
    }
}

/// The numbers that an invocation answers with.
fn counts(reading: &Reading) -> Vec<u32> {
    let numbers = reading.records.iter().filter(|record| matches!(record.what, What::Count(..)));
    numbers.filter_map(|record| record.value.as_ref()?.scalars.first().map(|&bits| bits as u32)).collect()
}

fn came(kind: Kind, counts: &[u32]) -> bool {
    match kind {
        Kind::Loop => counts.get(1).is_some_and(|&times| times > 0),
        Kind::Branch | Kind::Switch => counts.iter().any(|&times| times > 0),
    }
}

fn names(shader: &Shader, kind: Kind, first: Option<&Reading>) -> Vec<String> {
    match kind {
        Kind::Loop => vec!["iterations".to_owned(), "entered".to_owned()],
        Kind::Branch => vec!["condition false".to_owned(), "condition true".to_owned()],
        Kind::Switch => {
            let records = first.map_or(&[][..], |reading| &reading.records);
            let name = |what: &What| match what {
                What::Count(NodeId::Stmt(id), _) => match shader.tree.stmt(*id).kind {
                    StmtKind::Switch { .. } => Some("no case".to_owned()),
                    _ => Some(place::excerpt(shader, NodeId::Stmt(*id)).trim_end_matches(':').to_owned()),
                },
                _ => None,
            };
            records.iter().filter_map(|record| name(&record.what)).collect()
        }
    }
}

/// Names of what a picture shows.
fn shown(kind: Kind, names: &[String]) -> Vec<String> {
    match kind {
        Kind::Loop => vec!["iterations".to_owned()],
        Kind::Branch => vec!["share true".to_owned()],
        Kind::Switch => names.to_vec(),
    }
}

/// The numbers of each pixel: those of all its fragments together.
fn field(kind: Kind, readings: &[(Identity, Reading)], names: &[String], size: [u32; 2]) -> Field {
    let kinds = match kind {
        Kind::Loop => vec![Scalar::Uint],
        Kind::Branch => vec![Scalar::Float],
        Kind::Switch => vec![Scalar::Uint; names.len()],
    };
    let mut pixels: BTreeMap<[i32; 2], (Facts, Vec<u32>)> = BTreeMap::new();
    for ([x, y, ..], reading) in readings {
        let (facts, sums) = pixels.entry([*x, *y]).or_default();
        let more = counts(reading);
        // A pixel of which one fragment stays has one that was not thrown away.
        *facts = if sums.is_empty() || facts.has(Facts::DISCARDED) { reading.facts } else { *facts };
        sums.resize(sums.len().max(more.len()), 0);
        sums.iter_mut().zip(more).for_each(|(sum, count)| *sum = sum.saturating_add(count));
    }
    let value = |counts: &[u32]| {
        if !came(kind, counts) {
            return None;
        }
        Some(match kind {
            Kind::Loop => vec![u64::from(*counts.first()?)],
            Kind::Branch => {
                let (no, yes) = (*counts.first()? as f32, *counts.get(1)? as f32);
                vec![u64::from((yes / (yes + no)).to_bits())]
            }
            Kind::Switch => counts.iter().copied().map(u64::from).collect(),
        })
    };
    Field::of(kinds, size, pixels.iter().map(|(at, (facts, counts))| (*at, *facts, value(counts))))
}

/// For each iteration how many invocations are in it, for how many it is the last, and how many go on.
fn table(counts: &[Vec<u32>]) -> Vec<[usize; 3]> {
    let most = counts.iter().filter_map(|row| row.first()).copied().max().unwrap_or(0) as usize;
    let mut last = vec![0; most + 1];
    for row in counts.iter().filter(|row| came(Kind::Loop, row)) {
        last[row.first().copied().unwrap_or(0) as usize] += 1;
    }
    let mut active: usize = last.iter().skip(1).sum();
    let mut rounds = Vec::with_capacity(most);
    for &done in &last[1..] {
        rounds.push([active, done, active - done]);
        active -= done;
    }
    rounds
}

fn write_files(
    args: &Args,
    stage: Stage,
    kind: Kind,
    field: Option<&Field>,
    names: &[String],
    readings: &[(Identity, Reading)],
) -> anyhow::Result<()> {
    if let Some(field) = field {
        args.files.write(field, &shown(kind, names))?;
        return Ok(());
    }
    if args.files.image.is_some() || args.files.npy.is_some() {
        bail!("--image and --npy are for fragments; for a {} shader use --csv", stage.name());
    }
    let Some(path) = &args.files.csv else { return Ok(()) };
    let mut text = format!("a,b,c,d,{}\n", names.join(","));
    for ([a, b, c, d], reading) in readings {
        let numbers: Vec<String> = counts(reading).iter().map(u32::to_string).collect();
        let _ = writeln!(text, "{a},{b},{c},{d},{}", numbers.join(","));
    }
    std::fs::write(path, text).map_err(|error| anyhow::anyhow!("{} cannot be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_active_done_or_left() {
        let counts = [[3, 1], [1, 1], [0, 1], [0, 0], [3, 1]].map(|row| row.to_vec());
        assert_eq!(table(&counts), [[3, 1, 2], [2, 0, 2], [2, 2, 0]]);
        assert!(table(&[vec![0, 0]]).is_empty());
    }
}
