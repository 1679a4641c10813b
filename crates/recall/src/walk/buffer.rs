//! Bytes of buffers: who wrote them, and what that was made of.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api::Role;
use chronicle::graph::Cell;
use emulator::host::Space;
use inquiry::DrawSnapshot;
use shader::version::Stage;
use state::objects::texture::Target;
use state::{ContentsRef, Source, View};

use super::{PendingTexel, Reader, SetUniform, Walk};
use crate::accesses::Touched;
use crate::blend::ulps;
use crate::bounds::EDGE;
use crate::history::{ByteRange, EventKind, NodeId, Subject, Verdict, Why};
use crate::{RecallError, TexelAspect, TexelRef};

/// Bytes that were read, and their values as far as they are known.
#[derive(Clone, Debug)]
pub struct WantedBytes {
    pub wanted: PendingTexel,
    pub held: Vec<u8>,
}

impl Walk<'_, '_> {
    /// Whether there is room for a node with these readers.
    pub(super) fn has_room(&mut self, wanted: &PendingTexel) -> bool {
        let cut = if wanted.depth > self.bounds.depth {
            self.history.cut.deep_weight += self.weight(wanted);
            &mut self.history.cut.deep
        } else if self.weight(wanted) < self.bounds.min_weight {
            &mut self.history.cut.light
        } else if self.history.nodes.len() >= self.bounds.max_nodes {
            &mut self.history.cut.many
        } else if self.effort.is_spent() {
            &mut self.history.cut.costly
        } else {
            return true;
        };
        *cut += 1;
        false
    }

    /// What bytes of a buffer hold before a draw or dispatch, if a shader or fixed function wrote them: those who check
    /// what these made want to know.
    pub(super) fn held(&mut self, work: &DrawSnapshot, name: u32, range: ByteRange) -> Vec<u8> {
        let recall = &mut *self.recall;
        let until = *work.calls.range.start();
        let writers = recall.ledger.byte_writers(&range.cell, range.from, range.to, until);
        if !writers.iter().any(|write| write.source == Source::Gpu) {
            return Vec::new();
        }
        match recall.memo.buffer(recall.inquiry, work, &recall.ledger, name) {
            Ok(bytes) => {
                let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
                bytes[place(range.from)..place(range.to)].to_vec()
            }
            Err(why) => {
                self.note(format!("buffer {name}: {why}"));
                Vec::new()
            }
        }
    }

    /// Wants to know who made bytes as they were before the call `until`; each piece is its own question. `held` is
    /// what they were.
    pub(super) fn ask_bytes(&mut self, (range, held): (ByteRange, Vec<u8>), until: u64, depth: u32, reader: &Reader) {
        let all = range.to - range.from;
        let mut left = vec![range];
        while let Some(part) = left.pop() {
            if !self.spend(EDGE, until) {
                self.history.cut.costly += 1;
                return;
            }
            let newest = self.recall.ledger.byte_writers(&part.cell, part.from, part.to, until).first().copied();
            let (call, own) = match newest {
                Some(write) => {
                    let own = ByteRange { from: part.from.max(write.from), to: part.to.min(write.to), ..part };
                    let rest = [ByteRange { to: own.from, ..part }, ByteRange { from: own.to, ..part }];
                    left.extend(rest.into_iter().filter(|rest| rest.from < rest.to));
                    (write.call, own)
                }
                None => (0, part),
            };
            let within = |at: u64| ((at - range.from) as usize).min(held.len());
            let asked = self.bytes.entry(call).or_default().entry(own);
            // The shortest way counts, as with texels.
            let asked = asked.and_modify(|asked| asked.wanted.depth = asked.wanted.depth.min(depth));
            let none = || WantedBytes { wanted: PendingTexel { readers: Vec::new(), depth }, held: Vec::new() };
            let asked = asked.or_insert_with(none);
            if asked.held.is_empty() {
                asked.held = held[within(own.from)..within(own.to)].to_vec();
            }
            let share = (own.to - own.from) as f64 / all as f64;
            asked.wanted.readers.push(Reader { weight: reader.weight * share, ..reader.clone() });
        }
    }

