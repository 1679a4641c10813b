//! What a picture shows at the pixel whose history is asked for, and whether the history explains that.
//!
//! A history looks at images in a context of its own, and at each one before and after the calls that it found. A picture
//! is read by the program's own context from what it draws to, at the moment that was asked about. So a writer that the
//! history missed, an image that it took for another one, or a row that it counted from the wrong side shows here.

use std::collections::BTreeMap;

use api::constant as c;
use chronicle::graph::Cell;
use raster::Color;
use raster::format::{Numeric, PixelFormat};
use reenact::fragment_ops::{FragmentOps, PlaneFormat, Role};
use state::{ContentsRef, Model, View, variable as var};

use crate::glimpse::{self, Glimpse, judge};
use crate::history::{EventKind, Node, Value, Verdict};
use crate::{Recall, RecallError, TexelRef};

/// Why nothing is compared.
const UNDEFINED: &str = "nothing wrote it, so its contents are undefined";
const NO_VALUE: &str = "the history has no value for it";

/// What a picture shows at a pixel.
#[derive(Clone, PartialEq, Debug)]
pub struct PicturedPixel {
    /// The value, or why it cannot be read.
    pub value: Result<Value, String>,
    format: Option<PlaneFormat>,
    /// The mean of several samples, and what the picture shows of them.
    resolved: Option<(Value, Value)>,
}

/// Whether what a history explains is what the picture shows.
#[derive(Clone, PartialEq, Debug)]
pub struct PictureCheck {
    /// What the history explains: what its last writer left.
    pub explained: Option<Value>,
    /// What the picture shows.
    pub shown: Option<Value>,
    /// Whether they are the same, in the format of the image.
    pub verdict: Verdict,
}

impl Recall<'_> {
    /// Reads the pixel of a place before the call `until`: the state there, the thread that draws, and the plane of its
    /// draw framebuffer that the place is of.
    ///
    /// # Errors
    /// When the trace cannot be read, or the worker is lost.
    pub fn pictured(
        &mut self,
        (model, thread): (&Model, u32),
        (place, role): (TexelRef, Role),
        until: u64,
    ) -> Result<PicturedPixel, RecallError> {
        let format = glimpse::stored(model, place.cell, place.aspect);
        let Some(stored) = format else { return Ok(PicturedPixel::missing("its format is not known")) };
        let view = model.view(thread);
        let tail = view.as_ref().and_then(|view| FragmentOps::new(view).ok());
        let samples = tail.as_ref().map_or(1, FragmentOps::samples);
        // A surface may be presented while something else is drawn to.
        let drawn = tail.is_some_and(|tail| {
            let is = |thing| Cell::of(place.cell.group, thing) == place.cell;
            tail.planes().iter().any(|plane| plane.role == role && is(plane.thing))
        });
        let form = view.filter(|_| drawn).and_then(|view| picture_form(&view, stored, role));
        let picture = match form {
            Some((buffer, form)) if samples == 1 || is_resolved(&place, stored) => {
                let planes = self.inquiry.pixel(until.saturating_sub(1), buffer, place.at, form)?;
                let [x, y] = place.at;
                planes.ok().and_then(|planes| Glimpse::of(stored, [x, y, 1, 1], planes).value(place.at, 0))
            }
            _ => None,
        };
        match picture {
            Some(value) if samples == 1 => Ok(PicturedPixel { value: Ok(value), format, resolved: None }),
            // Some framebuffers cannot be read where they are drawn to, but the image can. It has all samples, too.
            picture => {
                let (value, mean) = self.texel_seen(model, &place, until)?;
                Ok(PicturedPixel { value, format, resolved: mean.zip(picture) })
            }
        }
    }

    /// Reads a texel in another context than the program's: the sample of the place, and the mean of several samples.
    fn texel_seen(
        &mut self,
        model: &Model,
        place: &TexelRef,
        until: u64,
    ) -> Result<(Result<Value, String>, Option<Value>), RecallError> {
        let [x, y] = place.at;
        let (key, mut missing) = ((place.cell, place.aspect), Vec::new());
        let wanted = BTreeMap::from([(key, [x, y, 1, 1])]);
        let glimpses = glimpse::look(self.inquiry, model, until, &wanted, &mut missing)?;
        let why = || missing.pop().unwrap_or_else(|| "the image cannot be read back".to_owned());
        let mean = glimpses.get(&key).filter(|seen| seen.samples() > 1).and_then(|seen| mean(seen, place.at));
        Ok((glimpse::value_at(&glimpses, place).ok_or_else(why), mean))
    }
}

