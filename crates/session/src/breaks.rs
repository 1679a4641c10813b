//! Breakpoints, and who wrote what.

use emulator::sanitize::{Finding as Undefined, FindingKind};
use emulator::travel::Arrival;
use moment::Moment;
use shader::ast::{NodeId, StmtId};
use shader::typed::VarId;

use crate::bench::Bench;
use crate::control::Activity;
use crate::data::breaks::{BreakStatus, DataBreak, ExceptionKind, Finding, LineBreak, Write};
use crate::data::stop::{LogLine, Reason, Step, Stop};
use crate::error::SessionError;
use crate::locate::statement_from;
use crate::look::InVariable;
use crate::open::{Pass, Session};
use crate::run::{Armed, Hit, Hits, Piece, Search, Watched};

/// Everything that is to be stopped for.
#[derive(Default)]
pub(crate) struct Breaks {
    next: u64,
    /// The source, the number, and what was asked for.
    lines: Vec<(String, u64, LineBreak)>,
    data: Vec<Data>,
    exceptions: Vec<String>,
}

/// A breakpoint for writes to a variable.
struct Data {
    id: u64,
    wanted: DataBreak,
    /// The text that has the variable, and the variable: it stays the same one where its name is not visible yet, or means
    /// another.
    variable: (String, VarId),
}

impl Breaks {
    /// Whether a variable is watched.
    pub fn watches(&self) -> bool {
        !self.data.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.data.is_empty() && self.exceptions.is_empty()
    }
}

impl Session {
    /// Sets the breakpoints of a text ([`crate::Source::id`]), in the place of those that it had.
    pub fn set_breakpoints(&mut self, source: &str, breakpoints: &[LineBreak]) -> Vec<BreakStatus> {
        self.breaks.lines.retain(|(known, ..)| known != source);
        let bench = self.bench_of(source);
        let mut all = Vec::new();
        for wanted in breakpoints {
            self.breaks.next += 1;
            let id = self.breaks.next;
            let refused = |message: String| BreakStatus { id, verified: false, line: None, message: Some(message) };
            let status = match (&bench, wanted.hit_count.as_deref().map(Hits::parse)) {
                (_, Some(None)) => {
                    refused("a hit count is a number, perhaps with ==, >, >=, <, <= or % in front of it".to_owned())
                }
                (None, _) => {
                    let message = "it is checked when an invocation of this shader is entered".to_owned();
                    BreakStatus { id, verified: true, line: Some(wanted.line), message: Some(message) }
                }
                (Some(bench), _) => match statement_from(bench.shader(), wanted.line) {
                    None => refused(format!("no statement begins in line {} or after it", wanted.line)),
                    Some((site, line)) => match wrong(bench, site, wanted) {
                        Some(message) => refused(message),
                        None => BreakStatus { id, verified: true, line: Some(line), message: None },
                    },
                },
            };
            if status.verified {
                self.breaks.lines.push((source.to_owned(), id, wanted.clone()));
            }
            all.push(status);
        }
        all
    }

    /// Sets all breakpoints for writes to variables, in the place of those that there were. A stop is behind the
    /// statement that gave the variable another value; on the way back it is in front of the one that wrote it. A
    /// breakpoint that was there before keeps its variable, even where its name now means another one of the same text. A
    /// variable that is declared further on can be watched, if no other has its name.
    pub fn set_data_breakpoints(&mut self, breakpoints: &[DataBreak]) -> Vec<BreakStatus> {
        let mut before = std::mem::take(&mut self.breaks.data);
        let mut all = Vec::new();
        for wanted in breakpoints {
            self.breaks.next += 1;
            let id = self.breaks.next;
            let known = before.iter().position(|data| data.wanted.path == wanted.path);
            let known = known.map(|place| before.remove(place).variable);
            let visible = self.watchable(&wanted.path);
            let variable = match (visible, known) {
                (Ok(visible), Some(known)) if known.0 != visible.0 => Ok(visible),
                (_, Some(known)) => Ok(known),
                (visible, None) => visible,
            };
            let message = variable.as_ref().err().map(ToString::to_string);
            all.push(BreakStatus { id, verified: variable.is_ok(), line: None, message });
            self.breaks.data.extend(variable.ok().map(|variable| Data { id, wanted: wanted.clone(), variable }));
        }
        all
    }

    /// What [`Session::set_exception_breakpoints`] can stop for.
    #[must_use]
    pub fn exception_kinds() -> Vec<ExceptionKind> {
        KINDS.iter().map(|(kind, name)| ExceptionKind { code: kind.code(), name }).collect()
    }

