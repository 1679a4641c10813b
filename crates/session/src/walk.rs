//! Going on, and where that leads.

use emulator::travel::Arrival;
use moment::Moment;

use crate::control::Activity;
use crate::data::choice::{PassPosition, Position};
use crate::data::place::{Frame, Lane, PassInfo};
use crate::data::stop::{Reason, Step, Stop};
use crate::error::SessionError;
use crate::look::TapeState;
use crate::open::{Pass, Session};
use crate::run::frames;

impl Session {
    /// Where the session stands.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn here(&self) -> Result<Stop, SessionError> {
        self.stop(Reason::Step)
    }

    /// Goes on, forwards or backwards.
    ///
    /// # Errors
    /// When no invocation was chosen, or the shader has no end.
    pub fn step(&mut self, step: Step) -> Result<Stop, SessionError> {
        self.control.tell(Activity::Walking, 0, None);
        let top = self.top()?;
        let depth = top.held.ask(|run| run.at().depth)?;
        // Out of the last function of a pass is where the pass was come from.
        if matches!(step, Step::Out | Step::BackOut) && depth == 0 && self.passes.len() > 1 {
            self.passes.pop();
            return self.stop(Reason::Pass);
        }
        if matches!(step, Step::Continue | Step::ReverseContinue) {
            return self.go_on(step);
        }
        let is_single = matches!(step, Step::Into | Step::BackInto);
        if matches!(step, Step::Over | Step::Out | Step::BackOver | Step::BackOut) || is_single && self.breaks.watches()
        {
            return self.step_past(step);
        }
        let arrival = self.top()?.held.ask(move |run| run.step(step))?;
        self.stop(reason(arrival)?)
    }

    /// The stack: the functions of the invocation, the innermost first, then those of the passes that it was come from.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn stack(&self) -> Result<Vec<Frame>, SessionError> {
        let mut all = Vec::new();
        for (number, pass) in self.passes.iter().enumerate().rev() {
            let Some(moment) = pass.held.ask(|run| run.at().moment)? else { continue };
            all.extend(frames(&moment).into_iter().map(|moment| Frame {
                function: pass.bench.function(moment.site),
                location: pass.bench.location(moment.site),
                pass: number,
                moment: moment.to_string(),
            }));
        }
        if all.is_empty() { Err(SessionError::NoInvocation) } else { Ok(all) }
    }

    /// The invocations that were entered: the chosen one first, the one that is walked through last.
    #[must_use]
    pub fn passes(&self) -> Vec<PassInfo> {
        let info = |pass: &Pass| PassInfo {
            invocation: pass.invocation.clone(),
            entered_by: pass.entered_by.clone(),
            changes: crate::change::words(&pass.bench.changes),
            missing: pass.bench.scene.missing.clone(),
            unmeasured: match &pass.tape {
                TapeState::None(why) => Some(why.clone()),
                TapeState::Unasked | TapeState::Growing(..) | TapeState::There(_) => None,
            },
        };
        self.passes.iter().map(info).collect()
    }

    /// The text of the shader that is walked through, or of one below it: `pass` as [`Frame::pass`] has it.
    ///
    /// # Errors
    /// When there is no such pass.
    pub fn source(&self, pass: usize) -> Result<crate::Source, SessionError> {
        self.passes.get(pass).map(|pass| pass.bench.source.clone()).ok_or(SessionError::NoInvocation)
    }

    /// The invocations beside the one that is walked through: its quad, or its workgroup.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn lanes(&self) -> Result<Vec<Lane>, SessionError> {
        self.top()?.held.ask(|run| run.lanes())
    }

    /// Looks at another invocation of the quad or workgroup from here on, at the same time.
    ///
    /// # Errors
    /// When there is no such lane.
    pub fn follow(&mut self, lane: usize) -> Result<Stop, SessionError> {
        if !self.top()?.held.ask(move |run| run.follow(lane))? {
            return Err(SessionError::NoSuchLane { lane });
        }
        self.stop(Reason::Step)
    }

    /// Where the session stands, as data to come back with.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn position(&self) -> Result<Position, SessionError> {
        let mut passes = Vec::new();
        for pass in &self.passes {
            let (time, lane) = pass.held.ask(|run| (run.at().time, crate::change::followed(run)))?;
            let (choice, changes, edits) = (pass.choice.clone(), pass.bench.changes.clone(), pass.edits.clone());
            passes.push(PassPosition { choice, time, lane, changes, edits, entered_by: pass.entered_by.clone() });
        }
        if passes.is_empty() { Err(SessionError::NoInvocation) } else { Ok(Position { passes }) }
    }

    /// Returns a hash of the state of the invocation and its neighbours: their values and positions. Tests use it to find
    /// out whether two ways led to the same state.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn fingerprint(&self) -> Result<u64, SessionError> {
        self.top()?.held.ask(|run| run.fingerprint())
    }

    /// Goes to a time of the invocation: [`Stop::time`], or [`crate::Write::time`].
    ///
    /// # Errors
    /// When no invocation was chosen, or the shader has no end.
    pub fn go_to_time(&mut self, time: u64) -> Result<Stop, SessionError> {
        self.control.tell(Activity::Walking, 0, None);
        match self.top()?.held.ask(move |run| run.go_to(time))? {
            Arrival::Interrupted => self.stop(Reason::Interrupted),
            Arrival::Endless => Err(SessionError::Endless),
            Arrival::Start => self.stop(Reason::Start),
            _ => self.stop(Reason::Step),
        }
    }

    /// Goes to where a session stood.
    ///
    /// # Errors
    /// When there is no such place in this trace.
    pub fn go_to(&mut self, position: &Position) -> Result<Stop, SessionError> {
        let is_same = |pass: &Pass, wanted: &PassPosition| {
            pass.choice == wanted.choice && pass.bench.changes == wanted.changes && pass.edits == wanted.edits
        };
        let same = self.passes.len() == position.passes.len()
            && self.passes.iter().zip(&position.passes).all(|(pass, wanted)| is_same(pass, wanted));
        if !same {
            let mut passes = Vec::new();
            for wanted in &position.passes {
                let mut pass = self.begin(&wanted.choice, &wanted.changes, wanted.entered_by.clone())?;
                for edit in &wanted.edits {
                    pass.apply(edit.clone())?;
                }
                passes.push(pass);
            }
            self.passes = passes;
        }
        self.control.tell(Activity::Walking, 0, None);
        let mut reason = Reason::Step;
        for (pass, wanted) in self.passes.iter().zip(&position.passes) {
            let (time, lane) = (wanted.time, wanted.lane);
            let arrival =
                pass.held.ask(move |run| lane.is_none_or(|lane| run.follow(lane)).then(|| run.go_to(time)))?;
            match arrival {
                Some(Arrival::Endless) => return Err(SessionError::Endless),
                Some(Arrival::Interrupted) => reason = Reason::Interrupted,
                Some(_) => {}
                None => return Err(SessionError::NoSuchLane { lane: wanted.lane.unwrap_or(0) }),
            }
        }
        self.stop(reason)
    }

    /// The invocation that is walked through.
    pub(crate) fn top(&self) -> Result<&Pass, SessionError> {
        self.passes.last().ok_or(SessionError::NoInvocation)
    }

    pub(crate) fn stop(&self, reason: Reason) -> Result<Stop, SessionError> {
        let top = self.top()?;
        let (at, diverted) = top.held.ask(|run| (run.at(), run.is_diverted()))?;
        let moment = at.moment.ok_or(SessionError::NoStatements)?;
        // A way back that is interrupted at once still stands at the end, and the last statement may write what is watched.
        let stays = matches!(reason, Reason::Interrupted | Reason::Data { .. });
        Ok(Stop {
            reason: if at.ended && !stays { Reason::End } else { reason },
            invocation: top.invocation.clone(),
            function: top.bench.function(moment.site),
            location: top.bench.location(moment.site),
            moment: moment.to_string(),
            time: at.time,
            ended: at.ended,
            discarded: at.discarded,
            depth: at.depth,
            pass: self.passes.len() - 1,
            log: Vec::new(),
            diverted: diverted || top.bench.is_changed(),
        })
    }

    /// A frame of the stack: its pass and where it is.
    pub(crate) fn frame(&self, frame: usize) -> Result<(&Pass, Moment), SessionError> {
        self.numbered_frame(frame).map(|(number, moment)| (&self.passes[number], moment))
    }

    /// The same with the number of the pass.
    pub(crate) fn numbered_frame(&self, frame: usize) -> Result<(usize, Moment), SessionError> {
        let mut before = 0;
        for (number, pass) in self.passes.iter().enumerate().rev() {
            let Some(moment) = pass.held.ask(|run| run.at().moment)? else { continue };
            let all = frames(&moment);
            if let Some(found) = frame.checked_sub(before).and_then(|at| all.get(at)) {
                return Ok((number, found.clone()));
            }
            before += all.len();
        }
        Err(match self.passes.is_empty() {
            true => SessionError::NoInvocation,
            false => SessionError::NoSuchStackFrame { frame, count: before },
        })
    }
}

/// Why a step ended where it did.
pub(crate) fn reason(arrival: Arrival) -> Result<Reason, SessionError> {
    match arrival {
        Arrival::There => Ok(Reason::Step),
        Arrival::Start => Ok(Reason::Start),
        Arrival::End => Ok(Reason::End),
        Arrival::Interrupted => Ok(Reason::Interrupted),
        Arrival::Never | Arrival::Endless => Err(SessionError::Endless),
    }
}
