//! Variable-length numbers and strings as bytes, and a bounds-checked reader for them.

/// Reads from a slice of bytes.
#[derive(Clone, Copy, Debug)]
pub struct ByteReader<'a> {
    rest: &'a [u8],
}

/// The bytes ended early or are invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub &'static str);

/// Appends a number in groups of seven bits, lowest first; the top bit of a byte is set when more follow.
pub fn put_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a string: its length in bytes, then UTF-8.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

impl<'a> ByteReader<'a> {
    pub fn new(rest: &'a [u8]) -> Self {
        ByteReader { rest }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Returns the next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self.rest.split_at_checked(count).ok_or(Malformed("the data ends too early"))?;
        self.rest = rest;
        Ok(head)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed("the data ends too early"))?;
        self.rest = rest;
        Ok(*head)
    }

    pub fn byte(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Reads a number written by [`put_number`].
    pub fn number(&mut self) -> Result<u64, Malformed> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            // The tenth byte has room for one bit only.
            if shift == 63 && byte > 1 {
                return Err(Malformed("a number is too large"));
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed("a number is too large"))
    }

    /// Reads a number that must fit a smaller type.
    pub fn small<T: TryFrom<u64>>(&mut self) -> Result<T, Malformed> {
        T::try_from(self.number()?).map_err(|_| Malformed("a number is too large"))
    }

    /// Reads the length of a list whose items each take at least one of the remaining bytes.
    pub fn count(&mut self) -> Result<usize, Malformed> {
        let count = self.small::<usize>()?;
        if count > self.left() {
            return Err(Malformed("a list is longer than the data"));
        }
        Ok(count)
    }

    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| Malformed("a string is not UTF-8"))
    }
}
