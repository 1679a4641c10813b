//! Assigns locations, and checks for overlaps.

use std::collections::BTreeMap;

use super::linker::{Linker, is_per_vertex};
use super::{Attachment, Declared};
use crate::layout;
use crate::qualifier::{Interpolation, Qualifiers, Storage};
use crate::types::{Scalar, Type, TypeTable};
use crate::version::Stage;

/// No stage has as many locations; longer arrays are truncated to this.
pub(super) const MAX_SLOTS: u32 = 256;

/// The components that a type takes in each location, as bit masks.
pub(super) fn slots(types: &TypeTable, ty: Type, component: Option<u32>) -> Vec<u8> {
    let shift = component.unwrap_or(0).min(3);
    let vector = |scalar: Scalar, n: u32| -> Vec<u8> {
        let width = if scalar.is_64_bit() { n * 2 } else { n };
        match width {
            0..=4 => vec![(((1u32 << width) - 1) << shift) as u8 & 15],
            _ => vec![15, ((1u32 << (width - 4)) - 1) as u8 & 15],
        }
    };
    let (mut element, mut count) = (ty, 1u32);
    while let Some(array) = types.as_array(element) {
        count = count.saturating_mul(array.size.unwrap_or(1)).min(MAX_SLOTS);
        element = array.element;
    }
    let one = match element {
        Type::Scalar(scalar) => vector(scalar, 1),
        Type::Vector(scalar, n) => vector(scalar, u32::from(n)),
        Type::Matrix(scalar, columns, rows) => {
            let column = vector(scalar, u32::from(rows));
            (0..columns).flat_map(|_| column.clone()).collect()
        }
        Type::Struct(_) => vec![15; layout::locations(types, element, false).unwrap_or(1).min(MAX_SLOTS) as usize],
        Type::Opaque(_) => vec![3],
        Type::Error | Type::Void | Type::Subroutine(_) | Type::Array(_) => Vec::new(),
    };
    (0..count).flat_map(|_| one.iter().copied()).take(MAX_SLOTS as usize).collect()
}

/// Free ranges between taken ones.
pub(super) struct Gaps {
    taken: Vec<(u32, u32)>,
    next: usize,
    cursor: u32,
}

impl Gaps {
    /// `taken` is sorted: start and end.
    pub(super) fn new(taken: Vec<(u32, u32)>) -> Gaps {
        Gaps { taken, next: 0, cursor: 0 }
    }

    /// The next free range of this length, in order.
    pub(super) fn take(&mut self, count: u32) -> u32 {
        while let Some(&(start, end)) = self.taken.get(self.next) {
            if self.cursor.saturating_add(count) <= start {
                break;
            }
            self.cursor = self.cursor.max(end);
            self.next += 1;
        }
        let start = self.cursor;
        self.cursor = self.cursor.saturating_add(count);
        start
    }
}

/// The owner of a component of a location, and what others in the same location must agree on.
#[derive(Clone, Copy)]
struct Taken<'a> {
    /// The variable, and the member if it is a block.
    owner: (Declared, Option<usize>),
    /// Its name and declaration.
    name: &'a str,
    place: Declared,
    integer: Option<Scalar>,
    wide: bool,
    structure: bool,
    interpolation: Option<Interpolation>,
    centroid: bool,
    sample: bool,
}

