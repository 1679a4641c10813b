//! Breakpoints for every invocation of some draws, measured on the device.

use inquiry::DrawSnapshot;
use instrument::inspect::runs_once;
use instrument::stream::LAYER;
use instrument::{Question, first_hit, hits};
use open_trace::StageShader;
use shader::ast::NodeId;
use shader::version::Stage;
use state::reach::running;

use crate::bench;
use crate::control::Activity;
use crate::data::choice::Choice;
use crate::data::search::{BreakpointHits, BreakpointSearch, DrawHits, DrawSelection, InvocationHit, ShaderSelection};
use crate::data::trace::Draw;
use crate::error::SessionError;
use crate::inspect::{Whose, counted, sorted};
use crate::locate;
use crate::open::Session;

impl Session {
    /// Finds every invocation that reaches a line with a condition true, by running each draw that has the shader once
    /// more. If the user interrupts ([`crate::Control::interrupt`]), the search ends with what was found.
    ///
    /// # Errors
    /// When no draw could be asked, or the condition is wrong.
    pub fn search_breakpoint(&mut self, wanted: &BreakpointSearch) -> Result<BreakpointHits, SessionError> {
        let draws = self.selected(&wanted.draws)?;
        let (count, mut found) = (draws.len(), BreakpointHits::default());
        // A draw names half of what there is room for; what it has beyond that fills what later draws leave.
        let mut spare = Vec::new();
        for (number, draw) in draws.iter().enumerate() {
            self.control.tell(Activity::Asking, number as u64, Some(count as u64));
            let interrupted = || format!("it was interrupted after {number} of {count} draws");
            if self.control.is_interrupted() {
                found.problems.push(interrupted());
                break;
            }
            if !self.may_run(draw.command, &wanted.shader)? {
                continue;
            }
            let work = self.work(draw.command);
            let is_ready = work.is_ok();
            match work.and_then(|work| self.search_draw(wanted, draw, &work, (&mut found, &mut spare))) {
                Err(SessionError::Interrupted) => {
                    found.problems.push(interrupted());
                    break;
                }
                // What is wrong with the question is wrong in every draw.
                Err(error) if found.asked == 0 && is_ready => return Err(error),
                Err(error) => found.problems.push(format!("command {}: {error}", draw.command)),
                Ok(()) => {}
            }
        }
        self.control.tell(Activity::None, 0, None);
        if found.asked == 0 {
            self.control.heed()?;
            return Err(SessionError::NoDrawRunsShader { count, why: found.problems.first().cloned() });
        }
        let room = wanted.most.saturating_sub(found.first.len());
        found.first.extend(spare.into_iter().take(room));
        found.first.sort_by_key(InvocationHit::command);
        Ok(found)
    }

    /// Asks one draw.
    fn search_draw(
        &mut self,
        wanted: &BreakpointSearch,
        draw: &Draw,
        work: &DrawSnapshot,
        (found, spare): (&mut BreakpointHits, &mut Vec<InvocationHit>),
    ) -> Result<(), SessionError> {
        let Some(facts) = work.stages.iter().find(|facts| wanted.shader.is(facts)) else { return Ok(()) };
        let (shader, stage) = (&facts.shader, facts.stage);
        let (site, line) = match locate::site(shader, wanted.line, None) {
            Ok(site) => (site, wanted.line),
            Err(error) if wanted.exact_line => return Err(error),
            Err(_) => {
                let none = SessionError::NoStatementAt { line: wanted.line, or_after: true };
                let (statement, line) = locate::statement_from(shader, wanted.line).ok_or(none)?;
                (NodeId::Stmt(statement), line)
            }
        };
        let spelled = |text: &String| {
            let wrong = |why| SessionError::Condition { text: text.clone(), why };
            instrument::nan::spelled(shader, &facts.options, site, text).map_err(wrong)
        };
        let condition = wanted.condition.as_ref().map(spelled).transpose()?;
        let question = Question::Condition { site, condition };
        // Invocations that may run several times are told apart by their answers.
        let whose = if runs_once(stage) && found.first.len() >= wanted.most { Whose::COUNTED } else { Whose::EVERY };
        let measured = self.measured(work, stage, &question, whose, &wanted.options)?;
        (found.line, found.line_text) = (line, locate::line_text(shader, line).to_owned());
        found.asked += 1;
        found.counted = found.counted.max(counted(work, stage, &measured));
        let (mut invocations, mut all) = (0, 0);
        let mut share = (wanted.most - found.first.len().min(wanted.most)).div_ceil(2);
        for (who, reading) in sorted(stage, &measured) {
            let who = work.answering(stage, *who);
            let times = hits(site, reading);
            if times == 0 {
                continue;
            }
            invocations += 1;
            all += u64::from(times);
            if found.first.len() < wanted.most {
                let first = first_hit(shader, site, reading);
                let path = first.as_ref().map_or_else(Vec::new, |moment| locate::path(shader, moment));
                let moment = first.map(|moment| moment.to_string());
                let choice = choice_of(draw.command, stage, who);
                let hit = InvocationHit { choice, stage: stage.name().to_owned(), id: who, times, moment, path };
                if share > 0 {
                    share -= 1;
                    found.first.push(hit);
                } else if spare.len() < wanted.most {
                    spare.push(hit);
                }
            }
        }
        let missed = u64::from(measured.result.missed);
        match measured.result.sum {
            Some(sum) => (invocations, all) = (invocations + missed, sum),
            None => found.missed += missed,
        }
        if invocations > 0 {
            let Draw { command, frame, name, groups } = draw.clone();
            found.draws.push(DrawHits { command, call: name.into_owned(), frame, groups, invocations, times: all });
        }
        Ok(())
    }

