//! A draw, and all that it does in a rectangle.

mod coverage;
mod ran;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api::Trait;
use chronicle::Ledger;
use chronicle::graph::Cell;
use device::{ImageRef, Rectangle};
use inquiry::{DrawSnapshot, Inputs, Inquiry, InquiryError};
use instrument::stream::Facts;
use instrument::variant::{Reading, What};
use open_trace::Replaced;
use pipeline::Effort;
use reenact::fragment_ops::{FragmentOps, Pixel, Role, ShadedFragment, TargetPlane};
use reenact::{Plane, Scene};
use shader::types::Scalar;
use shader::version::Stage;
use state::{ContentsRef, Model, Region};

use crate::TexelAspect;
use crate::bounds;
use crate::corners::Corners;
use crate::glimpse::texel;
use crate::memo::Memo;
use crate::outputs::{Outputs, components};

pub use ran::{PixelFragment, fragments_at};

/// A draw, what was in a rectangle before it and after it, and its fragments there.
pub struct Visit {
    pub work: Arc<DrawSnapshot>,
    pub tail: FragmentOps,
    pub outputs: Outputs,
    /// Where.
    rectangle: Rectangle,
    /// What was really there.
    pub before: FramebufferContents,
    /// The same after it, if that was asked for.
    pub after: Option<FramebufferContents>,
    /// The state that the shaders run in, if it was asked for and there are fragments.
    pub scene: Option<Scene>,
    /// The draw's vertices, or why they are unknown; `None` if they were not asked for.
    pub corners: Option<Result<Corners, String>>,
    /// In the order in which they were drawn.
    pub fragments: Vec<MeasuredFragment>,
    /// Those of a pixel, by their place in the list.
    pub pixels: BTreeMap<[u32; 2], Vec<usize>>,
    /// Fragments and samples of their pixels that they do not cover.
    pub uncovered: BTreeSet<(usize, u32)>,
    pub notes: Vec<String>,
    /// Further fragments, for which there was no room.
    pub missed: u32,
}

/// Traits of commands that may draw several times.
const PARTED: [Trait; 4] = [Trait::Instanced, Trait::Multi, Trait::Indirect, Trait::CallsLists];

/// Bytes that a scene takes at least, for its program and its state.
const SCENE: usize = 1 << 13;

/// A fragment, as the device ran it.
pub struct MeasuredFragment {
    pub inputs: Inputs,
    pub primitive: Option<u32>,
    /// The samples that it covers, as bits, where the shader's language can tell.
    pub coverage: Option<u32>,
    /// What it gave out, for the fixed functions behind it.
    pub shaded: ShadedFragment,
    /// What made it, if that was no shader of the program's and another stands in.
    pub stand_in: Option<Replaced>,
}

/// What the planes of a framebuffer hold in a rectangle.
#[derive(Clone, Default)]
pub struct FramebufferContents {
    rectangle: Rectangle,
    planes: Vec<(Role, Plane)>,
    pub missing: Vec<String>,
}

impl FramebufferContents {
    /// Looks at all planes before a command.
    pub fn look(
        inquiry: &mut Inquiry,
        model: &Model,
        (group, tail): (usize, &FragmentOps),
        (command, rectangle): (u64, Rectangle),
    ) -> Result<FramebufferContents, InquiryError> {
        let (held, roles, sights) = FramebufferContents::to_see(model, (group, tail), rectangle);
        Ok(held.seen(&roles, inquiry.look(command, sights)?))
    }

    /// What to look at, for which planes.
    fn to_see(
        model: &Model,
        (group, tail): (usize, &FragmentOps),
        rectangle: Rectangle,
    ) -> (FramebufferContents, Vec<Role>, Vec<(ImageRef, Rectangle)>) {
        let mut held = FramebufferContents { rectangle, ..FramebufferContents::default() };
        let (mut roles, mut sights) = (Vec::new(), Vec::new());
        for plane in tail.planes() {
            match ImageRef::of(model, Cell::of(group, plane.thing)) {
                Some(sight) => {
                    roles.push(plane.role);
                    sights.push((sight, rectangle));
                }
                None => held.missing.push(format!("{:?} cannot be seen", plane.role)),
            }
        }
        (held, roles, sights)
    }

