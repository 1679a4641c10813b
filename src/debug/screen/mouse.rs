//! What the mouse does.

use ratatui::crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};

use super::Screen;
use super::draw::{lists, source};
use super::image::pixel_at;
use super::state::{Drag, Pane};
use super::tty::Terminal;

impl Screen {
    /// The mouse did something.
    pub(super) fn mouse(&mut self, mouse: MouseEvent, terminal: &mut Terminal) -> anyhow::Result<()> {
        let at = (mouse.column, mouse.row).into();
        let areas = self.state.areas;
        let by = match mouse.kind {
            MouseEventKind::ScrollUp => -3,
            MouseEventKind::ScrollDown => 3,
            MouseEventKind::Down(MouseButton::Left) => return self.click(mouse, terminal),
            MouseEventKind::Drag(MouseButton::Left) => {
                self.drag((mouse.column, mouse.row));
                return Ok(());
            }
            MouseEventKind::Up(MouseButton::Left) => return self.release(terminal),
            _ => return Ok(()),
        };
        if let Some(shot) = &self.shot
            && let Some(pixel) = pixel_at(shot.window, areas.picture, mouse.column, mouse.row)
        {
            self.state.lens.zoom(&shot.picture, by < 0, pixel);
            self.frame_picture();
            return Ok(());
        }
        let moved = |top: &mut usize| *top = top.saturating_add_signed(by);
        if areas.source.contains(at) {
            self.scroll(by);
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

    fn click(&mut self, mouse: MouseEvent, terminal: &mut Terminal) -> anyhow::Result<()> {
        let (column, row) = (mouse.column, mouse.row);
        let areas = self.state.areas;
        if areas.picture.contains((column, row).into()) {
            // A pixel is taken when the button is let go: until then this may be the start of a drag.
            self.state.drag = Some(Drag { at: (column, row), moved: false });
            return Ok(());
        }
        let at = (column, row).into();
        if areas.source.contains(at) {
            self.focus(Pane::Source);
            // The numbers are for breakpoints.
            if column < areas.source.x + 6
                && let Some(line) = source::line_at(&self.state, row)
            {
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
            if let Some(level) = lists::item_at(&self.state, 1, row - areas.stack.y) {
                self.state.level = level;
                return self.in_stack(KeyCode::Enter, terminal);
            }
        } else if areas.history.contains(at) {
            self.focus(Pane::History);
            if let Some(event) = lists::item_at(&self.state, 2, row - areas.history.y) {
                self.state.event = event;
                return self.in_history(KeyCode::Enter, terminal);
            }
        } else if areas.console.contains(at) {
            self.state.prompt.begin("");
        }
        Ok(())
    }

    /// The mouse moves with the button held down: the picture moves along.
    fn drag(&mut self, to: (u16, u16)) {
        let (Some(Drag { at, .. }), Some(shot)) = (self.state.drag, &self.shot) else { return };
        if at == to {
            return;
        }
        let area = self.state.areas.picture;
        let by = |from: u16, to: u16, shown: u32, cells: u16| {
            (i64::from(from) - i64::from(to)) * i64::from(shown) / i64::from(cells.max(1))
        };
        let right = by(at.0, to.0, shot.window.width, area.width);
        let up = -by(at.1, to.1, shot.window.height, area.height);
        self.state.lens.pan(&shot.picture, [right, up]);
        self.state.drag = Some(Drag { at: to, moved: true });
        self.frame_picture();
    }

    /// The button is let go: without a drag, the pixel under it is taken.
    fn release(&mut self, terminal: &mut Terminal) -> anyhow::Result<()> {
        let Some(Drag { at: (column, row), moved: false }) = self.state.drag.take() else { return Ok(()) };
        let shot = self.shot.as_ref();
        match shot.and_then(|shot| pixel_at(shot.window, self.state.areas.picture, column, row)) {
            Some(pixel) => self.take(pixel, terminal),
            None => Ok(()),
        }
    }
}
