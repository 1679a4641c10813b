//! A draw taken apart: the calls that it could be made of, each of some of its primitives.

use std::ops::Range;

use api::{CommandId, Namespace, Trait, constant as c, id};
use chronicle::trim::DriverContents;
use open_trace::{DrawCalls, each_draw_call};
use state::{View, variable as var};
use trace::{Bytes, Call, Reader};

use super::pieces::{Assembly, Piece, runs};
use crate::inspect::single::makes_vertex;
use crate::player::Player;

/// A draw, or several that one call makes.
pub struct Shape {
    pub draws: Vec<One>,
    /// Whether vertices come between `glBegin` and `glEnd`.
    pub immediate: bool,
    /// The vendor of the call, where it is an extension's.
    pub vendor: &'static str,
}

/// One draw.
pub struct One {
    pub assembly: Assembly,
    /// The first vertex, where there are no indices.
    pub first: u32,
    pub count: u32,
    pub indices: Option<Indices>,
    pub base_vertex: i32,
    pub instances: u32,
    pub base_instance: u32,
    /// Elements between restarts: where they begin, how many there are, and the number of their first primitive.
    pub runs: Vec<(u32, u32, u32)>,
    pub primitives: u32,
}

/// Indices as GL has them.
pub struct Indices {
    pub kind: u32,
    pub bytes: Vec<u8>,
}

impl Indices {
    pub fn size(&self) -> usize {
        match self.kind {
            c::GL_UNSIGNED_BYTE => 1,
            c::GL_UNSIGNED_SHORT => 2,
            _ => 4,
        }
    }

    pub fn number(&self, at: u32) -> u32 {
        let size = self.size();
        let bytes = self.bytes.get(at as usize * size..(at as usize + 1) * size).unwrap_or_default();
        match *bytes {
            [one] => u32::from(one),
            [a, b] => u32::from(u16::from_ne_bytes([a, b])),
            [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]),
            _ => 0,
        }
    }
}

impl One {
    /// What draws some of the primitives: one piece for each row between restarts.
    pub fn pieces(&self, primitives: &Range<u32>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for &(at, elements, first) in &self.runs {
            let count = self.assembly.primitives(elements).unwrap_or(0);
            let (from, to) = (primitives.start.max(first), primitives.end.min(first + count));
            if from < to {
                pieces.push(self.assembly.piece((at, elements), from - first..to - first));
            }
        }
        pieces
    }

    /// How many elements from the first on make the primitives up to a number, and what they are drawn as.
    pub fn beginning(&self, primitives: u32) -> (u32, u32) {
        if primitives >= self.primitives {
            return (self.assembly.mode, self.count);
        }
        let last = self.pieces(&(primitives.saturating_sub(1)..primitives)).pop();
        match last {
            Some(Piece { mode, elements: super::pieces::Elements::Row(row) }) => (mode, row.end),
            Some(Piece { mode, elements: super::pieces::Elements::List(list) }) => {
                (mode, list.iter().max().map_or(0, |last| last + 1))
            }
            None => (self.assembly.mode, 0),
        }
    }
}

/// Reads what buffers hold, by their recorded names.
struct Buffers<'a> {
    player: &'a mut Player,
    thread: u32,
    context: u32,
}

impl Buffers<'_> {
    fn read(&mut self, name: u32) -> Result<Vec<u8>, String> {
        let wanted = DriverContents::Object { context: self.context, space: Namespace::Buffer, name, target: 0 };
        let taken = self.player.read_contents(&wanted).map_err(|error| error.to_string())?;
        self.player.world.enter(self.thread).map_err(|error| error.to_string())?;
        Ok(taken?.into_iter().next().map(|held| held.bytes).unwrap_or_default())
    }
}

