//! Group stepping: all fragments of a draw advance together.
//!
//! One of them is walked through and stands for those that come to the same moment; who that is, and which way each goes
//! where ways part, is measured on the device over the whole draw.

use std::sync::Arc;

use emulator::travel::Arrival;
use instrument::inspect::Ask;
use instrument::{Question, Scope};
use moment::glsl::value::{number, scalars};
use moment::{Moment, Step as Way_};
use shader::Shader;
use shader::ast::{Condition, ExprId, NodeId, StmtKind};
use shader::version::Stage;

use crate::bench::Bench;
use crate::data::choice::Choice;
use crate::data::group::{Branch, GroupMask, GroupStep, GroupStop, GroupValues, Way};
use crate::data::stop::Step;
use crate::error::{NoValue, SessionError};
use crate::open::{Pass, Session};

/// All fragments of a draw.
pub(crate) struct Group {
    /// The one that is walked through.
    pass: Pass,
    /// The state of each pixel at the statement where the group is.
    pixels: Vec<Pixel>,
}

/// A pixel of what is drawn to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pixel {
    /// No fragment stays there.
    None,
    /// One does, and does not come here.
    Elsewhere,
    /// It is here; where ways part, which way it goes.
    Here(Option<bool>),
}

impl Session {
    /// Begins to walk through all fragments of a draw together. The invocation that is walked through by itself stays
    /// where it is.
    ///
    /// # Errors
    /// When nothing is drawn, or the device cannot be asked.
    pub fn enter_group(&mut self, command: u64) -> Result<GroupStop, SessionError> {
        let bench = self.bench(command, Stage::Fragment, &Default::default())?;
        let first = first_statement(bench.shader()).ok_or(SessionError::NoStatements)?;
        let pixels = self.ask_all(&bench, &first, None)?;
        let [width, _] = bench.work.target.size;
        let here = pixels.iter().position(|pixel| matches!(pixel, Pixel::Here(_)));
        let here = here.ok_or(SessionError::NoFragments { command })? as u32;
        let pass = self.begin(&Choice::fragment(command, here % width, here / width), &Default::default(), None)?;
        self.group = Some(Group { pass, pixels });
        self.arrive()
    }

    /// Has all fragments go on that are here.
    ///
    /// # Errors
    /// When no group was entered, or no fragment takes the chosen branch.
    pub fn step_group(&mut self, step: GroupStep) -> Result<GroupStop, SessionError> {
        let group = self.group.as_ref().ok_or(SessionError::NoInvocation)?;
        let counts = counts(&group.pixels);
        let wanted = match step {
            GroupStep::Choose(branch) if counts.is_some() => Some(branch == Branch::True),
            GroupStep::Choose(_) => return Err(SessionError::NoBranch),
            GroupStep::Over | GroupStep::Into => counts.map(|[yes, no]| yes >= no),
            GroupStep::Out | GroupStep::Leave | GroupStep::BackOver | GroupStep::BackInto => None,
        };
        if let Some(wanted) = wanted {
            self.stand_for(wanted)?;
        }
        let group = self.group.as_ref().ok_or(SessionError::NoInvocation)?;
        let step = match step {
            GroupStep::Over => Step::Over,
            GroupStep::Into | GroupStep::Choose(_) => Step::Into,
            GroupStep::Out => Step::Out,
            GroupStep::BackOver => Step::BackOver,
            GroupStep::BackInto => Step::BackInto,
            GroupStep::Leave => return self.leave_loop(),
        };
        match group.pass.held.ask(move |run| run.step(step))? {
            Arrival::Endless => Err(SessionError::Endless),
            Arrival::Interrupted => Err(SessionError::Interrupted),
            _ => self.arrive(),
        }
    }

    /// Ends walking through all fragments together.
    pub fn leave_group(&mut self) {
        self.group = None;
    }

    /// Goes on to behind the innermost loop.
    fn leave_loop(&mut self) -> Result<GroupStop, SessionError> {
        let group = self.group.as_ref().ok_or(SessionError::NoInvocation)?;
        let arrival = group.pass.held.ask(|run| {
            let inner = |at: &Option<Moment>| {
                at.as_ref()?.path.iter().rev().find_map(|way| match way {
                    Way_::Iteration(id, _) => Some(*id),
                    Way_::Call(_) => None,
                })
            };
            let (from, depth) = (run.at().moment, run.at().depth);
            let looped = inner(&from)?;
            let is_inside = |at: &Option<Moment>| {
                let mut ways = at.iter().flat_map(|moment| &moment.path);
                ways.any(|way| matches!(way, Way_::Iteration(id, _) if *id == looped))
            };
            loop {
                let step = if run.at().depth > depth { Step::Out } else { Step::Over };
                let arrival = run.step(step);
                if arrival != Arrival::There || !is_inside(&run.at().moment) {
                    return Some(arrival);
                }
            }
        })?;
        match arrival {
            None => Err(SessionError::NoLoop),
            Some(Arrival::Endless) => Err(SessionError::Endless),
            Some(Arrival::Interrupted) => Err(SessionError::Interrupted),
            Some(_) => self.arrive(),
        }
    }

