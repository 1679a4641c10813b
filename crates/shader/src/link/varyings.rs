//! Matches the outputs of one stage with the inputs of the next (GL 4.6, 7.4.1; GLSL 4.60, 4.3.4).

use std::collections::BTreeMap;

use super::blocks::BlockAt;
use super::linker::Linker;
use super::locations::{MAX_SLOTS, slots};
use super::{Declared, Varying};
use crate::layout;
use crate::qualifier::Storage;
use crate::types::Type;
use crate::version::Stage;

/// Outputs of a stage with a location: (per patch, location, component).
type ByLocation = BTreeMap<(bool, u32, u32), Declared>;

impl<'a> Linker<'a> {
    pub(super) fn match_varyings(&mut self) {
        for index in 0..self.stages.len() {
            let stage = self.stages[index].stage;
            if stage == Stage::Compute {
                continue;
            }
            if stage != Stage::Vertex {
                self.check_overlaps(index, Storage::In);
            }
            if stage != Stage::Fragment {
                self.check_overlaps(index, Storage::Out);
            }
            if self.stages.get(index + 1).is_some_and(|next| next.stage != Stage::Compute) {
                let from = self.out.varyings.len();
                self.match_variables(index, index + 1);
                self.match_stage_blocks(index, index + 1);
                self.match_colours(index, index + 1);
                self.choose_locations(from);
            }
        }
        self.check_invariant_builtins();
    }

    fn match_variables(&mut self, producer: usize, consumer: usize) {
        let mut by_name: BTreeMap<&'a str, Declared> = BTreeMap::new();
        let mut by_location = ByLocation::new();
        for at in self.interface(&self.stages[producer], Storage::Out) {
            let q = self.qualifiers(at);
            match q.layout.location {
                None => {
                    by_name.insert(self.variable_name(at), at);
                }
                Some(location) => {
                    let masks = slots(self.types(at.shader), self.per_vertex_element(at), q.layout.component);
                    for (i, mask) in masks.into_iter().enumerate() {
                        for component in (0..4).filter(|c| mask & 1 << c != 0) {
                            let key = (q.flags.patch, location.saturating_add(i as u32), component);
                            by_location.entry(key).or_insert(at);
                        }
                    }
                }
            }
        }
        for input in self.interface(&self.stages[consumer], Storage::In) {
            let q = self.qualifiers(input);
            let output = match q.layout.location {
                Some(location) => {
                    let key = (q.flags.patch, location, q.layout.component.unwrap_or(0));
                    let other = (!q.flags.patch, key.1, key.2);
                    let found = by_location.get(&key).or_else(|| by_location.get(&other)).copied();
                    found.filter(|&o| self.qualifiers(o).layout.location == Some(location))
                }
                None => by_name.get(self.variable_name(input)).copied(),
            };
            match output {
                Some(output) => {
                    self.compare_varying(input, output);
                    self.check_written(input, output, producer);
                    self.add_varying(input, output, producer, consumer, None);
                }
                None => self.unmatched(input, producer, consumer),
            }
        }
    }

    /// An input without a matching output is an error only if it is used (GL 4.6, 7.4.1).
    fn unmatched(&mut self, input: Declared, producer: usize, consumer: usize) {
        let name = self.variable_name(input);
        let mentioned = self.named(consumer, name, Storage::In).any(|at| {
            let row = self.variable(at);
            row.read || row.written
        });
        if !mentioned {
            return;
        }
        let (stage, before) = (self.stages[consumer].stage.name(), self.stages[producer].stage.name());
        let message = match self.qualifiers(input).layout.location {
            Some(location) => {
                format!("{stage} shader input `{name}` has location {location}, but no {before} shader output has")
            }
            None => format!("{stage} shader input `{name}` is used, but no {before} shader output has this name"),
        };
        let mut error = self.error_at(input.shader, self.variable(input).declared, "unmatched-input", message);
        // Common mistakes: the name exists but has a location, or the other way round.
        let namesake = self.named(producer, name, Storage::Out).next();
        if let Some(other) = namesake {
            let place = self.place(other.shader, self.variable(other).declared);
            error =
                error.note(place).note("outputs and inputs match by name or by location, not one against the other");
        }
        self.report(input.shader, error);
    }

