//! What draws wrote: fragments, what became of them, and what they read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chronicle::graph::Cell;
use raster::Color;
use reenact::Scene;
use reenact::fragment_ops::{FragmentOps, Role};
use shader::version::Stage;

use super::buffer::sampler;
use super::{PendingTexel, ProducingFragment, Reader, Shone, Walk, around};
use crate::bounds::{MEASURED, MOST_PIXELS, PASS};
use crate::emulate::{self, Emulated};
use crate::history::{EventKind, NodeId, Value, Verdict, Why};
use crate::place::Images;
use crate::steps::{Step, fragment, slack, steps, value_of, verdict};
use crate::visit::Visit;
use crate::visits::Means;
use crate::{Recall, RecallError, TexelAspect, TexelRef};

impl Walk<'_, '_> {
    /// All texels that a draw may have written; those that it does not draw to, but may have stored to, are given back.
    pub(super) fn drawn(
        &mut self,
        call: u64,
        mut places: BTreeMap<TexelRef, PendingTexel>,
    ) -> Result<BTreeMap<TexelRef, PendingTexel>, RecallError> {
        let untouched = places.extract_if(.., |place, _| !self.recall.may_touch(call, place));
        for (place, wanted) in untouched.collect::<Vec<_>>() {
            self.pass_on(call, place, wanted)?;
        }
        let mut stray = BTreeMap::new();
        // The last part comes first out of the list.
        let mut parts = in_bands(places);
        parts.reverse();
        while let Some(part) = parts.pop() {
            match self.drawn_part(call, part)? {
                Part::Done(strays) => stray.extend(strays),
                Part::TooMuch(halves) => parts.extend(halves.into_iter().rev()),
            }
        }
        Ok(stray)
    }

    /// Some of these texels, which lie near each other.
    fn drawn_part(&mut self, call: u64, mut places: BTreeMap<TexelRef, PendingTexel>) -> Result<Part, RecallError> {
        let Some((&first, _)) = places.first_key_value() else { return Ok(Part::Done(places)) };
        if !self.spend(0, call) {
            self.history.cut.costly += places.len() as u64;
            return Ok(Part::Done(BTreeMap::new()));
        }
        let rectangle = around(places.keys());
        let Recall { inquiry, ledger, memo, visits, .. } = &mut *self.recall;
        let mut means = Means { inquiry, ledger, memo };
        let visit = match visits.take(
            &mut means,
            (call, first, self.later),
            rectangle,
            (self.bounds.vertices, self.bounds.verify),
        ) {
            Ok(visit) => visit,
            Err(error) => {
                // The worker may be gone for good, or it is only this draw that cannot be asked.
                let why = error.to_string();
                self.note(format!("command {call}: {why}"));
                for (place, wanted) in places {
                    let id = self.node(call, place, EventKind::Draw, &wanted);
                    self.history.nodes[id.0 as usize].verdict = Verdict::Unchecked(why.clone());
                }
                return Ok(Part::Done(BTreeMap::new()));
            }
        };
        self.spend(MEASURED * visit.fragments.len() as u64, call);
        if visit.missed > 0 && places.len() > 1 {
            return Ok(Part::TooMuch(halves(places)));
        }
        if visit.missed > 0 {
            let all = visit.fragments.len() as u64 + u64::from(visit.missed);
            let at = first.at;
            self.note(format!(
                "command {call}: of {all} fragments at pixel {},{} only {} are looked at; they may not be the last",
                at[0],
                at[1],
                visit.fragments.len()
            ));
        }
        let stray = if self.bounds.vertices { stray(&visit, &mut places) } else { BTreeMap::new() };
        for note in visit.notes.iter().chain(&visit.before.missing) {
            self.note(format!("command {call}: {note}"));
        }
        let pixels: BTreeSet<[u32; 2]> = places.keys().map(|place| place.at).collect();
        let own: Vec<usize> = pixels.iter().filter_map(|at| visit.pixels.get(at)).flatten().copied().collect();
        let emulated = match &visit.scene {
            Some(scene) => {
                scene.missing.iter().for_each(|missing| self.note(format!("command {call}: {missing}")));
                let inputs: Vec<_> = own.iter().map(|place| &visit.fragments[*place].inputs).collect();
                emulate::fragments(scene, &visit.outputs, &inputs)
                    .map_err(|why| self.note(format!("command {call}: {why}")))
                    .ok()
            }
            None => None,
        };
        let emulated: BTreeMap<usize, Emulated> = own.into_iter().zip(emulated.unwrap_or_default()).collect();
        for (place, wanted) in places {
            self.drawn_texel(call, &visit, &emulated, place, wanted)?;
        }
        let shone = std::mem::take(&mut self.shone);
        if let Some(corners) = visit.corners {
            self.vertices(&visit.work, corners, (visit.scene.as_ref(), &shone), Vec::new())?;
        }
        if let Some(inputs) = self.first_inputs.take() {
            let (others, changed_nothing) = (self.first_others, self.first_is_idle);
            let (draw, scene) = (visit.work, visit.scene);
            self.produced = Some(Box::new(ProducingFragment { draw, inputs, scene, others, changed_nothing }));
        }
        Ok(Part::Done(stray))
    }

