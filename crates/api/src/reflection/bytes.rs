//! Encoding of words, lists and strings as bytes.

use super::Unreadable;

/// Appends values to bytes.
#[derive(Default)]
pub struct Writer {
    /// The bytes so far.
    pub bytes: Vec<u8>,
}

impl Writer {
    pub fn word(&mut self, word: u32) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    /// Writes the length of what follows. Lengths beyond 32 bits do not occur.
    pub fn count(&mut self, count: usize) {
        self.word(u32::try_from(count).unwrap_or(u32::MAX));
    }

    pub fn integers(&mut self, integers: &[i32]) {
        self.count(integers.len());
        integers.iter().for_each(|integer| self.word(integer.cast_unsigned()));
    }

    pub fn text(&mut self, text: &[u8]) {
        self.count(text.len());
        self.bytes.extend_from_slice(text);
    }
}

/// Reads values from bytes.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// The bytes that are left.
    pub bytes: &'a [u8],
}

impl Reader<'_> {
    pub fn word(&mut self) -> Result<u32, Unreadable> {
        let (first, rest) = self.bytes.split_first_chunk::<4>().ok_or(Unreadable)?;
        self.bytes = rest;
        Ok(u32::from_le_bytes(*first))
    }

    pub fn long(&mut self) -> Result<u64, Unreadable> {
        let (first, rest) = self.bytes.split_first_chunk::<8>().ok_or(Unreadable)?;
        self.bytes = rest;
        Ok(u64::from_le_bytes(*first))
    }

    pub fn integer(&mut self) -> Result<i32, Unreadable> {
        Ok(self.word()?.cast_signed())
    }

    /// Reads the length of what follows, of which each element takes at least `least` bytes. Fails when the bytes that
    /// are left have no room for it.
    pub fn count(&mut self, least: usize) -> Result<usize, Unreadable> {
        let count = self.word()? as usize;
        if count > self.bytes.len() / least.max(1) { Err(Unreadable) } else { Ok(count) }
    }

    pub fn list<T>(
        &mut self,
        least: usize,
        mut one: impl FnMut(&mut Self) -> Result<T, Unreadable>,
    ) -> Result<Vec<T>, Unreadable> {
        (0..self.count(least)?).map(|_| one(self)).collect()
    }

    pub fn integers(&mut self) -> Result<Vec<i32>, Unreadable> {
        self.list(4, Reader::integer)
    }

    pub fn text(&mut self) -> Result<Vec<u8>, Unreadable> {
        let length = self.count(1)?;
        let (text, rest) = self.bytes.split_at_checked(length).ok_or(Unreadable)?;
        self.bytes = rest;
        Ok(text.to_vec())
    }
}