    /// Returns the draws of a selection.
    fn selected(&self, selection: &DrawSelection) -> Result<Vec<Draw>, SessionError> {
        match selection {
            DrawSelection::Frame(frame) => self.draws(*frame),
            DrawSelection::Beside(command) => self.draws_beside(*command),
            DrawSelection::All => self.draws_in(0..self.inquiry.reader().len()),
            DrawSelection::Commands(commands) => {
                let reader = self.inquiry.reader();
                let thread = |command: u64| reader.call_at(command).map_or(0, |held| held.call().thread);
                let draw = |&command: &u64| self.listed(command, self.call_name(command), thread(command));
                Ok(commands.iter().map(draw).collect())
            }
        }
    }

    /// Returns whether a draw may run a shader, as far as the model knows, so that the device is not asked in vain.
    fn may_run(&self, command: u64, shader: &ShaderSelection) -> Result<bool, SessionError> {
        let Ok(calls) = self.inquiry.trace().draw_calls(command) else { return Ok(false) };
        let model = self.inquiry.state_after(calls.range.start().saturating_sub(1))?;
        let Some(view) = model.view(calls.thread) else { return Ok(false) };
        Ok(match shader {
            ShaderSelection::Source(_) => {
                // A draw whose shaders are unknown does not run this one.
                let stages = self.inquiry.trace().stages(&view, calls.work);
                stages.is_ok_and(|stages| stages.iter().any(|facts| shader.is(facts)))
            }
            ShaderSelection::Programs { programs, stage } => {
                let names = running(view.context, view.group, calls.work);
                Stage::ALL.iter().zip(names).any(|(own, name)| own == stage && programs.contains(&name))
            }
        })
    }
}

impl ShaderSelection {
    fn is(&self, facts: &StageShader) -> bool {
        match self {
            ShaderSelection::Source(id) => bench::source_id(facts) == *id,
            ShaderSelection::Programs { programs, stage } => facts.stage == *stage && programs.contains(&facts.program),
        }
    }
}

/// Returns the invocation that an identity is.
fn choice_of(command: u64, stage: Stage, [a, b, c, d]: [i32; 4]) -> Choice {
    let number = |number: i32| number.max(0).cast_unsigned();
    match stage {
        Stage::Fragment => {
            let (sample, layer) = (number(d) % LAYER, number(d) / LAYER);
            let layer = (layer > 0).then_some(layer);
            let sample = (sample > 0).then_some(sample);
            Choice::Fragment {
                command,
                x: number(a),
                y: number(b),
                primitive: (c >= 0).then(|| number(c)),
                sample,
                layer,
            }
        }
        Stage::Vertex => Choice::Vertex { command, vertex: number(a), instance: Some(number(b)) },
        Stage::Compute => Choice::Thread { command, id: [number(a), number(b), number(c)] },
        Stage::Geometry | Stage::TessControl | Stage::TessEvaluation => Choice::Primitive {
            command,
            stage: stage.name().to_owned(),
            primitive: number(a),
            invocation: Some(number(b)),
        },
    }
}
