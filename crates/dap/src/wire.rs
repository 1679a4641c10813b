//! Messages on a stream: a header that says how long, an empty line, and JSON.

use std::io::{BufRead, ErrorKind, Read, Write};

use serde_json::Value;

/// More than any request needs; a length beyond it is no length.
const LONGEST: usize = 16 << 20;

/// More than any client sends before a message, in bytes.
const LONGEST_HEADER: u64 = 1024;

/// Why a client cannot be understood or answered.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The stream fails.
    #[error("the connection to the editor failed: {0}")]
    Io(#[from] std::io::Error),
    /// No length where one belongs.
    #[error("what came in is not the Debug Adapter Protocol: a message without a Content-Length")]
    NoLength,
    /// A header of another protocol, such as a browser's.
    #[error("what came in is not the Debug Adapter Protocol: it begins with something other than a Content-Length")]
    NoHeader,
    /// No message of the protocol.
    #[error("what came in is not the Debug Adapter Protocol: {0}")]
    NotJson(#[from] serde_json::Error),
}

/// The next message; nothing at the end of the stream.
pub fn read(input: &mut impl BufRead) -> Result<Option<Vec<u8>>, WireError> {
    let mut length = None;
    let mut header = (&mut *input).take(LONGEST_HEADER);
    loop {
        let mut line = Vec::new();
        match header.read_until(b'\n', &mut line) {
            Ok(0) if header.limit() == 0 => return Err(WireError::NoHeader),
            Ok(0) => return Ok(None),
            Ok(_) => {}
            // A client that is killed does not close the connection.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        let line = line.trim_ascii_end();
        if line.is_empty() {
            break;
        }
        // Anything else may be a request that a page makes a browser send, whose body the page chose.
        let (name, value) =
            std::str::from_utf8(line).ok().and_then(|line| line.split_once(':')).ok_or(WireError::NoHeader)?;
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse::<usize>().ok().filter(|length| *length <= LONGEST);
        } else if !name.eq_ignore_ascii_case("content-type") {
            return Err(WireError::NoHeader);
        }
    }
    let length = length.ok_or(WireError::NoLength)?;
    // Memory grows with what arrives, not with what is announced.
    let mut bytes = Vec::new();
    input.take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() < length {
        return Err(std::io::Error::from(ErrorKind::UnexpectedEof).into());
    }
    Ok(Some(bytes))
}

/// Sends a message.
pub fn write(output: &mut impl Write, message: &Value) -> Result<(), WireError> {
    let text = serde_json::to_vec(message)?;
    write!(output, "Content-Length: {}\r\n\r\n", text.len())?;
    output.write_all(&text)?;
    output.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut stream = Vec::new();
        let message = serde_json::json!({"seq": 1, "text": "naïve\r\n\r\n"});
        write(&mut stream, &message).unwrap();
        write(&mut stream, &Value::Null).unwrap();
        let mut input = &stream[..];
        let first: Value = serde_json::from_slice(&read(&mut input).unwrap().unwrap()).unwrap();
        assert_eq!(first, message);
        assert_eq!(read(&mut input).unwrap().unwrap(), b"null");
        assert!(read(&mut input).unwrap().is_none());
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let page = b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";
        assert!(matches!(read(&mut &page[..]), Err(WireError::NoHeader)));
        assert!(matches!(read(&mut &b"Host: a\r\nContent-Length: 2\r\n\r\n{}"[..]), Err(WireError::NoHeader)));
        assert!(matches!(read(&mut &[b'a'; 5000][..]), Err(WireError::NoHeader)));
        assert!(matches!(read(&mut &b"Content-Type: json\r\n\r\n"[..]), Err(WireError::NoLength)));
        assert!(matches!(read(&mut &b"Content-Length: -1\r\n\r\n{}"[..]), Err(WireError::NoLength)));
        assert!(matches!(read(&mut &b"Content-Length: 99999999999999\r\n\r\n"[..]), Err(WireError::NoLength)));
        assert!(matches!(read(&mut &b"Content-Length: 5\r\n\r\n{}"[..]), Err(WireError::Io(_))));
    }
}