/// The mean of all samples of a pixel, if they are numbers that have one.
fn mean(seen: &Glimpse, at: [u32; 2]) -> Option<Value> {
    let (count, mut sum) = (seen.samples(), [0.0; 4]);
    for sample in 0..count {
        let Value::Colour(Color::Float(channels)) = seen.value(at, sample)? else { return None };
        sum.iter_mut().zip(channels).for_each(|(sum, channel)| *sum += channel / count as f32);
    }
    Some(Value::Colour(Color::Float(sum)))
}

/// Whether the picture of a pixel with several samples is their mean: that of a surface is, while a framebuffer object with
/// several samples cannot be read. How colours in sRGB are resolved is the driver's choice.
fn is_resolved(place: &TexelRef, format: PlaneFormat) -> bool {
    let linear = matches!(format, PlaneFormat::Colour(format) if format.numeric == Numeric::Unorm);
    linear && matches!(place.cell.thing, ContentsRef::Surface { .. })
}

/// The draw buffer, format and type in which a picture is read by the program's own context; `None` where that does not
/// give what the image holds.
fn picture_form(view: &View<'_>, format: PlaneFormat, role: Role) -> Option<(u32, [u32; 2])> {
    let (Role::Colour(buffer), PlaneFormat::Colour(PixelFormat { numeric, bits })) = (role, format) else {
        return None;
    };
    let vars = &view.context.vars;
    let clamped = vars.name(var::CLAMP_READ_COLOR) == c::GL_TRUE;
    if view.context.transfers_pixels() || clamped && numeric == Numeric::Float {
        return None;
    }
    let small = bits.iter().all(|bits| *bits <= 8);
    let desktop = view.context.facts.desktop(1, 0);
    let form = match numeric {
        Numeric::Unorm | Numeric::Srgb if small => [c::GL_RGBA, c::GL_UNSIGNED_BYTE],
        Numeric::Float => [c::GL_RGBA, c::GL_FLOAT],
        Numeric::Int => [c::GL_RGBA_INTEGER, c::GL_INT],
        Numeric::Uint => [c::GL_RGBA_INTEGER, c::GL_UNSIGNED_INT],
        _ if desktop => [c::GL_RGBA, c::GL_FLOAT],
        _ => return None,
    };
    Some((u32::try_from(buffer).ok()?, form))
}

impl PicturedPixel {
    fn missing(why: &str) -> PicturedPixel {
        PicturedPixel { value: Err(why.to_owned()), format: None, resolved: None }
    }

    /// Compares what the nodes of a history explain, the last writer first.
    #[must_use]
    pub fn check_nodes(&self, nodes: &[Node]) -> PictureCheck {
        let Some(last) = nodes.first() else { return self.unchecked("the history names no writer of it") };
        if last.kind == EventKind::Undefined {
            return self.unchecked(UNDEFINED);
        }
        // What was read back must be the same to the bit; what was computed may be rounded differently.
        match (last.after, last.emulated) {
            (Some(after), _) => self.check(after, false),
            (None, Some(made)) => self.check(made, true),
            (None, None) => self.unchecked(NO_VALUE),
        }
    }

    /// Compares what rows explain: the last of them ends with it.
    #[must_use]
    pub fn check_rows(&self, rows: &[Node]) -> PictureCheck {
        let Some(last) = rows.last() else { return self.unchecked("nothing wrote to it in this frame") };
        if last.kind == EventKind::Undefined {
            return self.unchecked(UNDEFINED);
        }
        let Some(after) = last.after else { return self.unchecked(NO_VALUE) };
        match (self.check(after, false), &last.verdict) {
            // What its last fragment made is not what is there.
            (check, Verdict::Differs(units)) if check.verdict.holds() => {
                PictureCheck { verdict: Verdict::Differs(*units), ..check }
            }
            (check, _) => check,
        }
    }

