//! The first number of a frame that is none, and what became of it.
//!
//! Every draw's fragments are measured as they leave their shaders, because most images cannot hold what is looked for.
//! Where there is some, the fixed functions say which of those fragments were written. The first of all is run on the
//! emulator under the eyes of a sanitizer, which tells the operation that made it from numbers that were finite.

mod birth;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use chronicle::graph::Cell;
use device::{DeviceError, Rectangle};
use inquiry::{BlockMap, InquiryError};
use instrument::BlockFacts;
use instrument::stream::Facts;
use instrument::variant::What;
use raster::Color;
use reenact::fragment_ops::Role;
use shader::types::Scalar;
use shader::version::Stage;
use state::Model;

use crate::bounds;
use crate::error::about;
use crate::maps::Marked;
use crate::outputs::components;
use crate::steps::{steps, value_of};
use crate::visit::{MeasuredFragment, Visit};
use crate::walk::Recall;
use crate::{RecallError, TexelAspect, TexelRef};

pub use birth::{Birth, Origin};

/// Which numbers are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// NaN alone.
    NotANumber,
    /// Infinities too.
    NotFinite,
}

impl Wrong {
    /// Whether a number is one of those.
    #[must_use]
    pub fn is(self, number: f32) -> bool {
        match self {
            Wrong::NotANumber => number.is_nan(),
            Wrong::NotFinite => !number.is_finite(),
        }
    }

    /// What blocks of a target say of such numbers.
    fn bits(self) -> u32 {
        match self {
            Wrong::NotANumber => BlockFacts::NAN,
            Wrong::NotFinite => BlockFacts::NAN | BlockFacts::INFINITE,
        }
    }

