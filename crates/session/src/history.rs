//! What a pixel was made of, and where the first NaN of a frame comes from.

mod convert;

use api::id;
use chronicle::graph::Cell;
use recall::{Bounds, Recall, RecallError, Rows, TexelRef, Wrong};
use state::Model;

use crate::control::Activity;
use crate::data::choice::Choice;
use crate::data::history::{History, HistoryRequest, LeftOut, Surroundings, Verdict, When};
use crate::data::nan::{NanRequest, NanSearch, Nonfinite};
use crate::error::SessionError;
use crate::open::Session;
pub(crate) use convert::{Names, fate, node};

/// Columns and rows of the texels around a node.
const SIDE: u32 = 32;

impl HistoryRequest {
    /// Asks for everything that a chosen pixel was made of; a fragment stands for its pixel after its draw.
    ///
    /// # Errors
    /// When the choice is neither a pixel nor a fragment.
    pub fn of(choice: &Choice) -> Result<HistoryRequest, SessionError> {
        match choice {
            Choice::Pixel { frame, x, y } => Ok(HistoryRequest::new([*x, *y], When::Shown(*frame))),
            Choice::Fragment { command, x, y, .. } => Ok(HistoryRequest::new([*x, *y], When::After(*command))),
            Choice::Vertex { .. } | Choice::Primitive { .. } | Choice::Thread { .. } => Err(SessionError::NotAPixel),
        }
    }
}

impl Session {
    /// Reads the whole trace once and indexes every write, which histories need. They do it themselves if it was not done.
    ///
    /// # Errors
    /// When the trace cannot be read, or the user interrupts.
    pub fn index_writes(&mut self) -> Result<(), SessionError> {
        self.recalled(|_| Ok(()))
    }

    /// Returns what a pixel was made of, through all passes.
    ///
    /// # Errors
    /// When there is no such pixel, or the device gives no answer.
    pub fn history(&mut self, request: &HistoryRequest) -> Result<History, SessionError> {
        let (model, thread, place, until) = self.pixel(request)?;
        let reader = self.inquiry.reader();
        let shown = reader.frame_of(until.saturating_sub(1)).and_then(|frame| reader.frame(frame));
        let first = shown.unwrap_or_else(|| reader.after_last_frame()).start;
        let control = self.control.clone();
        let answer = self.recalled(|recall| {
            recall.use_maps(request.maps);
            let bounds = Bounds {
                min_weight: request.min_weight,
                depth: request.depth.unwrap_or(u32::MAX),
                max_nodes: request.max_nodes,
                vertices: request.vertices,
                verify: true,
            };
            let rows = match request.rows {
                true => {
                    recall.rows(place, (first, until), Some(bounds).filter(|_| request.nodes), &mut |done, all| {
                        control.tell(Activity::ReadingRows, done as u64, Some(all as u64));
                    })?
                }
                false => Rows::default(),
            };
            let Rows { list: rows, left_out } = rows;
            // Rows end where the picture is taken, and what follows goes back from there.
            let pictured = recall.pictured((&model, thread), (place, request.plane.into()), until)?;
            let unlisted = (left_out > 0).then(|| format!("{left_out} more events at the pixel are not listed"));
            if !request.nodes {
                let check = pictured.check_rows(&rows);
                // Where nothing wrote to the pixel, it still shows what was there before.
                let value = rows.last().map_or(check.shown, |row| row.after);
                let mut history = convert::history((place, until), value, &rows, None, (&model, check));
                history.notes.extend(unlisted);
                return Ok(history);
            }
            let mut progress = |nodes: usize, _| control.tell(Activity::Remembering, nodes as u64, None);
            let found = recall.history(place, until, bounds, &mut progress)?;
            let check = pictured.check_nodes(&found.nodes);
            let mut history = convert::history((place, until), found.value, &rows, Some(&found), (&model, check));
            history.notes.extend(unlisted);
            if request.sequence {
                let sequence = recall.sequence(&found, &mut |done, all| {
                    control.tell(Activity::Computing, done as u64, Some(all as u64));
                })?;
                history.sequence = Some(convert::sequence(&sequence));
            }
            history.surroundings = surroundings(recall, &found, request.surroundings)?;
            Ok(history)
        });
        self.control.tell(Activity::None, 0, None);
        answer.map(|mut history| {
            if let Some(lost) = self.inquiry.trace().damage().text() {
                // A replay leaves the same commands out, so that it would agree.
                history.picture.verdict = Verdict::Unchecked(format!("the trace is damaged: {lost}"));
            }
            if !self.inquiry.trace().annotations().is_empty() {
                for node in history.rows.iter_mut().chain(&mut history.nodes) {
                    node.groups = self.groups(node.command);
                }
            }
            history
        })
    }