impl Shape {
    /// Returns the shape of a draw.
    ///
    /// # Errors
    /// When the draw cannot be split, with the reason.
    pub fn of(player: &mut Player, reader: &Reader, calls: &DrawCalls, view: &View<'_>) -> Result<Shape, String> {
        let patch = view.context.vars.get(var::PATCH_VERTICES) as u32;
        if calls.command == id::glEnd {
            return immediate(reader, calls, patch);
        }
        let held = reader.call_at(*calls.range.end()).map_err(|error| error.to_string())?;
        let call = held.call();
        let about = calls.about();
        let buffers = Buffers { player, thread: calls.thread, context: view.seat.context };
        let taker = Taker { reader, call: &call, view, assembly_patch: patch, buffers };
        // Some extensions have a mode for each draw, or keep indices elsewhere.
        let (multi, indexed) = (about.has(Trait::Multi), about.has(Trait::Indexed));
        let told = about.param("mode").is_some_and(|at| about.params[at].memory.is_none())
            && (!indexed || about.param("indices").is_some());
        let elsewhere = about.has(Trait::Indirect) || about.has(Trait::FromFeedback);
        let draws = match (multi, indexed) {
            _ if !about.has(Trait::FromArrays) || !told || elsewhere => {
                Err(format!("the primitives of {} cannot be drawn one by one", about.name))
            }
            (false, false) => taker.arrays(),
            (false, true) => taker.elements(),
            (true, false) => taker.many_arrays(),
            (true, true) => taker.many_elements(),
        }?;
        Ok(Shape { draws, immediate: false, vendor: about.vendor() })
    }
}

/// Takes the arguments of a call apart.
struct Taker<'a, 'v> {
    reader: &'a Reader,
    call: &'a Call<'a>,
    view: &'a View<'v>,
    assembly_patch: u32,
    buffers: Buffers<'a>,
}

impl Taker<'_, '_> {
    fn place(&self, name: &str) -> Option<usize> {
        api::command(self.call.command?).param(name)
    }

    fn argument(&self, name: &str) -> Option<u32> {
        self.call.args.get(self.place(name)?).map(|word| *word as u32)
    }

    fn instances(&self) -> u32 {
        self.argument("instancecount").or_else(|| self.argument("primcount")).unwrap_or(1)
    }

    fn assembly(&self) -> Result<Assembly, String> {
        let assembly = Assembly { mode: self.argument("mode").unwrap_or(0), patch: self.assembly_patch };
        match assembly.primitives(0) {
            Some(_) => Ok(assembly),
            None => Err(format!("primitives of kind {:#06x} cannot be drawn one by one", assembly.mode)),
        }
    }

    fn arrays(self) -> Result<Vec<One>, String> {
        let (first, count) = (self.argument("first").unwrap_or(0), self.argument("count").unwrap_or(0));
        let mut one = one(self.assembly()?, first, count);
        (one.instances, one.base_instance) = (self.instances(), self.argument("baseinstance").unwrap_or(0));
        Ok(vec![one])
    }

    fn many_arrays(self) -> Result<Vec<One>, String> {
        let (firsts, counts, assembly) = (self.numbers("first")?, self.numbers("count")?, self.assembly()?);
        Ok(firsts.into_iter().zip(counts).map(|(first, count)| one(assembly, first, count)).collect())
    }

    fn elements(mut self) -> Result<Vec<One>, String> {
        let (count, kind) = (self.argument("count").unwrap_or(0), self.argument("type").unwrap_or(0));
        let param = self.place("indices").ok_or("it has no indices")?;
        let bytes = match self.bound() {
            0 => self.memory(param)?,
            name => part(&self.buffers.read(name)?, self.call.args[param], count, kind),
        };
        let mut one = one(self.assembly()?, 0, count);
        (one.instances, one.base_instance) = (self.instances(), self.argument("baseinstance").unwrap_or(0));
        one.base_vertex = self.argument("basevertex").unwrap_or(0).cast_signed();
        self.give(&mut one, Indices { kind, bytes })?;
        Ok(vec![one])
    }

    fn many_elements(mut self) -> Result<Vec<One>, String> {
        let (counts, kind) = (self.numbers("count")?, self.argument("type").unwrap_or(0));
        let bases = if self.place("basevertex").is_some() { self.numbers("basevertex")? } else { Vec::new() };
        let param = self.place("indices").ok_or("it has no indices")?;
        let (memory, assembly) = (self.memory(param)?, self.assembly()?);
        let bound = self.bound();
        let held = if bound == 0 { Vec::new() } else { self.buffers.read(bound)? };
        let (mut rest, mut draws) = (&memory[..], Vec::new());
        for (number, count) in counts.into_iter().enumerate() {
            let bytes = if bound == 0 {
                // Each list of indices follows its length.
                let (length, after) = rest.split_first_chunk::<4>().ok_or("the trace has no indices for the draw")?;
                let (own, after) = after.split_at((u32::from_le_bytes(*length) as usize).min(after.len()));
                rest = after;
                own.to_vec()
            } else {
                let offset = memory.as_chunks::<8>().0.get(number).map_or(0, |bytes| u64::from_ne_bytes(*bytes));
                part(&held, offset, count, kind)
            };
            let mut one = one(assembly, 0, count);
            one.base_vertex = bases.get(number).map_or(0, |base| base.cast_signed());
            self.give(&mut one, Indices { kind, bytes })?;
            draws.push(one);
        }
        Ok(draws)
    }