    /// All bytes that one call wrote of what is wanted, and all texels that a dispatch did.
    pub(super) fn written(
        &mut self,
        call: u64,
        bytes: BTreeMap<ByteRange, WantedBytes>,
        texels: BTreeMap<TexelRef, PendingTexel>,
    ) -> Result<(), RecallError> {
        let (mut captured, mut stored) = (BTreeMap::new(), BTreeMap::new());
        for (range, mut asked) in bytes {
            let writers = self.recall.ledger.byte_writers(&range.cell, range.from, range.to, call + 1);
            // Who computes is a pass of its own; who only brings bytes is not.
            if writers.first().is_some_and(|write| write.call == call && write.source == Source::Gpu) {
                asked.wanted.depth += 1;
            }
            if !self.has_room(&asked.wanted) {
                continue;
            }
            let Some(write) = writers.first().filter(|write| write.call == call).copied() else {
                self.byte_node(call, EventKind::Undefined, range, &asked.wanted);
                continue;
            };
            match (write.source, api::command(write.command).role) {
                (Source::Gpu, Role::Dispatch) => {
                    stored.insert(range, asked);
                }
                (Source::Gpu, Role::Draw) => {
                    captured.insert(range, asked);
                }
                (Source::Gpu, _) => {
                    self.byte_node(call, EventKind::Other, range, &asked.wanted);
                }
                (Source::Memory { .. }, _) => {
                    self.byte_node(call, EventKind::Upload, range, &asked.wanted);
                }
                (Source::Fill { .. }, _) => {
                    self.byte_node(call, EventKind::Clear, range, &asked.wanted);
                }
                (Source::Copy { of, .. }, _) => {
                    let id = self.byte_node(call, EventKind::Copy, range, &asked.wanted);
                    let ContentsRef::Buffer { from, .. } = of else { continue };
                    let first = from + (range.from - write.from);
                    let source = ByteRange {
                        cell: Cell::of(range.cell.group, of),
                        from: first,
                        to: first + (range.to - range.from),
                    };
                    let reader = Reader { node: id, why: Why::Copied, weight: 1.0 };
                    self.ask_bytes((source, asked.held), call, asked.wanted.depth, &reader);
                }
                (_, _) => {
                    self.byte_node(call, EventKind::Undefined, range, &asked.wanted);
                }
            }
        }
        if !captured.is_empty() || !texels.is_empty() && self.draws(call) {
            return self.captured(call, captured, texels);
        }
        if stored.is_empty() && texels.is_empty() { Ok(()) } else { self.stored(call, stored, texels) }
    }

    /// Whether a call is a draw.
    fn draws(&self, call: u64) -> bool {
        let command = self.recall.inquiry.reader().call_at(call).ok().and_then(|held| held.call().command);
        command.is_some_and(|command| api::command(command).role == Role::Draw)
    }

    /// A node for bytes.
    pub(super) fn byte_node(&mut self, call: u64, kind: EventKind, range: ByteRange, wanted: &PendingTexel) -> NodeId {
        let place = TexelRef { cell: range.cell, aspect: TexelAspect::Colour, at: [0, 0], sample: 0 };
        let id = self.node(call, place, kind, wanted);
        self.history.nodes[id.0 as usize].subject = Subject::Bytes(range);
        id
    }

    /// The end of a way at a call that gave a value.
    pub(super) fn value(&mut self, call: u64, subject: Subject, reader: NodeId, read: Reader) {
        let place = self.history.nodes[reader.0 as usize].place;
        let depth = self.history.nodes[reader.0 as usize].depth;
        let key = match &subject {
            Subject::Uniform { program, name } => (call, Some(*program), Arc::clone(name)),
            Subject::Attribute { name } => (call, None, Arc::clone(name)),
            other => (call, None, format!("{other:?}").into()),
        };
        let wanted = PendingTexel { readers: vec![read], depth };
        if let Some(&known) = self.values.get(&key) {
            let more = self.weight(&wanted);
            self.history.nodes[known.0 as usize].weight += more;
            self.lead(known, place, &wanted);
            return;
        }
        if self.history.nodes.len() >= self.bounds.max_nodes {
            self.history.cut.many += 1;
            return;
        }
        let id = self.node(call, place, EventKind::Value, &wanted);
        self.history.nodes[id.0 as usize].subject = subject;
        self.values.insert(key, id);
    }

    /// The calls that gave a stage's uniforms their values. Samplers and images are not among them: what was read through
    /// them says more.
    pub(super) fn uniforms(&mut self, work: &DrawSnapshot, stage: Stage, id: NodeId) -> Result<(), RecallError> {
        if !self.bounds.vertices {
            return Ok(());
        }
        let key = (work.command, stage as usize);
        if !self.used.contains_key(&key) {
            let found = self.used_uniforms(work, stage)?;
            self.used.insert(key, found.into());
        }
        let used = self.used.get(&key).cloned().unwrap_or_default();
        for (call, program, name) in used.iter().cloned() {
            let read = Reader { node: id, why: Why::Uniform { name: Arc::clone(&name) }, weight: 0.0 };
            self.value(call, Subject::Uniform { program, name }, id, read);
        }
        Ok(())
    }

