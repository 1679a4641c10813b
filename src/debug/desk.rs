//! The debugger without a face: commands go in, text comes out, and there is always something to look at.

mod change;
mod choose;
mod find;
pub mod group;
mod info;
pub mod past;
mod stops;
pub mod text;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use session::{Choice, GroupStop, History, Position, Reason, Session, Stop};

use self::past::Entered;
use super::command::{self, Entry, Verb};
use super::place::{InvocationArgs, number};
use crate::amount::plural;
use stops::Stops;

/// Positions that `back` can go back to.
const MOST_TRAIL: usize = 100;

/// A trace that is open, and everything that was said about it.
pub struct Desk {
    pub session: Session,
    pub trace: PathBuf,
    /// Where it stands; nothing before an invocation is chosen.
    pub stop: Option<Stop>,
    /// The frame of the backtrace that is looked at.
    pub frame: usize,
    /// Expressions that are shown at every stop, with their numbers.
    pub displays: Vec<(usize, String)>,
    pub stops: Stops,
    /// What the pixel was made of, as far as it was asked for.
    pub history: Option<History>,
    /// How many passes back it was asked for.
    history_depth: u32,
    /// What was chosen last, as it was chosen.
    pub chosen: Option<Choice>,
    /// Where the user was before entering other invocations, and what was chosen then.
    trail: Vec<(Position, Choice)>,
    /// Where all fragments of a draw stand, while they are walked through together.
    pub group: Option<GroupStop>,
    /// The frame whose picture the user wants to see before choosing an invocation; the last without one.
    wanted_frame: Option<usize>,
    /// There is a picture beside what commands say.
    pub shows_pictures: bool,
    /// The event of the history that was entered last.
    pub entered: Entered,
    /// What `find` found last, and when the condition first holds there.
    found: Vec<(Choice, Option<String>)>,
    /// What an empty line does.
    last: String,
    next_display: usize,
}

/// What a command says.
#[derive(Default)]
pub struct Said {
    /// Lines.
    pub text: String,
    /// Nothing more is wanted.
    pub quit: bool,
}

impl Desk {
    pub fn new(session: Session, trace: &Path) -> Desk {
        Desk {
            session,
            trace: trace.to_owned(),
            stop: None,
            frame: 0,
            displays: Vec::new(),
            stops: Stops::default(),
            history: None,
            history_depth: 0,
            trail: Vec::new(),
            chosen: None,
            group: None,
            wanted_frame: None,
            shows_pictures: false,
            entered: Entered::default(),
            found: Vec::new(),
            last: String::new(),
            next_display: 1,
        }
    }

    /// Does what a line says.
    ///
    /// # Errors
    /// When it cannot be done: one sentence.
    pub fn execute(&mut self, line: &str) -> anyhow::Result<Said> {
        let (typed, line) = (line.trim(), command::without_comment(line).trim());
        if line.is_empty() && !typed.is_empty() {
            return Ok(Said::default());
        }
        let line = if line.is_empty() { self.last.clone() } else { line.to_owned() };
        if line.is_empty() {
            return Ok(Said::default());
        }
        let (entry, rest) = command::parse(&line)?;
        let said = self.act(entry, rest);
        self.last = line;
        if entry.verb == Verb::Quit {
            return Ok(Said { text: String::new(), quit: true });
        }
        said.map(|text| Said { text, quit: false })
    }

    /// Enters the invocation that the command line names, and returns what there is to say about it. If it names none, the
    /// frame that it names is the one to choose a pixel of.
    ///
    /// # Errors
    /// When the invocation or the frame is not there.
    pub fn begin(&mut self, place: &InvocationArgs) -> anyhow::Result<Option<String>> {
        let choice = place.choice(&self.session)?;
        self.wanted_frame = place.frame;
        choice.map(|choice| self.enter(&choice)).transpose()
    }

    /// Enters an invocation.
    ///
    /// # Errors
    /// When it is not there.
    pub fn enter(&mut self, choice: &Choice) -> anyhow::Result<String> {
        let from = self.session.position().ok();
        let stop = self.session.enter(choice)?;
        self.leave(from);
        self.chosen = Some(choice.clone());
        (self.history, self.entered) = (None, Entered::default());
        Ok(self.arrive(stop))
    }

    /// Notes where the user was before entering an invocation.
    fn leave(&mut self, from: Option<Position>) {
        self.trail.extend(from.zip(self.chosen.clone()));
        if self.trail.len() > MOST_TRAIL {
            self.trail.remove(0);
        }
    }

