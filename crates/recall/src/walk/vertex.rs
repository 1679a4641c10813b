//! Vertices, and what they were given.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{Attribute, constant as c};
use chronicle::graph::Cell;
use inquiry::{DrawSnapshot, Inputs};
use shader::version::Stage;
use state::ContentsRef;
use state::objects::vertex_array::{self as slots, GENERIC, SLOTS};

use super::stages::Wish;
use super::{Reader, Walk};
use crate::bench::Ran;
use crate::corners::{Number, Vertices};
use crate::history::{ByteRange, EventKind, NodeId, Subject, Verdict, Vertex, Why};
use crate::ports::shown;
use crate::setters::{Current, Singles};
use crate::{RecallError, TexelRef};

/// A fragment whose vertices are wanted.
pub struct Shone {
    pub node: NodeId,
    pub place: TexelRef,
    pub inputs: Inputs,
    /// The share of the fragment in what is there.
    pub share: f64,
    /// Whether its pixel has several samples.
    pub loose: bool,
    /// Its depth, if that was measured.
    pub depth: Option<f32>,
}

impl Walk<'_, '_> {
    /// Vertices, and what they were made of.
    pub(super) fn vertex_nodes(
        &mut self,
        work: &DrawSnapshot,
        vertices: &Vertices<'_>,
        wishes: BTreeMap<Number, Wish>,
    ) -> Result<(), RecallError> {
        let bindings = vertices.bench.bindings();
        for (number, wish) in wishes {
            if !self.has_room(&wish.wanted) {
                continue;
            }
            let id = self.node(work.command, wish.place, EventKind::Vertex, &wish.wanted);
            let node = &mut self.history.nodes[id.0 as usize];
            node.verdict = wish.verdict;
            let Number { part, vertex, instance } = number;
            let told = |inputs, outputs| Subject::Vertex(Vertex { number: vertex, instance, part, inputs, outputs });
            let (Some(given), Some(ran)) = (vertices.corners.given(number), vertices.get(number)) else {
                node.subject = told(Vec::new(), Vec::new());
                node.verdict = Verdict::Unchecked("the device says nothing of this vertex".to_owned());
                continue;
            };
            node.subject = told(
                given.named().map(|(name, value)| (name.to_owned(), value.numbers())).collect(),
                ran.outputs.iter().map(|own| (own.name.clone(), shown(own.scalar, &own.words))).collect(),
            );
            let base = vertices.corners.shape.parts.get(part as usize).map_or(0, |part| part.base_instance);
            self.fetched(work, (id, number), (given, ran), (&bindings, base, vertices.corners.singles.as_ref()))?;
            self.uniforms(work, Stage::Vertex, id)?;
            let singles = vertices.corners.singles.as_ref();
            let within = singles.map_or(&[][..], |singles| singles.changes_before(vertex.max(0).cast_unsigned()));
            self.fixed_state(work, Stage::Vertex, id, within)?;
        }
        Ok(())
    }

    /// What a vertex read: attributes, blocks, textures.
    fn fetched(
        &mut self,
        work: &DrawSnapshot,
        (id, number): (NodeId, Number),
        (given, vertex): (&Inputs, &Ran),
        (bindings, base, singles): (&[(emulator::host::Space, u32)], u32, Option<&Singles>),
    ) -> Result<(), RecallError> {
        let attributes = attributes(work, given, number, (base, singles.is_some()))?;
        let count = attributes.len() + vertex.loads.len() + usize::from(!vertex.texels.is_empty());
        let weight = 1.0 / count.max(1) as f64;
        let until = *work.calls.range.start();
        let depth = self.history.nodes[id.0 as usize].depth;
        for (name, from) in attributes {
            let name: Arc<str> = name.into();
            let reader = Reader { node: id, why: Why::Attribute { name: Arc::clone(&name) }, weight };
            match from {
                Fetched::Buffer(range, buffer) => {
                    let held = self.held(work, buffer, range);
                    self.ask_bytes((range, held), until, depth, &reader);
                }
                Fetched::Client => self.value(work.command, Subject::Attribute { name }, id, reader),
                Fetched::Current(which) => {
                    let vertex = number.vertex.max(0).cast_unsigned();
                    let call = match singles.and_then(|singles| singles.attribute_of(vertex, which)) {
                        Some(call) => call,
                        None => {
                            let setters = self.recall.setters()?;
                            setters.attribute_at(work.calls.thread, which, until).unwrap_or(0)
                        }
                    };
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
fn attributes(
    work: &DrawSnapshot,
    given: &Inputs,
    number: Number,
    (base, singly): (u32, bool),
) -> Result<Vec<(String, Fetched)>, RecallError> {
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
            let from = if singly || !attrib.enabled {
                let position = slot == slots::POSITION && singly;
                Fetched::Current(if position { Current::Position } else { current })
            } else {
                let binding = &array.bindings[usize::from(attrib.binding) % SLOTS];
                if binding.buffer.is_none() {
                    Fetched::Client
                } else {
                    let element = match binding.divisor {
                        0 => i64::from(number.vertex),
                        divisor => i64::from(number.instance) / i64::from(divisor) + i64::from(base),
                    };
                    let first = binding.offset + i64::from(attrib.relative) + element * i64::from(binding.stride);
                    let from = first.max(0).cast_unsigned();
                    let thing = ContentsRef::Buffer { object: binding.buffer.object, from: 0, to: u64::MAX };
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
        "gl_Normal" => (slots::NORMAL, Current::Fixed(Attribute::Normal)),
        "gl_Color" => (slots::COLOR, Current::Fixed(Attribute::Color)),
        "gl_SecondaryColor" => (slots::SECONDARY_COLOR, Current::Fixed(Attribute::SecondaryColor)),
        "gl_FogCoord" => (slots::FOG_COORD, Current::Fixed(Attribute::FogCoord)),
        _ => {
            let unit: usize = name.strip_prefix("gl_MultiTexCoord")?.parse().ok()?;
            let attribute = if unit == 0 { Attribute::TexCoord } else { Attribute::MultiTexCoord };
            (slots::TEX_COORD + unit, Current::Fixed(attribute))
        }
    })
}