    /// Gives a draw its indices, and splits it where primitives are to begin anew.
    fn give(&self, one: &mut One, indices: Indices) -> Result<(), String> {
        let vars = &self.view.context.vars;
        let largest = u32::MAX >> (32 - 8 * indices.size() as u32);
        let restart = if vars.get(var::PRIMITIVE_RESTART_FIXED_INDEX) != 0.0 {
            Some(largest)
        } else {
            (vars.get(var::PRIMITIVE_RESTART) != 0.0).then(|| vars.get(var::PRIMITIVE_RESTART_INDEX) as u32)
        };
        if (indices.bytes.len() / indices.size()) < one.count as usize {
            return Err("the draw reads indices beyond the end of its buffer".to_owned());
        }
        if let Some(restart) = restart {
            one.split(&runs(one.count, |at| indices.number(at) == restart));
        }
        one.indices = Some(indices);
        Ok(())
    }

    /// The buffer that indices come from; 0 if it is memory.
    fn bound(&self) -> u32 {
        let context = self.view.context;
        context.vertex_arrays.get(&context.vertex_array).map_or(0, |array| array.elements.name)
    }

    fn memory(&self, param: usize) -> Result<Vec<u8>, String> {
        let none = "the trace has no bytes of what the draw reads";
        let data = u8::try_from(param).ok().and_then(|param| self.call.input(param)).ok_or(none)?;
        match self.reader.bytes(data).map_err(|error| error.to_string())? {
            Some(Bytes::Inline(bytes)) => Ok(bytes.to_vec()),
            Some(Bytes::Blob(bytes)) => Ok(bytes.to_vec()),
            None => Err(none.to_owned()),
        }
    }

    fn numbers(&self, name: &str) -> Result<Vec<u32>, String> {
        let bytes = self.memory(self.place(name).ok_or("a parameter is missing")?)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_ne_bytes(*bytes)).collect())
    }
}

/// Returns the bytes of indices at an offset of a buffer.
fn part(bytes: &[u8], offset: u64, count: u32, kind: u32) -> Vec<u8> {
    let size = Indices { kind, bytes: Vec::new() }.size();
    let from = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    bytes[from..(from + count as usize * size).min(bytes.len())].to_vec()
}

fn one(assembly: Assembly, first: u32, count: u32) -> One {
    let (indices, runs) = (None, Vec::new());
    let mut one =
        One { assembly, first, count, indices, base_vertex: 0, instances: 1, base_instance: 0, runs, primitives: 0 };
    one.split(&[(0, count)]);
    one
}

impl One {
    /// Elements make primitives in these rows only.
    fn split(&mut self, rows: &[(u32, u32)]) {
        (self.runs, self.primitives) = (Vec::new(), 0);
        for &(at, elements) in rows {
            self.runs.push((at, elements, self.primitives));
            self.primitives += self.assembly.primitives(elements).unwrap_or(0);
        }
    }
}

/// What is between `glBegin` and `glEnd`; vertices are counted from 0.
fn immediate(reader: &Reader, calls: &DrawCalls, patch: u32) -> Result<Shape, String> {
    let (mut mode, mut count) = (c::GL_POINTS, 0);
    each_draw_call(reader, calls, &mut |call| {
        if call.command == Some(id::glBegin) {
            mode = call.args[0] as u32;
        }
        let elsewhere = |command: CommandId| {
            let about = api::command(command);
            let element = matches!(command, id::glArrayElement | id::glArrayElementEXT);
            element || about.has(Trait::Evaluates) || about.has(Trait::CallsLists)
        };
        if call.command.is_some_and(elsewhere) {
            return Err(format!("the vertices that {} makes cannot be drawn one by one", call.name()));
        }
        count += u32::from(makes_vertex(call));
        Ok(())
    })?;
    let assembly = Assembly { mode, patch };
    if mode == c::GL_LINE_LOOP || assembly.primitives(0).is_none() {
        return Err(format!("primitives of kind {mode:#06x} between glBegin and glEnd cannot be drawn one by one"));
    }
    Ok(Shape { draws: vec![one(assembly, 0, count)], immediate: true, vendor: "" })
}
