//! Loops and branches, counted in every invocation of a draw.

use std::collections::BTreeMap;

use instrument::Question;
use instrument::inspect::Identity;
use instrument::stream::Facts;
use instrument::variant::{Reading, What};
use shader::Shader;
use shader::ast::{ExprId, ExprKind, NodeId, StmtKind};
use shader::types::Scalar;
use shader::version::Stage;

use super::{Whose, counted};
use crate::data::field::Field;
use crate::data::profile::{Iteration, Profile, ProfileKind, ProfileRequest, Total};
use crate::error::SessionError;
use crate::locate;
use crate::open::Session;

impl Session {
    /// Counts the iterations of a loop, or the ways a branch takes, in every invocation of a draw.
    ///
    /// # Errors
    /// When no loop or branch begins in the line, no invocation runs, or the device gives no answer.
    pub fn profile(&mut self, request: &ProfileRequest) -> Result<Profile, SessionError> {
        self.patiently(|session| session.count(request))
    }

    fn count(&mut self, request: &ProfileRequest) -> Result<Profile, SessionError> {
        let ProfileRequest { command, stage, line, column, options } = request;
        let (command, stage) = (*command, *stage);
        let work = self.work(command)?;
        let shader = &work.facts(stage)?.shader;
        let (site, kind) = loop_or_branch(shader, *line, *column)?;
        let question = Question::Profile { site };
        let (measured, measurement) = self.measured_with_times(&work, stage, &question, Whose::EVERY, options)?;
        let readings = &measured.result.readings;
        let none = SessionError::NoInvocations { command, stage: stage.name() };
        let (_, first) = readings.first().ok_or(none)?;
        let names = names(shader, kind, first);
        let counts: Vec<(Identity, Vec<u32>)> = readings.iter().map(|(who, one)| (*who, numbers(one))).collect();
        let field = (stage == Stage::Fragment).then(|| field(kind, readings, &names, work.target.size));
        let total = |(place, name): (usize, &String)| Total {
            name: name.clone(),
            total: counts.iter().map(|(_, row)| u64::from(row.get(place).copied().unwrap_or(0))).sum(),
        };
        let (own_line, own_column) = locate::line(shader, site);
        Ok(Profile {
            command,
            stage: stage.name(),
            line: own_line,
            column: own_column,
            kind,
            invocations: counts.len(),
            came: counts.iter().filter(|(_, row)| came(kind, row)).count(),
            counted: counted(&work, stage, &measured),
            missed: measured.result.missed,
            totals: names.iter().enumerate().map(total).collect(),
            iterations: if kind == ProfileKind::Loop { iterations(&counts) } else { Vec::new() },
            pixels: field.as_ref().map(Field::counts),
            components: field.as_ref().map(Field::summaries),
            measurement,
            call: work.calls.name(),
            line_text: locate::line_text(shader, *line).to_owned(),
            field,
            counts,
        })
    }
}

/// Returns the loop or branch in a line.
fn loop_or_branch(shader: &Shader, line: u32, column: Option<u32>) -> Result<(NodeId, ProfileKind), SessionError> {
    let all_exprs = || (0..shader.tree.exprs.len() as u32).map(ExprId);
    let is_conditional = |id: ExprId| matches!(shader.tree.expr(id).kind, ExprKind::Conditional(..));
    if column.is_some() {
        let tokens = shader.tree.tokens(locate::site(shader, line, column)?);
        // The innermost ?: around the place.
        let around = all_exprs().filter(|&id| {
            let outer = shader.tree.expr(id).tokens;
            is_conditional(id) && outer.first <= tokens.first && tokens.last <= outer.last
        });
        let inner = around.min_by_key(|&id| shader.tree.expr(id).tokens.last.0 - shader.tree.expr(id).tokens.first.0);
        if let Some(id) = inner {
            return Ok((NodeId::Expr(id), ProfileKind::Branch));
        }
    }
    let begins = |node: NodeId| locate::line(shader, node).0 == line;
    let statement = shader.statements().into_iter().filter(|&id| begins(NodeId::Stmt(id))).find_map(|id| {
        let kind = match shader.tree.stmt(id).kind {
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => ProfileKind::Loop,
            StmtKind::If { .. } => ProfileKind::Branch,
            StmtKind::Switch { .. } => ProfileKind::Switch,
            _ => return None,
        };
        Some((NodeId::Stmt(id), kind))
    });
    let conditional = || all_exprs().find(|&id| is_conditional(id) && begins(NodeId::Expr(id)));
    let found = statement.or_else(|| conditional().map(|id| (NodeId::Expr(id), ProfileKind::Branch)));
    found.ok_or(SessionError::NothingToCount { line })
}

