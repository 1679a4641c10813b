//! What transform feedback captured.

use std::collections::BTreeMap;

use api::constant as c;
use chronicle::graph::Cell;
use inquiry::DrawSnapshot;
use shader::version::Stage;

use super::buffer::WantedBytes;
use super::stages::{CapturedVertex, order};
use super::{PendingTexel, Reader, Walk};
use crate::corners::{Corners, shape};
use crate::history::{ByteRange, EventKind, Verdict};
use crate::{RecallError, TexelAspect, TexelRef};

impl Walk<'_, '_> {
    /// Bytes that transform feedback wrote, or a shader of a draw; and texels that one did.
    pub(super) fn captured(
        &mut self,
        call: u64,
        bytes: BTreeMap<ByteRange, WantedBytes>,
        texels: BTreeMap<TexelRef, PendingTexel>,
    ) -> Result<(), RecallError> {
        let work = self.recall.inquiry.work(call)?;
        let plan = Capture::of(&work);
        let cells: Vec<Cell> = plan.as_ref().map_or(Vec::new(), |plan| plan.cells());
        let (bytes, stored): (BTreeMap<_, _>, BTreeMap<_, _>) =
            bytes.into_iter().partition(|(range, _)| cells.contains(&range.cell));
        if !stored.is_empty() || !texels.is_empty() {
            self.stored_by_draw(&work, stored, texels)?;
        }
        if bytes.is_empty() {
            return Ok(());
        }
        let recall = &mut *self.recall;
        let corners = Corners::gather(recall.inquiry, &work, &recall.ledger, &mut recall.memo);
        let mut kept = Vec::new();
        let (before, order) = match (&plan, &corners) {
            (Some(_), Ok(corners)) => (self.captured_before(&work)?, order(corners)),
            _ => (0, Vec::new()),
        };
        for (range, asked) in bytes {
            let known = match (&plan, &corners) {
                (None, _) => Err("nothing is captured".to_owned()),
                (_, Err(why)) => Err(why.clone()),
                (_, Ok(corners)) if corners.middle.evaluation.is_some() && corners.middle.geometry.is_some() => {
                    Err("what a geometry shader behind a tessellation shader captures is not followed".to_owned())
                }
                (Some(plan), Ok(_)) => {
                    let found = plan.buffers.iter().position(|(cell, ..)| *cell == range.cell);
                    found.map(|at| (plan, at)).ok_or_else(|| "transform feedback has another buffer".to_owned())
                }
            };
            let (plan, buffer) = match known {
                Ok(known) => known,
                Err(why) => {
                    let id = self.byte_node(call, EventKind::Store, range, &asked.wanted);
                    self.history.nodes[id.0 as usize].verdict = Verdict::Unchecked(why);
                    continue;
                }
            };
            let (_, base, stride) = plan.buffers[buffer];
            let count = order.len() as u64;
            let mut at = range.from;
            while at < range.to {
                let vertex = at.saturating_sub(base) / stride.max(1);
                let start = base + vertex * stride;
                let end = (start + stride).min(range.to).max(at + 1);
                let part = ByteRange { from: at, to: end, ..range };
                let Some(own) = vertex.checked_sub(before).filter(|own| at >= base && *own < count && stride > 0)
                else {
                    self.before_store(&asked, part, range, &work);
                    at = end;
                    continue;
                };
                let maker = order[own as usize];
                let share = (end - at) as f64 / (range.to - range.from) as f64;
                let readers = asked
                    .wanted
                    .readers
                    .iter()
                    .map(|reader| Reader { weight: reader.weight * share, ..reader.clone() });
                let place = TexelRef { cell: range.cell, aspect: TexelAspect::Colour, at: [0, 0], sample: 0 };
                let found = plan.words(buffer, start, part, (&asked.held, range.from));
                let wanted = PendingTexel { readers: readers.collect(), depth: asked.wanted.depth };
                kept.push(CapturedVertex { maker, place, wanted, found, stored: None });
                at = end;
            }
        }
        self.vertices(&work, corners, (None, &[]), kept)
    }

