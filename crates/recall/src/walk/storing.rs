//! What shaders that draw stored to buffers and images: who did, and what that was made of.

use std::collections::BTreeMap;

use device::Rectangle;
use inquiry::DrawSnapshot;
use shader::version::Stage;

use super::buffer::{WantedBytes, block, image};
use super::dispatch::Storing;
use super::stages::{CapturedVertex, Maker};
use super::{PendingTexel, Shone, Walk};
use crate::accesses::Access;
use crate::bench::{Bench, may_store, stores};
use crate::corners::{Corners, Number};
use crate::history::{ByteRange, EventKind, StageRun, Subject, Verdict};
use crate::visit::Visit;
use crate::{RecallError, TexelRef};

/// Pixels of a draw that are listed at once.
const BAND: u32 = 1 << 16;

/// Invocations that are run are numbered with these in front.
const VERTEX: u32 = 0;
const FRAGMENT: u32 = 1;

/// Invocations of a draw that may have stored something.
#[derive(Default)]
struct Invocations {
    numbers: Vec<Number>,
    /// Those of each band of the picture, with the fragments that ran.
    visits: Vec<Visit>,
    fragments: Vec<(usize, usize)>,
    /// What they stored of what is wanted; each names its invocation by a number in one of both lists.
    stores: Vec<Access>,
}

impl Walk<'_, '_> {
    /// Bytes and texels that shaders of a draw wrote: the invocations that did, and what they read.
    pub(super) fn stored_by_draw(
        &mut self,
        work: &DrawSnapshot,
        bytes: BTreeMap<ByteRange, WantedBytes>,
        texels: BTreeMap<TexelRef, PendingTexel>,
    ) -> Result<(), RecallError> {
        let (recall, call) = (&mut *self.recall, work.command);
        let corners = Corners::gather(recall.inquiry, work, &recall.ledger, &mut recall.memo);
        let found = self.invocations(work, &corners, &bytes, &texels);
        let mut found = match found {
            Ok(found) => found,
            Err(why) => {
                self.note(format!("command {call}: {why}"));
                return self.unfollowed(call, bytes, texels, &why);
            }
        };
        let bindings = |stage: Stage, visits: &[Visit]| match stage {
            Stage::Vertex => corners.as_ref().map(Corners::bindings).unwrap_or_default(),
            _ => visits.iter().find_map(|visit| visit.scene.as_ref()).map_or(Vec::new(), |s| s.program.bindings(stage)),
        };
        let view = work.view()?;
        // Words of blocks by which buffer they are of, as both stages number blocks their own way.
        let (vertex, fragment) = (bindings(Stage::Vertex, &[]), bindings(Stage::Fragment, &found.visits));
        let own = |access: &Access| if access.who[0] == VERTEX { &vertex } else { &fragment };
        // Who writes the same word is not ordered: the one that fits is taken.
        let fits = |access: &Access| {
            let Some((.., at)) = block(&view, own(access), &access.aspect) else { return false };
            let range =
                bytes.iter().find(|(range, _)| range.cell == at.cell && range.from <= at.from && at.to <= range.to);
            let held = range.and_then(|(range, asked)| {
                let first = (at.from - range.from) as usize;
                asked.held.get(first..first + 4).map(|held| u32::from_le_bytes([held[0], held[1], held[2], held[3]]))
            });
            held.is_some() && held == access.word
        };
        found.stores.sort_by_key(fits);
        let stores = std::mem::take(&mut found.stores);
        let mut storing: BTreeMap<[u32; 3], Storing> = BTreeMap::new();
        self.storing_bytes(work, &own, &stores, bytes, &mut storing)?;
        self.storing_texels(work, &stores, texels, &mut storing)?;
        let (mut kept, mut shone) = (Vec::new(), Vec::new());
        for (who, one) in storing {
            let place = who[1] as usize;
            if who[0] == VERTEX {
                let Storing { place: at, wanted, verdict, .. } = one;
                let maker = Maker::Vertex(found.numbers[place]);
                kept.push(CapturedVertex { maker, place: at, wanted, found: Vec::new(), stored: Some(verdict) });
                continue;
            }
            let (band, number) = found.fragments[place];
            shone.extend(self.stored_by_fragment(work, &found.visits[band], number, one)?);
        }
        let scene = found.visits.iter().find_map(|visit| visit.scene.as_ref());
        self.vertices(work, corners, (scene, &shone), kept)
    }