    fn used_uniforms(&mut self, work: &DrawSnapshot, stage: Stage) -> Result<Vec<SetUniform>, RecallError> {
        use api::constant as c;
        let property = match stage {
            Stage::Vertex => c::GL_REFERENCED_BY_VERTEX_SHADER,
            Stage::TessControl => c::GL_REFERENCED_BY_TESS_CONTROL_SHADER,
            Stage::TessEvaluation => c::GL_REFERENCED_BY_TESS_EVALUATION_SHADER,
            Stage::Geometry => c::GL_REFERENCED_BY_GEOMETRY_SHADER,
            Stage::Fragment => c::GL_REFERENCED_BY_FRAGMENT_SHADER,
            Stage::Compute => c::GL_REFERENCED_BY_COMPUTE_SHADER,
        };
        let Ok(facts) = work.facts(stage) else { return Ok(Vec::new()) };
        let view = work.view()?;
        let linked = view.group.program(facts.program).and_then(|program| program.executable.clone());
        let Some(linked) = linked else { return Ok(Vec::new()) };
        let Some(interface) = linked.reflection.interface(c::GL_UNIFORM) else { return Ok(Vec::new()) };
        let until = *work.calls.range.start();
        let setters = self.recall.setters()?;
        let mut all = BTreeSet::new();
        for uniform in &linked.uniforms {
            let place = uniform.index as usize;
            let opaque = !matches!(
                uniform.shape.base,
                api::reflection::kind::Base::Float
                    | api::reflection::kind::Base::Double
                    | api::reflection::kind::Base::Int
                    | api::reflection::kind::Base::Uint
                    | api::reflection::kind::Base::Bool
            );
            if opaque || interface.value(place, property) == Some(0) {
                continue;
            }
            let name: Arc<str> = String::from_utf8_lossy(&interface.resources[place].name).into();
            let first = uniform.location.max(0).cast_unsigned();
            for location in first..first + uniform.size {
                if let Some(call) = setters.uniform_at(facts.program, location, until) {
                    all.insert((call, facts.program, Arc::clone(&name)));
                }
            }
        }
        Ok(all.into_iter().collect())
    }

    /// What an invocation read of blocks and images.
    pub(super) fn loaded(
        &mut self,
        work: &DrawSnapshot,
        bindings: &[(Space, u32)],
        id: NodeId,
        loads: &[Touched],
        weight: f64,
    ) -> Result<(), RecallError> {
        let view = work.view()?;
        let until = *work.calls.range.start();
        let depth = self.history.nodes[id.0 as usize].depth;
        let mut ranges: BTreeMap<(String, u32, Cell), Vec<ByteRange>> = BTreeMap::new();
        for touched in loads {
            if let Some((name, buffer, range)) = block(&view, bindings, touched) {
                ranges.entry((name, buffer, range.cell)).or_default().push(range);
            } else if let Some(place) = image(&view, touched) {
                let why = Why::Texel { sampler: "an image".into(), line: None };
                self.ask(place, until, depth + 1, Some(Reader { node: id, why, weight }));
            }
        }
        for ((block, buffer, _), mut list) in ranges {
            list.sort_unstable();
            // Words beside each other are one question.
            let mut joined: Vec<(ByteRange, usize)> = Vec::new();
            for range in list {
                match joined.last_mut() {
                    Some((last, count)) if range.from <= last.to => {
                        last.to = last.to.max(range.to);
                        *count += 1;
                    }
                    _ => joined.push((range, 1)),
                }
            }
            for (range, count) in joined {
                let held = self.held(work, buffer, range);
                let why = Why::Bytes { block: block.as_str().into() };
                let reader = Reader { node: id, why, weight: weight * count as f64 };
                self.ask_bytes((range, held), until, depth, &reader);
            }
        }
        Ok(())
    }

    /// What an invocation that is no fragment read of textures; together they have this weight.
    pub(super) fn looked_up(
        &mut self,
        work: &DrawSnapshot,
        id: NodeId,
        texels: &[(u32, texture::Texel)],
        weight: f64,
    ) -> Result<(), RecallError> {
        let view = work.view()?;
        let until = *work.calls.range.start();
        let depth = self.history.nodes[id.0 as usize].depth + 1;
        let whole: f64 = texels.iter().map(|(_, texel)| f64::from(texel.weight)).sum();
        for (handle, texel) in texels.iter().filter(|(_, texel)| texel.weight != 0.0) {
            let Some(place) = TexelRef::sampled(&view, *handle, texel) else { continue };
            let why = Why::Texel { sampler: sampler(work, *handle), line: None };
            let weight = weight * f64::from(texel.weight) / whole.max(1.0);
            self.ask(place, until, depth, Some(Reader { node: id, why, weight }));
        }
        Ok(())
    }
}

