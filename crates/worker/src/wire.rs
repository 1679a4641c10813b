//! Messages over a socket: the length of a document, the length of the bytes beside it, the document as JSON, the bytes.
//!
//! A length is checked against its bound before it is used, and memory grows only as bytes arrive, so that a length alone
//! takes none.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes of the two lengths before a message.
const HEAD: usize = 16;

/// Documents are texts of shaders and lists; the largest seen are a few megabytes.
const LONGEST_DOCUMENT: u64 = 256 << 20;

/// Bytes beside a document: a picture of 16384 by 16384 pixels of four bytes, and no more, because a worker that was
/// taken over may send anything.
const MOST_BYTES: u64 = 1 << 30;

/// Memory is taken in steps of this many bytes.
const STEP: usize = 1 << 20;

/// One end of the socket.
pub struct Wire {
    socket: UnixStream,
    /// What has arrived of the next message.
    arrived: Vec<u8>,
}

/// Why there is no message.
#[derive(Debug)]
pub enum WireError {
    /// The other end is closed.
    Gone,
    /// It is not a message.
    Garbled(String),
}

impl From<io::Error> for WireError {
    fn from(_: io::Error) -> WireError {
        WireError::Gone
    }
}

impl Wire {
    pub fn new(socket: UnixStream) -> Wire {
        Wire { socket, arrived: Vec::new() }
    }

    /// Sends a document and bytes.
    pub fn send(&mut self, document: &impl Serialize, bytes: &[u8]) -> Result<(), WireError> {
        let text = serde_json::to_vec(document).map_err(|error| WireError::Garbled(error.to_string()))?;
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(&(text.len() as u64).to_le_bytes());
        head[8..].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.socket.write_all(&head)?;
        self.socket.write_all(&text)?;
        self.socket.write_all(bytes)?;
        Ok(())
    }

    /// Returns the next message; `None` if it has not arrived within the socket's timeout.
    pub fn receive<T: DeserializeOwned>(&mut self) -> Result<Option<(T, Vec<u8>)>, WireError> {
        if !self.fill(HEAD)? {
            return Ok(None);
        }
        let length = |at: usize, bound: u64| {
            let bytes = self.arrived[at..at + 8].try_into().map_err(|_| WireError::Gone)?;
            let length = u64::from_le_bytes(bytes);
            let fits = usize::try_from(length).ok().filter(|_| length <= bound);
            fits.ok_or_else(|| WireError::Garbled(format!("a message of {length} bytes is too long")))
        };
        let (text, bytes) = (HEAD + length(0, LONGEST_DOCUMENT)?, length(8, MOST_BYTES)?);
        if !self.fill(text + bytes)? {
            return Ok(None);
        }
        let mut message = std::mem::take(&mut self.arrived);
        let beside = message.split_off(text);
        let document =
            serde_json::from_slice(&message[HEAD..]).map_err(|error| WireError::Garbled(error.to_string()))?;
        Ok(Some((document, beside)))
    }

    /// Reads until `wanted` bytes have arrived; false when the socket's timeout came first.
    fn fill(&mut self, wanted: usize) -> Result<bool, WireError> {
        while self.arrived.len() < wanted {
            let (from, to) = (self.arrived.len(), wanted.min(self.arrived.len() + STEP));
            self.arrived.resize(to, 0);
            let read = self.socket.read(&mut self.arrived[from..]);
            self.arrived.truncate(from + read.as_ref().map_or(0, |count| *count));
            match read {
                Ok(0) => return Err(WireError::Gone),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    return Ok(false);
                }
                Err(_) => return Err(WireError::Gone),
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn pair() -> (Wire, UnixStream) {
        let (one, two) = UnixStream::pair().expect("a pair of sockets");
        one.set_read_timeout(Some(Duration::from_millis(1))).expect("a timeout");
        (Wire::new(one), two)
    }

    #[test]
    fn messages_arrive_whole_however_they_come() {
        let (mut near, mut far) = pair();
        let (mut sender, receiver) = pair();
        sender.send(&("question", 7), &[1, 2, 3]).expect("room in the socket");
        drop(sender);
        let mut all = Vec::new();
        let mut receiver = receiver;
        receiver.read_to_end(&mut all).expect("all of it");
        for (i, byte) in all.iter().enumerate() {
            assert!(near.receive::<(String, u32)>().expect("patience").is_none(), "complete after {i} bytes");
            far.write_all(&[*byte]).expect("room in the socket");
        }
        let (document, bytes) = near.receive::<(String, u32)>().expect("a message").expect("all of it");
        assert_eq!((document.0.as_str(), document.1, bytes.as_slice()), ("question", 7, &[1, 2, 3][..]));
        drop(far);
        assert!(matches!(near.receive::<u32>(), Err(WireError::Gone)));
    }

    #[test]
    fn garbage_is_refused() {
        let (mut near, mut far) = pair();
        far.write_all(&[255; 16]).expect("room in the socket");
        assert!(matches!(near.receive::<u32>(), Err(WireError::Garbled(_))));
        let (mut near, mut far) = pair();
        far.write_all(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, b'}']).expect("room in the socket");
        assert!(matches!(near.receive::<u32>(), Err(WireError::Garbled(_))));
    }
}