    /// Finds the first NaN of a frame that reaches an image, and everything that was written with one.
    ///
    /// # Errors
    /// When there is no such frame, or the device gives no answer.
    pub fn find_nan(&mut self, request: &NanRequest) -> Result<NanSearch, SessionError> {
        let reader = self.inquiry.reader();
        let count = reader.frame_count();
        let frame = request.frame.unwrap_or(count.saturating_sub(1));
        let calls = reader.frame(frame).ok_or(SessionError::NoSuchFrame { frame, count })?;
        let wrong = match request.numbers {
            Nonfinite::Nan => Wrong::NotANumber,
            Nonfinite::NanOrInfinite => Wrong::NotFinite,
        };
        let control = self.control.clone();
        let found = self.recalled(|recall| {
            recall.use_maps(request.maps);
            recall.poison(calls, wrong, &mut |done, all| control.tell(Activity::Asking, done as u64, Some(all as u64)))
        });
        self.control.tell(Activity::None, 0, None);
        Ok(convert::nan_search(frame, found?))
    }

    /// Returns the place of a pixel, the state and thread there, and the command before which it is looked at.
    fn pixel(&self, request: &HistoryRequest) -> Result<(Model, u32, TexelRef, u64), SessionError> {
        let until = match request.when {
            When::Shown(frame) => self.inquiry.trace().shown_before(frame)?,
            When::After(command) => {
                let count = self.inquiry.reader().len();
                if command >= count {
                    return Err(SessionError::NoSuchCommand { command, count });
                }
                command + 1
            }
        };
        let last = until.saturating_sub(1);
        let model = self.inquiry.state_after(last)?;
        let thread = self.inquiry.reader().call_at(last)?.call().thread;
        let view = model.view(thread).ok_or(SessionError::NoContext { command: last })?;
        let (role, at, sample) = (request.plane.into(), request.pixel, request.sample);
        let place = match self.presented(request.when, until)? {
            // Programs present a surface while they draw to a framebuffer object, or to another surface.
            Some(surface) => TexelRef::presented(&model, surface, role, at, sample)?,
            None => TexelRef::drawn(&view, role, at, sample)?,
        };
        Ok((model, thread, place, until))
    }

    /// Returns the surface that a call presents, if a pixel is looked at as it is shown.
    fn presented(&self, when: When, call: u64) -> Result<Option<u32>, SessionError> {
        if matches!(when, When::After(_)) || call >= self.inquiry.reader().len() {
            return Ok(None);
        }
        let held = self.inquiry.reader().call_at(call)?;
        let call = held.call();
        let presents = call.command == Some(id::afiPresent);
        Ok(call.args.first().filter(|_| presents).and_then(|word| u32::try_from(*word).ok()))
    }

    /// Returns the place of a pixel as a frame shows it, and the command before which it is looked at.
    pub(crate) fn shown_pixel(&self, frame: Option<usize>, at: [u32; 2]) -> Result<(TexelRef, u64), SessionError> {
        let (_, _, place, until) = self.pixel(&HistoryRequest::new(at, When::Shown(frame)))?;
        Ok((place, until))
    }

    /// Asks what wrote something. The index of writes and the contents that were read are kept for the next question.
    pub(crate) fn recalled<R>(
        &mut self,
        ask: impl FnOnce(&mut Recall<'_>) -> Result<R, RecallError>,
    ) -> Result<R, SessionError> {
        let mut recall = match self.known.take() {
            Some(known) => Recall::resume(&mut self.inquiry, known),
            None => {
                let (control, count) = (&self.control, self.inquiry.reader().len());
                let new =
                    Recall::new(&mut self.inquiry, &mut |call| control.tell(Activity::Indexing, call, Some(count)));
                // What comes next is the device's.
                control.tell(Activity::None, 0, None);
                new?
            }
        };
        let answer = ask(&mut recall);
        // What is missing because of an interruption must not be remembered as something that cannot be had.
        let known = recall.into_known();
        self.control.heed()?;
        self.known = Some(known);
        Ok(answer?)
    }
}

/// Reads back the texels around the first nodes.
fn surroundings(
    recall: &mut Recall<'_>,
    history: &recall::History,
    count: usize,
) -> Result<Vec<Surroundings>, RecallError> {
    let mut all = Vec::new();
    for node in history.nodes.iter().take(count) {
        let corner = node.place.at.map(|at| at.saturating_sub(SIDE / 2));
        let rectangle = [corner[0], corner[1], SIDE, SIDE];
        if let Some(texels) = recall.neighbourhood(&node.place, node.call + 1, rectangle)? {
            let texels = texels.into_iter().map(|texel| texel.map(Into::into)).collect();
            all.push(Surroundings { node: node.id.0, corner, size: [SIDE, SIDE], texels });
        }
    }
    Ok(all)
}

/// Returns what an image or buffer is called.
pub(crate) fn cell_name(cell: Cell, model: &Model) -> String {
    TexelRef { cell, aspect: recall::TexelAspect::Colour, at: [0, 0], sample: 0 }.name(model)
}

impl From<recall::Cut> for LeftOut {
    fn from(cut: recall::Cut) -> LeftOut {
        LeftOut { light: cut.light, deep: cut.deep, deep_weight: cut.deep_weight, many: cut.many, costly: cut.costly }
    }
}
