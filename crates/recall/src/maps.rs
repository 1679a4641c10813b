//! Which blocks of textures the blocks of a target were made of, draw by draw.

use std::collections::BTreeMap;
use std::sync::Arc;

use chronicle::graph::Cell;
use inquiry::{BlockMap, DrawSnapshot, Mask};
use instrument::BlockFacts;
use instrument::blocks::SIDE;
use reenact::fragment_ops::FragmentOps;
use shader::version::Stage;
use state::ContentsRef;

use crate::TexelRef;
use crate::walk::Recall;

/// Maps of draws, each made when it is first needed.
#[derive(Default)]
pub struct Maps {
    /// Whether they are to be used; nothing if each question may decide.
    wanted: Option<bool>,
    known: BTreeMap<u64, Option<DrawMap>>,
}

/// The map of a draw, and the images that it draws to.
#[derive(Clone)]
struct DrawMap {
    map: Arc<BlockMap>,
    drawn: Arc<[Cell]>,
}

/// Blocks of textures that hold something, by share group and texture.
#[derive(Default)]
pub struct Marked {
    textures: BTreeMap<(usize, u64), Mask>,
}

impl Marked {
    /// Marks a pixel of an image of a size.
    pub fn add(&mut self, (group, thing): (usize, ContentsRef), [x, y]: [u32; 2], [width, height]: [u32; 2]) {
        let ContentsRef::Image { object, .. } = thing else { return };
        let place = |at: u32, size: u32| (at * SIDE / size.max(1)).min(SIDE - 1);
        let block = place(y, height) * SIDE + place(x, width);
        self.textures.entry((group, object)).or_default()[block as usize / 32] |= 1 << (block % 32);
    }

    /// Whether fragments of some blocks of a draw may have read anything that is marked.
    pub fn may_be_read(&self, work: &DrawSnapshot, map: &BlockMap, blocks: impl Iterator<Item = u32>) -> bool {
        let masks: Vec<Mask> = map.samplers.iter().map(|name| self.of_sampler(work, name)).collect();
        let mut blocks = blocks;
        blocks.any(|block| {
            let reads = |(sampler, mask): (usize, &Mask)| {
                map.reads(block, sampler).iter().zip(mask).any(|(read, marked)| read & marked != 0)
            };
            map.facts(block).has(BlockFacts::UNKNOWN) || masks.iter().enumerate().any(reads)
        })
    }

    /// What is marked of the textures that a sampler may read: all that are bound to its unit.
    fn of_sampler(&self, work: &DrawSnapshot, name: &str) -> Mask {
        let unit = unit(work, name);
        let mut all = Mask::default();
        let Ok(view) = work.view() else { return all };
        let Some(unit) = unit.and_then(|unit| view.context.units.units.get(unit as usize)) else {
            return [u32::MAX; 8];
        };
        for texture in unit.textures.iter().filter_map(|name| view.group.texture(*name)) {
            let ContentsRef::Image { object, .. } = texture.image(0, 0) else { continue };
            if let Some(mask) = self.textures.get(&(view.context.group, object)) {
                all.iter_mut().zip(mask).for_each(|(all, mask)| *all |= mask);
            }
        }
        all
    }
}

/// The unit that a sampler of a draw reads from.
fn unit(work: &DrawSnapshot, name: &str) -> Option<u32> {
    let view = work.view().ok()?;
    let program = view.group.program(work.facts(Stage::Fragment).ok()?.program)?;
    let linked = program.executable.as_ref()?;
    let interface = linked.reflection.interface(api::constant::GL_UNIFORM)?;
    let named = |index: u32| interface.resources.get(index as usize).is_some_and(|own| own.name == name.as_bytes());
    let uniform = linked.uniforms.iter().find(|uniform| named(uniform.index))?;
    program.values.get(uniform.offset as usize).copied()
}

impl Recall<'_> {
    /// Has maps of draws used always, or never.
    pub fn use_maps(&mut self, wanted: Option<bool>) {
        self.maps.wanted = wanted;
    }

    /// Returns the map of a draw, if it is known or may be made; `None` if it cannot be made, or maps are not wanted.
    pub(crate) fn map(&mut self, call: u64, usually: bool) -> Option<Arc<BlockMap>> {
        if !self.maps.wanted.unwrap_or(usually) {
            return None;
        }
        if !self.maps.known.contains_key(&call) {
            let made = self.inquiry.work(call).and_then(|work| {
                let view = work.view()?;
                let (group, tail) = (view.context.group, FragmentOps::new(&view)?);
                let drawn = tail.planes().iter().map(|plane| Cell::of(group, plane.thing)).collect();
                Ok(DrawMap { map: Arc::new(self.inquiry.blocks(&work)?), drawn })
            });
            self.maps.known.insert(call, made.ok());
        }
        self.maps.known.get(&call)?.as_ref().map(|known| Arc::clone(&known.map))
    }

    /// Whether a draw may have something to do with a place: it may have fragments there, or store to it.
    pub(crate) fn may_touch(&mut self, call: u64, place: &TexelRef) -> bool {
        let Some(map) = self.map(call, false) else { return true };
        let known = self.maps.known.get(&call).and_then(Option::as_ref);
        let drawn = known.is_some_and(|known| known.drawn.contains(&place.cell));
        !drawn || map.facts(map.block(place.at)).has(BlockFacts::TOUCHED)
    }
}