    /// Where the fragments of the group are, pixel by pixel.
    ///
    /// # Errors
    /// When no group was entered.
    pub fn group_mask(&self) -> Result<GroupMask, SessionError> {
        let group = self.group.as_ref().ok_or(SessionError::NoInvocation)?;
        let [width, height] = group.pass.bench.work.target.size;
        let pixel = |pixel: &Pixel| match pixel {
            Pixel::None => 0,
            Pixel::Elsewhere => 1,
            Pixel::Here(Some(true)) => 3,
            Pixel::Here(_) => 2,
        };
        Ok(GroupMask { width, height, pixels: group.pixels.iter().map(pixel).collect() })
    }

    /// What an expression comes to in every fragment that is here, measured.
    ///
    /// # Errors
    /// When no group was entered, or the expression is wrong here.
    pub fn group_values(&mut self, text: &str) -> Result<GroupValues, SessionError> {
        let group = self.group.as_ref().ok_or(SessionError::NoInvocation)?;
        let (at, bench) = (group.pass.held.ask(|run| run.at())?, Arc::clone(&group.pass.bench));
        let none = || SessionError::Expression { text: text.to_owned(), why: NoValue::Ended };
        let moment = at.moment.filter(|_| !at.ended).ok_or_else(none)?;
        let question = Question::Value { moment, expression: Some(text.to_owned()) };
        let ask = Ask { scope: Scope::All, pick: [-1; 4], transport: None };
        let measured = self.inquiry.measure(&bench.work, Stage::Fragment, &question, &ask, &bench.changes)?;
        let values = measured
            .result
            .readings
            .iter()
            .filter_map(|(who, reading)| Some((*who, reading.records.first()?.value.as_ref()?)));
        let values: Vec<_> = values.collect();
        let types = &bench.shader().typed.types;
        let kinds = values.first().map_or(Vec::new(), |(_, value)| scalars(types, value.ty));
        let [width, height] = bench.work.target.size;
        let count = width as usize * height as usize;
        let mut all = GroupValues {
            width,
            height,
            components: kinds.len(),
            numbers: vec![f64::NAN; count * kinds.len()],
            present: vec![false; count],
        };
        for (who, value) in values {
            let Some(at) = place(&bench, [who[0], who[1]]) else { continue };
            all.present[at] = true;
            for (component, (kind, bits)) in kinds.iter().zip(&value.scalars).enumerate() {
                all.numbers[at * kinds.len() + component] = number(*kind, *bits);
            }
        }
        Ok(all)
    }

    /// Walks through a fragment that takes a branch.
    fn stand_for(&mut self, wanted: bool) -> Result<(), SessionError> {
        let group = self.group.as_ref().ok_or(SessionError::NoInvocation)?;
        let bench = Arc::clone(&group.pass.bench);
        let [width, _] = bench.work.target.size;
        let goes = |at: usize| group.pixels.get(at) == Some(&Pixel::Here(Some(wanted)));
        if place(&bench, [group.pass.pick[0], group.pass.pick[1]]).is_some_and(goes) {
            return Ok(());
        }
        let branch = if wanted { Branch::True } else { Branch::False };
        let other = (0..group.pixels.len()).find(|at| goes(*at));
        let other = other.ok_or(SessionError::BranchNotTaken { branch })? as u32;
        let moment = group.pass.held.ask(|run| run.at().moment)?.ok_or(SessionError::NoInvocation)?;
        let choice = Choice::fragment(bench.work.command, other % width, other / width);
        let pass = self.begin(&choice, &Default::default(), None)?;
        match pass.held.ask(move |run| run.run_to(&moment))? {
            Arrival::There => {}
            Arrival::Interrupted => return Err(SessionError::Interrupted),
            _ => return Err(SessionError::BranchesDiffer),
        }
        if let Some(group) = &mut self.group {
            group.pass = pass;
        }
        Ok(())
    }