    fn drawn_texel(
        &mut self,
        call: u64,
        visit: &Visit,
        emulated: &BTreeMap<usize, Emulated>,
        place: TexelRef,
        wanted: PendingTexel,
    ) -> Result<(), RecallError> {
        let group = place.cell.group;
        let plane =
            visit.tail.planes().iter().find(|plane| {
                TexelAspect::of(plane.role) == place.aspect && Cell::of(group, plane.thing) == place.cell
            });
        let Some(role) = plane.map(|plane| plane.role) else {
            return self.pass_on(call, place, wanted);
        };
        let real = visit.before.pixel(&visit.tail, place.at, place.sample);
        // What there is between two fragments of a draw cannot be read; it follows from what the device gave them.
        let unemulated = BTreeMap::new();
        let measured = steps(visit, &unemulated, (place, &real));
        let steps = steps(visit, emulated, (place, &real));
        let writes = |step: &Step<'_>| step.writes(&visit.tail, role);
        let Some(last) = steps.iter().rposition(writes) else { return self.pass_on(call, place, wanted) };
        let after = visit.pixel_after(place.at, place.sample);
        let verdict = match steps[last].emulated {
            _ if !self.bounds.verify => Verdict::Unchecked("the result was not read back".to_owned()),
            // The one that stays may be one of those that are not known.
            _ if visit.missed > 0 => Verdict::Unchecked("not all of the draw's fragments are known".to_owned()),
            Some(_) => {
                let slack = slack(&visit.tail, role, &steps[..=last]);
                verdict(&visit.tail, role, (&steps[last].after, &after), slack)
            }
            None => Verdict::Unchecked("the fragment was not emulated".to_owned()),
        };
        let unknown_filters = visit.scene.as_ref().is_some_and(Scene::has_unknown_filters);
        let verdict = match verdict {
            Verdict::Differs(units) if unknown_filters => {
                self.note(format!(
                    "command {call}: anisotropic filters are the driver's own, so what it draws is not judged; it is {units} ulp \
                     from what the emulator computes"
                ));
                Verdict::Unchecked("anisotropic filters are the driver's own".to_owned())
            }
            verdict => verdict,
        };
        let reads = steps[last].emulated.is_some_and(|emulated| !emulated.reads.is_empty());
        if matches!(verdict, Verdict::Differs(_)) && reads {
            let [x, y] = place.at;
            self.note(format!(
                "command {call}: at pixel {x},{y} the emulator computes something else than the device, so the device may have read \
                 other texels than those named here; `inspect --at {call} --pixel {x},{y} --verify` shows where they part"
            ));
        }
        let mut reading = wanted;
        let mut depth = reading.depth;
        for (order, step) in steps.iter().enumerate().take(last + 1).rev().filter(|(_, step)| writes(step)) {
            reading.depth = depth;
            // A pixel may have thousands of fragments. The first was admitted with its texel.
            if self.history.nodes.len() >= self.bounds.max_nodes {
                self.history.cut.many += 1;
                return Ok(());
            }
            let id = self.node(call, place, EventKind::Draw, &reading);
            if id == NodeId(0) {
                self.first_inputs = Some(step.seen.inputs.clone());
                self.first_others = (visit.ran_at(place.at).len() as u32).saturating_sub(1);
                let held = |pixel| value_of(pixel, role);
                self.first_is_idle =
                    measured.get(order).is_some_and(|measured| held(&measured.before) == held(&measured.after));
            }
            let node = &mut self.history.nodes[id.0 as usize];
            node.before = value_of(&step.before, role);
            let between = measured.get(order).map_or(&step.after, |measured| &measured.after);
            node.after = value_of(if order == last { &after } else { between }, role);
            node.emulated = value_of(&step.after, role);
            node.verdict = verdict.clone();
            node.fragment = Some(fragment(order, step, &visit.tail, role));
            let kept = step.kept(&visit.tail, role);
            let given = given(&visit.tail, step, role);
            // Alpha counts where colours do not, as in images that have nothing else.
            let below = if given.is_none() && kept.colour <= 0.0 { kept.alpha } else { kept.colour };
            let share = given.unwrap_or(1.0 - below);
            self.reads(visit, step, id, share)?;
            if self.bounds.vertices {
                self.uniforms(&visit.work, Stage::Fragment, id)?;
                self.fixed_state(&visit.work, Stage::Fragment, id, &[])?;
                if let (Some(emulated), Some(scene)) = (step.emulated, &visit.scene) {
                    let weight = share / emulated.loads.len().max(1) as f64;
                    let bindings = scene.program.bindings(Stage::Fragment);
                    self.loaded(&visit.work, &bindings, id, &emulated.loads, weight)?;
                }
                let (inputs, loose) = (step.seen.inputs.clone(), visit.tail.samples() > 1);
                let depth = Some(step.seen.shaded.depth);
                self.shone.push(Shone { node: id, place, inputs, share, loose, depth });
            }
            if kept.is_nothing() {
                return Ok(());
            }
            depth = self.history.nodes[id.0 as usize].depth;
            let why = if below > 0.0 { Why::Blended } else { Why::BlendedAlpha };
            reading = PendingTexel { readers: vec![Reader { node: id, why, weight: below }], depth };
        }
        self.pass_on(call, place, reading)
    }

