//! The debugger on a terminal.

mod draw;
mod image;
mod keys;
mod prompt;
mod state;
mod terminal;
mod theme;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::layout::Rect;
use session::{Choice, Picture};

use super::desk::Desk;
use super::view::{Memory, View};
use draw::Scene;
use image::{Manner, Shot};
use state::{Line, State};
use theme::Depth;

/// Without a key for so long there is time for what was put off.
const IDLE: Duration = Duration::from_millis(60);

/// A screen, and the debugger behind it.
pub struct Screen {
    desk: Desk,
    memory: Memory,
    view: View,
    state: State,
    shot: Option<Shot>,
    /// Pictures by the commands they were taken after.
    pictures: BTreeMap<u64, Option<Picture>>,
    /// So many passes of the history are known, for the pixel that was chosen.
    depth: u32,
    manner: Manner,
    colours: Depth,
    /// What was sent to the terminal beside the cells.
    sent: Option<(Rect, u64, Option<[u32; 2]>)>,
    quit: bool,
}

/// Runs until somebody leaves. `first` is said at the start.
///
/// # Errors
/// When the terminal cannot be used.
pub fn run(desk: Desk, first: &str, colour: bool) -> anyhow::Result<()> {
    let mut terminal = ratatui::try_init().context("the terminal cannot be used")?;
    let outcome = (|| {
        let manner = terminal::ask().unwrap_or(Manner::Blocks);
        execute!(std::io::stdout(), EnableMouseCapture)?;
        let mut screen = Screen::new(desk, manner, Depth::of_terminal(colour));
        screen.state.say(first);
        let outcome = screen.serve(&mut terminal);
        remember(&screen.state.prompt.history);
        execute!(std::io::stdout(), DisableMouseCapture)?;
        outcome
    })();
    ratatui::restore();
    outcome
}

impl Screen {
    fn new(desk: Desk, manner: Manner, colours: Depth) -> Screen {
        let mut screen = Screen {
            desk,
            memory: Memory::default(),
            view: View::default(),
            state: State::new(remembered()),
            shot: None,
            pictures: BTreeMap::new(),
            depth: 0,
            manner: if colours == Depth::Plain { Manner::Blocks } else { manner },
            colours,
            sent: None,
            quit: false,
        };
        screen.look();
        screen
    }

    fn serve(&mut self, terminal: &mut ratatui::DefaultTerminal) -> anyhow::Result<()> {
        while !self.quit {
            self.paint(terminal)?;
            // What takes longer than a step is done when nobody types.
            while !event::poll(IDLE)? {
                if !self.put_off(terminal)? {
                    break;
                }
                self.paint(terminal)?;
            }
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key, terminal)?,
                Event::Mouse(mouse) => self.mouse(mouse, terminal)?,
                Event::Resize(..) => {
                    self.sent = None;
                    terminal.clear()?;
                }
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

    fn paint(&mut self, terminal: &mut ratatui::DefaultTerminal) -> anyhow::Result<()> {
        let (view, shot, state) = (&self.view, self.shot.as_ref(), &mut self.state);
        let scene = Scene { view, shot, manner: self.manner, depth: self.colours };
        terminal.draw(|frame| draw::draw(frame, &scene, state))?;
        let Some(shot) = &self.shot else { return Ok(()) };
        let area = self.state.areas.picture;
        let key = (area, self.picture_of().unwrap_or(0), shot.pixel);
        if self.manner == Manner::Blocks || area.area() == 0 || self.state.help || self.sent == Some(key) {
            return Ok(());
        }
        if let Some(text) = image::escape(self.manner, shot, area) {
            let mut out = std::io::stdout().lock();
            write!(out, "\x1b7{}{text}\x1b8", image::erase(self.manner))?;
            out.flush()?;
            self.sent = Some(key);
        }
        Ok(())
    }

    /// Does what a line says, as if it had been typed.
    fn command(&mut self, line: &str, terminal: &mut ratatui::DefaultTerminal) -> anyhow::Result<()> {
        self.state.console.push(Line::Command(line.to_owned()));
        self.act(line, terminal, |desk| desk.execute(line).map(|said| (said.text, said.quit)))
    }

    /// Does something, and shows what came of it.
    fn act(
        &mut self,
        what: &str,
        terminal: &mut ratatui::DefaultTerminal,
        act: impl FnOnce(&mut Desk) -> anyhow::Result<(String, bool)>,
    ) -> anyhow::Result<()> {
        self.state.working = Some(what.to_owned());
        self.paint(terminal)?;
        match act(&mut self.desk) {
            Ok((text, quit)) => {
                self.state.say(&text);
                self.quit = quit;
            }
            Err(error) => self.state.complain(&format!("{error:#}")),
        }
        self.state.working = None;
        self.state.source_top = None;
        self.look();
        Ok(())
    }

    /// Looks around again.
    fn look(&mut self) {
        self.view = View::of(&mut self.desk, &mut self.memory);
        let level = |level: &super::view::Level| matches!(level, super::view::Level::Frame { number, .. } if *number == self.view.frame);
        self.state.level = self.view.stack.iter().position(level).unwrap_or(0);
        self.frame_picture();
    }

    /// The command after which the picture is taken: the frame, or in an earlier pass what that draws to.
    fn picture_of(&self) -> Option<u64> {
        let stop = self.desk.stop.as_ref();
        let command = stop.map(|stop| stop.invocation.command);
        let shown = |frame: usize| {
            let frame = self.desk.session.frames().get(frame)?.clone();
            // Before it is shown: what is shown is gone from behind when it is.
            Some(frame.last_command.saturating_sub(1).max(frame.first_command))
        };
        match (&self.desk.chosen, stop) {
            (Some(Choice::Pixel { .. }), Some(stop)) if stop.pass == 0 => shown(stop.invocation.frame),
            (None, None) => shown(self.desk.session.frames().len().checked_sub(1)?),
            _ => command,
        }
    }

    /// The picture as it is known, with the pixel in it.
    fn frame_picture(&mut self) {
        let Some(command) = self.picture_of() else {
            self.shot = None;
            return;
        };
        let Some(Some(picture)) = self.pictures.get(&command) else {
            if self.pictures.contains_key(&command) {
                self.shot = None;
            }
            return;
        };
        let stop = self.desk.stop.as_ref();
        let own = stop.filter(|stop| stop.invocation.stage == "fragment").map(|stop| stop.invocation.id);
        let own = own.and_then(|id| Some([u32::try_from(id[0]).ok()?, u32::try_from(id[1]).ok()?]));
        let pixel = self.state.cursor.or(own);
        let at = pixel.map_or(String::new(), |[x, y]| format!(" · {x},{y}"));
        let title = match stop {
            Some(stop) if stop.invocation.command == command => format!("after command {command}{at}"),
            Some(stop) => format!("frame {}{at}", stop.invocation.frame),
            None => format!("the last frame{at}"),
        };
        self.shot = Some(Shot { picture: picture.clone(), pixel, title });
    }

    /// Does one thing that was put off; false when there is none.
    fn put_off(&mut self, terminal: &mut ratatui::DefaultTerminal) -> anyhow::Result<bool> {
        let Some(command) = self.picture_of().filter(|command| !self.pictures.contains_key(command)) else {
            return Ok(false);
        };
        self.state.working = Some("taking the picture".to_owned());
        self.paint(terminal)?;
        match self.desk.session.picture(command) {
            Ok(picture) => drop(self.pictures.insert(command, picture)),
            Err(error) => {
                self.state.complain(&error.to_string());
                self.pictures.insert(command, None);
            }
        }
        self.state.working = None;
        self.frame_picture();
        Ok(true)
    }
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
