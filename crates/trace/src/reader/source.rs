//! Sources of the bytes of a trace.

use std::io;
use std::path::Path;

/// Bytes with random access.
pub trait Source: Send + Sync {
    /// Returns the size in bytes.
    fn size(&self) -> io::Result<u64>;

    /// Fills `buffer` with the bytes at `offset`.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

/// Opens a file.
#[cfg(unix)]
pub fn open(path: &Path) -> io::Result<Box<dyn Source>> {
    Ok(Box::new(std::fs::File::open(path)?))
}

/// Reads a file as a whole: there is no way to read from several places of it at once.
#[cfg(not(unix))]
pub fn open(path: &Path) -> io::Result<Box<dyn Source>> {
    Ok(Box::new(std::fs::read(path)?))
}

#[cfg(unix)]
impl Source for std::fs::File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, offset)
    }
}

impl Source for Vec<u8> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).ok().and_then(|at| self.get(at..)).and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}
