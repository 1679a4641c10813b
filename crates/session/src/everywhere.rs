//! Breakpoints for every invocation of a frame, measured on the device.

use instrument::inspect::Ask;
use instrument::stream::LAYER;
use instrument::{Question, Scope, first_hit, hits};
use shader::ast::NodeId;
use shader::version::Stage;

use crate::bench;
use crate::control::Activity;
use crate::data::choice::Choice;
use crate::data::group::{DrawHits, Everywhere, Hits, InvocationHit};
use crate::open::{Session, SessionError};

impl Session {
    /// Finds every invocation that comes to a line with a condition true, over a frame or the whole trace, by running
    /// each draw of that shader once more. `progress` is told how many draws of how many are done; where it says no, the
    /// search ends with what was found.
    ///
    /// # Errors
    /// When no draw could be asked, or the condition is wrong.
    pub fn find_everywhere(
        &mut self,
        wanted: &Everywhere,
        progress: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Hits, SessionError> {
        let frames: Vec<usize> = match wanted.frame {
            Some(frame) => vec![frame],
            None => self.frames().iter().map(|frame| frame.index).collect(),
        };
        let mut draws = Vec::new();
        for frame in frames {
            draws.extend(self.draws(frame)?);
        }
        let mut found = Hits::default();
        for (number, draw) in draws.iter().enumerate() {
            self.control.tell(Activity::Asking, number as u64, Some(draws.len() as u64));
            if !progress(number, draws.len()) {
                break;
            }
            let interrupted = || format!("it was interrupted after {number} of {} draws", draws.len());
            if self.control.is_interrupted() {
                found.problems.push(interrupted());
                break;
            }
            if !self.runs(draw.command, &wanted.source)? {
                continue;
            }
            let work = match self.work(draw.command) {
                Ok(work) => work,
                Err(error) => {
                    found.problems.push(format!("command {}: {error}", draw.command));
                    continue;
                }
            };
            let Some(facts) = work.stages.iter().find(|facts| bench::source_id(facts) == wanted.source) else {
                continue;
            };
            let stage = facts.stage;
            let Some((site, _)) = crate::breaks::site(&facts.shader, wanted.line) else {
                let text = format!("no statement begins in line {} or after it", wanted.line);
                return Err(SessionError::NotThere(text));
            };
            let site = NodeId::Stmt(site);
            let spelled = |text: &String| instrument::nan::spelled(&facts.shader, &facts.options, site, text);
            let condition = wanted.condition.as_ref().map(spelled).transpose().map_err(SessionError::NotThere)?;
            let question = Question::Condition { site, condition };
            let ask = Ask { scope: Scope::At, pick: [-1; 4], transport: None };
            let measured = match self.inquiry.measure(&work, stage, &question, &ask, &Default::default()) {
                Ok(measured) => measured,
                Err(error) if error.is_interruption() => {
                    found.problems.push(interrupted());
                    break;
                }
                // A wrong condition is wrong everywhere.
                Err(error) if found.asked == 0 => return Err(error.into()),
                Err(error) => {
                    found.problems.push(format!("command {}: {error}", draw.command));
                    continue;
                }
            };
            found.asked += 1;
            found.missed += u64::from(measured.result.missed);
            found.only_staying |= stage == Stage::Fragment && !measured.every;
            let (mut invocations, mut all) = (0, 0);
            for (who, reading) in &measured.result.readings {
                let times = hits(site, reading);
                if times == 0 {
                    continue;
                }
                invocations += 1;
                all += u64::from(times);
                if found.first.len() < wanted.most {
                    let moment = first_hit(&facts.shader, site, reading).map(|moment| moment.to_string());
                    let choice = choice_of(draw.command, stage, *who);
                    found.first.push(InvocationHit { choice, times, moment });
                }
            }
            if invocations > 0 {
                let (command, call, frame) = (draw.command, draw.name.clone(), draw.frame);
                found.draws.push(DrawHits { command, call, frame, invocations, times: all });
            }
        }
        self.control.tell(Activity::None, 0, None);
        if found.asked == 0 {
            self.control.heed()?;
            let why = found.problems.first().map_or(String::new(), |problem| format!(": {problem}"));
            return Err(SessionError::NotThere(format!("no draw that was looked at runs this shader{why}")));
        }
        Ok(found)
    }
}

impl Session {
    /// Whether a draw runs a shader with a text. The model knows, so that no device goes to draws that do not.
    fn runs(&mut self, command: u64, source: &str) -> Result<bool, SessionError> {
        let calls = match self.inquiry.trace().draw_calls(command) {
            Ok(calls) => calls,
            Err(_) => return Ok(false),
        };
        let model = self.inquiry.state_after(calls.range.start().saturating_sub(1))?;
        let Some(view) = model.view(calls.thread) else { return Ok(false) };
        // What runs no shaders runs not this one.
        let stages = self.inquiry.trace().stages(&view, calls.work);
        Ok(stages.is_ok_and(|stages| stages.iter().any(|facts| bench::source_id(facts) == source)))
    }
}

/// The invocation that an identity is.
fn choice_of(command: u64, stage: Stage, [a, b, c, d]: [i32; 4]) -> Choice {
    let number = |number: i32| number.max(0).cast_unsigned();
    match stage {
        Stage::Fragment => {
            let (sample, layer) = (number(d) % LAYER, number(d) / LAYER);
            let layer = (layer > 0).then_some(layer);
            let sample = (sample > 0).then_some(sample);
            Choice::Fragment { command, x: number(a), y: number(b), primitive: Some(number(c)), sample, layer }
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
