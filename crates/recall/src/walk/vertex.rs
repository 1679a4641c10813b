//! From fragments to the vertices of their primitives, and from those to what they were given.

use std::collections::{BTreeMap, BTreeSet};

use api::constant as c;
use chronicle::graph::Cell;
use inquiry::{Inputs, Work};
use raster::assemble::Primitive;
use shader::types::Scalar;
use shader::version::Stage;
use state::Thing;
use state::objects::vertex_array::{self as slots, GENERIC, SLOTS};

use super::{Reader, Walk, Wanted};
use crate::corners::{Blend, Corner, Corners, Number};
use crate::history::{ByteRange, Kind, NodeId, Subject, Verdict, Vertex, Why};
use crate::setters::Current;
use crate::shape::corners;
use crate::{Place, RecallError};

/// A fragment whose vertices are wanted.
pub struct Shone {
    pub node: NodeId,
    pub place: Place,
    pub inputs: Inputs,
    /// The share of the fragment in what is there.
    pub share: f64,
    /// Whether its pixel has several samples.
    pub loose: bool,
}

/// A vertex that transform feedback captured.
pub struct Kept {
    pub number: Number,
    pub place: Place,
    pub wanted: Wanted,
    /// Outputs, their words, and the word that was found in the buffer.
    pub found: Vec<(String, usize, u32)>,
}

/// A vertex that somebody wants.
struct Wish {
    place: Place,
    wanted: Wanted,
    verdict: Verdict,
}

/// So many primitives are tried where nobody says which it was.
const TRIED: usize = 10_000;

impl Walk<'_, '_> {
    /// The vertices of fragments, and those that were captured.
    pub(super) fn vertices(
        &mut self,
        work: &Work,
        corners: Result<Corners, String>,
        shone: &[Shone],
        kept: Vec<Kept>,
    ) -> Result<(), RecallError> {
        if shone.is_empty() && kept.is_empty() {
            return Ok(());
        }
        let call = work.command;
        let made = corners.and_then(|corners| {
            corners.missing().iter().for_each(|missing| self.note(format!("command {call}: {missing}")));
            let candidates = self.candidates(work, &corners, shone);
            let all = candidates.iter().flatten().flat_map(|(primitive, instance)| numbers(primitive, *instance));
            let wanted: BTreeSet<Number> = all.chain(kept.iter().map(|kept| kept.number)).collect();
            let (bindings, base) = (corners.bindings(), corners.shape.base_instance);
            let inputs: BTreeMap<Number, Inputs> = corners
                .inputs
                .iter()
                .filter(|(number, _)| wanted.contains(number))
                .map(|(number, inputs)| (*number, inputs.clone()))
                .collect();
            let vertices = corners.emulate(self.recall.inquiry, work, &wanted)?;
            Ok((candidates, inputs, vertices, bindings, base))
        });
        let (candidates, inputs, vertices, bindings, base) = match made {
            Ok(made) => made,
            Err(why) => {
                self.note(format!("command {call}: {why}"));
                return Ok(());
            }
        };
        let mut wishes = self.wishes(work, shone, candidates, &vertices);
        for Kept { number, place, wanted, found } in kept {
            let verdict = vertices.get(&number).map(|vertex| captured(vertex, &found));
            let verdict = verdict.unwrap_or_else(|| Verdict::Unchecked("the vertex was not emulated".to_owned()));
            add(&mut wishes, number, Wish { place, wanted, verdict });
        }
        for (number, wish) in wishes {
            if !self.has_room(&wish.wanted) {
                continue;
            }
            let id = self.node(call, wish.place, Kind::Vertex, &wish.wanted);
            let node = &mut self.history.nodes[id.0 as usize];
            node.verdict = wish.verdict;
            let (Some(given), Some(vertex)) = (inputs.get(&number), vertices.get(&number)) else {
                let (inputs, outputs) = (Vec::new(), Vec::new());
                node.subject = Subject::Vertex(Vertex { number: number.0, instance: number.1, inputs, outputs });
                node.verdict = Verdict::Unchecked("the device says nothing of this vertex".to_owned());
                continue;
            };
            node.subject = Subject::Vertex(Vertex {
                number: number.0,
                instance: number.1,
                inputs: given.named().map(|(name, value)| (name.to_owned(), value.numbers())).collect(),
                outputs: vertex.outputs.iter().map(|(name, kind, words)| (name.clone(), shown(*kind, words))).collect(),
            });
            self.fetched(work, (id, number), (given, vertex), (&bindings, base))?;
            self.uniforms(work, Stage::Vertex, id)?;
        }
        Ok(())
    }

