//! What a draw call was told: its arguments, and the memory behind them.

use api::{Command, Trait};
use inquiry::DrawSnapshot;
use state::objects::buffer::Point;
use trace::{Bytes, Reader};

use super::SHOWN;

/// A call with the memory behind its parameters.
pub struct RecordedCall {
    /// The command.
    pub command: &'static Command,
    params: Vec<(&'static str, u64, Option<Vec<u8>>)>,
}

/// A part of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The first vertex; of draws with indices what is added to each.
    pub first: u32,
    /// How many vertices or indices.
    pub count: u32,
    /// The first byte of its indices.
    pub from: u64,
    pub instances: u32,
    pub base_instance: u32,
}

/// Gives the contents of a buffer by its name.
pub type Buffers<'b> = dyn FnMut(u32) -> Result<Vec<u8>, String> + 'b;

impl RecordedCall {
    /// That of a draw.
    ///
    /// # Errors
    /// When the trace cannot be read, with the reason.
    pub fn of(reader: &Reader, work: &DrawSnapshot) -> Result<RecordedCall, String> {
        let held = reader.call_at(*work.calls.range.end()).map_err(|error| error.to_string())?;
        let call = held.call();
        let known = call.command.map_or(&[][..], |command| api::command(command).params);
        let mut params = Vec::new();
        for (place, (param, word)) in known.iter().zip(call.args).enumerate() {
            let data = match call.input(place as u8) {
                Some(data) => reader.bytes(data).map_err(|error| error.to_string())?.map(|bytes| match bytes {
                    Bytes::Inline(bytes) => bytes.to_vec(),
                    Bytes::Blob(bytes) => bytes.to_vec(),
                }),
                None => None,
            };
            params.push((param.name, *word, data));
        }
        Ok(RecordedCall { command: work.calls.about(), params })
    }

    /// An argument.
    pub fn argument(&self, name: &str) -> Option<u32> {
        self.whole(name).map(|word| word as u32)
    }

    /// An argument with all its bits.
    pub fn whole(&self, name: &str) -> Option<u64> {
        self.params.iter().find(|(own, ..)| *own == name).map(|(_, word, _)| *word)
    }

    /// The memory behind a parameter.
    pub fn memory(&self, name: &str) -> Option<&[u8]> {
        self.params.iter().find(|(own, ..)| *own == name).and_then(|(.., bytes)| bytes.as_deref())
    }

    fn words(&self, name: &str) -> Option<Vec<u32>> {
        self.memory(name).map(|bytes| bytes.chunks_exact(4).map(word).collect())
    }

    /// The parts that the draw is of.
    ///
    /// # Errors
    /// When they are unknown, with the reason.
    pub fn pieces(&self, work: &DrawSnapshot, buffers: &mut Buffers<'_>) -> Result<Vec<Piece>, String> {
        let unknown = || format!("{}: the trace does not say what its parts are", self.command.name);
        if self.command.has(Trait::Indirect) {
            return self.indirect(work, buffers);
        }
        let one = Piece { first: 0, count: 0, from: 0, instances: 1, base_instance: 0 };
        if self.command.has(Trait::Multi) {
            let parts = self.argument("drawcount").or_else(|| self.argument("primcount")).ok_or_else(unknown)?;
            let counts = self.words("count").ok_or_else(unknown)?;
            let firsts = self.words("first").or_else(|| self.words("basevertex"));
            let pointers: Option<Vec<u64>> = self.memory("indices").map(|bytes| {
                let whole = |chunk: &[u8]| chunk.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
                bytes.chunks_exact(8).map(whole).collect()
            });
            let at = |place: usize| Piece {
                first: firsts.as_ref().and_then(|list| list.get(place).copied()).unwrap_or(0),
                count: counts.get(place).copied().unwrap_or(0),
                from: pointers.as_ref().and_then(|list| list.get(place).copied()).unwrap_or(0),
                ..one
            };
            return Ok((0..(parts as usize).min(counts.len())).map(at).collect());
        }
        let count = self
            .argument("count")
            .ok_or_else(|| format!("{}: its vertices are not followed; {SHOWN}", self.command.name))?;
        Ok(vec![Piece {
            first: self.argument("first").or_else(|| self.argument("basevertex")).unwrap_or(0),
            count,
            from: self.whole("indices").unwrap_or(0),
            instances: self.argument("instancecount").or_else(|| self.argument("primcount")).unwrap_or(1),
            base_instance: self.argument("baseinstance").unwrap_or(0),
        }])
    }

    /// Parts that are told in a buffer, or in the program's memory.
    fn indirect(&self, work: &DrawSnapshot, buffers: &mut Buffers<'_>) -> Result<Vec<Piece>, String> {
        let view = work.view().map_err(|error| error.to_string())?;
        let indexed = self.command.has(Trait::Indexed);
        let bound = view.context.buffers.get(Point::DrawIndirect);
        let from = self.whole("indirect").unwrap_or(0);
        let (bytes, from) = if bound.is_none() {
            (self.memory("indirect").unwrap_or_default().to_vec(), 0)
        } else {
            (buffers(bound.name)?, usize::try_from(from).unwrap_or(usize::MAX))
        };
        let mut parts = self.argument("drawcount").unwrap_or(1).max(1);
        if self.command.has(Trait::CountFromBuffer) {
            let counts = buffers(view.context.buffers.get(Point::Parameter).name)?;
            let at = self.whole("drawcount").unwrap_or(0) as usize;
            let told = counts.get(at..at + 4).map(word).ok_or("the buffer does not say how many parts there are")?;
            parts = told.min(self.argument("maxdrawcount").unwrap_or(told));
        }
        let size = if indexed { 20 } else { 16 };
        let stride = self.argument("stride").filter(|stride| *stride > 0).map_or(size, |stride| stride as usize);
        let index = match self.argument("type") {
            Some(kind) => index_size(kind) as u64,
            None => 0,
        };
        let mut all = Vec::new();
        for part in 0..parts as usize {
            let start = from.saturating_add(part.saturating_mul(stride));
            let told = bytes.get(start..start.saturating_add(size)).ok_or("the buffer ends before the parts do")?;
            let word = |place: usize| word(&told[4 * place..4 * place + 4]);
            let piece = match indexed {
                true => Piece {
                    count: word(0),
                    instances: word(1),
                    from: u64::from(word(2)) * index,
                    first: word(3),
                    base_instance: word(4),
                },
                false => Piece { count: word(0), instances: word(1), first: word(2), from: 0, base_instance: word(3) },
            };
            all.push(piece);
        }
        Ok(all)
    }
}

/// Bytes of an index.
pub fn index_size(kind: u32) -> usize {
    match kind {
        api::constant::GL_UNSIGNED_BYTE => 1,
        api::constant::GL_UNSIGNED_SHORT => 2,
        _ => 4,
    }
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte))
}
