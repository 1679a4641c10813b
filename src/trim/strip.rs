//! `trim --strip`: calls are copied without what `record --redact` leaves out.

use std::io::Write;

use api::{CommandId, id};
use recorder::redact;
use trace::{Call, Content, Edit, Reader, Side, Summary, WriteError, Writer};

/// Copies calls to a new trace.
pub struct Copier<W: Write> {
    /// The new trace.
    pub writer: Writer<W>,
    /// Whether to leave out contents, labels and the command line.
    pub strip: bool,
}

impl<W: Write> Copier<W> {
    /// Copies a call. Returns false when this build has no such command.
    ///
    /// # Errors
    /// When the file cannot be written, or memory of the call is lost.
    pub fn copy(&mut self, call: &Call<'_>, reader: &Reader) -> Result<bool, WriteError> {
        match call.command {
            // They are hashes of contents, for comparison with a replay, and a replay of zeros would differ.
            Some(id::afiImage | id::afiMapped) if self.strip => Ok(true),
            _ if self.strip => self.writer.copy_edited(call, reader, &edit),
            _ => self.writer.copy(call, reader),
        }
    }

    /// Ends the trace. A stripped one says that it is.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(mut self) -> Result<(Summary, W), WriteError> {
        if self.strip {
            let text = format!("Stripped with `afterimage trim --strip`: {}.\0", redact::NOTICE);
            let content = Content { param: 0, bytes: text.as_bytes(), digest_only: false };
            let number = self.writer.enter(0, id::afiProblem, true, &[1], &[content])?;
            self.writer.leave(0, 0, &[], number + 1)?;
        }
        self.writer.finish()
    }
}

/// Decides about memory as `record --redact` does. Of contents that were only hashed, nothing stays.
fn edit(command: CommandId, side: Side, param: u8, bytes: Option<&[u8]>) -> Edit {
    match (side, bytes) {
        (Side::Input, Some(bytes)) => Edit::Replace(redact::input(command, param, bytes).into_owned()),
        (Side::Input, None) if redact::keeps_input(command, param) => Edit::Keep,
        (Side::Output, _) if redact::keeps_output(command, param) => Edit::Keep,
        (Side::Input, None) | (Side::Output, _) => Edit::Remove,
    }
}

#[cfg(test)]
mod tests {
    use super::edit;
    use trace::{Edit, Side};

    fn edited(command: &str, side: Side, param: u8, bytes: Option<&[u8]>) -> Edit {
        edit(api::find(command).unwrap(), side, param, bytes)
    }

    #[test]
    fn contents_and_their_hashes_go_and_sources_stay() {
        let bytes = Some(&b"secret"[..]);
        assert_eq!(edited("glBufferData", Side::Input, 2, bytes), Edit::Replace(vec![0; 6]));
        assert_eq!(edited("afiContents", Side::Input, 11, bytes), Edit::Replace(vec![0; 6]));
        assert_eq!(edited("glObjectLabel", Side::Input, 3, bytes), Edit::Replace(b"******".to_vec()));
        assert_eq!(edited("afiProcess", Side::Input, 2, bytes), Edit::Replace(Vec::new()));
        assert_eq!(edited("glShaderSource", Side::Input, 2, bytes), Edit::Replace(b"secret".to_vec()));
        // What was recorded as a digest only.
        assert_eq!(edited("glBufferData", Side::Input, 2, None), Edit::Remove);
        assert_eq!(edited("afiProcess", Side::Input, 1, None), Edit::Remove);
        assert_eq!(edited("glShaderSource", Side::Input, 2, None), Edit::Keep);
        for digest in [bytes, None] {
            assert_eq!(edited("glReadPixels", Side::Output, 6, digest), Edit::Remove);
            assert_eq!(edited("glGetIntegerv", Side::Output, 1, digest), Edit::Keep);
        }
    }
}