    /// A node for a fragment that stored something, and what it read.
    fn stored_by_fragment(
        &mut self,
        work: &DrawSnapshot,
        visit: &Visit,
        number: usize,
        storing: Storing,
    ) -> Result<Option<Shone>, RecallError> {
        if !self.has_room(&storing.wanted) {
            return Ok(None);
        }
        let Some(scene) = &visit.scene else { return Ok(None) };
        let inputs = visit.fragments[number].inputs.clone();
        let id = self.node(work.command, storing.place, EventKind::Store, &storing.wanted);
        let [x, y, primitive, _] = inputs.who;
        let node = &mut self.history.nodes[id.0 as usize];
        node.verdict = storing.verdict;
        (node.emulated, node.after) = storing.values;
        node.subject = Subject::Run(StageRun {
            stage: Stage::Fragment,
            primitive,
            invocation: None,
            coords: Some([x as f32, y as f32]),
            inputs: inputs.named().map(|(name, value)| (name.to_owned(), value.numbers())).collect(),
            outputs: Vec::new(),
        });
        let ran = Bench::new(scene, Stage::Fragment).run(&inputs);
        match ran {
            Ok(ran) => {
                let bindings = scene.program.bindings(Stage::Fragment);
                let weight = 1.0 / (ran.loads.len() + usize::from(!ran.texels.is_empty())).max(1) as f64;
                self.loaded(work, &bindings, id, &ran.loads, weight)?;
                self.looked_up(work, id, &ran.texels, weight)?;
            }
            Err(why) => self.note(format!("command {}: {why}", work.command)),
        }
        self.uniforms(work, Stage::Fragment, id)?;
        self.fixed_state(work, Stage::Fragment, id, &[])?;
        let loose = visit.tail.samples() > 1;
        Ok(Some(Shone { node: id, place: storing.place, inputs, share: 1.0, loose, depth: None }))
    }

    /// Who of a draw stored something that is wanted.
    fn invocations(
        &mut self,
        work: &DrawSnapshot,
        corners: &Result<Corners, String>,
        bytes: &BTreeMap<ByteRange, WantedBytes>,
        texels: &BTreeMap<TexelRef, PendingTexel>,
    ) -> Result<Invocations, String> {
        let view = work.view().map_err(|error| error.to_string())?;
        let wanted = |bindings: &[(emulator::host::Space, u32)], access: &Access| {
            access.store
                && match block(&view, bindings, &access.aspect) {
                    Some((.., range)) => {
                        bytes.keys().any(|own| own.cell == range.cell && own.from < range.to && range.from < own.to)
                    }
                    None => image(&view, &access.aspect).is_some_and(|place| texels.contains_key(&place)),
                }
        };
        let mut found = Invocations::default();
        let corners = corners.as_ref().map_err(Clone::clone)?;
        if let Some(stage) = corners.middle.stores() {
            return Err(format!("what {} shaders store is not followed", stage.name()));
        }
        if corners.stores() {
            found.numbers = corners.numbers();
            let bindings = corners.bindings();
            let list: Vec<_> = found.numbers.iter().filter_map(|number| corners.given(*number)).collect();
            if list.len() != found.numbers.len() {
                return Err("the device says nothing of some of its vertices".to_owned());
            }
            let all = stores(corners.scene(), Stage::Vertex, &list, &|access| wanted(&bindings, access))?;
            found
                .stores
                .extend(all.into_iter().map(|(place, access)| Access { who: [VERTEX, place as u32, 0], ..access }));
        }
        for rectangle in bands(work.target.size) {
            let recall = &mut *self.recall;
            let means = Some((&*recall.ledger, &mut recall.memo, false));
            let visit = Visit::new(recall.inquiry, means, false, (work.command, rectangle));
            let visit = visit.map_err(|error| error.to_string())?;
            if visit.missed > 0 {
                return Err("the draw has more fragments than can be asked at once".to_owned());
            }
            let Some(scene) = &visit.scene else { continue };
            if !may_store(scene, Stage::Fragment) {
                break;
            }
            let numbers = visit.ran();
            let list: Vec<_> = numbers.iter().map(|number| &visit.fragments[*number].inputs).collect();
            let bindings = scene.program.bindings(Stage::Fragment);
            let all = stores(scene, Stage::Fragment, &list, &|access| wanted(&bindings, access))?;
            let (first, band) = (found.fragments.len(), found.visits.len());
            found.stores.extend(
                all.into_iter().map(|(place, access)| Access { who: [FRAGMENT, (first + place) as u32, 0], ..access }),
            );
            found.fragments.extend(numbers.into_iter().map(|number| (band, number)));
            found.visits.push(visit);
        }
        Ok(found)
    }

    /// Ends for what cannot be followed.
    pub(super) fn unfollowed(
        &mut self,
        call: u64,
        bytes: BTreeMap<ByteRange, WantedBytes>,
        texels: BTreeMap<TexelRef, PendingTexel>,
        why: &str,
    ) -> Result<(), RecallError> {
        for (range, asked) in bytes {
            let id = self.byte_node(call, EventKind::Store, range, &asked.wanted);
            self.history.nodes[id.0 as usize].verdict = Verdict::Unchecked(why.to_owned());
        }
        for (place, wanted) in texels {
            let id = self.leaf(EventKind::Store, call, place, &wanted);
            self.history.nodes[id.0 as usize].verdict = Verdict::Unchecked(why.to_owned());
        }
        Ok(())
    }
}

/// A picture in pieces that can be listed at once.
fn bands([width, height]: [u32; 2]) -> Vec<Rectangle> {
    let rows = (BAND / width.max(1)).max(1);
    (0..height).step_by(rows as usize).map(|from| [0, from, width, rows.min(height - from)]).collect()
}
