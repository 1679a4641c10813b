//! The size of a dispatch.

use api::id;
use state::objects::buffer::Point;

use crate::{DrawSnapshot, Inquiry, InquiryError};

/// How large a dispatch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DispatchSize {
    /// Workgroups along each axis.
    pub groups: [u32; 3],
    /// Invocations of a workgroup, if the call sets them and not the shader.
    pub group_size: Option<[u32; 3]>,
}

/// Why the size of a dispatch is unknown.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnknownSize {
    /// The indirect buffer cannot be read.
    #[error("the indirect buffer cannot be read: {0}")]
    Buffer(String),
    /// The indirect buffer ends before the three numbers.
    #[error("the indirect buffer ends before the number of workgroups")]
    ShortBuffer,
    /// The call is not one of the known ways to dispatch.
    #[error("{0} is not supported")]
    Command(String),
}

impl DrawSnapshot {
    /// Returns the size of a dispatch. An indirect one takes it from a buffer, which `buffer` reads by its name.
    ///
    /// # Errors
    /// When the trace or the buffer cannot be read, or the call dispatches in an unknown way.
    pub fn dispatch_size(
        &self,
        inquiry: &mut Inquiry,
        buffer: impl FnOnce(&mut Inquiry, u32) -> Result<Vec<u8>, String>,
    ) -> Result<DispatchSize, InquiryError> {
        let unknown = |why| InquiryError::DispatchSize { command: self.command, why };
        let (command, name, args) = {
            let held = inquiry.reader().call_at(self.command)?;
            (held.call().command, held.call().name().to_owned(), held.call().args.to_vec())
        };
        let three = |from: usize| std::array::from_fn(|at| args.get(from + at).map_or(1, |word| *word as u32));
        match command {
            Some(id::glDispatchCompute) => Ok(DispatchSize { groups: three(0), group_size: None }),
            Some(id::glDispatchComputeGroupSizeARB) => {
                Ok(DispatchSize { groups: three(0), group_size: Some(three(3)) })
            }
            Some(id::glDispatchComputeIndirect) => {
                let bound = self.view()?.context.buffers.get(Point::DispatchIndirect).name;
                let bytes = buffer(inquiry, bound).map_err(|why| unknown(UnknownSize::Buffer(why)))?;
                let from = args.first().map_or(0, |from| *from as usize);
                let word = |at: usize| bytes.get(from + 4 * at..)?.first_chunk().map(|word| u32::from_le_bytes(*word));
                match (word(0), word(1), word(2)) {
                    (Some(x), Some(y), Some(z)) => Ok(DispatchSize { groups: [x, y, z], group_size: None }),
                    _ => Err(unknown(UnknownSize::ShortBuffer)),
                }
            }
            _ => Err(unknown(UnknownSize::Command(name))),
        }
    }
}