    fn seen(mut self, roles: &[Role], seen: Vec<inquiry::ReadPlanes>) -> FramebufferContents {
        for (role, seen) in roles.iter().zip(seen) {
            match seen {
                Ok(planes) => self.planes.extend(planes.into_iter().map(|plane| (*role, plane))),
                Err(why) => self.missing.push(format!("{role:?}: {why}")),
            }
        }
        self
    }

    /// Returns what all planes of a draw hold after it, read at a later command if nothing was written to them since: a walk
    /// that comes from there need not go forwards again. `None` if they were written to, or that is unknown.
    pub fn foresee(
        inquiry: &mut Inquiry,
        ledger: &Ledger,
        (command, rectangle): (u64, Rectangle),
        moment: u64,
    ) -> Result<Option<FramebufferContents>, InquiryError> {
        let calls = inquiry.trace().draw_calls(command)?;
        let (first, last) = (*calls.range.start(), *calls.range.end());
        if first == 0 || moment <= last {
            return Ok(None);
        }
        let model = inquiry.state_after(first - 1)?;
        let Some(view) = model.view(calls.thread) else { return Ok(None) };
        let (group, Ok(tail)) = (view.context.group, FragmentOps::new(&view)) else { return Ok(None) };
        // What a window shows is not what was drawn for it.
        let lasts = |plane: &TargetPlane| !matches!(plane.thing, ContentsRef::Surface { .. });
        if !tail
            .planes()
            .iter()
            .all(|plane| lasts(plane) && is_untouched(ledger, (group, plane), rectangle, last..moment))
        {
            return Ok(None);
        }
        let (held, roles, sights) =
            FramebufferContents::to_see(&inquiry.state_after(moment - 1)?, (group, &tail), rectangle);
        if sights.is_empty() || !held.missing.is_empty() {
            return Ok(None);
        }
        let seen = held.seen(&roles, inquiry.look(moment, sights)?);
        Ok(Some(seen).filter(|seen| seen.missing.is_empty()))
    }

    /// What is at a pixel.
    pub fn pixel(&self, tail: &FragmentOps, at: [u32; 2], sample: u32) -> Pixel {
        let mut pixel = Pixel::default();
        for (role, plane) in &self.planes {
            if let Some(bytes) = texel(plane, self.rectangle, at, sample) {
                pixel.read(*role, tail, plane.format, plane.pixel_type, bytes);
            }
        }
        pixel
    }
}

impl Visit {
    /// Goes to a draw. What is needed to emulate its fragments, and what is there after it, is asked for only if it is
    /// needed; so are its vertices.
    pub fn new(
        inquiry: &mut Inquiry,
        emulate: Option<(&Ledger, &mut Memo, bool)>,
        after: bool,
        to: (u64, Rectangle),
    ) -> Result<Visit, InquiryError> {
        let mut visit = Visit::foreseen(inquiry, emulate, None, to)?;
        if after {
            visit.look_after(inquiry)?;
        }
        Ok(visit)
    }

    /// The same, where what is there after it may be known.
    pub fn foreseen(
        inquiry: &mut Inquiry,
        emulate: Option<(&Ledger, &mut Memo, bool)>,
        after: Option<FramebufferContents>,
        (command, rectangle): (u64, Rectangle),
    ) -> Result<Visit, InquiryError> {
        let mut visit = Visit { after, ..Visit::seen(inquiry, (command, rectangle))? };
        if let Some((ledger, memo, vertices)) = emulate {
            visit.prepare(inquiry, ledger, memo, vertices)?;
        }
        // Whatever is asked of the moment before the draw comes first: going back costs more than going on.
        let several = visit.tail.samples() > 1;
        let unknown = several && visit.fragments.iter().any(|seen| seen.coverage.is_none());
        if unknown {
            visit.look_after(inquiry)?;
        }
        if several {
            coverage::find(&mut visit);
        }
        Ok(visit)
    }

    /// Whether it is of all of a rectangle.
    pub fn holds(&self, [left, bottom, width, height]: Rectangle) -> bool {
        let own = self.rectangle;
        let inside = |at: u32, length: u32, axis: usize| at >= own[axis] && at + length <= own[axis] + own[axis + 2];
        inside(left, width, 0) && inside(bottom, height, 1)
    }

