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
    let file = std::fs::File::open(path)?;
    await_writer(&file);
    Ok(Box::new(file))
}

/// How long a recorder gets to finish a file: after its program has ended it takes milliseconds, but while the program
/// runs there is no end to wait for.
#[cfg(unix)]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

/// Waits for a recorder that is writing the file ([`crate::file::create`] locks it), though not for long.
#[cfg(unix)]
fn await_writer(file: &std::fs::File) {
    let begin = std::time::Instant::now();
    while let Err(std::fs::TryLockError::WouldBlock) = file.try_lock_shared() {
        if begin.elapsed() > PATIENCE {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // Readers do not keep recorders from the file. Some file systems have no locks; then there was nothing to wait for.
    let _ = file.unlock();
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

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;
    use std::time::Duration;

    use super::*;
    use crate::file;

    #[test]
    fn a_file_that_is_being_written_is_read_when_it_is_whole() {
        let folder = file::PrivateFolder::new().unwrap();
        let path = folder.path().join("t.aftr");
        let mut writer = file::create(&path, true).unwrap();
        writer.write_all(b"begin").unwrap();
        let writing = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            writer.write_all(b", end").unwrap();
        });
        assert_eq!(open(&path).unwrap().size().unwrap(), 10);
        writing.join().unwrap();
        // Readers leave no lock behind.
        let reader = open(&path).unwrap();
        assert!(file::create(&path, true).is_ok());
        drop(reader);
    }
}