    /// Up to GLSL 1.20, varyings that a fragment shader reads must be written (GLSL 1.20, 4.3.6).
    fn check_written(&mut self, input: Declared, output: Declared, producer: usize) {
        if self.is_es() || self.version.number > 120 || !self.is_used(input) {
            return;
        }
        let name = self.variable_name(output);
        let written = self.named(producer, name, Storage::Out).any(|at| self.variable(at).written);
        if !written {
            let stage = self.stages[producer].stage.name();
            self.conflict(
                input,
                output,
                "varying-not-written",
                format!("varying `{name}` is read, but the {stage} shader never writes it"),
            );
        }
    }

    fn match_stage_blocks(&mut self, producer: usize, consumer: usize) {
        let mut by_location: BTreeMap<u32, BlockAt> = BTreeMap::new();
        for output in self.stage_blocks(producer, Storage::Out) {
            if let Some(location) = self.block(output).qualifiers.layout.location {
                by_location.entry(location).or_insert(output);
            }
        }
        for input in self.stage_blocks(consumer, Storage::In) {
            let name = self.block_name(input);
            let location = self.block(input).qualifiers.layout.location;
            let by_name = self.blocks_named(producer, Storage::Out, name).first().copied();
            let located = location.and_then(|l| by_location.get(&l).copied());
            let Some(output) = located.or(by_name) else {
                self.unmatched_block(input, producer, consumer);
                continue;
            };
            match self.block_difference(input, output, false) {
                Some(reason) => self.block_conflict(input, output, &reason),
                None => {
                    if let (Some(a), Some(b)) = (self.block_variable(input), self.block_variable(output)) {
                        for member in 0..self.fields(input).len() as u32 {
                            self.add_varying(a, b, producer, consumer, Some((input, member)));
                        }
                    }
                }
            }
        }
    }

    fn unmatched_block(&mut self, input: BlockAt, producer: usize, consumer: usize) {
        let name = self.block_name(input);
        let mentioned = self.blocks_named(consumer, Storage::In, name).iter().any(|&at| self.block_mentioned(at));
        if mentioned {
            let (stage, before) = (self.stages[consumer].stage.name(), self.stages[producer].stage.name());
            let message =
                format!("{stage} shader input block `{name}` is used, but no {before} shader output matches it");
            let error = self.error_at(input.0, self.block(input).declared, "unmatched-input", message);
            self.report(input.0, error);
        }
    }

    fn add_varying(
        &mut self,
        input: Declared,
        output: Declared,
        producer: usize,
        consumer: usize,
        member: Option<(BlockAt, u32)>,
    ) {
        let (ty, layout, name) = match member {
            Some((block, member)) => {
                let fields = self.fields(block);
                let Some(field) = fields.get(member as usize) else { return };
                let mut layout = field.qualifiers.layout;
                if member == 0 {
                    layout.location = layout.location.or(self.block(block).qualifiers.layout.location);
                }
                let name = format!("{}.{}", self.block_name(block), self.name(block.0, field.name));
                (field.ty, layout, name)
            }
            None => {
                let name = self.variable_name(input).to_owned();
                (self.per_vertex_element(input), self.qualifiers(input).layout, name)
            }
        };
        let locations = self.slot_count(input.shader, ty);
        self.out.varyings.push(Varying {
            name,
            producer: self.stages[producer].stage,
            consumer: self.stages[consumer].stage,
            output,
            input,
            member: member.map(|m| m.1),
            location: layout.location.unwrap_or(u32::MAX),
            component: layout.component.unwrap_or(0),
            locations,
        });
    }

    pub(super) fn slot_count(&self, shader: usize, ty: Type) -> u32 {
        layout::locations(self.types(shader), ty, false).unwrap_or(1).min(MAX_SLOTS)
    }

    /// Assigns locations to the varyings from `from` on that have none, in the gaps.
    fn choose_locations(&mut self, from: usize) {
        let mut taken: Vec<(u32, u32)> = self.out.varyings[from..]
            .iter()
            .filter(|v| v.location != u32::MAX)
            .map(|v| (v.location, v.location.saturating_add(v.locations)))
            .collect();
        taken.sort_unstable();
        let mut free = super::locations::Gaps::new(taken);
        let mut previous: Option<(Declared, u32)> = None;
        for varying in &mut self.out.varyings[from..] {
            if varying.location == u32::MAX {
                // Members without a location follow the previous one, if that has one (GLSL 4.60, 4.4.1).
                let next = previous.filter(|p| varying.member.is_some_and(|m| m > 0) && p.0 == varying.input);
                varying.location = next.map_or_else(|| free.take(varying.locations), |p| p.1);
            }
            let explicit = varying.member.is_some();
            previous = explicit.then(|| (varying.input, varying.location.saturating_add(varying.locations)));
        }
    }
}