    /// Which primitives each fragment can be of.
    fn candidates(&mut self, work: &Work, all: &Corners, shone: &[Shone]) -> Vec<Vec<(Primitive, i32)>> {
        let mut by_id: BTreeMap<u32, Vec<Primitive>> = BTreeMap::new();
        for primitive in &all.shape.primitives {
            by_id.entry(primitive.id).or_default().push(*primitive);
        }
        let mut list = Vec::with_capacity(shone.len());
        for one in shone {
            let id = u32::try_from(one.inputs.who[2]).ok();
            let own = match id {
                Some(id) => by_id.get(&id).cloned().unwrap_or_default(),
                None => all.shape.primitives.clone(),
            };
            let instances = all.shape.instances.max(1);
            if own.len().saturating_mul(instances as usize) > TRIED {
                self.note(format!(
                    "command {}: which of more than {TRIED} primitives a fragment belongs to is not tried",
                    work.command
                ));
                list.push(Vec::new());
                continue;
            }
            let each = |primitive: Primitive| (0..instances).map(move |at| (primitive, at.cast_signed()));
            list.push(own.into_iter().flat_map(each).collect());
        }
        list
    }

    /// The vertices that fragments come from, with their shares.
    fn wishes(
        &mut self,
        work: &Work,
        shone: &[Shone],
        candidates: Vec<Vec<(Primitive, i32)>>,
        vertices: &BTreeMap<Number, Corner>,
    ) -> BTreeMap<Number, Wish> {
        let mut wishes = BTreeMap::new();
        for (one, candidates) in shone.iter().zip(candidates) {
            let blends = candidates.into_iter().filter_map(|own| {
                let blend = Blend::new(work, (&own.0, own.1), vertices, &one.inputs, one.loose)?;
                Some((own, blend))
            });
            let best = blends.min_by(|(_, one), (_, other)| one.distance.total_cmp(&other.distance));
            let Some(((primitive, instance), blend)) = best else { continue };
            let depth = self.history.nodes[one.node.0 as usize].depth;
            for (number, weight) in numbers(&primitive, instance).zip(&blend.weights) {
                let why = Why::Interpolated { vertex: number.0 };
                // Where samples lie outside of the primitive, a corner has less than nothing.
                let reader = Reader { node: one.node, why, weight: one.share * weight.max(0.0) };
                let wanted = Wanted { readers: vec![reader], depth };
                add(&mut wishes, number, Wish { place: one.place, wanted, verdict: blend.verdict.clone() });
            }
        }
        wishes
    }

    /// What a vertex read: attributes, blocks, textures.
    fn fetched(
        &mut self,
        work: &Work,
        (id, number): (NodeId, Number),
        (given, vertex): (&Inputs, &Corner),
        (bindings, base): (&[(emulator::host::Space, u32)], u32),
    ) -> Result<(), RecallError> {
        let attributes = attributes(work, given, number, base)?;
        let count = attributes.len() + vertex.loads.len() + usize::from(!vertex.texels.is_empty());
        let weight = 1.0 / count.max(1) as f64;
        let until = *work.calls.range.start();
        let depth = self.history.nodes[id.0 as usize].depth;
        for (name, from) in attributes {
            let reader = Reader { node: id, why: Why::Attribute { name: name.clone() }, weight };
            match from {
                Fetched::Buffer(range, buffer) => {
                    let held = self.held(work, buffer, range);
                    self.ask_bytes((range, held), until, depth, &reader);
                }
                Fetched::Client => self.value(work.command, Subject::Attribute { name }, id, reader),
                Fetched::Current(which) => {
                    let setters = self.recall.setters()?;
                    let (thread, begin) = (work.calls.thread, until);
                    let end = match work.calls.name {
                        "glEnd" => {
                            let own = usize::try_from(number.0).ok();
                            own.and_then(|own| setters.vertex_at(thread, begin, own)).map_or(begin, |call| call + 1)
                        }
                        _ => begin,
                    };
                    let call = setters.attribute_at(thread, which, end).unwrap_or(0);
                    self.value(call, Subject::Attribute { name }, id, reader);
                }
            }
        }
        self.loaded(work, bindings, id, &vertex.loads, weight)?;
        self.looked_up(work, id, &vertex.texels, weight)
    }
}

/// Where an input of a vertex comes from.
enum Fetched {
    /// Bytes of a buffer of this name.
    Buffer(ByteRange, u32),
    /// The program's memory, which the draw call takes it from.
    Client,
    /// The value that all vertices have.
    Current(Current),
}