impl<'a> Linker<'a> {
    /// Outputs or inputs with explicit locations must not overlap (GLSL 4.60, 4.4.1).
    pub(super) fn check_overlaps(&mut self, index: usize, storage: Storage) {
        let mut taken: BTreeMap<(bool, u32, u32), Taken<'a>> = BTreeMap::new();
        let mut clashes: Vec<(Declared, Declared, String)> = Vec::new();
        for at in self.interface(&self.stages[index], storage) {
            let q = self.qualifiers(at);
            if let Some(location) = q.layout.location {
                let ty = self.per_vertex_element(at);
                let shown = (self.variable_name(at), at);
                clashes.extend(self.occupy(&mut taken, (at, None), shown, ty, q, location));
            }
        }
        for block in self.stage_blocks(index, storage) {
            let row = self.block(block);
            let Some(variable) = self.block_variable(block) else { continue };
            let mut next = row.qualifiers.layout.location;
            // An array of blocks takes the locations of its members again for each element.
            let mut repeat = 1u32;
            let mut ty = row.ty;
            if is_per_vertex(self.stage_of(block.0), &row.qualifiers) {
                ty = self.types(block.0).as_array(ty).map_or(ty, |a| a.element);
            }
            while let Some(array) = self.types(block.0).as_array(ty) {
                repeat = repeat.saturating_mul(array.size.unwrap_or(1)).min(MAX_SLOTS);
                ty = array.element;
            }
            let stride = self.slot_count(block.0, ty);
            for (i, field) in self.fields(block).iter().enumerate() {
                let member = row.members.get(i).map(|&variable| Declared { shader: block.0, variable });
                let shown = (self.name(block.0, field.name), member.unwrap_or(variable));
                let owner = (variable, Some(i));
                next = field.qualifiers.layout.location.or(next);
                let Some(location) = next else { continue };
                for element in 0..repeat {
                    let base = location.saturating_add(element.saturating_mul(stride));
                    clashes.extend(self.occupy(&mut taken, owner, shown, field.ty, &field.qualifiers, base));
                }
                next = Some(location.saturating_add(self.slot_count(block.0, field.ty)));
            }
        }
        for (at, other, message) in clashes {
            self.conflict(at, other, "location-overlap", message);
        }
    }