    fn check(&self, explained: Value, rounded: bool) -> PictureCheck {
        let (Ok(shown), Some(format)) = (&self.value, self.format) else {
            let why = self.value.as_ref().err().map_or("its format is not known", String::as_str);
            return PictureCheck { explained: Some(explained), ..self.unchecked(why) };
        };
        if let Some((mean, shown)) = self.resolved
            && let verdict @ Verdict::Differs(_) = judge(format, Some(mean), Some(shown))
        {
            return PictureCheck { explained: Some(mean), shown: Some(shown), verdict };
        }
        let verdict = match judge(format, Some(explained), Some(*shown)) {
            Verdict::Within(units) if !rounded => Verdict::Differs(units),
            verdict => verdict,
        };
        PictureCheck { explained: Some(explained), shown: Some(*shown), verdict }
    }

    fn unchecked(&self, why: &str) -> PictureCheck {
        let shown = self.value.as_ref().ok().copied();
        PictureCheck { explained: None, shown, verdict: Verdict::Unchecked(why.to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixel(numeric: Numeric, bits: u8, shown: Color) -> PicturedPixel {
        let format = PixelFormat { numeric, bits: [bits; 4] };
        PicturedPixel { value: Ok(Value::Colour(shown)), format: Some(PlaneFormat::Colour(format)), resolved: None }
    }

    /// Compares a colour that was read back after the last writer, and one that was only computed.
    #[track_caller]
    fn check(pixel: &PicturedPixel, explained: Color, expected: &[Verdict; 2]) {
        let verdict = |rounded| pixel.check(Value::Colour(explained), rounded).verdict;
        assert_eq!(&[verdict(false), verdict(true)], expected);
    }

    #[test]
    fn values_are_compared_in_the_format_of_the_image() {
        let grey = |level: f32| Color::Float([level; 4]);
        let bytes = pixel(Numeric::Unorm, 8, grey(0.5));
        // Both are 128 of 255; the next is one unit off, which rounding explains only if it was computed.
        check(&bytes, grey(0.501), &[Verdict::Equal, Verdict::Equal]);
        check(&bytes, grey(0.505), &[Verdict::Differs(1), Verdict::Within(1)]);
        check(&bytes, grey(0.6), &[Verdict::Differs(25), Verdict::Differs(25)]);
        let floats = pixel(Numeric::Float, 32, Color::Float([f32::NAN, f32::INFINITY, 1.5, -0.0]));
        check(&floats, Color::Float([-f32::NAN, f32::INFINITY, 1.5, 0.0]), &[Verdict::Equal, Verdict::Equal]);
        let apart = u64::MAX;
        check(
            &floats,
            Color::Float([0.0, f32::INFINITY, 1.5, 0.0]),
            &[Verdict::Differs(apart), Verdict::Differs(apart)],
        );
        let whole = pixel(Numeric::Uint, 32, Color::Uint([u32::MAX, 1, 2, 3]));
        check(&whole, Color::Uint([u32::MAX, 1, 2, 3]), &[Verdict::Equal, Verdict::Equal]);
        check(&whole, Color::Uint([u32::MAX - 1, 1, 2, 3]), &[Verdict::Differs(1), Verdict::Differs(1)]);
    }

    #[test]
    fn samples_are_compared_one_by_one_and_their_mean_with_the_picture() {
        let grey = |level: f32| Value::Colour(Color::Float([level; 4]));
        let one = pixel(Numeric::Unorm, 8, Color::Float([1.0; 4]));
        let resolved = |mean, shown| PicturedPixel { resolved: Some((grey(mean), grey(shown))), ..one.clone() };
        assert_eq!(resolved(0.25, 0.251).check(grey(1.0), false).verdict, Verdict::Equal);
        assert_eq!(resolved(0.25, 0.251).check(grey(0.0), false).verdict, Verdict::Differs(255));
        let wrong = resolved(0.2, 0.6).check(grey(1.0), false);
        assert_eq!(
            wrong,
            PictureCheck { explained: Some(grey(0.2)), shown: Some(grey(0.6)), verdict: Verdict::Differs(102) }
        );
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        let missing = PicturedPixel::missing("it is gone");
        let check = missing.check(Value::Depth(0.5), false);
        assert_eq!(check.verdict, Verdict::Unchecked("it is gone".to_owned()));
        assert_eq!((check.explained, check.shown), (Some(Value::Depth(0.5)), None));
        let why = Verdict::Unchecked("the history names no writer of it".to_owned());
        assert_eq!(missing.check_nodes(&[]).verdict, why);
    }
}
