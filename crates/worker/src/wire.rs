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

/// Bytes beside a document that are copied behind it, so that one system call sends both: the other end wakes up once.
const JOINED: usize = 1 << 16;

/// Bytes that are read beyond what is needed: with the lengths of a message, usually the rest of it arrives.
const AHEAD: usize = 1 << 14;

/// One end of the socket.
pub struct Wire {
    socket: UnixStream,
    /// What has arrived of the next message, and perhaps of those after it.
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
        let mut message = vec![0; HEAD];
        serde_json::to_writer(&mut message, document).map_err(|error| WireError::Garbled(error.to_string()))?;
        let text = (message.len() - HEAD) as u64;
        message[..8].copy_from_slice(&text.to_le_bytes());
        message[8..HEAD].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        let (joined, apart) = if bytes.len() <= JOINED { (bytes, &[][..]) } else { (&[][..], bytes) };
        message.extend_from_slice(joined);
        self.socket.write_all(&message)?;
        self.socket.write_all(apart)?;
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
        let document = serde_json::from_slice(&self.arrived[HEAD..text]);
        let mut beside = std::mem::take(&mut self.arrived);
        self.arrived = beside.split_off(text + bytes);
        beside.drain(..text);
        Ok(Some((document.map_err(|error| WireError::Garbled(error.to_string()))?, beside)))
    }

    /// Reads until `wanted` bytes have arrived; false when the socket's timeout came first.
    fn fill(&mut self, wanted: usize) -> Result<bool, WireError> {
        while self.arrived.len() < wanted {
            let (from, to) =
                (self.arrived.len(), wanted.max(self.arrived.len() + AHEAD).min(self.arrived.len() + STEP));
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
    fn messages_that_arrive_together_are_told_apart() {
        let (mut near, far) = pair();
        let mut far = Wire::new(far);
        let beside = [vec![1], Vec::new(), vec![2; JOINED + 1], vec![3; 2]];
        for (number, bytes) in beside.iter().enumerate() {
            far.send(&number, bytes).expect("room in the socket");
        }
        for expected in beside.into_iter().enumerate() {
            assert_eq!(near.receive::<usize>().expect("patience"), Some(expected));
        }
        assert!(near.receive::<usize>().expect("patience").is_none());
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
