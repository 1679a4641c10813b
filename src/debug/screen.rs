//! The debugger on a terminal.

mod draw;
mod image;
mod keys;
mod mouse;
mod paint;
mod prompt;
mod search;
mod state;
mod terminal;
mod theme;
pub mod tty;
mod workshop;
mod wrap;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use session::Picture;

use super::desk::Desk;
use super::view::{Memory, View};
use image::{GraphicsProtocol, Shot};
use paint::Sent;
use state::{Line, Pane, State};
use theme::Depth;
use tty::Terminal;
use workshop::{News, Workshop};

/// After this time without a key, postponed work is done.
const IDLE: Duration = Duration::from_millis(60);

/// What takes no longer is not announced.
const QUICK: Duration = Duration::from_millis(40);

/// Between two looks at how far something is that takes long.
const PULSE: Duration = Duration::from_millis(100);

/// Where there is nothing to do but wait.
const LONG: Duration = Duration::from_secs(3600);

/// A screen, and the debugger behind it.
pub struct Screen {
    workshop: Workshop,
    view: View,
    state: State,
    shot: Option<Shot>,
    /// Pictures by the commands they were taken after.
    pictures: BTreeMap<u64, Option<Arc<Picture>>>,
    manner: GraphicsProtocol,
    colours: Depth,
    /// What was sent to the terminal beside the cells.
    sent: Option<Sent>,
    /// The invocation that the device was last asked to record ahead.
    recorded: Option<session::Invocation>,
    /// How many parts of the recording are there, of how many.
    parts: Option<[usize; 2]>,
    quit: bool,
}

/// Runs until the user leaves. `first` is shown at the start.
///
/// # Errors
/// When the terminal cannot be used.
pub fn run(mut desk: Desk, first: &str, colour: bool) -> anyhow::Result<()> {
    desk.session.wait_for_device(false);
    let mut terminal = tty::take_over(colour)?;
    let outcome = (|| {
        let manner = terminal::ask().unwrap_or(GraphicsProtocol::Blocks);
        tty::listen_to_mouse()?;
        let mut screen = Screen::new(desk, manner, Depth::of_terminal(colour));
        screen.state.say(first);
        let outcome = screen.look("looking around", &mut terminal, |_| {}).and_then(|()| screen.serve(&mut terminal));
        remember(&screen.state.prompt.history);
        screen.take_back_picture()?;
        outcome
    })();
    tty::give_back();
    outcome
}

impl Screen {
    fn new(desk: Desk, manner: GraphicsProtocol, colours: Depth) -> Screen {
        Screen {
            workshop: Workshop::open(desk),
            view: View::default(),
            state: State::new(remembered()),
            shot: None,
            pictures: BTreeMap::new(),
            manner: if colours == Depth::Plain { GraphicsProtocol::Blocks } else { manner },
            colours,
            sent: None,
            recorded: None,
            parts: None,
            quit: false,
        }
    }

