//! Parts of a draw: drawing some of its primitives and instances, and nothing else.

use std::collections::BTreeMap;

use api::{CommandId, constant as c, id};
use device::PrimitiveRange;
use instrument::InspectError;
use open_trace::{DrawCalls, each_draw_call};
use trace::{Call, Reader};

use super::pieces::{Elements, Piece};
use super::shape::{Indices, One, Shape};
use crate::inspect::changes::failed;
use crate::inspect::hand::{Hand, word};
use crate::inspect::single::makes_vertex;

// Variants of one command: that of a version of GL first, then those of extensions.
const ARRAYS_INSTANCED: [CommandId; 5] = [
    id::glDrawArraysInstanced,
    id::glDrawArraysInstancedARB,
    id::glDrawArraysInstancedEXT,
    id::glDrawArraysInstancedANGLE,
    id::glDrawArraysInstancedNV,
];
const ARRAYS_BASE_INSTANCE: [CommandId; 2] =
    [id::glDrawArraysInstancedBaseInstance, id::glDrawArraysInstancedBaseInstanceEXT];
const ELEMENTS_BASE_VERTEX: [CommandId; 3] =
    [id::glDrawElementsBaseVertex, id::glDrawElementsBaseVertexEXT, id::glDrawElementsBaseVertexOES];
const ELEMENTS_INSTANCED: [CommandId; 5] = [
    id::glDrawElementsInstanced,
    id::glDrawElementsInstancedARB,
    id::glDrawElementsInstancedEXT,
    id::glDrawElementsInstancedANGLE,
    id::glDrawElementsInstancedNV,
];
const ELEMENTS_INSTANCED_BASE_VERTEX: [CommandId; 3] = [
    id::glDrawElementsInstancedBaseVertex,
    id::glDrawElementsInstancedBaseVertexEXT,
    id::glDrawElementsInstancedBaseVertexOES,
];
const ELEMENTS_BASE_INSTANCE: [CommandId; 2] =
    [id::glDrawElementsInstancedBaseVertexBaseInstance, id::glDrawElementsInstancedBaseVertexBaseInstanceEXT];

/// Draws parts of a draw.
pub struct Drawer<'a> {
    pub shape: &'a Shape,
    reader: &'a Reader,
    calls: &'a DrawCalls,
    /// Whether what is drawn begins with the first primitive always, because shaders know the numbers of primitives.
    pub from_first: bool,
    /// Whether it begins with the first instance always, for the like reason.
    pub from_first_instance: bool,
    /// For each draw a buffer with its indices, as they are.
    buffers: BTreeMap<u32, u32>,
    /// A buffer for others.
    list: u32,
    /// Whether indices may have 32 bits.
    long: bool,
}