    fn any(self, color: Option<Color>) -> bool {
        matches!(color, Some(Color::Float(channels)) if channels.iter().any(|channel| self.is(*channel)))
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct NanReport {
    /// The first fragment that was written with such a number; nothing when there is none.
    pub first: Option<Birth>,
    /// Everything that was written with one, draw by draw.
    pub spread: Vec<Spread>,
    /// How many draws there are.
    pub draws: usize,
    /// What could not be looked at.
    pub notes: Vec<String>,
}

/// What a draw wrote such numbers to.
#[derive(Clone, PartialEq, Debug)]
pub struct Spread {
    /// The draw.
    pub call: u64,
    /// The plane of the framebuffer.
    pub role: Role,
    /// What the image is called.
    pub image: String,
    /// How many pixels.
    pub pixels: u64,
    /// The smallest rectangle that has all of them.
    pub bounds: Rectangle,
    /// In how many of them the image still shows it after the draw.
    pub stored: u64,
    /// Whether the draw may have read what an earlier one had written with such numbers; `None` if that is unknown.
    pub inherited: Option<bool>,
}

impl Recall<'_> {
    /// The first number among some calls that is none and reaches an image, and everything that was written with one.
    /// `progress` is told how many draws were looked at, and how many there are.
    ///
    /// # Errors
    /// When the trace cannot be read, or the worker is lost.
    pub fn poison(
        &mut self,
        calls: Range<u64>,
        wrong: Wrong,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<NanReport, RecallError> {
        let draws = self.draws(calls);
        self.memo.effort = bounds::effort();
        let mut poison = NanReport { first: None, spread: Vec::new(), draws: draws.len(), notes: Vec::new() };
        let mut marked = Marked::default();
        for (done, call) in draws.iter().enumerate() {
            progress(done, draws.len());
            let map = self.map(*call, true);
            let pixels = match self.poisoned(*call, wrong, map.as_deref()) {
                Ok(pixels) => pixels,
                // A device that answers nothing about any draw is not there: that is no search with gaps.
                Err(RecallError::Inquiry(InquiryError::Device(error)))
                    if done == poison.notes.len() && (done + 1 == draws.len() || is_fatal(&error)) =>
                {
                    return Err(InquiryError::from(error).into());
                }
                Err(error) => {
                    poison.notes.push(about(*call, &error));
                    continue;
                }
            };
            if pixels.is_empty() {
                continue;
            }
            let emulate = poison.first.is_none();
            let rectangle = around(&pixels);
            let (ledger, memo) = (&*self.ledger, &mut self.memo);
            let scene = emulate.then_some((ledger, memo, false));
            let visit = match Visit::new(self.inquiry, scene, true, (*call, rectangle)) {
                Ok(visit) => visit,
                Err(error) => {
                    poison.notes.push(about(*call, &error));
                    continue;
                }
            };
            if visit.missed > 0 {
                let known = visit.fragments.len();
                poison.notes.push(format!("command {call}: what it wrote is known of {known} fragments only"));
            }
            let model = self.inquiry.state_after(*call)?;
            let (spread, first) = spread(&visit, &model, &pixels, wrong);
            let inherited = map.map(|map| marked.may_be_read(&visit.work, &map, map.with(wrong.bits())));
            poison.spread.extend(spread.into_values().map(|spread| Spread { call: *call, inherited, ..spread }));
            let group = visit.work.view().map_or(0, |view| view.context.group);
            for plane in visit.tail.planes().iter().filter(|plane| matches!(plane.role, Role::Colour(_))) {
                pixels.iter().for_each(|at| marked.add((group, plane.thing), *at, visit.work.target.size));
            }
            if let (Some(number), true) = (first, emulate) {
                poison.first = Some(self.birth(&visit, number, wrong)?);
            }
        }
        Ok(poison)
    }

    /// The draws among some calls.
    fn draws(&self, calls: Range<u64>) -> Vec<u64> {
        let reader = self.inquiry.reader();
        let is_draw = |call: &u64| {
            let command = reader.call_at(*call).ok().and_then(|held| held.call().command);
            command.is_some_and(|command| api::command(command).role == api::Role::Draw)
        };
        calls.filter(is_draw).collect()
    }

    /// The pixels of a draw where a shader gave such numbers out. With a map of the draw only blocks are looked at that it
    /// says to have some.
    fn poisoned(&mut self, call: u64, wrong: Wrong, map: Option<&BlockMap>) -> Result<BTreeSet<[u32; 2]>, RecallError> {
        let work = self.inquiry.work(call)?;
        let [width, height] = work.target.size;
        let rectangle = match map {
            Some(map) => map.around(wrong.bits()),
            None => Some([0, 0, width, height]),
        };
        let types = &work.facts(Stage::Fragment)?.shader.typed.types;
        let mut pixels = BTreeSet::new();
        let mut parts: Vec<Rectangle> = rectangle.into_iter().collect();
        while let Some(rectangle) = parts.pop() {
            self.inquiry.heed()?;
            let measured = self.inquiry.within(bounds::words(), |inquiry| inquiry.outputs(&work, rectangle))?;
            if measured.result.missed > 0 {
                match halves(rectangle) {
                    Some(halves) => parts.extend(halves),
                    // A pixel with more fragments than can be read.
                    None => inquiry::whole(&measured.result, Stage::Fragment).map_err(InquiryError::from)?,
                }
                continue;
            }
            for (who, reading) in &measured.result.readings {
                let found = reading.records.iter().any(|record| {
                    let (What::Output(_), Some(value)) = (&record.what, &record.value) else { return false };
                    let element = types.as_array(value.ty).map_or(value.ty, |array| array.element);
                    let float = components(element).0 == Scalar::Float;
                    float && value.scalars.iter().any(|bits| wrong.is(f32::from_bits(*bits as u32)))
                });
                if found && !reading.facts.has(Facts::DISCARDED) {
                    pixels.insert([who[0], who[1]].map(|place| place.max(0).cast_unsigned()));
                }
            }
        }
        Ok(pixels)
    }
}

/// Returns whether no later question can be answered either.
fn is_fatal(error: &DeviceError) -> bool {
    matches!(error, DeviceError::Start(_) | DeviceError::Interrupted)
}

/// What was written of a draw with such numbers, by plane, and the first fragment of all that was.
fn spread(
    visit: &Visit,
    model: &Model,
    pixels: &BTreeSet<[u32; 2]>,
    wrong: Wrong,
) -> (BTreeMap<Role, Spread>, Option<usize>) {
    let (mut all, mut first): (BTreeMap<Role, Spread>, Option<usize>) = (BTreeMap::new(), None);
    let none = BTreeMap::new();
    let group = visit.work.view().map_or(0, |view| view.context.group);
    for at in pixels {
        let real = visit.before.pixel(&visit.tail, *at, 0);
        let after = visit.pixel_after(*at, 0);
        for plane in visit.tail.planes() {
            let Role::Colour(buffer) = plane.role else { continue };
            let place =
                TexelRef { cell: Cell::of(group, plane.thing), aspect: TexelAspect::Colour, at: *at, sample: 0 };
            let steps = steps(visit, &none, (place, &real));
            let written = steps.iter().filter(|step| {
                step.writes(&visit.tail, plane.role) && wrong.any(step.shaded.colours.get(buffer).copied().flatten())
            });
            let own = visit.pixels.get(at).map_or(&[][..], Vec::as_slice);
            let number = |seen: &MeasuredFragment| {
                own.iter().copied().find(|number| std::ptr::eq(&raw const visit.fragments[*number], seen))
            };
            let Some(number) = written.filter_map(|step| number(step.seen)).min() else { continue };
            first = Some(first.map_or(number, |known| known.min(number)));
            let stored = value_of(&after, plane.role).is_some_and(|value| match value {
                crate::Value::Colour(color) => wrong.any(Some(color)),
                _ => false,
            });
            let spread = all.entry(plane.role).or_insert_with(|| Spread {
                call: 0,
                role: plane.role,
                image: place.name(model),
                pixels: 0,
                bounds: [at[0], at[1], 1, 1],
                stored: 0,
                inherited: None,
            });
            spread.pixels += 1;
            spread.stored += u64::from(stored);
            let [left, bottom, width, height] = spread.bounds;
            let (x, y) = (left.min(at[0]), bottom.min(at[1]));
            spread.bounds = [x, y, (left + width).max(at[0] + 1) - x, (bottom + height).max(at[1] + 1) - y];
        }
    }
    (all, first)
}

/// A rectangle in two; nothing if it is one pixel.
fn halves([left, bottom, width, height]: Rectangle) -> Option<[Rectangle; 2]> {
    if width <= 1 && height <= 1 {
        return None;
    }
    let (w, h) = (width / 2, height / 2);
    Some(if width > height {
        [[left, bottom, w, height], [left + w, bottom, width - w, height]]
    } else {
        [[left, bottom, width, h], [left, bottom + h, width, height - h]]
    })
}

fn around(pixels: &BTreeSet<[u32; 2]>) -> Rectangle {
    let ends = |axis: usize| {
        let least = pixels.iter().map(|at| at[axis]).min().unwrap_or(0);
        (least, pixels.iter().map(|at| at[axis]).max().unwrap_or(0) + 1 - least)
    };
    let ((left, width), (bottom, height)) = (ends(0), ends(1));
    [left, bottom, width, height]
}