    fn serve(&mut self, terminal: &mut Terminal) -> anyhow::Result<()> {
        while !self.quit {
            self.paint(terminal)?;
            let Some(event) = self.event(terminal)? else { continue };
            match event {
                Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key, terminal)?,
                Event::Mouse(mouse) => self.mouse(mouse, terminal)?,
                Event::Resize(..) => self.redraw(terminal)?,
                Event::Paste(text) if self.state.prompt.open => {
                    let cursor = self.state.prompt.cursor;
                    let line = text.lines().next().unwrap_or_default();
                    self.state.prompt.text.insert_str(cursor, line);
                    self.state.prompt.cursor += line.len();
                }
                Event::Key(_) | Event::Paste(_) | Event::FocusGained | Event::FocusLost => {}
            }
        }
        Ok(())
    }

    /// Returns the next event. What takes longer than a step is done when the user does not type.
    fn event(&mut self, terminal: &mut Terminal) -> anyhow::Result<Option<Event>> {
        if let Some(event) = self.workshop.kept() {
            return Ok(Some(event));
        }
        let mut news = self.workshop.next(IDLE)?;
        if news.is_none() {
            if self.put_off(terminal)? {
                return Ok(None);
            }
            news = self.workshop.next(LONG)?;
        }
        Ok(match news {
            Some(News::Terminal(event)) => Some(event),
            Some(News::Done | News::Lost(_)) | None => None,
        })
    }

    /// Has something done that the user asked for, and waits for it with a screen that says how far it is. Escape or Ctrl-C
    /// end it early; other keys are for later. Nothing if it failed.
    fn work<T: Send + 'static>(
        &mut self,
        what: &str,
        terminal: &mut Terminal,
        work: impl FnOnce(&mut Desk, &mut Memory) -> T + Send + 'static,
    ) -> anyhow::Result<Option<T>> {
        self.wait(what, terminal, is_interruption, work)
    }

    /// The same for what the debugger does by itself: an Escape that leaves a list or a large picture leaves that, later.
    fn work_aside<T: Send + 'static>(
        &mut self,
        what: &str,
        terminal: &mut Terminal,
        work: impl FnOnce(&mut Desk, &mut Memory) -> T + Send + 'static,
    ) -> anyhow::Result<Option<T>> {
        let leaves = self.leaves_something();
        let ends = move |key: &KeyEvent| is_interruption(key) && !(leaves && key.code == KeyCode::Esc);
        self.wait(what, terminal, ends, work)
    }

    fn wait<T: Send + 'static>(
        &mut self,
        what: &str,
        terminal: &mut Terminal,
        ends: impl Fn(&KeyEvent) -> bool,
        work: impl FnOnce(&mut Desk, &mut Memory) -> T + Send + 'static,
    ) -> anyhow::Result<Option<T>> {
        self.workshop.control.clear();
        let answer = self.workshop.send(work);
        let begin = Instant::now();
        let mut patience = QUICK;
        loop {
            match self.workshop.next(patience)? {
                Some(News::Done) => break,
                Some(News::Terminal(Event::Key(key))) if ends(&key) => {
                    self.workshop.control.interrupt();
                    // What was typed before was meant for what is not coming.
                    self.workshop.forget();
                }
                Some(News::Terminal(Event::Resize(..))) => self.redraw(terminal)?,
                Some(News::Terminal(event)) => self.workshop.keep(event),
                Some(News::Lost(_)) | None => {}
            }
            patience = PULSE;
            self.state.working = Some(self.doing(what, begin.elapsed()));
            self.paint(terminal)?;
        }
        self.state.working = None;
        let answer = answer.try_recv().ok();
        if answer.is_none() {
            self.state.complain("the debugger failed on this; go on with something else, and report this trace");
        }
        Ok(answer)
    }

    /// What is being done, and how far it is.
    fn doing(&self, what: &str, since: Duration) -> String {
        let control = &self.workshop.control;
        let progress = control.progress().text();
        let progress = if progress.is_empty() { progress } else { format!(", {progress}") };
        match (control.is_interrupted(), since.as_secs()) {
            (true, _) => format!("{what}: ending it"),
            (false, 0) => format!("{what}{progress}"),
            (false, seconds) => format!("{what}{progress}, {seconds} s; Esc ends it"),
        }
    }

    /// Does what a line says, as if it had been typed.
    fn command(&mut self, line: &str, terminal: &mut Terminal) -> anyhow::Result<()> {
        self.state.console.push(Line::Command(line.to_owned()));
        let own = line.to_owned();
        self.act(line, terminal, move |desk| desk.execute(&own).map(|said| (said.text, said.quit)))
    }

    /// Does something, and shows what came of it.
    fn act(
        &mut self,
        what: &str,
        terminal: &mut Terminal,
        act: impl FnOnce(&mut Desk) -> anyhow::Result<(String, bool)> + Send + 'static,
    ) -> anyhow::Result<()> {
        let said = self.work(what, terminal, move |desk, _| act(desk))?;
        match said {
            Some(Ok((text, quit))) => {
                self.state.say(&text);
                self.quit = quit;
            }
            Some(Err(error)) => self.state.complain(&crate::cli::sentence(&error)),
            None => {}
        }
        self.state.source_top = None;
        if self.quit {
            return Ok(());
        }
        self.look(what, terminal, |_| {})
    }

    /// Looks around again, after something about what is shown was changed.
    fn look(
        &mut self,
        what: &str,
        terminal: &mut Terminal,
        change: impl FnOnce(&mut Memory) + Send + 'static,
    ) -> anyhow::Result<()> {
        let seen = self.work(what, terminal, move |desk, memory| {
            change(memory);
            View::of(desk, memory)
        })?;
        if let Some(view) = seen {
            self.seen(view);
        }
        Ok(())
    }

    /// Takes in what there is to see.
    fn seen(&mut self, view: View) {
        let who = |view: &View| view.stop.as_ref().map(|stop| stop.invocation.id);
        let (was_at_start, moved) = (self.view.is_at_start(), who(&self.view) != who(&view));
        self.view = view;
        if moved {
            // The cross is at the pixel that is debugged.
            self.state.cursor = None;
        }
        if was_at_start && !self.view.is_at_start() {
            self.state.focus = Pane::Source;
        }
        let level = |level: &super::view::Level| matches!(level, super::view::Level::Frame { number, .. } if *number == self.view.frame);
        self.state.level = self.view.stack.iter().position(level).unwrap_or(0);
        if self.view.is_at_start() {
            self.state.focus = Pane::Picture;
        }
        self.frame_picture();
    }

    /// Does one thing that was put off; false when there is none.
    fn put_off(&mut self, terminal: &mut Terminal) -> anyhow::Result<bool> {
        let wanted = self.view.picture_of.filter(|_| self.view.mask.is_none());
        let Some(command) = wanted.filter(|command| !self.pictures.contains_key(command)) else {
            return self.record_ahead(terminal);
        };
        match self.work_aside("taking the picture", terminal, move |desk, _| desk.session.picture(command))? {
            Some(Ok(picture)) => self.keep_picture(command, picture),
            Some(Err(error)) => {
                self.state.complain(&error.to_string());
                self.keep_picture(command, None);
            }
            None => self.keep_picture(command, None),
        }
        self.frame_picture();
        Ok(true)
    }

    /// Asks the device for the next part of its recording of the invocation while the user looks at emulated values, and
    /// shows what it says; false when that was done before.
    fn record_ahead(&mut self, terminal: &mut Terminal) -> anyhow::Result<bool> {
        let own = self.view.stop.as_ref().filter(|_| self.view.group.is_none());
        let Some(stop) = own.filter(|stop| self.recorded.as_ref() != Some(&stop.invocation)) else {
            return Ok(false);
        };
        let invocation = stop.invocation.clone();
        let what = match self.parts {
            Some([done, all]) => format!("recording it on the device, part {} of {all}", done + 1),
            None => "recording it on the device".to_owned(),
        };
        let asked = self.work_aside(&what, terminal, |desk, memory| {
            let more = desk.session.record_ahead().is_ok_and(|more| more);
            (more, desk.session.recorded_parts(), View::of(desk, memory))
        })?;
        let (more, parts, view) = asked.map_or((false, None, None), |(more, parts, view)| (more, parts, Some(view)));
        self.parts = parts;
        if !more {
            // An invocation that cannot be recorded says so where its values are shown.
            self.recorded = Some(invocation);
        }
        if let Some(view) = view {
            self.seen(view);
        }
        Ok(true)
    }
}

/// Whether a key ends what is being done.
fn is_interruption(key: &KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    key.kind != KeyEventKind::Release && (key.code == KeyCode::Esc || control && key.code == KeyCode::Char('c'))
}

/// Where the lines are that were typed before, as the XDG Base Directory Specification says.
fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    Some(state.join("afterimage/debug-history"))
}

fn remembered() -> Vec<String> {
    let text = history_file().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Keeps the lines that were typed. It is a courtesy: where they cannot be kept, nothing is lost but them.
fn remember(lines: &[String]) {
    let Some(file) = history_file() else { return };
    if let Some(folder) = file.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = std::fs::write(file, lines.join("\n") + "\n");
}