impl<'a> Drawer<'a> {
    /// Makes ready what is needed, until all is undone.
    pub fn new(
        hand: &mut Hand<'_>,
        shape: &'a Shape,
        (reader, calls): (&'a Reader, &'a DrawCalls),
        [from_first, from_first_instance]: [bool; 2],
    ) -> Drawer<'a> {
        let long = hand.can.has(10, 30, &["GL_OES_element_index_uint"]);
        let mut drawer =
            Drawer { shape, reader, calls, from_first, from_first_instance, buffers: BTreeMap::new(), list: 0, long };
        if shape.immediate {
            return drawer;
        }
        let target = u64::from(c::GL_ELEMENT_ARRAY_BUFFER);
        hand.keep_buffer(c::GL_ELEMENT_ARRAY_BUFFER, c::GL_ELEMENT_ARRAY_BUFFER_BINDING);
        let own = |hand: &mut Hand<'_>| {
            let buffer = hand.generate(id::glGenBuffers);
            hand.delete_later(id::glDeleteBuffers, buffer);
            hand.call(id::glBindBuffer, &[target, u64::from(buffer)]);
            buffer
        };
        for (number, one) in (0..).zip(&shape.draws) {
            if let Some(Indices { bytes, .. }) = &one.indices {
                let buffer = own(hand);
                let (size, usage) = (bytes.len() as u64, u64::from(c::GL_STREAM_DRAW));
                hand.call(id::glBufferData, &[target, size, bytes.as_ptr() as u64, usage]);
                drawer.buffers.insert(number, buffer);
            }
        }
        drawer.list = own(hand);
        if !from_first {
            // Pieces are drawn each for itself, so that no index stands for a restart.
            if hand.can.has(31, 0, &[]) {
                hand.off(c::GL_PRIMITIVE_RESTART);
            }
            if hand.can.has(43, 30, &["GL_ARB_ES3_compatibility"]) {
                hand.off(c::GL_PRIMITIVE_RESTART_FIXED_INDEX);
            }
        }
        drawer
    }

    /// Everything.
    pub fn whole(&self) -> Vec<PrimitiveRange> {
        let part = |(draw, one): (u32, &One)| PrimitiveRange {
            draw,
            instances: [0, one.instances],
            primitives: [0, one.primitives],
        };
        (0..).zip(&self.shape.draws).map(part).filter(|part| part.size() > 0).collect()
    }

    /// What is drawn for a part, and parts of that which come before its own primitives: with which sign each of them
    /// counts, and nothing if it is drawn by itself.
    ///
    /// Of several instances, those that begin at their first primitive are drawn one at a time.
    pub fn around(&self, part: PrimitiveRange) -> (PrimitiveRange, Vec<(bool, PrimitiveRange)>) {
        let ([first, end], [from, to]) = (part.instances, part.primitives);
        let start = if self.from_first_instance { 0 } else { first };
        let begin = if self.from_first { 0 } else { from };
        let drawn = PrimitiveRange { instances: [start, end], primitives: [begin, to], ..part };
        let mut before = vec![(true, PrimitiveRange { instances: [start, first], ..drawn })];
        if begin < from {
            let earlier = PrimitiveRange { primitives: [begin, from], ..drawn };
            before.push((true, earlier));
            before.push((false, PrimitiveRange { instances: [start, first], ..earlier }));
        }
        before.retain(|(_, part)| part.size() > 0);
        (drawn, before)
    }

    /// Draws a part that begins where it may.
    pub fn draw(&self, hand: &mut Hand<'_>, part: PrimitiveRange) -> Result<(), InspectError> {
        let Some(one) = self.shape.draws.get(part.draw as usize) else { return Ok(()) };
        if part.size() == 0 {
            return Ok(());
        }
        let [from, to] = part.primitives;
        if self.from_first {
            let (mode, elements) = one.beginning(to);
            return self.piece(hand, (part, one), &Piece { mode, elements: Elements::Row(0..elements) });
        }
        for piece in one.pieces(&(from..to)) {
            self.piece(hand, (part, one), &piece)?;
        }
        Ok(())
    }

    fn piece(
        &self,
        hand: &mut Hand<'_>,
        (part, one): (PrimitiveRange, &One),
        piece: &Piece,
    ) -> Result<(), InspectError> {
        if self.shape.immediate {
            return self.vertices(hand, piece);
        }
        let ([first, end], mode) = (part.instances, u64::from(piece.mode));
        let instances = [u64::from(end - first), u64::from(one.base_instance + first)];
        match (&piece.elements, &one.indices) {
            (Elements::Row(row), None) => {
                let (from, count) = (u64::from(one.first + row.start), u64::from(row.end - row.start));
                self.arrays(hand, [mode, from, count], instances, one.instances != 1)
            }
            (Elements::Row(row), Some(indices)) => {
                let buffer = self.buffers.get(&part.draw).copied().unwrap_or(0);
                hand.call(id::glBindBuffer, &[u64::from(c::GL_ELEMENT_ARRAY_BUFFER), u64::from(buffer)]);
                let (offset, kind) = (row.start as usize * indices.size(), u64::from(indices.kind));
                let words = [mode, u64::from(row.end - row.start), kind, offset as u64];
                self.elements(hand, words, one, instances)
            }
            (Elements::List(list), indices) => {
                let number = |at: &u32| indices.as_ref().map_or(one.first + *at, |indices| indices.number(*at));
                let numbers: Vec<u32> = list.iter().map(number).collect();
                let short = !self.long || indices.as_ref().is_some_and(|indices| indices.size() < 4);
                let (kind, bytes): (u32, Vec<u8>) = if short {
                    let short: Result<Vec<u16>, _> = numbers.iter().map(|number| u16::try_from(*number)).collect();
                    let short =
                        short.map_err(|_| failed("indices of 32 bits would be needed, which this driver lacks"))?;
                    (c::GL_UNSIGNED_SHORT, short.iter().flat_map(|number| number.to_ne_bytes()).collect())
                } else {
                    (c::GL_UNSIGNED_INT, numbers.iter().flat_map(|number| number.to_ne_bytes()).collect())
                };
                let target = u64::from(c::GL_ELEMENT_ARRAY_BUFFER);
                hand.call(id::glBindBuffer, &[target, u64::from(self.list)]);
                let (size, usage) = (bytes.len() as u64, u64::from(c::GL_STREAM_DRAW));
                hand.call(id::glBufferData, &[target, size, bytes.as_ptr() as u64, usage]);
                self.elements(hand, [mode, list.len() as u64, u64::from(kind), 0], one, instances)
            }
        }
    }

    fn arrays(
        &self,
        hand: &mut Hand<'_>,
        [mode, first, count]: [u64; 3],
        [instances, base]: [u64; 2],
        several: bool,
    ) -> Result<(), InspectError> {
        let (command, words) = match (several || instances != 1, base) {
            (false, 0) => (id::glDrawArrays, vec![mode, first, count]),
            (true, 0) => (self.variant(&ARRAYS_INSTANCED), vec![mode, first, count, instances]),
            _ => (self.variant(&ARRAYS_BASE_INSTANCE), vec![mode, first, count, instances, base]),
        };
        made(hand, command, &words)
    }

    fn elements(
        &self,
        hand: &mut Hand<'_>,
        head: [u64; 4],
        one: &One,
        [instances, base]: [u64; 2],
    ) -> Result<(), InspectError> {
        let mut words = head.to_vec();
        let several = one.instances != 1 || instances != 1;
        let command = match (several, one.base_vertex, base) {
            (false, 0, 0) => id::glDrawElements,
            (false, vertex, 0) => {
                words.push(word(vertex));
                self.variant(&ELEMENTS_BASE_VERTEX)
            }
            (true, 0, 0) => {
                words.push(instances);
                self.variant(&ELEMENTS_INSTANCED)
            }
            (true, vertex, 0) => {
                words.extend([instances, word(vertex)]);
                self.variant(&ELEMENTS_INSTANCED_BASE_VERTEX)
            }
            (_, vertex, base) => {
                words.extend([instances, word(vertex), base]);
                self.variant(&ELEMENTS_BASE_INSTANCE)
            }
        };
        made(hand, command, &words)
    }

    /// The command of the same extension as the draw's own, or the first.
    fn variant(&self, all: &[CommandId]) -> CommandId {
        let alike = |command: &&CommandId| api::command(**command).vendor() == self.shape.vendor;
        all.iter().find(alike).copied().unwrap_or(all[0])
    }

    /// Makes the calls from `glBegin` to `glEnd` with only some of the vertices.
    fn vertices(&self, hand: &mut Hand<'_>, piece: &Piece) -> Result<(), InspectError> {
        let times = |number: u32| match &piece.elements {
            Elements::Row(row) => usize::from(row.contains(&number)),
            Elements::List(list) => list.iter().filter(|at| **at == number).count(),
        };
        let mut number = 0;
        let made = each_draw_call(self.reader, self.calls, &mut |call| {
            let mode = [u64::from(piece.mode)];
            let begin = call.command == Some(id::glBegin);
            let call = Call { args: if begin { &mode } else { call.args }, ..*call };
            let count = if makes_vertex(&call) {
                number += 1;
                times(number - 1)
            } else {
                1
            };
            for _ in 0..count {
                hand.player.redo(&call, self.reader).map_err(|error| error.to_string())?;
            }
            Ok(())
        });
        made.map_err(|text| failed(&text))
    }
}

fn made(hand: &mut Hand<'_>, command: CommandId, words: &[u64]) -> Result<(), InspectError> {
    if !hand.player.has_function(command) {
        return Err(failed("the driver has no call that draws some of these primitives"));
    }
    hand.call(command, words);
    Ok(())
}