/// The sampler that reads from the unit that its value stands for, as the shader spells it: `shadows (unit 0)`. The unit
/// alone where no uniform of the draw's programs has it.
pub fn sampler(work: &DrawSnapshot, handle: u32) -> Arc<str> {
    let unit = handle & 0xffff;
    let mut names: Vec<String> = work.stages.iter().flat_map(|facts| samplers(work, facts, unit)).collect();
    names.sort();
    names.dedup();
    match names.is_empty() {
        true => format!("unit {unit}").into(),
        false => format!("{} (unit {unit})", names.join(" or ")).into(),
    }
}

/// The samplers of a stage's program that read from a unit.
fn samplers(work: &DrawSnapshot, facts: &open_trace::StageShader, unit: u32) -> Vec<String> {
    use api::reflection::kind::Base;
    let found = || {
        let program = facts.recorded(&work.view().ok()?)?;
        let linked = program.executable.as_ref()?;
        let interface = linked.reflection.interface(api::constant::GL_UNIFORM)?;
        let mut names = Vec::new();
        for uniform in linked.uniforms.iter().filter(|uniform| uniform.shape.base == Base::Sampler) {
            let name = String::from_utf8_lossy(&interface.resources.get(uniform.index as usize)?.name).into_owned();
            let base = name.strip_suffix("[0]").unwrap_or(&name);
            for element in (0..uniform.size).filter(|element| {
                program.values.get((uniform.offset + element) as usize).is_some_and(|value| *value == unit)
            }) {
                names.push(if base == name { name.clone() } else { format!("{base}[{element}]") });
            }
        }
        Some(names)
    };
    found().unwrap_or_default()
}

/// The bytes behind a word of a block: what people call the block, the buffer's name, and where.
pub fn block(view: &View<'_>, bindings: &[(Space, u32)], touched: &Touched) -> Option<(String, u32, ByteRange)> {
    let Touched::Block(space, slot, offset, size) = *touched else { return None };
    let buffers = &view.context.buffers;
    let binding = match space {
        Space::Counter => slot,
        _ => bindings.get(slot as usize)?.1,
    };
    let (kind, ranges) = match space {
        Space::Uniform => ("uniform block", &buffers.uniform),
        Space::Storage => ("storage block", &buffers.storage),
        Space::Counter => ("atomic counter", &buffers.atomic),
        Space::Private | Space::Workgroup | Space::Patch | Space::Generic => return None,
    };
    let bound = ranges.get(binding as usize).filter(|bound| !bound.buffer.is_none())?;
    let from = bound.offset.max(0).cast_unsigned() + u64::from(offset);
    let thing = ContentsRef::Buffer { object: bound.buffer.object, from: 0, to: u64::MAX };
    let range = ByteRange { cell: Cell::of(view.context.group, thing), from, to: from + u64::from(size) };
    Some((format!("{kind} {binding}"), bound.buffer.name, range))
}

/// The texel behind an access to an image.
pub fn image(view: &View<'_>, touched: &Touched) -> Option<TexelRef> {
    let Touched::Image(unit, at, sample) = *touched else { return None };
    let unit = view.context.units.images.get(unit as usize)?;
    let texture = view.group.texture(unit.texture)?;
    let flat = texture.target == Some(Target::OneDArray);
    let layer = match (unit.layered, flat) {
        (true, true) => at[1],
        (true, false) => at[2],
        (false, _) => unit.layer.max(0).cast_unsigned(),
    };
    let cell = Cell::of(view.context.group, texture.image(unit.level.max(0).cast_unsigned(), layer));
    let row = if flat { 0 } else { at[1] };
    Some(TexelRef { cell, aspect: TexelAspect::Colour, at: [at[0], row], sample })
}

/// The worse of two verdicts.
pub fn worse(one: Verdict, other: Verdict) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Unchecked(_) => (0, 0),
        Verdict::Equal => (1, 0),
        Verdict::Within(units) => (2, *units),
        Verdict::Differs(units) => (3, *units),
    };
    if rank(&other) > rank(&one) { other } else { one }
}

/// Compares a word with the computed one. Floats may be a little off; where the type is unknown, all words count as floats
/// that are not too small to be used as such.
pub fn words(float: bool, made: u32, real: u32) -> Verdict {
    if made == real {
        return Verdict::Equal;
    }
    let (one, other) = (f32::from_bits(made), f32::from_bits(real));
    if float && one.is_nan() && other.is_nan() {
        return Verdict::Equal;
    }
    let usual = |number: f32| number == 0.0 || number.abs() > 1e-30;
    let most = f64::from(one.abs().max(other.abs()));
    let apart = (f64::from(one) - f64::from(other)).abs();
    let near = float && usual(one) && usual(other) && apart <= 1e-5 * most + 1e-6;
    if near { Verdict::Within(ulps(one, other)) } else { Verdict::Differs(ulps(one, other)) }
}
