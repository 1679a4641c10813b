//! What keys and the mouse do.

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use session::Choice;

use super::draw::{lists, source};
use super::image::pixel_at;
use super::prompt::Typed;
use super::state::Pane;
use super::{Line, Screen};
use crate::debug::complete::complete;
use crate::debug::view::{Level, Row};

impl Screen {
    /// A key was pressed.
    pub(super) fn key(&mut self, key: KeyEvent, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
        if self.state.help {
            self.state.help = false;
            self.sent = None;
            return Ok(());
        }
        if self.state.prompt.open {
            match self.state.prompt.key(key) {
                Typed::Line(line) => self.command(&line, terminal)?,
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
            KeyCode::Char('l') if control => {
                self.sent = None;
                terminal.clear()?;
            }
            KeyCode::Char('q') => self.quit = true,
            KeyCode::Char(':' | '/') => self.state.prompt.begin(""),
            KeyCode::Char('?') | KeyCode::F(1) => self.state.help = true,
            KeyCode::Tab => self.focus(self.state.focus.next()),
            KeyCode::Esc => self.focus(Pane::Source),
            KeyCode::PageUp if shift => self.state.console_back += 5,
            KeyCode::PageDown if shift => self.state.console_back = self.state.console_back.saturating_sub(5),
            KeyCode::PageUp => self.scroll(-i64::from(self.state.areas.source.height / 2)),
            KeyCode::PageDown => self.scroll(i64::from(self.state.areas.source.height / 2)),
            code => match self.state.focus {
                Pane::Source => self.walk(code, terminal)?,
                Pane::Variables => self.in_variables(code, terminal)?,
                Pane::Stack => self.in_stack(code, terminal)?,
                Pane::History => self.in_history(code, terminal)?,
                Pane::Picture => self.in_picture(code, shift, terminal)?,
            },
        }
        Ok(())
    }

    fn focus(&mut self, pane: Pane) {
        self.state.focus = pane;
        self.state.cursor = None;
        if pane == Pane::Picture {
            self.state.cursor = self.shot.as_ref().and_then(|shot| shot.pixel);
        }
        self.frame_picture();
    }

    /// Keys that walk; they work in every pane that does not use them itself.
    fn walk(&mut self, code: KeyCode, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
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
            KeyCode::Char('b') => {
                let line = self.view.line;
                return self.act("break", terminal, move |desk| Ok((desk.toggle_break(line)?, false)));
            }
            _ => return Ok(()),
        };
        self.command(line, terminal)
    }

    /// One pass more of the history.
    fn further_back(&mut self, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
        self.depth = if !self.view.history_title.is_empty() { self.depth + 1 } else { 1 };
        let depth = self.depth;
        self.act("looking for who made this pixel", terminal, move |desk| {
            desk.remember(Some(depth))?;
            let count = desk.history.as_ref().map_or(0, |graph| graph.nodes.len());
            let passes = if depth == 1 { "one pass".to_owned() } else { format!("{depth} passes") };
            Ok((format!("{count} events behind this pixel, {passes} back"), false))
        })
    }