    /// Enters a variable; returns the first conflict.
    fn occupy(
        &self,
        taken: &mut BTreeMap<(bool, u32, u32), Taken<'a>>,
        owner: (Declared, Option<usize>),
        (name, place): (&'a str, Declared),
        ty: Type,
        q: &Qualifiers,
        location: u32,
    ) -> Option<(Declared, Declared, String)> {
        let types = self.types(place.shader);
        let mut element = ty;
        while let Some(array) = types.as_array(element) {
            element = array.element;
        }
        let scalar = element.scalar();
        let own = Taken {
            owner,
            name,
            place,
            integer: scalar.filter(|s| s.is_integer()).map(|_| Scalar::Int),
            wide: scalar.is_some_and(Scalar::is_64_bit),
            structure: matches!(element, Type::Struct(_)),
            interpolation: q.interpolation,
            centroid: q.flags.centroid,
            sample: q.flags.sample,
        };
        let mut clash = None;
        for (i, mask) in slots(types, ty, q.layout.component).into_iter().enumerate() {
            let slot = location.saturating_add(i as u32);
            for component in 0..4u32 {
                let key = (q.flags.patch, slot, component);
                let Some(&other) = taken.get(&key) else {
                    if mask & 1 << component != 0 {
                        taken.insert(key, own);
                    }
                    continue;
                };
                let there = other.name;
                if clash.is_some() || other.owner == owner && mask & 1 << component == 0 {
                    continue;
                }
                let message = if mask & 1 << component != 0 {
                    Some(format!("`{name}` and `{there}` both take component {component} of location {slot}"))
                } else if own.structure || other.structure {
                    Some(format!("`{name}` and `{there}` share location {slot}, which structures cannot"))
                } else if own.integer != other.integer || own.wide != other.wide {
                    Some(format!("`{name}` and `{there}` share location {slot}, but not the component type"))
                } else if own.interpolation != other.interpolation {
                    Some(format!("`{name}` and `{there}` share location {slot}, but not the interpolation"))
                } else if own.centroid != other.centroid || own.sample != other.sample {
                    Some(format!("`{name}` and `{there}` share location {slot}, but not `centroid` or `sample`"))
                } else {
                    None
                };
                clash = message.map(|m| (place, other.place, m));
            }
        }
        clash
    }

    /// Inputs of the first stage and outputs of the last, and their locations.
    pub(super) fn assign_attachments(&mut self) {
        let Some(last) = self.stages.len().checked_sub(1) else { return };
        self.out.inputs = self.attachments(0, Storage::In);
        self.out.outputs = self.attachments(last, Storage::Out);
    }

    fn attachments(&mut self, index: usize, storage: Storage) -> Vec<Attachment> {
        let stage = self.stages[index].stage;
        let outer = matches!((stage, storage), (Stage::Vertex, Storage::In) | (Stage::Fragment, Storage::Out));
        let list = self.interface(&self.stages[index], storage);
        let mut taken: Vec<(u32, u32)> = Vec::new();
        let mut rows: Vec<Attachment> = Vec::new();
        let mut components = BTreeMap::new();
        for at in list {
            let q = self.qualifiers(at);
            let ty = self.per_vertex_element(at);
            let vertex = stage == Stage::Vertex && storage == Storage::In;
            let locations = layout::locations(self.types(at.shader), ty, vertex).unwrap_or(1);
            let name = self.variable_name(at).to_owned();
            let used = self.used_in_stage(index, &name, q.storage);
            let row = Attachment {
                name,
                declared: at,
                location: q.layout.location,
                locations,
                component: q.layout.component.unwrap_or(0),
                index: q.layout.index.unwrap_or(0),
                used,
            };
            if let Some(location) = row.location {
                taken.push((location, location.saturating_add(locations)));
            }
            if outer {
                self.check_attachment(&mut components, &row, stage);
                self.check_colour_number(&row, stage);
            }
            rows.push(row);
        }
        taken.sort_unstable();
        let mut gaps = Gaps::new(taken);
        for row in rows.iter_mut().filter(|r| r.location.is_none() && r.used) {
            row.location = Some(gaps.take(row.locations));
        }
        rows
    }

    /// The number of colour outputs is limited (GL 4.6, 15.2.3).
    fn check_colour_number(&mut self, row: &Attachment, stage: Stage) {
        let (Some(location), Some(limit)) = (row.location, self.limit("gl_MaxDrawBuffers")) else { return };
        if stage == Stage::Fragment && row.used && location.saturating_add(row.locations) > limit {
            let (name, last) = (&row.name, location.saturating_add(row.locations.saturating_sub(1)));
            let message = format!("`{name}` takes location {last}, but there are only {limit} draw buffers");
            self.error_variable(row.declared, "limit", message);
        }
    }

    /// Enters an attribute or colour output with its components, and reports conflicts.
    fn check_attachment(&mut self, taken: &mut BTreeMap<(u32, u32, u32), Declared>, row: &Attachment, stage: Stage) {
        let Some(location) = row.location else { return };
        // In desktop GL, vertex attributes may alias (GL 4.6, 11.1.1); in GLSL ES 3.00 they may not.
        let aliasing = stage == Stage::Vertex && self.before(u16::MAX, 300);
        if aliasing || !row.used {
            return;
        }
        let base = |at: Declared| {
            let mut ty = self.variable(at).ty;
            while let Some(array) = self.types(at.shader).as_array(ty) {
                ty = array.element;
            }
            ty.scalar()
        };
        let at = row.declared;
        let mut found = None;
        let masks = slots(self.types(at.shader), self.variable(at).ty, self.qualifiers(at).layout.component);
        for (i, mask) in masks.into_iter().enumerate() {
            let slot = location.saturating_add(i as u32);
            for component in 0..4 {
                let mine = mask & 1 << component != 0;
                let key = (row.index, slot, component);
                let Some(&other) = taken.get(&key) else {
                    if mine {
                        taken.insert(key, at);
                    }
                    continue;
                };
                let name = self.variable_name(other);
                if mine {
                    found = Some((other, format!("`{}` and `{name}` overlap in location {slot}", row.name)));
                } else if base(at) != base(other) {
                    let message =
                        format!("`{}` and `{name}` share location {slot} but not the type of component", row.name);
                    found = Some((other, message));
                }
            }
        }
        if let Some((other, message)) = found {
            self.conflict(at, other, "location-overlap", message);
        }
    }
}