    /// Stops where something undefined of these kinds ([`ExceptionKind::code`]) happens for the first time at its
    /// place in the text.
    ///
    /// # Errors
    /// When there is no such kind.
    pub fn set_exception_breakpoints(&mut self, kinds: &[String]) -> Result<(), SessionError> {
        for kind in kinds {
            if !KINDS.iter().any(|(known, _)| known.code() == kind) {
                let known = KINDS.iter().map(|(kind, _)| kind.code()).collect();
                return Err(SessionError::UnknownException { name: kind.clone(), known });
            }
        }
        self.breaks.exceptions = kinds.to_vec();
        Ok(())
    }

    /// What the invocation does that the language leaves undefined, from its start to its end.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn findings(&self) -> Result<Vec<Finding>, SessionError> {
        let top = self.top()?;
        self.control.tell(Activity::Walking, 0, None);
        let found = top.held.ask(|run| run.findings())?.ok_or(SessionError::Interrupted)?;
        let finding = |found: Undefined| Finding {
            kind: found.kind.code().to_owned(),
            message: found.message,
            location: match found.subject {
                emulator::sanitize::Subject::Site(site) => Some(top.bench.location(site)),
                _ => None,
            },
            moment: found.moment.map(|moment| moment.to_string()),
            count: found.count,
        };
        Ok(found.into_iter().map(finding).collect())
    }

    /// Returns the last write to a variable, or part of one, before now; `None` if there is none since the invocation began.
    ///
    /// # Errors
    /// When there is no such variable in the frame, or it lives in a buffer.
    pub fn last_write(&self, frame: usize, path: &str) -> Result<Option<Write>, SessionError> {
        let (pass, spot) = self.spot(frame, path)?;
        let watched = watched(0, &spot, &DataBreak { path: path.to_owned(), condition: None });
        self.control.tell(Activity::Walking, 0, None);
        let found = pass.held.ask(move |run| run.last_write(&watched))?;
        if found.is_none() {
            self.control.heed()?;
        }
        Ok(found.map(|found| Write {
            time: found.time,
            location: found.site.map(|site| pass.bench.location(site)),
            old: found.old,
            new: found.new,
        }))
    }

    /// Runs to a line and stops for nothing else: forwards, or backwards if the invocation does not come there again. Goes
    /// back to where it was if the invocation never comes there.
    ///
    /// # Errors
    /// When no statement begins in the line or after it, or none there is executed.
    pub fn run_to_line(&mut self, line: u32) -> Result<Stop, SessionError> {
        let own = std::mem::take(&mut self.breaks);
        let stop = self.run_to_only_break(line);
        self.breaks = own;
        stop
    }

    /// Runs from the start to a moment, given as text ([`Stop::moment`]), and stops for nothing else.
    ///
    /// # Errors
    /// When the text is no moment, or the invocation does not come there.
    pub fn run_to_moment(&mut self, moment: &str) -> Result<Stop, SessionError> {
        let unknown = || SessionError::NoSuchMoment { moment: moment.to_owned() };
        let wanted: Moment = moment.parse().map_err(|_| unknown())?;
        let (top, text) = (self.top()?, moment.to_owned());
        // A run stops at statements, and a condition may hold in the midst of one.
        let wanted = moment::glsl::stop(top.bench.shader(), &wanted).unwrap_or(wanted);
        self.control.tell(Activity::Walking, 0, None);
        match top.held.ask(move |run| {
            run.step(Step::ToStart);
            run.run_to(&wanted)
        })? {
            Arrival::There | Arrival::Start => self.stop(Reason::Step),
            Arrival::Interrupted => self.stop(Reason::Interrupted),
            Arrival::Endless => Err(SessionError::Endless),
            Arrival::End | Arrival::Never => Err(SessionError::MomentNotReached { moment: text }),
        }
    }

    fn run_to_only_break(&mut self, line: u32) -> Result<Stop, SessionError> {
        let from = self.position()?;
        let bench = &self.top()?.bench;
        let (_, begins) =
            statement_from(bench.shader(), line).ok_or(SessionError::NoStatementAt { line, or_after: true })?;
        let source = bench.source.id.clone();
        self.set_breakpoints(&source, &[LineBreak { line: begins, ..LineBreak::default() }]);
        for step in [Step::Continue, Step::ReverseContinue] {
            let stop = self.go_on(step)?;
            match stop.reason {
                Reason::Breakpoint { .. } => return Ok(Stop { reason: Reason::Step, ..stop }),
                Reason::Interrupted => return Ok(stop),
                _ => self.go_to(&from)?,
            };
        }
        let here = self.stop(Reason::Step)?;
        if here.location.line == begins {
            Ok(here)
        } else {
            Err(SessionError::LineNotReached { line: begins, asked: line })
        }
    }

    /// On to the next breakpoint or back to the last.
    pub(crate) fn go_on(&mut self, step: Step) -> Result<Stop, SessionError> {
        let (search, findings) = self.search(step.is_back(), None)?;
        let hit = self.top()?.held.ask(move |run| run.search(&search))?;
        let reason = self.reason(&hit, &findings)?;
        self.stop_with(reason, hit.log)
    }

    /// Steps over or out, unless there is a breakpoint on the way.
    pub(crate) fn step_past(&mut self, step: Step) -> Result<Stop, SessionError> {
        let top = self.top()?;
        let armed = !self.breaks.is_empty();
        let (from, arrival, to) = top.held.ask(move |run| {
            let from = run.at().time;
            let arrival = run.step(step);
            if arrival == Arrival::Interrupted && armed {
                // Breakpoints on the way have not been looked for.
                run.go_to(from);
            }
            (from, arrival, run.at().time)
        })?;
        let reason = crate::walk::reason(arrival)?;
        if !armed || arrival == Arrival::Interrupted {
            return self.stop(reason);
        }
        let (search, findings) = self.search(step.is_back(), Some(to))?;
        let hit = self.top()?.held.ask(move |run| {
            run.go_to(from);
            let hit = run.search(&search);
            let here = run.at().time;
            let before = if search.back { here > to } else { here < to };
            // What the step itself writes is said where it ends.
            let there = here == to && hit.data.is_some();
            if hit.arrival == Arrival::Interrupted || hit.arrival == Arrival::There && (before || there) {
                return Some(hit);
            }
            run.go_to(to);
            (!hit.log.is_empty()).then_some(Hit {
                arrival,
                lines: Vec::new(),
                data: None,
                ahead: false,
                exception: None,
                log: hit.log,
            })
        })?;
        match hit {
            Some(hit) if hit.is_stop() || hit.arrival == Arrival::Interrupted => {
                let reason = self.reason(&hit, &findings)?;
                self.stop_with(reason, hit.log)
            }
            Some(hit) => self.stop_with(reason, hit.log),
            None => self.stop(reason),
        }
    }

    /// Everything that the invocation that is walked through is to be stopped for; forwards not beyond a time.
    fn search(&self, back: bool, until: Option<u64>) -> Result<(Search, Vec<Undefined>), SessionError> {
        let top = self.top()?;
        let mut search = Search { back, until, ..Search::default() };
        for (source, id, wanted) in &self.breaks.lines {
            if *source == top.bench.source.id {
                search.lines.extend(armed(&top.bench, *id, wanted));
            }
        }
        for Data { id, wanted, variable: (source, variable) } in &self.breaks.data {
            // In another shader the path means the variable of that name there, if there is one.
            let spot = if *source == top.bench.source.id {
                crate::look::spot_in(&top.bench, *variable, &wanted.path)
            } else {
                self.spot(0, &wanted.path).ok().map(|(_, spot)| spot)
            };
            search.data.extend(spot.map(|spot| watched(*id, &spot, wanted)));
        }
        let mut findings = Vec::new();
        if !self.breaks.exceptions.is_empty() {
            findings = top.held.ask(|run| run.findings())?.ok_or(SessionError::Interrupted)?;
            let wanted = |found: &Undefined| self.breaks.exceptions.iter().any(|kind| kind == found.kind.code());
            for (number, found) in findings.iter().enumerate().filter(|(_, found)| wanted(found)) {
                let stop = found.moment.as_ref().and_then(|moment| moment::glsl::stop(top.bench.shader(), moment));
                search.exceptions.extend(stop.map(|moment| (number, moment)));
            }
        }
        Ok((search, findings))
    }

    /// Why a search ended where it did.
    fn reason(&self, hit: &Hit, findings: &[Undefined]) -> Result<Reason, SessionError> {
        if hit.arrival != Arrival::There {
            return crate::walk::reason(hit.arrival);
        }
        Ok(match (hit.exception.and_then(|number| findings.get(number)), &hit.data) {
            (Some(found), _) => {
                Reason::Exception { kind: found.kind.code().to_owned(), message: found.message.clone() }
            }
            (None, Some((id, old, new))) => {
                let path = self.breaks.data.iter().find(|data| data.id == *id).map(|data| data.wanted.path.clone());
                let (path, ahead) = (path.unwrap_or_default(), hit.ahead);
                Reason::Data { id: *id, path, old: old.clone(), new: new.clone(), ahead }
            }
            (None, None) => Reason::Breakpoint { ids: hit.lines.clone() },
        })
    }

    fn stop_with(&self, reason: Reason, log: Vec<(u64, u32, String)>) -> Result<Stop, SessionError> {
        let mut stop = self.stop(reason)?;
        stop.log = log.into_iter().map(|(id, line, text)| LogLine { id, text, line }).collect();
        Ok(stop)
    }

    /// The variable in registers, or part of one, that a path means in a frame, and the pass of the frame.
    fn spot(&self, frame: usize, path: &str) -> Result<(&Pass, InVariable), SessionError> {
        let (pass, moment) = self.frame(frame)?;
        let none = || SessionError::NotInRegisters { path: path.to_owned() };
        Ok((pass, crate::look::spot(&pass.bench, &moment, path).ok_or_else(none)?))
    }

    /// The text and the variable that a path means where the session stands, or further on if no other has its name there.
    fn watchable(&mut self, path: &str) -> Result<(String, VarId), SessionError> {
        let (pass, moment) = self.frame(0)?;
        let found = crate::look::spot(&pass.bench, &moment, path);
        let found = found.or_else(|| crate::look::spot_ahead(&pass.bench, &moment, path));
        match found {
            Some(spot) => Ok((pass.bench.source.id.clone(), spot.id)),
            // What is wrong with the path as an expression says more.
            None => Err(self.evaluate(0, path).err().unwrap_or(SessionError::NotInRegisters { path: path.to_owned() })),
        }
    }

    /// A stage with that text, if one is known.
    pub(crate) fn bench_of(&self, source: &str) -> Option<std::sync::Arc<Bench>> {
        let entered = self.passes.iter().map(|pass: &Pass| &pass.bench);
        entered.chain(&self.benches).find(|bench| bench.source.id == source).cloned()
    }
}