    /// If another draw to the same images was the next that did anything to them, what was found before it was there
    /// after this one.
    pub fn is_followed_by(&mut self, next: &Visit, ledger: &Ledger) {
        let Ok(group) = self.work.view().map(|view| view.context.group) else { return };
        let (last, end) = (*self.work.calls.range.end(), *next.work.calls.range.start());
        let untouched = |plane: &TargetPlane| is_untouched(ledger, (group, plane), self.rectangle, last..end);
        let planes = self.tail.planes();
        if self.after.is_none()
            && self.rectangle == next.rectangle
            && planes == next.tail.planes()
            && planes.iter().all(untouched)
        {
            self.after = Some(next.before.clone());
        }
    }

    /// Whether the emulator can run its fragments, and its vertices if they are wanted.
    pub fn is_ready(&self, vertices: bool) -> bool {
        self.fragments.is_empty() || self.scene.is_some() && (self.corners.is_some() || !vertices)
    }

    /// Gets everything that the emulator needs to run its fragments, and its vertices if they are wanted.
    pub fn prepare(
        &mut self,
        inquiry: &mut Inquiry,
        ledger: &Ledger,
        memo: &mut Memo,
        vertices: bool,
    ) -> Result<(), InquiryError> {
        if self.fragments.is_empty() {
            return Ok(());
        }
        if self.scene.is_none() {
            self.scene = Some(memo.scene(inquiry, &self.work, ledger)?);
        }
        if vertices && self.corners.is_none() {
            self.corners = Some(Corners::gather(inquiry, &self.work, ledger, memo));
        }
        Ok(())
    }

    /// Forgets what the emulator needs.
    pub fn unprepare(&mut self) {
        (self.scene, self.corners) = (None, None);
    }

    /// What emulating it takes counts from now on as part of this.
    pub fn charge(&mut self, effort: &Arc<Effort>) {
        let corners = self.corners.as_mut().and_then(|corners| corners.as_mut().ok());
        for scene in self.scene.iter_mut().chain(corners.into_iter().flat_map(Corners::scenes_mut)) {
            scene.effort = Some(Arc::clone(effort));
        }
    }

    /// About how many bytes what the emulator needs takes.
    pub fn weight(&self) -> usize {
        let corners = self.corners.as_ref().and_then(|corners| corners.as_ref().ok());
        self.scene.as_ref().map_or(0, scene_weight) + corners.map_or(0, Corners::weight)
    }

    /// Looks at what is there after it, unless that is known.
    pub fn look_after(&mut self, inquiry: &mut Inquiry) -> Result<(), InquiryError> {
        if self.after.is_none() {
            let (group, last) = (self.work.view()?.context.group, *self.work.calls.range.end());
            let held =
                FramebufferContents::look(inquiry, &self.work.model, (group, &self.tail), (last + 1, self.rectangle))?;
            self.after = Some(held);
        }
        Ok(())
    }

    /// Returns what is there after it, as far as it was read back.
    pub fn pixel_after(&self, at: [u32; 2], sample: u32) -> Pixel {
        self.after.as_ref().map(|held| held.pixel(&self.tail, at, sample)).unwrap_or_default()
    }

    /// The draw with what was there before, and its fragments.
    fn seen(inquiry: &mut Inquiry, (command, rectangle): (u64, Rectangle)) -> Result<Visit, InquiryError> {
        let mut to_see = None;
        let (work, seen) = inquiry.work_seeing(command, |view| {
            let tail = FragmentOps::new(view)?;
            let (held, roles, sights) = FramebufferContents::to_see(view.model, (view.context.group, &tail), rectangle);
            to_see = Some((tail, held, roles));
            Ok(sights)
        })?;
        let (tail, held, roles) = to_see.ok_or(InquiryError::NoStage { command, stage: Stage::Fragment })?;
        let tail = tail.on(work.manner);
        let before = held.seen(&roles, seen);
        let measured = inquiry.within(bounds::words(), |inquiry| inquiry.ends(&work, rectangle))?;
        let (mut fragments, mut pixels): (Vec<MeasuredFragment>, BTreeMap<[u32; 2], Vec<usize>>) = Default::default();
        let facts = work.facts(Stage::Fragment)?;
        let outputs = Outputs::of(work.view()?.group.program(facts.program));
        let inputs = Inputs::all(Stage::Fragment, &measured);
        for (inputs, (who, reading)) in inputs.into_iter().zip(&measured.result.readings) {
            let at = [who[0], who[1]].map(|place| place.max(0).cast_unsigned());
            let mut shaded = shaded(at, &inputs, (reading, &work), &outputs);
            shaded.primitive = shaded.primitive.filter(|_| who[2] >= 0);
            let primitive = shaded.primitive;
            pixels.entry(at).or_default().push(fragments.len());
            let coverage = inputs.named().find(|(name, _)| *name == "gl_SampleMaskIn[0]");
            let coverage = coverage.and_then(|(_, value)| value.scalars.first().map(|bits| *bits as u32));
            fragments.push(MeasuredFragment { inputs, primitive, coverage, shaded, stand_in: facts.stand_in });
        }
        // Invocations answer in any order, but fragments of a pixel are written in the order of their primitives (GL 4.6,
        // 2.1). Where primitives have no numbers, or begin to count anew with every instance and every part of a call
        // (GLSL 4.60, 7.1.5), the order is that of the answers.
        if !measured.in_order && !PARTED.iter().any(|part| work.calls.about().has(*part)) {
            for list in pixels.values_mut() {
                list.sort_by_key(|place| fragments[*place].primitive);
            }
        }
        let (notes, uncovered, missed) = (measured.notes, BTreeSet::new(), measured.result.missed);
        let (after, scene, corners) = (None, None, None);
        Ok(Visit {
            work,
            tail,
            outputs,
            rectangle,
            before,
            after,
            scene,
            corners,
            fragments,
            pixels,
            uncovered,
            notes,
            missed,
        })
    }
}