    fn in_variables(&mut self, code: KeyCode, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
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
    fn fold(&mut self, at: usize, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
        let Some(Row::Variable { path, open: Some(open), .. }) = self.view.variables.get(at) else { return Ok(()) };
        let (path, open) = (path.clone(), *open);
        self.look("looking", terminal, move |memory| match open {
            true => memory.open.retain(|known| *known != path),
            false => memory.open.push(path),
        })
    }

    fn in_stack(&mut self, code: KeyCode, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
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

    fn in_history(&mut self, code: KeyCode, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
        match code {
            KeyCode::Up => self.state.event = self.state.event.saturating_sub(1),
            KeyCode::Down => self.state.event += 1,
            KeyCode::Enter => {
                if let Some(event) = self.view.history.get(self.state.event) {
                    let line = format!("node {}", event.id);
                    return self.command(&line, terminal);
                }
            }
            _ => return self.walk(code, terminal),
        }
        Ok(())
    }

    fn in_picture(&mut self, code: KeyCode, shift: bool, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
        let Some(shot) = &self.shot else { return self.walk(code, terminal) };
        let (width, height) = (shot.picture.width, shot.picture.height);
        let [x, y] = self.state.cursor.unwrap_or([width / 2, height / 2]);
        let by = if shift { 10 } else { 1 };
        let moved = match code {
            KeyCode::Left => [x.saturating_sub(by), y],
            KeyCode::Right => [(x + by).min(width.saturating_sub(1)), y],
            KeyCode::Down => [x, y.saturating_sub(by)],
            KeyCode::Up => [x, (y + by).min(height.saturating_sub(1))],
            KeyCode::Enter => return self.take([x, y], terminal),
            _ => return self.walk(code, terminal),
        };
        self.state.cursor = Some(moved);
        self.frame_picture();
        Ok(())
    }

    /// Takes a pixel of the picture: the invocation that wrote it last, or the fragment of the draw after which the picture is.
    fn take(&mut self, [x, y]: [u32; 2], terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
        self.focus(Pane::Source);
        let stop = self.view.stop.as_ref();
        let of_frame = match (&self.view.chosen, stop) {
            (Some(Choice::Pixel { .. }), Some(stop)) => stop.pass == 0,
            (_, None) => true,
            (_, Some(_)) => false,
        };
        let mask = self.view.mask.as_ref().map(|mask| mask.command);
        let (choice, line) = if of_frame && mask.is_none() {
            let last = || self.view.frames.checked_sub(1);
            let frame = stop.map(|stop| stop.invocation.frame).or_else(last);
            (Choice::Pixel { frame, x, y }, format!("pixel {x},{y}"))
        } else {
            let command = mask.or(self.view.picture_of).unwrap_or(0);
            (Choice::fragment(command, x, y), format!("fragment {command} {x},{y}"))
        };
        self.depth = 0;
        self.state.console.push(Line::Command(line.clone()));
        self.act(&line, terminal, move |desk| Ok((desk.enter(&choice)?, false)))
    }

    fn scroll(&mut self, by: i64) {
        let top = i64::from(self.state.source_top.unwrap_or(self.state.shown_top)) + by;
        self.state.source_top = Some(u32::try_from(top.max(1)).unwrap_or(1));
    }

    /// The mouse did something.
    pub(super) fn mouse(&mut self, mouse: MouseEvent, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
        let at = (mouse.column, mouse.row).into();
        let areas = self.state.areas;
        let by = match mouse.kind {
            MouseEventKind::ScrollUp => -3,
            MouseEventKind::ScrollDown => 3,
            MouseEventKind::Down(MouseButton::Left) => return self.click(mouse, terminal),
            _ => return Ok(()),
        };
        let moved = |top: &mut usize| *top = top.saturating_add_signed(by);
        if areas.source.contains(at) {
            self.scroll(by as i64);
        } else if areas.console.contains(at) {
            self.state.console_back = self.state.console_back.saturating_add_signed(-by);
        } else if areas.variables.contains(at) {
            moved(&mut self.state.tops[0]);
        } else if areas.stack.contains(at) {
            moved(&mut self.state.tops[1]);
        } else if areas.history.contains(at) {
            moved(&mut self.state.tops[2]);
        }
        Ok(())
    }

    fn click(&mut self, mouse: MouseEvent, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
        let (column, row) = (mouse.column, mouse.row);
        let areas = self.state.areas;
        let picked = self.shot.as_ref().and_then(|shot| pixel_at(&shot.picture, areas.picture, column, row));
        if let Some(pixel) = picked {
            return self.take(pixel, terminal);
        }
        let at = (column, row).into();
        let below = |top: usize, y: u16| usize::from(row.saturating_sub(y)) + top;
        if areas.source.contains(at) {
            self.focus(Pane::Source);
            // The numbers are for breakpoints.
            if column < areas.source.x + 6 {
                let line = source::line_at(&self.state, row);
                return self.act("break", terminal, move |desk| Ok((desk.toggle_break(line)?, false)));
            }
        } else if areas.variables.contains(at) {
            self.focus(Pane::Variables);
            if let Some(variable) = lists::variable_at(&self.view, &self.state, row) {
                self.state.variable = variable;
                return self.fold(variable, terminal);
            }
        } else if areas.stack.contains(at) {
            self.focus(Pane::Stack);
            self.state.level = below(self.state.tops[1], areas.stack.y);
            return self.in_stack(KeyCode::Enter, terminal);
        } else if areas.history.contains(at) {
            self.focus(Pane::History);
            self.state.event = below(self.state.tops[2], areas.history.y);
            return self.in_history(KeyCode::Enter, terminal);
        } else if areas.console.contains(at) {
            self.state.prompt.begin("");
        }
        Ok(())
    }
}