/// A variable, or part of one, as something to be watched.
fn watched(id: u64, spot: &InVariable, wanted: &DataBreak) -> Watched {
    Watched { id, path: wanted.path.clone(), ty: spot.ty, home: spot.home, condition: wanted.condition.clone() }
}

/// What can be stopped for, with names for people.
const KINDS: [(FindingKind, &str); 15] = [
    (FindingKind::NotFinite, "NaN or infinity born"),
    (FindingKind::Uninitialized, "Uninitialised variable read"),
    (FindingKind::OutOfBounds, "Index out of bounds"),
    (FindingKind::DivisionByZero, "Division by zero"),
    (FindingKind::Domain, "Argument outside of a function's domain"),
    (FindingKind::Shift, "Shift too wide"),
    (FindingKind::Bitfield, "Bits outside of the word"),
    (FindingKind::DivergentDerivative, "Derivative in divergent flow"),
    (FindingKind::DivergentBarrier, "Barrier in divergent flow"),
    (FindingKind::IndexOverflow, "Overflow in an index"),
    (FindingKind::Conversion, "Conversion that does not fit"),
    (FindingKind::MissingReturn, "Function without return"),
    (FindingKind::UnwrittenOutput, "Output not written"),
    (FindingKind::Race, "Race on a shared variable"),
    (FindingKind::Unbound, "Nothing bound"),
];