/// About how many bytes a scene takes. Textures share theirs with the cache of contents.
pub fn scene_weight(scene: &Scene) -> usize {
    SCENE + scene.state.buffers.iter().map(Vec::len).sum::<usize>()
}

/// Returns whether nothing writes to a rectangle of a plane between two calls.
fn is_untouched(
    ledger: &Ledger,
    (group, plane): (usize, &TargetPlane),
    [left, bottom, width, height]: Rectangle,
    calls: std::ops::Range<u64>,
) -> bool {
    let region = Region { at: [left, bottom], end: [left + width, bottom + height] };
    let (cell, aspect) = (Cell::of(group, plane.thing), TexelAspect::of(plane.role).aspect());
    ledger.last_in(&cell, region, aspect, calls.end).is_none_or(|entry| entry.call <= calls.start)
}

/// A fragment as it leaves the device's shader.
fn shaded(
    at: [u32; 2],
    inputs: &Inputs,
    (reading, work): (&Reading, &DrawSnapshot),
    outputs: &Outputs,
) -> ShadedFragment {
    let word = |name: &str, place: usize| {
        let (_, value) = inputs.named().find(|(input, _)| *input == name)?;
        value.scalars.get(place).map(|bits| *bits as u32)
    };
    let output = |name: &str| {
        let record = reading.records.iter().find(|record| matches!(&record.what, What::Output(own) if own == name))?;
        record.value.as_ref()?.scalars.first().map(|bits| *bits as u32)
    };
    let types = work.facts(Stage::Fragment).ok().map(|facts| &facts.shader.typed.types);
    let given: Vec<(&str, Scalar, usize, Vec<u32>)> = reading
        .records
        .iter()
        .filter_map(|record| match (&record.what, &record.value) {
            (What::Output(name), Some(value)) => {
                let element = types.and_then(|types| types.as_array(value.ty)).map_or(value.ty, |array| array.element);
                let (scalar, components) = components(element);
                Some((name.as_str(), scalar, components, value.scalars.iter().map(|bits| *bits as u32).collect()))
            }
            _ => None,
        })
        .collect();
    let given = given.iter().map(|(name, scalar, components, words)| (*name, *scalar, *components, &words[..]));
    let colours = outputs.colours(given);
    let depth = output("gl_FragDepth").or_else(|| word("gl_FragCoord", 2)).unwrap_or(0);
    ShadedFragment {
        at,
        sample: inputs.who[3].max(0).cast_unsigned(),
        depth: f32::from_bits(depth),
        front: word("gl_FrontFacing", 0).is_none_or(|front| front != 0),
        primitive: Some(inputs.who[2].max(0).cast_unsigned()),
        discarded: reading.facts.has(Facts::DISCARDED),
        colours: colours.first,
        second: colours.second,
        sample_mask: output("gl_SampleMask"),
        stencil_reference: output("gl_FragStencilRefARB").map(|word| word as u8),
        ..ShadedFragment::default()
    }
}