    /// Finds out who is here, and who goes which way.
    fn arrive(&mut self) -> Result<GroupStop, SessionError> {
        let group = self.group.as_ref().ok_or(SessionError::NoInvocation)?;
        let (at, bench) = (group.pass.held.ask(|run| run.at())?, Arc::clone(&group.pass.bench));
        let moment = at.moment.ok_or(SessionError::NoInvocation)?;
        let asked = condition(bench.shader(), &moment).filter(|_| !at.ended);
        let pixels = self.ask_all(&bench, &moment, asked)?;
        let here = |pixel: &&Pixel| matches!(pixel, Pixel::Here(_));
        let active = pixels.iter().filter(here).count() as u64;
        let all = pixels.iter().filter(|pixel| **pixel != Pixel::None).count() as u64;
        let looped = matches!(moment.path.last(), Some(Way_::Iteration(id, _)) if *id == moment.site);
        let names = if looped { ["next iteration", "leave the loop"] } else { ["true", "false"] };
        let ways = counts(&pixels).map_or(Vec::new(), |counts| {
            let way = |((branch, name), count): ((Branch, &str), u64)| Way {
                branch,
                name: name.to_owned(),
                count,
                share: count as f64 / active.max(1) as f64,
            };
            [Branch::True, Branch::False].into_iter().zip(names).zip(counts).map(way).collect()
        });
        if let Some(group) = &mut self.group {
            group.pixels = pixels;
        }
        Ok(GroupStop {
            command: bench.work.command,
            call: bench.work.calls.name().to_owned(),
            function: bench.function(moment.site),
            location: bench.location(moment.site),
            moment: moment.to_string(),
            active,
            all,
            ways,
            ended: at.ended,
        })
    }

    /// Asks all fragments whether they come to a moment, and what a condition is there.
    fn ask_all(
        &mut self,
        bench: &Bench,
        moment: &Moment,
        condition: Option<ExprId>,
    ) -> Result<Vec<Pixel>, SessionError> {
        let question = match condition {
            // As it is evaluated there, with everything that it does.
            Some(expr) => {
                let moment = Moment { site: NodeId::Expr(expr).into(), path: moment.path.clone() };
                Question::Value { moment, expression: None }
            }
            None => Question::Value { moment: moment.clone(), expression: Some("true".to_owned()) },
        };
        let ask = Ask { scope: Scope::All, pick: [-1; 4], transport: None };
        let measured = self.inquiry.measure(&bench.work, Stage::Fragment, &question, &ask, &bench.changes)?;
        let [width, height] = bench.work.target.size;
        let mut pixels = vec![Pixel::None; width as usize * height as usize];
        for (who, reading) in &measured.result.readings {
            let Some(at) = place(bench, [who[0], who[1]]) else { continue };
            let value = reading.records.first().and_then(|record| record.value.as_ref());
            pixels[at] = match value {
                Some(value) => Pixel::Here(condition.map(|_| value.scalars.first().is_some_and(|bits| *bits != 0))),
                None => Pixel::Elsewhere,
            };
        }
        Ok(pixels)
    }
}

/// How many go each way; nothing where ways do not part.
fn counts(pixels: &[Pixel]) -> Option<[u64; 2]> {
    let of = |wanted: bool| pixels.iter().filter(|pixel| **pixel == Pixel::Here(Some(wanted))).count() as u64;
    let counts = [of(true), of(false)];
    (counts != [0, 0]).then_some(counts)
}

/// The place of a pixel among all.
fn place(bench: &Bench, [x, y]: [i32; 2]) -> Option<usize> {
    let [width, height] = bench.work.target.size;
    let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
    (x < width && y < height).then_some(y as usize * width as usize + x as usize)
}

/// The first statement of `main`.
fn first_statement(shader: &Shader) -> Option<Moment> {
    let main = shader.typed.functions.iter().find(|row| shader.preprocessed.symbols.name(row.name) == "main")?;
    let StmtKind::Block(list) = shader.tree.stmt(main.body?).kind else { return None };
    let mut first = shader.tree.stmts_of(list).first().copied()?;
    while let StmtKind::Block(list) = shader.tree.stmt(first).kind {
        first = shader.tree.stmts_of(list).first().copied()?;
    }
    Some(Moment { site: NodeId::Stmt(first).into(), path: Vec::new() })
}

/// What is asked at a moment: by an `if`, or by a loop that begins an iteration.
fn condition(shader: &Shader, moment: &Moment) -> Option<ExprId> {
    let begins = matches!(moment.path.last(), Some(Way_::Iteration(inner, _)) if *inner == moment.site);
    let asked = match shader.tree.stmt(moment::glsl::stmt(moment.site)?).kind {
        StmtKind::If { condition, .. } => Some(condition),
        StmtKind::For { condition: Some(Condition::Expr(expr)), .. } if begins => Some(expr),
        StmtKind::While { condition: Condition::Expr(expr), .. } if begins => Some(expr),
        _ => None,
    };
    // Of constants nothing is measured.
    asked.filter(|expr| shader.typed.expr(*expr).constant.is_none())
}