/// Where the attributes of a vertex come from.
fn attributes(work: &Work, given: &Inputs, number: Number, base: u32) -> Result<Vec<(String, Fetched)>, RecallError> {
    let view = work.view()?;
    let Some(array) = view.context.vertex_arrays.get(&view.context.vertex_array) else { return Ok(Vec::new()) };
    let program = work.facts(Stage::Vertex).ok().and_then(|facts| view.group.program(facts.program));
    let linked = program.and_then(|program| program.executable.as_ref());
    let interface = linked.and_then(|linked| linked.reflection.interface(c::GL_PROGRAM_INPUT));
    let located = |name: &str| {
        let interface = interface?;
        let plain = |resource: &[u8]| resource.strip_suffix(b"[0]").unwrap_or(resource) == name.as_bytes();
        let place = interface.resources.iter().position(|resource| plain(&resource.name))?;
        let kind = interface.value(place, c::GL_TYPE)?.cast_unsigned();
        let columns = api::reflection::kind::shape(kind).map_or(1, |shape| u32::from(shape.columns));
        let size = interface.value(place, c::GL_ARRAY_SIZE).unwrap_or(1).max(1).cast_unsigned();
        Some((u32::try_from(interface.value(place, c::GL_LOCATION)?).ok()?, columns * size))
    };
    let mut all = Vec::new();
    for (name, _) in given.named() {
        let places: Vec<(usize, Current)> = match conventional(name) {
            Some(known) => vec![known],
            None => match located(name) {
                Some((location, count)) => (location..location + count)
                    .map(|location| (GENERIC + location as usize, Current::Generic(location)))
                    .collect(),
                None => continue,
            },
        };
        for (slot, current) in places.into_iter().filter(|(slot, _)| *slot < SLOTS) {
            // The position may be given by either name (GL 4.6 compatibility, 10.2.1).
            let slot = if slot == GENERIC && !array.attribs[slot].enabled { slots::POSITION } else { slot };
            let attrib = &array.attribs[slot];
            let from = if work.calls.name == "glEnd" || !attrib.enabled {
                let position = slot == slots::POSITION && work.calls.name == "glEnd";
                Fetched::Current(if position { Current::Position } else { current })
            } else {
                let binding = &array.bindings[usize::from(attrib.binding) % SLOTS];
                if binding.buffer.is_none() {
                    Fetched::Client
                } else {
                    let element = match binding.divisor {
                        0 => i64::from(number.0),
                        divisor => i64::from(number.1) / i64::from(divisor) + i64::from(base),
                    };
                    let first = binding.offset + i64::from(attrib.relative) + element * i64::from(binding.stride);
                    let from = first.max(0).cast_unsigned();
                    let thing = Thing::Buffer { object: binding.buffer.object, from: 0, to: u64::MAX };
                    let to = from + u64::from(attrib.bytes());
                    let cell = Cell::of(view.context.group, thing);
                    Fetched::Buffer(ByteRange { cell, from, to }, binding.buffer.name)
                }
            };
            all.push((name.to_owned(), from));
        }
    }
    Ok(all)
}

/// The array of an attribute of fixed functions, and whose calls give it a value otherwise.
fn conventional(name: &str) -> Option<(usize, Current)> {
    Some(match name {
        "gl_Vertex" => (slots::POSITION, Current::Position),
        "gl_Normal" => (slots::NORMAL, Current::Named("glNormal")),
        "gl_Color" => (slots::COLOR, Current::Named("glColor")),
        "gl_SecondaryColor" => (slots::SECONDARY_COLOR, Current::Named("glSecondaryColor")),
        "gl_FogCoord" => (slots::FOG_COORD, Current::Named("glFogCoord")),
        _ => {
            let unit: usize = name.strip_prefix("gl_MultiTexCoord")?.parse().ok()?;
            let commands = if unit == 0 { "glTexCoord" } else { "glMultiTexCoord" };
            (slots::TEX_COORD + unit, Current::Named(commands))
        }
    })
}

fn numbers(primitive: &Primitive, instance: i32) -> impl Iterator<Item = Number> {
    corners(primitive).to_vec().into_iter().map(move |corner| (corner.cast_signed(), instance))
}

fn add(wishes: &mut BTreeMap<Number, Wish>, number: Number, wish: Wish) {
    match wishes.get_mut(&number) {
        Some(known) => {
            known.wanted.readers.extend(wish.wanted.readers);
            known.wanted.depth = known.wanted.depth.max(wish.wanted.depth);
            known.verdict = super::buffer::worse(known.verdict.clone(), wish.verdict);
        }
        None => {
            wishes.insert(number, wish);
        }
    }
}

/// Whether a vertex's outputs are what is in the buffer that they were captured to.
fn captured(vertex: &Corner, found: &[(String, usize, u32)]) -> Verdict {
    let mut verdict = Verdict::Equal;
    for (name, word, real) in found {
        let kind = vertex.outputs.iter().find(|(own, ..)| own == name).map_or(Scalar::Float, |(_, kind, _)| *kind);
        let Some(made) = vertex.output(name).and_then(|words| words.get(*word)) else {
            return Verdict::Unchecked(format!("the emulated vertex has no output {name}"));
        };
        verdict = super::buffer::worse(verdict, super::buffer::words(kind == Scalar::Float, *made, *real));
    }
    verdict
}

fn shown(kind: Scalar, words: &[u32]) -> Vec<f64> {
    let number = |word: &u32| match kind {
        Scalar::Float => f64::from(f32::from_bits(*word)),
        Scalar::Int => f64::from(word.cast_signed()),
        _ => f64::from(*word),
    };
    words.iter().map(number).collect()
}
