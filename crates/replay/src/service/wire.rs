//! Messages over a socket: the length of a document, the length of the bytes beside it, the document as JSON, the bytes.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes in front of a message.
const HEAD: usize = 16;

/// Documents and bytes are not longer than this: a larger number is no length.
const LARGEST: u64 = 1 << 34;

/// One end of the socket.
pub struct Wire {
    socket: UnixStream,
    /// What has come of the message at hand.
    come: Vec<u8>,
}

/// Why there is no message.
#[derive(Debug)]
pub enum WireError {
    /// Nobody is at the other end.
    Gone,
    /// It is no message.
    Garbled(String),
}

impl From<io::Error> for WireError {
    fn from(_: io::Error) -> WireError {
        WireError::Gone
    }
}

impl Wire {
    pub fn new(socket: UnixStream) -> Wire {
        Wire { socket, come: Vec::new() }
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

    /// The next message; nothing if it has not come within the time that the socket waits.
    pub fn receive<T: DeserializeOwned>(&mut self) -> Result<Option<(T, Vec<u8>)>, WireError> {
        if !self.fill(HEAD)? {
            return Ok(None);
        }
        let length = |at: usize| {
            let bytes = self.come[at..at + 8].try_into().map_err(|_| WireError::Gone)?;
            let length = u64::from_le_bytes(bytes);
            let fits = usize::try_from(length).ok().filter(|_| length <= LARGEST);
            fits.ok_or_else(|| WireError::Garbled(format!("a message of {length} bytes")))
        };
        let (text, bytes) = (HEAD + length(0)?, length(8)?);
        if !self.fill(text + bytes)? {
            return Ok(None);
        }
        let mut message = std::mem::take(&mut self.come);
        let beside = message.split_off(text);
        let document =
            serde_json::from_slice(&message[HEAD..]).map_err(|error| WireError::Garbled(error.to_string()))?;
        Ok(Some((document, beside)))
    }

    /// Reads until so many bytes have come; false when the socket's patience ended before.
    fn fill(&mut self, wanted: usize) -> Result<bool, WireError> {
        let mut come = self.come.len();
        if come >= wanted {
            return Ok(true);
        }
        self.come.resize(wanted, 0);
        let outcome = loop {
            match self.socket.read(&mut self.come[come..]) {
                Ok(0) => break Err(WireError::Gone),
                Ok(more) => come += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    break Ok(false);
                }
                Err(_) => break Err(WireError::Gone),
            }
            if come == wanted {
                break Ok(true);
            }
        };
        self.come.truncate(come);
        outcome
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
    fn what_is_no_message_is_said_to_be_none() {
        let (mut near, mut far) = pair();
        far.write_all(&[255; 16]).expect("room in the socket");
        assert!(matches!(near.receive::<u32>(), Err(WireError::Garbled(_))));
        let (mut near, mut far) = pair();
        far.write_all(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, b'}']).expect("room in the socket");
        assert!(matches!(near.receive::<u32>(), Err(WireError::Garbled(_))));
    }
}