/// Returns the counts that an invocation answered with.
fn numbers(reading: &Reading) -> Vec<u32> {
    let counts = reading.records.iter().filter(|record| matches!(record.what, What::Count(..)));
    counts.filter_map(|record| record.value.as_ref()?.scalars.first().map(|&bits| bits as u32)).collect()
}

/// Returns whether an invocation with these counts reaches the loop or branch.
fn came(kind: ProfileKind, counts: &[u32]) -> bool {
    match kind {
        ProfileKind::Loop => counts.get(1).is_some_and(|&times| times > 0),
        ProfileKind::Branch | ProfileKind::Switch => counts.iter().any(|&times| times > 0),
    }
}

/// Returns what is counted.
fn names(shader: &Shader, kind: ProfileKind, first: &Reading) -> Vec<String> {
    match kind {
        ProfileKind::Loop => vec!["iterations".to_owned(), "entered".to_owned()],
        ProfileKind::Branch => vec!["condition false".to_owned(), "condition true".to_owned()],
        ProfileKind::Switch => {
            let name = |what: &What| match what {
                What::Count(NodeId::Stmt(id), _) => match shader.tree.stmt(*id).kind {
                    StmtKind::Switch { .. } => Some("no case".to_owned()),
                    _ => Some(locate::excerpt(shader, NodeId::Stmt(*id)).trim_end_matches(':').to_owned()),
                },
                _ => None,
            };
            first.records.iter().filter_map(|record| name(&record.what)).collect()
        }
    }
}

/// Returns the numbers of each pixel, of all its fragments together: iterations, the share of times that the condition was
/// true, or how often each case was taken.
fn field(kind: ProfileKind, readings: &[(Identity, Reading)], names: &[String], size: [u32; 2]) -> Field {
    let (kinds, names) = match kind {
        ProfileKind::Loop => (vec![Scalar::Uint], vec!["iterations".to_owned()]),
        ProfileKind::Branch => (vec![Scalar::Float], vec!["share true".to_owned()]),
        ProfileKind::Switch => (vec![Scalar::Uint; names.len()], names.to_vec()),
    };
    let mut pixels: BTreeMap<[i32; 2], (Facts, Vec<u32>)> = BTreeMap::new();
    for ([x, y, ..], reading) in readings {
        let (facts, sums) = pixels.entry([*x, *y]).or_default();
        let more = numbers(reading);
        // A pixel with one fragment that was not discarded counts as not discarded.
        *facts = if sums.is_empty() || facts.has(Facts::DISCARDED) { reading.facts } else { *facts };
        sums.resize(sums.len().max(more.len()), 0);
        sums.iter_mut().zip(more).for_each(|(sum, count)| *sum = sum.saturating_add(count));
    }
    let value = |counts: &[u32]| {
        if !came(kind, counts) {
            return None;
        }
        Some(match kind {
            ProfileKind::Loop => vec![u64::from(*counts.first()?)],
            ProfileKind::Branch => {
                let (no, yes) = (*counts.first()? as f32, *counts.get(1)? as f32);
                vec![u64::from((yes / (yes + no)).to_bits())]
            }
            ProfileKind::Switch => counts.iter().copied().map(u64::from).collect(),
        })
    };
    Field::of(kinds, names, size, pixels.iter().map(|(at, (facts, counts))| (*at, *facts, value(counts))))
}

/// Returns for each iteration how many invocations run it, for how many it is the last, and how many go on.
fn iterations(counts: &[(Identity, Vec<u32>)]) -> Vec<Iteration> {
    let most = counts.iter().filter_map(|(_, row)| row.first()).copied().max().unwrap_or(0) as usize;
    let mut last = vec![0; most + 1];
    for (_, row) in counts.iter().filter(|(_, row)| came(ProfileKind::Loop, row)) {
        last[row.first().copied().unwrap_or(0) as usize] += 1;
    }
    let mut active: usize = last.iter().skip(1).sum();
    let mut all = Vec::with_capacity(most);
    for &done in &last[1..] {
        all.push(Iteration { active, done, left: active - done });
        active -= done;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_active_done_or_left() {
        let counted = |counts: &[[u32; 2]]| {
            let rows: Vec<_> = counts.iter().map(|row| ([0; 4], row.to_vec())).collect();
            iterations(&rows).iter().map(|one| [one.active, one.done, one.left]).collect::<Vec<_>>()
        };
        assert_eq!(counted(&[[3, 1], [1, 1], [0, 1], [0, 0], [3, 1]]), [[3, 1, 2], [2, 0, 2], [2, 2, 0]]);
        assert!(counted(&[[0, 0]]).is_empty());
    }
}