    /// Goes back to where the user was before entering an invocation.
    fn back(&mut self) -> anyhow::Result<String> {
        let (position, chosen) = self.trail.last().context("no other invocation was entered before this one")?;
        let stop = self.session.go_to(position)?;
        if self.chosen.as_ref() != Some(chosen) {
            (self.history, self.chosen) = (None, Some(chosen.clone()));
        }
        self.trail.pop();
        Ok(self.arrive(stop))
    }

    /// The frame whose picture is shown: that of the pixel that was chosen, or before one is chosen the one that the user
    /// wants to see; none if the trace has none.
    pub fn shown_frame(&self) -> Option<usize> {
        let last = self.session.frames().len().checked_sub(1)?;
        let wanted = match &self.chosen {
            Some(Choice::Pixel { frame, .. }) => *frame,
            _ => self.wanted_frame,
        };
        Some(wanted.unwrap_or(last).min(last))
    }

    /// Shows the picture of another frame: the next, or the one before.
    pub fn show_frame(&mut self, next: bool) -> Option<usize> {
        let shown = self.shown_frame()?;
        self.wanted_frame = Some(if next { shown + 1 } else { shown.saturating_sub(1) });
        self.shown_frame()
    }

    /// Where it stands.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn here(&self) -> anyhow::Result<&Stop> {
        match &self.stop {
            Some(stop) => Ok(stop),
            None => bail!("no invocation is being debugged; choose one with `pixel X,Y` or `fragment COMMAND X,Y`"),
        }
    }

    /// The expressions that are shown at every stop, with what they come to.
    pub fn displayed(&mut self) -> Vec<(usize, String, Result<session::Variable, String>)> {
        let Desk { session, frame, displays, .. } = self;
        let one = |(number, expression): &(usize, String)| {
            let value = session.evaluate(*frame, expression).map_err(|error| error.to_string());
            (*number, expression.clone(), value)
        };
        displays.iter().map(one).collect()
    }

    fn act(&mut self, entry: &Entry, rest: &str) -> anyhow::Result<String> {
        if self.group.is_some() {
            self.refuse_in_group(entry)?;
        }
        match entry.verb {
            Verb::Go(step) => {
                let times: u64 = if rest.is_empty() { 1 } else { number(rest, "number of steps")? };
                if self.group.is_some() {
                    return self.step_group(step, times);
                }
                let mut stop = self.here()?.clone();
                let mut log = Vec::new();
                for _ in 0..times {
                    let next = self.session.step(step)?;
                    let still = (next.time, next.pass, next.ended) == (stop.time, stop.pass, stop.ended);
                    log.extend(next.log.iter().cloned());
                    stop = next;
                    if still || stop.reason == Reason::Interrupted {
                        break;
                    }
                }
                stop.log = log;
                // Out of an invocation that a read led to is where `back` would go.
                if stop.reason == Reason::Pass
                    && let (Some((position, _)), Ok(here)) = (self.trail.last(), self.session.position())
                    && *position == here
                {
                    self.trail.pop();
                }
                Ok(self.arrive(stop))
            }
            Verb::Goto => self.go_to(rest),
            Verb::Break => self.set_break(rest),
            Verb::Watch => self.set_watch(rest),
            Verb::Catch => self.set_catch(rest),
            Verb::Delete => self.delete(rest),
            Verb::Print => self.print(rest),
            Verb::Display => self.display(rest),
            Verb::Undisplay => self.undisplay(rest),
            Verb::Set => self.set(rest),
            Verb::Undo => {
                let stop = self.session.undo_changes()?;
                Ok("all values are the recorded ones again\n".to_owned() + &self.arrive(stop))
            }
            Verb::Info => self.info(rest),
            Verb::Backtrace => self.backtrace(),
            Verb::Frame => self.look_at(number(rest, "frame of the backtrace")?),
            Verb::Up => self.look_at(self.frame + 1),
            Verb::Down => match self.frame.checked_sub(1) {
                Some(frame) => self.look_at(frame),
                None => bail!("this is the innermost frame"),
            },
            Verb::List => self.list(rest),
            Verb::Reads => self.reads(),
            Verb::IntoRead => self.enter_read(rest),
            Verb::Pass => self.passes(),
            Verb::Pixel => self.pixel(rest),
            Verb::Fragment | Verb::Vertex | Verb::Primitive | Verb::Thread => self.choose(entry, rest),
            Verb::Lanes => self.lanes(),
            Verb::Lane => {
                let stop = self.session.follow(number(rest, "number of a lane")?)?;
                Ok(self.arrive(stop))
            }
            Verb::Findings => self.findings(),
            Verb::LastWrite => self.last_write(rest),
            Verb::History => self.tell_history(rest),
            Verb::Node => self.enter_node(rest),
            Verb::Back => self.back(),
            Verb::Way => self.tell_way(),
            Verb::Find => self.find(rest),
            Verb::Group => self.begin_group(rest),
            Verb::Choose => self.choose_way(rest),
            Verb::Mask => self.tell_mask(),
            Verb::Values => self.tell_values(rest),
            Verb::Measure => self.measure(rest),
            Verb::Help => command::help(rest),
            Verb::Quit => Ok(String::new()),
        }
    }

    /// Takes a stop in, and says where it is.
    pub(super) fn arrive(&mut self, stop: Stop) -> String {
        let other = self.stop.as_ref().is_none_or(|before| before.invocation != stop.invocation);
        let mut out = String::new();
        for line in &stop.log {
            let _ = writeln!(out, "line {}: {}", line.line, line.text);
        }
        if other {
            let _ = writeln!(out, "{}, {}", stop.invocation.name, stop.invocation.frame_name());
            if stop.invocation.changed_nothing {
                out.push_str(
                    "this fragment was drawn last, and left the pixel as it was; `history` shows what is below it\n",
                );
            }
            for missing in self.session.passes().last().map_or(Vec::new(), |pass| pass.missing.clone()) {
                let _ = writeln!(out, "note: values may differ from the device's; what the emulator lacks: {missing}");
            }
            if stop.invocation.others > 0 {
                let ([x, y, primitive, _], command) = (stop.invocation.id, stop.invocation.command);
                let entering = match primitive {
                    ..0 => String::new(),
                    _ => format!(", and `fragment {command} {x},{y} N` enters that of primitive N"),
                };
                let others = plural(stop.invocation.others, "other fragment");
                let _ = writeln!(
                    out,
                    "{others} of this draw ran at this pixel; `history` shows those that are blended{entering}"
                );
            }
        }
        out.push_str(&text::stop(&stop, &self.stops));
        self.stop = Some(stop);
        self.frame = 0;
        // Stepping one invocation ends the group.
        if self.group.take().is_some() {
            self.session.leave_group();
        }
        for (number, expression, value) in self.displayed() {
            let value = value.map_or_else(|error| format!("({error})"), |value| text::value(&value));
            let _ = writeln!(out, "{number}: {expression} = {value}");
        }
        out
    }

    fn look_at(&mut self, frame: usize) -> anyhow::Result<String> {
        let stack = self.session.stack()?;
        let Some(found) = stack.get(frame) else {
            bail!("there is no frame {frame}; the backtrace has {}, from 0", stack.len());
        };
        self.frame = frame;
        Ok(format!("{}\n", text::frame(frame, found)))
    }

    fn print(&mut self, expression: &str) -> anyhow::Result<String> {
        if expression.is_empty() {
            bail!("say what to print: `print color.rgb * 2.0`");
        }
        self.here()?;
        let value = self.session.evaluate(self.frame, expression)?;
        Ok(format!("{expression} = {}\n", text::value(&value)))
    }

    fn measure(&mut self, expression: &str) -> anyhow::Result<String> {
        if expression.is_empty() {
            bail!("say what to measure: `measure color.rgb * 2.0`");
        }
        self.here()?;
        let value = self.session.measure(self.frame, expression)?;
        let measured = value.value.measured.clone().unwrap_or_else(|| "nothing was measured".to_owned());
        let said = text::agreement(&value).map_or(String::new(), |said| format!("  [{said}]"));
        Ok(format!("{expression} = {measured}{said}\n"))
    }

    fn display(&mut self, expression: &str) -> anyhow::Result<String> {
        if !expression.is_empty() {
            self.here()?;
            self.displays.push((self.next_display, expression.to_owned()));
            self.next_display += 1;
        }
        let mut out = String::new();
        for (number, expression, value) in self.displayed() {
            let value = value.map_or_else(|error| format!("({error})"), |value| text::value(&value));
            let _ = writeln!(out, "{number}: {expression} = {value}");
        }
        Ok(out)
    }

    fn undisplay(&mut self, rest: &str) -> anyhow::Result<String> {
        if rest.is_empty() {
            self.displays.clear();
            return Ok(String::new());
        }
        let wanted: usize = number(rest, "number of a displayed expression")?;
        let before = self.displays.len();
        self.displays.retain(|(number, _)| *number != wanted);
        if self.displays.len() == before {
            bail!("nothing displayed has the number {wanted}");
        }
        Ok(String::new())
    }
}