    /// The writer before it matters, not this call.
    pub(super) fn pass_on(&mut self, call: u64, place: TexelRef, wanted: PendingTexel) -> Result<(), RecallError> {
        if wanted.readers.is_empty() {
            self.ask_for(PASS, place, call, (wanted.depth, None));
        }
        for reader in wanted.readers {
            self.ask_for(PASS, place, call, (wanted.depth, Some(reader)));
        }
        Ok(())
    }

    /// The texels that a fragment read.
    fn reads(&mut self, visit: &Visit, step: &Step<'_>, id: NodeId, share: f64) -> Result<(), RecallError> {
        let Some(emulated) = step.emulated else { return Ok(()) };
        let view = visit.work.view()?;
        let until = *visit.work.calls.range.start();
        let depth = self.history.nodes[id.0 as usize].depth + 1;
        let whole: f64 = emulated.reads.iter().map(|read| f64::from(read.texel.weight)).sum();
        let mut all = Vec::with_capacity(emulated.reads.len());
        // Texels of one look-up come one after the other.
        let mut last = (None, None);
        let mut images = Images::new(&view);
        // A texel without a share says nothing, unless it holds no number: none of that is still no number.
        let wrong = emulated.colours.first.iter().flatten().any(|colour| Value::Colour(*colour).is_nonfinite());
        for read in emulated.reads.iter().filter(|read| wrong || read.texel.weight != 0.0) {
            let Some(place) = images.place(read.handle, &read.texel) else { continue };
            if last.0 != read.site {
                last = (read.site, read.site.and_then(|site| line(visit, site)));
            }
            all.push(((place, last.1, read.handle), f64::from(read.texel.weight)));
        }
        all.sort_by_key(|(key, _)| *key);
        let mut name = None;
        // One texel may be read by several look-ups of an expression's place; they count together.
        for same in all.chunk_by(|one, other| one.0 == other.0) {
            let (place, line, handle) = same[0].0;
            let weight: f64 = same.iter().map(|(_, weight)| weight).sum();
            let spelled = match &name {
                Some((known, spelled)) if *known == handle => Arc::clone(spelled),
                _ => Arc::clone(&name.insert((handle, sampler(&visit.work, handle))).1),
            };
            let weight = share * weight / whole.max(1.0);
            self.ask(
                place,
                until,
                depth,
                Some(Reader { node: id, why: Why::Texel { sampler: spelled, line }, weight }),
            );
        }
        Ok(())
    }
}