/// A breakpoint in a shader.
fn armed(bench: &Bench, id: u64, wanted: &LineBreak) -> Option<Armed> {
    let (site, line) = statement_from(bench.shader(), wanted.line)?;
    // What cannot be spelled was refused when it was set.
    let spelled = |text: &String| {
        let spelled = instrument::nan::spelled(bench.shader(), &bench.options, NodeId::Stmt(site), text);
        spelled.unwrap_or_else(|_| text.clone())
    };
    Some(Armed {
        id,
        line,
        site: site.into(),
        condition: wanted.condition.as_ref().filter(|text| !text.trim().is_empty()).map(spelled),
        hits: wanted.hit_count.as_deref().and_then(Hits::parse),
        log: wanted.log.as_deref().map(Piece::parse),
    })
}

/// What is wrong with a condition where it stands.
fn wrong(bench: &Bench, site: StmtId, wanted: &LineBreak) -> Option<String> {
    let text = wanted.condition.as_deref().filter(|text| !text.trim().is_empty())?;
    let spelled = match instrument::nan::spelled(bench.shader(), &bench.options, NodeId::Stmt(site), text) {
        Ok(spelled) => spelled,
        Err(why) => return Some(why),
    };
    let point = moment::glsl::insert::InsertionPoint { statement: site, inside: false };
    match moment::glsl::insert::insert(bench.shader(), &bench.options, point, &spelled) {
        Ok(inserted) => {
            let ty = inserted.shader.typed.expr(inserted.expr).ty;
            (ty != shader::types::Type::BOOL).then(|| {
                format!("a condition is true or false, and `{text}` is of type {}", inserted.shader.type_name(ty))
            })
        }
        Err(moment::glsl::insert::InsertError::Wrong(findings)) => {
            findings.into_iter().next().map(|first| first.message)
        }
        Err(_) => Some(format!("`{text}` is no expression that can stand there")),
    }
}
