//! Drawing: the cells, and the picture that some terminals are sent beside them.

use std::io::Write;
use std::sync::Arc;

use ratatui::layout::Rect;
use session::{Choice, Picture};

use super::Screen;
use super::draw::{self, Scene};
use super::image::{self, GraphicsProtocol, Shot, Window};
use super::tty::Terminal;

/// Pictures that are kept: going back to an earlier stop shows its picture at once.
const MOST_PICTURES: usize = 24;

/// A picture that was sent to the terminal beside the cells.
#[derive(Clone, PartialEq)]
pub struct Sent {
    area: Rect,
    picture: Arc<Picture>,
    window: Window,
    pixel: Option<[u32; 2]>,
}

impl Screen {
    /// Draws everything anew, whatever the terminal shows now.
    pub(super) fn redraw(&mut self, terminal: &mut Terminal) -> anyhow::Result<()> {
        self.take_back_picture()?;
        Ok(terminal.clear()?)
    }

    /// Takes away what was sent beside the cells.
    pub(super) fn take_back_picture(&mut self) -> anyhow::Result<()> {
        if self.sent.take().is_some() {
            let mut out = std::io::stdout().lock();
            write!(out, "{}", image::erase(self.manner))?;
            out.flush()?;
        }
        Ok(())
    }

    pub(super) fn paint(&mut self, terminal: &mut Terminal) -> anyhow::Result<()> {
        self.draw_cells(terminal)?;
        let wanted = self.wanted_picture();
        if self.sent == wanted {
            return Ok(());
        }
        // The cells under a picture were not written. Where it goes, they have to be.
        if self.sent.as_ref().is_some_and(|sent| wanted.as_ref().is_none_or(|wanted| wanted.area != sent.area)) {
            self.redraw(terminal)?;
            self.draw_cells(terminal)?;
        }
        if let (Some(wanted), Some(shot)) = (wanted, &self.shot)
            && let Some(text) = image::escape(self.manner, shot, wanted.area)
        {
            let mut out = std::io::stdout().lock();
            write!(out, "\x1b7{}{text}\x1b8", image::erase(self.manner))?;
            out.flush()?;
            self.sent = Some(wanted);
        }
        Ok(())
    }

    fn draw_cells(&mut self, terminal: &mut Terminal) -> anyhow::Result<()> {
        let (view, shot, state) = (&self.view, self.shot.as_ref(), &mut self.state);
        let scene = Scene { view, shot, manner: self.manner, depth: self.colours };
        terminal.draw(|frame| draw::draw(frame, &scene, state))?;
        Ok(())
    }

    /// The picture that the terminal has to be sent, after the cells were drawn; nothing where cells show it.
    fn wanted_picture(&self) -> Option<Sent> {
        let shot = self.shot.as_ref()?;
        let area = self.state.areas.picture;
        let cells = self.manner == GraphicsProtocol::Blocks || area.area() == 0 || self.state.help.is_some();
        let sent = Sent { area, picture: Arc::clone(&shot.picture), window: shot.window, pixel: shot.pixel };
        (!cells).then_some(sent)
    }

    /// The picture as it is known, with the pixel in it.
    pub(super) fn frame_picture(&mut self) {
        let Some((picture, what, own)) = self.known_picture() else { return };
        if self.view.is_at_start() && self.state.cursor.is_none() {
            // The cross shows that there is one to move.
            self.state.cursor = Some([picture.width / 2, picture.height / 2]);
        }
        let size = [picture.width, picture.height];
        let inside = |[x, y]: [u32; 2]| [x.min(size[0].saturating_sub(1)), y.min(size[1].saturating_sub(1))];
        let pixel = self.state.cursor.map(inside).or(own);
        let mut title = what;
        if let Some([x, y]) = pixel {
            title += &format!(" · {x},{y}");
            let at = (y as usize * picture.width as usize + x as usize) * 4;
            if let (None, Some([r, g, b, ..])) = (&self.view.mask, picture.rgba.get(at..at + 4)) {
                title += &format!(" #{r:02x}{g:02x}{b:02x}");
            }
        }
        let factor = self.state.lens.factor(&picture);
        if factor > 1 {
            title += &format!(" · ×{factor}");
        }
        self.shot = Some(Shot { window: self.state.lens.window(&picture), picture, pixel, title });
    }

    /// The picture to show, what it is of and the pixel that is debugged; nothing while it is not known.
    fn known_picture(&mut self) -> Option<(Arc<Picture>, String, Option<[u32; 2]>)> {
        if let Some(mask) = &self.view.mask {
            return Some((Arc::clone(&mask.picture), mask.title.clone(), None));
        }
        let Some(command) = self.view.picture_of else {
            self.shot = None;
            return None;
        };
        let known = self.pictures.get(&command)?;
        let Some(picture) = known.clone() else {
            self.shot = None;
            return None;
        };
        let stop = self.view.stop.as_ref();
        let own = stop.filter(|stop| stop.invocation.stage == "fragment").map(|stop| stop.invocation.id);
        let own = own.and_then(|id| Some([u32::try_from(id[0]).ok()?, u32::try_from(id[1]).ok()?]));
        let chosen = match &self.view.chosen {
            Some(Choice::Pixel { x, y, .. }) if stop.is_none_or(|stop| stop.pass == 0) => Some([*x, *y]),
            _ => None,
        };
        let what = match stop {
            Some(stop) if stop.invocation.command == command => format!("after command {command}"),
            _ => {
                let last = self.view.frames.saturating_sub(1);
                self.view.shown_frame.map_or(String::new(), |frame| format!("frame {frame} of 0 to {last}"))
            }
        };
        Some((picture, what, own.or(chosen)))
    }

    pub(super) fn keep_picture(&mut self, command: u64, picture: Option<Picture>) {
        if self.pictures.len() >= MOST_PICTURES {
            self.pictures.pop_first();
        }
        self.pictures.insert(command, picture.map(Arc::new));
    }
}
