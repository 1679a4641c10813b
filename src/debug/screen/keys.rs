//! What keys and the mouse do.

use std::sync::Arc;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use session::Choice;

use super::draw::help;
use super::image::Lens;
use super::prompt::Typed;
use super::search::Search;
use super::state::{Pane, State};
use super::tty::Terminal;
use super::{Line, Screen};
use crate::debug::complete::complete;
use crate::debug::view::{Level, Row};

impl Screen {
    /// A key was pressed.
    pub(super) fn key(&mut self, key: KeyEvent, terminal: &mut Terminal) -> anyhow::Result<()> {
        if let Some(from) = &mut self.state.help {
            match key.code {
                KeyCode::Down | KeyCode::Char('j') => *from += 1,
                KeyCode::Up | KeyCode::Char('k') => *from = from.saturating_sub(1),
                KeyCode::PageDown | KeyCode::Char(' ') => *from += 20,
                KeyCode::PageUp => *from = from.saturating_sub(20),
                _ => self.state.help = None,
            }
            // These begin a command or a text, whose letters are no keys.
            if !matches!(key.code, KeyCode::Char(':' | '/')) {
                return Ok(());
            }
        }
        if self.state.prompt.open {
            match self.state.prompt.key(key) {
                Typed::Line(line) if ["help", "h"].contains(&line.trim()) => self.state.help = Some(help::COMMANDS),
                Typed::Line(line) => self.command(&line, terminal)?,
                Typed::Search(text) => self.search(&text),
                Typed::Complete => {
                    let line = self.state.prompt.text[..self.state.prompt.cursor].to_owned();
                    let offered = self.work("completing", terminal, move |desk, _| complete(desk, &line))?;
                    if let Some((word, offered)) = offered {
                        self.state.prompt.offer(word, offered);
                    }
                }
                Typed::Nothing | Typed::Left => {}
            }
            return Ok(());
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let shift = key.modifiers.contains(KeyModifiers::SHIFT);
        match key.code {
            // It ends what takes long, and may come a moment too late.
            KeyCode::Char('c') if control => self.state.say("nothing is being done; q leaves the debugger"),
            KeyCode::Char('l') if control => self.redraw(terminal)?,
            KeyCode::Char('q') => self.quit = true,
            KeyCode::Char(':') => self.state.prompt.begin(""),
            KeyCode::Char('/') => {
                if self.view.source.is_some() {
                    self.focus(Pane::Source);
                }
                self.state.prompt.begin_search();
            }
            KeyCode::Char('?') | KeyCode::F(1) => self.state.help = Some(0),
            KeyCode::Char('p') => self.enlarge(),
            KeyCode::Tab | KeyCode::BackTab if self.view.is_at_start() => self.focus(Pane::Picture),
            KeyCode::Tab => self.focus(self.state.focus.next()),
            KeyCode::BackTab => self.focus(self.state.focus.previous()),
            KeyCode::Esc if self.state.search.take().is_some() => {}
            KeyCode::Esc => {
                self.state.large = false;
                self.focus(self.home());
            }
            KeyCode::PageUp if shift => self.state.console_back += 5,
            KeyCode::PageDown if shift => self.state.console_back = self.state.console_back.saturating_sub(5),
            KeyCode::PageUp => self.scroll(-((self.state.areas.source.height / 2) as isize)),
            KeyCode::PageDown => self.scroll((self.state.areas.source.height / 2) as isize),
            code => match self.state.focus {
                Pane::Source => self.walk(code, terminal)?,
                Pane::Variables => self.in_variables(code, terminal)?,
                Pane::Stack => self.in_stack(code, terminal)?,
                Pane::History => self.in_history(code, terminal)?,
                Pane::Picture => self.in_picture(code, key.modifiers, terminal)?,
            },
        }
        Ok(())
    }

    /// The pane that Escape leads to.
    fn home(&self) -> Pane {
        if self.view.is_at_start() { Pane::Picture } else { Pane::Source }
    }

    /// Whether there is something that Escape leaves.
    pub(super) fn leaves_something(&self) -> bool {
        let State { search, large, help, prompt, focus, .. } = &self.state;
        search.is_some() || *large || help.is_some() || prompt.open || *focus != self.home()
    }

    /// Looks for a text in the shader, from the line on that is looked at.
    fn search(&mut self, text: &str) {
        let Some(source) = &self.view.source else {
            self.state.complain("there is no shader to search in; choose a pixel first");
            return;
        };
        if text.is_empty() {
            self.state.search = None;
            return;
        }
        let search = Search::new(text, source, self.view.line);
        self.state.source_top = None;
        if search.found() {
            self.state.search = Some(search);
        } else {
            self.state.complain(&search.text());
            self.state.search = None;
        }
    }

    /// Gives the picture the place of the source, or takes it back.
    fn enlarge(&mut self) {
        self.state.large = !self.state.large && !self.view.is_at_start();
        let pane = if self.state.large || self.view.is_at_start() { Pane::Picture } else { Pane::Source };
        self.focus(pane);
    }

    pub(super) fn focus(&mut self, pane: Pane) {
        self.state.focus = pane;
        self.state.cursor = None;
        self.frame_picture();
        if pane == Pane::Picture {
            self.state.cursor = self.shot.as_ref().and_then(|shot| shot.pixel);
        }
    }

    /// Keys that walk; they work in every pane that does not use them itself.
    fn walk(&mut self, code: KeyCode, terminal: &mut Terminal) -> anyhow::Result<()> {
        if let (Some(search), KeyCode::Char('n' | 'N')) = (&mut self.state.search, code) {
            search.go(code == KeyCode::Char('n'));
            self.state.source_top = None;
            return Ok(());
        }
        let line = match code {
            KeyCode::Down | KeyCode::Char('n') => "next",
            KeyCode::Right | KeyCode::Char('s') => "step",
            KeyCode::Char('f') => "finish",
            KeyCode::Char('c') => "continue",
            KeyCode::End => "end",
            KeyCode::Up | KeyCode::Char('N') => "reverse-next",
            KeyCode::Left | KeyCode::Char('S') => "reverse-step",
            KeyCode::Char('F') => "reverse-finish",
            KeyCode::Char('C') => "reverse-continue",
            KeyCode::Home => "start",
            KeyCode::Char('r') => "into-read",
            KeyCode::Char('u') => "up",
            KeyCode::Char('d') => "down",
            KeyCode::Char('h') => return self.further_back(terminal),
            KeyCode::Backspace => "back",
            KeyCode::Char('g') => return self.act("group", terminal, |desk| Ok((desk.toggle_group()?, false))),
            KeyCode::Char(digit @ ('1' | '2')) if self.view.group.is_some() => {
                let place = usize::from(digit == '2');
                return self.act("choose", terminal, move |desk| Ok((desk.take_branch(place)?, false)));
            }
            KeyCode::Char('l') if self.view.group.is_some() => "choose leave",
            KeyCode::Char('b') => {
                let line = self.view.line;
                return self.act("break", terminal, move |desk| Ok((desk.toggle_break(line)?, false)));
            }
            _ => return Ok(()),
        };
        self.command(line, terminal)
    }

    /// One pass more of the history.
    fn further_back(&mut self, terminal: &mut Terminal) -> anyhow::Result<()> {
        self.act("looking for who made this pixel", terminal, move |desk| {
            let depth = desk.remember_further()?;
            let count = desk.history.as_ref().map_or(0, |graph| graph.nodes.len());
            let passes = if depth == 1 { "one pass".to_owned() } else { format!("{depth} passes") };
            let events = crate::amount::plural(count as u64, "event");
            Ok((format!("{events} behind this pixel, {passes} back\n{}", desk.history_notes()), false))
        })?;
        if !self.view.history_title.is_empty() {
            // Where the large picture leaves no room for the list, the list is what was asked for.
            self.state.large &= self.state.areas.history.area() > 0;
            self.focus(Pane::History);
            // The event at which the debugger stands stays in view.
            self.state.event = self.view.history.iter().position(|event| event.current).unwrap_or(0);
        }
        Ok(())
    }

    fn in_variables(&mut self, code: KeyCode, terminal: &mut Terminal) -> anyhow::Result<()> {
        let Some(row) = self.view.variables.get(self.state.variable) else { return self.walk(code, terminal) };
        match (code, row) {
            (KeyCode::Up, _) => self.state.variable = self.state.variable.saturating_sub(1),
            (KeyCode::Down, _) => self.state.variable += 1,
            (KeyCode::Enter | KeyCode::Right | KeyCode::Left, _) => return self.fold(self.state.variable, terminal),
            (KeyCode::Char('w'), Row::Variable { path, .. }) => {
                let line = format!("last-write {path}");
                return self.command(&line, terminal);
            }
            (KeyCode::Char('d'), Row::Variable { path, .. }) => {
                let line = format!("display {path}");
                return self.command(&line, terminal);
            }
            _ => return self.walk(code, terminal),
        }
        Ok(())
    }

    /// Shows the parts of a variable, or hides them.
    pub(super) fn fold(&mut self, at: usize, terminal: &mut Terminal) -> anyhow::Result<()> {
        let Some(Row::Variable { path, open: Some(open), .. }) = self.view.variables.get(at) else { return Ok(()) };
        let (path, open) = (path.clone(), *open);
        self.look("looking", terminal, move |memory| match open {
            true => memory.open.retain(|known| *known != path),
            false => memory.open.push(path),
        })
    }

    pub(super) fn in_stack(&mut self, code: KeyCode, terminal: &mut Terminal) -> anyhow::Result<()> {
        match code {
            KeyCode::Up => self.state.level = self.state.level.saturating_sub(1),
            KeyCode::Down => self.state.level += 1,
            KeyCode::Enter => match self.view.stack.get(self.state.level) {
                Some(Level::Frame { number, .. }) => {
                    let line = format!("frame {number}");
                    return self.command(&line, terminal);
                }
                Some(Level::Pass(_)) | None => {}
            },
            _ => return self.walk(code, terminal),
        }
        Ok(())
    }

    pub(super) fn in_history(&mut self, code: KeyCode, terminal: &mut Terminal) -> anyhow::Result<()> {
        match code {
            KeyCode::Up => self.state.event = self.state.event.saturating_sub(1),
            KeyCode::Down => self.state.event += 1,
            KeyCode::Enter => {
                if let Some(event) = self.view.history.get(self.state.event) {
                    let (line, enters) = (format!("node {}", event.id), event.enterable);
                    self.command(&line, terminal)?;
                    if enters {
                        self.focus(Pane::Source);
                    }
                    return Ok(());
                }
            }
            _ => return self.walk(code, terminal),
        }
        Ok(())
    }

    fn in_picture(&mut self, code: KeyCode, with: KeyModifiers, terminal: &mut Terminal) -> anyhow::Result<()> {
        if let KeyCode::Char('<' | '>') = code
            && !self.view.is_at_start()
        {
            self.state.say("a pixel was taken; `:pixel X,Y FRAME` takes one of another frame");
            return Ok(());
        }
        if let KeyCode::Char('<' | '>' | ',' | '.') = code
            && self.view.is_at_start()
        {
            let next = matches!(code, KeyCode::Char('>' | '.'));
            return self.act("another frame", terminal, move |desk| {
                let shown = desk.show_frame(next);
                Ok((shown.map_or(String::new(), |frame| format!("frame {frame}")), false))
            });
        }
        let Some(shot) = &self.shot else { return self.walk(code, terminal) };
        let (picture, window) = (Arc::clone(&shot.picture), shot.window);
        let (width, height) = (picture.width, picture.height);
        let middle = [window.x + window.width / 2, window.y + window.height / 2];
        let cursor = self.state.cursor.or(shot.pixel).unwrap_or(middle);
        let [x, y] = cursor;
        if with.contains(KeyModifiers::CONTROL) {
            let (right, up) = (i64::from(window.width.div_ceil(4)), i64::from(window.height.div_ceil(4)));
            match code {
                KeyCode::Left => self.state.lens.pan(&picture, [-right, 0]),
                KeyCode::Right => self.state.lens.pan(&picture, [right, 0]),
                KeyCode::Down => self.state.lens.pan(&picture, [0, -up]),
                KeyCode::Up => self.state.lens.pan(&picture, [0, up]),
                _ => {}
            }
            self.frame_picture();
            return Ok(());
        }
        let by = if with.contains(KeyModifiers::SHIFT) { 10 } else { 1 };
        let moved = match code {
            KeyCode::Left => [x.saturating_sub(by), y],
            KeyCode::Right => [(x + by).min(width.saturating_sub(1)), y],
            KeyCode::Down => [x, y.saturating_sub(by)],
            KeyCode::Up => [x, (y + by).min(height.saturating_sub(1))],
            KeyCode::Enter => return self.take(cursor, terminal),
            KeyCode::Char('+' | '=') => {
                self.state.lens.zoom(&picture, true, cursor);
                cursor
            }
            KeyCode::Char('-') => {
                self.state.lens.zoom(&picture, false, cursor);
                cursor
            }
            KeyCode::Char('0') => {
                self.state.lens = Lens::default();
                cursor
            }
            _ if self.view.is_at_start() => return Ok(()),
            _ => return self.walk(code, terminal),
        };
        self.state.lens.reveal(&picture, moved);
        self.state.cursor = Some(moved);
        self.frame_picture();
        Ok(())
    }

    /// Takes a pixel of the picture: the invocation that wrote it last, or the fragment of the draw after which the picture is.
    pub(super) fn take(&mut self, [x, y]: [u32; 2], terminal: &mut Terminal) -> anyhow::Result<()> {
        self.state.large = false;
        let stop = self.view.stop.as_ref();
        let of_frame = match (&self.view.chosen, stop) {
            (Some(Choice::Pixel { .. }), Some(stop)) => stop.pass == 0,
            (_, None) => true,
            (_, Some(_)) => false,
        };
        let mask = self.view.mask.as_ref().map(|mask| mask.command);
        let (choice, line) = if of_frame && mask.is_none() {
            (Choice::Pixel { frame: self.view.shown_frame, x, y }, format!("pixel {x},{y}"))
        } else {
            let command = mask.or(self.view.picture_of).unwrap_or(0);
            (Choice::fragment(command, x, y), format!("fragment {command} {x},{y}"))
        };
        self.state.console.push(Line::Command(line.clone()));
        self.act(&line, terminal, move |desk| Ok((desk.enter(&choice)?, false)))?;
        // Where nothing could be entered, there is still only the picture.
        self.focus(if self.view.is_at_start() { Pane::Picture } else { Pane::Source });
        Ok(())
    }

    pub(super) fn scroll(&mut self, by: isize) {
        let top = self.state.source_top.unwrap_or(self.state.shown_top).saturating_add_signed(by);
        self.state.source_top = Some(top);
    }
}