    /// How many vertices were captured by earlier draws since transform feedback began.
    fn captured_before(&mut self, work: &DrawSnapshot) -> Result<u64, RecallError> {
        let mut earlier = Vec::new();
        {
            let reader = self.recall.inquiry.reader();
            let end = *work.calls.range.start();
            for number in (end.saturating_sub(LONGEST)..end).rev() {
                let Ok(held) = reader.call_at(number) else { continue };
                let call = held.call();
                if call.thread != work.calls.thread {
                    continue;
                }
                let command = call.command.map(api::command);
                if command.is_some_and(|command| command.operation == api::Operation::BeginFeedback) {
                    break;
                }
                if command.is_some_and(|command| command.role == api::Role::Draw) {
                    earlier.push(number);
                }
            }
        }
        let mut all = 0;
        for number in earlier {
            let recall = &mut *self.recall;
            let before = recall.inquiry.work(number)?;
            let between = before.facts(Stage::Geometry).is_ok() || before.facts(Stage::TessEvaluation).is_ok();
            let count = match between {
                true => Corners::gather(recall.inquiry, &before, &recall.ledger, &mut recall.memo)
                    .map(|corners| order(&corners).len()),
                false => {
                    shape(recall.inquiry, &before, &recall.ledger, &mut recall.memo).map(|(shape, _)| shape.captured())
                }
            };
            match count {
                Ok(count) => all += count as u64,
                Err(why) => self.note(format!("command {number}: how many vertices were captured is not known: {why}")),
            }
        }
        Ok(all)
    }
}

/// So far back the beginning of transform feedback is looked for.
const LONGEST: u64 = 1 << 16;

/// What transform feedback captures in a draw.
struct Capture {
    /// Buffers with their first byte and the bytes of a vertex.
    buffers: Vec<(Cell, u64, u64)>,
    /// Outputs: the buffer, the first byte in a vertex, the name, and how many words.
    outputs: Vec<(usize, u64, String, usize)>,
}

impl Capture {
    /// That of a draw; nothing where none is active.
    fn of(work: &DrawSnapshot) -> Option<Capture> {
        let view = work.view().ok()?;
        let feedback = view.context.transform_feedbacks.get(&view.context.transform_feedback)?;
        if feedback.mode.is_none() || feedback.paused {
            return None;
        }
        let linked = view.group.program(feedback.program)?.executable.clone()?;
        let interface = linked.reflection.interface(c::GL_TRANSFORM_FEEDBACK_VARYING)?;
        let mode = linked.reflection.parameter(c::GL_TRANSFORM_FEEDBACK_BUFFER_MODE).unwrap_or(0).cast_unsigned();
        let (mut buffer, mut offset) = (0usize, 0u64);
        let (mut outputs, mut strides) = (Vec::new(), vec![0u64; feedback.buffers.len()]);
        for (place, resource) in interface.resources.iter().enumerate() {
            let name = String::from_utf8_lossy(&resource.name).into_owned();
            if name == "gl_NextBuffer" {
                (buffer, offset) = (buffer + 1, 0);
                continue;
            }
            let size = interface.value(place, c::GL_ARRAY_SIZE).unwrap_or(1).max(1).cast_unsigned() as usize;
            let skipped = name.strip_prefix("gl_SkipComponents").and_then(|count| count.parse::<usize>().ok());
            let kind = interface.value(place, c::GL_TYPE).unwrap_or(0).cast_unsigned();
            let each = api::reflection::kind::shape(kind).map_or(0, |shape| shape.size() / 4);
            let words = skipped.unwrap_or(each as usize * size);
            if skipped.is_none() {
                outputs.push((buffer, offset, name, words));
            }
            offset += 4 * words as u64;
            *strides.get_mut(buffer)? = offset;
            if mode == c::GL_SEPARATE_ATTRIBS {
                (buffer, offset) = (buffer + 1, 0);
            }
        }
        let group = view.context.group;
        let buffers = feedback.buffers.iter().zip(strides).map(|(bound, stride)| {
            let thing = state::ContentsRef::Buffer { object: bound.buffer.object, from: 0, to: u64::MAX };
            (Cell::of(group, thing), bound.offset.max(0).cast_unsigned(), stride)
        });
        Some(Capture { buffers: buffers.collect(), outputs })
    }

    /// The buffers that are captured to.
    fn cells(&self) -> Vec<Cell> {
        self.buffers.iter().map(|(cell, ..)| *cell).collect()
    }

    /// The words of a vertex that begins at `start` that lie in a range, with what was found there.
    fn words(
        &self,
        buffer: usize,
        start: u64,
        part: ByteRange,
        (held, first): (&[u8], u64),
    ) -> Vec<(String, usize, u32)> {
        let mut all = Vec::new();
        for (own, offset, name, words) in self.outputs.iter().filter(|(own, ..)| *own == buffer) {
            debug_assert_eq!(*own, buffer);
            for word in 0..*words {
                let at = start + offset + 4 * word as u64;
                let inside = at >= part.from && at + 4 <= part.to;
                let place = at.checked_sub(first).map(|at| at as usize);
                let real = place.and_then(|at| held.get(at..at + 4)).filter(|_| inside);
                if let Some(real) = real {
                    all.push((name.clone(), word, u32::from_le_bytes([real[0], real[1], real[2], real[3]])));
                }
            }
        }
        all
    }
}