/// What became of texels that a draw may have written.
enum Part {
    /// They are followed; these it does not draw to.
    Done(BTreeMap<TexelRef, PendingTexel>),
    /// There are more fragments than can be listed at once.
    TooMuch([BTreeMap<TexelRef, PendingTexel>; 2]),
}

/// Texels in parts whose rectangles are not too large to be measured, from below.
fn in_bands(places: BTreeMap<TexelRef, PendingTexel>) -> Vec<BTreeMap<TexelRef, PendingTexel>> {
    let [_, _, width, height] = around(places.keys());
    if places.len() < 2 || u64::from(width) * u64::from(height) <= MOST_PIXELS {
        return vec![places];
    }
    let rows = (MOST_PIXELS / u64::from(width)).max(1);
    let mut bands: BTreeMap<u64, BTreeMap<TexelRef, PendingTexel>> = BTreeMap::new();
    for (place, wanted) in places {
        bands.entry(u64::from(place.at[1]) / rows).or_default().insert(place, wanted);
    }
    bands.into_values().collect()
}

/// Texels in two parts, from below or from the left.
fn halves(places: BTreeMap<TexelRef, PendingTexel>) -> [BTreeMap<TexelRef, PendingTexel>; 2] {
    let [_, _, width, height] = around(places.keys());
    let axis = usize::from(height >= width);
    let mut ends: Vec<u32> = places.keys().map(|place| place.at[axis]).collect();
    ends.sort_unstable();
    let middle = ends[ends.len() / 2].max(ends[0] + 1);
    let (low, high): (BTreeMap<_, _>, BTreeMap<_, _>) =
        places.into_iter().partition(|(place, _)| place.at[axis] < middle);
    [low, high]
}

/// Takes out what is not of the framebuffer.
fn stray(visit: &Visit, places: &mut BTreeMap<TexelRef, PendingTexel>) -> BTreeMap<TexelRef, PendingTexel> {
    let planes = visit.tail.planes();
    let drawn = |place: &TexelRef| planes.iter().any(|plane| Cell::of(place.cell.group, plane.thing) == place.cell);
    let (kept, stray) = std::mem::take(places).into_iter().partition(|(place, _)| drawn(place));
    *places = kept;
    stray
}

/// How much of a fragment's colour there is in the result: how that changes with it, at most 1. Where colours are added,
/// all of it is, and all of what was there before. Nothing where that is no question of numbers.
fn given(tail: &FragmentOps, step: &Step<'_>, role: Role) -> Option<f64> {
    let Role::Colour(buffer) = role else { return None };
    if tail.replaces(buffer) {
        return None;
    }
    let with = |level: f32| {
        let (mut pixel, mut shaded) = (step.before.clone(), step.shaded.clone());
        // Nothing is there before, so that sums have room.
        *pixel.colours.get_mut(buffer)? = Some(Color::Float([0.0, 0.0, 0.0, 1.0]));
        let own = shaded.colours.get_mut(buffer)?;
        let Some(Color::Float([.., alpha])) = *own else { return None };
        *own = Some(Color::Float([level, level, level, alpha]));
        tail.apply(&mut pixel, &shaded);
        pixel.colours[buffer].map(Color::floats)
    };
    let (none, full) = (with(0.0)?, with(1.0)?);
    let most = (0..3).map(|channel| f64::from((full[channel] - none[channel]).abs())).fold(0.0, f64::max);
    // Steps of the format are no influence; what only alpha shows is judged by what is kept.
    if most < 1.0 / 512.0 { None } else { Some(most.min(1.0)) }
}

/// The line of an expression.
pub(crate) fn line(visit: &Visit, site: emulator::ir::SiteId) -> Option<u32> {
    let facts = visit.work.facts(Stage::Fragment).ok()?;
    let span = facts.shader.written(site.into());
    Some(facts.shader.sources.locate(span.start).line)
}
